//! Answers for an editor about a place in a host text. Offsets and ranges are host bytes, relative to the start of the group.

use crate::checker::with_text;
use crate::view::GroupView;
use ptx_analysis::{Analyzer, Code, Figures, InlineChecker, TargetSet};
use ptx_embed::{Access, HostEdit, Kind, Variable, host_edit};
use ptx_gate::words::{code, visible};
use ptx_ide::{CompletionOptions, Completions, Hint, HintOptions, ReferenceKind, SignatureHelp, TextEdit};
use std::ops::Range;

/// A hover.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostHover {
    /// The described element.
    pub range: Range<usize>,
    /// Markdown.
    pub markdown: String,
}

/// A fix of a diagnostic as edits of the host text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostAction {
    /// What it does, in the imperative.
    pub title: String,
    /// Its edits, to be applied together.
    pub edits: Vec<HostEdit>,
    /// Whether it needs no review.
    pub preferred: bool,
    /// The range and the code of the diagnostic.
    pub diagnostic: (Range<usize>, Code),
}

/// The hover at an offset: about the operand, or what PTX says of the place. `host` is the text of the host that the group's
/// ranges refer to.
pub fn hover(view: &GroupView<'_>, offset: usize, host: &dyn Fn(Range<usize>) -> String) -> Option<HostHover> {
    if let Some((variable, range)) = view.operand_named_at(offset) {
        let ptx = view.to_module(offset).and_then(|at| ptx_ide::hover_on_operand(&view.snapshot, at));
        let mut markdown = about_operand(view, variable, host);
        // A register has a picture where the lanes share a matrix; for a constant of known value, the value is described.
        if let Some(hover) = ptx {
            markdown.push_str("\n\n---\n\n");
            markdown.push_str(&hover.markdown);
        }
        return Some(HostHover { range, markdown });
    }
    if let Some(at) = view.to_module(offset) {
        let hover = ptx_ide::hover_in_host(&view.snapshot, at)?;
        return Some(HostHover { range: view.to_host(&hover.range)?, markdown: hover.markdown });
    }
    let variable = view.operand_written_at(offset)?;
    let constraint = view.operand(variable)?.constraint.span.clone();
    // What stands in the brackets is an expression of the host, which its own server explains.
    let inside = constraint.start <= offset && offset <= constraint.end;
    inside.then(|| HostHover { range: constraint, markdown: about_operand(view, variable, host) })
}

fn about_operand(view: &GroupView<'_>, variable: &Variable, host: &dyn Fn(Range<usize>) -> String) -> String {
    let Some(operand) = view.operand(variable) else { return String::new() };
    let what = match variable.kind {
        Kind::Constant => "an integer constant".to_owned(),
        kind => {
            let name = crate::checker::register_type(kind).map_or("", ptx_analysis::TypeId::name);
            format!("a `{name}` register")
        }
    };
    let access = match variable.access {
        Access::Input => "read",
        Access::Output => "written",
        Access::ReadWrite => "read and written",
    };
    let constraint = code(&format!("\"{}\"", operand.constraint.text));
    let mut out = format!("{} is {what}, {access}: {constraint}", code(&variable.spelling));
    if !operand.expression.is_empty() {
        let expression = host(operand.expression.clone());
        let expression = expression.split_whitespace().collect::<Vec<_>>().join(" ");
        out.push_str(&format!(" of {}", code(&shortened(&expression))));
    }
    if let Some(value) = variable.value {
        out.push_str(&format!(" = {value}"));
    }
    out
}

