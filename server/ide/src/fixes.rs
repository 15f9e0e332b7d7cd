//! Code actions: how what is wrong can be mended.
//!
//! Some findings bring their fixes along ([`ptx_analysis::Fix`]). Those of instructions are searched for here, on request: other
//! ways to write the statement are tried, and only what the check then takes is offered.

mod declare;
mod head;
mod operand;
mod resolve;
mod statement;
mod successor;

use ptx_analysis::target::Environment;
use ptx_analysis::{Diagnostic, Fix, FixEdit, Report};
use ptx_syntax::Snapshot;
use statement::DiagnosedInstruction;
use std::ops::Range;

/// A replacement in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextEdit {
    /// What is replaced, in bytes.
    pub range: Range<usize>,
    /// What stands there then.
    pub text: String,
}

/// A way to mend a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixAction {
    /// What it does, in the imperative.
    pub title: String,
    /// What it changes: all of it or nothing. No two overlap; those at one place stand in the order of the list.
    pub edits: Vec<TextEdit>,
    /// It may be applied without a look.
    pub preferred: bool,
    /// The finding, by its place in the report.
    pub diagnostic: usize,
}

/// Fixes that are offered at once; a longer list would not help.
const MAX_FIXES: usize = 16;

/// What mends the findings at a range: those that touch it, or else those that begin in its lines. What it offers
/// first is most likely meant. Of a long range there may be much to find; `stop` ends that early.
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

/// What mends one finding of a report.
pub fn of_diagnostic(snapshot: &Snapshot, report: &Report, index: usize) -> Vec<FixAction> {
    let Some(diagnostic) = report.diagnostics.get(index) else { return Vec::new() };
    let fixes = fixes(snapshot, &report.environment, diagnostic);
    let at = diagnostic.range.start;
    let mut actions: Vec<FixAction> = Vec::new();
    for Fix { title, edits, preferred } in fixes {
        let edits: Option<Vec<TextEdit>> = edits.iter().map(|e| resolve::edit(snapshot, at, e)).collect();
        // What cannot be resolved (there is no `.target` to write to) is not offered, nor is anything twice.
        if let Some(mut edits) = edits
            && !edits.iter().any(|e| cuts_a_list(snapshot, e))
            && !actions.iter().any(|a| a.edits == edits)
            && edits.iter().any(|e| snapshot.text(e.range.clone()) != e.text)
        {
            edits.sort_by_key(|e| (e.range.start, e.range.end));
            actions.push(FixAction { title, edits, preferred, diagnostic: index });
        }
    }
    // Two that are both surely meant are none.
    if actions.iter().filter(|a| a.preferred).count() > 1 {
        actions.iter_mut().for_each(|a| a.preferred = false);
    }
    actions.sort_by_key(|a| !a.preferred);
    actions.truncate(MAX_FIXES);
    actions
}

/// All that can be mended without a look, as one change, and how many findings that mends; a part of it where `stop` ends
/// the search.
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
        // What overlaps waits for the next time.
        if !action.edits.iter().any(clashes) {
            out.extend(action.edits);
            mended += 1;
        }
    }
    out.sort_by_key(|e| (e.range.start, e.range.end));
    (out, mended)
}

/// The text with some edits applied; for tests and previews.
pub fn apply(text: &str, edits: &[TextEdit]) -> String {
    let mut out = text.to_owned();
    let mut sorted: Vec<&TextEdit> = edits.iter().collect();
    // From the end on; at one place the last of the list first, so that the list's order stays.
    sorted.sort_by_key(|e| (e.range.start, e.range.end));
    for edit in sorted.into_iter().rev() {
        if out.get(edit.range.clone()).is_some() {
            out.replace_range(edit.range.clone(), &edit.text);
        }
    }
    out
}

/// The fixes of a finding: its own and those that are found by trying.
fn fixes(snapshot: &Snapshot, environment: &Environment, diagnostic: &Diagnostic) -> Vec<Fix> {
    let mut out = diagnostic.fixes.clone();
    if let Some(statement) = DiagnosedInstruction::around(snapshot, environment, diagnostic) {
        head::fixes(&statement, &mut out);
        operand::fixes(&statement, &mut out);
        successor::fixes(&statement, &mut out);
    }
    out
}

/// A fix with these edits, whose ranges count in the file.
fn fix(title: impl Into<String>, edits: Vec<FixEdit>) -> Fix {
    Fix { title: title.into(), edits, preferred: false }
}

/// Whether an edit puts a semicolon behind a comma: a list was to go on there, and more is wrong.
fn cuts_a_list(snapshot: &Snapshot, edit: &TextEdit) -> bool {
    let rope = snapshot.rope();
    let at = rope.byte_to_char(edit.range.start.min(rope.len_bytes()));
    edit.text == ";" && rope.chars_at(at).reversed().find(|c| !c.is_whitespace()) == Some(',')
}
