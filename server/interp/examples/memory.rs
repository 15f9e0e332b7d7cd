//! Measures memory accesses on one core: how many accesses of lanes the interpreter executes a second, for a warp of 32 lanes, and how long
//! a tiled product of matrices takes, also on all cores.
//!
//! `cargo run --release -p ptx-interp --example memory [ACCESSES [NAME [COLUMN]]]`. With a column alone, callgrind counts its instructions.

use ptx_check::execution::CheckedProgram;
use ptx_interp::decode::Executable;
use ptx_interp::findings::{Checks, FaultKind};
use ptx_interp::machine::{Detail, GridShape, Machine, Memory, Origin, Progress, RecordScope, Recorder, Settings};
use ptx_interp::memory::Storage;
use ptx_interp::trace::RunningGrid;
use std::sync::Arc;
use std::time::Instant;

/// Number of accesses in the body of a loop.
const UNROLLED: u64 = 8;

/// A measured access: its name, the state space of its table, the instructions that give the first address of each lane from its number
/// `%r1`, and the instruction with `ADDRESS` for the address.
struct Access {
    name: &'static str,
    space: &'static str,
    address: &'static str,
    step: &'static str,
    access: &'static str,
}

/// Each lane has words of its own, so that nothing races.
const OWN: &str = "shl.b32 %r2, %r1, 2;";
/// One word for all lanes.
const SAME: &str = "mov.u32 %r2, 0;";
/// Lanes are 64 bytes apart.
const APART: &str = "shl.b32 %r2, %r1, 6;";
/// Lanes are 16 bytes apart, as vectors of four words are.
const VECTORS: &str = "shl.b32 %r2, %r1, 4;";
/// The low bits of an address are those of the lane, the others are random.
const RANDOM: &str = "mul.lo.u32 %r2, %r3, 1664525; add.u32 %r3, %r2, 1013904223; shr.u32 %r2, %r3, 12; and.b32 %r2, %r2, 16256; \
     shl.b32 %r4, %r1, 2; add.u32 %r2, %r2, %r4;";
const STAY: &str = "";

const ACCESSES: &[Access] = &[
    Access {
        name: "load contiguous",
        space: "global",
        address: OWN,
        step: STAY,
        access: "ld.global.u32 %r5, [ADDRESS];",
    },
    Access {
        name: "store contiguous",
        space: "global",
        address: OWN,
        step: STAY,
        access: "st.global.u32 [ADDRESS], %r1;",
    },
    Access {
        name: "load vectors",
        space: "global",
        address: VECTORS,
        step: STAY,
        access: "ld.global.v4.u32 {%r5, %r6, %r7, %r8}, [ADDRESS];",
    },
    Access {
        name: "load uniform",
        space: "global",
        address: SAME,
        step: STAY,
        access: "ld.global.u32 %r5, [ADDRESS];",
    },
    Access {
        name: "load strided",
        space: "global",
        address: APART,
        step: STAY,
        access: "ld.global.u32 %r5, [ADDRESS];",
    },
    Access {
        name: "load scattered",
        space: "global",
        address: RANDOM,
        step: RANDOM,
        access: "ld.global.u32 %r5, [ADDRESS];",
    },
    Access {
        name: "store scattered",
        space: "global",
        address: RANDOM,
        step: RANDOM,
        access: "st.global.u32 [ADDRESS], %r1;",
    },
    Access {
        name: "add atomically",
        space: "global",
        address: OWN,
        step: STAY,
        access: "red.global.add.u32 [ADDRESS], 1;",
    },
    Access {
        name: "load contiguous",
        space: "shared",
        address: OWN,
        step: STAY,
        access: "ld.shared.u32 %r5, [ADDRESS];",
    },
    Access {
        name: "store contiguous",
        space: "shared",
        address: OWN,
        step: STAY,
        access: "st.shared.u32 [ADDRESS], %r1;",
    },
    Access {
        name: "load vectors",
        space: "shared",
        address: VECTORS,
        step: STAY,
        access: "ld.shared.v4.u32 {%r5, %r6, %r7, %r8}, [ADDRESS];",
    },
    Access {
        name: "load uniform",
        space: "shared",
        address: SAME,
        step: STAY,
        access: "ld.shared.u32 %r5, [ADDRESS];",
    },
    Access {
        name: "load strided",
        space: "shared",
        address: APART,
        step: STAY,
        access: "ld.shared.u32 %r5, [ADDRESS];",
    },
    Access {
        name: "load scattered",
        space: "shared",
        address: RANDOM,
        step: RANDOM,
        access: "ld.shared.u32 %r5, [ADDRESS];",
    },
    Access {
        name: "store scattered",
        space: "shared",
        address: RANDOM,
        step: RANDOM,
        access: "st.shared.u32 [ADDRESS], %r1;",
    },
    Access {
        name: "add atomically",
        space: "shared",
        address: OWN,
        step: STAY,
        access: "red.shared.add.u32 [ADDRESS], 1;",
    },
    Access {
        name: "load matrices",
        space: "shared",
        address: VECTORS,
        step: STAY,
        access: "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r5, %r6, %r7, %r8}, [ADDRESS];",
    },
    Access {
        name: "copy to shared",
        space: "shared",
        address: VECTORS,
        step: "cp.async.wait_all;",
        access: "cp.async.ca.shared.global [ADDRESS], [%rd4], 16;",
    },
    Access { name: "load parameter", space: "shared", address: OWN, step: STAY, access: "ld.param.u32 %r5, [p];" },
    Access { name: "load local", space: "local", address: OWN, step: STAY, access: "ld.local.u32 %r5, [ADDRESS];" },
];

