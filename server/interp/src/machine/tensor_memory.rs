//! Tensor memory of a CTA: 128 lanes of 512 columns of 32 bits, and which columns are allocated.

use crate::findings::InstructionSite;
use ptx_num::values::Marks;
use std::sync::Arc;

/// Lanes: rows.
pub const LANES: u32 = 128;

/// Columns.
pub const COLUMNS: u32 = 512;

/// Columns are allocated in units of so many.
const UNIT: u32 = 32;

/// A column of cells: their bits, and masks of lanes.
#[derive(Debug, Clone)]
struct Column {
    cells: [u32; LANES as usize],
    known: u128,
    unspecified: u128,
    approximate: u128,
}

/// A cell as it was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct TensorMemoryCell {
    /// Its bits.
    pub bits: u32,
    /// Something was written to it.
    pub known: bool,
    /// What is to be said of it.
    pub marks: Marks,
}

/// Columns that are allocated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ColumnAllocation {
    /// The first.
    pub first: u32,
    /// How many.
    pub columns: u32,
    /// The instruction that allocated them.
    pub site: InstructionSite,
}

/// How far an allocation for a pair of CTAs is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum PairAllocation {
    /// No warp waits.
    #[default]
    Nobody,
    /// A warp waits for one of the other CTA with as many columns, and for these to be free.
    Waits(u32),
    /// The other CTA has allocated for both: the first column.
    Granted(u32),
}

/// Tensor memory of a CTA.
#[derive(Debug, Clone, Default)]
pub struct TensorMemory {
    columns: Vec<Option<Arc<Column>>>,
    /// What is allocated.
    pub(crate) allocations: Vec<ColumnAllocation>,
    /// The permit to allocate was given up.
    pub(crate) relinquished: bool,
    /// The columns that were allocated last.
    pub(crate) last: Option<u32>,
    /// An allocation for a pair.
    pub(crate) pair: PairAllocation,
    /// The number of CTAs that all instructions name.
    pub(crate) ctas: Option<u32>,
}

impl TensorMemory {
    fn is_free(&self, first: u32, columns: u32) -> bool {
        self.allocations.iter().all(|a| a.first + a.columns <= first || first + columns <= a.first)
    }

    /// The first columns that are free here, and in `other`, from a multiple of their number on.
    pub(crate) fn free(&self, columns: u32, other: Option<&Self>) -> Option<u32> {
        let step = columns.clamp(UNIT, COLUMNS) as usize;
        (0..COLUMNS).step_by(step).find(|first| {
            first + columns <= COLUMNS
                && self.is_free(*first, columns)
                && other.is_none_or(|o| o.is_free(*first, columns))
        })
    }

    /// Allocates columns: what was in them counts as never written.
    pub(crate) fn allocate(&mut self, first: u32, columns: u32, site: InstructionSite) {
        self.allocations.push(ColumnAllocation { first, columns, site });
        self.last = Some(columns);
        for column in first..first + columns {
            if let Some(column) = self.columns.get_mut(column as usize) {
                *column = None;
            }
        }
    }

    /// Frees an allocation; false if there is none like this.
    pub(crate) fn free_up(&mut self, first: u32, columns: u32) -> bool {
        let found = self.allocations.iter().position(|a| (a.first, a.columns) == (first, columns));
        found.map(|at| self.allocations.remove(at)).is_some()
    }

    /// Whether a column is allocated.
    pub(crate) fn is_allocated(&self, column: u32) -> bool {
        self.allocations.iter().any(|a| (a.first..a.first + a.columns).contains(&column))
    }

    /// Reads a cell; what lies outside is zero, and was never written.
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

    /// Writes a cell; what lies outside is dropped.
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
