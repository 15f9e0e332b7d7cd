//! Navigation requests in the protocol.

use crate::client::Client;
use crate::protocol::{file_uri, server};
use serde_json::{Value, json};

const A: &str = "file:///m/a.ptx";
const B: &str = "file:///m/b.ptx";

const MAIN: &str = "\
.version 8.5
.target sm_90
.address_size 64
.extern .func helper(.param .b32 x);
.visible .entry k(.param .u64 p)
{
    .reg .b32 %r<4>;
    .param .b32 a;
    mov.u32 %r1, %r2;
    st.param.b32 [a], %r1;
    call helper, (a);
    ret;
}
";

const OTHER: &str = "\
.version 8.5
.target sm_90
.address_size 64
.visible .func helper(.param .b32 x)
{
    ret;
}
";

fn at(line: u32, character: u32) -> Value {
    json!({ "line": line, "character": character })
}

fn range(line: u32, start: u32, end: u32) -> Value {
    json!({ "start": at(line, start), "end": at(line, end) })
}

fn place(uri: &str, line: u32, character: u32) -> Value {
    json!({ "textDocument": { "uri": uri }, "position": at(line, character) })
}

/// A session with both documents. The server has parsed the first one.
fn begun(capabilities: Value) -> Client {
    let mut client = server();
    client.begin(json!({ "capabilities": capabilities }));
    for (uri, text) in [(B, OTHER), (A, MAIN)] {
        client.open(uri, 1, text);
        client.diagnostics(uri, 1);
    }
    client
}

#[test]
fn definitions_in_another_document() {
    let links = json!({ "linkSupport": true });
    let mut client =
        begun(json!({ "textDocument": { "definition": links, "declaration": links, "implementation": links } }));
    let found = client.call("textDocument/definition", place(A, 10, 12));
    assert_eq!(
        found,
        json!([{
            "originSelectionRange": range(10, 9, 15),
            "targetUri": B,
            "targetRange": { "start": at(3, 0), "end": at(6, 1) },
            "targetSelectionRange": range(3, 15, 21),
        }])
    );
    let found = client.call("textDocument/declaration", place(A, 10, 12));
    assert_eq!((&found[0]["targetUri"], &found[0]["targetSelectionRange"]), (&json!(A), &range(3, 14, 20)));
    let found = client.call("textDocument/implementation", place(A, 10, 12));
    assert_eq!(found[0]["targetUri"], B);
    // A client without link support gets locations. The other document is closed.
    let mut client = begun(json!({}));
    client.close(B);
    let found = client.call("textDocument/definition", place(A, 10, 12));
    assert_eq!(found, json!([{ "uri": A, "range": range(3, 14, 20) }]));
    assert_eq!(client.call("textDocument/definition", place(A, 8, 5)), Value::Null);
}

#[test]
fn the_source_of_a_location() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.cu"), "one\ntwo\n").unwrap();
    let uri = file_uri(&folder.path().join("k.ptx"));
    let text = ".version 8.5\n.target sm_90\n.file 1 \"a.cu\"\n.file 2 \"missing.cu\"\n.entry k() {\n.loc 1 2 3\nret;\n}\n\
                // see https://example.com/x.\n";
    let mut client = server();
    client.begin(json!({ "capabilities": { "textDocument": { "documentLink": { "tooltipSupport": true } } } }));
    client.open(&uri, 1, text);
    let found = client.call("textDocument/definition", place(&uri, 5, 2));
    let source = file_uri(&folder.path().join("a.cu"));
    assert_eq!(found, json!([{ "uri": source, "range": range(1, 2, 2) }]));
    let links = client.call("textDocument/documentLink", json!({ "textDocument": { "uri": uri } }));
    assert_eq!(
        links,
        json!([
            { "range": range(2, 9, 13), "target": source, "tooltip": "Open the source" },
            { "range": range(8, 7, 28), "target": "https://example.com/x" },
        ])
    );
}

#[test]
fn references_and_highlights() {
    let mut client = begun(json!({}));
    let mut ask = |line, character, declarations: bool| {
        let mut params = place(A, line, character);
        params["context"] = json!({ "includeDeclaration": declarations });
        client.call("textDocument/references", params)
    };
    let location = |uri: &str, range: Value| json!({ "uri": uri, "range": range });
    assert_eq!(
        ask(8, 13, true),
        json!([location(A, range(6, 14, 16)), location(A, range(8, 12, 15)), location(A, range(9, 22, 25))])
    );
    assert_eq!(ask(8, 13, false), json!([location(A, range(8, 12, 15)), location(A, range(9, 22, 25))]));
    assert_eq!(
        ask(10, 10, true),
        json!([location(A, range(3, 14, 20)), location(A, range(10, 9, 15)), location(B, range(3, 15, 21))])
    );
    assert_eq!(ask(8, 5, true), json!([]));
    let found = client.call("textDocument/documentHighlight", place(A, 8, 13));
    assert_eq!(
        found,
        json!([
            { "range": range(6, 14, 16), "kind": 1 },
            { "range": range(8, 12, 15), "kind": 3 },
            { "range": range(9, 22, 25), "kind": 2 },
        ])
    );
}

