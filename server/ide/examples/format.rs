//! Formats files and tells what must never happen: another token, another text when formatted again, other findings.
//! With `-p`, one file is formatted to standard output instead.

use ptx_analysis::Analyzer;
use ptx_ide::{FormatOptions, Operands, apply_in_order, format};
use ptx_syntax::Snapshot;
use std::io::Write;
use std::time::Instant;

/// The texts of all tokens, comments included.
fn tokens(snapshot: &Snapshot) -> Vec<String> {
    let mut cursor = snapshot.tree().walk();
    let mut out = Vec::new();
    loop {
        if cursor.goto_first_child() {
            continue;
        }
        let text = snapshot.text(cursor.node().byte_range());
        if !text.is_empty() {
            out.push(text.into_owned());
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return out;
            }
        }
    }
}

/// How many findings of each kind there are.
fn findings(snapshot: &Snapshot) -> Vec<(&'static str, String)> {
    Analyzer::default().analyze(snapshot).diagnostics.into_iter().map(|d| (d.code, d.message)).collect()
}

fn main() {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let tabs = FormatOptions { tabs: true, indent: 8, operands: Operands::Run, ..FormatOptions::default() };
    let print = paths.first().is_some_and(|p| p == "-p");
    for path in paths.iter().filter(|p| *p != "-p") {
        let Ok(text) = std::fs::read_to_string(path) else { continue };
        for options in [FormatOptions::default(), tabs.clone()] {
            let before = Snapshot::new(&text);
            let begin = Instant::now();
            let edits = format(&before, &options);
            let spent = begin.elapsed();
            let formatted = apply_in_order(&text, &edits);
            if print {
                let _ = std::io::stdout().write_all(formatted.as_bytes());
                return;
            }
            let after = Snapshot::new(&formatted);
            let again = format(&after, &options);
            let (a, b) = (tokens(&before), tokens(&after));
            if let Some(at) = (0..a.len().max(b.len())).find(|i| a.get(*i) != b.get(*i)) {
                println!("{path}: token {at}: {:?} became {:?}", a.get(at), b.get(at));
            }
            if let Some(edit) = again.first() {
                let line = formatted.get(..edit.range.start).unwrap_or("").lines().count();
                println!("{path}: {} edits again, the first in line {line}: {edit:?}", again.len());
            }
            if text.len() < 1 << 20 && findings(&before) != findings(&after) {
                println!("{path}: other findings");
            }
            if spent.as_millis() > 100 {
                println!("{path}: {} bytes, {} edits, {} ms", text.len(), edits.len(), spent.as_millis());
            }
        }
    }
}
