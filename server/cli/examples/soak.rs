//! Simulates hours of work in one file: typing, cutting, pasting and hovering at the pace of a fast typist, in a real
//! server process.
//!
//! `cargo run --release -p ptx-analyzer --example soak -- [--minutes N] FILE`
//!
//! Every five minutes it prints the time from an edit to the diagnostics of that version, and the highest resident
//! memory of the server. At the end it compares the values of the first five minutes with the rest. It also compares
//! the server's results for the text with those of a new server.

// A tool for those who work on this project reads what its arguments name.
#![allow(clippy::disallowed_methods)]

#[path = "../src/allocator.rs"]
mod allocator;
#[path = "../tests/it/client.rs"]
#[allow(dead_code)]
mod client;

use client::Client;
use fastrand::Rng;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::process::Command;
use std::time::{Duration, Instant};

const URI: &str = "file:///file.ptx";
/// Time between two keys, unless the server takes longer.
const KEY: Duration = Duration::from_millis(40);
/// Pause between two positions; flow lints start after 250 ms.
const PAUSE: Duration = Duration::from_millis(400);
/// The interval between two lines of the report. Memory may grow during the first one.
const STRETCH: Duration = Duration::from_secs(300);

fn main() {
    allocator::install();
    let mut arguments = std::env::args().skip(1);
    let (mut file, mut minutes) = (None, 30);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--serve" => {
                // This program is also the server, so that nothing else has to be built.
                let orderly = ptx_lsp::run().expect("threads");
                std::process::exit(i32::from(!orderly));
            }
            "--minutes" => minutes = arguments.next().and_then(|n| n.parse().ok()).expect("--minutes N"),
            _ => file = Some(argument),
        }
    }
    let Some(file) = file else {
        eprintln!("usage: soak [--minutes N] FILE");
        std::process::exit(2);
    };
    let text = std::fs::read_to_string(&file).expect("a readable file");
    let mut soak = Soak::new(&text);
    println!("{} lines; opened: {} MB", soak.lines.len(), soak.memory());

    let begin = Instant::now();
    let (mut told, mut first, mut most, mut highest) = (begin, None, 0, 0);
    let mut all = Vec::new();
    while begin.elapsed() < Duration::from_secs(minutes * 60) {
        soak.visit();
        highest = highest.max(soak.memory());
        if told.elapsed() >= STRETCH {
            told = Instant::now();
            println!("{:>3} min: {}, at most {highest} MB", begin.elapsed().as_secs() / 60, spread(&mut soak.times));
            match first {
                None => first = Some(highest),
                Some(_) => most = most.max(highest),
            }
            highest = 0;
            all.append(&mut soak.times);
        }
    }
    all.append(&mut soak.times);
    println!("    all: {}", spread(&mut all));
    if let Some(first) = first {
        let growth = (most as f64 / first as f64 - 1.0) * 100.0;
        println!("memory: at most {first} MB in the first five minutes, {most} MB later ({growth:+.1} %)");
    }
    for (method, times) in &mut soak.requests {
        println!("{method}: {}", spread(times));
    }
    soak.compare();
}

struct Soak {
    client: Client,
    version: i32,
    lines: Vec<String>,
    random: Rng,
    /// Times from edits to diagnostics.
    times: Vec<Duration>,
    /// Times from requests to answers, by method.
    requests: BTreeMap<String, Vec<Duration>>,
    tokens: Option<Value>,
}

impl Soak {
    fn new(text: &str) -> Self {
        let mut client = start();
        client.open(URI, 0, text);
        client.diagnostics(URI, 0);
        let lines = text.split('\n').map(str::to_owned).collect();
        let random = Rng::with_seed(1);
        Self { client, version: 0, lines, random, times: Vec::new(), requests: BTreeMap::new(), tokens: None }
    }

    /// Goes to a random position, performs an action there, and pauses.
    fn visit(&mut self) {
        let line = self.random.usize(8..self.lines.len() - 8);
        self.ask("textDocument/inlayHint", json!({ "range": span(line.saturating_sub(30), 0, line + 30, 0) }));
        self.look(line);
        match self.random.u8(..10) {
            0..4 => self.write(line),
            4..6 => self.correct(line),
            6 => self.cut_and_paste(line),
            7 => self.comment_out(line),
            8 => self.break_a_brace(line),
            _ => self.move_one(line),
        }
        let tokens = match self.tokens.take() {
            Some(id) => self.ask("textDocument/semanticTokens/full/delta", json!({ "previousResultId": id })),
            None => self.ask("textDocument/semanticTokens/full", json!({})),
        };
        self.tokens = Some(tokens["resultId"].clone()).filter(Value::is_string);
        if self.random.u8(..8) == 0 {
            self.ask("textDocument/codeLens", json!({}));
            self.ask("textDocument/documentSymbol", json!({}));
            self.ask("textDocument/foldingRange", json!({}));
        }
        std::thread::sleep(PAUSE);
    }

    /// Types a line similar to one nearby, with completions, and deletes it again.
    fn write(&mut self, line: usize) {
        let like = self.lines[line].clone();
        self.edit(line, 0, line, 0, "\n");
        for (at, letter) in like.char_indices() {
            self.edit(line, at, line, at, letter.encode_utf8(&mut [0; 4]));
            if at % 7 == 3 {
                self.at("textDocument/completion", line, at + 1);
            }
            std::thread::sleep(KEY);
        }
        self.look(line);
        self.edit(line, 0, line + 1, 0, "");
    }

