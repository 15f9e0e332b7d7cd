//! Code actions that fix diagnostics.
//!
//! Some diagnostics bring their fixes along ([`ptx_analysis::Fix`]). Fixes of instructions are searched for here on
//! request: other texts for the statement are tried, and only those that pass the checks are offered.

mod characters;
mod declare;
mod gate;
mod head;
mod missing;
mod numbers;
mod operand;
mod resolve;
mod statement;
mod successor;
mod types;

use crate::text_edit::TextEdit;
use ptx_analysis::{Analyzer, Code, Diagnostic, Environment, Fix, Report, Severity};
use ptx_gate::words::visible;
use ptx_syntax::Snapshot;
use statement::DiagnosedInstruction;
use std::ops::Range;

/// A fix of a diagnostic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixAction {
    /// The effect, in the imperative.
    pub title: String,
    /// Its edits, to be applied all or none. They do not overlap; insertions at the same offset are in the order of the
    /// list.
    pub edits: Vec<TextEdit>,
    /// It is safe to apply without review.
    pub preferred: bool,
    /// Index of the diagnostic in the report.
    pub diagnostic: usize,
}

/// The length in bytes of the longest module that is checked again for a fix of a syntax error.
const MAX_CHECKED: usize = 64 << 10;
/// Maximum number of fixes per diagnostic; a longer list would not help.
const MAX_FIXES: usize = 16;

/// The fixes of the diagnostics that touch a range or, if there are none, of those that begin on its lines. The likeliest
/// fix of each diagnostic comes first. A long range may have many diagnostics, and `stop` ends the search early.
pub fn code_actions(
    snapshot: &Snapshot,
    report: &Report,
    range: Range<usize>,
    stop: &dyn Fn() -> bool,
) -> Vec<FixAction> {
    let touches = |d: &Diagnostic| d.range.start <= range.end && range.start <= d.range.end;
    let rope = snapshot.rope();
    let line = |offset: usize| rope.byte_to_line(offset.min(rope.len_bytes()));
    let lines = line(range.start)..=line(range.end);
    let here = |wanted: &dyn Fn(&Diagnostic) -> bool| -> Vec<usize> {
        (0..report.diagnostics.len()).filter(|i| wanted(&report.diagnostics[*i])).collect()
    };
    let mut found = here(&touches);
    if found.is_empty() {
        found = here(&|d| lines.contains(&line(d.range.start)));
    }
    let found = found.into_iter().take_while(|_| !stop());
    found.flat_map(|index| of_diagnostic(snapshot, report, index)).collect()
}

/// The fixes of one diagnostic of a report.
pub fn of_diagnostic(snapshot: &Snapshot, report: &Report, index: usize) -> Vec<FixAction> {
    let Some(diagnostic) = report.diagnostics.get(index) else { return Vec::new() };
    let fixes = fixes(snapshot, &report.environment, diagnostic);
    let at = diagnostic.range.start;
    let mut actions: Vec<FixAction> = Vec::new();
    for Fix { title, edits, preferred } in fixes {
        let edits: Option<Vec<TextEdit>> = edits.iter().map(|e| resolve::edit(snapshot, at, e)).collect();
        // Duplicates are not offered, nor fixes that cannot be resolved, for example because there is no `.target`.
        if let Some(mut edits) = edits
            && !edits.iter().any(|e| cuts_a_list(snapshot, e))
            && !actions.iter().any(|a| a.edits == edits)
            && edits.iter().any(|e| snapshot.text(e.range.clone()) != e.text)
        {
            edits.sort_by_key(|e| (e.range.start, e.range.end));
            if diagnostic.code() == Code::SyntaxError && !leaves_fewer_errors(snapshot, report, &edits) {
                continue;
            }
            let title = visible(&title).into_owned();
            actions.push(FixAction { title, edits, preferred, diagnostic: index });
        }
    }
    // If several fixes are preferred, it is not clear which one is meant.
    if actions.iter().filter(|a| a.preferred).count() > 1 {
        actions.iter_mut().for_each(|a| a.preferred = false);
    }
    actions.sort_by_key(|a| !a.preferred);
    actions.truncate(MAX_FIXES);
    actions
}

