//! The tool `check`: a line for each finding, and lines for its fixes.

use super::arguments::ToolArguments;
use super::call::{CallContext, cancelled};
use super::cut::{self, MAX_ANSWER};
use super::input::{self, InputText};
use super::{positions, schema};
use crate::findings::{self, CheckOptions, HostFindings};
use crate::{json, repeats};
use ptx_analysis::{Diagnostic, FixEdit, Report, Severity, TargetSet};
use ptx_gate::words::visible;
use ptx_host::{GroupView, HostChecker, HostTargets, Language, answers, group_at, is_ptx};
use ptx_ide::{SymbolKind, TextEdit};
use ptx_isa::tables::TargetInfo;
use ptx_lsp::host::host_levels;
use ptx_lsp::levels::DiagnosticLevels;
use ptx_mcp::ToolAnswer;
use ptx_syntax::{Node, Rope, Snapshot, kinds};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::fmt::Write;

/// Maximum number of fixes for a finding: the likeliest ones come first.
const MAX_FIXES: usize = 2;

/// Maximum number of related places for a finding.
const MAX_RELATED: usize = 2;

/// Maximum size of a replacement in bytes; fixes with longer ones are left out.
const MAX_REPLACEMENT: usize = 400;

/// Answers a call.
///
/// # Errors
/// If nothing can be checked: the reason.
pub fn answer(arguments: &ToolArguments, context: &CallContext<'_>) -> Result<ToolAnswer, String> {
    let target = input::target(arguments)?;
    let (max, json) = (arguments.max(schema::FINDINGS)?, arguments.flag("json")?);
    let levels = DiagnosticLevels::default().parse_only(arguments.flag("parse_only")?);
    let input = InputText::of(arguments, context)?;
    let checked = match input.language {
        None => ptx(&input, target, levels, context)?,
        Some(language) => host(&input, language, target, levels, context)?,
    };
    let Checked { rope, diagnostics, summary, hidden, fixes } = checked;
    let shown = most_severe(&diagnostics, max);
    let mut out = format!("{}{}: {}{summary}\n", input.remark(), visible(&input.name), counts(&diagnostics));
    let mut explained = HashSet::new();
    for index in &shown {
        if (context.cancelled)() {
            return Err(cancelled());
        }
        finding(&rope, &diagnostics[*index], &fixes(*index), &mut explained, &mut out);
    }
    more(&diagnostics, &shown, &mut out);
    if hidden > 0 {
        let _ = writeln!(out, "{} not shown, because a compiler wrote this text", plural(hidden, "minor finding"));
    }
    let mut answer = ToolAnswer::new(cut::lines(&out, MAX_ANSWER, "give a smaller `max`"));
    if json {
        let objects: Vec<Value> = shown
            .iter()
            .filter_map(|index| {
                serde_json::to_value(json::object(&visible(&input.name), &rope, &diagnostics[*index])).ok()
            })
            .collect();
        answer.structured = cut::structured(json!({ "diagnostics": objects, "total": diagnostics.len() }));
    }
    Ok(answer)
}

/// The edits of a fix, to be applied together.
type ShownFix = Vec<TextEdit>;

/// The result of a check.
struct Checked {
    rope: Rope,
    diagnostics: Vec<Diagnostic>,
    /// What was checked, in brackets.
    summary: String,
    /// Number of findings that a report on a generated text leaves out.
    hidden: usize,
    /// Finds the fixes of a diagnostic.
    fixes: Box<dyn Fn(usize) -> Vec<ShownFix>>,
}

