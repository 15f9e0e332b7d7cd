//! Files that are not open, folders, and other features that concern the whole workspace.

use crate::client::{Client, TIMEOUT};
use crate::protocol::{at, codes, file_uri, server};
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A text with an error.
const BAD: &str = ".version 8.0\n.target sm_80\n.address_size 64\n.entry k()\n{\n    bad.u32 %r1;\n    ret;\n}\n";

/// A text that needs `sm_90`.
const NEW: &str =
    ".version 8.0\n.target sm_80\n.address_size 64\n.entry k()\n{\n    barrier.cluster.arrive;\n    ret;\n}\n";

fn good() -> String {
    BAD.replace("    bad.u32 %r1;\n", "")
}

/// A folder with some files.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        write(folder.path(), name, text);
    }
    folder
}

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn uri(folder: &Path, name: &str) -> String {
    file_uri(&folder.join(name))
}

/// A session with workspace folders, for a client with these capabilities.
fn begin(folders: &[&Path], capabilities: Value) -> (Client, Value) {
    let mut client = server();
    let folders: Vec<Value> = folders.iter().map(|f| json!({ "uri": uri(f, ""), "name": "x" })).collect();
    let capabilities = client.begin(json!({ "capabilities": capabilities, "workspaceFolders": folders }));
    (client, capabilities)
}

fn pulling() -> Value {
    json!({ "textDocument": { "diagnostic": {} } })
}

fn pull(client: &mut Client, previous: &[(String, String)]) -> Vec<Value> {
    let previous: Vec<Value> = previous.iter().map(|(uri, id)| json!({ "uri": uri, "value": id })).collect();
    let report = client.call("workspace/diagnostic", json!({ "previousResultIds": previous }));
    report["items"].as_array().unwrap().clone()
}

/// The previous results that a client sends: URI and result id of each item.
fn ids(items: &[Value]) -> Vec<(String, String)> {
    let id = |i: &Value| Some((i["uri"].as_str()?.to_owned(), i["resultId"].as_str()?.to_owned()));
    items.iter().filter_map(id).collect()
}

/// File names, each with the codes of its diagnostics or the kind of the item, ordered by name.
fn summary(root: &Path, items: &[Value]) -> Vec<(String, String)> {
    let root = uri(root, "");
    let one = |item: &Value| {
        let name = item["uri"].as_str().unwrap().trim_start_matches(&root).trim_start_matches('/').to_owned();
        let said = match item["items"].as_array() {
            Some(found) => codes(found).join(" "),
            None => item["kind"].as_str().unwrap().to_owned(),
        };
        (name, said)
    };
    let mut out: Vec<_> = items.iter().map(one).collect();
    out.sort();
    out
}

fn texts(pairs: &[(String, String)]) -> Vec<(&str, &str)> {
    pairs.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect()
}

#[test]
fn all_files_are_pulled_and_only_what_is_new_is_sent() {
    let root = folder(&[("bad.ptx", BAD), ("sub/good.ptx", &good()), ("book.ptx", "<pretext/>"), ("k.cu", BAD)]);
    let root = root.path();
    let (mut client, capabilities) = begin(&[root], pulling());
    assert_eq!(capabilities["diagnosticProvider"]["workspaceDiagnostics"], true);
    // Open one file with a text that differs from the file.
    client.open(&uri(root, "sub/good.ptx"), 3, BAD);
    let first = pull(&mut client, &[]);
    assert_eq!(
        texts(&summary(root, &first)),
        [("bad.ptx", "unknown-opcode"), ("book.ptx", ""), ("sub/good.ptx", "unknown-opcode")]
    );
    let versions: Vec<&Value> = first.iter().map(|i| &i["version"]).filter(|v| !v.is_null()).collect();
    assert_eq!(versions, [3]);
    write(root, "bad.ptx", &good());
    write(root, "new.ptx", BAD);
    std::fs::remove_file(root.join("book.ptx")).unwrap();
    client.close(&uri(root, "sub/good.ptx"));
    let second = pull(&mut client, &ids(&first));
    let expected = [("bad.ptx", ""), ("book.ptx", ""), ("new.ptx", "unknown-opcode"), ("sub/good.ptx", "")];
    assert_eq!(texts(&summary(root, &second)), expected);
    let third = pull(&mut client, &ids(&second));
    let expected = [("bad.ptx", "unchanged"), ("new.ptx", "unchanged"), ("sub/good.ptx", "unchanged")];
    assert_eq!(texts(&summary(root, &third)), expected);
}

