//! Tests of fairness: a thread that polls in a loop does not keep other threads from running.

use super::module;
use crate::findings::FaultKind;
use crate::machine::RunStatus;
use crate::testing::{TestKernel, TestOutcome};

fn run(body: &str, ctas: u32, threads: u32) -> TestOutcome {
    limited(body, ctas, threads, 2_000_000)
}

fn limited(body: &str, ctas: u32, threads: u32, limit: u64) -> TestOutcome {
    let mut kernel = TestKernel::new(&module("", body)).threads(threads).ctas(ctas, 1).buffer(&[0; 16]);
    kernel.settings.limit = limit;
    kernel.run()
}

/// Whether a run has finished with races as its only findings: these kernels communicate by racing accesses.
fn finished(out: &TestOutcome) -> bool {
    out.status() == RunStatus::Finished && out.kinds().iter().all(|k| *k == FaultKind::Race)
}

/// The threads for which `waits` is true poll a word until it is not zero; the others write it.
fn flag(waits: &str, write: &str) -> String {
    format!(
        "{waits} @!%p0 bra W;\nS: ld.volatile.global.u32 %r5, [%rd0]; setp.eq.u32 %p1, %r5, 0; @%p1 bra S; st.global.u32 [%rd0+4], %r5; bra J;\n\
         W: {write}\nJ: mov.u32 %r6, 0;"
    )
}

#[test]
fn a_lane_waits_for_another_of_its_warp() {
    for waits in ["setp.eq.u32 %p0, %r0, 0;", "setp.ne.u32 %p0, %r0, 0;", "setp.eq.u32 %p0, %r0, 31;"] {
        let out = run(&flag(waits, "st.volatile.global.u32 [%rd0], 7;"), 1, 32);
        assert!(finished(&out), "{waits} {:?} {:?}", out.status(), out.faults());
        assert_eq!(out.u32s(0)[..2], [7, 7]);
    }
    // If no thread writes the word, the wait never ends.
    let out = limited(&flag("setp.eq.u32 %p0, %r0, 0;", "mov.u32 %r6, 1;"), 1, 32, 50_000);
    assert_eq!(out.status(), RunStatus::Limit);
}

#[test]
fn warps_and_ctas_wait_for_others() {
    for (index, count) in [("%warpid", 1), ("%ctaid.x", 40)] {
        for waiter in ["eq", "ne"] {
            let waits = format!("mov.u32 %r4, {index}; setp.{waiter}.u32 %p0, %r4, 0;");
            let out = run(&flag(&waits, "st.volatile.global.u32 [%rd0], 9;"), count, 96);
            assert!(finished(&out), "{index} {waiter} {:?} {:?}", out.status(), out.faults());
            assert_eq!(out.u32s(0)[..2], [9, 9]);
        }
    }
}

#[test]
fn a_lock_is_had_by_one_thread_after_the_other() {
    // Every thread of a warp tries to take the lock: the classic loop that hangs if lanes cannot progress independently.
    let body = "L: atom.global.cas.b32 %r1, [%rd0], 0, 1; setp.ne.u32 %p0, %r1, 0; @%p0 bra L;\n\
        ld.volatile.global.u32 %r2, [%rd0+4]; add.u32 %r2, %r2, 1; st.volatile.global.u32 [%rd0+4], %r2;\n\
        atom.global.exch.b32 %r3, [%rd0], 0;";
    for (ctas, threads) in [(1, 32), (1, 96), (3, 64)] {
        let out = run(body, ctas, threads);
        assert!(finished(&out), "{ctas} {threads} {:?} {:?}", out.status(), out.faults());
        assert_eq!(out.u32s(0)[..2], [0, ctas * threads]);
    }
    // A thread that never releases the lock blocks all others.
    let out = limited(&body.replace("atom.global.exch.b32 %r3, [%rd0], 0;", ""), 1, 32, 50_000);
    assert_eq!((out.status(), out.u32s(0)[1]), (RunStatus::Limit, 1));
}
