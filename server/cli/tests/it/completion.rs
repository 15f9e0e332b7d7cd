//! Completion and signature help as a client sees them.

use crate::client::Client;
use crate::protocol::server;
use serde_json::{Value, json};

const URI: &str = "file:///kernel.ptx";

const TEXT: &str = ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 é)\n{\n    .reg .b32 %r<4>;\n    \
    .reg .f32 %f<4>;\n    /* é */ fma.r .f32 %f1, %f2, \n    mov.u32 %r1, 0;\n    ret;\n}\n";

fn begin(item: Value, settings: Value) -> Client {
    let mut client = server();
    let signature = json!({ "signatureInformation": { "parameterInformation": { "labelOffsetSupport": true } } });
    let text = json!({ "completion": { "completionItem": item }, "signatureHelp": signature });
    let params = json!({ "capabilities": { "textDocument": text }, "initializationOptions": settings });
    let offered = client.begin(params);
    assert_eq!(offered["completionProvider"]["resolveProvider"], true);
    assert!(offered["completionProvider"]["triggerCharacters"].as_array().unwrap().contains(&json!(".")));
    assert!(!offered["completionProvider"]["triggerCharacters"].as_array().unwrap().contains(&json!("{")));
    assert!(offered["completionProvider"].get("allCommitCharacters").is_none());
    client.open(URI, 1, TEXT);
    client
}

fn at(line: u32, character: u32) -> Value {
    json!({ "textDocument": { "uri": URI }, "position": { "line": line, "character": character } })
}

fn complete(client: &mut Client, line: u32, character: u32) -> Vec<Value> {
    let answer = client.call("textDocument/completion", at(line, character));
    answer["items"].as_array().expect("a list").clone()
}

fn item<'v>(items: &'v [Value], label: &str) -> &'v Value {
    items.iter().find(|i| i["label"] == label).unwrap_or_else(|| panic!("{label} in {items:?}"))
}

#[test]
fn an_item_has_what_the_client_takes_and_is_documented_when_it_is_looked_at() {
    let all = json!({
        "snippetSupport": true, "insertReplaceSupport": true, "labelDetailsSupport": true, "documentationFormat": ["markdown"],
        "tagSupport": { "valueSet": [1] }, "insertTextModeSupport": { "valueSet": [1, 2] },
    });
    let mut client = begin(all, Value::Null);
    // Columns count UTF-16 units: `é` is one.
    let items = complete(&mut client, 7, 17);
    let rn = item(&items, ".rn");
    let start = json!({ "line": 7, "character": 15 });
    let end = json!({ "line": 7, "character": 17 });
    let range = json!({ "start": start, "end": end });
    assert_eq!(rn["textEdit"], json!({ "newText": ".rn", "insert": range, "replace": range }));
    assert!(rn.get("documentation").is_none() && rn["labelDetails"]["description"].is_string());
    let resolved = client.call("completionItem/resolve", rn.clone());
    assert_eq!(resolved["documentation"]["kind"], "markdown");
    assert!(resolved["documentation"]["value"].as_str().unwrap().contains("`.rn`"));
    let snippet = complete(&mut client, 8, 4);
    let skeleton = item(&snippet, "loop");
    assert_eq!((&skeleton["insertTextFormat"], &skeleton["insertTextMode"]), (&json!(2), &json!(2)));
    let wgmma = item(&snippet, "wgmma.mma_async");
    assert_eq!(wgmma["labelDetails"]["description"], "needs PTX 8.0 and sm_90a");
    assert!(wgmma["sortText"].as_str() > item(&snippet, "add")["sortText"].as_str());
}

#[test]
fn an_item_opens_the_list_of_what_follows_where_the_client_can() {
    const LINES: &str = ".version 7.8\n.target sm_80\n.address_size 64\n.\n.visible .entry k()\n{\n    \n    ret;\n}\n";
    for able in [true, false] {
        let mut client = server();
        let commands = if able { json!(["ptx-analyzer.suggest"]) } else { json!([]) };
        let experimental = json!({ "commands": { "commands": commands } });
        client.begin(json!({ "capabilities": { "textDocument": { "completion": {} }, "experimental": experimental } }));
        client.open(URI, 1, LINES);
        let module = complete(&mut client, 3, 1);
        let body = complete(&mut client, 6, 4);
        for (items, label, text, goes_on) in [
            (&module, ".visible", ".visible ", true),
            (&module, ".entry", ".entry ", false),
            (&body, "ld", "ld", true),
            (&body, "mbarrier", "mbarrier", true),
            (&body, "bra", "bra", false),
            (&body, "cp.async", "cp.async", false),
            (&body, ".reg", ".reg ", true),
        ] {
            let item = item(items, label);
            assert_eq!(item["textEdit"]["newText"], text);
            let command = item.get("command").map(|c| c["command"].clone());
            assert_eq!(command, (able && goes_on).then(|| json!("ptx-analyzer.suggest")), "{item}");
        }
        client.change(URI, 2, json!([{ "text": LINES.replace("    \n", "    ld\n") }]));
        let items = complete(&mut client, 6, 6);
        assert_eq!(items[0]["label"], "ld");
        assert!(items.iter().any(|i| i["label"] == "ld.global"), "{items:?}");
    }
}

