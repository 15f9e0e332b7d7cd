use crate::findings::FaultKind;
use crate::machine::RunStatus;
use crate::testing::{TestKernel, TestOutcome};
use ptx_num::values::atomic::{AtomicElement, AtomicOperation, operation};

/// Executes a form on one location in one thread, with the old value and the operands `b` and `c`. Returns what the register and memory
/// contain afterwards.
fn one(target: &str, instruction: &str, bytes: usize, space: &str, old: u128, b: u128, c: u128) -> (u128, u128) {
    let (suffix, register) = match bytes {
        2 => ("b16", "%h"),
        4 => ("b32", "%r"),
        8 => ("b64", "%rd"),
        _ => ("b128", "%q"),
    };
    // Use register numbers that no other operand has.
    let r = |i: usize| if bytes == 8 { format!("%rd{}", 5 + i) } else { format!("{register}{i}") };
    let (d, b_, c_) = (r(1), r(2), r(3));
    let inst = instruction.replace("$d", &d).replace("$b", &b_).replace("$c", &c_);
    let memory = match space {
        "shared" => format!(
            "ld.global.{suffix} {d}, [%rd0]; st.shared.{suffix} [s], {d}; mov.u32 %r20, s; {} ld.shared.{suffix} {b_}, [s]; st.global.{suffix} [%rd0], {b_};",
            inst.replace("$a", "%r20")
        ),
        _ => inst.replace("$a", "%rd0"),
    };
    let body = format!(
        ".shared .align 16 .b8 s[16]; ld.global.{suffix} {d}, [%rd0+48]; ld.global.{suffix} {b_}, [%rd0+16]; ld.global.{suffix} {c_}, [%rd0+32]; {memory} st.global.{suffix} [%rd0+48], {d};"
    );
    let bytes_of = |v: u128| v.to_le_bytes();
    let buffer: Vec<u8> = [old, b, c, 0].into_iter().flat_map(bytes_of).collect();
    let out = TestKernel::body(target, &body).threads(1).buffer(&buffer).run();
    assert_eq!((out.status(), out.faults()), (RunStatus::Finished, &[][..]), "{instruction}");
    let all = out.bytes(0);
    let value = |at: usize| {
        let mut v = [0; 16];
        v[..bytes].copy_from_slice(&all[at..at + bytes]);
        u128::from_le_bytes(v)
    };
    (value(48), value(0))
}

#[test]
fn every_operation_and_type() {
    let forms: &[(&str, &str)] = &[
        ("add", "u32 s32 u64 f32 f64"),
        ("min", "u32 s32 u64 s64"),
        ("max", "u32 s32 u64 s64"),
        ("inc", "u32"),
        ("dec", "u32"),
        ("and", "b32 b64"),
        ("or", "b32 b64"),
        ("xor", "b32 b64"),
        ("exch", "b32 b64 b128"),
        ("cas", "b16 b32 b64 b128"),
        ("add.noftz", "f16 f16x2 bf16 bf16x2"),
    ];
    let patterns = [
        (5u128, 7u128),
        (0x8000_0000_3f80_0000_ffff_ffff_8000_0001, 0x7fff_ffff_ffff_ffff_3f80_0000_4000_3c00),
        (0x0000_0001_4049_0fdb_0000_0000_0000_0001, 0xbff0_0000_0000_0000_0000_0000_0040_0000),
    ];
    let mut cases = 0;
    for (name, types) in forms {
        for ty in types.split(' ') {
            let element = AtomicElement::named(ty).unwrap();
            let op = AtomicOperation::named(name.split('.').next().unwrap()).unwrap();
            let bytes = element.bits() as usize / 8;
            let mask = if bytes == 16 { u128::MAX } else { (1 << (8 * bytes)) - 1 };
            for space in ["global", "shared", "generic"] {
                let function = operation(op, element, space != "shared" && !name.contains("noftz")).unwrap();
                for (old, b) in patterns {
                    let (old, b) = (old & mask, b & mask);
                    let c = 0x1234_5678_9abc_def0_1122_3344_5566_7788 & mask;
                    for (b, tail) in [(b, ""), (old, "$c")] {
                        let tail = if op == AtomicOperation::Cas { ", $c" } else { tail.trim_start_matches("$c") };
                        let ss = if space == "generic" { String::new() } else { format!(".{space}") };
                        let inst = format!("atom{ss}.{name}.{ty} $d, [$a], $b{tail};");
                        let expected = (old, function(old, b, c));
                        assert_eq!(one("", &inst, bytes, space, old, b, c), expected, "{inst} {old:#x} {b:#x}");
                        cases += 1;
                        if !matches!(op, AtomicOperation::Cas | AtomicOperation::Exch) {
                            let inst = format!("red{ss}.{name}.{ty} [$a], $b;");
                            assert_eq!(one("", &inst, bytes, space, old, b, c).1, expected.1, "{inst} {old:#x} {b:#x}");
                            cases += 1;
                        }
                    }
                }
            }
        }
    }
    assert_eq!(cases, 1026);
}

