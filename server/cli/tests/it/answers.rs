//! Every request with an id gets exactly one answer, with the right code: tables of messages for each protocol.

use crate::client::Client;
use crate::protocol::{URI, begun, server};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::Duration;

/// What a message is answered with.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Expected {
    Result,
    Error(i64),
}
use Expected::{Error, Result};

const PARSE: Expected = Error(-32700);
const INVALID: Expected = Error(-32600);
const UNKNOWN: Expected = Error(-32601);
const PARAMS: Expected = Error(-32602);
const EARLY: Expected = Error(-32002);

/// The id of the request that comes last: whatever is answered, is answered before it.
const LAST: &str = "the last";

fn kind(answer: &Value) -> Expected {
    answer["error"]["code"].as_i64().map_or(Result, Error)
}

/// Asserts that messages have exactly these answers, in any order.
fn assert_answers(what: &str, answers: &[Value], expected: &[(Value, Expected)]) {
    let mut found: Vec<(String, Expected)> = answers.iter().map(|a| (a["id"].to_string(), kind(a))).collect();
    let mut wanted: Vec<(String, Expected)> = expected.iter().map(|(id, kind)| (id.to_string(), *kind)).collect();
    for list in [&mut found, &mut wanted] {
        list.sort_by(|a, b| format!("{a:?}").cmp(&format!("{b:?}")));
    }
    assert_eq!(found, wanted, "{what}: {answers:?}");
}

/// A table: for each case its messages, each as text, and the answers by id.
type Case = (&'static str, Vec<String>, Vec<(Value, Expected)>);

fn request(id: &Value, method: &str, params: &Value) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string()
}

fn text(id: u32, more: &str) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id}{more}}}")
}

