//! Shadow memory for the race detector: the last accesses to the bytes of a page.

use crate::findings::InstructionSite;
use crate::memory::Scope;

/// Size of a page in bytes.
pub const PAGE: usize = 4096;

/// Bytes that one block covers. All cells of a block are created together.
pub(crate) const BLOCK: usize = 256;

/// Bytes that a block takes with a cell for each word, and for each unit of [`PageShadow::block`].
pub(crate) const UNIT_BYTES: usize = BLOCK / 4 * size_of::<ShadowCell>() + 256;

/// Units of a block with a cell for each byte.
pub(crate) const FINE_UNITS: u32 = 4;

/// Number of blocks per page.
const BLOCKS: usize = PAGE / BLOCK;

/// A past access to memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Stamp {
    /// The warp, numbered across all CTAs.
    pub warp: u32,
    /// The time on the clock of the warp; 0 if there was no access.
    pub time: u32,
    /// The function in the upper 10 bits, and the instruction in the lower 22.
    site: u32,
    /// The lane (5 bits), the scope (2 bits), the flags, and from bit 10 on the lowest bits of the warp's step.
    info: u32,
}

impl Stamp {
    /// Several lanes of the warp made the access; the stamp names the last one.
    pub const MANY: u32 = 1 << 7;
    /// The access wrote the value that another thread had written before.
    pub const QUIET: u32 = 1 << 8;
    /// The access is an atomic operation: it reads and writes at once.
    pub const ATOMIC: u32 = 1 << 9;

    /// The flags of a strong access with this scope.
    pub fn strong(scope: Scope) -> u32 {
        (scope as u32 + 1) << 5
    }

    pub fn new(warp: u32, time: u32, site: InstructionSite, lane: usize, step: u64, flags: u32) -> Self {
        let site = (site.function.min(0x3ff) << 22) | site.instruction.min(0x3f_ffff);
        Self { warp, time, site, info: (lane as u32 & 31) | flags | ((step as u32) << 10) }
    }

    /// The scope of a strong access; `None` for a weak one.
    pub fn scope(self) -> Option<Scope> {
        Scope::ALL.get(((self.info >> 5 & 3) as usize).wrapping_sub(1)).copied()
    }

    /// The same access by another lane.
    #[inline]
    pub fn of_lane(self, lane: usize) -> Self {
        Self { info: (self.info & !31) | (lane as u32 & 31), ..self }
    }

    /// The same access by the next lane. The last lane has none; the result must not be used then.
    #[inline(always)]
    pub fn of_next_lane(self) -> Self {
        Self { info: self.info.wrapping_add(1), ..self }
    }

    /// Whether another access was made by the same lane number, and neither by several lanes.
    #[inline]
    pub fn is_of_lane(self, other: Self) -> bool {
        ((self.info ^ other.info) & 31) | ((self.info | other.info) & Self::MANY) == 0
    }

    /// A number that orders accesses by their scope: 0 for a weak one.
    #[inline]
    pub fn strength(self) -> u32 {
        self.info >> 5 & 3
    }

    pub fn lane(self) -> usize {
        (self.info & 31) as usize
    }

    /// The lowest 22 bits of the number of instructions that the warp had executed.
    pub fn step(self) -> u64 {
        u64::from(self.info >> 10)
    }

    pub fn has(self, flag: u32) -> bool {
        self.info & flag != 0
    }

    pub fn with(self, flag: u32) -> Self {
        Self { info: self.info | flag, ..self }
    }

    /// Whether both accesses were made by the same execution of an instruction.
    pub fn is_with(self, other: Self) -> bool {
        (self.warp, self.time, self.site, self.info >> 10) == (other.warp, other.time, other.site, other.info >> 10)
    }

    pub fn site(self) -> InstructionSite {
        InstructionSite { function: self.site >> 22, instruction: self.site & 0x3f_ffff }
    }
}

/// The last write and the last reads by two warps, for one word or for one byte.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ShadowCell {
    pub write: Stamp,
    pub reads: [Stamp; 2],
}

impl ShadowCell {
    /// Notes a write that is ordered after all earlier accesses.
    #[inline(always)]
    pub fn write(&mut self, me: Stamp) {
        // A strong write does not hide an earlier plain write of its warp that is published with it.
        let hides = me.strength() == 0
            || (self.write.warp, self.write.time) != (me.warp, me.time)
            || self.write.strength() != 0;
        *self = Self { write: if hides { me } else { self.write }, ..Self::default() };
    }
}

/// Bytes of a row: the words that a warp accesses at once, if its lanes have one word each.
pub(crate) const ROW: usize = 128;

/// The cells of a row of words whose last accesses are those of whole warps: each access covered all words, in the order of its lanes, so
/// the cells of two words differ in nothing but the lanes.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ShadowRow {
    /// The cell of the first word.
    pub first: ShadowCell,
    /// For the write and each read, the number of successive words of a lane, as a power of two.
    shifts: [u8; 3],
}

