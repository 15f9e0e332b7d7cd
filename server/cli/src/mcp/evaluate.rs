//! The tool `evaluate`.

use super::arguments::ToolArguments;
use super::call::{CallContext, cancelled};
use super::cut::{self, MAX_ANSWER};
use super::input::InputText;
use super::positions;
use crate::eval;
use crate::source::place;
use ptx_analysis::Severity;
use ptx_gate::words::{quoted, visible};
use ptx_interp::inspect::ChangedElements;
use ptx_interp::machine::{RunStatus, Settings, WarpId};
use ptx_launch::choose::{LaunchOrigin, LaunchQuery};
use ptx_launch::evaluate::{LaunchModule, LaunchRun};
use ptx_launch::limit::DEFAULT_SECONDS;
use ptx_launch::refusal::LaunchRefusal;
use ptx_launch::report::{BUFFER_ROOM, report};
use ptx_launch::words::{LimitAdvice, diagnostic, ended, marked_elements, marked_verdicts, remarks, text};
use ptx_mcp::ToolAnswer;
use ptx_syntax::{Rope, Snapshot};
use ptx_view::Course;
use ptx_view::line_values::LastValues;
use serde_json::Value;
use std::fmt::Write;
use std::time::Duration;

/// Maximum number of faults that are described.
const MAX_FAULTS: usize = 10;
/// Maximum number of expectations that are explained.
const MAX_VERDICTS: usize = 10;
/// Maximum number of elements of a buffer.
const MAX_ELEMENTS: u64 = 16;
/// Maximum number of characters that a kernel printed.
const MAX_PRINTED: usize = 2000;
/// Maximum number of characters about guessed parts of a launch.
const MAX_GUESSED: usize = 400;
/// Maximum number of lines with values of lanes.
const MAX_VALUES: usize = 100;

/// How limits are raised. The limit of steps is fixed here.
const LIMITS: LimitAdvice =
    LimitAdvice { steps: "`ptx-analyzer eval --limit` on the command line", seconds: "`seconds`" };

/// Answers a call.
///
/// # Errors
/// If the kernel cannot be run: the reason.
pub fn answer(arguments: &ToolArguments, context: &CallContext<'_>) -> Result<ToolAnswer, String> {
    let (entry, lines) = (arguments.text("kernel")?, arguments.text("launch")?);
    let (line, lanes, json) = (arguments.number("line")?, arguments.lanes("lanes")?, arguments.flag("json")?);
    let time = Duration::from_secs(arguments.number("seconds")?.map_or(DEFAULT_SECONDS, |seconds| seconds as u64));
    let input = InputText::of_ptx(arguments, context)?;
    let snapshot = Snapshot::in_chunks(&input.text, 1);
    let rope = snapshot.rope().clone();
    let module = LaunchModule::new(&snapshot);
    if (context.cancelled)() {
        return Err(cancelled());
    }
    let above = lines.is_none();
    let launch = lines.map_or(LaunchOrigin::Above, |lines| LaunchOrigin::Lines(lines.to_owned()));
    let query = LaunchQuery { entry: entry.map(str::to_owned), launch, ..LaunchQuery::default() };
    let refused = |refusal: LaunchRefusal| refusal_words(&refusal, &input.name, above, &rope);
    let chosen = module.choose(&query).map_err(|why| refused(LaunchRefusal::not_chosen(why, above)))?;
    let name = chosen.launch.entry.to_string();
    let stop = || (context.cancelled)();
    let done = module.evaluate_in_turn(
        chosen.launch,
        Settings::default(),
        Some(time),
        input.folder.as_deref(),
        &stop,
        &mut |_| {},
    );
    let done = done.map_err(|why| refused(LaunchRefusal::refused(why, &name, above)))?;
    if (context.cancelled)() {
        return Err(cancelled());
    }
    let mut out = input.remark().to_owned();
    run(&done, &rope, chosen.launches, &mut out);
    if line.is_some() || lanes.is_some() {
        values(&done, &rope, line, &lanes.unwrap_or_else(|| vec![0]), context, &mut out);
    }
    let mut answer = ToolAnswer::new(cut::lines(&out, MAX_ANSWER, "give `line`, or fewer `lanes`"));
    answer.structured = json.then(|| structured(&done, &rope)).flatten();
    Ok(answer)
}

/// Why a launch was not run, with the places in the module.
fn refusal_words(refusal: &LaunchRefusal, name: &str, above: bool, rope: &Rope) -> String {
    let (mut out, name) = (refusal.message.clone(), visible(name));
    // Places in the argument `launch` are no lines of the module.
    if above || refusal.kind == "errors" {
        let places = refusal.places.iter().filter(|(range, _)| !range.is_empty()).take(MAX_FAULTS);
        for (range, message) in places {
            let _ = write!(out, "\n{name}:{} {}", positions::at(rope, range.start), cut::one_line(message, 300));
        }
    }
    out
}

