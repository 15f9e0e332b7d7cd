//! One file, whatever its URI: clients, and the same client in two places, spell it differently.

use crate::client::Client;
use crate::protocol::{BAD, at, codes, file_uri, server};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const GOOD: &str = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n    ret;\n}\n";

/// A text with a function, and a source.
const WITH_SOURCE: &str = "\
.version 8.0
.target sm_80
.address_size 64
.file 1 \"deep/../other.ptx\"
.visible .entry k()
{
    .reg .b32 %r1;
    .loc 1 2 3
    mov.u32 %r1, %r1;
    ret;
}
";

fn folder(files: &[(&str, &str)]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("A b");
    for (name, text) in files {
        let path = root.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    (folder, root)
}

/// The URI of VS Code: small letters for drives, and percent signs for all but the plainest characters.
fn in_code(path: &Path) -> String {
    let uri = file_uri(path);
    match uri.strip_prefix("file:///").filter(|_| cfg!(windows)) {
        Some(rest) => format!("file:///{}%3A{}", rest[..1].to_lowercase(), &rest[2..]),
        None => uri,
    }
}

/// URIs of a file, those of VS Code and of most others first.
fn spellings(path: &Path) -> Vec<String> {
    let plain = file_uri(path);
    let rest = plain.strip_prefix("file://").unwrap().to_owned();
    let (folder, name) = plain.rsplit_once('/').unwrap();
    let escaped: String = name.replace("%20", " ").bytes().map(|byte| format!("%{byte:02x}")).collect();
    let mut out = vec![
        in_code(path),
        plain.clone(),
        format!("file://localhost{rest}"),
        format!("FILE://{rest}"),
        format!("{folder}/{escaped}"),
        format!("{folder}/./x/../{name}"),
    ];
    if cfg!(windows) {
        let (drive, inside) = rest[1..].split_once(':').unwrap();
        out.push(format!("file:///{}:{inside}", drive.to_lowercase()));
        out.push(format!("file:///{drive}%3a{inside}"));
        out.push(format!("file:///{drive}:{}", inside.to_uppercase()));
        out.push(format!("file:////%3F/{drive}:{inside}"));
    }
    out
}

fn pull(client: &mut Client, previous: &Value) -> Vec<Value> {
    let report = client.call("workspace/diagnostic", json!({ "previousResultIds": previous }));
    report["items"].as_array().unwrap().clone()
}

/// The URI of each item, with its diagnostics or its kind.
fn summary(items: &[Value]) -> Vec<(String, String)> {
    let one = |item: &Value| {
        let said = match item["items"].as_array() {
            Some(found) => codes(found).join(" "),
            None => item["kind"].as_str().unwrap().to_owned(),
        };
        (item["uri"].as_str().unwrap().to_owned(), said)
    };
    let mut out: Vec<_> = items.iter().map(one).collect();
    out.sort();
    out
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    let mut out: Vec<_> = expected.iter().map(|(uri, said)| ((*uri).to_owned(), (*said).to_owned())).collect();
    out.sort();
    out
}

fn begun(folders: &[String], capabilities: Value) -> Client {
    let mut client = server();
    let folders: Vec<Value> = folders.iter().map(|uri| json!({ "uri": uri, "name": "w" })).collect();
    client.begin(json!({ "capabilities": capabilities, "workspaceFolders": folders }));
    client
}

#[test]
fn an_open_document_hides_its_file_in_every_spelling() {
    let (_keep, root) = folder(&[("k.ptx", BAD), ("other.ptx", GOOD)]);
    let file = root.join("k.ptx");
    let other = file_uri(&root.join("other.ptx"));
    for opened in spellings(&file) {
        let mut client = begun(&[file_uri(&root)], json!({ "textDocument": { "diagnostic": {} } }));
        client.open(&opened, 1, GOOD);
        let first = pull(&mut client, &json!([]));
        assert_eq!(summary(&first), pairs(&[(&opened, ""), (&other, "")]), "{opened}");
        let previous: Vec<Value> =
            first.iter().map(|item| json!({ "uri": item["uri"], "value": item["resultId"] })).collect();
        for named in spellings(&file) {
            // The same document, by any of its names, and the answer has the one that opened it.
            let params = json!({ "textDocument": { "uri": named } });
            assert_eq!(client.call("textDocument/documentSymbol", params.clone())[0]["name"], "k", "{opened} {named}");
            let mut place = params.clone();
            place["position"] = at(3, 16);
            let items = client.call("textDocument/prepareCallHierarchy", place.clone());
            assert_eq!(items[0]["uri"], opened, "{named}");
            place["newName"] = json!("renamed");
            let edit = client.call("textDocument/rename", place);
            assert_eq!(edit["changes"].as_object().unwrap().keys().collect::<Vec<_>>(), [&opened], "{named}");
            // A change of the file is none of the document.
            client.notify("workspace/didChangeWatchedFiles", json!({ "changes": [{ "uri": named, "type": 2 }] }));
        }
        assert_eq!(
            summary(&pull(&mut client, &json!(previous))),
            pairs(&[(&opened, "unchanged"), (&other, "unchanged")])
        );
    }
}

#[test]
fn changes_and_the_end_of_a_document_count_in_every_spelling() {
    let (_keep, root) = folder(&[("k.ptx", BAD)]);
    let file = root.join("k.ptx");
    let folder_uri = in_code(&root);
    for named in spellings(&file) {
        let opened = in_code(&file);
        let mut client = begun(std::slice::from_ref(&folder_uri), json!({}));
        client.open(&opened, 1, GOOD);
        assert!(client.diagnostics(&opened, 1).is_empty());
        client.change(&named, 2, json!([{ "text": BAD }]));
        assert_eq!(codes(&client.diagnostics(&opened, 2)), ["unknown-opcode"], "{named}");
        let checked = client.execute("ptx-analyzer.checkWorkspace", json!({}));
        assert_eq!((&checked["files"], &checked["errors"]), (&json!(0), &json!(0)), "{named}");
        client.close(&named);
        let gone = client.wait("its diagnostics go", |m| {
            m["method"] == "textDocument/publishDiagnostics" && m["params"]["version"].is_null()
        });
        assert_eq!(gone["params"], json!({ "uri": opened, "diagnostics": [] }), "{named}");
        // From now on the file counts, in the spelling of its folder.
        let pushed = client.wait("the file", |m| m["method"] == "textDocument/publishDiagnostics");
        assert_eq!(
            (&pushed["params"]["uri"], pushed["params"]["diagnostics"].as_array().unwrap().len()),
            (&json!(opened), 1)
        );
        // Opened again, by another name: what was pushed goes, and the document has its own.
        client.open(&named, 3, GOOD);
        assert!(client.diagnostics(&named, 3).is_empty());
        if named != opened {
            let gone = client.wait("what was pushed goes", |m| m["params"]["uri"] == opened);
            assert_eq!(gone["params"]["diagnostics"], json!([]), "{named}");
        }
    }
}

/// If a client opens a file under two URIs, each has its own text: edits of one do not fit the other.
#[test]
fn a_file_that_is_opened_by_two_names_has_two_texts() {
    let (_keep, root) = folder(&[("k.ptx", GOOD)]);
    let mut names = spellings(&root.join("k.ptx"));
    // What stands behind the path does not name another file, but another document.
    names.push(format!("{}?old", names[0]));
    let mut client = begun(&[file_uri(&root)], json!({}));
    for pair in names.windows(2).filter(|pair| pair[0] != pair[1]) {
        client.open(&pair[0], 1, BAD);
        assert_eq!(client.diagnostics(&pair[0], 1).len(), 1);
        client.open(&pair[1], 1, GOOD);
        assert!(client.diagnostics(&pair[1], 1).is_empty());
        let lines = |client: &mut Client, uri: &str| {
            let params = json!({ "textDocument": { "uri": uri }, "options": { "tabSize": 4, "insertSpaces": true } });
            client.call("textDocument/formatting", params)
        };
        let of_second = lines(&mut client, &pair[1]);
        // The second text becomes another one, and the first stays.
        client.change(&pair[1], 2, json!([{ "text": format!("{GOOD}   // behind\n") }]));
        assert!(client.diagnostics(&pair[1], 2).is_empty());
        assert_ne!(lines(&mut client, &pair[1]), of_second);
        client.close(&pair[0]);
        // The one that is still open is the file for every name.
        client.change(&pair[1], 3, json!([{ "text": BAD }]));
        assert_eq!(client.diagnostics(&pair[1], 3).len(), 1);
        let symbols = client.call("textDocument/documentSymbol", json!({ "textDocument": { "uri": pair[0] } }));
        assert_eq!(symbols.as_array().map(Vec::len), Some(1), "{symbols}");
        client.close(&pair[1]);
        client.forget();
    }
}

/// A URI with a space is invalid, so the server cannot apply the change. From then on it does not know the text of the document.
#[test]
fn a_change_by_an_invalid_name_is_not_lost() {
    let (_keep, root) = folder(&[("a b.ptx", GOOD)]);
    let uri = format!("{}/a%20b.ptx", file_uri(&root));
    let mut client = begun(&[file_uri(&root)], json!({}));
    client.open(&uri, 1, BAD);
    assert_eq!(client.diagnostics(&uri, 1).len(), 1);
    let invalid = json!({ "uri": uri.replace("%20", " "), "version": 2 });
    let change = json!({ "textDocument": invalid, "contentChanges": [{ "text": GOOD }] });
    client.notify("textDocument/didChange", change);
    let params = json!({ "textDocument": { "uri": uri }, "position": { "line": 0, "character": 1 } });
    let id = client.request("textDocument/hover", params);
    let refusal = client.answer(id);
    assert_eq!(refusal["error"]["code"], -32803, "{refusal}");
}

#[test]
fn files_that_are_not_open_have_the_form_of_the_client() {
    let (_keep, root) = folder(&[("deep/k(1).ptx", BAD), ("deep/other.ptx", GOOD)]);
    for (folder_uri, name) in [(in_code(&root), "deep"), (file_uri(&root), "deep")] {
        // A folder inside of another one, by another name.
        let inner = spellings(&root.join(name)).pop().unwrap();
        let mut client = begun(&[folder_uri.clone(), inner], json!({ "textDocument": { "diagnostic": {} } }));
        let items = pull(&mut client, &json!([]));
        let uris = [format!("{folder_uri}/deep/k%281%29.ptx"), format!("{folder_uri}/deep/other.ptx")];
        assert_eq!(summary(&items), pairs(&[(&uris[0], "unknown-opcode"), (&uris[1], "")]));
        let found = client.call("workspace/symbol", json!({ "query": "k" }));
        assert_eq!(found.as_array().unwrap().len(), 2, "{found}");
        // The client may write the URIs in its own way when it gives them back.
        for spelling in [0, 1, 4] {
            let other_name =
                |index: usize| spellings(&root.join(["deep/k(1).ptx", "deep/other.ptx"][index]))[spelling].clone();
            let previous: Vec<Value> =
                (0..2).map(|index| json!({ "uri": other_name(index), "value": items[index]["resultId"] })).collect();
            let again = pull(&mut client, &json!(previous));
            let (a, b) = (other_name(0), other_name(1));
            assert_eq!(summary(&again), pairs(&[(&a, "unchanged"), (&b, "unchanged")]));
        }
    }
}

#[test]
fn sources_have_the_name_by_which_they_are_open() {
    let (_keep, root) = folder(&[("k.ptx", WITH_SOURCE), ("other.ptx", GOOD), ("deep/x", "")]);
    let (uri, other) = (in_code(&root.join("k.ptx")), root.join("other.ptx"));
    let mut client = server();
    client.begin(json!({ "capabilities": {} }));
    client.open(&uri, 1, WITH_SOURCE);
    let definition = |client: &mut Client, uri: &str| {
        let found =
            client.call("textDocument/definition", json!({ "textDocument": { "uri": uri }, "position": at(7, 6) }));
        found[0]["uri"].as_str().unwrap().to_owned()
    };
    assert_eq!(definition(&mut client, &uri), in_code(&other));
    for opened in spellings(&other) {
        client.open(&opened, 1, GOOD);
        for named in spellings(&root.join("k.ptx")) {
            assert_eq!(definition(&mut client, &named), opened, "{named}");
        }
        let links = client.call("textDocument/documentLink", json!({ "textDocument": { "uri": uri } }));
        assert_eq!(links[0]["target"], opened);
        client.close(&opened);
    }
}

#[test]
fn what_is_no_file_is_compared_as_a_uri() {
    let (_keep, root) = folder(&[("k.ptx", BAD)]);
    let file = file_uri(&root.join("k.ptx"));
    let others = [
        "untitled:Untitled-1".to_owned(),
        "untitled:untitled-1".to_owned(),
        format!("git{}?%7B%22ref%22%3A%22~%22%7D", file.strip_prefix("file").unwrap()),
        format!("vscode-notebook-cell{}#W1", file.strip_prefix("file").unwrap()),
        format!("vscode-notebook-cell{}#W2", file.strip_prefix("file").unwrap()),
        "file://server/share/k.ptx".to_owned(),
    ];
    let mut client = begun(&[file_uri(&root)], json!({ "textDocument": { "diagnostic": {} } }));
    for uri in &others {
        client.open(uri, 1, GOOD);
    }
    let mut expected: Vec<(&str, &str)> = others.iter().map(|uri| (uri.as_str(), "")).collect();
    expected.push((&file, "unknown-opcode"));
    assert_eq!(summary(&pull(&mut client, &json!([]))), pairs(&expected));
}

#[test]
fn settings_and_folders_are_found_in_every_spelling() {
    let (_keep, root) = folder(&[("k.ptx", BAD), ("Out/b.ptx", BAD)]);
    for folder_uri in spellings(&root) {
        let settings = |value: Value| json!({ "ptx-analyzer": { "workspace": value } });
        // Where the file system ignores case, globs do too.
        let glob = if cfg!(any(windows, target_os = "macos")) { "out/**" } else { "Out/**" };
        let mut client = server();
        client.begin(json!({
            "capabilities": { "textDocument": { "diagnostic": {} } },
            "workspaceFolders": [{ "uri": folder_uri, "name": "w" }],
            "initializationOptions": settings(json!({ "exclude": [glob] })),
        }));
        let items = pull(&mut client, &json!([]));
        assert_eq!(items.len(), 1, "{folder_uri}: {items:?}");
        // The folder is removed by another name.
        let removed = json!([{ "uri": in_code(&root), "name": "w" }]);
        let event = json!({ "added": [], "removed": removed });
        client.notify("workspace/didChangeWorkspaceFolders", json!({ "event": event }));
        assert_eq!(pull(&mut client, &json!([])), [] as [Value; 0], "{folder_uri}");
    }
}