#[test]
fn hints_are_for_those_who_have_the_text_before_them() {
    let unused = good().replace("{\n", "{\n    .reg .b32 %unused;\n");
    let root = folder(&[("a.ptx", &unused)]);
    let (mut client, _) = begin(&[root.path()], pulling());
    assert_eq!(texts(&summary(root.path(), &pull(&mut client, &[]))), [("a.ptx", "")]);
}

#[test]
fn what_the_settings_leave_out() {
    let root = folder(&[("a.ptx", BAD), ("gen/b.ptx", BAD)]);
    let mut client = server();
    let settings = |value: Value| json!({ "ptx-analyzer": { "workspace": value } });
    let options = settings(json!({ "exclude": ["gen"] }));
    let folders = json!([{ "uri": uri(root.path(), ""), "name": "x" }]);
    client.begin(json!({ "capabilities": pulling(), "workspaceFolders": folders, "initializationOptions": options }));
    let items = pull(&mut client, &[]);
    assert_eq!(texts(&summary(root.path(), &items)), [("a.ptx", "unknown-opcode")]);
    client.notify("workspace/didChangeConfiguration", json!({ "settings": settings(json!({ "diagnostics": false })) }));
    // The reported diagnostics are cleared.
    assert_eq!(texts(&summary(root.path(), &pull(&mut client, &ids(&items)))), [("a.ptx", "")]);
    assert_eq!(pull(&mut client, &[]), [] as [Value; 0]);
}

#[test]
fn an_answer_comes_in_parts_to_who_takes_them() {
    let names: Vec<String> = (0..120).map(|i| format!("{i}.ptx")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|n| (n.as_str(), BAD)).collect();
    let root = folder(&files);
    let (mut client, _) = begin(&[root.path()], pulling());
    let ask = |client: &mut Client, previous: &[(String, String)]| {
        let previous: Vec<Value> = previous.iter().map(|(uri, id)| json!({ "uri": uri, "value": id })).collect();
        let params = json!({ "previousResultIds": previous, "partialResultToken": "parts", "workDoneToken": 7 });
        client.request("workspace/diagnostic", params)
    };
    let answer = |client: &mut Client, id| {
        let answer = client.answer(id);
        assert_eq!(answer["result"], json!({ "items": [] }), "{answer}");
        let (parts, others): (Vec<Value>, Vec<Value>) =
            client.others().into_iter().partition(|m| m["params"]["token"] == "parts");
        let items = parts.iter().flat_map(|m| m["params"]["value"]["items"].as_array().unwrap().clone());
        (items.collect::<Vec<_>>(), parts.len(), others)
    };
    let id = ask(&mut client, &[]);
    let (items, parts, others) = answer(&mut client, id);
    assert_eq!((items.len(), parts >= 3), (120, true));
    let kinds: Vec<&str> = others.iter().filter_map(|m| m["params"]["value"]["kind"].as_str()).collect();
    assert_eq!((kinds.first(), kinds.last()), (Some(&"begin"), Some(&"end")), "{others:?}");
    assert!(others.iter().all(|m| m["method"] == "$/progress" && m["params"]["token"] == 7), "{others:?}");
    // Nothing is new, so the server delays its answer until something is.
    let id = ask(&mut client, &ids(&items));
    std::thread::sleep(Duration::from_millis(300));
    assert!(client.others().iter().all(|m| m["method"] == "$/progress" && m["params"]["token"] == 7));
    write(root.path(), "7.ptx", &good());
    let changed = json!([{ "uri": uri(root.path(), "7.ptx"), "type": 2 }]);
    client.notify("workspace/didChangeWatchedFiles", json!({ "changes": changed }));
    let (mut items, ..) = answer(&mut client, id);
    items.retain(|i| i["kind"] == "full");
    assert_eq!(texts(&summary(root.path(), &items)), [("7.ptx", "")]);
}

