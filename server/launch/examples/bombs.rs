//! Prints for each kernel of the test `bombs` how much work, processor time and memory its run took, each in a process of its own.
//!
//! `cargo run --release -p ptx-launch --example bombs [NAME]`

// It reads what the system says of its own process.
#![allow(clippy::disallowed_methods)]

#[path = "../tests/bombs/mod.rs"]
mod bombs;

use bombs::{BOMBS, Bomb};
use ptx_interp::machine::Settings;
use std::process::Command;
use std::time::{Duration, Instant};

/// Set for the process that runs one kernel: its index.
const ONE: &str = "BOMB";

fn main() {
    if let Some(index) = std::env::var(ONE).ok().and_then(|index| index.parse::<usize>().ok()) {
        return BOMBS.get(index).map_or((), run);
    }
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    println!(
        "{:44} {:>9} {:>11} {:>11} {:>7} {:>6} {:>8} {:>8}",
        "", "end", "steps", "effort", "s", "ns", "counted", "peak"
    );
    let Ok(program) = std::env::current_exe() else { return };
    for (index, bomb) in BOMBS.iter().enumerate() {
        if wanted.is_empty() || wanted.iter().any(|name| bomb.name.contains(name.as_str())) {
            let done = Command::new(&program).env(ONE, index.to_string()).status();
            if !done.is_ok_and(|status| status.success()) {
                println!("{:44} failed", bomb.name);
            }
        }
    }
}

/// Runs a kernel and prints its figures.
fn run(bomb: &Bomb) {
    let begin = Instant::now();
    let done = bomb.run(Settings::default(), Some(Duration::from_secs(60)));
    let cpu = processor_seconds().unwrap_or(begin.elapsed().as_secs_f64());
    let machine = &done.run.machine;
    let work = machine.steps + machine.effort;
    let end = match done.limit {
        Some(limit) => limit.name(),
        None => done.run.status.name(),
    };
    let kinds: Vec<&str> = done.faults().iter().map(|fault| fault.kind.name()).collect();
    println!(
        "{:44} {end:>9} {:>11} {:>11} {cpu:>7.2} {:>6.0} {:>6} M {:>6} M {}",
        bomb.name,
        machine.steps,
        work,
        cpu * 1e9 / work as f64,
        machine.kept >> 20,
        peak().unwrap_or(0) >> 20,
        kinds.join(" ")
    );
}

/// Processor time of this process in seconds.
fn processor_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<&str> = stat.rsplit(')').next()?.split_whitespace().collect();
    let ticks: u64 = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
    Some(ticks as f64 / 100.0)
}

/// The most memory that this process has held, in bytes.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib << 10)
}
