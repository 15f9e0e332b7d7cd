//! Arithmetic of `.f16` and `.bf16` (manual 9.7.4), generic over the [`Half`] format.
//!
//! Both formats are computed in wider ones. `.f32` represents every product exactly, and rounding a sum to it first is
//! harmless, because it has more than twice the bits plus two. A fused operation uses `f64`, rounded to odd, so that only one
//! rounding has an effect.

use super::{Clamp, FloatModifiers, FloatRounding, is_flushed, single};
use crate::values::Marks;

/// A format of 16 bits.
pub trait Half: Copy {
    /// The bits of infinity: all ones in the exponent.
    const INFINITY: u16;
    /// 1.0.
    const ONE: u16;
    /// The smallest normal number.
    const NORMAL: f64;
    /// Bits of the mantissa, including the hidden one.
    const PRECISION: i32;

    /// Returns the same number as `.f32`. A NaN stays a NaN, with unspecified bits.
    fn widen(a: u16) -> f32;

    /// Returns the nearest number, ties to even; NaN becomes [`NAN`].
    fn nearest(a: f32) -> u16;
}

/// The NaN that arithmetic returns in either format (open in the manual; folded `neg.f16` and hardware return this one).
pub const NAN: u16 = 0x7fff;

const SIGN: u16 = 0x8000;

/// `.f16`: 5 bits of exponent, 10 of mantissa.
#[derive(Debug, Clone, Copy)]
pub struct F16;

/// `.bf16`: the upper half of an `.f32`.
#[derive(Debug, Clone, Copy)]
pub struct Bf16;

impl Half for F16 {
    const INFINITY: u16 = 0x7c00;
    const ONE: u16 = 0x3c00;
    const NORMAL: f64 = 1.0 / 16384.0;
    const PRECISION: i32 = 11;

    #[inline(always)]
    fn widen(a: u16) -> f32 {
        let sign = u32::from(a & SIGN) << 16;
        let magnitude = u32::from(a & !SIGN) << 13;
        // 2^112 compensates the difference of the biases, for subnormal numbers too.
        let scaled = (f32::from_bits(magnitude) * f32::from_bits(0x7780_0000)).to_bits();
        f32::from_bits(sign | if magnitude >= 0x0f80_0000 { magnitude | 0x7f80_0000 } else { scaled })
    }

    #[inline(always)]
    fn nearest(a: f32) -> u16 {
        let bits = a.to_bits();
        let magnitude = bits & 0x7fff_ffff;
        // The last bit of 0.5 in `.f32` has the same weight as that of a subnormal `.f16`, so the addition rounds.
        let subnormal = (f32::from_bits(magnitude) + 0.5).to_bits().wrapping_sub(0x3f00_0000);
        let even = magnitude >> 13 & 1;
        let normal = magnitude.wrapping_sub(0x3800_0000).wrapping_add(0xfff + even) >> 13;
        let finite = if magnitude < 0x3880_0000 { subnormal } else { normal };
        let number = if magnitude >= 0x4780_0000 { 0x7c00 } else { finite };
        if magnitude > 0x7f80_0000 { NAN } else { (bits >> 16) as u16 & SIGN | number as u16 }
    }
}

impl Half for Bf16 {
    const INFINITY: u16 = 0x7f80;
    const ONE: u16 = 0x3f80;
    const NORMAL: f64 = f32::MIN_POSITIVE as f64;
    const PRECISION: i32 = 8;

    #[inline(always)]
    fn widen(a: u16) -> f32 {
        f32::from_bits(u32::from(a) << 16)
    }

    #[inline(always)]
    fn nearest(a: f32) -> u16 {
        let bits = a.to_bits();
        let even = bits >> 16 & 1;
        let rounded = (bits.wrapping_add(0x7fff + even) >> 16) as u16;
        if single::is_nan(bits) { NAN } else { rounded }
    }
}

/// Whether the bits are those of a NaN.
#[inline(always)]
pub fn is_nan<H: Half>(a: u16) -> bool {
    a & !SIGN > H::INFINITY
}

/// Returns the marks of exact arithmetic: the bits of a NaN are unspecified.
#[inline(always)]
pub fn marks<H: Half>(result: u16) -> Marks {
    if is_nan::<H>(result) { Marks::UNSPECIFIED } else { Marks::NONE }
}

/// Replaces a subnormal number by a zero of the same sign.
#[inline(always)]
pub fn flush<H: Half>(a: u16) -> u16 {
    if a & H::INFINITY == 0 { a & SIGN } else { a }
}

