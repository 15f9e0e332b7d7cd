//! Measures how fast one core executes a warp of 32 lanes: plain, with all checks, with every step recorded, and with only lanes recorded.
//! Also measures how long it takes to inspect a run of ten million steps.
//!
//! `cargo run --release -p ptx-interp --example throughput [STEPS [LOOP]]`

use ptx_check::execution::CheckedProgram;
use ptx_interp::decode::Executable;
use ptx_interp::findings::{Checks, InstructionSite};
use ptx_interp::inspect::expression::{holds, parse};
use ptx_interp::inspect::groups;
use ptx_interp::machine::{
    Detail, GridShape, Machine, Memory, Origin, Progress, RecordScope, RecordedStep, Recorder, Settings, WarpId,
};
use ptx_interp::memory::Storage;
use ptx_interp::trace::{self, SearchDirection};
use std::sync::Arc;
use std::time::Instant;

/// The measured loops: name and body.
const LOOPS: &[(&str, &str)] = &[
    ("moves", "mov.b32 %r1, %r2; mov.b32 %r2, %r3; mov.b32 %r3, %r1; mov.b32 %r4, %r2;"),
    (
        "integers",
        "add.u32 %r1, %r1, %r2; xor.b32 %r2, %r2, %r1; shl.b32 %r3, %r1, 5; mad.lo.u32 %r2, %r3, %r1, %r4; \
         sub.u32 %r4, %r4, %r2; and.b32 %r3, %r4, 255; max.s32 %r1, %r1, %r3;",
    ),
    (
        "floats",
        "fma.rn.f32 %f1, %f1, %f2, %f3; add.f32 %f2, %f1, %f3; mul.f32 %f3, %f2, 0f3F000000; max.f32 %f1, %f1, %f3;",
    ),
    (
        "fused singles",
        "fma.rn.f32 %f1, %f1, %f2, %f3; fma.rn.f32 %f2, %f3, %f1, %f2; fma.rn.f32 %f3, %f1, 0f3F000000, %f3; \
         fma.rn.f32 %f4, %f1, %f2, %f4;",
    ),
    (
        "fused doubles",
        "fma.rn.f64 %d1, %d1, %d2, %d3; fma.rn.f64 %d2, %d3, %d1, %d2; fma.rn.f64 %d3, %d1, 0d3FE0000000000000, %d3; \
         fma.rn.f64 %d4, %d1, %d2, %d4;",
    ),
    (
        "divergent",
        "and.b32 %r3, %r0, 1; setp.eq.u32 %p2, %r3, 0; @%p2 bra even; add.u32 %r1, %r1, 3; even: add.u32 %r2, %r2, 1;",
    ),
    ("shared memory", "st.shared.u32 [buffer], %r1; ld.shared.u32 %r2, [buffer];"),
];

fn module(body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.entry k() {{\n.shared .align 4 .b8 buffer[128];\n.reg .pred %p<4>; \
         .reg .b32 %r<8>; .reg .f32 %f<8>; .reg .f64 %d<8>;\nmov.u32 %r0, %laneid; mov.b32 %r1, 1; mov.b32 %r2, 2; mov.b32 %r3, 3; mov.b32 %r4, 4;\n\
         mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f3F800000; mov.f32 %f3, 0f3F800000; mov.f32 %f4, 0f3F800000;\n\
         mov.f64 %d1, 0d3FE0000000000000; mov.f64 %d2, 0d3FE0000000000000; mov.f64 %d3, 0d3FE0000000000000; mov.f64 %d4, 0d3FE0000000000000;\nagain: {body}\nbra again;\n}}\n"
    )
}

/// What is recorded while a loop is measured.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RecordingMode {
    Nothing,
    Registers,
    Masks,
}

fn executable(text: &str) -> Arc<Executable> {
    let snapshot = ptx_syntax::Document::new(text).snapshot();
    let program = Arc::new(CheckedProgram::new(&snapshot).program);
    assert!(program.errors.is_empty(), "{:?}", program.errors);
    Arc::new(Executable::new(program, "k").expect("it can be executed"))
}

fn machine(executable: &Arc<Executable>, checks: Checks, steps: u64, warps: u32) -> Machine {
    let settings = Settings { checks, limit: steps, ..Settings::default() };
    let memory = Memory { parameters: Storage::new(0, true), ..Memory::default() };
    Machine::new(Arc::clone(executable), GridShape::new([1; 3], [32 * warps, 1, 1]), settings, memory)
}

