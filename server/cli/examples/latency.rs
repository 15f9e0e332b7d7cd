//! Measures the latency of requests at many positions of a file, to a real server process over pipes.
//!
//! `cargo run --release -p ptx-analyzer --example latency -- [--places N] [--editing] FILE [METHOD…]`
//!
//! Times run from the request to the parsed JSON answer in the client. Positions are random but the same in every run.
//! Range requests cover 60 lines, one screen. Completion is measured as editors use it: the program types a character,
//! sends the request at once, and deletes the character again. The time is that of the request, including parsing. With
//! `--editing` the program types or deletes a character at a random position right before each request, and the request
//! does not wait until the change is checked.

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
use serde_json::{Value, json};
use std::process::Command;
use std::time::{Duration, Instant};

const URI: &str = "file:///file.ptx";
/// Number of lines on a screen.
const SCREEN: usize = 60;

/// The position or range of a request.
#[derive(Clone, Copy)]
enum Where {
    /// At a random word.
    Word,
    /// The lines of a random screen.
    Screen,
    /// After a typed character, at a random position where this character fits.
    Typed(char),
    /// Once, for the whole document.
    Document,
}

const REQUESTS: &[(&str, Where)] = &[
    ("textDocument/hover", Where::Word),
    ("textDocument/definition", Where::Word),
    ("textDocument/documentHighlight", Where::Word),
    ("textDocument/references", Where::Word),
    ("textDocument/prepareRename", Where::Word),
    ("textDocument/signatureHelp", Where::Word),
    ("textDocument/selectionRange", Where::Word),
    ("textDocument/completion", Where::Typed('.')),
    ("textDocument/completion", Where::Typed('%')),
    ("textDocument/completion", Where::Typed('a')),
    ("textDocument/codeAction", Where::Word),
    ("textDocument/semanticTokens/range", Where::Screen),
    ("textDocument/inlayHint", Where::Screen),
    ("textDocument/rangeFormatting", Where::Screen),
    ("textDocument/semanticTokens/full", Where::Document),
    ("textDocument/documentSymbol", Where::Document),
    ("textDocument/foldingRange", Where::Document),
    ("textDocument/codeLens", Where::Document),
    ("textDocument/formatting", Where::Document),
];

fn main() {
    allocator::install();
    let mut arguments = std::env::args().skip(1);
    let (mut file, mut places, mut methods, mut editing) = (None, 400, Vec::new(), false);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--serve" => {
                // This program is also the server, so that nothing else has to be built.
                let orderly = ptx_lsp::run().expect("threads");
                std::process::exit(i32::from(!orderly));
            }
            "--editing" => editing = true,
            "--places" => places = arguments.next().and_then(|n| n.parse().ok()).expect("--places N"),
            _ if file.is_none() => file = Some(argument),
            _ => methods.push(argument),
        }
    }
    let Some(file) = file else {
        eprintln!("usage: latency [--places N] [--editing] FILE [METHOD…]");
        std::process::exit(2);
    };
    let text = std::fs::read_to_string(&file).expect("a readable file");
    let mut client = Client::start(Command::new(std::env::current_exe().expect("a path")).arg("--serve"));
    client.begin(json!({ "capabilities": {
        "general": { "positionEncodings": ["utf-8"] },
        "textDocument": { "codeAction": { "codeActionLiteralSupport": { "codeActionKind": { "valueSet": [] } } } },
    } }));
    client.open(URI, 0, &text);
    client.diagnostics(URI, 0);
    // Flow lints start when the document has been idle for a moment, and may report nothing. So wait instead.
    std::thread::sleep(Duration::from_secs(3));
    let edits = editing.then(|| Edits { random: fastrand::Rng::with_seed(2), typed: None });
    let mut session = Session { client, lines: Lines::new(&text), text: &text, version: 0, edits };
    for (method, place) in REQUESTS {
        if methods.is_empty() || methods.iter().any(|m| method.contains(m.as_str())) {
            session.measure(method, *place, places);
        }
    }
}

struct Session<'a> {
    client: Client,
    lines: Lines,
    text: &'a str,
    version: i32,
    edits: Option<Edits>,
}

/// Edits between the requests.
struct Edits {
    random: fastrand::Rng,
    /// The position of a typed character that is not yet deleted.
    typed: Option<Value>,
}

