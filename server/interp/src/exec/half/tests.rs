//! Executes every instruction, type and modifier, and compares with the functions of [`ptx_num::values`].

use super::OUTSIDE;
use crate::exec::float::tests::harness::{FTZ, ROUNDINGS, StatementCase, case, check};
use crate::testing::TestKernel;
use ptx_num::values::Marks;
use ptx_num::values::float::extremes::{self, Extreme, ExtremeModifiers};
use ptx_num::values::float::half::{self, Bf16, F16, Half};
use ptx_num::values::float::{Clamp, FloatModifiers, FloatRounding, approx};

/// The cases of an instruction for single numbers and for pairs. `f` returns the result for one number, and its marks.
fn both(
    name: &str,
    ty: &str,
    operands: usize,
    f: impl Fn([u16; 3]) -> (u16, Marks) + Copy + 'static,
) -> [StatementCase; 2] {
    let places = ["$a", "$b", "$c"][..operands].join(", ");
    let widths = |width: u8| std::array::from_fn(|i| if i <= operands { width } else { 0 });
    let one = case(format!("{name}.{ty} $d, {places};"), widths(2), move |operands| {
        let (d, marks) = f(operands.map(|x| x as u16));
        (d.into(), marks)
    });
    let pair = case(format!("{name}.{ty}x2 $d, {places};"), widths(4), move |operands| {
        let (low, marks) = f(operands.map(|x| x as u16));
        let (high, more) = f(operands.map(|x| (x >> 16) as u16));
        (u64::from(high) << 16 | u64::from(low), marks | more)
    });
    [one, pair]
}

fn marked<H: Half>(d: u16) -> (u16, Marks) {
    (d, half::marks::<H>(d))
}

const CLAMPS: [(&str, Clamp); 3] = [("", Clamp::None), (".sat", Clamp::Saturate), (".relu", Clamp::Relu)];

type BinaryFunction = fn(FloatModifiers, u16, u16) -> u16;

#[test]
fn sums_and_products() {
    let f16: [(&str, BinaryFunction); 3] =
        [("add", half::add::<F16>), ("sub", half::sub::<F16>), ("mul", half::mul::<F16>)];
    let bf16: [(&str, BinaryFunction); 3] =
        [("add", half::add::<Bf16>), ("sub", half::sub::<Bf16>), ("mul", half::mul::<Bf16>)];
    let mut cases = Vec::new();
    for rn in ["", ".rn"] {
        for (name, f) in f16 {
            for (flush, ftz) in FTZ {
                for (sat, clamp) in &CLAMPS[..2] {
                    let m = FloatModifiers::RN.ftz(ftz).clamp(*clamp);
                    let name = format!("{name}{rn}{flush}{sat}");
                    cases.extend(both(&name, "f16", 2, move |[a, b, _]| marked::<F16>(f(m, a, b))));
                }
            }
        }
        for (name, f) in bf16 {
            let f = move |[a, b, _]: [u16; 3]| marked::<Bf16>(f(FloatModifiers::RN, a, b));
            cases.extend(both(&format!("{name}{rn}"), "bf16", 2, f));
        }
    }
    check("9.0", "sm_90a", cases);
}

#[test]
fn fused_operations() {
    let mut cases = Vec::new();
    for (flush, ftz) in FTZ {
        for (word, clamp) in CLAMPS {
            let m = FloatModifiers::RN.ftz(ftz).clamp(clamp);
            let f = move |[a, b, c]: [u16; 3]| {
                let d = half::fma::<F16>(m, a, b, c);
                // The manual specifies the NaN of `.relu`.
                if clamp == Clamp::Relu { (d, Marks::NONE) } else { marked::<F16>(d) }
            };
            cases.extend(both(&format!("fma.rn{flush}{word}"), "f16", 3, f));
        }
    }
    for (word, clamp) in CLAMPS {
        let m = FloatModifiers::RN.clamp(clamp);
        cases.extend(both(&format!("fma.rn.oob{word}"), "f16", 3, move |o| outside::<F16>(m, o)));
    }
    for (word, clamp) in [CLAMPS[0], CLAMPS[2]] {
        let m = FloatModifiers::RN.clamp(clamp);
        let f = move |[a, b, c]: [u16; 3]| {
            let d = half::fma::<Bf16>(m, a, b, c);
            if clamp == Clamp::Relu { (d, Marks::NONE) } else { marked::<Bf16>(d) }
        };
        cases.extend(both(&format!("fma.rn{word}"), "bf16", 3, f));
        cases.extend(both(&format!("fma.rn.oob{word}"), "bf16", 3, move |o| outside::<Bf16>(m, o)));
        // Pairs are rounded to nearest, whatever is written.
        for (rnd, _) in &ROUNDINGS[2..] {
            let open = |(d, _): (u16, Marks)| (d, Marks::UNSPECIFIED);
            let [_, pair] = both(&format!("fma{rnd}{word}"), "bf16", 3, move |o| open(f(o)));
            let [_, oob] = both(&format!("fma{rnd}.oob{word}"), "bf16", 3, move |o| open(outside::<Bf16>(m, o)));
            cases.extend([pair, oob]);
        }
    }
    check("9.0", "sm_90a", cases);
}

