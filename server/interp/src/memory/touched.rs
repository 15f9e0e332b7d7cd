//! The words of global memory that a part of a grid has read and written.

use super::shadow::BLOCK;
use super::shadow::PAGE;
use std::ops::Range;

/// Size of a word in bytes. Accesses to different bytes of one word count as accesses to the same memory.
const WORD: usize = 4;

/// Number of words in a block of shadow memory; their bits form a group.
const GROUP: usize = BLOCK / WORD;

const _: () = assert!(GROUP == u64::BITS as usize);

/// Number of groups per page.
const GROUPS: usize = PAGE / WORD / GROUP;

/// One bit for each word of a page.
#[derive(Debug, Clone, Default)]
struct TouchedPage {
    read: [u64; GROUPS],
    written: [u64; GROUPS],
}

/// The words of global memory that were read and written.
#[derive(Debug, Clone, Default)]
pub(crate) struct TouchedMemory {
    /// The address of the first page.
    base: u64,
    /// Pages without an access are absent.
    pages: Vec<Option<Box<TouchedPage>>>,
}

impl TouchedMemory {
    /// No words. `base`: the address at which global memory begins.
    pub fn new(base: u64) -> Self {
        Self { base, pages: Vec::new() }
    }

    /// Adds the words that contain some bytes of an allocation.
    pub fn add(&mut self, address: u64, bytes: usize, write: bool) {
        let Some(start) = address.checked_sub(self.base).filter(|_| bytes > 0) else { return };
        let (mut word, end) = (start as usize / WORD, (start as usize + bytes).div_ceil(WORD));
        while word < end {
            let stop = end.min((word | (GROUP - 1)) + 1);
            let ones = if stop - word >= GROUP { u64::MAX } else { (1 << (stop - word)) - 1 };
            let page = self.page(word / (GROUP * GROUPS));
            let bits = if write { &mut page.written } else { &mut page.read };
            bits[word / GROUP % GROUPS] |= ones << (word % GROUP);
            word = stop;
        }
    }

    #[inline]
    fn page(&mut self, index: usize) -> &mut TouchedPage {
        if index >= self.pages.len() {
            self.pages.resize(index + 1, None);
        }
        self.pages[index].get_or_insert_default()
    }

    /// Whether both use a word that one of them writes.
    pub fn conflicts(&self, other: &Self) -> bool {
        let both = self.pages.iter().zip(&other.pages).filter_map(|(a, b)| a.as_deref().zip(b.as_deref()));
        both.into_iter().any(|(a, b)| {
            (0..GROUPS).any(|g| a.written[g] & (b.read[g] | b.written[g]) | a.read[g] & b.written[g] != 0)
        })
    }

    /// Adds all words of the other set. Returns the number of blocks of shadow memory that contained none of the words before.
    pub fn join(&mut self, other: &Self) -> usize {
        let mut new = 0;
        for (index, from) in other.pages.iter().enumerate() {
            let Some(from) = from else { continue };
            let to = self.page(index);
            for group in 0..GROUPS {
                let before = to.read[group] | to.written[group];
                to.read[group] |= from.read[group];
                to.written[group] |= from.written[group];
                new += usize::from(before == 0 && (to.read[group] | to.written[group]) != 0);
            }
        }
        new
    }

    /// Number of blocks of shadow memory that contain a written word.
    pub fn written_blocks(&self) -> usize {
        self.pages.iter().flatten().map(|page| page.written.iter().filter(|w| **w != 0).count()).sum()
    }

    /// The addresses of the words that were written, as ascending ranges. Successive words of one page are one range.
    pub fn written(&self) -> impl Iterator<Item = Range<u64>> {
        let pages = self.pages.iter().enumerate().filter_map(|(index, page)| Some((index, page.as_deref()?)));
        pages.flat_map(move |(index, page)| {
            let is_written = |word: usize| page.written[word / GROUP] >> (word % GROUP) & 1 != 0;
            let start = self.base + (index * PAGE) as u64;
            let mut at = 0;
            std::iter::from_fn(move || {
                let words = GROUP * GROUPS;
                let first = (at..words).find(|word| is_written(*word))?;
                at = (first..words).find(|word| !is_written(*word)).unwrap_or(words);
                Some(start + (first * WORD) as u64..start + (at * WORD) as u64)
            })
        })
    }

    /// Whether the word that contains a byte was written.
    pub fn has_written(&self, address: u64) -> bool {
        let Some(start) = address.checked_sub(self.base) else { return false };
        let word = start as usize / WORD;
        let page = self.pages.get(word / (GROUP * GROUPS)).and_then(Option::as_ref);
        page.is_some_and(|page| page.written[word / GROUP % GROUPS] >> (word % GROUP) & 1 != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::{PAGE, TouchedMemory};

    #[test]
    fn words_conflict_if_one_side_writes_them() {
        let set = |address, bytes, write| {
            let mut out = TouchedMemory::new(0x1000);
            out.add(address, bytes, write);
            out
        };
        let end = 0x1000 + PAGE as u64;
        let read = set(end - 8, 16, false);
        assert!(!read.conflicts(&set(end, 4, false)));
        assert!(read.conflicts(&set(end + 7, 1, true)) && set(end - 5, 1, true).conflicts(&read));
        assert!(!read.conflicts(&set(end + 8, 4, true)) && !read.conflicts(&set(end - 12, 4, true)));
        assert!(set(end, 1, true).conflicts(&set(end + 3, 1, true)));
    }

    #[test]
    fn written_words_are_ranges_of_addresses() {
        let mut all = TouchedMemory::new(0x1000);
        all.add(0x1000, 256, false);
        all.add(0x1006, 1, true);
        let mut more = TouchedMemory::new(0x1000);
        more.add(0x1ff8, 300, true);
        assert_eq!((all.join(&more), all.join(&more), all.written_blocks()), (3, 0, 4));
        assert_eq!(all.written().collect::<Vec<_>>(), [0x1004..0x1008, 0x1ff8..0x2000, 0x2000..0x2124]);
        assert!(
            all.has_written(0x1005) && !all.has_written(0x1008) && all.has_written(0x2123) && !all.has_written(0x1)
        );
        all.add(0x1000, 0, true);
        assert!(!all.has_written(0x1000));
    }
}
