//! Calls of the tools without the protocol.

use super::PtxTools;
use ptx_mcp::{ToolAnswer, ToolCall, Toolbox};
use serde_json::{Value, json};
use std::path::PathBuf;

const HEADER: &str = ".version 8.5\n.target sm_90\n.address_size 64\n";

fn call_in(roots: &[PathBuf], name: &str, arguments: Value) -> ToolAnswer {
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    PtxTools.call(ToolCall { name, arguments, roots, cancelled: &|| false })
}

fn call(name: &str, arguments: Value) -> ToolAnswer {
    call_in(&[], name, arguments)
}

fn said(name: &str, arguments: Value) -> String {
    let answer = call(name, arguments);
    assert!(!answer.is_error, "{}", answer.text);
    answer.text
}

fn refused(name: &str, arguments: Value) -> String {
    let answer = call(name, arguments);
    assert!(answer.is_error, "{}", answer.text);
    answer.text
}

fn module(body: &str) -> String {
    format!("{HEADER}.visible .entry k(.param .u64 out)\n{{\n{body}    ret;\n}}\n")
}

#[test]
fn findings_with_ranges_and_fixes() {
    let text = module("    .reg .f32 %f<3>;\n    mul.f32.rnd %f1, %f2, %f2;\n");
    let answer = call("check", json!({ "text": text, "json": true }));
    let lines: Vec<&str> = answer.text.lines().collect();
    assert!(lines[0].starts_with("text: 1 error"), "{}", answer.text);
    assert!(answer.text.contains("7:12-16 error[unknown-modifier]"), "{}", answer.text);
    assert!(answer.text.contains(r#"fix: replace 7:12-16 by ".rn""#), "{}", answer.text);
    let structured = answer.structured.expect("JSON was asked for");
    assert_eq!(structured["diagnostics"][0]["code"], "unknown-modifier");
    assert_eq!(
        structured["total"],
        json!(answer.text.matches("error[").count() + answer.text.matches("warning[").count())
    );
}

#[test]
fn only_parsed() {
    let text = module("    .reg .b32 %r<3>;\n    ld.global.b32 %r1, [%r2];\n    frobnicate;\n");
    let host = r#"__device__ void f(unsigned a) { asm volatile("prefetch.global.L2 [%0];" :: "r"(a)); }"#;
    for (text, language) in [(text.as_str(), "ptx"), (host, "cpp")] {
        let answer = |arguments: Value| said("check", arguments);
        let whole = answer(json!({ "text": text, "language": language }));
        assert!(whole.contains("error[narrow-address]"), "{whole}");
        let parsed = answer(json!({ "text": text, "language": language, "parse_only": true }));
        assert!(!parsed.contains("narrow-address"), "{parsed}");
        assert_eq!(parsed.contains("error[unknown-opcode]"), language == "ptx", "{parsed}");
    }
    assert!(refused("check", json!({ "text": "", "parse_only": 1 })).contains("true or false"));
}

#[test]
fn a_fix_that_is_applied_leaves_no_error() {
    let text =
        module("    .reg .b32 %r<3>;\n    mov.b32 %r1, 1;\n    add.u32 %r2, %r1, 1\n    st.global.u32 [out], %r2;\n");
    let answer = said("check", json!({ "text": text }));
    assert!(answer.contains("fix: insert \";\" at 8:24"), "{answer}");
}

#[test]
fn what_was_checked_is_said_of_a_clean_text() {
    let text = module("");
    assert_eq!(said("check", json!({ "text": text })), "text: nothing found (PTX 8.5, sm_90, 1 kernel, 1 instruction)");
    let old = said("check", json!({ "text": module("    fence.proxy.async;\n"), "target": "sm_70" }));
    assert!(old.contains("requires-target"), "{old}");
}

#[test]
fn many_findings_are_cut_and_errors_come_first() {
    let body = "    .reg .b32 %r<2>;\n    mov.b32 %r1, 1;\n".to_owned() + &"    add.bad %r1, %r1, 1;\n".repeat(50);
    let answer = said("check", json!({ "text": module(&body), "max": 3 }));
    assert_eq!(answer.matches("error[").count(), 3, "{answer}");
    assert!(answer.contains("more (47 errors"), "{answer}");
    let numbered: String = (0..5000).map(|n| format!("    add.bad{n} %r1, %r1, 1;\n")).collect();
    let whole = said("check", json!({ "text": module(&format!("    .reg .b32 %r<2>;\n{numbered}")), "max": 1000 }));
    assert!(whole.len() < 25_000, "{}", whole.len());
    assert!(whole.contains("left out"), "{whole}");
}

#[test]
fn ptx_in_other_languages() {
    let text = "void f(unsigned *p) { unsigned x; asm volatile(\"mov.u32 %0, %laneid;\" : \"=r\"(x)); *p = x; }\n";
    let answer = said("check", json!({ "text": text, "language": "cpp" }));
    assert!(answer.contains("1:61-68 hint[asm-unescaped-name]"), "{answer}");
    assert!(answer.contains("fix: replace 1:61-62 by \"%%\""), "{answer}");
    let typed = "void f(float x) { float y; asm(\"add.f32.rnd %0, %1, %1;\" : \"=f\"(y) : \"f\"(x)); }\n";
    let answer = said("check", json!({ "text": typed, "language": "cpp" }));
    assert!(answer.contains("1:40-44 error[unknown-modifier]"), "{answer}");
    assert!(answer.contains("by \".rn\""), "{answer}");
    // Without a language, the first lines tell.
    let recognized = said("check", json!({ "text": format!("#include <x>\n{typed}") }));
    assert!(recognized.contains("this is CUDA C++, not PTX") && recognized.contains("2:40-44 error"), "{recognized}");
    assert!(refused("registers", json!({ "text": "import triton\n" })).contains("is Python"));
    let none = said("check", json!({ "text": "int main() {}", "language": "cpp" }));
    assert!(none.contains("no string in it has PTX"), "{none}");
    let listed = said("complete", json!({ "text": typed, "language": "cpp", "line": 1, "column": 36 }));
    assert!(listed.contains("replace 1:"), "{listed}");
    let outside = refused("complete", json!({ "text": typed, "language": "cpp", "line": 1, "column": 1 }));
    assert!(outside.contains("no PTX in a string"), "{outside}");
}

#[test]
fn explanations() {
    assert!(said("explain", json!({ "query": "fma.rn.f32" })).contains("single rounding"));
    assert!(said("explain", json!({ "query": "%laneid" })).contains("Index of the thread"));
    assert!(said("explain", json!({ "query": "operand-type" })).contains("What to do"));
    let list = said("explain", json!({ "query": "mbarrier" }));
    assert!(!list.contains("ptx-analyzer"), "{list}");
    assert!(said("explain", json!({ "query": "mma", "all": true })).len() < 21_000);
    let log =
        "ptxas k.ptx, line 3; error   : Unknown modifier '.mmio'\nptxas fatal   : Ptx assembly aborted due to errors";
    let log = said("explain", json!({ "query": log }));
    assert!(log.contains("Line 1 of the log") && log.contains("PTX 8.2") && log.contains("Line 2 of the log"), "{log}");
    assert!(refused("explain", json!({ "query": "fmaa" })).contains("did you mean `fma`"));
    assert!(refused("explain", json!({ "query": "" })).contains("nothing is known"));
}

#[test]
fn searches() {
    let found = said("search", json!({ "query": "asynchronous copy to shared memory" }));
    assert!(found.contains("Asynchronous copy") && found.contains("cp.async"), "{found}");
    let one = said("search", json!({ "query": "shuffle", "max": 1 }));
    assert!(one.lines().count() <= 3, "{one}");
    assert!(refused("search", json!({ "query": "qwertzuiop" })).contains("nothing matches these words"));
}

#[test]
fn completions() {
    let text = module("    .reg .f32 %f<3>;\n    fma.\n");
    let found = said("complete", json!({ "text": text, "line": 7, "column": 9 }));
    assert!(found.contains("\n.rn"), "{found}");
    let few = said("complete", json!({ "text": text, "line": 7, "column": 5, "max": 2 }));
    assert!(few.lines().count() <= 4 && few.contains("more"), "{few}");
    for (line, column, words) in [(99, 1, "no line 99"), (7, 99, "no column 99"), (1, 1, "")] {
        let answer = call("complete", json!({ "text": text, "line": line, "column": column }));
        assert!(answer.text.contains(words), "{}", answer.text);
    }
    let inside = refused("complete", json!({ "text": "// ä\n", "line": 1, "column": 5 }));
    assert!(inside.contains("inside a character"), "{inside}");
}

#[test]
fn registers() {
    let text = module("    .reg .b32 %r<3>;\n    mov.u32 %r1, %tid.x;\n    add.u32 %r2, %r1, %r1;\n");
    let answer = call("registers", json!({ "text": text, "target": "sm_80", "json": true }));
    assert!(answer.text.starts_with("text for sm_80\nk (line 4): "), "{}", answer.text);
    assert_eq!(answer.structured.expect("JSON was asked for")["functions"][0]["entry"], "k");
    assert!(said("registers", json!({ "text": HEADER })).contains("no function with a body"));
    assert!(refused("registers", json!({ "text": text, "target": "sm_1" })).contains("such as sm_90a"));
}

const STORE: &str = "    .reg .b32 %r<2>;\n    .reg .b64 %rd<3>;\n    ld.param.u64 %rd1, [out];\n    mov.u32 %r1, %tid.x;\n    mad.wide.u32 %rd2, %r1, 4, %rd1;\n    st.global.u32 [%rd2], %r1;\n";

#[test]
fn runs() {
    let text = module(STORE);
    let answer = call(
        "evaluate",
        json!({
            "text": text, "kernel": "k", "launch": "grid=1 block=32 out=u32[32]:zero\nexpect: out[5]=5 out[6]=7", "line": 9, "lanes": [3], "json": true,
        }),
    );
    assert!(!answer.is_error, "{}", answer.text);
    for words in [
        "finished",
        "1 of 2 expectations hold",
        "not as expected: out[6]=7",
        "out u32[32], 31 changed from [1]: 1 2 3",
        "line 9 lane 3: %r1 = 3",
    ] {
        assert!(answer.text.contains(words), "{words}: {}", answer.text);
    }
    assert_eq!(answer.structured.expect("JSON was asked for")["status"], "finished");
    let short = said("evaluate", json!({ "text": text, "launch": "grid=1 block=32 out=u32[8]:zero" }));
    assert!(short.contains("error[out-of-bounds]"), "{short}");
    let guessed = said("evaluate", json!({ "text": text }));
    assert!(guessed.contains("guessed: "), "{guessed}");
}

#[test]
fn runs_that_cannot_begin() {
    let text = module(STORE);
    assert!(refused("evaluate", json!({ "text": text, "kernel": "other" })).contains("there are `k`"));
    assert!(refused("evaluate", json!({ "text": text, "launch": "gird=1" })).contains("did you mean `grid`"));
    let broken = refused("evaluate", json!({ "text": text.replace("mad.wide.u32", "mad.wide.f32") }));
    assert!(broken.contains("text:10:"), "{broken}");
    assert!(refused("evaluate", json!({ "text": HEADER })).contains("no kernel"));
    // A text is in no folder, so its launch reads no file.
    let long = refused("evaluate", json!({ "text": text, "kernel": "k".repeat(1_000_000) }));
    assert!(long.len() < 5000, "{}", long.len());
    let file = refused("evaluate", json!({ "text": text, "launch": "grid=1 block=1 out=u32:file(secret)" }));
    assert!(file.contains("files are not read"), "{file}");
    let host = refused("evaluate", json!({ "text": text, "language": "cpp" }));
    assert!(host.contains("no argument `language`"), "{host}");
}

#[test]
fn a_run_stops_when_it_is_cancelled() {
    let text = module("L:  bra L;\n");
    let Value::Object(arguments) = json!({ "text": text, "launch": "grid=1 block=32 out=u32[1]:zero" }) else {
        panic!()
    };
    let polls = std::sync::atomic::AtomicU32::new(0);
    let cancelled = || polls.fetch_add(1, std::sync::atomic::Ordering::Relaxed) > 3;
    let answer = PtxTools.call(ToolCall { name: "evaluate", arguments, roots: &[], cancelled: &cancelled });
    assert!(answer.is_error && answer.text.contains("cancelled"), "{}", answer.text);
}

#[test]
fn a_run_ends_after_its_time_with_what_it_has_reached() {
    let text = ".version 8.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 out)\n{\n.reg .b64 %rd1;\nld.param.u64 %rd1, [out];\n\
         st.global.u32 [%rd1], 7;\nL: barrier.cluster.arrive;\nbarrier.cluster.wait;\nbra L;\n}\n";
    let launch = "grid=64 block=1024 cluster=16 out=u32[1]:zero";
    let begin = std::time::Instant::now();
    let text = said("evaluate", json!({ "text": text, "launch": launch, "seconds": 1 }));
    assert!(begin.elapsed() < std::time::Duration::from_secs(20), "{:?}", begin.elapsed());
    let parts = [
        "k: stopped at the time limit, at line",
        "the limit is 1 second; `seconds` raises it",
        "blocks: 16 running, 48 not begun; 512 running warps: ",
        "out u32[1], 1 changed: 7",
    ];
    assert!(parts.iter().all(|part| text.contains(part)), "{text}");
}

#[test]
fn arguments_of_wrong_names_and_types() {
    for (name, arguments, words) in [
        ("check", json!({}), "as `text`, or in a file as `path`"),
        ("check", json!({ "text": "", "path": "a" }), "not both"),
        ("check", json!({ "text": 1 }), "must be a string"),
        ("check", json!({ "text": "", "max": 0 }), "from 1 to 1000"),
        ("check", json!({ "text": "", "max": 1.5 }), "from 1 to 1000"),
        ("check", json!({ "text": "", "json": "yes" }), "true or false"),
        ("check", json!({ "text": "", "target": "gfx90a" }), "such as sm_90a"),
        ("check", json!({ "text": "", "language": "go" }), "must be one of"),
        ("check", json!({ "txt": "" }), "no argument `txt`"),
        ("check", json!({ "path": "a.ptx" }), "--root"),
        ("check", json!({ "text": "<pretext/>" }), "XML"),
        ("check", json!({ "text": " ".repeat(32_000_001) }), "the maximum is"),
        ("complete", json!({ "text": "", "line": 1 }), "needs the argument `column`"),
        ("evaluate", json!({ "text": "", "lanes": [32] }), "lanes from 0 to 31"),
        ("evaluate", json!({ "text": "", "seconds": 0 }), "from 1 to 3600"),
        ("explain", json!({ "query": null }), "needs the argument `query`"),
    ] {
        let shown = arguments.to_string().chars().take(60).collect::<String>();
        let said = refused(name, arguments);
        assert!(said.contains(words), "{name} {shown}: {said}");
    }
}

#[test]
fn files_of_the_folders() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("k.ptx"), module("")).unwrap();
    std::fs::write(folder.path().join("latin.ptx"), [b"// \xe9\n", HEADER.as_bytes()].concat()).unwrap();
    std::fs::write(folder.path().join("k.cu"), "int main() {}").unwrap();
    std::fs::write(folder.path().join("input"), [7, 0, 0, 0]).unwrap();
    std::fs::write(folder.path().join("run.ptx"), module(STORE)).unwrap();
    let roots = [folder.path().to_owned()];
    let said = |name, arguments| call_in(&roots, name, arguments).text;
    assert!(said("check", json!({ "path": "k.ptx" })).starts_with("k.ptx: nothing found"));
    assert!(said("check", json!({ "path": "latin.ptx" })).contains("not UTF-8"));
    assert!(said("check", json!({ "path": "k.cu" })).contains("no string in it has PTX"));
    assert!(said("registers", json!({ "path": "k.cu" })).contains("is CUDA C++: pass the PTX"));
    assert!(said("check", json!({ "path": "." })).contains("it is not a regular file"));
    let launch = "grid=1 block=1 out=u32:file(input)";
    assert!(said("evaluate", json!({ "path": "run.ptx", "launch": launch })).contains("out u32[1], 1 changed: 0"));
    let launch = "grid=1 block=1 out=u32:file(../input)";
    assert!(said("evaluate", json!({ "path": "run.ptx", "launch": launch })).contains("without `..`"));
}

#[test]
fn schemas_name_what_the_tools_take() {
    for tool in PtxTools.tools() {
        let schema = &tool.input;
        assert_eq!(schema["type"], "object", "{}", tool.name);
        assert_eq!(schema["additionalProperties"], false, "{}", tool.name);
        for name in schema["required"].as_array().unwrap() {
            assert!(schema["properties"][name.as_str().unwrap()].is_object(), "{}", tool.name);
        }
    }
}
