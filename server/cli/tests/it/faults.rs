//! Failures around the server: clients that stop reading or die, pipes that fill up, full disks, oversized messages.

use crate::client::{Client, framing};
use crate::protocol::{at, codes, server};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const URI: &str = "file:///kernel.ptx";
const HEAD: &str = ".version 8.0\n.target sm_80\n.address_size 64\n";
const KERNEL: &str = ".visible .entry k()\n{\n    ret;\n}\n";

/// A process that is asked to end does so within a second. The limit is higher, because the machine may be busy; a
/// process that waits for a missing event would wait forever.
const SOON: Duration = Duration::from_secs(3);

fn binary() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptx-analyzer"));
    command.env_remove("PTX_ANALYZER_LOG");
    command
}

fn begun() -> Client {
    let mut client = server();
    client.begin(json!({ "capabilities": {} }));
    client
}

fn bad() -> String {
    format!("{HEAD}{}", KERNEL.replace("ret;", "bad.u32 %r1;"))
}

/// A kernel that runs until it is stopped.
fn endless() -> String {
    let body = "    .reg .b32 %r<2>;\n    mov.b32 %r1, 0;\n$L:\n    add.u32 %r1, %r1, 1;\n    bra $L;\n";
    format!("{HEAD}//! launch: grid=64 block=128\n{}", KERNEL.replace("    ret;\n", body))
}

/// A module that takes long to parse and check.
fn long(kernels: usize) -> String {
    let line = "    add.u32 %r1, %r2, %r3;\n";
    let body = format!("    .reg .b32 %r<9>;\n{}    ret;\n", line.repeat(500));
    let kernel = |i: usize| KERNEL.replace("k()", &format!("k{i}()")).replace("    ret;\n", &body);
    format!("{HEAD}{}", (0..kernels).map(kernel).collect::<String>())
}

