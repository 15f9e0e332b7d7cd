//! Register reports in the protocol: lenses, hints, the command, and refresh requests.

use crate::client::Client;
use crate::protocol::{at, server};
use serde_json::{Value, json};

const URI: &str = "file:///kernel.ptx";

/// A kernel with 8 values live at once, in lines 11 and 12.
const TEXT: &str = "\
.version 8.0
.target sm_80
.address_size 64
.visible .entry sum(.param .u64 from)
{
    .reg .b32 %r<20>;
    .reg .b64 %rd<4>;
    .reg .pred %p<2>;
    // é 😀
    ld.param.u64 %rd1, [from];
    ld.volatile.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];
    ld.volatile.global.v4.u32 {%r5, %r6, %r7, %r8}, [%rd1+16];
    st.volatile.global.v4.u32 [%rd1], {%r5, %r6, %r7, %r8};
    st.volatile.global.v4.u32 [%rd1], {%r1, %r2, %r3, %r4};
    ret;
}
";

fn refreshing() -> Client {
    let refresh = json!({ "refreshSupport": true });
    let mut client = server();
    client.begin(json!({ "capabilities": { "workspace": { "codeLens": refresh, "inlayHint": refresh } } }));
    client
}

fn lenses(client: &mut Client) -> Vec<Value> {
    let lenses = client.call("textDocument/codeLens", json!({ "textDocument": { "uri": URI } }));
    let all = lenses.as_array().unwrap().iter();
    all.filter(|lens| lens["command"]["title"] != "Evaluate warp").cloned().collect()
}

fn title(client: &mut Client) -> String {
    let [lens] = &lenses(client)[..] else { panic!("one lens") };
    lens["command"]["title"].as_str().unwrap().to_owned()
}

/// The hints about registers: line and text.
fn hints(client: &mut Client) -> Vec<(u64, String)> {
    let range = json!({ "start": at(0, 0), "end": at(99, 0) });
    let hints = client.call("textDocument/inlayHint", json!({ "textDocument": { "uri": URI }, "range": range }));
    let one = |hint: &Value| {
        let label = hint["label"].as_str().filter(|l| l.starts_with('◀'))?;
        Some((hint["position"]["line"].as_u64().unwrap() + 1, label.to_owned()))
    };
    hints.as_array().unwrap().iter().filter_map(one).collect()
}

/// Waits for the refresh of the lenses and, after its answer, for that of the hints.
fn told(client: &mut Client) {
    for what in ["codeLens", "inlayHint"] {
        let asked = client.wait("a refresh", |m| m["method"].as_str().is_some_and(|m| m.ends_with("/refresh")));
        assert_eq!(asked["method"], format!("workspace/{what}/refresh"));
        client.send(&json!({ "jsonrpc": "2.0", "id": asked["id"], "result": null }));
    }
}

fn pressure(client: &mut Client, more: Value) -> Value {
    let mut argument = json!({ "uri": URI, "wait": true });
    argument.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    client.execute("ptx-analyzer.registerPressure", argument)
}

#[test]
fn the_client_is_told_when_more_is_known_and_only_then() {
    let mut client = refreshing();
    client.open(URI, 1, TEXT);
    told(&mut client);
    let (first, peaks) = (title(&mut client), hints(&mut client));
    assert!(first.starts_with("≈ "), "{first}");
    assert_eq!(peaks, [(12, "◀ peak: 10 live".to_owned())]);

    // A comment does not change the report; hints move with the text.
    let insert =
        |line: u32, text: &str| json!([{ "range": { "start": at(line, 0), "end": at(line, 0) }, "text": text }]);
    client.change(URI, 2, insert(8, "    // more\n"));
    assert_eq!(hints(&mut client), [(13, peaks[0].1.clone())]);
    assert_eq!(pressure(&mut client, json!({}))["complete"], true);
    let refreshed = |m: &Value| m["method"].as_str().is_some_and(|m| m.ends_with("/refresh"));
    assert!(!client.others().iter().any(refreshed), "nothing is new");

    // An unfinished instruction is an error: the previous report stays, and is marked as outdated once typing pauses.
    client.change(URI, 3, insert(11, "    add.u\n"));
    assert_eq!((title(&mut client), hints(&mut client)), (first.clone(), vec![(14, peaks[0].1.clone())]));
    told(&mut client);
    assert_eq!(title(&mut client), format!("{first} · before the error in it"));
    client.change(URI, 4, json!([{ "range": { "start": at(11, 0), "end": at(12, 0) }, "text": "" }]));
    told(&mut client);
    assert_eq!(title(&mut client), first);

    // One live value fewer moves the peak.
    client.change(URI, 5, json!([{ "text": TEXT.replace("v4.u32 {%r5, %r6, %r7, %r8}", "v2.u32 {%r5, %r6}").replace("v4.u32 [%rd1], {%r5, %r6, %r7, %r8}", "v2.u32 [%rd1], {%r5, %r6}") }]));
    told(&mut client);
    assert_eq!(hints(&mut client), [(12, "◀ peak: 8 live".to_owned())]);
}

#[test]
fn a_client_that_cannot_be_told_waits_when_it_resolves() {
    let mut client = server();
    client.begin(json!({ "capabilities": {} }));
    client.open(URI, 1, TEXT);
    let [lens] = &lenses(&mut client)[..] else { panic!("one lens") };
    let lens = if lens["command"].is_null() { client.call("codeLens/resolve", lens.clone()) } else { lens.clone() };
    assert!(lens["command"]["title"].as_str().unwrap().starts_with("≈ "), "{lens}");
    client.change(URI, 2, json!([{ "text": TEXT.replace("// é", "// è") }]));
    assert_eq!(hints(&mut client), [(12, "◀ peak: 10 live".to_owned())]);
    client.close(URI);
    client.open(URI, 1, TEXT);
    assert_eq!(hints(&mut client), [(12, "◀ peak: 10 live".to_owned())]);
    assert!(!client.others().iter().any(|m| m["method"].as_str().is_some_and(|m| m.ends_with("/refresh"))));
}