#[inline(always)]
pub(super) fn operand<H: Half>(ftz: bool, a: u16) -> f32 {
    H::widen(if ftz { flush::<H>(a) } else { a })
}

/// Rounds a value to the format in any direction; the value may have been rounded to odd.
#[inline(always)]
pub(super) fn round<H: Half>(rounding: FloatRounding, value: f32) -> u16 {
    let bits = H::nearest(value);
    let back = H::widen(bits);
    let (inward, outward) = (bits.wrapping_sub(1), bits.wrapping_add(1));
    let negative = bits & SIGN != 0;
    match rounding {
        FloatRounding::Nearest => bits,
        FloatRounding::Zero if back.abs() > value.abs() => inward,
        FloatRounding::Zero => bits,
        FloatRounding::Down if back > value => [inward, outward][usize::from(negative)],
        FloatRounding::Up if back < value => [outward, inward][usize::from(negative)],
        FloatRounding::Down | FloatRounding::Up => bits,
    }
}

/// Rounds, flushes and clamps a value of `.f32` (exact, or rounded to odd).
#[inline(always)]
pub(super) fn finish<H: Half>(m: FloatModifiers, value: f32) -> u16 {
    let rounded = round::<H>(m.rounding, value);
    let flushed = m.ftz && is_flushed(m.rounding, f64::from(value), H::NORMAL, H::PRECISION);
    let result = if flushed { rounded & SIGN } else { rounded };
    let is_nan = value.is_nan();
    // The lower bound of `.sat` and `.relu` is +0, so -0 becomes +0 too.
    let positive = if result & SIGN != 0 || is_nan { 0 } else { result };
    match m.clamp {
        Clamp::None => result,
        Clamp::Saturate if positive > H::ONE => H::ONE,
        Clamp::Saturate => positive,
        Clamp::Relu if is_nan => NAN,
        Clamp::Relu => positive,
    }
}

/// `add{.rn}{.ftz}{.sat}`.
#[inline(always)]
pub fn add<H: Half>(m: FloatModifiers, a: u16, b: u16) -> u16 {
    finish::<H>(m.rounding(FloatRounding::Nearest), operand::<H>(m.ftz, a) + operand::<H>(m.ftz, b))
}

/// `sub{.rn}{.ftz}{.sat}`.
#[inline(always)]
pub fn sub<H: Half>(m: FloatModifiers, a: u16, b: u16) -> u16 {
    finish::<H>(m.rounding(FloatRounding::Nearest), operand::<H>(m.ftz, a) - operand::<H>(m.ftz, b))
}

/// `mul{.rn}{.ftz}{.sat}`.
#[inline(always)]
pub fn mul<H: Half>(m: FloatModifiers, a: u16, b: u16) -> u16 {
    finish::<H>(m.rounding(FloatRounding::Nearest), operand::<H>(m.ftz, a) * operand::<H>(m.ftz, b))
}

/// `fma.rnd{.ftz}{.sat}{.relu}`. For `.bf16` the assembler also accepts roundings other than `.rn`.
#[inline(always)]
pub fn fma<H: Half>(m: FloatModifiers, a: u16, b: u16, c: u16) -> u16 {
    let product = f64::from(operand::<H>(m.ftz, a)) * f64::from(operand::<H>(m.ftz, b));
    let exact = single::sum_exactly(m.rounding, product, f64::from(operand::<H>(m.ftz, c)));
    finish::<H>(m, single::round_to_odd(exact))
}

/// `fma.rnd.oob`: +0 if an operand equals `outside`, the NaN that tensor copies write for elements out of bounds. The manual
/// does not define its bits, so the copy and the caller must use the same ones.
#[inline(always)]
pub fn fma_oob<H: Half>(m: FloatModifiers, outside: u16, a: u16, b: u16, c: u16) -> u16 {
    let result = fma::<H>(m, a, b, c);
    if a == outside || b == outside || c == outside { 0 } else { result }
}

/// `neg{.ftz}`. A NaN becomes the canonical one.
#[inline(always)]
pub fn neg<H: Half>(ftz: bool, a: u16) -> u16 {
    let a = if ftz { flush::<H>(a) } else { a };
    if is_nan::<H>(a) { NAN } else { a ^ SIGN }
}

/// `abs{.ftz}`. A NaN becomes the canonical one.
#[inline(always)]
pub fn abs<H: Half>(ftz: bool, a: u16) -> u16 {
    let a = if ftz { flush::<H>(a) } else { a };
    if is_nan::<H>(a) { NAN } else { a & !SIGN }
}
