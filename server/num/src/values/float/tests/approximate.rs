//! Tests of the approximate functions: the manual's tables of special operands, and errors relative to the functions of the library
//! `libm`, which are the same on every computer.

use super::{FloatSamples, TestFormat};
use crate::values::{
    Marks,
    float::{
        FloatRounding, approx, elementary,
        half::{self, Bf16, F16, Half},
        single,
    },
};

const COUNT: usize = 100_000;
const INF: u32 = 0x7f80_0000;
const NEG_INF: u32 = 0xff80_0000;
const NEG_ZERO: u32 = 0x8000_0000;
const NAN: u32 = single::NAN;
const ONE: u32 = single::ONE;
/// 2^-126, the smallest normal `.f32`.
const SMALLEST: f64 = f32::MIN_POSITIVE as f64;

#[test]
fn special_operands_are_those_of_the_tables() {
    // The results for -∞, a negative number, -0, +0, +∞ and NaN.
    let operands = [NEG_INF, 0xc000_0000, NEG_ZERO, 0, INF, 0x7fc1_2345];
    type SingleFunction = fn(bool, u32) -> u32;
    let table: [(&str, SingleFunction, [u32; 6]); 7] = [
        ("rcp", approx::rcp, [NEG_ZERO, 0xbf00_0000, NEG_INF, INF, 0, NAN]),
        ("sqrt", approx::sqrt, [NAN, NAN, NEG_ZERO, 0, INF, NAN]),
        ("rsqrt", approx::rsqrt, [NAN, NAN, NEG_INF, INF, 0, NAN]),
        ("sin", approx::sin, [NAN, 0xbf68_c7b7, NEG_ZERO, 0, NAN, NAN]),
        ("cos", approx::cos, [NAN, 0xbed5_1133, ONE, ONE, NAN, NAN]),
        ("lg2", approx::lg2, [NAN, NAN, NEG_INF, NEG_INF, INF, NAN]),
        ("ex2", approx::ex2, [0, 0x3e80_0000, ONE, ONE, INF, NAN]),
    ];
    for (name, function, results) in table {
        for ftz in [false, true] {
            for (operand, result) in operands.into_iter().zip(results) {
                assert_eq!(function(ftz, operand), result, "{name} {operand:x} {ftz}");
            }
        }
    }
    let tanh = operands.map(approx::tanh);
    assert_eq!(tanh, [0xbf80_0000, 0xbf76_ca83, NEG_ZERO, 0, ONE, NAN]);
    assert_eq!(approx::tanh(0x8000_1234), 0x8000_1234);
    for ftz in [false, true] {
        assert_eq!(approx::div(ftz, INF, 0x7e80_0001), NAN, "the reciprocal has underflowed");
        assert_eq!(approx::div(ftz, 0xc000_0000, 0x7f00_0000), NEG_ZERO);
        assert_eq!(approx::div_full(ftz, 0x7f00_0000, 0x7f00_0000), ONE);
        assert_eq!(approx::div(ftz, 0, 0), NAN);
    }
}

#[test]
fn special_operands_of_doubles() {
    let (inf, neg_inf, neg_zero) = (0x7ff0_0000_0000_0000, 0xfff0_0000_0000_0000, 1 << 63);
    let nan = 0x7fff_ffff_0000_0000;
    let operands = [neg_inf, neg_zero | 1, neg_zero, 0, 1, inf, 0xfff8_0000_0000_0001];
    assert_eq!(operands.map(approx::rcp_double), [neg_zero, neg_inf, neg_inf, inf, inf, 0, nan]);
    assert_eq!(operands.map(approx::rsqrt_double_coarse), [nan, neg_inf, neg_inf, inf, inf, 0, nan]);
    assert_eq!(approx::rcp_double(0x4008_0000_ffff_ffff), 0x3fd5_5555_0000_0000, "the lower half is not read");
    assert_eq!(approx::rcp_double(0x7fe8_0000_0000_0000), 0, "a subnormal result");
    assert_eq!(approx::rsqrt_double(0x4010_0000_0000_0000), 0x3fe0_0000_0000_0000);
    assert_eq!(approx::rsqrt_double(0x7ff8_0000_0000_0007), 0x7ff8_0000_0000_0007);
    let mut samples = FloatSamples::new();
    let format = TestFormat::new(64, 52);
    for _ in 0..COUNT {
        let a = samples.operand(&format) & (u64::MAX >> 1);
        let x = f64::from_bits(a & 0xffff_ffff_0000_0000);
        if x.is_normal() && x < 1e300 {
            for (got, exact) in [(approx::rcp_double(a), 1.0 / x), (approx::rsqrt_double_coarse(a), 1.0 / x.sqrt())] {
                assert_eq!(got & 0xffff_ffff, 0);
                assert!((f64::from_bits(got) / exact - 1.0).abs() <= 1.0 / 2_097_152.0, "{a:x}");
            }
        }
    }
}