/// The kernel of an access, and the number of instructions in its loop.
fn module(access: &Access) -> (String, u64) {
    let Access { space, address, step, .. } = access;
    let wide = if *space == "global" { "%rd3" } else { "%r9" };
    let place = |at: u64| if step.is_empty() { format!("{wide}+{}", 512 * at) } else { format!("{wide}+{}", 0) };
    let to_address = match *space {
        "global" => "cvt.u64.u32 %rd2, %r2; add.u64 %rd3, %rd1, %rd2;".to_owned(),
        _ => "add.u32 %r9, %r10, %r2;".to_owned(),
    };
    let fill = match *space {
        "global" => String::new(),
        space => format!(
            "add.u32 %r9, %r10, %r11; st.{space}.u32 [%r9], 0; add.u32 %r11, %r11, 128; setp.lt.u32 %p1, %r11, 32768; @%p1 bra fill;"
        ),
    };
    let body: String = (0..UNROLLED)
        .map(|at| {
            format!(
                "{} {step} {}\n",
                access.access.replace("ADDRESS", &place(at)),
                if step.is_empty() { "" } else { &to_address }
            )
        })
        .collect();
    let table =
        if *space == "local" { ".local .align 16 .b8 fast[32768];" } else { ".shared .align 16 .b8 fast[32768];" };
    let text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.global .align 16 .b8 slow[65536];\n.entry k(.param .u32 p) {{\n{table}\n\
         .reg .pred %p<4>; .reg .b32 %r<12>; .reg .b64 %rd<5>;\n\
         mov.u32 %r1, %laneid; mov.u32 %r3, %r1; mov.u32 %r10, fast; mov.u64 %rd1, slow; mov.u64 %rd4, slow; shl.b32 %r11, %r1, 2;\n\
         fill: {fill}\n bar.warp.sync -1; {address}\n{to_address}\nagain: {body}\nbra again;\n}}\n"
    );
    (text, body.matches(';').count() as u64 + 1)
}

/// A product of two matrices with `n` rows and columns by CTAs of 16 × 16 threads, with tiles in shared memory.
fn product(n: u32) -> String {
    let inner: String = (0..16)
        .map(|k| {
            format!(
                "ld.shared.f32 %f2, [%r7+{}]; ld.shared.f32 %f3, [%r8+{}]; fma.rn.f32 %f1, %f2, %f3, %f1;\n",
                4 * k,
                64 * k
            )
        })
        .collect();
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.global .align 16 .f32 a[{size}];\n.global .align 16 .f32 b[{size}];\n\
         .global .align 16 .f32 c[{size}];\n.entry k() {{\n.shared .align 16 .b8 ta[1024];\n.shared .align 16 .b8 tb[1024];\n\
         .reg .pred %p<2>; .reg .b32 %r<20>; .reg .b64 %rd<8>; .reg .f32 %f<8>;\n\
         mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ctaid.y;\n\
         mad.lo.u32 %r5, %r4, 16, %r2; mad.lo.u32 %r6, %r3, 16, %r1;\n\
         mad.lo.u32 %r9, %r5, {n}, %r1; mad.lo.u32 %r10, %r2, {n}, %r6;\n\
         mov.u64 %rd1, a; mul.wide.u32 %rd2, %r9, 4; add.u64 %rd1, %rd1, %rd2;\n\
         mov.u64 %rd3, b; mul.wide.u32 %rd4, %r10, 4; add.u64 %rd3, %rd3, %rd4;\n\
         mad.lo.u32 %r11, %r2, 16, %r1; shl.b32 %r11, %r11, 2; mov.u32 %r12, ta; mov.u32 %r13, tb;\n\
         add.u32 %r14, %r12, %r11; add.u32 %r15, %r13, %r11;\n\
         shl.b32 %r16, %r2, 6; add.u32 %r7, %r12, %r16; shl.b32 %r17, %r1, 2; add.u32 %r8, %r13, %r17;\n\
         mov.f32 %f1, 0f00000000; mov.u32 %r18, 0;\n\
         loop: ld.global.f32 %f4, [%rd1]; ld.global.f32 %f5, [%rd3]; st.shared.f32 [%r14], %f4; st.shared.f32 [%r15], %f5;\n\
         bar.sync 0;\n{inner}bar.sync 0;\n\
         add.u64 %rd1, %rd1, 64; add.u64 %rd3, %rd3, {down}; add.u32 %r18, %r18, 16; setp.lt.u32 %p1, %r18, {n}; @%p1 bra loop;\n\
         mad.lo.u32 %r19, %r5, {n}, %r6; mov.u64 %rd5, c; mul.wide.u32 %rd6, %r19, 4; add.u64 %rd5, %rd5, %rd6; st.global.f32 [%rd5], %f1;\n\
         exit;\n}}\n",
        size = n * n,
        down = 64 * n,
    )
}

