//! The instructions with `.approx` and `.full` (manual 9.7.3.8, 9.7.3.13–22, 9.7.4.9–10).
//!
//! The manual bounds the error and leaves the bits open. The assembler folds such an instruction by the steps of its machine
//! code: scale, one function of the special function unit, scale back. For the value of that function it uses the correctly
//! rounded one, with subnormal operands and results flushed. The functions here do the same bit for bit (measured with folded
//! constants), including the errors of scaling (the last digits of `ex2` and `lg2` with subnormals, and zero for `div.approx`
//! by more than 2^126). Sine and cosine are those of the operand itself, not of the quotient by 2π that the machine code forms.
//! `tanh`, the 16-bit functions and those of `.f64` are never folded; they are correctly rounded too. Hardware differs in the
//! last bits: see [`marks1`] and [`marks2`].

use super::{
    FloatModifiers, FloatRounding, double,
    elementary::{exp2, log2, sin_cos, tanh as tanh_of},
    half::{self, Half},
    single::{self, NAN},
};
use crate::values::Marks;

const SIGN: u32 = 0x8000_0000;
const INFINITY: u32 = 0x7f80_0000;
const SMALLEST_NORMAL: f32 = f32::MIN_POSITIVE;
/// 2^126: the reciprocal of a larger number is subnormal.
const LARGE: f32 = f32::from_bits(0x7e80_0000);
/// 2^24: this factor makes every subnormal number normal.
const RAISE: f32 = 16_777_216.0;

/// Evaluates a function of the special function unit: the operand is flushed, the result is rounded to nearest and flushed.
#[inline(always)]
fn unit(a: f32, f: impl Fn(f32) -> f64) -> f32 {
    let value = f(f32::from_bits(single::flush(a.to_bits())));
    f32::from_bits(single::from_exact(FloatModifiers::RN_FTZ, value))
}

#[inline(always)]
fn unit_rcp(a: f32) -> f32 {
    unit(a, |a| 1.0 / f64::from(a))
}

/// Returns the bits of a result with a canonical NaN. The caller has already flushed subnormal numbers if necessary.
#[inline(always)]
fn bits(value: f32) -> u32 {
    if value.is_nan() { NAN } else { value.to_bits() }
}

/// `rcp.approx{.ftz}.f32`.
#[inline(always)]
pub fn rcp(ftz: bool, a: u32) -> u32 {
    let a = f32::from_bits(a);
    let subnormal = a.abs() < SMALLEST_NORMAL;
    let scale = if subnormal { RAISE } else { 1.0 };
    let scale = if a.abs() > LARGE { 0.25 } else { scale };
    bits(if ftz { unit_rcp(a) } else { unit_rcp(a * scale) * scale })
}

/// `rsqrt.approx{.ftz}.f32`.
#[inline(always)]
pub fn rsqrt(ftz: bool, a: u32) -> u32 {
    scaled(ftz, f32::from_bits(a), |a| unit(a, |a| root_reciprocal(f64::from(a))), |r| r * 4096.0)
}

/// Returns the reciprocal of the square root; a zero yields an infinity of its sign.
#[inline(always)]
fn root_reciprocal(a: f64) -> f64 {
    1.0 / a.sqrt()
}

/// `sqrt.approx{.ftz}.f32`.
#[inline(always)]
pub fn sqrt(ftz: bool, a: u32) -> u32 {
    scaled(ftz, f32::from_bits(a), |a| unit(a, |a| f64::from(a).sqrt()), |r| r * (1.0 / 4096.0))
}

/// `lg2.approx{.ftz}.f32`.
#[inline(always)]
pub fn lg2(ftz: bool, a: u32) -> u32 {
    scaled(ftz, f32::from_bits(a), |a| unit(a, logarithm), |r| r - 24.0)
}

#[inline(always)]
fn logarithm(a: f32) -> f64 {
    let number = log2(f64::from(a));
    if a > 0.0 && a < f32::INFINITY {
        number
    } else if a == 0.0 {
        f64::NEG_INFINITY
    } else if a > 0.0 {
        f64::INFINITY
    } else {
        f64::NAN
    }
}

