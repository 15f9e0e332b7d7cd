//! Semantic tokens, inlay hints and code lenses in the protocol.

use crate::client::Client;
use crate::protocol::server;
use serde_json::{Value, json};

const URI: &str = "file:///kernel.ptx";

const TEXT: &str = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u32 n)\n{\n    \
    .reg .b32 %r<4>; // é 😀\n    /* 😀 */ mov.u32 %r1, %tid.x;\n    ret;\n}\n";

fn begun(capabilities: Value) -> (Client, Value) {
    let mut client = server();
    let offered = client.begin(json!({ "capabilities": capabilities }));
    client.open(URI, 1, TEXT);
    (client, offered)
}

fn tokens(client: &mut Client, method: &str, more: Value) -> Value {
    let mut params = json!({ "textDocument": { "uri": URI } });
    for (key, value) in more.as_object().into_iter().flatten() {
        params[key] = value.clone();
    }
    client.call(&format!("textDocument/semanticTokens/{method}"), params)
}

/// Line, column, length and kind of each token.
fn places(answer: &Value, offered: &Value) -> Vec<(u64, u64, u64, String)> {
    let kinds = &offered["semanticTokensProvider"]["legend"]["tokenTypes"];
    let numbers: Vec<u64> = answer["data"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
    let (mut line, mut column) = (0, 0);
    let one = |t: &[u64]| {
        column = if t[0] == 0 { column } else { 0 } + t[1];
        line += t[0];
        (line, column, t[2], kinds[t[3] as usize].as_str().unwrap().to_owned())
    };
    numbers.chunks(5).map(one).collect()
}

#[test]
fn tokens_of_all_of_a_part_and_of_a_change() {
    let (mut client, offered) = begun(json!({}));
    let full = tokens(&mut client, "full", json!({}));
    let all = places(&full, &offered);
    let line = json!({ "start": { "line": 6, "character": 0 }, "end": { "line": 7, "character": 0 } });
    let part = places(&tokens(&mut client, "range", json!({ "range": line })), &offered);
    let expected = [
        (6, 4, 8, "comment"),
        (6, 13, 3, "opcode"),
        (6, 16, 4, "type"),
        (6, 21, 3, "register"),
        (6, 26, 4, "specialRegister"),
        (6, 30, 2, "property"),
    ];
    assert_eq!(part, expected.map(|(l, c, n, kind)| (l, c, n, kind.to_owned())));
    assert!(all.windows(part.len()).any(|w| w == part));
    // First without a change, then with one changed word.
    let delta = |client: &mut Client, id: &Value| tokens(client, "full/delta", json!({ "previousResultId": id }));
    let nothing = delta(&mut client, &full["resultId"]);
    assert_eq!(nothing["edits"], json!([]));
    let word = json!({ "start": { "line": 6, "character": 26 }, "end": { "line": 6, "character": 32 } });
    client.change(URI, 2, json!([{ "range": word, "text": "%r2" }]));
    let changed = delta(&mut client, &nothing["resultId"]);
    let edits = changed["edits"].as_array().unwrap();
    let mut data = full["data"].as_array().unwrap().clone();
    let number = |v: &Value| v.as_u64().unwrap() as usize;
    let (start, count) = (number(&edits[0]["start"]), number(&edits[0]["deleteCount"]));
    assert!(edits.len() == 1 && count <= 10);
    data.splice(start..start + count, edits[0]["data"].as_array().unwrap().clone());
    let full = tokens(&mut client, "full", json!({}));
    assert_eq!(full["data"], json!(data));
    // A request that names an unknown earlier result gets all tokens.
    let all = delta(&mut client, &json!("no such"));
    assert_eq!((&all["data"], all.get("edits")), (&full["data"], None));
}

#[test]
fn hints_with_their_tooltips_now_or_later() {
    let text = ".version 8.0\n.target sm_80\n.address_size 64\n.global .f32 table[8];\n.entry k()\n{\n/* 😀 */ .reg .f32 %f<2>;\n\
                /* 😀 */ atom.global.add.f32 %f1, [table+16], 0f3F800000;\nret;\n}\n";
    let ask = |client: &mut Client| {
        let range = json!({ "start": { "line": 7, "character": 0 }, "end": { "line": 8, "character": 0 } });
        client.call("textDocument/inlayHint", json!({ "textDocument": { "uri": URI }, "range": range }))
    };
    let labels = |hints: &Value| -> Vec<(u64, String)> {
        let text = |l: &Value| match l.as_array() {
            Some(parts) => parts.iter().map(|p| p["value"].as_str().unwrap()).collect(),
            None => l.as_str().unwrap().to_owned(),
        };
        hints
            .as_array()
            .unwrap()
            .iter()
            .map(|h| (h["position"]["character"].as_u64().unwrap(), text(&h["label"])))
            .collect()
    };
    let expected = [(13, ".relaxed.gpu"), (43, "= table[4]"), (56, "= 1.0")].map(|(at, label)| (at, label.to_owned()));
    let (mut client, _) = begun(json!({}));
    client.change(URI, 2, json!([{ "text": text }]));
    let hints = ask(&mut client);
    assert_eq!(labels(&hints), expected);
    let at = |line: u32, character: u32| json!({ "line": line, "character": character });
    assert!(hints[0]["tooltip"]["value"].as_str().unwrap().contains("`.relaxed`"));
    assert_eq!(
        hints[0]["textEdits"],
        json!([{ "range": { "start": at(7, 13), "end": at(7, 13) }, "newText": ".relaxed.gpu" }])
    );
    let location = &hints[1]["label"][1]["location"];
    assert_eq!(*location, json!({ "uri": URI, "range": { "start": at(3, 13), "end": at(3, 18) } }));
    assert_eq!(hints[0].get("data"), None);
    // A client that resolves tooltips one by one gets the same.
    let resolves = json!({ "textDocument": { "inlayHint": { "resolveSupport": { "properties": ["tooltip"] } } } });
    let (mut client, offered) = begun(resolves);
    assert_eq!(offered["inlayHintProvider"]["resolveProvider"], true);
    client.change(URI, 2, json!([{ "text": text }]));
    let bare = ask(&mut client);
    assert_eq!((bare[0].get("tooltip"), labels(&bare)), (None, expected.to_vec()));
    let resolved = client.call("inlayHint/resolve", bare[0].clone());
    assert_eq!(resolved["tooltip"], hints[0]["tooltip"]);
    // The position of the hint no longer exists.
    client.change(URI, 3, json!([{ "text": TEXT }]));
    assert_eq!(client.call("inlayHint/resolve", bare[0].clone()), bare[0]);
    let off = json!({ "settings": { "ptx-analyzer": { "inlayHints": { "defaults": "off", "floats": false, "elements": false } } } });
    client.change(URI, 4, json!([{ "text": text }]));
    client.notify("workspace/didChangeConfiguration", off);
    assert_eq!(ask(&mut client), json!([]));
}

#[test]
fn lenses_with_a_command_where_the_client_has_one() {
    let text = ".func f() { ret; }\n.entry k() {\ncall f;\n/*😀*/ call f;\nret; }\n";
    let lens = |experimental: Value| {
        let (mut client, offered) = begun(json!({ "experimental": experimental }));
        assert_eq!(offered["codeLensProvider"], json!({ "resolveProvider": true }));
        client.change(URI, 2, json!([{ "text": text }]));
        let lenses = client.call("textDocument/codeLens", json!({ "textDocument": { "uri": URI } }));
        let counted = |l: &&Value| l["data"]["kind"] != "registers" && l["command"]["title"] != "Evaluate warp";
        let lenses: Vec<&Value> = lenses.as_array().unwrap().iter().filter(counted).collect();
        let [lens] = &lenses[..] else { panic!("{lenses:?}") };
        // A client that resolves the lens anyway, as some do in long texts, gets the same.
        let mut bare = Value::clone(lens);
        bare.as_object_mut().unwrap().remove("command");
        bare["data"] = json!({ "uri": URI, "kind": "calls" });
        let resolved = client.call("codeLens/resolve", bare.clone());
        assert_eq!((&resolved["command"], &resolved["range"]), (&lens["command"], &lens["range"]));
        client.change(URI, 3, json!([{ "text": "" }]));
        assert_eq!(client.call("codeLens/resolve", bare)["command"], json!({ "title": "…", "command": "" }));
        Value::clone(lens)
    };
    let bare = lens(json!({}));
    assert_eq!(bare["command"], json!({ "title": "2 calls", "command": "" }));
    let at = |line: u32, character: u32| json!({ "line": line, "character": character });
    assert_eq!(bare["range"], json!({ "start": at(0, 6), "end": at(0, 7) }));
    let with = lens(json!({ "commands": { "commands": ["ptx-analyzer.showReferences"] } }));
    let place = |line, c: u32| json!({ "uri": URI, "range": { "start": at(line, c), "end": at(line, c + 1) } });
    let arguments = json!([URI, at(0, 6), [place(2, 5), place(3, 12)]]);
    let expected = json!({ "title": "2 calls", "command": "ptx-analyzer.showReferences", "arguments": arguments });
    assert_eq!(with["command"], expected);
}

#[test]
fn settings_of_tokens_hold_at_once_and_the_client_is_told() {
    let (mut client, offered) = begun(json!({ "workspace": { "semanticTokens": { "refreshSupport": true } } }));
    let kind = |client: &mut Client| places(&tokens(client, "full", json!({})), &offered)[0].3.clone();
    assert_eq!(kind(&mut client), "keyword");
    let set = |client: &mut Client, settings: Value| {
        let params = json!({ "settings": { "ptx-analyzer": { "semanticTokens": settings } } });
        client.notify("workspace/didChangeConfiguration", params);
        client.wait("a refresh", |m| m["method"] == "workspace/semanticTokens/refresh");
    };
    set(&mut client, json!({ "standardOnly": true }));
    let kinds: Vec<String> =
        places(&tokens(&mut client, "full", json!({})), &offered).into_iter().map(|t| t.3).collect();
    assert!(kinds.iter().any(|k| k == "function") && !kinds.iter().any(|k| k == "opcode"), "{kinds:?}");
    set(&mut client, json!({ "limit": 10 }));
    assert_eq!(tokens(&mut client, "full", json!({})), Value::Null);
    set(&mut client, json!({ "enable": false }));
    assert_eq!(tokens(&mut client, "full", json!({})), Value::Null);
}