/// The run: its end, its launch, faults, expectations and buffers.
fn run(done: &LaunchRun, rope: &Rope, launches: usize, out: &mut String) {
    let line = |offset: usize| place(rope, offset).line;
    let _ = writeln!(out, "{}: {}", ptx_ide::both_names(&done.launch.entry), ended(done, &line));
    for remark in remarks(done, &line, &LIMITS) {
        let _ = writeln!(out, "{remark}");
    }
    for line in done.launch.definition() {
        let _ = writeln!(out, "{}", cut::one_line(&line.to_string(), 1000));
    }
    if launches > 1 {
        let _ = writeln!(
            out,
            "this is the first of {launches} launches above the kernel; `launch` takes the lines of another"
        );
    }
    if let Some(sentence) = eval::guessed(done) {
        let _ = writeln!(out, "guessed: {}", cut::one_line(&sentence, MAX_GUESSED));
    }
    let faults = done.faults();
    for fault in faults.iter().take(MAX_FAULTS) {
        let found = diagnostic(done, fault);
        let severity = if found.severity == Severity::Error { "error" } else { "warning" };
        let place = positions::range(rope, &found.range);
        let _ = writeln!(out, "{place} {severity}[{}] {}", found.finding.name(), cut::one_line(&found.message(), 600));
        for related in &found.related {
            let _ = writeln!(
                out,
                "  {}: {}",
                positions::at(rope, related.range.start),
                cut::one_line(related.message(), 200)
            );
        }
    }
    if faults.len() > MAX_FAULTS {
        let _ = writeln!(out, "and {} more faults", faults.len() - MAX_FAULTS);
    }
    verdicts(done, out);
    buffers(done, out);
    let printed = String::from_utf8_lossy(&done.run.machine.printed);
    if !printed.is_empty() {
        let shown: String = printed.chars().take(MAX_PRINTED).collect();
        let cut = if shown.len() < printed.len() { " (the beginning)" } else { "" };
        let _ = write!(out, "printed{cut}:\n{}", quoted(shown.trim_end()));
    }
}

fn verdicts(done: &LaunchRun, out: &mut String) {
    if done.verdicts.is_empty() {
        return;
    }
    let wrong: Vec<_> = done.verdicts.iter().filter(|verdict| !verdict.ok).collect();
    let (held, all) = (done.verdicts.len() - wrong.len(), done.verdicts.len());
    let _ = writeln!(out, "{held} of {all} expectations hold{}", marked_verdicts(&done.verdicts));
    // After an aborted run, failed expectations are no surprise.
    if done.run.status != RunStatus::Finished && !done.unexpected().is_empty() {
        return;
    }
    for verdict in wrong.iter().take(MAX_VERDICTS) {
        let why = verdict.message.as_deref().unwrap_or("it does not hold");
        let _ = writeln!(out, "not as expected: {}: {}", cut::one_line(&verdict.name, 200), cut::one_line(why, 300));
    }
    if wrong.len() > MAX_VERDICTS {
        let _ = writeln!(out, "and {} more", wrong.len() - MAX_VERDICTS);
    }
}

/// The changed buffers, each from its first changed element on.
fn buffers(done: &LaunchRun, out: &mut String) {
    let machine = &done.run.machine;
    for (placed, before) in done.buffers.iter().zip(&done.before) {
        let after = placed.snapshot(machine);
        let count = placed.element.count(placed.bytes);
        let ChangedElements { count: changed, first: Some(first) } = after.changes(before, placed.element) else {
            continue;
        };
        let end = (first + MAX_ELEMENTS).min(count);
        let values: Vec<String> = (first..end).map(|i| text(placed, &after, i)).collect();
        let dots = if end < count { " …" } else { "" };
        let from = if first > 0 { format!(" from [{first}]") } else { String::new() };
        let _ = writeln!(
            out,
            "{} {}[{count}], {changed} changed{from}: {}{dots}",
            placed.name,
            placed.element,
            values.join(" ")
        );
        marked_elements(placed, &after).iter().for_each(|line| {
            let _ = writeln!(out, "  {line}");
        });
    }
}

/// The values that instructions of the first warp wrote last.
fn values(
    done: &LaunchRun,
    rope: &Rope,
    line: Option<usize>,
    lanes: &[u32],
    context: &CallContext<'_>,
    out: &mut String,
) {
    let target = WarpId { cta: 0, warp: 0 };
    let stop = || (context.cancelled)();
    let end = Course::new(done, target, &stop).steps.saturating_sub(1);
    let last = LastValues::new(done, target, end, &stop);
    let mut rows: Vec<(usize, String)> = Vec::new();
    for lane in lanes {
        for value in last.of_lane(done, *lane) {
            let at = place(rope, value.offset.saturating_sub(1)).line;
            if line.is_none_or(|line| line == at) {
                rows.push((at, value.text));
            }
        }
    }
    rows.sort_by_key(|(line, _)| *line);
    if rows.is_empty() {
        let at = line.map_or_else(String::new, |line| format!(" at line {line}"));
        let _ = writeln!(out, "no instruction{at} wrote a register in these lanes of warp 0");
    } else {
        out.push_str("last values in warp 0:\n");
    }
    for (line, text) in rows.iter().take(MAX_VALUES) {
        let _ = writeln!(out, "line {line} {text}");
    }
    if rows.len() > MAX_VALUES {
        let _ = writeln!(out, "and {} more; `line` chooses one line", rows.len() - MAX_VALUES);
    }
}

/// The report of `eval --format json`, without the contents of buffers if they are large.
fn structured(done: &LaunchRun, rope: &Rope) -> Option<Value> {
    let places = |offset: usize| {
        let place = place(rope, offset);
        (place.line, place.column)
    };
    let mut out = serde_json::to_value(report(done, &places, None, &mut { BUFFER_ROOM })).ok()?;
    if cut::structured(out.clone()).is_none() {
        let small = out.as_object_mut()?;
        small.retain(|key, _| {
            !["buffers", "unwritten", "unspecified", "approximate", "printed"].contains(&key.as_str())
        });
    }
    cut::structured(out)
}
