//! The reader without a tree and the parser: what both make of a text must be the same.
//!
//! [`difference`] reads a text both ways. [`respaced`](crate::separators::respaced) makes texts on which the two are most likely to differ.

use ptx_check::{Analyzer, Diagnostic, Report};
use ptx_flow::registers;
use ptx_syntax::{Outline, ParsedPart, Snapshot};
use std::fmt::Debug;

/// Everything that a check says of a text.
#[derive(PartialEq)]
struct Findings {
    diagnostics: Vec<Diagnostic>,
    environment: String,
    registers: String,
}

fn findings(snapshot: &Snapshot, analyzer: &Analyzer, report: Report) -> Findings {
    let figures = registers::report(snapshot, &analyzer.facts(), report.environment.target);
    let environment = format!("{:?}", report.environment);
    Findings { diagnostics: report.diagnostics, environment, registers: format!("{figures:?}") }
}

/// The first difference between what the two readers make of a text, in words; `None` if there is none. `min_part` is the smallest part in
/// bytes.
pub fn difference(text: &str, min_part: usize) -> Option<String> {
    let mut outline = Outline::with_part_size(text, 1, min_part);
    for part in outline.parts() {
        let is_sound = |parsed| matches!(parsed, Some(ParsedPart::Sound(..)));
        let (without, complete) = (outline.parse(part.number), outline.parse_all(part.number));
        if is_sound(without) != is_sound(complete) {
            return Some(format!("only one reader finds a syntax error in part {}", part.number));
        }
    }
    let mut analyzer = Analyzer::for_one_check();
    let report = analyzer.check_outline(&mut outline, &|| false)?;
    let without = findings(outline.snapshot(), &analyzer, report);
    let snapshot = Snapshot::with_chunk_size(text, 1, min_part);
    let mut analyzer = Analyzer::for_one_check();
    let report = analyzer.check_with_lints(&snapshot, &|| false)?;
    let with = findings(&snapshot, &analyzer, report);
    if without == with {
        return None;
    }
    let (a, b) = (&without.diagnostics, &with.diagnostics);
    let first = (0..a.len().max(b.len())).find(|index| a.get(*index) != b.get(*index));
    Some(match first {
        Some(index) => between("diagnostics", &a.get(index), &b.get(index)),
        None if without.environment != with.environment => {
            between("version or target", &without.environment, &with.environment)
        }
        None => between("register reports", &without.registers, &with.registers),
    })
}

fn between(what: &str, without: &impl Debug, with: &impl Debug) -> String {
    format!("{what} differ\nwithout a tree: {without:#?}\nwith trees: {with:#?}")
}
