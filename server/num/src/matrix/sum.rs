//! The sum of a tensor core: terms aligned to the greatest exponent, truncated, added, rounded once.

use super::element::{MatrixElementType, Traits, UnpackedFloat};
use super::numerics::{SumRounding, SumRule};

/// The NaN that hardware returns in single precision: all bits set except the sign (arXiv 2511.10909).
const NAN_F32: u32 = 0x7fff_ffff;
/// The NaN that hardware returns in half precision.
const NAN_F16: u32 = 0x7fff;

/// Bounds on the terms of a sum, to decide whether the manual determines the result.
///
/// The manual requires at least the accuracy of the accumulator, in any order of additions. If every partial sum of the terms
/// fits into the accumulator without losing a bit, all implementations return the same result. Otherwise the result is
/// unspecified. These bounds are slightly stricter, so that they can be computed for whole rows and columns.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SumCertainty {
    /// Weight of the lowest set bit of any term, as an exponent of two; `i32::MAX` if all terms are zero.
    pub least: i32,
    /// An upper bound of the sum of the terms' magnitudes.
    pub total: f64,
}

impl SumCertainty {
    /// Returns the bounds of a single number.
    #[inline]
    pub fn of(number: UnpackedFloat, fraction_bits: u32) -> Self {
        let magnitude = number.significand.unsigned_abs();
        if magnitude == 0 {
            return Self { least: i32::MAX, total: 0.0 };
        }
        let unit = number.exponent - fraction_bits as i32;
        let least = unit + magnitude.trailing_zeros() as i32;
        Self { least, total: f64::from(magnitude) * power_of_two(unit) }
    }

    /// Returns the bounds of a group of products: `size` is the sum of their magnitudes in units of 2^`unit`, and no product
    /// has a bit below that unit.
    pub fn of_group(size: f64, unit: i32) -> Self {
        Self { least: unit, total: size * power_of_two(unit) }
    }

    /// Returns the bounds of the terms multiplied by 2^`exponent`.
    #[inline]
    pub fn scaled(self, exponent: i32) -> Self {
        if self.least == i32::MAX {
            return self;
        }
        Self { least: self.least + exponent, total: self.total * power_of_two(exponent) }
    }

    /// Returns the bounds of both groups of terms together.
    #[inline]
    pub fn and(self, other: Self) -> Self {
        Self { least: self.least.min(other.least), total: self.total + other.total }
    }

    /// Whether every order of additions yields the same result in an accumulator.
    #[inline]
    pub fn is_certain(&self, accumulator: SumRounding) -> bool {
        if self.least == i32::MAX {
            return true;
        }
        // Number of significant bits, the least weight of a bit, the greatest number.
        let (bits, least, greatest) = match accumulator {
            SumRounding::F32TowardZero => (24, -149, f64::from(f32::MAX)),
            SumRounding::F32With13Bits => (14, -139, f64::from(f32::MAX)),
            SumRounding::F16NearestEven => (11, -24, 65504.0),
        };
        self.least >= least && self.total <= greatest && self.total <= power_of_two(self.least + bits)
    }
}

/// Returns 2^`exponent`, clamped to the range of normal `f64` numbers.
#[inline]
pub(crate) fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023).clamp(1, 2046) as u64) << 52)
}

/// Returns the bits of a NaN or infinite sum, given the union of the terms' [`Traits`]; `None` if all terms are finite.
#[inline]
pub(crate) fn special(traits: u8, rounding: SumRounding) -> Option<u32> {
    let f16 = rounding == SumRounding::F16NearestEven;
    let infinities = traits & (Traits::POSITIVE_INFINITY | Traits::NEGATIVE_INFINITY);
    if traits & Traits::NAN != 0 || infinities == Traits::POSITIVE_INFINITY | Traits::NEGATIVE_INFINITY {
        return Some(if f16 { NAN_F16 } else { NAN_F32 });
    }
    match (infinities, f16) {
        (0, _) => None,
        (Traits::POSITIVE_INFINITY, true) => Some(0x7c00),
        (_, true) => Some(0xfc00),
        (Traits::POSITIVE_INFINITY, false) => Some(0x7f80_0000),
        (_, false) => Some(0xff80_0000),
    }
}

/// Returns the [`Traits`] of a product that is NaN or infinite; 0 if both factors are finite.
pub(crate) fn special_product(a: UnpackedFloat, b: UnpackedFloat) -> u8 {
    let any = a.traits | b.traits;
    let infinite = |n: UnpackedFloat| n.traits & (Traits::POSITIVE_INFINITY | Traits::NEGATIVE_INFINITY) != 0;
    if any & Traits::NAN != 0 || (infinite(a) || infinite(b)) && any & Traits::ZERO != 0 {
        return Traits::NAN;
    }
    match (infinite(a) || infinite(b), a.negative != b.negative) {
        (false, _) => 0,
        (true, false) => Traits::POSITIVE_INFINITY,
        (true, true) => Traits::NEGATIVE_INFINITY,
    }
}

