//! Tests of `ptx-analyzer eval`. The tests of the interpreter check the results of instructions.

use crate::cli::run_with;
use serde_json::{Value, json};
use std::path::Path;
use tempfile::TempDir;

/// Exit status, standard output and standard error.
fn run(folder: &Path, arguments: &[&str], input: &str) -> (i32, String, String) {
    let arguments: Vec<&str> = std::iter::once("eval").chain(arguments.iter().copied()).collect();
    let output = run_with(folder, &arguments, input.as_bytes());
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), timeless(&text(output.stdout)), timeless(&text(output.stderr)))
}

/// The output without the duration of runs.
fn timeless(text: &str) -> String {
    let line = |line: &str| match line.rsplit_once(" warp instruction") {
        Some((before, after)) if after.ends_with('s') => {
            format!("{before} warp instruction{}", after.split(',').next().unwrap_or(""))
        }
        _ => line.to_owned(),
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

fn json(output: &str) -> Vec<Value> {
    output.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

const HEAD: &str = ".version 8.0\n.target sm_80\n.address_size 64\n";

/// A kernel that stores its number and 7 through its pointer, with `lines` above it.
fn storing(lines: &str) -> String {
    format!(
        "{HEAD}{lines}.visible .entry two(.param .u64 out, .param .u32 n)\n{{\n    .reg .b32 %r<3>;\n    .reg .b64 %rd<2>;\n    \
         ld.param.u64 %rd1, [out];\n    ld.param.u32 %r1, [n];\n    mov.u32 %r2, 7;\n    st.global.u32 [%rd1], %r1;\n    \
         st.global.u32 [%rd1+4], %r2;\n    ret;\n}}\n"
    )
}

const LAUNCH: &str = "//! launch: grid=1 block=1 out=u32[3]:poison n=5\n//! expect: out[0]=5 out[1]=7\n";

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, contents) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, contents).unwrap();
    }
    folder
}

#[test]
fn the_keys_of_the_contract() {
    let folder = folder(&[("a.ptx", &storing(LAUNCH))]);
    let (status, out, err) = run(folder.path(), &["--format", "json", "a.ptx"], "");
    assert_eq!((status, err.as_str()), (0, ""), "{out}");
    let [mut line] = json(&out).try_into().unwrap();
    assert!(line["seconds"].take().as_f64().unwrap() >= 0.0);
    let expected = json!({
        "file": "a.ptx",
        "status": "finished",
        "warp_instructions": 6,
        "faults": [],
        "buffers": {"out": "050000000700000000000000"},
        "expectations": [{"name": "out[0]=5", "ok": true}, {"name": "out[1]=7", "ok": true}],
        "seconds": null,
        "entry": "two",
        "launch": "//! launch: grid=1 block=1 out=u32[3]:poison n=5",
        "unwritten": {"out": [[8, 12]]},
    });
    assert_eq!(line, expected);
}

#[test]
fn the_steps_of_a_warp() {
    let folder = folder(&[("a.ptx", &storing(&LAUNCH.replace("grid=1", "grid=2")))]);
    let (status, out, _) = run(folder.path(), &["--format", "json", "--trace", "--warp", "1", "a.ptx"], "");
    assert_eq!(status, 0);
    let trace = json(&out)[0]["trace"].clone();
    let lines: Vec<u64> = trace.as_array().unwrap().iter().map(|s| s["line"].as_u64().unwrap()).collect();
    assert_eq!(lines, [10, 11, 12, 13, 14, 15]);
    let step = &trace[2];
    let heads = (&step["step"], &step["function"], &step["column"], &step["active"], &step["executed"], &step["depth"]);
    assert_eq!(heads, (&json!(2), &json!("two"), &json!(5), &json!(1), &json!(1), &json!(0)));
    let register = &step["registers"][0];
    assert_eq!((&register["name"], &register["type"]), (&json!("%r2"), &json!(".b32")));
    assert_eq!(
        (register["before"].as_str().unwrap().len(), &register["after"].as_str().unwrap()[..8]),
        (256, "07000000")
    );

    let (status, out, _) = run(folder.path(), &["--trace", "a.ptx"], "");
    assert_eq!(status, 0);
    let shown = out.split("warp 0 of CTA 0\n").nth(1).unwrap();
    assert!(shown.starts_with("         lane 0\n      1     10  ld.param.u64 %rd1, [out];"), "{shown}");
    assert!(shown.contains("      3     12  mov.u32 %r2, 7;") && shown.contains("  %r2 = 7\n"), "{shown}");

    let (status, _, err) = run(folder.path(), &["--trace", "--warp", "2", "a.ptx"], "");
    assert_eq!((status, err.as_str()), (2, "a.ptx: there is no warp 2 in a grid of 2\n"));
}

