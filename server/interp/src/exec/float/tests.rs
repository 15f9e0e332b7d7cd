//! Executes every instruction, type and modifier, and compares with the functions of [`ptx_num::values`]. Also checks the special cases
//! of the manual.

mod finding;
mod forms;
pub(in crate::exec) mod harness;

use crate::testing::TestKernel;
use harness::{FTZ, ROUNDINGS, StatementCase, case, check};
use ptx_num::math::FusedArithmetic;
use ptx_num::values::Marks;
use ptx_num::values::float::compare::{Property, has_double, has_single};
use ptx_num::values::float::extremes::{self, Extreme, ExtremeModifiers};
use ptx_num::values::float::single::edge_marks;
use ptx_num::values::float::{Clamp, FloatModifiers, FloatRounding, approx, double, single};

type Single2 = fn(FloatModifiers, u32, u32) -> u32;

/// Without and with `.sat`.
const SAT: [(&str, Clamp); 2] = [("", Clamp::None), (".sat", Clamp::Saturate)];

fn f32x(d: u32) -> (u64, Marks) {
    (d.into(), single::marks(d))
}

fn f64x(d: u64) -> (u64, Marks) {
    (d, double::marks(d))
}

/// The result of a sum or a product of `.f32` and its marks. Of products, `.rn` alone is folded.
fn binary(name: &str, f: Single2, m: FloatModifiers, [a, b]: [u32; 2]) -> (u64, Marks) {
    let d = f(m, a, b);
    let open = name == "mul" && m.rounding != FloatRounding::Nearest;
    let edge = edge_marks(m, d, |m| f(m, single::flush(a), single::flush(b)));
    (d.into(), single::marks(d) | if open { edge } else { Marks::NONE })
}

/// The result of `fma.f32` and its marks.
fn fused(m: FloatModifiers, [a, b, c]: [u32; 3]) -> (u64, Marks) {
    let d = single::fma(FusedArithmetic, m, a, b, c);
    let unflushed = |m| single::fma(FusedArithmetic, m, single::flush(a), single::flush(b), single::flush(c));
    (d.into(), single::marks(d) | edge_marks(m, d, unflushed))
}

/// All combinations of a rounding, `.ftz` and `.sat`, with their text.
fn all_modifiers() -> Vec<(String, FloatModifiers)> {
    let mut out = Vec::new();
    for (word, rounding) in ROUNDINGS {
        for (flush, ftz) in FTZ {
            for (sat, clamp) in SAT {
                out.push((format!("{word}{flush}{sat}"), FloatModifiers { rounding, ftz, clamp }));
            }
        }
    }
    out
}

const BINARY: [(&str, Single2); 3] = [("add", single::add), ("sub", single::sub), ("mul", single::mul)];

#[test]
fn sums_and_products() {
    let mut cases = Vec::new();
    for (name, f) in BINARY {
        for (words, m) in all_modifiers() {
            cases.push(case(format!("{name}{words}.f32 $d, $a, $b;"), [4, 4, 4, 0], move |[a, b, _]| {
                binary(name, f, m, [a as u32, b as u32])
            }));
        }
    }
    type Double2 = fn(FloatRounding, u64, u64) -> u64;
    let doubles: [(&str, Double2); 3] = [("add", double::add), ("sub", double::sub), ("mul", double::mul)];
    for (name, f) in doubles {
        for (word, rounding) in ROUNDINGS {
            let text = format!("{name}{word}.f64 $d, $a, $b;");
            cases.push(case(text, [8, 8, 8, 0], move |[a, b, _]| f64x(f(rounding, a, b))));
        }
    }
    check("9.0", "sm_90a", cases);
}

#[test]
fn fused_operations() {
    let mut cases = Vec::new();
    for (words, m) in all_modifiers().into_iter().filter(|(words, _)| words.starts_with(".r")) {
        for name in ["fma", "mad"] {
            let f = move |[a, b, c]: [u64; 3]| fused(m, [a as u32, b as u32, c as u32]);
            cases.push(case(format!("{name}{words}.f32 $d, $a, $b, $c;"), [4; 4], f));
        }
    }
    for (word, rounding) in &ROUNDINGS[1..] {
        for name in ["fma", "mad"] {
            let f = |[a, b, c]: [u64; 3]| f64x(double::fma(FusedArithmetic, *rounding, a, b, c));
            cases.push(case(format!("{name}{word}.f64 $d, $a, $b, $c;"), [8; 4], f));
        }
    }
    check("9.0", "sm_90a", cases);
}

