//! Many documents take little memory and few threads, and closed ones give it back. `/proc`, which tells how much, is Linux's; the pool is
//! the same everywhere.

#![cfg(target_os = "linux")]

use crate::client::Client;
use crate::protocol::{begun, codes};
use serde_json::Value;
use std::time::{Duration, Instant};

/// A field of `/proc/…/status` in its own unit: kilobytes, or a number.
fn field(client: &Client, name: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", client.child.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.trim().trim_end_matches("kB").trim().parse().unwrap()
}

fn text(number: usize) -> String {
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k{number:05}(.param .u64 p)\n{{\n\t.reg .b64 %rd<4>;\n\t.reg .f32 %f<3>;\n\
         \tld.param.u64 %rd1, [p];\n\tld.global.f32 %f1, [%rd1];\n\tadd.f32 %f2, %f1, 0f3F800000;\n\tst.global.f32 [%rd1], %f3;\n\tret;\n}}\n"
    )
}

#[test]
fn two_thousand_documents() {
    const DOCUMENTS: usize = 2_000;
    let uri = |number: usize| format!("file:///d/{number}.ptx");
    let mut client = begun();
    let (empty, threads) = (field(&client, "VmRSS:"), field(&client, "Threads:"));
    for number in 0..DOCUMENTS {
        client.open(&uri(number), 1, &text(number));
    }
    for number in 0..DOCUMENTS {
        assert_eq!(codes(&client.diagnostics(&uri(number), 1)), ["undeclared-name"]);
    }
    // The flow lints run when the texts are idle.
    std::thread::sleep(Duration::from_secs(1));
    let open = field(&client, "VmRSS:");
    let more = |now: u64| now.saturating_sub(empty) / 1024;
    // With a thread and a heap for each document it would be 560 MB. In a test the program is not optimised and its tables take more.
    assert!(more(open) <= 130, "{} MB with all open", more(open));
    let processors = std::thread::available_parallelism().map_or(2, |n| n.get() as u64).clamp(2, 16);
    let running = field(&client, "Threads:");
    // Threads for two documents with each processor and one that watches; and four for requests.
    assert!(running <= threads + 2 * processors + 1 + 4, "{threads} threads before, {running} with all open");

    // An idle document is edited as fast as the only one.
    let begin = Instant::now();
    client.change(&uri(7), 2, serde_json::json!([{ "text": text(7).replace("%f3", "%f2") }]));
    assert!(codes(&client.diagnostics(&uri(7), 2)).is_empty());
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());

    for number in 0..DOCUMENTS {
        client.close(&uri(number));
    }
    let status = client.execute("ptx-analyzer.serverStatus", Value::Null);
    assert_eq!(status["documents"].as_array().map(Vec::len), Some(0));
    let deadline = Instant::now() + Duration::from_secs(20);
    while more(field(&client, "VmRSS:")) > 60 || field(&client, "Threads:") > threads + 2 {
        let (memory, threads) = (more(field(&client, "VmRSS:")), field(&client, "Threads:"));
        assert!(Instant::now() < deadline, "{memory} MB and {threads} threads with all closed");
        std::thread::sleep(Duration::from_millis(100));
    }
    client.hang_up();
    assert!(client.ended(Duration::from_secs(5)).is_some());
}
