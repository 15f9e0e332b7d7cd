//! Diagnostics that are delayed while the user types: a second publication of the same version.

use crate::client::Client;
use crate::ordering::Model;
use crate::protocol::server;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const URI: &str = "file:///typed.ptx";

const TEXT: &str = "\
.version 8.0
.target sm_80
.address_size 64
.visible .entry k()
{
    .reg .b32 %a, %b;
    mov.u32 %a, 1;
    mov.u32 %b, %a;
    ret;
}
";

/// Index of the line with the declaration.
const DECLARATION: u32 = 5;

fn codes(diagnostics: &[Value]) -> Vec<String> {
    diagnostics.iter().map(|d| d["code"].as_str().unwrap().to_owned()).collect()
}

/// Replaces a part of a line.
fn change(client: &mut Client, version: i32, line: u32, columns: (u32, u32), text: &str) {
    let place = |column: u32| json!({ "line": line, "character": column });
    client.change(
        URI,
        version,
        json!([{ "range": { "start": place(columns.0), "end": place(columns.1) }, "text": text }]),
    );
}

fn pushed() -> Client {
    let mut client = server();
    client.begin(json!({ "capabilities": {} }));
    client.open(URI, 0, TEXT);
    client.diagnostics(URI, 0);
    client
}

fn saved(client: &mut Client) {
    client.notify("textDocument/didSave", json!({ "textDocument": { "uri": URI } }));
}

/// The number of delayed diagnostics.
fn held(client: &mut Client) -> u64 {
    client.execute("ptx-analyzer.serverStatus", Value::Null)["documents"][0]["held"].as_u64().unwrap()
}

#[test]
fn what_waits_comes_with_the_same_version() {
    let mut client = pushed();
    let begin = Instant::now();
    change(&mut client, 1, DECLARATION, (0, 21), "");
    // At first the server keeps the names as known, so nothing is reported; after a pause it reports them.
    assert_eq!(codes(&client.diagnostics(URI, 1)), [""; 0]);
    loop {
        let found = codes(&client.diagnostics(URI, 1));
        if found.iter().any(|code| code == "undeclared-name") {
            break;
        }
    }
    assert!(begin.elapsed() >= Duration::from_secs(2), "{:?}", begin.elapsed());
}

#[test]
fn an_edit_drops_what_waits() {
    let mut client = pushed();
    change(&mut client, 1, DECLARATION, (0, 21), "");
    assert_eq!(codes(&client.diagnostics(URI, 1)), [""; 0]);
    change(&mut client, 2, DECLARATION, (0, 0), "    .reg .b32 %a, %b;");
    client.diagnostics(URI, 2);
    std::thread::sleep(Duration::from_millis(700));
    for message in client.others() {
        assert!(message["params"]["version"] != 1, "{message}");
        assert!(!message.to_string().contains("undeclared-name"), "{message}");
    }
}

#[test]
fn a_save_publishes_at_once() {
    let mut client = pushed();
    change(&mut client, 1, 8, (4, 8), "bra NOWHERE;");
    assert!(!codes(&client.diagnostics(URI, 1)).contains(&"undeclared-name".to_owned()));
    saved(&mut client);
    let begin = Instant::now();
    while !codes(&client.diagnostics(URI, 1)).contains(&"undeclared-name".to_owned()) {}
    // Without saving, the delay is 2 s; the limit is higher because the machine may be slow.
    assert!(begin.elapsed() < Duration::from_secs(30));
    assert_eq!(held(&mut client), 0);
}

#[test]
fn code_actions_see_what_waits() {
    let mut client = server();
    let literals = json!({ "codeActionLiteralSupport": { "codeActionKind": { "valueSet": ["quickfix"] } } });
    client.begin(json!({ "capabilities": { "textDocument": { "codeAction": literals } } }));
    client.open(URI, 0, TEXT);
    client.diagnostics(URI, 0);
    // The edit changes `mov.u32 %a` to `mov.u32 %c`, in the middle of a statement.
    change(&mut client, 1, 6, (13, 14), "c");
    assert_eq!(codes(&client.diagnostics(URI, 1)), [""; 0]);
    let place = json!({ "line": 6, "character": 13 });
    let context = json!({ "diagnostics": [] });
    let range = json!({ "start": place, "end": place });
    let params = json!({ "textDocument": { "uri": URI }, "range": range, "context": context });
    let actions = client.call("textDocument/codeAction", params);
    let fixes = |a: &Value| a["diagnostics"][0]["code"] == "undeclared-name" && a["kind"] == "quickfix";
    assert!(actions.as_array().unwrap().iter().any(fixes), "{actions}");
}