fn executable(text: &str) -> Arc<Executable> {
    let snapshot = ptx_syntax::Document::new(text).snapshot();
    let program = Arc::new(CheckedProgram::new(&snapshot).program);
    assert!(program.errors.is_empty(), "{:?}", program.errors);
    Arc::new(Executable::new(program, "k").expect("it can be executed"))
}

fn machine(executable: &Arc<Executable>, checks: Checks, shape: GridShape, limit: u64) -> Machine {
    let settings = Settings { checks, limit, ..Settings::default() };
    let (global, constant) = (executable.global.clone(), executable.constant.clone());
    let memory = Memory { parameters: Storage::new(8, true), global, constant };
    Machine::new(Arc::clone(executable), shape, settings, memory)
}

/// The checks of each column, and whether each step is recorded with its registers and accesses.
fn columns() -> Vec<(&'static str, Checks, bool)> {
    let all = Checks::default();
    let columns = [
        ("plain", Checks::none(), false),
        ("no races", all.with(FaultKind::Race, false), false),
        ("checked", all, false),
        ("recorded", all, true),
    ];
    let only = std::env::args().nth(3);
    columns.into_iter().filter(|(name, ..)| only.as_ref().is_none_or(|o| o == name)).collect()
}

/// Runs a machine to its end. Returns the seconds.
fn time(mut machine: Machine, record: bool) -> f64 {
    let begin = Instant::now();
    if record {
        let mut recorder = Recorder::of(RecordScope::All, Origin::Time(0), 1 << 12, Detail::ALL);
        loop {
            recorder.restart(Origin::Time(machine.steps));
            if machine.advance(machine.steps + (1 << 12), Some(&mut recorder), &|| false) != Progress::Paused {
                break;
            }
        }
    } else {
        machine.advance(u64::MAX, None, &|| false);
    }
    let seconds = begin.elapsed().as_secs_f64();
    assert!(machine.findings.faults.is_empty(), "{:?}", machine.findings.faults);
    seconds
}

/// Runs a machine to its end, on as many threads as its settings allow. Returns the seconds.
fn time_on_threads(machine: Machine) -> f64 {
    let (begin, mut running) = (Instant::now(), RunningGrid::without_history(machine));
    let status = loop {
        if let Some(status) = running.advance(&|| false) {
            break status;
        }
    };
    let seconds = begin.elapsed().as_secs_f64();
    let run = running.end(status);
    assert!(run.machine.findings.faults.is_empty(), "{:?}", run.machine.findings.faults);
    seconds
}

fn main() {
    let count: u64 = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(1_000_000);
    let only = std::env::args().nth(2);
    let wanted = |name: &str| only.as_ref().is_none_or(|o| name.contains(o.as_str()));
    print!("{:26}", "");
    columns().iter().for_each(|(name, ..)| print!(" {name:>10}"));
    println!("   accesses of lanes a second, in thousand millions");
    for access in ACCESSES {
        let name = format!("{} {}", access.space, access.name);
        if !wanted(&name) {
            continue;
        }
        let (text, per_loop) = module(access);
        let executable = executable(&text);
        // A run that only fills the table is subtracted.
        let before = 1500;
        let steps = before + count * per_loop / UNROLLED;
        let shape = GridShape::new([1; 3], [32, 1, 1]);
        let speed = |checks: Checks, record: bool| {
            let start = time(machine(&executable, checks, shape, before), record);
            let all = time(machine(&executable, checks, shape, steps), record);
            32.0 * count as f64 / (all - start) / 1e9
        };
        print!("{name:26}");
        columns().iter().for_each(|(_, checks, record)| print!(" {:10.3}", speed(*checks, *record)));
        println!();
    }
    for n in [64, 256] {
        let name = format!("product {n}");
        if !wanted(&name) {
            continue;
        }
        let executable = executable(&product(n));
        let shape = GridShape::new([n / 16, n / 16, 1], [16, 16, 1]);
        print!("{name:26}");
        columns().iter().for_each(|(_, checks, record)| {
            print!(" {:10.3}", time(machine(&executable, *checks, shape, u64::MAX), *record));
        });
        println!("   seconds");
        print!("{:26}", format!("{name} on all cores"));
        columns().iter().filter(|(.., record)| !record).for_each(|(_, checks, _)| {
            let mut machine = machine(&executable, *checks, shape, u64::MAX);
            machine.settings.threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
            print!(" {:10.3}", time_on_threads(machine));
        });
        println!("   seconds");
    }
}
