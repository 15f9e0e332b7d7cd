//! Declarations change while their uses are away: commented out, cut, in broken text. When the uses return, the remembered diagnostics must
//! not return with them.

use ptx_analysis::{Analyzer, Diagnostic};
use ptx_syntax::{Document, Snapshot};
use ptx_tests::generate::Random;
use std::fs;
use std::path::Path;

/// A document that the tests check after each edit, as an editor does.
struct Session {
    document: Document,
    analyzer: Analyzer,
    text: String,
}

fn both(analyzer: &mut Analyzer, snapshot: &Snapshot) -> Vec<Diagnostic> {
    let mut out = analyzer.analyze(snapshot).diagnostics;
    out.extend(analyzer.lints(snapshot, &|| false).expect("not cancelled"));
    out
}

impl Session {
    fn new(text: &str, pieces: Option<usize>) -> Self {
        let document = match pieces {
            Some(size) => Document::cut(text, 1, size),
            None => Document::new(text),
        };
        let mut out = Self { document, analyzer: Analyzer::default(), text: text.to_owned() };
        both(&mut out.analyzer, &out.document.snapshot());
        out
    }

    /// Replaces the text by one edit and asserts that the diagnostics are those of a fresh check.
    fn becomes(&mut self, text: &str) -> Vec<Diagnostic> {
        let (old, new) = (self.text.as_bytes(), text.as_bytes());
        let start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
        let most = old.len().min(new.len()) - start;
        let end = old.iter().rev().zip(new.iter().rev()).take(most).take_while(|(a, b)| a == b).count();
        self.document.edit(start..old.len() - end, &text[start..text.len() - end]);
        let before = std::mem::replace(&mut self.text, text.to_owned());
        let snapshot = self.document.snapshot();
        assert_eq!(snapshot.rope().to_string(), text);
        let remembered = both(&mut self.analyzer, &snapshot);
        let fresh = both(&mut Analyzer::default(), &snapshot);
        assert_eq!(remembered, fresh, "after\n{before}\nthis, with edits\n{text}");
        remembered
    }
}

/// The diagnostics at the end of a session.
fn codes(steps: &[&str]) -> Vec<&'static str> {
    let head = ".version 8.0\n.target sm_80\n.address_size 64\n";
    let mut session = Session::new(&format!("{head}{}", steps[0]), None);
    let mut found = Vec::new();
    for step in &steps[1..] {
        found = session.becomes(&format!("{head}{step}"));
    }
    found.iter().map(|d| d.code).collect()
}

#[test]
fn a_variable_is_declared_while_its_use_is_a_comment() {
    let kernel = |declared: &str, at: &str| {
        format!(
            "{declared}.visible .entry k(.param .u64 p)\n{{\n.reg .b32 %r<4>;\nmov.u32 %r2, 1;\n{at}ld.global.b32 %r1, [g];\nst.global.b32 [p], %r1;\nret;\n}}\n"
        )
    };
    let (without, with) = ("", ".global .b32 g;\n");
    let found = codes(&[&kernel(without, ""), &kernel(without, "//"), &kernel(with, "//"), &kernel(with, "")]);
    assert!(!found.contains(&"undeclared-name"), "{found:?}");
    // The other way round the error is there.
    let found = codes(&[&kernel(with, ""), &kernel(with, "//"), &kernel(without, "//"), &kernel(without, "")]);
    assert!(found.contains(&"undeclared-name"), "{found:?}");
}

#[test]
fn a_function_gets_another_signature_while_its_call_is_away() {
    let module = |parameters: &str, call: &str| {
        format!(
            ".func f({parameters})\n{{\nret;\n}}\n.visible .entry k()\n{{\n.reg .b32 %r<4>;\nmov.u32 %r1, 2;\n{call}\nret;\n}}\n"
        )
    };
    let (none, one, call) = ("", ".reg .b32 a", "call f, (%r1);");
    let found = codes(&[&module(none, call), &module(none, ""), &module(one, ""), &module(one, call)]);
    assert!(found.is_empty(), "{found:?}");
    let found = codes(&[&module(one, call), &module(one, ""), &module(none, ""), &module(none, call)]);
    assert_eq!(found, ["call-arguments"]);
}

#[test]
fn a_function_appears_while_its_call_stands_in_broken_text() {
    let module = |function: &str, before: &str| {
        format!(
            "{function}.visible .entry k()\n{before}\n.reg .b32 %r<4>;\nmov.u32 %r1, 2;\ncall f, (%r1);\nret;\n}}\n"
        )
    };
    let function = ".func f(.reg .b32 a)\n{\nret;\n}\n";
    for broken in ["", "; {", "/* {", "{ x"] {
        let steps = [&module("", "{"), &module("", broken), &module(function, broken), &module(function, "{")];
        assert_eq!(codes(&steps.map(String::as_str)), Vec::<&str>::new(), "{broken}");
        let steps = [&module(function, "{"), &module(function, broken), &module("", broken), &module("", "{")];
        assert_eq!(codes(&steps.map(String::as_str)).first(), Some(&"undeclared-name"), "{broken}");
    }
}

