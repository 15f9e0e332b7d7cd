//! Kernels that copy, store and reduce asynchronously.

use crate::findings::FaultKind;
use crate::machine::RunStatus;
use crate::testing::{TestKernel, TestOutcome, words};

/// A kernel with two mbarriers at `bar` and 256 bytes at `data` in shared memory. `%rd0` is the address of `out`, `%rd1` that of `in`.
fn kernel(version: &str, body: &str) -> TestKernel {
    TestKernel::new(&format!(
        ".version {version}\n.target sm_100a\n.address_size 64\n\
         .shared .align 8 .b64 bar[2];\n.shared .align 16 .b8 data[256];\n\
         .entry k(.param .u64 out, .param .u64 in) {{\n\
         .reg .pred %p<8>; .reg .b32 %r<16>; .reg .b64 %rd<16>; .reg .f32 %f<4>;\n\
         ld.param.u64 %rd0, [out]; ld.param.u64 %rd1, [in]; mov.u32 %r0, %tid.x;\n{body}\nret;\n}}\n"
    ))
}

fn one(body: &str) -> TestOutcome {
    kernel("8.7", body).threads(1).buffer(&[0; 64]).buffer(&words(1..17)).run()
}

/// The words that the kernel stores. It must finish without findings.
fn stored(body: &str) -> Vec<u32> {
    let out = one(body);
    assert_eq!((out.status(), out.faults()), (RunStatus::Finished, &[][..]), "{body}");
    out.u32s(0)
}

/// Checks that a kernel has exactly one finding, of this kind and with this text. Returns the related instruction that it names.
fn found(kind: FaultKind, body: &str, message: &str) -> Option<u32> {
    let out = one(body);
    assert_eq!(out.kinds(), [kind], "{body}: {:?}", out.faults());
    let fault = &out.faults()[0];
    assert!(fault.message.contains(message), "{}", fault.message);
    fault.related.as_ref().map(|(site, _)| site.instruction)
}

#[test]
fn bytes_are_copied_and_the_rest_is_zeros() {
    let out = stored(
        "cp.async.ca.shared.global [data], [%rd1], 4; cp.async.ca.shared.global [data+8], [%rd1+8], 8;\n\
        cp.async.cg.shared.global [data+16], [%rd1+16], 16; mov.u32 %r1, 6; cp.async.ca.shared.global [data+32], [%rd1+32], 8, %r1;\n\
        mov.u32 %r1, 0; cp.async.cg.shared.global [data+48], [%rd1+4096], 16, %r1; cp.async.wait_all;\n\
        ld.shared.u32 %r1, [data]; st.global.u32 [%rd0], %r1; ld.shared.v2.u32 {%r1, %r2}, [data+8]; st.global.v2.u32 [%rd0+8], {%r1, %r2};\n\
        ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [data+16]; st.global.v4.u32 [%rd0+16], {%r1, %r2, %r3, %r4};\n\
        ld.shared.v2.u32 {%r1, %r2}, [data+32]; st.global.v2.u32 [%rd0+32], {%r1, %r2};\n\
        ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [data+48]; st.global.v4.u32 [%rd0+48], {%r1, %r2, %r3, %r4};",
    );
    assert_eq!(out, [1, 0, 3, 4, 5, 6, 7, 8, 9, 10, 0, 0, 0, 0, 0, 0]);
}

#[test]
fn where_a_source_is_ignored_there_are_zeros() {
    // The predicate is false at first, because the new mbarrier is in its first phase.
    let out = stored(
        "mbarrier.init.b64 [bar], 1; mbarrier.test_wait.parity.b64 %p0, [bar], 0;\n\
        cp.async.ca.shared.global [data], [%rd1], 4, %p0; cp.async.ca.shared.global [data+4], [%rd1+4096], 4, !%p0; cp.async.wait_all;\n\
        ld.shared.v2.u32 {%r1, %r2}, [data]; st.global.v2.u32 [%rd0], {%r1, %r2};",
    );
    assert_eq!(out[..2], [1, 0]);
}

#[test]
fn groups_complete_in_order() {
    let two = "cp.async.ca.shared.global [data], [%rd1], 4; cp.async.commit_group;\n\
        cp.async.ca.shared.global [data+4], [%rd1+4], 4; cp.async.commit_group; cp.async.wait_group 1;\n";
    let out = stored(&format!("{two} ld.shared.u32 %r1, [data]; st.global.u32 [%rd0], %r1;"));
    assert_eq!(out[0], 1);
    let site =
        found(FaultKind::Asynchronous, &format!("{two} ld.shared.u32 %r1, [data+4];"), "reads 4 bytes at `data`+4");
    // The second copy comes after the three instructions of the beginning, a copy and a commit.
    assert_eq!(site, Some(5));
    let out = stored(&format!("{two} cp.async.wait_group 0; ld.shared.u32 %r1, [data+4]; st.global.u32 [%rd0], %r1;"));
    assert_eq!(out[0], 2);
    // Empty groups count.
    stored(&format!("{two} cp.async.commit_group; cp.async.wait_group 1; ld.shared.u32 %r1, [data+4];"));
}

