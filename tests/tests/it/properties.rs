//! Properties of any text: an incremental check reports the same as a fresh one, and nothing panics.

use ptx_check::{Analyzer, Diagnostic, Report, Severity};
use ptx_syntax::{Document, Outline, ParsedPart, PlainKind, Snapshot};
use ptx_tests::generate::Random;
use std::fs;
use std::path::Path;

/// Texts to insert: complete statements, parts of statements, brackets, other alphabets, line ends.
const PIECES: &[&str] = &[
    "add.u32 %r1, %r2, 3;\n",
    "x",
    ";",
    "{",
    "}",
    "(",
    "[",
    ".",
    "%r<10>",
    ".reg .b32 %q<4>;\n",
    "\r\n",
    "\"",
    "/*",
    "*/",
    "\n# 1 \"a\"\n",
    "//",
    "ß",
    "𝒳",
    "L1:\n",
    "bra L1;",
    ".visible .entry k2()\n{\nret;\n}\n",
    "@%p1 ",
    ".version 9.0\n",
    ".u32",
    "::",
    "0f3F",
    "\u{0}",
    ".extern .func g(.param .b32 a);\n",
    ".func f(.param .b64 a) { ret; }\n",
    "call g, (4);\n",
    "one: .callprototype _ (.param .b32 _);\n",
    ".noreturn",
    ".reg .b32 one;\n",
    ".alias f, g;\n",
];

fn samples() -> Vec<String> {
    samples_of(&["kernels", "fixtures/calls"])
}

fn samples_of(folders: &[&str]) -> Vec<String> {
    let folders = folders.iter().map(|f| Path::new(env!("CARGO_MANIFEST_DIR")).join(f));
    let files = folders.flat_map(|f| fs::read_dir(f).expect("a folder of samples"));
    let mut paths: Vec<_> = files.flatten().map(|e| e.path()).collect();
    paths.sort();
    paths.retain(|p| p.extension().is_some_and(|e| e == "ptx"));
    paths.iter().map(|p| fs::read_to_string(p).expect("a kernel")).collect()
}

fn fresh(text: &str) -> Report {
    Analyzer::default().analyze(&Snapshot::new(text))
}

/// Fails at the first difference.
fn assert_same(remembered: &[Diagnostic], fresh: &[Diagnostic], text: &str) {
    let length = remembered.len().max(fresh.len());
    if let Some(at) = (0..length).find(|i| remembered.get(*i) != fresh.get(*i)) {
        panic!("remembered {:#?}\nfresh {:#?}\nin\n{text}", remembered.get(at), fresh.get(at));
    }
}

/// A random edit near character boundaries.
fn edit(document: &mut Document, random: &mut Random) {
    let len = document.rope().len_bytes();
    let start = random.below(len + 1);
    let end = (start + if random.below(3) == 0 { random.below(40) } else { 0 }).min(len);
    document.edit(start..end, PIECES[random.below(PIECES.len())]);
}

#[test]
fn checking_step_by_step_finds_what_checking_afresh_finds() {
    let mut random = Random::new(11);
    for sample in samples() {
        let mut document = Document::new(&sample);
        let mut analyzer = Analyzer::default();
        for _ in 0..40 {
            edit(&mut document, &mut random);
            let snapshot = document.snapshot();
            let report = analyzer.analyze(&snapshot);
            let text = snapshot.rope().to_string();
            assert_same(&report.diagnostics, &fresh(&text).diagnostics, &text);
        }
    }
}

#[test]
fn a_large_text_is_checked_step_by_step_like_a_fresh_one() {
    let mut random = Random::new(12);
    let samples = samples();
    for (index, sample) in samples.iter().enumerate() {
        let text = format!("{sample}\n{}\n{sample}", samples[(index + 1) % samples.len()]);
        // Small chunks, so that this short text is split. The chunk size must affect only the speed.
        let mut document = Document::with_chunk_size(&text, 1, 300);
        let mut analyzer = Analyzer::default();
        for _ in 0..8 {
            edit(&mut document, &mut random);
            let snapshot = document.snapshot();
            let report = analyzer.analyze(&snapshot);
            let text = snapshot.rope().to_string();
            let fresh = Analyzer::default().analyze(&Snapshot::with_chunk_size(&text, 2, 300));
            assert_same(&report.diagnostics, &fresh.diagnostics, &text);
        }
    }
}