#[test]
fn pairs_of_singles() {
    let mut cases = Vec::new();
    for (words, m) in all_modifiers().into_iter().filter(|(words, _)| !words.ends_with(".sat")) {
        for (name, f) in BINARY {
            cases.push(case(format!("{name}{words}.f32x2 $d, $a, $b;"), [8, 8, 8, 0], move |[a, b, _]| {
                let high = [a, b].map(|x| (x >> 32) as u32);
                let (low, high) = (binary(name, f, m, [a as u32, b as u32]), binary(name, f, m, high));
                (low.0 | high.0 << 32, low.1 | high.1)
            }));
        }
        if words.starts_with(".r") {
            cases.push(case(format!("fma{words}.f32x2 $d, $a, $b, $c;"), [8; 4], move |[a, b, c]| {
                let high = [a, b, c].map(|x| (x >> 32) as u32);
                let (low, high) = (fused(m, [a as u32, b as u32, c as u32]), fused(m, high));
                (low.0 | high.0 << 32, low.1 | high.1)
            }));
        }
    }
    check("9.0", "sm_100a", cases);
}

#[test]
fn quotients_and_roots() {
    let mut cases = Vec::new();
    for (words, m) in all_modifiers().into_iter().filter(|(w, _)| w.starts_with(".r") && !w.ends_with(".sat")) {
        let f = move |[a, b, _]: [u64; 3]| f32x(single::div(m, a as u32, b as u32));
        cases.push(case(format!("div{words}.f32 $d, $a, $b;"), [4, 4, 4, 0], f));
        let f = move |[a, _, _]: [u64; 3]| f32x(single::rcp(m, a as u32));
        cases.push(case(format!("rcp{words}.f32 $d, $a;"), [4, 4, 0, 0], f));
        let f = move |[a, _, _]: [u64; 3]| f32x(single::sqrt(m, a as u32));
        cases.push(case(format!("sqrt{words}.f32 $d, $a;"), [4, 4, 0, 0], f));
    }
    for (word, rounding) in &ROUNDINGS[1..] {
        let r = *rounding;
        cases.push(case(format!("div{word}.f64 $d, $a, $b;"), [8, 8, 8, 0], move |[a, b, _]| {
            f64x(double::div(r, a, b))
        }));
        cases.push(case(format!("rcp{word}.f64 $d, $a;"), [8, 8, 0, 0], move |[a, _, _]| f64x(double::rcp(r, a))));
        cases.push(case(format!("rcp{word}.ftz.f64 $d, $a;"), [8, 8, 0, 0], move |[a, _, _]| f64x(double::rcp(r, a))));
        cases.push(case(format!("sqrt{word}.f64 $d, $a;"), [8, 8, 0, 0], move |[a, _, _]| f64x(double::sqrt(r, a))));
    }
    check("9.0", "sm_90a", cases);
}

fn approximate(name: &str, words: &str, ftz: bool, f: fn(bool, u32) -> u32) -> StatementCase {
    case(format!("{name}{words}.f32 $d, $a;"), [4, 4, 0, 0], move |[a, _, _]| {
        let d = f(ftz, a as u32);
        (d.into(), approx::marks1(ftz, a as u32, d))
    })
}

type Approximate1 = fn(bool, u32) -> u32;

const APPROXIMATE: [(&str, Approximate1); 7] = [
    ("rcp", approx::rcp),
    ("sqrt", approx::sqrt),
    ("rsqrt", approx::rsqrt),
    ("sin", approx::sin),
    ("cos", approx::cos),
    ("lg2", approx::lg2),
    ("ex2", approx::ex2),
];