fn assert_ends(child: &mut Child, what: &str) {
    let begin = Instant::now();
    while begin.elapsed() < SOON {
        if child.try_wait().unwrap().is_some() {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let _ = child.kill();
    let _ = child.wait();
    panic!("{what}: it has not ended after {SOON:?}");
}

fn framed(message: &Value) -> Vec<u8> {
    framing::framed(message.to_string().as_bytes())
}

fn request(id: impl serde::Serialize, method: &str, params: &Value) -> Vec<u8> {
    framed(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
}

/// The ways in which a client leaves.
#[derive(Debug, Clone, Copy)]
enum Leave {
    HangUp,
    Exit,
    #[cfg(unix)]
    Terminate,
}

const LEAVES: &[Leave] = &[
    Leave::HangUp,
    Leave::Exit,
    #[cfg(unix)]
    Leave::Terminate,
];

#[cfg(unix)]
fn terminate(child: &Child) {
    assert!(Command::new("kill").arg(child.id().to_string()).status().unwrap().success());
}

/// The operations that a client requests, by name.
type Works<'a> = [(&'a str, &'a dyn Fn(&mut Client)); 3];

#[test]
fn the_end_waits_for_no_work() {
    let (text, shorter) = (long(250), long(50));
    let parsing = |client: &mut Client| client.open(URI, 1, &text);
    let evaluating = |client: &mut Client| {
        client.open(URI, 1, &endless());
        client.diagnostics(URI, 1);
        let command = json!({ "command": "ptx-analyzer.evaluateWarp", "arguments": [{ "uri": URI }] });
        client.request("workspace/executeCommand", command);
        std::thread::sleep(Duration::from_millis(100));
    };
    let changing = |client: &mut Client| {
        client.open(URI, 1, &shorter);
        // Send complete texts; the server compares each with the previous one.
        for version in 2..12 {
            client.change(URI, version, json!([{ "text": format!("{shorter}// {version}") }]));
        }
    };
    let works: Works<'_> = [("parsing", &parsing), ("evaluating", &evaluating), ("changing", &changing)];
    for (name, work) in works {
        for leave in LEAVES {
            let mut client = begun();
            work(&mut client);
            match leave {
                Leave::HangUp => client.hang_up(),
                Leave::Exit => client.notify("exit", Value::Null),
                #[cfg(unix)]
                Leave::Terminate => terminate(&client.child),
            }
            assert_ends(&mut client.child, &format!("{name}, {leave:?}"));
        }
    }
}

/// A server whose output is never read.
fn unread(command: &mut Command) -> Child {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
}

#[test]
fn the_end_waits_for_no_reader() {
    for leave in LEAVES {
        let mut child = unread(&mut binary());
        let mut input = child.stdin.take().unwrap();
        input.write_all(&request(0, "initialize", &json!({ "capabilities": {} }))).unwrap();
        // Much more output than fits in a pipe.
        for id in 1..2000 {
            input.write_all(&request(id, "no/such/method", &json!({}))).unwrap();
        }
        std::thread::sleep(Duration::from_millis(100));
        match leave {
            Leave::HangUp => drop(input),
            Leave::Exit => input.write_all(&framed(&json!({ "jsonrpc": "2.0", "method": "exit" }))).unwrap(),
            #[cfg(unix)]
            Leave::Terminate => terminate(&child),
        }
        assert_ends(&mut child, &format!("{leave:?}"));
    }
}

#[test]
fn a_debug_adapter_ends_too() {
    let folder = tempfile::tempdir().unwrap();
    let (endless_file, long_file) = (folder.path().join("endless.ptx"), folder.path().join("long.ptx"));
    fs::write(&endless_file, endless()).unwrap();
    fs::write(&long_file, long(250)).unwrap();
    let ask = |seq: usize, command: &str, arguments: Value| {
        framed(&json!({ "seq": seq, "type": "request", "command": command, "arguments": arguments }))
    };
    for (program, questions) in [(&endless_file, 2), (&long_file, 2), (&endless_file, 3000)] {
        for leave in LEAVES {
            let mut child = unread(binary().arg("dap"));
            let mut input = child.stdin.take().unwrap();
            input.write_all(&ask(1, "initialize", json!({ "adapterID": "ptx" }))).unwrap();
            let launch = json!({ "program": program, "limit": 1_000_000_000_000_u64 });
            input.write_all(&ask(2, "launch", launch)).unwrap();
            for seq in 3..questions {
                input.write_all(&ask(seq, "threads", json!({}))).unwrap();
            }
            std::thread::sleep(Duration::from_millis(150));
            match leave {
                Leave::HangUp => drop(input),
                Leave::Exit => input.write_all(&ask(questions, "disconnect", json!({}))).unwrap(),
                #[cfg(unix)]
                Leave::Terminate => terminate(&child),
            }
            assert_ends(&mut child, &format!("{}, {leave:?}", program.display()));
        }
    }
}

/// The log goes to a pipe that is never read, to a pipe without a reader, or to a full device.
#[test]
#[cfg(unix)]
fn a_log_that_goes_nowhere() {
    let (reader, writer) = std::io::pipe().unwrap();
    let (gone, broken) = std::io::pipe().unwrap();
    drop(gone);
    let mut places: Vec<(&str, Stdio)> = vec![("unread", writer.into()), ("broken", broken.into())];
    if cfg!(target_os = "linux") {
        places.push(("full", fs::File::options().write(true).open("/dev/full").unwrap().into()));
    }
    for (name, place) in places {
        let mut client = Client::start(binary().env("PTX_ANALYZER_LOG", "debug").stderr(place));
        client.begin(json!({ "capabilities": {} }));
        for _ in 0..1000 {
            // Each message causes a warning in the log.
            client.body(b"{a}");
        }
        client.open(URI, 1, &bad());
        assert_eq!(codes(&client.diagnostics(URI, 1)), ["unknown-opcode"], "{name}");
        client.hang_up();
        assert_ends(&mut client.child, name);
    }
    drop(reader);
}

#[test]
fn messages_that_are_bombs() {
    let mut client = begun();
    client.open(URI, 1, &bad());
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let deeper = format!("{}1{}", "{\"a\":".repeat(100_000), "}".repeat(100_000));
    for body in [deep, deeper] {
        let body = format!("{{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"x\",\"params\":{body}}}");
        client.body(body.as_bytes());
        // The id is read, although the message is not.
        assert_eq!(client.answer(7)["error"]["code"], -32700);
    }
    client.raw(b"Content-Length: 1000000000000000000\r\n\r\n{}");
    // Send a header that never ends.
    for _ in 0..20 {
        client.raw(&[b'x'; 1_000_000]);
    }
    client.raw(b"\r\n");
    assert_eq!(codes(&client.diagnostics(URI, 1)), ["unknown-opcode"]);
    let status = client.execute("ptx-analyzer.serverStatus", Value::Null);
    assert_eq!(status["documents"].as_array().map(Vec::len), Some(1), "{status}");
}

#[test]
fn a_client_that_reads_slowly() {
    let mut child = binary().stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::with_capacity(64, child.stdout.take().unwrap());
    let text = format!("{HEAD}{}", KERNEL.replace("    ret;", "    bad.u32 %r1;\n    ret;"));
    let document = json!({ "uri": URI });
    let writer = std::thread::spawn(move || {
        input.write_all(&request(0, "initialize", &json!({ "capabilities": {} }))).unwrap();
        let opened = json!({ "uri": URI, "languageId": "ptx", "version": 1, "text": text });
        let note =
            |method: &str, params: Value| framed(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
        input.write_all(&note("initialized", json!({}))).unwrap();
        input.write_all(&note("textDocument/didOpen", json!({ "textDocument": opened }))).unwrap();
        for id in 1..=400 {
            let edit = json!([{ "range": { "start": at(6, 4), "end": at(6, 4) }, "text": "ret;\n    " }]);
            let changed = json!({ "uri": URI, "version": id + 1 });
            let params = json!({ "textDocument": changed, "contentChanges": edit });
            input.write_all(&note("textDocument/didChange", params)).unwrap();
            let params = json!({ "textDocument": document, "position": at(6, 5) });
            input.write_all(&request(id, "textDocument/hover", &params)).unwrap();
        }
        input
    });
    let mut answered = [false; 401];
    while answered.contains(&false) {
        let message = framing::read(&mut output).expect("the server is there");
        if let Some(id) = message["id"].as_u64().filter(|_| message.get("method").is_none()) {
            // The error "content modified" is an answer too.
            assert!(message.get("error").is_none_or(|e| e["code"] == -32801), "{message}");
            assert!(!std::mem::replace(&mut answered[id as usize], true), "{id} is answered twice");
            std::thread::sleep(Duration::from_millis(2));
        }
    }
    drop(writer.join().unwrap());
    assert_ends(&mut child, "slow");
}

#[test]
fn a_client_that_dies() {
    let mut child = unread(&mut binary());
    let mut input = child.stdin.take().unwrap();
    input.write_all(&request(0, "initialize", &json!({ "capabilities": {} }))).unwrap();
    drop(child.stdout.take());
    for id in 1..100 {
        input.write_all(&request(id, "no/such/method", &json!({}))).unwrap();
    }
    // The input ends in the middle of a message.
    input.write_all(b"Content-Length: 1000\r\n\r\n{\"jsonrpc\"").unwrap();
    drop(input);
    assert_ends(&mut child, "dead");
}

#[test]
fn two_hundred_documents() {
    let mut client = begun();
    let uri = |i: usize| format!("file:///d{i}.ptx");
    let body = format!("    .reg .b32 %r<9>;\n{}    bad.u32 %r1;\n", "    add.u32 %r1, %r2, %r3;\n".repeat(200));
    let text = format!("{HEAD}{}", KERNEL.replace("    ret;\n", &body));
    for i in 0..200 {
        client.open(&uri(i), 1, &text);
    }
    // Edit the first document while the others are still being checked.
    let insert = "    bad.u32 %r2;\n    add.u32 %r1, %r2, %r3;\n";
    let mut slowest = Duration::ZERO;
    for version in 2..12 {
        let begin = Instant::now();
        let change = json!([{ "range": { "start": at(6, 0), "end": at(6, 0) }, "text": insert }]);
        client.change(&uri(0), version, change);
        assert_eq!(client.diagnostics(&uri(0), version).len(), version as usize);
        slowest = slowest.max(begin.elapsed());
    }
    assert!(slowest < Duration::from_secs(5), "{slowest:?}");
    for i in 1..200 {
        assert_eq!(codes(&client.diagnostics(&uri(i), 1)), ["unknown-opcode"]);
    }
    let status = client.execute("ptx-analyzer.serverStatus", Value::Null);
    assert_eq!(status["documents"].as_array().map(Vec::len), Some(200));
    client.hang_up();
    assert_ends(&mut client.child, "200 documents");
}

#[test]
fn kernels_that_want_terabytes() {
    let mut client = begun();
    for (version, (line, declared)) in [
        ("p=f32[10000000000000]:iota", ""),
        ("p=4", ".global .align 4 .b8 g[1000000000000];\n"),
        ("p=4", ".const .align 4 .u32 c[4000000000] = {1, 2, 3};\n"),
        ("p=4", ".global .u32 a[200000000];\n.global .u32 b[200000000];\n"),
    ]
    .into_iter()
    .enumerate()
    {
        let kernel = KERNEL.replace("k()", "k(.param .u64 p)");
        let text = format!("{HEAD}{declared}//! launch: {line}\n{kernel}");
        let version = version as i32;
        match version {
            0 => client.open(URI, version, &text),
            _ => client.change(URI, version, json!([{ "text": text }])),
        }
        let command = json!({ "command": "ptx-analyzer.evaluateWarp", "arguments": [{ "uri": URI }] });
        let id = client.request("workspace/executeCommand", command);
        let answer = client.answer(id);
        let message = answer["error"]["message"].as_str().unwrap_or_default();
        assert!(message.contains("at most 1073741824"), "{declared}{line}: {answer}");
    }
}

/// Nested brackets and operators of each kind, 100,000 deep. The assembler rejects all of these except the sum.
fn nested() -> Vec<(&'static str, String)> {
    let in_body = |open: &str, inner: &str, close: &str| {
        let nested = format!("{}{inner}{}", open.repeat(100_000), close.repeat(100_000));
        move |before: &str, behind: &str| {
            format!("{HEAD}.entry k()\n{{\n.reg .b32 %r1;\n.reg .b64 p;\n{before}{nested}{behind}\nret;\n}}\n")
        }
    };
    vec![
        ("blocks", in_body("{", "", "}")("", "")),
        ("open blocks", in_body("{", "", "")("", "")),
        ("vectors", in_body("{", "%r1", "}")("mov.b64 ", ", p;")),
        ("brackets", in_body("[", "p", "]")("ld.global.b32 %r1, ", ";")),
        ("parentheses", in_body("(", "1", ")")("mov.u32 %r1, ", ";")),
        ("signs", in_body("-", "1", "")("mov.u32 %r1, ", ";")),
        ("sum", in_body("1+", "1", "")("mov.u32 %r1, ", ";")),
        ("choices", in_body("1?", "1", ":2")("mov.u32 %r1, ", ";")),
        (
            "initializers",
            format!("{HEAD}.global .u32 g[1] = {}1{};\n{KERNEL}", "{".repeat(100_000), "}".repeat(100_000)),
        ),
    ]
}

/// The texts without brackets: the checks do not compute their values, and report nothing.
const OPERATORS: [&str; 3] = ["signs", "sum", "choices"];

#[test]
fn deep_nesting() {
    let mut client = begun();
    for (name, text) in nested() {
        let uri = format!("file:///{}.ptx", name.replace(' ', "-"));
        client.open(&uri, 1, &text);
        let found = client.diagnostics(&uri, 1);
        let deep = |d: &Value| d["message"].as_str().is_some_and(|m| m.contains("nested too deeply"));
        assert!(found.iter().any(deep) || OPERATORS.contains(&name), "{name}");
        let document = json!({ "uri": uri });
        let place = json!({ "line": 7, "character": 90_000 });
        let all = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } });
        for (method, mut params) in [
            ("hover", json!({ "position": place })),
            ("completion", json!({ "position": place })),
            ("signatureHelp", json!({ "position": place })),
            ("documentHighlight", json!({ "position": place })),
            ("selectionRange", json!({ "positions": [place] })),
            ("inlayHint", json!({ "range": all })),
            ("codeAction", json!({ "range": all, "context": { "diagnostics": [] } })),
            ("documentSymbol", json!({})),
            ("foldingRange", json!({})),
            ("semanticTokens/full", json!({})),
            ("codeLens", json!({})),
            ("formatting", json!({ "options": { "tabSize": 4, "insertSpaces": true } })),
        ] {
            params["textDocument"] = document.clone();
            client.request(&format!("textDocument/{method}"), params);
        }
        for command in ["evaluateWarp", "registerPressure", "fragments", "launches", "showSyntaxTree"] {
            let command = json!({ "command": format!("ptx-analyzer.{command}"), "arguments": [{ "uri": uri }] });
            client.request("workspace/executeCommand", command);
        }
        let id = client.request("textDocument/diagnostic", json!({ "textDocument": document }));
        client.answer(id);
        client.close(&uri);
    }
    client.execute("ptx-analyzer.serverStatus", Value::Null);
}

#[test]
fn deep_nesting_on_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in nested() {
        let file = folder.path().join(format!("{name}.ptx"));
        fs::write(&file, text).unwrap();
        for command in ["check", "regs", "eval", "fmt"] {
            let output = binary().arg(command).arg(&file).output().unwrap();
            let (code, said) = (output.status.code(), String::from_utf8_lossy(&output.stdout));
            // A process killed by a signal has no exit code.
            assert!(code.is_some_and(|c| c <= 2), "{command} {name}: {code:?}");
            let told = code == Some(1) && said.contains("nested too deeply");
            assert!(command != "check" || told || OPERATORS.contains(&name), "{name}: {said}");
        }
    }
}