#[test]
fn a_simple_client_gets_plain_text() {
    let mut client = begin(json!({}), json!({ "completion": { "unavailable": false } }));
    let items = complete(&mut client, 8, 4);
    assert!(items.iter().all(|i| i.get("insertTextFormat").is_none() && i.get("labelDetails").is_none()));
    assert!(items.iter().all(|i| i["label"] != "wgmma.mma_async"));
    let add = item(&items, "add");
    assert_eq!(add["textEdit"]["newText"], "add");
    assert!(add["textEdit"].get("insert").is_none());
}

#[test]
fn a_blank_asks_for_operands_only() {
    let mut client = begin(json!({}), Value::Null);
    let mut blank = |line: u32, character: u32| {
        let mut params = at(line, character);
        params["context"] = json!({ "triggerKind": 2, "triggerCharacter": " " });
        client.call("textDocument/completion", params)
    };
    assert_eq!(blank(8, 4), Value::Null);
    assert!(blank(7, 32).is_object());
    // An editor shows the old list while it waits for the rest of an incomplete one, so lists should be complete.
    assert_eq!(blank(7, 32)["isIncomplete"], false);
}

#[test]
fn signatures_mark_the_operand() {
    let mut client = begin(json!({}), Value::Null);
    client.change(URI, 2, json!([{ "range": { "start": { "line": 7, "character": 16 }, "end": { "line": 7, "character": 18 } }, "text": "rn" }]));
    let help = client.call("textDocument/signatureHelp", at(7, 33));
    assert_eq!(help["signatures"][0]["label"], "fma.rn.f32 d, a, b, c");
    assert_eq!((&help["activeSignature"], &help["activeParameter"]), (&json!(0), &json!(2)));
    assert_eq!(help["signatures"][0]["parameters"][2]["label"], json!([17, 18]));
    assert_eq!(client.call("textDocument/signatureHelp", at(8, 4)), Value::Null);
}

/// Eglot of Emacs 29 and 30 fails at a parameter that has both offsets at the end of the label and a document.
#[test]
fn eglot_gets_signatures_that_it_can_show() {
    let help = |name: &str| {
        let mut client = server();
        let signature = json!({ "signatureInformation": {
            "parameterInformation": { "labelOffsetSupport": true }, "documentationFormat": ["markdown", "plaintext"],
        } });
        let capabilities = json!({ "textDocument": { "signatureHelp": signature } });
        client.begin(json!({ "clientInfo": { "name": name, "version": "1.17" }, "capabilities": capabilities }));
        client.open(URI, 1, &TEXT.replace("fma.r .f32 %f1, %f2, ", "ld.param.u64 %rd1, ["));
        client.call("textDocument/signatureHelp", at(7, 33))["signatures"][0].clone()
    };
    let documents = |signature: &Value| {
        let parameters = signature["parameters"].as_array().unwrap();
        parameters.iter().filter(|p| p.get("documentation").is_some()).count()
    };
    let text = |signature: &Value| signature["documentation"]["value"].as_str().unwrap().to_owned();
    let (eglot, other) = (help("Eglot"), help("helix"));
    assert_eq!(eglot["label"], "ld.param.u64 d, [a]");
    assert_eq!(eglot["label"], other["label"]);
    assert!(documents(&eglot) == 0 && documents(&other) > 0, "{eglot} {other}");
    assert!(eglot["parameters"].as_array().unwrap().iter().all(|p| p["label"].is_array()));
    // The text of the operand at the cursor is not lost.
    assert!(text(&eglot).contains("`[a]`: ") && !text(&other).contains("`[a]`: "), "{eglot}");
}