#[test]
fn approximations() {
    let mut cases = Vec::new();
    for (flush, ftz) in FTZ {
        for (name, f) in APPROXIMATE {
            cases.push(approximate(name, &format!(".approx{flush}"), ftz, f));
        }
        for (name, f) in [("approx", approx::div as fn(bool, u32, u32) -> u32), ("full", approx::div_full)] {
            cases.push(case(format!("div.{name}{flush}.f32 $d, $a, $b;"), [4, 4, 4, 0], move |[a, b, _]| {
                let (a, b) = (a as u32, b as u32);
                let d = f(ftz, a, b);
                (d.into(), approx::marks2(ftz, a, b, d))
            }));
        }
    }
    cases.push(approximate("tanh", ".approx", false, |_, a| approx::tanh(a)));
    type Double1 = fn(u64) -> u64;
    let doubles: [(&str, Double1); 3] = [
        ("rcp.approx.ftz", approx::rcp_double),
        ("rsqrt.approx.ftz", approx::rsqrt_double_coarse),
        ("rsqrt.approx", approx::rsqrt_double),
    ];
    for (name, f) in doubles {
        cases.push(case(format!("{name}.f64 $d, $a;"), [8, 8, 0, 0], move |[a, _, _]| {
            (f(a), approx::marks_double(a, f(a)))
        }));
    }
    check("9.0", "sm_90a", cases);
}

#[test]
fn signs_and_properties() {
    let mut cases = Vec::new();
    for (flush, ftz) in FTZ {
        let neg = move |[a, _, _]: [u64; 3]| f32x(single::neg(ftz, a as u32));
        cases.push(case(format!("neg{flush}.f32 $d, $a;"), [4, 4, 0, 0], neg));
        let abs = move |[a, _, _]: [u64; 3]| f32x(single::abs(ftz, a as u32));
        cases.push(case(format!("abs{flush}.f32 $d, $a;"), [4, 4, 0, 0], abs));
    }
    cases.push(case("neg.f64 $d, $a;", [8, 8, 0, 0], |[a, _, _]| f64x(double::neg(a))));
    // According to the manual, a NaN passes through, so its bits are known.
    cases.push(case("abs.f64 $d, $a;", [8, 8, 0, 0], |[a, _, _]| (double::abs(a), Marks::NONE)));
    let copysign = |[a, b, _]: [u64; 3]| (single::copysign(a as u32, b as u32).into(), Marks::NONE);
    cases.push(case("copysign.f32 $d, $a, $b;", [4, 4, 4, 0], copysign));
    cases.push(case("copysign.f64 $d, $a, $b;", [8, 8, 8, 0], |[a, b, _]| (double::copysign(a, b), Marks::NONE)));
    let properties = [
        ("finite", Property::Finite),
        ("infinite", Property::Infinite),
        ("number", Property::Number),
        ("notanumber", Property::NotANumber),
        ("normal", Property::Normal),
        ("subnormal", Property::Subnormal),
    ];
    for (name, property) in properties {
        cases.push(case(
            format!("testp.{name}.f32 %p1, $a; selp.b32 $d, 1, 0, %p1;"),
            [4, 4, 0, 0],
            move |[a, _, _]| (has_single(property, a as u32).into(), Marks::NONE),
        ));
        cases.push(case(
            format!("testp.{name}.f64 %p1, $a; selp.b32 $d, 1, 0, %p1;"),
            [4, 8, 0, 0],
            move |[a, _, _]| (has_double(property, a).into(), Marks::NONE),
        ));
    }
    check("9.0", "sm_90a", cases);
}

#[test]
fn extreme_values() {
    let mut cases = Vec::new();
    for (name, extreme) in [("min", Extreme::Least), ("max", Extreme::Greatest)] {
        for (flush, ftz) in FTZ {
            for (nan_word, nan) in [("", false), (".NaN", true)] {
                let marks = move |d: u32| if nan { Marks::NONE } else { single::marks(d) };
                for (words, both) in [("", false), (".xorsign.abs", true)] {
                    let m = ExtremeModifiers { ftz, nan, xorsign: both, abs: both };
                    let f = move |[a, b, _]: [u64; 3]| {
                        let d = extremes::single(extreme, m, a as u32, b as u32);
                        (d.into(), marks(d))
                    };
                    cases.push(case(format!("{name}{flush}{nan_word}{words}.f32 $d, $a, $b;"), [4, 4, 4, 0], f));
                }
                for (words, abs) in [("", false), (".abs", true)] {
                    let m = ExtremeModifiers { ftz, nan, xorsign: false, abs };
                    let f = move |[a, b, c]: [u64; 3]| {
                        let d = extremes::single3(extreme, m, a as u32, b as u32, c as u32);
                        (d.into(), marks(d))
                    };
                    cases.push(case(format!("{name}{flush}{nan_word}{words}.f32 $d, $a, $b, $c;"), [4; 4], f));
                }
            }
        }
        let f = move |[a, b, _]: [u64; 3]| f64x(extremes::double(extreme, a, b));
        cases.push(case(format!("{name}.f64 $d, $a, $b;"), [8, 8, 8, 0], f));
    }
    check("9.0", "sm_100a", cases);
}