#[test]
fn renaming() {
    let mut client = begun(json!({
        "textDocument": { "rename": { "prepareSupport": true, "honorsChangeAnnotations": true } },
        "workspace": { "workspaceEdit": { "documentChanges": true, "changeAnnotationSupport": {} } },
    }));
    // One register of a range is renamed or, in the declaration, all of them.
    let found = client.call("textDocument/prepareRename", place(A, 8, 14));
    assert_eq!(found, json!({ "range": range(8, 12, 15), "placeholder": "%r1" }));
    let found = client.call("textDocument/prepareRename", place(A, 6, 15));
    assert_eq!(found, json!({ "range": range(6, 14, 16), "placeholder": "%r" }));
    let mut params = place(A, 6, 15);
    params["newName"] = json!("%value");
    let found = client.call("textDocument/rename", params);
    let edit = |line, start, end| json!({ "range": range(line, start, end), "newText": "%value" });
    assert_eq!(
        found,
        json!({ "documentChanges": [{
            "textDocument": { "uri": A, "version": 1 },
            "edits": [edit(6, 14, 16), edit(8, 12, 14), edit(8, 17, 19), edit(9, 22, 24)],
        }] })
    );
    // Rename a function that two documents contain.
    let mut params = place(A, 10, 10);
    params["newName"] = json!("other");
    let found = client.call("textDocument/rename", params);
    let edit = |line, start, end| json!({ "range": range(line, start, end), "newText": "other", "annotationId": "known elsewhere" });
    assert_eq!(
        found["documentChanges"],
        json!([
            { "textDocument": { "uri": B, "version": 1 }, "edits": [edit(3, 15, 21)] },
            { "textDocument": { "uri": A, "version": 1 }, "edits": [edit(3, 14, 20), edit(10, 9, 15)] },
        ])
    );
    assert_eq!(found["changeAnnotations"]["known elsewhere"]["needsConfirmation"], true);
}

#[test]
fn what_cannot_be_renamed() {
    let mut client = begun(json!({}));
    let refused = |client: &mut Client, method: &str, params: Value| {
        let id = client.request(method, params);
        let answer = client.answer(id);
        assert_eq!(answer["error"]["code"], -32803, "{answer}");
        answer["error"]["message"].as_str().unwrap().to_owned()
    };
    assert_eq!(
        refused(&mut client, "textDocument/prepareRename", place(A, 8, 5)),
        "nothing here can be renamed: the module declares no such name"
    );
    let mut params = place(A, 7, 16);
    params["newName"] = json!("p");
    assert_eq!(refused(&mut client, "textDocument/rename", params), "`p` is declared in the same block, on line 5");
    // A client without versioned edits.
    let mut params = place(A, 7, 16);
    params["newName"] = json!("argument");
    let found = client.call("textDocument/rename", params);
    assert_eq!(found["changes"][A].as_array().unwrap().len(), 3, "{found}");
}

#[test]
fn calls_both_ways() {
    let mut client = begun(json!({}));
    let items = client.call("textDocument/prepareCallHierarchy", place(A, 10, 10));
    assert_eq!(
        (&items[0]["name"], &items[0]["detail"]),
        (&json!("helper"), &json!(".extern .func helper(.param .b32 x)"))
    );
    let calls = client.call("callHierarchy/incomingCalls", json!({ "item": items[0] }));
    assert_eq!((&calls[0]["from"]["name"], &calls[0]["fromRanges"]), (&json!("k"), &json!([range(10, 9, 15)])));
    // The calls are also found from the document that defines the function.
    let items = client.call("textDocument/prepareCallHierarchy", place(B, 3, 16));
    let calls = client.call("callHierarchy/incomingCalls", json!({ "item": items[0] }));
    assert_eq!(calls[0]["from"]["uri"], A);
    let calls = client.call("callHierarchy/outgoingCalls", json!({ "item": calls[0]["from"] }));
    assert_eq!((&calls[0]["to"]["name"], &calls[0]["fromRanges"]), (&json!("helper"), &json!([range(10, 9, 15)])));
    assert_eq!(client.call("textDocument/prepareCallHierarchy", place(A, 8, 14)), Value::Null);
}

#[test]
fn folding_of_parts_of_lines_and_of_lines() {
    let mut client = begun(json!({}));
    let ask = |client: &mut Client| client.call("textDocument/foldingRange", json!({ "textDocument": { "uri": A } }));
    assert_eq!(ask(&mut client), json!([{ "startLine": 4, "startCharacter": 32, "endLine": 12, "endCharacter": 0 }]));
    let mut client = begun(json!({ "textDocument": { "foldingRange": { "lineFoldingOnly": true } } }));
    assert_eq!(ask(&mut client), json!([{ "startLine": 4, "endLine": 11 }]));
    let mut client = begun(json!({ "textDocument": { "foldingRange": { "rangeLimit": 0 } } }));
    assert_eq!(ask(&mut client), json!([]));
}

#[test]
fn selections_for_each_position() {
    let mut client = begun(json!({}));
    let params = json!({ "textDocument": { "uri": A }, "positions": [at(8, 13), at(99, 0)] });
    let found = client.call("textDocument/selectionRange", params);
    assert_eq!(found.as_array().unwrap().len(), 2);
    assert_eq!(found[0]["range"], range(8, 12, 15));
    assert_eq!(found[0]["parent"]["range"], range(8, 12, 20));
    assert_eq!(found[0]["parent"]["parent"]["range"], range(8, 4, 21));
}

#[test]
fn symbols_of_open_documents_and_of_files() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("c.ptx"), OTHER.replace("helper", "help_file")).unwrap();
    let root = file_uri(folder.path());
    let mut client = server();
    client.begin(json!({ "capabilities": {}, "workspaceFolders": [{ "uri": root, "name": "w" }] }));
    client.open(A, 1, MAIN);
    client.diagnostics(A, 1);
    let found = client.call("workspace/symbol", json!({ "query": "help" }));
    let names: Vec<&str> = found.as_array().unwrap().iter().map(|s| s["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["help_file", "helper"]);
    assert_eq!(found[1]["location"], json!({ "uri": A, "range": range(3, 14, 20) }));
    assert_eq!(found[0]["location"]["uri"], format!("{root}/c.ptx"));
    assert_eq!(client.call("workspace/symbol", json!({ "query": "nothing" })), json!([]));
}
