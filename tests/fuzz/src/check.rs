//! Checks any text, and makes every editor request at some positions. Nothing may panic, and all returned ranges must
//! be inside the text.

use crate::bytes::{boundary, split};
use ptx_check::execution::CheckedProgram;
use ptx_check::{Analyzer, Report};
use ptx_flow::registers::Figures;
use ptx_ide::{
    CompletionOptions, Defaults, HintOptions, LensOptions, OutlineSymbol, PressureHints, TextEdit, apply, assists,
    callables, code_actions, code_lenses, completion, declaration, definition, document_symbols, documentation,
    explain, fix_all, folds, function_pressure, held_values, highlights, hover, implementation, incoming_calls,
    inlay_hints, links, matrices_in, module_symbols, nearest, outgoing_calls, prepare_rename, references_at, rename,
    resolve_lens, selections, semantic_tokens, signature_help, source_position,
};
use ptx_syntax::Snapshot;
use std::cell::Cell;
use std::ops::Range;

/// Number of positions per text.
const PLACES: usize = 6;

/// Checks a text, and makes requests at positions in it.
pub fn run(data: &[u8]) {
    let (text, mut bytes) = split(data);
    let snapshot = Snapshot::new(&text);
    let sound = |range: &Range<usize>| {
        assert!(text.get(range.clone()).is_some(), "{range:?} does not lie in\n{text}");
    };
    let mut analyzer = Analyzer::default();
    analyzer.keep_addresses();
    let report = analyzer.analyze(&snapshot);
    let lints = analyzer.lints(&snapshot, &|| false).expect("nobody cancels");
    for finding in report.diagnostics.iter().chain(&lints) {
        sound(&finding.range);
        finding.related.iter().for_each(|r| sound(&r.range));
        assert!(!finding.message().is_empty(), "{finding:?}");
    }
    let figures = Figures::default().next(&snapshot, &analyzer.facts(), report.environment.target);
    let _ = CheckedProgram::of(&snapshot, &report.diagnostics);
    document(&text, &snapshot, &figures);
    // Every second position is at a diagnostic, because fixes are offered there.
    for place in 0..PLACES {
        let offset = match report.diagnostics.get(place / 2) {
            Some(finding) if place % 2 == 1 => finding.range.start + usize::from(bytes.byte() & 7),
            _ => bytes.below(text.len() + 3),
        };
        at(&text, &snapshot, &figures, offset);
        if place % 2 == 1 {
            actions(&text, &snapshot, &report, offset);
        }
    }
    // Collecting all fixes takes longer than everything else, so cancel it after a few steps.
    let patience = Cell::new(3_i32);
    let (edits, _) = fix_all(&snapshot, &report, &|| patience.replace(patience.get() - 1) == 0);
    in_text(&text, &edits);
    let _ = Snapshot::new(&apply(&text, &edits));
}

fn in_text(text: &str, edits: &[TextEdit]) {
    assert!(edits.iter().all(|e| text.get(e.range.clone()).is_some()), "{edits:?} of\n{text}");
}

/// Makes the requests about a whole document.
fn document(text: &str, snapshot: &Snapshot, figures: &Figures) {
    let inside = |range: &Range<usize>| assert!(text.get(range.clone()).is_some(), "{range:?} does not lie in\n{text}");
    let options = HintOptions {
        defaults: Defaults::All,
        offsets: true,
        types: true,
        registers: PressureHints::All,
        ..HintOptions::default()
    };
    for hint in inlay_hints(snapshot, 0..text.len(), &options, figures) {
        assert!(text.is_char_boundary(hint.offset) && !hint.text().is_empty(), "{hint:?}\n{text}");
        in_text(text, &hint.edits);
    }
    let all = LensOptions { calls: true, uses: true, branches: true, registers: true, evaluate: true };
    for lens in code_lenses(snapshot, &all) {
        inside(&lens.range);
        let _ = resolve_lens(snapshot, lens.kind, lens.range.start, figures);
    }
    let tokens = semantic_tokens(snapshot, None);
    tokens.iter().for_each(|t| inside(&t.range));
    assert!(tokens.windows(2).all(|t| t[0].range.end <= t[1].range.start), "{tokens:?}\n{text}");
    symbols(text, &document_symbols(snapshot));
    symbols(text, &module_symbols(snapshot));
    folds(snapshot).iter().for_each(|f| inside(&f.range));
    links(snapshot).iter().for_each(|l| inside(&l.range));
    let _ = matrices_in(snapshot, 0..text.len());
}

