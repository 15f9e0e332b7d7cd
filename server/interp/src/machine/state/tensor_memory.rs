//! Tensor memory of a CTA: 128 lanes of 512 columns of 32 bits, and which columns are allocated.

use super::operands::{COLUMNS, TensorPipeline};
use crate::findings::InstructionSite;
use ptx_num::values::Marks;
use std::sync::Arc;

/// Number of lanes (rows) of tensor memory.
pub const LANES: u32 = 128;

/// Bytes that tensor memory takes with what is known of its cells, and with the operations on it in flight.
const TENSOR_BYTES: u64 = 3 << 20;

/// Columns are allocated in multiples of this number.
const UNIT: u32 = 32;

/// The cells of a column: their bits, and lane masks of their status.
#[derive(Debug, Clone)]
struct Column {
    cells: [u32; LANES as usize],
    known: u128,
    unspecified: u128,
    approximate: u128,
}

/// The content of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct TensorMemoryCell {
    /// Its bits.
    pub bits: u32,
    /// The cell was written.
    pub known: bool,
    /// The marks of its value.
    pub marks: Marks,
}

/// A range of allocated columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ColumnAllocation {
    /// The first column.
    pub first: u32,
    /// Number of columns.
    pub columns: u32,
    /// The instruction that allocated them.
    pub site: InstructionSite,
}

/// The state of an allocation by a pair of CTAs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum PairAllocation {
    /// No warp waits.
    #[default]
    Idle,
    /// A warp waits for the other CTA to request as many columns, and for that number of columns to be free.
    Waits(u32),
    /// The other CTA has allocated for both, beginning at this column.
    Granted(u32),
}

/// The tensor memory of a CTA.
#[derive(Debug, Clone, Default)]
pub struct TensorMemory {
    columns: Vec<Option<Arc<Column>>>,
    /// The allocated columns.
    pub(crate) allocations: Vec<ColumnAllocation>,
    /// The CTA has given up the permit to allocate.
    pub(crate) relinquished: bool,
    /// Number of columns of the last allocation.
    pub(crate) last: Option<u32>,
    /// The state of an allocation by a pair of CTAs.
    pub(crate) pair: PairAllocation,
    /// The operations in flight.
    pub(crate) pipeline: TensorPipeline,
    /// The `.cta_group` size that all instructions must use; `None` before the first one.
    pub(crate) ctas: Option<u32>,
}

impl TensorMemory {
    /// Bytes that it occupies, from the first allocation on.
    pub(crate) fn held(&self) -> u64 {
        if self.last.is_some() { TENSOR_BYTES } else { 0 }
    }

    /// Executes `tcgen05.fence::after_thread_sync`: returns the number of the last completion, which the warp keeps.
    pub(crate) fn fence(&self) -> u64 {
        self.pipeline.completions
    }

    fn is_free(&self, first: u32, columns: u32) -> bool {
        self.allocations.iter().all(|a| a.first + a.columns <= first || first + columns <= a.first)
    }

    /// The first column of a free range of `columns` columns, which must also be free in `other`. It is a multiple of `columns`.
    pub(crate) fn free(&self, columns: u32, other: Option<&Self>) -> Option<u32> {
        let step = columns.clamp(UNIT, COLUMNS) as usize;
        (0..COLUMNS).step_by(step).find(|first| {
            first + columns <= COLUMNS
                && self.is_free(*first, columns)
                && other.is_none_or(|o| o.is_free(*first, columns))
        })
    }

    /// Allocates columns. Their cells count as unwritten.
    pub(crate) fn allocate(&mut self, first: u32, columns: u32, site: InstructionSite) {
        self.allocations.push(ColumnAllocation { first, columns, site });
        self.last = Some(columns);
        for column in first..first + columns {
            if let Some(column) = self.columns.get_mut(column as usize) {
                *column = None;
            }
        }
    }

    /// Frees an allocation. Returns false if there is no such allocation.
    pub(crate) fn free_up(&mut self, first: u32, columns: u32) -> bool {
        let found = self.allocations.iter().position(|a| (a.first, a.columns) == (first, columns));
        found.map(|at| self.allocations.remove(at)).is_some()
    }

    /// Whether a column is allocated.
    pub(crate) fn is_allocated(&self, column: u32) -> bool {
        self.allocations.iter().any(|a| (a.first..a.first + a.columns).contains(&column))
    }

    /// Reads a cell. Cells outside tensor memory are zero and unwritten.
    #[inline]
    pub(crate) fn read(&self, lane: u32, column: u32) -> TensorMemoryCell {
        let Some(Some(of)) = self.columns.get(column as usize) else { return TensorMemoryCell::default() };
        let Some(bits) = of.cells.get(lane as usize) else { return TensorMemoryCell::default() };
        let mut marks = Marks::NONE;
        if of.unspecified >> lane & 1 != 0 {
            marks |= Marks::UNSPECIFIED;
        }
        if of.approximate >> lane & 1 != 0 {
            marks |= Marks::APPROXIMATE;
        }
        TensorMemoryCell { bits: *bits, known: of.known >> lane & 1 != 0, marks }
    }

    /// Writes a cell. Writes outside tensor memory are dropped.
    #[inline]
    pub(crate) fn write(&mut self, lane: u32, column: u32, bits: u32, marks: Marks) {
        if lane >= LANES || column >= COLUMNS {
            return;
        }
        if self.columns.len() <= column as usize {
            self.columns.resize(COLUMNS as usize, None);
        }
        let empty = || Arc::new(Column { cells: [0; LANES as usize], known: 0, unspecified: 0, approximate: 0 });
        let of = Arc::make_mut(self.columns[column as usize].get_or_insert_with(empty));
        of.cells[lane as usize] = bits;
        let bit = 1 << lane;
        of.known |= bit;
        let set = |mask: &mut u128, on: bool| *mask = if on { *mask | bit } else { *mask & !bit };
        set(&mut of.unspecified, marks.contains(Marks::UNSPECIFIED));
        set(&mut of.approximate, marks.contains(Marks::APPROXIMATE));
    }
}

#[cfg(test)]
mod tests {
    use super::TensorMemory;
    use crate::findings::InstructionSite;
    use ptx_num::values::Marks;

    #[test]
    fn columns_are_given_out_and_come_back_empty() {
        let mut memory = TensorMemory::default();
        let site = InstructionSite::default();
        assert_eq!(memory.free(512, None), Some(0));
        memory.allocate(0, 128, site);
        assert_eq!((memory.free(256, None), memory.free(512, None)), (Some(256), None));
        memory.write(127, 5, 7, Marks::APPROXIMATE);
        let cell = memory.read(127, 5);
        assert_eq!((cell.bits, cell.known, cell.marks), (7, true, Marks::APPROXIMATE));
        assert!(!memory.read(126, 5).known && memory.is_allocated(127) && !memory.is_allocated(128));
        let mut other = TensorMemory::default();
        other.allocate(128, 32, site);
        assert_eq!(memory.free(32, Some(&other)), Some(160));
        assert!(!memory.free_up(0, 64) && memory.free_up(0, 128));
        memory.allocate(0, 32, site);
        assert!(!memory.read(127, 5).known);
    }
}