/// Evaluates `f` for a subnormal number as for a normal one, 2^24 times as large; `undo` corrects the result.
#[inline(always)]
fn scaled(ftz: bool, a: f32, f: impl Fn(f32) -> f32, undo: impl Fn(f32) -> f32) -> u32 {
    let raise = !ftz && a.abs() < SMALLEST_NORMAL;
    let result = f(if raise { a * RAISE } else { a });
    bits(if raise { undo(result) } else { result })
}

/// `ex2.approx{.ftz}.f32`.
#[inline(always)]
pub fn ex2(ftz: bool, a: u32) -> u32 {
    let a = f32::from_bits(a);
    // If the result may be subnormal, it is the square of its root.
    let halved = !ftz && a < -126.0;
    let root = unit(if halved { a * 0.5 } else { a }, power);
    bits(if halved { root * root } else { root })
}

#[inline(always)]
fn power(a: f32) -> f64 {
    if a.is_nan() { f64::NAN } else { exp2(f64::from(a)) }
}

/// `sin.approx{.ftz}.f32`. Subnormal operands yield zero with and without `.ftz`.
#[inline(always)]
pub fn sin(_ftz: bool, a: u32) -> u32 {
    let sine = unit(f32::from_bits(a), |a| if a == 0.0 { f64::from(a) } else { sin_cos(a).0 });
    if a & INFINITY == INFINITY { NAN } else { bits(sine) }
}

/// `cos.approx{.ftz}.f32`.
#[inline(always)]
pub fn cos(_ftz: bool, a: u32) -> u32 {
    let cosine = unit(f32::from_bits(a), |a| sin_cos(a).1);
    if a & INFINITY == INFINITY { NAN } else { bits(cosine) }
}

/// `tanh.approx.f32`. Subnormal numbers are returned unchanged.
#[inline(always)]
pub fn tanh(a: u32) -> u32 {
    let number = single::round(FloatRounding::Nearest, tanh_of(f64::from(f32::from_bits(a))));
    match a & !SIGN {
        0..0x80_0000 => a,
        magnitude if magnitude > INFINITY => NAN,
        _ => number.to_bits(),
    }
}

/// `div.approx{.ftz}.f32`: `a × (1 / b)`.
#[inline(always)]
pub fn div(ftz: bool, a: u32, b: u32) -> u32 {
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    if ftz {
        return single::mul(FloatModifiers::RN_FTZ, a, unit_rcp(y).to_bits());
    }
    let scale = if y.abs() < SMALLEST_NORMAL { RAISE } else { 1.0 };
    bits(x * scale * unit_rcp(y * scale))
}

/// `div.full{.ftz}.f32`: as [`div`], but large divisors are scaled too.
#[inline(always)]
pub fn div_full(ftz: bool, a: u32, b: u32) -> u32 {
    let (x, y) = (single::operand(ftz, a), single::operand(ftz, b));
    let scale = if y.abs() < SMALLEST_NORMAL && !ftz { RAISE } else { 1.0 };
    let scale = if y.abs() > LARGE { 0.25 } else { scale };
    if ftz {
        let scaled = single::mul(FloatModifiers::RN_FTZ, a, scale.to_bits());
        return single::mul(FloatModifiers::RN_FTZ, scaled, unit_rcp(y * scale).to_bits());
    }
    bits(x * scale * unit_rcp(y * scale))
}

/// `rcp.approx.ftz.f64`: reads only the upper half of the operand and returns only the upper half of the result.
#[inline(always)]
pub fn rcp_double(a: u64) -> u64 {
    upper_half(a, |a| 1.0 / a)
}

/// `rsqrt.approx.ftz.f64`: reads only the upper half of the operand and returns only the upper half of the result.
#[inline(always)]
pub fn rsqrt_double_coarse(a: u64) -> u64 {
    upper_half(a, root_reciprocal)
}

