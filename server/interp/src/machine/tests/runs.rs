//! Tests of whole runs: many CTAs, limits, cancellation, and windows of steps that do not depend on how they are requested.

use super::module;
use crate::machine::{RecordedStep, RunStatus, WarpId};
use crate::testing::{TestKernel, TestOutcome};
use std::time::{Duration, Instant};

#[test]
fn grids_of_many_ctas_are_executed() {
    let body = "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mad.lo.u32 %r1, %r1, %r2, %r0; mad.wide.u32 %rd1, %r1, 4, %rd0;\n\
        mov.u32 %r3, %nctaid.x; add.u32 %r1, %r1, %r3; st.global.u32 [%rd1], %r1;";
    let (ctas, threads) = (3000, 40);
    let run =
        |bytes: usize| TestKernel::new(&module("", body)).threads(threads).ctas(ctas, 1).buffer(&vec![0; bytes]).run();
    let out = run(4 * (ctas * threads) as usize);
    assert_eq!((out.status(), out.faults()), (RunStatus::Finished, &[][..]));
    assert_eq!(out.u32s(0), (ctas..ctas + ctas * threads).collect::<Vec<_>>());
    // The buffer has no room for the word of the last thread.
    let out = run(4 * (ctas * threads) as usize - 4);
    assert_eq!(out.status(), RunStatus::Fault);
    assert_eq!((out.faults()[0].cta, out.faults()[0].warp, out.faults()[0].lanes), ([ctas - 1, 0, 0], 1, 1 << 7));
}

#[test]
fn a_run_ends_at_its_limit() {
    let run = |limit: u64, body: &str| {
        let mut kernel = TestKernel::new(&module("", body)).threads(64).buffer(&[0; 256]);
        kernel.settings.limit = limit;
        kernel.run()
    };
    let out = run(1000, "L: bra L;");
    assert_eq!((out.status(), out.run.machine.steps), (RunStatus::Limit, 1000));
    let out = run(1000, "st.global.u32 [%rd1], 1;");
    assert_eq!((out.status(), out.run.machine.steps), (RunStatus::Finished, 2 * 5));
    // The last permitted step is the last step of the run.
    assert_eq!(run(10, "st.global.u32 [%rd1], 1;").status(), RunStatus::Finished);
    assert_eq!(run(9, "st.global.u32 [%rd1], 1;").status(), RunStatus::Limit);
}

#[test]
fn a_run_that_nobody_wants_ends_at_once() {
    for body in ["L: bra L;", "L: add.u32 %r0, %r0, 1; st.global.u32 [%rd1], %r0; bra L;"] {
        let mut kernel = TestKernel::new(&module("", body)).threads(256).ctas(20, 1).buffer(&[0; 1024]);
        kernel.settings.limit = u64::MAX;
        let start = Instant::now();
        let asked = std::cell::Cell::new(None);
        let cancelled = || {
            let enough = start.elapsed() > Duration::from_millis(30);
            if enough && asked.get().is_none() {
                asked.set(Some(Instant::now()));
            }
            enough
        };
        let out = kernel.run_until(&cancelled);
        assert_eq!(out.status(), RunStatus::Cancelled);
        let late = asked.get().expect("it was asked").elapsed();
        // Normally a few milliseconds; more only if the computer is very busy.
        assert!(late < Duration::from_millis(100), "{late:?}");
    }
}

/// A kernel with loops, branches, calls and memory accesses in several warps and CTAs: some ten thousand steps.
fn busy() -> TestOutcome {
    let functions = ".func (.reg .b32 r) f(.reg .b32 a) { .reg .pred %p; mov.b32 r, a; setp.lt.u32 %p, a, 7; @%p ret; mul.lo.u32 r, a, 3; ret; }";
    let body = "mov.u32 %r9, %ctaid.x; mad.lo.u32 %r9, %r9, 64, %r0; mad.wide.u32 %rd1, %r9, 4, %rd0; mov.u32 %r1, 0; mov.u32 %r2, 1; and.b32 %r3, %r0, 15;\n\
        L: setp.ge.u32 %p0, %r1, 120; @%p0 bra OUT; add.u32 %r4, %r1, %r3; and.b32 %r4, %r4, 3; setp.eq.u32 %p1, %r4, 0; @%p1 bra A;\n\
        call (%r5), f, (%r4); add.u32 %r2, %r2, %r5; st.global.u32 [%rd1], %r2; bra N;\nA: mad.lo.u32 %r2, %r2, 5, %r1; ld.global.u32 %r6, [%rd1];\n\
        setp.gt.u32 %p2, %r6, 100; @%p2 sub.u32 %r2, %r2, 9;\nN: add.u32 %r1, %r1, 1; bra L;\nOUT: st.global.u32 [%rd1], %r2;";
    TestKernel::new(&module(functions, body)).threads(64).ctas(4, 1).buffer(&[0; 1024]).run()
}

fn window(out: &TestOutcome, cta: u64, warp: u32, from: u64, count: usize) -> Vec<RecordedStep> {
    out.run.window(WarpId { cta, warp }, from, count, &|| false)
}

#[test]
fn windows_are_parts_of_the_whole() {
    let out = busy();
    assert_eq!((out.status(), out.faults()), (RunStatus::Finished, &[][..]));
    assert!(out.run.snapshots() > 2, "{}", out.run.snapshots());
    let mut state = 99_u64;
    let mut random = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for (cta, warp) in [(0, 0), (0, 1), (3, 1)] {
        let all = window(&out, cta, warp, 0, usize::MAX);
        assert!(all.len() > 1000, "{}", all.len());
        assert!(all.iter().enumerate().all(|(i, s)| s.step == i as u64));
        for _ in 0..25 {
            let (from, count) = (random(all.len() as u64), random(300) as usize);
            let end = (from as usize + count).min(all.len());
            assert_eq!(window(&out, cta, warp, from, count), all[from as usize..end], "{cta} {warp} {from} {count}");
        }
        let behind = all.len() as u64;
        assert_eq!(window(&out, cta, warp, behind - 2, 10), all[all.len() - 2..]);
        assert_eq!(window(&out, cta, warp, behind, 10), []);
        // The value of a register before a step is the one that the last writing step left.
        let mut known = std::collections::HashMap::new();
        let body = out.run.machine.executable.function(all[0].site.function).expect("the kernel");
        for step in all.iter().filter(|s| s.depth == 0) {
            let calls = body.entry(step.site.instruction as usize).name == "call";
            for change in &step.changes {
                if calls {
                    // The return writes the result registers.
                    known.remove(&change.slot);
                    continue;
                }
                if let Some(last) = known.insert(change.slot, change.after.clone()) {
                    assert_eq!(last, change.before, "{step:?}");
                }
            }
        }
    }
    assert_eq!(window(&out, 4, 0, 0, 10), [], "a CTA that does not exist");
    assert_eq!(window(&out, 0, 2, 0, 10), [], "a warp that does not exist");
}

#[test]
fn two_runs_are_equal() {
    let (a, b) = (busy(), busy());
    assert_eq!(a.bytes(0), b.bytes(0));
    assert_eq!(a.run.machine.steps, b.run.machine.steps);
    for cta in 0..4 {
        assert_eq!(window(&a, cta, 1, 0, usize::MAX), window(&b, cta, 1, 0, usize::MAX));
    }
}