#[test]
fn a_waiting_answer_keeps_nothing_up() {
    let root = folder(&[("a.ptx", BAD)]);
    let (mut client, _) = begin(&[root.path()], pulling());
    let previous: Vec<Value> =
        ids(&pull(&mut client, &[])).iter().map(|(uri, id)| json!({ "uri": uri, "value": id })).collect();
    let params = json!({ "previousResultIds": previous, "partialResultToken": 1 });
    let cancelled = client.request("workspace/diagnostic", params.clone());
    client.notify("$/cancelRequest", json!({ "id": cancelled }));
    assert_eq!(client.answer(cancelled)["error"]["code"], -32800);
    let waiting = client.request("workspace/diagnostic", params);
    client.open("file:///k.ptx", 1, BAD);
    client.call("textDocument/diagnostic", json!({ "textDocument": { "uri": "file:///k.ptx" } }));
    assert!(client.answer(waiting).get("error").is_none());
    client.call("shutdown", Value::Null);
    client.notify("exit", Value::Null);
    assert_eq!(client.ended(Duration::from_secs(5)).and_then(|s| s.code()), Some(0));
}

#[test]
fn neovim_is_not_offered_what_it_stumbles_over() {
    let offered = |info: Value| {
        let capabilities = server().begin(json!({ "capabilities": pulling(), "clientInfo": info }));
        capabilities["diagnosticProvider"]["workspaceDiagnostics"] == true
    };
    assert!(!offered(json!({ "name": "Neovim" })));
    assert!(!offered(json!({ "name": "Neovim", "version": "0.12.4" })));
    assert!(offered(json!({ "name": "Neovim", "version": "0.13.0-dev" })));
    assert!(offered(json!({ "name": "helix", "version": "25.07.1" })));
}

/// The pushed diagnostics of a file that is not open.
fn pushed(client: &mut Client, uri: &str) -> Vec<String> {
    let message = client.wait("diagnostics of a file", |m| {
        m["method"] == "textDocument/publishDiagnostics" && m["params"]["uri"] == uri
    });
    assert_eq!(message["params"].get("version"), None);
    codes(message["params"]["diagnostics"].as_array().unwrap()).into_iter().map(str::to_owned).collect()
}

