//! Register reports for people: a table per file, with the numbers first because names may be long.

use super::RegsFile;
use ptx_analysis::RegisterReport;
use ptx_gate::words::visible;
use std::fmt::Write;

/// Escape sequences; the writer removes them if colours are disabled.
const BOLD: &str = "\x1b[1m";
const DIM: &str = "\x1b[2m";
const YELLOW: &str = "\x1b[33m";
const RESET: &str = "\x1b[0m";

/// Headings of the columns before the name, and whether they are numbers.
const COLUMNS: [(&str, bool); 8] = [
    ("line", true),
    ("registers", true),
    ("live", true),
    ("peak", true),
    ("shared", true),
    ("threads", true),
    ("warps", true),
    ("limited by", false),
];

/// Index of the most important column, the number of registers.
const REGISTERS: usize = 1;

/// Letters of a mangled name that are shown.
const MAX_NAME: usize = 80;

struct RegsRow {
    cells: [String; COLUMNS.len()],
    name: String,
    /// The name in the PTX text, if it differs from the shown one.
    mangled: Option<String>,
    notes: Vec<String>,
}

/// The table of a file's functions; empty if it has none.
pub(super) fn render(file: &RegsFile<'_>) -> String {
    let rows: Vec<RegsRow> = file.kernels.iter().map(|k| row(file, k)).collect();
    if rows.is_empty() {
        return String::new();
    }
    let width = |column: usize| {
        let cells = rows.iter().map(|r| r.cells[column].chars().count());
        cells.chain([COLUMNS[column].0.len()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..COLUMNS.len()).map(width).collect();
    let mut out = String::new();
    let why = match file.named {
        Some(named) if named.name == file.target.name => String::new(),
        Some(named) => format!(", the oldest target with an estimate; the file says {}", named.name),
        None => ", because the file names no target".to_owned(),
    };
    let _ = writeln!(out, "{BOLD}{}{RESET} for {}{why}", visible(file.name), file.target.name);
    let _ = writeln!(out, "{DIM}{}  function{RESET}", cells(&COLUMNS.map(|(name, _)| name.to_owned()), &widths, false));
    for row in &rows {
        let _ = writeln!(out, "{}  {}", cells(&row.cells, &widths, true), row.name);
        if let Some(mangled) = &row.mangled {
            let _ = writeln!(out, "{:indent$}  {DIM}{mangled}{RESET}", "", indent = widths[0]);
        }
        for note in &row.notes {
            let _ = writeln!(out, "{:indent$}  {YELLOW}{note}{RESET}", "", indent = widths[0]);
        }
    }
    let any = |what: fn(&RegisterReport) -> bool| file.kernels.iter().any(what);
    for (shown, what) in [
        (
            any(|k| k.occupancy.is_some_and(|o| o.assumed)),
            "? the header does not say how many threads a CTA has: 256 are assumed",
        ),
        (any(|k| k.dynamic_shared), "+ dynamic shared memory, which the launch sets: fewer warps may fit"),
    ] {
        if shown {
            let _ = writeln!(out, "{:indent$}  {DIM}{what}{RESET}", "", indent = widths[0]);
        }
    }
    out.push('\n');
    out
}

fn cells(texts: &[String; COLUMNS.len()], widths: &[usize], emphasis: bool) -> String {
    let mut out = String::new();
    for (column, (text, width)) in texts.iter().zip(widths).enumerate() {
        let space = " ".repeat(width - text.chars().count());
        let text = if emphasis && column == REGISTERS { format!("{BOLD}{text}{RESET}") } else { text.clone() };
        out.push_str(if column == 0 { "" } else { "  " });
        let parts = if COLUMNS[column].1 { [space, text] } else { [text, space] };
        out.extend(parts);
    }
    out
}

fn row(file: &RegsFile<'_>, kernel: &RegisterReport) -> RegsRow {
    let live = kernel.facts.usage().pressure.most;
    let occupancy = kernel.occupancy.as_ref();
    let or_nothing = |text: Option<String>| text.unwrap_or_default();
    let assumed = |assumed: bool| if assumed { "?" } else { "" };
    let cells = [
        file.line(kernel.range.start).to_string(),
        format!("{}{}", kernel.registers, kernel.likely_text()),
        live.b32.to_string(),
        file.peak(kernel).to_string(),
        format!("{}{}", bytes(kernel.shared), if kernel.dynamic_shared { "+" } else { "" }),
        or_nothing(occupancy.map(|o| format!("{}{}", o.threads, assumed(o.assumed)))),
        or_nothing(occupancy.map(|o| format!("{} of {} {:>4}", o.warps, o.most_warps, format!("{}%", o.percent())))),
        or_nothing(occupancy.map(|o| o.limited_by.name().to_owned())),
    ];
    let kind = if kernel.kernel { ".entry" } else { ".func" };
    let demangled = ptx_ide::demangle(&kernel.name);
    let shown = demangled.as_ref().map_or(&*kernel.name, |d| d.short.as_str());
    let mangled = demangled.is_some().then(|| shortened(&kernel.name));
    RegsRow { cells, name: format!("{kind} {shown}"), mangled, notes: notes(file, kernel) }
}

/// A name without its middle where it is long. All of it is in the JSON.
fn shortened(name: &str) -> String {
    let length = name.chars().count();
    if length <= MAX_NAME {
        return name.to_owned();
    }
    let half = MAX_NAME / 2;
    let (first, last) = (name.chars().take(half), name.chars().skip(length - half));
    first.chain(['…']).chain(last).collect()
}

/// Remarks on a function: likely spills, and how few registers would help.
pub fn notes(file: &RegsFile<'_>, kernel: &RegisterReport) -> Vec<String> {
    let mut out = Vec::new();
    let limit = &kernel.limit;
    let said = limit.directive.as_ref().map(|range| {
        let text = file.snapshot.text(range.clone());
        let directive = text.split_whitespace().next().unwrap_or_default();
        format!("`{directive}` on line {}", file.line(range.start))
    });
    let by = said.unwrap_or_else(|| format!("{} has", file.target.name));
    if kernel.settled {
        out.push(format!("warps exchange registers: all begin with the number that {by} leaves them"));
    } else if kernel.over() > 0 {
        let verb = if limit.directive.is_some() { " leaves" } else { "" };
        let spills = if kernel.spills() { "spills likely: " } else { "" };
        out.push(format!("{spills}wants {} registers, {by}{verb} {}", kernel.unlimited, limit.registers));
    }
    if let Some((registers, warps)) =
        kernel.occupancy.and_then(|o| o.fewer).filter(|_| !kernel.settled && kernel.over() == 0)
    {
        let plural = if registers == 1 { "" } else { "s" };
        out.push(format!("{registers} fewer register{plural}: {warps} more warps"));
    }
    out
}

/// A size in bytes as text, such as `4.5 KB`.
pub fn bytes(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        _ if bytes.is_multiple_of(1024) => format!("{} KB", bytes / 1024),
        _ => format!("{:.1} KB", bytes as f64 / 1024.0),
    }
}
