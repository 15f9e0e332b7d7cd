//! Kernels that use the copy engine.

use crate::findings::FaultKind;
use crate::machine::RunStatus;
use crate::testing::{TestKernel, TestOutcome, words};
use ptx_num::values::Marks;

/// A kernel with two mbarriers at `bar` and 1024 bytes at `data` in shared memory. `%rd0` is the address of `out`, `%rd1` that of `in`.
fn kernel(version: &str, target: &str, body: &str) -> TestKernel {
    TestKernel::new(&format!(
        ".version {version}\n.target {target}\n.address_size 64\n\
         .shared .align 8 .b64 bar[2];\n.shared .align 128 .b8 data[1024];\n\
         .entry k(.param .u64 out, .param .u64 in) {{\n\
         .reg .pred %p<8>; .reg .b16 %h<4>; .reg .b32 %r<16>; .reg .b64 %rd<16>; .reg .f32 %f<4>;\n\
         ld.param.u64 %rd0, [out]; ld.param.u64 %rd1, [in]; mov.u32 %r0, %tid.x;\n{body}\nret;\n}}\n"
    ))
}

const WAIT: &str = "wait: mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], 0; @!%p1 bra wait;\n";
const LOAD: &str = "mbarrier.init.b64 [bar], 1; fence.mbarrier_init.release.cluster; mbarrier.arrive.expect_tx.b64 _, [bar], 64;\n\
    cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [data], [%rd1], 64, [bar];\n";
const STORE: &str = "cp.async.bulk.global.shared::cta.bulk_group [%rd0], [data], 64; cp.async.bulk.commit_group;\n";

fn one(body: &str) -> TestOutcome {
    kernel("9.0", "sm_100a", body).threads(1).buffer(&[0; 64]).buffer(&words(1..17)).run()
}

fn stored(body: &str) -> Vec<u32> {
    let out = one(body);
    assert_eq!((out.status(), out.faults()), (RunStatus::Finished, &[][..]), "{body}");
    out.u32s(0)
}

fn found(kind: FaultKind, body: &str, message: &str) {
    let out = one(body);
    assert_eq!(out.kinds(), [kind], "{body}: {:?}", out.faults());
    assert!(out.faults()[0].message.contains(message), "{}", out.faults()[0].message);
}

