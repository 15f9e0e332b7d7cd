//! What is expected of the register usage of every function of some files, one line each, for measuring it against the assembler.
//!
//! `cargo run --release -p ptx-check --example registers -- [--target sm_90] FILE…` prints file, function, target, then `name=value`.

// A tool for those who work on this project reads what its arguments name.
#![allow(clippy::disallowed_methods)]

use ptx_check::Analyzer;
use ptx_flow::registers::estimate::FunctionFeatures;
use ptx_flow::registers::report;
use ptx_syntax::Snapshot;
use std::time::{Duration, Instant};

fn main() {
    let mut arguments = std::env::args().skip(1).peekable();
    let target = (arguments.peek().map(String::as_str) == Some("--target")).then(|| arguments.nth(1)).flatten();
    let (mut spent, mut findings, mut instructions) = (Duration::ZERO, Duration::ZERO, 0);
    for path in arguments {
        let Ok(bytes) = std::fs::read(&path) else {
            eprintln!("cannot read {path}");
            continue;
        };
        let snapshot = Snapshot::new(&String::from_utf8_lossy(&bytes));
        let mut analyzer = Analyzer::default();
        analyzer.keep_facts();
        if let Err(name) = analyzer.set_target(target.as_deref()) {
            return eprintln!("{name} is not a target");
        }
        let checked = analyzer.analyze(&snapshot);
        let mut alone = Analyzer::default();
        let _ = alone.set_target(target.as_deref());
        alone.analyze(&snapshot);
        let begin = Instant::now();
        let _ = alone.lints(&snapshot, &|| false);
        findings += begin.elapsed();
        let begin = Instant::now();
        let _ = analyzer.lints(&snapshot, &|| false);
        let facts = analyzer.facts();
        spent += begin.elapsed();
        let used = checked.environment.target;
        for kernel in report(&snapshot, &facts, used) {
            let usage = kernel.facts.usage();
            let values = usage.demand.shape.values();
            let shape = FunctionFeatures::NAMES.iter().zip(values).map(|(name, value)| format!("{name}={value}"));
            instructions += kernel.facts.count();
            println!(
                "{path}\t{}\t{}\tkernel={}\tregisters={}\tlow={}\thigh={}\tbound={}\tcalls_take={}\tleast={}\tsettled={}\t{}",
                kernel.name,
                used.map_or("", |t| t.name),
                u8::from(kernel.kernel),
                kernel.registers,
                kernel.likely.start(),
                kernel.likely.end(),
                kernel.limit.registers,
                kernel.calls,
                kernel.least,
                u8::from(kernel.settled),
                shape.collect::<Vec<_>>().join("\t"),
            );
        }
    }
    let rate =
        |time: Duration| time.as_secs_f64() * 1e8 / f64::from(u32::try_from(instructions).unwrap_or(u32::MAX).max(1));
    eprintln!(
        "{instructions} instructions; for 100,000 of them the second pass takes {:.0} ms, without facts and registers {:.0} ms",
        rate(spent),
        rate(findings)
    );
}