impl Session<'_> {
    /// Types a character, or deletes the previous one.
    fn edit(&mut self) {
        let Some(edits) = &mut self.edits else { return };
        let change = match edits.typed.take() {
            Some(at) => {
                let after = json!({ "line": at["line"], "character": at["character"].as_u64().unwrap_or(0) + 1 });
                json!([{ "range": { "start": at, "end": after }, "text": "" }])
            }
            None => {
                // At the end of a line, so that no other position in the line moves.
                let line = edits.random.usize(1..self.lines.0.len());
                let at = self.lines.place(self.lines.0[line] - 1);
                edits.typed = Some(at.clone());
                json!([{ "range": { "start": at, "end": at }, "text": "x" }])
            }
        };
        self.change(change);
    }

    fn measure(&mut self, method: &str, place: Where, places: usize) {
        let mut random = fastrand::Rng::with_seed(1);
        let count = if matches!(place, Where::Document) { 3 } else { places };
        let (mut times, mut answered, mut bytes) = (Vec::new(), 0, 0);
        for _ in 0..count {
            self.edit();
            let (time, answer) = match place {
                Where::Word => {
                    let offset = self.random(&mut random, |b| b.is_ascii_alphanumeric());
                    let at = self.lines.place(offset);
                    self.call(method, &at, &at)
                }
                Where::Screen => {
                    let first = random.usize(..self.lines.0.len().saturating_sub(SCREEN).max(1));
                    let line = |line: usize| json!({ "line": line, "character": 0 });
                    self.call(method, &line(first), &line(first + SCREEN))
                }
                Where::Document => self.call(method, &Value::Null, &Value::Null),
                Where::Typed(character) => {
                    let offset = match character {
                        // After an opcode or a modifier, before the blank.
                        '.' => self.random_end(&mut random),
                        '%' => self.random(&mut random, |b| b == b'%'),
                        _ => self.random(&mut random, |b| b == b'\n') + 1,
                    };
                    let at = self.lines.place(offset);
                    let after = json!({ "line": at["line"], "character": at["character"].as_u64().unwrap_or(0) + 1 });
                    self.change(json!([{ "range": { "start": at, "end": at }, "text": character.to_string() }]));
                    let answer = self.call(method, &after, &after);
                    self.change(json!([{ "range": { "start": at, "end": after }, "text": "" }]));
                    // Without `--editing`, the next character waits until the previous one is checked. The example
                    // `keystrokes` measures typing that does not wait.
                    if self.edits.is_none() {
                        self.client.diagnostics(URI, self.version);
                    }
                    answer
                }
            };
            times.push(time);
            bytes += answer.to_string().len();
            answered += usize::from(!answer.is_null() && answer.as_array().is_none_or(|a| !a.is_empty()));
        }
        let typed = if let Where::Typed(c) = place { format!(" after {c:?}") } else { String::new() };
        times.sort_unstable();
        let ms = |share: f64| times[((count as f64 * share) as usize).min(count - 1)].as_secs_f64() * 1e3;
        println!(
            "{:<46} p50 {:>7.2}  p90 {:>7.2}  p99 {:>7.2}  max {:>7.2} ms; {answered} of {count} answered, {} bytes each",
            format!("{method}{typed}"),
            ms(0.5),
            ms(0.9),
            ms(0.99),
            ms(1.0),
            bytes / count
        );
    }

    /// Sends one request with the parameters of all methods.
    fn call(&mut self, method: &str, start: &Value, end: &Value) -> (Duration, Value) {
        let params = json!({
            "textDocument": { "uri": URI },
            "position": start,
            "positions": [start],
            "range": { "start": start, "end": end },
            "options": { "tabSize": 4, "insertSpaces": true },
            "context": { "includeDeclaration": true, "diagnostics": [], "triggerKind": 1, "isRetrigger": false },
        });
        let begin = Instant::now();
        let id = self.client.request(method, params);
        // A refusal is an answer too: for example, a number cannot be renamed.
        let answer = self.client.answer(id)["result"].take();
        (begin.elapsed(), answer)
    }

    fn change(&mut self, changes: Value) {
        self.version += 1;
        self.client.change(URI, self.version, changes);
    }

    /// A random offset of a byte that satisfies `such`.
    fn random(&self, random: &mut fastrand::Rng, such: impl Fn(u8) -> bool) -> usize {
        let start = random.usize(..self.text.len());
        let bytes = self.text.as_bytes();
        (start..bytes.len()).chain(0..start).find(|i| such(bytes[*i])).unwrap_or(0)
    }

    /// The end of the opcode with its modifiers in a random line.
    fn random_end(&self, random: &mut fastrand::Rng) -> usize {
        loop {
            let line = random.usize(..self.lines.0.len() - 1);
            let (start, end) = (self.lines.0[line], self.lines.0[line + 1]);
            let text = &self.text[start..end];
            let head = text.trim_start();
            let indent = text.len() - head.len();
            if head.starts_with(|c: char| c.is_ascii_lowercase())
                && let Some(length) = head.find(|c: char| c.is_whitespace() || c == ';')
            {
                return start + indent + length;
            }
        }
    }
}
