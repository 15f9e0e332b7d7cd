//! Measures the latency of keystrokes: from an edit to the diagnostics of that version, in a real server process.
//!
//! `cargo run --release -p ptx-analyzer --example keystrokes -- [--edits N] [--break brace|directive] [--inline inside|outside] [--slow MS] [--server PROGRAM] FILE`
//!
//! The program types one character at random positions of the file and deletes it again, and waits for the diagnostics
//! each time. The latency ends when their message is read; `parsed` is the same with the time to parse it. `--break brace` first deletes a closing brace near the top, `--break directive` first inserts an unknown
//! directive there. `--inline` opens a file of another language in its server, and types in strings with PTX or elsewhere.
//! `--slow` prints each edit that takes longer than this. `--server` measures another build of the server.

// A tool for those who work on this project reads what its arguments name.
#![allow(clippy::disallowed_methods)]

#[path = "../src/allocator.rs"]
mod allocator;
#[path = "../tests/it/client.rs"]
#[allow(dead_code)]
mod client;
mod lines;

use client::Client;
use lines::Lines;
use ptx_host::{Host, Language};
use serde_json::{Value, json};
use std::process::Command;
use std::time::{Duration, Instant};

fn main() {
    allocator::install();
    let mut arguments = std::env::args().skip(1);
    let (mut file, mut edits, mut breaks, mut inline, mut slow) = (None, 200, None, None, f64::INFINITY);
    let mut server = None;
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--serve" => {
                // This program is also the server, so that nothing else has to be built.
                let orderly = ptx_lsp::run().expect("threads");
                std::process::exit(i32::from(!orderly));
            }
            "--serve-inline" => {
                let orderly = ptx_lsp::run_host().expect("threads");
                std::process::exit(i32::from(!orderly));
            }
            "--edits" => edits = arguments.next().and_then(|n| n.parse().ok()).expect("--edits N"),
            "--slow" => slow = arguments.next().and_then(|n| n.parse().ok()).expect("--slow MS"),
            "--break" => breaks = arguments.next(),
            "--server" => server = arguments.next(),
            "--inline" => inline = arguments.next(),
            _ => file = Some(argument),
        }
    }
    let Some(file) = file else {
        eprintln!(
            "usage: keystrokes [--edits N] [--break brace|directive] [--inline inside|outside] [--slow MS] [--server PROGRAM] FILE"
        );
        std::process::exit(2);
    };
    let mut text = std::fs::read_to_string(&file).expect("a readable file");
    // The server takes the language from the name.
    let uri = format!("file:///{}", file.rsplit('/').next().unwrap_or("file.ptx"));
    let uri = uri.as_str();
    let strings = inline.as_ref().map(|_| strings(&file, &text)).unwrap_or_default();
    let mut command = match &server {
        Some(program) => Command::new(program),
        None => Command::new(std::env::current_exe().expect("a path")),
    };
    match (server.is_some(), inline.is_some()) {
        (true, false) => {}
        (true, true) => _ = command.arg("--inline"),
        (false, inline) => _ = command.arg(if inline { "--serve-inline" } else { "--serve" }),
    }
    let mut client = Client::start(&mut command);
    let capabilities = json!({ "general": { "positionEncodings": ["utf-8"] } });
    client.begin(json!({ "capabilities": capabilities }));
    let begin = Instant::now();
    client.open(uri, 0, &text);
    let found = client.diagnostics(uri, 0).len();
    println!("open: {:.1} ms, {found} diagnostics, {}", milliseconds(begin.elapsed()), memory(&client));

    let mut version = 0;
    if let Some(what) = &breaks {
        let (range, new) = match what.as_str() {
            "brace" => {
                let at = text.find("\n}").expect("a closing brace") + 1;
                (at..at + 1, "")
            }
            "directive" => {
                let at = text.find("\n.visible").expect("a function") + 1;
                (at..at, ".gibberish 12 ;\n")
            }
            _ => panic!("--break brace or --break directive"),
        };
        version += 1;
        let change = json!([{ "range": places(&text, range.clone()), "text": new }]);
        text.replace_range(range, new);
        let begin = Instant::now();
        client.change(uri, version, change);
        let found = client.diagnostics(uri, version).len();
        println!("break {what}: {:.1} ms, {found} diagnostics", milliseconds(begin.elapsed()));
    }

    let lines = Lines::new(&text);
    let mut random = fastrand::Rng::with_seed(1);
    let (mut typed, mut undone, mut parsed, mut parts) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..edits {
        let mut offset = match inline.as_deref() {
            Some("inside") => {
                let string = &strings[random.usize(..strings.len())];
                random.usize(string.clone())
            }
            Some(_) => std::iter::repeat_with(|| random.usize(..text.len()))
                .find(|at| !strings.iter().any(|string| string.contains(at)))
                .expect("text outside of strings"),
            None => random.usize(..text.len()),
        };
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let at = lines.place(offset);
        let after = json!({ "line": at["line"], "character": at["character"].as_u64().unwrap_or(0) + 1 });
        for (list, change) in [
            (&mut typed, json!([{ "range": { "start": at, "end": at }, "text": "x" }])),
            (&mut undone, json!([{ "range": { "start": at, "end": after }, "text": "" }])),
        ] {
            version += 1;
            let begin = Instant::now();
            client.change(uri, version, change);
            let found = client.diagnostics(uri, version);
            parsed.push(begin.elapsed());
            drop(found);
            let took = client.arrived - begin;
            list.push(took);
            // The server of other languages has no such command.
            let status = match inline {
                Some(_) => Value::Null,
                None => client.execute("ptx-analyzer.serverStatus", Value::Null),
            };
            let part = &status["documents"][0]["milliseconds"];
            if milliseconds(took) > slow {
                let line = text.lines().nth(at["line"].as_u64().unwrap_or(0) as usize).unwrap_or("");
                println!("{:.1} ms, version {version}, {part}, at {at} of {line:?}", milliseconds(took));
            }
            parts.push(part.clone());
        }
    }
    report("typed", &mut typed);
    report("undone", &mut undone);
    typed.extend(undone);
    report("both", &mut typed);
    report("parsed", &mut parsed);
    for part in ["parse", "check", "convert"].into_iter().filter(|_| inline.is_none()) {
        let mut times: Vec<Duration> =
            parts.iter().filter_map(|p| p[part].as_f64()).map(|ms| Duration::from_secs_f64(ms / 1e3)).collect();
        report(&format!("  {part}"), &mut times);
    }
    println!("{}", memory(&client));
}

