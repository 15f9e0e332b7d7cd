//! Message streams for the debug adapter. The requirements are those for the language server; in addition, no session
//! may report an internal error.

use crate::bytes::{Bytes, split};
use crate::wire::{Connection, cut, noise, object, value};
use ptx_dap::serve;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// The kernel to debug if the input has none.
const KERNEL: &str = include_str!("debugged.ptx");

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
    "gotoTargets",
    "stepInTargets",
    "terminate",
    "configurationDone",
    "restart",
    "terminateThreads",
    "modules",
    "",
];

const KEYS: &[&str] = &[
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
    "entry",
    "launch",
    "number",
    "cta",
    "warp",
    "limit",
    "find",
    "without",
    "stopOnEntry",
    "stopAtEnd",
    "noDebug",
    "path",
    "allowPartial",
    "requestId",
    "arguments",
];

const TEXTS: &[&str] = &[
    "%r1",
    "%r1@3",
    "[out+4]:u32",
    "table",
    "[3]",
    "%n",
    "instruction",
    "line",
    "statement",
    "0x100000010",
    "cta0:0x7e00000000",
    "AQID",
    "write",
    "read",
    "lane 3",
    "memory",
    "{%r1}",
    "%",
    "",
    "𝕏é",
    ">2",
    "repl",
    "watch",
    "hover",
    "true",
    "race",
    "k",
    "grid=2 block=40",
    "%p1",
    "%r1 + 1",
    "step 5",
    "back",
    "help",
    "warp 1",
    "(%r1 * 0xffffffffffffffff) / 0",
    "%tid.x == 3",
    "out[3]",
    "x[0..4]",
    "-2147483648 / -1",
];

/// The temporary folder of this process.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join(format!("ptx-fuzz-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for temporary files");
    folder
});

/// Runs a session with an adapter.
pub fn run(data: &[u8]) {
    let (text, mut bytes) = split(data);
    let path = FOLDER.join("kernel.ptx");
    std::fs::write(&path, if text.trim().is_empty() { KERNEL } else { &text }).expect("a file can be written");
    let how = bytes.byte();
    let mut adapter = Connection::start(|input, output| {
        let _ = serve(input, output, || {});
    });
    if how == 0xfe {
        adapter.raw(bytes.0);
        return adapter.close();
    }
    let mut session = Session { next: 1, path: &path };
    if how & 7 != 7 {
        session.request(
            &mut adapter,
            "initialize",
            json!({ "adapterID": "ptx", "supportsInvalidatedEvent": true, "linesStartAt1": how & 8 == 0 }),
        );
        let mut launch =
            json!({ "program": path, "limit": 5000, "stopOnEntry": how & 16 == 0, "noDebug": how & 96 == 96 });
        if how & 128 == 128 {
            let key = bytes.of(KEYS);
            launch[key] = value(&mut bytes, KEYS, TEXTS, 0);
        }
        session.request(&mut adapter, "launch", launch);
        settle(&mut adapter);
        session.request(&mut adapter, "configurationDone", json!({}));
        // If the client waits here, the session has reached the intended state.
        if how & 3 != 3 {
            settle(&mut adapter);
        }
    }
    for _ in 0..30 {
        if bytes.is_empty() {
            break;
        }
        match bytes.byte() % 32 {
            0 => noise(&mut adapter, &mut bytes),
            1..4 => settle(&mut adapter),
            4 => session.request(&mut adapter, "restart", json!({})),
            _ => {
                let command = bytes.of(COMMANDS);
                let arguments = session.arguments(&mut bytes);
                session.request(&mut adapter, command, arguments);
            }
        }
    }
    if bytes.byte() & 3 != 3 {
        settle(&mut adapter);
        session.request(&mut adapter, "disconnect", json!({}));
        settle(&mut adapter);
    } else {
        cut(&mut adapter, &mut bytes);
    }
    adapter.close();
}

fn settle(adapter: &mut Connection) {
    adapter.settle(
        |m| {
            let words = m["body"]["output"].as_str().unwrap_or_default();
            assert!(!words.contains("went wrong inside"), "{m}");
            // The response to an invalid request has the number 0, or the number in it.
            let number = m["request_seq"].as_i64().filter(|_| m["type"] == "response")?;
            assert!(m["success"].is_boolean(), "{m}");
            (number >= FIRST).then_some(number)
        },
        |_, _| {},
    );
}

/// The first request number; noise uses smaller numbers.
const FIRST: i64 = 1000;

struct Session<'p> {
    next: i64,
    path: &'p Path,
}

impl Session<'_> {
    fn request(&mut self, adapter: &mut Connection, command: &str, arguments: Value) {
        let seq = FIRST + self.next;
        self.next += 1;
        adapter.open.insert(seq);
        adapter.send(&json!({ "seq": seq, "type": "request", "command": command, "arguments": arguments }));
    }

    fn arguments(&self, bytes: &mut Bytes<'_>) -> Value {
        let mut out = json!({ "threadId": 1 + bytes.byte() % 4, "variablesReference": bytes.byte() % 64, "frameId": bytes.byte() % 64 });
        let more = object(bytes, KEYS, TEXTS, 0);
        if let (Some(out), Some(more)) = (out.as_object_mut(), more.as_object()) {
            out.extend(more.clone());
        }
        let how = bytes.byte();
        if how & 3 == 3 {
            out["source"] = json!({ "path": self.path });
            out["instructionCount"] = json!(how % 40);
            if out.get("breakpoints").is_none() {
                out["breakpoints"] =
                    json!([{ "line": how % 50, "condition": bytes.of(TEXTS), "hitCondition": bytes.of(TEXTS) }]);
            }
        }
        if how & 12 == 12 {
            out["expression"] = json!(bytes.of(TEXTS));
            out["context"] = json!(bytes.of(&["repl", "watch", "hover", "clipboard"]));
        }
        out
    }
}
