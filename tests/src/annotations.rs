//! Fixtures: PTX files annotated with the diagnostics that a check must report.
//!
//! - `//~ error[operand-type]: part of the message` at the end of a line: a diagnostic on that line. `//~^` means the
//!   line above, and one more `^` moves it up one line more.
//! - `//@ revisions: sm_70 sm_90@8.0`: the file is checked once per revision, with its target (and version) in the
//!   header. `//[sm_70]~ error[requires-target]` applies to that revision only.
//! - `//@ lints`: flow lints are checked too. Without it, examples may leave registers unwritten.
//! - `//@ project: targets=sm_75,sm_90 version=7.8 portable costly`: the project settings; each part is optional.

use ptx_check::DiagnosticLevel;
use ptx_check::{Analyzer, Diagnostic, Severity};
use ptx_host::{Host, HostChecker, Language};
use ptx_sema::target::project::Project;
use ptx_sema::target::{find_architecture, version};
use ptx_syntax::Snapshot;

/// A diagnostic that a fixture expects or a check reports.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The line, from 1.
    pub line: usize,
    /// The severity: `error`, `warning`, `information` or `hint`.
    pub severity: String,
    /// The code, such as `operand-type`.
    pub code: String,
    /// The message, or the part of it that the fixture expects.
    pub message: String,
}

/// A variant of a fixture that is checked separately.
#[derive(Debug, Clone)]
pub struct Revision {
    /// The name, such as `sm_70`; empty if the file has no revisions.
    pub name: String,
    /// The text with the version and target of the revision.
    pub text: String,
}

/// The revisions of a file.
pub fn revisions(text: &str) -> Vec<Revision> {
    let Some(line) = text.lines().find_map(|l| l.trim().strip_prefix("//@ revisions:")) else {
        return vec![Revision { name: String::new(), text: text.to_owned() }];
    };
    line.split_whitespace()
        .map(|name| {
            let (target, version) = name.split_once('@').map_or((name, None), |(t, v)| (t, Some(v)));
            let replace = |l: &str| match l.split_whitespace().next() {
                Some(".target") => format!(".target {target}{}", rest_of(l, ".target")),
                Some(".version") => version.map_or(l.to_owned(), |v| format!(".version {v}{}", rest_of(l, ".version"))),
                _ => l.to_owned(),
            };
            Revision { name: name.to_owned(), text: text.lines().map(replace).collect::<Vec<_>>().join("\n") + "\n" }
        })
        .collect()
}

/// The rest of a line after the directive and its first word: options and annotations.
fn rest_of<'l>(line: &'l str, directive: &str) -> &'l str {
    let after = line.trim_start().trim_start_matches(directive).trim_start();
    &after[after.find([',', ' ']).unwrap_or(after.len())..]
}

/// The diagnostics that a revision expects.
pub fn expected(revision: &Revision) -> Vec<Finding> {
    let mut out = Vec::new();
    for (index, line) in revision.text.lines().enumerate() {
        let mut rest = line;
        while let Some(at) = rest.find("//") {
            rest = &rest[at + 2..];
            let (only, after) = match rest.strip_prefix('[').and_then(|r| r.split_once(']')) {
                Some((names, after)) if after.starts_with('~') => (Some(names), after),
                _ => (None, rest),
            };
            let Some(annotation) = after.strip_prefix('~') else { continue };
            if only.is_some_and(|names| !names.split(',').any(|n| n.trim() == revision.name)) {
                continue;
            }
            let up = annotation.len() - annotation.trim_start_matches('^').len();
            let annotation = annotation[up..].split("//").next().unwrap_or("").trim();
            let Some((severity, after)) = annotation.split_once('[') else { continue };
            let Some((code, after)) = after.split_once(']') else { continue };
            out.push(Finding {
                line: index + 1 - up,
                severity: severity.trim().to_owned(),
                code: code.to_owned(),
                message: after.trim_start_matches(':').trim().to_owned(),
            });
        }
    }
    out.sort();
    out
}

/// The project settings in a text.
fn project(text: &str) -> Project {
    let mut out = Project::default();
    let line = text.lines().find_map(|l| l.trim().strip_prefix("//@ project:")).unwrap_or("");
    for word in line.split_whitespace() {
        match word.split_once('=') {
            Some(("targets", names)) => out.targets = names.split(',').filter_map(find_architecture).collect(),
            Some(("version", number)) => out.version = version(number),
            _ => {
                out.portable |= word == "portable";
                out.costly |= word == "costly";
            }
        }
    }
    out
}

