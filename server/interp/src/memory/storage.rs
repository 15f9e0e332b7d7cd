//! Bytes in pages. Copies of a machine share a page until one of them writes to it.

mod page;

use super::shadow::{PAGE, PageShadow};
pub use page::{ByteState, ReadStatus};
pub(crate) use page::{PageBytes, StoragePage, made_shadow, unshared};
use page::{ZEROS, for_words, span};
use ptx_num::values::Marks;
use std::ops::Range;
use std::sync::Arc;

/// Bytes that a page takes with the state of its bytes, as allocators round them.
pub(crate) const PAGE_BYTES: usize = 5120;

/// Bytes of the marks of a page.
const MARKS_BYTES: usize = size_of::<[PageBits; 2]>();

/// One bit for each byte of a page.
pub type PageBits = [u64; PAGE / 64];

/// A contiguous range of memory. Its pages are created on demand.
#[derive(Debug, Clone, Default)]
pub struct Storage {
    len: u64,
    /// Unwritten bytes count as written and are zero.
    zeroed: bool,
    /// Number of pages that exist.
    made: usize,
    /// Number of pages that are in the memory account of the run.
    counted: usize,
    pages: Vec<Option<Arc<StoragePage>>>,
}

impl Storage {
    /// Storage of `len` bytes. They are zero if `zeroed`, and count as unwritten otherwise.
    pub fn new(len: u64, zeroed: bool) -> Self {
        Self { len, zeroed, made: 0, counted: 0, pages: Vec::new() }
    }

