//! Files that nobody named, through the real program: pipes, devices, links out of a folder, files without end.

#![cfg(unix)]

use crate::cli::run_with;
use crate::client::{Client, TIMEOUT};
use crate::protocol::file_uri;
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const PTX: &str = ".version 8.0\n.target sm_80\n.address_size 64\n";
const BAD: &str = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { bad; }\n";

/// A statement that needs sm_90a.
const HOST: &str = "void f() { asm volatile(\"wgmma.fence.sync.aligned;\"); }\n";

/// Most memory of a program that reads nothing long, in kilobytes of address space. Stacks of threads reserve 64 MiB each.
const ADDRESSES: &str = "8000000";

fn write(path: PathBuf, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn pipe(path: PathBuf) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

fn sparse(path: PathBuf, length: u64) {
    fs::File::create(path).unwrap().set_len(length).unwrap();
}

/// Makes a file of some name something else.
type Maker<'a> = (&'a str, &'a dyn Fn(PathBuf));

const MAKERS: [Maker<'static>; 7] = [
    ("a pipe", &|path| pipe(path)),
    ("a device", &|path| symlink("/dev/zero", path).unwrap()),
    ("a long file", &|path| sparse(path, 1 << 42)),
    ("a file of zeros", &|path| sparse(path, 200 << 20)),
    ("a link to itself", &|path| symlink(path.file_name().unwrap(), &path).unwrap()),
    ("a folder", &|path| fs::create_dir(path).unwrap()),
    ("a link to the terminal", &|path| symlink("/dev/tty", path).unwrap()),
];

/// Runs the program with little memory and time; returns its exit status and both outputs.
fn ran(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let script = format!("ulimit -v {ADDRESSES}; exec \"$0\" \"$@\"");
    let mut child = Command::new("sh")
        .args(["-c", &script, env!("CARGO_BIN_EXE_ptx-analyzer")])
        .args(arguments)
        .current_dir(folder)
        .env_remove("PTX_ANALYZER_LOG")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let begin = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begin.elapsed() > TIMEOUT {
            let _ = child.kill();
            let _ = child.wait();
            panic!("{arguments:?} does not end");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let out = child.wait_with_output().unwrap();
    let text = String::from_utf8([out.stdout, out.stderr].concat()).unwrap();
    (out.status.code(), text)
}

/// A project: a folder of a repository with a file of another language.
fn project() -> TempDir {
    let around = tempfile::tempdir().unwrap();
    write(around.path().join("w/src/a.cu"), HOST);
    fs::create_dir(around.path().join("w/.git")).unwrap();
    around
}

fn commands(folder: &Path) -> String {
    json!([{ "directory": folder, "file": "src/a.cu", "command": "nvcc -arch=sm_80 -c src/a.cu" }]).to_string()
}

/// Whether `check --inline` uses a build for sm_80.
fn is_built(around: &Path, arguments: &[&str]) -> bool {
    let (status, text) = ran(around, &[&["check", "--inline", "--format", "json"], arguments].concat());
    assert!(status.is_some(), "{text}");
    text.contains("requires-target")
}

#[test]
fn a_build_that_is_no_file_stops_no_check() {
    for (what, make) in MAKERS {
        for place in ["w/compile_commands.json", "w/build/compile_commands.json", "w/src/compile_commands.json"] {
            let around = project();
            let path = around.path().join(place);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            make(path);
            assert!(!is_built(around.path(), &["w/src"]), "{what} at {place}");
        }
    }
}

#[test]
fn builds_are_looked_for_in_the_project_only() {
    let around = project();
    let (root, name) = (around.path().canonicalize().unwrap(), "compile_commands.json");
    let text = commands(&root.join("w"));
    // Around the repository.
    write(root.join(name), &text);
    write(root.join("build").join(name), &text);
    assert!(!is_built(&root, &["w/src"]) && !is_built(&root, &["w/src/a.cu"]));
    // A link in it that leads there.
    symlink(root.join(name), root.join("w").join(name)).unwrap();
    symlink("..", root.join("w/build")).unwrap();
    assert!(!is_built(&root, &["w"]));
    // In it, by a link too.
    fs::remove_file(root.join("w").join(name)).unwrap();
    write(root.join("w/out/commands"), &text);
    symlink("out/commands", root.join("w").join(name)).unwrap();
    assert!(
        is_built(&root, &["w/src"]) && is_built(&root.join("w/src"), &["a.cu"]) && is_built(&root, &["w/src/a.cu"])
    );
    // Without a repository: up to the current folder or the one that is named.
    fs::remove_dir(root.join("w/.git")).unwrap();
    assert!(is_built(&root, &["w"]) && is_built(&root.join("w"), &["src/a.cu"]));
    fs::remove_file(root.join(name)).unwrap();
    fs::remove_dir_all(root.join("build")).unwrap();
    let file = root.join("w/src/a.cu");
    assert!(!is_built(Path::new("/"), &[file.to_str().unwrap()]));
    // By another name of the folder.
    symlink("w", root.join("name")).unwrap();
    fs::create_dir(root.join("w/.git")).unwrap();
    assert!(is_built(&root, &["name/src/a.cu"]));
}

/// Paths of a build that another computer would answer for, and those that only a lookup can tell.
#[test]
fn paths_of_a_build_are_compared_as_texts() {
    let around = project();
    let root = around.path().canonicalize().unwrap();
    let entry =
        |directory: &str, file: &str| json!({ "directory": directory, "file": file, "arguments": ["-arch=sm_80"] });
    let folder = root.join("w").display().to_string();
    symlink("w", root.join("alias")).unwrap();
    let alias = root.join("alias/src").display().to_string();
    for (directory, file, expected) in [
        (folder.as_str(), "src/a.cu", true),
        (&folder, "./none/../src/a.cu", true),
        (&alias, "a.cu", true),
        (".", "src/a.cu", true),
        ("", "src/a.cu", true),
        (&format!("/{folder}"), "src/a.cu", false),
        (&format!("//?/UNC/{folder}"), "src/a.cu", false),
        (&folder, "\\\\host\\share\\a.cu", false),
        (&folder, "//host/share/a.cu", false),
        (&folder, "src/b.cu", false),
    ] {
        let commands = json!([entry("\\\\host\\share", "src/a.cu"), entry(directory, file), entry("//host", "a.cu")]);
        fs::write(root.join("w/compile_commands.json"), commands.to_string()).unwrap();
        assert_eq!(is_built(&root, &["w/src"]), expected, "{directory} {file}");
    }
}

/// The server for strings, with a document.
struct Session(Client, String);

impl Session {
    fn new(folders: Option<&Path>, file: &Path) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ptx-analyzer"));
        let mut client = Client::start(command.arg("--inline").env_remove("PTX_ANALYZER_LOG").stderr(Stdio::null()));
        let folders = folders.map(|folder| json!([{ "uri": file_uri(folder), "name": "w" }]));
        client.begin(json!({ "capabilities": {}, "workspaceFolders": folders }));
        let mut session = Self(client, String::new());
        session.open(file);
        session
    }

    fn open(&mut self, file: &Path) {
        self.1 = file_uri(file);
        let document = json!({ "uri": self.1, "languageId": "cuda-cpp", "version": 1, "text": HOST });
        self.0.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    fn is_built(&mut self) -> bool {
        let found = self.0.diagnostics(&self.1.clone(), 1);
        found.iter().any(|diagnostic| diagnostic["code"] == "requires-target")
    }

    /// The most memory that the server has taken, in kilobytes.
    fn memory(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.0.child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        line.map_or(0, |line| line.trim().trim_end_matches("kB").trim().parse().unwrap())
    }
}

#[test]
fn a_build_that_is_no_file_silences_no_server() {
    for (what, make) in MAKERS {
        let around = project();
        let root = around.path().canonicalize().unwrap();
        make(root.join("w/compile_commands.json"));
        for folder in [None, Some(root.join("w"))] {
            let mut session = Session::new(folder.as_deref(), &root.join("w/src/a.cu"));
            assert!(!session.is_built(), "{what}");
            let position = json!({ "line": 0, "character": HOST.find("wgmma").unwrap() });
            let params = json!({ "textDocument": { "uri": session.1 }, "position": position });
            assert!(!session.0.call("textDocument/hover", params).is_null(), "{what}");
            assert!(session.memory() < 200_000, "{what}: {} KB", session.memory());
        }
    }
}

#[test]
fn a_server_looks_for_builds_in_its_folders_only() {
    let around = project();
    let root = around.path().canonicalize().unwrap();
    let file = root.join("w/src/a.cu");
    write(root.join("w/compile_commands.json"), &commands(&root.join("w")));
    // The innermost folder of the workspace, not the repository around it.
    assert!(!Session::new(Some(&root.join("w/src")), &file).is_built());
    assert!(Session::new(Some(&root.join("w")), &file).is_built());
    // Outside of every folder: the repository.
    assert!(Session::new(None, &file).is_built());
    assert!(Session::new(Some(&root.join("none")), &file).is_built());
    fs::remove_dir(root.join("w/.git")).unwrap();
    assert!(!Session::new(None, &file).is_built());
}

/// A folder with whatever a stranger may put into a repository.
fn strange() -> TempDir {
    let around = tempfile::tempdir().unwrap();
    let root = around.path();
    write(root.join("in/deep/good.ptx"), PTX);
    write(root.join("outside/secret.ptx"), BAD);
    fs::create_dir(root.join("in/folder.ptx")).unwrap();
    pipe(root.join("in/pipe.ptx"));
    for (target, link) in [
        ("deep/good.ptx", "in/inside.ptx"),
        ("../outside", "in/out"),
        ("/", "in/machine"),
        ("..", "in/up"),
        ("pipe.ptx", "in/to-pipe.ptx"),
    ] {
        symlink(target, root.join(link)).unwrap();
    }
    around
}

#[test]
fn a_folder_is_searched_no_further_than_it_reaches() {
    let around = strange();
    let (status, text) = ran(around.path(), &["check", "in"]);
    assert_eq!(status, Some(0), "{text}");
    assert!(text.contains("2 files checked: nothing found"), "{text}");
    let links = "in/machine: this link and 2 more lead to other folders and are not followed: --follow follows links";
    assert!(text.contains(links), "{text}");
    for command in ["regs", "fmt", "eval"] {
        let (_, text) = ran(around.path(), &[command, "in"]);
        assert!(text.contains(links) && !text.contains("secret"), "{command}: {text}");
    }
    // Links to files outside are files that cannot be read; devices too, through a link.
    symlink("../outside/secret.ptx", around.path().join("in/secret.ptx")).unwrap();
    symlink("/dev/zero", around.path().join("in/zero.ptx")).unwrap();
    let (status, text) = ran(around.path(), &["check", "in"]);
    assert_eq!(status, Some(2), "{text}");
    for name in ["secret", "zero"] {
        assert!(text.contains(&format!("in/{name}.ptx: this link leads out of the folder")), "{text}");
    }
    assert!(text.contains("2 files checked: nothing found; 2 could not be read"), "{text}");
    // What is asked for is done.
    fs::remove_file(around.path().join("in/machine")).unwrap();
    let (status, text) = ran(around.path(), &["check", "--follow", "in"]);
    assert_eq!(status, Some(2), "{text}");
    for found in ["in/secret.ptx:4", "in/out/secret.ptx:4", "in/up: it is a link to a folder around it"] {
        assert!(text.contains(found), "{found}: {text}");
    }
    let (status, text) = ran(around.path(), &["check", "in/secret.ptx"]);
    assert_eq!(status, Some(1), "{text}");
}

#[test]
fn the_other_languages_are_searched_in_the_same_way() {
    let around = strange();
    write(around.path().join("in/a.cu"), HOST);
    write(around.path().join("outside/b.cu"), "asm(\"bad;\");");
    pipe(around.path().join("in/pipe.h"));
    sparse(around.path().join("in/long.py"), 1 << 40);
    let (status, text) = ran(around.path(), &["check", "--inline", "in"]);
    assert_eq!(status, Some(2), "{text}");
    assert!(text.contains("in/long.py: it has 1099512 MB") && !text.contains("bad"), "{text}");
    let (_, text) = ran(around.path(), &["check", "--inline-list", "in"]);
    assert!(text.contains("in/a.cu") && !text.contains("b.cu"), "{text}");
}

#[test]
fn files_are_read_up_to_a_size() {
    let around = tempfile::tempdir().unwrap();
    let root = around.path();
    write(root.join("in/good.ptx"), PTX);
    sparse(root.join("in/long.ptx"), 3 << 30);
    sparse(root.join("launch.toml"), 3 << 30);
    for command in ["check", "regs", "fmt", "eval"] {
        let (status, text) = ran(root, &[command, "in"]);
        assert_eq!(status, Some(2), "{command}: {text}");
        let words = "in/long.ptx: it has 3222 MB, and at most 32 MB are read: --max-size 3222 raises the limit";
        assert!(text.contains(words), "{command}: {text}");
        // A file that is named may be longer, but not that long.
        let (_, text) = ran(root, &[command, "in/long.ptx"]);
        assert!(text.contains("at most 256 MB are read: --max-size 3222"), "{command}: {text}");
    }
    let (_, text) = ran(root, &["eval", "--launch", "launch.toml", "in/good.ptx"]);
    assert!(text.contains("launch.toml: it has 3222 MB"), "{text}");
    write(root.join("in/long.ptx"), &format!("{PTX}//{}\n", " ".repeat(1_000_000)));
    let (status, text) = ran(root, &["check", "--max-size", "1", "in"]);
    assert_eq!(status, Some(2), "{text}");
    assert!(text.contains("in/long.ptx: it has 2 MB, and at most 1 MB are read: --max-size 2 raises"), "{text}");
    assert_eq!(ran(root, &["check", "--max-size", "2", "in"]).0, Some(0));
    assert_eq!(ran(root, &["check", "--max-size", "0", "in"]).0, Some(2));
}

#[test]
fn what_the_user_names_may_be_anything_that_ends() {
    let folder = tempfile::tempdir().unwrap();
    let (status, text) = ran(folder.path(), &["check", "/dev/zero"]);
    assert_eq!(status, Some(2), "{text}");
    assert!(text.contains("/dev/zero: it is a device that does not end"), "{text}");
    // A pipe, as the shell makes one for `<(…)`, and standard input by its name.
    pipe(folder.path().join("pipe"));
    let path = folder.path().join("pipe");
    let writer = std::thread::spawn(move || fs::write(path, BAD));
    let (status, text) = ran(folder.path(), &["check", "pipe"]);
    writer.join().unwrap().unwrap();
    assert_eq!(status, Some(1), "{text}");
    assert!(text.contains("pipe:4:23"), "{text}");
    let out = run_with(folder.path(), &["check", "/dev/stdin"], BAD.as_bytes());
    assert_eq!(out.status.code(), Some(1));
    let text = String::from_utf8(out.stdout).unwrap();
    assert!(text.contains("/dev/stdin:4:23"), "{text}");
}

/// The server for PTX reads the rules of a repository, and its other files.
#[test]
fn rules_that_are_no_files_stop_no_search() {
    for (what, make) in MAKERS {
        for name in [".gitignore", ".ignore", ".git/info/exclude", "deep/.gitignore", "pipe.ptx/.gitignore"] {
            let around = tempfile::tempdir().unwrap();
            let root = around.path().canonicalize().unwrap();
            write(root.join("deep/bad.ptx"), BAD);
            fs::create_dir_all(root.join(".git/info")).unwrap();
            fs::create_dir(root.join("pipe.ptx")).unwrap();
            make(root.join(name));
            let mut client = crate::protocol::server();
            let folders = json!([{ "uri": file_uri(&root), "name": "w" }]);
            client.begin(json!({ "capabilities": {}, "workspaceFolders": folders }));
            let report = client.call("workspace/diagnostic", json!({ "previousResultIds": [] }));
            assert_eq!(report["items"][0]["items"][0]["code"], "unknown-opcode", "{what} as {name}: {report}");
        }
    }
}

/// Sends calls of `check` to the server for assistants; returns the text of each answer.
fn assistant(folder: &Path, root: &str, paths: &[String]) -> Vec<String> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ptx-analyzer"))
        .args(["mcp", "--root", root])
        .current_dir(folder)
        .env("PWD", folder)
        .env_remove("PTX_ANALYZER_LOG")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let (sender, lines) = mpsc::channel();
    let output = BufReader::new(child.stdout.take().unwrap());
    std::thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
    let begin =
        json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
    let mut send = |message: Value| writeln!(input, "{message}").unwrap();
    let answer = || serde_json::from_str::<Value>(&lines.recv_timeout(TIMEOUT).unwrap()).unwrap();
    send(json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": begin }));
    answer();
    send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    let mut out = Vec::new();
    for (id, path) in paths.iter().enumerate() {
        let params = json!({ "name": "check", "arguments": { "path": path } });
        send(json!({ "jsonrpc": "2.0", "id": id + 1, "method": "tools/call", "params": params }));
        out.push(answer()["result"]["content"][0]["text"].as_str().unwrap().to_owned());
    }
    drop(input);
    child.wait().unwrap();
    out
}

#[test]
fn the_folder_of_an_assistant_has_two_names() {
    let around = tempfile::tempdir().unwrap();
    let root = around.path().canonicalize().unwrap();
    write(root.join("real/deep/a.ptx"), PTX);
    symlink("real", root.join("link")).unwrap();
    let names = |folder: &str| root.join(folder).join("deep/a.ptx").display().to_string();
    let link = root.join("link").display().to_string();
    for (current, given) in [("", link.as_str()), ("", "link"), ("link", "."), ("link", "./")] {
        let paths = [names("link"), names("real"), "deep/a.ptx".to_owned()];
        for (answer, path) in assistant(&root.join(current), given, &paths).iter().zip(&paths) {
            assert!(
                answer.contains("no findings") || answer.contains("nothing found"),
                "{current} {given} {path}: {answer}"
            );
        }
    }
}

#[test]
fn an_assistant_learns_nothing_about_places_outside() {
    let around = tempfile::tempdir().unwrap();
    let root = around.path().canonicalize().unwrap();
    write(root.join("in/a.ptx"), PTX);
    write(root.join("outside/there.ptx"), PTX);
    let there =
        ["../outside/there.ptx", "../outside/none.ptx", "../outside", "../none/none", "/etc/passwd", "/none", "/"];
    let mut paths = Vec::new();
    for (index, target) in there.into_iter().enumerate() {
        symlink(target, root.join(format!("in/l{index}"))).unwrap();
        symlink(format!("l{index}"), root.join(format!("in/m{index}"))).unwrap();
        paths.extend([
            format!("l{index}"),
            format!("m{index}"),
            format!("l{index}/there.ptx"),
            format!("l{index}/none"),
        ]);
        paths.push(root.join(format!("in/l{index}")).display().to_string());
    }
    let links = paths.len();
    for name in ["outside/there.ptx", "outside/none.ptx", "none", "IN/a.ptx"] {
        paths.push(root.join(name).display().to_string());
    }
    let absolute = paths.len();
    paths.extend(["../outside/there.ptx", "../outside/none.ptx", "../in/a.ptx", "//host/a.ptx"].map(str::to_owned));
    let root_name = root.join("in").display().to_string();
    let answers = assistant(&root, &root_name, &paths);
    let said: Vec<String> =
        answers.iter().zip(&paths).map(|(answer, path)| answer.replacen(path.as_str(), "", 1)).collect();
    for part in [0..links, links..absolute, absolute..paths.len()] {
        for index in part.clone() {
            assert_eq!(said[index], said[part.start], "{}", paths[index]);
        }
    }
    assert!(said[0].contains("outside") && said[links].contains("in none of the folders"), "{said:?}");
}