fn ptx(
    input: &InputText,
    target: Option<&'static TargetInfo>,
    levels: DiagnosticLevels,
    context: &CallContext<'_>,
) -> Result<Checked, String> {
    let snapshot = Snapshot::in_chunks(&input.text, 1);
    let options = CheckOptions { targets: target.into_iter().collect(), levels, ..CheckOptions::default() };
    let report = findings::of_ptx(&snapshot, &options, 1, context.cancelled).ok_or_else(cancelled)?;
    let Report { diagnostics, environment } = report;
    let all = diagnostics.len();
    let (diagnostics, _) = repeats::cap(&snapshot, diagnostics, |_| false);
    let hidden = all - diagnostics.len();
    let mut about: Vec<String> = Vec::new();
    about.extend(environment.version.map(|version| format!("PTX {version}")));
    about.extend(environment.target.map(|target| target.name.to_owned()));
    if diagnostics.is_empty() {
        about.extend(contents(&snapshot));
    }
    let summary = if about.is_empty() { String::new() } else { format!(" ({})", about.join(", ")) };
    let rope = snapshot.rope().clone();
    let report = Report { diagnostics: diagnostics.clone(), environment };
    let fixes = move |index| {
        let actions = ptx_ide::of_diagnostic(&snapshot, &report, index).into_iter().take(MAX_FIXES);
        actions.map(|action| action.edits).collect()
    };
    Ok(Checked { rope, diagnostics, summary, hidden, fixes: Box::new(fixes) })
}

/// The number of kernels, functions and instructions.
fn contents(snapshot: &Snapshot) -> Vec<String> {
    let symbols = ptx_ide::module_symbols(snapshot);
    let count = |kind| symbols.iter().filter(|symbol| symbol.kind == kind).count();
    let counted = [
        (count(SymbolKind::Kernel), "kernel"),
        (count(SymbolKind::Function), "function"),
        (snapshot.roots().map(instructions).sum(), "instruction"),
    ];
    counted.into_iter().filter(|(n, _)| *n > 0).map(|(n, what)| plural(n, what)).collect()
}

/// The number of instructions below a node.
fn instructions(root: Node<'_>) -> usize {
    let (mut cursor, wanted, mut count) = (root.walk(), kinds().instruction, 0);
    loop {
        let found = cursor.node().kind_id() == wanted;
        count += usize::from(found);
        if !found && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return count;
            }
        }
    }
}

fn host(
    input: &InputText,
    language: Language,
    target: Option<&'static TargetInfo>,
    mut levels: DiagnosticLevels,
    context: &CallContext<'_>,
) -> Result<Checked, String> {
    let targets = match target {
        Some(target) => HostTargets::forced(TargetSet::named([target.name], None)?),
        None => HostTargets::default(),
    };
    host_levels(&mut levels);
    let mut checker = HostChecker::default();
    let found = findings::of_host(&input.text, language, targets.clone(), &levels, &mut checker, context.cancelled);
    if (context.cancelled)() {
        return Err(cancelled());
    }
    let rope = Rope::from_str(&input.text);
    let Some(HostFindings { host, diagnostics }) = found else {
        return Ok(Checked {
            rope,
            diagnostics: Vec::new(),
            summary: ", because no string in it has PTX".to_owned(),
            hidden: 0,
            fixes: Box::new(|_| Vec::new()),
        });
    };
    let statements: usize = host.groups().iter().map(|placed| placed.group.statements.len()).sum();
    let summary = format!(" ({} with PTX)", plural(statements, "statement"));
    let shown = diagnostics.clone();
    let fixes = move |index: usize| {
        let diagnostic: &Diagnostic = &shown[index];
        // The fixes of the statement come with the diagnostic; those of PTX are searched for.
        if diagnostic.code().name().starts_with("asm-") {
            let replacement = |edit: &FixEdit| match edit {
                FixEdit::Replace(range, text) => Some(TextEdit { range: range.clone(), text: text.clone() }),
                _ => None,
            };
            let fixes = diagnostic.fixes.iter().take(MAX_FIXES);
            return fixes.map(|fix| fix.edits.iter().filter_map(replacement).collect()).collect();
        }
        let placed = group_at(host.groups(), diagnostic.range.start).and_then(|(group, _)| host.groups().get(group));
        let Some(placed) = placed.filter(|placed| is_ptx(&placed.group)) else { return Vec::new() };
        let range = diagnostic.range.start - placed.start..diagnostic.range.end - placed.start;
        let results =
            HostChecker::new(targets.clone()).check(std::slice::from_ref(placed), &|| false).unwrap_or_default();
        let view = GroupView::new(&placed.group, results.first().and_then(|result| result.target));
        let found = answers::fixes(&view, &range, &targets.of(&placed.group.targets));
        let mine = found.into_iter().filter(|action| action.diagnostic == (range.clone(), diagnostic.code()));
        let moved = |edit: &ptx_host::HostEdit| TextEdit {
            range: edit.span.start + placed.start..edit.span.end + placed.start,
            text: edit.text.clone(),
        };
        mine.take(MAX_FIXES).map(|action| action.edits.iter().map(moved).collect()).collect()
    };
    Ok(Checked { rope, diagnostics, summary, hidden: 0, fixes: Box::new(fixes) })
}

