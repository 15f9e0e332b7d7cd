//! Runs a generated or mutated kernel. The run must respect its limits and be deterministic, and any window of its
//! trace must equal that part of the whole trace.

use crate::bytes::{Bytes, boundary, split};
use crate::edits::PIECES;
use ptx_interp::findings::{Checks, FaultKind};
use ptx_interp::machine::{Detail, RunStatus, Settings, WarpId};
use ptx_isa::ISA;
use ptx_isa::tables::Entry;
use ptx_launch::evaluate::{LaunchModule, LaunchRun};
use ptx_launch::report::report;
use ptx_launch_syntax::Launch;
use ptx_syntax::Snapshot;
use ptx_tests::snippets::{declarations, judge};
use ptx_tests::suite::statements_of;
use ptx_view::document::markdown;
use ptx_view::line_values::LastValues;
use ptx_view::row::RowStyle;
use ptx_view::{Course, TimelineQuery, ViewContext, ViewQuery};
use std::collections::HashMap;
use std::fmt::Write;
use std::sync::{LazyLock, Mutex, PoisonError};

/// Maximum number of warp instructions per run.
const LIMIT: u64 = 8_000;

/// Maximum number of bytes that a run may write.
const MEMORY: u64 = 1 << 18;

/// Runs the kernel of an input.
pub fn run(data: &[u8]) {
    let (text, mut bytes) = split(data);
    let how = bytes.byte();
    let text = if text.trim().is_empty() { generate(&mut bytes) } else { mutate(text, &mut bytes) };
    let module = LaunchModule::new(&Snapshot::new(&text));
    let mut launches = module.launches().0;
    if launches.is_empty() {
        launches.extend(module.kernels().take(1).map(|k| Launch { entry: k.into(), ..Launch::default() }));
    }
    let checks = FaultKind::optional().enumerate().fold(Checks::default(), |checks, (i, kind)| {
        checks.with(kind, if how & 1 == 0 { true } else { i % 7 != usize::from(how >> 1) % 7 })
    });
    for launch in launches.into_iter().take(2) {
        let settings = Settings { checks, limit: LIMIT, memory: MEMORY, ..Settings::default() };
        let evaluate = || module.evaluate(launch.clone(), settings.clone(), None, None, &|| false);
        if let Ok(first) = evaluate() {
            bounds(&first);
            let second = evaluate().unwrap_or_else(|_| panic!("refused the second time"));
            same(&first, &second, &text);
            windows(&first, &mut bytes, &text);
        }
    }
}

fn bounds(done: &LaunchRun) {
    let machine = &done.run.machine;
    // A run ends only at the end of a scheduling turn, so it may exceed the limit.
    assert!(machine.steps <= LIMIT + 4096, "{} steps", machine.steps);
    assert!(machine.kept <= MEMORY + (1 << 20), "{} bytes are kept", machine.kept);
    assert!(machine.printed.len() as u64 <= MEMORY + (1 << 20), "{} bytes are printed", machine.printed.len());
}

fn same(first: &LaunchRun, second: &LaunchRun, text: &str) {
    let nowhere = |_: usize| (1, 1);
    let json = |done: &LaunchRun| {
        let mut report = report(done, &nowhere, None, &mut { u64::MAX });
        report.seconds = 0.0;
        serde_json::to_value(report).expect("a report is JSON")
    };
    assert_eq!(json(first), json(second), "another run of\n{text}");
    let (a, b) = (&first.run.machine, &second.run.machine);
    assert_eq!((a.kept, a.progress, &a.printed), (b.kept, b.progress, &b.printed), "another run of\n{text}");
}