/// Returns the distance of `got` from `exact` in units of the last place of `.f32`.
fn ulps(got: u32, exact: f64) -> f64 {
    let below = single::round(FloatRounding::Zero, exact.abs()).to_bits();
    let ulp = f64::from(f32::from_bits(below + 1)) - f64::from(f32::from_bits(below));
    (f64::from(f32::from_bits(got)) - exact).abs() / ulp
}

#[test]
fn functions_stay_within_half_a_unit_of_others() {
    let mut samples = FloatSamples::new();
    let format = TestFormat::new(32, 23);
    let mut worst = [0f64; 8];
    let mut note = |i: usize, got: u32, exact: f64| worst[i] = worst[i].max(ulps(got, exact));
    for _ in 0..COUNT {
        let a = samples.operand(&format) as u32;
        let x = f64::from(f32::from_bits(a));
        let magnitude = x.abs();
        if !x.is_finite() || magnitude < f64::from(f32::MIN_POSITIVE) {
            continue;
        }
        note(0, approx::sin(false, a), libm::sin(x));
        note(1, approx::cos(false, a), libm::cos(x));
        note(2, approx::tanh(a), libm::tanh(x));
        note(3, approx::lg2(false, a & 0x7fff_ffff), libm::log2(magnitude));
        note(4, approx::rsqrt(false, a & 0x7fff_ffff), 1.0 / magnitude.sqrt());
        note(5, approx::sqrt(false, a & 0x7fff_ffff), magnitude.sqrt());
        if (SMALLEST..1.0 / SMALLEST).contains(&magnitude) {
            note(6, approx::rcp(false, a), 1.0 / x);
        }
        let small = f32::from_bits(a & 0x7fff_ffff) % 250.0 - 125.0;
        note(7, approx::ex2(false, small.to_bits()), libm::exp2(f64::from(small)));
    }
    assert!(worst.iter().all(|&w| w < 0.500_01), "sin, cos, tanh, lg2, rsqrt, sqrt, rcp, ex2: {worst:?}");
}

#[test]
fn documented_bounds_hold_for_subnormal_operands_and_results() {
    for i in 0..COUNT as u32 {
        let a = 1 + i * 83;
        let x = f64::from(f32::from_bits(a));
        assert!(ulps(approx::rcp(false, 0x7e80_0000 + a), 1.0 / f64::from(f32::from_bits(0x7e80_0000 + a))) <= 1.0);
        let logarithm = f64::from(f32::from_bits(approx::lg2(false, a)));
        assert!((logarithm / libm::log2(x) - 1.0).abs() <= 1.0 / 4_194_304.0);
        let power = -126.0 - f64::from(a) / f64::from(1 << 19);
        let power = power as f32;
        assert!(ulps(approx::ex2(false, power.to_bits()), libm::exp2(f64::from(power))) <= 2.0);
    }
}

#[test]
fn quotients_stay_within_two_units() {
    let mut samples = FloatSamples::new();
    let format = TestFormat::new(32, 23);
    for _ in 0..COUNT {
        let (a, b) = (samples.operand(&format) as u32, samples.operand(&format) as u32);
        let (x, y) = (f64::from(f32::from_bits(a)), f64::from(f32::from_bits(b)));
        let quotient = x / y;
        if quotient.is_finite() && y.is_finite() && quotient.abs() < f64::from(f32::MAX) {
            assert!(ulps(approx::div_full(false, a, b), quotient) <= 2.0, "{a:x} {b:x}");
            if (SMALLEST..=1.0 / SMALLEST).contains(&y.abs()) {
                assert!(ulps(approx::div(false, a, b), quotient) <= 2.0, "{a:x} {b:x}");
            }
        }
    }
}