    /// Deletes some letters of a line one by one, and types them again.
    fn correct(&mut self, line: usize) {
        let old = self.lines[line].clone();
        let from = old.len().saturating_sub(self.random.usize(1..9));
        if !old.is_ascii() {
            return;
        }
        for at in (from..old.len()).rev() {
            self.edit(line, at, line, at + 1, "");
            std::thread::sleep(KEY);
        }
        for at in from..old.len() {
            self.edit(line, at, line, at, &old[at..=at]);
            std::thread::sleep(KEY);
        }
    }

    fn cut_and_paste(&mut self, line: usize) {
        let to = (line + self.random.usize(1..40)).min(self.lines.len() - 1);
        let cut = self.lines[line..to].join("\n") + "\n";
        self.edit(line, 0, to, 0, "");
        std::thread::sleep(PAUSE);
        self.edit(line, 0, line, 0, &cut);
    }

    fn comment_out(&mut self, line: usize) {
        self.edit(line, 0, line, 0, "//");
        std::thread::sleep(PAUSE);
        self.edit(line, 0, line, 2, "");
    }

    /// Deletes the next closing brace, and restores it after a pause.
    fn break_a_brace(&mut self, line: usize) {
        let Some(line) = (line..self.lines.len()).find(|l| self.lines[*l] == "}") else { return };
        self.edit(line, 0, line, 1, "");
        self.look(line);
        std::thread::sleep(PAUSE);
        self.edit(line, 0, line, 0, "}");
    }

    /// Swaps two neighbouring instructions permanently.
    fn move_one(&mut self, line: usize) {
        let plain =
            |l: &String| l.starts_with('\t') && l.ends_with(';') && !l.contains(['{', '}']) && !l.contains("\t.");
        if plain(&self.lines[line]) && plain(&self.lines[line + 1]) {
            let moved = self.lines[line].clone() + "\n";
            self.edit(line, 0, line + 1, 0, "");
            self.edit(line + 1, 0, line + 1, 0, &moved);
        }
    }

    /// Requests the hover, the definition and the references of a word.
    fn look(&mut self, line: usize) {
        let column = self.random.usize(..=self.lines[line].len());
        for method in ["textDocument/hover", "textDocument/definition", "textDocument/documentHighlight"] {
            self.at(method, line, column);
        }
    }

    fn at(&mut self, method: &str, line: usize, column: usize) {
        self.ask(method, json!({ "position": { "line": line, "character": column } }));
    }

    fn ask(&mut self, method: &str, mut params: Value) -> Value {
        params["textDocument"] = json!({ "uri": URI });
        let begin = Instant::now();
        let result = self.client.call(method, params);
        self.requests.entry(method.to_owned()).or_default().push(begin.elapsed());
        result
    }

    /// Replaces a part of the text, and waits for the server's diagnostics of the new text.
    fn edit(&mut self, line: usize, column: usize, end: usize, end_column: usize, new: &str) {
        let head = self.lines[line][..column].to_owned();
        let tail = &self.lines[end][end_column..];
        let joined = format!("{head}{new}{tail}");
        self.lines.splice(line..=end, joined.split('\n').map(str::to_owned));
        self.version += 1;
        let change = json!([{ "range": span(line, column, end, end_column), "text": new }]);
        let begin = Instant::now();
        self.client.change(URI, self.version, change);
        self.client.diagnostics(URI, self.version);
        self.times.push(begin.elapsed());
        self.client.forget();
    }

    /// Resident memory of the server in MB.
    fn memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.client.child.id())).unwrap_or_default();
        let kilobytes = status.lines().find_map(|l| l.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB")?.parse().ok());
        kilobytes.unwrap_or(0_u64) / 1024
    }

    /// The server's results for the text, and those of a new server.
    fn compare(&mut self) {
        let text = self.lines.join("\n");
        let pulled = |client: &mut Client| {
            client.call("textDocument/diagnostic", json!({ "textDocument": { "uri": URI } }))["items"].clone()
        };
        let old = pulled(&mut self.client);
        let mut fresh = start();
        fresh.open(URI, 0, &text);
        let mut new = pulled(&mut fresh);
        // The flow lints of a complete new text take some time.
        for _ in 0..30 {
            if new == old {
                break;
            }
            std::thread::sleep(Duration::from_secs(1));
            new = pulled(&mut fresh);
        }
        let count = |items: &Value| items.as_array().map_or(0, Vec::len);
        println!("{} and {} findings, the same: {}", count(&old), count(&new), old == new && old.is_array());
    }
}

fn start() -> Client {
    let mut client = Client::start(Command::new(std::env::current_exe().expect("a path")).arg("--serve"));
    client.begin(json!({ "capabilities": { "general": { "positionEncodings": ["utf-8"] } } }));
    client
}

fn span(line: usize, column: usize, end: usize, end_column: usize) -> Value {
    json!({ "start": { "line": line, "character": column }, "end": { "line": end, "character": end_column } })
}

fn spread(times: &mut [Duration]) -> String {
    times.sort_unstable();
    let at = |share: f64| times.get(((times.len() as f64 * share) as usize).min(times.len().saturating_sub(1)));
    let ms = |share| at(share).map_or(0.0, |d| milliseconds(*d));
    format!("{} times, p50 {:.1}  p99 {:.1}  max {:.1} ms", times.len(), ms(0.5), ms(0.99), ms(1.0))
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}