#[test]
fn the_first_generation_flushes() {
    let ftz = FloatModifiers::RN_FTZ;
    let mut cases = Vec::new();
    for (name, f) in BINARY {
        cases.push(case(format!("{name}.f32 $d, $a, $b;"), [4, 4, 4, 0], move |[a, b, _]| {
            f32x(f(ftz, a as u32, b as u32))
        }));
    }
    for (name, f) in APPROXIMATE {
        cases.push(approximate(name, ".approx", true, f));
    }
    cases.push(case("mad.f32 $d, $a, $b, $c;", [4; 4], move |[a, b, c]| {
        f32x(single::mad_truncated(ftz, a as u32, b as u32, c as u32))
    }));
    cases.push(case("neg.f32 $d, $a;", [4, 4, 0, 0], |[a, _, _]| f32x(single::neg(true, a as u32))));
    let f = |[a, b, _]: [u64; 3]| {
        f32x(extremes::single(
            Extreme::Least,
            ExtremeModifiers { ftz: true, ..ExtremeModifiers::default() },
            a as u32,
            b as u32,
        ))
    };
    cases.push(case("min.f32 $d, $a, $b;", [4, 4, 4, 0], f));
    let f = |[a, b, _]: [u64; 3]| (u64::from(single::flush(a as u32) == single::flush(b as u32)), Marks::NONE);
    let bitwise = move |operands: [u64; 3]| {
        let [a, b, _] = operands.map(|x| x as u32);
        let zeros = single::flush(a) | single::flush(b) == 0x8000_0000;
        let nan = single::is_nan(a) || single::is_nan(b);
        let (same, marks) = f(operands);
        (u64::from((same == 1 || zeros) && !nan), marks)
    };
    cases.push(case("setp.eq.f32 %p1, $a, $b; selp.b32 $d, 1, 0, %p1;", [4, 4, 4, 0], bitwise));
    check("3.0", "sm_13", cases);
}

#[test]
fn what_old_versions_leave_out() {
    // Kernels of PTX 1.3 have no parameters that can be read, so the inputs are literals and the output is a variable.
    const A: u32 = 0x3fc0_0000;
    const SUBNORMAL: u32 = 0x0040_0000;
    let mut wanted = Vec::new();
    let mut body = String::new();
    for (name, f) in APPROXIMATE {
        for a in [A, SUBNORMAL] {
            body.push_str(&format!("{name}.f32 %f1, 0f{a:08X}; st.global.f32 [o+{}], %f1;\n", 8 * wanted.len()));
            wanted.push(u64::from(f(true, a)));
        }
    }
    body.push_str(&format!(
        "div.f32 %f1, 0f{A:08X}, 0f{SUBNORMAL:08X}; st.global.f32 [o+{}], %f1;\n",
        8 * wanted.len()
    ));
    wanted.push(approx::div(true, A, SUBNORMAL).into());
    let (a, b) = (10f64.to_bits(), 3f64.to_bits());
    let nearest = FloatRounding::Nearest;
    for (text, d) in [
        (format!("div.f64 %d1, 0d{a:016X}, 0d{b:016X}"), double::div(nearest, a, b)),
        (format!("sqrt.f64 %d1, 0d{a:016X}"), double::sqrt(nearest, a)),
        (format!("mad.f64 %d1, 0d{a:016X}, 0d{b:016X}, 0d{a:016X}"), double::fma(FusedArithmetic, nearest, a, b, a)),
        (format!("rsqrt.f64 %d1, 0d{a:016X}"), approx::rsqrt_double(a)),
    ] {
        body.push_str(&format!("{text}; st.global.f64 [o+{}], %d1;\n", 8 * wanted.len()));
        wanted.push(d);
    }
    let count = wanted.len();
    let text = format!(
        ".version 1.3\n.target sm_13\n.global .align 8 .b64 o[{count}];\n\
         .entry k {{ .reg .f32 %f<2>; .reg .f64 %d<2>;\n{body} exit; }}\n"
    );
    let out = TestKernel::new(&text).threads(1).fine();
    let storage = &out.run.machine.memory.global.named("o").expect("the variable").storage;
    let bytes = storage.to_vec();
    let found: Vec<u64> = bytes.chunks_exact(8).map(|b| u64::from_le_bytes(b.try_into().expect("eight"))).collect();
    assert_eq!(found, wanted);
}

