//! Tests of `ptx-analyzer regs`. Other tests measure the quality of the estimates.

use crate::cli::{no_such_file, run_with};
use std::path::Path;

/// Exit status, standard output and standard error.
fn run(folder: &Path, arguments: &[&str], input: &str) -> (i32, String, String) {
    let arguments: Vec<&str> = std::iter::once("regs").chain(arguments.iter().copied()).collect();
    let output = run_with(folder, &arguments, input.as_bytes());
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn module(target: &str, rest: &str) -> String {
    format!(".version 8.0\n.target {target}\n.address_size 64\n{rest}")
}

/// A kernel that has `count` values live at once, and then stores them.
fn holding(name: &str, header: &str, count: u32) -> String {
    let loads = (0..count).map(|i| format!("    ld.volatile.global.f32 %f{i}, [%rd1+{}];\n", 4 * i));
    let stores = (0..count).map(|i| format!("    st.volatile.global.f32 [%rd1+{}], %f{};\n", 4 * i, count - 1 - i));
    let body: String = loads.chain(stores).collect();
    format!(
        ".visible .entry {name}(.param .u64 p)\n{header}\n{{\n    .reg .f32 %f<{}>;\n    .reg .b64 %rd<2>;\n    \
         ld.param.u64 %rd1, [p];\n{body}    ret;\n}}\n",
        count + 1
    )
}

fn json(output: &str) -> Vec<serde_json::Value> {
    output.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn the_keys_of_the_contract() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.ptx"), module("sm_80", &holding("k", ".reqntid 128", 100))).unwrap();
    let (status, out, err) = run(folder.path(), &["--format", "json", "a.ptx"], "");
    assert_eq!((status, err.as_str()), (0, "1 file: 1 function\n"));
    let [line] = &json(&out)[..] else { panic!("{out}") };
    assert_eq!((&line["file"], &line["entry"], &line["line"]), (&"a.ptx".into(), &"k".into(), &4.into()));
    assert_eq!(line["target"], "sm_80");
    let registers = line["registers"].as_u64().unwrap();
    // ptxas needs 128. This test checks only the order of magnitude.
    assert!((80..=168).contains(&registers), "{out}");
    // After the last load, 100 values and a 64-bit address are live.
    assert_eq!(line["max_live"], serde_json::json!({"b32": 102, "pred": 0, "peak_line": 109}));
    let occupancy = &line["occupancy"];
    let warps = 65536 / 4 / (registers as u32 * 32).next_multiple_of(256) * 4;
    assert_eq!(occupancy["warps_per_sm"], warps, "{out}");
    assert_eq!(occupancy["percent"], (warps * 100 + 32) / 64, "{out}");
    assert_eq!(occupancy["limited_by"], "registers");
    assert_eq!((&occupancy["threads"], &occupancy["threads_assumed"]), (&128.into(), &false.into()));
    assert!(occupancy["fewer"]["registers"].as_u64().unwrap() < 64, "{out}");
    assert_eq!((&line["kind"], &line["spill_likely"], &line["shared"]), (&"entry".into(), &false.into(), &0.into()));
}

#[test]
fn for_people() {
    let folder = tempfile::tempdir().unwrap();
    let text = module(
        "sm_90",
        ".extern .shared .align 16 .b8 more[];\n.visible .entry few()\n{\n    .reg .b32 %r<2>;\n    .shared .b8 own[1000];\n    \
         mov.u32 %r1, more;\n    st.volatile.shared.u32 [%r1], 1;\n    st.volatile.shared.u32 [own], %r1;\n    ret;\n}\n",
    ) + &holding("much", ".maxnreg 64", 100)
        + &holding("wide", ".reqntid 1024", 100);
    let (status, out, err) = run(folder.path(), &["-"], &text);
    assert_eq!((status, err.as_str()), (0, "1 file: 3 functions\n"), "{out}");
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[0], "<stdin> for sm_90");
    assert_eq!(lines[1].split_whitespace().next(), Some("line"));
    // In characters: the dash of a range has three bytes.
    let column = |line: &str, word: &str| line.split(word).next().unwrap().chars().count();
    let width = |line: &str| column(line, ".entry");
    let entries: Vec<&&str> = lines.iter().filter(|l| l.contains(".entry")).collect();
    assert_eq!(entries.len(), 3, "{out}");
    assert!(entries.iter().all(|l| width(l) == width(entries[0])), "aligned:\n{out}");
    assert_eq!(column(lines[1], "function"), width(entries[0]), "{out}");
    assert!(entries[0].contains(" 1008 B+ ") && entries[0].contains(" 256? "), "{out}");
    assert!(entries[1].contains(" 64 "), "{out}");
    assert!(out.contains("registers, `.maxnreg` on line 15 leaves 64"), "{out}");
    assert!(out.contains("registers, `.reqntid` on line 223 leaves 64"), "{out}");
    assert!(out.contains("? the header does not say how many") && out.contains("+ dynamic shared memory"), "{out}");
    assert!(!out.contains('\x1b'), "no colours for a pipe");
}