#[cfg(unix)]
fn ran(command: &mut Command) -> (Option<i32>, String) {
    let output = command.output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
#[cfg(target_os = "linux")]
fn a_report_on_a_full_disk() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.ptx"), bad()).unwrap();
    fs::write(folder.path().join("b.ptx"), format!("{HEAD}{KERNEL}")).unwrap();
    let full = || fs::File::options().write(true).open("/dev/full").unwrap();
    for line in [
        "check a.ptx",
        "check --format json a.ptx",
        "check --format sarif a.ptx",
        "regs b.ptx",
        "eval b.ptx",
        "eval --format json b.ptx",
        "explain fma",
        "isa",
        "isa add",
        "fmt --check a.ptx",
    ] {
        let run = |command: &mut Command| ran(command.current_dir(folder.path()).args(line.split(' ')).stdout(full()));
        let (code, said) = run(&mut binary());
        assert_eq!(code, Some(2), "{line}: {said}");
        assert!(said.contains("cannot be written: No space left"), "{line}: {said}");
        // Standard error cannot be written either.
        let silent = binary().current_dir(folder.path()).args(line.split(' ')).stdout(full()).stderr(full()).status();
        assert_eq!(silent.unwrap().code(), Some(2), "{line}");
    }
}

#[cfg(unix)]
fn names(folder: &std::path::Path) -> Vec<String> {
    let mut out: Vec<String> =
        fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
    out.sort();
    out
}

