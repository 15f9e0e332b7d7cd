//! Measures the latency of keystrokes: from an edit to the diagnostics of that version, in a real server process.
//!
//! `cargo run --release -p ptx-analyzer --example keystrokes -- [--edits N] [--break brace|directive] [--slow MS] FILE`
//!
//! The program types one character at random positions of the file and deletes it again, and waits for the diagnostics
//! each time. `--break brace` first deletes a closing brace near the top, `--break directive` first inserts an unknown
//! directive there. `--slow` prints each edit that takes longer than this.

#[path = "../tests/it/client.rs"]
#[allow(dead_code)]
mod client;
mod lines;

use client::Client;
use lines::Lines;
use serde_json::{Value, json};
use std::process::Command;
use std::time::{Duration, Instant};

const URI: &str = "file:///file.ptx";

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (mut file, mut edits, mut breaks, mut slow) = (None, 200, None, f64::INFINITY);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--serve" => {
                // This program is also the server, so that nothing else has to be built.
                let orderly = ptx_lsp::run().expect("threads");
                std::process::exit(i32::from(!orderly));
            }
            "--edits" => edits = arguments.next().and_then(|n| n.parse().ok()).expect("--edits N"),
            "--slow" => slow = arguments.next().and_then(|n| n.parse().ok()).expect("--slow MS"),
            "--break" => breaks = arguments.next(),
            _ => file = Some(argument),
        }
    }
    let Some(file) = file else {
        eprintln!("usage: keystrokes [--edits N] [--break brace|directive] [--slow MS] FILE");
        std::process::exit(2);
    };
    let mut text = std::fs::read_to_string(&file).expect("a readable file");
    let mut client = Client::start(Command::new(std::env::current_exe().expect("a path")).arg("--serve"));
    let capabilities = json!({ "general": { "positionEncodings": ["utf-8"] } });
    client.begin(json!({ "capabilities": capabilities }));
    let begin = Instant::now();
    client.open(URI, 0, &text);
    let found = client.diagnostics(URI, 0).len();
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
        client.change(URI, version, change);
        let found = client.diagnostics(URI, version).len();
        println!("break {what}: {:.1} ms, {found} diagnostics", milliseconds(begin.elapsed()));
    }

    let lines = Lines::new(&text);
    let mut random = fastrand::Rng::with_seed(1);
    let (mut typed, mut undone, mut parts) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..edits {
        let mut offset = random.usize(..text.len());
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
            client.change(URI, version, change);
            client.diagnostics(URI, version);
            let took = begin.elapsed();
            list.push(took);
            let status = client.execute("ptx-analyzer.serverStatus", Value::Null);
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
    for part in ["parse", "check", "convert"] {
        let mut times: Vec<Duration> =
            parts.iter().filter_map(|p| p[part].as_f64()).map(|ms| Duration::from_secs_f64(ms / 1e3)).collect();
        report(&format!("  {part}"), &mut times);
    }
    println!("{}", memory(&client));
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
