//! Kernels that use mbarriers.

use crate::findings::FaultKind;
use crate::machine::RunStatus;
use crate::testing::{TestKernel, TestOutcome};

/// A kernel with two mbarriers at `bar` and 256 bytes at `data` in shared memory. `%r0` is the thread.
fn kernel(target: &str, version: &str, body: &str) -> TestKernel {
    TestKernel::new(&format!(
        ".version {version}\n.target {target}\n.address_size 64\n\
         .shared .align 8 .b64 bar[2];\n.shared .align 16 .b8 data[256];\n\
         .entry k(.param .u64 out) {{\n\
         .reg .pred %p<8>; .reg .b32 %r<16>; .reg .b64 %rd<16>; .reg .b8 %b<2>;\n\
         ld.param.u64 %rd0, [out]; mov.u32 %r0, %tid.x;\n{body}\nret;\n}}\n"
    ))
}

fn one(body: &str) -> TestOutcome {
    kernel("sm_90", "8.6", body).threads(1).buffer(&[0; 64]).run()
}

/// The findings of a kernel of one thread, which must finish.
fn found(body: &str) -> Vec<String> {
    let out = one(body);
    assert_eq!(out.status(), RunStatus::Finished, "{:?}", out.faults());
    assert!(out.faults().iter().all(|f| f.kind == FaultKind::Mbarrier), "{:?}", out.faults());
    out.faults().iter().map(|f| f.message.clone()).collect()
}

#[test]
fn phases_complete_with_the_last_arrival() {
    let out = one("mbarrier.init.shared::cta.b64 [bar], 2; mbarrier.arrive.shared::cta.b64 %rd1, [bar];\n\
        mbarrier.test_wait.shared::cta.b64 %p0, [bar], %rd1; @%p0 st.global.u32 [%rd0], 1;\n\
        mbarrier.test_wait.parity.shared::cta.b64 %p0, [bar], 1; @%p0 st.global.u32 [%rd0+4], 1;\n\
        mbarrier.arrive.shared::cta.b64 _, [bar];\n\
        mbarrier.test_wait.shared::cta.b64 %p0, [bar], %rd1; @%p0 st.global.u32 [%rd0+8], 1;\n\
        mbarrier.test_wait.parity.shared::cta.b64 %p0, [bar], 0; @%p0 st.global.u32 [%rd0+12], 1;\n\
        mbarrier.test_wait.parity.shared::cta.b64 %p0, [bar], 1; @%p0 st.global.u32 [%rd0+16], 1;\n\
        mbarrier.inval.shared::cta.b64 [bar];");
    assert_eq!((out.kinds(), &out.u32s(0)[..5]), (vec![], &[0, 1, 1, 1, 0][..]));
}

#[test]
fn a_plain_load_gives_the_bits_of_the_object() {
    let out =
        one("mov.u32 %r1, bar; mbarrier.init.b64 [bar], 5; ld.shared.u64 %rd1, [%r1]; st.global.u64 [%rd0], %rd1;\n\
        mbarrier.arrive.expect_tx.b64 %rd2, [bar], 48; ld.shared.u64 %rd1, [bar]; st.global.u64 [%rd0+8], %rd1;\n\
        st.global.u64 [%rd0+16], %rd2; mbarrier.arrive.noComplete.b64 %rd3, [bar], 2;\n\
        mbarrier.pending_count.b64 %r2, %rd3; st.global.u32 [%rd0+24], %r2;");
    assert_eq!(out.kinds(), []);
    let word = |n: u64| (0x10_0000 - 5) << 1 | (0x10_0000 - n) << 43;
    assert_eq!(out.u64s(0)[..4], [word(5), word(4) | 48 << 21, word(5), 4]);
    // Programs must not rely on the bits of an object, so these are unspecified.
    let buffer = &out.run.machine.memory.global.allocations()[0].storage;
    let marks = buffer.read(0, &mut [0; 8]).marks;
    assert!(marks.contains(ptx_num::values::Marks::UNSPECIFIED));
    assert!(buffer.read(24, &mut [0; 4]).marks.is_none());
}

