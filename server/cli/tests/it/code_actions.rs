//! Code actions, tags and levels as a client sees them.

use crate::client::Client;
use crate::protocol::server;
use serde_json::{Value, json};

const URI: &str = "file:///kernel.ptx";

const TEXT: &str = ".version 6.0\n.target sm_60\n.address_size 64\n.visible .entry k()\n{\n    .reg .b32 %r<4>; // é\n    \
    adds.u32 %r1, %r2, %r3;\n    add.u32 %r1, %r2, %r7;\n    add.ftz.ftz.f32 %r1, %r2, %r3;\n    \
    shfl.down.b32 %r1, %r2, 1, 31;\n    ret;\n}\n";

fn capabilities(extra: Value) -> Value {
    let mut out = json!({ "capabilities": { "textDocument": {
        "codeAction": { "codeActionLiteralSupport": { "codeActionKind": { "valueSet": ["quickfix"] } } },
        "publishDiagnostics": { "tagSupport": { "valueSet": [1, 2] } },
    } } });
    if extra["versioned"] == true {
        out["capabilities"]["workspace"] = json!({ "workspaceEdit": { "documentChanges": true } });
    }
    out["initializationOptions"] = extra["settings"].clone();
    out
}

fn begun(extra: Value, text: &str) -> (Client, Vec<Value>) {
    let mut client = server();
    let offered = client.begin(capabilities(extra));
    let kinds = &offered["codeActionProvider"]["codeActionKinds"];
    assert_eq!(
        *kinds,
        json!([
            "quickfix",
            "refactor.rewrite",
            "source.canonicalOrder.ptx-analyzer",
            "source.compareRegisters.ptx-analyzer",
            "source.evaluateWarp.ptx-analyzer",
            "source.fixAll.ptx-analyzer",
            "source.sass.ptx-analyzer",
        ])
    );
    client.open(URI, 3, text);
    let diagnostics = client.diagnostics(URI, 3);
    (client, diagnostics)
}

fn actions(client: &mut Client, line: u32, character: u32, only: Option<&str>) -> Vec<Value> {
    let at = json!({ "line": line, "character": character });
    let mut context = json!({ "diagnostics": [] });
    if let Some(only) = only {
        context["only"] = json!([only]);
    }
    let params = json!({ "textDocument": { "uri": URI }, "range": { "start": at, "end": at }, "context": context });
    let mut found = client.call("textDocument/codeAction", params).as_array().expect("a list").clone();
    // Exclude the actions that every kernel offers: they have their own test.
    found.retain(|a| {
        !a["title"].as_str().is_some_and(|t| t.starts_with("Evaluate") || t.starts_with("Write the launch"))
    });
    found
}

fn titles(actions: &[Value]) -> Vec<&str> {
    actions.iter().filter_map(|a| a["title"].as_str()).collect()
}

#[test]
fn a_quick_fix_names_its_finding_and_its_version() {
    let (mut client, diagnostics) = begun(json!({ "versioned": true }), TEXT);
    let found = actions(&mut client, 6, 5, None);
    assert_eq!(titles(&found), ["Write `add`", "Explain `unknown-opcode`"]);
    assert_eq!(found[0]["kind"], "quickfix");
    assert_eq!(found[0]["diagnostics"], json!([diagnostics[0]]));
    let edits = &found[0]["edit"]["documentChanges"][0];
    assert_eq!(edits["textDocument"], json!({ "uri": URI, "version": 3 }));
    assert_eq!(edits["edits"][0]["newText"], "add");
    // The rest of the line offers the action too.
    assert_eq!(titles(&actions(&mut client, 6, 20, Some("quickfix"))), ["Write `add`"]);
    assert!(actions(&mut client, 10, 5, None).is_empty());
    assert!(actions(&mut client, 6, 5, Some("refactor")).is_empty());
}

#[test]
fn a_register_is_declared_where_the_others_are() {
    let (mut client, _) = begun(json!({}), TEXT);
    let found = actions(&mut client, 7, 23, None);
    let declare = found.iter().find(|a| a["title"] == "Declare `%r7` as a `.b32` register").expect("the fix");
    // The declared range grows. Positions count UTF-16 units, although a comment with `é` follows.
    let edit = &declare["edit"]["changes"][URI][0];
    assert_eq!(edit["newText"], "8");
    assert_eq!(edit["range"]["start"], json!({ "line": 5, "character": 17 }));
}

#[test]
fn everything_certain_at_once() {
    let text = TEXT.replace(
        "    add.ftz.ftz.f32 %r1, %r2, %r3;\n",
        "    mul.u32.lo %r1, %r2, %r3;\n    mul.lo.lo.u32 %r1, %r2, %r3;\n",
    );
    let (mut client, _) = begun(json!({ "versioned": true }), &text);
    let all = actions(&mut client, 0, 0, Some("source.fixAll"));
    assert_eq!(titles(&all), ["Apply all safe fixes (2)"]);
    assert_eq!(all[0]["kind"], "source.fixAll.ptx-analyzer");
    assert_eq!(all[0]["edit"]["documentChanges"][0]["edits"].as_array().expect("edits").len(), 2);
    // A client that requests no kind learns of the fix for the whole file where one of the mistakes is.
    assert!(titles(&actions(&mut client, 8, 12, None)).contains(&"Apply all safe fixes (2)"));
}

