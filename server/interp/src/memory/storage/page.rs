//! One page of memory: its bytes with the state of each.

use super::{MARKS_BYTES, PAGE, PAGE_BYTES, PageBits};
use crate::memory::ledger;
use crate::memory::shadow::PageShadow;
use ptx_num::values::Marks;
use std::sync::Arc;

/// A page of memory with the state of each byte.
#[derive(Debug, Clone)]
pub(crate) struct StoragePage {
    /// The bytes and their state.
    pub(crate) bytes: PageBytes,
    /// The last accesses of threads to the bytes; absent until the race detector needs it.
    pub(crate) shadow: Option<Box<PageShadow>>,
    /// Its bytes are those of before the run, which are kept to be compared with what the run leaves.
    pub(super) initial: bool,
}

/// The bytes of a page with the state of each.
#[derive(Debug, Clone)]
pub(crate) struct PageBytes {
    pub(super) data: [u8; PAGE],
    /// The bytes that were written.
    pub(super) known: PageBits,
    /// The bytes with unspecified values, and those with approximate values; absent as long as there are none.
    pub(super) marks: Option<Box<[PageBits; 2]>>,
}

pub(super) fn no_marks() -> Box<[PageBits; 2]> {
    ledger::take(MARKS_BYTES);
    Box::new([[0; PAGE / 64]; 2])
}

/// Makes a page writable. If others share it, this is a copy.
#[inline]
pub(crate) fn unshared(page: &mut Arc<StoragePage>) -> &mut StoragePage {
    if page.initial || Arc::strong_count(page) > 1 {
        note_copy(page);
    }
    let page = Arc::make_mut(page);
    page.initial = false;
    page
}

/// The shadow memory of a page.
#[inline]
pub(crate) fn made_shadow(shadow: &mut Option<Box<PageShadow>>) -> &mut PageShadow {
    shadow.get_or_insert_with(|| {
        ledger::take(size_of::<PageShadow>());
        Box::default()
    })
}

#[cold]
pub(super) fn note_copy(page: &StoragePage) {
    if page.initial {
        ledger::take(PAGE_BYTES);
    } else {
        ledger::copy(page.bytes());
    }
}

/// A page that was never written, of storage whose bytes are zero.
pub(super) static ZEROS: StoragePage = StoragePage::new(true);

impl StoragePage {
    pub(super) const fn new(known: bool) -> Self {
        let known = [if known { u64::MAX } else { 0 }; PAGE / 64];
        Self { bytes: PageBytes { data: [0; PAGE], known, marks: None }, shadow: None, initial: false }
    }
}

impl StoragePage {
    /// Bytes that it takes besides [`PAGE_BYTES`]: marks, and notes of the race detector.
    pub(super) fn extra_bytes(&self) -> usize {
        let marks = if self.bytes.is_exact() { 0 } else { MARKS_BYTES };
        marks + self.shadow.as_ref().map_or(0, |shadow| shadow.bytes())
    }

    pub(super) fn bytes(&self) -> usize {
        PAGE_BYTES + self.extra_bytes()
    }
}

impl PageBytes {
    /// Whether no byte has a mark.
    #[inline]
    pub(crate) fn is_exact(&self) -> bool {
        self.marks.is_none()
    }

    /// Reads bytes of the page. Bytes after its end are not read.
    pub(super) fn read(&self, at: usize, to: &mut [u8]) -> ReadStatus {
        let mut out = ReadStatus::default();
        let count = to.len();
        let Some(from) = self.data.get(at..at + count) else { return out };
        to.copy_from_slice(from);
        for_words(at, count, |word, bits| out.uninitialized |= self.known[word] & bits != bits);
        if let Some(marks) = &self.marks {
            for_words(at, count, |word, bits| {
                if marks[0][word] & bits != 0 {
                    out.marks |= Marks::UNSPECIFIED;
                }
                if marks[1][word] & bits != 0 {
                    out.marks |= Marks::APPROXIMATE;
                }
            });
        }
        out
    }

    /// Whether a part of the page is the same as that of another one, with the state of each byte.
    pub(super) fn has_same(&self, other: &Self, at: usize, count: usize) -> bool {
        let mut same = self.data.get(at..at + count) == other.data.get(at..at + count);
        let marks = |of: &Self, kind: usize, word: usize| of.marks.as_ref().map_or(0, |marks| marks[kind][word]);
        for_words(at, count, |word, bits| {
            let apart = (self.known[word] ^ other.known[word])
                | (marks(self, 0, word) ^ marks(other, 0, word))
                | (marks(self, 1, word) ^ marks(other, 1, word));
            same &= apart & bits == 0;
        });
        same
    }

    /// Calls `f` with the first byte and the end of each run of bytes in a state, in a part of the page.
    pub(super) fn runs(&self, at: usize, count: usize, state: ByteState, f: &mut dyn FnMut(usize, usize)) {
        for_words(at, count, |word, bits| {
            let marks = |kind: usize| self.marks.as_ref().map_or(0, |marks| marks[kind][word]);
            let mut left = bits
                & match state {
                    ByteState::Unwritten => !self.known[word],
                    ByteState::Unspecified => marks(0),
                    ByteState::Approximate => marks(1),
                };
            while left != 0 {
                let from = left.trailing_zeros() as usize;
                let run = (left >> from).trailing_ones() as usize;
                f(word * 64 + from, word * 64 + from + run);
                left &= !span(from, from + run);
            }
        });
    }

