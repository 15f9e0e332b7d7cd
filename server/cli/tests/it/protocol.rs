//! Tests of single messages of the protocol.

use crate::client::Client;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

pub const URI: &str = "file:///kernel.ptx";

/// A text with one error, in the line with `bad`.
pub const BAD: &str =
    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n    bad.u32 %r1;\n    ret;\n}\n";

pub fn server() -> Client {
    Client::start(Command::new(env!("CARGO_BIN_EXE_ptx-analyzer")).env_remove("PTX_ANALYZER_LOG"))
}

/// The URI of an absolute path, as most clients write it.
pub fn file_uri(path: &Path) -> String {
    let path = path.to_string_lossy().replace('\\', "/").replace(' ', "%20");
    if path.starts_with('/') { format!("file://{path}") } else { format!("file:///{path}") }
}

/// The path of a URI that the server has written.
pub fn path_of(uri: &str) -> PathBuf {
    let path = uri.strip_prefix("file://").unwrap().replace("%20", " ");
    PathBuf::from(if cfg!(windows) { path.trim_start_matches('/') } else { &path })
}

pub fn begun() -> Client {
    let mut client = server();
    client.begin(json!({ "capabilities": {} }));
    client
}

fn good() -> String {
    BAD.replace("    bad.u32 %r1;\n", "")
}

pub fn codes(diagnostics: &[Value]) -> Vec<&str> {
    diagnostics.iter().filter_map(|d| d["code"].as_str()).collect()
}

pub fn at(line: u32, character: u32) -> Value {
    json!({ "line": line, "character": character })
}

fn hover(client: &mut Client, line: u32, character: u32) -> Value {
    client.call("textDocument/hover", json!({ "textDocument": { "uri": URI }, "position": at(line, character) }))
}

#[test]
fn open_edit_close() {
    let mut client = begun();
    client.open(URI, 1, BAD);
    let found = client.diagnostics(URI, 1);
    assert_eq!(codes(&found), ["unknown-opcode"]);
    assert_eq!(found[0]["range"], json!({ "start": at(5, 4), "end": at(5, 7) }));
    assert_eq!(found[0]["severity"], 1);
    assert_eq!(found[0]["source"], "ptx-analyzer");
    let page = found[0]["codeDescription"]["href"].as_str().unwrap();
    assert!(page.ends_with("/docs/diagnostics/unknown-opcode.md"), "{page}");
    // Two changes in one notification; the second applies to the result of the first.
    let remove = json!({ "range": { "start": at(5, 0), "end": at(5, 99) }, "text": "" });
    let join = json!({ "range": { "start": at(5, 0), "end": at(6, 4) }, "text": "    " });
    client.change(URI, 2, json!([remove, join]));
    assert_eq!(client.diagnostics(URI, 2), [] as [Value; 0]);
    client.change(URI, 3, json!([{ "text": BAD }]));
    assert_eq!(codes(&client.diagnostics(URI, 3)), ["unknown-opcode"]);
    client.close(URI);
    let message = client.wait("the diagnostics taken back", |m| m["params"].get("version").is_none());
    assert_eq!(message["params"], json!({ "uri": URI, "diagnostics": [] }));
    // Opening the same URI again begins a new document.
    client.open(URI, 1, BAD);
    assert_eq!(codes(&client.diagnostics(URI, 1)), ["unknown-opcode"]);
}

#[test]
fn positions_after_astral_characters_in_each_encoding() {
    // Columns of `ret` after a comment with a character of 4 bytes and 2 UTF-16 units.
    for (encoding, column) in [("utf-16", 8), ("utf-8", 10), ("utf-32", 7)] {
        let mut client = server();
        let capabilities = client.begin(json!({ "capabilities": { "general": { "positionEncodings": [encoding] } } }));
        assert_eq!(capabilities["positionEncoding"], encoding);
        client.open(URI, 1, &BAD.replace("\n    ret;", "\r\n/*😀*/ ret;"));
        let answer = hover(&mut client, 6, column);
        assert_eq!(answer["range"], json!({ "start": at(6, column - 1), "end": at(6, column + 2) }), "{encoding}");
        assert!(answer["contents"]["value"].as_str().unwrap().contains("ret"), "{answer}");
    }
}

