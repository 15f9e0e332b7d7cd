//! Whatever a client says, the session answers and ends.

use super::DIVERGING;
use super::client::{Client, Kernel};
use serde_json::{Value, json};

const COMMANDS: &[&str] = &[
    "threads",
    "stackTrace",
    "scopes",
    "variables",
    "setVariable",
    "setExpression",
    "evaluate",
    "completions",
    "continue",
    "reverseContinue",
    "next",
    "stepIn",
    "stepOut",
    "stepBack",
    "pause",
    "setBreakpoints",
    "setFunctionBreakpoints",
    "setInstructionBreakpoints",
    "setDataBreakpoints",
    "setExceptionBreakpoints",
    "dataBreakpointInfo",
    "breakpointLocations",
    "exceptionInfo",
    "readMemory",
    "writeMemory",
    "disassemble",
    "loadedSources",
    "source",
    "ptx/focusLane",
    "cancel",
    "initialize",
    "launch",
    "attach",
    "goto",
    "",
];

/// A value that somebody might send.
fn any(random: &mut fastrand::Rng, kernel: &Kernel, depth: u32) -> Value {
    let texts = [
        "%v",
        "%lane@3",
        "[out+4]:u32",
        "table",
        "[3]",
        "%n",
        "instruction",
        "0x100000010",
        "cta0:0x7e00000000",
        "AQID",
        "write",
        "lane 3",
        "memory",
        "{%v}",
        "%",
        "",
        "𝕏é",
        ">2",
        "repl",
        "true",
    ];
    match random.u32(0..if depth > 2 { 6 } else { 8 }) {
        0 => Value::Null,
        1 => json!(random.bool()),
        2 => json!(random.i64(-2..40)),
        3 => json!([i64::MAX, i64::MIN, 1 << 31, 0, 1][random.usize(0..5)]),
        4 | 5 => json!(texts[random.usize(0..texts.len())]),
        6 => (0..random.usize(0..3)).map(|_| arguments(random, kernel, depth + 1)).collect(),
        _ => arguments(random, kernel, depth + 1),
    }
}

fn arguments(random: &mut fastrand::Rng, kernel: &Kernel, depth: u32) -> Value {
    let keys = [
        "threadId",
        "frameId",
        "variablesReference",
        "name",
        "value",
        "expression",
        "granularity",
        "start",
        "count",
        "filter",
        "format",
        "source",
        "breakpoints",
        "line",
        "column",
        "condition",
        "hitCondition",
        "logMessage",
        "memoryReference",
        "offset",
        "data",
        "instructionCount",
        "instructionOffset",
        "instructionReference",
        "dataId",
        "accessType",
        "filters",
        "filterOptions",
        "filterId",
        "context",
        "text",
        "levels",
        "startFrame",
        "lane",
        "hex",
        "asAddress",
        "bytes",
        "endLine",
    ];
    let mut out =
        json!({ "threadId": random.i64(1..6), "variablesReference": random.i64(0..60), "frameId": random.i64(0..60) });
    let fields = out.as_object_mut().unwrap();
    for _ in 0..random.usize(0..7) {
        let key = keys[random.usize(0..keys.len())];
        fields.insert(key.to_owned(), any(random, kernel, depth));
    }
    // What makes some requests do more than refuse.
    if random.u32(0..3) == 0 {
        fields.insert("source".to_owned(), json!({ "path": kernel.path }));
        fields.insert("instructionCount".to_owned(), json!(random.u32(0..40)));
    }
    if random.u32(0..3) == 0 {
        fields.insert("breakpoints".to_owned(), json!([{ "line": random.u32(0..50), "condition": "%v > 3" }]));
    }
    out
}