    /// Whether all these bytes were written. They lie inside of the page.
    #[inline(always)]
    pub(super) fn knows(&self, at: usize, count: usize) -> bool {
        if (at | count).is_multiple_of(64) {
            return self
                .known
                .get(at / 64..(at + count) / 64)
                .is_some_and(|words| words.iter().all(|w| *w == u64::MAX));
        }
        let mut unknown = 0;
        for_words(at, count, |word, bits| unknown |= !self.known[word] & bits);
        unknown == 0
    }

    /// Writes bytes of the page without marks, if the page has none. Returns whether it has done so.
    #[inline(always)]
    pub(crate) fn write_exact(&mut self, at: usize, from: &[u8]) -> bool {
        let count = from.len();
        if !self.is_exact() {
            return false;
        }
        let Some(to) = self.data.get_mut(at..at + count) else { return false };
        to.copy_from_slice(from);
        if (at | count).is_multiple_of(64) {
            self.known.get_mut(at / 64..(at + count) / 64).unwrap_or_default().fill(u64::MAX);
        } else {
            for_words(at, count, |word, bits| self.known[word] |= bits);
        }
        true
    }

    /// Writes bytes of the page, all with the same marks. Nothing is written if some are after its end.
    pub(crate) fn write(&mut self, at: usize, from: &[u8], marks: Marks) {
        let count = from.len();
        let Some(to) = self.data.get_mut(at..at + count) else { return };
        to.copy_from_slice(from);
        for_words(at, count, |word, bits| self.known[word] |= bits);
        if self.marks.is_none() && marks.is_none() {
            return;
        }
        let all = self.marks.get_or_insert_with(no_marks);
        for (kind, mark) in [Marks::UNSPECIFIED, Marks::APPROXIMATE].into_iter().enumerate() {
            let set = marks.contains(mark);
            for_words(at, count, |word, bits| {
                all[kind][word] = if set { all[kind][word] | bits } else { all[kind][word] & !bits };
            });
        }
    }

    /// Takes over bytes of another page, with their state.
    pub(super) fn adopt(&mut self, from: &Self, at: usize, count: usize) {
        let (Some(to), Some(data)) = (self.data.get_mut(at..at + count), from.data.get(at..at + count)) else { return };
        to.copy_from_slice(data);
        for_words(at, count, |word, bits| self.known[word] = (self.known[word] & !bits) | (from.known[word] & bits));
        if from.marks.is_some() || self.marks.is_some() {
            let all = self.marks.get_or_insert_with(no_marks);
            for (kind, to) in all.iter_mut().enumerate() {
                let marks = |word: usize| from.marks.as_ref().map_or(0, |marks| marks[kind][word]);
                for_words(at, count, |word, bits| to[word] = (to[word] & !bits) | (marks(word) & bits));
            }
        }
    }

    /// Reads the `N` bytes of a lane at a multiple of `N`. Returns whether all of them were written. For pages without marks.
    #[inline(always)]
    pub(crate) fn get<const N: usize>(&self, at: usize) -> ([u8; N], bool) {
        let at = at % PAGE;
        let bytes = self.data.get(at..at + N).and_then(|b| b.first_chunk()).copied().unwrap_or([0; N]);
        let ones = (1 << N) - 1;
        (bytes, self.known[at / 64] >> (at % 64) & ones == ones)
    }

    /// Writes the bytes of a lane at a multiple of their number. For pages without marks.
    #[inline(always)]
    pub(crate) fn put_exact<const N: usize>(&mut self, at: usize, from: &[u8; N]) {
        let at = at % PAGE;
        if let Some(to) = self.data.get_mut(at..at + N) {
            to.copy_from_slice(from);
            self.known[at / 64] |= ((1 << N) - 1) << (at % 64);
        }
    }

    /// Writes the bytes of a lane, up to 16, at a multiple of their number.
    #[inline(always)]
    pub(crate) fn put(&mut self, at: usize, from: &[u8], marks: Marks) {
        let (at, count) = (at % PAGE, from.len());
        if !marks.is_none() || !self.is_exact() {
            return self.write(at, from, marks);
        }
        let Some(to) = self.data.get_mut(at..at + count) else { return };
        // A copy of a constant size is one instruction.
        match count {
            4 => to.copy_from_slice(from),
            8 => to.copy_from_slice(from),
            _ => to.copy_from_slice(from),
        }
        self.known[at / 64] |= span(at % 64, at % 64 + count);
    }
}

/// A state of a byte that [`Storage::ranges`](super::Storage::ranges) looks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ByteState {
    /// It was never written.
    Unwritten,
    /// The manual leaves its value open.
    Unspecified,
    /// Its value is part of an approximation.
    Approximate,
}

/// The state of bytes that were read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReadStatus {
    /// Some of them were never written.
    pub uninitialized: bool,
    /// The marks of all the bytes together.
    pub marks: Marks,
}

/// The mask of bits `from..to` of a word.
pub(super) fn span(from: usize, to: usize) -> u64 {
    let ones = if to - from >= 64 { u64::MAX } else { (1 << (to - from)) - 1 };
    ones << from
}

/// Calls `f` for each word that holds some of the bits `from..from + count`, with the index of the word and the mask of these bits in it.
pub(super) fn for_words(from: usize, count: usize, mut f: impl FnMut(usize, u64)) {
    let (mut at, end) = (from, from + count);
    while at < end {
        let stop = end.min((at | 63) + 1);
        f(at / 64, span(at % 64, at % 64 + stop - at));
        at = stop;
    }
}