#[test]
fn literals_and_the_truncated_product() {
    // 0x3f800001 squared is 1 + 2^-22 + 2^-46. The last term is cut off before the sum, so adding -1 leaves 2^-22 alone. A fused
    // operation would keep it.
    let one_up = 0x3f80_0001;
    assert_eq!(single::mad_truncated(FloatModifiers::RN, one_up, one_up, 0xbf80_0000), 0x3480_0000);
    assert_eq!(single::fma(FusedArithmetic, FloatModifiers::RN, one_up, one_up, 0xbf80_0000), 0x3480_0000);
    // A product beyond the largest number does not overflow before the sum.
    let large = 0x7f00_0000;
    assert_eq!(single::mad_truncated(FloatModifiers::RN, large, 0x4000_0000, 0xff00_0000), 0x7f00_0000);
    // If `c` is zero, the instruction is `mul`, which rounds.
    assert_eq!(
        single::mad_truncated(FloatModifiers::RN, 0x3fc0_0001, one_up, 0),
        single::mul(FloatModifiers::RN_FTZ, 0x3fc0_0001, one_up)
    );
    let cases = vec![
        case("sub.f32 $d, 0f40400000, $a;", [4, 4, 0, 0], |[a, _, _]| {
            f32x(single::sub(FloatModifiers::RN, 0x4040_0000, a as u32))
        }),
        case("fma.rn.f64 $d, $a, 0d4000000000000000, 1.5;", [8, 8, 0, 0], |[a, _, _]| {
            let two_and_half = (2f64.to_bits(), 1.5f64.to_bits());
            f64x(double::fma(FusedArithmetic, FloatRounding::Nearest, a, two_and_half.0, two_and_half.1))
        }),
    ];
    check("9.0", "sm_90a", cases);
}

/// 0.99999994 × 2^-126 is flushed, but rounds to 2^-126 as a subnormal number. Only `mul.rn` is folded.
#[test]
fn results_at_the_edge_of_the_subnormal_numbers_are_marked() {
    let setup = "mov.f32 %f1, 0f3F7FFFFF; mov.f32 %f2, 0f00800000; mov.f32 %f3, 0f80800000; mov.f32 %f4, 0f00000000;";
    for (statement, value, marked) in [
        ("mul.rn.ftz.f32 %f0, %f1, %f2;", 0, false),
        ("mul.rz.ftz.f32 %f0, %f1, %f2;", 0, false),
        ("mul.rm.ftz.f32 %f0, %f1, %f2;", 0, false),
        ("mul.rp.ftz.f32 %f0, %f1, %f2;", 0, true),
        ("mul.rm.ftz.f32 %f0, %f1, %f3;", 0x8000_0000, true),
        ("mul.rp.ftz.sat.f32 %f0, %f1, %f2;", 0, true),
        ("mul.rm.ftz.sat.f32 %f0, %f1, %f3;", 0, false),
        ("mul.rp.f32 %f0, %f1, %f2;", 0x80_0000, false),
        ("fma.rn.ftz.f32 %f0, %f1, %f2, %f4;", 0, true),
        ("fma.rz.ftz.f32 %f0, %f1, %f2, %f4;", 0, false),
        ("fma.rp.ftz.f32 %f0, %f1, %f2, %f4;", 0, true),
        ("fma.rn.ftz.f32 %f0, %f1, %f3, %f4;", 0x8000_0000, true),
        ("fma.rn.ftz.sat.f32 %f0, %f1, %f3, %f4;", 0, false),
        ("fma.rn.ftz.f32 %f0, %f4, %f2, %f4;", 0, false),
        ("fma.rn.f32 %f0, %f1, %f2, %f4;", 0x80_0000, false),
    ] {
        let out = TestKernel::body("", &format!("{setup} {statement} st.global.f32 [%rd0], %f0;")).threads(1);
        let out = out.buffer(&[0; 4]).fine();
        let marks = if marked { Marks::UNSPECIFIED } else { Marks::NONE };
        assert_eq!((out.u32s(0)[0], out.marks(0, 0, 4)), (value, marks), "{statement}");
    }
}
