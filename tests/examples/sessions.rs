//! Random edits in many sessions, each compared with a fresh check: `sessions SEED EDITS FILE…`.
//!
//! Half of the sessions remove and restore lines, declarations as often as their uses. The others insert, delete and
//! move arbitrary text. Texts are parsed as a whole and in small chunks. The program panics at the first difference in
//! diagnostics, lints or register reports.

use ptx_tests::generate::Random;
use ptx_tests::sessions::{scribble, toggle};
use std::time::Instant;

/// Number of edits per session.
const STEPS: usize = 200;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut number = || arguments.next().and_then(|n| n.parse::<usize>().ok());
    let (Some(seed), Some(most)) = (number(), number()) else {
        eprintln!("usage: sessions SEED EDITS FILE…");
        std::process::exit(2);
    };
    let read = |path: String| Some(std::fs::read_to_string(path).ok()?.replace("\r\n", "\n"));
    let texts: Vec<String> = arguments.filter_map(read).filter(|text| !text.is_empty()).collect();
    let mut random = Random::new(seed as u64 * 2 + 1);
    let (mut edits, mut sessions) = (0, 0);
    let begin = Instant::now();
    while edits < most {
        let text = &texts[random.below(texts.len())];
        let chunks = [None, Some(300), Some(3_000)][random.below(3)];
        let session = if sessions % 2 == 0 { toggle } else { scribble };
        edits += session(text, chunks, STEPS, &mut random);
        sessions += 1;
        if sessions % 50 == 0 {
            println!("{edits} edits, {sessions} sessions, {:.0} s", begin.elapsed().as_secs_f64());
        }
    }
    println!("{edits} edits in {sessions} sessions, {:.0} s: no difference", begin.elapsed().as_secs_f64());
}