impl ShadowRow {
    /// Notes a write of all words that is ordered after all earlier accesses. `me`: the write of the first one. `shift`: see
    /// [`admits`](Self::admits).
    pub fn write(&mut self, me: Stamp, shift: u8) {
        self.first.write(me);
        if self.first.write == me {
            self.shifts[0] = shift;
        }
    }

    /// Whether an access of whole rows by lanes with 2^`shift` words each meets the same in all words. `me`: the access of the first word.
    /// `met`: the time up to which each lane of its warp knows the accesses of all others.
    pub fn admits(&self, me: Stamp, shift: u8, met: u32) -> bool {
        let alike = |stamp: Stamp, own: u8| {
            stamp.time <= met || stamp.warp != me.warp || own == shift && (stamp.info ^ me.info) & 31 == 0
        };
        let ShadowCell { write, reads: [first, second] } = self.first;
        alike(write, self.shifts[0]) && alike(first, self.shifts[1]) && alike(second, self.shifts[2])
    }

    /// Notes the number of words of a lane for a read that is now part of the first cell.
    pub fn note_read(&mut self, me: Stamp, shift: u8) {
        for (read, to) in self.first.reads.iter().zip(&mut self.shifts[1..]) {
            if *read == me {
                *to = shift;
            }
        }
    }

    /// The cell of a word.
    fn cell(&self, word: usize) -> ShadowCell {
        let of = |stamp: Stamp, shift: u8| match stamp.time {
            0 => stamp,
            _ => stamp.of_lane(stamp.lane() + (word >> shift)),
        };
        let ShadowCell { write, reads: [first, second] } = self.first;
        let [a, b, c] = self.shifts;
        ShadowCell { write: of(write, a), reads: [of(first, b), of(second, c)] }
    }
}

/// The cells of [`BLOCK`] bytes: one per word, or one per byte as soon as an access has used a part of a word.
#[derive(Debug, Clone)]
pub(crate) struct ShadowBlock {
    /// There is one cell per byte.
    fine: bool,
    /// The rows that need no cells. Those that they have are out of date.
    rows: [Option<ShadowRow>; BLOCK / ROW],
    /// The cells; empty as long as no row needs any.
    cells: Vec<ShadowCell>,
}

impl ShadowBlock {
    fn units(&self) -> u32 {
        if self.fine { FINE_UNITS } else { 1 }
    }

    fn new() -> Self {
        Self { fine: false, rows: [Some(ShadowRow::default()); BLOCK / ROW], cells: Vec::new() }
    }

    /// The row that contains the byte with offset `from` in the block, if it needs no cells.
    #[inline]
    pub fn row(&mut self, from: usize) -> Option<&mut ShadowRow> {
        self.rows.get_mut(from / ROW)?.as_mut()
    }

    /// The cells of the `bytes` bytes from offset `from` in the block, and the number of bytes that each cell covers (1 or 4).
    pub fn cells(&mut self, from: usize, bytes: usize) -> (&mut [ShadowCell], usize) {
        let (cells, grain) = self.all(from.is_multiple_of(4) && bytes.is_multiple_of(4));
        (cells.get_mut(from / grain..(from + bytes) / grain).unwrap_or_default(), grain)
    }

    /// All cells, and the number of bytes that each covers. `whole`: they are used for accesses to whole words.
    #[inline(always)]
    pub fn all(&mut self, whole: bool) -> (&mut [ShadowCell], usize) {
        if self.rows.iter().any(Option::is_some) {
            self.fill();
        }
        if !self.fine && !whole {
            self.part();
        }
        (&mut self.cells, if self.fine { 1 } else { 4 })
    }

    /// Gives each byte a cell.
    #[inline(never)]
    fn part(&mut self) {
        self.cells = self.cells.iter().flat_map(|c| [*c; 4]).collect();
        self.fine = true;
    }

    /// Fills the cells of the rows that had none.
    #[inline(never)]
    fn fill(&mut self) {
        let grain = if self.fine { 1 } else { 4 };
        self.cells.resize(BLOCK / grain, ShadowCell::default());
        for (row, cells) in self.rows.iter_mut().zip(self.cells.chunks_exact_mut(ROW / grain)) {
            let Some(row) = row.take() else { continue };
            for (at, cell) in cells.iter_mut().enumerate() {
                *cell = row.cell(at * grain / 4);
            }
        }
    }
}

/// Makes a block for accesses to whole words or to parts of them.
#[inline(never)]
fn make(block: &mut Option<Box<ShadowBlock>>, whole: bool, left: &mut u32) -> Option<()> {
    let needed = if whole { 1 } else { FINE_UNITS } - block.as_ref().map_or(0, |block| block.units());
    *left = left.checked_sub(needed)?;
    super::ledger::take(needed as usize * UNIT_BYTES);
    let block = block.get_or_insert_with(|| Box::new(ShadowBlock::new()));
    if !whole {
        block.all(false);
    }
    Some(())
}