#[test]
fn for_people() {
    let folder = folder(&[("a.ptx", &storing(LAUNCH))]);
    let (status, out, err) = run(folder.path(), &["a.ptx"], "");
    let expected = "\
two a.ptx:4
launch: grid=1 block=1 out=u32[3]:poison n=5
finished after 6 warp instructions
2 of 2 expectations hold
out u32[3], 2 changed
       0  5  7  ?

";
    assert_eq!((status, out.as_str(), err.as_str()), (0, expected, ""));
}

#[test]
fn expectations_are_checked() {
    let wrong = LAUNCH.replace("out[1]=7", "out[1]=8 out[2]=1");
    let folder = folder(&[("good.ptx", &storing(LAUNCH)), ("bad.ptx", &storing(&wrong)), ("none.ptx", &storing(""))]);
    let (status, out, err) = run(folder.path(), &["--check", "good.ptx"], "");
    let expected = "ok   two good.ptx:4, 2 held, finished after 6 warp instructions\n";
    assert_eq!((status, out.as_str(), err.as_str()), (0, expected, "1 launch\n"));

    let (status, out, err) = run(folder.path(), &["--check", "."], "");
    let expected = "\
FAIL two ./bad.ptx:4, 1 of 3 held, finished after 6 warp instructions
not as expected: out[1]=8: is 7, not 8
not as expected: out[2]=1: was never written, not 1
ok   two ./good.ptx:4, 2 held, finished after 6 warp instructions
";
    assert_eq!((status, out.as_str(), err.as_str()), (1, expected, "2 launches, 1 failed\n"));

    let (status, out, _) = run(folder.path(), &["bad.ptx"], "");
    assert_eq!(status, 0, "only `--check` is about expectations");
    assert!(
        out.contains("not as expected: out[1]=8: is 7, not 8\n") && out.contains("1 of 3 expectations hold\n"),
        "{out}"
    );

    let (status, _, err) = run(folder.path(), &["--check", "none.ptx"], "");
    assert_eq!(status, 2);
    assert!(err.contains("nothing was checked"), "{err}");
}

#[test]
fn faults_have_their_places() {
    let short = "//! launch: block=1 out=u32[1]:zero n=5\n";
    let expecting = format!("{short}//! expect: fault=out-of-bounds out[0]=5\n");
    let folder = folder(&[("a.ptx", &storing(short)), ("b.ptx", &storing(&expecting))]);
    let (status, out, err) = run(folder.path(), &["--check", "a.ptx"], "");
    assert_eq!((status, err.as_str()), (1, "1 launch, 1 failed\n"));
    assert!(out.starts_with("FAIL two a.ptx:4, nothing expected, ended by a fault after "), "{out}");
    assert!(out.contains("error[out-of-bounds]: ") && out.contains(" lane 0 of warp 0 in CTA 0,0,0"), "{out}");
    assert!(out.contains(" --> a.ptx:13:5\n") && out.contains("st.global.u32 [%rd1+4], %r2;"), "{out}");

    let (status, out, _) = run(folder.path(), &["--format=json", "a.ptx"], "");
    assert_eq!(status, 0);
    let line = &json(&out)[0];
    let fault = &line["faults"][0];
    assert_eq!(
        (&line["status"], &fault["kind"], &fault["fatal"]),
        (&json!("fault"), &json!("out-of-bounds"), &json!(true))
    );
    assert_eq!((&fault["line"], &fault["column"], &fault["end_line"]), (&json!(13), &json!(5), &json!(13)));
    assert_eq!((&fault["lanes"], &fault["cta"], &fault["warp"]), (&json!(1), &json!([0, 0, 0]), &json!(0)));
    assert!(fault["message"].as_str().unwrap().contains("`out`"), "{fault}");
    assert_eq!(line["guessed"], json!(["grid=1"]));

    let (status, out, _) = run(folder.path(), &["--check", "b.ptx"], "");
    assert!(status == 0 && out.starts_with("ok   two b.ptx:4, 2 held, ended by a fault"), "{out}");
}