#[test]
fn a_command_checks_everything_and_keeps_it_up() {
    let root = folder(&[("a b.ptx", BAD), ("good.ptx", &good()), ("z.ptx", BAD)]);
    let root = root.path();
    let (mut client, _) = begin(&[root], json!({}));
    let command = json!({ "command": "ptx-analyzer.checkWorkspace", "workDoneToken": "check" });
    let result = client.call("workspace/executeCommand", command.clone());
    let of = |name: &str| result[name].as_u64();
    assert_eq!((of("files"), of("errors"), of("warnings"), of("unreadable")), (Some(3), Some(2), Some(0), Some(0)));
    assert_eq!(pushed(&mut client, &uri(root, "a b.ptx")), ["unknown-opcode"]);
    assert_eq!(pushed(&mut client, &uri(root, "z.ptx")), ["unknown-opcode"]);
    let progress: Vec<Value> = client.others();
    let kind = |m: &Value| m["params"]["value"]["kind"].clone();
    assert!(progress.iter().all(|m| m["method"] == "$/progress" && m["params"]["token"] == "check"), "{progress:?}");
    assert_eq!((progress.first().map(kind), progress.last().map(kind)), (Some(json!("begin")), Some(json!("end"))));
    // For an open document its text counts; after it is closed, the file counts again.
    client.open(&uri(root, "z.ptx"), 1, &good());
    assert_eq!(client.diagnostics(&uri(root, "z.ptx"), 1), [] as [Value; 0]);
    client.close(&uri(root, "z.ptx"));
    assert_eq!(pushed(&mut client, &uri(root, "z.ptx")), [] as [&str; 0]);
    assert_eq!(pushed(&mut client, &uri(root, "z.ptx")), ["unknown-opcode"]);
    // The server follows changes of files.
    write(root, "good.ptx", BAD);
    let changes = json!({ "changes": [{ "uri": uri(root, "good.ptx"), "type": 2 }] });
    client.notify("workspace/didChangeWatchedFiles", changes);
    assert_eq!(pushed(&mut client, &uri(root, "good.ptx")), ["unknown-opcode"]);
    std::fs::rename(root.join("good.ptx"), root.join("other.ptx")).unwrap();
    let files = json!({ "files": [{ "oldUri": uri(root, "good.ptx"), "newUri": uri(root, "other.ptx") }] });
    client.notify("workspace/didRenameFiles", files);
    assert_eq!(pushed(&mut client, &uri(root, "other.ptx")), ["unknown-opcode"]);
    assert_eq!(pushed(&mut client, &uri(root, "good.ptx")), [] as [&str; 0]);
    std::fs::remove_file(root.join("other.ptx")).unwrap();
    client.notify("workspace/didDeleteFiles", json!({ "files": [{ "uri": uri(root, "other.ptx") }] }));
    assert_eq!(pushed(&mut client, &uri(root, "other.ptx")), [] as [&str; 0]);
}

#[test]
fn pushed_files_do_not_show_twice_where_open_ones_are_pulled() {
    let root = folder(&[("a.ptx", BAD)]);
    let mut client = server();
    let folders = json!([{ "uri": uri(root.path(), ""), "name": "x" }]);
    let info = json!({ "name": "Neovim" });
    client.begin(json!({ "capabilities": pulling(), "clientInfo": info, "workspaceFolders": folders }));
    client.execute("ptx-analyzer.checkWorkspace", Value::Null);
    assert_eq!(pushed(&mut client, &uri(root.path(), "a.ptx")), ["unknown-opcode"]);
    client.open(&uri(root.path(), "a.ptx"), 1, BAD);
    assert_eq!(pushed(&mut client, &uri(root.path(), "a.ptx")), [] as [&str; 0]);
}

#[test]
fn work_can_be_stopped_by_its_progress() {
    let names: Vec<String> = (0..400).map(|i| format!("{i}.ptx")).collect();
    let text = format!("{}{}", BAD, good()[good().find(".entry").unwrap()..].repeat(200));
    let files: Vec<(&str, &str)> = names.iter().map(|n| (n.as_str(), text.as_str())).collect();
    let root = folder(&files);
    let (mut client, _) = begin(&[root.path()], json!({ "window": { "workDoneProgress": true } }));
    let command = json!({ "command": "ptx-analyzer.checkWorkspace", "workDoneToken": "check" });
    let id = client.request("workspace/executeCommand", command);
    client.wait("progress", |m| m["params"]["value"]["kind"] == "begin");
    client.notify("window/workDoneProgress/cancel", json!({ "token": "check" }));
    assert_eq!(client.answer(id)["error"]["code"], -32800);
    client.wait("the end of the progress", |m| m["params"]["value"]["kind"] == "end");
    // Meanwhile and afterwards the server handles everything else.
    client.open("file:///k.ptx", 1, BAD);
    assert_eq!(codes(&client.diagnostics("file:///k.ptx", 1)), ["unknown-opcode"]);
}

