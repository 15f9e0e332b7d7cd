//! `ldmatrix`, `stmatrix`, `movmatrix`.

use crate::testing::{TestKernel, words};

/// Four matrices of 8 × 8 are loaded with and without `.trans`, transposed in registers, and stored again.
#[test]
fn matrices_go_through_registers() {
    let body = ".shared .align 16 .b8 s[1024];\n\
        mov.u32 %r0, %laneid; mov.u32 %r1, s; mad.lo.u32 %r2, %r0, 16, %r1; mad.wide.u32 %rd2, %r0, 16, %rd0;\n\
        ld.param.u64 %rd1, [p1]; mad.wide.u32 %rd1, %r0, 16, %rd1; ld.global.v4.b32 {%r4, %r5, %r6, %r7}, [%rd1];\n\
        st.shared.v4.b32 [%r2], {%r4, %r5, %r6, %r7}; bar.warp.sync 0xffffffff;\n\
        ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r8, %r9, %r10, %r11}, [%r2];\n\
        ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r12, %r13, %r14, %r15}, [%r2];\n\
        movmatrix.sync.aligned.m8n8.trans.b16 %r16, %r8;\n\
        st.global.v4.b32 [%rd2], {%r8, %r9, %r10, %r11}; st.global.v4.b32 [%rd2+512], {%r12, %r13, %r14, %r16};\n\
        stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%r2+512], {%r12, %r13, %r14, %r15}; bar.warp.sync 0xffffffff;\n\
        ld.shared.v4.b32 {%r4, %r5, %r6, %r7}, [%r2+512]; st.global.v4.b32 [%rd2+1024], {%r4, %r5, %r6, %r7};";
    let body = body.replace("bar.warp.sync 0xffffffff;", "");
    // Element (row, column) of matrix x is 256 x + 16 row + column.
    let element = |x: u32, row: u32, column: u32| 256 * x + 16 * row + column;
    let memory: Vec<u32> = (0..128)
        .map(|i| {
            let (x, row, pair) = (i / 32, i / 4 % 8, i % 4);
            element(x, row, 2 * pair) | element(x, row, 2 * pair + 1) << 16
        })
        .collect();
    let out = TestKernel::body("", &body).buffer(&vec![0; 1536]).buffer(&words(memory.clone())).fine();
    let got = out.u32s(0);
    for lane in 0..32 {
        let (g, t) = (lane / 4, lane % 4);
        for x in 0..4 {
            let at = (lane * 4 + x) as usize;
            assert_eq!(got[at], element(x, g, 2 * t) | element(x, g, 2 * t + 1) << 16);
            let transposed = |x: u32| element(x, 2 * t, g) | element(x, 2 * t + 1, g) << 16;
            assert_eq!(got[128 + at], transposed(if x == 3 { 0 } else { x }));
        }
    }
    assert_eq!(got[256..], memory, "what was loaded transposed is stored transposed");
}

#[test]
fn rows_must_be_aligned_and_in_shared_memory() {
    use crate::findings::FaultKind;
    for (address, kind) in [("%r2+8", FaultKind::Misaligned), ("%r2+65536", FaultKind::OutOfBounds)] {
        let body = format!(
            ".shared .align 16 .b8 s[1024]; mov.u32 %r2, s; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {{%r8}}, [{address}];"
        );
        assert_eq!(TestKernel::body("", &body).buffer(&[0; 4]).run().kinds(), [kind]);
    }
    let body = "ldmatrix.sync.aligned.m8n8.x1.b16 {%r8}, [%rd0];";
    assert_eq!(TestKernel::body("", body).buffer(&[0; 16]).run().kinds(), [FaultKind::OutOfBounds]);
}