/// The contents of all string literals with PTX, in bytes of the text.
fn strings(file: &str, text: &str) -> Vec<std::ops::Range<usize>> {
    let language = Language::of_file_name(file).expect("a file of a language with PTX in strings");
    let host = Host::new(language, text);
    let literals = host.groups().iter().flat_map(|placed| {
        let statements = placed.group.statements.iter();
        statements.flat_map(|s| s.literals.iter().map(|l| l.start + placed.start..l.end + placed.start))
    });
    literals.filter(|range| !range.is_empty()).collect()
}

fn report(name: &str, times: &mut [Duration]) {
    times.sort_unstable();
    let at = |share: f64| times.get(((times.len() as f64 * share) as usize).min(times.len().saturating_sub(1)));
    let ms = |share| at(share).map_or(0.0, |d| milliseconds(*d));
    println!("{name:>9}: p50 {:.2}  p90 {:.2}  p99 {:.2}  max {:.2} ms", ms(0.5), ms(0.9), ms(0.99), ms(1.0));
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

fn memory(client: &Client) -> String {
    let status = std::fs::read_to_string(format!("/proc/{}/status", client.child.id())).unwrap_or_default();
    let field = |name: &str| status.lines().find_map(|l| l.strip_prefix(name)).unwrap_or(" ?").trim().to_owned();
    format!("resident {}, at most {}", field("VmRSS:"), field("VmHWM:"))
}

fn places(text: &str, range: std::ops::Range<usize>) -> Value {
    let lines = Lines::new(text);
    json!({ "start": lines.place(range.start), "end": lines.place(range.end) })
}