#[test]
fn copies_in_flight_are_left_alone() {
    let copy = "cp.async.cg.shared.global [data+16], [%rd1+16], 16;";
    let case = |use_: &str, message: &str| {
        found(FaultKind::Asynchronous, &format!("{copy} cp.async.commit_group; {use_}"), message)
    };
    assert_eq!(
        case(
            "ld.shared.u8 %r1, [data+31];",
            "reads 1 bytes at `data`+31 that an asynchronous operation may still be writing"
        ),
        Some(3)
    );
    case(
        "st.shared.u32 [data+16], 1;",
        "writes 4 bytes at `data`+16 that an asynchronous operation may still be writing",
    );
    case("st.global.u32 [%rd1+28], 1;", "that an asynchronous operation may still be reading");
    case(copy, "writes 16 bytes at `data`+16");
    // The copy is not committed, so the wait does not cover it.
    found(
        FaultKind::Asynchronous,
        &format!("{copy} cp.async.wait_group 0; ld.shared.u32 %r1, [data+16];"),
        "reads 4 bytes",
    );
    stored(&format!(
        "st.shared.u32 [data], 1; {copy} ld.shared.u32 %r1, [data]; ld.global.u32 %r1, [%rd1+16]; st.global.u32 [%rd1+32], 1;"
    ));
    stored(&format!("{copy} cp.async.wait_all; ld.shared.u32 %r1, [data+16]; st.global.u32 [%rd1+16], 1;"));
}

#[test]
fn mbarriers_count_copies() {
    // With an arrival that is added to the pending ones now, and with one that the mbarrier expects already.
    for (count, noinc) in [(1, ""), (2, ".noinc")] {
        let start = format!(
            "mbarrier.init.b64 [bar], {count}; cp.async.ca.shared.global [data], [%rd1+8], 4;\n\
            cp.async.mbarrier.arrive{noinc}.shared.b64 [bar];"
        );
        let out = stored(&format!(
            "{start} mbarrier.arrive.b64 %rd2, [bar]; wait: mbarrier.test_wait.b64 %p0, [bar], %rd2; @!%p0 bra wait;\n\
            ld.shared.u32 %r1, [data]; st.global.u32 [%rd0], %r1;"
        ));
        assert_eq!(out[0], 3);
        found(FaultKind::Asynchronous, &format!("{start} ld.shared.u32 %r1, [data];"), "reads 4 bytes");
    }
}

#[test]
fn impossible_copies_are_found() {
    found(FaultKind::Misaligned, "cp.async.cg.shared.global [data], [%rd1+8], 16;", "multiple of 16");
    found(FaultKind::OutOfBounds, "cp.async.ca.shared.global [data], [%rd1+64], 4;", "past the end");
    found(
        FaultKind::Undefined,
        "mov.u32 %r1, 5; cp.async.ca.shared.global [data], [%rd1], 4, %r1;",
        "5 bytes of the source",
    );
}

#[test]
fn stores_signal_an_mbarrier_of_their_cta() {
    // CTA 1 stores to CTA 0, which waits.
    let body = "mov.u32 %r1, %cluster_ctarank; t: .branchtargets zero, rest; brx.idx %r1, t;\n\
        zero: mbarrier.init.shared::cta.b64 [bar], 1; mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 32; barrier.cluster.arrive; barrier.cluster.wait;\n\
        wait: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p1, [bar], 0; @!%p1 bra wait;\n\
        ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [data]; st.global.v4.u32 [%rd0], {%r1, %r2, %r3, %r4};\n\
        ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [data+16]; st.global.v4.u32 [%rd0+16], {%r1, %r2, %r3, %r4}; ret;\n\
        rest: barrier.cluster.arrive; barrier.cluster.wait; mov.u32 %r5, data; mapa.shared::cluster.u32 %r5, %r5, 0; mov.u32 %r6, bar; mapa.shared::cluster.u32 %r6, %r6, 0;\n\
        mov.u32 %r1, 4; mov.u32 %r2, 5; mov.u32 %r3, 6; mov.u64 %rd2, 7; mov.u64 %rd3, 0x900000008;\n\
        st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [%r5], {%r1, %r2}, [%r6];\n\
        st.async.shared::cluster.mbarrier::complete_tx::bytes.u64 [%r5+8], %rd2, [%r6];\n\
        st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.u32 [%r5+16], {%r1, %r2, %r3, %r1}, [%r6];";
    let out = kernel("8.7", body).threads(1).ctas(2, 2).buffer(&[0; 32]).buffer(&[0; 4]).fine();
    assert_eq!(out.u32s(0), [4, 5, 7, 0, 4, 5, 6, 4]);
    // CTA 0 reads the data before the mbarrier has counted it.
    let early = body.replace("wait: ", "spin: ld.volatile.shared.u32 %r7, [data+28]; mbarrier.test_wait.parity.shared::cta.b64 %p1, [bar], 0; @!%p1 bra spin; wait: ");
    let early = early.replace("zero: ", "zero: st.shared.u32 [data+28], 0; ");
    let out = kernel("8.7", &early).threads(1).ctas(2, 2).buffer(&[0; 32]).buffer(&[0; 4]).run();
    assert_eq!(out.kinds(), [FaultKind::Asynchronous, FaultKind::Race], "{:?}", out.faults());
    // The mbarrier is in another CTA than the data.
    let apart = body.replace("mapa.shared::cluster.u32 %r6, %r6, 0;", "mapa.shared::cluster.u32 %r6, %r6, 1;");
    let out = kernel("8.7", &apart).threads(1).ctas(2, 2).buffer(&[0; 32]).buffer(&[0; 4]).run();
    assert!(out.faults().iter().any(|f| f.message.contains("they must be together")), "{:?}", out.faults());
}

