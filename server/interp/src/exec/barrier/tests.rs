use crate::findings::FaultKind;
use crate::machine::RunStatus;
use crate::testing::TestKernel;

/// A kernel with this body. `%r1` is the thread, `%r2` the warp, `%r3` the lane, and `%rd2` the address of the thread's word of the
/// buffer, which holds a different number for each thread. `s` is 1024 words of shared memory, and `%r4` the address of the thread's word
/// there.
fn kernel(threads: u32, body: &str) -> TestKernel {
    let text = format!(
        ".shared .align 16 .b32 s[1024];\nmov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 5; and.b32 %r3, %r1, 31;\n\
         mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd0, %rd2; mov.u32 %r4, s; mad.lo.u32 %r4, %r1, 4, %r4;\n{body}"
    );
    let bytes: Vec<u8> = (0..threads).flat_map(|t| (7 * t + 1).to_le_bytes()).collect();
    TestKernel::body("", &text).threads(threads).buffer(&bytes)
}

/// Each thread reads the word that the next thread wrote before the barrier.
fn rotate(barrier: &str) -> String {
    format!(
        "ld.global.u32 %r5, [%rd2]; st.shared.u32 [%r4], %r5; {barrier}\n mov.u32 %r6, %ntid.x; add.u32 %r7, %r1, 1; rem.u32 %r7, %r7, %r6;\n\
         mov.u32 %r8, s; mad.lo.u32 %r8, %r7, 4, %r8; ld.shared.u32 %r9, [%r8]; st.global.u32 [%rd2], %r9;"
    )
}

#[test]
fn all_threads_wait_for_each_other() {
    let barriers = [
        "bar.sync 0;",
        "barrier.sync 3;",
        "barrier.sync.aligned 15;",
        "mov.u32 %r10, 5; bar.sync %r10;",
        "bar.cta.sync 2;",
    ];
    for (threads, barrier) in [32, 64, 100, 1024].into_iter().flat_map(|t| barriers.map(|b| (t, b))) {
        let out = kernel(threads, &rotate(barrier)).fine();
        let expected: Vec<u32> = (0..threads).map(|t| 7 * ((t + 1) % threads) + 1).collect();
        assert_eq!(out.u32s(0), expected, "{threads} {barrier}");
    }
    // A last warp that is not full counts as a full one.
    let out = kernel(100, &rotate("bar.sync 1, 128;")).fine();
    assert_eq!(out.u32s(0)[99], 1);
}

#[test]
fn a_barrier_can_be_used_again_and_again() {
    let body = "mov.u32 %r5, 0; st.shared.u32 [%r4], 0; loop: bar.sync 0; add.u32 %r5, %r5, 1; \
        mov.u32 %r6, s; and.b32 %r7, %r5, 63; mad.lo.u32 %r6, %r7, 4, %r6; setp.ne.u32 %p1, %r7, %r1; @%p1 bra skip; \
        st.shared.u32 [%r6], %r5; skip: setp.lt.u32 %p0, %r5, 130; @%p0 bra loop; ld.shared.u32 %r9, [%r4]; st.global.u32 [%rd2], %r9;";
    let out = kernel(64, body).fine();
    assert_eq!(out.u32s(0)[..4], [128, 129, 130, 67]);
}

#[test]
fn predicates_are_combined() {
    for (threads, limit) in [(64, 0), (64, 40), (64, 64), (70, 70), (70, 69)] {
        let body = format!(
            "setp.lt.u32 %p0, %r1, {limit}; bar.red.popc.u32 %r5, 1, %p0; bar.red.and.pred %p1, 2, %p0; bar.red.or.pred %p2, 1, !%p0;\n\
             selp.u32 %r6, 1000, 0, %p1; add.u32 %r5, %r5, %r6; selp.u32 %r6, 2000, 0, %p2; add.u32 %r5, %r5, %r6; st.global.u32 [%rd2], %r5;"
        );
        let out = kernel(threads, &body).fine();
        let expected = limit + if limit == threads { 1000 } else { 2000 };
        assert_eq!(out.u32s(0), vec![expected; threads as usize], "{threads} {limit}");
    }
    let out =
        kernel(64, "setp.lt.u32 %p0, %r1, 40; barrier.red.popc.u32 %r5, 1, 64, %p0; st.global.u32 [%rd2], %r5;").fine();
    assert_eq!(out.u32s(0), vec![40; 64]);
}