#[test]
fn a_walk_through_all_requests() {
    for seed in 0..6 {
        let mut random = fastrand::Rng::with_seed(seed);
        let kernel = Kernel::new(DIVERGING);
        let mut client = Client::entered(kernel.launch());
        let mut open = std::collections::BTreeSet::new();
        for _ in 0..250 {
            let command = COMMANDS[random.usize(0..COMMANDS.len())];
            let arguments = arguments(&mut random, &kernel, 0);
            open.insert(client.send(command, arguments));
            if random.u32(0..4) == 0 {
                // Numbers that were given are used, too.
                open.insert(client.send("stackTrace", json!({ "threadId": 1 })));
                open.insert(client.send("scopes", json!({ "frameId": random.i64(0..200) })));
            }
            if random.u32(0..60) == 0 {
                open.insert(client.send("restart", json!({})));
            }
        }
        // Every request has exactly one answer.
        while !open.is_empty() {
            let message = client.any();
            if message["type"] == "response" {
                assert!(open.remove(&message["request_seq"].as_i64().unwrap()), "{message}");
                assert!(message["success"].is_boolean(), "{message}");
            }
            let words = message["body"]["output"].as_str().unwrap_or_default();
            assert!(!words.contains("went wrong inside"), "{message}");
        }
        client.ask("disconnect", json!({}));
        client.ends();
    }
}

#[test]
fn what_is_no_message_has_an_answer() {
    let mut client = Client::start();
    for body in [
        "{",
        "[]",
        "null",
        "3",
        "\"x\"",
        "{}",
        r#"{"seq":1}"#,
        r#"{"seq":"x","type":"request","command":"threads"}"#,
        r#"{"seq":5,"type":"request"}"#,
        r#"{"seq":5,"type":"request","command":3}"#,
        r#"{"type":"event","event":"x"}"#,
        "\u{0}",
        "[[[[[[[[[[",
    ] {
        client.raw(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
        let answer = client.any();
        assert_eq!((&answer["type"], &answer["success"]), (&json!("response"), &json!(false)), "{body}");
        assert!(!answer["body"]["error"]["variables"]["words"].as_str().unwrap().is_empty());
    }
    // A response to nothing is passed over.
    let response = r#"{"seq":1,"type":"response","request_seq":1,"success":true,"command":"x"}"#;
    client.raw(format!("stray\r\nContent-Length: {}\r\n\r\n{response}", response.len()).as_bytes());
    assert_eq!(client.ask("threads", json!({}))["threads"], json!([]));
    client.close();
}

#[test]
fn a_stream_that_is_cut_is_the_end() {
    for bytes in
        ["", "Content-Length: 100\r\n\r\n{\"seq\":", "Content-Le", "Content-Length: 99999999999999999999\r\n\r\n{}"]
    {
        let mut client = Client::start();
        client.raw(bytes.as_bytes());
        client.close();
    }
}

#[test]
fn numbers_of_any_size() {
    let kernel = Kernel::new(DIVERGING);
    let mut client = Client::entered(kernel.launch());
    for number in [i64::MAX, i64::MIN, -1, 0, 1 << 40] {
        for (command, arguments) in [
            (
                "disassemble",
                json!({ "memoryReference": "0x100000000", "offset": number, "instructionOffset": number, "instructionCount": 3 }),
            ),
            ("readMemory", json!({ "memoryReference": "0x7f00000000", "offset": number, "count": 16 })),
            ("setBreakpoints", json!({ "source": { "path": kernel.path }, "breakpoints": [{ "line": number }] })),
            ("breakpointLocations", json!({ "source": { "path": kernel.path }, "line": 1, "endLine": number })),
            (
                "setInstructionBreakpoints",
                json!({ "breakpoints": [{ "instructionReference": "0x1", "offset": number }] }),
            ),
            ("completions", json!({ "text": "%v", "column": number })),
        ] {
            let seq = client.send(command, arguments);
            client.response(seq);
        }
        let seq = client.send("stackTrace", json!({ "threadId": number }));
        client.response(seq);
        let seq = client.send("variables", json!({ "variablesReference": number, "start": 0 }));
        client.response(seq);
    }
    client.close();
}