#[test]
fn a_function_without_its_brace_leaves_the_others_alone() {
    let kernel =
        |name: &str| format!(".visible .entry {name}()\n{{\n    .reg .b32 %r<3>;\n    mov.u32 %r1, %r9;\n}}\n\n");
    let text = format!(".version 8.0\n.target sm_80\n.address_size 64\n{}{}{}", kernel("a"), kernel("b"), kernel("c"));
    let mut document = Document::with_chunk_size(&text, 1, 60);
    let mut analyzer = Analyzer::default();
    assert_eq!(analyzer.analyze(&document.snapshot()).diagnostics.len(), 3, "%r9 is not declared");
    let brace = text.find("}\n\n.visible .entry b").expect("the end of the first");
    document.edit(brace..brace + 1, "");
    // Edits elsewhere do not change the errors.
    for step in 0..3 {
        let found = analyzer.analyze(&document.snapshot()).diagnostics;
        assert_eq!(found.len(), 4, "{found:#?}");
        let open = found.iter().find(|d| d.message().contains("the next function begins")).expect("the brace");
        assert_eq!(open.range.end, brace - 1, "behind the last statement");
        let end = document.rope().len_bytes() - 3 - step;
        document.edit(end..end, " ");
    }
    // Now no function follows.
    let others = document.rope().to_string().find(".visible .entry b").expect("the second");
    document.edit(others..usize::MAX, "");
    let found = analyzer.analyze(&document.snapshot()).diagnostics;
    assert!(found.iter().any(|d| d.message() == "a `}` is missing at the end"), "{found:#?}");
}

#[test]
fn a_brace_too_many_hides_no_label() {
    let functions = |names: &[&str]| -> String {
        let body = "\n{\n    .reg .pred %p;\n    setp.eq.u32 %p, 1, 2;\n    @%p bra after;\n    {\n    ret;\nafter:\n    ret;\n}\n";
        names.iter().map(|name| format!(".visible .entry {name}(){body}")).collect()
    };
    for (names, least) in [(&["a"][..], usize::MAX), (&["a"], 20), (&["a", "b"], 20)] {
        let text = format!(".version 8.0\n.target sm_80\n.address_size 64\n{}", functions(names));
        let found = Analyzer::default().analyze(&Snapshot::with_chunk_size(&text, 1, least)).diagnostics;
        assert_eq!(found.len(), names.len(), "{found:#?}");
        assert!(found.iter().all(|d| d.message().contains("`}` is missing")), "{found:#?}");
    }
}

#[test]
fn lints_step_by_step_are_those_found_afresh() {
    let mut random = Random::new(23);
    for sample in samples() {
        let mut document = Document::new(&sample);
        let mut analyzer = Analyzer::default();
        for step in 0..20 {
            edit(&mut document, &mut random);
            let snapshot = document.snapshot();
            analyzer.analyze(&snapshot);
            // The user continues typing, which cancels the flow lints.
            if step % 3 == 1 {
                let _ = analyzer.lints(&snapshot, &|| true);
                continue;
            }
            let text = snapshot.rope().to_string();
            let found = analyzer.lints(&snapshot, &|| false).expect("not cancelled");
            let fresh = Analyzer::default().lints(&Snapshot::new(&text), &|| false).expect("not cancelled");
            assert_same(&found, &fresh, &text);
            assert!(found.iter().all(|d| d.range.end <= text.len() && d.severity != Severity::Error));
        }
    }
}

#[test]
fn undoing_an_edit_restores_the_findings() {
    let mut random = Random::new(5);
    for sample in samples() {
        let mut document = Document::new(&sample);
        let mut analyzer = Analyzer::default();
        let before = analyzer.analyze(&document.snapshot()).diagnostics;
        for _ in 0..20 {
            let at = random.below(sample.len());
            let at = (0..=at).rev().find(|i| sample.is_char_boundary(*i)).unwrap_or(0);
            let piece = PIECES[random.below(PIECES.len())];
            document.edit(at..at, piece);
            analyzer.analyze(&document.snapshot());
            document.edit(at..at + piece.len(), "");
            assert_eq!(analyzer.analyze(&document.snapshot()).diagnostics, before, "after {piece:?} at {at}");
        }
    }
}

#[test]
fn any_beginning_of_a_file_is_checked_without_panic() {
    for sample in samples() {
        let ends: Vec<usize> = sample.char_indices().map(|(i, _)| i).step_by(37).collect();
        for end in ends {
            for diagnostic in fresh(&sample[..end]).diagnostics {
                assert!(diagnostic.range.start <= diagnostic.range.end, "{diagnostic:?}");
                assert!(!diagnostic.message().is_empty());
            }
        }
    }
}

