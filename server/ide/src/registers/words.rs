//! Register reports as text.

use super::pressure::{HeldValue, held};
use super::{MIN_LIVE, bound as bound_at, counted, line, peaks};
use crate::describe::MarkdownPage;
use crate::excerpt::{AnnotatedLine, annotated, statement_at};
use ptx_analysis::{
    Figure, Figures, FunctionFacts, LimitedBy, Needs, Occupancy, RegisterCount, RegisterFacts, RegisterReport,
};
use ptx_syntax::Snapshot;

/// Maximum number of sources of live values that are listed for the peak.
const MAX_VALUES: usize = 6;

/// The register report of a function, as Markdown.
pub fn function_registers(snapshot: &Snapshot, figures: &Figures, name: &str) -> Option<String> {
    let figure = figures.named(name)?;
    figure.kernel()?;
    Some(page(snapshot, figure).finish())
}

/// The title of a function's code lens; `figure` is `None` until the function has been analysed. `launched` is the number
/// of threads of a CTA in the launch line above it, which counts if the header does not set one.
pub(crate) fn title(figure: Option<&Figure>, launched: Option<u32>) -> String {
    let Some(figure) = figure else { return "registers: …".to_owned() };
    let Some(kernel) = figure.kernel() else {
        return "registers: unknown, because of an error".to_owned();
    };
    let mut out = match &kernel.measured {
        Some(measured) if measured.spilled > 0 => {
            format!("{} by ptxas, {}", counted(measured.registers, "register"), measured.spills_text())
        }
        Some(measured) => format!("{} by ptxas", counted(measured.registers, "register")),
        None => format!("≈ {}{}", counted(kernel.registers, "register"), kernel.likely_text()),
    };
    if kernel.measured.is_none() && kernel.spills() {
        out.push_str(&format!(", {} needed: spills are likely", kernel.unlimited));
    }
    let by_launch = launched.zip(kernel.occupancy.filter(|o| o.assumed)).and_then(|(threads, occupancy)| {
        let needs = Needs { registers: kernel.best(), shared: kernel.shared, threads: Some(threads) };
        Occupancy::on(occupancy.target, needs)
    });
    if let Some(occupancy) = &by_launch.or(kernel.occupancy) {
        out.push_str(&format!(" · {}", warps(occupancy)));
        if let Some((registers, more)) = fewer(kernel, occupancy) {
            out.push_str(&format!(" · {registers} fewer: {} warps", occupancy.warps + more));
        }
        if occupancy.assumed {
            out.push_str(&format!(" · CTAs of {} threads assumed", occupancy.threads));
        } else if by_launch.is_some() {
            out.push_str(&format!(" · with the launch's CTAs of {} threads", occupancy.threads));
        }
    }
    if figure.stale() {
        out.push_str(" · before the error in it");
    }
    out
}

/// `48 of 64 warps per SM, limited by registers`.
fn warps(occupancy: &Occupancy) -> String {
    let out = format!("{} of {} warps per SM", occupancy.warps, occupancy.most_warps);
    if occupancy.warps >= occupancy.most_warps { out } else { format!("{out}, limited by {}", limit(occupancy)) }
}

fn limit(occupancy: &Occupancy) -> &'static str {
    match occupancy.limited_by {
        LimitedBy::Registers => "registers",
        LimitedBy::Shared => "shared memory",
        LimitedBy::Threads => "threads",
        LimitedBy::Blocks => "CTAs",
    }
}

/// A number of registers, and the number of additional warps that would run with that many registers fewer. `None` if the
/// header sets the register count, or if the function would use more registers than its limit allows.
fn fewer(kernel: &RegisterReport, occupancy: &Occupancy) -> Option<(u32, u32)> {
    occupancy.fewer.filter(|_| !kernel.settled && kernel.over() == 0)
}

/// The register report of a function as a page.
pub(crate) fn page(snapshot: &Snapshot, figure: &Figure) -> MarkdownPage {
    let mut page = MarkdownPage::default();
    let Some(kernel) = figure.kernel() else { return page };
    let before = if figure.stale() { ", before the error in it" } else { "" };
    let (registers, likely) = (kernel.registers, kernel.likely_text());
    match &kernel.measured {
        Some(measured) => page.text(format!(
            "**Registers: {} by {}**, {}; the estimate is {registers}{likely}",
            measured.registers,
            measured.by,
            measured.spills_text()
        )),
        None => page.text(format!("**Registers: about {registers}{likely}**, as the assembler counts{before}")),
    }
    let mut lines = Vec::new();
    lines.extend(bound(snapshot, kernel, figure));
    lines.push(peak(snapshot, kernel, figure));
    lines.extend(kernel.occupancy.as_ref().map(occupancy));
    if let Some((registers, more)) = kernel.occupancy.as_ref().and_then(|o| fewer(kernel, o)) {
        let (registers, more) = (counted(registers, "register"), counted(more, "more warp"));
        lines.push(format!("{registers} fewer would let {more} run"));
    }
    lines.extend(shared(kernel));
    page.list("", lines);
    let at = kernel.facts.usage().pressure.peak as usize;
    let mut values = held(snapshot, figure, at);
    values.retain(|v| v.takes.b32 > 0);
    if !values.is_empty() {
        // Values that one instruction writes are listed together, at the position of the first of them.
        let mut sources: Vec<(Option<usize>, Vec<&HeldValue>)> = Vec::new();
        for value in &values {
            match sources.iter_mut().find(|(since, _)| since.is_some() && *since == value.since) {
                Some((_, all)) => all.push(value),
                None => sources.push((value.since, vec![value])),
            }
        }
        let rest: usize = sources.iter().skip(MAX_VALUES).map(|(_, all)| all.len()).sum();
        let shown = sources.iter().take(MAX_VALUES);
        let mut written: Vec<AnnotatedLine> = shown.map(|(since, all)| source(snapshot, *since, all)).collect();
        if rest > 0 {
            written.push(AnnotatedLine { text: format!("// … and {rest} more"), note: String::new() });
        }
        page.listing("Live there, the widest and longest-lived first:", &annotated(&written));
    }
    page
}

