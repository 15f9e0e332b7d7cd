//! Arithmetic of `.f32` (manual 9.7.3).
//!
//! Sums, products, quotients and roots are exact in `f64`, or rounded to odd there, unless the native operation already yields
//! the result. `f64` has more than twice the bits and a much wider exponent, so that it neither overflows nor underflows.

use super::{Clamp, FloatModifiers, FloatRounding, is_flushed, with_zero_sign};
use crate::math::{FusedMultiplyAdd, to_odd, two_sum};
use crate::values::Marks;

/// The NaN that arithmetic of `.f32` returns (manual 9.7.3 leaves it open; hardware returns this one).
pub const NAN: u32 = 0x7fff_ffff;
/// 1.0.
pub const ONE: u32 = 0x3f80_0000;

const SIGN: u32 = 0x8000_0000;
const INFINITY: u32 = 0x7f80_0000;
/// The smallest normal number, 2^-126.
const NORMAL: f64 = f32::MIN_POSITIVE as f64;
const PRECISION: i32 = 24;

/// Whether the bits are those of a NaN.
#[inline(always)]
pub const fn is_nan(a: u32) -> bool {
    a & !SIGN > INFINITY
}

/// Returns the marks of exact arithmetic: the bits of a NaN are unspecified.
#[inline(always)]
pub fn marks(result: u32) -> Marks {
    if is_nan(result) { Marks::UNSPECIFIED } else { Marks::NONE }
}

/// Returns the marks of a result that `.ftz` may or may not flush: just below the smallest normal number, and rounded to that as a
/// subnormal number. Only `mul.rn` is folded (see `is_flushed`); nothing tells what hardware does for `fma` and for `.rm` and `.rp`.
/// `unflushed` computes the result with the given modifiers, from flushed operands.
#[inline(always)]
pub fn edge_marks(m: FloatModifiers, result: u32, unflushed: impl FnOnce(FloatModifiers) -> u32) -> Marks {
    // Without a branch, so that the loop over lanes is vectorised.
    let open = m.ftz && (result & !SIGN == 0) & (unflushed(m.ftz(false)) & !SIGN == f32::MIN_POSITIVE.to_bits());
    if open { Marks::UNSPECIFIED } else { Marks::NONE }
}

/// Replaces a subnormal number by a zero of the same sign.
#[inline(always)]
pub const fn flush(a: u32) -> u32 {
    if a & INFINITY == 0 { a & SIGN } else { a }
}

/// Returns an operand, flushed if `ftz` is set.
#[inline(always)]
pub(super) fn operand(ftz: bool, a: u32) -> f32 {
    f32::from_bits(if ftz { flush(a) } else { a })
}

/// Returns the bits of a result, clamped, with a canonical NaN.
#[inline(always)]
fn finish(clamp: Clamp, value: f32) -> u32 {
    match clamp {
        Clamp::None => {
            if value.is_nan() {
                NAN
            } else {
                value.to_bits()
            }
        }
        // The comparison is false for NaN and for -0.
        Clamp::Saturate => {
            let low = if value > 0.0 { value } else { 0.0 };
            (if low < 1.0 { low } else { 1.0 }).to_bits()
        }
        Clamp::Relu => {
            let low = if value > 0.0 { value.to_bits() } else { 0 };
            if value.is_nan() { NAN } else { low }
        }
    }
}

/// Rounds an exact value (or one rounded to odd in `f64`) to `.f32`.
#[inline(always)]
pub(super) fn round(rounding: FloatRounding, exact: f64) -> f32 {
    let nearest = exact as f32;
    let back = f64::from(nearest);
    let bits = nearest.to_bits();
    let (inward, outward) = (bits.wrapping_sub(1), bits.wrapping_add(1));
    let negative = bits & SIGN != 0;
    f32::from_bits(match rounding {
        FloatRounding::Nearest => bits,
        FloatRounding::Zero => {
            if back.abs() > exact.abs() {
                inward
            } else {
                bits
            }
        }
        FloatRounding::Down => match (back > exact, negative) {
            (false, _) => bits,
            (true, false) => inward,
            (true, true) => outward,
        },
        FloatRounding::Up => match (back < exact, negative) {
            (false, _) => bits,
            (true, false) => outward,
            (true, true) => inward,
        },
    })
}

/// Rounds an exact value to odd in `.f32`, for a final rounding to a narrower format.
#[inline(always)]
pub(super) fn round_to_odd(exact: f64) -> f32 {
    let truncated = round(FloatRounding::Zero, exact);
    let inexact = f64::from(truncated) != exact && !truncated.is_nan();
    f32::from_bits(truncated.to_bits() | u32::from(inexact))
}

/// Rounds, flushes and clamps an exact value.
#[inline(always)]
pub(super) fn from_exact(m: FloatModifiers, exact: f64) -> u32 {
    let rounded = round(m.rounding, exact);
    let flushed = m.ftz && is_flushed(m.rounding, exact, NORMAL, PRECISION);
    finish(m.clamp, if flushed { 0f32.copysign(rounded) } else { rounded })
}

/// `add.rnd{.ftz}{.sat}.f32`.
#[inline(always)]
pub fn add(m: FloatModifiers, a: u32, b: u32) -> u32 {
    let (a, b) = (operand(m.ftz, a), operand(m.ftz, b));
    if m.rounding == FloatRounding::Nearest {
        // A subnormal sum is exact, so flushing the rounded sum is correct.
        let sum = a + b;
        return finish(m.clamp, operand(m.ftz, sum.to_bits()));
    }
    from_exact(m, sum_exactly(m.rounding, f64::from(a), f64::from(b)))
}