fn measure(executable: &Arc<Executable>, steps: u64, checks: Checks, record: RecordingMode) -> f64 {
    let mut machine = machine(executable, checks, steps, 1);
    let begin = Instant::now();
    if record == RecordingMode::Nothing {
        machine.advance(u64::MAX, None, &|| false);
    } else {
        // A moving window, as a view has it that follows a run.
        let (scope, detail) = match record {
            RecordingMode::Masks => (RecordScope::All, Detail::MASKS),
            _ => (RecordScope::One(WarpId { cta: 0, warp: 0 }), Detail::REGISTERS),
        };
        let mut recorder = Recorder::of(scope, Origin::Time(0), 1 << 12, detail);
        loop {
            recorder.restart(Origin::Time(machine.steps));
            let progress = machine.advance(machine.steps + (1 << 12), Some(&mut recorder), &|| false);
            std::hint::black_box(&recorder);
            if progress != Progress::Paused {
                break;
            }
        }
    }
    32.0 * machine.steps as f64 / begin.elapsed().as_secs_f64() / 1e9
}

/// Measures the queries of views and debuggers for a long run of four warps.
fn look() {
    let (_, body) = LOOPS[3];
    let executable = executable(&module(body));
    let timed = |what: &str, f: &mut dyn FnMut() -> u64| {
        let begin = Instant::now();
        let found = f();
        println!("{what:70} {:9.2} ms   {found}", begin.elapsed().as_secs_f64() * 1e3);
    };
    let never = || false;
    let mut made = None;
    timed("a run of 10 M steps, copies kept", &mut || {
        let run = trace::run(machine(&executable, Checks::default(), 10_000_000, 4), &never);
        let total = run.total();
        made = Some(run);
        total
    });
    let Some(run) = made else { return };
    let target = WarpId { cta: 0, warp: 2 };
    timed("the machine at a time, in the middle", &mut || run.at(5_123_456, &never).map_or(0, |m| m.steps));
    timed("when a warp executes a step", &mut || run.time_of(target, 1_234_567, &never).unwrap_or(0));
    timed("how many steps a warp has", &mut || run.steps(target, &never));
    timed("256 steps with registers", &mut || run.window(target, 1_234_567, 256, &never).len() as u64);
    timed("20,000 steps, lanes alone", &mut || {
        run.steps_of(target, 1_234_567, 20_000, Detail::MASKS, &never).len() as u64
    });
    let add = |_: WarpId, site: InstructionSite| site.instruction == 11;
    timed("a place that nobody comes to, in 10 M steps", &mut || {
        let nowhere = |_: WarpId, site: InstructionSite| site.instruction == u32::MAX;
        u64::from(run.find(0, SearchDirection::Forward, &nowhere, &mut |_, _| true, &never).is_some())
    });
    let condition = parse("%laneid == 3 && %r1 > 300000").expect("an expression");
    let mut asked = 0;
    timed("a conditional breakpoint, times asked", &mut || {
        let mut accept = |machine: &Machine, step: &RecordedStep| {
            asked += 1;
            let group = groups(machine, step.target).and_then(|g| g.next).unwrap_or(0);
            holds(&condition, machine, step.target, group).is_ok_and(|lanes| lanes != 0)
        };
        run.find(0, SearchDirection::Forward, &add, &mut accept, &never);
        asked
    });
    timed("the last time before the end, backwards", &mut || {
        run.find(run.total(), SearchDirection::Backward, &add, &mut |_, _| true, &never).map_or(0, |s| s.time)
    });
}

fn main() {
    let steps: u64 = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(20_000_000);
    println!(
        "{:14} {:>10} {:>10} {:>10} {:>10}   lane instructions a second, in thousand millions",
        "", "plain", "checked", "recorded", "lanes"
    );
    let only = std::env::args().nth(2);
    for (name, body) in LOOPS.iter().filter(|(name, _)| only.as_ref().is_none_or(|o| o == name)) {
        let executable = executable(&module(body));
        let one = |checks: Checks, record: RecordingMode| measure(&executable, steps, checks, record);
        let (plain, checked) =
            (one(Checks::none(), RecordingMode::Nothing), one(Checks::default(), RecordingMode::Nothing));
        let (recorded, masks) =
            (one(Checks::none(), RecordingMode::Registers), one(Checks::none(), RecordingMode::Masks));
        println!("{name:14} {plain:10.2} {checked:10.2} {recorded:10.2} {masks:10.2}");
    }
    if only.is_none_or(|o| o == "look") {
        println!();
        look();
    }
}
