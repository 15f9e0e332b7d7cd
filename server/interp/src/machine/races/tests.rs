use crate::findings::{Fault, FaultKind};
use crate::machine::RunStatus;
use crate::testing::{TestKernel, TestOutcome};

/// A kernel that starts with: the thread index in `%r1`, the warp in `%r2`, the lane in `%r3`, the CTA in `%r4`; shared memory `s`, where
/// the word of each thread is zero; `%r5` is the address of the thread's word.
fn kernel(target: &str, threads: u32, ctas: u32, body: &str) -> TestKernel {
    let text = format!(
        ".shared .align 16 .b32 s[128];\nmov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 5; and.b32 %r3, %r1, 31; mov.u32 %r4, %ctaid.x;\n\
         mov.u32 %r5, s; mad.lo.u32 %r5, %r1, 4, %r5; st.shared.u32 [%r5], 0; bar.sync 15; setp.eq.u32 %p7, %r1, 0;\n{body}"
    );
    TestKernel::body(target, &text).threads(threads).ctas(ctas, 1).buffer(&[0; 1024])
}

/// The findings of a run with one CTA.
fn block(threads: u32, body: &str) -> Vec<Fault> {
    let out = kernel("", threads, 1, body).run();
    assert_eq!(out.status(), RunStatus::Finished, "{:?}", out.faults());
    out.faults().to_vec()
}

fn races(faults: &[Fault]) -> usize {
    assert!(faults.iter().all(|f| f.kind == FaultKind::Race), "{faults:?}");
    faults.len()
}

#[test]
fn a_missing_barrier_is_found_and_both_places_are_named() {
    let body = |barrier: &str| {
        format!(
            "st.shared.u32 [%r5], %r1; {barrier} xor.b32 %r6, %r1, 63; mov.u32 %r7, s; mad.lo.u32 %r7, %r6, 4, %r7; ld.shared.u32 %r8, [%r7];"
        )
    };
    let found = block(64, &body(""));
    assert_eq!(races(&found), 2, "{found:?}");
    // Each word is written by one warp and read by the other.
    let text: Vec<&str> = found.iter().map(|f| f.message.as_str()).collect();
    assert!(text.iter().all(|t| t.contains(" of warp 1")), "{text:?}");
    assert!(found.iter().all(|f| f.related.is_some() && f.message.contains("`s`+")), "{found:?}");
    assert_eq!(block(64, &body("bar.sync 0;")), []);
    assert_eq!(block(64, &body("barrier.sync 1, 64;")), []);
    assert_eq!(block(64, &body("setp.eq.u32 %p1, %r1, 5; bar.red.popc.u32 %r9, 2, %p1;")), []);
    // A fence alone publishes nothing.
    assert_eq!(races(&block(64, &body("fence.acq_rel.cta;"))), 2);
}

#[test]
fn a_tile_that_is_overwritten_too_early_is_found() {
    let body = |second: &str| {
        format!(
            "mov.u32 %r6, 0; xor.b32 %r8, %r1, 63; mov.u32 %r7, s; mad.lo.u32 %r7, %r8, 4, %r7;\n\
             loop: add.u32 %r9, %r1, %r6; st.shared.u32 [%r5], %r9; bar.sync 0; ld.shared.u32 %r10, [%r7]; {second}\n\
             add.u32 %r6, %r6, 1; setp.lt.u32 %p0, %r6, 5; @%p0 bra loop;"
        )
    };
    assert!(races(&block(64, &body(""))) >= 1);
    assert_eq!(block(64, &body("bar.sync 0;")), []);
    assert_eq!(block(64, &body("bar.sync 1, 64;")), []);
}

#[test]
fn threads_that_have_exited_are_done_before_a_barrier() {
    let body = "setp.eq.u32 %p0, %r2, 1; @!%p0 bra rest; st.shared.u32 [s], %r2; exit;\n rest: bar.sync 0; ld.shared.u32 %r6, [s]; st.shared.u32 [s+4], %r6;";
    assert_eq!(block(96, body), []);
    assert!(races(&block(96, &body.replace("bar.sync 0;", ""))) >= 1);
}

