//! Who used the bytes of a page last.

use crate::findings::InstructionSite;

/// Bytes for which cells come into being together.
pub(crate) const BLOCK: usize = 256;

/// Blocks of a page.
const BLOCKS: usize = super::storage::PAGE / BLOCK;

/// An access that was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Stamp {
    /// The warp: its number among those of all CTAs.
    pub warp: u32,
    /// The time of the warp; 0: there was no access.
    pub time: u32,
    /// Function and instruction, packed.
    site: u32,
    /// The lane, flags, and the lowest bits of the step of the warp.
    info: u32,
}

impl Stamp {
    /// An access that may meet others of its kind.
    pub const STRONG: u32 = 1 << 5;
    /// Several lanes of the warp made it, of which the one here is the last.
    pub const MANY: u32 = 1 << 6;
    /// It wrote the value that another thread had written before.
    pub const QUIET: u32 = 1 << 7;
    /// It reads and writes at once.
    pub const ATOMIC: u32 = 1 << 8;

    pub fn new(warp: u32, time: u32, site: InstructionSite, lane: usize, step: u64, flags: u32) -> Self {
        let site = (site.function.min(0x3ff) << 22) | site.instruction.min(0x3f_ffff);
        Self { warp, time, site, info: (lane as u32 & 31) | flags | ((step as u32) << 9) }
    }

    pub fn lane(self) -> usize {
        (self.info & 31) as usize
    }

    pub fn has(self, flag: u32) -> bool {
        self.info & flag != 0
    }

    pub fn with(self, flag: u32) -> Self {
        Self { info: self.info | flag, ..self }
    }

    /// Whether it was made by the same execution of an instruction.
    pub fn is_with(self, other: Self) -> bool {
        (self.warp, self.time, self.site, self.info >> 9) == (other.warp, other.time, other.site, other.info >> 9)
    }

    pub fn site(self) -> InstructionSite {
        InstructionSite { function: self.site >> 22, instruction: self.site & 0x3f_ffff }
    }
}

/// The last accesses to a word, or to a byte.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Cell {
    pub write: Stamp,
    pub reads: [Stamp; 2],
}

/// Cells of some bytes: of each word, until a part of one is used.
#[derive(Debug, Clone)]
pub(crate) struct Block {
    fine: bool,
    cells: Vec<Cell>,
}

impl Block {
    fn new() -> Self {
        Self { fine: false, cells: vec![Cell::default(); BLOCK / 4] }
    }

    /// The cells of a part of the block, and the bytes of each.
    pub fn cells(&mut self, from: usize, bytes: usize) -> (&mut [Cell], usize) {
        let whole = from.is_multiple_of(4) && bytes.is_multiple_of(4);
        if !self.fine && !whole {
            self.cells = self.cells.iter().flat_map(|c| [*c; 4]).collect();
            self.fine = true;
        }
        let grain = if self.fine { 1 } else { 4 };
        (self.cells.get_mut(from / grain..(from + bytes) / grain).unwrap_or_default(), grain)
    }
}

/// Who used the bytes of a page last.
#[derive(Debug, Clone, Default)]
pub struct Shadow {
    blocks: [Option<Box<Block>>; BLOCKS],
}

impl Shadow {
    /// The block that a byte of the page lies in. A new one is taken out of what is left.
    pub(crate) fn block(&mut self, at: usize, left: &mut u32) -> Option<&mut Block> {
        let block = self.blocks.get_mut(at / BLOCK % BLOCKS)?;
        if block.is_none() {
            *left = left.checked_sub(1)?;
            *block = Some(Box::new(Block::new()));
        }
        block.as_deref_mut()
    }
}

#[cfg(test)]
mod tests {
    use super::{InstructionSite, Shadow, Stamp};

    #[test]
    fn stamps_keep_what_they_are_made_of() {
        let stamp = Stamp::new(7, 9, InstructionSite { function: 3, instruction: 1000 }, 31, 5, Stamp::STRONG);
        assert_eq!((stamp.lane(), stamp.site()), (31, InstructionSite { function: 3, instruction: 1000 }));
        assert!(stamp.has(Stamp::STRONG) && !stamp.has(Stamp::MANY) && stamp.with(Stamp::MANY).has(Stamp::MANY));
        assert!(stamp.is_with(Stamp::new(7, 9, InstructionSite { function: 3, instruction: 1000 }, 2, 5, 0)));
        assert!(!stamp.is_with(Stamp::new(7, 9, InstructionSite { function: 3, instruction: 1000 }, 2, 6, 0)));
    }

    #[test]
    fn words_are_parted_when_a_part_is_used() {
        let mut shadow = Shadow::default();
        let mut left = 1;
        let stamp = Stamp::new(1, 1, InstructionSite::default(), 0, 0, 0);
        let (cells, grain) = shadow.block(8, &mut left).unwrap().cells(8, 8);
        assert_eq!((cells.len(), grain), (2, 4));
        cells[1].write = stamp;
        let (cells, grain) = shadow.block(13, &mut left).unwrap().cells(13, 2);
        assert_eq!((cells.len(), grain, cells[0].write), (2, 1, stamp));
        assert_eq!(left, 0);
        assert!(shadow.block(256, &mut left).is_none());
    }
}