/// All preferred fixes as one change, and the number of diagnostics that it fixes. If `stop` ends the search, the change is
/// incomplete.
pub fn fix_all(snapshot: &Snapshot, report: &Report, stop: &dyn Fn() -> bool) -> (Vec<TextEdit>, usize) {
    let mut out: Vec<TextEdit> = Vec::new();
    let mut mended = 0;
    for index in (0..report.diagnostics.len()).take_while(|_| !stop()) {
        let Some(action) = of_diagnostic(snapshot, report, index).into_iter().find(|a| a.preferred) else { continue };
        let clashes = |new: &TextEdit| {
            let r = &new.range;
            out.iter().any(|old| {
                let o = &old.range;
                (r.start < o.end && o.start < r.end)
                    || (r == o)
                    || (r.is_empty() && o.start < r.start && r.start < o.end)
            })
        };
        // A fix that overlaps another one is left for the next time.
        if !action.edits.iter().any(clashes) {
            out.extend(action.edits);
            mended += 1;
        }
    }
    out.sort_by_key(|e| (e.range.start, e.range.end));
    (out, mended)
}

/// Applies edits to a text; for tests and previews.
pub fn apply(text: &str, edits: &[TextEdit]) -> String {
    let mut out = text.to_owned();
    let mut sorted: Vec<&TextEdit> = edits.iter().collect();
    // Edits are applied from the end. Insertions at the same offset are applied in reverse order, which keeps the order of
    // the list.
    sorted.sort_by_key(|e| (e.range.start, e.range.end));
    for edit in sorted.into_iter().rev() {
        if out.get(edit.range.clone()).is_some() {
            out.replace_range(edit.range.clone(), &edit.text);
        }
    }
    out
}

/// The fixes of a diagnostic: its own fixes and those found by trying other texts.
fn fixes(snapshot: &Snapshot, environment: &Environment, diagnostic: &Diagnostic) -> Vec<Fix> {
    let mut out = diagnostic.fixes.to_vec();
    if let Some(statement) = DiagnosedInstruction::around(snapshot, environment, diagnostic) {
        // A fix that the check brings along is a guess from the words alone: it must lead to a legal instruction too. Those of syntax
        // errors are tried with the whole module.
        if diagnostic.code() != Code::SyntaxError {
            out.retain(|fix| statement.takes(fix));
        }
        head::fixes(&statement, &mut out);
        missing::fixes(&statement, &mut out);
        operand::fixes(&statement, &mut out);
        successor::fixes(&statement, &mut out);
        // Those of syntax errors are tried with the whole module.
        out.retain(|fix| diagnostic.code() == Code::SyntaxError || gate::admits(&statement, fix));
    }
    if diagnostic.code() == Code::SyntaxError {
        characters::fixes(snapshot, diagnostic, &mut out);
    }
    out
}

/// Whether a short module has fewer errors after some edits. What a missing character is depends on all that follows, so only a check
/// of the result tells. In a long module it is taken for granted.
fn leaves_fewer_errors(snapshot: &Snapshot, report: &Report, edits: &[TextEdit]) -> bool {
    let length = snapshot.rope().len_bytes();
    if length > MAX_CHECKED {
        return true;
    }
    let after = Snapshot::new(&apply(&snapshot.text(0..length), edits));
    let errors = |all: &[Diagnostic]| all.iter().filter(|d| d.severity == Severity::Error).count();
    errors(&Analyzer::default().analyze(&after).diagnostics) < errors(&report.diagnostics)
}

/// Whether an edit inserts a semicolon after a comma. The list was meant to continue, so the statement has another error.
fn cuts_a_list(snapshot: &Snapshot, edit: &TextEdit) -> bool {
    let rope = snapshot.rope();
    let at = rope.byte_to_char(edit.range.start.min(rope.len_bytes()));
    edit.text == ";" && rope.chars_at(at).reversed().find(|c| !c.is_whitespace()) == Some(',')
}
