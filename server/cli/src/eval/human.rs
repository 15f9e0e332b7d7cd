//! The result of a launch, for people.

use super::{LIMITS, NamedSnapshot};
use crate::source::place;
use ptx_analysis::Diagnostic;
use ptx_gate::words::{quoted, visible};
use ptx_interp::findings::Fault;
use ptx_interp::machine::RunStatus;
use ptx_launch::evaluate::LaunchRun;
use ptx_launch::words::{diagnostic, ended, marked_elements, marked_verdicts, remarks, text};
use std::fmt::Write;

/// Escape sequences; the writer removes them if colours are disabled.
pub(super) const BOLD: &str = "\x1b[1m";
pub(super) const DIM: &str = "\x1b[2m";
pub(super) const RED: &str = "\x1b[31m";
pub(super) const GREEN: &str = "\x1b[32m";
pub(super) const YELLOW: &str = "\x1b[33m";
pub(super) const RESET: &str = "\x1b[0m";

/// Maximum number of elements shown per buffer.
const ELEMENTS: u64 = 32;

/// Maximum number of findings in a brief report.
const FAULTS: usize = 3;

/// Maximum number of failed expectations that are explained.
const VERDICTS: usize = 10;

/// Maximum number of elements in one line.
const IN_A_LINE: u64 = 8;

/// The report of a launch: complete, or, if `brief`, only whether it met its expectations.
pub(super) fn render(done: &LaunchRun, shown: &NamedSnapshot<'_>, line: Option<usize>, brief: bool) -> String {
    let mut out = String::new();
    let at = line.map_or_else(String::new, |line| format!(":{line}"));
    let passed = done.passed();
    if brief {
        let (colour, word) = if passed { (GREEN, "ok  ") } else { (RED, "FAIL") };
        let held = done.verdicts.iter().filter(|v| v.ok).count();
        let all = done.verdicts.len();
        let count = match all {
            0 => "nothing expected".to_owned(),
            _ if held == all => format!("{all} held{}", marked_verdicts(&done.verdicts)),
            _ => format!("{held} of {all} held{}", marked_verdicts(&done.verdicts)),
        };
        let _ = writeln!(
            out,
            "{colour}{word}{RESET} {BOLD}{}{RESET} {}{at}, {count}, {}",
            ptx_ide::both_names(&done.launch.entry),
            visible(shown.name),
            ended(done, &|offset| place(shown.snapshot.rope(), offset).line)
        );
        if passed {
            return out;
        }
    } else {
        let _ = writeln!(out, "{BOLD}{}{RESET} {}{at}", ptx_ide::both_names(&done.launch.entry), visible(shown.name));
        for line in done.launch.definition() {
            let _ = writeln!(out, "{DIM}{}{RESET}", visible(&line.to_string()));
        }
        if let Some(sentence) = guessed(done) {
            let _ = writeln!(out, "{YELLOW}guessed:{RESET} {sentence}");
        }
        let _ = writeln!(out, "{}", ended(done, &|offset| place(shown.snapshot.rope(), offset).line));
    }
    for remark in remarks(done, &|offset| place(shown.snapshot.rope(), offset).line, &LIMITS) {
        let _ = writeln!(out, "{YELLOW}{remark}{RESET}");
    }
    faults(done, shown, brief, &mut out);
    // After an aborted run, failed expectations are no surprise: do not explain them.
    let cut = done.run.status != RunStatus::Finished && !done.unexpected().is_empty();
    let wrong = || done.verdicts.iter().filter(|v| !v.ok);
    let shown_verdicts = if cut { 0 } else { VERDICTS };
    if !cut && wrong().count() > shown_verdicts {
        let _ = writeln!(out, "{RED}not as expected:{RESET} {} expectations, among them", wrong().count());
    }
    for verdict in wrong().take(shown_verdicts) {
        let why = verdict.message.as_deref().unwrap_or("it does not hold");
        let _ = writeln!(out, "{RED}not as expected:{RESET} {}: {}", verdict.name, why);
    }
    if !brief {
        let held = done.verdicts.iter().filter(|v| v.ok).count();
        if !done.verdicts.is_empty() {
            let marked = marked_verdicts(&done.verdicts);
            let _ = writeln!(out, "{held} of {} expectations hold{marked}", done.verdicts.len());
        }
        buffers(done, &mut out);
        let printed = String::from_utf8_lossy(&done.run.machine.printed);
        if !printed.is_empty() {
            let _ = writeln!(out, "{BOLD}printed{RESET}");
            out.push_str(&quoted(&printed));
        }
        out.push('\n');
    }
    out
}

/// What of the launch was guessed, without a repetition of the line above where that is all of it.
pub fn guessed(done: &LaunchRun) -> Option<String> {
    let sentence = done.guessed.sentence()?;
    let launch = done.launch.definition();
    let whole = done.guessed.whole || launch.first().is_some_and(|line| line.text == done.guessed.parts.join(" "));
    let lengths = || done.guessed.lengths.as_ref().map_or_else(String::new, |lengths| format!(". {lengths}"));
    Some(if whole { format!("all of it{}", lengths()) } else { sentence })
}

fn faults(done: &LaunchRun, shown: &NamedSnapshot<'_>, brief: bool, out: &mut String) {
    let unexpected = done.unexpected();
    let all: Vec<&Fault> = if brief { unexpected } else { done.faults().iter().collect() };
    let most = if brief { FAULTS } else { all.len() };
    let diagnostics: Vec<Diagnostic> = all.iter().take(most).map(|f| diagnostic(done, f)).collect();
    out.push_str(&crate::human::render(shown.name, shown.snapshot.rope(), &diagnostics));
    if all.len() > most {
        let _ = writeln!(out, "{DIM}and {} more; without `--check` all are shown{RESET}", all.len() - most);
    }
}

fn buffers(done: &LaunchRun, out: &mut String) {
    let machine = &done.run.machine;
    let mut same = Vec::new();
    for (placed, before) in done.buffers.iter().zip(&done.before) {
        let after = placed.snapshot(machine);
        if after.is_same(before) {
            if !machine.executable.variables.contains_key(&placed.name) {
                same.push(&*placed.name);
            }
            continue;
        }
        let count = placed.element.count(placed.bytes);
        let changed = after.changes(before, placed.element).count;
        let _ = writeln!(out, "{BOLD}{}{RESET} {}[{count}], {changed} changed", placed.name, placed.element);
        let width = (0..count.min(ELEMENTS)).map(|i| text(placed, &after, i).len()).max().unwrap_or(0);
        for first in (0..count.min(ELEMENTS)).step_by(IN_A_LINE as usize) {
            let end = (first + IN_A_LINE).min(count).min(ELEMENTS);
            let values: Vec<String> = (first..end).map(|i| format!("{:>width$}", text(placed, &after, i))).collect();
            let _ = writeln!(out, "  {DIM}{first:>6}{RESET}  {}", values.join("  "));
        }
        if count > ELEMENTS {
            let _ = writeln!(out, "  {DIM}     …{RESET}");
        }
        for line in marked_elements(placed, &after) {
            let _ = writeln!(out, "  {YELLOW}{line}{RESET}");
        }
    }
    if !same.is_empty() {
        let _ = writeln!(out, "{DIM}unchanged: {}{RESET}", same.join(", "));
    }
}
