//! The time of the program grows with its input, not with the square. More inputs: `tests/bench/growth.py --inputs`.
#![cfg(target_os = "linux")]

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const HEAD: &str = ".version 8.5\n.target sm_90a\n.address_size 64\n";

/// What four times the input may cost: 4 if the time grows with the input, 16 if it grows with the square.
const MAX_GROWTH: f64 = 8.0;

/// Runs whose time is measured. The least counts: other processes share the machine.
const RUNS: usize = 3;

fn repeated(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).fold(String::new(), |mut out, number| {
        let _ = writeln!(out, "{}", line(number));
        out
    })
}

fn kernel(body: &str) -> String {
    format!("{HEAD}.visible .entry k()\n{{\n.reg .b32 %r<9>; .reg .pred %p<9>;\n{body}\nret;\n}}\n")
}

/// The processor time that a process has spent when it ends, in ticks of 10 ms.
fn ticks(mut child: Child) -> u64 {
    let stat = format!("/proc/{}/stat", child.id());
    loop {
        // After the name in parentheses: the state, which is `Z` between the end of the process and `wait`.
        let text = fs::read_to_string(&stat).unwrap();
        let fields: Vec<&str> = text.rsplit(')').next().unwrap().split_whitespace().collect();
        if fields[0] == "Z" {
            child.wait().unwrap();
            return [fields[11], fields[12]].iter().map(|time| time.parse::<u64>().unwrap()).sum();
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn time(path: &Path, command: &str) -> u64 {
    let run = || {
        Command::new(env!("CARGO_BIN_EXE_ptx-analyzer"))
            .args([command, "-j", "1"])
            .arg(path)
            .env_remove("PTX_ANALYZER_LOG")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    };
    (0..RUNS).map(|_| ticks(run())).min().unwrap()
}

fn assert_grows_with_the_input(command: &str, what: &str, count: usize, text: impl Fn(usize) -> String) {
    let folder = tempfile::tempdir().unwrap();
    let measure = |count: usize| {
        let path = folder.path().join("input.ptx");
        fs::write(&path, text(count)).unwrap();
        time(&path, command)
    };
    // The start of the program takes a few ticks too.
    let (once, four_times) = (measure(count).max(5), measure(4 * count));
    let growth = four_times as f64 / once as f64;
    assert!(growth < MAX_GROWTH, "`{command}`, {what}: {once} ticks, then {four_times}");
}

#[test]
fn chains_of_calls() {
    let chain = |count: usize| {
        let function = |number: usize| match number {
            0 => ".func f0() { ret; }".to_owned(),
            _ => format!(
                ".shared .b32 s{number};\n.func f{number}() {{ .reg .b32 %r<2>; ld.shared.b32 %r1, [s{number}]; call f{}; ret; }}",
                number - 1
            ),
        };
        format!("{HEAD}{}", repeated(count, function))
    };
    assert_grows_with_the_input("regs", "a chain of calls", 2_000, chain);
    let ring = |count: usize| {
        let declared = repeated(count, |number| format!(".func f{number}();"));
        let defined = |number: usize| format!(".func f{number}() {{ call f{}; ret; }}", (number + 1) % count);
        format!("{HEAD}{declared}{}", repeated(count, defined))
    };
    assert_grows_with_the_input("regs", "a ring of calls", 2_000, ring);
}

#[test]
fn strings_and_lists() {
    let pragmas = |count: usize| kernel(&repeated(count, |_| ".pragma \"nounroll\";".to_owned()));
    assert_grows_with_the_input("check", "pragmas", 10_000, pragmas);
    let quotes = |count: usize| kernel(&"\"".repeat(4 * count));
    assert_grows_with_the_input("check", "quotation marks", 10_000, quotes);
    let operands = |count: usize| kernel(&format!("add.s32 {};", ["%r1"].repeat(count).join(", ")));
    assert_grows_with_the_input("check", "operands", 10_000, operands);
    let directives = |count: usize| format!("{HEAD}.entry k() {} {{ ret; }}\n", ".maxntid 32 ".repeat(count));
    assert_grows_with_the_input("regs", "directives in a header", 10_000, directives);
}

#[test]
fn branches_and_live_values() {
    let branches = |count: usize| kernel(&format!("L:\n{}", repeated(count, |_| "@%p1 bra L;".to_owned())));
    assert_grows_with_the_input("regs", "branches to one label", 10_000, branches);
    let loops = |count: usize| {
        let turn = |number: usize| {
            format!("L{number}:\nadd.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, {number};\n@%p1 bra L{number};")
        };
        kernel(&repeated(count, turn))
    };
    assert_grows_with_the_input("regs", "loops", 5_000, loops);
}

/// Values that are live across all blocks need memory in proportion to the square: a function with too many is not analysed.
#[test]
fn a_function_with_too_many_live_values_is_left_out() {
    let values = |count: usize| {
        let set = |number: usize| {
            format!("mov.u32 %v{number}, {number};\n@%p1 bra L{number};\nadd.s32 %v0, %v0, 1;\nL{number}:")
        };
        let read = |number: usize| format!("st.local.b32 [0], %v{number};");
        kernel(&format!(".reg .b32 %v<{count}>;\n{}{}", repeated(count, set), repeated(count, read)))
    };
    let folder = tempfile::tempdir().unwrap();
    for (count, expected) in [(1_000, Some(0)), (10_000, Some(1))] {
        let path = folder.path().join(format!("{count}.ptx"));
        fs::write(&path, values(count)).unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_ptx-analyzer")).arg("regs").arg(&path).output().unwrap();
        let reason = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), expected, "{reason}");
        assert_eq!(reason.contains("`k` is left out"), count > 1_000, "{reason}");
    }
}