fn symbols(text: &str, found: &[OutlineSymbol]) {
    for s in found {
        assert!(text.get(s.range.clone()).is_some() && !s.name.is_empty(), "{s:?}\n{text}");
        assert!(s.range.start <= s.selection.start && s.selection.end <= s.range.end, "{s:?}\n{text}");
        symbols(text, &s.children);
    }
}

/// Makes the requests about one position.
fn at(text: &str, snapshot: &Snapshot, figures: &Figures, offset: usize) {
    let inside = |range: &Range<usize>| {
        assert!(text.get(range.clone()).is_some(), "{offset}: {range:?} does not lie in\n{text}")
    };
    if let Some(found) = hover(snapshot, offset, Some(figures)) {
        assert!(found.range.start <= offset && offset <= found.range.end, "{offset}: {found:?}\n{text}");
        inside(&found.range);
    }
    for found in [definition(snapshot, offset), declaration(snapshot, offset), implementation(snapshot, offset)] {
        for target in found.iter().flat_map(|f| &f.targets) {
            inside(&target.range);
            inside(&target.selection);
        }
    }
    highlights(snapshot, offset).iter().for_each(|r| inside(&r.range));
    references_at(snapshot, offset).iter().for_each(|r| inside(&r.range));
    selections(snapshot, offset).iter().for_each(inside);
    let _ = (
        source_position(snapshot, offset),
        held_values(snapshot, figures, offset),
        function_pressure(snapshot, figures, None, offset..offset + 9),
    );
    for found in callables(snapshot, offset) {
        let calls = [incoming_calls(snapshot, &found.name), outgoing_calls(snapshot, &found.name)].concat();
        calls.iter().flat_map(|c| &c.places).for_each(inside);
    }
    if let Ok(found) = prepare_rename(snapshot, offset) {
        inside(&found.range);
        if let Ok(renaming) = rename(snapshot, offset, "%other_") {
            in_text(text, &renaming.edits);
        }
    }
    let found = completion(snapshot, offset, CompletionOptions::default());
    inside(&found.insert);
    inside(&found.replace);
    assert!(found.insert.end <= found.replace.end && found.insert.start == found.replace.start, "{offset}\n{text}");
    for item in found.items.iter().take(4) {
        let _ = documentation(snapshot, &item.topic);
    }
    if let Some(help) = signature_help(snapshot, offset) {
        assert!(help.active < help.signatures.len(), "{offset}\n{text}");
        let sound =
            |s: &ptx_ide::InstructionSignature| s.parameters.iter().all(|p| s.label.get(p.range.clone()).is_some());
        assert!(help.signatures.iter().all(sound), "{offset}\n{text}");
    }
    let start = boundary(text, offset);
    let word: String = text[start..].chars().take_while(|c| !c.is_whitespace()).take(40).collect();
    let _ = (explain(&word), nearest(&word));
}

/// Requests the assists and fixes at a position.
fn actions(text: &str, snapshot: &Snapshot, report: &Report, offset: usize) {
    for assist in assists(snapshot, offset..offset + 5) {
        assert!(assist.edits.is_empty() == assist.disabled.is_some(), "{assist:?}\n{text}");
        in_text(text, &assist.edits);
    }
    for action in code_actions(snapshot, report, offset..offset + 2, &|| false) {
        in_text(text, &action.edits);
        let touching = action.edits.windows(2).any(|e| e[0].range.end > e[1].range.start);
        assert!(!touching, "{action:?}\n{text}");
    }
}
