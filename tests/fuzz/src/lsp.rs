//! Message streams for the language server: it must never panic, answer every request, and end after its client.
//!
//! A panic on a server thread counts even if it is caught, because the fuzzer's hook sees every panic.

use crate::bytes::{Bytes, split};
use crate::edits::PIECES;
use crate::wire::{Connection, cut, noise, object, value};
use ptx_lsp::serve;
use serde_json::{Value, json};

const URIS: &[&str] = &["file:///a.ptx", "file:///b.ptx", "untitled:c", "file:///a%20b/%C3%A9.ptx", "http://x/y", ""];

const REQUESTS: &[&str] = &[
    "textDocument/hover",
    "textDocument/completion",
    "textDocument/signatureHelp",
    "textDocument/definition",
    "textDocument/declaration",
    "textDocument/implementation",
    "textDocument/references",
    "textDocument/documentHighlight",
    "textDocument/prepareRename",
    "textDocument/rename",
    "textDocument/prepareCallHierarchy",
    "textDocument/documentLink",
    "textDocument/foldingRange",
    "textDocument/selectionRange",
    "textDocument/diagnostic",
    "workspace/diagnostic",
    "textDocument/codeAction",
    "textDocument/codeLens",
    "textDocument/inlayHint",
    "textDocument/semanticTokens/full",
    "textDocument/semanticTokens/full/delta",
    "textDocument/semanticTokens/range",
    "textDocument/documentSymbol",
    "workspace/symbol",
    "textDocument/formatting",
    "textDocument/rangeFormatting",
    "textDocument/onTypeFormatting",
    "callHierarchy/incomingCalls",
    "callHierarchy/outgoingCalls",
    "completionItem/resolve",
    "codeLens/resolve",
    "inlayHint/resolve",
    "workspace/executeCommand",
    "textDocument/unknown",
    "$/unknown",
    "",
    "initialize",
];

const COMMANDS: &[&str] = &[
    "ptx.evaluate",
    "ptx.status",
    "ptx.syntaxTree",
    "ptx.registers",
    "ptx.compare",
    "ptx.fixAll",
    "ptx.functionPressure",
    "x",
];

const KEYS: &[&str] = &[
    "textDocument",
    "uri",
    "version",
    "text",
    "position",
    "range",
    "start",
    "end",
    "line",
    "character",
    "context",
    "only",
    "diagnostics",
    "newName",
    "options",
    "tabSize",
    "insertSpaces",
    "ch",
    "query",
    "previousResultId",
    "previousResultIds",
    "item",
    "name",
    "kind",
    "data",
    "label",
    "settings",
    "ptx",
    "target",
    "inlayHints",
    "enable",
    "arguments",
    "command",
    "entry",
    "launch",
    "grid",
    "block",
    "warp",
    "step",
    "from",
    "count",
    "positions",
    "triggerKind",
    "triggerCharacter",
    "includeDeclaration",
    "identifier",
    "changes",
    "type",
    "workDoneToken",
    "partialResultToken",
    "severity",
    "off",
    "workspace",
    "format",
    "evaluate",
    "memory",
    "lane",
    "state",
    "timeline",
    "at",
    "lines",
];

const TEXTS: &[&str] = &[
    "file:///a.ptx",
    "file:///b.ptx",
    "untitled:c",
    "%r1",
    "x",
    "",
    "ptx",
    "sm_90",
    "all",
    "off",
    "quickfix",
    "source.fixAll",
    "out",
    "k",
    "é𝕏",
    "1",
    ".",
    "\n",
    "grid=1 block=32",
    "add",
    "utf-8",
    "utf-16",
    "refactor.rewrite",
    "\u{0}",
];