/// The indices of the diagnostics to show, in text order: the most severe ones if there are too many.
fn most_severe(diagnostics: &[Diagnostic], max: usize) -> Vec<usize> {
    let mut all: Vec<usize> = (0..diagnostics.len()).collect();
    if all.len() > max {
        all.sort_by_key(|index| rank(diagnostics[*index].severity));
        all.truncate(max);
        all.sort_unstable();
    }
    all
}

fn rank(severity: Severity) -> usize {
    match severity {
        Severity::Error => 0,
        Severity::Warning => 1,
        Severity::Information | Severity::Hint => 2,
    }
}

fn plural(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// The number of diagnostics by severity.
fn counts(diagnostics: &[Diagnostic]) -> String {
    let count = |wanted| diagnostics.iter().filter(|d| rank(d.severity) == wanted).count();
    let counted = [(count(0), "error"), (count(1), "warning"), (count(2), "hint")];
    let parts: Vec<String> = counted.into_iter().filter(|(n, _)| *n > 0).map(|(n, what)| plural(n, what)).collect();
    if parts.is_empty() { "nothing found".to_owned() } else { parts.join(", ") }
}

/// A finding with its help, its related places and its fixes.
///
/// `explained` are the codes with the help that earlier findings had: it is not repeated.
fn finding<'d>(
    rope: &Rope,
    d: &'d Diagnostic,
    fixes: &[ShownFix],
    explained: &mut HashSet<(&'d str, Option<String>)>,
    out: &mut String,
) {
    let (severity, code) = (d.severity.name(), d.finding.name());
    let _ =
        writeln!(out, "{} {severity}[{code}] {}", positions::range(rope, &d.range), cut::one_line(&d.message(), 600));
    let help = d.help();
    if explained.insert((code, help.clone())) {
        // A fix says the same in fewer words.
        if let Some(help) = help.filter(|_| fixes.iter().all(Vec::is_empty)) {
            let _ = writeln!(out, "  help: {}", cut::one_line(&help, 300));
        }
        for related in d.related.iter().take(MAX_RELATED) {
            let place = positions::at(rope, related.range.start);
            let _ = writeln!(out, "  {place}: {}", cut::one_line(related.message(), 200));
        }
    }
    let is_shown = |fix: &&ShownFix| !fix.is_empty() && fix.iter().all(|edit| edit.text.len() <= MAX_REPLACEMENT);
    for (index, fix) in fixes.iter().filter(is_shown).enumerate() {
        let word = if index == 0 { "fix" } else { "or" };
        let edits: Vec<String> = fix.iter().map(|edit| shown(rope, edit)).collect();
        let _ = writeln!(out, "  {word}: {}", edits.join(" and "));
    }
}

/// An edit as an instruction: `replace 3:5-3:8 by "add"`.
fn shown(rope: &Rope, edit: &TextEdit) -> String {
    let TextEdit { range, text } = edit;
    // As a string of JSON, with its escapes.
    let quoted = || json!(text).to_string();
    if range.is_empty() {
        format!("insert {} at {}", quoted(), positions::at(rope, range.start))
    } else if text.is_empty() {
        format!("delete {}", positions::range(rope, range))
    } else {
        format!("replace {} by {}", positions::range(rope, range), quoted())
    }
}

/// A line about the findings that are not shown.
fn more(diagnostics: &[Diagnostic], shown: &[usize], out: &mut String) {
    let rest: Vec<Diagnostic> = diagnostics
        .iter()
        .enumerate()
        .filter(|(index, _)| shown.binary_search(index).is_err())
        .map(|(_, d)| d.clone())
        .collect();
    if rest.is_empty() {
        return;
    }
    let _ = writeln!(out, "and {} more ({}); `max` lists more", rest.len(), counts(&rest));
}