/// The accumulator at the beginning of a block.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Accumulator {
    /// The decoded number.
    pub number: UnpackedFloat,
    /// Bits of its significand after the point.
    pub fraction_bits: u32,
}

impl Accumulator {
    /// Decodes the accumulator from the bits of an element. A half is used as is in a sum of halves. In a sum of singles it is
    /// converted to a single, which normalises its subnormal numbers (arXiv 2511.10909: C is converted to the type of D first).
    #[inline]
    pub fn new(bits: u64, element: MatrixElementType, rounding: SumRounding) -> Self {
        let number = element.decode(bits);
        let fraction_bits = element.fraction_bits();
        if element == MatrixElementType::F16 && rounding != SumRounding::F16NearestEven {
            return Self { number, fraction_bits }.normalised();
        }
        Self { number, fraction_bits }
    }

    /// Returns the bounds of the accumulator.
    #[inline]
    pub fn certainty(self) -> SumCertainty {
        SumCertainty::of(self.number, self.fraction_bits)
    }

    fn normalised(self) -> Self {
        let (mut number, mut fraction_bits) = (self.number, self.fraction_bits);
        let magnitude = number.significand.unsigned_abs();
        if magnitude != 0 {
            let missing = (magnitude.leading_zeros() + fraction_bits + 1).saturating_sub(32);
            number.significand <<= missing;
            number.exponent -= missing as i32;
            fraction_bits = self.fraction_bits;
        }
        Self { number, fraction_bits }
    }
}

/// Returns the greatest exponent of the products that are not zero. A zero factor has the exponent `ZERO_FACTOR_EXPONENT`, so that it never
/// wins.
#[inline]
fn greatest(a: &[i16], b: &[i16]) -> i32 {
    a.iter().zip(b).map(|(a, b)| a.wrapping_add(*b)).max().unwrap_or(i16::MIN).into()
}

/// Exponent of a zero factor: its sum with any other exponent is below all exponents of nonzero products.
pub(crate) const ZERO_FACTOR_EXPONENT: i16 = -8000;

/// The significands and exponents of some factors of a line, equally many of each.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FactorRow<'f> {
    pub significands: &'f [i32],
    pub exponents: &'f [i16],
}

/// A term of a sum: `significand * 2^(exponent - term_bits)`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SumTerm {
    pub significand: i64,
    pub exponent: i32,
}

/// Returns the rounded sum of a block of products and the accumulator; all of them must be finite.
///
/// `a` and `b` have equally many factors. `product_bits` is the number of bits after the point
/// of their products, at most the number that the rule keeps. `zeros` tells whether one of the products is zero. `scale` is
/// added to the exponents of all products.
#[inline]
pub(crate) fn block(
    a: FactorRow<'_>,
    b: FactorRow<'_>,
    c: Accumulator,
    rule: &SumRule,
    product_bits: u32,
    zeros: bool,
    scale: i32,
) -> u32 {
    let products = greatest(a.exponents, b.exponents);
    let mut top = if products < i32::from(ZERO_FACTOR_EXPONENT) / 2 { i32::MIN } else { products + scale };
    let c_is_zero = c.number.significand == 0;
    if zeros || c_is_zero {
        top = top.max(rule.zero_exponent);
    }
    if !c_is_zero {
        top = top.max(c.number.exponent);
    }
    let unit = top - rule.fraction_bits as i32;
    let up = rule.fraction_bits - product_bits;
    let base = top - scale;
    let mut sum = aligned(c.number.significand.into(), c.fraction_bits, c.number.exponent, unit);
    // Products are below 4 and have at most 25 bits after the point, so sixteen of them fit into 32 bits with their sign.
    let a = a.significands.chunks(16).zip(a.exponents.chunks(16));
    let b = b.significands.chunks(16).zip(b.exponents.chunks(16));
    for ((a, ea), (b, eb)) in a.zip(b) {
        let mut part = 0i32;
        for ((a, ea), (b, eb)) in a.iter().zip(ea).zip(b.iter().zip(eb)) {
            let product = a.wrapping_mul(*b);
            // The exponent of a zero product is far below; any shift does for it.
            let down = (base - i32::from(ea.wrapping_add(*eb))).min(31) as u32;
            let term = (product.unsigned_abs() << up).wrapping_shr(down) as i32;
            let sign = product >> 31;
            part = part.wrapping_add((term ^ sign).wrapping_sub(sign));
        }
        sum += i64::from(part);
    }
    round(sum, unit, rule.rounding)
}