/// Runs a session with a server.
pub fn run(data: &[u8]) {
    let (text, mut bytes) = split(data);
    let how = bytes.byte();
    let mut server = Connection::start(|input, output| {
        let _ = serve(input, output, |_, _| {});
    });
    if how == 0xfe {
        // The remaining input is the byte stream itself.
        server.raw(bytes.0);
        return server.close();
    }
    let mut session = Session { next: FIRST, version: 1, text, over: false };
    if how & 7 != 7 {
        session.initialize(&mut server, &mut bytes, how);
    }
    session.open(&mut server, URIS[0], 1);
    for _ in 0..24 {
        if bytes.is_empty() || session.over {
            break;
        }
        session.step(&mut server, &mut bytes);
    }
    if !session.over {
        let back = bytes.byte();
        server.settle(
            |m| m.get("id").filter(|_| m.get("method").is_none()).and_then(Value::as_i64).filter(|id| *id >= FIRST),
            |server, m| {
                // The client may answer, refuse, or ignore requests of the server.
                if let Some(id) = m.get("id").filter(|_| m.get("method").is_some()) {
                    match back % 4 {
                        0 => server.send(&json!({ "jsonrpc": "2.0", "id": id, "result": null })),
                        1 => server.send(&json!({ "jsonrpc": "2.0", "id": id, "result": [{ "target": "sm_80" }, 3] })),
                        2 => server
                            .send(&json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -1, "message": "no" } })),
                        _ => {}
                    }
                }
            },
        );
    }
    cut(&mut server, &mut bytes);
    server.close();
}

/// The first request number; noise uses smaller numbers.
const FIRST: i64 = 1000;

struct Session {
    next: i64,
    version: i32,
    text: String,
    over: bool,
}

impl Session {
    fn request(&mut self, server: &mut Connection, method: &str, params: Value) {
        let id = self.next;
        self.next += 1;
        server.open.insert(id);
        server.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
    }