/// An expression, cut where it is long.
fn shortened(text: &str) -> String {
    const MAX_SHOWN: usize = 120;
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The target of the name at an offset, and the range of the name: for an operand in the text its place among the operands, for
/// an operand there its first use in the text.
pub fn definition(view: &GroupView<'_>, offset: usize) -> Option<(Range<usize>, Vec<Range<usize>>)> {
    if let Some((variable, range)) = view.operand_named_at(offset) {
        return Some((range, vec![view.operand(variable)?.span.clone()]));
    }
    if let Some(at) = view.to_module(offset) {
        let found = ptx_ide::definition(&view.snapshot, at)?;
        let targets = found.targets.iter().filter_map(|target| view.to_host(&target.selection)).collect();
        return Some((view.to_host(&found.origin)?, targets));
    }
    let variable = view.operand_written_at(offset)?;
    let constraint = view.operand(variable)?.constraint.span.clone();
    // A name in the expression is defined in the host language.
    let inside = constraint.start <= offset && offset <= constraint.end;
    let first = view.uses(variable).into_iter().next()?;
    inside.then(|| (constraint, vec![first]))
}

/// The occurrences of the name at an offset, with their kinds.
pub fn highlights(view: &GroupView<'_>, offset: usize) -> Vec<(Range<usize>, ReferenceKind)> {
    let named = view.operand_named_at(offset).map(|(variable, _)| variable);
    let written = || view.operand_written_at(offset).filter(|_| view.to_module(offset).is_none());
    if let Some(variable) = named.or_else(written) {
        let place = view.operand(variable).map(|o| (o.constraint.span.clone(), ReferenceKind::Declaration));
        let uses = view.uses(variable);
        if place.as_ref().is_some_and(|(span, _)| named.is_none() && !(span.start <= offset && offset <= span.end)) {
            return Vec::new();
        }
        let kinds = accesses(view, &uses);
        let mut out: Vec<_> = uses.into_iter().zip(kinds).chain(place).collect();
        out.sort_by_key(|(range, _)| range.start);
        return out;
    }
    let Some(at) = view.to_module(offset) else { return Vec::new() };
    let found = ptx_ide::highlights(&view.snapshot, at);
    found.into_iter().filter_map(|r| Some((view.to_host(&r.range)?, r.access))).collect()
}

/// What the instructions do with the names of an operand at these places.
fn accesses(view: &GroupView<'_>, uses: &[Range<usize>]) -> Vec<ReferenceKind> {
    let first = uses.first().and_then(|range| view.to_module(range.start));
    let found = first.map(|at| ptx_ide::highlights(&view.snapshot, at)).unwrap_or_default();
    let kind = |range: &Range<usize>| {
        let known = found.iter().find(|r| view.to_host(&r.range).as_ref() == Some(range));
        known.map_or(ReferenceKind::Mention, |r| r.access)
    };
    uses.iter().map(kind).collect()
}

/// The completion list at an offset of a literal: the ranges that an item replaces, in host bytes, are `insert` and `replace`, and
/// the new texts are written as the literal writes them.
pub fn completion(view: &GroupView<'_>, offset: usize, typed: Option<char>) -> Option<Completions> {
    let at = view.to_module(offset)?;
    let options = CompletionOptions { snippets: false, ..CompletionOptions::default() };
    let mut found = ptx_ide::completion_list(&view.snapshot, at, options, typed)?;
    let insert = view.to_ptx(&found.insert)?;
    let place = host_edit(view.group, insert.clone(), "")?;
    found.replace = view.to_host(&found.replace).filter(|r| r.start == place.span.start).unwrap_or(place.span.clone());
    found.insert = place.span;
    found.items.retain_mut(|item| {
        // A plain word is written as it stands.
        if item.new_text().bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b':' | b' ' | b',')) {
            return true;
        }
        match host_edit(view.group, insert.clone(), item.new_text()) {
            Some(edit) => {
                if edit.text != item.new_text() {
                    item.filter.get_or_insert_with(|| item.label.clone());
                    item.text = Some(edit.text);
                }
                true
            }
            None => false,
        }
    });
    operands(view, &mut found);
    Some(found)
}

