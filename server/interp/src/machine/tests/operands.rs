//! Tests of operands with parts: numbers that are added, negations, selectors.

use super::{RunStatus, traced};
use crate::findings::FaultKind;
use crate::testing::{TestKernel, TestOutcome};

/// Runs a body with one thread. `%r1` = 0xffffffff, `%r2` = 12, `%rd2` = 0xffffffff, `%h1` = 0xffff, `%f1` = 1.0, `%p1` = true.
fn run(body: &str) -> TestOutcome {
    let setup = "mov.u32 %r1, -1; mov.u32 %r2, 12; mov.u64 %rd2, 0xffffffff; mov.u16 %h1, -1; mov.f32 %f1, 0f3F800000; setp.eq.u32 %p1, 0, 0;";
    TestKernel::body("", &format!("{setup}\n{body}")).threads(1).buffer(&[0; 16]).run()
}

/// The first 64-bit word that a body stores; the run must have no findings.
fn stored(body: &str) -> u64 {
    let out = run(body);
    assert_eq!((out.status(), out.faults()), (RunStatus::Finished, &[][..]), "{body}");
    out.u64s(0)[0]
}

/// The assembler adds integers of the register's width: `IADD3` before the instruction.
#[test]
fn numbers_are_added_to_registers_of_every_width() {
    for (body, expected) in [
        ("st.global.u64 [%rd0], %rd2+1;", 0x1_0000_0000),
        ("st.global.u32 [%rd0], %r2+1;", 13),
        ("st.global.u16 [%rd0], %h1+3;", 2),
        ("st.global.u8 [%rd0], %r1+3;", 2),
        ("mov.u64 %rd3, %rd2+5; st.global.u64 [%rd0], %rd3;", 0x1_0000_0004),
        ("mov.b32 %r3, %r2+-5; st.global.u32 [%rd0], %r3;", 7),
        ("mov.b32 %r3, %r2+3+4; st.global.u32 [%rd0], %r3;", 19),
        ("mov.b32 %r3, %r2+(3*4); st.global.u32 [%rd0], %r3;", 24),
        ("add.u32 %r3, %r2+2, %r2+3; st.global.u32 [%rd0], %r3;", 29),
        ("sub.u32 %r3, %r2+1, %r2; st.global.u32 [%rd0], %r3;", 1),
        // The sum is one of 32 bits, and of 16 bits, before it is widened.
        ("cvt.u64.u32 %rd3, %r1+1; st.global.u64 [%rd0], %rd3;", 0),
        ("mul.wide.u32 %rd3, %r1+2, %r2; st.global.u64 [%rd0], %rd3;", 12),
        ("cvt.u32.u16 %r3, %h1+1; st.global.u32 [%rd0], %r3;", 0),
        ("cvt.u32.u64 %r3, %rd2+2; st.global.u32 [%rd0], %r3;", 1),
        ("setp.eq.u32 %p2, %r2+1, 13; selp.u32 %r3, %r2+3, %r2+4, %p2; st.global.u32 [%rd0], %r3;", 15),
        ("mov.b32 {%h2, %h3}, %r1+0x10001; st.global.u16 [%rd0], %h3;", 1),
        ("popc.b32 %r3, %r1+1; st.global.u32 [%rd0], %r3;", 0),
        ("mov.u32 %r3, %laneid+5; st.global.u32 [%rd0], %r3;", 5),
        ("cvta.global.u64 %rd3, %rd0+8; sub.u64 %rd3, %rd3, %rd0; st.global.u64 [%rd0], %rd3;", 8),
        ("st.global.u32 [%rd0], 4; atom.global.add.u32 %r3, [%rd0], %r2+1;", 17),
        ("shfl.sync.idx.b32 %r3, %r2+1, 0, 31, %r2+-11; st.global.u32 [%rd0], %r3;", 13),
        ("@%p1 mov.u32 %r2, %r2+1; @!%p1 mov.u32 %r2, %r2+1; st.global.u32 [%rd0], %r2;", 13),
    ] {
        assert_eq!(stored(body), expected, "{body}");
    }
}