#[test]
fn producers_and_consumers() {
    // Warp 0 produces three times, and warp 1 consumes. Barrier 1 means full, barrier 2 empty.
    let body = "mov.u32 %r5, 0; mov.u32 %r10, 0; mov.u32 %r6, s; setp.eq.u32 %p0, %r2, 0; @!%p0 bra consumer;\n\
        produce: add.u32 %r5, %r5, 1; mad.lo.u32 %r7, %r3, 4, %r6; mad.lo.u32 %r8, %r5, 100, %r3; st.shared.u32 [%r7], %r8;\n\
          bar.arrive 1, 64; bar.sync 2, 64; setp.lt.u32 %p1, %r5, 3; @%p1 bra produce; bra.uni end;\n\
        consumer: add.u32 %r5, %r5, 1; bar.sync 1, 64; sub.u32 %r9, 31, %r3; mad.lo.u32 %r7, %r9, 4, %r6; ld.shared.u32 %r8, [%r7];\n\
          add.u32 %r10, %r10, %r8; bar.arrive 2, 64; setp.lt.u32 %p1, %r5, 3; @%p1 bra consumer;\n\
        end: st.global.u32 [%rd2], %r10;";
    let out = kernel(64, body).fine();
    let expected: Vec<u32> = (0..64).map(|t| if t < 32 { 0 } else { 600 + 3 * (63 - t) }).collect();
    assert_eq!(out.u32s(0), expected);
}

#[test]
fn lanes_arrive_one_by_one_where_they_may() {
    // The halves of each warp arrive at different instructions.
    let body = "setp.lt.u32 %p0, %r3, 16; @%p0 bra low; barrier.sync 0; bra.uni end; low: barrier.sync 0; end: st.global.u32 [%rd2], 5;";
    assert_eq!(kernel(64, body).fine().u32s(0), vec![5; 64]);
    // Some lanes arrive only after a loop.
    let body = "mov.u32 %r5, %r3; loop: setp.eq.u32 %p0, %r5, 0; @%p0 bra there; sub.u32 %r5, %r5, 1; bra loop; there: bar.sync 0; st.global.u32 [%rd2], 6;";
    assert_eq!(kernel(64, body).fine().u32s(0), vec![6; 64]);
}

#[test]
fn threads_that_have_exited_are_not_waited_for() {
    let body = "setp.gt.u32 %p0, %r1, 40; @%p0 exit; bar.sync 0; st.global.u32 [%rd2], 9;";
    let out = kernel(128, body).fine();
    assert_eq!(out.u32s(0)[39..43], [9, 9, 7 * 41 + 1, 7 * 42 + 1]);
    // Threads exit while the others are already waiting.
    let body = "setp.eq.u32 %p0, %r2, 0; @%p0 bra wait; mov.u32 %r5, 3000; loop: sub.u32 %r5, %r5, 1; setp.ne.u32 %p1, %r5, 0; @%p1 bra loop; exit;\n\
        wait: barrier.sync 0; st.global.u32 [%rd2], 9;";
    assert_eq!(kernel(64, body).fine().u32s(0)[31..33], [9, 7 * 32 + 1]);
    // With a count, hardware waits for the exited threads, which is a finding.
    let out = kernel(64, "setp.gt.u32 %p0, %r1, 31; @%p0 exit; bar.sync 0, 64; st.global.u32 [%rd2], 9;").run();
    assert_eq!((out.status(), out.kinds()), (RunStatus::Finished, vec![FaultKind::Barrier]));
    assert_eq!(out.u32s(0)[0], 9);
}

#[test]
fn parts_of_a_warp_at_an_aligned_barrier_are_found() {
    let out = kernel(32, "setp.lt.u32 %p0, %r3, 16; @!%p0 bra end; bar.sync 0; end: bar.sync 1;").run();
    assert_eq!((out.status(), out.kinds()[0]), (RunStatus::Finished, FaultKind::Divergence));
    assert_eq!(out.faults()[0].lanes, 0xffff);
    let out = kernel(32, "setp.lt.u32 %p0, %r3, 16; @%p0 bar.sync 0;").run();
    assert_eq!((out.status(), out.kinds()), (RunStatus::Finished, vec![FaultKind::Divergence]));
    // With `barrier`, the lanes of a warp may arrive at different instructions.
    assert!(
        kernel(32, "setp.lt.u32 %p0, %r3, 16; @%p0 barrier.sync 0; @!%p0 barrier.sync 0;").run().faults().is_empty()
    );
}

#[test]
fn old_targets_have_aligned_barriers_only() {
    let text = |body: &str| format!("mov.u32 %r3, %tid.x; setp.lt.u32 %p0, %r3, 16; {body} st.global.u32 [%rd0], 1;");
    let run = |body: &str| TestKernel::body("sm_60", &text(body)).buffer(&[0; 4]).run();
    assert_eq!(run("@%p0 barrier.sync 0;").kinds(), [FaultKind::Divergence]);
    assert_eq!(run("@!%p0 bra low; add.u32 %r4, %r3, 1; low: barrier.sync 0;").faults(), []);
}

#[test]
fn barriers_remember_nobody_who_does_not_wait() {
    let body = "mov.u32 %r5, 0; setp.eq.u32 %p0, %r2, 0; loop: @%p0 bar.arrive 1, 64; @!%p0 bar.sync 1, 64; @%p0 bar.sync 2, 64; @!%p0 bar.arrive 2, 64;\n\
        add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 40; @%p1 bra loop; st.global.u32 [%rd2], %r5;";
    assert_eq!(kernel(64, body).fine().u32s(0), vec![40; 64]);
}

