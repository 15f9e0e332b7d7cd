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
    /// The function whose register it is: that of the instruction, but for what a call hands over and a return hands back.
    pub function: u32,
    /// Its number among the registers of that function.
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

/// Records a window of the steps of one warp: flat, so that recording costs little more than copying what changes.
#[derive(Debug, Clone)]
pub struct Recorder {
    /// The warp.
    pub target: Target,
    /// The first step of the window.
    pub from: u64,
    /// How many steps at most.
    pub count: usize,
    steps: Vec<Step>,
    writes: Vec<Write>,
    bytes: Vec<u8>,
}

#[derive(Debug, Clone, Copy)]
struct Step {
    step: u64,
    site: Site,
    group: Mask,
    mask: Mask,
    depth: u32,
    /// Where its writes end.
    writes: usize,
}

#[derive(Debug, Clone, Copy)]
struct Write {
    function: u32,
    slot: u32,
    unspecified: Mask,
    approximate: Mask,
    before: usize,
    after: usize,
    len: usize,
}

impl Recorder {
    /// Of a warp, so many steps from one on.
    pub fn new(target: Target, from: u64, count: usize) -> Self {
        Self { target, from, count, steps: Vec::new(), writes: Vec::new(), bytes: Vec::new() }
    }

    /// Forgets what was recorded, and begins another window of the same warp; the memory is used again.
    pub fn restart(&mut self, from: u64) {
        self.from = from;
        self.steps.clear();
        self.writes.clear();
        self.bytes.clear();
    }

    /// Whether a step is in the window.
    #[inline]
    pub fn wants(&self, step: u64) -> bool {
        step >= self.from && self.steps.len() < self.count
    }

    /// Whether the window is full.
    pub fn is_full(&self) -> bool {
        self.steps.len() >= self.count
    }

    /// How many steps were recorded.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether none was.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The steps that were recorded.
    pub fn steps(&self) -> Vec<Recorded> {
        let mut first = 0;
        let change = |w: &Write| Change {
            function: w.function,
            slot: w.slot,
            before: self.bytes[w.before..w.before + w.len].into(),
            after: self.bytes[w.after..w.after + w.len].into(),
            unspecified: w.unspecified,
            approximate: w.approximate,
        };
        let step = |s: &Step| {
            let changes = self.writes[first..s.writes].iter().map(change).collect();
            first = s.writes;
            Recorded { step: s.step, site: s.site, group: s.group, mask: s.mask, depth: s.depth, changes }
        };
        self.steps.iter().map(step).collect()
    }

    /// Keeps what registers hold before a step.
    pub(super) fn before(&mut self, frame: &Frame, slots: &[Slot], writes: &[u32]) {
        for slot in writes {
            let before = self.bytes.len();
            let len = self.keep(frame, slots, *slot);
            let function = frame.function;
            let write = Write { function, slot: *slot, unspecified: 0, approximate: 0, before, after: before, len };
            self.writes.push(write);
        }
    }

    fn keep(&mut self, frame: &Frame, slots: &[Slot], slot: u32) -> usize {
        match slots.get(slot as usize) {
            Some(Slot::Register(place)) => {
                let bytes = frame.registers.bytes(*place);
                self.bytes.extend_from_slice(bytes);
                bytes.len()
            }
            Some(Slot::Predicate(index)) => {
                let (source, _) = crate::decode::predicate(*index);
                self.bytes.extend_from_slice(&frame.registers.predicate(source).to_le_bytes());
                4
            }
            None => 0,
        }
    }

    /// And after it. `step` says of it what is known besides.
    pub(super) fn after(&mut self, step: &Recorded, frame: &Frame, slots: &[Slot], writes: &[u32]) {
        let first = self.writes.len() - writes.len().min(self.writes.len());
        for at in first..self.writes.len() {
            let slot = self.writes[at].slot;
            let after = self.bytes.len();
            self.keep(frame, slots, slot);
            let mask = |masks: &[Mask]| masks.get(slot as usize).copied().unwrap_or(0);
            let write = &mut self.writes[at];
            write.after = after;
            (write.unspecified, write.approximate) = (mask(&frame.shadow.unspecified), mask(&frame.shadow.approximate));
        }
        let Recorded { step, site, group, mask, depth, .. } = *step;
        self.steps.push(Step { step, site, group, mask, depth, writes: self.writes.len() });
    }

    /// Adds to the last step registers of another activation: what a call has handed over, or a return handed back.
    pub(super) fn amend(&mut self, frame: &Frame, slots: &[Slot], writes: &[u32], before: &[Vec<u8>]) {
        let Some(last) = self.steps.len().checked_sub(1) else { return };
        for (slot, old) in writes.iter().zip(before) {
            let at = self.bytes.len();
            self.bytes.extend_from_slice(old);
            let after = self.bytes.len();
            let len = self.keep(frame, slots, *slot).min(old.len());
            let mask = |masks: &[Mask]| masks.get(*slot as usize).copied().unwrap_or(0);
            let (unspecified, approximate) = (mask(&frame.shadow.unspecified), mask(&frame.shadow.approximate));
            let function = frame.function;
            self.writes.push(Write { function, slot: *slot, unspecified, approximate, before: at, after, len });
        }
        self.steps[last].writes = self.writes.len();
    }

    /// Forgets the registers that were kept before a step which did not happen.
    pub(super) fn abandon(&mut self, writes: &[u32]) {
        for _ in writes {
            if let Some(write) = self.writes.pop() {
                self.bytes.truncate(write.before);
            }
        }
    }
}
