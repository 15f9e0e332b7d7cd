//! What a warp's instructions have written last: for values at the ends of lines.

use super::evaluate::LaunchRun;
use super::words::plain_value;
use ptx_analysis::flow::RegisterSlot;
use ptx_interp::findings::InstructionSite;
use ptx_interp::inspect;
use ptx_interp::machine::{RecordedStep, RegisterWrite, WarpId};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Steps that are looked at, the last ones: what was executed longer ago has no value to show.
const LOOKED_AT: u64 = 1 << 16;

/// Steps that are repeated at a time, so that their registers do not fill the memory.
const AT_A_TIME: u64 = 4096;

/// The values that the instructions of a kernel wrote last, up to a step of a warp.
#[derive(Debug)]
pub struct LastValues {
    /// The warp.
    pub target: WarpId,
    /// The last step that counts.
    pub until: u64,
    sites: BTreeMap<(u32, u32), Last>,
}

/// An instruction as each lane has executed it last.
#[derive(Debug)]
struct Last {
    changes: Vec<RegisterWrite>,
    /// Lanes that have executed it.
    lanes: u32,
    /// The step in which each did last.
    steps: [u64; 32],
    /// How often each did.
    counts: [u32; 32],
}

impl Last {
    /// Takes over what lanes have written in a step; the others keep what they had.
    fn take(&mut self, step: RecordedStep) {
        let keep = self.lanes & !step.mask;
        let mut changes = step.changes;
        for (new, old) in changes.iter_mut().zip(&self.changes) {
            // What a call changes is not always the same.
            if (new.function, new.slot, new.after.len()) != (old.function, old.slot, old.after.len()) {
                continue;
            }
            let size = new.after.len() / 32;
            for lane in (0..32).filter(|lane| keep >> lane & 1 != 0) {
                if size == 0 {
                    // A predicate: a bit for each lane.
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

/// What a line has to show for a lane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineValue {
    /// Where the instruction ends, in bytes.
    pub offset: usize,
    /// `lane 0: %r1 = 5`.
    pub text: String,
    /// About all lanes, Markdown.
    pub tooltip: String,
}

impl LastValues {
    /// Those of a warp up to a step. `cancelled` is asked now and then.
    pub fn new(done: &LaunchRun, target: WarpId, until: u64, cancelled: &dyn Fn() -> bool) -> Self {
        let mut sites: BTreeMap<(u32, u32), Last> = BTreeMap::new();
        let mut from = until.saturating_sub(LOOKED_AT - 1);
        while from <= until && !cancelled() {
            let count = AT_A_TIME.min(until - from + 1);
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

    /// What the instructions have to show for a lane, in the order of the program; `text` is that of the module.
    pub fn of_lane(&self, done: &LaunchRun, text: &str, lane: u32) -> Vec<LineValue> {
        let executable = &done.run.machine.executable;
        let mut out = Vec::new();
        let mut meanings = BTreeMap::new();
        for ((function, instruction), last) in &self.sites {
            if lane > 31 || last.lanes >> lane & 1 == 0 {
                continue;
            }
            let range = executable.range(InstructionSite { function: *function, instruction: *instruction });
            let source = text.get(range.clone()).unwrap_or_default();
            let shown = |ty, change, mask| plain_value(ty, source, change, mask, &done.run.machine);
            let mut texts = Vec::new();
            let mut tooltip = String::new();
            for change in &last.changes {
                let Some((name, declared)) = named(done, change) else { continue };
                let ty = meant(done, change, &mut meanings).unwrap_or(declared);
                texts.push(format!("{name} = {}", shown(ty, change, 1 << lane)));
                let _ = writeln!(tooltip, "`{name}` = {}\n", shown(ty, change, last.lanes));
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

/// The name and the type of a register that was changed.
pub fn named(done: &LaunchRun, change: &RegisterWrite) -> Option<(String, &'static str)> {
    let function = done.run.machine.executable.function(change.function)?;
    let slot = RegisterSlot(change.slot);
    ((change.slot as usize) < function.registers.len())
        .then(|| (function.register_name(slot), function.declaration(slot).ty.name()))
}

/// The type that the readers of an untyped register give it; `known` caches the answer for each function.
fn meant(
    done: &LaunchRun,
    change: &RegisterWrite,
    known: &mut BTreeMap<u32, Vec<Option<&'static str>>>,
) -> Option<&'static str> {
    let function = done.run.machine.executable.function(change.function)?;
    let all = known.entry(change.function).or_insert_with(|| inspect::meanings(function));
    all.get(change.slot as usize).copied().flatten()
}
