//! Machine code beside PTX. The programs in these tests are scripts that print what NVIDIA's programs printed for
//! tests/editors/fixture/saxpy.ptx.

#![cfg(unix)]

use crate::cli::run_with;
use crate::client::Client;
use crate::protocol::{at, file_uri, server};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const URI: &str = "file:///saxpy.ptx";
const SAXPY: &str = include_str!("../../../../tests/editors/fixture/saxpy.ptx");
const LINES: &str = include_str!("../../../nvidia/src/disassembly/samples/13-saxpy-lines.txt");
const LIVE: &str = include_str!("../../../nvidia/src/disassembly/samples/13-saxpy-live.txt");

const FIGURES: &str = "\
ptxas info    : 4 bytes gmem, 8 bytes cmem[4]
ptxas info    : Compiling entry function 'saxpy' for 'sm_80'
ptxas info    : Function properties for saxpy
    0 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 14 registers, used 0 barriers, 376 bytes cmem[0]";

/// Both programs. Each prints its version, and otherwise records its arguments in `calls` and runs a script.
pub struct Fake {
    folder: TempDir,
}

impl Fake {
    fn new(ptxas: &str, nvdisasm: &str) -> Self {
        let fake = Self { folder: tempfile::tempdir().unwrap() };
        std::fs::write(fake.file("lines"), LINES).unwrap();
        std::fs::write(fake.file("live"), LIVE).unwrap();
        fake.write("ptxas", "Ptx optimizing assembler", ptxas);
        fake.write("nvdisasm", "CUDA disassembler", nvdisasm);
        fake
    }

    pub fn printing() -> Self {
        Self::new(&assembling(), &disassembling())
    }

