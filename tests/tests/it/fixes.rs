//! Every offered fix removes its diagnostic and causes no other. The test applies each to the fixtures and to the
//! examples of the diagnostics' pages, and checks the result.

use ptx_check::{Diagnostic, Report, Severity};
use ptx_ide::{FixAction, TextEdit, apply, fix_all, of_diagnostic};
use ptx_syntax::Snapshot;
use ptx_tests::annotations::{analyzer, revisions};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

fn files(folder: &Path, ending: &str, out: &mut Vec<PathBuf>) {
    for path in fs::read_dir(folder).expect("a folder").flatten().map(|e| e.path()) {
        if path.is_dir() {
            files(&path, ending, out);
        } else if path.extension().is_some_and(|e| e == ending) {
            out.push(path);
        }
    }
    out.sort();
}

/// Every text with mistakes, with its name.
fn texts() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut fixtures, mut pages) = (Vec::new(), Vec::new());
    files(&root.join("fixtures"), "ptx", &mut fixtures);
    files(&root.join("../docs/diagnostics"), "md", &mut pages);
    let mut out = Vec::new();
    for path in fixtures.iter().chain(&pages) {
        let text = fs::read_to_string(path).expect("a readable file");
        let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let parts: Vec<&str> = if path.extension().is_some_and(|e| e == "md") {
            text.split("```ptx\n").skip(1).filter_map(|t| t.split("```").next()).collect()
        } else {
            vec![&text]
        };
        for part in parts {
            out.extend(revisions(part).into_iter().map(|r| (format!("{name} {}", r.name), r.text)));
        }
    }
    out
}

fn check(text: &str) -> (Snapshot, Report) {
    let snapshot = Snapshot::new(text);
    let report = analyzer(text).analyze(&snapshot);
    (snapshot, report)
}

/// The check including flow lints.
fn check_thoroughly(text: &str) -> (Snapshot, Report) {
    let snapshot = Snapshot::new(text);
    let mut analyzer = analyzer(text);
    let mut report = analyzer.analyze(&snapshot);
    report.diagnostics.extend(analyzer.lints(&snapshot, &|| false).unwrap_or_default());
    (snapshot, report)
}

/// The position of an offset after edits.
fn moved(offset: usize, edits: &[TextEdit]) -> usize {
    let mut out = offset as isize;
    for edit in edits.iter().filter(|e| e.range.end <= offset && (e.range.start < offset || e.range.end < offset)) {
        out += edit.text.len() as isize - edit.range.len() as isize;
    }
    out.max(0) as usize
}

fn line_of(snapshot: &Snapshot, offset: usize) -> usize {
    snapshot.rope().byte_to_line(offset.min(snapshot.rope().len_bytes())) + 1
}

/// What is wrong with an action, or nothing.
fn wrong(text: &str, before: &Report, action: &FixAction) -> Option<String> {
    let target = &before.diagnostics[action.diagnostic];
    let fixed = apply(text, &action.edits);
    if fixed == text {
        return Some("changes nothing".to_owned());
    }
    let (snapshot, after) = check_thoroughly(&fixed);
    let counts = |d: &&Diagnostic| d.severity == Severity::Error || d.code() == target.code();
    let mut left: Vec<&Diagnostic> = before.diagnostics.iter().filter(counts).collect();
    left.retain(|d| *d != target);
    let header = action.title.starts_with("Raise `.");
    for found in after.diagnostics.iter().filter(counts) {
        // Missing version and missing target have different codes, which count as the same here.
        let kind = |code: &'static str| if code.starts_with("requires-") { "requires" } else { code };
        let same = |d: &&Diagnostic| {
            kind(d.code().name()) == kind(found.code().name())
                && (d.message() == found.message() || moved(d.range.start, &action.edits) == found.range.start)
        };
        if let Some(at) = left.iter().position(same) {
            left.remove(at);
            continue;
        }
        // A newer version or target may have removed a feature that another line uses.
        if header
            && (matches!(found.code().name(), "removed" | "deprecated") || found.code().name().starts_with("requires-"))
        {
            continue;
        }
        // A less severe diagnostic of the same kind was hidden by the more severe one.
        if found.severity > target.severity {
            continue;
        }
        // A mistake in the modifiers hides undeclared operands.
        if found.code().name() == "undeclared-name" {
            continue;
        }
        // Text that could not be parsed before may have other mistakes, and so may the use of a corrected name.
        let line = |snapshot: &Snapshot, at: usize| snapshot.rope().byte_to_line(at.min(snapshot.rope().len_bytes()));
        let readable = target.code().name() == "syntax-error"
            || target.help().as_deref().is_some_and(|h| h.starts_with("did you mean"));
        // Undeclared names and missing modifiers are reported first, and the operands only after the correction.
        let readable = readable || matches!(target.code().name(), "undeclared-name" | "missing-modifier");
        // In a list only the first wrong element is reported, so fixing it reveals the next one.
        let next = target.code() == found.code() && found.range.start > moved(target.range.start, &action.edits);
        if (readable || next)
            && line(&snapshot, found.range.start) == line(&snapshot, moved(target.range.start, &action.edits))
        {
            continue;
        }
        let what = if found.code() == target.code() && found.message() == target.message() { "still" } else { "now" };
        return Some(format!(
            "{what} line {}: {}: {}",
            line_of(&snapshot, found.range.start),
            found.code().name(),
            found.message()
        ));
    }
    None
}

#[test]
fn every_fix_mends_what_it_is_offered_for() {
    let mut failures = Vec::new();
    let mut offered: BTreeMap<&str, (usize, usize, usize)> = BTreeMap::new();
    for (name, text) in texts() {
        let (snapshot, report) = check_thoroughly(&text);
        for (index, diagnostic) in report.diagnostics.iter().enumerate() {
            let actions = of_diagnostic(&snapshot, &report, index);
            let count = offered.entry(diagnostic.code().name()).or_default();
            count.0 += 1;
            count.1 += usize::from(!actions.is_empty());
            count.2 += actions.len();
            for action in actions {
                if let Some(why) = wrong(&text, &report, &action) {
                    let line = line_of(&snapshot, diagnostic.range.start);
                    let said = &diagnostic.message();
                    failures.push(format!(
                        "{name}:{line} {} ({said})\n  {}: {why}",
                        diagnostic.code().name(),
                        action.title
                    ));
                }
            }
        }
    }
    if std::env::var_os("PTX_FIXES").is_some() {
        for (code, (findings, mended, actions)) in &offered {
            println!("{code:28} {findings:5} findings, {mended:5} with fixes, {actions:5} fixes");
        }
    }
    assert!(failures.is_empty(), "{} fixes are wrong:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn mending_everything_at_once_adds_no_error() {
    for (name, text) in texts() {
        let (snapshot, before) = check(&text);
        let (edits, _) = fix_all(&snapshot, &before, &|| false);
        if edits.is_empty() {
            continue;
        }
        let errors = |r: &Report| r.diagnostics.iter().filter(|d| d.severity == Severity::Error).count();
        let (_, after) = check(&apply(&text, &edits));
        assert!(errors(&after) <= errors(&before), "{name}: {edits:#?}\n{:#?}", after.diagnostics);
        assert!(after.diagnostics.len() < before.diagnostics.len(), "{name}: {edits:#?}");
    }
}
