//! Kernels that use multimem addresses.

use crate::testing::{TestKernel, words};

fn run(version: &str, target: &str, body: &str, data: &[u8]) -> Vec<u32> {
    TestKernel::new(&format!(
        ".version {version}\n.target {target}\n.address_size 64\n.shared .align 16 .b8 data[64];\n\
         .entry k(.param .u64 out) {{\n\
         .reg .b16 %h<8>; .reg .b32 %r<16>; .reg .b64 %rd<16>; .reg .f32 %f<8>; .reg .f64 %d<2>;\n\
         ld.param.u64 %rd0, [out];\n{body}\nret;\n}}\n"
    ))
    .threads(1)
    .buffer(data)
    .fine()
    .u32s(0)
}

#[test]
fn one_replica_is_loaded_stored_and_updated() {
    let data = words([1, 2, 3, 4, 5, 6, 7, 8]);
    let out = run(
        "8.6",
        "sm_90",
        "multimem.ld_reduce.relaxed.gpu.global.add.u32 %r0, [%rd0]; multimem.st.weak.global.u32 [%rd0+4], %r0;\n\
        multimem.red.release.sys.global.max.s32 [%rd0+8], %r0; mov.u32 %r1, 9; multimem.red.global.max.s32 [%rd0+12], %r1;\n\
        mov.u64 %rd1, 1; multimem.red.global.add.u64 [%rd0+16], %rd1; multimem.ld_reduce.global.and.b64 %rd2, [%rd0+24];\n\
        mov.u64 %rd1, 0xf; multimem.red.global.xor.b64 [%rd0+24], %rd1;",
        &data,
    );
    assert_eq!(out, [1, 1, 3, 9, 6, 6, 7 ^ 15, 8]);
}

#[test]
fn vectors_are_updated_by_element() {
    let data = words([1f32.to_bits(), 2f32.to_bits(), 0x3c00_4000, 0xbf80_3f80, 0, 0, 0, 0]);
    let out = run(
        "8.6",
        "sm_100a",
        "mov.f32 %f0, 0f3f000000; mov.f32 %f1, 0f3e800000; multimem.red.global.add.v2.f32 [%rd0], {%f0, %f1};\n\
        mov.b32 %r0, 0x3c003c00; multimem.red.global.add.f16x2 [%rd0+8], %r0; mov.b32 %r0, 0x3f803f80; multimem.red.global.add.bf16x2 [%rd0+12], %r0;\n\
        multimem.ld_reduce.global.add.v2.f32 {%f2, %f3}, [%rd0]; multimem.st.global.v2.f32 [%rd0+16], {%f3, %f2};\n\
        multimem.ld_reduce.global.add.acc::f32.v4.f16 {%h0, %h1, %h2, %h3}, [%rd0+8]; multimem.st.global.v4.f16 [%rd0+24], {%h1, %h0, %h3, %h2};",
        &data,
    );
    let (a, b) = (1.5f32.to_bits(), 2.25f32.to_bits());
    assert_eq!(out, [a, b, 0x4000_4200, 0x0000_4000, b, a, 0x4200_4000, 0x4000_0000]);
}

#[test]
fn asynchronous_forms_do_the_same() {
    let out = run(
        "9.3",
        "sm_100",
        "mov.u32 %r0, 5; multimem.st.async.release.gpu.global.u32 [%rd0+4], %r0; multimem.red.async.release.sys.global.add.u32 [%rd0], %r0;",
        &words([1, 2]),
    );
    assert_eq!(out, [6, 5]);
}

#[test]
fn blocks_go_to_the_replica() {
    let out = run(
        "9.1",
        "sm_100",
        "st.shared.v4.u32 [data], {1, 2, 3, 4}; st.shared.v4.u32 [data+16], {5, 6, 7, 8}; fence.proxy.async;\n\
        multimem.cp.async.bulk.global.shared::cta.bulk_group [%rd0], [data], 16;\n\
        mov.u16 %h0, 0xf; multimem.cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%rd0+16], [data+16], 16, %h0;\n\
        cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n\
        multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd0], [data+16], 16;\n\
        cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;",
        &[0; 32],
    );
    assert_eq!(out, [6, 8, 10, 12, 5, 0, 0, 0]);
}