/// The limit that leaves the function fewer registers than it could use.
fn bound(snapshot: &Snapshot, kernel: &RegisterReport, figure: &Figure) -> Option<String> {
    if kernel.settled {
        return Some("set by the header, regardless of what the kernel uses: its warps exchange registers".to_owned());
    }
    if kernel.over() == 0 {
        return None;
    }
    let by = match &kernel.limit.directive {
        Some(range) => bound_at(kernel, figure).map_or_else(String::new, |at| {
            let directive = snapshot.text(at..at + range.len());
            let word = directive.split_whitespace().next().unwrap_or_default();
            format!(" by `{word}` on line {}", line(snapshot, at))
        }),
        None => ", the maximum for a thread".to_owned(),
    };
    let wanted = format!("limited to {}{by}; {} would be used otherwise", kernel.limit.registers, kernel.unlimited);
    Some(if kernel.spills() { format!("{wanted}: **spills are likely**") } else { wanted })
}

fn peak(snapshot: &Snapshot, kernel: &RegisterReport, figure: &Figure) -> String {
    let usage = kernel.facts.usage();
    let mut out = format!("at most {} live", live(usage.pressure.most));
    if let Some(at) = figure.instruction(usage.pressure.peak as usize) {
        out.push_str(&format!(", on line {}: `{}`", line(snapshot, at), statement_at(snapshot, at).replace('`', "'")));
        let others = peaks(figure).len().saturating_sub(1);
        if others > 0 {
            out.push_str(&format!(" (and in {})", counted(others as u64, "other place")));
        }
    }
    out
}

/// `38 registers and 2 predicates`.
pub(crate) fn live(live: RegisterCount) -> String {
    let registers = counted(live.b32, "register");
    if live.predicates == 0 { registers } else { format!("{registers} and {}", counted(live.predicates, "predicate")) }
}

fn occupancy(occupancy: &Occupancy) -> String {
    let percent = occupancy.percent();
    let says = if occupancy.assumed { ", an assumption: the header does not say" } else { "" };
    let (ctas, threads) = (counted(occupancy.ctas, "CTA"), occupancy.threads);
    format!("{} ({percent} %): {ctas} of {threads} threads{says}", warps(occupancy))
}

fn shared(kernel: &RegisterReport) -> Option<String> {
    let more = if kernel.dynamic_shared { ", and more that the launch adds" } else { "" };
    match kernel.shared {
        0 if !kernel.dynamic_shared => None,
        0 => Some("shared memory whose size the launch sets, not counted here".to_owned()),
        bytes => Some(format!("{} of shared memory{more}", counted(bytes, "byte"))),
    }
}

/// The statement that produces these live values, and a comment on them. `since` is its offset.
fn source(snapshot: &Snapshot, since: Option<usize>, values: &[&HeldValue]) -> AnnotatedLine {
    let takes: u64 = values.iter().map(|v| u64::from(v.takes.b32)).sum();
    let longest = values.iter().map(|v| v.instructions).max().unwrap_or(0);
    let up_to = if values.iter().any(|v| v.instructions != longest) { "up to " } else { "" };
    let held = format!("{}, held across {up_to}{}", counted(takes, "register"), counted(longest as u64, "instruction"));
    let mut names: Vec<&str> = values.iter().map(|v| v.name.as_str()).collect();
    names.sort_unstable_by_key(|n| (n.len(), *n));
    let names = names.join(" ");
    match since {
        Some(at) => AnnotatedLine {
            text: statement_at(snapshot, at),
            note: format!("{names}: line {}, {held}", line(snapshot, at)),
        },
        None => AnnotatedLine { text: format!("// {names}"), note: format!("from the caller, {held}") },
    }
}

/// The cost of a register: its width, and whether it is live at the peak of register pressure.
pub(crate) fn cost(
    snapshot: &Snapshot,
    facts: &FunctionFacts,
    base: usize,
    register: &RegisterFacts,
) -> Option<String> {
    let takes = register.takes;
    let pressure = &facts.usage().pressure;
    let width = if takes.b32 > 0 { counted(takes.b32, "register") } else { counted(takes.predicates, "predicate") };
    facts.lives(register).next()?;
    let peak = pressure.peak as usize;
    let most = live(RegisterCount { predicates: 0, ..pressure.most });
    let line = line(snapshot, base + facts.start(peak)?);
    let there = match facts.held_at(peak).contains(&register) {
        _ if takes.b32 == 0 || pressure.most.b32 < MIN_LIVE => String::new(),
        true => format!(", live at the peak: {most}, on line {line}"),
        false => format!(", not live at the peak: {most}, on line {line}"),
    };
    Some(format!("takes {width}{}{there}", if takes.b32 > 0 { " of 32 bits" } else { "" }))
}
