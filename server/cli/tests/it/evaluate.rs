//! Evaluated warps in the protocol: the command and its companions, lenses, actions, hints and findings, also after
//! edits.

use crate::client::Client;
use crate::protocol::{at, path_of, server};
use serde_json::{Value, json};

const URI: &str = "file:///kernel.ptx";

/// A kernel whose lanes diverge in line 20. It has a fault if `n` exceeds the size of the buffers.
const TEXT: &str = "\
.version 8.0
.target sm_80
.address_size 64
//! launch: grid=1 block=40 n=40 x=u32[40]:iota out=u32[40]:zero
//! expect: out[3]=4
.visible .entry twice(.param .u64 x, .param .u64 out, .param .u32 n)
{
    .reg .b32 %r<8>;
    .reg .b64 %rd<8>;
    .reg .pred %p<3>;
    ld.param.u64 %rd1, [x];
    ld.param.u64 %rd2, [out];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x;
    setp.ge.u32 %p1, %r2, %r1;
    @%p1 bra DONE;
    mul.wide.u32 %rd3, %r2, 4;
    add.s64 %rd4, %rd1, %rd3;
    add.s64 %rd5, %rd2, %rd3;
    ld.global.u32 %r3, [%rd4];
    and.b32 %r4, %r2, 1;
    setp.eq.u32 %p2, %r4, 0;
    @%p2 bra EVEN;
    add.u32 %r3, %r3, 1;
EVEN:
    st.global.u32 [%rd5], %r3;
DONE:
    ret;
}
.visible .entry other(.param .u32 n) { ret; }
";

fn begun(capabilities: Value) -> Client {
    let mut client = server();
    client.begin(json!({ "capabilities": capabilities }));
    client.open(URI, 1, TEXT);
    client
}

fn opened() -> Client {
    begun(json!({}))
}

fn evaluate(client: &mut Client, more: Value) -> Value {
    let mut argument = json!({ "uri": URI });
    argument.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    client.execute("ptx-analyzer.evaluateWarp", argument)
}

/// The error that the server returns for a refused request.
fn refused(client: &mut Client, more: Value) -> Value {
    let mut argument = json!({ "uri": URI });
    argument.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let id = client.request(
        "workspace/executeCommand",
        json!({ "command": "ptx-analyzer.evaluateWarp", "arguments": [argument] }),
    );
    let answer = client.answer(id);
    assert!(answer["error"].is_object(), "{answer}");
    answer["error"].clone()
}

/// Replaces a part of the text.
fn edit(client: &mut Client, version: i32, from: (u32, u32), to: (u32, u32), text: &str) {
    let range = json!({ "start": at(from.0, from.1), "end": at(to.0, to.1) });
    client.change(URI, version, json!([{ "range": range, "text": text }]));
}

/// The values of 32 lanes, 4 bytes each.
fn words(hex: &Value) -> Vec<u32> {
    let hex = hex.as_str().unwrap();
    (0..hex.len() / 8).map(|i| u32::from_str_radix(&hex[i * 8..i * 8 + 8], 16).unwrap().swap_bytes()).collect()
}

fn hints(client: &mut Client) -> Vec<(u64, String)> {
    let range = json!({ "start": at(0, 0), "end": at(99, 0) });
    let hints = client.call("textDocument/inlayHint", json!({ "textDocument": { "uri": URI }, "range": range }));
    let one = |hint: &Value| {
        let label = hint["label"].as_str().filter(|l| l.contains(" = "))?;
        Some((hint["position"]["line"].as_u64().unwrap() + 1, label.to_owned()))
    };
    hints.as_array().map(|all| all.iter().filter_map(one).collect()).unwrap_or_default()
}