    /// Storage that holds these bytes.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let mut out = Self::new(bytes.len() as u64, true);
        out.write(0, bytes, Marks::NONE);
        out
    }

    /// Length in bytes.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether it has no bytes at all.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Extends the length to `len` bytes. The new bytes are zero or unwritten, as at creation.
    pub fn grow(&mut self, len: u64) {
        self.len = self.len.max(len);
    }

    /// Size in bytes of the pages that were created since the last call, for the memory account of the run.
    #[inline]
    pub fn count(&mut self) -> usize {
        (self.made - std::mem::replace(&mut self.counted, self.made)) * PAGE_BYTES
    }

    /// Size in bytes of the pages that are in the memory account of the run.
    pub fn counted(&self) -> usize {
        self.counted * PAGE_BYTES
    }

    /// Whether the memory account of the run has all pages.
    pub(crate) fn is_counted(&self) -> bool {
        self.counted == self.made
    }

    /// Whether the `bytes` bytes at `offset` lie inside.
    pub fn contains(&self, offset: u64, bytes: usize) -> bool {
        offset.checked_add(bytes as u64).is_some_and(|end| end <= self.len)
    }

    /// Splits a range at page boundaries: the index of each page, the offset in it, and the part of the range.
    fn parts(offset: u64, bytes: usize) -> impl Iterator<Item = (usize, usize, Range<usize>)> {
        let mut done = 0;
        std::iter::from_fn(move || {
            let at = offset as usize + done;
            let count = (bytes - done).min(PAGE - at % PAGE);
            let part = done..done + count;
            done += count;
            (count > 0).then_some((at / PAGE, at % PAGE, part))
        })
    }

    /// Reads bytes. Bytes outside of the storage read as zero; call [`contains`](Self::contains) first.
    #[inline]
    pub fn read(&self, offset: u64, to: &mut [u8]) -> ReadStatus {
        // Fast path: most accesses are short, and one word of the bit masks covers them.
        let (at, count) = (offset as usize % PAGE, to.len());
        if at % 64 + count <= 64
            && let Some(Some(page)) = self.pages.get(offset as usize / PAGE)
            && page.bytes.is_exact()
            && let Some(from) = page.bytes.data.get(at..at + count)
        {
            to.copy_from_slice(from);
            let bits = span(at % 64, at % 64 + count);
            return ReadStatus { uninitialized: page.bytes.known[at / 64] & bits != bits, marks: Marks::NONE };
        }
        self.read_parts(offset, to)
    }

    /// Reads bytes of one page if all of them were written and the page has no marks. Returns whether it has done so.
    pub(crate) fn read_exact(&self, offset: u64, to: &mut [u8]) -> bool {
        let (at, count) = (offset as usize % PAGE, to.len());
        let Some(page) = self.page(offset as usize / PAGE) else { return false };
        let Some(from) = page.bytes.data.get(at..at + count).filter(|_| page.bytes.is_exact()) else { return false };
        let known = page.bytes.knows(at, count);
        if known {
            to.copy_from_slice(from);
        }
        known
    }

    /// Writes bytes without marks, if they lie in one page that exists and has no marks. Returns whether it has done so.
    #[inline]
    pub(crate) fn write_exact(&mut self, offset: u64, from: &[u8]) -> bool {
        let page = self.made_page(offset as usize / PAGE);
        page.is_some_and(|page| page.bytes.write_exact(offset as usize % PAGE, from))
    }

    fn read_parts(&self, offset: u64, to: &mut [u8]) -> ReadStatus {
        let mut out = ReadStatus::default();
        for (page, at, part) in Self::parts(offset, to.len()) {
            let Some(page) = self.pages.get(page).and_then(Option::as_ref) else {
                to[part].fill(0);
                out.uninitialized |= !self.zeroed;
                continue;
            };
            let read = page.bytes.read(at, &mut to[part]);
            out.uninitialized |= read.uninitialized;
            out.marks |= read.marks;
        }
        out
    }

    fn page_mut(&mut self, index: usize) -> &mut StoragePage {
        if index >= self.pages.len() {
            self.pages.resize(index + 1, None);
        }
        let (zeroed, made) = (self.zeroed, &mut self.made);
        unshared(self.pages[index].get_or_insert_with(|| {
            *made += 1;
            Arc::new(StoragePage::new(zeroed))
        }))
    }

    /// Writes bytes, all with the same marks. A write that is not completely inside is dropped; call [`contains`](Self::contains) first.
    pub fn write(&mut self, offset: u64, from: &[u8], marks: Marks) {
        if !self.contains(offset, from.len()) {
            return;
        }
        let (at, count) = (offset as usize % PAGE, from.len());
        if at % 64 + count <= 64
            && marks.is_none()
            && let Some(Some(page)) = self.pages.get_mut(offset as usize / PAGE)
            && page.bytes.is_exact()
        {
            let page = &mut unshared(page).bytes;
            if let Some(to) = page.data.get_mut(at..at + count) {
                to.copy_from_slice(from);
                page.known[at / 64] |= span(at % 64, at % 64 + count);
                return;
            }
        }
        for (page, at, part) in Self::parts(offset, from.len()) {
            self.page_mut(page).bytes.write(at, &from[part], marks);
        }
    }

    /// The page with this index, if it has ever been written or its bytes are zero from the beginning.
    #[inline]
    pub(crate) fn page(&self, index: usize) -> Option<&StoragePage> {
        match self.pages.get(index) {
            Some(Some(page)) => Some(page),
            _ => self.zeroed.then_some(&ZEROS),
        }
    }

    /// The page with this index, if it exists.
    #[inline]
    pub(crate) fn made_page(&mut self, index: usize) -> Option<&mut StoragePage> {
        self.pages.get_mut(index)?.as_mut().map(unshared)
    }

    /// The pages from an index on.
    pub(crate) fn pages_from(&mut self, index: usize) -> &mut [Option<Arc<StoragePage>>] {
        self.pages.get_mut(index..).unwrap_or_default()
    }

    /// Whether the page with this index exists.
    pub(crate) fn has_page(&self, index: usize) -> bool {
        self.pages.get(index).is_some_and(Option::is_some)
    }

    /// Whether the pages of all these bytes exist.
    pub(crate) fn is_made(&self, offset: u64, bytes: usize) -> bool {
        Self::parts(offset, bytes).all(|(page, ..)| self.pages.get(page).is_some_and(Option::is_some))
    }

    /// Makes bytes unwritten: those of a frame that has ended, of `discard`, and of an allocation that has ended.
    pub fn forget(&mut self, offset: u64, bytes: u64) {
        let bytes = bytes.min(self.len.saturating_sub(offset)) as usize;
        for (page, at, part) in Self::parts(offset, bytes) {
            if self.zeroed || self.pages.get(page).is_some_and(Option::is_some) {
                let page = self.page_mut(page);
                for_words(at, part.len(), |word, bits| page.bytes.known[word] &= !bits);
            }
        }
    }

    /// Whether the byte at `offset` was written.
    pub fn known(&self, offset: u64) -> bool {
        let at = offset as usize;
        match self.pages.get(at / PAGE).and_then(Option::as_ref) {
            Some(page) => page.bytes.known[at % PAGE / 64] >> (at % 64) & 1 != 0,
            None => self.zeroed,
        }
    }

    /// Takes over bytes of another copy of the storage, with their state. Those that it never wrote stay as they are.
    pub(crate) fn adopt(&mut self, other: &Self, offset: u64, bytes: usize) {
        for (index, at, part) in Self::parts(offset, bytes) {
            let Some(from) = other.pages.get(index).and_then(Option::as_ref) else { continue };
            self.page_mut(index).bytes.adopt(&from.bytes, at, part.len());
        }
    }

    /// Records that the contents are those of before a run, and kept.
    pub(crate) fn seal(&mut self) {
        for page in self.pages.iter_mut().flatten() {
            Arc::make_mut(page).initial = true;
        }
    }

    /// Bytes of the pages that are not shared with a later state of the storage, and of the list of all pages.
    pub(crate) fn bytes_apart(&self, later: &Self) -> usize {
        let apart = self.pages.iter().zip(later.pages.iter().map(Some).chain(std::iter::repeat(None))).filter_map(
            |(old, new)| match (old, new) {
                (Some(old), Some(Some(new))) if Arc::ptr_eq(old, new) => None,
                (Some(old), _) if !old.initial => Some(old.bytes()),
                _ => None,
            },
        );
        apart.sum::<usize>() + self.pages.len() * size_of::<Option<Arc<StoragePage>>>()
    }

    /// Bytes that the pages take besides [`counted`](Self::counted): marks, and notes of the race detector.
    pub(crate) fn extra_bytes(&self) -> usize {
        self.pages.iter().flatten().map(|page| page.extra_bytes()).sum()
    }

    /// Number of units of shadow memory.
    pub(crate) fn shadow_units(&self) -> u32 {
        self.pages.iter().flatten().filter_map(|page| page.shadow.as_ref()).map(|shadow| shadow.units()).sum()
    }

    /// Calls `f` for each run of bytes in a range that differs from an earlier state of the storage, with the offset of its first byte.
    /// Pages that no one has written since then are not compared.
    pub fn differences(&self, before: &Self, range: Range<u64>, f: &mut dyn FnMut(u64, &[u8])) {
        let bytes = usize::try_from(range.end.min(self.len).saturating_sub(range.start)).unwrap_or(0);
        for (page, at, part) in Self::parts(range.start, bytes) {
            let pages =
                (self.pages.get(page).and_then(Option::as_ref), before.pages.get(page).and_then(Option::as_ref));
            let (new, old) = match pages {
                (None, _) => continue,
                (Some(new), Some(old)) if Arc::ptr_eq(new, old) => continue,
                (Some(new), old) => (&new.bytes.data, old.map_or(&ZEROS.bytes.data, |old| &old.bytes.data)),
            };
            let start = range.start + part.start as u64;
            let (new, old) = (&new[at..at + part.len()], &old[at..at + part.len()]);
            for (index, (new, old)) in
                new.chunks(64).zip(old.chunks(64)).enumerate().filter(|(_, (new, old))| new != old)
            {
                let mut done = 0;
                for run in new.iter().zip(old).collect::<Vec<_>>().chunk_by(|a, b| (a.0 != a.1) == (b.0 != b.1)) {
                    if run.first().is_some_and(|(new, old)| new != old) {
                        f(start + (index * 64 + done) as u64, &new[done..done + run.len()]);
                    }
                    done += run.len();
                }
            }
        }
    }

    /// The parts of a range that lie in pages which are not shared with an earlier state of the storage.
    pub(crate) fn pages_apart<'s>(
        &'s self,
        before: &'s Self,
        range: Range<u64>,
    ) -> impl Iterator<Item = Range<u64>> + 's {
        let bytes = usize::try_from(range.end.min(self.len).saturating_sub(range.start)).unwrap_or(0);
        let page = |of: &'s Self, index: usize| of.pages.get(index).and_then(Option::as_ref);
        let parts = Self::parts(range.start, bytes).filter(move |(index, ..)| {
            match (page(self, *index), page(before, *index)) {
                (None, None) => false,
                (Some(new), Some(old)) => !Arc::ptr_eq(new, old),
                _ => true,
            }
        });
        parts.map(move |(_, _, part)| range.start + part.start as u64..range.start + part.end as u64)
    }

    /// Whether the bytes of a range, their marks, and which of them were written are the same as in an earlier state of the storage.
    pub(crate) fn has_same(&self, before: &Self, range: Range<u64>) -> bool {
        let bytes = usize::try_from(range.end.min(self.len).saturating_sub(range.start)).unwrap_or(0);
        let blank = StoragePage::new(self.zeroed);
        Self::parts(range.start, bytes).all(|(index, at, part)| {
            match (self.pages.get(index).and_then(Option::as_ref), before.pages.get(index).and_then(Option::as_ref)) {
                (None, None) => true,
                (Some(new), Some(old)) if Arc::ptr_eq(new, old) => true,
                (new, old) => {
                    let new = new.map_or(&blank.bytes, |page| &page.bytes);
                    let old = old.map_or(&blank.bytes, |page| &page.bytes);
                    new.has_same(old, at, part.len())
                }
            }
        })
    }

    /// Calls `f` with the bytes of a range that are in a state, as ranges of offsets, in order. Ranges that follow each other may be parts
    /// of one. Ends when `f` returns false.
    pub(crate) fn ranges(&self, range: Range<u64>, state: ByteState, f: &mut dyn FnMut(Range<u64>) -> bool) {
        let bytes = usize::try_from(range.end.min(self.len).saturating_sub(range.start)).unwrap_or(0);
        for (index, at, part) in Self::parts(range.start, bytes) {
            let start = range.start + part.start as u64;
            let page = self.pages.get(index).and_then(Option::as_ref);
            let whole = page.is_none() && !self.zeroed && state == ByteState::Unwritten;
            if whole {
                if !f(start..start + part.len() as u64) {
                    return;
                }
                continue;
            }
            let Some(page) = page else { continue };
            let mut more = true;
            page.bytes.runs(at, part.len(), state, &mut |from, to| {
                more = more && f(start + (from - at) as u64..start + (to - at) as u64);
            });
            if !more {
                return;
            }
        }
    }

    /// A copy of all bytes; unwritten ones are zero.
    pub fn to_vec(&self) -> Vec<u8> {
        let mut out = vec![0; usize::try_from(self.len).unwrap_or(0)];
        self.read(0, &mut out);
        out
    }

    /// The shadow memory of the page that contains `offset`.
    pub fn shadow(&mut self, offset: u64) -> &mut PageShadow {
        made_shadow(&mut self.page_mut(offset as usize / PAGE).shadow)
    }
}

#[cfg(test)]
mod tests;
