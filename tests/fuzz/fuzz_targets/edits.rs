//! Edits applied one by one, with a check after each, end in the findings of a fresh check. The first line is the text with
//! `|` for line ends, each further line an edit: two numbers and what is put between them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ptx_analysis::Analyzer;
use ptx_syntax::{Document, Snapshot};

fuzz_target!(|input: &str| {
    let mut lines = input.lines();
    let mut document = Document::new(&lines.next().unwrap_or("").replace('|', "\n"));
    let mut analyzer = Analyzer::default();
    for line in lines.take(16) {
        let mut parts = line.splitn(3, ' ');
        let mut number = || parts.next().and_then(|n| n.parse::<usize>().ok()).unwrap_or(0);
        let (start, length) = (number(), number());
        document.edit(start..start.saturating_add(length), &parts.next().unwrap_or("").replace('|', "\n"));
        analyzer.analyze(&document.snapshot());
    }
    let snapshot = document.snapshot();
    let fresh = Analyzer::default().analyze(&Snapshot::new(&snapshot.rope().to_string()));
    assert_eq!(analyzer.analyze(&snapshot).diagnostics, fresh.diagnostics);
});