#[test]
fn a_window_of_the_trace() {
    let mut client = opened();
    let answer =
        evaluate(&mut client, json!({ "entry": "twice", "from": 3, "count": 2, "timeline": true, "state": 3 }));
    assert_eq!(answer["status"], "finished");
    let range = json!({ "line": 5, "column": 13, "end_line": 5, "end_column": 21 });
    assert_eq!(answer["expectations"], json!([{ "name": "out[3]=4", "ok": true, "range": range }]));
    assert_eq!(answer["grid"]["warps"], 2);
    assert_eq!(answer["target"], json!({ "cta": [0, 0, 0], "warp": 0, "present": 0xffff_ffff_u32 }));
    assert_eq!(answer["version"], 1);
    let trace = answer["trace"].as_array().unwrap();
    assert_eq!(trace.len(), 2);
    assert_eq!((&trace[0]["step"], &trace[0]["line"], &trace[0]["time"]), (&json!(3), &json!(14), &json!(3)));
    let change = &trace[0]["registers"][0];
    assert_eq!((&change["name"], &change["type"]), (&json!("%r2"), &json!(".b32")));
    assert_eq!(words(&change["after"]), (0..32).collect::<Vec<_>>());
    let state = &answer["state"];
    assert_eq!((&state["step"], &state["exited"]), (&json!(3), &json!(0)));
    assert_eq!(state["groups"][0]["line"], 14);
    let register = |name: &str| {
        let all = state["registers"].as_array().unwrap();
        all.iter().find(|r| r["name"] == name).unwrap_or_else(|| panic!("{name}")).clone()
    };
    assert_eq!((&register("%r1")["known"], &register("%r1")["uniform"]), (&json!(u32::MAX), &json!(true)));
    assert_eq!(words(&register("%r1")["value"])[31], 40);
    assert_eq!(register("%r2")["known"], 0);
    assert_eq!(state["parameters"][0]["points_to"], "x");
    let timeline = answer["timeline"]["steps"].as_array().unwrap();
    assert_eq!(timeline.len() as u64, answer["steps"].as_u64().unwrap());
    // Odd lanes execute line 24, even lanes do not.
    assert!(timeline.contains(&json!([24, 0xaaaa_aaaa_u32, 0xaaaa_aaaa_u32, 0, 24])));
    let markdown = answer["markdown"].as_str().unwrap();
    for piece in [
        "# twice",
        "**Finished after",
        "`out` u32[40]",
        "| 23 | `@%p2 bra EVEN;` | all lanes | lanes 1, 3, … 31 | 1 |",
        "| `%r3` | `.u32` | 0 2 2 … 32 |",
    ] {
        assert!(markdown.contains(piece), "{piece} in {markdown}");
    }
    let status = client.execute("ptx-analyzer.serverStatus", json!({}));
    let evaluation = &status["documents"][0]["evaluation"];
    assert_eq!((&evaluation["entry"], &evaluation["last"]["warp_instructions"]), (&json!("twice"), &json!(32)));
    // The second warp has 8 lanes.
    let answer = evaluate(&mut client, json!({ "entry": "twice", "warp": 1, "count": 0, "state": 1000 }));
    assert_eq!(answer["target"]["present"], 0xff);
    let brief = evaluate(&mut client, json!({ "entry": "twice", "brief": true }));
    assert!(brief.get("buffers").is_none() && brief.get("markdown").is_none() && brief["trace"].is_array());
    assert_eq!(answer["trace"], json!([]));
    let last = &answer["state"];
    assert_eq!(last["step"].as_u64(), answer["steps"].as_u64().map(|n| n - 1));
}

