//! Breakpoints of every kind.

use super::DIVERGING;
use super::client::{KernelFolder, TestClient};
use serde_json::{Value, json};

fn set(client: &mut TestClient, kernel: &KernelFolder, breakpoints: Value) -> Vec<Value> {
    let source = json!({ "path": kernel.path });
    let body = client.ask("setBreakpoints", json!({ "source": source, "breakpoints": breakpoints }));
    body["breakpoints"].as_array().unwrap().clone()
}

#[test]
fn lines_are_moved_to_instructions() {
    let kernel = KernelFolder::new(DIVERGING);
    let mut client = TestClient::launched(kernel.launch());
    let first = kernel.line("mov.u32 %lane");
    let launch = kernel.line("//! launch");
    let brace = kernel.line("st.global.u32") + 2;
    let lines = [first, launch, kernel.line(".reg .u32 %t;"), kernel.line("unused"), brace, 1, 1000];
    let wanted = lines.iter().map(|l| json!({ "line": l })).collect();
    let told = set(&mut client, &kernel, wanted);
    let seen: Vec<(bool, &Value)> = told.iter().map(|b| (b["verified"] == true, &b["line"])).collect();
    let line = |l: i64| json!(l);
    let expected: Vec<(bool, Value)> = vec![
        (true, line(first)),
        (true, line(first)),
        (true, line(kernel.line("add.u32 %t"))),
        (false, line(kernel.line("unused"))),
        (false, line(brace)),
        (true, line(kernel.line("add.u32 %t"))),
        (false, line(1000)),
    ];
    assert_eq!(seen, expected.iter().map(|(v, l)| (*v, l)).collect::<Vec<_>>());
    assert_eq!(told[3]["message"], "`kernel`, which runs, does not call `unused`");
    assert_eq!(told[4]["message"], "no instruction follows in this kernel");
    assert_eq!(told[6]["message"], "no instruction of `kernel` follows here");
    let other = json!({ "source": { "path": "/other.ptx" }, "breakpoints": [{ "line": 1 }] });
    let other = client.ask("setBreakpoints", other);
    assert_eq!(other["breakpoints"][0]["message"], "`kernel` executes nothing in this file");
    let locations = json!({ "source": { "path": kernel.path }, "line": first, "endLine": first + 2 });
    let locations = client.ask("breakpointLocations", locations);
    let lines: Vec<i64> =
        locations["breakpoints"].as_array().unwrap().iter().map(|b| b["line"].as_i64().unwrap()).collect();
    assert_eq!(lines, [first, first + 1, first + 2]);
    client.close();
}

#[test]
fn lines_and_columns_are_counted_as_the_client_does() {
    let kernel = KernelFolder::new(DIVERGING);
    let mut client = TestClient::start();
    client.ask("initialize", json!({ "adapterID": "ptx", "linesStartAt1": false, "columnsStartAt1": false }));
    client.ask("launch", kernel.launch());
    client.event("initialized");
    let line = kernel.line("st.global.u32") - 1;
    let told = set(&mut client, &kernel, json!([{ "line": line }]));
    assert_eq!(told[0]["line"], line);
    client.ask("configurationDone", json!({}));
    client.stopped();
    client.go("continue", json!({}));
    let thread = client.thread;
    let top = client.frames(thread)[0].clone();
    assert_eq!((&top["line"], &top["column"]), (&json!(line), &json!(4)));
    client.close();
}

#[test]
fn conditions_hold_in_a_lane() {
    let kernel = KernelFolder::new(DIVERGING);
    let mut client = TestClient::launched(kernel.launch());
    let line = kernel.line("// here");
    let told = set(
        &mut client,
        &kernel,
        json!([{ "line": line, "condition": "%tid.x == 37 && %ctaid.x == 1" }, { "line": line, "condition": "%v ==" }]),
    );
    assert_eq!(told[0]["verified"], true);
    assert!(told[1]["message"].as_str().unwrap().starts_with("the condition cannot be understood: "), "{}", told[1]);
    client.ask("configurationDone", json!({}));
    client.stopped();
    let stop = client.go("continue", json!({}));
    assert_eq!((&stop["threadId"], &stop["hitBreakpointIds"]), (&json!(4), &json!([told[0]["id"]])));
    assert!(stop["description"].as_str().unwrap().contains("the condition holds in lane 5"), "{stop}");
    client.ask("continue", json!({ "threadId": 4 }));
    client.event("terminated");
    client.close();
}

