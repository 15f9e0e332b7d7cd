//! What a warp did, step by step: the registers that each instruction changed, before and after.

use super::warp::Frame;
use crate::decode::Slot;
use crate::findings::Site;
use crate::lanes::Mask;

/// The warp that is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Target {
    /// The number of its CTA in the grid.
    pub cta: u64,
    /// Its number in the CTA.
    pub warp: u32,
}

/// A register that an instruction changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Its number among the registers of the function.
    pub slot: u32,
    /// The bytes of all lanes before; of a predicate four bytes, a bit for each lane.
    pub before: Box<[u8]>,
    /// And after.
    pub after: Box<[u8]>,
    /// Lanes whose value the manual leaves open, after.
    pub unspecified: Mask,
    /// Lanes whose value is an approximation, after.
    pub approximate: Mask,
}

/// One step of a warp.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    /// How many instructions the warp had executed before.
    pub step: u64,
    /// The instruction.
    pub site: Site,
    /// The lanes of the group.
    pub group: Mask,
    /// The lanes that executed it: in which the guard is true.
    pub mask: Mask,
    /// How many calls deep.
    pub depth: u32,
    /// Registers that it wrote, changed or not.
    pub changes: Vec<Change>,
}

/// Records a window of the steps of one warp.
#[derive(Debug, Clone)]
pub struct Recorder {
    /// The warp.
    pub target: Target,
    /// The first step of the window.
    pub from: u64,
    /// How many steps at most.
    pub count: usize,
    /// What was recorded.
    pub steps: Vec<Recorded>,
}

impl Recorder {
    /// Of a warp, so many steps from one on.
    pub fn new(target: Target, from: u64, count: usize) -> Self {
        Self { target, from, count, steps: Vec::new() }
    }

    /// Whether a step is in the window.
    pub fn wants(&self, step: u64) -> bool {
        step >= self.from && self.steps.len() < self.count
    }

    /// Whether the window is full.
    pub fn is_full(&self) -> bool {
        self.steps.len() >= self.count
    }

    pub(super) fn before(&self, frame: &Frame, slots: &[Slot], writes: &[u32]) -> Vec<Box<[u8]>> {
        let bytes = |slot: &u32| slots.get(*slot as usize).map_or_else(Vec::new, |s| frame.bytes(*s)).into();
        writes.iter().map(bytes).collect()
    }

    pub(super) fn after(
        &mut self,
        mut step: Recorded,
        frame: &Frame,
        slots: &[Slot],
        writes: &[u32],
        before: Vec<Box<[u8]>>,
    ) {
        for (slot, before) in writes.iter().zip(before) {
            let after = slots.get(*slot as usize).map_or_else(Vec::new, |s| frame.bytes(*s)).into();
            let mask = |masks: &[Mask]| masks.get(*slot as usize).copied().unwrap_or(0);
            let (unspecified, approximate) = (mask(&frame.shadow.unspecified), mask(&frame.shadow.approximate));
            step.changes.push(Change { slot: *slot, before, after, unspecified, approximate });
        }
        self.steps.push(step);
    }
}
