//! Tests of every operation in every rounding against `rustc_apfloat`, which works bit by bit.

use super::{FloatSamples, ROUNDINGS, TestFormat};
use crate::math::{FusedArithmetic, FusedInstruction, FusedMultiplyAdd};
use crate::values::float::{
    Clamp, FloatModifiers, FloatRounding, double,
    half::{self, Bf16, F16, Half},
    mixed, single,
};
use rustc_apfloat::{
    Float, FloatConvert, Round,
    ieee::{self, Double, Quad, Single},
};

const COUNT: usize = 100_000;
const SCALE: i32 = 100;

fn round_of(rounding: FloatRounding) -> Round {
    match rounding {
        FloatRounding::Nearest => Round::NearestTiesToEven,
        FloatRounding::Zero => Round::TowardZero,
        FloatRounding::Down => Round::TowardNegative,
        FloatRounding::Up => Round::TowardPositive,
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum ReferenceOperation {
    Add,
    Sub,
    Mul,
    Div,
    Fma,
}

/// Returns the bits of the result, `None` for NaN. Opposite terms yield a zero whose sign in apfloat follows IEEE 754.
fn reference<F: Float>(operation: ReferenceOperation, rounding: FloatRounding, operands: [u64; 3]) -> Option<u64> {
    let [a, b, c] = operands.map(|bits| F::from_bits(bits.into()));
    let round = round_of(rounding);
    let result = match operation {
        ReferenceOperation::Add => a.add_r(b, round),
        ReferenceOperation::Sub => a.sub_r(b, round),
        ReferenceOperation::Mul => a.mul_r(b, round),
        ReferenceOperation::Div => a.div_r(b, round),
        ReferenceOperation::Fma => a.mul_add_r(b, c, round),
    };
    let result = result.value;
    (!result.is_nan()).then(|| result.to_bits() as u64)
}

/// Reference with subnormal operands and results flushed. The same operation on operands 2^100 times as large decides whether
/// the result is flushed.
fn reference_flushing<F: Float>(
    format: &TestFormat,
    operation: ReferenceOperation,
    rounding: FloatRounding,
    operands: [u64; 3],
) -> Option<u64> {
    let exponent = ((1u64 << (format.width - 1 - format.fraction)) - 1) << format.fraction;
    let sign = 1 << (format.width - 1);
    let [a, b, c] = operands.map(|x| if x & exponent == 0 { x & sign } else { x });
    let plain = reference::<F>(operation, rounding, [a, b, c])?;
    let smallest = 1 << format.fraction;
    if plain & !sign == 0 || plain & !sign > smallest {
        return Some(plain);
    }
    let raise = |x: u64| F::from_bits(x.into()).scalbn(SCALE).to_bits() as u64;
    let (small, large) = if a & !sign <= b & !sign { (a, b) } else { (b, a) };
    let raised = match operation {
        ReferenceOperation::Add | ReferenceOperation::Sub => [raise(a), raise(b), 0],
        ReferenceOperation::Mul => [raise(small), large, 0],
        ReferenceOperation::Div => [raise(a), b, 0],
        ReferenceOperation::Fma => [raise(small), large, raise(c)],
    };
    let limit = F::from_bits(u128::from(smallest)).scalbn(SCALE).to_bits() as u64;
    let raised = reference::<F>(operation, rounding, raised)? & !sign;
    Some(if raised < limit { plain & sign } else { plain })
}

fn single_of(operation: ReferenceOperation, m: FloatModifiers, [a, b, c]: [u64; 3]) -> u32 {
    let [a, b, c] = [a, b, c].map(|x| x as u32);
    match operation {
        ReferenceOperation::Add => single::add(m, a, b),
        ReferenceOperation::Sub => single::sub(m, a, b),
        ReferenceOperation::Mul => single::mul(m, a, b),
        ReferenceOperation::Div => single::div(m, a, b),
        ReferenceOperation::Fma => single::fma(FusedInstruction::detect(), m, a, b, c),
    }
}

const OF_TWO: [ReferenceOperation; 4] =
    [ReferenceOperation::Add, ReferenceOperation::Sub, ReferenceOperation::Mul, ReferenceOperation::Div];

/// Returns pairs whose product or quotient is close to the smallest normal `.f32`, the limit of flushing.
fn products_near_the_smallest() -> Vec<[u64; 3]> {
    let mut samples = FloatSamples::new();
    let mut found = Vec::new();
    for _ in 0..20_000 {
        let a = (0x3f80_0000 - (samples.below(60) << 23)) | samples.below(1 << 23);
        let b = (f32::MIN_POSITIVE / f32::from_bits(a as u32)).to_bits();
        let b = u64::from(b).wrapping_add(samples.below(5)).wrapping_sub(2);
        found.push([a, b | (samples.bits() & 1) << 31, samples.below(3) << 31 & 0x8000_0000]);
        let divisor = u64::from((f32::from_bits(0x7e80_0000) * f32::from_bits(a as u32)).to_bits()) + samples.below(5);
        found.push([a, divisor - 2, 0]);
    }
    found
}

#[test]
fn single_precision_agrees_in_every_rounding() {
    let format = TestFormat::new(32, 23);
    let pairs: Vec<_> = format.pairs(COUNT).into_iter().map(|[a, b]| [a, b, 0]).collect();
    let triples = format.triples(COUNT);
    let edge = products_near_the_smallest();
    for rounding in ROUNDINGS {
        for operation in [
            ReferenceOperation::Add,
            ReferenceOperation::Sub,
            ReferenceOperation::Mul,
            ReferenceOperation::Div,
            ReferenceOperation::Fma,
        ] {
            let cases = if operation == ReferenceOperation::Fma { &triples } else { &pairs };
            for &operands in cases.iter().chain(&edge) {
                let m = FloatModifiers::RN.rounding(rounding);
                let expected = reference::<Single>(operation, rounding, operands).map_or(single::NAN, |x| x as u32);
                let got = single_of(operation, m, operands);
                assert_eq!(got, expected, "{operation:?} {rounding:?} {operands:x?}: {got:x} {expected:x}");
                let expected = reference_flushing::<Single>(&format, operation, rounding, operands);
                let expected = expected.map_or(single::NAN, |x| x as u32);
                let got = single_of(operation, m.ftz(true), operands);
                assert_eq!(got, expected, "{operation:?} {rounding:?}.ftz {operands:x?}: {got:x} {expected:x}");
            }
        }
    }
}

/// Returns triples whose product has one bit more than the format, which is a tie, with a third operand of any size: it decides the tie
/// if it is small, moves it if it is larger, and leaves few bits if it is the negated product.
fn sums_near_ties(format: &TestFormat) -> Vec<[u64; 3]> {
    let mut samples = FloatSamples::new();
    let (fraction, sign) = (format.fraction, 1 << (format.width - 1));
    let bias = (1 << (format.width - fraction - 2)) - 1;
    let mut found = Vec::new();
    for _ in 0..COUNT {
        // The factors have `of_a` and `of_b` bits behind the point, the last one set, so their product has `fraction + 1` or, if it is
        // above 2, as many bits before its last one and one more.
        let of_a = 1 + samples.below(u64::from(fraction) - 1) as u32;
        let of_b = fraction + 1 - of_a;
        let mut factor = |bits: u32, exponent: u64| {
            let digits = samples.bits() & ((1 << bits) - 1) | 1;
            exponent << fraction | digits << (fraction - bits)
        };
        let (a, b) = (factor(of_a, bias + 3), factor(of_b, bias - 2));
        let above = i64::from(fraction) + 4;
        let exponent = bias.wrapping_add_signed(samples.below(2 * above as u64) as i64 - above);
        let c = match samples.below(4) {
            0 => samples.operand(format),
            1 => exponent << fraction,
            _ => exponent << fraction | samples.bits() & ((1 << fraction) - 1),
        };
        found.push([a, b | samples.bits() & sign, c ^ samples.bits() & sign]);
    }
    found
}

/// Compares a way to compute the fused operation with the reference, for operands of the edge cases and for sampled ones.
fn fuses_correctly(fused: impl FusedMultiplyAdd) {
    let nearest = FloatRounding::Nearest;
    let of_others = [
        // MinGW rounds the first twice.
        [0x5a85_3a4d, 0xbfe8_8287, 0x0001_5f76],
        // A product that underflows keeps its sign, whatever zero is added.
        [1, 0x8000_0001, 0],
        [1, 1, 0x8000_0000],
    ];
    let format = TestFormat::new(32, 23);
    for operands in format.triples(COUNT).into_iter().chain(sums_near_ties(&format)).chain(of_others) {
        let [a, b, c] = operands.map(|x| f32::from_bits(x as u32));
        let got = fused.single(a, b, c);
        let expected = reference::<Single>(ReferenceOperation::Fma, nearest, operands);
        assert_eq!((!got.is_nan()).then(|| u64::from(got.to_bits())), expected, "{operands:x?}");
    }
    let format = TestFormat::new(64, 52);
    for operands in format.triples(COUNT).into_iter().chain(sums_near_ties(&format)) {
        let [a, b, c] = operands.map(f64::from_bits);
        let got = fused.double(a, b, c);
        let expected = reference::<Double>(ReferenceOperation::Fma, nearest, operands);
        assert_eq!((!got.is_nan()).then(|| got.to_bits()), expected, "{operands:x?}");
    }
}

#[test]
fn both_ways_to_fuse_agree() {
    fuses_correctly(FusedArithmetic);
    fuses_correctly(None);
    if let Some(instruction) = FusedInstruction::detect() {
        fuses_correctly(instruction);
    }
}

#[test]
fn double_precision_agrees_in_every_rounding() {
    let format = TestFormat::new(64, 52);
    let pairs: Vec<_> = format.pairs(COUNT).into_iter().map(|[a, b]| [a, b, 0]).collect();
    let triples = format.triples(COUNT);
    for rounding in ROUNDINGS {
        for operation in OF_TWO.into_iter().chain([ReferenceOperation::Fma]) {
            for &operands in if operation == ReferenceOperation::Fma { &triples } else { &pairs } {
                let [a, b, c] = operands;
                let got = match operation {
                    ReferenceOperation::Add => double::add(rounding, a, b),
                    ReferenceOperation::Sub => double::sub(rounding, a, b),
                    ReferenceOperation::Mul => double::mul(rounding, a, b),
                    ReferenceOperation::Div => double::div(rounding, a, b),
                    ReferenceOperation::Fma => double::fma(FusedInstruction::detect(), rounding, a, b, c),
                };
                match reference::<Double>(operation, rounding, operands) {
                    Some(expected) => assert_eq!(got, expected, "{operation:?} {rounding:?} {operands:x?}"),
                    None => assert!(double::is_nan(got), "{operation:?} {rounding:?} {operands:x?}"),
                }
            }
        }
    }
}

#[test]
fn whole_numbers_fuse_as_others_do() {
    for [a, b, c] in TestFormat::new(64, 52).triples(COUNT) {
        if [a, b, c].iter().all(|x| f64::from_bits(*x).is_finite()) {
            let nearest = FloatRounding::Nearest;
            assert_eq!(double::fma_exactly(nearest, a, b, c), double::fma(FusedArithmetic, nearest, a, b, c));
        }
    }
}

#[test]
fn double_precision_keeps_the_payload_of_the_first_nan() {
    let (first, second) = (0xfff8_0000_0000_0012, 0x7ff0_0000_0000_0034);
    let one = double::ONE;
    for rounding in ROUNDINGS {
        assert_eq!(double::add(rounding, first, second), first);
        assert_eq!(double::sub(rounding, one, second), 0x7ff8_0000_0000_0034);
        assert_eq!(double::fma(FusedArithmetic, rounding, one, one, second), 0x7ff8_0000_0000_0034);
        assert_eq!(double::mul(rounding, 0x7ff0_0000_0000_0000, 0), double::NAN);
        assert_eq!(double::sqrt(rounding, 0xbff0_0000_0000_0000), double::NAN);
    }
    assert_eq!(double::abs(first), first);
    assert_eq!(double::neg(first), 0x7ff8_0000_0000_0012);
}

/// Whether `root` is the square root of `a` in that rounding, checked with exact squares.
fn is_root<F: Float + FloatConvert<Quad>>(rounding: FloatRounding, a: u64, root: u64) -> bool {
    let wide = |bits: u64| -> Quad { F::from_bits(bits.into()).convert(&mut false).value };
    let (value, below, at, above) = (wide(a), wide(root.wrapping_sub(1)), wide(root), wide(root + 1));
    let square = |x: Quad| (x * x).value;
    let half = |x: Quad, y: Quad| (x + y).value.scalbn(-1);
    match rounding {
        FloatRounding::Zero | FloatRounding::Down => square(at) <= value && value < square(above),
        FloatRounding::Up => square(below) < value && value <= square(at),
        FloatRounding::Nearest => square(half(below, at)) <= value && value <= square(half(at, above)),
    }
}

#[test]
fn square_roots_agree_in_every_rounding() {
    let mut samples = FloatSamples::new();
    let (single_format, double_format) = (TestFormat::new(32, 23), TestFormat::new(64, 52));
    for i in 0..COUNT {
        let mut a = samples.operand(&single_format) & 0x7fff_ffff;
        if i % 4 == 0 {
            // Squares and their neighbours.
            let x = f32::from_bits(samples.operand(&single_format) as u32 & 0x3fff_f800 | 0x2000_0000);
            a = u64::from((x * x).to_bits()) + samples.below(3) - 1;
        }
        let b = samples.operand(&double_format) & (u64::MAX >> 1);
        for rounding in ROUNDINGS {
            let m = FloatModifiers::RN.rounding(rounding);
            if (1..0x7f80_0000).contains(&a) {
                let root = single::sqrt(m, a as u32);
                assert!(is_root::<Single>(rounding, a, root.into()), "{rounding:?} {a:x} {root:x}");
                let flushed = single::sqrt(m.ftz(true), a as u32);
                assert_eq!(flushed, if a < 0x80_0000 { 0 } else { root });
            }
            if (1..0x7ff0_0000_0000_0000).contains(&b) {
                let root = double::sqrt(rounding, b);
                assert!(is_root::<Double>(rounding, b, root), "{rounding:?} {b:x} {root:x}");
            }
        }
    }
    for rounding in ROUNDINGS {
        let m = FloatModifiers::RN.rounding(rounding);
        for (a, root) in [(0, 0), (0x8000_0000, 0x8000_0000), (0x7f80_0000, 0x7f80_0000), (0xbf80_0000, single::NAN)] {
            assert_eq!(single::sqrt(m, a), root);
        }
        assert_eq!(single::sqrt(m, single::NAN), single::NAN);
        assert_eq!(double::sqrt(rounding, 1 << 63), 1 << 63);
        assert_eq!(double::rcp(rounding, 1 << 63), 0xfff0_0000_0000_0000);
    }
}

fn half_agrees<H: Half, F: Float>(format: &TestFormat) {
    for &[a, b] in &format.pairs(COUNT) {
        let (x, y) = (a as u16, b as u16);
        for (operation, function) in [
            (ReferenceOperation::Add, half::add::<H> as fn(FloatModifiers, u16, u16) -> u16),
            (ReferenceOperation::Sub, half::sub::<H>),
            (ReferenceOperation::Mul, half::mul::<H>),
        ] {
            let expected = reference::<F>(operation, FloatRounding::Nearest, [a, b, 0]).map_or(half::NAN, |x| x as u16);
            assert_eq!(function(FloatModifiers::RN, x, y), expected, "{operation:?} {a:x} {b:x}");
        }
    }
    for &operands in &format.triples(COUNT) {
        let [a, b, c] = operands.map(|x| x as u16);
        for rounding in ROUNDINGS {
            let m = FloatModifiers::RN.rounding(rounding);
            let expected = reference::<F>(ReferenceOperation::Fma, rounding, operands).map_or(half::NAN, |x| x as u16);
            assert_eq!(half::fma::<H>(m, a, b, c), expected, "fma {rounding:?} {operands:x?}");
            let relu = half::fma::<H>(m.clamp(Clamp::Relu), a, b, c);
            let negative = expected & 0x8000 != 0 && expected != half::NAN;
            assert_eq!(relu, if negative { 0 } else { expected });
        }
        assert_eq!(half::fma_oob::<H>(FloatModifiers::RN, a, a, b, c), 0);
        assert_eq!(half::fma_oob::<H>(FloatModifiers::RN, c, a, b, c), 0);
    }
}

#[test]
fn half_precision_agrees() {
    half_agrees::<F16, ieee::Half>(&TestFormat::new(16, 10));
    half_agrees::<Bf16, ieee::BFloat>(&TestFormat::new(16, 7));
}

#[test]
fn half_precision_flushes_what_rounds_below_the_smallest_normal_number() {
    // The exponent of `.f16` is too short to scale by 2^100. The value in `.f32`, rounded by hand to 11 bits, decides instead.
    let format = TestFormat::new(16, 10);
    for [a, b, c] in format.triples(COUNT) {
        let [x, y, z] = [a, b, c].map(|v| half::flush::<F16>(v as u16));
        let exact = [x, y, z].map(|v| f64::from(F16::widen(v)));
        let value = FusedArithmetic.double(exact[0], exact[1], exact[2]);
        let expected = if value.abs() < f64::from(F16::widen(0x0400)) - f64::from(F16::widen(1)) / 4.0 {
            if value.is_sign_negative() { 0x8000 } else { 0 }
        } else {
            half::fma::<F16>(FloatModifiers::RN, x, y, z)
        };
        assert_eq!(
            half::fma::<F16>(FloatModifiers::RN_FTZ, a as u16, b as u16, c as u16),
            expected,
            "{a:x} {b:x} {c:x}"
        );
    }
}

#[test]
fn every_half_widens_and_comes_back() {
    for bits in 0..=u16::MAX {
        let wide = (ieee::Half::from_bits(bits.into()).convert(&mut false) as rustc_apfloat::StatusAnd<Single>).value;
        if !half::is_nan::<F16>(bits) {
            assert_eq!(u128::from(F16::widen(bits).to_bits()), wide.to_bits());
            assert_eq!(F16::nearest(F16::widen(bits)), bits);
            assert_eq!(Bf16::nearest(Bf16::widen(bits & 0xff7f)), bits & 0xff7f);
        }
    }
    let mut samples = FloatSamples::new();
    let format = TestFormat::new(32, 23);
    for _ in 0..COUNT {
        let bits = samples.operand(&format) as u32;
        let value = Single::from_bits(bits.into());
        for rounding in ROUNDINGS {
            let to_half: ieee::Half = value.convert_r(round_of(rounding), &mut false).value;
            let expected = if value.is_nan() { half::NAN } else { to_half.to_bits() as u16 };
            assert_eq!(half::round::<F16>(rounding, f32::from_bits(bits)), expected, "{rounding:?} {bits:x}");
            let to_brain: ieee::BFloat = value.convert_r(round_of(rounding), &mut false).value;
            let expected = if value.is_nan() { half::NAN } else { to_brain.to_bits() as u16 };
            assert_eq!(half::round::<Bf16>(rounding, f32::from_bits(bits)), expected, "{rounding:?} {bits:x}");
        }
    }
}

#[test]
fn saturation_clamps() {
    let sat = FloatModifiers::RN.clamp(Clamp::Saturate);
    let mut samples = FloatSamples::new();
    let format = TestFormat::new(32, 23);
    for _ in 0..COUNT {
        let (a, b) = (samples.operand(&format) as u32, samples.operand(&format) as u32);
        for rounding in ROUNDINGS {
            let m = FloatModifiers::RN.rounding(rounding);
            let plain = f32::from_bits(single::add(m, a, b));
            let expected = if plain.is_nan() || plain <= 0.0 { 0 } else { plain.min(1.0).to_bits() };
            assert_eq!(single::add(FloatModifiers { clamp: Clamp::Saturate, ..m }, a, b), expected);
        }
        let (a, b) = (a as u16, b as u16);
        let plain = F16::widen(half::mul::<F16>(FloatModifiers::RN, a, b));
        let expected = if plain.is_nan() || plain <= 0.0 { 0 } else { F16::nearest(plain.min(1.0)) };
        assert_eq!(half::mul::<F16>(sat, a, b), expected);
    }
}

#[test]
fn mixed_precision_rounds_once() {
    let mut samples = FloatSamples::new();
    let (narrow, wide) = (TestFormat::new(16, 7), TestFormat::new(32, 23));
    for _ in 0..COUNT {
        let [a, b] = [samples.operand(&narrow), samples.operand(&narrow)];
        let c = samples.operand(&wide);
        let [x, y]: [Single; 2] = [a, b].map(|v| ieee::BFloat::from_bits(v.into()).convert(&mut false).value);
        let z = Single::from_bits(c.into());
        for rounding in ROUNDINGS {
            let m = FloatModifiers::RN.rounding(rounding);
            let bits = |v: Single| if v.is_nan() { single::NAN } else { v.to_bits() as u32 };
            let round = round_of(rounding);
            assert_eq!(mixed::add::<Bf16>(m, a as u16, c as u32), bits(x.add_r(z, round).value));
            assert_eq!(mixed::sub::<Bf16>(m, a as u16, c as u32), bits(x.sub_r(z, round).value));
            assert_eq!(mixed::fma::<Bf16>(m, a as u16, b as u16, c as u32), bits(x.mul_add_r(y, z, round).value));
        }
        // Sums of `.f32` in `.bf16` and `.f16`, towards zero: rounding twice in this direction equals rounding once.
        let d = samples.operand(&wide);
        let sum = z.add_r(Single::from_bits(d.into()), Round::TowardZero).value;
        let to_brain: ieee::BFloat = sum.convert_r(Round::TowardZero, &mut false).value;
        let expected = if sum.is_nan() { half::NAN } else { to_brain.to_bits() as u16 };
        assert_eq!(mixed::add_narrowing::<Bf16>(FloatModifiers::RZ, c << 32 | c, d) as u16, expected, "{c:x} {d:x}");
        let product = z.mul_r(Single::from_bits(d.into()), Round::TowardZero).value;
        let to_half: ieee::Half = product.convert_r(Round::TowardZero, &mut false).value;
        let expected = if product.is_nan() { half::NAN } else { to_half.to_bits() as u16 };
        assert_eq!(mixed::mul_narrowing::<F16>(FloatModifiers::RZ, c, d) as u16, expected, "{c:x} {d:x}");
        // A half times a brain float: exact in `Double`.
        let (p, q) = (ieee::Half::from_bits(a.into()), ieee::BFloat::from_bits(b.into()));
        let [p, q]: [Double; 2] = [p.convert(&mut false).value, q.convert(&mut false).value];
        let (exact, mut lossy) = ((p * q).value, false);
        let [to_half, to_brain] = [
            <Double as FloatConvert<ieee::Half>>::convert(exact, &mut lossy).value.to_bits() as u16,
            <Double as FloatConvert<ieee::BFloat>>::convert(exact, &mut lossy).value.to_bits() as u16,
        ];
        let nan = exact.is_nan();
        assert_eq!(mixed::mul_f16_bf16(a as u32, b as u32) as u16, if nan { half::NAN } else { to_half });
        assert_eq!(mixed::mul_bf16_f16(b as u32, a as u32) as u16, if nan { half::NAN } else { to_brain });
    }
}

#[test]
fn four_narrow_numbers_are_computed_exactly_or_to_odd() {
    let one = [1.0; 4];
    assert_eq!(mixed::fma4([1.5, -2.0, 0.0, 448.0], one, [0.25, 2.0, -0.0, -448.0]), [1.75, 0.0, 0.0, 0.0]);
    let tiny = f32::from_bits(1);
    assert_eq!(
        mixed::fma4([1.0, 1.0, 1.0, f32::from_bits(0x7f00_0000)], [1.0, 1.0, 1.0, 4.0], [tiny, -tiny, 0.5, 0.0])
            .map(f32::to_bits),
        [0x3f80_0001, 0x3f7f_ffff, 0x3fc0_0000, 0x7f7f_ffff]
    );
}