fn warp(body: &str, buffer: &[u8]) -> TestOutcome {
    let text = format!("mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 4; add.u64 %rd1, %rd1, %rd0;\n{body}");
    TestKernel::body("", &text).buffer(buffer).run()
}

#[test]
fn lanes_take_their_turns_in_their_order() {
    let out = warp("atom.global.add.u32 %r2, [%rd0], 3; st.global.u32 [%rd1+4], %r2;", &[0; 132]);
    assert!(out.faults().is_empty(), "{:?}", out.faults());
    assert_eq!(out.u32s(0)[..4], [96, 0, 3, 6]);
    let out = warp("atom.global.exch.b32 %r2, [%rd0], %r1; st.global.u32 [%rd1+4], %r2;", &[0; 132]);
    assert_eq!(out.u32s(0)[..4], [31, 0, 0, 1]);
    let out = warp("red.global.max.s32 [%rd0], %r1; red.global.inc.u32 [%rd0+4], 9;", &[0; 8]);
    assert_eq!(out.u32s(0), [31, 2]);
}

#[test]
fn additions_flush_subnormals_in_global_memory_only() {
    let tiny = 0x0000_0001u128;
    assert_eq!(one("", "atom.global.add.f32 $d, [$a], $b;", 4, "global", tiny, tiny, 0), (tiny, 0));
    assert_eq!(one("", "atom.shared.add.f32 $d, [$a], $b;", 4, "shared", tiny, tiny, 0), (tiny, 2));
}

#[test]
fn vectors_are_changed_element_by_element() {
    let buffer: Vec<u8> = [1.0f32, 2.0, 3.0, 4.0, 0.0, 0.0, 0.0, 0.0].iter().flat_map(|f| f.to_le_bytes()).collect();
    let body = "mov.f32 %f1, 0f3f800000; mov.f32 %f2, 0f40000000; atom.global.add.v4.f32 {%f4, %f5, %f6, %f7}, [%rd0], {%f1, %f2, %f1, %f2};\n\
        st.global.v4.f32 [%rd0+16], {%f4, %f5, %f6, %f7}; red.global.add.v2.f32 [%rd0], {%f1, %f1};";
    let out = TestKernel::body("", body).threads(1).buffer(&buffer).fine();
    let floats: Vec<f32> = out.u32s(0).into_iter().map(f32::from_bits).collect();
    assert_eq!(floats, [3.0, 5.0, 4.0, 6.0, 1.0, 2.0, 3.0, 4.0]);
    let halves: Vec<u8> = [0x3c00u16, 0x4000, 0x4200, 0x4400].iter().flat_map(|f| f.to_le_bytes()).collect();
    let body = "mov.b32 %r1, 0x42003c00; red.global.max.noftz.v2.f16x2 [%rd0], {%r1, %r1};";
    assert_eq!(TestKernel::body("", body).threads(1).buffer(&halves).fine().u32s(0), [0x4200_3c00, 0x4400_4200]);
    let out =
        TestKernel::body("", "red.global.add.v4.f32 [%rd0+4], {%f1, %f1, %f1, %f1};").threads(1).buffer(&[0; 32]).run();
    assert!(out.kinds().contains(&FaultKind::Misaligned));
}

#[test]
fn what_nobody_wrote_is_found_and_local_memory_is_refused() {
    let out = TestKernel::body("", "red.global.add.u32 [%rd0], 1;").threads(1).blank(4).run();
    assert_eq!(out.kinds(), [FaultKind::UninitializedMemory]);
    let body = ".local .b32 l; st.local.u32 [l], 1; mov.u64 %rd1, l; cvta.local.u64 %rd1, %rd1; red.add.u32 [%rd1], 1;";
    let out = TestKernel::body("", body).threads(1).buffer(&[0; 4]).run();
    assert_eq!(out.kinds(), [FaultKind::Undefined], "{:?}", out.faults());
}

#[test]
fn a_lock_among_the_lanes_of_a_warp_is_released_in_the_end() {
    let body = "loop: atom.acquire.gpu.global.cas.b32 %r2, [%rd0], 0, 1; setp.ne.u32 %p0, %r2, 0; @%p0 bra loop;\n\
        ld.global.u32 %r3, [%rd0+4]; add.u32 %r3, %r3, 1; st.global.u32 [%rd0+4], %r3; atom.release.gpu.global.exch.b32 %r4, [%rd0], 0;";
    let out = TestKernel::body("", body).threads(64).ctas(3, 1).buffer(&[0; 8]).fine();
    assert_eq!(out.u32s(0), [0, 192]);
}