fn lsp_cases() -> Vec<Case> {
    let hover = json!({ "textDocument": { "uri": URI }, "position": { "line": 0, "character": 0 } });
    let opened = json!({ "textDocument": { "uri": "file:///new.ptx", "languageId": "ptx", "version": 1, "text": "" } });
    let changed = json!({ "textDocument": { "uri": URI, "version": 2 }, "contentChanges": [{ "text": "" }] });
    let of = |id: Value, expected| -> Case {
        ("hover with an id", vec![request(&id, "textDocument/hover", &hover)], vec![(id, expected)])
    };
    let one = |what, message: String, expected| -> Case { (what, vec![message], vec![(json!(7), expected)]) };
    let notification = |method: &'static str, params: Value| -> Case {
        ("a notification with an id", vec![request(&json!(7), method, &params)], vec![(json!(7), INVALID)])
    };
    vec![
        of(json!(7), Result),
        of(json!(-7), Result),
        of(json!(0), Result),
        of(json!(i64::MAX), Result),
        of(json!("seven"), Result),
        of(json!(""), Result),
        of(json!(1.5), INVALID),
        of(json!(u64::MAX), INVALID),
        (
            "an id that is a list",
            vec![request(&json!([7]), "textDocument/hover", &hover)],
            vec![(Value::Null, INVALID)],
        ),
        (
            "an id that is an object",
            vec![request(&json!({}), "textDocument/hover", &hover)],
            vec![(Value::Null, INVALID)],
        ),
        ("an id that is true", vec![request(&json!(true), "textDocument/hover", &hover)], vec![(Value::Null, INVALID)]),
        ("no parameters", vec![text(7, ",\"method\":\"textDocument/hover\"")], vec![(json!(7), PARAMS)]),
        one("null", request(&json!(7), "textDocument/hover", &Value::Null), PARAMS),
        one("a list", request(&json!(7), "textDocument/hover", &json!([])), PARAMS),
        one("a string", request(&json!(7), "textDocument/hover", &json!("x")), PARAMS),
        one("an empty object", request(&json!(7), "textDocument/hover", &json!({})), PARAMS),
        one(
            "a wrong type",
            request(&json!(7), "textDocument/hover", &json!({ "textDocument": 1, "position": 2 })),
            PARAMS,
        ),
        one(
            "a command without a name",
            request(&json!(7), "workspace/executeCommand", &json!({ "arguments": [] })),
            PARAMS,
        ),
        one("an unknown command", request(&json!(7), "workspace/executeCommand", &json!({ "command": "x" })), PARAMS),
        one("an unknown method", request(&json!(7), "no/such", &json!({})), UNKNOWN),
        one("an unknown method of the protocol's own", request(&json!(7), "$/noSuch", &json!({})), UNKNOWN),
        one("an empty method", request(&json!(7), "", &json!({})), UNKNOWN),
        one("half of a surrogate pair", text(7, ",\"method\":\"no\\ud83d\""), UNKNOWN),
        (
            "half of a surrogate pair as id",
            vec!["{\"jsonrpc\":\"2.0\",\"id\":\"\\ud83d\",\"method\":\"x\"}".to_owned()],
            vec![(json!("\u{fffd}"), UNKNOWN)],
        ),
        one("a method that is a number", text(7, ",\"method\":5"), INVALID),
        one("no method", text(7, ""), INVALID),
        one("no version", "{\"id\":7,\"method\":\"textDocument/hover\"}".to_owned(), INVALID),
        one("another version", "{\"jsonrpc\":\"1.0\",\"id\":7,\"method\":\"textDocument/hover\"}".to_owned(), INVALID),
        one("a second initialize", request(&json!(7), "initialize", &json!({ "capabilities": {} })), INVALID),
        one("broken JSON", text(7, ",\"method\":\"textDocument/hover\",}"), PARSE),
        one("a broken text", text(7, ",\"method\":\"textDocument/didOpen\",\"params\":{\"x\":}"), PARSE),
        ("JSON that breaks off", vec!["{\"jsonrpc\":\"2.0\",\"id\":7,\"me".to_owned()], vec![(json!(7), PARSE)]),
        ("no JSON", vec!["nonsense".to_owned()], vec![(Value::Null, PARSE)]),
        ("a number", vec!["5".to_owned()], vec![(Value::Null, INVALID)]),
        ("an empty batch", vec!["[]".to_owned()], vec![(Value::Null, INVALID)]),
        (
            "a batch",
            vec![format!(
                "[{},{},{}]",
                text(7, ",\"method\":\"a\""),
                text(8, ",\"method\":\"b\""),
                "{\"jsonrpc\":\"2.0\",\"method\":\"c\"}"
            )],
            vec![(json!(7), INVALID), (json!(8), INVALID)],
        ),
        ("the same id twice", vec![request(&json!(7), "no/such", &hover); 2], vec![(json!(7), UNKNOWN); 2]),
        (
            "a request without an id",
            vec!["{\"jsonrpc\":\"2.0\",\"method\":\"textDocument/hover\",\"params\":{}}".to_owned()],
            vec![],
        ),
        ("an unknown notification", vec!["{\"jsonrpc\":\"2.0\",\"method\":\"no/such\"}".to_owned()], vec![]),
        ("an answer that nobody waits for", vec![text(7, ",\"result\":null")], vec![]),
        ("an error that nobody waits for", vec![text(7, ",\"error\":{\"code\":1,\"message\":\"\"}")], vec![]),
        notification("textDocument/didOpen", opened.clone()),
        notification("textDocument/didOpen", json!({})),
        notification("textDocument/didChange", changed),
        notification("textDocument/didClose", json!({ "textDocument": { "uri": URI } })),
        notification("textDocument/didSave", json!({ "textDocument": { "uri": URI } })),
        notification("workspace/didChangeConfiguration", json!({ "settings": {} })),
        notification("workspace/didChangeWatchedFiles", json!({ "changes": [] })),
        notification("$/cancelRequest", json!({ "id": 7 })),
        notification("$/setTrace", json!({ "value": "off" })),
        notification("initialized", json!({})),
    ]
}

/// Sends the messages, and returns their answers. `count` are expected; others come before the answer to a last request.
fn lsp_answers(client: &mut Client, messages: &[String], count: usize) -> Vec<Value> {
    messages.iter().for_each(|message| client.body(message.as_bytes()));
    let is_answer = |message: &Value| message.get("method").is_none();
    let mut out: Vec<Value> = (0..count).map(|_| client.wait("an answer", is_answer)).collect();
    client.call("workspace/executeCommand", json!({ "command": "ptx-analyzer.serverStatus" }));
    client.send(&json!({ "jsonrpc": "2.0", "id": LAST, "method": "no/such" }));
    client.wait("the last answer", |m| m["id"] == LAST);
    out.extend(client.others().into_iter().filter(is_answer));
    out
}