#[test]
fn accesses_and_memory() {
    let mut client = opened();
    let asked = json!({
        "entry": "twice", "from": 9, "count": 1, "accesses": true, "state": true,
        "memory": [{ "buffer": "x", "offset": 4, "length": 8 }, { "space": "moon", "length": 4 }, { "buffer": "y", "length": 4 }],
    });
    let answer = evaluate(&mut client, asked);
    let access = &answer["trace"][0]["accesses"][0];
    assert_eq!((&access["kind"], &access["space"], &access["bytes"]), (&json!("load"), &json!("global"), &json!(4)));
    assert_eq!(access["names"][3], "x+12");
    assert_eq!((&access["sectors"], &access["ideal"], &access["efficiency"]), (&json!(4), &json!(4), &json!(1.0)));
    let memory = &answer["memory"];
    assert_eq!((&memory[0]["bytes"], &memory[0]["known"]), (&json!("0100000002000000"), &json!([[0, 8]])));
    assert!(memory[1]["error"].as_str().unwrap().contains("not a state space"));
    assert!(memory[2]["error"].is_string());
}

#[test]
fn which_kernel_and_which_launch() {
    let mut client = opened();
    assert_eq!(evaluate(&mut client, json!({}))["entry"], "twice");
    assert_eq!(evaluate(&mut client, json!({ "line": 30 }))["entry"], "other");
    assert_eq!(evaluate(&mut client, json!({ "line": 5 }))["entry"], "twice");
    let other = evaluate(&mut client, json!({ "entry": "twice", "launch": "block=1 n=1\nexpect: out[0]=5" }));
    assert_eq!((&other["grid"]["threads"], &other["expectations"][0]["ok"]), (&json!(1), &json!(false)));
    assert!(!other["guessed"].as_array().unwrap().is_empty());
    let table = json!({ "block": [2], "params": { "n": 2 } });
    assert_eq!(evaluate(&mut client, json!({ "entry": "twice", "launch": table }))["grid"]["threads"], 2);
    let error = refused(&mut client, json!({ "entry": "none" }));
    assert_eq!((&error["code"], &error["data"]["kind"]), (&json!(-32803), &json!("no-kernel")));
    let error = refused(&mut client, json!({ "entry": "twice", "launch": "blok=1" }));
    assert_eq!((&error["data"]["kind"], &error["data"]["places"][0]["start"]), (&json!("launch"), &json!(0)));
    assert!(error["message"].as_str().unwrap().contains("`block`"), "{error}");
    for wrong in [
        json!({ "warp": -1 }),
        json!({ "cta": [] }),
        json!({ "focus": { "lane": 32 } }),
        json!({ "line": 0 }),
        json!({ "launch": 7 }),
    ] {
        assert_eq!(refused(&mut client, wrong)["code"], -32602);
    }
    let error = refused(&mut client, json!({ "entry": "twice", "cta": [1] }));
    assert!(error["message"].as_str().unwrap().contains("no CTA [1, 0, 0]"), "{error}");
}

#[test]
fn the_result_says_how_it_was_launched_and_whether_lanes_parted() {
    let mut client = opened();
    // `other` has no launch: the server guesses grid and block, and says so.
    let other = evaluate(&mut client, json!({ "entry": "other" }));
    assert_eq!(other["guessed"], json!(["grid=1", "block=64", "n=64"]));
    assert_eq!((&other["launch"], &other["grid"]["warps"]), (&json!("//! launch: grid=1 block=64 n=64"), &json!(2)));
    let text = other["markdown"].as_str().unwrap();
    assert!(text.contains("Guessed: all of this launch.") && text.contains("All lanes stayed together."), "{text}");
    let parted = evaluate(&mut client, json!({ "entry": "twice" }));
    let text = parted["markdown"].as_str().unwrap();
    let row = "| 23 | `@%p2 bra EVEN;` | all lanes |";
    assert!(!text.contains("Guessed") && !text.contains("stayed together") && text.contains(row), "{text}");
    // The second warp has 8 existing lanes. They stay together, because all of them skip the guarded code.
    let few = evaluate(&mut client, json!({ "entry": "twice", "launch": "block=40 n=32", "warp": 1 }));
    let text = few["markdown"].as_str().unwrap();
    assert!(text.contains("Lanes 0–7 stayed together."), "{text}");
    assert!(text.contains("Buffer lengths are guessed (`x` and `out`: from the bound of the index, `n`)."), "{text}");
}

