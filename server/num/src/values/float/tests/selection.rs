//! Tests of `min`, `max`, comparisons and `testp` against a second implementation of the manual's pseudo-code over plain
//! numbers.

use super::{FloatSamples, TestFormat};
use crate::values::float::{
    compare::{self, FloatComparison, PredicateCombination, Property},
    double,
    extremes::{self, Extreme, ExtremeModifiers},
    half::{self, Bf16, F16, Half},
    packed, single,
};
use rustc_apfloat::{Float, ieee};
use std::cmp::Ordering;

const COUNT: usize = 20_000;

/// The manual's two-operand rule over numbers of any format; `None` is NaN.
fn two_inputs<F: Float>(extreme: Extreme, nan: bool, x: Option<F>, y: Option<F>) -> Option<F> {
    match (x, y) {
        (None, None) => None,
        (None, z) | (z, None) => z.filter(|_| !nan),
        (Some(x), Some(y)) => {
            let first = match x.partial_cmp(&y)? {
                Ordering::Less => extreme == Extreme::Least,
                Ordering::Greater => extreme == Extreme::Greatest,
                Ordering::Equal => x.is_negative() == (extreme == Extreme::Least),
            };
            Some(if first { x } else { y })
        }
    }
}

/// The manual's complete rule with all modifiers, over bits; `None` is NaN.
fn model<F: Float>(extreme: Extreme, m: ExtremeModifiers, operands: &[u64]) -> Option<u64> {
    let decoded: Vec<Option<F>> = operands
        .iter()
        .map(|&bits| {
            let value = F::from_bits(bits.into());
            let value = if m.ftz && value.is_denormal() { F::ZERO.copy_sign(value) } else { value };
            let value = if m.abs { value.abs() } else { value };
            (!value.is_nan()).then_some(value)
        })
        .collect();
    let mut result = two_inputs(extreme, m.nan, decoded[0], decoded[1]);
    if let Some(&third) = decoded.get(2) {
        result = two_inputs(extreme, m.nan, result, third);
    }
    let negative = |bits: u64| F::from_bits(bits.into()).is_negative();
    result.map(|d| {
        let sign = negative(operands[0]) != negative(operands[1]);
        let d = if m.xorsign && d.is_negative() != sign { -d } else { d };
        d.to_bits() as u64
    })
}

fn all_modifiers() -> impl Iterator<Item = ExtremeModifiers> {
    (0..16).map(|i| ExtremeModifiers { ftz: i & 1 != 0, nan: i & 2 != 0, xorsign: i & 4 != 0, abs: i & 8 != 0 })
}

#[test]
fn extremes_follow_the_manual() {
    let (word, long, short, brain) =
        (TestFormat::new(32, 23), TestFormat::new(64, 52), TestFormat::new(16, 10), TestFormat::new(16, 7));
    for extreme in [Extreme::Least, Extreme::Greatest] {
        for m in all_modifiers() {
            for [a, b] in word.pairs(COUNT) {
                let expected = model::<ieee::Single>(extreme, m, &[a, b]).unwrap_or(single::NAN.into());
                assert_eq!(u64::from(extremes::single(extreme, m, a as u32, b as u32)), expected, "{m:?} {a:x} {b:x}");
            }
            for [a, b] in short.pairs(COUNT) {
                let expected = model::<ieee::Half>(extreme, m, &[a, b]).unwrap_or(half::NAN.into());
                assert_eq!(
                    u64::from(extremes::half::<F16>(extreme, m, a as u16, b as u16)),
                    expected,
                    "{m:?} {a:x} {b:x}"
                );
            }
            for [a, b] in brain.pairs(COUNT) {
                let expected = model::<ieee::BFloat>(extreme, m, &[a, b]).unwrap_or(half::NAN.into());
                assert_eq!(
                    u64::from(extremes::half::<Bf16>(extreme, m, a as u16, b as u16)),
                    expected,
                    "{m:?} {a:x} {b:x}"
                );
            }
            if !m.xorsign {
                for [a, b, c] in word.triples(COUNT) {
                    let expected = model::<ieee::Single>(extreme, m, &[a, b, c]).unwrap_or(single::NAN.into());
                    let got = extremes::single3(extreme, m, a as u32, b as u32, c as u32);
                    assert_eq!(u64::from(got), expected, "{m:?} {a:x} {b:x} {c:x}");
                }
            }
        }
        for [a, b] in long.pairs(COUNT) {
            let expected = model::<ieee::Double>(extreme, ExtremeModifiers::default(), &[a, b]);
            assert_eq!(extremes::double(extreme, a, b), expected.unwrap_or(b | 0x0008_0000_0000_0000));
        }
    }
}

/// Returns the result of an operator for two numbers in that order; `order` is `None` if one of them is NaN.
fn says(comparison: FloatComparison, order: Option<Ordering>) -> bool {
    use Ordering::{Equal, Greater, Less};
    match comparison {
        FloatComparison::Eq => order == Some(Equal),
        FloatComparison::Ne => matches!(order, Some(Less | Greater)),
        FloatComparison::Lt => order == Some(Less),
        FloatComparison::Le => matches!(order, Some(Less | Equal)),
        FloatComparison::Gt => order == Some(Greater),
        FloatComparison::Ge => matches!(order, Some(Greater | Equal)),
        FloatComparison::Equ => matches!(order, None | Some(Equal)),
        FloatComparison::Neu => order != Some(Equal),
        FloatComparison::Ltu => matches!(order, None | Some(Less)),
        FloatComparison::Leu => order != Some(Greater),
        FloatComparison::Gtu => matches!(order, None | Some(Greater)),
        FloatComparison::Geu => order != Some(Less),
        FloatComparison::Num => order.is_some(),
        FloatComparison::Nan => order.is_none(),
    }
}