#[test]
fn an_array_grows_while_its_access_is_away() {
    let module = |length: u32, access: &str| {
        format!(
            ".global .b32 t[{length}];\n.visible .entry k()\n{{\n.reg .b32 %r<4>;\nmov.u32 %r1, 2;\n{access}\nret;\n}}\n"
        )
    };
    let access = "st.global.b32 [t+64], %r1;";
    let found = codes(&[&module(4, access), &module(4, ""), &module(40, ""), &module(40, access)]);
    assert!(found.is_empty(), "{found:?}");
    let found = codes(&[&module(40, access), &module(40, ""), &module(4, ""), &module(4, access)]);
    assert_eq!(found, ["out-of-bounds"]);
}

#[test]
fn a_body_is_cut_and_comes_back() {
    let module = |declared: &str, body: &str| format!("{declared}.visible .entry k()\n{{\n{body}ret;\n}}\n");
    let body = ".reg .b32 %r<4>;\n{\nld.global.b32 %r1, [g];\nst.global.b32 [g], %r1;\n}\n";
    let declared = ".global .b32 g;\n";
    let found = codes(&[&module("", body), &module("", ""), &module(declared, ""), &module(declared, body)]);
    assert!(found.is_empty(), "{found:?}");
    let found = codes(&[&module(declared, body), &module(declared, ""), &module("", ""), &module("", body)]);
    assert_eq!(found, ["undeclared-name", "undeclared-name"]);
}

/// The line as a comment, deleted, or with another type, size or bracket.
fn other_version(line: &str, random: &mut Random) -> String {
    let swaps = [
        (".b32", ".b64"),
        (".u32", ".f32"),
        (".u64", ".u32"),
        ("sm_80", "sm_50"),
        ("7.8", "6.0"),
        ("{", ""),
        ("}", ""),
    ];
    match random.below(5) {
        0 | 1 => format!("//{line}"),
        2 => String::new(),
        3 => line.replace(char::is_numeric, "2"),
        _ => {
            let at = random.below(swaps.len());
            let fitting = swaps.iter().cycle().skip(at).take(swaps.len()).find(|(from, _)| line.contains(from));
            fitting.map_or_else(|| format!("/*{line}*/"), |(from, to)| line.replace(from, to))
        }
    }
}

fn is_declaration(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with('.') || line.starts_with("//.") || line.starts_with('{') || line.starts_with('}')
}

/// Changes and restores random lines: declarations as often as their uses.
fn toggle(text: &str, pieces: Option<usize>, steps: usize, random: &mut Random) {
    let original: Vec<&str> = text.lines().collect();
    let mut lines: Vec<String> = original.iter().map(|l| (*l).to_owned()).collect();
    let of = |declarations: bool| -> Vec<usize> {
        let all =
            original.iter().enumerate().filter(|(_, l)| !l.trim().is_empty() && is_declaration(l) == declarations);
        all.map(|(i, _)| i).collect()
    };
    let (declarations, uses) = (of(true), of(false));
    let mut session = Session::new(text, pieces);
    for _ in 0..steps {
        let from = if random.below(2) == 0 || uses.is_empty() { &declarations } else { &uses };
        let at = from[random.below(from.len())];
        let changed = lines[at] != original[at];
        // At most five lines are away at a time.
        let away: Vec<usize> = (0..lines.len()).filter(|i| lines[*i] != original[*i]).collect();
        if changed || away.len() > 4 {
            let at = if changed { at } else { away[random.below(away.len())] };
            lines[at] = original[at].to_owned();
        } else {
            lines[at] = other_version(original[at], random);
        }
        session.becomes(&(lines.join("\n") + "\n"));
    }
}

#[test]
fn lines_that_go_and_come_back_mean_what_they_mean() {
    let mut random = Random::new(29);
    let folders = ["kernels", "fixtures/calls"].map(|f| Path::new(env!("CARGO_MANIFEST_DIR")).join(f));
    let mut paths: Vec<_> =
        folders.iter().flat_map(|f| fs::read_dir(f).expect("a folder")).flatten().map(|e| e.path()).collect();
    paths.sort();
    paths.retain(|p| p.extension().is_some_and(|e| e == "ptx"));
    for path in paths {
        let text = fs::read_to_string(path).expect("a kernel").replace("\r\n", "\n");
        let steps = if text.len() < 6_000 { 150 } else { 30 };
        toggle(&text, None, steps, &mut random);
        toggle(&text, Some(300), steps / 3, &mut random);
    }
}
