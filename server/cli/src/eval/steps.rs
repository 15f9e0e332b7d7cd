//! The steps of a warp, for people: one line per step, with the registers that it wrote.

use super::human::{BOLD, DIM, RESET, YELLOW};
use super::{NamedSnapshot, STEPS};
use crate::source::{excerpt, place};
use ptx_gate::words::visible;
use ptx_interp::inspect;
use ptx_interp::machine::{RecordedStep, WarpId};
use ptx_launch::evaluate::LaunchRun;
use ptx_launch::words::lanes;
use ptx_view::lane_values::LaneValues;
use std::collections::HashMap;
use std::fmt::Write;

/// Maximum number of shown characters of an instruction.
const INSTRUCTION: usize = 48;

/// The steps of a warp as text.
pub(super) fn render(done: &LaunchRun, shown: &NamedSnapshot<'_>, target: WarpId) -> String {
    let steps = done.run.window(target, 0, STEPS, &|| false);
    let mut out = String::new();
    let _ = writeln!(out, "{BOLD}warp {} of CTA {}{RESET}", target.warp, target.cta);
    let mut before = u32::MAX;
    let mut read_as = HashMap::new();
    for step in &steps {
        if step.group != before {
            let _ = writeln!(out, "{YELLOW}{:>7}  {}{RESET}", "", lanes(step.group));
            before = step.group;
        }
        line(done, shown, step, &mut read_as, &mut out);
    }
    if steps.len() >= STEPS {
        let _ = writeln!(out, "{DIM}… only the first {STEPS} steps are shown{RESET}");
    }
    out.push('\n');
    out
}

/// The types as which the instructions of a function read its registers.
type ReadAs = Vec<Option<&'static str>>;

fn line(
    done: &LaunchRun,
    shown: &NamedSnapshot<'_>,
    step: &RecordedStep,
    read_as: &mut HashMap<u32, ReadAs>,
    out: &mut String,
) {
    let executable = &done.run.machine.executable;
    let range = executable.range(step.site);
    let number = place(shown.snapshot.rope(), range.start).line;
    let excerpt = excerpt(shown.snapshot.rope(), &range);
    let words = excerpt.text.get(excerpt.token).unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
    let mut text: String = visible(&words).chars().take(INSTRUCTION).collect();
    if words.chars().count() > INSTRUCTION {
        text.pop();
        text.push('…');
    }
    let idle = if step.mask == 0 { DIM } else { "" };
    let indent = "  ".repeat(step.depth as usize);
    let _ = write!(out, "{DIM}{:>7}{RESET} {number:>6}  {idle}{indent}{text:<INSTRUCTION$}{RESET}", step.step + 1);
    let only = if step.mask != step.group && step.mask != 0 {
        format!("  {DIM}{}{RESET}", lanes(step.mask))
    } else {
        String::new()
    };
    out.push_str(&only);
    if step.mask != 0 {
        for change in &step.changes {
            let function = executable.function(change.function).filter(|f| (change.slot as usize) < f.registers.len());
            let Some(function) = function else { continue };
            let slot = ptx_analysis::RegisterSlot(change.slot);
            let read_as = read_as.entry(change.function).or_insert_with(|| inspect::meanings(function));
            let read_as = read_as.get(change.slot as usize).copied().flatten();
            let values = LaneValues::of_write(function.declaration(slot).ty.name(), read_as, change, step.mask);
            let text = values.summary(step.mask, &done.run.machine);
            let _ = write!(out, "  {} = {text}", function.register_name(slot));
        }
    }
    while out.ends_with(' ') {
        out.pop();
    }
    out.push('\n');
}