#[test]
fn warps_wait_for_each_other() {
    // Warp 0 writes with 32 arrivals, and the others read after the phase.
    let body = "setp.ne.u32 %p0, %r0, 0; @%p0 bra ready; mbarrier.init.shared::cta.b64 [bar], 32; ready: bar.sync 0;\n\
        setp.ge.u32 %p1, %r0, 32; @%p1 bra wait; shl.b32 %r1, %r0, 2; mov.u32 %r2, data; add.u32 %r2, %r2, %r1;\n\
        add.u32 %r3, %r0, 100; st.shared.u32 [%r2], %r3; mbarrier.arrive.shared::cta.b64 _, [bar];\n\
        wait: mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0; @!%p2 bra wait;\n\
        and.b32 %r1, %r0, 31; xor.b32 %r1, %r1, 5; shl.b32 %r1, %r1, 2; mov.u32 %r2, data; add.u32 %r2, %r2, %r1;\n\
        ld.shared.u32 %r3, [%r2]; mul.wide.u32 %rd1, %r0, 4; add.u64 %rd1, %rd0, %rd1; st.global.u32 [%rd1], %r3;";
    let out = kernel("sm_90", "8.0", body).threads(96).buffer(&[0; 384]).fine();
    let expected: Vec<u32> = (0..96).map(|i| ((i % 32) ^ 5) + 100).collect();
    assert_eq!(out.u32s(0), expected);
}

#[test]
fn transactions_hold_a_phase_open() {
    let out = one(
        "mbarrier.init.b64 [bar], 1; mbarrier.arrive.expect_tx.b64 _, [bar], 32; mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], 8;\n\
        mbarrier.complete_tx.shared::cta.b64 [bar], 16;\n\
        mbarrier.test_wait.parity.b64 %p0, [bar], 0; @%p0 st.global.u32 [%rd0], 1;\n\
        mbarrier.complete_tx.shared::cta.b64 [bar], 24;\n\
        mbarrier.test_wait.parity.b64 %p0, [bar], 0; @%p0 st.global.u32 [%rd0+4], 1;\n\
        mbarrier.complete_tx.shared::cta.b64 [bar], 4; mbarrier.arrive.b64 _, [bar];\n\
        mbarrier.test_wait.parity.b64 %p0, [bar], 1; @%p0 st.global.u32 [%rd0+8], 1;\n\
        mbarrier.expect_tx.b64 [bar], 4;\n\
        mbarrier.test_wait.parity.b64 %p0, [bar], 1; @%p0 st.global.u32 [%rd0+12], 1;",
    );
    assert_eq!((out.kinds(), &out.u32s(0)[..4]), (vec![], &[0, 1, 0, 1][..]));
}

#[test]
fn who_leaves_is_not_expected_again() {
    let out = one(
        "mbarrier.init.b64 [bar], 3; mbarrier.arrive_drop.b64 %rd1, [bar], 2; mbarrier.arrive.b64 _, [bar];\n\
        mbarrier.test_wait.b64 %p0, [bar], %rd1; @%p0 st.global.u32 [%rd0], 1;\n\
        mbarrier.arrive.b64 %rd1, [bar]; mbarrier.test_wait.b64 %p0, [bar], %rd1; @%p0 st.global.u32 [%rd0+4], 1;\n\
        mbarrier.arrive_drop.expect_tx.b64 _, [bar], 8; mbarrier.test_wait.parity.b64 %p0, [bar], 0; @%p0 st.global.u32 [%rd0+8], 1;",
    );
    assert_eq!((out.kinds(), &out.u32s(0)[..3]), (vec![], &[1, 1, 0][..]));
}

