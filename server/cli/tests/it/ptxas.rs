//! The comparison with NVIDIA's assembler. The assembler in these tests is a script that prints recorded output of the
//! real one.

#![cfg(unix)]

use crate::client::Client;
use crate::protocol::{at, file_uri, server};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const URI: &str = "file:///kernel.ptx";

const TEXT: &str = "\
.version 7.8
.target sm_80
.address_size 64
.visible .entry one(.param .u64 p)
{
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [p];
    st.global.u64 [%rd1], %rd1;
    ret;
}
.visible .entry two() { ret; }
";

const VERSION: &str = "\
ptxas: NVIDIA (R) Ptx optimizing assembler
Copyright (c) 2005-2026 NVIDIA Corporation
Built on Mon_Oct_12_19:25:48_PDT_2026
Cuda compilation tools, release 13.5, V13.5.37
Build cuda_13.5.r13.5/compiler.39125733_0";

const FIGURES: &str = "\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'two' for 'sm_80'
ptxas info    : Function properties for two
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 4 registers, used 0 barriers, 352 bytes cmem[0]
ptxas info    : Compile time = 1.640 ms
ptxas info    : Compiling entry function 'one' for 'sm_80'
ptxas info    : Function properties for one
    16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 10 registers, used 1 barriers, 16 bytes cumulative stack size, 1024 bytes smem, 360 bytes cmem[0]";

/// A fake assembler: it prints its version, and then executes a script. It records its calls with their arguments in
/// `calls`.
struct Fake {
    folder: TempDir,
}

impl Fake {
    fn new(script: &str) -> Self {
        let fake = Self { folder: tempfile::tempdir().unwrap() };
        fake.write(script);
        fake
    }

    fn write(&self, script: &str) {
        let calls = self.file("calls");
        let text = format!(
            "#!/bin/sh\nif [ \"$*\" = --version ]; then\ncat <<'END'\n{VERSION}\nEND\nexit 0\nfi\necho \"$PWD $*\" >>'{}'\n{script}\n",
            calls.display()
        );
        // A file that is open for writing cannot be executed, and another test may inherit its descriptor. So write a
        // new file and rename it.
        let new = self.file("new");
        std::fs::write(&new, text).unwrap();
        std::fs::set_permissions(&new, std::fs::Permissions::from_mode(0o755)).unwrap();
        std::fs::rename(new, self.file("ptxas")).unwrap();
    }

