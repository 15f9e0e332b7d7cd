//! The result of a run as a document: status, faults, output, divergence of lanes, and final registers.

use crate::course::Course;
use crate::lane_values::LaneValues;
use crate::state::machine_at;
use ptx_gate::words::{code, fenced, prose, visible_lines};
use ptx_interp::inspect::{self, RegisterView};
use ptx_launch::evaluate::LaunchRun;
use ptx_launch::words::{self, LimitAdvice, ended, grouped, lanes, text};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;

/// Maximum number of rows of a table.
const MAX_ROWS: usize = 32;

/// Maximum number of shown elements of a buffer.
const MAX_ELEMENTS: u64 = 16;

/// Returns the document as Markdown. `line` maps a byte offset to its line, from 1; `source` returns the text of a range.
pub fn markdown<'t>(
    done: &LaunchRun,
    course: &Course,
    line: &dyn Fn(usize) -> usize,
    source: &dyn Fn(Range<usize>) -> Option<&'t str>,
    cancelled: &dyn Fn() -> bool,
) -> String {
    let target = course.target;
    let mut out = format!("# {}\n\n**{}**\n\n", prose(&done.launch.entry), capital(&ended(done, line)));
    for remark in words::remarks(done, line, &LimitAdvice::SETTINGS) {
        let _ = writeln!(out, "{}.\n", capital(&remark));
    }
    launch(done, &mut out);
    faults(done, line, &mut out);
    verdicts(done, &mut out);
    buffers(done, &mut out);
    let shape = done.run.machine.shape;
    let [x, y, z] = shape.cta_place(target.cta);
    let steps = course.steps;
    let _ = writeln!(out, "## Warp {} of CTA {x},{y},{z}\n", target.warp);
    let _ = writeln!(out, "It executed {} step{}.\n", grouped(steps), if steps == 1 { "" } else { "s" });
    divergence(done, course, line, source, &mut out);
    registers(done, course, cancelled, &mut out);
    let printed = String::from_utf8_lossy(&done.run.machine.printed);
    if !printed.is_empty() {
        let _ = writeln!(out, "## Printed\n\n{}\n", fenced("text", &printed));
    }
    visible_lines(&out).into_owned()
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |c| c.to_uppercase().chain(chars).collect())
}

fn launch(done: &LaunchRun, out: &mut String) {
    let lines: Vec<String> = done.launch.definition().iter().map(|line| format!("//! {line}")).collect();
    let _ = writeln!(out, "{}\n", fenced("ptx", &lines.join("\n")));
    let guessed = &done.guessed;
    if guessed.parts.is_empty() {
        return;
    }
    let parts = match guessed.whole {
        true => "all of this launch".to_owned(),
        false => {
            let all: Vec<String> = guessed.parts.iter().map(|part| code(part)).collect();
            all.join(", ")
        }
    };
    let lengths = guessed.lengths.as_ref().map_or_else(String::new, |lengths| format!(" {lengths}"));
    let _ = writeln!(out, "Guessed: {parts}.{lengths}\n");
}

fn faults(done: &LaunchRun, line: &dyn Fn(usize) -> usize, out: &mut String) {
    if done.faults().is_empty() {
        return;
    }
    let _ = writeln!(out, "## Found\n");
    for fault in done.faults().iter().take(MAX_ROWS) {
        let found = words::diagnostic(done, fault);
        let _ =
            writeln!(out, "- line {}: `{}` {}", line(found.range.start), found.finding.name(), prose(&found.message()));
        for related in &found.related {
            let _ = writeln!(out, "  - line {}: {}", line(related.range.start), prose(related.message()));
        }
    }
    more(done.faults().len(), out);
    out.push('\n');
}

fn more(count: usize, out: &mut String) {
    if count > MAX_ROWS {
        let _ = writeln!(out, "- … and {} more", count - MAX_ROWS);
    }
}

fn verdicts(done: &LaunchRun, out: &mut String) {
    if done.verdicts.is_empty() {
        return;
    }
    let held = done.verdicts.iter().filter(|v| v.ok).count();
    let marked = words::marked_verdicts(&done.verdicts);
    let _ = writeln!(out, "## Expected\n\n{held} of {} expectations hold{marked}.\n", done.verdicts.len());
    let wrong: Vec<_> = done.verdicts.iter().filter(|v| !v.ok).collect();
    for verdict in wrong.iter().take(MAX_ROWS) {
        let why = verdict.message.as_deref().unwrap_or("it does not hold");
        let _ = writeln!(out, "- {}: {}", code(&verdict.name), prose(why));
    }
    more(wrong.len(), out);
    if !wrong.is_empty() {
        out.push('\n');
    }
}

