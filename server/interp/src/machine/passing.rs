//! Instructions that only move bits, such as `mov` or `shfl`: which byte of a result comes from where. They copy values that were never
//! written without a report.

use super::layout::Slot;
use super::state::unknowns::{KnownBytes, PassedUnknown};
use super::state::{CallFrame, RegisterShadow};
use crate::lanes::{LaneMask, lanes};
use crate::registers::WarpRegisters;

/// Where a byte of a result comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ByteOrigin {
    /// Index of the source operand in [`Passing::sources`].
    pub source: usize,
    /// Index of the byte in the source.
    pub byte: usize,
    /// The lane of the source.
    pub lane: usize,
}

/// Returns the origin of a byte of a result: of lane, result (index into [`Passing::results`]) and byte. `None`: the byte has a value in any
/// case, as a constant has.
pub type OriginFinder = Box<dyn Fn(&WarpRegisters, usize, usize, usize) -> Option<ByteOrigin> + Send + Sync>;

/// How an instruction copies bytes of registers.
pub struct Passing {
    /// The operands that are copied, as indices into [`FunctionCode::slots`]; `None` for constants and special registers.
    pub sources: Box<[Option<u32>]>,
    /// The results, likewise; `None` for `_`.
    pub results: Box<[Option<u32>]>,
    /// Finds the origin of a byte. It is called before the instruction is executed.
    pub origin: OriginFinder,
}

impl Passing {
    /// Whether all sources were written in the lanes of a mask.
    #[inline]
    pub(super) fn is_known(&self, shadow: &RegisterShadow, mask: LaneMask) -> bool {
        self.sources.iter().flatten().all(|s| shadow.known.get(*s as usize).is_some_and(|k| mask & !k == 0))
    }

    /// The results that will have no value after the instruction, in the lanes of a mask.
    pub(super) fn unknowns(&self, slots: &[Slot], frame: &CallFrame, mask: LaneMask) -> Vec<PassedUnknown> {
        if self.is_known(&frame.shadow, mask) {
            return Vec::new();
        }
        let shadow = &frame.shadow;
        let known = |origin: ByteOrigin| {
            let Some(slot) = self.sources.get(origin.source).copied().flatten() else { return true };
            let written = shadow.known.get(slot as usize).copied().unwrap_or(0);
            written >> origin.lane & 1 != 0 || shadow.copied.knows(slot, origin.byte, origin.lane)
        };
        let mut out = Vec::new();
        for (result, slot) in self.results.iter().enumerate().filter_map(|(i, slot)| Some((i, (*slot)?))) {
            let width = match slots.get(slot as usize) {
                Some(Slot::Register(place)) => usize::from(place.width),
                Some(Slot::Predicate(_)) => 1,
                None => 0,
            };
            let (mut unknown, mut bytes) = (0, KnownBytes::default());
            for lane in lanes(mask) {
                for (byte, all) in bytes.iter_mut().enumerate().take(width) {
                    if (self.origin)(&frame.registers, lane, result, byte).is_none_or(known) {
                        *all |= 1 << lane;
                    } else {
                        unknown |= 1 << lane;
                    }
                }
            }
            if unknown != 0 {
                out.push(PassedUnknown { slot, lanes: unknown, bytes });
            }
        }
        out
    }
}
