//! The server either has the same text as the client, or reports that it does not know the text.

use crate::client::Client;
use crate::protocol::{BAD, URI, at, begun, codes};
use serde_json::{Value, json};

fn hover(client: &mut Client) -> Value {
    let id = client.request("textDocument/hover", json!({ "textDocument": { "uri": URI }, "position": at(0, 2) }));
    client.answer(id)
}

fn is_refused(answer: &Value) -> bool {
    answer["error"]["code"] == -32803
        && answer["error"]["message"].as_str().is_some_and(|m| m.contains("open it again"))
}

/// The number of messages shown to the user.
fn shown(client: &mut Client) -> usize {
    client.others().iter().filter(|m| m["method"] == "window/showMessage").count()
}

#[test]
fn half_of_an_emoji_costs_nothing() {
    let mut client = begun();
    let text = format!("{BAD}// SURROGATE\n/* SURROGATE */ .nothing\n");
    let line = text.lines().count() as u32 - 1;
    let document = json!({ "uri": URI, "languageId": "ptx", "version": 1, "text": text });
    let open = json!({ "jsonrpc": "2.0", "method": "textDocument/didOpen", "params": { "textDocument": document } });
    client.body(open.to_string().replace("SURROGATE", r"\ud83d").as_bytes());
    let first = client.diagnostics(URI, 1);
    assert_eq!(first.len(), 2, "{first:?}");
    assert_eq!(first[1]["range"]["start"], at(line, 8), "{first:?}");
    // A change inserts another surrogate half before it.
    let range = json!({ "start": at(line, 3), "end": at(line, 3) });
    let changes = json!([{ "range": range, "text": "SURROGATE" }]);
    let params = json!({ "textDocument": { "uri": URI, "version": 2 }, "contentChanges": changes });
    let change = json!({ "jsonrpc": "2.0", "method": "textDocument/didChange", "params": params });
    client.body(change.to_string().replace("SURROGATE", r"\uD83D").as_bytes());
    assert_eq!(client.diagnostics(URI, 2)[1]["range"]["start"], at(line, 9));
    // Each half counts as one UTF-16 unit, so this range is exactly the word.
    let range = json!({ "start": at(line, 9), "end": at(line, 17) });
    client.change(URI, 3, json!([{ "range": range, "text": "" }]));
    assert_eq!(codes(&client.diagnostics(URI, 3)), ["unknown-opcode"]);
    assert_eq!(shown(&mut client), 0);
}

#[test]
fn a_change_that_cannot_be_understood() {
    let mut client = begun();
    client.open(URI, 1, BAD);
    assert_eq!(codes(&client.diagnostics(URI, 1)), ["unknown-opcode"]);
    assert!(hover(&mut client).get("error").is_none());
    client.forget();
    let cut = format!(
        r#"{{"jsonrpc":"2.0","method":"textDocument/didChange","params":{{"textDocument":{{"uri":"{URI}","version":2}},"#
    );
    let nowhere = json!({ "textDocument": {}, "contentChanges": [{ "text": "" }] });
    let lose: [&dyn Fn(&mut Client); 4] = [
        &|client| client.change(URI, 2, json!(5)),
        &|client| client.change(URI, 2, json!([{ "range": { "start": at(0, 0) }, "text": "" }])),
        &|client| client.body(cut.as_bytes()),
        // A change without a URI, which may concern any document.
        &|client| client.notify("textDocument/didChange", nowhere.clone()),
    ];
    for (number, lose) in lose.iter().enumerate() {
        lose(&mut client);
        // The server clears the shown diagnostics, and reports nothing about the old text.
        client.wait("no diagnostics", |m| {
            m["method"] == "textDocument/publishDiagnostics" && m["params"]["diagnostics"] == json!([])
        });
        assert!(is_refused(&hover(&mut client)), "{number}");
        // The user gets one message only.
        assert_eq!(shown(&mut client), usize::from(number == 0), "{number}");
        // A range is meaningless in an unknown text.
        let range = json!({ "start": at(0, 0), "end": at(0, 0) });
        client.change(URI, 3, json!([{ "range": range, "text": "bad;" }]));
        assert!(is_refused(&hover(&mut client)), "{number}");
        let version = 10 + number as i32;
        client.change(URI, version, json!([{ "range": range, "text": "?" }, { "text": BAD }]));
        assert_eq!(codes(&client.diagnostics(URI, version)), ["unknown-opcode"], "{number}");
        assert!(hover(&mut client).get("error").is_none(), "{number}");
    }
}

#[test]
fn opening_that_cannot_be_understood() {
    let mut client = begun();
    client.notify("textDocument/didOpen", json!({ "textDocument": { "uri": URI, "text": BAD } }));
    assert!(is_refused(&hover(&mut client)));
    client.open(URI, 1, BAD);
    assert_eq!(codes(&client.diagnostics(URI, 1)), ["unknown-opcode"]);
    assert!(hover(&mut client).get("error").is_none());
    // Requests about an unknown text are refused, but those about a closed document return nothing.
    client.change(URI, 2, json!("all"));
    assert!(is_refused(&hover(&mut client)));
    client.close(URI);
    assert_eq!(hover(&mut client)["result"], Value::Null);
}