#[test]
fn folders_have_settings_of_their_own() {
    let (a, b) = (folder(&[("k.ptx", NEW)]), folder(&[("k.ptx", NEW)]));
    let (a, b) = (a.path(), b.path());
    let workspace = json!({ "configuration": true, "workspaceFolders": true });
    let (mut client, capabilities) = begin(&[a], json!({ "workspace": workspace }));
    let folders = &capabilities["workspace"]["workspaceFolders"];
    assert_eq!(folders, &json!({ "supported": true, "changeNotifications": true }));
    // The server requests the settings of each folder by its URI.
    let answer = |client: &mut Client, everywhere: Value, of: &dyn Fn(&str) -> Value| {
        let question = client.wait("a question", |m| m["method"] == "workspace/configuration");
        let items = question["params"]["items"].as_array().unwrap();
        assert!(items.iter().all(|i| i["section"] == "ptx-analyzer"), "{items:?}");
        let settings = items.iter().map(|i| i["scopeUri"].as_str().map_or(everywhere.clone(), of)).collect::<Vec<_>>();
        client.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": settings }));
        items.len()
    };
    let by_folder = |name: &str| json!({ "target": if name == uri(a, "") { "sm_90" } else { "sm_80" } });
    assert_eq!(answer(&mut client, json!({}), &by_folder), 2);
    let documents = [uri(a, "x.ptx"), uri(b, "x.ptx")];
    for document in &documents {
        client.open(document, 1, NEW);
    }
    // The default settings apply until the client has answered; then the documents are checked again.
    client.wait("no findings", |m| {
        m["params"]["uri"] == *documents[0] && m["params"]["diagnostics"].as_array().is_some_and(Vec::is_empty)
    });
    assert_eq!(codes(&client.diagnostics(&documents[1], 1)), ["requires-target"]);
    let event =
        json!({ "added": [{ "uri": uri(b, ""), "name": "b" }], "removed": [{ "uri": uri(a, ""), "name": "a" }] });
    client.forget();
    client.notify("workspace/didChangeWorkspaceFolders", json!({ "event": event }));
    assert_eq!(codes(&client.diagnostics(&documents[0], 1)), ["requires-target"]);
    let other = |_: &str| json!({ "target": "sm_90" });
    assert_eq!(answer(&mut client, Value::Null, &other), 2);
    client.wait("no findings", |m| {
        m["params"]["uri"] == *documents[1] && m["params"]["diagnostics"].as_array().is_some_and(Vec::is_empty)
    });
    // Only the files of the new folder count.
    let result = client.execute("ptx-analyzer.checkWorkspace", Value::Null);
    assert_eq!((&result["files"], &result["errors"]), (&json!(1), &json!(0)));
}

