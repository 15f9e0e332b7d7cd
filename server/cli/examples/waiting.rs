//! Measures hovers and completions while kernels run and the workspace is checked, both without an end.
//!
//! `cargo run --release -p ptx-analyzer --example waiting -- [--evaluations N] [--asked N] FILE [FOLDER]`
//!
//! The server evaluates N kernels (default 8) that do not end by themselves. With a folder, it checks the files of the
//! folder again and again. Meanwhile the program requests a hover and a completion at random positions of the file, one
//! every 20 ms.

// A tool for those who work on this project reads what its arguments name.
#![allow(clippy::disallowed_methods)]

#[path = "../src/allocator.rs"]
mod allocator;
#[path = "../tests/it/client.rs"]
#[allow(dead_code)]
mod client;
mod lines;

use client::Client;
use lines::Lines;
use serde_json::{Value, json};
use std::process::Command;
use std::time::{Duration, Instant};

const URI: &str = "file:///file.ptx";

/// Eight warps that count to two billion.
const KERNEL: &str = ".version 8.0
.target sm_80
.address_size 64
//! launch: grid=8 block=256
.visible .entry k()
{
    .reg .pred %p;
    .reg .b32 %r;
    mov.u32 %r, 0;
LOOP:
    add.u32 %r, %r, 1;
    setp.lt.u32 %p, %r, 2000000000;
    @%p bra LOOP;
    ret;
}
";

fn main() {
    allocator::install();
    let mut arguments = std::env::args().skip(1);
    let (mut paths, mut evaluations, mut asked) = (Vec::new(), 8, 500);
    while let Some(argument) = arguments.next() {
        let mut number = || arguments.next().and_then(|n| n.parse().ok()).expect("a number");
        match argument.as_str() {
            "--serve" => {
                // This program is also the server, so that nothing else has to be built.
                let orderly = ptx_lsp::run().expect("threads");
                std::process::exit(i32::from(!orderly));
            }
            "--evaluations" => evaluations = number(),
            "--asked" => asked = number(),
            _ => paths.push(argument),
        }
    }
    let [file, folder @ ..] = paths.as_slice() else {
        eprintln!("usage: waiting [--evaluations N] [--asked N] FILE [FOLDER]");
        std::process::exit(2);
    };
    let text = std::fs::read_to_string(file).expect("a readable file");
    let mut client = Client::start(Command::new(std::env::current_exe().expect("a path")).arg("--serve"));
    let folder = folder.first().map(|f| std::fs::canonicalize(f).expect("a folder"));
    let folders: Vec<Value> =
        folder.iter().map(|f| json!({ "uri": format!("file://{}", f.display()), "name": "folder" })).collect();
    let capabilities = json!({ "general": { "positionEncodings": ["utf-8"] } });
    let options = json!({ "ptx-analyzer": { "evaluation": { "steps": 4_000_000_000_000_u64 } } });
    client
        .begin(json!({ "capabilities": capabilities, "workspaceFolders": folders, "initializationOptions": options }));
    client.open(URI, 0, &text);
    client.diagnostics(URI, 0);
    let lines = Lines::new(&text);
    measure("at rest", &mut client, &text, &lines, asked, &mut |_| {});

    for number in 0..evaluations {
        let uri = format!("file:///endless{number}.ptx");
        client.open(&uri, 0, KERNEL);
        let command = json!({ "command": "ptx-analyzer.evaluateWarp", "arguments": [{ "uri": uri }] });
        client.request("workspace/executeCommand", command);
    }
    std::thread::sleep(Duration::from_millis(300));
    measure("kernels run", &mut client, &text, &lines, asked, &mut |_| {});
    if folder.is_some() {
        let mut check = None;
        let mut checks = 0;
        let mut again = |client: &mut Client| {
            let done = |id: &i64| client.others().iter().any(|m| m["id"] == *id);
            if check.as_ref().is_none_or(done) {
                let command = json!({ "command": "ptx-analyzer.checkWorkspace", "arguments": [] });
                check = Some(client.request("workspace/executeCommand", command));
                checks += 1;
            }
        };
        measure("kernels run, the workspace is checked", &mut client, &text, &lines, asked, &mut again);
        println!("the workspace was checked {} times", checks - 1);
    }
}

/// Sends requests at random positions, one after the other.
fn measure(
    what: &str,
    client: &mut Client,
    text: &str,
    lines: &Lines,
    asked: usize,
    meanwhile: &mut dyn FnMut(&mut Client),
) {
    let mut random = fastrand::Rng::with_seed(1);
    for method in ["hover", "completion"] {
        let mut times = Vec::new();
        for _ in 0..asked {
            meanwhile(client);
            let mut offset = random.usize(..text.len());
            while !text.is_char_boundary(offset) {
                offset -= 1;
            }
            let params = json!({ "textDocument": { "uri": URI }, "position": lines.place(offset) });
            let begin = Instant::now();
            client.call(&format!("textDocument/{method}"), params);
            times.push(begin.elapsed());
            std::thread::sleep(Duration::from_millis(20));
        }
        times.sort_unstable();
        let at = |share: f64| times[((times.len() as f64 * share) as usize).min(times.len() - 1)].as_secs_f64() * 1e3;
        let (p50, p90, p99, most) = (at(0.5), at(0.9), at(0.99), at(1.0));
        println!("{what}, {method}: p50 {p50:.2}  p90 {p90:.2}  p99 {p99:.2}  max {most:.2} ms");
    }
}