#[test]
fn lanes_arrive_one_after_the_other() {
    let body = "setp.ne.u32 %p0, %r0, 0; @!%p0 mbarrier.init.b64 [bar], 33; bar.warp.sync 0xffffffff;\n\
        mbarrier.arrive.noComplete.b64 %rd1, [bar], 1; mbarrier.pending_count.b64 %r1, %rd1;\n\
        mul.wide.u32 %rd2, %r0, 4; add.u64 %rd2, %rd0, %rd2; st.global.u32 [%rd2], %r1;";
    let out = kernel("sm_90", "8.0", body).buffer(&[0; 128]).fine();
    assert_eq!(out.u32s(0), (2..34).rev().collect::<Vec<u32>>());
}

#[test]
fn other_ctas_arrive_through_mapped_addresses() {
    // Each of four CTAs arrives at the mbarrier of CTA 0, which waits for all of them.
    let body = "mov.u32 %r1, %cluster_ctarank; setp.ne.u32 %p0, %r1, 0; mov.u32 %r2, bar;\n\
        @!%p0 mbarrier.init.shared::cta.b64 [%r2], 4; fence.mbarrier_init.release.cluster;\n\
        barrier.cluster.arrive; barrier.cluster.wait;\n\
        mapa.shared::cluster.u32 %r3, %r2, 0; mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r3];\n\
        @%p0 bra done;\n\
        wait: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p1, [%r2], 0; @!%p1 bra wait;\n\
        st.global.u32 [%rd0], 1; done: barrier.cluster.arrive; barrier.cluster.wait;";
    let out = kernel("sm_90", "8.0", body).threads(1).ctas(4, 4).buffer(&[0; 4]).fine();
    assert_eq!(out.u32s(0), [1]);
    // Waiting for the mbarrier of another CTA is a finding.
    let body = body.replace("@%p0 bra done;", "").replace("[%r2], 0; @!", "[%r3], 0; @!");
    let out = kernel("sm_90", "8.0", &body).threads(1).ctas(4, 4).buffer(&[0; 4]).run();
    assert!(out.kinds().contains(&FaultKind::Mbarrier), "{:?}", out.faults());
}

#[test]
fn the_newer_layout_counts_to_511_and_reports_nothing() {
    let body = "mbarrier.init.layout::v1.shared::cta.b64 [bar], 2; mbarrier.init.shared::cta.b64 [bar+8], 1;\n\
        mbarrier.check_layout.layout::v1.shared::cta.b64 %p0, [bar]; @%p0 st.global.u32 [%rd0], 1;\n\
        mbarrier.check_layout.layout::v1.shared::cta.b64 %p0, [bar+8]; @%p0 st.global.u32 [%rd0+4], 1;\n\
        mbarrier.arrive.shared::cta.b64 %rd1, [bar], 2; mov.pred %p1, 1;\n\
        mbarrier.test_wait.phase_type::primary.shared::cta.b64 %p0|%p1, %b0, [bar], %rd1;\n\
        @%p0 st.global.u32 [%rd0+8], 1; @%p1 st.global.u32 [%rd0+12], 1;\n\
        st.global.u8 [%rd0+16], %b0;\n\
        mbarrier.try_wait.parity.phase_type::conditional.shared::cta.b64 %p0, [bar], 0; @%p0 st.global.u32 [%rd0+20], 1;";
    let out = kernel("sm_90", "9.3", body).threads(1).buffer(&[[0; 16], [0xff; 16]].concat()).fine();
    assert_eq!(out.u32s(0), [1, 0, 1, 0, 0xffff_ff00, 1, u32::MAX, u32::MAX]);
    let body = "mov.b32 %r1, 512; mbarrier.init.layout::v1.shared::cta.b64 [bar], %r1;";
    let out = kernel("sm_90", "9.3", body).threads(1).buffer(&[0; 4]).run();
    assert!(out.faults()[0].message.contains("from 1 to 511"), "{:?}", out.faults());
}