#[test]
fn values_and_faults_are_in_the_text_while_it_is_the_same() {
    let mut client = opened();
    assert_eq!(hints(&mut client), []);
    evaluate(&mut client, json!({ "entry": "twice", "focus": { "lane": 3 } }));
    let found = hints(&mut client);
    assert!(found.contains(&(14, "lane 3: %r2 = 3".to_owned())), "{found:?}");
    assert!(found.contains(&(24, "lane 3: %r3 = 4".to_owned())), "{found:?}");
    // An even lane does not reach line 24.
    evaluate(&mut client, json!({ "entry": "twice", "focus": { "lane": 4, "step": 10 } }));
    let found = hints(&mut client);
    assert!(
        found.contains(&(20, "lane 4: %r3 = 4".to_owned())) && !found.iter().any(|(line, _)| *line == 24),
        "{found:?}"
    );
    // The edit introduces a fault, which the server finds after a pause in typing.
    edit(&mut client, 2, (3, 25), (3, 32), "64 n=64");
    // A client without refresh requests gets the new values immediately, never those of the old text.
    let found = hints(&mut client);
    assert!(found.contains(&(13, "lane 4: %r1 = 64".to_owned())), "{found:?}");
    let published = client.wait("a fault", |m| {
        m["method"] == "textDocument/publishDiagnostics"
            && m["params"]["diagnostics"].as_array().is_some_and(|all| all.iter().any(|d| d["code"] == "out-of-bounds"))
    });
    let all = published["params"]["diagnostics"].as_array().unwrap();
    let fault = all.iter().find(|d| d["code"] == "out-of-bounds").unwrap();
    assert_eq!(fault["range"]["start"]["line"], 19);
    assert!(fault["codeDescription"]["href"].as_str().unwrap().ends_with("docs/evaluating.md#what-a-run-finds"));
    assert!(!hints(&mut client).is_empty());
    // Clearing the evaluation removes its diagnostics.
    assert_eq!(client.execute("ptx-analyzer.clearEvaluation", json!({ "uri": URI })), json!(true));
    client.wait("no fault", |m| {
        m["method"] == "textDocument/publishDiagnostics"
            && !m["params"]["diagnostics"].to_string().contains("out-of-bounds")
    });
    assert_eq!(hints(&mut client), []);
}

#[test]
fn without_diagnostics_errors_count_all_the_same() {
    let mut client = server();
    let off = json!({ "ptx-analyzer": { "diagnostics": { "enable": false } } });
    client.begin(json!({ "capabilities": {}, "initializationOptions": off }));
    client.open(URI, 1, &TEXT.replace("block=40", "block=64").replace("n=40", "n=64"));
    assert_eq!(evaluate(&mut client, json!({ "entry": "twice" }))["status"], "fault");
    client.execute("ptx-analyzer.serverStatus", json!({}));
    let shown = |m: &Value| m["params"]["diagnostics"].as_array().is_some_and(|all| !all.is_empty());
    assert!(!client.others().iter().any(shown));
    client.change(URI, 2, json!([{ "text": TEXT.replace("mov.u32", "mvo.u32") }]));
    assert_eq!(refused(&mut client, json!({ "entry": "twice" }))["data"]["kind"], "errors");
}

