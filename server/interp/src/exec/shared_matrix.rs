//! Reads the elements of a matrix in shared memory that a descriptor describes.

use crate::machine::copies;
use crate::machine::state::flights::GRANULE;
use crate::machine::{ExecContext, Order};
use crate::memory::{SHARED_STRIDE, Window};
use ptx_num::matrix::shared::{Major, SharedMatrix};
use ptx_num::values::Marks;
use std::ops::Range;

/// Number of contiguous bytes that swizzling always keeps together.
const CHUNK: usize = 16;

/// A matrix in the shared memory of a CTA.
#[derive(Debug, Clone, Copy)]
pub(super) struct SharedMatrixSource {
    /// The layout of the matrix in shared memory.
    pub matrix: SharedMatrix,
    /// The rank of the CTA in its cluster; `None` for the thread's own CTA.
    pub rank: Option<u32>,
    /// The lane that makes the accesses: findings name it.
    pub lane: usize,
}

impl SharedMatrixSource {
    /// Calls `put` for each element with its row of A (or column of B), its position along K, and its bits. Both numbers count from the
    /// beginning of their range. Returns the marks of all elements, or `None` after a fault.
    pub fn read(
        &self,
        context: &mut ExecContext<'_>,
        lines: Range<u32>,
        k: Range<u32>,
        mut put: impl FnMut(usize, usize, u64),
    ) -> Option<Marks> {
        let mut chunk = MatrixChunk::default();
        let bits = self.matrix.element_bits.clamp(1, 64);
        let per_chunk = if self.matrix.in_sixteens { 16 } else { (8 * CHUNK as u32 / bits).max(1) };
        // Visit neighbours in memory one after the other, so that each chunk is read once.
        let (outer, inner) = match self.matrix.major {
            Major::K => (lines.clone(), k.clone()),
            Major::MN => (k.clone(), lines.clone()),
        };
        for other in outer {
            for at in inner.clone() {
                let (line, place) = match self.matrix.major {
                    Major::K => (other, at),
                    Major::MN => (at, other),
                };
                let (byte, low) = self.matrix.locate(line, place);
                let base = byte & !(CHUNK as u32 - 1);
                if chunk.base != Some(base) || at % per_chunk == 0 {
                    let count = (inner.end - (at - at % per_chunk)).min(per_chunk);
                    let bytes = ((count * bits).div_ceil(8) as usize).min(CHUNK);
                    self.fetch(context, base, bytes, &mut chunk)?;
                }
                let all = u128::from_le_bytes(chunk.bytes) >> (8 * (byte - base) + low);
                let value = all as u64 & (u64::MAX >> (64 - bits));
                put((line - lines.start) as usize, (place - k.start) as usize, value);
            }
        }
        Some(chunk.marks)
    }

    fn fetch(&self, context: &mut ExecContext<'_>, base: u32, bytes: usize, chunk: &mut MatrixChunk) -> Option<()> {
        let offset = self.rank.map_or(0, |r| (u64::from(r) + 1) * SHARED_STRIDE) + u64::from(base);
        let address = context.executable().map.generic(Window::Shared, offset)?;
        let at = context.locate_generic(address, self.lane, bytes, 1, false)?;
        copies::read_by_engine(context, at, self.lane, bytes, "the tensor core");
        let rank = self.rank.unwrap_or(context.rank as u32);
        context.uses.get_or_insert_default().shared.push((rank, base / GRANULE as u32));
        chunk.bytes = [0; CHUNK];
        chunk.marks |= context.read_at(at, self.lane, &mut chunk.bytes[..bytes], Order::Weak);
        chunk.base = Some(base);
        Some(())
    }
}

/// The chunk that was read last, and the marks of all chunks so far.
#[derive(Default)]
struct MatrixChunk {
    base: Option<u32>,
    bytes: [u8; CHUNK],
    marks: Marks,
}