#[test]
fn uses_against_the_protocol_are_found() {
    let case = |body: &str, message: &str| {
        let found = found(body);
        assert!(found.len() == 1 && found[0].contains(message), "{body}: {found:?}");
    };
    case("mbarrier.arrive.b64 _, [bar];", "there is no mbarrier at `bar`+0");
    case(
        "mbarrier.init.b64 [bar+8], 1; mbarrier.inval.b64 [bar+8]; mbarrier.test_wait.parity.b64 %p0, [bar+8], 1;",
        "`bar`+8",
    );
    case("mbarrier.init.b64 [bar], 1; mbarrier.init.b64 [bar], 1;", "already");
    case("mbarrier.init.b64 [bar], 1; st.shared.u32 [bar+4], 0;", "writes over the mbarrier `bar`+0");
    case("mov.u32 %r1, 0; mbarrier.init.b64 [bar], %r1;", "for 0 arrivals");
    case(
        "mbarrier.init.b64 [bar], 2; mbarrier.arrive.b64 _, [bar], 3;",
        "3 arrivals at the mbarrier `bar`+0, whose phase waits for 2 more",
    );
    case("mbarrier.init.b64 [bar], 2; mbarrier.arrive.noComplete.b64 %rd1, [bar], 2;", "`.noComplete` promises");
    case(
        "mbarrier.init.b64 [bar], 2; mbarrier.arrive_drop.b64 _, [bar], 1; mbarrier.arrive.b64 _, [bar];\n\
        mbarrier.test_wait.parity.b64 %p0, [bar], 0; mbarrier.arrive_drop.b64 _, [bar], 2;",
        "would be -1",
    );
    case(
        "mbarrier.init.b64 [bar], 2; mbarrier.expect_tx.b64 [bar], 1048575; mbarrier.expect_tx.b64 [bar], 1;",
        "would be 1048576",
    );
    case("mbarrier.init.b64 [bar], 2; mov.u32 %r1, 1048576; mbarrier.complete_tx.b64 [bar], %r1;", "would be -1048576");
    case(
        "mbarrier.init.b64 [bar], 1; mbarrier.arrive.b64 _, [bar]; mbarrier.arrive.b64 _, [bar];",
        "no wait has seen that phase 0 is complete",
    );
    case(
        "mbarrier.init.b64 [bar], 1; mbarrier.arrive.b64 %rd1, [bar]; mbarrier.test_wait.b64 %p0, [bar], %rd1;\n\
        mbarrier.arrive.b64 %rd2, [bar]; mbarrier.test_wait.b64 %p0, [bar], %rd1;",
        "2 phases old",
    );
    case(
        "mbarrier.init.b64 [bar], 1; mov.u64 %rd1, 0x100000000000; mov.u64 %rd1, 0x200000; mbarrier.test_wait.b64 %p0, [bar], %rd1;",
        "has not begun",
    );
    case("mbarrier.init.b64 [bar], 1; mov.u32 %r1, 2; mbarrier.test_wait.parity.b64 %p0, [bar], %r1;", "a parity of 2");
    case("mbarrier.init.b64 [%rd0], 1;", "must be in shared memory");
    let out = one("mbarrier.init.b64 [bar+4], 1;");
    assert_eq!(out.kinds(), [FaultKind::Misaligned]);
}

#[test]
fn a_wait_that_nobody_ends_is_a_deadlock() {
    let out = one("mbarrier.init.b64 [bar], 1; wait: mbarrier.try_wait.parity.b64 %p0, [bar], 0; @!%p0 bra wait;");
    assert_eq!((out.status(), out.kinds()), (RunStatus::Deadlock, vec![FaultKind::Deadlock]));
    // A wait that gives up lets the thread go on.
    let out = one(
        "mbarrier.init.b64 [bar], 1; mbarrier.try_wait.parity.b64 %p0, [bar], 0, 100; @!%p0 st.global.u32 [%rd0], 8;",
    );
    assert_eq!((out.status(), out.kinds(), out.u32s(0)[0]), (RunStatus::Finished, vec![], 8));
}
