use crate::findings::FaultKind;
use crate::machine::RunStatus;
use crate::testing::TestKernel;

/// A kernel of two CTAs with 64 threads each in a cluster. `%r1` is the rank, `%r2` the thread, and `%rd2` the address of the thread's
/// word of the buffer.
fn kernel(body: &str) -> TestKernel {
    let text = format!(
        ".shared .align 16 .b32 s[64];\nmov.u32 %r1, %cluster_ctarank; mov.u32 %r2, %tid.x; mov.u32 %r3, s; mad.lo.u32 %r4, %r2, 4, %r3;\n\
         mad.lo.u32 %r5, %r1, 64, %r2; mul.wide.u32 %rd2, %r5, 4; add.u64 %rd2, %rd0, %rd2;\n{body}"
    );
    TestKernel::body("", &text).threads(64).ctas(2, 2).buffer(&[0; 512])
}

/// Each thread writes to its CTA's shared memory, and reads the word that the same thread of the other CTA wrote.
fn exchange(barrier: &str) -> String {
    format!(
        "mad.lo.u32 %r6, %r1, 1000, %r2; st.shared.u32 [%r4], %r6; {barrier}\n xor.b32 %r7, %r1, 1; mapa.shared::cluster.u32 %r8, %r4, %r7;\n\
         ld.shared::cluster.u32 %r9, [%r8]; st.global.u32 [%rd2], %r9; barrier.cluster.arrive; barrier.cluster.wait;"
    )
}

#[test]
fn threads_of_a_cluster_wait_for_each_other() {
    let expected: Vec<u32> = (0..128).map(|t| if t < 64 { 1000 + t } else { t - 64 }).collect();
    for barrier in [
        "barrier.cluster.arrive; barrier.cluster.wait;",
        "barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;",
        "fence.acq_rel.cluster; barrier.cluster.arrive.relaxed; barrier.cluster.wait;",
        "barrier.cluster.arrive; barrier.cluster.wait; barrier.cluster.arrive; barrier.cluster.wait;",
        "setp.lt.u32 %p0, %r2, 16; @%p0 barrier.cluster.arrive; @!%p0 barrier.cluster.arrive; barrier.cluster.wait;",
    ] {
        assert_eq!(kernel(&exchange(barrier)).fine().u32s(0), expected, "{barrier}");
    }
}

#[test]
fn what_a_relaxed_arrival_does_not_tell_is_a_race() {
    let out = kernel(&exchange("barrier.cluster.arrive.relaxed; barrier.cluster.wait;")).run();
    assert_eq!((out.status(), out.kinds()), (RunStatus::Finished, vec![FaultKind::Race]));
    let out = kernel(&exchange("")).run();
    assert!(
        out.kinds().contains(&FaultKind::Race) || out.kinds().contains(&FaultKind::UninitializedMemory),
        "{:?}",
        out.faults()
    );
}

#[test]
fn shared_memory_ends_with_its_cta() {
    let body = exchange("barrier.cluster.arrive; barrier.cluster.wait;");
    let last = "barrier.cluster.arrive; barrier.cluster.wait;";
    let early = body.strip_suffix(last).unwrap();
    let out = kernel(early).run();
    assert_eq!((out.status(), out.kinds()), (RunStatus::Finished, vec![FaultKind::Undefined]));
    assert!(out.faults()[0].message.contains("shared memory of CTA"), "{:?}", out.faults());
    // An arrival without a release keeps the CTA, too.
    let relaxed = format!("{early} barrier.cluster.arrive.relaxed; barrier.cluster.wait;");
    assert_eq!(kernel(&relaxed).run().faults(), []);
    // CTA 0 ends before CTA 1 reads.
    let late = format!("{early} exit;").replace(
        "xor.b32 %r7",
        "setp.eq.u32 %p0, %r1, 0; @%p0 exit; mov.u32 %r10, 0; spin: add.u32 %r10, %r10, 1; setp.lt.u32 %p1, %r10, 3000; @%p1 bra spin;\n xor.b32 %r7",
    );
    let out = kernel(&late).run();
    assert!(
        out.kinds() == [FaultKind::Undefined] && out.faults()[0].message.contains("has ended"),
        "{:?}",
        out.faults()
    );
}

#[test]
fn exited_threads_are_not_waited_for() {
    let body =
        "setp.gt.u32 %p0, %r2, 40; @%p0 exit; barrier.cluster.arrive; barrier.cluster.wait; st.global.u32 [%rd2], 3;";
    assert_eq!(kernel(body).fine().u32s(0)[39..42], [3, 3, 0]);
}

#[test]
fn misuse_is_found() {
    assert_eq!(kernel("barrier.cluster.wait;").run().kinds(), [FaultKind::Barrier]);
    let out = kernel("setp.eq.u32 %p0, %r1, 0; @!%p0 bra wait; setp.lt.u32 %p1, %r2, 32; @!%p1 bra wait; barrier.cluster.arrive; barrier.cluster.arrive; bra.uni end; wait: barrier.cluster.arrive; end: barrier.cluster.wait;").run();
    assert!(out.kinds().contains(&FaultKind::Barrier), "{:?}", out.faults());
    let out = kernel("setp.lt.u32 %p0, %r2, 16; @%p0 barrier.cluster.arrive.aligned; @!%p0 barrier.cluster.arrive.aligned; barrier.cluster.wait;").run();
    assert!(out.kinds().contains(&FaultKind::Divergence), "{:?}", out.faults());
    let out = kernel(
        "setp.eq.u32 %p0, %r1, 0; @%p0 barrier.cluster.arrive; @%p0 barrier.cluster.wait; @!%p0 bar.sync 1, 96;",
    )
    .run();
    assert_eq!(out.status(), RunStatus::Deadlock);
}
