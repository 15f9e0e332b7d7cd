//! Compares what is said of addresses with runs of real files, with guessed launches:
//! `cargo run --release -p ptx-tests --example address_claims -- FOLDER…`

#[path = "../tests/it/address_claims/check.rs"]
mod check;

use check::{Tally, all_addresses, module};
use ptx_interp::launch::Launch;
use std::path::PathBuf;
use std::time::Instant;

/// The maximum number of warp instructions of a run.
const LIMIT: u64 = 20_000;

fn main() {
    let mut waiting: Vec<PathBuf> = std::env::args().skip(1).map(PathBuf::from).collect();
    let mut files = Vec::new();
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            waiting.extend(std::fs::read_dir(path).into_iter().flatten().flatten().map(|e| e.path()));
        } else if path.extension().is_some_and(|e| e == "ptx") {
            files.push(path);
        }
    }
    files.sort();
    let mut tally = Tally::default();
    let mut slowest: Vec<(f64, String)> = Vec::new();
    for path in &files {
        let Ok(text) = std::fs::read_to_string(path) else { continue };
        let module = module(&text);
        let begin = Instant::now();
        let facts = all_addresses(&module);
        let name = path.display().to_string();
        slowest.push((begin.elapsed().as_secs_f64(), format!("{name}, {} bytes", text.len())));
        tally.count(&facts);
        let kernels: Vec<String> = module.kernels().map(str::to_owned).take(8).collect();
        for kernel in kernels {
            let launch = Launch { entry: kernel.as_str().into(), ..Launch::default() };
            tally.run(&name, &module, &facts, launch, LIMIT);
        }
    }
    slowest.sort_by(|a, b| b.0.total_cmp(&a.0));
    println!("{} files: {}", files.len(), tally.summary());
    let total: f64 = slowest.iter().map(|s| s.0).sum();
    println!("analysis {total:.2} s in all; the slowest files:");
    for (seconds, name) in slowest.iter().take(5) {
        println!("  {seconds:.3} s {name}");
    }
    for contradiction in &tally.contradictions {
        println!("{contradiction}");
    }
    std::process::exit(i32::from(!tally.contradictions.is_empty()));
}
