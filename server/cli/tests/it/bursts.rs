//! Kernels typed as people type: bursts of a few keys, and a moment of thought after each. Nothing that is not written yet is an error.

use crate::client::Client;
use crate::client::framing::framed;
use crate::protocol::server;
use serde_json::{Value, json};
use std::time::Duration;

const URI: &str = "file:///typed.ptx";

/// The number of keys of a burst.
const BURST: usize = 6;

/// The time between two bursts.
const THOUGHT: Duration = Duration::from_millis(600);

/// Each is typed from its first key to its last. The first has a branch to a label below it, the second a statement of several lines, the
/// third lists, a block and a declaration among the statements.
const KERNELS: [&str; 3] = [
    ".version 8.0\n.target sm_80\n.visible .entry k(.param .u32 n)\n{\n.reg .pred %p;\n.reg .b32 %r<3>;\nld.param.u32 %r1, [n];\n\
     setp.eq.u32 %p, %r1, 0;\n@%p bra END;\nadd.u32 %r2, %r1, 1;\nEND:\nret;\n}\n",
    ".version 8.0\n.target sm_80\n.entry m()\n{\n.reg .b32 %a<4>, %b<2>, %c<4>;\nmov.u32 %a0, 0;\nmma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16\n  \
     {%c0, %c1},\n  {%a0, %a0, %a0, %a0},\n  {%a0, %a0},\n  {%a0, %a0};\nret;\n}\n",
    ".version 8.0\n.target sm_80\n.address_size 64\n.global .align 4 .b32 t[2] = {1, 2};\n.entry v()\n{\n.reg .f32 %f<5>;\n.reg .b64 %d;\n\
     mov.u64 %d, t;\nld.v2.f32 {%f1, %f2}, [%d];\n{\n.reg .f32 %s;\nadd.f32 %s, %f1, %f2;\n}\nbra.uni OUT;\nOUT: ret;\n}\n",
];

/// The errors of a message that the client would show.
fn errors(message: &Value) -> Vec<String> {
    let items = [&message["params"]["diagnostics"], &message["result"]["items"]];
    let found = items.into_iter().filter_map(Value::as_array).flatten();
    let errors = found.filter(|d| d["severity"] == 1);
    errors.map(|d| format!("{}: {}", d["range"]["start"], d["message"].as_str().unwrap_or_default())).collect()
}

/// Types a text into an empty document. Returns the publications with an error, each with what was typed by then.
fn typed(text: &str, pulled: bool) -> Vec<String> {
    let mut client = server();
    let capabilities = match pulled {
        true => {
            json!({ "textDocument": { "diagnostic": {} }, "workspace": { "diagnostics": { "refreshSupport": true } } })
        }
        false => json!({}),
    };
    client.begin(json!({ "capabilities": capabilities }));
    client.open(URI, 0, "");
    match pulled {
        true => drop(client.call("textDocument/diagnostic", json!({ "textDocument": { "uri": URI } }))),
        false => drop(client.diagnostics(URI, 0)),
    }
    let (mut shown, mut line, mut column) = (Vec::new(), 0, 0);
    for (at, key) in text.char_indices() {
        let place = json!({ "line": line, "character": column });
        let change = json!({ "range": { "start": place, "end": place }, "text": key.to_string() });
        client.change(URI, at as i32 + 1, json!([change]));
        (line, column) = if key == '\n' { (line + 1, 0) } else { (line, column + 1) };
        let pull = |client: &mut Client| {
            client.request("textDocument/diagnostic", json!({ "textDocument": { "uri": URI } }));
        };
        if pulled {
            pull(&mut client);
        }
        if at % BURST == BURST - 1 {
            std::thread::sleep(THOUGHT);
        }
        for message in client.others() {
            if message["method"] == "workspace/diagnostic/refresh" {
                client.send(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": null }));
                pull(&mut client);
            }
            shown.extend(errors(&message).into_iter().map(|error| format!("{error} after {:?}", &text[..=at])));
        }
    }
    shown
}

#[test]
fn a_kernel_typed_in_bursts_shows_no_error() {
    let sessions = KERNELS.iter().flat_map(|text| [(text, false), (text, true)]);
    let sessions: Vec<_> = sessions.map(|(text, pulled)| std::thread::spawn(move || typed(text, pulled))).collect();
    let shown: Vec<String> = sessions.into_iter().flat_map(|s| s.join().expect("a session")).collect();
    assert!(shown.is_empty(), "{} publications:\n{}", shown.len(), shown.join("\n"));
}

#[test]
fn edits_that_arrive_together_are_published_together() {
    let mut client = server();
    let at_once = json!({ "ptx-analyzer": { "diagnostics": { "holdBack": false } } });
    client.begin(json!({ "capabilities": {}, "initializationOptions": at_once }));
    client.open(URI, 0, KERNELS[0]);
    client.diagnostics(URI, 0);
    let mut version = 0;
    for _ in 0..20 {
        let mut bytes = Vec::new();
        let first = version + 1;
        for (column, key) in "mov.u32 %r2, 7;".chars().enumerate() {
            version += 1;
            let place = json!({ "line": 8, "character": column });
            let change = json!([{ "range": { "start": place, "end": place }, "text": key.to_string() }]);
            let params = json!({ "textDocument": { "uri": URI, "version": version }, "contentChanges": change });
            let message = json!({ "jsonrpc": "2.0", "method": "textDocument/didChange", "params": params });
            bytes.extend(framed(message.to_string().as_bytes()));
        }
        client.raw(&bytes);
        client.diagnostics(URI, version);
        for message in client.others() {
            let published = message["params"]["version"].as_i64().unwrap_or(0);
            assert!(!(i64::from(first)..i64::from(version)).contains(&published), "{message}");
        }
    }
}