#[test]
fn blocks_go_to_shared_memory_and_back() {
    let out = stored(&format!(
        "{LOAD}{WAIT} {STORE} cp.async.bulk.wait_group 0; ld.global.u32 %r1, [%rd0+4]; st.global.u32 [%rd0], %r1;"
    ));
    assert_eq!(out, [2, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);
}

#[test]
fn what_is_in_flight_is_left_alone() {
    found(FaultKind::Asynchronous, &format!("{LOAD} ld.shared.u32 %r1, [data+60];"), "reads 4 bytes at `data`+60");
    found(
        FaultKind::Asynchronous,
        &format!("{LOAD} st.global.u32 [%rd1+32], 9;"),
        "that an asynchronous operation may still be reading",
    );
    // After a wait for the reads, the source may be changed, but the result may not be used.
    stored(&format!("{LOAD}{WAIT}{STORE} cp.async.bulk.wait_group.read 0; st.shared.u32 [data], 1;"));
    found(
        FaultKind::Asynchronous,
        &format!("{LOAD}{WAIT}{STORE} st.shared.u32 [data], 1; cp.async.bulk.wait_group 0;"),
        "that an asynchronous operation may still be reading",
    );
    let read = "ld.global.u32 %r1, [%rd0];";
    found(
        FaultKind::Asynchronous,
        &format!("{LOAD}{WAIT}{STORE} cp.async.bulk.wait_group.read 0; {read}"),
        "that an asynchronous operation may still be writing",
    );
    found(
        FaultKind::Asynchronous,
        &format!("{LOAD}{WAIT}{STORE} cp.async.bulk.wait_group 1; {read} cp.async.bulk.wait_group 0;"),
        "that an asynchronous operation may still be writing",
    );
    // Small copies have groups of their own.
    found(
        FaultKind::Asynchronous,
        &format!("{LOAD}{WAIT}{STORE} cp.async.wait_group 0; {read} cp.async.bulk.wait_group 0;"),
        "that an asynchronous operation may still be writing",
    );
}

#[test]
fn the_engine_reads_what_was_fenced() {
    let store = "cp.async.bulk.global.shared::cta.bulk_group [%rd0], [data+16], 16; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;";
    let words = "the copy engine reads 16 bytes at `data`+16";
    found(FaultKind::Asynchronous, &format!("st.shared.v4.u32 [data+16], {{1, 2, 3, 4}}; {store}"), words);
    found(
        FaultKind::Asynchronous,
        &format!("st.shared.v4.u32 [data+16], {{1, 2, 3, 4}}; fence.proxy.async; st.shared.u32 [data+28], 4; {store}"),
        words,
    );
    stored(&format!(
        "st.shared.v4.u32 [data+16], {{1, 2, 3, 4}}; fence.proxy.async; st.shared.u32 [data+32], 4; {store}"
    ));
    stored(&format!("st.shared.v4.u32 [data+16], {{1, 2, 3, 4}}; fence.proxy.async.shared::cta; {store}"));
    // Bytes that the engine wrote itself need no fence.
    stored(&format!("st.shared.v4.u32 [data+16], {{1, 2, 3, 4}}; {LOAD}{WAIT}{store}"));
    let small = "cp.async.ca.shared.global [data+16], [%rd1], 16; cp.async.wait_all;";
    found(FaultKind::Asynchronous, &format!("{small}{store}"), words);
}

#[test]
fn a_thread_waits_for_its_copies_before_it_ends() {
    let start = format!("{LOAD}{WAIT}{STORE}");
    found(FaultKind::Asynchronous, &start, "the thread ends while a bulk copy may still read shared memory");
    stored(&format!("{start} cp.async.bulk.wait_group.read 0;"));
}

#[test]
fn an_mbarrier_is_made_visible_to_the_engine() {
    let start = LOAD.replace("fence.mbarrier_init.release.cluster;", "");
    found(FaultKind::Mbarrier, &format!("{start}{WAIT}"), "the copy engine may not see yet");
    stored(&format!("{}{WAIT}", start.replace("[bar], 1;", "[bar], 1; fence.proxy.async;")));
}

#[test]
fn global_memory_that_was_written_is_fenced_for_the_engine() {
    let body = |fence: &str| format!("st.global.u32 [%rd1+32], 9; {fence} {LOAD}{WAIT}");
    found(FaultKind::Asynchronous, &body(""), "some of which were written by ordinary instructions");
    found(FaultKind::Asynchronous, &body("fence.proxy.async.shared::cta;"), "put `fence.proxy.async` in between");
    stored(&body("fence.proxy.async;"));
    stored(&body("fence.proxy.async.global;"));
}

#[test]
fn many_groups_in_flight() {
    let body = "st.bulk.shared::cta [%r1], 64, 0; fence.proxy.async; cp.async.bulk.global.shared::cta.bulk_group [%rd0], [data], 16; cp.async.bulk.commit_group;\n\
        cp.async.bulk.global.shared::cta.bulk_group [%rd0+16], [data+16], 16; cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 1;\n\
        st.shared.u32 [data], 1; cp.async.bulk.wait_group.read 0; st.shared.u32 [data+16], 1; cp.async.bulk.wait_group 1;\n\
        ld.global.u32 %r2, [%rd0]; cp.async.bulk.wait_group 0; ld.global.u32 %r2, [%rd0+16];";
    stored(&format!("mov.u32 %r1, data; {body}"));
}

#[test]
fn a_block_goes_to_all_ctas_of_a_mask() {
    let body = "mov.u32 %r1, %cluster_ctarank; t: .branchtargets load, wait, none, wait; mbarrier.init.shared::cta.b64 [bar], 1;\n\
        mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 32; mbarrier.init.shared::cta.b64 [bar+8], 4; fence.mbarrier_init.release.cluster; barrier.cluster.arrive; barrier.cluster.wait;\n\
        mov.u32 %r2, bar; mapa.shared::cluster.u32 %r3, %r2, 0; mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r3+8]; brx.idx %r1, t;\n\
        load: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p1, [bar+8], 0; @!%p1 bra load; mov.u16 %h0, 11;\n\
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [data+16], [%rd1], 32, [bar], %h0;\n\
        wait: mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], 0; @!%p1 bra wait;\n\
        ld.shared.u32 %r4, [data+44]; red.async.release.gpu.global.add.u32 [%rd0], %r4; none:";
    let out = kernel("9.0", "sm_100a", body).threads(1).ctas(4, 4).buffer(&[0; 4]).buffer(&words(1..17)).fine();
    assert_eq!(out.u32s(0), [24]);
    let out = kernel("9.0", "sm_100a", &body.replace("%h0, 11", "%h0, 19"))
        .threads(1)
        .ctas(4, 4)
        .buffer(&[0; 4])
        .buffer(&words(1..17))
        .run();
    assert!(out.kinds().contains(&FaultKind::Undefined) && out.status() == RunStatus::Deadlock, "{:?}", out.faults());
}

#[test]
fn a_block_goes_to_another_cta() {
    let body = "mov.u32 %r1, %cluster_ctarank; t: .branchtargets zero, one; brx.idx %r1, t;\n\
        zero: mbarrier.init.shared::cta.b64 [bar], 1; mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 48;\n\
        st.shared.v4.u32 [data+32], {9, 9, 9, 9};\n\
        fence.proxy.async.shared::cta; barrier.cluster.arrive; barrier.cluster.wait; wait: mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], 0; @!%p1 bra wait;\n\
        cp.async.bulk.global.shared::cta.bulk_group [%rd0], [data], 48; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; ret;\n\
        one: barrier.cluster.arrive; barrier.cluster.wait; st.shared.v4.u32 [data], {1, 2, 3, 4}; st.shared.v4.u32 [data+16], {5, 6, 7, 8};\n\
        mov.u32 %r5, data; mapa.shared::cluster.u32 %r5, %r5, 0; mov.u32 %r6, bar; mapa.shared::cluster.u32 %r6, %r6, 0;\n\
        fence.proxy.async; cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r5], [data], 32, [%r6];\n\
        cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%r5+32], [data+16], 16, [%r6];";
    let out = kernel("9.0", "sm_100a", body).threads(1).ctas(2, 2).buffer(&[0; 48]).buffer(&[0; 4]).fine();
    assert_eq!(out.u32s(0), [1, 2, 3, 4, 5, 6, 7, 8, 14, 15, 16, 17]);
}

#[test]
fn masks_choose_bytes() {
    let out = stored(&format!(
        "{LOAD}{WAIT} mov.u16 %h0, 0x8001; cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%rd0], [data], 64, %h0;\n\
        cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"
    ));
    assert_eq!(out, [1, 0, 0, 0, 5, 0, 0, 0, 9, 0, 0, 0, 13, 0, 0, 0]);
}

#[test]
fn elements_are_reduced() {
    let reduce = |op: &str, bytes: usize, start: &[u8], data: &[u8]| {
        let body = format!(
            "mbarrier.init.b64 [bar], 1; fence.mbarrier_init.release.cluster; mbarrier.arrive.expect_tx.b64 _, [bar], {bytes};\n\
            cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [data], [%rd1], {bytes}, [bar];\n{WAIT}\
            cp.reduce.async.bulk.global.shared::cta.bulk_group.{op} [%rd0], [data], {bytes};\n\
            cp.reduce.async.bulk.global.shared::cta.bulk_group.{op} [%rd0], [data], {bytes}; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"
        );
        kernel("9.0", "sm_100a", &body).threads(1).buffer(start).buffer(data).fine()
    };
    let out = reduce("add.u32", 16, &words([1, 2, 3, u32::MAX]), &words([10, 20, 30, 40]));
    assert_eq!(out.u32s(0), [21, 42, 63, 79]);
    let out = reduce("min.s32", 16, &words([1, 2, 3, 4]), &words([u32::MAX, 20, 3, 0]));
    assert_eq!(out.u32s(0), [u32::MAX, 2, 3, 0]);
    let out = reduce("xor.b64", 16, &words([1, 2, 3, 4]), &words([8, 9, 10, 11]));
    assert_eq!(out.u32s(0), [1, 2, 3, 4]);
    let out = reduce("inc.u32", 16, &words([0, 5, 6, 7]), &words([6, 6, 6, 6]));
    assert_eq!(out.u32s(0), [2, 0, 1, 1]);
    let floats = |v: [f32; 4]| words(v.map(f32::to_bits));
    let out = reduce("add.f32", 16, &floats([1.5, -2.0, 0.0, 1e-40]), &floats([0.25, 1.0, f32::NAN, 1e-41]));
    assert_eq!(out.u32s(0)[..3], [2f32.to_bits(), 0, 0x7fff_ffff]);
    assert_eq!(out.u32s(0)[3], 0, "sums in global memory flush subnormal numbers before PTX 9.4");
    let marks = |at| out.run.machine.memory.global.allocations()[0].storage.read(at, &mut [0; 4]).marks;
    assert!(marks(8).contains(Marks::UNSPECIFIED) && marks(0).is_none());
    let halves = |v: [u16; 8]| v.iter().flat_map(|h| h.to_le_bytes()).collect::<Vec<u8>>();
    let out = reduce(
        "add.noftz.f16",
        16,
        &halves([0x3c00, 1, 0, 0, 0, 0, 0, 0]),
        &halves([0x3c00, 1, 0x7bff, 0, 0, 0, 0, 0]),
    );
    assert_eq!(out.bytes(0), halves([0x4200, 3, 0x7c00, 0, 0, 0, 0, 0]));
}

#[test]
fn ends_that_may_be_out_of_bounds() {
    // The buffer begins 4 bytes before the end of the first unit that is read, and ends within the last.
    let body = "mbarrier.init.b64 [bar], 1; fence.mbarrier_init.release.cluster; mbarrier.arrive.expect_tx.b64 _, [bar], 48; mov.u32 %r1, 4; mov.u32 %r2, 12;\n\
        cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.ignore_oob [data], [%rd1+32], 48, %r1, %r2, [bar];\n\
        wait: mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], 0; @!%p1 bra wait;\n\
        cp.async.bulk.global.shared::cta.bulk_group [%rd0], [data], 48; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;";
    let out = kernel("9.2", "sm_100a", body).threads(1).buffer(&[7; 48]).buffer(&words(1..18)).fine();
    assert_eq!(out.u32s(0), [0, 10, 11, 12, 13, 14, 15, 16, 17, 0, 0, 0]);
    let marks = |at| out.run.machine.memory.global.allocations()[0].storage.read(at, &mut [0; 4]).marks;
    assert!(marks(0).contains(Marks::UNSPECIFIED) && marks(4).is_none() && marks(44).contains(Marks::UNSPECIFIED));
}

#[test]
fn what_nobody_wrote_stays_so() {
    let body = format!(
        "st.shared.u32 [data+4], 5; fence.proxy.async; {STORE} cp.async.bulk.wait_group 0; ld.global.u32 %r1, [%rd0+4];"
    );
    stored(&body);
    let body = format!(
        "st.shared.u32 [data+4], 5; fence.proxy.async; {STORE} cp.async.bulk.wait_group 0; ld.global.u32 %r1, [%rd0+8];"
    );
    found(FaultKind::UninitializedMemory, &body, "never written");
}

#[test]
fn impossible_blocks_are_found() {
    let start = "mbarrier.init.b64 [bar], 1; fence.mbarrier_init.release.cluster; mov.u32 %r1, 20;";
    let copy = "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes";
    found(FaultKind::Misaligned, &format!("{start} {copy} [data], [%rd1], %r1, [bar];"), "on 20 bytes");
    found(FaultKind::Misaligned, &format!("{start} {copy} [data], [%rd1+8], 16, [bar];"), "multiple of 16");
    found(
        FaultKind::Misaligned,
        &format!("{start} mov.u32 %r2, data; {copy} [%r2+8], [%rd1], 16, [bar];"),
        "multiple of 16",
    );
    found(FaultKind::OutOfBounds, &format!("{start} {copy} [data], [%rd1+48], 32, [bar];"), "past the end");
    found(FaultKind::Mbarrier, &format!("{copy} [data], [%rd1], 16, [bar];"), "there is no mbarrier");
    found(FaultKind::OutOfBounds, "cp.async.bulk.prefetch.L2.global [%rd1+4096], 16;", "past the end");
    found(
        FaultKind::Misaligned,
        "mov.u64 %rd2, 12; mov.u32 %r1, data; st.bulk.shared::cta [%r1], %rd2, 0;",
        "multiple of 8",
    );
    stored("cp.async.bulk.prefetch.L2.global [%rd1+48], 16;");
}

#[test]
fn shared_memory_is_filled_with_zeros() {
    let body = "mov.u32 %r1, data; mov.u64 %rd2, 1016; st.bulk.weak.shared::cta [%r1+8], %rd2, 0; ld.shared.u64 %rd3, [data+1016]; st.global.u64 [%rd0], %rd3;";
    assert_eq!(stored(body)[..2], [0, 0]);
    found(
        FaultKind::UninitializedMemory,
        "mov.u32 %r1, data; st.bulk.shared::cta [%r1+8], 16, 0; ld.shared.u32 %r2, [data+4];",
        "never written",
    );
    found(
        FaultKind::UninitializedMemory,
        "mov.u32 %r1, data; st.bulk.shared::cta [%r1+8], 16, 0; ld.shared.u32 %r2, [data+24];",
        "never written",
    );
}
