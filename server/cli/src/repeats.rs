//! What a report on a file that a compiler wrote leaves out: hints, and the repetitions of a warning after the first few.

use ptx_analysis::{Code, Diagnostic, Severity, generated};
use ptx_syntax::Snapshot;
use std::collections::BTreeMap;

/// Warnings of one code that are shown for a file.
const MAX_SHOWN: usize = 5;

/// Escape sequences; the writer removes them where colours are not wanted.
const BOLD: &str = "\x1b[1m";
const RESET: &str = "\x1b[0m";

/// Diagnostics that are not shown.
#[derive(Debug)]
pub enum Repeat {
    /// The code of a warning, and how often it is left out.
    Warning(&'static str, usize),
    /// The number of hints.
    Hints(usize),
}

impl Repeat {
    /// The line that stands for them.
    pub fn line(&self, file: &str) -> String {
        let what = match self {
            Self::Warning(code, count) => format!("{count} more `{code}` not shown"),
            Self::Hints(1) => "1 hint not shown, because a compiler wrote this file".to_owned(),
            Self::Hints(count) => format!("{count} hints not shown, because a compiler wrote this file"),
        };
        format!("{BOLD}{file}: {what}{RESET}; --all shows them\n")
    }
}

/// The diagnostics to show, and what is left out. Errors are always shown, and so is everything in files that people wrote, and each code
/// for which the user `asked`.
pub fn cap(
    snapshot: &Snapshot,
    diagnostics: Vec<Diagnostic>,
    asked: impl Fn(Code) -> bool,
) -> (Vec<Diagnostic>, Vec<Repeat>) {
    if diagnostics.is_empty() || !generated::is_generated(snapshot) {
        return (diagnostics, Vec::new());
    }
    let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
    let mut hints = 0;
    let mut shown = diagnostics;
    shown.retain(|d| {
        if d.severity == Severity::Error || asked(d.code()) {
            return true;
        }
        if generated::is_quiet(d.severity) {
            hints += 1;
            return false;
        }
        let count = counts.entry(d.finding.name()).or_default();
        *count += 1;
        *count <= MAX_SHOWN
    });
    let over = counts.into_iter().filter(|(_, count)| *count > MAX_SHOWN);
    let over = over.map(|(code, count)| Repeat::Warning(code, count - MAX_SHOWN));
    (shown, over.chain((hints > 0).then_some(Repeat::Hints(hints))).collect())
}
