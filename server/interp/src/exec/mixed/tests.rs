//! Executes every form and compares with the functions of [`ptx_num::values`]; four narrow numbers are compared with exact arithmetic.

use crate::exec::float::pair_marks;
use crate::exec::float::tests::harness::{ROUNDINGS, StatementCase, case, check};
use crate::exec::half;
use ptx_num::values::Marks;
use ptx_num::values::convert::{Narrow, RoundingDirection};
use ptx_num::values::float::half::{Bf16, F16, Half};
use ptx_num::values::float::{Clamp, FloatModifiers, mixed, single};

fn of_type<H: Half + 'static>(ty: &str, cases: &mut Vec<StatementCase>) {
    for (word, rounding) in ROUNDINGS {
        for (sat, clamp) in [("", Clamp::None), (".sat", Clamp::Saturate)] {
            let m = FloatModifiers::RN.rounding(rounding).clamp(clamp);
            let f = move |d: u32| (u64::from(d), single::marks(d));
            cases.push(case(format!("add{word}{sat}.f32.{ty} $d, $a, $c;"), [4, 2, 0, 4], move |[a, _, c]| {
                f(mixed::add::<H>(m, a as u16, c as u32))
            }));
            cases.push(case(format!("sub{word}{sat}.f32.{ty} $d, $a, $c;"), [4, 2, 0, 4], move |[a, _, c]| {
                f(mixed::sub::<H>(m, a as u16, c as u32))
            }));
            if !word.is_empty() {
                cases.push(case(format!("fma{word}{sat}.f32.{ty} $d, $a, $b, $c;"), [4, 2, 2, 4], move |[a, b, c]| {
                    f(mixed::fma::<H>(m, a as u16, b as u16, c as u32))
                }));
            }
        }
    }
}

#[test]
fn singles_and_halves() {
    let mut cases = Vec::new();
    of_type::<F16>("f16", &mut cases);
    of_type::<Bf16>("bf16", &mut cases);
    check("9.0", "sm_100a", cases);
}

fn of_pairs<H: Half + 'static>(ty: &str, flush: &str, cases: &mut Vec<StatementCase>) {
    let wide = |d: u64| (d, pair_marks(d));
    for (word, rounding) in ROUNDINGS {
        let m = FloatModifiers::RN.rounding(rounding);
        cases.push(case(format!("add{word}.f32x2.{ty}.f32x2 $d, $a, $c;"), [8, 4, 0, 8], move |[a, _, c]| {
            wide(mixed::add_pair::<H>(m, a as u32, c))
        }));
        cases.push(case(format!("sub{word}.f32x2.{ty}.f32x2 $d, $a, $c;"), [8, 4, 0, 8], move |[a, _, c]| {
            wide(mixed::sub_pair::<H>(m, a as u32, c))
        }));
        if !word.is_empty() {
            let text = format!("fma{word}.f32x2.{ty}.f32x2.f32x2 $d, $a, $b, $c;");
            cases.push(case(text, [8, 4, 8, 8], move |[a, b, c]| wide(mixed::fma_pair::<H>(m, a as u32, b, c))));
        }
    }
    let narrow = |d: u32| (u64::from(d), half::pair_marks::<H>(d));
    let m = FloatModifiers::RZ.ftz(!flush.is_empty());
    for word in ["", ".rz"] {
        let text = format!("add{word}{flush}.{ty}.f32x2.f32x2 $d, $a, $c;");
        cases.push(case(text, [4, 8, 0, 8], move |[a, _, c]| narrow(mixed::add_narrowing::<H>(m, a, c))));
        let text = format!("sub{word}{flush}.{ty}.f32x2.f32x2 $d, $a, $c;");
        cases.push(case(text, [4, 8, 0, 8], move |[a, _, c]| narrow(mixed::sub_narrowing::<H>(m, a, c))));
    }
    let text = format!("mul.rz{flush}.{ty}.f32x2.f32x2 $d, $a, $b;");
    cases.push(case(text, [4, 8, 8, 0], move |[a, b, _]| narrow(mixed::mul_narrowing::<H>(m, a, b))));
}

