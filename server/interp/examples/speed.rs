//! How fast a warp of 32 lanes is executed on one core: plain, with all checks, and with every step recorded.
//!
//! `cargo run --release -p ptx-interp --example speed [STEPS [LOOP]]`

use ptx_analysis::program::Program;
use ptx_interp::decode::Executable;
use ptx_interp::findings::Checks;
use ptx_interp::machine::{Machine, Memory, Origin, Progress, Recorder, Settings, Shape, Target};
use ptx_interp::memory::Storage;
use std::sync::Arc;
use std::time::Instant;

/// Loops that are measured: their bodies.
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
        "divergent",
        "and.b32 %r3, %r0, 1; setp.eq.u32 %p2, %r3, 0; @%p2 bra even; add.u32 %r1, %r1, 3; even: add.u32 %r2, %r2, 1;",
    ),
    ("shared memory", "st.shared.u32 [buffer], %r1; ld.shared.u32 %r2, [buffer];"),
];

fn module(body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.entry k() {{\n.shared .align 4 .b8 buffer[128];\n.reg .pred %p<4>; \
         .reg .b32 %r<8>; .reg .f32 %f<8>;\nmov.u32 %r0, %laneid; mov.b32 %r1, 1; mov.b32 %r2, 2; mov.b32 %r3, 3; mov.b32 %r4, 4;\n\
         mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f3F800000; mov.f32 %f3, 0f3F800000;\nagain: {body}\nbra again;\n}}\n"
    )
}

fn main() {
    let steps: u64 = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(20_000_000);
    println!(
        "{:14} {:>10} {:>10} {:>10}   lane instructions a second, in thousand millions",
        "", "plain", "checked", "recorded"
    );
    let only = std::env::args().nth(2);
    for (name, body) in LOOPS.iter().filter(|(name, _)| only.as_ref().is_none_or(|o| o == name)) {
        let snapshot = ptx_syntax::Document::new(&module(body)).snapshot();
        let program = Arc::new(Program::new(&snapshot));
        assert!(program.errors.is_empty(), "{:?}", program.errors);
        let executable = Arc::new(Executable::new(program, "k").expect("it can be executed"));
        let measure = |checks: Checks, record: bool| {
            let settings = Settings { checks, limit: steps, ..Settings::default() };
            let memory = Memory { parameters: Storage::new(0, true), ..Memory::default() };
            let mut machine = Machine::new(Arc::clone(&executable), Shape::new([1; 3], [32, 1, 1]), settings, memory);
            let begin = Instant::now();
            if record {
                // A window that moves along, as a view that follows a run has it.
                let mut recorder = Recorder::new(Target { cta: 0, warp: 0 }, 0, 1 << 12);
                loop {
                    recorder.restart(Origin::Step(machine.steps));
                    let progress = machine.advance(machine.steps + (1 << 12), Some(&mut recorder), &|| false);
                    std::hint::black_box(&recorder);
                    if progress != Progress::Paused {
                        break;
                    }
                }
            } else {
                machine.advance(u64::MAX, None, &|| false);
            }
            32.0 * machine.steps as f64 / begin.elapsed().as_secs_f64() / 1e9
        };
        let (plain, checked, recorded) =
            (measure(Checks::none(), false), measure(Checks::default(), false), measure(Checks::none(), true));
        println!("{name:14} {plain:10.2} {checked:10.2} {recorded:10.2}");
    }
}
