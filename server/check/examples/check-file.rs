//! Prints the findings in files, one a line, and how long it took: `cargo run --release -p ptx-check --example check-file -- FILE…`

// A tool for those who work on this project reads what its arguments name.
#![allow(clippy::disallowed_methods)]

use ptx_check::Analyzer;
use ptx_syntax::Snapshot;
use std::time::Instant;

fn main() {
    for path in std::env::args().skip(1) {
        let text = match std::fs::read(&path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) => {
                eprintln!("{path}: {error}");
                continue;
            }
        };
        let start = Instant::now();
        let snapshot = Snapshot::new(&text);
        let parsed = start.elapsed();
        let mut analyzer = Analyzer::default();
        let report = analyzer.analyze(&snapshot);
        let checked = start.elapsed() - parsed;
        let again = Instant::now();
        analyzer.analyze(&snapshot);
        let again = again.elapsed();
        let start = Instant::now();
        let lints = analyzer.lints(&snapshot, &|| false).unwrap_or_default();
        let linted = start.elapsed();
        for d in report.diagnostics.iter().chain(&lints) {
            let line = snapshot.rope().byte_to_line(d.range.start.min(snapshot.rope().len_bytes())) + 1;
            let help = d.help().map_or(String::new(), |h| format!(" ({h})"));
            println!("{path}:{line}: {:?}[{}] {}{help}", d.severity, d.code(), d.message());
            for related in &d.related {
                let line = snapshot.rope().byte_to_line(related.range.start.min(snapshot.rope().len_bytes())) + 1;
                println!("    {path}:{line}: {}", related.message());
            }
        }
        eprintln!(
            "{path}: parse {parsed:?}, check {checked:?}, again {again:?}, lints {linted:?}, {} findings",
            report.diagnostics.len() + lints.len()
        );
    }
}