#[test]
fn each_request_of_an_editor() {
    for (what, messages, expected) in lsp_cases() {
        let mut client = begun();
        client.open(URI, 1, "");
        client.diagnostics(URI, 1);
        let answers = lsp_answers(&mut client, &messages, expected.len());
        assert_answers(&format!("{what}: {messages:?}"), &answers, &expected);
    }
}

#[test]
fn requests_before_and_after_a_session() {
    let hover = request(&json!(1), "textDocument/hover", &json!({}));
    let opened = request(&json!(2), "textDocument/didOpen", &json!({ "textDocument": {} }));
    let unknown = request(&json!(3), "no/such", &json!({}));
    let mut client = server();
    for (message, id, expected) in [(&hover, 1, EARLY), (&opened, 2, INVALID), (&unknown, 3, UNKNOWN)] {
        client.body(message.as_bytes());
        let answer = client.wait("an answer", |m| m.get("method").is_some() || m["id"] == id);
        assert_eq!((&answer["id"], kind(&answer)), (&json!(id), expected), "{answer}");
    }
    client.send(&json!({ "jsonrpc": "2.0", "id": 4, "method": "initialize", "params": 5 }));
    assert_eq!(kind(&client.answer(4)), PARAMS);
    client.begin(json!({ "capabilities": {} }));
    client.call("shutdown", Value::Null);
    for (message, id, expected) in [(&hover, 1, INVALID), (&opened, 2, INVALID), (&unknown, 3, UNKNOWN)] {
        client.body(message.as_bytes());
        assert_eq!(kind(&client.answer(id)), expected, "{message}");
    }
    // `exit` is obeyed even with an id.
    client.send(&json!({ "jsonrpc": "2.0", "id": 9, "method": "exit" }));
    assert_eq!(kind(&client.answer(9)), INVALID);
    assert_eq!(client.ended(Duration::from_secs(5)).and_then(|status| status.code()), Some(0));
}

/// A text that is opened or changed by a request is not known: nothing is said about another text than the client's.
#[test]
fn a_change_with_an_id_is_not_lost_silently() {
    let mut client = begun();
    client.open(URI, 1, "");
    client.diagnostics(URI, 1);
    let changed = json!({ "textDocument": { "uri": URI, "version": 2 }, "contentChanges": [{ "text": "x" }] });
    let id = client.request("textDocument/didChange", changed);
    assert_eq!(kind(&client.answer(id)), INVALID);
    let id = client.request("textDocument/documentSymbol", json!({ "textDocument": { "uri": URI } }));
    assert_eq!(kind(&client.answer(id)), Error(-32803));
    client.change(URI, 3, json!([{ "text": "" }]));
    client.call("textDocument/documentSymbol", json!({ "textDocument": { "uri": URI } }));
}

