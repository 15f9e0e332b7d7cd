//! Steps and runs, forwards and backwards.

use super::DIVERGING;
use super::client::{KernelFolder, TestClient, example};
use serde_json::json;

#[test]
fn steps_follow_a_warp() {
    let kernel = KernelFolder::new(DIVERGING);
    let mut client = TestClient::entered(kernel.launch());
    let first = kernel.line("mov.u32 %lane");
    for line in [first + 1, first + 2, first + 3, first + 4] {
        assert_eq!(client.go("next", json!({}))["reason"], "step");
        assert_eq!(client.line(), line);
    }
    // The lanes diverge; those whose code comes first in the text continue.
    let stop = client.go("next", json!({}));
    assert_eq!(client.line(), first + 5);
    assert!(stop["description"].as_str().unwrap().contains("lanes 0–15 continue together"), "{stop}");
    let frames = client.frames(1);
    let shown: Vec<(&str, bool)> =
        frames.iter().map(|f| (f["name"].as_str().unwrap(), f["presentationHint"] == "label")).collect();
    assert_eq!(
        shown,
        [("kernel [lanes 0–15]", false), ("lanes 16–31: can continue", true), ("kernel [lanes 16–31]", false)]
    );
    assert_eq!(frames[2]["line"], kernel.line("mul.wide"));
    client.close();
}

#[test]
fn steps_go_into_calls_over_them_and_out() {
    let kernel = KernelFolder::new(DIVERGING);
    let call = kernel.line("call (%v)");
    let mut client = TestClient::launched(kernel.launch());
    client.ask("setBreakpoints", json!({ "source": { "path": kernel.path }, "breakpoints": [{ "line": call }] }));
    client.ask("configurationDone", json!({}));
    client.stopped();
    client.go("continue", json!({}));
    client.go("stepIn", json!({}));
    let frames = client.frames(1);
    assert_eq!(frames[0]["name"], "twice [lanes 0–15]");
    assert_eq!((&frames[1]["name"], &frames[1]["line"]), (&json!("kernel [lanes 0–15]"), &json!(call)));
    client.go("stepOut", json!({}));
    assert_eq!(client.line(), call + 1);
    client.go("stepBack", json!({}));
    assert_eq!(client.line(), call);
    client.go("next", json!({}));
    assert_eq!(client.line(), call + 1);
    client.go("stepBack", json!({ "granularity": "instruction" }));
    assert_eq!(client.line(), kernel.line("mov.u32 out") + 1);
    assert!(client.refused("next", json!({ "threadId": 1, "granularity": "page" })).contains("not a granularity"));
    client.close();
}

#[test]
fn back_is_where_one_came_from() {
    for path in [KernelFolder::new(DIVERGING).path, example("block_reduce.ptx"), example("indirect_call.ptx")] {
        // The folder of the first kernel may be deleted by now: write the kernel again.
        let kernel = KernelFolder::new(DIVERGING);
        let path = if path.exists() { path } else { kernel.path.clone() };
        for step in ["stepIn", "next"] {
            let mut client = TestClient::entered(json!({ "program": path }));
            let granularity = if step == "next" { json!({}) } else { json!({ "granularity": "instruction" }) };
            let mut seen = Vec::new();
            for _ in 0..15 {
                seen.push((client.line(), client.everything()));
                let stop = client.go(step, granularity.clone());
                assert_eq!(stop["threadId"], 1, "{stop}");
            }
            for was in seen.into_iter().rev() {
                client.go("stepBack", granularity.clone());
                assert_eq!((client.line(), client.everything()), was, "{} {step}", path.display());
            }
            let stop = client.go("stepBack", json!({}));
            assert!(stop["description"].as_str().unwrap().contains("there is no earlier step"), "{stop}");
            client.close();
        }
    }
}

#[test]
fn runs_go_backwards() {
    let kernel = KernelFolder::new(DIVERGING);
    let mut client = TestClient::launched(kernel.launch());
    let line = kernel.line("st.global.u32");
    client.ask("setBreakpoints", json!({ "source": { "path": kernel.path }, "breakpoints": [{ "line": line }] }));
    client.ask("configurationDone", json!({}));
    client.stopped();
    // Two CTAs of two warps.
    let forwards: Vec<i64> = (0..4).map(|_| client.go("continue", json!({}))["threadId"].as_i64().unwrap()).collect();
    let mut sorted = forwards.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, [1, 2, 3, 4]);
    let mut backwards = vec![4];
    for _ in 0..3 {
        let stop = client.go("reverseContinue", json!({}));
        assert_eq!(stop["reason"], "breakpoint");
        backwards.insert(0, stop["threadId"].as_i64().unwrap());
    }
    assert_eq!(forwards[..3], backwards[..3]);
    assert_eq!(client.go("reverseContinue", json!({}))["reason"], "entry");
    assert_eq!(client.line(), kernel.line("mov.u32 %lane"));
    client.close();
}

#[test]
fn a_warp_that_ends_gives_way_to_another() {
    let kernel = KernelFolder::new(DIVERGING);
    let mut client = TestClient::launched(kernel.launch());
    let line = kernel.line("st.global.u32") + 1;
    client.ask("setBreakpoints", json!({ "source": { "path": kernel.path }, "breakpoints": [{ "line": line }] }));
    client.ask("configurationDone", json!({}));
    client.stopped();
    let first = client.go("continue", json!({}))["threadId"].as_i64().unwrap();
    client.ask("setBreakpoints", json!({ "source": { "path": kernel.path }, "breakpoints": [] }));
    let stop = client.go("next", json!({}));
    let words = stop["description"].as_str().unwrap();
    assert!(
        words.contains(&format!("warp {} has ended; CTA (0,0,0) warp {} is next", first - 1, 2 - first)),
        "{words}"
    );
    assert_eq!(stop["threadId"], 3 - first);
    client.close();
}