#[test]
fn what_is_not_said_is_guessed_and_told() {
    let folder = folder(&[("a.ptx", &storing(""))]);
    let (status, out, err) = run(folder.path(), &["a.ptx"], "");
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(out.contains("\nguessed: all of it. Buffer lengths are guessed ("), "{out}");
    assert!(out.contains("\nout u32[128], 2 changed\n       0  64   7   0   0"), "{out}");
}

#[test]
fn launches_from_files() {
    let toml = "entry = \"two\"\nblock = 1\nexpect = \"out[0]=9 out[2]=3\"\n[params]\nn = 9\nout = { type = \"u32\", file = \"in/out.bin\" }\n";
    let json_text = r#"[{"block": 1, "params": {"n": 1, "out": "u32[2]:zero"}, "expect": ["out=[1, 7]"]},
        {"block": 1, "params": {"n": 2, "out": "u32[2]:zero"}, "expect": ["out=[1, 7]"]}]"#;
    let outside = toml.replace("in/out.bin", "../out.bin");
    let folder = folder(&[
        ("a.ptx", &storing("//! launch: nonsense\n")),
        ("l.toml", toml),
        ("l.json", json_text),
        ("outside.toml", &outside),
        ("bad.toml", "block = 0\n[params]\nm = 1\n"),
        ("unknown.toml", "block = 1\n[params]\nm = 1\n"),
        ("in/out.bin", "\x01\0\0\0\x02\0\0\0\x03\0\0\0"),
    ]);
    let (status, out, err) = run(folder.path(), &["--check", "--launch", "l.toml", "a.ptx"], "");
    assert_eq!((status, out.as_str()), (0, "ok   two a.ptx, 2 held, finished after 6 warp instructions\n"), "{err}");

    let (status, out, err) = run(folder.path(), &["--check", "--launch", "l.json", "a.ptx"], "");
    assert_eq!((status, err.as_str()), (1, "2 launches, 1 failed\n"));
    assert!(out.contains("1 of 2 elements differ: [0] is 2, not 1\n"), "{out}");
    let (status, _, err) = run(folder.path(), &["--launch", "l.json", "a.ptx"], "");
    assert_eq!((status, err.as_str()), (0, "l.json: this is the first of 2 launches; `--check` runs all\n"));

    let (status, out, _) = run(folder.path(), &["--launch", "outside.toml", "a.ptx"], "");
    assert_eq!(status, 1);
    assert!(
        out.contains("error[launch]: `../out.bin`: only files inside the folder") && out.contains("outside.toml:6:1"),
        "{out}"
    );
    let (status, out, _) = run(folder.path(), &["--launch", "bad.toml", "a.ptx"], "");
    assert_eq!(status, 1);
    assert!(out.contains("error[launch]: a dimension of `block` is 1 to") && out.contains("bad.toml:1:9"), "{out}");
    let (status, out, _) = run(folder.path(), &["--launch", "unknown.toml", "a.ptx"], "");
    assert_eq!(status, 1);
    assert!(out.contains("error[launch]: `two` has no parameter `m`") && out.contains("unknown.toml:3:1"), "{out}");
    let (status, _, err) = run(folder.path(), &["--launch", "none.toml", "a.ptx"], "");
    assert!(status == 2 && err.starts_with("none.toml: "), "{err}");
}

