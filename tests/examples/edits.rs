//! Measures the time from one keystroke to the diagnostics, without the protocol: `edits FILE [brace|directive]`.
//!
//! With `brace`, a closing brace near the top is missing all the time. With `directive`, there is an unknown directive.

use ptx_check::Analyzer;
use ptx_syntax::Document;
use ptx_tests::generate::Random;
use std::time::{Duration, Instant};

/// The CPU time of this thread, which other processes do not affect; the wall-clock time if the system does not report
/// it.
fn computed(start: Instant) -> Duration {
    let said = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = said.and_then(|s| s.split_whitespace().next()?.parse().ok());
    nanoseconds.map_or_else(|| start.elapsed(), Duration::from_nanos)
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let Some(path) = arguments.next() else {
        eprintln!("usage: edits FILE [brace|directive]");
        std::process::exit(2);
    };
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("{path}: {error}");
            std::process::exit(2);
        }
    };
    let mut document = Document::new(&text);
    let mut analyzer = Analyzer::default();
    analyzer.analyze(&document.snapshot());
    match arguments.next().as_deref() {
        Some("brace") => {
            let at = text.find("\n}").map_or(0, |at| at + 1);
            document.edit(at..at + 1, "");
        }
        Some("directive") => {
            let at = text.find("\n.visible").map_or(0, |at| at + 1);
            document.edit(at..at, ".frobnicate 12, foo\n");
        }
        _ => {}
    }
    let start = Instant::now();
    let report = analyzer.analyze(&document.snapshot());
    println!("first: {:?}, {} findings", start.elapsed(), report.diagnostics.len());
    let origin = Instant::now();
    let mut random = Random::new(7);
    let (mut total, mut parsing) = (Vec::new(), Vec::new());
    for _ in 0..300 {
        let at = random.below(document.rope().len_bytes());
        for (range, new) in [(at..at, "x"), (at..at + 1, "")] {
            let start = computed(origin);
            document.edit(range, new);
            let snapshot = document.snapshot();
            parsing.push(computed(origin) - start);
            let report = analyzer.analyze(&snapshot);
            std::hint::black_box(report.diagnostics.len());
            total.push(computed(origin) - start);
        }
    }
    for (name, mut times) in [("parse", parsing), ("edit to findings", total)] {
        times.sort();
        let at = |p: usize| -> Duration { times[(times.len() - 1) * p / 100] };
        println!("{name}: p50 {:?} p90 {:?} p99 {:?} max {:?}", at(50), at(90), at(99), at(100));
    }
}