#[test]
fn pairs() {
    let mut cases = Vec::new();
    of_pairs::<F16>("f16x2", ".ftz", &mut cases);
    of_pairs::<Bf16>("bf16x2", "", &mut cases);
    cases.push(case("mul.f16x2.f16x2.bf16x2 $d, $a, $b;", [4, 4, 4, 0], |[a, b, _]| {
        let d = mixed::mul_f16_bf16(a as u32, b as u32);
        (d.into(), half::pair_marks::<F16>(d))
    }));
    cases.push(case("mul.bf16x2.bf16x2.f16x2 $d, $a, $b;", [4, 4, 4, 0], |[a, b, _]| {
        let d = mixed::mul_bf16_f16(a as u32, b as u32);
        (d.into(), half::pair_marks::<Bf16>(d))
    }));
    check("9.4", "sm_107a", cases);
}

/// The expected result of one element. Everything up to the encoding is exact in `f64`, except for sums that only overflow.
fn element(result: Narrow, saturate: bool, value: f64) -> (u8, Marks) {
    // Round to odd by hand: set the last bit if anything was cut off.
    let cut = value as f32;
    let cut = if f64::from(cut).abs() > value.abs() { f32::from_bits(cut.to_bits() - 1) } else { cut };
    let odd = f32::from_bits(cut.to_bits() | u32::from(!value.is_nan() && f64::from(cut) != value));
    let code = result.encode(odd, RoundingDirection::Nearest, saturate);
    let open = value.is_nan() || value.is_finite() && !result.decode(code).is_finite();
    (code, if open { Marks::UNSPECIFIED } else { Marks::NONE })
}

fn four(bits: u64, format: Narrow) -> [f64; 4] {
    let width = format.element_bits();
    std::array::from_fn(|i| f64::from(format.decode((bits >> (width * i as u32) & ((1 << width) - 1)) as u8)))
}

fn all(result: Narrow, saturate: bool, values: [f64; 4]) -> (u64, Marks) {
    let mut out = (0, Marks::NONE);
    for (i, value) in values.into_iter().enumerate() {
        let (code, marks) = element(result, saturate, value);
        out = (out.0 | u64::from(code) << (8 * i), out.1 | marks);
    }
    out
}

#[test]
fn four_narrow_numbers() {
    let sources = [
        ("e4m3x4", Narrow::E4m3),
        ("e5m2x4", Narrow::E5m2),
        ("e2m3x4", Narrow::E2m3),
        ("e3m2x4", Narrow::E3m2),
        ("e2m1x4", Narrow::E2m1),
        ("ue8m0x4", Narrow::Ue8m0),
    ];
    let mut cases = Vec::new();
    for (to, result) in &sources[..2] {
        let result = *result;
        for (from, source) in sources {
            let width = if source == Narrow::E2m1 { 2 } else { 4 };
            for (word, saturate) in [("", false), (".satfinite", true), (".rn", false), (".rn.satfinite", true)] {
                // Powers of two up to 2^127 and sums with them do not fit in one `f64`, so only products are compared for them.
                let exact = source != Narrow::Ue8m0;
                let zip = |a: [f64; 4], b: [f64; 4], f: fn(f64, f64) -> f64| std::array::from_fn(|i| f(a[i], b[i]));
                if exact {
                    cases.push(case(
                        format!("add{word}.{to}.{from} $d, $a, $c;"),
                        [4, width, 0, 4],
                        move |[a, _, c]| all(result, saturate, zip(four(a, source), four(c, result), |a, c| a + c)),
                    ));
                    cases.push(case(
                        format!("sub{word}.{to}.{from} $d, $a, $c;"),
                        [4, width, 0, 4],
                        move |[a, _, c]| all(result, saturate, zip(four(a, source), four(c, result), |a, c| a - c)),
                    ));
                    let text = format!("fma{word}.{to}.{from}.{from} $d, $a, $b, $c;");
                    cases.push(case(text, [4, width, width, 4], move |[a, b, c]| {
                        let product = zip(four(a, source), four(b, source), |a, b| a * b);
                        all(result, saturate, zip(product, four(c, result), |p, c| p + c))
                    }));
                }
                let text = format!("mul{word}.{to}.{from}.{from} $d, $a, $b;");
                cases.push(case(text, [4, width, width, 0], move |[a, b, _]| {
                    all(result, saturate, zip(four(a, source), four(b, source), |a, b| a * b))
                }));
            }
        }
    }
    check("9.4", "sm_100a", cases);
}
