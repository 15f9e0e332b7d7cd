//! Global memory: allocations with guard zones between them.

use super::storage::Storage;

/// Size in bytes of the guard zone between two allocations. A pointer that runs off the end of an allocation gets into it and is noticed.
const GUARD: u64 = 4096;

/// Minimum alignment of an allocation in bytes, as on hardware.
const ALIGNMENT: u64 = 512;

/// An allocation in global memory.
#[derive(Debug, Clone)]
pub struct GlobalAllocation {
    /// The name of the variable or the parameter, or `malloc`.
    pub name: Box<str>,
    /// The generic address of the first byte.
    pub base: u64,
    /// The contents.
    pub storage: Storage,
    /// Whether the allocation belongs to the heap of the device, and whether it has been released.
    heap: Heap,
    /// Whether the program must not write to it.
    pub read_only: bool,
}

/// The state of an allocation on the heap of the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Heap {
    /// Not on the heap: a variable or a buffer.
    Outside,
    /// Allocated by `malloc`.
    Used,
    /// Released by `free`; the value is its former length in bytes.
    Freed(u64),
}

impl GlobalAllocation {
    /// Whether the program has allocated it by `malloc`.
    pub fn is_on_heap(&self) -> bool {
        self.heap != Heap::Outside
    }
}

/// Released allocations leave the list when there are more of them than this, and they make up more than half of the list.
const MAX_FREED: usize = 1024;

/// Global memory.
#[derive(Debug, Clone, Default)]
pub struct Global {
    allocations: Vec<GlobalAllocation>,
    /// The end of the last allocation, including its guard zone.
    next: u64,
    /// Released allocations that are still in the list.
    freed: usize,
    /// Bytes that the program has allocated on the heap and not released.
    heap: u64,
}

impl Global {
    /// Empty global memory that begins at address `base`.
    pub fn new(base: u64) -> Self {
        Self { allocations: Vec::new(), next: base, freed: 0, heap: 0 }
    }

    /// The address that the next allocation with alignment `align` gets.
    pub fn next_base(&self, align: u64) -> u64 {
        self.next.next_multiple_of(align.max(ALIGNMENT))
    }

    /// Adds an allocation and returns its address.
    pub fn allocate(&mut self, name: &str, storage: Storage, align: u64) -> u64 {
        self.add(name, storage, align, Heap::Outside)
    }

    fn add(&mut self, name: &str, storage: Storage, align: u64, heap: Heap) -> u64 {
        let base = self.next_base(align);
        self.next = base + storage.len() + GUARD;
        self.allocations.push(GlobalAllocation { name: name.into(), base, storage, heap, read_only: false });
        base
    }

    /// `malloc`: allocates `bytes` unwritten bytes and returns their address.
    pub fn take(&mut self, bytes: u64) -> u64 {
        self.heap += bytes;
        self.add("malloc", Storage::new(bytes, false), 1, Heap::Used)
    }

    /// Bytes that the program has asked for and not given back.
    pub fn taken(&self) -> u64 {
        self.heap
    }

    /// Records that the contents are those of before a run, and kept.
    pub(crate) fn seal(&mut self) {
        self.allocations.iter_mut().for_each(|a| a.storage.seal());
    }

    /// Bytes of the pages that are not shared with a later state, and of the lists of pages.
    pub(crate) fn bytes_apart(&self, later: &Self) -> usize {
        let nothing = Storage::default();
        let mut next = later.allocations.iter().peekable();
        let mut apart = |allocation: &GlobalAllocation| {
            while next.next_if(|other| other.base < allocation.base).is_some() {}
            let other = next.peek().filter(|other| other.base == allocation.base);
            allocation.storage.bytes_apart(other.map_or(&nothing, |other| &other.storage))
        };
        self.allocations.iter().map(&mut apart).sum()
    }

    /// Size in bytes of the pages that were created since the last call, for the memory account of the run.
    pub fn count(&mut self) -> usize {
        self.allocations.iter_mut().map(|a| a.storage.count()).sum()
    }

    /// `free`: releases the heap allocation at `address`. Returns its bytes in the memory account of the run, or `None` if none begins
    /// there.
    pub fn give_back(&mut self, address: u64) -> Option<usize> {
        let index = self.index(address)?;
        let allocation = self.allocations.get_mut(index).filter(|a| a.base == address && a.heap == Heap::Used)?;
        let (len, kept) = (allocation.storage.len(), allocation.storage.counted() + allocation.storage.extra_bytes());
        allocation.storage = Storage::new(0, false);
        allocation.heap = Heap::Freed(len);
        self.heap = self.heap.saturating_sub(len);
        self.freed += 1;
        if self.freed > MAX_FREED && 2 * self.freed > self.allocations.len() {
            self.allocations.retain(|a| !matches!(a.heap, Heap::Freed(_)));
            self.freed = 0;
        }
        Some(kept)
    }

