//! Beginning and end of sessions.

use super::DIVERGING;
use super::client::{KernelFolder, TestClient, example};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

#[test]
fn a_run_from_its_beginning_to_its_end() {
    let kernel = KernelFolder::new(DIVERGING);
    let mut client = TestClient::entered(kernel.launch());
    let threads = client.ask("threads", json!({}));
    let names: Vec<&str> = threads["threads"].as_array().unwrap().iter().map(|t| t["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["CTA (0,0,0) warp 0", "CTA (0,0,0) warp 1"]);
    assert_eq!(client.line(), kernel.line("mov.u32 %lane"));
    client.ask("continue", json!({ "threadId": 1 }));
    assert_eq!(client.event("exited")["exitCode"], 0);
    client.event("terminated");
    let said = client.output();
    assert!(said.contains("kernel: launch: grid=2"), "{said}");
    assert!(said.contains("kernel: finished after") && said.contains("2 of 2 expectations hold"), "{said}");
    assert_eq!(client.refused("stackTrace", json!({ "threadId": 1 })), "the kernel has ended");
    assert_eq!(client.ask("threads", json!({}))["threads"], json!([]));
    client.ask("disconnect", json!({}));
    client.ends();
}

#[test]
fn what_does_not_hold_is_told() {
    let kernel = KernelFolder::new(&DIVERGING.replace("out[31]=31", "out[31]=30"));
    let mut client = TestClient::launched(json!({ "program": kernel.path, "stopOnEntry": false }));
    client.ask("configurationDone", json!({}));
    assert_eq!(client.event("exited")["exitCode"], 1);
    client.event("terminated");
    let said = client.output();
    assert!(said.contains("not as expected: out[31]=30") && said.contains("1 of 2 expectations hold"), "{said}");
    client.close();
}

#[test]
fn launches_that_cannot_be_done_say_why() {
    let kernel = KernelFolder::new(DIVERGING);
    let broken = KernelFolder::new(&DIVERGING.replace("add.u32 %i, %i, 1;", "add.u32 %i, %i, %a;"));
    let mistaken = KernelFolder::new(&DIVERGING.replace("n=3", "m=3"));
    let markup = KernelFolder::new("<pretext/>");
    std::fs::write(kernel.folder().join("run.toml"), "grids = [1]\n").unwrap();
    #[cfg(unix)]
    let pipe = kernel.folder().join("pipe");
    #[cfg(unix)]
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let with = |more: Value| {
        let mut all = kernel.launch();
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        all
    };
    for (arguments, words) in [
        (json!({}), "`program` is missing"),
        (json!({ "program": kernel.folder().join("none.ptx") }), "none.ptx` cannot be read"),
        #[cfg(unix)]
        (json!({ "program": "/dev/zero" }), "`/dev/zero` cannot be read: it is not a regular file"),
        #[cfg(unix)]
        (with(json!({ "launchFile": "/dev/zero" })), "`/dev/zero` cannot be read: it is not a regular file"),
        #[cfg(unix)]
        (json!({ "program": pipe }), "pipe` cannot be read: it is not a regular file"),
        (json!({ "program": 3 }), "the arguments of `launch` cannot be understood"),
        (markup.launch(), "is XML (PreTeXt), not PTX"),
        (with(json!({ "entry": "other" })), "there is no kernel `other` in this module: there are `kernel`"),
        (with(json!({ "launch": 3 })), "`launch` is what follows"),
        (with(json!({ "launch": "grid=0" })), "launch:1: the launch has a mistake: a dimension of `grid` is 1 to"),
        (with(json!({ "launch": "grid=1 m=3" })), "launch:1: the launch has a mistake: `kernel` has no parameter `m`"),
        (with(json!({ "launch": { "gird": 1 } })), "`gird` is not a key of a launch"),
        (with(json!({ "launchFile": "/none/run.toml" })), "run.toml` cannot be read"),
        (with(json!({ "launchFile": kernel.folder().join("run.toml") })), "`grids` is not a key of a launch"),
        (with(json!({ "number": 1 })), "`number` is 1, but `kernel` has 1 launches"),
        (with(json!({ "find": ["nan", "races"] })), "`races` is not a finding that can be enabled: there are"),
        (with(json!({ "limit": 0 })), "`limit` is at least 1"),
        (with(json!({ "source": "c" })), "`source` is `ptx` or `original`"),
        (with(json!({ "cta": [2, 0, 0] })), "there is no CTA [2, 0, 0] in a grid of [2, 1, 1]"),
        (with(json!({ "warp": 2 })), "there is no warp 2 in a CTA of 2"),
        (broken.launch(), "kernel.ptx:30: `kernel` has errors and cannot be run: "),
        (mistaken.launch(), "kernel.ptx:14: the launch has "),
    ] {
        let mut client = TestClient::start();
        client.ask("initialize", json!({ "adapterID": "ptx" }));
        let seq = client.send("launch", arguments.clone());
        let response = client.response(seq);
        assert_eq!(response["success"], false, "{arguments}: {response}");
        let error = &response["body"]["error"];
        assert_eq!(error["showUser"], true, "{response}");
        assert!(error["variables"]["words"].as_str().unwrap().contains(words), "{arguments}: {response}");
        assert!(response["message"].as_str().unwrap().contains(words));
        // The launch can be repeated.
        client.ask("launch", kernel.launch());
        client.close();
    }
}

#[test]
fn launches_of_every_kind() {
    let kernel = KernelFolder::new(DIVERGING);
    let file = kernel.folder().join("run.json");
    std::fs::write(&file, r#"{ "grid": [3], "block": [32], "params": { "n": 1, "out": "u32[96]:zero" } }"#).unwrap();
    for (launch, said) in [
        (json!({ "launch": "grid=1 block=32 n=7 out=u32[32]:zero\nexpect: out[0]=14" }), "grid=1 block=32"),
        (json!({ "launch": { "grid": [1], "block": [96] } }), "grid=1 block=96"),
        (json!({ "launchFile": file, "entry": "kernel" }), "grid=3 block=32"),
    ] {
        let mut all = kernel.launch();
        all.as_object_mut().unwrap().extend(launch.as_object().unwrap().clone());
        let mut client = TestClient::entered(all);
        let output = client.output();
        assert!(output.contains(said), "{output}");
        client.close();
    }
}

#[test]
fn nothing_is_attached_to_or_unknown() {
    let mut client = TestClient::start();
    client.ask("initialize", json!({ "adapterID": "ptx" }));
    assert!(client.refused("attach", json!({})).contains("there is nothing to attach to"));
    assert_eq!(client.refused("gotoTargets", json!({})), "there is no request `gotoTargets` here");
    assert_eq!(client.refused("next", json!({ "threadId": 1 })), "no kernel has been started");
    assert_eq!(client.refused("restart", json!({})), "no kernel has been launched");
    client.ask("cancel", json!({ "requestId": 99 }));
    client.ask("disconnect", json!({}));
    client.ends();
}

#[test]
fn a_restart_begins_anew() {
    let kernel = KernelFolder::new(DIVERGING);
    let mut client = TestClient::entered(kernel.launch());
    let line = kernel.line("mul.wide.u32");
    client.ask("setBreakpoints", json!({ "source": { "path": kernel.path }, "breakpoints": [{ "line": line }] }));
    assert_eq!(client.go("continue", json!({}))["reason"], "breakpoint");
    client.ask("restart", json!({}));
    assert_eq!(client.event("continued")["allThreadsContinued"], true);
    assert_eq!(client.stopped()["reason"], "entry");
    // Restart with other arguments; breakpoints stay.
    let arguments =
        json!({ "program": kernel.path, "stopOnEntry": false, "launch": "grid=1 block=32 n=1 out=u32[32]:zero" });
    client.ask("restart", json!({ "arguments": arguments }));
    assert_eq!(client.stopped()["reason"], "breakpoint");
    client.ask("terminate", json!({}));
    client.event("terminated");
    client.ask("restart", json!({}));
    assert_eq!(client.stopped()["reason"], "breakpoint");
    client.close();
}

#[test]
fn without_debugging_nothing_stops() {
    let kernel = KernelFolder::new(DIVERGING);
    let mut client = TestClient::launched(json!({ "program": kernel.path, "noDebug": true }));
    let line = kernel.line("mul.wide.u32");
    client.ask("setBreakpoints", json!({ "source": { "path": kernel.path }, "breakpoints": [{ "line": line }] }));
    client.ask("configurationDone", json!({}));
    assert_eq!(client.event("exited")["exitCode"], 0);
    client.close();
}

#[test]
fn the_end_can_be_looked_at() {
    let kernel = KernelFolder::new(DIVERGING);
    let mut client = TestClient::entered(json!({ "program": kernel.path, "stopAtEnd": true }));
    let stop = client.go("continue", json!({}));
    assert!(stop["description"].as_str().unwrap().starts_with("Paused at the end"), "{stop}");
    assert!(client.frames(1)[0]["name"].as_str().unwrap().contains("has ended"));
    let buffers = client.scope("Buffers");
    assert_eq!(buffers[0]["value"], "{6, 6, 6, 6, …}");
    assert_eq!(client.go("stepBack", json!({}))["reason"], "step");
    assert_eq!(client.line(), kernel.line("st.global.u32") + 1);
    let stop = client.go("continue", json!({}));
    assert!(stop["description"].as_str().unwrap().starts_with("Paused at the end"), "{stop}");
    client.ask("continue", json!({ "threadId": 1 }));
    client.event("terminated");
    client.close();
}

#[test]
fn a_run_that_takes_long_is_ended_at_once() {
    let endless = "\
.version 8.0
.target sm_80
.address_size 64
//! launch: grid=1 block=32
.visible .entry kernel()
{
    .reg .u32 %i;
    mov.u32 %i, 0;
loop:
    add.u32 %i, %i, 1;
    bra loop;
}
";
    let kernel = KernelFolder::new(endless);
    let launch = json!({ "program": kernel.path, "limit": 1_000_000_000_000u64 });
    // The client can stop a launch with a `cancel` request, …
    let mut client = TestClient::start();
    client.ask("initialize", json!({ "adapterID": "ptx", "supportsProgressReporting": true }));
    let seq = client.send("launch", launch.clone());
    let progress = client.event("progressStart");
    assert_eq!(progress["cancellable"], true);
    let begin = Instant::now();
    client.send("cancel", json!({ "requestId": seq }));
    let response = loop {
        let next = client.any();
        if next["type"] == "response" && next["request_seq"] == seq {
            break next;
        }
    };
    assert_eq!(response["message"], "cancelled");
    assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
    client.close();
    // … by disconnecting, …
    let mut client = TestClient::start();
    client.ask("initialize", json!({ "adapterID": "ptx" }));
    client.send("launch", launch.clone());
    client.send("disconnect", json!({}));
    client.ends();
    // … and by closing its stream.
    let mut client = TestClient::start();
    client.send("launch", launch);
    client.close();
}

#[test]
fn what_a_kernel_prints_is_output() {
    for name in ["saxpy.ptx", "indirect_call.ptx", "block_reduce.ptx"] {
        let mut client = TestClient::launched(json!({ "program": example(name), "stopOnEntry": false }));
        client.ask("configurationDone", json!({}));
        assert_eq!(client.event("exited")["exitCode"], 0, "{name}");
        client.close();
    }
}

#[test]
fn what_is_no_message_has_an_answer() {
    let mut client = TestClient::start();
    for body in [
        "{",
        "[]",
        "null",
        "3",
        "\"x\"",
        "{}",
        r#"{"seq":1}"#,
        r#"{"seq":"x","type":"request","command":"threads"}"#,
        r#"{"seq":5,"type":"request"}"#,
        r#"{"seq":5,"type":"request","command":3}"#,
        r#"{"type":"event","event":"x"}"#,
        "\u{0}",
        "[[[[[[[[[[",
    ] {
        client.body(body.as_bytes());
        let answer = client.any();
        assert_eq!((&answer["type"], &answer["success"]), (&json!("response"), &json!(false)), "{body}");
        assert!(!answer["body"]["error"]["variables"]["words"].as_str().unwrap().is_empty());
    }
    // The adapter ignores a response to nothing.
    let response = r#"{"seq":1,"type":"response","request_seq":1,"success":true,"command":"x"}"#;
    client.raw(format!("stray\r\nContent-Length: {}\r\n\r\n{response}", response.len()).as_bytes());
    assert_eq!(client.ask("threads", json!({}))["threads"], json!([]));
    client.close();
}
