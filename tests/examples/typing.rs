//! Measures how often a diagnostic is shown that the next keys remove: the program types kernels key by key.
//!
//! `cargo run --release -p ptx-tests --example typing -- [--at-once] [--pause MS] [FILE…]`
//!
//! Without files it types those in `tests/kernels`. `--at-once`: no diagnostic is delayed, as with
//! `diagnostics.holdBack` off. `--pause`: how long the user pauses after each line.

use ptx_tests::typing::{Counts, Mode, declares, instructs, lines, retype_line, type_whole};
use std::path::{Path, PathBuf};
use std::time::Duration;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (mut files, mut holds, mut pause) = (Vec::new(), true, Duration::ZERO);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--at-once" => holds = false,
            "--pause" => {
                pause = arguments.next().and_then(|n| n.parse().ok()).map(Duration::from_millis).expect("--pause MS")
            }
            _ => files.push(PathBuf::from(argument)),
        }
    }
    if files.is_empty() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels");
        let all = std::fs::read_dir(folder).expect("kernels").map(|e| e.expect("an entry").path());
        files.extend(all.filter(|p| p.extension().is_some_and(|e| e == "ptx")));
        files.sort();
    }
    let texts: Vec<String> = files.iter().map(|f| std::fs::read_to_string(f).expect("a readable file")).collect();
    println!(
        "| mode | states | any error | on the line that is typed | on another line | > 1 line away | most at a time | warnings elsewhere |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for (name, mode) in [("A: typed from top to bottom", Mode::Plain), ("B: the same, brackets closed", Mode::Closed)] {
        report(name, texts.iter().map(|text| type_whole(text, mode, holds, pause)));
    }
    let retyped = |wanted: fn(&str) -> bool| {
        texts.iter().flat_map(move |text| {
            let lines = lines(text).filter(move |line| wanted(&text[line.clone()]));
            lines.map(move |line| retype_line(text, line, holds))
        })
    };
    report("C: one line deleted and typed again", retyped(|line| !line.trim().is_empty()));
    report("C, instructions", retyped(instructs));
    report("C, declarations", retyped(declares));
}

fn report(name: &str, counts: impl Iterator<Item = Counts>) {
    let mut sum = Counts::default();
    counts.for_each(|c| sum += c);
    let share = |n: usize| n as f64 * 100.0 / sum.states.max(1) as f64;
    println!(
        "| {name} | {} | {:.1} % | {:.1} % | {:.2} % | {:.2} % | {} | {:.1} % |",
        sum.states,
        share(sum.errors),
        share(sum.here),
        share(sum.elsewhere),
        share(sum.far),
        sum.most,
        share(sum.warnings)
    );
}
