//! `check --inline` and the server for host files, in real processes.

use crate::cli::run_with;
use crate::client::Client;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

const KERNEL: &str = r#"// ü
__device__ unsigned add(unsigned a) {
    unsigned d;
    asm volatile("{ .reg .b32 t;\n\t"
                 "add.u32 t, %1, 1;\n\t"
                 "mul.lo.u32 %0, t, %1; }" : "=r"(d) : "r"(a));
    return d;
}
"#;

/// Runs the program; returns the exit status, the lines of JSON and standard error.
fn checked(folder: &Path, arguments: &[&str], input: &str) -> (i32, Vec<Value>, String) {
    let out = run_with(folder, arguments, input.as_bytes());
    let text = String::from_utf8(out.stdout).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    (out.status.code().unwrap(), lines, String::from_utf8(out.stderr).unwrap())
}

/// File name, line, column, end column and code of each diagnostic.
fn places(lines: &[Value]) -> Vec<(String, u64, u64, u64, String)> {
    let number = |line: &Value, key: &str| line[key].as_u64().unwrap();
    let text = |line: &Value, key: &str| line[key].as_str().unwrap().replace('\\', "/");
    let place =
        |l: &Value| (text(l, "file"), number(l, "line"), number(l, "column"), number(l, "end_column"), text(l, "code"));
    lines.iter().map(place).collect()
}

#[test]
fn folders_are_searched_and_places_are_those_of_the_host_file() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, contents: &[u8]| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, contents).unwrap();
    };
    write("a.cu", KERNEL.replace("mul.lo.u32", "mul.lo.u3").as_bytes());
    write("sub/b.cuh", KERNEL.replace('\n', "\r\n").replace("add.u32 t, %1", "add.u32 t, %9").as_bytes());
    write("good.hpp", KERNEL.as_bytes());
    write("notes.txt", b"asm(\"bad.u32;\");");
    // Latin-1 in a comment: columns count bytes of the file.
    let latin = b"/* \xfc\xfc */ void f() { asm(\"bad.u32 x;\"); }\n";
    write("latin.h", latin);
    let (status, lines, complaints) = checked(folder.path(), &["check", "--inline", "--format", "json", "."], "");
    assert_eq!(status, 1, "{complaints}");
    let at = |text: &[u8], word: &[u8]| text.windows(word.len()).position(|w| w == word).unwrap() as u64 + 1;
    assert_eq!(
        places(&lines),
        [
            ("./a.cu".to_owned(), 6, 25, 28, "unknown-modifier".to_owned()),
            ("./latin.h".to_owned(), 1, at(latin, b"bad"), at(latin, b"bad") + 3, "unknown-opcode".to_owned()),
            ("./sub/b.cuh".to_owned(), 5, 30, 32, "asm-operand-index".to_owned()),
        ]
    );
    assert!(complaints.contains("latin.h: some bytes are not UTF-8 text"), "{complaints}");
    assert!(complaints.contains("4 files checked: 3 errors"), "{complaints}");
    let (status, lines, _) = checked(folder.path(), &["check", "--inline", "--format", "json", "good.hpp"], "");
    assert_eq!((status, lines.len()), (0, 0));
    let (status, ..) = checked(folder.path(), &["check", "--inline", "missing.cu"], "");
    assert_eq!(status, 2);
}

#[test]
fn other_formats_and_standard_input() {
    let folder = tempfile::tempdir().unwrap();
    let bad = KERNEL.replace("add.u32 t", "add.u33 t");
    let human = run_with(folder.path(), &["check", "--inline", "-"], bad.as_bytes());
    let text = String::from_utf8(human.stdout).unwrap();
    assert!(text.contains("<stdin>:5:22") && text.contains("\"add.u33 t, %1, 1;\\n\\t\""), "{text}");
    let sarif = run_with(folder.path(), &["check", "--inline", "--format", "sarif", "-"], bad.as_bytes());
    let sarif: Value = serde_json::from_slice(&sarif.stdout).unwrap();
    assert_eq!(sarif.pointer("/runs/0/results/0/ruleId").unwrap(), "unknown-modifier");
    // `--level` works as for PTX.
    let arguments = ["check", "--inline", "--format", "json", "--level", "unknown-modifier=off", "-"];
    assert_eq!(checked(folder.path(), &arguments, &bad).1.len(), 0);
}