fn mcp_cases() -> Vec<Case> {
    let search = |id: &Value| request(id, "tools/call", &json!({ "name": "search", "arguments": { "query": "warp" } }));
    let of = |id: Value, expected| -> Case { ("a call with an id", vec![search(&id)], vec![(id, expected)]) };
    let call = |what, params: Value, expected| -> Case {
        (what, vec![request(&json!(7), "tools/call", &params)], vec![(json!(7), expected)])
    };
    let one = |what, message: String, expected| -> Case { (what, vec![message], vec![(json!(7), expected)]) };
    vec![
        of(json!(7), Result),
        of(json!(-7), Result),
        of(json!("seven"), Result),
        of(json!(""), Result),
        of(json!(1.5), INVALID),
        of(json!(u64::MAX), INVALID),
        of(Value::Null, INVALID),
        ("an id that is a list", vec![search(&json!([7]))], vec![(Value::Null, INVALID)]),
        ("an id that is an object", vec![search(&json!({}))], vec![(Value::Null, INVALID)]),
        ("an id that is true", vec![search(&json!(true))], vec![(Value::Null, INVALID)]),
        one(
            "half of a surrogate pair",
            text(
                7,
                ",\"method\":\"tools/call\",\"params\":{\"name\":\"check\",\"arguments\":{\"text\":\"// \\ud83d\"}}",
            ),
            Result,
        ),
        (
            "half of a surrogate pair as id",
            vec!["{\"jsonrpc\":\"2.0\",\"id\":\"\\ud83d\",\"method\":\"ping\"}".to_owned()],
            vec![(json!("\u{fffd}"), Result)],
        ),
        call("arguments that are a list", json!({ "name": "search", "arguments": [1] }), PARAMS),
        call("arguments that are a string", json!({ "name": "search", "arguments": "x" }), PARAMS),
        call("arguments that are null", json!({ "name": "search", "arguments": null }), Result),
        call("no arguments", json!({ "name": "search" }), Result),
        call("no name", json!({ "arguments": {} }), PARAMS),
        call("a name that is a number", json!({ "name": 5 }), PARAMS),
        call("an unknown tool", json!({ "name": "no such tool" }), PARAMS),
        call("empty parameters", json!({}), PARAMS),
        call("a list", json!([]), PARAMS),
        call("a string", json!("x"), PARAMS),
        call("null", Value::Null, PARAMS),
        one("no parameters", text(7, ",\"method\":\"tools/call\""), PARAMS),
        one("parameters of a list of tools", request(&json!(7), "tools/list", &json!([])), PARAMS),
        one("a cursor that is a list", request(&json!(7), "tools/list", &json!({ "cursor": [] })), Result),
        one("a list of tools without parameters", text(7, ",\"method\":\"tools/list\""), Result),
        one("a ping", text(7, ",\"method\":\"ping\""), Result),
        one("an unknown method", request(&json!(7), "no/such", &json!({})), UNKNOWN),
        one("an unknown method with a list", request(&json!(7), "no/such", &json!([])), UNKNOWN),
        one(
            "a method that is not supported",
            request(&json!(7), "resources/read", &json!({ "uri": "file:///a" })),
            UNKNOWN,
        ),
        one("a method that is a number", text(7, ",\"method\":5"), INVALID),
        one("no method", text(7, ""), INVALID),
        one("no version", "{\"id\":7,\"method\":\"ping\"}".to_owned(), INVALID),
        one("another version", "{\"jsonrpc\":\"1.0\",\"id\":7,\"method\":\"ping\"}".to_owned(), INVALID),
        one("a notification with an id", request(&json!(7), "notifications/initialized", &json!({})), INVALID),
        one(
            "a cancellation with an id",
            request(&json!(7), "notifications/cancelled", &json!({ "requestId": 7 })),
            INVALID,
        ),
        one("broken JSON", text(7, ",\"method\":\"ping\",}"), PARSE),
        ("JSON that breaks off", vec!["{\"jsonrpc\":\"2.0\",\"id\":7,\"me".to_owned()], vec![(json!(7), PARSE)]),
        ("no JSON", vec!["nonsense".to_owned()], vec![(Value::Null, PARSE)]),
        ("an empty line", vec![String::new()], vec![]),
        ("a number", vec!["5".to_owned()], vec![(Value::Null, INVALID)]),
        ("an empty batch", vec!["[]".to_owned()], vec![(Value::Null, INVALID)]),
        (
            "a batch",
            vec![format!(
                "[{},{},{}]",
                text(7, ",\"method\":\"ping\""),
                text(8, ",\"method\":\"b\""),
                "{\"jsonrpc\":\"2.0\",\"method\":\"c\"}"
            )],
            vec![(json!(7), INVALID), (json!(8), INVALID)],
        ),
        (
            "the same id twice at a time",
            vec![text(7, ",\"method\":\"ping\""); 2],
            vec![(json!(7), Result), (json!(7), INVALID)],
        ),
        (
            "a call without an id",
            vec!["{\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":{\"name\":\"search\"}}".to_owned()],
            vec![],
        ),
        ("an unknown notification", vec!["{\"jsonrpc\":\"2.0\",\"method\":\"no/such\"}".to_owned()], vec![]),
        (
            "a notification with a list",
            vec!["{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":[]}".to_owned()],
            vec![],
        ),
        ("an answer that nobody waits for", vec![text(7, ",\"result\":{}")], vec![]),
        ("an error that nobody waits for", vec![text(7, ",\"error\":{\"code\":1,\"message\":\"\"}")], vec![]),
        (
            "an error without a number",
            vec!["{\"jsonrpc\":\"2.0\",\"error\":{\"code\":1,\"message\":\"\"}}".to_owned()],
            vec![],
        ),
    ]
}

/// Runs a session of lines, and returns the messages of the server.
fn mcp_session(lines: &[String]) -> Vec<Value> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptx-analyzer"));
    let command = command.arg("mcp").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take();
    for line in lines {
        writeln!(input.as_mut().unwrap(), "{line}").unwrap();
    }
    let mut out = Vec::new();
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        let message: Value = serde_json::from_str(&line.unwrap()).unwrap();
        if message["id"] == LAST {
            // Calls are answered by other threads: one may come later, until the server ends.
            drop(input.take());
        } else {
            out.push(message);
        }
    }
    child.wait().unwrap();
    out
}