/// Adds the changed buffers, each from its first changed element on.
fn buffers(done: &LaunchRun, out: &mut String) {
    let machine = &done.run.machine;
    let (mut said, mut marked) = (false, String::new());
    for (placed, before) in done.buffers.iter().zip(&done.before) {
        let after = placed.snapshot(machine);
        let count = placed.element.count(placed.bytes);
        let Some(first) = after.changes(before, placed.element).first else { continue };
        if !std::mem::replace(&mut said, true) {
            let _ = writeln!(out, "## Output\n\n| | from | values |\n|---|---|---|");
        }
        let end = (first + MAX_ELEMENTS).min(count);
        let values: Vec<String> = (first..end).map(|i| text(placed, &after, i)).collect();
        let dots = if end < count { " …" } else { "" };
        let name = format!("`{}` {}[{count}]", placed.name, placed.element);
        let _ = writeln!(out, "| {name} | {first} | {}{dots} |", values.join(" "));
        for line in words::marked_elements(placed, &after) {
            let _ = writeln!(marked, "- `{}`, {line}", placed.name);
        }
    }
    if said {
        out.push('\n');
    }
    if !marked.is_empty() {
        let _ = writeln!(out, "{marked}");
    }
}

/// Adds the places where the lanes of the warp diverge.
fn divergence<'t>(
    done: &LaunchRun,
    course: &Course,
    line: &dyn Fn(usize) -> usize,
    source: &dyn Fn(Range<usize>) -> Option<&'t str>,
    out: &mut String,
) {
    let steps = course.kept();
    let present = steps.first().map_or(0, |s| s.group);
    let mut parted: BTreeMap<usize, (Range<usize>, u32, u32, usize)> = BTreeMap::new();
    for pair in steps.windows(2) {
        let (before, after) = (&pair[0], &pair[1]);
        // The group of lanes is a proper subset of the group before it: the other lanes went elsewhere.
        if after.group & before.group == after.group && after.group != before.group {
            let range = done.run.machine.executable.range(before.site);
            let entry = parted.entry(range.start).or_insert((range, before.group, after.group, 0));
            entry.3 += 1;
        }
    }
    if parted.is_empty() {
        let all = if present == u32::MAX { "All lanes".to_owned() } else { capital(&lanes(present)) };
        let _ = writeln!(out, "{all} stayed together.\n");
        return;
    }
    let _ =
        writeln!(out, "Lanes diverged here:\n\n| line | instruction | of | ran first | times |\n|---|---|---|---|---|");
    for (range, of, first, times) in parted.values().take(MAX_ROWS) {
        let words = source(range.clone()).unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
        let (of, first) = (lanes(*of), lanes(*first));
        let _ = writeln!(
            out,
            "| {} | {} | {of} | {first} | {times} |",
            line(range.start),
            code(&words).replace('|', "\\|")
        );
    }
    out.push('\n');
}

/// Adds the final values of the registers.
fn registers(done: &LaunchRun, course: &Course, cancelled: &dyn Fn() -> bool, out: &mut String) {
    let target = course.target;
    let Some(machine) = machine_at(done, course, Some(course.steps), cancelled) else { return };
    let next = inspect::groups(&machine, target).and_then(|g| g.next).unwrap_or(0);
    let all = inspect::registers(&machine, target, next, 0).unwrap_or_default();
    let written: Vec<&RegisterView> = all.iter().filter(|r| r.known != 0).collect();
    if written.is_empty() {
        return;
    }
    let _ = writeln!(out, "| register | type | after the last step |\n|---|---|---|");
    for register in written.iter().take(4 * MAX_ROWS) {
        let values = LaneValues::of_register(register).summary(register.known, &machine);
        let ty = register.read_as.unwrap_or(register.ty);
        let _ = writeln!(out, "| `{}` | `{ty}` | {values} |", register.name);
    }
    if written.len() > 4 * MAX_ROWS {
        let _ = writeln!(out, "\n… and {} more registers", written.len() - 4 * MAX_ROWS);
    }
    out.push('\n');
}