#[test]
fn targets_come_from_the_option_the_comment_the_build_and_the_conditions() {
    let folder = tempfile::tempdir().unwrap();
    let text = "void f() { asm volatile(\"wgmma.fence.sync.aligned;\"); }\n";
    let errors = |arguments: &[&str], text: &str| {
        let all = [&["check", "--inline", "--format", "json", "--level", "asm-fence=off"], arguments, &["-"]].concat();
        let (_, lines, _) = checked(folder.path(), &all, text);
        lines.iter().map(|l| l["code"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(errors(&[], text), [""; 0], "some target has it");
    assert_eq!(errors(&["--inline-target", "sm_80"], text), ["requires-target"]);
    assert_eq!(errors(&["--inline-target", "sm_80,compute_90a"], text), [""; 0]);
    let asked = format!("// ptx: target=sm_80\n{text}");
    assert_eq!(errors(&[], &asked), ["requires-target"]);
    assert_eq!(errors(&["--inline-target", "sm_90a"], &asked), [""; 0], "the option decides alone");
    let guarded = format!("#if __CUDA_ARCH__ < 900\n{text}#endif\n");
    assert_eq!(errors(&[], &guarded), ["requires-target"]);
    // A build that compiles the file for an older architecture.
    std::fs::write(folder.path().join("f.cu"), text).unwrap();
    let commands = json!([{ "directory": folder.path(), "file": "f.cu", "command": "nvcc -arch=sm_80 -c f.cu" }]);
    std::fs::write(folder.path().join("compile_commands.json"), commands.to_string()).unwrap();
    let arguments = ["check", "--inline", "--format", "json", "--level", "asm-fence=off", "f.cu"];
    let (status, lines, _) = checked(folder.path(), &arguments, "");
    assert_eq!((status, lines[0]["code"].as_str()), (1, Some("requires-target")));
}

#[test]
fn the_list_shows_all_ptx_with_its_operands() {
    let folder = tempfile::tempdir().unwrap();
    let text = KERNEL.replace("\"r\"(a))", "\"r\"(a), \"n\"(5))");
    std::fs::write(folder.path().join("a.cu"), text).unwrap();
    let (status, lines, _) = checked(folder.path(), &["check", "--inline-list", "a.cu"], "");
    assert_eq!((status, lines.len()), (0, 1));
    let group = &lines[0];
    assert_eq!(group["registers"], json!([["%0", "b32"], ["%1", "b32"]]));
    assert_eq!(
        (&group["constants"], &group["line"], &group["foreign"]),
        (&json!([["%2", 5]]), &json!(4), &json!(false))
    );
    assert!(group["ptx"].as_str().unwrap().starts_with("{ .reg .b32 t;\n\tadd.u32 t"), "{group}");
}

const URI: &str = "file:///project/a.cu";

struct Session(Client);

impl Session {
    fn new(text: &str, capabilities: Value) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ptx-analyzer"));
        let mut client = Client::start(command.arg("--inline").env_remove("PTX_ANALYZER_LOG"));
        client.begin(json!({ "capabilities": capabilities }));
        let document = json!({ "uri": URI, "languageId": "cuda-cpp", "version": 1, "text": text });
        client.notify("textDocument/didOpen", json!({ "textDocument": document }));
        Self(client)
    }

    /// The answer to a request at the place of `word` in `text`, `after` bytes further.
    fn at(&mut self, method: &str, text: &str, word: &str, after: usize) -> Value {
        let position = position(text, text.find(word).unwrap() + after);
        self.0.call(method, json!({ "textDocument": { "uri": URI }, "position": position }))
    }

    fn codes(&mut self, version: i32) -> Vec<String> {
        let found = self.0.diagnostics(URI, version);
        found.iter().map(|d| d["code"].as_str().unwrap().to_owned()).collect()
    }

    fn replace(&mut self, text: &mut String, version: i32, old: &str, new: &str) {
        let at = text.find(old).unwrap();
        let range = json!({ "start": position(text, at), "end": position(text, at + old.len()) });
        self.0.change(URI, version, json!([{ "range": range, "text": new }]));
        text.replace_range(at..at + old.len(), new);
    }
}

/// The text is ASCII but for its first line, so columns are bytes.
fn position(text: &str, offset: usize) -> Value {
    let before = &text[..offset];
    let line = before.matches('\n').count();
    json!({ "line": line, "character": offset - before.rfind('\n').map_or(0, |at| at + 1) })
}

#[test]
fn the_server_takes_nothing_from_others() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptx-analyzer"));
    let mut client = Client::start(command.arg("--inline").env_remove("PTX_ANALYZER_LOG"));
    let capabilities = client.begin(json!({ "capabilities": {} }));
    let others = [
        "documentFormattingProvider",
        "documentRangeFormattingProvider",
        "documentOnTypeFormattingProvider",
        "renameProvider",
        "documentSymbolProvider",
        "workspaceSymbolProvider",
        "semanticTokensProvider",
        "foldingRangeProvider",
        "codeLensProvider",
        "referencesProvider",
    ];
    for other in others {
        assert!(capabilities.get(other).is_none_or(Value::is_null), "{other}: {capabilities}");
    }
    assert_eq!(capabilities["hoverProvider"], true);
    client.call("shutdown", Value::Null);
    client.notify("exit", Value::Null);
    assert!(client.ended(Duration::from_secs(10)).is_some_and(|status| status.success()));
}

#[test]
fn diagnostics_follow_edits_inside_and_outside_of_strings() {
    let mut text = KERNEL.to_owned();
    let mut session = Session::new(&text, json!({}));
    assert_eq!(session.codes(1), [""; 0]);
    session.replace(&mut text, 2, "%0, t, %1", "%0, t, %1, 3");
    // While the user types, the error waits; the pause shows it.
    assert_eq!(session.codes(2), [""; 0]);
    assert_eq!(session.codes(2), ["operand-count"]);
    session.replace(&mut text, 3, "// ü\n", "// ü\n\n\n");
    let found = session.0.diagnostics(URI, 3);
    assert_eq!(found[0]["range"]["start"]["line"], 7, "{found:?}");
    session.replace(&mut text, 4, ", 3; }", "; }");
    assert_eq!(session.codes(4), [""; 0]);
    // Whole texts are never held back.
    let bad = text.replace("add.u32", "addd.u32");
    session.0.change(URI, 5, json!([{ "text": bad }]));
    let codes = session.codes(5);
    assert!(codes == ["unknown-opcode"] || session.codes(5) == ["unknown-opcode"], "{codes:?}");
}

#[test]
fn answers_are_given_in_strings_and_nowhere_else() {
    let text = KERNEL;
    let mut session = Session::new(text, json!({}));
    let hover = session.at("textDocument/hover", text, "mul.lo", 1);
    assert!(hover["contents"]["value"].as_str().unwrap().contains("mul.lo"), "{hover}");
    let operand = session.at("textDocument/hover", text, "%1, 1", 1);
    let shown = operand["contents"]["value"].as_str().unwrap();
    assert!(shown.contains("\"r\"") && shown.contains("of `a`") && shown.contains(".b32"), "{shown}");
    assert_eq!(operand["range"]["start"], position(text, text.find("%1, 1").unwrap()));
    let definition = session.at("textDocument/definition", text, "%1, 1", 1);
    assert_eq!(definition[0]["range"]["start"], position(text, text.find("\"r\"(a)").unwrap()));
    let back = session.at("textDocument/definition", text, "\"r\"(a)", 1);
    assert_eq!(back[0]["range"]["start"], position(text, text.find("%1, 1").unwrap()));
    let register = session.at("textDocument/definition", text, "t, %1;", 0);
    assert_eq!(register[0]["range"]["start"], position(text, text.find("t;\\n").unwrap()));
    let highlights = session.at("textDocument/documentHighlight", text, "%1, 1", 1);
    assert_eq!(highlights.as_array().unwrap().len(), 3, "two uses and the operand: {highlights}");
    let signature = session.at("textDocument/signatureHelp", text, "t, %1;", 3);
    assert!(signature["signatures"][0]["label"].as_str().unwrap().starts_with("mul.lo"), "{signature}");
    let methods = ["hover", "definition", "documentHighlight", "signatureHelp", "completion"]
        .map(|m| format!("textDocument/{m}"));
    for method in &methods {
        assert!(session.at(method, text, "return d", 2).is_null(), "{method}");
        assert!(session.at(method, text, "unsigned d", 2).is_null(), "{method}");
        // The expression of an operand belongs to the server of its language.
        assert!(session.at(method, text, "(a));", 1).is_null(), "{method}");
    }
}

#[test]
fn completion_writes_what_the_literal_can_hold() {
    let text =
        KERNEL.replace("\"mul.lo.u32 %0, t, %1; }\"", "\"mul.lo. }\"").replace("add.u32 t, %1, 1", "mov.u32 t, ");
    let mut session = Session::new(&text, json!({}));
    let list = session.at("textDocument/completion", &text, "mul.lo.", 7);
    let items = list["items"].as_array().unwrap();
    let item = items.iter().find(|i| i["label"] == ".u32").unwrap_or_else(|| panic!("{list}"));
    assert_eq!(item["textEdit"]["newText"], ".u32");
    let list = session.at("textDocument/completion", &text, "mov.u32 t, ", 11);
    let items = list["items"].as_array().unwrap();
    let find = |label: &str| items.iter().find(|i| i["label"] == label).unwrap_or_else(|| panic!("{label}: {list}"));
    assert_eq!(find("%1")["textEdit"]["newText"], "%1");
    assert_eq!(find("%laneid")["textEdit"]["newText"], "%%laneid");
}

#[test]
fn fixes_are_edits_of_the_host_text() {
    let bad = KERNEL.replace("add.u32 t", "add.u3 t");
    let bad = format!("{bad}void g() {{ asm volatile(\"bar.sync 0;\"); }}\n");
    let mut session = Session::new(
        &bad,
        json!({ "textDocument": { "codeAction": { "codeActionLiteralSupport": { "codeActionKind": { "valueSet": [] } } } } }),
    );
    session.0.diagnostics(URI, 1);
    let mut actions = |word: &str| {
        let at = position(&bad, bad.find(word).unwrap() + 1);
        let params = json!({ "textDocument": { "uri": URI }, "range": { "start": at, "end": at }, "context": { "diagnostics": [] } });
        session.0.call("textDocument/codeAction", params)
    };
    let found = actions("u3 t");
    let edits: Vec<&str> =
        found.as_array().unwrap().iter().filter_map(|a| a["edit"]["changes"][URI][0]["newText"].as_str()).collect();
    assert!(edits.iter().any(|text| text.starts_with(".u") || text.starts_with(".s")), "{found}");
    let found = actions("bar.sync");
    assert_eq!(found[0]["edit"]["changes"][URI][0]["newText"], " ::: \"memory\"", "{found}");
}

#[test]
fn what_is_outside_of_strings_is_answered_at_once() {
    let mut text = String::new();
    for number in 0..400 {
        text.push_str(&KERNEL.replace("add(", &format!("add{number}(")));
    }
    let mut session = Session::new(&text, json!({}));
    session.0.diagnostics(URI, 1);
    let mut times = Vec::new();
    for _ in 0..50 {
        let begin = Instant::now();
        assert!(session.at("textDocument/hover", &text, "return d", 2).is_null());
        times.push(begin.elapsed());
    }
    times.sort();
    // A millisecond in a release build on a quiet machine; the limit holds for every machine and build.
    assert!(times[times.len() / 2] < Duration::from_millis(50), "{times:?}");
}

#[test]
fn a_statement_becomes_a_kernel() {
    let mut session = Session::new(KERNEL, json!({ "window": { "showDocument": { "support": false } } }));
    session.0.diagnostics(URI, 1);
    let mut kernel = |line: usize| {
        let params = json!({ "command": "ptx-analyzer.inlineKernel", "arguments": [{ "uri": URI, "line": line }] });
        let id = session.0.request("workspace/executeCommand", params);
        session.0.answer(id)
    };
    let line = KERNEL.lines().position(|line| line.contains("add.u32 t")).unwrap();
    let answer = kernel(line);
    let text = answer["result"]["text"].as_str().unwrap_or_else(|| panic!("{answer}"));
    assert!(text.contains(".entry statement(") && text.contains("add.u32"), "{text}");
    let first = text.lines().nth(usize::try_from(answer["result"]["line"].as_u64().unwrap()).unwrap()).unwrap();
    assert!(first.trim().starts_with("add.u32"), "{text}");
    let answer = kernel(0);
    assert_eq!(answer["error"]["message"], "line 1 has no PTX in a string", "{answer}");
}