fn order_of<F: Float>(ftz: bool, a: u64, b: u64) -> Option<Ordering> {
    let [a, b] = [a, b].map(|bits| F::from_bits(bits.into())).map(|v| if ftz && v.is_denormal() { F::ZERO } else { v });
    a.partial_cmp(&b)
}

fn halves_compare<H: Half, F: Float>(format: &TestFormat) {
    for [a, b] in format.pairs(COUNT) {
        for comparison in FloatComparison::ALL {
            for ftz in [false, true] {
                let expected = says(comparison, order_of::<F>(ftz, a, b));
                assert_eq!(compare::half::<H>(comparison, ftz, a as u16, b as u16), expected);
                let [x, y] = [[a as u16, b as u16], [b as u16, a as u16]].map(packed::from_halves);
                let other = says(comparison, order_of::<F>(ftz, b, a));
                assert_eq!(compare::half_pair::<H>(comparison, ftz, x, y), [expected, other]);
            }
        }
    }
}

#[test]
fn comparisons_follow_the_manual() {
    for comparison in FloatComparison::ALL {
        for [a, b] in TestFormat::new(32, 23).pairs(COUNT) {
            for ftz in [false, true] {
                let expected = says(comparison, order_of::<ieee::Single>(ftz, a, b));
                assert_eq!(compare::single(comparison, ftz, a as u32, b as u32), expected);
            }
        }
        for [a, b] in TestFormat::new(64, 52).pairs(COUNT) {
            assert_eq!(compare::double(comparison, a, b), says(comparison, order_of::<ieee::Double>(false, a, b)));
        }
    }
    halves_compare::<F16, ieee::Half>(&TestFormat::new(16, 10));
    halves_compare::<Bf16, ieee::BFloat>(&TestFormat::new(16, 7));
    for (found, c) in [(false, false), (false, true), (true, false), (true, true)] {
        assert_eq!(compare::combine(PredicateCombination::And, found, c), found && c);
        assert_eq!(compare::combine(PredicateCombination::Or, found, c), found || c);
        assert_eq!(compare::combine(PredicateCombination::Xor, found, c), found != c);
    }
}

fn has<F: Float>(property: Property, bits: u64) -> bool {
    let value = F::from_bits(bits.into());
    match property {
        Property::Finite => value.is_finite(),
        Property::Infinite => value.is_infinite(),
        Property::Number => !value.is_nan(),
        Property::NotANumber => value.is_nan(),
        Property::Normal => value.is_normal() || value.is_zero(),
        Property::Subnormal => value.is_denormal(),
    }
}

#[test]
fn properties_selection_and_signs() {
    let mut samples = FloatSamples::new();
    let (word, long) = (TestFormat::new(32, 23), TestFormat::new(64, 52));
    let properties = [
        Property::Finite,
        Property::Infinite,
        Property::Number,
        Property::NotANumber,
        Property::Normal,
        Property::Subnormal,
    ];
    for _ in 0..COUNT {
        let (a, b) = (samples.operand(&word) as u32, samples.operand(&word) as u32);
        let (c, d) = (samples.operand(&long), samples.operand(&long));
        for property in properties {
            assert_eq!(compare::has_single(property, a), has::<ieee::Single>(property, a.into()));
            assert_eq!(compare::has_double(property, c), has::<ieee::Double>(property, c));
        }
        let value = f32::from_bits(a);
        assert_eq!(compare::selects_first(false, a), value >= 0.0);
        assert_eq!(compare::selects_first(true, a), value >= 0.0 || value.is_subnormal());
        assert_eq!(single::copysign(a, b) >> 31, a >> 31);
        assert_eq!(single::copysign(a, b) << 1, b << 1);
        assert_eq!(double::copysign(c, d) >> 63, c >> 63);
        assert_eq!(double::copysign(c, d) << 1, d << 1);
        let flushed = if value.is_subnormal() { 0 } else { a << 1 };
        let magnitude = if value.is_nan() { single::NAN << 1 } else { flushed };
        assert_eq!(single::abs(true, a) << 1, magnitude);
        assert_eq!(single::neg(true, a) << 1, magnitude);
        assert_eq!(single::neg(true, a) >> 31, if value.is_nan() { 0 } else { !a >> 31 });
        let h = a as u16;
        let expected = if half::is_nan::<F16>(h) { half::NAN } else { h ^ 0x8000 };
        assert_eq!(half::neg::<F16>(false, h), expected);
        assert_eq!(half::abs::<F16>(false, h), expected & 0x7fff);
        let pair = packed::half_pair1(a, |h| half::neg::<F16>(false, h));
        assert_eq!(packed::halves(pair), packed::halves(a).map(|h| half::neg::<F16>(false, h)));
        let sums = packed::single_pair2(c, d, |a, b| a.wrapping_sub(b));
        assert_eq!(sums as u32, (c as u32).wrapping_sub(d as u32));
        assert_eq!((sums >> 32) as u32, ((c >> 32) as u32).wrapping_sub((d >> 32) as u32));
        let product = packed::half_pair3(a, b, a, |a, b, c| a.wrapping_mul(b) ^ c);
        assert_eq!(product >> 16, (a >> 16).wrapping_mul(b >> 16) & 0xffff ^ a >> 16);
        let three = packed::single_pair3(c, d, c, |a, b, c| a ^ b.wrapping_add(c));
        assert_eq!(three as u32, c as u32 ^ (d as u32).wrapping_add(c as u32));
        let two = packed::half_pair2(a, b, |a, b| a & b);
        assert_eq!(two, a & b);
    }
}
