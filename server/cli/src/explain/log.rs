//! The log of a build: each message with the line of PTX that it is about, and what it means.

use ptx_analysis::{Analyzer, Diagnostic};
use ptx_ide::LogEntry;
use ptx_syntax::Snapshot;
use std::fmt::Write;

/// The messages that are explained at most: a broken build repeats itself.
const MAX_ENTRIES: usize = 200;

/// The text about each message of a log, as Markdown. `ptx`: the text whose lines the messages of the assembler name.
///
/// # Errors
/// If no line of the log is a message of a tool.
pub fn explained(log: &str, ptx: Option<&str>) -> Result<String, String> {
    let entries = ptx_ide::log(log);
    if entries.is_empty() {
        return Err(
            "no line of the log is a message of ptxas, nvcc, nvlink, the driver or compute-sanitizer".to_owned()
        );
    }
    let source = ptx.map(Source::new);
    let mut out = String::new();
    let mut seen: Vec<(&str, usize)> = Vec::new();
    for entry in entries.iter().take(MAX_ENTRIES) {
        heading(entry, &mut out);
        if let Some(source) = &source
            && let Some(line) = entry.line.filter(|_| is_about_ptx(entry))
        {
            source.show(line, &mut out);
        }
        let Some(message) = entry.message else {
            out.push_str("The tables do not know this message.\n\n");
            continue;
        };
        // What was said once is not repeated.
        if let Some((_, number)) = seen.iter().find(|(pattern, _)| *pattern == message.pattern) {
            let _ = writeln!(out, "As for line {number} of the log.\n");
            continue;
        }
        seen.push((message.pattern, entry.number));
        let page = ptx_ide::explain(entry.text).unwrap_or_default();
        // Without its title, which the heading has.
        let body =
            page.split_once('\n').filter(|(title, _)| title.starts_with("# ")).map_or(page.as_str(), |(_, body)| body);
        let _ = writeln!(out, "{}\n", body.trim());
    }
    if entries.len() > MAX_ENTRIES {
        let _ = writeln!(out, "{} more messages are not shown.", entries.len() - MAX_ENTRIES);
    }
    Ok(out)
}

/// Whether the line that a message names is one of PTX. nvcc names lines of C++.
fn is_about_ptx(entry: &LogEntry<'_>) -> bool {
    let ending = |file: &str| file.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    entry
        .file
        .is_none_or(|file| !matches!(ending(file).as_deref(), Some("cu" | "cuh" | "cpp" | "h" | "hpp" | "cc" | "py")))
}

fn heading(entry: &LogEntry<'_>, out: &mut String) {
    let severity = if entry.severity.is_empty() { String::new() } else { format!(" {}:", entry.severity) };
    let place = match (entry.file, entry.line) {
        (Some(file), Some(line)) => format!(" {file}:{line}:"),
        (None, Some(line)) => format!(" line {line}:"),
        _ => String::new(),
    };
    let _ = writeln!(out, "## Line {} of the log:{place}{severity} {}\n", entry.number, entry.text);
}

/// The PTX of a log, and what the checks say of it.
struct Source<'t> {
    lines: Vec<&'t str>,
    /// The line, from 1, and the diagnostic.
    diagnostics: Vec<(usize, Diagnostic)>,
}

impl<'t> Source<'t> {
    fn new(text: &'t str) -> Self {
        let snapshot = Snapshot::new(text);
        let report = Analyzer::for_one_check().check_with_lints(&snapshot, &|| false);
        let found = report.map(|report| report.diagnostics).unwrap_or_default();
        let line = |at: usize| 1 + text.as_bytes()[..at.min(text.len())].iter().filter(|b| **b == b'\n').count();
        let diagnostics = found.into_iter().map(|d| (line(d.range.start), d)).collect();
        Self { lines: text.lines().collect(), diagnostics }
    }

    /// Writes a line, and what the checks say of it.
    fn show(&self, line: usize, out: &mut String) {
        let Some(text) = line.checked_sub(1).and_then(|index| self.lines.get(index)) else {
            let _ = writeln!(out, "The PTX file has {} lines: it is not the file of the log.\n", self.lines.len());
            return;
        };
        let _ = writeln!(out, "```ptx\n{}\n```\n", text.trim_end());
        for (_, diagnostic) in self.diagnostics.iter().filter(|(at, _)| *at == line) {
            let help = diagnostic.help().map_or_else(String::new, |help| format!(" ({help})"));
            let _ = writeln!(out, "- `{}`: {}{help}", diagnostic.code().name(), diagnostic.message());
        }
        if self.diagnostics.iter().any(|(at, _)| *at == line) {
            out.push('\n');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::explained;

    #[test]
    fn each_message_is_on_its_line() {
        let ptx = ".version 8.0\n.target sm_80\n.address_size 64\n.entry k()\n{\n.reg .b32 %r<3>;\nadd.f32 %r1, %r2;\nret;\n}\n";
        let log = "ptxas k.ptx, line 7; error   : Arguments mismatch for instruction 'add'\nptxas k.ptx, line 7; error   : Arguments mismatch for instruction 'add'\nptxas fatal   : Ptx assembly aborted due to errors\n";
        let text = explained(log, Some(ptx)).expect("messages");
        assert!(text.contains("add.f32 %r1, %r2;"), "{text}");
        assert!(text.contains("- `operand-count`:"), "{text}");
        assert!(text.contains("As for line 1 of the log.") && text.contains("## Line 3 of the log"), "{text}");
        assert!(explained("make: nothing to do\n", None).is_err());
        let other = explained("ptxas k.ptx, line 99; error   : Unknown symbol 'x'\n", Some(ptx)).expect("messages");
        assert!(other.contains("it is not the file of the log"), "{other}");
    }
}