#[test]
fn what_waits_on_a_lock_in_shared_memory_is_in_order() {
    let body = |take: &str, give: &str| {
        format!(
            "loop: atom{take}.shared.cas.b32 %r6, [s], 0, 1; setp.ne.u32 %p0, %r6, 0; @%p0 bra loop; ld.shared.u32 %r7, [s+4]; add.u32 %r7, %r7, 1;\n\
             st.shared.u32 [s+4], %r7; {give}"
        )
    };
    let (fenced, give) =
        (body("", "membar.cta; atom.shared.exch.b32 %r8, [s], 0;"), "st.release.cta.shared.u32 [s], 0;");
    assert_eq!(block(64, &body(".acquire.cta", give)), []);
    assert_eq!(block(64, &fenced.replace("ld.shared.u32 %r7", "membar.cta; ld.shared.u32 %r7")), []);
    assert_eq!(races(&block(64, &body(".acquire.cta", "atom.shared.exch.b32 %r8, [s], 0;"))), 2);
    assert_eq!(races(&block(64, &body("", give))), 2);
}

#[test]
fn lanes_of_a_warp_need_a_barrier_too() {
    let body = |between: &str| {
        format!(
            "st.shared.u32 [%r5], %r3; {between} xor.b32 %r6, %r3, 1; mov.u32 %r7, s; mad.lo.u32 %r7, %r6, 4, %r7; ld.shared.u32 %r8, [%r7];"
        )
    };
    let found = block(32, &body(""));
    assert_eq!(races(&found), 1);
    assert!(found[0].message.contains("bar.warp.sync"), "{found:?}");
    assert_eq!(block(32, &body("bar.warp.sync -1;")), []);
    assert_eq!(block(32, &body("bar.sync 0;")), []);
    assert_eq!(block(32, &body("and.b32 %r9, %r3, 30; shl.b32 %r10, 3, %r9; bar.warp.sync %r10;")), []);
    // On targets without independent thread scheduling a warp runs in lockstep.
    let old = kernel("sm_60", 32, 1, &body("")).run();
    assert_eq!(old.faults(), []);
    // The barrier pairs other lanes than those that communicate.
    let wrong = "add.u32 %r9, %r3, 1; and.b32 %r9, %r9, 30; sub.u32 %r9, %r9, 1; and.b32 %r9, %r9, 31; setp.eq.u32 %p1, %r3, 0; setp.eq.u32 %p2, %r3, 31;\n\
        mov.u32 %r10, 3; shl.b32 %r10, %r10, %r9; @%p1 mov.u32 %r10, 0x80000001; @%p2 mov.u32 %r10, 0x80000001; bar.warp.sync %r10;";
    assert_eq!(races(&block(32, &body(wrong))), 1);
}

#[test]
fn different_values_at_once_are_a_race_and_the_same_value_is_none() {
    let found = block(32, "st.shared.u32 [s], %r3;");
    assert_eq!(races(&found), 1);
    assert!(found[0].message.contains("in the same instruction"), "{found:?}");
    assert_eq!(found[0].count, 31);
    assert_eq!(block(32, "st.shared.u32 [s], 7;"), []);
    assert_eq!(block(64, "st.shared.u32 [s], 7; bar.sync 0; ld.shared.u32 %r6, [s];"), []);
    assert_eq!(
        races(&block(64, "st.shared.u32 [s], %r2; bar.sync 0; ld.shared.u32 %r6, [s]; @%p7 st.shared.u32 [s], 9;")),
        3
    );
    let old = kernel("sm_60", 32, 1, "st.shared.u32 [s], %r3;").run();
    assert_eq!(races(old.faults()), 1);
}

#[test]
fn bytes_are_told_apart() {
    let body = "mov.u32 %r6, s; add.u32 %r6, %r6, %r1; cvt.u16.u32 %h1, %r1; st.shared.u8 [%r6], %h1; bar.warp.sync -1; xor.b32 %r7, %r6, 1; ld.shared.u8 %h2, [%r7];";
    assert_eq!(block(64, body), []);
    let body = "mov.u32 %r6, s; add.u32 %r6, %r6, %r1; cvt.u16.u32 %h1, %r1; st.shared.u8 [%r6], %h1; setp.eq.u32 %p0, %r1, 40; @%p0 ld.shared.u32 %r7, [s+8];";
    let found = block(64, body);
    assert_eq!(races(&found), 1);
    assert!(found[0].message.contains("`s`+8") || found[0].message.contains("`s`+9"), "{found:?}");
}