#[test]
fn hits_are_counted() {
    let kernel = KernelFolder::new(DIVERGING);
    let line = kernel.line("add.u32 %i, %i, 1");
    // The first warp of each CTA hits the breakpoint twice; the second warp has no lane below 16.
    for (hits, expected) in [("2", vec![1]), (">=2", vec![1, 1, 1]), ("%2", vec![1, 1]), ("<2", vec![0])] {
        let mut client = TestClient::launched(kernel.launch());
        let told = set(&mut client, &kernel, json!([{ "line": line, "hitCondition": hits }]));
        assert_eq!(told[0]["verified"], true, "{told:?}");
        client.ask("configurationDone", json!({}));
        client.stopped();
        let mut seen = Vec::new();
        for _ in &expected {
            assert_eq!(client.go("continue", json!({}))["reason"], "breakpoint");
            seen.push(client.evaluate("%i@0").parse::<i32>().unwrap());
        }
        assert_eq!(seen[0], expected[0], "{hits}");
        client.ask("continue", json!({ "threadId": 1 }));
        client.event("terminated");
        client.close();
    }
    let mut client = TestClient::launched(kernel.launch());
    let told = set(&mut client, &kernel, json!([{ "line": line, "hitCondition": "often" }]));
    assert!(told[0]["message"].as_str().unwrap().contains("is not a number of hits"));
    client.close();
}

#[test]
fn messages_are_logged() {
    let kernel = KernelFolder::new(DIVERGING);
    let mut client = TestClient::launched(kernel.launch());
    let line = kernel.line("add.u32 %i, %i, 1");
    let log = json!([{ "line": line, "logMessage": "i is {%i} in {count(true)} lanes, {{v}} {%nothing}" }]);
    assert_eq!(set(&mut client, &kernel, log)[0]["verified"], true);
    client.ask("configurationDone", json!({}));
    client.stopped();
    client.ask("continue", json!({ "threadId": 1 }));
    client.event("terminated");
    let said = client.output();
    let lines: Vec<&str> = said.lines().filter(|l| l.starts_with("i is")).collect();
    assert_eq!(lines.len(), 4, "{said}");
    assert!(lines[0].starts_with("i is 0 in 16 lanes, {v} <"), "{said}");
    assert!(lines[1].starts_with("i is 1 in 16 lanes"), "{said}");
    client.close();
}

#[test]
fn functions_and_instructions() {
    let kernel = KernelFolder::new(DIVERGING);
    let mut client = TestClient::launched(kernel.launch());
    let functions = json!([{ "name": "twice" }, { "name": "unused" }, { "name": "none" }]);
    let told = client.ask("setFunctionBreakpoints", json!({ "breakpoints": functions }));
    assert_eq!(told["breakpoints"][0]["verified"], true);
    assert_eq!(told["breakpoints"][1]["message"], "`kernel` does not call `unused`");
    assert_eq!(told["breakpoints"][2]["message"], "there is no function `none` in this module");
    client.ask("configurationDone", json!({}));
    client.stopped();
    let here = client.frames(1)[0]["instructionPointerReference"].as_str().unwrap().to_owned();
    assert_eq!(client.go("continue", json!({}))["reason"], "function breakpoint");
    assert_eq!(client.frames(1)[0]["name"], "twice [lanes 0–15]");
    client.ask("setFunctionBreakpoints", json!({ "breakpoints": [] }));
    let code = json!({ "memoryReference": here, "instructionOffset": -1, "instructionCount": 4 });
    let code = client.ask("disassemble", code);
    let code = code["instructions"].as_array().unwrap();
    assert_eq!((code.len(), &code[0]["presentationHint"]), (4, &json!("invalid")));
    assert_eq!((&code[1]["address"], &code[1]["symbol"]), (&json!(here), &json!("kernel")));
    assert_eq!(code[1]["instruction"], "mov.u32 %lane, %tid.x;");
    assert_eq!((&code[3]["line"], &code[3]["location"]), (&json!(kernel.line("mov.u32 %v, %lane")), &Value::Null));
    let at = json!([{ "instructionReference": here, "offset": 0x90 }, { "instructionReference": "0x1" }, { "instructionReference": "x" }]);
    let told = client.ask("setInstructionBreakpoints", json!({ "breakpoints": at }));
    assert_eq!(told["breakpoints"][0]["line"], kernel.line("@%q bra"));
    assert_eq!(told["breakpoints"][1]["message"], "there is no instruction at 0x1");
    assert_eq!(told["breakpoints"][2]["verified"], false);
    assert_eq!(client.go("continue", json!({}))["reason"], "instruction breakpoint");
    assert_eq!(client.line(), kernel.line("@%q bra"));
    assert!(
        client
            .refused("disassemble", json!({ "memoryReference": "x", "instructionCount": 1 }))
            .contains("not an address")
    );
    client.close();
}