#[test]
fn counts_that_do_not_agree_are_found() {
    let two = |a: &str, b: &str| {
        kernel(64, &format!("setp.eq.u32 %p0, %r2, 0; @%p0 bra a; {b} bra.uni end; a: {a} end:")).run()
    };
    let out = two("bar.sync 0, 64;", "bar.sync 0, 32;");
    assert!(out.kinds().contains(&FaultKind::Barrier), "{:?}", out.faults());
    assert!(out.faults()[0].related.is_some());
    assert!(two("bar.sync 0, 64;", "bar.sync 0;").faults().is_empty());
    let out = two("bar.sync 0;", "setp.eq.u32 %p1, %r1, 0; bar.red.popc.u32 %r5, 0, %p1;");
    assert_eq!(out.kinds(), [FaultKind::Barrier]);
    let out = kernel(64, "bar.sync 0, 96;").run();
    assert_eq!((out.kinds()[0], out.status()), (FaultKind::Barrier, RunStatus::Deadlock));
    let out = kernel(64, "mov.u32 %r5, 40; bar.sync 0, %r5;").run();
    assert_eq!(out.kinds()[0], FaultKind::Barrier);
    let out = kernel(64, "mov.u32 %r5, 0; bar.arrive 0, %r5; bar.arrive 0, 64;").run();
    assert!(out.kinds().contains(&FaultKind::Barrier));
    let out = kernel(64, "mov.u32 %r5, 16; bar.sync %r5;").run();
    assert_eq!(out.kinds(), [FaultKind::Barrier]);
    let out = kernel(64, "mov.u32 %r5, %r3; barrier.sync %r5;").run();
    assert_eq!(out.kinds(), [FaultKind::Unsupported]);
}

#[test]
fn arriving_twice_is_found() {
    let out = kernel(96, "setp.eq.u32 %p0, %r2, 0; @!%p0 exit; bar.arrive 1, 96; bar.arrive 1, 96;").run();
    assert!(
        out.kinds().contains(&FaultKind::Barrier)
            && out.faults().iter().any(|f| f.message.contains("again before it completes")),
        "{:?}",
        out.faults()
    );
}

#[test]
fn warps_at_different_barriers_wait_for_ever() {
    let out = kernel(64, "setp.eq.u32 %p0, %r2, 0; @%p0 bra a; bar.sync 1; bra.uni end; a: bar.sync 0; end:").run();
    assert_eq!((out.status(), out.kinds()[0]), (RunStatus::Deadlock, FaultKind::Deadlock));
    assert_eq!(out.faults().len(), 2);
}

#[test]
fn lanes_of_a_warp_wait_for_each_other() {
    // Each lane reads the word of its neighbour, after a loop of different lengths.
    let body = "mov.u32 %r5, %r3; loop: setp.eq.u32 %p0, %r5, 0; @%p0 bra there; sub.u32 %r5, %r5, 1; bra loop; there: mul.lo.u32 %r6, %r3, 3;\n\
        st.shared.u32 [%r4], %r6; bar.warp.sync -1; xor.b32 %r7, %r3, 1; mov.u32 %r8, s; mad.lo.u32 %r8, %r7, 4, %r8; ld.shared.u32 %r9, [%r8]; st.global.u32 [%rd2], %r9;";
    assert_eq!(kernel(32, body).fine().u32s(0), (0..32).map(|l| 3 * (l ^ 1)).collect::<Vec<_>>());
    // The lanes meet at different instructions, with the same mask.
    let body = "setp.lt.u32 %p0, %r3, 16; @%p0 bra low; st.shared.u32 [s], 4; bar.warp.sync 0x10001; bra.uni end; low: bar.warp.sync 0x10001; ld.shared.u32 %r5, [s];\n end:";
    let only = "setp.eq.u32 %p1, %r3, 0; setp.eq.u32 %p2, %r3, 16; @%p1 bra go; @%p2 bra go; exit; go:";
    let text = format!("{only}\n{body} setp.eq.u32 %p0, %r3, 0; @%p0 st.global.u32 [%rd2], %r5;")
        .replace("%r5, [s];\n end:", "%r5, [s]; st.global.u32 [%rd2], %r5;\n end: exit;");
    assert_eq!(kernel(32, &text).fine().u32s(0)[0], 4);
    let out = kernel(32, "bar.warp.sync 0xffff;").run();
    assert_eq!(out.kinds(), [FaultKind::Membermask]);
    assert_eq!(out.faults()[0].lanes, 0xffff_0000);
}

#[test]
fn lanes_with_another_mask_are_not_who_is_waited_for() {
    // Lanes 0-7 wait for lanes 8-15, which first wait among themselves with another mask.
    let body = "setp.lt.u32 %p0, %r3, 8; setp.gt.u32 %p1, %r3, 15; @%p1 exit; @%p0 bra low; bar.warp.sync 0xff00; st.shared.u32 [%r4], 5; bar.warp.sync 0xffff; exit;\n\
        low: bar.warp.sync 0xffff; add.u32 %r5, %r4, 32; ld.shared.u32 %r6, [%r5]; st.global.u32 [%rd2], %r6;";
    assert_eq!(kernel(32, body).fine().u32s(0)[..8], [5; 8]);
}