/// A limit on the file size simulates a full disk.
#[test]
#[cfg(unix)]
fn a_file_that_cannot_be_formatted_stays() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.ptx");
    let text = format!("{HEAD}{}", KERNEL.replace("    ret;\n", &"ret;\n".repeat(30_000)));
    fs::write(&file, &text).unwrap();
    let script = "trap '' XFSZ; ulimit -f 20; exec \"$0\" fmt a.ptx";
    let (code, said) =
        ran(Command::new("sh").args(["-c", script, env!("CARGO_BIN_EXE_ptx-analyzer")]).current_dir(folder.path()));
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("cannot be written"), "{said}");
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
    assert_eq!(names(folder.path()), ["a.ptx"]);
}

#[test]
#[cfg(unix)]
fn formatting_a_folder_writes_nothing_outside() {
    let around = tempfile::tempdir().unwrap();
    let (outside, folder) = (around.path().join("outside.ptx"), around.path().join("in"));
    fs::create_dir(&folder).unwrap();
    let text = format!("{HEAD}{}", KERNEL.replace("    ret;", "ret;"));
    fs::write(&outside, &text).unwrap();
    fs::write(folder.join("a.ptx"), &text).unwrap();
    std::os::unix::fs::symlink("../outside.ptx", folder.join("link.ptx")).unwrap();
    let (code, said) = ran(binary().arg("fmt").arg(&folder));
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("link.ptx: this link leads out of the folder"), "{said}");
    assert_eq!(fs::read_to_string(&outside).unwrap(), text);
    assert_ne!(fs::read_to_string(folder.join("a.ptx")).unwrap(), text);
    // A link that the user names is followed.
    assert_eq!(ran(binary().arg("fmt").arg(folder.join("link.ptx"))).0, Some(0));
    assert_ne!(fs::read_to_string(&outside).unwrap(), text);
}

