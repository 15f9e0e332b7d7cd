//! The bytes of buffers that a run has changed.

use super::bind::{BindingSite, PlacedBuffer};
use crate::machine::Machine;
use crate::memory::Storage;
use ptx_num::image::Bindings;
use ptx_num::values::Marks;
use std::ops::Range;

/// The contents of buffers before a run. Pages and images that the run does not change are not copied.
pub struct ContentsBefore {
    /// For each buffer in global memory its allocation.
    global: Vec<Option<Storage>>,
    images: Bindings,
}

impl ContentsBefore {
    /// Keeps the contents of the buffers of a machine that is about to start.
    pub fn new(machine: &Machine, buffers: &[PlacedBuffer]) -> Self {
        let global = buffers.iter().map(|placed| Some(placed.allocation(machine)?.1.clone())).collect();
        Self { global, images: machine.images.clone() }
    }

    /// Calls `f` for each run of bytes of a buffer that differs now, with the offset of its first byte in the buffer. `index` is that of
    /// the buffer in the list.
    pub fn changes(&self, index: usize, placed: &PlacedBuffer, machine: &Machine, f: &mut dyn FnMut(u64, &[u8])) {
        match placed.place {
            BindingSite::Image(id) => {
                let bytes = |images: &Bindings| images.image(id).map(|i| Storage::from_bytes(&i.bytes));
                if let (Some(after), Some(before)) = (bytes(&machine.images), bytes(&self.images)) {
                    after.differences(&before, 0..placed.bytes, f);
                }
            }
            BindingSite::Constant(_) => {}
            BindingSite::Global(_) => {
                let before = self.global.get(index).and_then(Option::as_ref);
                if let (Some((start, after)), Some(before)) = (placed.allocation(machine), before) {
                    after.differences(before, start..start + placed.bytes, &mut |at, bytes| f(at - start, bytes));
                }
            }
        }
    }
}

impl PlacedBuffer {
    /// The storage of a buffer in global memory, and the offset of the buffer in it.
    fn allocation<'m>(&self, machine: &'m Machine) -> Option<(u64, &'m Storage)> {
        let BindingSite::Global(address) = self.place else { return None };
        let allocation = machine.memory.global.find(address, 0)?;
        Some((address - allocation.base, &allocation.storage))
    }

    /// The bytes of a buffer in global memory with a mark, as ranges of offsets in the buffer.
    pub fn marked(&self, machine: &Machine, mark: Marks) -> Vec<Range<u64>> {
        let Some((start, storage)) = self.allocation(machine) else { return Vec::new() };
        let ranges = storage.marked(start..start + self.bytes, mark);
        ranges.into_iter().map(|range| range.start - start..range.end - start).collect()
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
