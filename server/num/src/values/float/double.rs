//! Arithmetic of `.f64` (manual 9.7.3), which has neither `.ftz` nor `.sat`.
//!
//! NaN: the manual only says that payloads are supported. Here the first NaN operand is returned, made quiet, and an invalid
//! operation returns 0xfff8000000000000; both are marked unspecified. This is not measured: the assembler does not fold such
//! operations.

use super::{FloatRounding, exact::Exact};
use crate::math::FusedMultiplyAdd;
use crate::values::Marks;

/// The NaN of an invalid operation.
pub const NAN: u64 = 0xfff8_0000_0000_0000;
/// 1.0.
pub const ONE: u64 = 0x3ff0_0000_0000_0000;

const SIGN: u64 = 1 << 63;
const INFINITY: u64 = 0x7ff0_0000_0000_0000;
const QUIET: u64 = 0x0008_0000_0000_0000;

/// Whether the bits are those of a NaN.
#[inline(always)]
pub const fn is_nan(a: u64) -> bool {
    a & !SIGN > INFINITY
}

/// Returns the marks of a result: the bits of a NaN are not fully specified.
#[inline(always)]
pub fn marks(result: u64) -> Marks {
    if is_nan(result) { Marks::UNSPECIFIED } else { Marks::NONE }
}

/// Returns a NaN made quiet.
#[inline(always)]
pub(super) const fn quiet(nan: u64) -> u64 {
    nan | QUIET
}

#[inline(always)]
fn is_finite(a: u64) -> bool {
    a & INFINITY != INFINITY
}

/// Returns the result of an operation from the host's result: a NaN is replaced by the one that PTX returns.
#[inline(always)]
fn finish(value: f64, operands: [u64; 3]) -> u64 {
    let [a, b, c] = operands;
    let nan = if is_nan(a) {
        quiet(a)
    } else if is_nan(b) {
        quiet(b)
    } else if is_nan(c) {
        quiet(c)
    } else {
        NAN
    };
    if value.is_nan() { nan } else { value.to_bits() }
}

/// `add.rnd.f64`.
#[inline(always)]
pub fn add(rounding: FloatRounding, a: u64, b: u64) -> u64 {
    if rounding != FloatRounding::Nearest && is_finite(a) && is_finite(b) {
        return add_directed(rounding, a, b);
    }
    finish(f64::from_bits(a) + f64::from_bits(b), [a, b, 0])
}

/// `sub.rnd.f64`.
#[inline(always)]
pub fn sub(rounding: FloatRounding, a: u64, b: u64) -> u64 {
    // A NaN keeps its sign.
    if is_nan(b) { add(rounding, a, b) } else { add(rounding, a, b ^ SIGN) }
}

/// `mul.rnd.f64`.
#[inline(always)]
pub fn mul(rounding: FloatRounding, a: u64, b: u64) -> u64 {
    if rounding != FloatRounding::Nearest && is_finite(a) && is_finite(b) {
        return mul_directed(rounding, a, b);
    }
    finish(f64::from_bits(a) * f64::from_bits(b), [a, b, 0])
}

/// `fma.rnd.f64` and `mad.rnd.f64`. `fused` computes it where it is rounded to nearest.
#[inline(always)]
pub fn fma(fused: impl FusedMultiplyAdd, rounding: FloatRounding, a: u64, b: u64, c: u64) -> u64 {
    if rounding != FloatRounding::Nearest && is_finite(a) && is_finite(b) && is_finite(c) {
        return fma_exactly(rounding, a, b, c);
    }
    finish(fused.double(f64::from_bits(a), f64::from_bits(b), f64::from_bits(c)), [a, b, c])
}

/// `div.rnd.f64`.
#[inline(always)]
pub fn div(rounding: FloatRounding, a: u64, b: u64) -> u64 {
    if rounding != FloatRounding::Nearest && is_finite(a) && is_finite(b) && b & !SIGN != 0 {
        return div_directed(rounding, a, b);
    }
    finish(f64::from_bits(a) / f64::from_bits(b), [a, b, 0])
}

/// `rcp.rnd.f64`.
#[inline(always)]
pub fn rcp(rounding: FloatRounding, a: u64) -> u64 {
    div(rounding, ONE, a)
}

/// `sqrt.rnd.f64`.
#[inline(always)]
pub fn sqrt(rounding: FloatRounding, a: u64) -> u64 {
    if rounding != FloatRounding::Nearest && a < INFINITY && a != 0 {
        return Exact::of(a).root().round(rounding);
    }
    finish(f64::from_bits(a).sqrt(), [a, 0, 0])
}

#[inline(never)]
fn add_directed(rounding: FloatRounding, a: u64, b: u64) -> u64 {
    Exact::of(a).sum(Exact::of(b), rounding).round(rounding)
}

#[inline(never)]
fn mul_directed(rounding: FloatRounding, a: u64, b: u64) -> u64 {
    Exact::of(a).product(Exact::of(b)).round(rounding)
}

/// Computes the fused operation in whole numbers, for finite operands.
#[inline(never)]
pub(super) fn fma_exactly(rounding: FloatRounding, a: u64, b: u64, c: u64) -> u64 {
    Exact::of(a).product(Exact::of(b)).sum(Exact::of(c), rounding).round(rounding)
}

#[inline(never)]
fn div_directed(rounding: FloatRounding, a: u64, b: u64) -> u64 {
    Exact::of(a).quotient(Exact::of(b)).round(rounding)
}

/// `neg.f64`: changes only the sign, of a NaN too (unspecified by the manual; folded so).
#[inline(always)]
pub fn neg(a: u64) -> u64 {
    a ^ SIGN
}

/// `abs.f64`. The manual (9.7.3.9) returns a NaN unchanged; the assembler clears its sign when it folds.
#[inline(always)]
pub fn abs(a: u64) -> u64 {
    if is_nan(a) { a } else { a & !SIGN }
}

/// `copysign.f64`: `b` with the sign of `a`.
#[inline(always)]
pub fn copysign(a: u64, b: u64) -> u64 {
    a & SIGN | b & !SIGN
}