#[test]
fn folders_with_odd_names_are_left_out() {
    for root in ["file:///C:\\work\\ptx", "file:///a\0b", "no uri at all \u{1}", ""] {
        let mut client = server();
        let folders = json!([{ "uri": root, "name": "odd" }, { "uri": "file:///fine", "name": "fine" }]);
        let params = json!({ "capabilities": {}, "rootUri": root, "workspaceFolders": folders });
        let offered = client.begin(params);
        assert!(offered["hoverProvider"].as_bool().is_some(), "{root:?}: {offered}");
        client.open(URI, 1, &bad());
        assert_eq!(codes(&client.diagnostics(URI, 1)), ["unknown-opcode"], "{root:?}");
    }
}

/// In both cases the input stays open.
#[test]
fn the_end_of_the_process_that_started_it() {
    // Any process that waits: another server does, for its input.
    let mut parent = binary().stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let mut client = server();
    client.begin(json!({ "capabilities": {}, "processId": parent.id() }));
    client.open(URI, 1, &bad());
    assert_eq!(codes(&client.diagnostics(URI, 1)), ["unknown-opcode"]);
    assert!(client.ended(Duration::from_millis(1500)).is_none(), "it ends while its parent lives");
    let gone = parent.id();
    parent.kill().unwrap();
    parent.wait().unwrap();
    // Windows does not free the process number while a handle is open.
    drop(parent);
    assert_eq!(client.ended(Duration::from_secs(10)).and_then(|s| s.code()), Some(1));
    // This process id belongs to another system: the server cannot check whether the process is alive.
    let mut client = server();
    client.begin(json!({ "capabilities": {}, "processId": gone }));
    client.open(URI, 1, &bad());
    assert_eq!(codes(&client.diagnostics(URI, 1)), ["unknown-opcode"]);
    assert!(client.ended(Duration::from_millis(2500)).is_none());
}