/// Writes at each operand what it stands for, and removes the function around the text.
fn operands(view: &GroupView<'_>, found: &mut Completions) {
    found.items.retain(|item| item.label != "f");
    for item in &mut found.items {
        if let Some(variable) = view.group.variables.iter().find(|v| v.name == item.label)
            && let Some(operand) = view.operand(variable)
        {
            item.detail = format!("\"{}\", {}", visible(&operand.constraint.text), item.detail);
        }
    }
}

/// The forms of the instruction at an offset of a literal.
pub fn signature_help(view: &GroupView<'_>, offset: usize) -> Option<SignatureHelp> {
    ptx_ide::signature_help(&view.snapshot, view.to_module(offset)?)
}

/// The hints in the literals of a group, in order; edits and links that leave the literals are dropped.
pub fn inlay_hints(view: &GroupView<'_>, options: &HintOptions) -> Vec<Hint> {
    let whole = view.of_ptx(&(0..view.group.ptx.len()));
    let found = ptx_ide::inlay_hints(&view.snapshot, whole, options, &Figures::default());
    let in_host = |mut hint: Hint| {
        let ptx = view.to_ptx(&(hint.offset..hint.offset))?;
        hint.offset = view.group.map.host_position(ptx.start)?;
        for part in &mut hint.label {
            part.target = part.target.take().and_then(|target| view.to_host(&target));
        }
        let edit = |edit: &TextEdit| {
            let host = view.edit(edit)?;
            Some(TextEdit { range: host.span, text: host.text })
        };
        hint.edits = hint.edits.iter().map(edit).collect::<Option<Vec<_>>>().unwrap_or_default();
        Some(hint)
    };
    found.into_iter().filter_map(in_host).collect()
}

/// The fixes of the diagnostics of PTX that touch a range. (Those of the statement itself come with its diagnostics.)
pub fn fixes(view: &GroupView<'_>, range: &Range<usize>, targets: &TargetSet) -> Vec<HostAction> {
    let mut checker = InlineChecker::default();
    let findings = with_text(view.group, targets, |text| checker.check(text));
    let report = Analyzer::for_one_check().analyze(&view.snapshot);
    let mut out = Vec::new();
    for (index, diagnostic) in report.diagnostics.iter().enumerate() {
        let Some(ptx) = view.to_ptx(&diagnostic.range) else { continue };
        // In a module, constants of unknown value are names that nothing declares.
        let reported = findings.diagnostics.iter().any(|d| d.code() == diagnostic.code() && d.range == ptx);
        let Some(host) = view.group.map.to_host(ptx).into_iter().next().filter(|_| reported) else { continue };
        if host.start > range.end || range.start > host.end {
            continue;
        }
        for action in ptx_ide::of_diagnostic(&view.snapshot, &report, index) {
            let edits: Option<Vec<HostEdit>> = action.edits.iter().map(|edit| view.edit(edit)).collect();
            let Some(edits) = edits.filter(|_| !reads_an_output(view, &action.edits, targets, &mut checker)) else {
                continue;
            };
            let diagnostic = (host.clone(), diagnostic.code());
            out.push(HostAction { title: action.title, edits, preferred: action.preferred, diagnostic });
        }
    }
    out
}

/// Whether edits of the module write an output where the text then reads it: it holds no value there, so they cannot be what was
/// meant.
fn reads_an_output(view: &GroupView<'_>, edits: &[TextEdit], targets: &TargetSet, checker: &mut InlineChecker) -> bool {
    let mut group = view.group.clone();
    for edit in edits.iter().rev() {
        let Some(range) = view.to_ptx(&edit.range).filter(|range| group.ptx.get(range.clone()).is_some()) else {
            return false;
        };
        group.ptx.replace_range(range, &edit.text);
    }
    let findings = with_text(&group, targets, |text| checker.check(text));
    let more = |name: &str| group.ptx.matches(name).count() > view.group.ptx.matches(name).count();
    findings.undefined_outputs.iter().any(|output| output.read.is_some() && more(&output.name))
}