#[test]
fn carriage_returns_are_line_breaks() {
    let mut client = begun();
    for (version, line_break) in [(1, "\r\n"), (2, "\r")] {
        let text = BAD.replace('\n', line_break);
        match version {
            1 => client.open(URI, version, &text),
            _ => client.change(URI, version, json!([{ "text": text }])),
        }
        let found = client.diagnostics(URI, version);
        assert_eq!(found[0]["range"], json!({ "start": at(5, 4), "end": at(5, 7) }));
    }
    // A column after the end of a line means the position before its line break.
    client.change(URI, 3, json!([{ "text": BAD.replace('\n', "\r\n") }]));
    client.change(URI, 4, json!([{ "range": { "start": at(4, 99), "end": at(4, 99) }, "text": " // x" }]));
    let tree = client.execute("ptx-analyzer.showSyntaxTree", json!({ "uri": URI }));
    assert!(tree.as_str().unwrap().contains("[5:3-5:7] \"// x\""), "{tree}");
    assert_eq!(codes(&client.diagnostics(URI, 4)), ["unknown-opcode"]);
}

#[test]
fn outline_as_tree_and_as_list() {
    let text = BAD.replace("k()", "k(.param .u64 p)");
    let symbols = |capabilities: Value| {
        let mut client = server();
        client.begin(json!({ "capabilities": capabilities }));
        client.open(URI, 1, &text);
        client.call("textDocument/documentSymbol", json!({ "textDocument": { "uri": URI } }))
    };
    let tree = symbols(json!({ "textDocument": { "documentSymbol": { "hierarchicalDocumentSymbolSupport": true } } }));
    assert_eq!(tree[0]["name"], "k");
    assert_eq!(tree[0]["selectionRange"], json!({ "start": at(3, 16), "end": at(3, 17) }));
    assert_eq!(tree[0]["children"][0]["name"], "p");
    let list = symbols(json!({}));
    assert_eq!((&list[0]["name"], &list[0]["location"]["uri"]), (&json!("k"), &json!(URI)));
    assert_eq!((&list[1]["name"], &list[1]["containerName"]), (&json!("p"), &json!("k")));
}

#[test]
fn diagnostics_are_pulled_or_pushed_but_not_both() {
    let mut client = server();
    let capabilities = client.begin(json!({ "capabilities": { "textDocument": { "diagnostic": {} } } }));
    assert_eq!(capabilities["diagnosticProvider"]["interFileDependencies"], false);
    client.open(URI, 1, BAD);
    let pull = |client: &mut Client, previous: &Value| {
        let params = json!({ "textDocument": { "uri": URI }, "previousResultId": previous });
        client.call("textDocument/diagnostic", params)
    };
    let report = pull(&mut client, &Value::Null);
    assert_eq!(report["kind"], "full");
    assert_eq!(codes(report["items"].as_array().unwrap()), ["unknown-opcode"]);
    let again = pull(&mut client, &report["resultId"]);
    assert_eq!(again, json!({ "kind": "unchanged", "resultId": report["resultId"] }));
    // The request sees the change that was sent before it.
    client.change(URI, 2, json!([{ "text": good() }]));
    let report = pull(&mut client, &report["resultId"]);
    assert_eq!((&report["kind"], &report["items"]), (&json!("full"), &json!([])));
    client.close(URI);
    assert_eq!(pull(&mut client, &Value::Null)["items"], json!([]));
    assert_eq!(client.others(), [] as [Value; 0]);
    let capabilities = server().begin(json!({ "capabilities": {} }));
    assert_eq!(capabilities.get("diagnosticProvider"), None);
}

#[test]
fn settings_at_the_start_and_changed() {
    let mut client = server();
    let options = json!({ "ptx-analyzer": { "diagnostics": { "disabled": ["unknown-opcode"] } } });
    client.begin(json!({ "capabilities": {}, "initializationOptions": options }));
    client.open(URI, 1, BAD);
    assert_eq!(codes(&client.diagnostics(URI, 1)), [] as [&str; 0]);
    let change = |client: &mut Client, settings: Value| {
        client.notify("workspace/didChangeConfiguration", json!({ "settings": { "ptx-analyzer": settings } }));
    };
    change(&mut client, json!({ "diagnostics": { "severity": { "unknown-opcode": "hint" } } }));
    let found = client.diagnostics(URI, 1);
    assert_eq!((codes(&found), &found[0]["severity"]), (vec!["unknown-opcode"], &json!(4)));
    change(&mut client, json!({ "diagnostics": { "enable": false } }));
    assert_eq!(codes(&client.diagnostics(URI, 1)), [] as [&str; 0]);
    // A wrong setting is reported once, and does not prevent the others.
    change(&mut client, json!({ "diagnostics": { "enable": "yes" }, "hover": { "enable": false } }));
    assert_eq!(codes(&client.diagnostics(URI, 1)), ["unknown-opcode"]);
    let message = client.wait("a message", |m| m["method"] == "window/showMessage");
    assert!(message["params"]["message"].as_str().unwrap().contains("ptx-analyzer.diagnostics.enable"), "{message}");
    assert_eq!(hover(&mut client, 6, 5), Value::Null);
}