#[test]
fn atomic_operations_do_not_race_with_each_other() {
    assert_eq!(block(64, "red.shared.add.u32 [s], %r1; bar.sync 0; ld.shared.u32 %r6, [s];"), []);
    assert_eq!(block(64, "red.shared.add.u32 [s], %r1; ld.volatile.shared.u32 %r6, [s];"), []);
    assert!(races(&block(64, "red.shared.add.u32 [s], %r1; ld.shared.u32 %r6, [s];")) >= 1);
    assert_eq!(
        races(&block(64, "setp.eq.u32 %p0, %r2, 0; @%p0 red.shared.add.u32 [s], 1; @!%p0 st.shared.u32 [s], %r1;")),
        2
    );
}

/// CTA 0 writes a value and then a flag; CTA 1 waits for the flag and reads the value.
fn message(store: &str, load: &str) -> TestOutcome {
    let body = format!(
        "@!%p7 exit; setp.eq.u32 %p0, %r4, 0; @!%p0 bra reader; st.global.u32 [%rd0+64], 42; {store} exit;\n\
         reader: {load} setp.eq.u32 %p1, %r6, 0; @%p1 bra reader; AFTER ld.global.u32 %r7, [%rd0+64]; st.global.u32 [%rd0+128], %r7;"
    );
    let (load_, after) = load.split_once('|').unwrap_or((load, ""));
    let body = body.replace(load, load_).replace("AFTER", after);
    let out = kernel("", 32, 2, &body).run();
    assert_eq!((out.status(), out.u32s(0)[32]), (RunStatus::Finished, 42));
    out
}

#[test]
fn release_and_acquire_order_threads_of_different_ctas() {
    let relaxed = "ld.relaxed.gpu.global.u32 %r6, [%rd0];";
    for (store, load) in [
        ("st.release.gpu.global.u32 [%rd0], 1;", "ld.acquire.gpu.global.u32 %r6, [%rd0];".to_owned()),
        ("fence.acq_rel.gpu; st.relaxed.gpu.global.u32 [%rd0], 1;", format!("{relaxed}|fence.acq_rel.gpu;")),
        ("membar.gl; st.volatile.global.u32 [%rd0], 1;", "ld.volatile.global.u32 %r6, [%rd0];|membar.gl;".to_owned()),
        ("membar.gl; atom.global.add.u32 %r8, [%rd0], 1;", "atom.acquire.gpu.global.or.b32 %r6, [%rd0], 0;".to_owned()),
        ("red.release.gpu.global.add.u32 [%rd0], 1;", format!("{relaxed}|bar.sync 0;")),
        ("atom.acq_rel.gpu.global.exch.b32 %r8, [%rd0], 1;", "ld.acquire.gpu.global.u32 %r6, [%rd0];".to_owned()),
    ] {
        assert_eq!(message(store, &load).faults(), [], "{store} {load}");
    }
    for (store, load) in [
        ("st.relaxed.gpu.global.u32 [%rd0], 1;", "ld.acquire.gpu.global.u32 %r6, [%rd0];".to_owned()),
        ("st.release.gpu.global.u32 [%rd0], 1;", relaxed.to_owned()),
        ("st.relaxed.gpu.global.u32 [%rd0], 1; fence.acq_rel.gpu;", format!("{relaxed}|fence.acq_rel.gpu;")),
        ("bar.sync 0; atom.global.add.u32 %r8, [%rd0], 1;", format!("{relaxed}|fence.acq_rel.gpu;")),
    ] {
        let out = message(store, &load);
        assert_eq!(races(out.faults()), 1, "{store} {load}");
        assert!(out.faults()[0].message.contains("of CTA 0"), "{:?}", out.faults());
    }
    // Plain accesses to the flag are races.
    assert!(
        races(
            message("membar.gl; st.global.u32 [%rd0], 1;", "ld.volatile.global.u32 %r6, [%rd0];|membar.gl;").faults()
        ) >= 1
    );
}

