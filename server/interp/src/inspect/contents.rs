//! The contents of buffers before and after a run. They share the memory of the machine, so one of a gigabyte takes none of its own.

use crate::machine::Machine;
use crate::memory::{ByteState, PAGE, Storage};
use ptx_num::image::{Image, ImageId};
use ptx_num::notation::ElementFormat;
use ptx_num::values::Marks;
use std::ops::Range;
use std::sync::Arc;

/// A buffer, an image or a variable with its place in the machine.
#[derive(Debug, Clone, PartialEq)]
pub struct PlacedBuffer {
    /// Its name; for a part of a parameter with the offset, as in `p+8`.
    pub name: Box<str>,
    /// The element format.
    pub element: ElementFormat,
    /// Where it is stored.
    pub place: BindingSite,
    /// Size in bytes.
    pub bytes: u64,
}

/// Where a buffer is stored in the machine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum BindingSite {
    /// In global memory, at an address.
    Global(u64),
    /// In constant memory, at a byte offset.
    Constant(u64),
    /// In an image.
    Image(ImageId),
}

/// The contents of a buffer at one time.
#[derive(Debug, Clone)]
pub struct BufferSnapshot {
    source: Source,
    /// The first byte of the buffer in its source.
    start: u64,
    /// Size in bytes.
    len: u64,
}

/// What holds the bytes of a snapshot.
#[derive(Debug, Clone)]
enum Source {
    Storage(Storage),
    Image(Arc<Image>),
    /// A buffer that does not exist, or exists no more.
    Nothing,
}

/// The elements of a buffer that differ from an earlier state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ChangedElements {
    /// Their number.
    pub count: u64,
    /// The index of the first.
    pub first: Option<u64>,
}

impl BufferSnapshot {
    /// A snapshot of nothing.
    pub fn empty() -> Self {
        Self { source: Source::Nothing, start: 0, len: 0 }
    }

    fn of(storage: &Storage, start: u64, len: u64) -> Self {
        Self { source: Source::Storage(storage.clone()), start, len }
    }

    /// Size in bytes.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether the buffer has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Reads bytes; unwritten ones are zero. Returns whether all of them were written, and their combined marks.
    fn read(&self, offset: u64, to: &mut [u8]) -> (bool, Marks) {
        match &self.source {
            Source::Storage(storage) => {
                let read = storage.read(self.start + offset, to);
                (!read.uninitialized, read.marks)
            }
            Source::Image(image) => {
                let from = usize::try_from(offset).ok().and_then(|at| image.bytes.get(at..at + to.len()));
                if let Some(from) = from {
                    to.copy_from_slice(from);
                }
                (from.is_some(), Marks::NONE)
            }
            Source::Nothing => (false, Marks::NONE),
        }
    }

    /// A copy of the bytes in a range; unwritten ones are zero.
    pub fn bytes(&self, range: Range<u64>) -> Vec<u8> {
        let end = range.end.min(self.len);
        let mut out = vec![0; usize::try_from(end.saturating_sub(range.start)).unwrap_or(0)];
        self.read(range.start, &mut out);
        out
    }

    /// The bits of an element and its marks. The bits are `None` if parts of it were never written, or it lies outside.
    pub fn element(&self, element: ElementFormat, index: u64) -> (Option<u128>, Marks) {
        let (bits, known, marks) = self.look_up(element, index);
        (bits.filter(|_| known), marks)
    }

    /// The bits of an element, whose unwritten bytes are zero; `None` if it lies outside.
    pub fn bits(&self, element: ElementFormat, index: u64) -> Option<u128> {
        self.look_up(element, index).0
    }

    /// The bits of an element, whether all of it was written, and its marks.
    fn look_up(&self, element: ElementFormat, index: u64) -> (Option<u128>, bool, Marks) {
        let bits = u64::from(element.bits());
        let Range { start: from, end: to } = bytes_of(element, index);
        let mut all = [0; 16];
        let Some(bytes) = usize::try_from(to - from).ok().and_then(|n| all.get_mut(..n)).filter(|_| to <= self.len)
        else {
            return (None, false, Marks::NONE);
        };
        let (known, marks) = self.read(from, bytes);
        // Several elements may share a byte.
        let inside = if bits < 8 { index * bits % 8 / bits } else { 0 };
        (element.get(bytes, inside), known, marks)
    }

    /// The parts of the buffer whose memory is not that of an earlier snapshot; all other parts are the same.
    fn parts_apart(&self, before: &Self) -> Vec<Range<u64>> {
        match (&self.source, &before.source) {
            (Source::Storage(now), Source::Storage(then)) if self.start == before.start => {
                let parts = now.pages_apart(then, self.start..self.start + self.len);
                parts.map(|part| part.start - self.start..part.end - self.start).collect()
            }
            (Source::Image(now), Source::Image(then)) if Arc::ptr_eq(now, then) => Vec::new(),
            _ => (0..self.len).step_by(PAGE).map(|at| at..(at + PAGE as u64).min(self.len)).collect(),
        }
    }

    /// Whether bytes, marks, and which bytes were written are the same as in an earlier snapshot of the buffer.
    pub fn is_same(&self, before: &Self) -> bool {
        let same = |part: &Range<u64>| match (&self.source, &before.source) {
            (Source::Storage(now), Source::Storage(then)) => {
                now.has_same(then, self.start + part.start..self.start + part.end)
            }
            _ => self.bytes(part.clone()) == before.bytes(part.clone()),
        };
        self.len == before.len && self.parts_apart(before).iter().all(same)
    }