#[test]
fn settings_are_asked_for() {
    let mut client = server();
    let workspace = json!({ "configuration": true, "didChangeConfiguration": { "dynamicRegistration": true } });
    client.begin(json!({ "capabilities": { "workspace": workspace } }));
    let registration = client.wait("a registration", |m| m["method"] == "client/registerCapability");
    assert_eq!(registration["params"]["registrations"][0]["method"], "workspace/didChangeConfiguration");
    // While the client has not answered, the server handles everything else.
    client.open(URI, 1, BAD);
    assert_eq!(codes(&client.diagnostics(URI, 1)), ["unknown-opcode"]);
    let answer = |client: &mut Client, settings: Value| {
        let question = client.wait("a question", |m| m["method"] == "workspace/configuration");
        assert_eq!(question["params"]["items"][0]["section"], "ptx-analyzer");
        client.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": [settings] }));
    };
    answer(&mut client, json!({ "diagnostics": { "disabled": ["unknown-opcode"] } }));
    assert_eq!(codes(&client.diagnostics(URI, 1)), [] as [&str; 0]);
    client.notify("workspace/didChangeConfiguration", json!({ "settings": null }));
    answer(&mut client, json!({}));
    assert_eq!(codes(&client.diagnostics(URI, 1)), ["unknown-opcode"]);
}

#[test]
fn xml_is_left_alone() {
    let mut client = begun();
    client.open(URI, 1, "\u{feff}\n <?xml version=\"1.0\"?>\n<pretext/>\n");
    assert_eq!(client.diagnostics(URI, 1), [] as [Value; 0]);
    assert_eq!(hover(&mut client, 1, 4), Value::Null);
    let symbols = client.call("textDocument/documentSymbol", json!({ "textDocument": { "uri": URI } }));
    assert_eq!(symbols, Value::Null);
    assert_eq!(client.execute("ptx-analyzer.showSyntaxTree", json!({ "uri": URI })), Value::Null);
    // The text becomes PTX, XML, and PTX again.
    client.change(URI, 2, json!([{ "text": BAD }]));
    assert_eq!(codes(&client.diagnostics(URI, 2)), ["unknown-opcode"]);
    client.change(URI, 3, json!([{ "range": { "start": at(0, 0), "end": at(0, 0) }, "text": "<" }]));
    assert_eq!(client.diagnostics(URI, 3), [] as [Value; 0]);
    client.change(URI, 4, json!([{ "range": { "start": at(0, 0), "end": at(0, 1) }, "text": "" }]));
    assert_eq!(codes(&client.diagnostics(URI, 4)), ["unknown-opcode"]);
}

#[test]
fn commands() {
    let mut client = begun();
    client.open(URI, 7, BAD);
    client.diagnostics(URI, 7);
    let tree = client.execute("ptx-analyzer.showSyntaxTree", json!({ "uri": URI }));
    assert!(tree.as_str().unwrap().contains("\"bad\""), "{tree}");
    let text = client.execute("ptx-analyzer.explain", json!({ "query": "add.u32" }));
    assert!(text.as_str().unwrap().contains("add"), "{text}");
    assert_eq!(client.execute("ptx-analyzer.explain", json!("no such thing")), Value::Null);
    let status = client.execute("ptx-analyzer.serverStatus", Value::Null);
    let document = &status["documents"][0];
    assert_eq!((&document["uri"], &document["version"]), (&json!(URI), &json!(7)));
    assert_eq!(document["bytes"], BAD.len());
    assert!(status["markdown"].as_str().unwrap().contains(URI));
    for (command, argument) in [("no.such.command", json!({})), ("ptx-analyzer.showSyntaxTree", json!({}))] {
        let id = client.request("workspace/executeCommand", json!({ "command": command, "arguments": [argument] }));
        assert_eq!(client.answer(id)["error"]["code"], -32602, "{command}");
    }
}

