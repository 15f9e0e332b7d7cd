//! Global memory: allocations with guard zones between them.

use super::storage::Storage;

/// Bytes between two allocations, so that a pointer that runs off its end is found out.
const GUARD: u64 = 4096;

/// Each allocation begins at a multiple of this, as hardware's do.
const ALIGNMENT: u64 = 512;

/// A piece of global memory.
#[derive(Debug, Clone)]
pub struct GlobalAllocation {
    /// The variable or the parameter that it is for.
    pub name: Box<str>,
    /// Address of its first byte.
    pub base: u64,
    /// Its bytes.
    pub storage: Storage,
    /// Whether `malloc` made it, and whether `free` has released it.
    heap: Heap,
}

/// What an allocation has to do with the heap of the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Heap {
    /// Nothing: a variable or a buffer.
    Outside,
    /// `malloc` made it.
    Used,
    /// `free` has released it; its length was so many bytes.
    Freed(u64),
}

/// Released allocations are removed from the list when there are more than this many, and more than half of the list are such.
const MAX_FREED: usize = 1024;

/// Global memory.
#[derive(Debug, Clone, Default)]
pub struct Global {
    allocations: Vec<GlobalAllocation>,
    next: u64,
    /// Released allocations that are still in the list.
    freed: usize,
    /// Bytes that the program has asked for and not given back.
    heap: u64,
}

impl Global {
    /// Memory that begins at an address.
    pub fn new(base: u64) -> Self {
        Self { allocations: Vec::new(), next: base, freed: 0, heap: 0 }
    }

    /// The address that the next allocation will have.
    pub fn next_base(&self, align: u64) -> u64 {
        self.next.next_multiple_of(align.max(ALIGNMENT))
    }

    /// Adds an allocation and gives its address.
    pub fn allocate(&mut self, name: &str, storage: Storage, align: u64) -> u64 {
        self.add(name, storage, align, Heap::Outside)
    }

    fn add(&mut self, name: &str, storage: Storage, align: u64, heap: Heap) -> u64 {
        let base = self.next_base(align);
        self.next = base + storage.len() + GUARD;
        self.allocations.push(GlobalAllocation { name: name.into(), base, storage, heap });
        base
    }

    /// `malloc`: the address of so many new bytes.
    pub fn take(&mut self, bytes: u64) -> u64 {
        self.heap += bytes;
        self.add("malloc", Storage::new(bytes, false), 1, Heap::Used)
    }

    /// Bytes that the program has asked for and not given back.
    pub fn taken(&self) -> u64 {
        self.heap
    }

    /// Bytes that are not in the account of the run yet.
    pub fn count(&mut self) -> usize {
        self.allocations.iter_mut().map(|a| a.storage.count()).sum()
    }

    /// `free`: the bytes of it that are in the account of the run; nothing if no allocation of the heap begins at the address.
    pub fn give_back(&mut self, address: u64) -> Option<usize> {
        let index = self.index(address)?;
        let allocation = self.allocations.get_mut(index).filter(|a| a.base == address && a.heap == Heap::Used)?;
        let (len, kept) = (allocation.storage.len(), allocation.storage.counted());
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

    /// All allocations, by their addresses.
    pub fn allocations(&self) -> &[GlobalAllocation] {
        &self.allocations
    }

    /// The allocation of that name.
    pub fn named(&self, name: &str) -> Option<&GlobalAllocation> {
        self.allocations.iter().find(|a| &*a.name == name)
    }

    fn index(&self, address: u64) -> Option<usize> {
        self.allocations.partition_point(|a| a.base <= address).checked_sub(1)
    }

    /// The allocation that an access lies in.
    pub fn find(&self, address: u64, bytes: usize) -> Option<&GlobalAllocation> {
        self.allocations.get(self.index(address)?).filter(|a| a.storage.contains(address - a.base, bytes))
    }

    /// The same, to be changed.
    pub fn find_mut(&mut self, address: u64, bytes: usize) -> Option<&mut GlobalAllocation> {
        let index = self.index(address)?;
        self.allocations.get_mut(index).filter(|a| a.storage.contains(address - a.base, bytes))
    }

    /// In words, what lies next to an address that is in no allocation.
    pub fn describe(&self, address: u64) -> String {
        let before = self.index(address).and_then(|i| self.allocations.get(i));
        if let Some(GlobalAllocation { heap: Heap::Freed(len), base, .. }) = before
            && address - base < *len
        {
            return format!("in the {len} bytes at {base:#x} that `malloc` gave and `free` took back");
        }
        let after = self.index(address).map_or(0, |i| i + 1);
        let behind = before.map(|a| (a, address - a.base - a.storage.len().min(address - a.base)));
        let ahead = self.allocations.get(after).map(|a| (a, a.base - address));
        match (behind, ahead) {
            (Some((a, by)), next) if by < GUARD && next.is_none_or(|(_, to)| by <= to) => {
                let size = a.storage.len();
                format!("{by} bytes behind the end of `{}` ({size} bytes)", a.name)
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
        assert_eq!(memory.describe(a + 12), "2 bytes behind the end of `a` (10 bytes)");
        assert_eq!(memory.describe(b - 8), "8 bytes before `b`");
        assert_eq!(memory.describe(0x7000_0000), "in no allocation");
    }
}
