//! Shown data, and changes to it.

use super::DIVERGING;
use super::client::{KernelFolder, TestClient, example};
use serde_json::{Value, json};

fn at(kernel: &KernelFolder, what: &str) -> TestClient {
    let mut client = TestClient::launched(kernel.launch());
    let breakpoints = json!([{ "line": kernel.line(what) }]);
    client.ask("setBreakpoints", json!({ "source": { "path": kernel.path }, "breakpoints": breakpoints }));
    client.ask("configurationDone", json!({}));
    client.stopped();
    client.go("continue", json!({}));
    client.ask("setBreakpoints", json!({ "source": { "path": kernel.path }, "breakpoints": [] }));
    client
}

fn named<'v>(variables: &'v [Value], name: &str) -> &'v Value {
    variables.iter().find(|v| v["name"] == name).unwrap_or_else(|| panic!("{name} is not in {variables:?}"))
}

#[test]
fn registers_by_what_they_hold() {
    let kernel = KernelFolder::new(DIVERGING);
    let mut client = at(&kernel, "// here");
    let uniform = client.scope("Uniform registers");
    assert_eq!((&named(&uniform, "%n")["value"], &named(&uniform, "%n")["type"]), (&json!("3"), &json!(".u32")));
    let varying = client.scope("Varying registers");
    let lane = named(&varying, "%lane");
    assert_eq!((&lane["value"], &lane["indexedVariables"]), (&json!("0 1 2 … 31"), &json!(32)));
    let lanes = client.parts(&lane["variablesReference"]);
    assert_eq!((lanes.len(), &lanes[7]["name"], &lanes[7]["value"]), (32, &json!("[7]"), &json!("7")));
    assert_eq!(lanes[7]["evaluateName"], "%lane@7");
    // Only the lanes that have been in the loop have a value.
    let i = named(&varying, "%i");
    assert_eq!(i["value"], "2");
    assert_eq!(client.parts(&i["variablesReference"])[31]["value"], "not written");
    let predicates = client.scope("Predicates");
    assert_eq!(named(&predicates, "%p")["value"], "0x0000ffff (lanes 0–15)");
    let special = client.scope("Special registers");
    assert_eq!(named(&special, "%ctaid.x")["value"], "0");
    assert_eq!(named(&special, "%tid.x")["value"], "0 1 2 … 31");
    let parameters = client.scope("Parameters");
    assert_eq!(named(&parameters, "n")["value"], "3");
    let out = named(&parameters, "out");
    assert!(out["value"].as_str().unwrap().ends_with("→ out"), "{out}");
    let buffers = client.scope("Buffers");
    assert_eq!((&buffers[0]["name"], &buffers[0]["type"]), (&json!("out"), &json!(".u32[128]")));
    // A pointer parameter refers to the same memory as the buffer that it points to.
    assert_eq!(out["memoryReference"], buffers[0]["memoryReference"]);
    client.close();
}

/// Bits read as the instructions read them, with the texts of other views.
#[test]
fn bits_that_are_numbers() {
    let text = ".version 8.0\n.target sm_80\n.address_size 64\n//! launch: grid=1 block=32 out=f32[32]:zero\n\
                .visible .entry k(.param .u64 out)\n{\n.reg .b32 %w, %mask;\n.reg .u64 %p;\nld.param.u64 %p, [out];\n\
                mov.b32 %w, 0f3eaaaaab;\nmov.b32 %mask, 0xdeadbeef;\nst.global.f32 [%p], %w; // here\nret;\n}\n";
    let kernel = KernelFolder::new(text);
    let mut client = at(&kernel, "// here");
    let uniform = client.scope("Uniform registers");
    let word = named(&uniform, "%w");
    assert_eq!((&word["value"], &word["type"]), (&json!("0.33333334"), &json!(".b32")));
    assert_eq!(client.parts(&word["variablesReference"])[5]["value"], "0.33333334");
    assert_eq!(named(&uniform, "%mask")["value"], "0xdeadbeef");
    client.close();
}