#[test]
fn data_is_watched() {
    let kernel = KernelFolder::new(DIVERGING);
    let mut client = TestClient::entered(kernel.launch());
    let info = |client: &mut TestClient, arguments: Value| client.ask("dataBreakpointInfo", arguments);
    let register = info(&mut client, json!({ "name": "%i@3" }));
    assert_eq!((&register["description"], &register["canPersist"]), (&json!("%i@3"), &json!(false)));
    let buffer = info(&mut client, json!({ "name": "[out+8]:u32" }));
    let whole = info(&mut client, json!({ "name": "table" }));
    let nothing = info(&mut client, json!({ "name": "%tid.x" }));
    assert_eq!(nothing["dataId"], Value::Null);
    assert!(nothing["description"].as_str().unwrap().contains("only registers and memory"), "{nothing}");
    let watch = |client: &mut TestClient, id: &Value, access: &str| {
        let all = json!([{ "dataId": id, "accessType": access }]);
        let told = client.ask("setDataBreakpoints", json!({ "breakpoints": all }));
        assert_eq!(told["breakpoints"][0]["verified"], true, "{told}");
    };
    // Watch a register.
    watch(&mut client, &register["dataId"], "write");
    let stop = client.go("continue", json!({}));
    assert_eq!(stop["reason"], "data breakpoint");
    assert_eq!(stop["text"], "%i@3: 0 → 0 in lane 3");
    let stop = client.go("continue", json!({}));
    assert_eq!(stop["text"], "%i@3: 0 → 1 in lane 3");
    assert_eq!(client.evaluate("%i@3"), "1");
    // Go back to the time before it was written.
    let stop = client.go("reverseContinue", json!({}));
    assert_eq!(stop["text"], "%i@3: 0 → 1 in lane 3");
    assert_eq!(client.evaluate("%i@3"), "0");
    // Watch shared and global memory.
    watch(&mut client, &whole["dataId"], "read");
    let stop = client.go("continue", json!({}));
    assert_eq!(stop["reason"], "data breakpoint");
    assert!(stop["text"].as_str().unwrap().starts_with("table: "), "{stop}");
    assert_eq!(client.line(), kernel.line("ld.shared") + 1);
    watch(&mut client, &buffer["dataId"], "write");
    let stop = client.go("continue", json!({}));
    assert_eq!(stop["text"], "[out+8]:u32: 0x0 (0) → 0x6 (6) by lane 2");
    client.go("reverseContinue", json!({}));
    assert_eq!(client.evaluate("[out+8]:u32"), "0");
    let wrong = json!([{ "dataId": "x" }, { "dataId": buffer["dataId"], "hitCondition": "3" }]);
    let told = client.ask("setDataBreakpoints", json!({ "breakpoints": wrong }));
    assert_eq!(
        (&told["breakpoints"][0]["verified"], &told["breakpoints"][1]["verified"]),
        (&json!(false), &json!(false))
    );
    client.close();
}