/// Evaluates a function of the upper half of an `.f64`, rounded to the nearest upper half; subnormal operands and results are
/// flushed.
#[inline(always)]
fn upper_half(a: u64, f: impl Fn(f64) -> f64) -> u64 {
    const UPPER: u64 = 0xffff_ffff_0000_0000;
    const EXPONENT: u64 = 0x7ff0_0000_0000_0000;
    let flush = |x: u64| if x & EXPONENT == 0 { x & 1 << 63 } else { x & UPPER };
    let result = f(f64::from_bits(flush(a)));
    let odd = result.to_bits() >> 32 & 1;
    let rounded = flush(result.to_bits().wrapping_add(0x7fff_ffff + odd));
    if double::is_nan(a & UPPER) || result.is_nan() { 0x7fff_ffff_0000_0000 } else { rounded }
}

/// `rsqrt.approx.f64`, which the machine code computes with a routine: a root and a reciprocal, each correctly rounded.
#[inline(always)]
pub fn rsqrt_double(a: u64) -> u64 {
    let result = root_reciprocal(f64::from_bits(a));
    let nan = if double::is_nan(a) { double::quiet(a) } else { double::NAN };
    if result.is_nan() { nan } else { result.to_bits() }
}

/// `tanh.approx.f16` and `.bf16`.
#[inline(always)]
pub fn tanh_half<H: Half>(a: u16) -> u16 {
    let widened = H::widen(a);
    let result = half::round::<H>(FloatRounding::Nearest, single::round_to_odd(tanh_of(f64::from(widened))));
    // Zeros keep their sign; subnormals are returned unchanged, because the cubic term has no effect.
    let result = if a & !0x8000 & H::INFINITY == 0 { a } else { result };
    if half::is_nan::<H>(a) { half::NAN } else { result }
}

/// `ex2.approx.f16` and, with `ftz`, `ex2.approx.ftz.bf16`.
#[inline(always)]
pub fn ex2_half<H: Half>(ftz: bool, a: u16) -> u16 {
    let power = power(half::operand::<H>(ftz, a));
    half::finish::<H>(FloatModifiers::RN.ftz(ftz), single::round_to_odd(power))
}

/// Returns the marks of a function of one `.f32`. The manual's tables define the results for infinities and zeros.
#[inline(always)]
pub fn marks1(ftz: bool, a: u32, result: u32) -> Marks {
    let a = if ftz { single::flush(a) } else { a } & !SIGN;
    let exact = a == 0 || a == INFINITY;
    if single::is_nan(result) {
        Marks::UNSPECIFIED
    } else if exact {
        Marks::NONE
    } else {
        Marks::APPROXIMATE
    }
}

/// Returns the marks of a quotient.
#[inline(always)]
pub fn marks2(ftz: bool, a: u32, b: u32, result: u32) -> Marks {
    if marks1(ftz, a, result) == Marks::APPROXIMATE { marks1(ftz, b, result) } else { marks1(ftz, a, result) }
}

/// Returns the marks of a function of one `.f64`.
#[inline(always)]
pub fn marks_double(a: u64, result: u64) -> Marks {
    let magnitude = a & (u64::MAX >> 1);
    if double::is_nan(result) {
        // `rcp.approx.ftz.f64` and `rsqrt.approx.ftz.f64` map a NaN to the NaN that the manual names; the routine does not.
        if result == 0x7fff_ffff_0000_0000 && double::is_nan(a) { Marks::NONE } else { Marks::UNSPECIFIED }
    } else if magnitude == 0 || magnitude == 0x7ff0_0000_0000_0000 {
        Marks::NONE
    } else {
        Marks::APPROXIMATE
    }
}

/// Returns the marks of a function of one `.f16` or `.bf16`.
#[inline(always)]
pub fn marks_half<H: Half>(a: u16, result: u16) -> Marks {
    let magnitude = a & 0x7fff;
    if half::is_nan::<H>(result) {
        Marks::UNSPECIFIED
    } else if magnitude == 0 || magnitude == H::INFINITY {
        Marks::NONE
    } else {
        Marks::APPROXIMATE
    }
}