/// Returns a term in whole units of 2^`unit`, truncated toward zero.
#[inline]
fn aligned(significand: i64, fraction_bits: u32, exponent: i32, unit: i32) -> i64 {
    if significand == 0 {
        return 0;
    }
    let up = exponent - fraction_bits as i32 - unit;
    if up >= 0 {
        // The shift is at most the number of bits that the rule keeps, because the exponent is at most the greatest one.
        return significand << up.min(40);
    }
    let magnitude = (significand.unsigned_abs() >> up.unsigned_abs().min(63)) as i64;
    if significand < 0 { -magnitude } else { magnitude }
}

/// Returns the rounded sum of separate terms and the accumulator. The exponents of all terms count for the alignment.
pub(crate) fn terms(terms: &[SumTerm], term_bits: u32, c: Accumulator, rule: &SumRule) -> u32 {
    let c_exponent = if c.number.significand == 0 { rule.zero_exponent } else { c.number.exponent };
    let top = terms.iter().map(|t| t.exponent).fold(c_exponent, i32::max);
    let unit = top - rule.fraction_bits as i32;
    let mut sum = aligned(c.number.significand.into(), c.fraction_bits, c_exponent, unit);
    for term in terms {
        sum += aligned(term.significand, term_bits, term.exponent, unit);
    }
    round(sum, unit, rule.rounding)
}

/// Rounds `sum * 2^unit` to the bits of an element.
#[inline]
pub(crate) fn round(sum: i64, unit: i32, rounding: SumRounding) -> u32 {
    if sum == 0 {
        return 0;
    }
    let (fraction_bits, least, bias, nearest) = match rounding {
        SumRounding::F32TowardZero => (23, -126, 127, false),
        SumRounding::F32With13Bits => (13, -126, 127, false),
        SumRounding::F16NearestEven => (10, -14, 15, true),
    };
    let magnitude = sum.unsigned_abs();
    let exponent = (63 - magnitude.leading_zeros() as i32 + unit).max(least);
    let down = exponent - fraction_bits - unit;
    let significand = if down <= 0 {
        magnitude << down.unsigned_abs().min(63)
    } else if down > 63 {
        0
    } else {
        let kept = magnitude >> down;
        let rest = magnitude ^ (kept << down);
        let half = 1u64 << (down - 1);
        kept + u64::from(nearest && (rest > half || rest == half && kept & 1 == 1))
    };
    // `packed` has an exponent one too small; the implicit bit of the significand adds the missing one. A carry of rounding may
    // raise it again.
    let packed = ((exponent + bias - 1) as u64) << fraction_bits;
    let packed = packed + significand;
    let infinity = (2 * bias as u64 + 1) << fraction_bits;
    let bits = packed.min(infinity);
    let sign = u32::from(sum < 0);
    match rounding {
        SumRounding::F16NearestEven => bits as u32 | sign << 15,
        SumRounding::F32TowardZero => bits as u32 | sign << 31,
        SumRounding::F32With13Bits => (bits as u32) << 10 | sign << 31,
    }
}

/// Returns the sum of up to 16 products of four-bit floats, and the sum of their magnitudes, both in quarters.
pub(crate) fn group(a: FactorRow<'_>, b: FactorRow<'_>) -> (i64, i64) {
    let (mut sum, mut size) = (0, 0);
    for ((a, ea), (b, eb)) in a.significands.iter().zip(a.exponents).zip(b.significands.iter().zip(b.exponents)) {
        // Exponents of e2m1 are 0 … 2.
        let product = i64::from(a * b) << (i32::from(*ea) + i32::from(*eb)).clamp(0, 8);
        sum += product;
        size += product.abs();
    }
    (sum, size)
}

/// Adds C to a finished sum, rounded to nearest even, as `FADD` and `HADD2` do.
pub(crate) fn add_c(sum: u32, c: u32, rounding: SumRounding) -> u32 {
    if rounding == SumRounding::F16NearestEven {
        let number = |bits: u32| MatrixElementType::F16.decode(bits.into());
        let (a, b) = (number(sum), number(c));
        if let Some(bits) = special(a.traits | b.traits, rounding) {
            return bits;
        }
        if a.significand == 0 && b.significand == 0 {
            return sum & c & 0x8000;
        }
        // In units of 2^-24, the smallest half.
        let units = |n: UnpackedFloat| i64::from(n.significand) << (n.exponent + 14).clamp(0, 40);
        return round(units(a) + units(b), -24, rounding);
    }
    let result = f32::from_bits(sum) + f32::from_bits(c);
    if result.is_nan() { NAN_F32 } else { result.to_bits() }
}