#[test]
fn a_client_with_a_view_is_told() {
    let mut client = begun(json!({ "experimental": { "commands": { "commands": ["ptx-analyzer.showWarp"] } } }));
    let lenses = client.call("textDocument/codeLens", json!({ "textDocument": { "uri": URI } }));
    let shows: Vec<&Value> =
        lenses.as_array().unwrap().iter().filter(|l| l["command"]["title"] == "Evaluate warp").collect();
    assert_eq!(shows.len(), 2);
    assert_eq!(shows[0]["command"]["command"], "ptx-analyzer.showWarp");
    assert_eq!(shows[0]["command"]["arguments"], json!([{ "uri": URI, "entry": "twice" }]));
    evaluate(&mut client, json!({ "entry": "twice" }));
    edit(&mut client, 2, (4, 19), (4, 20), "5");
    let told = client.wait("an evaluation", |m| m["method"] == "ptx-analyzer/evaluated");
    assert_eq!((&told["params"]["version"], &told["params"]["status"]), (&json!(2), &json!("finished")));
    edit(&mut client, 3, (13, 4), (13, 7), "mvo");
    let told = client.wait("a refusal", |m| m["method"] == "ptx-analyzer/evaluated");
    assert_eq!(told["params"]["refused"]["data"]["kind"], "errors");
    assert_eq!(told["params"]["refused"]["data"]["places"][0]["line"], 14);
}

#[test]
fn a_run_without_an_end_does_not_block_requests() {
    let text = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() {\n.reg .b32 %r<2>;\nmov.u32 %r1, 0;\nL:\n\
        add.u32 %r1, %r1, 1;\nbra L;\n}\n";
    let mut client = server();
    client.begin(
        json!({ "capabilities": { "experimental": { "commands": { "commands": ["ptx-analyzer.showWarp"] } } } }),
    );
    client.open(URI, 1, text);
    let asked = |client: &mut Client, more: Value| {
        let mut argument = json!({ "uri": URI, "count": 0 });
        argument.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        client.request(
            "workspace/executeCommand",
            json!({ "command": "ptx-analyzer.evaluateWarp", "arguments": [argument] }),
        )
    };
    // The evaluation can be cancelled at any point, and the server answers other requests meanwhile.
    let id = asked(&mut client, json!({}));
    assert!(
        client.call("textDocument/hover", json!({ "textDocument": { "uri": URI }, "position": at(5, 1) })).is_object()
    );
    client.notify("$/cancelRequest", json!({ "id": id }));
    assert_eq!(client.answer(id)["error"]["code"], -32800);
    // The configured number of steps limits an evaluation.
    client.notify(
        "workspace/didChangeConfiguration",
        json!({ "settings": { "ptx-analyzer": { "evaluation": { "steps": 1000 } } } }),
    );
    let id = asked(&mut client, json!({}));
    let answer = client.answer(id)["result"].clone();
    assert_eq!((&answer["status"], &answer["limited_by"]), (&json!("limit"), &json!("steps")));
    assert!(answer["stopped_at"]["line"].as_u64().is_some_and(|line| (8..=9).contains(&line)), "{answer}");
    // The configured time does too, and the answer has what was reached.
    let limits = json!({ "steps": 1_000_000_000_000_u64, "seconds": 1 });
    let settings = json!({ "settings": { "ptx-analyzer": { "evaluation": limits } } });
    client.notify("workspace/didChangeConfiguration", settings);
    let id = asked(&mut client, json!({}));
    let answer = client.answer(id)["result"].clone();
    assert_eq!((&answer["status"], &answer["limited_by"]), (&json!("limit"), &json!("time")));
    assert!(answer["warp_instructions"].as_u64().is_some_and(|steps| steps > 1000), "{answer}");
    // The run is stored: another view of it takes no second run.
    let begin = std::time::Instant::now();
    let id = asked(&mut client, json!({}));
    assert_eq!(client.answer(id)["result"]["warp_instructions"], answer["warp_instructions"]);
    assert!(begin.elapsed() < std::time::Duration::from_millis(900), "{:?}", begin.elapsed());
    client.notify("workspace/didChangeConfiguration", json!({ "settings": { "ptx-analyzer": {} } }));
    edit(&mut client, 2, (5, 13), (5, 14), "7");
    let told = client.wait("an evaluation", |m| m["method"] == "ptx-analyzer/evaluated" && m["params"]["version"] == 2);
    assert_eq!(told["params"]["status"], "limit");
}