/// The address of a buffer means the same in JSON, in TOML and in lines.
#[test]
fn addresses_of_buffers_in_every_notation() {
    let kernel = |lines: &str| {
        format!(
            "{HEAD}.global .u32 table[4];\n{lines}.visible .entry k(.param .u64 x, .param .u64 y, .param .align 8 .b8 s[16], .param .u64 z)\n\
             {{ .reg .b64 %rd<5>; .reg .b32 %r<2>; ld.param.u64 %rd1, [y]; ld.param.u64 %rd2, [s+8]; ld.param.u64 %rd3, [z]; ld.param.u64 %rd4, [x];\n\
             st.global.u32 [%rd1], 1; st.global.u32 [%rd2], 2; st.global.u32 [%rd3], 3; ret; }}\n"
        )
    };
    let launch = "//! launch: grid=1 block=1 x=u32[4]:zero y=&x+4 s+8=&x+8 z=&table\n";
    let json_text = r#"{"grid":[1],"block":[1],"expect":"x=[0, 1, 2, 0] table[0]=3",
        "params":{"x":"u32[4]:zero","y":"&x+4","s+8":{"address":"x","offset":8},"z":{"address":"table"}}}"#;
    let toml_text = "grid=[1]\nblock=[1]\nexpect=\"x=[0, 1, 2, 0] table[0]=3\"\n[params]\nx=\"u32[4]:zero\"\ny=\"&x+4\"\nz=\"&table\"\n\"s+8\"={address=\"x\",offset=8}\n";
    let lines = kernel(&format!("{launch}//! expect: x=[0, 1, 2, 0] table[0]=3\n"));
    let files = [("lines.ptx", &*lines), ("a.ptx", &*kernel("")), ("l.json", json_text), ("l.toml", toml_text)];
    let folder = folder(&files);
    for arguments in [&["lines.ptx"][..], &["--launch", "l.json", "a.ptx"], &["--launch", "l.toml", "a.ptx"]] {
        let all: Vec<&str> = ["--check"].iter().chain(arguments).copied().collect();
        let (status, out, err) = run(folder.path(), &all, "");
        assert_eq!((status, err.as_str()), (0, "1 launch\n"), "{arguments:?} {out}");
    }
    // What is not a buffer is refused as before: another address, and the parameter itself.
    for wrong in [r#"{"params":{"x":"u32[4]:zero","y":"&z","z":"&x"}}"#, r#"{"params":{"x":"u32[4]:zero","y":"&y"}}"#] {
        std::fs::write(folder.path().join("l.json"), wrong).unwrap();
        let (status, _, err) = run(folder.path(), &["--launch", "l.json", "a.ptx"], "");
        assert!(status == 1 && err.contains("a buffer of this launch"), "{wrong}: {err}");
    }
}

/// `vadd.sat` saturates otherwise than the manual says, `sin.approx` is an approximation, and the third word is exact.
const MARKED: &str = "//! launch: grid=1 block=1 a=0xffffffff out=u32[4]:zero\n//! expect: out[0]=1 out:f32[1]=0.0±1 out[2]=2\n\
    .visible .entry k(.param .u32 a, .param .u64 out)\n{ .reg .u32 %a, %d; .reg .u64 %p; .reg .f32 %f;\n\
    ld.param.u32 %a, [a]; ld.param.u64 %p, [out]; vadd.u32.u32.u32.sat %d, %a, 2; st.global.u32 [%p], %d;\n\
    mov.f32 %f, 0f3F800000; sin.approx.f32 %f, %f; st.global.f32 [%p+4], %f; st.global.u32 [%p+8], 2; ret; }\n";