/// Compares windows of the trace, and computes the views that editors show.
fn windows(done: &LaunchRun, bytes: &mut Bytes<'_>, text: &str) {
    let run = &done.run;
    let machine = &run.machine;
    let ctas = machine.shape.ctas().min(64) as usize;
    let target = WarpId { cta: bytes.below(ctas) as u64, warp: bytes.below(machine.shape.warps() as usize) as u32 };
    let never = || false;
    let whole = run.steps_of(target, 0, 600, Detail::ALL, &never);
    let (from, count) = (bytes.below(whole.len() + 1), 1 + bytes.below(40));
    let part = run.steps_of(target, from as u64, count, Detail::ALL, &never);
    let expected: Vec<_> = whole[from..].iter().take(count).cloned().collect();
    assert_eq!(part[..expected.len().min(part.len())], expected[..], "another window of\n{text}");
    let time = bytes.number() as u64 % (run.total() + 1);
    // A run cannot continue after a fault: the remaining code would run as if the fault had not happened.
    if time >= run.begin() && (time < run.total() || run.status != RunStatus::Fault) {
        let there = run.at(time, &never).expect("a time of the run");
        assert_eq!(there.steps, time);
        // A run continued from there must end like the original one.
        let on = ptx_interp::trace::run(there, &never);
        assert_eq!((on.status, on.machine.steps), (run.status, run.total()), "another end from {time} on of\n{text}");
        assert_eq!(on.machine.printed, machine.printed);
        for placed in &done.buffers {
            let (there, here) = (placed.snapshot(&on.machine), placed.snapshot(machine));
            assert!(there.is_same(&here), "another end from {time} on of\n{text}");
        }
    }
    let course = Course::new(done, target, &never);
    let asked = ViewQuery {
        from: from as u64,
        count,
        accesses: true,
        state: Some(from as u64),
        timeline: Some(TimelineQuery { from: 0, count: 50 }),
        rows: Some(RowStyle { room: Some(6), ..RowStyle::default() }),
        ..ViewQuery::default()
    };
    let places = |at: usize| (at, 1);
    let context = ViewContext {
        places: &places,
        is_written: true,
        version: 0,
        launches: 0,
        matrices: &|_| Vec::new(),
        cancelled: &never,
    };
    let _ = ptx_view::answer(done, &course, &asked, &context);
    let _ = markdown(done, &course, &|at| at, &|range| text.get(range), &never);
    let _ = LastValues::new(done, target, 200, &never).of_lane(done, u32::from(bytes.byte() & 31));
}

/// Mutates a module: moves, duplicates and deletes lines, inserts text, changes numbers.
fn mutate(mut text: String, bytes: &mut Bytes<'_>) -> String {
    const NUMBERS: &[&str] = &[
        "0",
        "1",
        "2",
        "3",
        "4",
        "7",
        "8",
        "15",
        "16",
        "31",
        "32",
        "33",
        "63",
        "64",
        "127",
        "128",
        "255",
        "256",
        "1024",
        "4096",
        "65535",
        "65536",
        "-1",
        "-2",
        "-8",
        "0x7fffffff",
        "0x80000000",
        "0xffffffff",
        "0x7fffffffffffffff",
        "0xffffffffffffffff",
        "0x100000000",
        "0f7fc00000",
        "0f00000001",
        "0f7f800000",
        "0d7ff0000000000000",
    ];
    for _ in 0..8 {
        if bytes.is_empty() {
            break;
        }
        match bytes.byte() % 8 {
            0..3 => {
                let mut lines: Vec<&str> = text.lines().collect();
                let (from, to) = (bytes.below(lines.len()), bytes.below(lines.len()));
                if from.max(to) < lines.len() {
                    match bytes.byte() % 3 {
                        0 => lines.swap(from, to),
                        1 => lines.insert(to, lines[from]),
                        _ => drop(lines.remove(from)),
                    }
                }
                text = lines.join("\n");
            }
            3..7 => {
                let runs: Vec<(usize, usize)> = numbers(&text);
                if let Some((start, end)) = runs.get(bytes.below(runs.len())) {
                    text.replace_range(*start..*end, bytes.of(NUMBERS));
                }
            }
            _ => {
                let at = boundary(&text, bytes.below(text.len() + 1));
                text.insert_str(at, bytes.of(PIECES));
            }
        }
    }
    text
}

/// The positions and lengths of numbers.
fn numbers(text: &str) -> Vec<(usize, usize)> {
    let bytes = text.as_bytes();
    let digit = |i: usize| bytes.get(i).is_some_and(u8::is_ascii_digit);
    let starts = (0..bytes.len()).filter(|i| digit(*i) && (*i == 0 || !bytes[i - 1].is_ascii_alphanumeric()));
    let end = |from: usize| (from..bytes.len()).find(|i| !bytes[*i].is_ascii_alphanumeric()).unwrap_or(bytes.len());
    starts.map(|start| (start, end(start))).collect()
}