#[test]
fn variables_come_in_pages() {
    let kernel = KernelFolder::new(DIVERGING);
    let mut client = at(&kernel, "// here");
    let shared = client.scope("Shared");
    let table = named(&shared, "table");
    assert_eq!((&table["type"], &table["value"]), (&json!(".u32[64]"), &json!("{6, 6, 6, 6, …}")));
    let reference = &table["variablesReference"];
    let page = |more: Value| {
        let mut all = json!({ "variablesReference": reference });
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        all
    };
    let some = client.ask("variables", page(json!({ "filter": "indexed", "start": 30, "count": 3 })));
    let some = some["variables"].as_array().unwrap();
    let seen: Vec<(&Value, &Value)> = some.iter().map(|v| (&v["name"], &v["value"])).collect();
    assert_eq!(
        seen,
        [
            (&json!("[30]"), &json!("30")),
            (&json!("[31]"), &json!("31")),
            // The other warp has not written its elements yet.
            (&json!("[32]"), &json!("not written")),
        ]
    );
    assert_eq!(some[1]["evaluateName"], "[table+124]:u32");
    assert_eq!(client.evaluate("[table+124]:u32"), "31");
    let hex = client.ask("variables", page(json!({ "start": 31, "count": 1, "format": { "hex": true } })));
    assert_eq!(hex["variables"][0]["value"], "0x0000001f");
    assert_eq!(client.ask("variables", page(json!({ "filter": "named" })))["variables"], json!([]));
    assert_eq!(client.ask("variables", page(json!({ "start": 64, "count": 10 })))["variables"], json!([]));
    assert!(client.refused("variables", json!({ "variablesReference": 9999 })).contains("no longer valid"));
    assert!(client.refused("scopes", json!({ "frameId": 9999 })).contains("no longer valid"));
    client.close();
}

#[test]
fn frames_come_in_pages() {
    let kernel = KernelFolder::new(DIVERGING);
    let mut client = at(&kernel, "mov.u32 out");
    let body = client.ask("stackTrace", json!({ "threadId": 1, "startFrame": 1, "levels": 1 }));
    assert_eq!(body["totalFrames"], 4);
    assert_eq!(body["stackFrames"][0]["name"], "kernel [lanes 0–15]");
    assert!(client.refused("stackTrace", json!({ "threadId": 99 })).contains("no warp 99"));
    // A warp whose CTA has not started.
    let ahead = client.frames(4);
    assert_eq!(ahead.len(), 1);
    client.close();
}

#[test]
fn expressions_are_evaluated() {
    let kernel = KernelFolder::new(DIVERGING);
    let mut client = at(&kernel, "// here");
    for (expression, expected) in [
        ("%n", "3"),
        ("%n + 1", "4"),
        ("%lane", "0 1 2 … 31"),
        ("%lane@5", "5"),
        ("%lane@5..6", "5 6 in lanes 5–6"),
        ("%p", "0x0000ffff (lanes 0–15)"),
        ("any(%lane == 3)", "true"),
        ("count(%p)", "16"),
        ("table", "{6, 6, 6, 6, …}"),
        ("[table+64]:u32", "16"),
        ("n", "3"),
    ] {
        assert_eq!(client.evaluate(expression), expected, "{expression}");
    }
    let hex = client.ask("evaluate", json!({ "expression": "%n", "format": { "hex": true } }));
    assert_eq!(hex["result"], "0x00000003");
    let copied = client.ask("evaluate", json!({ "expression": "%lane@0..2", "context": "clipboard" }));
    assert!(copied["result"].as_str().unwrap().starts_with("0 1 2"), "{copied}");
    let lanes = client.ask("evaluate", json!({ "expression": "%lane * 2", "context": "hover" }));
    let parts = client.parts(&lanes["variablesReference"]);
    assert_eq!(parts[4]["value"], "8");
    assert!(client.refused("evaluate", json!({ "expression": "%nothing" })).contains("%nothing"));
    assert!(client.refused("evaluate", json!({ "expression": "1 +" })).contains("expected"));
    client.close();
}