#[test]
fn marks_are_reported_with_the_results() {
    let folder = folder(&[("a.ptx", &format!("{HEAD}{MARKED}"))]);
    for without in [&[][..], &["--without", "uninitialized-register"]] {
        let all: Vec<&str> = ["--format", "json", "a.ptx"].iter().chain(without).copied().collect();
        let (status, out, _) = run(folder.path(), &all, "");
        assert_eq!(status, 0);
        let line = &json(&out)[0];
        assert_eq!(
            (&line["unspecified"], &line["approximate"]),
            (&json!({"out": [[0, 4]]}), &json!({"out": [[4, 8]]}))
        );
        let expectations = line["expectations"].as_array().unwrap();
        let marks: Vec<_> = expectations.iter().map(|e| (&e["unspecified"], &e["approximate"])).collect();
        let (yes, no) = (&json!(true), &Value::Null);
        assert_eq!(marks, [(yes, no), (no, yes), (no, no)], "{expectations:?}");
    }
    let (_, out, _) = run(folder.path(), &["a.ptx"], "");
    assert!(
        out.contains("3 of 3 expectations hold, 1 of them on unspecified values, 1 of them on approximate values\n")
    );
    assert!(out.contains("  unspecified: [0]\n  approximate: [1]\n"), "{out}");
    let (status, out, _) = run(folder.path(), &["--check", "a.ptx"], "");
    assert!(status == 0 && out.contains("3 held, 1 of them on unspecified values, 1 of them on approximate"), "{out}");
}

#[test]
fn mistakes_in_lines_are_marked() {
    let folder = folder(&[("a.ptx", &storing("//! launch: block=1 m=5\n"))]);
    let (status, out, err) = run(folder.path(), &["a.ptx"], "");
    let expected = "\
error[launch]: `two` has no parameter `m`
 --> a.ptx:4:21
  |
4 | //! launch: block=1 m=5
  |                     ^^^
  |
  = help: it has `out` and `n`

";
    assert_eq!((status, out.as_str(), err.as_str()), (1, expected, ""));
    let (status, out, err) = run(folder.path(), &["--format=json", "a.ptx"], "");
    assert_eq!(
        (status, out.as_str(), err.as_str()),
        (1, "", "a.ptx:4: `two` has no parameter `m` (it has `out` and `n`)\n")
    );
    let twice = storing(&format!("//! launch: block=x\n{LAUNCH}"));
    let (status, out, err) = run(folder.path(), &["--check", "-"], &twice);
    assert_eq!((status, err.as_str()), (1, "2 launches, 1 failed\n"));
    assert!(
        out.contains("expected a whole number, but found `x`") && out.contains("ok   two <stdin>:5, 2 held"),
        "{out}"
    );
}

#[test]
fn kernels_are_chosen() {
    let text = storing(LAUNCH) + ".entry other()\n{\n    ret;\n}\n";
    let folder = folder(&[("a.ptx", &text)]);
    let (status, out, err) = run(folder.path(), &["a.ptx"], "");
    assert!(status == 0 && out.starts_with("two "), "{out}");
    assert_eq!(err, "a.ptx: `two` is one of 2 kernels; `--entry` chooses another\n");
    let (status, out, err) = run(folder.path(), &["--entry", "other", "a.ptx"], "");
    assert!(status == 0 && out.starts_with("other a.ptx\n") && err.is_empty(), "{out}{err}");
    let (status, _, err) = run(folder.path(), &["--entry", "third", "a.ptx"], "");
    assert_eq!((status, err.as_str()), (2, "a.ptx: there is no kernel `third`; it has `two`, `other`\n"));
    let several = storing(&LAUNCH.repeat(2));
    let (_, _, err) = run(folder.path(), &["-"], &several);
    assert_eq!(err, "<stdin>: this is the first of 2 launches; `--check` runs all\n");
}