#[test]
fn old_targets_are_estimated_as_the_oldest_that_the_assembler_has() {
    let folder = tempfile::tempdir().unwrap();
    let text = module("sm_52", ".visible .entry k()\n{\n    ret;\n}\n");
    let (_, out, _) = run(folder.path(), &["--format", "json", "-"], &text);
    assert_eq!(json(&out)[0]["target"], "sm_75");
    let (_, out, _) = run(folder.path(), &["-"], &text);
    assert!(out.starts_with("<stdin> for sm_75, the oldest target with an estimate; the file says sm_52\n"), "{out}");
    let (_, out, _) = run(folder.path(), &["-"], ".version 8.0\n.entry k()\n{\n    ret;\n}\n");
    assert!(out.starts_with("<stdin> for sm_75, because the file names no target\n"), "{out}");
    let (_, out, _) = run(folder.path(), &["--format", "json", "--target", "sm_90a", "-"], &text);
    assert_eq!(json(&out)[0]["target"], "sm_90a");
    let (status, _, err) = run(folder.path(), &["--target", "sm_1", "-"], &text);
    assert_eq!(status, 2, "{err}");
}

#[test]
fn what_the_tables_do_not_know_is_left_open() {
    let folder = tempfile::tempdir().unwrap();
    let text = ".version 9.4\n.target sm_107\n.address_size 64\n.visible .entry k()\n{\n    ret;\n}\n";
    let (status, out, _) = run(folder.path(), &["--format", "json", "-"], text);
    assert_eq!(status, 0);
    assert!(json(&out)[0]["occupancy"].is_null(), "{out}");
}

#[test]
fn functions_with_errors_are_left_out_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let text = module(
        "sm_80",
        ".entry bad()\n{\n    bad.u32 1;\n    ret;\n}\n.entry good()\n{\n    ret;\n}\n.func outside();\n",
    );
    std::fs::write(folder.path().join("a.ptx"), text).unwrap();
    let (status, out, err) = run(folder.path(), &["--format=json", "a.ptx"], "");
    assert_eq!(status, 1);
    assert_eq!(json(&out).iter().map(|l| l["entry"].as_str().unwrap()).collect::<Vec<_>>(), ["good"]);
    assert_eq!(err, "a.ptx:6: `bad` is left out: `bad` is not an instruction\n1 file: 1 function, 1 left out\n");
}

#[test]
fn files_that_cannot_be_read_do_not_stop_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let text = module("sm_80", ".entry k()\n{\n    ret;\n}\n");
    std::fs::create_dir(folder.path().join("in")).unwrap();
    for name in ["in/b.ptx", "in/a.ptx", "c.ptx"] {
        std::fs::write(folder.path().join(name), &text).unwrap();
    }
    let (status, out, err) = run(folder.path(), &["--format=json", "-j", "2", "missing.ptx", "in", "c.ptx"], "");
    assert_eq!(status, 2);
    assert_eq!(
        json(&out).iter().map(|l| l["file"].as_str().unwrap()).collect::<Vec<_>>(),
        ["in/a.ptx", "in/b.ptx", "c.ptx"]
    );
    assert!(err.starts_with(&format!("missing.ptx: {}", no_such_file())), "{err}");
    assert!(err.ends_with("3 files: 3 functions\n"), "{err}");
}

#[test]
fn calls_and_shared_memory_of_callees_count() {
    let folder = tempfile::tempdir().unwrap();
    let text = module(
        "sm_80",
        ".func small()\n{\n    .shared .b32 mine[64];\n    ret;\n}\n.extern .func outside();\n.entry a()\n{\n    call.uni small;\n    \
         ret;\n}\n.entry b()\n{\n    call.uni outside;\n    ret;\n}\n",
    );
    let (status, out, _) = run(folder.path(), &["--format=json", "-"], &text);
    assert_eq!(status, 0);
    let lines = json(&out);
    let of = |name: &str| lines.iter().find(|l| l["entry"] == name).unwrap();
    assert!(of("small")["occupancy"].is_null(), "only kernels are launched");
    assert_eq!(of("small")["kind"], "func");
    assert_eq!(of("a")["shared"], 256);
    assert_eq!(of("b")["registers"], 24, "the calling convention needs 24");
    assert!(of("a")["registers"].as_u64() < Some(24));
}