/// `sub.rnd{.ftz}{.sat}.f32`.
#[inline(always)]
pub fn sub(m: FloatModifiers, a: u32, b: u32) -> u32 {
    add(m, a, b ^ SIGN)
}

/// `mul.rnd{.ftz}{.sat}.f32`.
#[inline(always)]
pub fn mul(m: FloatModifiers, a: u32, b: u32) -> u32 {
    let (a, b) = (operand(m.ftz, a), operand(m.ftz, b));
    if m.rounding == FloatRounding::Nearest && !m.ftz {
        return finish(m.clamp, a * b);
    }
    from_exact(m, f64::from(a) * f64::from(b))
}

/// `fma.rnd{.ftz}{.sat}.f32` and `mad.rnd.f32`: the product is exact. `fused` computes it where it is rounded to nearest.
#[inline(always)]
pub fn fma(fused: impl FusedMultiplyAdd, m: FloatModifiers, a: u32, b: u32, c: u32) -> u32 {
    let (a, b, c) = (operand(m.ftz, a), operand(m.ftz, b), operand(m.ftz, c));
    if m.rounding == FloatRounding::Nearest && !m.ftz {
        return finish(m.clamp, fused.single(a, b, c));
    }
    from_exact(m, sum_exactly(m.rounding, f64::from(a) * f64::from(b), f64::from(c)))
}

/// `mad{.sat}.f32` of `sm_1x` (manual 9.7.3.7): the product is truncated to 24 bits with an unlimited exponent, then added.
/// With a `c` of zero it is `mul` followed by `add`. Operands and result are flushed.
#[inline(always)]
pub fn mad_truncated(m: FloatModifiers, a: u32, b: u32, c: u32) -> u32 {
    let m = m.rounding(FloatRounding::Nearest).ftz(true);
    if flush(c) & !SIGN == 0 {
        return add(m, mul(m.clamp(Clamp::None), a, b), c);
    }
    let (a, b, c) = (operand(true, a), operand(true, b), operand(true, c));
    // Truncation keeps infinity and the quiet bit of a NaN, because their last bits are zero.
    let product = truncate(f64::from(a) * f64::from(b), 29);
    from_exact(m, sum_exactly(m.rounding, product, f64::from(c)))
}

/// `div.rnd{.ftz}.f32`.
#[inline(always)]
pub fn div(m: FloatModifiers, a: u32, b: u32) -> u32 {
    let (a, b) = (operand(m.ftz, a), operand(m.ftz, b));
    if m.rounding == FloatRounding::Nearest && !m.ftz {
        return finish(m.clamp, a / b);
    }
    let (a, b) = (f64::from(a), f64::from(b));
    let quotient = truncate(a / b, 25);
    // Both sides are exact: 28 and 24 bits make 52.
    from_exact(m, nudge(quotient, a.abs(), quotient.abs() * b.abs()))
}

/// `rcp.rnd{.ftz}.f32`.
#[inline(always)]
pub fn rcp(m: FloatModifiers, a: u32) -> u32 {
    div(m, ONE, a)
}

/// `sqrt.rnd{.ftz}.f32`.
#[inline(always)]
pub fn sqrt(m: FloatModifiers, a: u32) -> u32 {
    let a = operand(m.ftz, a);
    if m.rounding == FloatRounding::Nearest {
        // The root of an operand that is not flushed is far above the subnormal numbers.
        return finish(m.clamp, a.sqrt());
    }
    let a = f64::from(a);
    let root = truncate(a.sqrt(), 27);
    from_exact(m, nudge(root, a, root * root))
}

/// `neg{.ftz}.f32`. A NaN yields the canonical one, because hardware implements the instruction as an addition.
#[inline(always)]
pub fn neg(ftz: bool, a: u32) -> u32 {
    let a = if ftz { flush(a) } else { a };
    if is_nan(a) { NAN } else { a ^ SIGN }
}

/// `abs{.ftz}.f32`. A NaN yields the canonical one, because hardware implements the instruction as an addition.
#[inline(always)]
pub fn abs(ftz: bool, a: u32) -> u32 {
    let a = if ftz { flush(a) } else { a };
    if is_nan(a) { NAN } else { a & !SIGN }
}

/// `copysign.f32`: `b` with the sign of `a`.
#[inline(always)]
pub fn copysign(a: u32, b: u32) -> u32 {
    a & SIGN | b & !SIGN
}

/// Returns the sum of two terms, rounded to odd in `f64`.
#[inline(always)]
pub(super) fn sum_exactly(rounding: FloatRounding, a: f64, b: f64) -> f64 {
    let (sum, error) = two_sum(a, b);
    with_zero_sign(rounding, to_odd(sum, error), a.to_bits() | b.to_bits() == 0)
}

/// Returns `value` with its last `zeros` bits cleared.
#[inline(always)]
fn truncate(value: f64, zeros: u32) -> f64 {
    f64::from_bits(value.to_bits() & (u64::MAX << zeros))
}

/// Moves `value`, a truncated approximation, by one in the last place if the exact result differs from it: up if `reached` is
/// less than `target`, down if it is greater.
#[inline(always)]
fn nudge(value: f64, target: f64, reached: f64) -> f64 {
    let bits = value.to_bits();
    let moved = if reached < target { bits.wrapping_add(1) } else { bits };
    f64::from_bits(if reached > target { moved.wrapping_sub(1) } else { moved })
}
