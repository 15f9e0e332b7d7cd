//! Statements, not lines, are what answers are about: a statement over several lines gets the answers of one in a single line.

#![cfg(unix)]

use crate::client::Client;
use crate::protocol::{at, server};
use crate::sass::Fake;
use ptx_analysis::module::{definition, items};
use ptx_syntax::Snapshot;
use ptx_syntax::statements::instructions_in;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::ops::Range;
use std::path::Path;
use std::process::Command;

const URI: &str = "file:///kernel.ptx";

/// A text with the lines of another text, which differs from it in line breaks alone, and only in statements.
struct Shape {
    text: String,
    /// For each line, from 1, the line of the other text. Line 0 is 0.
    lines: Vec<u64>,
    instructions: Vec<Range<usize>>,
    starts: Vec<usize>,
}

impl Shape {
    fn new(text: String, joined: &str) -> Self {
        assert_eq!(text.len(), joined.len());
        let starts: Vec<usize> =
            std::iter::once(0).chain(text.match_indices('\n').map(|(offset, _)| offset + 1)).collect();
        let other = |start: &usize| 1 + joined[..*start].matches('\n').count() as u64;
        let lines = std::iter::once(0).chain(starts.iter().map(other)).collect();
        let instructions = instructions_of(&text);
        Self { text, lines, instructions, starts }
    }

    /// The line of an offset, from 1.
    fn line(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset)
    }

    fn position(&self, offset: usize) -> Value {
        let line = self.line(offset);
        at(line as u32 - 1, (offset - self.starts[line - 1]) as u32)
    }

    fn lines_of(&self, range: &Range<usize>) -> std::ops::RangeInclusive<usize> {
        self.line(range.start)..=self.line(range.end - 1)
    }

    fn other(&self, line: &Value) -> Value {
        line.as_u64().map_or(line.clone(), |line| json!(self.lines[line as usize]))
    }

    /// A sentence in which lines are those of the other text.
    fn words(&self, text: &str) -> String {
        let mut parts = text.split("line ");
        let mut out = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let digits = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
            let line = part[..digits].parse().ok().and_then(|line: usize| self.lines.get(line));
            out += "line ";
            match line {
                Some(line) => write!(out, "{line}{}", &part[digits..]).unwrap(),
                None => out += part,
            }
        }
        out
    }

    /// An answer in which lines are those of the other text, without columns and what differs from run to run.
    fn normal(&self, answer: &Value) -> Value {
        const LEFT_OUT: [&str; 9] =
            ["column", "end_column", "seconds", "text", "version", "uri", "instruction", "markdown", "ended"];
        match answer {
            Value::Array(all) => all.iter().map(|value| self.normal(value)).collect(),
            Value::String(text) => json!(self.words(text)),
            Value::Object(fields) => {
                let fields = fields.iter().filter(|(key, _)| !LEFT_OUT.contains(&key.as_str()));
                let one = |(key, value): (&String, &Value)| {
                    let value = match (key.as_str(), value) {
                        ("line" | "end_line" | "peak_line", line) => self.other(line),
                        ("lines", Value::Array(all)) => all.iter().map(|entry| self.entry(entry)).collect(),
                        ("steps", Value::Array(all)) => all.iter().map(|entry| self.entry(entry)).collect(),
                        _ => self.normal(value),
                    };
                    (key.clone(), value)
                };
                Value::Object(fields.map(one).collect())
            }
            other => other.clone(),
        }
    }

    /// A line, a step of a timeline, or the pressure of a line.
    fn entry(&self, entry: &Value) -> Value {
        let Value::Array(fields) = entry else {
            return if entry.is_u64() { self.other(entry) } else { self.normal(entry) };
        };
        fields
            .iter()
            .enumerate()
            .map(|(at, value)| if at == 0 || at == 4 { self.other(value) } else { value.clone() })
            .collect()
    }
}

fn instructions_of(text: &str) -> Vec<Range<usize>> {
    let snapshot = Snapshot::new(text);
    instructions_in(&snapshot, 0..text.len()).iter().map(|node| node.byte_range()).collect()
}

/// A text in which `change` has replaced one byte of each instruction that it returns an offset in.
fn changed(text: &str, with: u8, change: impl Fn(&str) -> Vec<usize>) -> String {
    let mut out = text.as_bytes().to_vec();
    for range in instructions_of(text) {
        for offset in change(&text[range.clone()]) {
            out[range.start + offset] = with;
        }
    }
    String::from_utf8(out).unwrap()
}