/// The shadow memory of a page.
#[derive(Debug, Clone, Default)]
pub struct PageShadow {
    blocks: [Option<Box<ShadowBlock>>; BLOCKS],
}

impl PageShadow {
    /// Number of units of all blocks.
    pub(crate) fn units(&self) -> u32 {
        self.blocks.iter().flatten().map(|block| block.units()).sum()
    }

    /// Bytes that it takes.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<Self>() + self.units() as usize * UNIT_BYTES
    }

    /// The block that contains byte `at` of the page, for accesses to whole words or to parts of them. The units of a new block, and of one
    /// that gets a cell for each byte, are deducted from `left`, the number of units that may still be created; `None` if they are too few.
    #[inline]
    pub(crate) fn block(&mut self, at: usize, whole: bool, left: &mut u32) -> Option<&mut ShadowBlock> {
        let block = self.blocks.get_mut(at / BLOCK % BLOCKS)?;
        if block.as_ref().is_none_or(|block| !whole && !block.fine) {
            make(block, whole, left)?;
        }
        block.as_deref_mut()
    }
}

#[cfg(test)]
mod tests {
    use super::{InstructionSite, PageShadow, Scope, Stamp};

    #[test]
    fn stamps_keep_what_they_are_made_of() {
        let stamp = Stamp::new(7, 9, InstructionSite { function: 3, instruction: 1000 }, 31, 5, 0);
        assert_eq!((stamp.lane(), stamp.site()), (31, InstructionSite { function: 3, instruction: 1000 }));
        assert_eq!((stamp.of_lane(6).of_next_lane(), stamp.of_lane(7).lane()), (stamp.of_lane(7), 7));
        assert!(stamp.scope().is_none() && !stamp.has(Stamp::MANY) && stamp.with(Stamp::MANY).has(Stamp::MANY));
        for scope in Scope::ALL {
            assert_eq!(stamp.with(Stamp::strong(scope)).scope(), Some(scope));
        }
        assert!(stamp.is_with(Stamp::new(7, 9, InstructionSite { function: 3, instruction: 1000 }, 2, 5, 0)));
        assert!(!stamp.is_with(Stamp::new(7, 9, InstructionSite { function: 3, instruction: 1000 }, 2, 6, 0)));
    }

    #[test]
    fn rows_have_the_cells_of_their_words() {
        let mut shadow = PageShadow::default();
        let stamp = |warp, lane| Stamp::new(warp, 1, InstructionSite::default(), lane, 0, 0);
        let block = shadow.block(0, true, &mut 1).unwrap();
        let row = block.row(128).unwrap();
        row.write(stamp(1, 0), 0);
        // Words of one warp in another order differ, those of other warps do not.
        let admits = |me, shift, met| row.admits(me, shift, met);
        assert!(admits(stamp(1, 0), 0, 0) && !admits(stamp(1, 0), 2, 0) && !admits(stamp(1, 8), 0, 0));
        assert!(admits(stamp(2, 8), 2, 0) && admits(stamp(1, 8), 2, 1));
        row.first.reads[1] = stamp(2, 8);
        row.note_read(stamp(2, 8), 2);
        let (cells, grain) = block.cells(128 + 20, 108);
        assert_eq!((cells.len(), grain, cells[0].write, cells[26].write), (27, 4, stamp(1, 5), stamp(1, 31)));
        assert_eq!(
            [0, 3, 26].map(|at: usize| cells[at].reads),
            [9, 10, 15].map(|lane| [Stamp::default(), stamp(2, lane)])
        );
        assert!(block.row(128).is_none() && block.row(0).is_none());
        assert!(block.cells(0, 128).0.iter().all(|cell| cell.write == Stamp::default()));
        let (cells, grain) = block.cells(128 + 21, 1);
        assert_eq!((cells[0].write, grain), (stamp(1, 5), 1));
    }

    #[test]
    fn words_are_parted_when_a_part_is_used() {
        let mut shadow = PageShadow::default();
        let mut left = 4;
        let stamp = Stamp::new(1, 1, InstructionSite::default(), 0, 0, 0);
        let (cells, grain) = shadow.block(8, true, &mut left).unwrap().cells(8, 8);
        assert_eq!((cells.len(), grain), (2, 4));
        cells[1].write = stamp;
        let (cells, grain) = shadow.block(13, false, &mut left).unwrap().cells(13, 2);
        assert_eq!((cells.len(), grain, cells[0].write), (2, 1, stamp));
        assert_eq!(left, 0);
        assert!(shadow.block(256, true, &mut left).is_none());
    }
}
