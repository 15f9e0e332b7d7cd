//! The values that the instructions of a warp wrote last, shown at the ends of lines.

use crate::lane_values::LaneValues;
use ptx_flow::flow::RegisterSlot;
use ptx_interp::findings::InstructionSite;
use ptx_interp::inspect;
use ptx_interp::machine::{RecordedStep, RegisterWrite, WarpId};
use ptx_launch::evaluate::LaunchRun;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Maximum number of steps that are evaluated, counted from the last one; older instructions show no value.
const MAX_STEPS: u64 = 1 << 16;

/// Number of steps that are repeated at a time, to limit the memory for their registers.
const STEPS_PER_BATCH: u64 = 4096;

/// The values that the instructions of a kernel wrote last, up to a step of a warp.
#[derive(Debug)]
pub struct LastValues {
    /// The warp.
    pub target: WarpId,
    /// The last step that is included.
    pub until: u64,
    sites: BTreeMap<(u32, u32), Last>,
}

/// The last execution of an instruction by each lane.
#[derive(Debug)]
struct Last {
    changes: Vec<RegisterWrite>,
    /// Lanes that have executed it.
    lanes: u32,
    /// The step of each lane's last execution.
    steps: [u64; 32],
    /// Number of executions by each lane.
    counts: [u32; 32],
}

impl Last {
    /// Merges the values that lanes wrote in a step; other lanes keep theirs.
    fn take(&mut self, step: RecordedStep) {
        let keep = self.lanes & !step.mask;
        let mut changes = step.changes;
        for (new, old) in changes.iter_mut().zip(&self.changes) {
            // A call does not always change the same registers.
            if (new.function, new.slot, new.after.len()) != (old.function, old.slot, old.after.len()) {
                continue;
            }
            let size = new.after.len() / 32;
            for lane in (0..32).filter(|lane| keep >> lane & 1 != 0) {
                if size == 0 {
                    // A predicate has one bit for each lane.
                    let bit = 1 << (lane % 8);
                    new.after[lane / 8] = new.after[lane / 8] & !bit | old.after[lane / 8] & bit;
                } else {
                    new.after[lane * size..(lane + 1) * size]
                        .copy_from_slice(&old.after[lane * size..(lane + 1) * size]);
                }
            }
            new.unspecified = new.unspecified & !keep | old.unspecified & keep;
            new.approximate = new.approximate & !keep | old.approximate & keep;
        }
        self.changes = changes;
        self.lanes |= step.mask;
        for lane in (0..32).filter(|lane| step.mask >> lane & 1 != 0) {
            self.steps[lane] = step.step;
            self.counts[lane] += 1;
        }
    }
}

/// The value of a lane to show in a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineValue {
    /// Byte offset of the instruction's end.
    pub offset: usize,
    /// `lane 0: %r1 = 5`.
    pub text: String,
    /// The values of all lanes, as Markdown.
    pub tooltip: String,
}

impl LastValues {
    /// Collects the values of a warp up to a step. `cancelled` is polled.
    pub fn new(done: &LaunchRun, target: WarpId, until: u64, cancelled: &dyn Fn() -> bool) -> Self {
        let mut sites: BTreeMap<(u32, u32), Last> = BTreeMap::new();
        let mut from = until.saturating_sub(MAX_STEPS - 1);
        while from <= until && !cancelled() {
            let count = STEPS_PER_BATCH.min(until - from + 1);
            let window = done.run.window(target, from, count as usize, cancelled);
            let Some(last) = window.last().map(|r| r.step) else { break };
            for recorded in window.into_iter().filter(|r| r.step <= until) {
                if recorded.mask == 0 || recorded.changes.is_empty() {
                    continue;
                }
                let key = (recorded.site.function, recorded.site.instruction);
                let last = sites.entry(key).or_insert_with(|| Last {
                    changes: Vec::new(),
                    lanes: 0,
                    steps: [0; 32],
                    counts: [0; 32],
                });
                last.take(recorded);
            }
            from = last + 1;
        }
        Self { target, until, sites }
    }

    /// Returns the values of a lane, in the order of the program.
    pub fn of_lane(&self, done: &LaunchRun, lane: u32) -> Vec<LineValue> {
        let executable = &done.run.machine.executable;
        let mut out = Vec::new();
        let mut meanings = BTreeMap::new();
        for ((function, instruction), last) in &self.sites {
            if lane > 31 || last.lanes >> lane & 1 == 0 {
                continue;
            }
            let range = executable.range(InstructionSite { function: *function, instruction: *instruction });
            let mut texts = Vec::new();
            let mut tooltip = String::new();
            for change in &last.changes {
                let Some((name, declared)) = named(done, change) else { continue };
                let values = LaneValues::of_write(declared, meant(done, change, &mut meanings), change, last.lanes);
                let shown = |mask| values.summary(mask, &done.run.machine);
                texts.push(format!("{name} = {}", shown(1 << lane)));
                let _ = writeln!(tooltip, "`{name}` = {}\n", shown(last.lanes));
            }
            if texts.is_empty() {
                continue;
            }
            let at = lane as usize;
            let times = match last.counts[at] {
                1 => String::new(),
                many => format!(", the last of {many} times"),
            };
            let warp = self.target.warp;
            let _ = write!(tooltip, "lane {lane} of warp {warp}, after step {} of the warp{times}", last.steps[at] + 1);
            out.push(LineValue { offset: range.end, text: format!("lane {lane}: {}", texts.join(", ")), tooltip });
        }
        out
    }
}

/// Returns the name and the type of a changed register.
pub fn named(done: &LaunchRun, change: &RegisterWrite) -> Option<(String, &'static str)> {
    let function = done.run.machine.executable.function(change.function)?;
    let slot = RegisterSlot(change.slot);
    ((change.slot as usize) < function.registers.len())
        .then(|| (function.register_name(slot), function.declaration(slot).ty.name()))
}

/// Returns the type with which instructions read an untyped register; `known` caches the answer for each function.
fn meant(
    done: &LaunchRun,
    change: &RegisterWrite,
    known: &mut BTreeMap<u32, Vec<Option<&'static str>>>,
) -> Option<&'static str> {
    let function = done.run.machine.executable.function(change.function)?;
    let all = known.entry(change.function).or_insert_with(|| inspect::meanings(function));
    all.get(change.slot as usize).copied().flatten()
}