#[test]
fn a_limit_says_what_it_is_and_what_was_reached() {
    let loops = |body: &str| {
        format!(
            "{HEAD}//! launch: grid=3 block=64 out=u32[64]:zero\n.entry k(.param .u64 out)\n{{\n.reg .b32 %r<3>;\n.reg .b64 %rd<2>;\n\
             ld.param.u64 %rd1, [out];\nmov.u32 %r1, 5;\nst.global.u32 [%rd1], %r1;\nloop:\n{body}\n    bra loop;\n}}\n"
        )
    };
    let here = Path::new(".");
    // Time: the buffer has what was stored before.
    let begin = std::time::Instant::now();
    let arguments = ["--seconds", "0.3", "--limit", "1000000000000", "--without", "race", "-"];
    let (status, out, _) = run(here, &arguments, &loops("add.u32 %r1, %r1, 1;"));
    assert!(begin.elapsed() < std::time::Duration::from_secs(20));
    let parts = [
        "stopped at the time limit, at line",
        "the limit is 0.3 seconds; `--seconds` raises it",
        "blocks: 1 running, 2 not begun; 2 running warps: ",
        "out u32[64], 1 changed",
    ];
    assert!(status == 0 && parts.iter().all(|part| out.contains(part)), "{out}");
    let (status, out, _) = run(here, &["--seconds", "0.1", "--limit", "1000000000000", "--check", "-"], &loops(""));
    assert!(status == 1 && out.starts_with("FAIL k ") && out.contains("`--seconds` raises it"), "{out}");
    // Effort, as JSON and in words; it ends at the same instruction each time.
    let heavy = loops("atom.global.add.u32 %r2, [%rd1], 1;");
    let arguments = ["--limit", "2000", "--without", "race", "--format", "json", "-"];
    let (_, out, _) = run(here, &arguments, &heavy);
    let report = &json(&out)[0];
    assert_eq!((&report["status"], &report["limited_by"]), (&json!("limit"), &json!("steps")), "{report}");
    let copies = heavy.replace(
        "atom.global.add.u32 %r2, [%rd1], 1;",
        "{ .reg .f16x2 %h; mov.b32 %h, %r1; ex2.approx.f16x2 %h, %h; }",
    );
    let arguments = ["--limit", "200000", "--format", "json", "--without", "race", "-"];
    let (_, first, _) = run(here, &arguments, &copies);
    let (report, again) = (&json(&first)[0], &json(&run(here, &arguments, &copies).1)[0]);
    assert_eq!((&report["status"], &report["limited_by"]), (&json!("limit"), &json!("effort")), "{report}");
    assert_eq!(report["blocks"], json!({ "ended": 0, "running": 1, "ahead": 2 }));
    assert!(report["standing"][0]["warps"].as_u64().is_some_and(|warps| warps > 0), "{report}");
    let parts = |report: &Value| ["warp_instructions", "buffers", "standing"].map(|key| report[key].clone());
    assert_eq!(parts(report), parts(again));
    let (_, out, _) = run(here, &["--limit", "200000", "--without", "race", "-"], &copies);
    assert!(out.contains("stopped at the work limit, at line") && out.contains("`--limit` raises it"), "{out}");
    for wrong in ["0", "-1", "inf", "soon"] {
        let (status, _, err) = run(here, &["--seconds", wrong, "-"], &heavy);
        assert!(status == 2 && err.contains("a time limit is a number of seconds above 0"), "{wrong}: {err}");
    }
}

#[test]
fn large_buffers_are_left_out_of_reports() {
    let text = storing("//! launch: grid=1 block=1 n=3 out=u32[16777216]:zero\n");
    let (status, out, _) = run(Path::new("."), &["--format", "json", "-"], &text);
    let report = &json(&out)[0];
    assert_eq!((status, &report["omitted"], &report["buffers"]), (0, &json!({ "out": 67_108_864 }), &json!({})));
    let (_, out, _) = run(Path::new("."), &["-"], &text);
    assert!(out.contains("out u32[16777216], 2 changed") && out.contains("  3  7"), "{out}");
}

#[test]
fn endless_loops_stop() {
    let text = format!("{HEAD}//! launch: grid=1 block=32\n.entry k()\n{{\nloop:\n    bra loop;\n}}\n");
    let (status, out, _) = run(Path::new("."), &["--limit", "3000", "-"], &text);
    assert!(status == 0 && out.contains("stopped at the limit, at line 8, after 3,"), "{out}");
    let (status, out, _) = run(Path::new("."), &["--limit", "3000", "--check", "-"], &text);
    assert!(status == 1 && out.starts_with("FAIL k "), "{out}");
    let text = text.replace(".entry k", "//! expect: status=limit\n.entry k");
    let (status, out, _) = run(Path::new("."), &["--limit", "3000", "--check", "-"], &text);
    assert!(status == 0 && out.starts_with("ok   k "), "{out}");
    let (status, _, err) = run(Path::new("."), &["--limit", "0", "-"], &text);
    assert!(status == 2 && err.contains("--limit"), "{err}");
}