    fn notify(server: &mut Connection, method: &str, params: Value) {
        server.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    fn initialize(&mut self, server: &mut Connection, bytes: &mut Bytes<'_>, how: u8) {
        let yes = how & 8 == 8;
        let encoding = ["utf-8", "utf-16", "utf-32"][usize::from(how >> 5) % 3];
        let capabilities = match how & 6 {
            0 => json!({}),
            2 => object(bytes, KEYS, TEXTS, 0),
            _ => json!({
                "general": { "positionEncodings": [encoding] },
                "workspace": { "configuration": yes, "applyEdit": true, "diagnostics": { "refreshSupport": yes },
                               "semanticTokens": { "refreshSupport": true }, "didChangeWatchedFiles": { "dynamicRegistration": yes } },
                "window": { "workDoneProgress": yes },
                "textDocument": {
                    "diagnostic": if yes { json!({ "dynamicRegistration": false }) } else { Value::Null },
                    "hover": { "contentFormat": ["markdown"] },
                    "documentSymbol": { "hierarchicalDocumentSymbolSupport": yes },
                    "completion": { "completionItem": { "snippetSupport": yes, "insertReplaceSupport": true } },
                    "codeAction": { "codeActionLiteralSupport": { "codeActionKind": { "valueSet": [] } }, "dataSupport": yes,
                                    "resolveSupport": { "properties": ["edit"] } },
                },
            }),
        };
        self.request(server, "initialize", json!({ "processId": null, "rootUri": null, "capabilities": capabilities }));
        Self::notify(server, "initialized", json!({}));
    }

    fn open(&mut self, server: &mut Connection, uri: &str, version: i32) {
        let item = json!({ "uri": uri, "languageId": "ptx", "version": version, "text": self.text });
        Self::notify(server, "textDocument/didOpen", json!({ "textDocument": item }));
    }

    fn place(&self, bytes: &mut Bytes<'_>) -> Value {
        let lines = self.text.lines().count() + 2;
        match bytes.byte() {
            0xff => json!({ "line": u32::MAX, "character": u32::MAX }),
            0xfe => json!({ "line": -1, "character": "x" }),
            column => json!({ "line": bytes.below(lines), "character": column % 100 }),
        }
    }

    /// Parameters that are valid for most requests.
    fn params(&self, bytes: &mut Bytes<'_>, method: &str) -> Value {
        let uri = if bytes.byte() & 7 == 7 { bytes.of(URIS) } else { URIS[0] };
        let (start, end) = (self.place(bytes), self.place(bytes));
        let mut out = json!({
            "textDocument": { "uri": uri }, "position": start, "range": { "start": start, "end": end }, "positions": [start, end],
            "context": { "diagnostics": [], "includeDeclaration": true, "triggerKind": 1 }, "newName": bytes.of(TEXTS),
            "options": { "tabSize": bytes.byte() % 9, "insertSpaces": true }, "ch": bytes.of(&[";", "\n", "}", ":", "é", ""]),
            "query": bytes.of(TEXTS), "previousResultId": bytes.of(TEXTS), "previousResultIds": [], "label": "add", "kind": 3,
        });
        if method == "workspace/executeCommand" {
            let argument = match bytes.byte() & 3 {
                0 => value(bytes, KEYS, TEXTS, 0),
                _ => {
                    json!({ "uri": uri, "position": start, "from": bytes.byte(), "count": bytes.byte(), "step": bytes.byte(),
                             "warp": bytes.byte() & 1, "lane": bytes.byte() })
                }
            };
            out = json!({ "command": bytes.of(COMMANDS), "arguments": [argument] });
        }
        // Remove a field, or give it another type.
        for _ in 0..bytes.byte().saturating_sub(192) % 3 {
            let key = bytes.of(KEYS);
            out[key] = value(bytes, KEYS, TEXTS, 1);
        }
        out
    }

    fn step(&mut self, server: &mut Connection, bytes: &mut Bytes<'_>) {
        match bytes.byte() % 32 {
            0..16 => {
                let method = bytes.of(REQUESTS);
                let params = self.params(bytes, method);
                self.request(server, method, params);
            }
            16..22 => {
                self.version += 1;
                let (start, end) = (self.place(bytes), self.place(bytes));
                let change = match bytes.byte() & 7 {
                    0 => json!({ "text": self.text }),
                    1 => json!({ "range": { "start": end, "end": start }, "rangeLength": bytes.byte(), "text": "" }),
                    _ => json!({ "range": { "start": start, "end": start }, "text": bytes.of(PIECES) }),
                };
                let id = json!({ "uri": URIS[0], "version": self.version });
                Self::notify(
                    server,
                    "textDocument/didChange",
                    json!({ "textDocument": id, "contentChanges": [change] }),
                );
            }
            22 => self.open(server, URIS[usize::from(bytes.byte()) % URIS.len()], self.version),
            23 => {
                let uri = bytes.of(URIS);
                Self::notify(server, "textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
            }
            24 | 25 => {
                let id = self.next - i64::from(bytes.byte() & 7);
                Self::notify(server, "$/cancelRequest", json!({ "id": id }));
            }
            26 => noise(server, bytes),
            27 => {
                let settings = value(bytes, KEYS, TEXTS, 0);
                Self::notify(server, "workspace/didChangeConfiguration", json!({ "settings": { "ptx": settings } }));
            }
            28 => {
                const OTHERS: &[&str] = &[
                    "$/setTrace",
                    "window/workDoneProgress/cancel",
                    "workspace/didChangeWatchedFiles",
                    "workspace/didRenameFiles",
                    "workspace/didChangeWorkspaceFolders",
                    "textDocument/didSave",
                    "initialized",
                    "unknown",
                    "textDocument/didChange",
                    "textDocument/didOpen",
                ];
                let method = bytes.of(OTHERS);
                let params = value(bytes, KEYS, TEXTS, 0);
                Self::notify(server, method, params);
            }
            29 => {
                let method = bytes.of(REQUESTS);
                let params = value(bytes, KEYS, TEXTS, 0);
                self.request(server, method, params);
            }
            30 => self.request(server, "shutdown", Value::Null),
            _ => {
                Self::notify(server, "exit", Value::Null);
                self.over = true;
            }
        }
    }
}