    fn printing(output: &str) -> Self {
        Self::new(&format!("cat >&2 <<'END'\n{output}\nEND"))
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn calls(&self) -> Vec<String> {
        let calls = std::fs::read_to_string(self.file("calls")).unwrap_or_default();
        calls.lines().map(str::to_owned).collect()
    }

    fn waits_for(&self, name: &str) -> String {
        let begin = Instant::now();
        loop {
            match std::fs::read_to_string(self.file(name)) {
                Ok(text) if text.ends_with('\n') => return text.trim().to_owned(),
                _ => assert!(begin.elapsed() < Duration::from_secs(60), "no {name}"),
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn settings(&self) -> Value {
        json!({ "path": self.file("ptxas") })
    }
}

fn begun_with(params: Value) -> Client {
    let mut client = server();
    client.begin(params);
    client.open(URI, 1, TEXT);
    client
}

fn begun(settings: &Value) -> Client {
    let options = json!({ "ptx-analyzer": { "ptxas": settings }, "workspaceTrusted": true });
    begun_with(json!({ "capabilities": {}, "initializationOptions": options }))
}

fn ask(client: &mut Client, argument: Value) -> i64 {
    let params = json!({ "command": "ptx-analyzer.compareRegisters", "arguments": [argument] });
    client.request("workspace/executeCommand", params)
}

fn refusal(client: &mut Client) -> String {
    let id = ask(client, json!({ "uri": URI }));
    let answer = client.answer(id);
    assert_eq!(answer["error"]["code"], -32803, "{answer}");
    answer["error"]["message"].as_str().unwrap().to_owned()
}

fn compare(client: &mut Client, argument: Value) -> Value {
    client.execute("ptx-analyzer.compareRegisters", argument)
}

/// Whether a process is still alive.
fn lives(number: &str) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
    !state.is_empty() && !state.contains(") Z")
}

fn dies(number: &str) {
    let begin = Instant::now();
    while lives(number) {
        // On a busy machine a process that was killed may wait long for its last turn.
        assert!(begin.elapsed() < Duration::from_secs(120), "it still runs");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn figures_beside_estimates() {
    let fake = Fake::printing(FIGURES);
    let mut settings = fake.settings();
    settings["arguments"] = json!(["-O1"]);
    let mut client = begun(&settings);
    let answer = compare(&mut client, json!({ "uri": URI }));
    let one = &answer["functions"][0];
    assert_eq!((&one["name"], &one["line"], &one["kernel"]), (&json!("one"), &json!(4), &json!(true)));
    assert_eq!(
        (&one["registers"], &one["stack"], &one["shared"], &one["barriers"]),
        (&json!(10), &json!(16), &json!(1024), &json!(1))
    );
    assert_eq!((&one["spill_stores"], &one["spill_loads"]), (&json!(8), &json!(12)));
    let estimate = one["estimate"].as_i64().unwrap();
    assert_eq!(one["difference"], 10 - estimate);
    assert_eq!((&answer["functions"][1]["name"], &answer["functions"][1]["registers"]), (&json!("two"), &json!(4)));
    assert_eq!((&answer["target"], &answer["assembler"]["version"]), (&json!("sm_80"), &json!("13.5.37")));
    assert_eq!((&answer["errors"], &answer["remembered"]), (&json!([]), &json!(false)));
    assert!(answer["markdown"].as_str().unwrap().contains("| `one`"), "{answer}");
    // The assembler ran in its own temporary folder, which is deleted.
    let call = fake.calls().pop().unwrap();
    let (folder, arguments) = call.split_once(' ').unwrap();
    assert_eq!(arguments, "-O1 --verbose --gpu-name sm_80 --output-file module.o module.ptx");
    assert!(!Path::new(folder).exists() && folder.contains("ptx-analyzer-"), "{folder}");
    // The same text is not assembled again, not even for a single kernel.
    assert_eq!(compare(&mut client, json!(URI))["remembered"], true);
    assert_eq!(client.others().iter().filter(|m| m["method"] == "window/showMessage").count(), 0);
    client.call("workspace/executeCommand", json!({ "command": "ptx-analyzer.compareRegisters" }));
    client.wait("a message", |m| m["method"] == "window/showMessage");
    let two = compare(&mut client, json!({ "entry": "two" }));
    assert_eq!(
        (&two["functions"][0]["name"], &two["functions"][1], &two["remembered"]),
        (&json!("two"), &Value::Null, &json!(true))
    );
    assert_eq!(fake.calls().len(), 1);
    let status = client.execute("ptx-analyzer.serverStatus", Value::Null);
    assert_eq!((&status["documents"][0]["measured"], &status["ptxas"]["version"]), (&json!(2), &json!("13.5.37")));
    // A changed text is assembled again: for one kernel only that kernel, and separately for each target.
    client.change(URI, 2, json!([{ "range": { "start": at(8, 4), "end": at(8, 7) }, "text": "exit" }]));
    compare(&mut client, json!({ "uri": URI, "entry": "two" }));
    assert!(fake.calls()[1].contains("--entry two"), "{:?}", fake.calls());
    let status = client.execute("ptx-analyzer.serverStatus", Value::Null);
    assert_eq!(status["documents"][0]["measured"], 2);
    compare(&mut client, json!({ "uri": URI, "target": "sm_90" }));
    assert!(fake.calls()[2].contains("--gpu-name sm_90"), "{:?}", fake.calls());
    // The same applies after the assembler has changed.
    std::thread::sleep(Duration::from_millis(20));
    fake.write("echo 'ptxas fatal   : no more'; exit 1");
    let answer = compare(&mut client, json!({ "uri": URI, "entry": "two" }));
    assert_eq!(answer["errors"], json!([{ "line": null, "severity": "error", "message": "no more" }]));
    for wrong in
        [json!({ "uri": URI, "entry": "three" }), json!({ "uri": URI, "target": "sm_9000" }), json!({ "uri": 1 })]
    {
        let id = ask(&mut client, wrong);
        assert_eq!(client.answer(id)["error"]["code"], -32602);
    }
}

#[test]
fn errors_have_lines() {
    let fake = Fake::new(
        "echo \"ptxas module.ptx, line 8; error   : Unknown modifier '.u33'\" >&2
         echo 'ptxas fatal   : Ptx assembly aborted due to errors' >&2
         exit 255",
    );
    let mut client = begun(&fake.settings());
    let answer = compare(&mut client, json!({ "uri": URI, "show": true }));
    let meaning = ptx_ide::tool_meaning("Unknown modifier '.u33'");
    assert_eq!(
        answer["errors"],
        json!([{ "line": 8, "severity": "error", "message": "Unknown modifier '.u33'", "meaning": meaning }])
    );
    assert_eq!(answer["functions"][0]["registers"], Value::Null);
    let message = client.wait("a message", |m| m["method"] == "window/showMessage");
    assert_eq!(message["params"]["message"], "ptxas refuses the module on line 8: Unknown modifier '.u33'");
}

#[test]
fn targets_and_functions_it_has_not_got() {
    let fake = Fake::new(
        "case \"$*\" in
         *--help*) echo \"Allowed values: 'compute_75','sm_75','sm_80',\" ;;
         *sm_50*|*sm_100*) echo \"ptxas fatal   : Value '${4}' is not defined for option 'gpu-name'\"; exit 255 ;;
         *--compile-only*) echo \"ptxas info    : Compiling entry function 'one' for 'sm_75'\"; echo 'ptxas info    : Used 24 registers' ;;
         *) echo \"ptxas fatal   : Unresolved extern function 'outside'\"; exit 255 ;;
         esac",
    );
    let mut client = begun(&fake.settings());
    client.change(URI, 2, json!([{ "text": TEXT.replace("sm_80", "sm_50") }]));
    let answer = compare(&mut client, json!({ "uri": URI }));
    assert_eq!((&answer["target"], &answer["functions"][0]["registers"]), (&json!("sm_75"), &json!(24)));
    // The amount of shared memory is unknown until the module is linked.
    assert_eq!(answer["functions"][0]["shared"], Value::Null);
    let notes = answer["notes"].to_string();
    assert!(notes.contains("no longer generates code for sm_50") && notes.contains("`outside`"), "{notes}");
    client.change(URI, 3, json!([{ "text": TEXT.replace("sm_80", "sm_100a") }]));
    let said = refusal(&mut client);
    assert!(said.contains("no code for sm_100a; it knows sm_75 sm_80"), "{said}");
}

#[test]
fn nothing_is_run_unasked() {
    let fake = Fake::printing(FIGURES);
    // Without settings.
    let mut client = begun_with(json!({ "capabilities": {} }));
    assert!(refusal(&mut client).contains("no ptxas is configured"));
    client.request("workspace/executeCommand", json!({ "command": "ptx-analyzer.compareRegisters" }));
    let message = client.wait("a message", |m| m["method"] == "window/showMessage");
    assert!(message["params"]["message"].as_str().unwrap().contains("no ptxas is configured"), "{message}");
    // Workspace settings are ignored, no matter how they are sent.
    let section = json!({ "ptx-analyzer": { "ptxas": fake.settings() }, "workspaceTrusted": true });
    client.notify("workspace/didChangeConfiguration", json!({ "settings": section }));
    assert!(refusal(&mut client).contains("a project could have set it"));
    let mut client = server();
    let folder = json!([{ "uri": "file:///project", "name": "project" }]);
    client.begin(json!({ "capabilities": { "workspace": { "configuration": true } }, "workspaceFolders": folder }));
    client.open(URI, 1, TEXT);
    let question = client.wait("a question", |m| m["method"] == "workspace/configuration");
    assert_eq!(question["params"]["items"].as_array().unwrap().len(), 2);
    let answer = json!([section["ptx-analyzer"], section["ptx-analyzer"]]);
    client.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": answer }));
    let begin = Instant::now();
    while !refusal(&mut client).contains("a project could have set it") {
        assert!(begin.elapsed() < Duration::from_secs(20), "{}", refusal(&mut client));
    }
    // So are initialization options of a client that does not say whether the workspace is trusted.
    let options = json!({ "ptx-analyzer": section["ptx-analyzer"] });
    let mut client = begun_with(json!({ "capabilities": {}, "initializationOptions": options }));
    assert!(refusal(&mut client).contains("does not say that it trusts"));
    // So is a file of the project.
    let folder = json!([{ "uri": file_uri(fake.folder.path()), "name": "project" }]);
    let params = json!({ "capabilities": {}, "initializationOptions": section, "workspaceFolders": folder });
    assert!(refusal(&mut begun_with(params)).contains("that belongs to a project is not run"));
    assert_eq!(fake.calls(), [] as [&str; 0]);
    let mut client = begun(&fake.settings());
    compare(&mut client, json!({ "uri": URI }));
    assert_eq!(fake.calls().len(), 1);
}

#[test]
fn what_is_no_assembler() {
    let fake = Fake::printing(FIGURES);
    let with = |path: &Path| refusal(&mut begun(&json!({ "path": path })));
    assert!(with(&fake.file("none")).contains("cannot be run"));
    assert!(with(fake.folder.path()).contains("it is not a regular file"));
    std::fs::write(fake.file("plain"), "").unwrap();
    assert!(with(&fake.file("plain")).contains("it is not executable"));
    assert!(with(Path::new("/bin/sh")).contains("is not ptxas: asked for its version"));
    // The user learns of an invalid path immediately.
    let mut client = begun(&json!({ "path": "ptxas" }));
    let message = client.wait("a message", |m| m["method"] == "window/showMessage");
    assert!(message["params"]["message"].as_str().unwrap().contains("`ptxas` is not an absolute path"), "{message}");
    assert!(refusal(&mut client).contains("is never looked for"));
    let mut settings = fake.settings();
    settings["arguments"] = json!(["-o", "/tmp/x"]);
    assert!(refusal(&mut begun(&settings)).contains("`-o` is not accepted"));
    fake.write("exit 3");
    assert!(refusal(&mut begun(&fake.settings())).contains("ended without an answer"));
    assert_eq!(fake.calls().len(), 1);
}

#[test]
fn what_hangs_is_killed() {
    let fake = Fake::new("");
    fake.write(&format!("sleep 1000 & echo $! >'{}'; wait", fake.file("number").display()));
    let mut settings = fake.settings();
    settings["timeout"] = json!(1);
    assert!(refusal(&mut begun(&settings)).contains("did not end within 1 s"));
    dies(&fake.waits_for("number"));
    // One request is cancelled, and another waits for its turn meanwhile.
    std::fs::remove_file(fake.file("number")).unwrap();
    let mut client = begun(&fake.settings());
    let first = ask(&mut client, json!({ "uri": URI }));
    let number = fake.waits_for("number");
    let second = ask(&mut client, json!({ "uri": URI, "target": "sm_90" }));
    client.notify("$/cancelRequest", json!({ "id": second }));
    assert_eq!(client.answer(second)["error"]["code"], -32800);
    assert!(lives(&number));
    // The server handles other requests meanwhile.
    assert!(
        !client.call("textDocument/hover", json!({ "textDocument": { "uri": URI }, "position": at(8, 5) })).is_null()
    );
    client.notify("$/cancelRequest", json!({ "id": first }));
    assert_eq!(client.answer(first)["error"]["code"], -32800);
    dies(&number);
    assert_eq!(fake.calls().len(), 2);
    // The assembler ends with the server, whether the end is orderly or not.
    for end in ["exit", "end of input", "signal"] {
        std::fs::remove_file(fake.file("number")).unwrap();
        let mut client = begun(&fake.settings());
        ask(&mut client, json!({ "uri": URI }));
        let number = fake.waits_for("number");
        let folder = fake.calls().pop().unwrap().split(' ').next().unwrap().to_owned();
        assert!(Path::new(&folder).exists());
        match end {
            "exit" => {
                client.call("shutdown", Value::Null);
                client.notify("exit", Value::Null);
            }
            "end of input" => client.hang_up(),
            _ => {
                let kill = Command::new("kill").arg(client.child.id().to_string()).status();
                assert!(kill.unwrap().success());
            }
        }
        assert!(client.ended(Duration::from_secs(20)).is_some());
        dies(&number);
        assert!(!Path::new(&folder).exists(), "{folder}");
    }
}

/// Nothing runs in a process that is killed, so a second process ends the assembler, and the next server removes its folder.
#[test]
#[cfg(target_os = "linux")]
fn a_killed_server_leaves_nothing() {
    let fake = Fake::new("");
    // The assembler, a process that it started, and one whose parent has ended.
    fake.write(&format!(
        "(sleep 1000 & echo $! >'{}'); sleep 1000 & echo $$ $! >'{}'; wait",
        fake.file("orphan").display(),
        fake.file("number").display()
    ));
    let temporary = tempfile::tempdir().unwrap();
    let begun = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ptx-analyzer"));
        let mut client = Client::start(command.env("TMPDIR", temporary.path()).env_remove("PTX_ANALYZER_LOG"));
        let options = json!({ "ptx-analyzer": { "ptxas": fake.settings() }, "workspaceTrusted": true });
        client.begin(json!({ "capabilities": {}, "initializationOptions": options }));
        client.open(URI, 1, TEXT);
        client
    };
    let mut client = begun();
    ask(&mut client, json!({ "uri": URI }));
    let numbers = format!("{} {}", fake.waits_for("number"), fake.waits_for("orphan"));
    let folder = fake.calls().pop().unwrap().split(' ').next().unwrap().to_owned();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(Path::new(&folder)), 0o700);
    for entry in std::fs::read_dir(&folder).unwrap() {
        assert_eq!(mode(&entry.unwrap().path()), 0o600);
    }
    assert!(numbers.split(' ').all(lives));
    client.child.kill().unwrap();
    client.child.wait().unwrap();
    numbers.split(' ').for_each(dies);
    assert!(Path::new(&folder).exists());
    // Another server of the same user, whose own folder stays.
    for name in ["number", "orphan"] {
        std::fs::remove_file(fake.file(name)).unwrap();
    }
    let mut second = begun();
    ask(&mut second, json!({ "uri": URI }));
    fake.waits_for("number");
    let begin = Instant::now();
    while Path::new(&folder).exists() {
        assert!(begin.elapsed() < Duration::from_secs(20), "{folder} is still there");
        std::thread::sleep(Duration::from_millis(5));
    }
    let own = fake.calls().pop().unwrap().split(' ').next().unwrap().to_owned();
    let mut third = begun();
    third.call("textDocument/hover", json!({ "textDocument": { "uri": URI }, "position": at(8, 5) }));
    std::thread::sleep(Duration::from_millis(200));
    assert!(Path::new(&own).exists(), "{own}");
}

