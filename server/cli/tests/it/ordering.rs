//! Edits sent without waiting lead to the same text and diagnostics as opening the resulting text.

use crate::client::Client;
use crate::protocol::server;
use fastrand::Rng;
use serde_json::{Value, json};
use std::ops::Range;

const EDITED: &str = "file:///edited.ptx";
const FRESH: &str = "file:///fresh.ptx";

const PIECES: &[&str] = &[
    "\n",
    "\r\n",
    "\r",
    "\n",
    " ",
    "\t",
    ";",
    "{",
    "}",
    "(",
    ")",
    "/*",
    "*/",
    "// ",
    "\"",
    "😀",
    "é",
    "\u{2028}",
    "%r1",
    ".u32",
    "add.u32 %r1, %r2, %r3;\n",
    "add.u32 %r1, %f1, %r3;\r\n",
    "fmaa.rn.f32 %f1, %f2, %f3, %f4;\n",
    "$L1:\n",
    "@%p1 bra $L1;",
    ".reg .b32 %r<9>;\n",
    ".reg .f32 %f<9>; // ßü😀\n",
    ".visible .entry k(.param .u64 p)\n{\n",
    "ret;\n}\n",
    ".global .u32 g[4];\n",
    ".loc 1 2 3",
    "#define X",
    ".unknown_directive 1",
    "ld.global.u32 %r1, [%rd1+4];\n",
];

/// The client's state: the text, with positions computed by counting.
pub struct Model {
    pub text: String,
    random: Rng,
}

impl Model {
    /// A model that contains only the header of a module.
    pub fn new(seed: u64) -> Self {
        let text = ".version 8.0\n.target sm_80\n.address_size 64\n".to_owned();
        Self { text, random: Rng::with_seed(seed) }
    }

    /// A random position in the text: its byte offset, and line and column in UTF-16 units.
    fn place(&self, offset: usize) -> (usize, Value) {
        let mut offset = offset.min(self.text.len());
        let bytes = self.text.as_bytes();
        while !self.text.is_char_boundary(offset) || (offset > 0 && bytes[offset - 1..].starts_with(b"\r\n")) {
            offset -= 1;
        }
        let (mut line, mut start) = (0, 0);
        for (i, c) in self.text[..offset].char_indices() {
            if c == '\n' || (c == '\r' && bytes.get(i + 1) != Some(&b'\n')) {
                line += 1;
                start = i + 1;
            }
        }
        let mut column = self.text[start..offset].encode_utf16().count();
        let at_line_end = bytes.get(offset).is_none_or(|b| matches!(b, b'\n' | b'\r'));
        if at_line_end && self.random.clone().bool() {
            // A column after the end of the line means its end.
            column += 5;
        }
        (offset, json!({ "line": line, "character": column }))
    }

    /// Applies a random change to the text, and returns it in the form of the protocol.
    pub fn change(&mut self) -> Value {
        let (range, new) = self.edit();
        let (from, to) = (self.place(range.start).1, self.place(range.end).1);
        self.text.replace_range(range, new);
        json!({ "range": { "start": from, "end": to }, "text": new })
    }

    /// A random edit between two characters, never inside a line break.
    pub fn edit(&mut self) -> (Range<usize>, &'static str) {
        let random = &mut self.random;
        let start = random.usize(..=self.text.len());
        let length = match random.u32(..10) {
            0..5 => 0,
            5..8 => random.usize(..8),
            8 => random.usize(..60),
            // Keeps the text from growing without limit.
            _ if self.text.len() > 8_000 => random.usize(..=self.text.len() / 4),
            _ => 0,
        };
        let new = if random.u32(..10) < 7 { PIECES[random.usize(..PIECES.len())] } else { "" };
        let (from, to) = (self.place(start).0, self.place(start + length).0);
        (from..to.max(from), new)
    }
}

fn without_names(diagnostics: &[Value]) -> Vec<Value> {
    let mut out = diagnostics.to_vec();
    for related in out.iter_mut().filter_map(|d| d["relatedInformation"].as_array_mut()).flatten() {
        related["location"]["uri"] = Value::Null;
    }
    out
}

/// Compares the edited document with a fresh one that has the text of the model.
fn compare(client: &mut Client, model: &Model, version: i32) {
    let edited = client.diagnostics(EDITED, version);
    client.open(FRESH, version, &model.text);
    let fresh = client.diagnostics(FRESH, version);
    let [edited_tree, fresh_tree] =
        [EDITED, FRESH].map(|uri| client.execute("ptx-analyzer.showSyntaxTree", json!({ "uri": uri })));
    let status = client.execute("ptx-analyzer.serverStatus", Value::Null);
    for document in status["documents"].as_array().unwrap() {
        assert_eq!(document["bytes"], model.text.len(), "{document}");
    }
    assert_eq!(edited_tree, fresh_tree);
    assert_eq!(without_names(&edited), without_names(&fresh), "the text: {:?}", model.text);
    client.close(FRESH);
    client.forget();
}

fn run(seed: u64, rounds: usize, notifications: usize) {
    let mut client = server();
    let publish = json!({ "publishDiagnostics": { "relatedInformation": true } });
    // Without delayed diagnostics, the first publication of a version is complete except for flow lints.
    let options = json!({ "diagnostics": { "holdBack": false } });
    client.begin(json!({ "capabilities": { "textDocument": publish }, "initializationOptions": options }));
    let mut model = Model::new(seed);
    client.open(EDITED, 0, &model.text);
    let mut version = 0;
    for _ in 0..rounds {
        for _ in 0..notifications {
            version += 1;
            let changes: Vec<Value> = (0..model.random.usize(1..4)).map(|_| model.change()).collect();
            client.change(EDITED, version, json!(changes));
        }
        compare(&mut client, &model, version);
    }
}

#[test]
fn ten_thousand_edits_without_waiting() {
    run(1, 1, 5_000);
}

/// Sends one edit at a time, so that each version is checked separately and every run is identical.
#[test]
fn edits_one_by_one() {
    run(2, 200, 1);
}
