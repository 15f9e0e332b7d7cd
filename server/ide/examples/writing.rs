//! How long completion and signature help take by themselves, at many places of a file: a character is typed, the text parsed
//! again, and then the clock runs. `cargo run --release -p ptx-ide --example writing -- FILE`

// A tool for those who work on this project reads what its arguments name.
#![allow(clippy::disallowed_methods)]

use ptx_ide::{CompletionOptions, completion, signature_help};
use ptx_syntax::{Document, Snapshot};
use std::time::{Duration, Instant};

/// How many places.
const PLACES: usize = 1000;

type Ask = fn(&Snapshot, usize) -> usize;

/// What is typed, behind which byte, and what is asked then.
const KINDS: [(&str, &str, u8, Ask); 4] = [
    ("completion of a modifier", ".", b'2', complete),
    ("completion of an operand", "%", b' ', complete),
    ("completion of a statement", "a", b'\n', complete),
    ("signature help", "%", b' ', signatures),
];

fn complete(snapshot: &Snapshot, offset: usize) -> usize {
    completion(snapshot, offset, CompletionOptions::default()).items.len()
}

fn signatures(snapshot: &Snapshot, offset: usize) -> usize {
    signature_help(snapshot, offset).map_or(0, |found| found.signatures.len())
}

fn main() {
    let Some(path) = std::env::args().nth(1) else { return eprintln!("usage: writing FILE") };
    let Ok(text) = std::fs::read_to_string(&path) else { return eprintln!("cannot read {path}") };
    let mut document = Document::new(&text);
    // The first one makes the tables that the others share.
    let begin = Instant::now();
    complete(&document.snapshot(), 0);
    println!("the first: {:.2} ms", begin.elapsed().as_secs_f64() * 1e3);
    for (what, typed, behind, ask) in KINDS {
        let (mut times, mut items, mut seed): (Vec<Duration>, usize, usize) = (Vec::new(), 0, 1);
        while times.len() < PLACES {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let from = (seed >> 16) % text.len();
            let Some(at) = text.as_bytes().iter().skip(from).position(|b| *b == behind).map(|n| from + n + 1) else {
                continue;
            };
            document.edit(at..at, typed);
            let snapshot = document.snapshot();
            let begin = Instant::now();
            items += ask(&snapshot, at + typed.len());
            times.push(begin.elapsed());
            document.edit(at..at + typed.len(), "");
        }
        times.sort_unstable();
        let ms = |per_cent: usize| times.get(PLACES * per_cent / 100).map_or(0.0, |t| t.as_secs_f64() * 1e3);
        println!(
            "{what:<28} p50 {:.2}  p90 {:.2}  p99 {:.2} ms, {} items each",
            ms(50),
            ms(90),
            ms(99),
            items / PLACES
        );
    }
}