#[test]
fn lints_right_after_the_check_are_those_of_a_run_of_their_own() {
    let mut random = Random::new(31);
    let mut lints = 0;
    for sample in samples_of(&["kernels", "fixtures/flow"]) {
        let mut document = Document::new(&sample);
        for _ in 0..4 {
            let snapshot = document.snapshot();
            let mut analyzer = Analyzer::default();
            let mut apart = analyzer.analyze(&snapshot).diagnostics;
            let found = analyzer.lints(&snapshot, &|| false).expect("not cancelled");
            lints += found.len();
            apart.extend(found);
            apart.sort_by_key(|d| (d.range.start, d.range.end));
            let mut once = Analyzer::for_one_check();
            // The second check must not depend on the first.
            for _ in 0..2 {
                let together = once.check_with_lints(&snapshot, &|| false).expect("not cancelled");
                assert_same(&together.diagnostics, &apart, &snapshot.rope().to_string());
            }
            edit(&mut document, &mut random);
        }
    }
    assert!(lints > 100, "only {lints} lints");
}

#[test]
fn a_check_in_parts_finds_what_a_check_of_all_finds() {
    let samples = samples_of(&[
        "kernels",
        "fixtures/calls",
        "fixtures/flow",
        "fixtures/declarations",
        "fixtures/recovery",
        "fixtures/header",
    ]);
    let (mut outlined, mut left, mut unparsed) = (0, 0, 0);
    for number in 0..3 * samples.len() {
        let (index, mut random) = (number % samples.len(), Random::new(number as u64));
        let sample = &samples[index];
        let text = format!("{sample}\n{}\n{sample}", samples[(index + 1) % samples.len()]);
        let mut document = Document::with_chunk_size(&text, 1, 300);
        for _ in 0..6 {
            edit(&mut document, &mut random);
            let snapshot = document.snapshot();
            let text = snapshot.rope().to_string();
            // Below twice the size of a chunk the document has one tree, and [`Outline::new`] does not cut either.
            if text.len() < 2 * 300 {
                continue;
            }
            let mut analyzer = Analyzer::for_one_check();
            let whole = analyzer.check_with_lints(&snapshot, &|| false).expect("not cancelled");
            let mut outline = Outline::with_part_size(&text, 1, 200);
            outlined += outline.parts().len();
            unparsed += statements_without_parser(&outline, &text);
            let parts = analyzer.check_outline(&mut outline, &|| false).expect("not cancelled");
            left += outline.parts().len();
            assert_same(&parts.diagnostics, &whole.diagnostics, &text);
            assert_eq!(parts.environment, whole.environment);
        }
    }
    // Some parts have had syntax errors, most have not.
    assert!(left > 500 && outlined > left, "{outlined} parts, {left} of them read once");
    assert!(unparsed > 10_000, "only {unparsed} statements");
}

/// Compares the parts without the statements that need no parser with the complete ones: both have the same statements. Returns the number of
/// those that needed no parser.
fn statements_without_parser(outline: &Outline<'_>, text: &str) -> usize {
    let mut count = 0;
    for part in outline.parts() {
        let Some(ParsedPart::Sound(without, plain)) = outline.parse(part.number) else { continue };
        let Some(ParsedPart::Sound(complete, _)) = outline.parse_all(part.number) else {
            panic!("an error of the whole part is lost in {text}");
        };
        let mut found = statements(&without);
        found.extend(plain.iter().map(|statement| {
            let kind = match statement.kind {
                PlainKind::Instruction => "instruction",
                PlainKind::Label => "label",
                PlainKind::Location => "loc_directive",
            };
            (statement.range.start, statement.range.end, kind)
        }));
        found.sort_unstable();
        assert_eq!(found, statements(&complete), "{text}");
        count += plain.len();
    }
    count
}

/// The start, end and kind of all statements, in order.
fn statements(snapshot: &Snapshot) -> Vec<(usize, usize, &str)> {
    let mut out = Vec::new();
    let mut stack: Vec<_> = snapshot.roots().collect();
    while let Some(node) = stack.pop() {
        for child in node.named_children(&mut node.walk()) {
            let kind = child.kind();
            if kind == "function" || kind == "block" || kind == "section_directive" {
                stack.push(child);
            }
            if matches!(node.kind(), "source_file" | "block" | "section_directive") && kind != "comment" {
                out.push((child.start_byte(), child.end_byte(), kind));
            }
        }
    }
    out.sort_unstable();
    out
}