#[test]
fn stores_to_global_memory_are_just_made() {
    let out = stored(
        "mov.u32 %r1, 77; st.async.release.gpu.global.u32 [%rd0+4], %r1; st.async.mmio.release.sys.global.b32 [%rd0+8], %r1;",
    );
    assert_eq!(out[..3], [0, 77, 77]);
}

#[test]
fn reductions_update_and_signal() {
    let wait = "wait: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p1, [bar], 0; @!%p1 bra wait;\n";
    let body = format!(
        "mov.u32 %r1, %cluster_ctarank; t: .branchtargets zero, rest; brx.idx %r1, t;\n\
        zero: st.shared.u32 [data], 10; st.shared.u32 [data+4], 10; st.shared.u32 [data+8], 12; mov.u64 %rd2, 5; st.shared.u64 [data+16], %rd2;\n\
        mbarrier.init.shared::cta.b64 [bar], 1; mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 24; barrier.cluster.arrive; barrier.cluster.wait;\n{wait}\
        ld.shared.v4.u32 {{%r1, %r2, %r3, %r4}}, [data]; st.global.v4.u32 [%rd0], {{%r1, %r2, %r3, 0}};\n\
        ld.shared.u64 %rd2, [data+16]; st.global.u64 [%rd0+16], %rd2; ret;\n\
        rest: barrier.cluster.arrive; barrier.cluster.wait; mov.u32 %r5, data; mapa.shared::cluster.u32 %r5, %r5, 0; mov.u32 %r6, bar; mapa.shared::cluster.u32 %r6, %r6, 0;\n\
        mov.u32 %r1, 4; mov.u32 %r2, 10; mov.u32 %r3, 6; mov.u64 %rd2, -6;\n\
        red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r5], %r1, [%r6];\n\
        red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r5], %r1, [%r6];\n\
        red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.inc.u32 [%r5+4], %r2, [%r6];\n\
        red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.xor.b32 [%r5+8], %r3, [%r6];\n\
        red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [%r5+16], %rd2, [%r6];"
    );
    let body = body.replace(
        "ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [data];",
        "ld.shared.v2.u32 {%r1, %r2}, [data]; ld.shared.u32 %r3, [data+8];",
    );
    let out = kernel("8.7", &body).threads(1).ctas(2, 2).buffer(&[0; 24]).buffer(&[0; 4]).fine();
    assert_eq!(out.u32s(0), [18, 0, 10, 0, u32::MAX, u32::MAX]);
    let out = stored(
        "mov.u32 %r1, 77; red.async.release.gpu.global.add.u32 [%rd0], %r1; red.async.release.sys.global.add.u32 [%rd0], %r1;",
    );
    assert_eq!(out[0], 154);
}

#[test]
fn a_pipeline_of_copies_sums_its_columns() {
    let text = include_str!("../../../../../tests/kernels/cp_async_pipeline.ptx");
    let (rows, columns) = (37u32, 256u32);
    let floats = |count: u32| words((0..count).map(|i| (i as f32).to_bits()));
    let mut kernel = TestKernel::new(text).threads(128).value(rows.into()).value(columns.into());
    kernel.shape.grid = [2, 1, 1];
    let out = kernel.buffer(&floats(rows)).buffer(&floats(rows * columns)).buffer(&[0; 1024]).fine();
    let sum = |column: u32| (0..rows).fold(0f32, |sum, r| sum + r as f32 * (r * columns + column) as f32);
    assert_eq!(out.u32s(2), (0..columns).map(|c| sum(c).to_bits()).collect::<Vec<u32>>());
}