    fn write(&self, name: &str, title: &str, script: &str) {
        let folder = self.folder.path().display();
        let text = format!(
            "#!/bin/sh\nif [ \"$*\" = --version ]; then\necho '{name}: NVIDIA (R) {title}'\necho 'Cuda compilation tools, release 13.5, V13.5.37'\nexit 0\nfi\n\
             echo \"{name} $*\" >>'{folder}/calls'\nFAKE='{folder}'\n{script}\n"
        );
        // A file that is open for writing cannot be executed, and another test may inherit its descriptor. So write a
        // new file and rename it.
        let new = self.file("new");
        std::fs::write(&new, text).unwrap();
        std::fs::set_permissions(&new, std::fs::Permissions::from_mode(0o755)).unwrap();
        std::fs::rename(new, self.file(name)).unwrap();
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn calls(&self) -> Vec<String> {
        let mut calls: Vec<String> =
            std::fs::read_to_string(self.file("calls")).unwrap_or_default().lines().map(str::to_owned).collect();
        // The two calls of the disassembler run at the same time.
        calls.sort();
        calls
    }

    pub fn section(&self) -> Value {
        json!({ "ptxas": { "path": self.file("ptxas") }, "nvdisasm": { "path": self.file("nvdisasm") } })
    }
}

fn assembling() -> String {
    format!("echo object >module.o\ncat >&2 <<'END'\n{FIGURES}\nEND")
}

fn disassembling() -> String {
    "case \"$*\" in *life-range*) cat \"$FAKE/live\" ;; *) cat \"$FAKE/lines\" ;; esac".to_owned()
}

fn begun_with(params: Value) -> Client {
    let mut client = server();
    client.begin(params);
    client.open(URI, 1, SAXPY);
    client
}

fn begun(section: &Value) -> Client {
    let options = json!({ "ptx-analyzer": section, "workspaceTrusted": true });
    begun_with(json!({ "capabilities": {}, "initializationOptions": options }))
}

fn ask(client: &mut Client, argument: Value) -> i64 {
    let params = json!({ "command": "ptx-analyzer.sass", "arguments": [argument] });
    client.request("workspace/executeCommand", params)
}

fn sass(client: &mut Client, argument: Value) -> Value {
    client.execute("ptx-analyzer.sass", argument)
}

fn refusal(client: &mut Client) -> String {
    let id = ask(client, json!({ "uri": URI }));
    let answer = client.answer(id);
    assert_eq!(answer["error"]["code"], -32803, "{answer}");
    answer["error"]["message"].as_str().unwrap().to_owned()
}

fn line_of(answer: &Value, line: u64) -> Value {
    let found = answer["ptx"].as_array().unwrap().iter().find(|l| l["line"] == line);
    found.cloned().unwrap_or(Value::Null)
}

/// The text of a hover at a word.
fn hover(client: &mut Client, text: &str, word: &str) -> String {
    let offset = text.find(word).unwrap();
    let line = text[..offset].matches('\n').count();
    let column = offset - text[..offset].rfind('\n').map_or(0, |at| at + 1);
    let params = json!({ "textDocument": { "uri": URI }, "position": at(line as u32, column as u32) });
    client.call("textDocument/hover", params)["contents"]["value"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn instructions_are_tied_to_lines() {
    let fake = Fake::printing();
    let mut client = begun(&fake.section());
    let answer = sass(&mut client, json!({ "uri": URI, "instructions": true }));
    let [function] = &answer["functions"].as_array().unwrap()[..] else { panic!("{answer}") };
    assert_eq!((&function["name"], &function["line"], &function["kernel"]), (&json!("saxpy"), &json!(8), &json!(true)));
    assert_eq!(
        (&function["registers"], &function["instructions"], &function["most_live"]),
        (&json!(14), &json!(32), &json!(9))
    );
    assert_eq!((&function["spill_stores"], &function["spill_loads"]), (&json!(8), &json!(12)));
    assert_eq!(answer["live"], true);
    let status = client.execute("ptx-analyzer.serverStatus", Value::Null);
    assert_eq!(status["nvdisasm"]["version"], "13.5.37");
    // Each instruction has a line in the text, and each line of the text its PTX line.
    let text: Vec<&str> = answer["text"].as_str().unwrap().lines().collect();
    let instructions = answer["instructions"].as_array().unwrap();
    let (rows, lines) = (answer["rows"].as_array().unwrap(), answer["lines"].as_array().unwrap());
    assert_eq!((instructions.len(), rows.len(), lines.len()), (32, 32, text.len()));
    for (instruction, row) in instructions.iter().zip(rows) {
        let row = row.as_u64().unwrap() as usize;
        assert!(text[row - 1].ends_with(instruction["text"].as_str().unwrap()), "{}", text[row - 1]);
        assert_eq!(lines[row - 1], instruction["line"]);
    }
    assert_eq!(
        instructions[7]["live"],
        json!({ "general": 3, "uniform": 2, "predicates": 0, "uniform_predicates": 0 })
    );
    assert_eq!((&instructions[5]["text"], &instructions[5]["address"]), (&json!("@P0 EXIT"), &json!(80)));
    // What became of the lines.
    assert_eq!(line_of(&answer, 36)["instructions"], json!([6, 8]));
    assert_eq!(line_of(&answer, 42)["words"], "1 instruction, moved down after line 46");
    assert_eq!(
        line_of(&answer, 22),
        json!({ "line": 22, "end_line": 22, "instructions": [], "fate": "merged", "words": "merged into line 42" })
    );
    // A declaration has no instruction, and is not mentioned.
    assert_eq!(line_of(&answer, 16), Value::Null);
    assert_eq!((&answer["remembered"], &answer["version"], &answer["errors"]), (&json!(false), &json!(1), &json!([])));
    assert_eq!(
        fake.calls(),
        [
            "nvdisasm --print-code --print-life-ranges --life-range-mode count module.o",
            "nvdisasm --print-code --print-line-info-ptx module.o",
            "ptxas --generate-line-info --verbose --gpu-name sm_80 --output-file module.o module.ptx",
        ]
    );
    // Without live registers only the first listing is needed, and the second one needs no assembler.
    let changed = format!("{SAXPY}\n");
    client.change(URI, 2, json!([{ "text": changed }]));
    let first = sass(&mut client, json!({ "uri": URI, "live": false, "instructions": true }));
    assert_eq!((&first["live"], &first["instructions"][3]["live"]), (&json!(false), &Value::Null));
    assert_eq!(fake.calls().len(), 5);
    let second = sass(&mut client, json!({ "uri": URI, "instructions": true }));
    assert_eq!((&second["live"], &second["instructions"]), (&json!(true), &answer["instructions"]));
    assert_eq!(fake.calls().iter().filter(|c| c.starts_with("ptxas")).count(), 2);
    assert_eq!((&first["functions"][0]["instructions"], fake.calls().len()), (&json!(32), 6));
    assert_eq!(sass(&mut client, json!({ "uri": URI, "live": false }))["remembered"], true);
    client.change(URI, 3, json!([{ "text": SAXPY }]));
    // The same text is not assembled again. For a line, only its kernel is.
    assert_eq!(sass(&mut client, json!({ "uri": URI }))["remembered"], true);
    assert_eq!(fake.calls().len(), 6);
    let answer = sass(&mut client, json!({ "uri": URI, "line": 40, "target": "sm_90" }));
    assert_eq!(answer["entry"], "saxpy");
    assert!(
        fake.calls()[8].ends_with("--gpu-name sm_90 --entry saxpy --output-file module.o module.ptx"),
        "{:?}",
        fake.calls()
    );
    assert_eq!(sass(&mut client, json!({ "uri": URI, "line": 3 }))["entry"], Value::Null);
    for wrong in [json!({ "uri": URI, "entry": "none" }), json!({ "uri": URI, "line": 0 }), json!({ "uri": 1 })] {
        let id = ask(&mut client, wrong);
        assert_eq!(client.answer(id)["error"]["code"], -32602);
    }
}

#[test]
fn figures_replace_the_estimate_while_they_are_current() {
    let fake = Fake::printing();
    let mut client = begun(&fake.section());
    let lens = |client: &mut Client| -> String {
        let lenses = client.call("textDocument/codeLens", json!({ "textDocument": { "uri": URI } }));
        let titles = lenses.as_array().unwrap().iter().map(|lens| match lens["command"].is_null() {
            true => client.call("codeLens/resolve", lens.clone())["command"]["title"].clone(),
            false => lens["command"]["title"].clone(),
        });
        titles.map(|t| t.as_str().unwrap().to_owned()).find(|t| t.contains("register")).unwrap()
    };
    let pressure = |client: &mut Client| {
        client.execute("ptx-analyzer.registerPressure", json!({ "uri": URI, "entry": "saxpy", "wait": true }))
    };
    assert!(lens(&mut client).starts_with("≈ "));
    assert_eq!(pressure(&mut client)["functions"][0]["measured"], Value::Null);
    assert!(!hover(&mut client, SAXPY, "fma.rn").contains("SASS"));
    sass(&mut client, json!({ "uri": URI, "line": 42 }));
    assert!(lens(&mut client).starts_with("14 registers by ptxas, 20 bytes spilled · "), "{}", lens(&mut client));
    let found = pressure(&mut client);
    assert_eq!(found["functions"][0]["measured"], json!({ "registers": 14, "spilled": 20, "by": "ptxas 13.5" }));
    assert!(
        found["markdown"]
            .as_str()
            .unwrap()
            .contains("**Registers: 14 by ptxas 13.5**, 20 bytes spilled; the estimate is "),
        "{found}"
    );
    let told = hover(&mut client, SAXPY, "fma.rn");
    assert!(told.contains("**SASS**: 1 instruction, moved down after line 46"), "{told}");
    assert!(told.contains("FFMA R9, R2, c[0x0][0x164], R7"), "{told}");
    let told = hover(&mut client, SAXPY, "atom.global");
    assert!(told.contains("**SASS**: 12 instructions") && told.contains("// … and 4 more"), "{told}");
    assert!(hover(&mut client, SAXPY, "ld.param.f32").contains("**SASS**: merged into line 42"));
    // After an edit of the kernel all of it is gone.
    let changed = SAXPY.replace("fma.rn.f32", "fma.rz.f32");
    client.change(URI, 2, json!([{ "text": changed }]));
    assert!(lens(&mut client).starts_with("≈ "), "{}", lens(&mut client));
    assert_eq!(pressure(&mut client)["functions"][0]["measured"], Value::Null);
    assert!(!hover(&mut client, &changed, "fma.rz").contains("SASS"));
    // Code for another target says nothing about the module's own.
    sass(&mut client, json!({ "uri": URI, "target": "sm_90" }));
    assert!(lens(&mut client).starts_with("≈ "), "{}", lens(&mut client));
}

#[test]
fn lenses_are_refreshed_when_figures_change() {
    let fake = Fake::printing();
    let options = json!({ "ptx-analyzer": fake.section(), "workspaceTrusted": true });
    let capabilities = json!({ "workspace": { "codeLens": { "refreshSupport": true } } });
    let mut client = begun_with(json!({ "capabilities": capabilities, "initializationOptions": options }));
    let is_refresh = |m: &Value| m["method"] == "workspace/codeLens/refresh";
    let changed = SAXPY.replace("fma.rn.f32", "fma.rz.f32");
    // The last text is the first one, whose machine code is stored.
    for (version, text) in [(2, SAXPY), (3, &changed), (4, SAXPY)] {
        client.change(URI, version, json!([{ "text": text }]));
        // The flow lints may also refresh lenses, but before this answer.
        client.execute("ptx-analyzer.registerPressure", json!({ "uri": URI, "wait": true }));
        std::thread::sleep(Duration::from_millis(200));
        client.forget();
        let answer = sass(&mut client, json!({ "uri": URI, "live": false }));
        assert_eq!(answer["remembered"], version == 4);
        client.wait("a refresh", is_refresh);
        // The live registers change no lens.
        sass(&mut client, json!({ "uri": URI }));
        std::thread::sleep(Duration::from_millis(100));
        assert!(!client.others().iter().any(is_refresh), "version {version}");
    }
}

#[test]
fn a_refused_module_is_an_answer() {
    let fake =
        Fake::new("echo \"ptxas module.ptx, line 8; error   : Unknown modifier '.u33'\" >&2\nexit 255", "exit 1");
    let mut client = begun(&fake.section());
    let answer = sass(&mut client, json!({ "uri": URI, "show": true }));
    assert_eq!(answer["errors"], json!([{ "line": 8, "severity": "error", "message": "Unknown modifier '.u33'" }]));
    assert_eq!((&answer["text"], &answer["functions"], &answer["ptx"]), (&Value::Null, &json!([]), &json!([])));
    let message = client.wait("a message", |m| m["method"] == "window/showMessage");
    assert_eq!(message["params"]["message"], "ptxas refuses the module on line 8: Unknown modifier '.u33'");
    assert_eq!(fake.calls().len(), 1);
}

#[test]
fn listings_that_fail() {
    let fake = Fake::new(&assembling(), "echo 'nvdisasm fatal   : Cannot decode architecture SM121' >&2; exit 1");
    assert!(
        refusal(&mut begun(&fake.section()))
            .contains("nvdisasm ended without an answer: Cannot decode architecture SM121")
    );
    // Without the second listing, only the counts of live registers are missing.
    fake.write("nvdisasm", "CUDA disassembler", "case \"$*\" in *life-range*) exit 1 ;; esac\ncat \"$FAKE/lines\"");
    let answer = sass(&mut begun(&fake.section()), json!({ "uri": URI, "instructions": true }));
    assert!(answer["notes"][0].as_str().unwrap().starts_with("live registers are unknown: "), "{answer}");
    assert_eq!((&answer["instructions"][3]["live"], &answer["instructions"][3]["line"]), (&Value::Null, &json!(29)));
    // A listing without lines is shown, with a note.
    fake.write("nvdisasm", "CUDA disassembler", "grep -v 'File' \"$FAKE/lines\"");
    let answer = sass(&mut begun(&fake.section()), json!({ "uri": URI }));
    assert!(answer["notes"].to_string().contains("names no lines of the module"), "{}", answer["notes"]);
    assert_eq!((&answer["functions"][0]["instructions"], &answer["ptx"]), (&json!(32), &json!([])));
    // The message names the limit that is set, not the rest that ptxas left of it.
    fake.write("nvdisasm", "CUDA disassembler", "exec sleep 1000");
    let mut section = fake.section();
    section["ptxas"]["timeout"] = json!(2);
    assert!(refusal(&mut begun(&section)).contains("nvdisasm did not end within 2 s"));
    fake.write("nvdisasm", "CUDA disassembler", "exec cat /dev/zero");
    assert!(refusal(&mut begun(&fake.section())).contains("nvdisasm printed more than 128 MiB"));
}

#[test]
fn nothing_is_run_unasked() {
    let fake = Fake::printing();
    let section = fake.section();
    assert!(refusal(&mut begun(&json!({ "ptxas": section["ptxas"] }))).contains("no nvdisasm is configured"));
    assert!(refusal(&mut begun(&json!({ "nvdisasm": section["nvdisasm"] }))).contains("no ptxas is configured"));
    // Settings that a project may have written do not count.
    let mut client = begun(&json!({ "ptxas": section["ptxas"] }));
    client.notify("workspace/didChangeConfiguration", json!({ "settings": { "ptx-analyzer": section } }));
    assert!(refusal(&mut client).contains("`ptx-analyzer.nvdisasm.path` was sent as configuration"));
    let options = json!({ "ptx-analyzer": section });
    let mut client = begun_with(json!({ "capabilities": {}, "initializationOptions": options }));
    assert!(refusal(&mut client).contains("does not say that it trusts"));
    // Only the disassembler belongs to the project.
    let elsewhere = Fake::printing();
    let folder = json!([{ "uri": file_uri(fake.folder.path()), "name": "project" }]);
    let mixed = json!({ "ptxas": elsewhere.section()["ptxas"], "nvdisasm": section["nvdisasm"] });
    let options = json!({ "ptx-analyzer": mixed, "workspaceTrusted": true });
    let params = json!({ "capabilities": {}, "initializationOptions": options, "workspaceFolders": folder });
    assert!(
        refusal(&mut begun_with(params))
            .contains("that belongs to a project is not run: name the path of another nvdisasm")
    );
    let mut client = begun(&json!({ "ptxas": section["ptxas"], "nvdisasm": { "path": "nvdisasm" } }));
    let message = client.wait("a message", |m| m["method"] == "window/showMessage");
    assert!(message["params"]["message"].as_str().unwrap().contains("`nvdisasm` is not an absolute path"), "{message}");
    assert!(refusal(&mut client).contains("is never looked for"));
    // Another program, also the assembler.
    for path in [Path::new("/bin/sh"), &fake.file("ptxas")] {
        let mut client = begun(&json!({ "ptxas": section["ptxas"], "nvdisasm": { "path": path } }));
        assert!(refusal(&mut client).contains("is not nvdisasm: asked for its version"));
    }
    assert_eq!((fake.calls(), elsewhere.calls()), (Vec::new(), Vec::new()));
}

#[test]
fn a_cancelled_request_ends_both_listings() {
    let fake = Fake::new(&assembling(), "echo $$ >\"$FAKE/pid-$2\"; exec sleep 1000");
    let mut client = begun(&fake.section());
    let id = ask(&mut client, json!({ "uri": URI }));
    let begin = Instant::now();
    let number = |name: &str| loop {
        match std::fs::read_to_string(fake.file(name)) {
            Ok(text) if text.ends_with('\n') => return text.trim().to_owned(),
            _ => assert!(begin.elapsed() < Duration::from_secs(60), "no {name}"),
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let numbers = [number("pid---print-line-info-ptx"), number("pid---print-life-ranges")];
    client.notify("$/cancelRequest", json!({ "id": id }));
    assert_eq!(client.answer(id)["error"]["code"], -32800);
    let lives = |number: &String| {
        let state = std::fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
        !state.is_empty() && !state.contains(") Z")
    };
    while numbers.iter().any(lives) {
        assert!(begin.elapsed() < Duration::from_secs(60), "they still run");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn as_an_action_and_a_document() {
    let fake = Fake::printing();
    let literal = json!({ "codeActionLiteralSupport": { "codeActionKind": { "valueSet": [] } } });
    let capabilities =
        json!({ "textDocument": { "codeAction": literal }, "window": { "showDocument": { "support": true } } });
    let options = json!({ "ptx-analyzer": fake.section(), "workspaceTrusted": true });
    let mut client = begun_with(json!({ "capabilities": capabilities, "initializationOptions": options }));
    let params = json!({ "textDocument": { "uri": URI }, "range": { "start": at(7, 3), "end": at(7, 3) }, "context": { "diagnostics": [] } });
    let found = client.call("textDocument/codeAction", params);
    let action = found.as_array().unwrap().iter().find(|a| a["kind"] == "source.sass.ptx-analyzer").cloned().unwrap();
    assert_eq!(action["title"], "Show the machine code of `saxpy`");
    client.request(
        "workspace/executeCommand",
        json!({ "command": action["command"]["command"], "arguments": action["command"]["arguments"] }),
    );
    let shown = client.wait("a document", |m| m["method"] == "window/showDocument");
    let path = shown["params"]["uri"].as_str().unwrap().strip_prefix("file://").unwrap().to_owned();
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(
        text.starts_with("// SASS for sm_80 by ptxas 13.5.37")
            && text.contains("  0050    31    2      1        @P0 EXIT\n"),
        "{text}"
    );
}

#[test]
fn the_source_of_a_line() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.cu"), "__global__ void k() {}\n").unwrap();
    let text = ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry j()\n{\n    .loc 1 9 1\n    ret;\n}\n.visible .entry k()\n{\n    \
                bar.sync 0;\n    .loc 1 3 7\n    bar.sync 0;\n\n    ret;\n    .loc 2 1 1\n    ret;\n}\n.file 1 \"a.cu\"\n.file 2 \"none.cu\"\n";
    let mut client = server();
    client.begin(json!({ "capabilities": {} }));
    let uri = file_uri(&folder.path().join("k.ptx"));
    client.open(&uri, 1, text);
    let mut of = |line: u32| client.execute("ptx-analyzer.sourceOf", json!({ "uri": uri, "line": line }));
    let found = of(15);
    assert!(found["uri"].as_str().unwrap().ends_with("/a.cu"), "{found}");
    assert_eq!((&found["line"], &found["column"]), (&json!(3), &json!(7)));
    // Above the first `.loc` of its function; a file that does not exist.
    assert_eq!((of(11), of(17)), (Value::Null, Value::Null));
    assert_eq!(of(7)["line"], 9);
}

#[test]
fn on_the_command_line() {
    let fake = Fake::printing();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("saxpy.ptx"), SAXPY).unwrap();
    let (ptxas, nvdisasm) = (fake.file("ptxas"), fake.file("nvdisasm"));
    let tools = ["--ptxas", ptxas.to_str().unwrap(), "--nvdisasm", nvdisasm.to_str().unwrap()];
    let run = |arguments: &[&str]| {
        let output = run_with(folder.path(), &[&["sass"], arguments].concat(), b"");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    };
    let (status, out, err) = run(&[&["saxpy.ptx"], &tools[..]].concat());
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(out.contains("\nsaxpy:\n// 14 registers, spills: 8 bytes stored, 12 bytes loaded, "), "{out}");
    let (status, out, _) =
        run(&[&["--format", "json", "--kernel", "saxpy", "--ptxas-option=-O1", "."], &tools[..]].concat());
    let answer: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((status, &answer["file"], &answer["arguments"]), (0, &json!("./saxpy.ptx"), &json!(["-O1"])));
    assert_eq!(answer["instructions"].as_array().unwrap().len(), 32);
    assert!(fake.calls().iter().any(|c| c.contains("-O1") && c.contains("--entry saxpy")), "{:?}", fake.calls());
    fake.write("ptxas", "Ptx optimizing assembler", "echo 'ptxas saxpy.ptx, line 5; error   : odd'; exit 1");
    let (status, out, err) = run(&[&["saxpy.ptx"], &tools[..]].concat());
    assert_eq!((status, out.as_str(), err.as_str()), (1, "", "saxpy.ptx:5: ptxas refuses the module: odd\n"));
    let (status, _, err) = run(&["saxpy.ptx", "--ptxas", "ptxas", "--nvdisasm", tools[3]]);
    assert!(status == 2 && err.contains("is not an absolute path"), "{err}");
    let (status, _, err) = run(&[&["saxpy.ptx", "--ptxas-option=-o"], &tools[..]].concat());
    assert!(status == 2 && err.contains("`-o` is not accepted"), "{err}");
}

/// With the real programs: `CUDA_BIN` names the folder that holds them.
#[test]
fn with_the_real_programs() {
    let Ok(folder) = std::env::var("CUDA_BIN") else { return };
    let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/kernels");
    let (ptxas, nvdisasm) = (format!("{folder}/ptxas"), format!("{folder}/nvdisasm"));
    let arguments = ["sass", "--ptxas", &ptxas, "--nvdisasm", &nvdisasm, "--format", "json", "."];
    let output = run_with(&kernels, &arguments, b"");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let mut files = 0;
    for line in String::from_utf8(output.stdout).unwrap().lines() {
        let answer: Value = serde_json::from_str(line).unwrap();
        let instructions = answer["instructions"].as_array().unwrap();
        let tied = instructions.iter().filter(|i| !i["line"].is_null()).count();
        assert!(!instructions.is_empty() && tied * 10 >= instructions.len() * 9, "{}: {tied}", answer["file"]);
        let live = instructions.iter().filter(|i| !i["live"].is_null()).count();
        assert!(live * 10 >= instructions.len() * 9, "{}: {live} live", answer["file"]);
        files += 1;
    }
    assert!(files > 20, "{files}");
}
