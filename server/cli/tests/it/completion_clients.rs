//! Completion as editors use it: they keep a list, filter it, and ask again by rules of their own. The models of
//! `completion_clients/` have those rules. An item is lost if the server has it for the word as it stands, and the editor shows
//! it neither from the list that it keeps nor from a new one.

#[path = "completion_clients/models.rs"]
mod models;

use crate::client::Client;
use crate::protocol::server;
use models::{Editor, EditorKind, Line, ListedItem, ReceivedList, Trigger};
use serde_json::{Value, json};

const URI: &str = "file:///typed.ptx";
/// The same text, for what the server says of the whole word.
const ORACLE: &str = "file:///whole.ptx";

const BEFORE: &str = ".version 8.7\n.target sm_90a\n.address_size 64\n.global .align 4 .f32 table[64];\n\
    .visible .entry k(.param .u64 out, .param .u32 n)\n{\n    .reg .pred %p<4>;\n    .reg .b32 %r<24>;\n    .reg .f32 %f<8>;\n    \
    .reg .b64 %rd<8>;\n    .shared .align 16 .b8 tile[256];\n    ld.param.u64 %rd1, [out];\n    mov.u32 %r1, %tid.x;\n\
    LOOP:\n    add.u32 %r2, %r1, 1;\n    setp.lt.u32 %p1, %r2, 32;\n    @%p1 bra DONE;\n";
const AFTER: &str = "\n    bra LOOP;\nDONE:\n    ret;\n}\n";

/// What is typed at the beginning of a line.
const TYPED: &[&str] = &[
    "ld",
    "st",
    "add",
    "mov",
    "mul",
    "mad",
    "cvt",
    "setp",
    "selp",
    "and",
    "fma",
    "atom",
    "mma",
    "bar",
    "shfl",
    "ldmatrix",
    "mbarrier",
    "cp",
    "wgmma",
    "tcgen05",
    "ld.global",
    "ld.global.nc",
    "st.shared.v4",
    "setp.lt",
    "mma.sync",
    "mma.sync.aligned",
    "cp.async",
    "cp.async.bulk",
    "cvta.to",
    "shfl.sync",
    "atom.global",
    "wgmma.mma_async",
    "mbarrier.try_wait",
    "__sync",
    "__syncthreads",
    "__shfl_xor",
    "atomicAdd",
    "cudaGrid",
    "mov.u32 %r3, %r",
    "mov.u32 %r3, %tid",
    "mov.u32 %r3, %ntid.x",
    "mov.u32 %r3, %env",
    "mov.u32 %r3, threadIdx",
    "mov.u32 %r3, blockDim.x",
    "add.u32 %r3, %r1, %r2",
    "ld.global.f32 %f1, [%rd",
    "ld.shared.u32 %r4, [ti",
    "@%p1 bra DO",
    "bra LO",
    "@%p",
    "@%p1 ex",
    ".reg .b",
    ".shared .ali",
    ".prag",
    "DON",
];

/// The server and the text in which one line is typed.
struct Session {
    client: Client,
    version: i32,
    requests: usize,
    bytes: usize,
}

impl Session {
    fn new(kind: EditorKind) -> Self {
        let item = json!({
            "snippetSupport": true, "insertReplaceSupport": true, "labelDetailsSupport": true,
            "documentationFormat": ["markdown"], "tagSupport": { "valueSet": [1] },
        });
        let mut client = server();
        let capabilities = json!({ "textDocument": { "completion": { "completionItem": item } } });
        client.begin(
            json!({ "clientInfo": { "name": kind.client_name(), "version": "1" }, "capabilities": capabilities }),
        );
        for uri in [URI, ORACLE] {
            client.open(uri, 1, &format!("{BEFORE}{AFTER}"));
        }
        Self { client, version: 1, requests: 0, bytes: 0 }
    }

    fn write(&mut self, uri: &str, line: &str) {
        self.version += 1;
        self.client.change(uri, self.version, json!([{ "text": format!("{BEFORE}    {line}{AFTER}") }]));
    }

    /// The answer at the end of the line.
    fn ask(&mut self, uri: &str, line: &str, trigger: Trigger) -> ReceivedList {
        let mut params = json!({
            "textDocument": { "uri": uri },
            "position": { "line": BEFORE.matches('\n').count(), "character": 4 + line.len() },
        });
        params["context"] = match trigger {
            Trigger::Invoked => json!({ "triggerKind": 1 }),
            Trigger::Character(c) => json!({ "triggerKind": 2, "triggerCharacter": c }),
            Trigger::Incomplete => json!({ "triggerKind": 3 }),
        };
        let answer = self.client.call("textDocument/completion", params);
        if uri == URI {
            self.requests += 1;
            self.bytes += answer.to_string().len();
        }
        ReceivedList::new(&answer, line.len())
    }
}

/// What an editor shows after a line was typed.
#[derive(Debug, Default, Clone, Copy)]
struct Count {
    expected: usize,
    lost: usize,
    requests: usize,
    bytes: usize,
    keys: usize,
}

