//! The results of a launch in words: for terminals, result documents and hints.

use super::evaluate::LaunchRun;
use super::limit::RunLimit;
use crate::verdict::ExpectationVerdict;
use ptx_check::Text;
use ptx_check::{Diagnostic, Finding, Related, Severity};
use ptx_interp::findings::Fault;
use ptx_interp::inspect::{BufferSnapshot, Marks, PlacedBuffer};
use ptx_interp::machine::{CtaCounts, RunStatus, Settings};
use ptx_interp::memory::ByteState;
use std::ops::Range;

/// Maximum number of listed ranges of marked elements.
const MAX_RANGES: usize = 8;

/// Describes how the run ended.
pub fn ended(done: &LaunchRun, line: &dyn Fn(usize) -> usize) -> String {
    let steps = grouped(done.run.machine.steps);
    let time = done.time.as_secs_f64();
    let time = match time {
        0.0..1e-3 => format!("{:.0} µs", time * 1e6),
        1e-3..1.0 => format!("{:.1} ms", time * 1e3),
        _ => format!("{time:.2} s"),
    };
    let at = done.stopped_at().map(|site| {
        let range = done.run.machine.executable.range(site);
        format!(", at line {}", line(range.start))
    });
    let at = at.unwrap_or_default();
    let how = match done.run.status {
        RunStatus::Finished => "finished after".to_owned(),
        RunStatus::Limit | RunStatus::Deadlock => format!("{}{at}, after", outcome(done)),
        status => format!("ended by a {} after", status.name()),
    };
    let plural = if done.run.machine.steps == 1 { "" } else { "s" };
    format!("{how} {steps} warp instruction{plural}, {time}")
}

/// Describes how the run ended in a few words.
pub fn outcome(done: &LaunchRun) -> &'static str {
    match (done.run.status, done.limit) {
        (RunStatus::Limit, Some(RunLimit::Time(_))) => "stopped at the time limit",
        (RunStatus::Limit, Some(RunLimit::Effort)) => "stopped at the work limit",
        (RunStatus::Limit, _) => "stopped at the limit",
        (status, _) => status.name(),
    }
}

/// How a user raises the limits of a run, in the words of a front end.
pub struct LimitAdvice {
    /// What raises the limits of steps and of effort.
    pub steps: &'static str,
    /// What raises the time limit.
    pub seconds: &'static str,
}

impl LimitAdvice {
    /// The settings of an editor.
    pub const SETTINGS: Self = Self { steps: "`evaluation.steps`", seconds: "`evaluation.seconds`" };
}

/// Sentences about a run that the reader should know besides how it ended: its limit, how far it came, and what was not checked.
pub fn remarks(done: &LaunchRun, line: &dyn Fn(usize) -> usize, advice: &LimitAdvice) -> Vec<String> {
    let mut out = Vec::new();
    if let Some(limit) = done.limit {
        out.push(limited(limit, &done.run.machine.settings, advice));
        out.push(standing(done, line));
    }
    let machine = &done.run.machine;
    if machine.races.is_incomplete() {
        out.push("the race detector reached its memory limit: later races were not found".to_owned());
    }
    if machine.flights.is_incomplete() {
        out.push("too many asynchronous operations were in flight at once to check all of them".to_owned());
    }
    out
}

/// Describes a limit and how to raise it.
pub fn limited(limit: RunLimit, settings: &Settings, advice: &LimitAdvice) -> String {
    let LimitAdvice { steps, seconds } = advice;
    let most = grouped(settings.limit);
    match limit {
        RunLimit::Steps => format!("the limit is {most} warp instructions; {steps} raises it"),
        RunLimit::Effort => {
            let work = grouped(settings.effort().saturating_add(settings.limit));
            format!(
                "these instructions took as much work as {work} plain ones, the maximum for a limit of {most}, because they move many bytes, start many blocks, or make lanes wait or run one by one; {steps} raises it"
            )
        }
        RunLimit::Time(time) => {
            let time = time.as_secs_f64();
            format!("the limit is {time} second{}; {seconds} raises it", if time == 1.0 { "" } else { "s" })
        }
    }
}

/// Maximum number of lines in the description of where warps are.
const MAX_STANDING: usize = 4;

/// Describes how far a run came: blocks, and the lines of warps that have begun and not finished.
fn standing(done: &LaunchRun, line: &dyn Fn(usize) -> usize) -> String {
    let CtaCounts { ended, running, ahead } = done.run.machine.cta_counts();
    let counts = [(ended, "ended"), (running, "running"), (ahead, "not begun")];
    let counts = counts.iter().filter(|(count, _)| *count > 0);
    let counts: Vec<String> = counts.map(|(count, what)| format!("{} {what}", grouped(*count))).collect();
    let mut lines: Vec<(usize, u64)> = Vec::new();
    for (site, warps) in done.standing() {
        let at = line(done.run.machine.executable.range(site).start);
        match lines.iter_mut().find(|(line, _)| *line == at) {
            Some((_, all)) => *all += warps,
            None => lines.push((at, warps)),
        }
    }
    lines.sort_by_key(|(line, warps)| (std::cmp::Reverse(*warps), *line));
    let warps: u64 = lines.iter().map(|(_, warps)| warps).sum();
    let at = |(line, warps): &(usize, u64)| format!("{} at line {line}", grouped(*warps));
    let shown: Vec<String> = lines.iter().take(MAX_STANDING).map(at).collect();
    let more = if lines.len() > MAX_STANDING { ", …" } else { "" };
    let of = match warps {
        0 => String::new(),
        1 => format!("; the running warp: {}", shown.join("")),
        _ => format!("; {} running warps: {}{more}", grouped(warps), shown.join(", ")),
    };
    format!("blocks: {}{of}", counts.join(", "))
}