/// Arguments, environment, folder, exit status and signals are those of a program without a second process.
#[test]
fn a_program_notices_no_supervisor() {
    let fake = Fake::new("kill -SEGV $$");
    assert!(refusal(&mut begun(&fake.settings())).contains("signal: 11"));
    fake.write("exit 7");
    assert!(refusal(&mut begun(&fake.settings())).contains("exit status: 7"));
    fake.write(
        "read line && echo there >&2; [ \"$TMPDIR\" = \"$PWD\" ] || exit 5; [ -s module.ptx ] || exit 6; exit 9",
    );
    assert!(refusal(&mut begun(&fake.settings())).contains("exit status: 9; it said nothing"));
    // It is executable, but not a program of this machine.
    std::fs::write(fake.file("new"), [0x7f, b'E', b'L', b'F', 0]).unwrap();
    std::fs::set_permissions(fake.file("new"), std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::rename(fake.file("new"), fake.file("ptxas")).unwrap();
    assert!(refusal(&mut begun(&fake.settings())).contains("cannot be run: Exec format error"));
}

#[test]
fn what_floods_is_killed() {
    let fake = Fake::new("exec cat /dev/zero");
    assert!(refusal(&mut begun(&fake.settings())).contains("printed more than 16 MiB"));
}

#[test]
fn one_at_a_time() {
    let fake = Fake::new("");
    let (busy, twice) = (fake.file("busy"), fake.file("twice"));
    fake.write(&format!(
        "mkdir '{0}' || touch '{1}'\nsleep 0.2\nrmdir '{0}'\ncat <<'END'\n{FIGURES}\nEND",
        busy.display(),
        twice.display()
    ));
    let mut client = begun(&fake.settings());
    let targets = ["sm_80", "sm_86", "sm_89", "sm_90", "sm_80"];
    let asked: Vec<i64> = targets.iter().map(|t| ask(&mut client, json!({ "uri": URI, "target": t }))).collect();
    let answers: Vec<Value> = asked.into_iter().map(|id| client.answer(id)["result"].clone()).collect();
    let got: Vec<&str> = answers.iter().filter_map(|a| a["target"].as_str()).collect();
    assert_eq!(got, targets);
    assert!(!twice.exists());
    // Of the requests for the same text, one is answered from the cache, whichever came first.
    let remembered = answers.iter().filter(|a| a["remembered"] == true).count();
    assert_eq!((fake.calls().len(), remembered), (4, 1));
}

#[test]
fn what_is_known_does_not_wait() {
    let fake = Fake::new("");
    let number = fake.file("number");
    fake.write(&format!(
        "case \"$*\" in *sm_90*) echo $$ >'{}'; exec sleep 1000 ;; esac\ncat <<'END'\n{FIGURES}\nEND",
        number.display()
    ));
    let mut client = begun(&fake.settings());
    compare(&mut client, json!({ "uri": URI }));
    let long = ask(&mut client, json!({ "uri": URI, "target": "sm_90" }));
    let number = fake.waits_for("number");
    assert_eq!(compare(&mut client, json!({ "uri": URI }))["remembered"], true);
    assert!(lives(&number));
    client.notify("$/cancelRequest", json!({ "id": long }));
    assert_eq!(client.answer(long)["error"]["code"], -32800);
    dies(&number);
}

#[test]
fn as_an_action() {
    let fake = Fake::printing(FIGURES);
    let literal = json!({ "codeActionLiteralSupport": { "codeActionKind": { "valueSet": [] } } });
    let capabilities = json!({ "textDocument": { "codeAction": literal } });
    let actions = |options: Value, line: u32| {
        let mut client = begun_with(json!({ "capabilities": capabilities, "initializationOptions": options }));
        let params = json!({ "textDocument": { "uri": URI }, "range": { "start": at(line, 3), "end": at(line, 3) }, "context": { "diagnostics": [] } });
        let found = client.call("textDocument/codeAction", params);
        let found =
            found.as_array().unwrap().iter().find(|a| a["kind"] == "source.compareRegisters.ptx-analyzer").cloned();
        (client, found)
    };
    let options = json!({ "ptx-analyzer": { "ptxas": fake.settings() }, "workspaceTrusted": true });
    assert_eq!(actions(json!({}), 3).1, None);
    assert_eq!(actions(options.clone(), 6).1, None);
    let (mut client, action) = actions(options, 3);
    let command = action.unwrap()["command"].clone();
    client
        .call("workspace/executeCommand", json!({ "command": command["command"], "arguments": command["arguments"] }));
    let message = client.wait("a message", |m| m["method"] == "window/showMessage");
    let said = message["params"]["message"].as_str().unwrap();
    assert!(
        said.starts_with("one: 10 registers (estimated ")
            && said.ends_with(", 20 bytes spilled – ptxas 13.5 for sm_80"),
        "{said}"
    );
}

#[test]
fn lenses_tell_what_was_measured_while_it_holds() {
    let fake = Fake::printing(FIGURES);
    let mut client = begun(&fake.settings());
    let titles = |client: &mut Client| -> Vec<String> {
        let lenses = client.call("textDocument/codeLens", json!({ "textDocument": { "uri": URI } }));
        let resolved = |client: &mut Client, lens: &Value| match lens["command"].is_null() {
            true => client.call("codeLens/resolve", lens.clone()),
            false => lens.clone(),
        };
        let all = lenses.as_array().unwrap().iter().map(|lens| resolved(client, lens));
        let titles = all.map(|lens| lens["command"]["title"].as_str().unwrap().to_owned());
        titles.filter(|title| title != "Evaluate warp").collect()
    };
    assert!(titles(&mut client).iter().all(|t| t.starts_with("≈ ") && !t.contains("ptxas")));
    client.execute("ptx-analyzer.compareRegisters", json!({ "uri": URI }));
    let [one, two] = &titles(&mut client)[..] else { panic!("two lenses") };
    assert!(
        one.starts_with("10 registers by ptxas, 20 bytes spilled · ") && two.starts_with("4 registers by ptxas · "),
        "{one}; {two}"
    );
    client.change(URI, 2, json!([{ "text": TEXT.replace("[%rd1], %rd1", "[%rd1+8], %rd1") }]));
    let [one, two] = &titles(&mut client)[..] else { panic!("two lenses") };
    assert!(one.starts_with("≈ ") && two.starts_with("4 registers by ptxas · "), "{one}; {two}");
}