#[test]
fn large_angles_are_reduced_exactly() {
    // Sine and cosine of 2^128 - 2^104, the largest finite number (computed with 600 bits).
    let (sine, cosine) = elementary::sin_cos(f32::MAX);
    assert!(
        (sine - -0.521_876_523_333_658_5).abs() < 1e-15 && (cosine - 0.853_021_039_830_304_2).abs() < 1e-15,
        "{sine} {cosine}"
    );
    let mut samples = FloatSamples::new();
    for _ in 0..COUNT {
        let x = f32::from_bits(samples.bits() as u32);
        if x.is_finite() {
            let (sine, cosine) = elementary::sin_cos(x);
            let exact = libm::sincos(f64::from(x));
            assert!((sine - exact.0).abs() < 1e-15 && (cosine - exact.1).abs() < 1e-15, "{x}");
        }
    }
}

fn halves_are_rounded_correctly<H: Half>(ftz: bool) {
    for a in 0..=u16::MAX {
        if half::is_nan::<H>(a) {
            assert_eq!(approx::tanh_half::<H>(a), half::NAN);
            assert_eq!(approx::ex2_half::<H>(ftz, a), half::NAN);
            continue;
        }
        let seen = if ftz { half::flush::<H>(a) } else { a };
        let x = f64::from(H::widen(seen));
        // The exact result must be between the midpoints to the neighbours of the result.
        let between = |got: u16, exact: f64| {
            let (below, above) = (H::widen(got.saturating_sub(1)), H::widen(got + 1));
            let low = (f64::from(below) + f64::from(H::widen(got))) / 2.0;
            let high = (f64::from(above) + f64::from(H::widen(got))) / 2.0;
            low <= exact && (exact <= high || got == H::INFINITY)
        };
        let power = approx::ex2_half::<H>(ftz, a);
        let exact = libm::exp2(x);
        let largest = f64::from(H::widen(H::INFINITY - 1)) * (1.0 + libm::ldexp(1.0, -H::PRECISION - 1));
        match exact {
            e if ftz && e < H::NORMAL => assert!(power == 0 || e > H::NORMAL * 0.99, "{a:x}"),
            e if e >= largest => assert_eq!(power, H::INFINITY),
            e => assert!(power != H::INFINITY && between(power, e), "{a:x} {power:x}"),
        }
        let tanh = approx::tanh_half::<H>(a & 0x7fff);
        if a & 0x7fff != H::INFINITY {
            assert!(between(tanh, libm::tanh(f64::from(H::widen(a & 0x7fff)))), "{a:x} {tanh:x}");
        }
        assert_eq!(approx::tanh_half::<H>(a | 0x8000), tanh | 0x8000);
    }
}

#[test]
fn every_half_is_rounded_correctly() {
    halves_are_rounded_correctly::<F16>(false);
    halves_are_rounded_correctly::<Bf16>(true);
}

#[test]
fn marks_say_what_is_open() {
    assert_eq!(approx::marks1(false, 0x4040_0000, approx::rcp(false, 0x4040_0000)), Marks::APPROXIMATE);
    assert_eq!(approx::marks1(false, 0, INF), Marks::NONE);
    assert_eq!(approx::marks1(true, 1, INF), Marks::NONE);
    assert_eq!(approx::marks1(false, INF, NAN), Marks::UNSPECIFIED);
    assert_eq!(approx::marks2(false, 0x4040_0000, INF, 0), Marks::NONE);
    assert_eq!(approx::marks2(false, 0x4040_0000, 0x4040_0000, ONE), Marks::APPROXIMATE);
    assert_eq!(approx::marks_double(1 << 63, 0xfff0_0000_0000_0000), Marks::NONE);
    assert_eq!(approx::marks_double(0xbff0_0000_0000_0000, 0x7fff_ffff_0000_0000), Marks::UNSPECIFIED);
    assert_eq!(approx::marks_half::<F16>(0x3c00, 0x3a00), Marks::APPROXIMATE);
    assert_eq!(single::marks(NAN), Marks::UNSPECIFIED);
    assert_eq!(single::marks(INF), Marks::NONE);
    assert_eq!(half::marks::<Bf16>(0x7fff), Marks::UNSPECIFIED);
}