/// A loop executes the sum anew each time, and a barrier that waits does, too.
#[test]
fn sums_are_computed_at_each_execution() {
    let body = "mov.u32 %r1, 0; mov.u32 %r2, 0; L: add.u32 %r2, %r2, %r1+10; mov.u32 %r1, %r1+1; setp.lt.u32 %p1, %r1, 4; @%p1 bra L;\n\
        mov.u32 %r3, 1; bar.sync %r3+1, %r3+63; add.u32 %r2, %r2, %r0+1; st.global.u32 [%rd1], %r2;";
    assert_eq!(traced("", body, 64).words(), (0..64).map(|l| 46 + l + 1).collect::<Vec<_>>());
    let clocks = "mov.u64 %rd5, %clock64+100; mov.u64 %rd6, %clock64; sub.u64 %rd5, %rd5, %rd6; cvt.u32.u64 %r2, %rd5; st.global.u32 [%rd1], %r2;";
    assert_eq!(traced("", clocks, 1).words(), [99]);
}

/// ptxas accepts these too, and then crashes, hangs, or writes code without the addition.
#[test]
fn sums_that_no_machine_code_computes_are_refused() {
    for body in [
        "mov.f32 %f2, %f1+5; st.global.f32 [%rd0], %f2;",
        "add.f32 %f2, %f1+1, %f1; st.global.f32 [%rd0], %f2;",
        "mov.b32 %r3, %f1+1; st.global.u32 [%rd0], %r3;",
        "mov.pred %p2, %p1+1;",
        "mov.b64 %rd3, 0; mov.b128 %q1, {%rd3, %rd3}; mov.b128 %q2, %q1+5;",
    ] {
        let out = run(body);
        assert_eq!((out.status(), out.kinds()), (RunStatus::Fault, vec![FaultKind::Unsupported]), "{body}");
        assert!(out.faults()[0].message.contains("a number is added to"), "{:?}", out.faults());
    }
}

/// The assembler reads `!` before a number as in C.
#[test]
fn negated_constants_are_numbers() {
    for (body, expected) in [
        ("add.u32 %r3, %r2, !1; st.global.u32 [%rd0], %r3;", 12),
        ("add.u32 %r3, %r2, !0; st.global.u32 [%rd0], %r3;", 13),
        ("add.u32 %r3, %r2, ~1; st.global.u32 [%rd0], %r3;", 10),
        ("mov.pred %p2, !1; selp.u32 %r3, 1, 2, %p2; st.global.u32 [%rd0], %r3;", 2),
        ("setp.eq.and.u32 %p2, %r2, 12, !0; selp.u32 %r3, 1, 2, %p2; st.global.u32 [%rd0], %r3;", 1),
        ("add.f32 %f2, %f1, -3.0; cvt.rzi.s32.f32 %r3, %f2; st.global.u32 [%rd0], %r3;", 0xffff_fffe),
    ] {
        assert_eq!(stored(body), expected, "{body}");
    }
}

/// Every digit of a selector of a packed video instruction counts, of `a` and `b` as a choice, of `d` as a mask.
#[test]
fn selectors_of_packed_video_instructions_choose_elements() {
    let setup = "mov.b32 %r4, 0x04030201; mov.b32 %r5, 0x40302010; mov.b32 %r6, 0x11223344;";
    for (instruction, expected) in [
        ("vadd4.u32.u32.u32 %r7, %r4.b0123, %r5, %r6;", 0x4132_2314),
        ("vadd4.u32.u32.u32 %r7, %r4, %r5.b4567, %r6;", 0x1423_3241),
        ("vadd4.u32.u32.u32 %r7, %r4.b7654, %r5.b3210, %r6;", 0x4433_2211),
        ("vadd4.u32.u32.u32 %r7.b20, %r4.b7070, %r5.b1111, %r6;", 0x1103_3303),
        ("vsub4.u32.u32.u32.add %r7, %r4.b3333, %r5.b0000, %r6;", 0x1122_3344 + 12),
        ("vset4.u32.u32.eq %r7.b310, %r4.b0101, %r5.b2101, %r6;", 0x0022_0101),
        ("vadd2.u32.u32.u32 %r7, %r4.h01, %r5.h32, %r6;", 0x4231_2413),
        ("vadd2.u32.u32.u32 %r7.h1, %r4.h33, %r5.h20, %r6;", 0x6040_3344),
        ("vabsdiff2.s32.s32.s32.add %r7.h0, %r4.h00, %r5.h13, %r6;", 0x1122_3344 + (0x4030 - 0x0201)),
    ] {
        let body = format!("{setup} {instruction} st.global.u32 [%rd0], %r7;");
        assert_eq!(stored(&body), expected, "{instruction}");
    }
}