#[test]
fn runs_without_an_end_keep_neither_finished_ones_nor_newer_texts_waiting() {
    let mut client = opened();
    client.notify(
        "workspace/didChangeConfiguration",
        json!({ "settings": { "ptx-analyzer": { "evaluation": { "steps": 4_000_000_000_000_u64 } } } }),
    );
    let first = evaluate(&mut client, json!({}));
    let text = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() {\n.reg .b32 %r<2>;\nmov.u32 %r1, 0;\nL:\n\
        add.u32 %r1, %r1, 1;\nbra L;\n}\n";
    let endless = ["file:///a.ptx", "file:///b.ptx"];
    let asked = |client: &mut Client, uri: &str| {
        let command = json!({ "command": "ptx-analyzer.evaluateWarp", "arguments": [{ "uri": uri }] });
        client.request("workspace/executeCommand", command)
    };
    let ids = endless.map(|uri| {
        client.open(uri, 1, text);
        client.diagnostics(uri, 1);
        asked(&mut client, uri)
    });
    assert_eq!(evaluate(&mut client, json!({}))["status"], first["status"]);
    assert!(client.others().iter().all(|m| !ids.iter().any(|id| m["id"] == *id)));
    // A request for a newer text cancels the run of the older one.
    client.change(endless[0], 2, json!([{ "text": text.replace("bra L;", "ret;") }]));
    let id = asked(&mut client, endless[0]);
    assert_eq!(client.answer(ids[0])["error"]["code"], -32800);
    assert_eq!(client.answer(id)["result"]["status"], "finished");
}

#[test]
fn a_client_without_one_gets_a_document() {
    let mut client = begun(json!({ "window": { "showDocument": { "support": true } } }));
    let lenses = client.call("textDocument/codeLens", json!({ "textDocument": { "uri": URI } }));
    let lens = lenses.as_array().unwrap().iter().find(|l| l["command"]["title"] == "Evaluate warp").unwrap().clone();
    assert_eq!(lens["command"]["command"], "ptx-analyzer.evaluateWarp");
    client.execute("ptx-analyzer.evaluateWarp", lens["command"]["arguments"][0].clone());
    let asked = client.wait("a document", |m| m["method"] == "window/showDocument");
    client.send(&json!({ "jsonrpc": "2.0", "id": asked["id"], "result": { "success": true } }));
    let uri = asked["params"]["uri"].as_str().unwrap();
    let text = std::fs::read_to_string(path_of(uri)).unwrap();
    assert!(uri.ends_with("/twice-1.md") && text.starts_with("# twice\n"), "{uri} {text}");
    let said = client.wait("a summary", |m| m["method"] == "window/showMessage");
    assert!(said["params"]["message"].as_str().unwrap().starts_with("twice: Finished after 32 warp"), "{said}");
    assert!(!hints(&mut client).is_empty());
    // Without arguments, as from a list of commands, the command applies to the current document.
    client.call("workspace/executeCommand", json!({ "command": "ptx-analyzer.evaluateWarp", "arguments": [] }));
    let asked = client.wait("a document", |m| m["method"] == "window/showDocument");
    assert!(asked["params"]["uri"].as_str().unwrap().ends_with("/twice-2.md"));
    assert!(!path_of(uri).exists());
}