/// A module with each statement in one line, as it is, and with each statement over two lines.
fn shapes(text: &str) -> Vec<Shape> {
    let breaks = |s: &str| s.match_indices('\n').map(|(at, _)| at).collect::<Vec<_>>();
    let joined = changed(text, b' ', |s| if s.contains("//") { Vec::new() } else { breaks(s) });
    let first = changed(&joined, b'\n', |s| s.find(' ').into_iter().collect());
    let last = changed(&joined, b'\n', |s| s.rfind(' ').into_iter().collect());
    [joined.clone(), text.to_owned(), first, last].map(|text| Shape::new(text, &joined)).into()
}

/// A listing of machine code with an instruction for most of the PTX. Each names the line of the first or of the last token, as `last` says.
fn listing(shape: &Shape, last: bool) -> String {
    let snapshot = Snapshot::new(&shape.text);
    let mut out = String::new();
    for item in items(&snapshot) {
        let Some(kernel) = definition(&snapshot, &item).filter(|d| d.kernel) else { continue };
        let name = kernel.name;
        let _ = writeln!(out, "\t.section\t.text.{name},\"ax\",@progbits\n{name}:\n.text.{name}:");
        let own = shape.instructions.iter().filter(|range| item.range.contains(&range.start));
        let mut lines: Vec<usize> =
            own.map(|range| shape.line(if last { range.end - 1 } else { range.start })).collect();
        // Some have none, and some are moved.
        lines = lines.into_iter().enumerate().filter(|(index, _)| index % 5 != 3).map(|(_, line)| line).collect();
        lines.chunks_mut(7).filter(|chunk| chunk.len() == 7).for_each(|chunk| chunk.swap(0, 6));
        for (index, line) in lines.iter().enumerate() {
            let _ = writeln!(
                out,
                "\t//## File \".nv_debug_ptx_txt\", line {line}\n        /*{:04x}*/                   MOV R1, R2 ;",
                index * 16
            );
        }
    }
    out
}

/// All answers of the server about a text.
fn answers(client: &mut Client, fake: &Fake, shape: &Shape, last: bool) -> BTreeMap<String, Value> {
    let mut out = BTreeMap::new();
    client.open(URI, 1, &shape.text);
    std::fs::write(fake.file("lines"), listing(shape, last)).unwrap();
    let document = json!({ "uri": URI });
    let pressure = client.execute("ptx-analyzer.registerPressure", json!({ "uri": URI, "wait": true }));
    out.insert("pressure".to_owned(), shape.normal(&pressure));
    let sass = client.execute("ptx-analyzer.sass", json!({ "uri": URI, "live": false }));
    out.insert(
        "sass".to_owned(),
        json!([shape.normal(&sass["ptx"]), shape.normal(&json!({ "lines": sass["lines"] }))]),
    );
    let launches = client.execute("ptx-analyzer.launches", json!({ "uri": URI }));
    for kernel in launches["entries"].as_array().unwrap() {
        let view =
            json!({ "uri": URI, "entry": kernel["name"], "follow": false, "count": 40, "timeline": true, "state": 12 });
        let run = client.execute("ptx-analyzer.evaluateWarp", view);
        covers(shape, &run);
        out.insert(format!("run of {}", kernel["name"]), shape.normal(&run));
    }
    let all = json!({ "start": at(0, 0), "end": at(100_000, 0) });
    let hints = client.call("textDocument/inlayHint", json!({ "textDocument": document, "range": all }));
    let hint = |hint: &Value| {
        json!([shape.lines[hint["position"]["line"].as_u64().unwrap() as usize + 1], shape.normal(&hint["label"])])
    };
    // A hint at the end of a line may be in the middle of the statement.
    let mut hints: Vec<Value> = hints.as_array().into_iter().flatten().map(hint).collect();
    hints.sort_by_key(Value::to_string);
    out.insert("hints".to_owned(), json!(hints));
    let lenses = client.call("textDocument/codeLens", json!({ "textDocument": document }));
    for (index, lens) in lenses.as_array().unwrap().iter().enumerate() {
        let title = client.call("codeLens/resolve", lens.clone())["command"]["title"].clone();
        out.insert(format!("lens {index}"), shape.normal(&title));
    }
    for (index, range) in shape.instructions.iter().enumerate() {
        // A sample, with all long statements.
        for offset in [range.start, range.end - 2].into_iter().filter(|_| index % 5 == 0 || range.len() > 70) {
            let place = json!({ "textDocument": document, "position": shape.position(offset) });
            let hover = client.call("textDocument/hover", place);
            out.insert(format!("hover {offset}"), shape.normal(&hover["contents"]["value"]));
        }
        if shape.text[range.clone()].contains("ma.") || shape.text[range.clone()].contains("matrix") {
            for line in shape.lines_of(range) {
                let found = client.execute("ptx-analyzer.fragments", json!({ "uri": URI, "line": line }));
                let known = out.insert(format!("matrices {index}"), shape.normal(&found));
                assert!(known.is_none_or(|known| known == shape.normal(&found)), "line {line}");
            }
        }
    }
    client.close(URI);
    out
}