#[test]
fn settings_that_change_make_the_client_ask_again_for_what_it_can() {
    let refresh = json!({ "refreshSupport": true });
    let workspace =
        json!({ "diagnostics": refresh, "semanticTokens": refresh, "inlayHint": refresh, "codeLens": refresh });
    let changed = json!({ "settings": { "ptx-analyzer": { "target": "sm_90" } } });
    let asked = |capabilities: Value, count: usize| {
        let mut client = server();
        client.begin(json!({ "capabilities": capabilities }));
        client.notify("workspace/didChangeConfiguration", changed.clone());
        let mut asked = Vec::new();
        // The framework hands over requests one by one, in any order.
        let begin = Instant::now();
        let more = |n: usize| n < count && begin.elapsed() < TIMEOUT;
        while more(asked.len()) || begin.elapsed() < Duration::from_millis(200) {
            for message in client.others() {
                client.send(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": null }));
                asked.push(message["method"].as_str().unwrap().to_owned());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        asked.sort();
        asked
    };
    let all = [
        "workspace/codeLens/refresh",
        "workspace/diagnostic/refresh",
        "workspace/inlayHint/refresh",
        "workspace/semanticTokens/refresh",
    ];
    assert_eq!(asked(json!({ "workspace": workspace, "textDocument": { "diagnostic": {} } }), 4), all);
    assert_eq!(asked(json!({ "workspace": { "codeLens": refresh } }), 1), all[..1]);
    assert_eq!(asked(json!({}), 0), [] as [&str; 0]);
}

#[test]
fn files_are_watched_where_the_client_can() {
    let workspace = json!({ "didChangeWatchedFiles": { "dynamicRegistration": true } });
    let (mut client, _) = begin(&[], json!({ "workspace": workspace }));
    let registration = client.wait("a registration", |m| m["method"] == "client/registerCapability");
    let registration = &registration["params"]["registrations"][0];
    assert_eq!(registration["method"], "workspace/didChangeWatchedFiles");
    assert_eq!(registration["registerOptions"], json!({ "watchers": [{ "globPattern": "**/*.{ptx,PTX}" }] }));
    let (mut client, _) = begin(&[], json!({}));
    client.call("workspace/executeCommand", json!({ "command": "ptx-analyzer.serverStatus" }));
    assert_eq!(client.others(), [] as [Value; 0]);
}

#[test]
fn places_follow_the_edits_that_overtake_a_request() {
    let mut client = server();
    client.begin(json!({ "capabilities": {} }));
    let text = format!("// 😀\r\n{}", good());
    client.open("file:///k.ptx", 1, &text);
    let params = json!({ "textDocument": { "uri": "file:///k.ptx" }, "position": at(6, 5) });
    let moved = client.request("textDocument/hover", params.clone());
    let mut version = 1;
    let mut change = |client: &mut Client, from: Value, to: Value, text: &str| {
        version += 1;
        let change = json!([{ "range": { "start": from, "end": to }, "text": text }]);
        client.change("file:///k.ptx", version, change);
    };
    // The hover refers to `ret`, no matter which edits the server has applied when it starts.
    change(&mut client, at(6, 4), at(6, 4), "/* 😀 */ ");
    change(&mut client, at(0, 0), at(0, 0), "\n");
    let answer = client.answer(moved);
    assert!(answer["result"]["contents"]["value"].as_str().unwrap().contains("ret"), "{answer}");
    // After the word is deleted there is nothing to hover over, unless the answer came earlier.
    let gone =
        client.request("textDocument/hover", json!({ "textDocument": params["textDocument"], "position": at(7, 14) }));
    change(&mut client, at(7, 0), at(7, 99), "");
    let answer = client.answer(gone);
    assert!(answer["error"]["code"] == -32801 || !answer["result"].is_null(), "{answer}");
}

#[test]
fn the_client_reads_the_log_as_far_as_it_wants() {
    let mut client = server();
    client.begin(json!({ "capabilities": {}, "trace": "off" }));
    client.change("file:///not-open.ptx", 1, json!([{ "text": "x" }]));
    let message = client.wait("a line of the log", |m| m["method"] == "window/logMessage");
    assert_eq!(message["params"]["type"], 2);
    assert!(message["params"]["message"].as_str().unwrap().contains("not-open.ptx"), "{message}");
    let status = json!({ "command": "ptx-analyzer.serverStatus" });
    client.call("workspace/executeCommand", status.clone());
    assert_eq!(client.others(), [] as [Value; 0]);
    client.notify("$/setTrace", json!({ "value": "messages" }));
    client.call("workspace/executeCommand", status.clone());
    let trace = client.wait("a trace", |m| m["method"] == "$/logTrace");
    assert_eq!(trace["params"], json!({ "message": "workspace/executeCommand is answered" }));
    client.notify("$/setTrace", json!({ "value": "verbose" }));
    client.call("workspace/executeCommand", status.clone());
    let trace = client.wait("a trace", |m| m["method"] == "$/logTrace");
    assert!(trace["params"]["verbose"].as_str().unwrap().ends_with(" ms"), "{trace}");
    client.notify("$/setTrace", json!({ "value": "off" }));
    client.forget();
    client.call("workspace/executeCommand", status);
    assert_eq!(client.others(), [] as [Value; 0]);
}