/// Formats a number with separators: `1,234,567`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Converts a fault to a diagnostic.
pub fn diagnostic(done: &LaunchRun, fault: &Fault) -> Diagnostic {
    let range = |site| done.run.machine.executable.range(site);
    let [x, y, z] = fault.cta;
    let seen = if fault.count > 1 { format!(", and {} times in all", grouped(fault.count)) } else { String::new() };
    let who = format!("{} of warp {} in CTA {x},{y},{z}{seen}", lanes(fault.lanes), fault.warp);
    let severity = if fault.kind.is_fatal() { Severity::Error } else { Severity::Warning };
    let text = Text { message: format!("{}: {who}", fault.message), help: None };
    let mut out = Diagnostic::new(range(fault.site), Finding::run(fault.kind.name(), text)).severity(severity);
    if let Some((site, message)) = &fault.related {
        out.related.push(Related::new(range(*site), message.as_str()));
    }
    out
}

/// Formats the lanes of a mask: `lane 3`, `lanes 0–15, 20`, `all lanes`.
pub fn lanes(mask: u32) -> String {
    if mask == u32::MAX {
        return "all lanes".to_owned();
    }
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for lane in (0..32).filter(|lane| mask >> lane & 1 != 0) {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == lane => *last = lane,
            _ => ranges.push((lane, lane)),
        }
    }
    // Lanes at regular distances: `1, 3, … 31`.
    if let [(first, _), (second, _), .., (last, _)] = ranges[..] {
        let stride = second - first;
        let even = ranges.iter().all(|(a, b)| a == b) && ranges.windows(2).all(|w| w[1].0 - w[0].0 == stride);
        if even && ranges.len() > 4 {
            return format!("lanes {first}, {second}, … {last}");
        }
    }
    let texts: Vec<String> =
        ranges.iter().map(|(a, b)| if a == b { a.to_string() } else { format!("{a}–{b}") }).collect();
    let plural = if mask.count_ones() == 1 { "lane" } else { "lanes" };
    if mask == 0 { "no lane".to_owned() } else { format!("{plural} {}", texts.join(", ")) }
}

/// Describes how many expectations compare marked values, as the end of a sentence: `, 2 of them on unspecified values`. Empty if none does.
pub fn marked_verdicts(verdicts: &[ExpectationVerdict]) -> String {
    let count = |mark| verdicts.iter().filter(|v| v.marks.contains(mark)).count();
    let kinds = [(count(Marks::UNSPECIFIED), "unspecified"), (count(Marks::APPROXIMATE), "approximate")];
    let part = |(number, kind): &(usize, &str)| (*number > 0).then(|| format!(", {number} of them on {kind} values"));
    kinds.iter().filter_map(part).collect()
}

/// Lists the elements of a buffer with marks: `unspecified: [0], [4..8]`. A line for each kind of mark.
pub fn marked_elements(placed: &PlacedBuffer, snapshot: &BufferSnapshot) -> Vec<String> {
    let bits = u64::from(placed.element.bits());
    let kinds = [("unspecified", ByteState::Unspecified), ("approximate", ByteState::Approximate)];
    let line = |(kind, state): (&str, ByteState)| {
        // Parts of one element can have a mark each.
        let (ranges, _) = snapshot.ranges(state, (MAX_RANGES + 1) * bits.div_ceil(8) as usize);
        let mut elements: Vec<Range<u64>> = Vec::new();
        for range in ranges {
            let (from, to) = (range.start * 8 / bits, (range.end * 8).div_ceil(bits));
            match elements.last_mut() {
                Some(last) if last.end >= from => last.end = last.end.max(to),
                _ => elements.push(from..to),
            }
        }
        let text = |r: &Range<u64>| match r.end - r.start {
            1 => format!("[{}]", r.start),
            _ => format!("[{}..{}]", r.start, r.end),
        };
        let more = if elements.len() > MAX_RANGES { ", …" } else { "" };
        let texts: Vec<String> = elements.iter().take(MAX_RANGES).map(text).collect();
        (!elements.is_empty()).then(|| format!("{kind}: {}{more}", texts.join(", ")))
    };
    kinds.into_iter().filter_map(line).collect()
}

/// Joins the values of some lanes: one if all are equal, otherwise the first few and the last.
pub fn few(texts: &[String]) -> String {
    match texts {
        [] => "no lane".to_owned(),
        [first, rest @ ..] if rest.iter().all(|t| t == first) => first.clone(),
        [a, b, c, .., last] if texts.len() > 6 => format!("{a} {b} {c} … {last}"),
        all => all.join(" "),
    }
}

/// Formats a buffer's element; `?` if its memory was never written.
pub fn text(placed: &PlacedBuffer, snapshot: &BufferSnapshot, index: u64) -> String {
    let (bits, _) = snapshot.element(placed.element, index);
    bits.map_or_else(|| "?".to_owned(), |bits| placed.element.text(bits))
}

#[cfg(test)]
mod tests {
    use super::{grouped, lanes};

    #[test]
    fn lanes_in_words() {
        assert_eq!(lanes(u32::MAX), "all lanes");
        assert_eq!(lanes(0b1000), "lane 3");
        assert_eq!(lanes(0x0010_ffff), "lanes 0–15, 20");
        assert_eq!(lanes(0), "no lane");
        assert_eq!(lanes(0xaaaa_aaaa), "lanes 1, 3, … 31");
        assert_eq!(lanes(0x9249), "lanes 0, 3, … 15");
        assert_eq!(lanes(0x249), "lanes 0, 3, 6, 9");
    }

    #[test]
    fn long_numbers() {
        assert_eq!((grouped(7), grouped(1234), grouped(1_234_567)), ("7".into(), "1,234".into(), "1,234,567".into()));
    }
}
