//! Integer, logic, shift and video instructions.

use crate::findings::FaultKind;
use crate::testing::{TestKernel, words};

/// The value of `%r0` after `instruction`, with `a`, `b`, `c` in `%r1`, `%r2`, `%r3`.
fn word(instruction: &str, [a, b, c]: [u32; 3]) -> u32 {
    let body = format!(
        "mov.b32 %r1, {a:#x}; mov.b32 %r2, {b:#x}; mov.b32 %r3, {c:#x}; mov.b32 %r0, 0x11223344;\n{instruction}\nst.global.b32 [%rd0], %r0;"
    );
    let target = if instruction.starts_with('v') { "sm_60" } else { "sm_90a" };
    TestKernel::body(target, &body).threads(1).buffer(&words([0])).fine().u32s(0)[0]
}

/// The value of `%rd1` after `instruction`, with `a`, `b`, `c` in `%rd2`, `%rd3`, `%rd4`.
fn double(instruction: &str, [a, b, c]: [u64; 3]) -> u64 {
    let body = format!(
        "mov.b64 %rd2, {a:#x}; mov.b64 %rd3, {b:#x}; mov.b64 %rd4, {c:#x}; mov.b32 %r1, 7;\n{instruction}\nst.global.b64 [%rd0], %rd1;"
    );
    TestKernel::body("", &body).threads(1).buffer(&[0; 8]).fine().u64s(0)[0]
}

#[test]
fn words_go_through() {
    let m1 = u32::MAX;
    for (instruction, sources, expected) in [
        ("add.u32 %r0, %r1, %r2;", [5, m1, 0], 4),
        ("add.sat.s32 %r0, %r1, %r2;", [0x7fff_ffff, 1, 0], 0x7fff_ffff),
        ("sub.s32 %r0, %r1, 7;", [5, 0, 0], m1 - 1),
        ("mul.lo.u32 %r0, %r1, %r2;", [0x10001, 0x10001, 0], 0x20001),
        ("mul.hi.s32 %r0, %r1, %r2;", [m1, 2, 0], m1),
        ("mad.lo.s32 %r0, %r1, %r2, %r3;", [3, m1, 5], 2),
        ("mad.hi.u32 %r0, %r1, %r2, %r3;", [m1, 2, 5], 6),
        ("mul24.lo.u32 %r0, %r1, %r2;", [0xff00_0003, 2, 0], 6),
        ("mad24.lo.s32 %r0, %r1, %r2, %r3;", [2, 3, 4], 10),
        ("sad.u32 %r0, %r1, %r2, %r3;", [2, 5, 4], 7),
        ("div.s32 %r0, %r1, %r2;", [0u32.wrapping_sub(7), 2, 0], 0u32.wrapping_sub(3)),
        ("rem.u32 %r0, %r1, %r2;", [7, 4, 0], 3),
        ("abs.s32 %r0, %r1;", [m1, 0, 0], 1),
        ("neg.s32 %r0, %r1;", [1, 0, 0], m1),
        ("min.s32 %r0, %r1, %r2;", [m1, 1, 0], m1),
        ("max.u32 %r0, %r1, %r2;", [m1, 1, 0], m1),
        ("max.relu.s32 %r0, %r1, %r2;", [m1, m1 - 1, 0], 0),
        ("min.u16x2 %r0, %r1, %r2;", [0x0001_ffff, 0x0002_0003, 0], 0x0001_0003),
        ("add.u16x2 %r0, %r1, %r2;", [0x0001_ffff, 0x0001_0001, 0], 0x0002_0000),
        ("popc.b32 %r0, %r1;", [0xf0f0, 0, 0], 8),
        ("clz.b32 %r0, %r1;", [1, 0, 0], 31),
        ("brev.b32 %r0, %r1;", [1, 0, 0], 0x8000_0000),
        ("bfind.u32 %r0, %r1;", [0x100, 0, 0], 8),
        ("bfind.shiftamt.u32 %r0, %r1;", [0x100, 0, 0], 23),
        ("fns.b32 %r0, %r1, %r2, %r3;", [0b1010, 0, 2], 3),
        ("bfe.s32 %r0, %r1, 4, 4;", [0xf0, 0, 0], m1),
        ("bfi.b32 %r0, %r1, %r2, 8, 4;", [0xf, 0, 0], 0xf00),
        ("szext.clamp.s32 %r0, %r1, 4;", [0xf, 0, 0], m1),
        ("bmsk.clamp.b32 %r0, 4, 3;", [0, 0, 0], 0x70),
        ("dp4a.u32.s32 %r0, %r1, %r2, %r3;", [0x0202_0202, 0xffff_ffff, 10], 2),
        ("dp2a.lo.s32.s32 %r0, %r1, %r2, %r3;", [0x0002_0003, 0x0000_0101, 1], 6),
        ("dp2a.hi.s32.s32 %r0, %r1, %r2, %r3;", [0x0002_0003, 0x0101_0000, 1], 6),
        ("and.b32 %r0, %r1, %r2;", [12, 10, 0], 8),
        ("or.b32 %r0, %r1, %r2;", [12, 10, 0], 14),
        ("xor.b32 %r0, %r1, %r2;", [12, 10, 0], 6),
        ("not.b32 %r0, %r1;", [0, 0, 0], m1),
        ("cnot.b32 %r0, %r1;", [0, 0, 0], 1),
        ("lop3.b32 %r0, %r1, %r2, %r3, 0x80;", [7, 3, 5], 1),
        ("shl.b32 %r0, %r1, %r2;", [1, 33, 0], 0),
        ("shr.s32 %r0, %r1, 4;", [0x8000_0000, 0, 0], 0xf800_0000),
        ("shr.u32 %r0, %r1, 4;", [0x8000_0000, 0, 0], 0x0800_0000),
        ("shf.l.wrap.b32 %r0, %r1, %r2, %r3;", [0x8000_0000, 1, 33], 3),
        ("shf.r.clamp.b32 %r0, %r1, %r2, %r3;", [0x8000_0000, 1, 40], 1),
        ("prmt.b32 %r0, %r1, %r2, 0x7610;", [0x3322_1100, 0x7766_5544, 0], 0x7766_1100),
        ("prmt.b32.rc8 %r0, %r1, %r2, 2;", [0x3322_1100, 0, 0], 0x2222_2222),
        ("add.cc.u32 %r0, %r1, %r2; addc.u32 %r0, 0, 0;", [m1, 1, 0], 1),
        ("sub.cc.u32 %r0, %r1, %r2; subc.u32 %r0, 0, 0;", [0, 1, 0], m1),
        ("mad.lo.cc.u32 %r0, %r1, %r2, %r3; madc.hi.u32 %r0, %r1, %r2, 0;", [m1, 2, 2], 2),
    ] {
        assert_eq!(word(instruction, sources), expected, "{instruction} of {sources:x?}");
    }
}