#[test]
fn what_has_errors_is_not_run() {
    let text = storing(LAUNCH).replace("mov.u32 %r2, 7", "mov.u32 %rd1, 7") + ".entry fine()\n{\n    ret;\n}\n";
    let folder = folder(&[("a.ptx", &text)]);
    let (status, out, err) = run(folder.path(), &["--check", "a.ptx"], "");
    assert_eq!(status, 1);
    assert!(out.contains("error[operand-type]"), "{out}");
    assert!(err.contains("a.ptx:12: `two` has errors and cannot be run: "), "{err}");
    let (status, out, _) = run(folder.path(), &["--entry", "fine", "a.ptx"], "");
    assert!(status == 0 && out.contains("finished after 2 warp instructions\n"), "{out}");
}

#[test]
fn files_without_kernels() {
    let folder = folder(&[
        ("f.ptx", &format!("{HEAD}.func f()\n{{\n    ret;\n}}\n")),
        ("x.ptx", "<?xml version=\"1.0\"?><pretext/>"),
    ]);
    let (status, _, err) = run(folder.path(), &["f.ptx"], "");
    assert_eq!((status, err.as_str()), (2, "there is no kernel to run\n"));
    let (status, _, err) = run(folder.path(), &["x.ptx"], "");
    assert_eq!(status, 2);
    assert!(err.starts_with("x.ptx: this is XML"), "{err}");
    let (status, _, err) = run(folder.path(), &["missing.ptx"], "");
    assert!(status == 2 && err.starts_with("missing.ptx: "), "{err}");
}

#[test]
fn what_is_looked_for_can_be_chosen() {
    let text = format!(
        "{HEAD}//! launch: grid=1 block=1\n.visible .entry k()\n{{\n    .reg .b32 %r<3>;\n    .reg .f32 %f<3>;\n    \
         add.u32 %r1, %r2, 1;\n    mov.f32 %f1, 0f7F800000;\n    sub.f32 %f2, %f1, %f1;\n    ret;\n}}\n"
    );
    let folder = folder(&[("a.ptx", &text)]);
    let kinds = |arguments: &[&str]| {
        let all: Vec<&str> = ["--format", "json"].iter().chain(arguments).copied().chain(["a.ptx"]).collect();
        let (_, out, _) = run(folder.path(), &all, "");
        let runs = json(&out);
        let kinds = runs[0]["faults"].as_array().unwrap().iter().map(|f| f["kind"].as_str().unwrap().to_owned());
        kinds.collect::<Vec<_>>()
    };
    assert_eq!(kinds(&[]), ["uninitialized-register"]);
    assert_eq!(kinds(&["--without", "uninitialized-register,race"]), [""; 0]);
    assert_eq!(kinds(&["--find", "nan"]), ["uninitialized-register", "nan"]);
    let (status, _, err) = run(folder.path(), &["--without", "out-of-bounds", "a.ptx"], "");
    assert!(status == 2 && err.contains("it ends a run, so it is always found"), "{err}");
}

#[test]
fn a_launch_passes_the_address_of_a_function() {
    // Nothing in the module names the function.
    let text = "\
.version 8.0
.target sm_80
.address_size 64
.func (.reg .u32 r) square(.reg .u32 x) { mul.lo.u32 r, x, x; ret; }
//! launch: grid=1 block=32 f=&square out=u32[32]:zero
//! expect: out[3]=9
.visible .entry k(.param .u64 f, .param .u64 out)
{
    .reg .b32 %r<4>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [f];
    ld.param.u64 %rd2, [out];
    mov.u32 %r1, %tid.x;
    p: .callprototype (.reg .u32 _) _ (.reg .u32 _);
    call (%r2), %rd1, (%r1), p;
    mul.wide.u32 %rd3, %r1, 4;
    add.u64 %rd2, %rd2, %rd3;
    st.global.u32 [%rd2], %r2;
    ret;
}
";
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.ptx"), text).unwrap();
    let (status, out, err) = run(folder.path(), &["--check", "a.ptx"], "");
    assert!(status == 0 && out.contains("1 held"), "{out}{err}");
}