/// Types a line, with each answer `late` keys behind its request, and counts what is lost.
fn typed(session: &mut Session, kind: EditorKind, line: &str, late: usize, lost: &mut Vec<String>) -> Count {
    let (requests, bytes) = (session.requests, session.bytes);
    let mut editor = Editor::new(kind);
    let mut answers: Vec<(usize, ReceivedList)> = Vec::new();
    session.write(URI, "");
    for end in 1..=line.len() {
        let text = Line(&line[..end]);
        session.write(URI, text.0);
        if let Some(trigger) = editor.key(text) {
            // A newer request replaces the one that waits.
            answers.clear();
            answers.push((end + late, session.ask(URI, text.0, trigger)));
        }
        // After the last key there is time for everything.
        while let Some(at) = answers.iter().position(|(due, _)| *due <= end || end == line.len()) {
            let (_, answer) = answers.remove(at);
            if let Some(trigger) = editor.answer(answer, text) {
                answers.push((end + late, session.ask(URI, text.0, trigger)));
            }
        }
    }
    if let Some(trigger) = editor.pause(Line(line)) {
        let answer = session.ask(URI, line, trigger);
        assert!(editor.answer(answer, Line(line)).is_none(), "an answer for the whole word is up to date");
    }
    let counted = (session.requests - requests, session.bytes - bytes);
    session.write(ORACLE, line);
    let whole = session.ask(ORACLE, line, Trigger::Invoked);
    let mut count = Count { requests: counted.0, bytes: counted.1, keys: line.len(), ..Count::default() };
    if !editor.has_asked(Line(line)) {
        return count;
    }
    let shown: Vec<&ListedItem> = editor.shown(Line(line));
    for item in whole.begun(Line(line)) {
        count.expected += 1;
        if !shown.iter().any(|s| s.start == item.start && s.new_text == item.new_text) {
            count.lost += 1;
            lost.push(format!("{kind:?}, {late} late, `{line}`: {}", item.label));
        }
    }
    count
}

/// The counts of all words for a kind of editor, at several speeds.
fn count(kind: EditorKind, lost: &mut Vec<String>) -> Count {
    let mut session = Session::new(kind);
    let mut all = Count::default();
    for late in [0, 1, 3] {
        for line in TYPED {
            let count = typed(&mut session, kind, line, late, lost);
            all.expected += count.expected;
            all.lost += count.lost;
            all.requests += count.requests;
            all.bytes += count.bytes;
            all.keys += count.keys;
        }
    }
    all
}

/// At most 2 % of the items that the server has are not shown, in no editor, however fast one types. And no editor asks for
/// every key.
#[test]
fn editors_show_what_the_server_has() {
    let mut report = Vec::new();
    let mut wrong = Vec::new();
    for kind in EditorKind::ALL {
        let mut lost = Vec::new();
        let all = count(kind, &mut lost);
        report.push(format!("{kind:?}: {all:?}"));
        assert!(all.expected > 300, "{kind:?}: {all:?}");
        if all.lost * 50 > all.expected {
            wrong.push(format!("{kind:?}: {} of {} lost, such as\n{}", all.lost, all.expected, lost.join("\n")));
        }
        if all.requests * 2 > all.keys {
            wrong.push(format!("{kind:?} asks {} times in {} keys", all.requests, all.keys));
        }
    }
    if let Ok(path) = std::env::var("PTX_LOST") {
        std::fs::write(path, format!("{}\n\n{}", report.join("\n"), wrong.join("\n"))).unwrap();
    }
    assert!(wrong.is_empty(), "{}\n\n{}", report.join("\n"), wrong.join("\n"));
}

/// A model that keeps nothing loses nothing, and one that never asks again loses much: the measure works.
#[test]
fn the_measure_tells_lists_apart() {
    let list = |labels: &[&str], incomplete: bool| {
        let range = json!({ "start": { "line": 0, "character": 4 }, "end": { "line": 0, "character": 5 } });
        let items: Vec<Value> =
            labels.iter().map(|l| json!({ "label": l, "textEdit": { "newText": l, "range": range } })).collect();
        ReceivedList::new(&json!({ "isIncomplete": incomplete, "items": items }), 1)
    };
    for (incomplete, asks_again) in [(false, false), (true, true)] {
        let mut editor = Editor::new(EditorKind::VsCode);
        assert!(editor.key(Line("l")).is_some());
        assert!(editor.answer(list(&["ld", "ldu"], incomplete), Line("l")).is_none());
        assert_eq!(editor.key(Line("ld")).is_some(), asks_again);
        assert_eq!(editor.shown(Line("ld")).len(), 2);
    }
    // A list in which nothing fits any more is closed, and the next key asks.
    let mut editor = Editor::new(EditorKind::VsCode);
    assert!(editor.key(Line("l")).is_some());
    assert!(editor.answer(list(&["ldu"], false), Line("l")).is_none());
    assert!(editor.key(Line("lx")).is_none());
    assert!(editor.key(Line("lxy")).is_some());
}