/// Entries of the tables that have forms.
static ENTRIES: LazyLock<Vec<&'static Entry>> =
    LazyLock::new(|| ISA.opcodes.iter().flat_map(|o| o.entries).filter(|e| !e.forms.is_empty()).collect());

const HOMES: &[(&str, &str)] = &[("9.0", "sm_100a"), ("8.8", "sm_90a"), ("9.0", "sm_120a")];

type Key = (usize, usize, usize);

/// The statements of a form that a target accepts.
fn statements(entry: usize, form: usize, home: usize) -> Vec<String> {
    static KNOWN: LazyLock<Mutex<HashMap<Key, Vec<String>>>> = LazyLock::new(Mutex::default);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let make = || {
        let tables = ENTRIES[entry];
        let all: Vec<String> = statements_of(tables, &tables.forms[form], form).into_iter().collect();
        let lines: Vec<&str> = all.iter().map(String::as_str).collect();
        let verdicts = judge(HOMES[home].0, HOMES[home].1, &lines);
        lines.iter().zip(verdicts).filter(|(_, wrong)| wrong.is_none()).map(|(line, _)| (*line).to_owned()).collect()
    };
    known.entry((entry, form, home)).or_insert_with(make).clone()
}

/// Generates a kernel of legal statements with initialised registers and valid addresses.
fn generate(bytes: &mut Bytes<'_>) -> String {
    const ADDRESSES: &[&str] = &["gl", "gl+64", "sm", "sm+128", "lm", "cn", "q", "gl+1020", "sm+1023", "gl+1"];
    const WORDS: &[&str] = &[
        "0",
        "1",
        "2",
        "31",
        "32",
        "0xffffffff",
        "0x80000000",
        "0x7fffffff",
        "0x3f800000",
        "0x7fc00000",
        "0x7f800000",
        "0x00000001",
        "1000",
        "0x12345678",
        "%tid.x",
        "%laneid",
    ];
    let home = bytes.below(HOMES.len());
    let (version, target) = HOMES[home];
    let mut out = format!(".version {version}\n.target {target}\n.address_size 64\n");
    let threads = bytes.of(&["32", "1", "33", "64", "128", "256"]);
    let grid = bytes.of(&["1", "2", "2,2"]);
    let declared = declarations(version, target);
    let kernel = declared.find(".visible .entry").unwrap_or(0);
    let _ = write!(
        out,
        "{}\n//! launch: grid={grid} block={threads} p=u32[64]:iota\n{}\n",
        &declared[..kernel],
        &declared[kernel..]
    );
    for i in 0..16 {
        let _ = match bytes.byte() % 4 {
            0 => writeln!(out, "mov.b64 %rd{i}, {};", bytes.of(ADDRESSES)),
            1 => writeln!(out, "ld.param.u64 %rd{i}, [p];"),
            2 => writeln!(out, "cvt.u64.u32 %rd{i}, {};", bytes.of(&WORDS[..14])),
            _ => Ok(()),
        };
    }
    for i in 0..40 {
        let choice = bytes.byte();
        if choice & 0xc0 != 0xc0 {
            let _ = writeln!(out, "mov.b32 %r{i}, {};", WORDS[usize::from(choice) % WORDS.len()]);
        }
    }
    out.push_str("setp.eq.u32 %p1, %r1, %r2; setp.lt.s32 %p7, %r3, %r4; setp.ne.u32 %p0, %r0, 0;\n");
    for _ in 0..24 {
        if bytes.is_empty() {
            break;
        }
        let guard = bytes.of(&["", "", "", "@%p1 ", "@!%p7 ", "@%p0 "]);
        let entry = bytes.below(ENTRIES.len());
        let form = bytes.below(ENTRIES[entry].forms.len());
        let all = statements(entry, form, home);
        if !all.is_empty() {
            let _ = writeln!(out, "{{ {guard}{} }}", all[bytes.below(all.len())]);
        }
    }
    out.push_str("L: ret;\n}\n");
    out
}