#[test]
fn a_scope_must_include_the_other_cta() {
    let (release, acquire) = ("st.release.gpu.global.u32 [%rd0], 1;", "ld.acquire.gpu.global.u32 %r6, [%rd0];");
    let (write, read) = ("st.relaxed.gpu.global.u32 [%rd0], 1;", "ld.relaxed.gpu.global.u32 %r6, [%rd0];");
    let narrow = |text: &str| text.replace(".gpu", ".cta");
    for (store, load, scope) in [
        (narrow(release), acquire.to_owned(), "use `.gpu`"),
        (release.to_owned(), narrow(acquire), "use `.gpu`"),
        (narrow(release), narrow(acquire), "use `.gpu`"),
        (
            format!("fence.acq_rel.cta; {write}"),
            acquire.to_owned(),
            "the fence that should order them has the scope `.cta`",
        ),
        (format!("fence.acq_rel.gpu; {write}"), format!("{read}|fence.acq_rel.cta;"), "use `.gpu`"),
        (format!("fence.acq_rel.gpu; {}", narrow(write)), format!("{read}|fence.acq_rel.gpu;"), "use `.gpu`"),
        ("membar.cta; st.volatile.global.u32 [%rd0], 1;".into(), acquire.to_owned(), "use `membar.gl`"),
    ] {
        let out = message(&store, &load);
        assert_eq!(races(out.faults()), 1, "{store} {load} {:#?}", out.faults());
        let fault = &out.faults()[0];
        assert!(fault.message.contains(scope) && fault.related.is_some(), "{store} {load} {fault:?}");
    }
    // A fence of the CTA is no mistake if a wider one does the work.
    assert_eq!(message(&format!("fence.acq_rel.gpu; fence.acq_rel.cta; {write}"), acquire).faults(), []);
    // Without other accesses the atomic operations themselves are reported, once.
    let out =
        kernel("", 32, 3, "@%p7 red.cta.global.add.u32 [%rd0], 1; @%p7 atom.cta.global.add.u32 %r6, [%rd0], 1;").run();
    assert!(races(out.faults()) == 1 && out.faults()[0].message.contains("both need `.gpu`"), "{:?}", out.faults());
    assert_eq!(kernel("", 64, 1, "@%p7 red.cta.global.add.u32 [%rd0], 1;").run().faults(), []);
}

#[test]
fn constant_loads_need_memory_that_stays_as_it_is() {
    let body = "mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd2, %rd0; st.global.u32 [%rd2], %r1; bar.sync 0; ld.global.nc.u32 %r6, [%rd2];";
    let out = kernel("", 64, 1, body).run();
    assert_eq!(out.kinds(), [FaultKind::Undefined]);
    assert!(out.faults()[0].message.contains("`ld.global.nc`"), "{:?}", out.faults());
    assert_eq!(kernel("", 64, 1, &body.replace(".nc", "")).run().faults(), []);
    assert_eq!(
        kernel("", 64, 1, &body.replace("ld.global.nc.u32 %r6, [%rd2]", "ld.global.nc.u32 %r6, [%rd2+512]"))
            .run()
            .faults(),
        []
    );
}

#[test]
fn ctas_that_write_the_same_global_bytes_race() {
    let out = kernel("", 32, 3, "@%p7 st.global.u32 [%rd0], %r4;").run();
    assert_eq!(races(out.faults()), 1);
    assert_eq!(out.faults()[0].count, 2);
    assert_eq!(kernel("", 32, 3, "@%p7 red.global.add.u32 [%rd0], %r4;").run().faults(), []);
    // Each CTA has its own shared memory.
    assert_eq!(kernel("", 32, 3, "@%p7 st.shared.u32 [s], %r4;").run().faults(), []);
}

#[test]
fn the_ticket_of_the_programming_guide_is_in_order() {
    let body = "bar.sync 0; @!%p7 bra wait; mul.wide.u32 %rd2, %r4, 4; add.u64 %rd2, %rd2, %rd0; st.global.u32 [%rd2+64], 5; membar.gl;\n\
        atom.global.inc.u32 %r6, [%rd0], 100; st.shared.u32 [s], %r6; wait: bar.sync 0; ld.shared.u32 %r7, [s]; setp.ne.u32 %p1, %r7, 3; @%p1 exit;\n\
        setp.gt.u32 %p1, %r1, 3; @%p1 exit; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd2, %rd0; ld.global.u32 %r8, [%rd2+64]; red.global.add.u32 [%rd0+128], %r8;";
    let out = kernel("", 64, 4, body).run();
    assert_eq!((out.faults(), out.u32s(0)[32]), (&[][..], 20));
    let out = kernel("", 64, 4, &body.replace("membar.gl;", "")).run();
    assert_eq!(races(out.faults()), 1);
}

#[test]
fn nobody_looks_where_nobody_asked() {
    let mut kernel = kernel("", 64, 1, "st.shared.u32 [s], %r1;");
    kernel.settings.checks = kernel.settings.checks.with(FaultKind::Race, false);
    assert_eq!(kernel.run().faults(), []);
}