#[test]
fn it_can_be_turned_off() {
    let mut client = server();
    let options = json!({ "ptx-analyzer": { "diagnostics": { "holdBack": false } } });
    client.begin(json!({ "capabilities": {}, "initializationOptions": options }));
    client.open(URI, 0, TEXT);
    client.diagnostics(URI, 0);
    change(&mut client, 1, DECLARATION, (0, 21), "");
    assert_eq!(codes(&client.diagnostics(URI, 1)), ["undeclared-name"; 3]);
}

fn pull(client: &mut Client, previous: Option<&str>) -> Value {
    client.call("textDocument/diagnostic", json!({ "textDocument": { "uri": URI }, "previousResultId": previous }))
}

#[test]
fn who_pulls_is_told_and_gets_another_result() {
    let mut client = server();
    let capabilities =
        json!({ "textDocument": { "diagnostic": {} }, "workspace": { "diagnostics": { "refreshSupport": true } } });
    client.begin(json!({ "capabilities": capabilities }));
    client.open(URI, 0, TEXT);
    pull(&mut client, None);
    change(&mut client, 1, DECLARATION, (0, 21), "");
    let first = pull(&mut client, None);
    assert_eq!(first["items"], json!([]), "{first}");
    loop {
        let refresh = client.wait("a refresh", |m| m["method"] == "workspace/diagnostic/refresh");
        client.send(&json!({ "jsonrpc": "2.0", "id": refresh["id"], "result": null }));
        let next = pull(&mut client, first["resultId"].as_str());
        if next["kind"] == "full" && !codes(next["items"].as_array().unwrap()).is_empty() {
            assert!(codes(next["items"].as_array().unwrap()).contains(&"undeclared-name".to_owned()), "{next}");
            assert_ne!(next["resultId"], first["resultId"]);
            break;
        }
    }
}

#[test]
fn who_pulls_and_cannot_be_told_waits_for_nothing() {
    let mut client = server();
    client.begin(json!({ "capabilities": { "textDocument": { "diagnostic": {} } } }));
    client.open(URI, 0, TEXT);
    pull(&mut client, None);
    change(&mut client, 1, DECLARATION, (0, 21), "");
    assert_eq!(codes(pull(&mut client, None)["items"].as_array().unwrap()), ["undeclared-name"; 3]);
}

/// After a pause, an edited document has the same diagnostics as a fresh one with the same text.
#[test]
fn after_a_pause_nothing_differs_from_a_fresh_document() {
    let mut client = pushed();
    let mut model = Model::new(7);
    client.change(URI, 1, json!([{ "text": model.text }]));
    for version in 2..30 {
        let changes = vec![model.change()];
        client.change(URI, version, json!(changes));
        let (mut edited, mut opened) = (json!(client.diagnostics(URI, version)), Value::Null);
        if version % 7 != 0 {
            continue;
        }
        let deadline = Instant::now() + crate::client::TIMEOUT;
        std::thread::sleep(Duration::from_millis(2100));
        let fresh = format!("file:///fresh{version}.ptx");
        let mut last = |client: &mut Client| {
            for message in client.others() {
                let found = &message["params"]["diagnostics"];
                match message["params"]["uri"].as_str() {
                    // A busy server may publish an earlier version twice; ignore publications of other versions.
                    Some(URI) if message["params"]["version"] == version => edited = found.clone(),
                    Some(uri) if uri == fresh => opened = found.clone(),
                    _ => {}
                }
            }
            edited == opened
        };
        last(&mut client);
        client.open(&fresh, version, &model.text);
        // The server publishes delayed diagnostics, and the lints of the fresh document, when the machine has time.
        while !last(&mut client) && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(300));
        }
        assert_eq!(held(&mut client), 0);
        assert_eq!(edited, opened, "{}", model.text);
        client.close(&fresh);
        client.forget();
    }
}