#[test]
fn tags_and_levels() {
    let settings = json!({ "diagnostics": { "severity": { "unknown-opcode": "off", "undeclared-name": "hint" } } });
    let (_, diagnostics) = begun(json!({ "settings": settings }), TEXT);
    let codes: Vec<_> = diagnostics.iter().map(|d| d["code"].as_str().expect("a code")).collect();
    assert!(!codes.contains(&"unknown-opcode"), "{codes:?}");
    let of = |code: &str| diagnostics.iter().find(|d| d["code"] == code).expect("the finding");
    assert_eq!(of("undeclared-name")["severity"], 4);
    assert_eq!(of("deprecated")["tags"], json!([2]));
    assert!(of("undeclared-name").get("tags").is_none());
}

#[test]
fn a_project_warns_of_what_it_cannot_use() {
    let text = ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k()\n{\n    setmaxnreg.inc.sync.aligned.u32 232;\n    ret;\n}\n";
    let settings = json!({ "project": { "targets": ["sm_80"], "version": "7.8" }, "diagnostics": { "severity": { "not-portable": "hint" } } });
    let (_, diagnostics) = begun(json!({ "settings": settings }), text);
    let codes: Vec<_> = diagnostics.iter().map(|d| d["code"].as_str().expect("a code")).collect();
    assert_eq!(codes, ["project-version", "project-target", "project-target"]);
    let settings = json!({ "diagnostics": { "severity": { "not-portable": "hint" } } });
    let (_, diagnostics) = begun(json!({ "settings": settings }), text);
    assert_eq!((&diagnostics[0]["code"], &diagnostics[0]["severity"]), (&json!("not-portable"), &json!(4)));
}

/// A session with a client that shows disabled actions and opens pages.
fn eager(text: &str) -> Client {
    let mut extra = capabilities(json!({ "versioned": true }));
    extra["capabilities"]["textDocument"]["codeAction"]["disabledSupport"] = json!(true);
    extra["capabilities"]["window"] = json!({ "showDocument": { "support": true } });
    let mut client = server();
    client.begin(extra);
    client.open(URI, 3, text);
    client
}

const SOUND: &str = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n.reg .b64 %rd<4>;\n.reg .f32 %f<4>;\n\
    ld.global.v2.b64 {%rd1, %rd1}, [%rd1];\nadd.f32.rn %f1, %f2, 0f3F800000;\nret;\n}\n";

#[test]
fn other_ways_to_write_it() {
    let mut client = eager(SOUND);
    let found = actions(&mut client, 7, 4, Some("refactor"));
    assert_eq!(found[0]["kind"], "refactor.rewrite");
    assert_eq!(found[0]["disabled"]["reason"], "a register is written by one element and used by another");
    assert!(found[0].get("edit").is_none());
    let found = actions(&mut client, 8, 23, None);
    // The first action fixes a diagnostic, and is listed once.
    assert_eq!(titles(&found), ["Write `add.rn.f32`", "Write `1.0`", "Exchange `%f2` and `0f3F800000`"]);
    assert_eq!((&found[0]["kind"], &found[1]["kind"]), (&json!("quickfix"), &json!("refactor.rewrite")));
    assert_eq!(found[1]["edit"]["documentChanges"][0]["textDocument"]["version"], 3);
    assert_eq!(found[1]["edit"]["documentChanges"][0]["edits"][0]["newText"], "1.0");
    // Actions for the whole document are offered only if the client requests their kind.
    let found = actions(&mut client, 0, 0, Some("source.canonicalOrder"));
    assert_eq!(titles(&found), ["Write all modifiers in canonical order (1 instruction)"]);
    assert_eq!(found[0]["kind"], "source.canonicalOrder.ptx-analyzer");
    // A client that cannot show the reason of a disabled action does not receive the action.
    let (mut client, _) = begun(json!({}), SOUND);
    assert!(actions(&mut client, 7, 4, Some("refactor")).is_empty());
}

#[test]
fn a_finding_is_explained() {
    let mut client = eager(TEXT);
    let found = actions(&mut client, 6, 5, Some("quickfix"));
    let explain = found.iter().find(|a| a["title"] == "Explain `unknown-opcode`").expect("the action");
    let command = &explain["command"];
    assert_eq!(command["command"], "ptx-analyzer.explain");
    let params = json!({ "command": command["command"], "arguments": command["arguments"] });
    let text = client.call("workspace/executeCommand", params);
    assert!(text.as_str().expect("a text").contains("unknown-opcode"), "{text}");
    let asked = client.wait("a page", |m| m["method"] == "window/showDocument");
    let uri = asked["params"]["uri"].as_str().expect("an address");
    assert!(uri.ends_with("/docs/diagnostics/unknown-opcode.md") && asked["params"]["external"] == true, "{asked}");
}