/// An analyzer with the project settings of a text.
pub fn analyzer(text: &str) -> Analyzer {
    let mut out = Analyzer::default();
    out.set_project(project(text));
    out
}

/// The directive that enables flow lints.
pub const LINTS: &str = "//@ lints";

/// The diagnostics that a check reports.
pub fn found(text: &str) -> Vec<Finding> {
    let snapshot = Snapshot::new(text);
    let mut analyzer = analyzer(text);
    let mut all = analyzer.analyze(&snapshot).diagnostics;
    if text.contains(LINTS) {
        all.extend(analyzer.lints(&snapshot, &|| false).unwrap_or_default());
    }
    findings(all, text)
}

/// The diagnostics that a check reports about PTX in the strings of a language. A code that is off by default is reported only if
/// it is `wanted`.
pub fn found_in_host(language: Language, text: &str, wanted: &str) -> Vec<Finding> {
    let host = Host::new(language, text);
    let mut all = HostChecker::default().diagnostics(host.groups());
    all.retain(|d| !matches!(d.code().level(), DiagnosticLevel::Off(_)) || d.code().name() == wanted);
    findings(all, text)
}

fn findings(all: Vec<Diagnostic>, text: &str) -> Vec<Finding> {
    let line = |offset: usize| text.as_bytes()[..offset.min(text.len())].iter().filter(|b| **b == b'\n').count() + 1;
    let mut out: Vec<Finding> = all
        .into_iter()
        .map(|d| Finding {
            line: line(d.range.start),
            severity: match d.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Information => "information",
                Severity::Hint => "hint",
            }
            .to_owned(),
            code: d.code().to_string(),
            message: d.message(),
        })
        .collect();
    out.sort();
    out
}

/// Compares expected and reported diagnostics. Returns a message for each difference.
pub fn compare(expected: &[Finding], found: &[Finding]) -> Vec<String> {
    let mut left: Vec<&Finding> = found.iter().collect();
    let mut out = Vec::new();
    // Match expectations that have a message first.
    let mut expected: Vec<&Finding> = expected.iter().collect();
    expected.sort_by_key(|f| std::cmp::Reverse(f.message.len()));
    for wanted in expected {
        let fits = |f: &&Finding| {
            f.line == wanted.line
                && f.severity == wanted.severity
                && f.code == wanted.code
                && f.message.contains(&wanted.message)
        };
        match left.iter().position(fits) {
            Some(at) => {
                left.remove(at);
            }
            None => out.push(format!(
                "line {}: missing {}[{}]: {}",
                wanted.line, wanted.severity, wanted.code, wanted.message
            )),
        }
    }
    out.extend(left.iter().map(|f| format!("line {}: unexpected {}[{}]: {}", f.line, f.severity, f.code, f.message)));
    out
}

#[cfg(test)]
mod tests {
    use super::{Finding, compare, expected, revisions};

    #[test]
    fn annotations_are_read() {
        let text = "//@ revisions: sm_70 sm_90@8.0\n.version 7.0\n.target sm_70 //[sm_70]~ error[x]\nadd; //~ warning[y]: part\n//~^ error[z]\n";
        let all = revisions(text);
        assert_eq!(all.len(), 2);
        assert!(all[1].text.contains(".version 8.0\n.target sm_90 //"));
        let lines = |i: usize| expected(&all[i]).into_iter().map(|f| (f.line, f.code)).collect::<Vec<_>>();
        assert_eq!(lines(0), [(3, "x".into()), (4, "z".into()), (4, "y".into())]);
        assert_eq!(lines(1), [(4, "z".into()), (4, "y".into())]);
    }

    #[test]
    fn missing_and_unexpected_findings_are_told_apart() {
        let finding =
            |code: &str| Finding { line: 1, severity: "error".into(), code: code.into(), message: String::new() };
        assert_eq!(compare(&[finding("a")], &[finding("a")]), Vec::<String>::new());
        assert_eq!(compare(&[finding("a")], &[finding("b")]).len(), 2);
    }
}