fn outside<H: Half>(m: FloatModifiers, [a, b, c]: [u16; 3]) -> (u16, Marks) {
    let d = half::fma_oob::<H>(m, OUTSIDE, a, b, c);
    let open = [a, b, c, d].iter().any(|x| half::is_nan::<H>(*x));
    (d, if open { Marks::UNSPECIFIED } else { Marks::NONE })
}

#[test]
fn what_copies_leave_outside_is_what_the_fused_operation_takes_for_it() {
    for element in [ptx_num::image::tensor_map::ElementType::F16, ptx_num::image::tensor_map::ElementType::Bf16] {
        assert_eq!(element.nan_pattern() as u16, OUTSIDE);
    }
    assert_eq!(outside::<F16>(FloatModifiers::RN, [OUTSIDE, 0x3c00, 0x3c00]), (0, Marks::UNSPECIFIED));
}

#[test]
fn signs_extremes_and_approximations() {
    let mut cases = Vec::new();
    for (flush, ftz) in FTZ {
        cases.extend(both(&format!("neg{flush}"), "f16", 1, move |[a, ..]| marked::<F16>(half::neg::<F16>(ftz, a))));
        cases.extend(both(&format!("abs{flush}"), "f16", 1, move |[a, ..]| marked::<F16>(half::abs::<F16>(ftz, a))));
    }
    cases.extend(both("neg", "bf16", 1, |[a, ..]| marked::<Bf16>(half::neg::<Bf16>(false, a))));
    cases.extend(both("abs", "bf16", 1, |[a, ..]| marked::<Bf16>(half::abs::<Bf16>(false, a))));
    for (name, extreme) in [("min", Extreme::Least), ("max", Extreme::Greatest)] {
        for (flush, ftz) in FTZ {
            for (nan_word, nan) in [("", false), (".NaN", true)] {
                for (words, signs) in [("", false), (".xorsign.abs", true)] {
                    let m = ExtremeModifiers { ftz, nan, xorsign: signs, abs: signs };
                    let name = format!("{name}{flush}{nan_word}{words}");
                    cases.extend(both(&name, "f16", 2, move |[a, b, _]| extreme_of::<F16>(extreme, m, a, b)));
                    if !ftz {
                        cases.extend(both(&name, "bf16", 2, move |[a, b, _]| extreme_of::<Bf16>(extreme, m, a, b)));
                    }
                }
            }
        }
    }
    cases.extend(both("tanh.approx", "f16", 1, |[a, ..]| approximate::<F16>(a, approx::tanh_half::<F16>(a))));
    cases.extend(both("tanh.approx", "bf16", 1, |[a, ..]| approximate::<Bf16>(a, approx::tanh_half::<Bf16>(a))));
    cases.extend(both("ex2.approx", "f16", 1, |[a, ..]| approximate::<F16>(a, approx::ex2_half::<F16>(false, a))));
    cases
        .extend(both("ex2.approx.ftz", "bf16", 1, |[a, ..]| approximate::<Bf16>(a, approx::ex2_half::<Bf16>(true, a))));
    check("9.0", "sm_90a", cases);
}

fn extreme_of<H: Half>(extreme: Extreme, m: ExtremeModifiers, a: u16, b: u16) -> (u16, Marks) {
    let d = extremes::half::<H>(extreme, m, a, b);
    if m.nan { (d, Marks::NONE) } else { marked::<H>(d) }
}

fn approximate<H: Half>(a: u16, d: u16) -> (u16, Marks) {
    (d, approx::marks_half::<H>(a, d))
}

#[test]
fn roundings_differ() {
    // 1 + 2^-9 × 1 in .bf16: rounding down gives 1, rounding up gives the next number.
    let fma = |rounding| half::fma::<Bf16>(FloatModifiers::RN.rounding(rounding), 0x3b00, 0x3f80, 0x3f80);
    assert_eq!([fma(FloatRounding::Down), fma(FloatRounding::Up)], [0x3f80, 0x3f81]);
}

/// The operands count as `.f16`, `.relu` and `.oob` are ignored: 0x3f80 is 1.875, 0xbf80 is -1.875, 0x7f80 a NaN.
#[test]
fn directed_roundings_of_single_numbers_are_those_of_the_machine_code() {
    for (words, [a, b, c], expected) in [
        (".rz", [0x3f80, 0x3f80, 0x3f80], 0x4564),
        (".rm.relu", [0x3f80, 0xbf80, 0x0000], 0xc308),
        (".rp.oob", [0x3f80, 0x3f80, 0x3f80], 0x4564),
        (".rz.oob.relu", [0x3c00, 0x3c00, 0xbc00], 0x0000),
        (".rm", [0x3c00, 0x3c00, 0xbc00], 0x8000),
        (".rz", [0x7f80, 0x3c00, 0x3c00], 0x7fff),
    ] {
        let body = format!(
            "mov.b16 %h1, {a:#x}; mov.b16 %h2, {b:#x}; mov.b16 %h3, {c:#x}; fma{words}.bf16 %h0, %h1, %h2, %h3; st.global.b16 [%rd0], %h0;"
        );
        let out = TestKernel::body("", &body).threads(1).buffer(&[0; 4]).fine();
        assert_eq!((out.u32s(0)[0], out.marks(0, 0, 2)), (expected, Marks::UNSPECIFIED), "{words}");
    }
}