/// The first difference between two answers.
fn difference(one: &Value, other: &Value) -> Option<String> {
    let inside =
        |key: String, (one, other): (&Value, &Value)| difference(one, other).map(|found| format!("{key}: {found}"));
    match (one, other) {
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            a.iter().zip(b).enumerate().find_map(|(index, pair)| inside(index.to_string(), pair))
        }
        (Value::Object(a), Value::Object(b)) if a.keys().eq(b.keys()) => {
            a.iter().zip(b.values()).find_map(|((key, one), other)| inside(key.clone(), (one, other)))
        }
        _ => (one != other).then(|| format!("{one:.500} != {other:.500}")),
    }
}

/// Asserts that the steps of a warp cover all lines of the statements that it executes.
fn covers(shape: &Shape, run: &Value) {
    let number = |entry: &Value, at: usize| entry[at].as_u64().unwrap() as usize;
    let steps = run["timeline"]["steps"].as_array().unwrap();
    let spans: BTreeSet<(usize, usize)> = steps.iter().map(|step| (number(step, 0), number(step, 4))).collect();
    let begins: BTreeSet<usize> = shape.instructions.iter().map(|range| shape.line(range.start)).collect();
    for range in &shape.instructions {
        let lines = shape.lines_of(range);
        let Some((first, last)) = spans.iter().find(|span| span.0 == *lines.start()) else { continue };
        let shared = lines.end() != lines.start() && begins.contains(lines.end());
        let own = *lines.end() - usize::from(shared);
        assert!(*first <= own && own <= (*last).max(own), "{lines:?}");
        assert!(spans.iter().any(|(first, last)| (first..=last).contains(&&own)), "{lines:?} of {spans:?}");
    }
}

/// The line in which a breakpoint in each line is set, if it is.
fn breakpoints(path: &Path, shape: &Shape) -> Vec<Value> {
    std::fs::write(path, &shape.text).unwrap();
    let mut client = Client::start(Command::new(env!("CARGO_BIN_EXE_ptx-analyzer")).arg("dap"));
    let mut request = |seq: i64, command: &str, arguments: Value| {
        client.send(&json!({ "seq": seq, "type": "request", "command": command, "arguments": arguments }));
        if command == "launch" {
            client.wait("the process", |m| m["event"] == "process")
        } else {
            client.wait("a response", |m| m["request_seq"] == seq)
        }
    };
    request(1, "initialize", json!({ "adapterID": "ptx" }));
    request(2, "launch", json!({ "program": path }));
    let lines: Vec<Value> = (1..=shape.starts.len()).map(|line| json!({ "line": line })).collect();
    let answer = request(3, "setBreakpoints", json!({ "source": { "path": path }, "breakpoints": lines }));
    request(4, "disconnect", json!({}));
    let set = answer["body"]["breakpoints"].as_array().unwrap();
    set.iter().map(|point| if point["verified"] == true { shape.other(&point["line"]) } else { Value::Null }).collect()
}

#[test]
fn a_statement_over_several_lines_gets_the_answers_of_one_line() {
    let fake = Fake::printing();
    let mut client = server();
    let options = json!({ "ptx-analyzer": fake.section(), "workspaceTrusted": true });
    client.begin(json!({ "capabilities": {}, "initializationOptions": options }));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kernel.ptx");
    let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/kernels");
    let (mut statements, mut split) = (0, 0);
    for file in std::fs::read_dir(kernels).unwrap().map(|file| file.unwrap().path()) {
        if file.extension().is_none_or(|extension| extension != "ptx") {
            continue;
        }
        let all = shapes(&std::fs::read_to_string(&file).unwrap());
        let expected = answers(&mut client, &fake, &all[0], false);
        let stops = breakpoints(&path, &all[0]);
        for (shape, last) in all[1..].iter().zip([true, true, false]) {
            let found = answers(&mut client, &fake, shape, last);
            assert_eq!(found.len(), expected.len());
            for (what, answer) in &found {
                let difference = difference(answer, &expected[what]);
                assert_eq!(difference, None, "{what} of {}\n{}", file.display(), shape.text);
            }
        }
        for shape in &all[1..] {
            for (line, stop) in breakpoints(&path, shape).iter().enumerate() {
                let other = shape.lines[line + 1] as usize;
                assert_eq!(*stop, stops[other - 1], "a breakpoint in line {} of\n{}", line + 1, shape.text);
            }
            statements += shape.instructions.len();
            split += shape.instructions.iter().filter(|range| shape.text[(*range).clone()].contains('\n')).count();
        }
    }
    assert!(statements > 2000 && split > statements / 2, "{split} of {statements}");
}