#[test]
fn the_console_has_commands() {
    let kernel = KernelFolder::new(DIVERGING);
    let mut client = at(&kernel, "// here");
    let say = |client: &mut TestClient, text: &str| {
        let body = client.ask("evaluate", json!({ "expression": text, "context": "repl" }));
        body["result"].as_str().unwrap().to_owned()
    };
    assert_eq!(say(&mut client, "lane 5"), "lane 5 is selected; `lane all` selects all again");
    assert_eq!(client.event("invalidated")["areas"], json!(["variables"]));
    assert_eq!(client.evaluate("%lane"), "lane 5: 5");
    assert_eq!(named(&client.scope("Varying registers"), "%lane")["value"], "lane 5: 5");
    assert_eq!(say(&mut client, "lane all"), "all lanes are selected");
    assert_eq!(client.evaluate("%lane"), "0 1 2 … 31");
    assert_eq!(client.ask("ptx/focusLane", json!({ "lane": 7 }))["lane"], 7);
    assert_eq!(client.evaluate("%lane"), "lane 7: 7");
    assert_eq!(client.ask("ptx/focusLane", json!({}))["lane"], Value::Null);
    assert_eq!(client.refused("ptx/focusLane", json!({ "lane": 32 })), "lanes are 0 to 31");
    assert!(client.refused("evaluate", json!({ "expression": "lane 32", "context": "repl" })).contains("not a lane"));
    assert!(say(&mut client, "where").starts_with("all lanes: line "));
    assert!(say(&mut client, "time").ends_with("warp instructions of the grid"));
    assert!(say(&mut client, "help").contains("lane all"));
    assert_eq!(say(&mut client, "%n"), "3");
    // Completion proposes valid expressions.
    let complete = |client: &mut TestClient, text: &str| -> Vec<String> {
        let body = client.ask("completions", json!({ "text": text, "column": text.len() + 1 }));
        body["targets"].as_array().unwrap().iter().map(|t| t["label"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(complete(&mut client, "la"), ["lane"]);
    assert_eq!(complete(&mut client, "1 + %la"), ["%lane", "%laneid"]);
    assert_eq!(complete(&mut client, "[ta"), ["table"]);
    client.close();
}

#[test]
fn values_are_changed_and_the_run_goes_on_from_there() {
    let kernel = KernelFolder::new(DIVERGING);
    let mut client = at(&kernel, "setp.lt.u32 %p");
    let frame = client.frames(1)[0]["id"].clone();
    let scopes = client.ask("scopes", json!({ "frameId": frame }));
    let reference = |scopes: &Value, name: &str| {
        let all = scopes["scopes"].as_array().unwrap();
        all.iter().find(|s| s["name"] == name).unwrap()["variablesReference"].clone()
    };
    // Set all lanes of a register, one lane, a value by an expression, and memory.
    let uniform = reference(&scopes, "Uniform registers");
    let set = json!({ "variablesReference": uniform, "name": "%n", "value": "0x2a" });
    assert_eq!(client.ask("setVariable", set)["value"], "42");
    let varying = reference(&scopes, "Varying registers");
    let v = client.parts(&varying);
    let lanes = named(&v, "%v")["variablesReference"].clone();
    let set = json!({ "variablesReference": lanes, "name": "[20]", "value": "%n + 1" });
    assert_eq!(client.ask("setVariable", set)["value"], "43");
    let set = json!({ "expression": "%v@21", "value": "-1" });
    assert_eq!(client.ask("setExpression", set)["value"], "4294967295");
    let set = json!({ "expression": "[out+508]:u32", "value": "77", "format": { "hex": true } });
    let told = client.ask("setExpression", set);
    assert_eq!(told["value"], "0x0000004d");
    assert_eq!(client.event("memory")["memoryReference"], told["memoryReference"]);
    assert_eq!(client.evaluate("%v@20..22"), "43 4294967295 22 in lanes 20–22");
    for (wrong, why) in [
        (json!({ "expression": "%tid.x", "value": "1" }), "has no storage of its own"),
        (json!({ "expression": "%n", "value": "%lane" }), "is not the same in all lanes: choose one, as in `%lane@0`"),
        (json!({ "expression": "%n", "value": "1.5" }), "1.5"),
        (json!({ "expression": "%n", "value": "" }), "expected"),
        (json!({ "expression": "[out+4096]:u32", "value": "1" }), "past the end"),
    ] {
        assert!(client.refused("setExpression", wrong.clone()).contains(why), "{wrong}");
    }
    // The run continues with the new values, …
    let line = kernel.line("st.global.u32") + 1;
    client.ask("setBreakpoints", json!({ "source": { "path": kernel.path }, "breakpoints": [{ "line": line }] }));
    client.go("continue", json!({}));
    while client.thread != 1 {
        client.go("continue", json!({}));
    }
    assert_eq!(client.evaluate("[out+80]:u32"), "43");
    assert_eq!(client.evaluate("[out+508]:u32"), "77");
    assert_eq!(client.evaluate("[out]:u32"), "84");
    // Going back past the writes returns to the older run.
    client.ask("setBreakpoints", json!({ "source": { "path": kernel.path }, "breakpoints": [] }));
    assert_eq!(client.go("reverseContinue", json!({}))["reason"], "entry");
    client.ask("setBreakpoints", json!({ "source": { "path": kernel.path }, "breakpoints": [{ "line": line }] }));
    client.go("continue", json!({}));
    while client.thread != 1 {
        client.go("continue", json!({}));
    }
    assert_eq!(client.evaluate("[out+80]:u32"), "20");
    assert_eq!(client.evaluate("[out+508]:u32"), "0");
    client.close();
}

#[test]
fn a_changed_value_changes_what_comes_of_it() {
    let kernel = KernelFolder::new(DIVERGING);
    let mut client = at(&kernel, "setp.lt.u32 %p");
    client.ask("setExpression", json!({ "expression": "%v@31", "value": "30" }));
    client.ask("continue", json!({ "threadId": 1 }));
    assert_eq!(client.event("exited")["exitCode"], 1);
    assert!(client.output().contains("not as expected: out[31]=31"), "{}", client.output());
    client.close();
}

#[test]
fn memory_is_read_and_written() {
    let kernel = KernelFolder::new(DIVERGING);
    let mut client = at(&kernel, "ld.shared");
    let shared = client.scope("Shared");
    let reference = named(&shared, "table")["memoryReference"].clone();
    let read = client.ask("readMemory", json!({ "memoryReference": reference, "offset": 64, "count": 8 }));
    assert_eq!(read["data"], "EAAAABEAAAA=");
    assert!(read["address"].as_str().unwrap().starts_with("0x"));
    let written = json!({ "memoryReference": reference, "offset": 64, "data": "BwAAAA==" });
    assert_eq!(client.ask("writeMemory", written)["bytesWritten"], 4);
    assert_eq!(client.event("memory")["count"], 4);
    assert_eq!(client.evaluate("[table+64]:u32"), "7");
    let far = json!({ "memoryReference": reference, "offset": 100_000, "count": 16 });
    let read = client.ask("readMemory", far);
    assert_eq!((&read["data"], &read["unreadableBytes"]), (&Value::Null, &json!(16)));
    let end = client.ask("readMemory", json!({ "memoryReference": "0", "count": 4 }));
    assert_eq!(end["unreadableBytes"], 4);
    let partial = json!({ "memoryReference": reference, "offset": 252, "data": "AQAAAAIAAAA=", "allowPartial": true });
    let bytes = client.ask("writeMemory", partial)["bytesWritten"].as_u64().unwrap();
    assert!((4..=8).contains(&bytes), "{bytes}");
    for (wrong, why) in [
        (json!({ "memoryReference": "table", "data": "" }), "not a reference to memory"),
        (json!({ "memoryReference": reference, "data": "*" }), "not base 64"),
        (json!({ "memoryReference": "0x10", "data": "AQ==" }), "0x10"),
    ] {
        assert!(client.refused("writeMemory", wrong.clone()).contains(why), "{wrong}");
    }
    client.close();
}

#[test]
fn sources_are_given() {
    let kernel = KernelFolder::new(DIVERGING);
    let mut client = TestClient::entered(kernel.launch());
    let source = client.ask("source", json!({ "source": { "path": kernel.path }, "sourceReference": 0 }));
    assert_eq!(source["content"], DIVERGING);
    let secret = json!({ "source": { "path": "/etc/passwd" }, "sourceReference": 0 });
    assert!(client.refused("source", secret).contains("is not a source of this kernel"));
    client.close();
}

#[test]
fn every_example_can_be_looked_at() {
    let folder = example("");
    let mut names: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    names.retain(|p| p.extension().is_some_and(|e| e == "ptx"));
    names.sort();
    assert!(names.len() > 20);
    for path in names {
        let mut client = TestClient::entered(json!({ "program": path }));
        let thread = client.ask("threads", json!({}))["threads"][0]["id"].as_i64().unwrap();
        assert_eq!(thread, 1, "{}", path.display());
        for _ in 0..10 {
            client.go("next", json!({}));
            client.everything();
        }
        client.close();
    }
}