#[test]
fn the_command_of_a_lens_shows_what_is_known() {
    let mut client = refreshing();
    client.open(URI, 1, TEXT);
    told(&mut client);
    let [lens] = &lenses(&mut client)[..] else { panic!("one lens") };
    let (command, argument) = (&lens["command"]["command"], lens["command"]["arguments"][0].clone());
    assert_eq!(command, "ptx-analyzer.registerPressure");
    let answer = client.execute(command.as_str().unwrap(), argument);
    assert!(answer["markdown"].as_str().unwrap().starts_with("# sum\n\n**Registers: about"), "{answer}");
    let message = client.wait("a message", |m| m["method"] == "window/showMessage");
    let message = message["params"]["message"].as_str().unwrap();
    assert!(message.starts_with("sum\nRegisters: about ") && !message.contains("ld.param"), "{message}");
}

#[test]
fn the_registers_of_each_line() {
    let mut client = server();
    client.begin(json!({ "capabilities": {} }));
    client.open(URI, 1, TEXT);
    let all = pressure(&mut client, json!({ "line": 12 }));
    let [function] = &all["functions"].as_array().unwrap()[..] else { panic!("{all}") };
    assert_eq!((&function["name"], &function["entry"], &function["line"]), (&json!("sum"), &json!(true), &json!(4)));
    assert_eq!(function["lines"], json!([[10, 2, 0], [11, 6, 0], [12, 10, 0], [13, 10, 0], [14, 6, 0]]));
    assert_eq!(function["max_live"], json!({ "b32": 10, "pred": 0, "peak_line": 12 }));
    assert_eq!((&function["stale"], &all["complete"]), (&json!(false), &json!(true)));
    let live: Vec<Value> = all["live"].as_array().unwrap().clone();
    assert_eq!(live.iter().map(|v| v["b32"].as_u64().unwrap()).sum::<u64>(), 10);
    let first = json!({ "name": "%rd1", "b32": 2, "pred": 0, "line": 10, "next_line": 13, "instructions": 4 });
    assert!(live.contains(&first), "{live:?}");
    let part = pressure(&mut client, json!({ "first": 11, "last": 12 }));
    assert_eq!(part["functions"][0]["lines"], json!([[11, 6, 0], [12, 10, 0]]));
    assert_eq!(pressure(&mut client, json!({ "entry": "other" }))["functions"], json!([]));
    let elsewhere = json!({ "uri": "file:///other.ptx" });
    assert_eq!(client.execute("ptx-analyzer.registerPressure", elsewhere), Value::Null);
    // The report is available without diagnostics too.
    client.notify(
        "workspace/didChangeConfiguration",
        json!({ "settings": { "ptx-analyzer": { "diagnostics": { "enable": false }, "inlayHints": { "registers": "all" } } } }),
    );
    client.change(URI, 2, json!([{ "text": TEXT.replace("%rd1+16", "%rd1+32") }]));
    assert_eq!(pressure(&mut client, json!({}))["functions"][0]["lines"], function["lines"]);
    assert_eq!(hints(&mut client).len(), 5);
}

#[test]
fn an_error_that_comes_from_elsewhere() {
    let mut client = refreshing();
    let text = TEXT.replace(".version 8.0", ".version 8.8").replace("sm_80", "sm_100a").replace(
        "    ret;",
        "    mov.b64 %rd2, %rd1;\n    mov.b64 %rd3, %rd1;\n    mul.rn.f32x2 %rd2, %rd2, %rd3;\n    st.global.b64 [%rd1], %rd2;\n    ret;",
    );
    client.open(URI, 1, &text);
    told(&mut client);
    let stale = |client: &mut Client| {
        let answer = pressure(client, json!({}));
        assert_eq!(answer["complete"], true, "{answer}");
        answer["functions"][0]["stale"].clone()
    };
    assert_eq!(stale(&mut client), false);
    assert!(!title(&mut client).contains("before the error"));
    // The text of the function is unchanged, but it has an error now.
    let target = |name: &str| json!([{ "range": { "start": at(1, 8), "end": at(1, 99) }, "text": name }]);
    client.change(URI, 2, target("sm_75"));
    assert_eq!(stale(&mut client), true);
    assert!(title(&mut client).ends_with(" · before the error in it"), "{}", title(&mut client));
    client.change(URI, 3, target("sm_100a"));
    assert_eq!(stale(&mut client), false);
    assert!(!title(&mut client).contains("before the error"));
}

#[test]
fn what_is_complete_has_its_diagnostics() {
    let mut client = server();
    let pull = json!({ "textDocument": { "diagnostic": {} } });
    client.begin(json!({ "capabilities": pull }));
    // A flow lint appears: the value is never read.
    let text = TEXT.replace("    ret;", "    mov.u32 %r9, 1;\n    ret;");
    for version in 1..30 {
        client.open(URI, version, &text);
        assert_eq!(pressure(&mut client, json!({}))["complete"], true);
        let report = client.call("textDocument/diagnostic", json!({ "textDocument": { "uri": URI } }));
        assert!(report["items"].as_array().unwrap().iter().any(|d| d["code"] == "dead-store"), "{version}: {report}");
    }
}