#[test]
fn actions_and_the_launch_that_is_guessed() {
    let literal = json!({ "codeActionKind": { "valueSet": ["quickfix", "refactor", "source"] } });
    let mut client = begun(json!({
        "textDocument": { "codeAction": { "codeActionLiteralSupport": literal } }, "workspace": { "applyEdit": true },
    }));
    let titles = |client: &mut Client, line: u32| {
        let range = json!({ "start": at(line, 1), "end": at(line, 1) });
        let params = json!({ "textDocument": { "uri": URI }, "range": range, "context": { "diagnostics": [] } });
        let found = client.call("textDocument/codeAction", params);
        found.as_array().unwrap().iter().map(|a| a["title"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let evaluates = "Evaluate warp".to_owned();
    assert!(titles(&mut client, 3).contains(&evaluates) && titles(&mut client, 13).contains(&evaluates));
    assert!(!titles(&mut client, 5).iter().any(|t| t.contains("launch")));
    assert!(!titles(&mut client, 0).iter().any(|t| t.contains("Evaluate")));
    assert!(titles(&mut client, 29).contains(&"Write the guessed launch for `other`".to_owned()));
    client.execute("ptx-analyzer.writeLaunch", json!({ "uri": URI, "entry": "other" }));
    let asked = client.wait("an edit", |m| m["method"] == "workspace/applyEdit");
    let edit = &asked["params"]["edit"]["changes"][URI][0];
    assert_eq!((&edit["range"]["start"], &edit["range"]["end"]), (&at(29, 0), &at(29, 0)));
    let text = edit["newText"].as_str().unwrap();
    assert!(text.starts_with("//! launch: grid=1") && text.ends_with('\n'), "{text}");
    let launches = client.execute("ptx-analyzer.launches", json!({ "uri": URI }));
    let entries = launches["entries"].as_array().unwrap();
    assert_eq!((entries.len(), &entries[0]["launches"][0]["line"]), (2, &json!(4)));
    assert_eq!(entries[0]["launches"][0]["text"], "grid=1 block=40 n=40 x=u32[40]:iota out=u32[40]:zero");
    assert_eq!(entries[1]["guess"]["lines"], json!([text.trim_end()]));
}

#[test]
fn matrices_of_an_instruction() {
    let text = "\
.version 8.0
.target sm_80
.address_size 64
.visible .entry k() {
    .reg .f32 %f<8>;
    .reg .b32 %r<8>;
    mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r4,%r5}, {%f4,%f5,%f6,%f7};
    ret;
}
";
    let mut client = server();
    client.begin(json!({ "capabilities": {} }));
    client.open(URI, 1, text);
    let found = client.execute("ptx-analyzer.fragments", json!({ "uri": URI, "line": 7 }));
    let operands = found["operands"].as_array().unwrap();
    assert_eq!(operands.len(), 4);
    let a = &operands[1];
    assert_eq!((&a["rows"], &a["columns"], &a["type"]), (&json!(16), &json!(8), &json!(".tf32")));
    assert_eq!(a["registers"], json!(["%r0", "%r1", "%r2", "%r3"]));
    // Lane 5 holds row 1, column 1 in its first register.
    assert!(a["elements"].as_array().unwrap().contains(&json!([5, 0, 0, 1, 1])));
    assert_eq!(client.execute("ptx-analyzer.fragments", json!({ "uri": URI, "line": 8 })), Value::Null);
}

#[test]
fn requests_at_the_same_time_do_not_cut_each_others_answers_short() {
    // A run checks the text once more, for its findings. That is no edit, so an answer must not be given up for it.
    let mut client = opened();
    let mut ask = |more: Value| {
        let mut argument = json!({ "uri": URI });
        argument.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let parameters = json!({ "command": "ptx-analyzer.evaluateWarp", "arguments": [argument] });
        client.request("workspace/executeCommand", parameters)
    };
    let asked: Vec<(i64, u64)> = (0..200)
        .flat_map(|_| {
            [
                (ask(json!({ "entry": "other", "timeline": true })), 1),
                (ask(json!({ "entry": "twice", "timeline": true })), 16),
                (ask(json!({ "entry": "twice", "state": 3 })), 16),
            ]
        })
        .collect();
    for (id, steps) in asked {
        let answer = client.answer(id);
        assert_eq!(answer["result"]["steps"], steps, "{}", answer["error"]);
    }
}

/// Three launches: the first passes, the second fails, and the third passes because it expects its fault.
const LAUNCHES: &str = "\
.version 8.0
.target sm_80
.address_size 64
//! launch: grid=1 block=8 out=u32[8]:zero
//! expect: out[1]=1
//! launch: grid=1 block=8 out=u32[8]:zero
//! expect: out[0]=0
//! expect: out[1]=5 out[2]=2
//! launch: grid=1 block=9 out=u32[8]:zero
//! expect: fault=out-of-bounds
//! launch: grid=1 block=4 out=u32[8]:zero
.visible .entry count(.param .u64 out)
{
    .reg .b32 %r;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd0, [out];
    mov.u32 %r, %tid.x;
    mul.wide.u32 %rd1, %r, 4;
    add.s64 %rd2, %rd0, %rd1;
    st.global.u32 [%rd2], %r;
    ret;
}
";

#[test]
fn launches_run_aside() {
    let mut client = begun(json!({ "experimental": { "commands": { "commands": ["ptx-analyzer.showWarp"] } } }));
    client.change(URI, 2, json!([{ "text": LAUNCHES }]));
    let found = client.execute("ptx-analyzer.launches", json!({ "uri": URI }));
    let places: Vec<Value> = found["entries"][0]["launches"]
        .as_array()
        .unwrap()
        .iter()
        .map(|l| json!([l["line"], l["end_line"], l["expect"]]))
        .collect();
    assert_eq!(json!(places), json!([[4, 5, [5]], [6, 8, [7, 8]], [9, 10, [10]], [11, 11, []]]));

    // The third launch is the one that the document is evaluated for.
    evaluate(&mut client, json!({ "number": 2 }));
    let evaluation = |client: &mut Client| {
        let status = client.execute("ptx-analyzer.serverStatus", json!({}));
        status["documents"][0]["evaluation"].clone()
    };
    let before = evaluation(&mut client);
    let aside = |client: &mut Client, number: u32| {
        evaluate(
            client,
            json!({ "number": number, "count": 0, "brief": true, "follow": false, "focus": { "lane": 3 } }),
        )
    };
    let first = aside(&mut client, 0);
    assert_eq!(first["passed"], true);
    let range = json!({ "line": 5, "column": 13, "end_line": 5, "end_column": 21 });
    assert_eq!(first["expectations"], json!([{ "name": "out[1]=1", "ok": true, "range": range }]));
    let second = aside(&mut client, 1);
    assert_eq!(second["passed"], false);
    let wrong = &second["expectations"][1];
    assert_eq!(
        (&wrong["ok"], &wrong["message"], &wrong["range"]["line"]),
        (&json!(false), &json!("is 1, not 5"), &json!(8))
    );
    let third = aside(&mut client, 2);
    assert_eq!(
        (&third["passed"], &third["status"], &third["faults"][0]["expected"]),
        (&json!(true), &json!("fault"), &json!(true))
    );
    // Nothing has changed for the document: the same run, no values in the text, and no notification.
    assert_eq!(evaluation(&mut client), before);
    assert_eq!(hints(&mut client), []);
    // The places of a launch of the request are none of the document.
    let sent = evaluate(&mut client, json!({ "launch": "grid=1 block=1\n//! expect: out[0]=0", "follow": false }));
    assert_eq!((&sent["passed"], &sent["expectations"][0]["range"]), (&json!(true), &Value::Null));
}

#[test]
fn a_document_that_only_ran_aside_is_not_evaluated() {
    let mut client = begun(json!({}));
    client.change(URI, 2, json!([{ "text": LAUNCHES }]));
    assert_eq!(evaluate(&mut client, json!({ "number": 1, "follow": false }))["passed"], false);
    let status = client.execute("ptx-analyzer.serverStatus", json!({}));
    assert_eq!(status["documents"][0]["evaluation"], Value::Null);
    assert_eq!(client.execute("ptx-analyzer.clearEvaluation", json!({ "uri": URI })), false);
}