#[test]
fn double_words_go_through() {
    let m1 = u64::MAX;
    for (instruction, sources, expected) in [
        ("add.u64 %rd1, %rd2, %rd3;", [m1, 2, 0], 1),
        ("mul.wide.s32 %rd1, %r1, -3;", [0; 3], 0u64.wrapping_sub(21)),
        ("mad.wide.u32 %rd1, %r1, 3, %rd2;", [1, 0, 0], 22),
        ("mul.hi.u64 %rd1, %rd2, %rd3;", [m1, 2, 0], 1),
        ("shl.b64 %rd1, %rd2, %r1;", [1, 0, 0], 128),
        ("bfe.u64 %rd1, %rd2, 8, 8;", [0x1234, 0, 0], 0x12),
        ("div.u64 %rd1, %rd2, %rd3;", [100, 7, 0], 14),
        ("not.b64 %rd1, %rd2;", [0, 0, 0], m1),
        ("add.cc.u64 %rd1, %rd2, %rd3; addc.u64 %rd1, %rd4, 0;", [m1, 1, 5], 6),
    ] {
        assert_eq!(double(instruction, sources), expected, "{instruction} of {sources:x?}");
    }
}

#[test]
fn video_goes_through() {
    for (instruction, sources, expected) in [
        ("vadd.u32.u32.u32 %r0, %r1.b1, %r2.h1;", [0x0500, 0x0007_0000, 0], 12),
        ("vsub.s32.s32.s32 %r0.b2, %r1.b0, %r2.b0, %r3;", [5, 7, 0x1111_1111], 0x11fe_1111),
        ("vabsdiff.s32.s32.s32.add %r0, %r1, %r2, %r3;", [5, 7, 10], 12),
        ("vmax.s32.s32.s32 %r0, %r1.h0, %r2.h0;", [0xffff, 3, 0], 3),
        ("vshl.u32.u32.u32.wrap %r0, %r1, %r2;", [1, 33, 0], 2),
        ("vset.u32.u32.lt %r0, %r1, %r2;", [1, 2, 0], 1),
        ("vmad.s32.s32.s32.shr7 %r0, %r1.h0, %r2.h0, -%r3;", [256, 2, 128], 3),
        ("vadd2.u32.u32.u32 %r0, %r1, %r2, %r3;", [0x0001_0002, 0x0003_0004, 0], 0x0004_0006),
        ("vadd4.u32.u32.u32.add %r0, %r1, %r2, %r3;", [0x0101_0101, 0x0202_0202, 5], 17),
        ("vset4.u32.u32.eq %r0, %r1, %r2, %r3;", [0x0102_0304, 0x0102_0004, 0], 0x0101_0001),
    ] {
        assert_eq!(word(instruction, sources), expected, "{instruction} of {sources:x?}");
    }
}

#[test]
fn a_division_by_zero_is_found_and_its_result_marked() {
    let body = "mov.b32 %r1, 7; mov.b32 %r2, 0; div.u32 %r0, %r1, %r2; st.global.b32 [%rd0], %r0;";
    let out = TestKernel::body("", body).threads(1).buffer(&words([0])).run();
    assert_eq!((out.kinds(), out.u32s(0)[0]), (vec![FaultKind::DivisionByZero], u32::MAX));
    let mut bytes = [0; 4];
    let memory = &out.run.machine.memory.global;
    let marks = memory.allocations()[0].storage.read(0, &mut bytes).marks;
    assert!(marks.contains(ptx_num::values::Marks::UNSPECIFIED));
}

#[test]
fn predicates_are_computed_for_all_lanes() {
    let body = "mov.u32 %r0, %laneid; and.b32 %r1, %r0, 3; shr.u32 %r2, %r0, 2; lop3.or.b32 _|%p1, %r1, 0, 0, 0xf0, !%p0; \
                and.pred %p2, %p1, %p1; not.pred %p3, %p2; xor.pred %p4, %p3, %p2; mul.wide.u32 %rd1, %r0, 4; add.u64 %rd1, %rd1, %rd0; \
                mov.b32 %r3, 0; @%p2 add.u32 %r3, %r3, 1; @%p3 add.u32 %r3, %r3, 2; @%p4 add.u32 %r3, %r3, 4; st.global.u32 [%rd1], %r3;";
    let body = format!("mov.b32 %r5, 0; mov.pred %p0, 1; {body}");
    let out = TestKernel::body("", &body).buffer(&words([0; 32])).fine();
    let expected: Vec<u32> = (0..32).map(|lane| if lane & 3 != 0 { 5 } else { 6 }).collect();
    assert_eq!(out.u32s(0), expected);
}