#[test]
fn the_warp_to_begin_with_is_chosen() {
    let kernel = KernelFolder::new(DIVERGING);
    let mut client = TestClient::launched(json!({ "program": kernel.path, "cta": [1, 0, 0], "warp": 1 }));
    client.ask("configurationDone", json!({}));
    let stop = client.stopped();
    assert_eq!((&stop["reason"], &stop["threadId"]), (&json!("entry"), &json!(4)));
    assert_eq!(client.frames(4)[0]["line"], kernel.line("mov.u32 %lane"));
    client.close();
}

/// A kernel with `.loc` directives whose loop takes a while.
const LONG: &str = "\
.version 8.0
.target sm_80
.address_size 64
.file 1 \"kernel.cu\"
.file 2 \"/etc/hostname\"
//! launch: grid=1 block=32 out=u32[1]:zero
.visible .entry kernel(.param .u64 out)
{
    .reg .pred %p;
    .reg .u32 %i;
    .reg .u64 %a;
    .loc 1 2 5
    ld.param.u64 %a, [out];
    mov.u32 %i, 0;
loop:
    .loc 1 3 9
    add.u32 %i, %i, 1;
    setp.lt.u32 %p, %i, 300000;
    @%p bra loop;
    .loc 1 5 1
    st.global.u32 [%a], %i;
    .loc 2 1 1
    ret;
}
";

#[test]
fn a_run_can_be_paused_and_looked_at_again() {
    let kernel = KernelFolder::new(LONG);
    let mut client = TestClient::launched(kernel.launch());
    let line = kernel.line("setp.lt");
    let condition = json!({ "line": line, "condition": "%i == 299999 && %laneid == 5" });
    client.ask("setBreakpoints", json!({ "source": { "path": kernel.path }, "breakpoints": [condition] }));
    client.ask("configurationDone", json!({}));
    client.stopped();
    client.ask("continue", json!({ "threadId": 1 }));
    // The session answers requests while the kernel runs.
    let seq = client.send("stackTrace", json!({ "threadId": 1 }));
    assert_eq!(client.response(seq)["message"], "notStopped");
    assert_eq!(client.ask("threads", json!({}))["threads"][0]["name"], "CTA (0,0,0) warp 0");
    std::thread::sleep(std::time::Duration::from_millis(300));
    client.ask("pause", json!({ "threadId": 1 }));
    let begin = std::time::Instant::now();
    let stop = client.stopped();
    assert_eq!(stop["reason"], "pause");
    assert!(begin.elapsed() < std::time::Duration::from_secs(10), "{:?}", begin.elapsed());
    let at: u64 = client.evaluate("%i@0").parse().unwrap();
    assert!((1..299_999).contains(&at), "{at}");
    client.close();
}

#[test]
fn breakpoints_that_change_while_it_runs_count() {
    let kernel = KernelFolder::new(LONG);
    let mut client = TestClient::entered(kernel.launch());
    let never = json!([{ "line": kernel.line("setp.lt"), "condition": "%i == 400000" }]);
    client.ask("setBreakpoints", json!({ "source": { "path": kernel.path }, "breakpoints": never }));
    client.ask("continue", json!({ "threadId": 1 }));
    let always = json!([{ "line": kernel.line("st.global") }]);
    client.ask("setBreakpoints", json!({ "source": { "path": kernel.path }, "breakpoints": always }));
    assert_eq!(client.stopped()["reason"], "breakpoint");
    assert_eq!(client.evaluate("%i@0"), "300000");
    client.close();
}

#[test]
fn lines_of_the_original_are_steps() {
    let kernel = KernelFolder::new(LONG);
    let original = kernel.folder().join("kernel.cu");
    std::fs::write(&original, "a\nb\nc\nd\ne\n").unwrap();
    let mut client = TestClient::launched(json!({ "program": kernel.path, "source": "original" }));
    let sources = client.ask("loadedSources", json!({}));
    let names: Vec<&str> = sources["sources"].as_array().unwrap().iter().map(|s| s["name"].as_str().unwrap()).collect();
    // Files outside the folder are not shown.
    assert_eq!(names, ["kernel.ptx", "kernel.cu"]);
    let told = client.ask(
        "setBreakpoints",
        json!({ "source": { "path": original }, "breakpoints": [{ "line": 4 }, { "line": 9 }] }),
    );
    assert_eq!((&told["breakpoints"][0]["verified"], &told["breakpoints"][0]["line"]), (&json!(true), &json!(5)));
    assert_eq!(told["breakpoints"][1]["message"], "neither this line nor a later one has an instruction");
    client.ask("configurationDone", json!({}));
    client.stopped();
    let top = client.frames(1)[0].clone();
    assert_eq!((&top["source"]["name"], &top["line"], &top["column"]), (&json!("kernel.cu"), &json!(2), &json!(5)));
    client.go("next", json!({}));
    assert_eq!(client.line(), 3);
    // A step covers one line of the original file, however often the loop repeats.
    client.go("next", json!({}));
    assert_eq!(client.line(), 5);
    assert_eq!(client.evaluate("%i@0"), "300000");
    client.go("next", json!({}));
    assert_eq!(client.frames(1)[0]["source"]["name"], "kernel.ptx");
    client.go("reverseContinue", json!({}));
    client.go("stepBack", json!({}));
    assert_eq!(client.line(), 3);
    assert_eq!(client.evaluate("%i@0"), "0");
    client.close();
}