#[test]
fn each_request_of_an_assistant() {
    let hello =
        json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "0" } });
    for (what, messages, expected) in mcp_cases() {
        let mut lines = vec![request(&json!("hello"), "initialize", &hello)];
        lines.extend(messages.iter().cloned());
        lines.push(request(&json!(LAST), "tools/call", &json!({ "name": "search", "arguments": { "query": "warp" } })));
        let answers = mcp_session(&lines);
        let answers: Vec<Value> = answers.into_iter().filter(|m| m["id"] != "hello").collect();
        assert_answers(&format!("{what}: {messages:?}"), &answers, &expected);
    }
}

#[test]
fn requests_before_an_assistant_begins() {
    let hello =
        json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "0" } });
    let lines = [
        request(&json!(1), "tools/list", &json!([])),
        request(&json!(2), "notifications/initialized", &json!({})),
        request(&json!(3), "ping", &json!({})),
        "{\"id\":4,".to_owned(),
        request(&json!(5), "tools/list", &json!({})),
        request(&json!(6), "initialize", &json!([])),
        request(&json!("hello"), "initialize", &hello),
        request(&json!(7), "tools/list", &json!({})),
        request(&json!(LAST), "ping", &json!({})),
    ];
    let answers = mcp_session(&lines);
    let of = |id: Value| {
        let found: Vec<&Value> = answers.iter().filter(|a| a["id"] == id).collect();
        assert_eq!(found.len(), 1, "{id}: {answers:?}");
        kind(found[0])
    };
    for (id, expected) in [(1, PARAMS), (2, INVALID), (3, Result), (4, PARSE), (6, PARAMS), (7, Result)] {
        assert_eq!(of(json!(id)), expected, "{id}");
    }
    assert!(matches!(of(json!(5)), Error(_)), "{answers:?}");
    assert_eq!(of(json!("hello")), Result);
    assert_eq!(answers.len(), 8, "{answers:?}");
}