/// Answers to a client that never reads are bounded: the server first refuses requests, and finally ends the session.
#[cfg(target_os = "linux")]
#[test]
fn a_client_that_never_reads() {
    let mut child = unread(&mut binary());
    let mut input = child.stdin.take().unwrap();
    input.write_all(&request(0, "initialize", &json!({ "capabilities": {} }))).unwrap();
    let note = |method: &str, params: Value| framed(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    input.write_all(&note("initialized", json!({}))).unwrap();
    let text = format!("{HEAD}{}", KERNEL.repeat(50));
    let opened = json!({ "uri": URI, "languageId": "ptx", "version": 1, "text": text });
    input.write_all(&note("textDocument/didOpen", json!({ "textDocument": opened }))).unwrap();
    let (mut sent, mut most) = (0, 0);
    let deadline = Instant::now() + Duration::from_secs(100);
    let status = loop {
        for _ in 0..100 {
            sent += 1;
            // Each answer repeats the identifier, so few of them are much text.
            let id = format!("{sent:04000}");
            let params = json!({ "command": "ptx-analyzer.syntaxTree", "arguments": [{ "uri": URI }] });
            // The server may have ended: ignore the error.
            let _ = input.write_all(&request(id, "workspace/executeCommand", &params));
        }
        let memory = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let resident = memory
            .lines()
            .find_map(|l| l.strip_prefix("VmRSS:"))
            .and_then(|l| l.trim().split(' ').next()?.parse().ok());
        most = most.max(resident.unwrap_or(0_u64));
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        assert!(Instant::now() < deadline, "it goes on after {sent} requests, with {most} KB");
    };
    assert_eq!(status.code(), Some(1));
    assert!(most < 400_000, "{most} KB after {sent} requests");
}