    /// Calls `f` for each run of bytes that differ from an earlier snapshot, with the offset of its first byte.
    pub fn differences(&self, before: &Self, f: &mut dyn FnMut(u64, &[u8])) {
        let (bytes, start) = (self.start..self.start + self.len, self.start);
        match (&self.source, &before.source) {
            (Source::Storage(now), Source::Storage(then)) => {
                now.differences(then, bytes, &mut |at, bytes| f(at - start, bytes));
            }
            (Source::Image(now), Source::Image(then)) if !Arc::ptr_eq(now, then) => {
                Storage::from_bytes(&now.bytes).differences(&Storage::from_bytes(&then.bytes), bytes, f);
            }
            _ => {}
        }
    }

    /// The elements whose value is another one than before, or that were written for the first time.
    pub fn changes(&self, before: &Self, element: ElementFormat) -> ChangedElements {
        let mut out = ChangedElements::default();
        let bits = u64::from(element.bits());
        let mut next = 0;
        for part in self.parts_apart(before) {
            let (from, to) = (part.start * 8 / bits, (part.end * 8).div_ceil(bits).min(element.count(self.len)));
            let (from, to) = (from.max(next), to.max(next));
            next = to;
            let bytes = part.start..part.end;
            let range = (from * bits / 8, to * bits / 8);
            if bits >= 8 && range == (bytes.start, bytes.end) && self.is_known(&bytes) && before.is_known(&bytes) {
                let (new, old) = (self.bytes(bytes.clone()), before.bytes(bytes));
                let size = (bits / 8) as usize;
                let pairs = new.chunks_exact(size).zip(old.chunks_exact(size));
                let differ = || pairs.clone().map(|(new, old)| new != old);
                out.count += differ().filter(|differs| *differs).count() as u64;
                let first = || differ().position(|differs| differs).map(|at| from + at as u64);
                out.first = out.first.or_else(first);
                continue;
            }
            for index in from..to {
                if self.element(element, index).0 != before.element(element, index).0 {
                    out.count += 1;
                    out.first = out.first.or(Some(index));
                }
            }
        }
        out
    }

    /// Whether all bytes of a range were written.
    fn is_known(&self, range: &Range<u64>) -> bool {
        match &self.source {
            Source::Storage(storage) => {
                let parts = range.clone().step_by(PAGE);
                let mut parts = parts.map(|at| (at, (at + PAGE as u64).min(range.end) - at));
                parts.all(|(at, bytes)| {
                    let mut all = [0; PAGE];
                    let to = &mut all[..(bytes as usize).min(PAGE)];
                    !storage.read(self.start + at, to).uninitialized
                })
            }
            Source::Image(_) => true,
            Source::Nothing => false,
        }
    }

    /// The bytes in this state, as ranges; at most `most` of them. Returns whether these are all.
    pub fn ranges(&self, state: ByteState, most: usize) -> (Vec<Range<u64>>, bool) {
        let Source::Storage(storage) = &self.source else { return (Vec::new(), true) };
        let mut out: Vec<Range<u64>> = Vec::new();
        storage.ranges(self.start..self.start + self.len, state, &mut |range| {
            let range = range.start - self.start..range.end - self.start;
            let has_room = out.len() <= most;
            match out.last_mut() {
                Some(last) if last.end == range.start => last.end = range.end,
                _ if has_room => out.push(range),
                _ => {}
            }
            has_room
        });
        let all = out.len() <= most;
        out.truncate(most);
        (out, all)
    }
}

/// The bytes of an element in its buffer.
fn bytes_of(element: ElementFormat, index: u64) -> Range<u64> {
    let bits = u64::from(element.bits());
    let first = index.saturating_mul(bits);
    first / 8..first.saturating_add(bits).div_ceil(8)
}

impl PlacedBuffer {
    /// The current contents.
    pub fn snapshot(&self, machine: &Machine) -> BufferSnapshot {
        match self.place {
            BindingSite::Global(_) => {
                let found = self.allocation(machine);
                found.map_or_else(BufferSnapshot::empty, |(start, s)| BufferSnapshot::of(s, start, self.bytes))
            }
            BindingSite::Constant(at) => BufferSnapshot::of(&machine.memory.constant, at, self.bytes),
            BindingSite::Image(id) => {
                let image = machine.images.share(id);
                let len = image.as_ref().map_or(0, |image| image.bytes.len() as u64);
                BufferSnapshot { source: image.map_or(Source::Nothing, Source::Image), start: 0, len }
            }
        }
    }

    /// The storage of a buffer in global memory, and the offset of the buffer in it.
    fn allocation<'m>(&self, machine: &'m Machine) -> Option<(u64, &'m Storage)> {
        let BindingSite::Global(address) = self.place else { return None };
        let allocation = machine.memory.global.find(address, 0)?;
        Some((address - allocation.base, &allocation.storage))
    }

    /// Forbids the program to write to a buffer in global memory.
    pub fn protect(&self, machine: &mut Machine) {
        if let BindingSite::Global(address) = self.place
            && let Some(allocation) = machine.memory.global.find_mut(address, 0)
        {
            allocation.read_only = true;
        }
    }
}
