//! Formatting in the protocol.

use crate::client::Client;
use crate::protocol::server;
use serde_json::{Value, json};

const URI: &str = "file:///kernel.ptx";

const TEXT: &str = ".version 8.0\n.target sm_90\n.visible .entry k()\n{\n  .reg .b32 a; // é 𝒳\n  mov.u32 a,1;\n   L: add.u32 a,a,1;\n ret;\n}\n";

fn begun(settings: Value) -> Client {
    let mut client = server();
    let offered = client.begin(json!({ "capabilities": {}, "initializationOptions": settings }));
    assert_eq!(offered["documentFormattingProvider"], true);
    assert_eq!(offered["documentRangeFormattingProvider"], true);
    assert_eq!(offered["documentOnTypeFormattingProvider"]["firstTriggerCharacter"], ";");
    client.open(URI, 1, TEXT);
    client
}

fn call(client: &mut Client, method: &str, mut params: Value) -> Vec<(u64, u64, String)> {
    params["textDocument"] = json!({ "uri": URI });
    if params.get("options").is_none() {
        params["options"] = json!({ "tabSize": 4, "insertSpaces": true });
    }
    let edits = client.call(method, params);
    let edit = |e: &Value| {
        let at = &e["range"]["start"];
        let number = |key: &str| at[key].as_u64().expect("a number");
        (number("line"), number("character"), e["newText"].as_str().expect("a text").to_owned())
    };
    edits.as_array().expect("a list").iter().map(edit).collect()
}

fn edit(line: u64, character: u64, text: &str) -> (u64, u64, String) {
    (line, character, text.to_owned())
}

#[test]
fn a_document_a_range_and_what_was_typed() {
    let mut client = begun(json!({}));
    let all = call(&mut client, "textDocument/formatting", json!({}));
    assert_eq!(all.first(), Some(&edit(4, 2, "  ")));
    assert!(all.contains(&edit(6, 0, "")) && all.len() > 8, "{all:?}");
    let line = |line: u64| json!({ "line": line, "character": 3 });
    let range = json!({ "range": { "start": line(5), "end": line(5) } });
    let found = call(&mut client, "textDocument/rangeFormatting", range);
    assert_eq!(found, [edit(5, 2, "  "), edit(5, 10, "            "), edit(5, 12, " ")]);
    let typed = json!({ "position": { "line": 5, "character": 14 }, "ch": ";" });
    assert_eq!(call(&mut client, "textDocument/onTypeFormatting", typed), found[..1]);
    // Tabs are used if the editor requests them.
    let tabs = json!({ "options": { "tabSize": 8, "insertSpaces": false } });
    assert_eq!(call(&mut client, "textDocument/formatting", tabs)[0], edit(4, 0, "\t"));
}

#[test]
fn settings() {
    let mut client = begun(
        json!({ "formatting": { "operands": "off", "onType": false, "alignDeclarations": false, "outdentLabels": false } }),
    );
    let typed = json!({ "textDocument": { "uri": URI }, "position": { "line": 5, "character": 14 }, "ch": ";", "options": { "tabSize": 4, "insertSpaces": true } });
    assert_eq!(client.call("textDocument/onTypeFormatting", typed), Value::Null);
    let found =
        call(&mut client, "textDocument/formatting", json!({ "options": { "tabSize": 2, "insertSpaces": true } }));
    let expected =
        [edit(5, 12, " "), edit(6, 2, ""), edit(6, 5, "\n "), edit(6, 16, " "), edit(6, 18, " "), edit(7, 1, " ")];
    assert_eq!(found, expected);
}