#[test]
fn four_hundred_messages_at_once() {
    let mut client = begun();
    client.open(URI, 1, BAD);
    let mut requests = Vec::new();
    for i in 0..100 {
        let insert = json!([{ "range": { "start": at(6, 4), "end": at(6, 4) }, "text": "ret;\n    " }]);
        client.change(URI, i + 2, insert);
        let document = json!({ "uri": URI });
        let at = json!({ "textDocument": document, "position": at(6, 5) });
        requests.push(client.request("textDocument/hover", at));
        requests.push(client.request("textDocument/documentSymbol", json!({ "textDocument": document })));
        let tree = json!({ "command": "ptx-analyzer.showSyntaxTree", "arguments": [document] });
        requests.push(client.request("workspace/executeCommand", tree));
    }
    for (i, id) in requests.into_iter().enumerate() {
        let answer = client.answer(id);
        assert!(!answer["result"].is_null(), "{answer}");
        if i % 3 == 2 {
            // Each tree has at least the edits that were sent before the request.
            let lines = answer["result"].as_str().unwrap().matches("\"ret\"").count();
            assert!(lines >= i / 3 + 2, "{lines} after {} edits", i / 3 + 1);
        }
    }
    assert_eq!(codes(&client.diagnostics(URI, 101)), ["unknown-opcode"]);
}

#[test]
fn what_is_no_message_does_no_harm() {
    let mut client = begun();
    client.raw(b"\r\n\r\nnonsense\r\n\r\n");
    client.body(b"{\"a\": [}");
    let answer = client.wait("an answer", |m| m["error"]["code"] == -32700);
    assert_eq!(answer["id"], Value::Null);
    client.send(&json!([1, 2, 3]));
    client.send(&json!({ "jsonrpc": "2.0", "id": 77, "method": 12 }));
    assert_eq!(client.answer(77)["error"]["code"], -32600);
    client.send(&json!({ "jsonrpc": "2.0", "id": 78, "method": "no/such/method" }));
    assert_eq!(client.answer(78)["error"]["code"], -32601);
    client.notify("textDocument/didOpen", json!({ "nothing": "of use" }));
    client.notify("$/unheardOf", json!({}));
    client.change("file:///not-open.ptx", 1, json!([{ "text": "x" }]));
    client.close("file:///not-open.ptx");
    client.open(URI, 1, BAD);
    assert_eq!(codes(&client.diagnostics(URI, 1)), ["unknown-opcode"]);
}

#[test]
fn the_end() {
    let limit = Duration::from_secs(5);
    // In both cases the pipe stays open.
    let mut client = begun();
    client.open(URI, 1, BAD);
    assert_eq!(client.call("shutdown", Value::Null), Value::Null);
    client.notify("exit", Value::Null);
    assert_eq!(client.ended(limit).and_then(|s| s.code()), Some(0));
    let mut client = begun();
    client.notify("exit", Value::Null);
    assert_eq!(client.ended(limit).and_then(|s| s.code()), Some(1));
    // Exit before initialization.
    let mut client = server();
    client.notify("exit", Value::Null);
    assert_eq!(client.ended(limit).and_then(|s| s.code()), Some(1));
    // Exit at the end of the input.
    let mut client = begun();
    client.hang_up();
    assert_eq!(client.ended(limit).and_then(|s| s.code()), Some(1));
    let mut client = begun();
    client.call("shutdown", Value::Null);
    client.hang_up();
    assert_eq!(client.ended(limit).and_then(|s| s.code()), Some(0));
}

#[test]
fn cancelled_requests_are_answered() {
    let mut client = begun();
    let mut text = BAD.to_owned();
    text.push_str(&good()[good().find(".visible").unwrap()..].repeat(2000));
    client.open(URI, 1, &text);
    let position = at(6, 5);
    let id = client.request("textDocument/hover", json!({ "textDocument": { "uri": URI }, "position": position }));
    client.notify("$/cancelRequest", json!({ "id": id }));
    let answer = client.answer(id);
    assert!(answer["error"]["code"] == -32800 || !answer["result"].is_null(), "{answer}");
}