#[test]
fn each_request_of_a_debugger() {
    let plain = |seq: Value| json!({ "seq": seq, "type": "request", "command": "threads" }).to_string();
    // The number of the request as the response repeats it, and whether it succeeds.
    let cases: Vec<(String, Value, bool)> = vec![
        (plain(json!(7)), json!(7), true),
        (plain(json!(-7)), json!(-7), true),
        (plain(json!(0)), json!(0), true),
        (plain(json!(i64::MAX)), json!(i64::MAX), true),
        (plain(json!(1.5)), json!(1.5), false),
        (plain(json!(u64::MAX)), json!(u64::MAX), false),
        (plain(json!("7")), json!(0), false),
        (plain(Value::Null), json!(0), false),
        (plain(json!([7])), json!(0), false),
        ("{\"type\":\"request\",\"command\":\"threads\"}".to_owned(), json!(0), false),
        ("{\"seq\":7,\"type\":\"request\"}".to_owned(), json!(7), false),
        ("{\"seq\":7,\"type\":\"request\",\"command\":5}".to_owned(), json!(7), false),
        ("{\"seq\":7,\"type\":\"request\",\"command\":\"noSuch\"}".to_owned(), json!(7), false),
        ("{\"seq\":7,\"type\":\"request\",\"command\":\"\\ud83d\"}".to_owned(), json!(7), false),
        ("{\"seq\":7,\"type\":\"nonsense\",\"command\":\"threads\"}".to_owned(), json!(7), false),
        ("{\"seq\":7,\"command\":\"threads\"}".to_owned(), json!(7), false),
        ("{\"seq\":7,\"type\":\"request\",\"command\":\"threads\",\"arguments\":null}".to_owned(), json!(7), true),
        ("{\"seq\":7,\"type\":\"request\",\"command\":\"threads\",\"arguments\":[]}".to_owned(), json!(7), true),
        ("{\"seq\":7,\"type\":\"request\",\"command\":\"setBreakpoints\",\"arguments\":[]}".to_owned(), json!(7), false),
        ("{\"seq\":7,\"type\":\"request\",\"command\":\"setBreakpoints\",\"arguments\":\"x\"}".to_owned(), json!(7), false),
        ("{\"seq\":7,\"type\":\"request\",\"command\":\"setBreakpoints\",\"arguments\":{\"breakpoints\":5}}".to_owned(), json!(7), false),
        ("{\"seq\":7,\"type\":\"request\",\"command\":\"setFunctionBreakpoints\",\"arguments\":{\"breakpoints\":[{\"name\":\"\\ud83d\"}]}}".to_owned(), json!(7), true),
        ("{\"seq\":7,\"type\":\"request\",\"command\":\"setBreakpoints\"}".to_owned(), json!(7), true),
        ("{\"seq\":7,\"type\":\"request\",\"command\":\"launch\",\"arguments\":{\"program\":5}}".to_owned(), json!(7), false),
        ("{\"seq\":7,\"type\":\"request\",\"command\":\"evaluate\"}".to_owned(), json!(7), false),
        ("{\"seq\":7,\"type\":\"request\",\"command\":\"attach\"}".to_owned(), json!(7), false),
        ("{\"seq\":7,\"type\":\"request\",\"command\":\"threads\",}".to_owned(), json!(7), false),
        ("{\"seq\":7,\"type\":\"request\",\"com".to_owned(), json!(7), false),
        ("nonsense".to_owned(), json!(0), false),
        ("[]".to_owned(), json!(0), false),
        ("5".to_owned(), json!(0), false),
    ];
    let mut client = Client::start(Command::new(env!("CARGO_BIN_EXE_ptx-analyzer")).arg("dap").stderr(Stdio::null()));
    for (message, seq, succeeds) in cases {
        client.body(message.as_bytes());
        client.send(&json!({ "seq": 1_000_000, "type": "request", "command": "threads" }));
        client.wait("the last response", |m| m["request_seq"] == 1_000_000);
        let mut answers = client.others();
        answers.retain(|m| m["type"] == "response");
        assert_eq!(answers.len(), 1, "{message}: {answers:?}");
        assert_eq!(
            (&answers[0]["request_seq"], &answers[0]["success"]),
            (&seq, &json!(succeeds)),
            "{message}: {answers:?}"
        );
    }
    // Answers have none.
    client.send(&json!({ "seq": 7, "type": "response", "request_seq": 1, "success": true, "command": "x" }));
    client.send(&json!({ "seq": 8, "type": "request", "command": "disconnect" }));
    client.wait("the last response", |m| m["request_seq"] == 8);
    assert!(client.others().iter().all(|m| m["type"] != "response"));
}

#[test]
fn a_million_breakpoints() {
    let mut client = Client::start(Command::new(env!("CARGO_BIN_EXE_ptx-analyzer")).arg("dap"));
    // Those that are passed over are not even looked at.
    let many = format!("{}{{\"line\":[]}}", "{\"line\":1},".repeat(1_000_000));
    let message = format!(
        "{{\"seq\":1,\"type\":\"request\",\"command\":\"setBreakpoints\",\"arguments\":{{\"source\":{{\"path\":\"a\"}},\"breakpoints\":[{many}]}}}}"
    );
    client.body(message.as_bytes());
    let answer = client.wait("a response", |m| m["request_seq"] == 1);
    assert_eq!(answer["body"]["breakpoints"].as_array().map(Vec::len), Some(4096), "{}", answer["message"]);
    if cfg!(target_os = "linux") {
        let status = std::fs::read_to_string(format!("/proc/{}/status", client.child.id())).unwrap();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        let kilobytes: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
        // The message itself has 11 MB.
        assert!(kilobytes < 200_000, "{kilobytes} kB");
    }
}
