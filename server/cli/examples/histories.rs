//! Random sessions with a real server, each compared with new servers: `histories [--minutes N] [--seed N] [--jobs N] [--server PROGRAM]`.
//!
//! It prints the number of edits and comparisons, and ends at the first difference with the steps that lead to it.

#[path = "../src/allocator.rs"]
mod allocator;
#[path = "../tests/it/client.rs"]
#[allow(dead_code)]
mod client;
#[path = "../tests/it/session.rs"]
mod session;

use session::{Counts, Session};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The number of comparisons in a session.
const COMPARISONS: usize = 12;

fn main() {
    allocator::install();
    let mut arguments = std::env::args().skip(1);
    let (mut minutes, mut seed, mut jobs, mut program) = (30, 1, 2, None);
    while let Some(argument) = arguments.next() {
        let mut number = || arguments.next().and_then(|n| n.parse().ok()).expect("a number");
        match argument.as_str() {
            "--serve" => {
                // This program is also the server, so that nothing else has to be built.
                let orderly = ptx_lsp::run().expect("threads");
                std::process::exit(i32::from(!orderly));
            }
            "--minutes" => minutes = number(),
            "--seed" => seed = number(),
            "--jobs" => jobs = number(),
            "--server" => program = arguments.next(),
            _ => {
                eprintln!("usage: histories [--minutes N] [--seed N] [--jobs N] [--server PROGRAM]");
                std::process::exit(2);
            }
        }
    }
    let server = || match &program {
        Some(program) => Command::new(program),
        None => {
            let mut command = Command::new(std::env::current_exe().expect("a path"));
            command.arg("--serve");
            command
        }
    };
    let (begin, next) = (Instant::now(), AtomicU64::new(seed));
    let total = Mutex::new((Counts::default(), 0, 0));
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                while begin.elapsed() < Duration::from_secs(minutes * 60) {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    let done = Session::new(&server, seed).run(COMPARISONS);
                    let mut total = total.lock().expect("no panic");
                    total.1 += 1;
                    match done {
                        Ok(counts) => total.0 += counts,
                        Err(difference) => {
                            total.2 += 1;
                            println!("seed {seed}: {difference}\n");
                        }
                    }
                    if total.1 % 20 == 0 {
                        let (counts, sessions, differences) = *total;
                        println!(
                            "{:>5} s: {sessions} sessions, {differences} different, {counts:?}",
                            begin.elapsed().as_secs()
                        );
                    }
                }
            });
        }
    });
    let (counts, sessions, differences) = *total.lock().expect("no panic");
    println!("{sessions} sessions, {differences} different, {counts:?}, {} s", begin.elapsed().as_secs());
    std::process::exit(i32::from(differences > 0));
}