    /// All allocations, in order of address.
    pub fn allocations(&self) -> &[GlobalAllocation] {
        &self.allocations
    }

    /// The allocation of that name.
    pub fn named(&self, name: &str) -> Option<&GlobalAllocation> {
        self.allocations.iter().find(|a| &*a.name == name)
    }

    /// The index of the last allocation that begins at or before an address.
    fn index(&self, address: u64) -> Option<usize> {
        self.allocations.partition_point(|a| a.base <= address).checked_sub(1)
    }

    /// The allocation that contains the `bytes` bytes at `address`.
    pub fn find(&self, address: u64, bytes: usize) -> Option<&GlobalAllocation> {
        self.allocations.get(self.index(address)?).filter(|a| a.storage.contains(address - a.base, bytes))
    }

    /// Like [`find`](Self::find), with the index of the allocation.
    pub(crate) fn locate(&self, address: u64, bytes: usize) -> Option<(usize, &GlobalAllocation)> {
        let index = self.index(address)?;
        let allocation = self.allocations.get(index)?;
        allocation.storage.contains(address - allocation.base, bytes).then_some((index, allocation))
    }

    /// The contents of the allocation with this index.
    pub(crate) fn storage_mut(&mut self, index: usize) -> Option<&mut Storage> {
        self.allocations.get_mut(index).map(|a| &mut a.storage)
    }

    /// Like [`find`](Self::find), but mutable.
    pub fn find_mut(&mut self, address: u64, bytes: usize) -> Option<&mut GlobalAllocation> {
        let index = self.index(address)?;
        self.allocations.get_mut(index).filter(|a| a.storage.contains(address - a.base, bytes))
    }

    /// Takes over a range of addresses of another copy of global memory, with the state of the bytes. The range begins in an allocation and
    /// touches no other one.
    pub(crate) fn adopt(&mut self, other: &Self, range: std::ops::Range<u64>) {
        let Some(index) = self.index(range.start) else { return };
        let (Some(to), Some(from)) = (self.allocations.get_mut(index), other.allocations.get(index)) else { return };
        let start = range.start - to.base;
        let end = (range.end - to.base).min(to.storage.len());
        to.storage.adopt(&from.storage, start, end.saturating_sub(start) as usize);
    }

    /// A text for messages: what lies next to an address that is in no allocation.
    pub fn describe(&self, address: u64) -> String {
        let before = self.index(address).and_then(|i| self.allocations.get(i));
        if let Some(GlobalAllocation { heap: Heap::Freed(len), base, .. }) = before
            && address - base < *len
        {
            return format!("in the {len} bytes at {base:#x} that `malloc` returned and `free` released");
        }
        let after = self.index(address).map_or(0, |i| i + 1);
        let behind = before.map(|a| (a, address - a.base - a.storage.len().min(address - a.base)));
        let ahead = self.allocations.get(after).map(|a| (a, a.base - address));
        match (behind, ahead) {
            (Some((a, by)), next) if by < GUARD && next.is_none_or(|(_, to)| by <= to) => {
                let size = a.storage.len();
                format!("{by} bytes past the end of `{}` ({size} bytes)", a.name)
            }
            (_, Some((a, to))) if to < GUARD => format!("{to} bytes before `{}`", a.name),
            _ => "in no allocation".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Global, Storage};

    #[test]
    fn allocations_are_found_by_address() {
        let mut memory = Global::new(0x1000);
        let a = memory.allocate("a", Storage::new(10, true), 1);
        let b = memory.allocate("b", Storage::new(10, true), 1024);
        assert!(a.is_multiple_of(512) && b.is_multiple_of(1024));
        assert_eq!(memory.find(a + 6, 4).map(|x| &*x.name), Some("a"));
        assert!(memory.find(a + 7, 4).is_none() && memory.find(a - 1, 1).is_none());
        assert_eq!(memory.find(b, 10).map(|x| &*x.name), Some("b"));
        assert_eq!(memory.describe(a + 12), "2 bytes past the end of `a` (10 bytes)");
        assert_eq!(memory.describe(b - 8), "8 bytes before `b`");
        assert_eq!(memory.describe(0x7000_0000), "in no allocation");
    }
}