#[test]
fn findings_stop_it() {
    let text = DIVERGING.replace("st.global.u32 [%a], %v;", "st.global.u32 [%a+4], %v;").replace("bar.sync 0;", "");
    let kernel = KernelFolder::new(&text.replace("table[64]", "table[48]"));
    let mut client = TestClient::launched(kernel.launch());
    let filters = json!({ "filters": ["memory"], "filterOptions": [{ "filterId": "race", "condition": "%laneid == 40" }, { "filterId": "none" }] });
    let told = client.ask("setExceptionBreakpoints", filters);
    let verified: Vec<bool> = told["breakpoints"].as_array().unwrap().iter().map(|b| b["verified"] == true).collect();
    assert_eq!(verified, [true, true, false]);
    client.ask("configurationDone", json!({}));
    client.stopped();
    assert_eq!(client.refused("exceptionInfo", json!({ "threadId": 1 })), "it did not stop at a finding");
    let stop = client.go("continue", json!({}));
    assert_eq!((&stop["reason"], &stop["threadId"]), (&json!("exception"), &json!(2)));
    let info = client.ask("exceptionInfo", json!({ "threadId": 2 }));
    assert_eq!((&info["exceptionId"], &info["breakMode"]), (&json!("out-of-bounds"), &json!("always")));
    assert!(info["description"].as_str().unwrap().contains("(lane 16 of CTA (0,0,0) warp 1)"), "{info}");
    assert!(info["details"]["stackTrace"].as_str().unwrap().contains("at kernel, line "), "{info}");
    // The registers are those at the time of the finding.
    assert_eq!(client.frames(2)[0]["line"], kernel.line("st.shared"));
    client.ask("continue", json!({ "threadId": 2 }));
    assert_eq!(client.event("exited")["exitCode"], 1);
    client.close();
}

#[test]
fn a_deadlock_is_found_at_the_end() {
    let text = "\
.version 8.0
.target sm_80
.address_size 64
//! launch: grid=1 block=64
.visible .entry kernel()
{
    .reg .pred %p;
    .reg .u32 %t;
    mov.u32 %t, %tid.x;
    setp.lt.u32 %p, %t, 32;
    @%p bra done;
    barrier.sync 1, 64;
done:
    ret;
}
";
    let kernel = KernelFolder::new(text);
    let mut client = TestClient::launched(kernel.launch());
    client.ask("setExceptionBreakpoints", json!({ "filters": ["barrier"] }));
    client.ask("configurationDone", json!({}));
    client.stopped();
    let stop = client.go("continue", json!({}));
    assert_eq!(stop["reason"], "exception", "{stop}");
    let thread = stop["threadId"].as_i64().unwrap();
    assert_eq!(client.frames(thread)[0]["line"], kernel.line("barrier.sync"));
    let info = client.ask("exceptionInfo", json!({ "threadId": thread }));
    assert!(["deadlock", "barrier"].contains(&info["exceptionId"].as_str().unwrap()), "{info}");
    client.close();
}

#[test]
fn a_source_has_many_names() {
    let kernel = KernelFolder::new(DIVERGING);
    let text = kernel.path.to_str().unwrap();
    let slashes = text.replace('\\', "/");
    let uri = if cfg!(windows) { format!("file:///{slashes}") } else { format!("file://{slashes}") };
    let mut names = vec![text.to_owned(), uri.clone(), uri.replacen("file://", "file://localhost", 1)];
    names.push(kernel.folder().join("x/../kernel.ptx").to_str().unwrap().to_owned());
    names.push(uri.replace("kernel.ptx", "%6bernel.ptx"));
    if cfg!(windows) {
        let (drive, rest) = slashes.split_once(':').unwrap();
        let drive = drive.to_lowercase();
        names.extend([
            text.to_uppercase(),
            slashes.clone(),
            format!("{drive}:{rest}"),
            format!("file:///{drive}%3A{rest}"),
        ]);
        names.push(kernel.path.canonicalize().unwrap().to_str().unwrap().to_owned());
    }
    let line = kernel.line("ret;");
    for (format, expected) in [("path", text), ("uri", &*uri)] {
        let mut client = TestClient::start();
        client.ask("initialize", json!({ "adapterID": "ptx", "pathFormat": format }));
        client.ask("launch", kernel.launch());
        client.event("initialized");
        for name in &names {
            let source = json!({ "path": name });
            let set = client.ask("setBreakpoints", json!({ "source": source, "breakpoints": [{ "line": line }] }));
            assert_eq!(set["breakpoints"][0]["verified"], true, "{name}");
            // In the client's format.
            assert_eq!(set["breakpoints"][0]["source"]["path"], expected, "{name}");
            let found = client.ask("source", json!({ "source": source, "sourceReference": 0 }));
            assert_eq!(found["content"], DIVERGING, "{name}");
        }
        // All were breakpoints of one source, of which the last ones count.
        client.ask("setBreakpoints", json!({ "source": { "path": names[0] }, "breakpoints": [] }));
        client.ask("configurationDone", json!({}));
        client.stopped();
        client.ask("continue", json!({ "threadId": 1 }));
        client.event("terminated");
        client.close();
    }
}
