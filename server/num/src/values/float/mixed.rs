//! Operands whose precision differs from the result's (manual 9.7.5, and the forms of PTX 9.4 found with the assembler).
//!
//! The sources are widened exactly, the operation is exact, and the result is rounded once.

use super::{
    FloatModifiers, FloatRounding,
    half::{self, Bf16, F16, Half},
    packed, single,
};
use crate::math::FusedArithmetic;

/// `add.rnd{.sat}.f32.f16` and `.bf16`: `a` is narrow.
#[inline(always)]
pub fn add<H: Half>(m: FloatModifiers, a: u16, c: u32) -> u32 {
    single::add(m, H::widen(a).to_bits(), c)
}

/// `sub.rnd{.sat}.f32.f16` and `.bf16`: `a - c`, `a` is narrow.
#[inline(always)]
pub fn sub<H: Half>(m: FloatModifiers, a: u16, c: u32) -> u32 {
    single::sub(m, H::widen(a).to_bits(), c)
}

/// `fma.rnd{.sat}.f32.f16` and `.bf16`: both factors are narrow.
#[inline(always)]
pub fn fma<H: Half>(m: FloatModifiers, a: u16, b: u16, c: u32) -> u32 {
    // A product of two narrow numbers is exact in `f64`, so the processor's fused operation is not necessary.
    single::fma(FusedArithmetic, m, H::widen(a).to_bits(), H::widen(b).to_bits(), c)
}

/// `fma.rnd.f32x2.f16x2.f32x2.f32x2` and `.bf16x2`: `a` is narrow.
#[inline(always)]
pub fn fma_pair<H: Half>(m: FloatModifiers, a: u32, b: u64, c: u64) -> u64 {
    let [a0, a1] = packed::halves(a).map(|a| H::widen(a).to_bits());
    packed::single_pair3(packed::from_words([a0, a1]), b, c, |a, b, c| single::fma(FusedArithmetic, m, a, b, c))
}

/// `add{.rnd}.f32x2.f16x2.f32x2` and `.bf16x2`: `a` is narrow.
#[inline(always)]
pub fn add_pair<H: Half>(m: FloatModifiers, a: u32, c: u64) -> u64 {
    let [a0, a1] = packed::halves(a).map(|a| H::widen(a).to_bits());
    packed::single_pair2(packed::from_words([a0, a1]), c, |a, c| single::add(m, a, c))
}

/// `sub{.rnd}.f32x2.f16x2.f32x2` and `.bf16x2`: `a - c`, `a` is narrow.
#[inline(always)]
pub fn sub_pair<H: Half>(m: FloatModifiers, a: u32, c: u64) -> u64 {
    let [a0, a1] = packed::halves(a).map(|a| H::widen(a).to_bits());
    packed::single_pair2(packed::from_words([a0, a1]), c, |a, c| single::sub(m, a, c))
}

/// `add{.rz}.ftz.f16x2.f32x2.f32x2` and `add{.rz}.bf16x2.f32x2.f32x2`.
#[inline(always)]
pub fn add_narrowing<H: Half>(m: FloatModifiers, a: u64, c: u64) -> u32 {
    narrowing::<H>(m, a, c, |a, c| single::sum_exactly(m.rounding, a, c))
}

/// `sub{.rz}.ftz.f16x2.f32x2.f32x2` and `sub{.rz}.bf16x2.f32x2.f32x2`.
#[inline(always)]
pub fn sub_narrowing<H: Half>(m: FloatModifiers, a: u64, c: u64) -> u32 {
    narrowing::<H>(m, a, c, |a, c| single::sum_exactly(m.rounding, a, -c))
}

/// `mul.rz.ftz.f16x2.f32x2.f32x2` and `mul.rz.bf16x2.f32x2.f32x2`.
#[inline(always)]
pub fn mul_narrowing<H: Half>(m: FloatModifiers, a: u64, b: u64) -> u32 {
    narrowing::<H>(m, a, b, |a, b| a * b)
}

/// Applies `f` to both pairs of `.f32` elements and rounds the results (exact, or rounded to odd in `f64`) to a 16-bit format.
#[inline(always)]
fn narrowing<H: Half>(m: FloatModifiers, a: u64, b: u64, f: impl Fn(f64, f64) -> f64) -> u32 {
    let ([a0, a1], [b0, b1]) = (packed::words(a), packed::words(b));
    let one = |a, b| {
        let exact = f(f64::from(single::operand(m.ftz, a)), f64::from(single::operand(m.ftz, b)));
        half::finish::<H>(m, single::round_to_odd(exact))
    };
    packed::from_halves([one(a0, b0), one(a1, b1)])
}

/// `mul.f16x2.f16x2.bf16x2`, rounded to nearest.
#[inline(always)]
pub fn mul_f16_bf16(a: u32, b: u32) -> u32 {
    packed::half_pair2(a, b, |a, b| mul_of_both::<F16>(F16::widen(a), Bf16::widen(b)))
}

/// `mul.bf16x2.bf16x2.f16x2`, rounded to nearest.
#[inline(always)]
pub fn mul_bf16_f16(a: u32, b: u32) -> u32 {
    packed::half_pair2(a, b, |a, b| mul_of_both::<Bf16>(Bf16::widen(a), F16::widen(b)))
}

#[inline(always)]
fn mul_of_both<H: Half>(a: f32, b: f32) -> u16 {
    half::round::<H>(FloatRounding::Nearest, single::round_to_odd(f64::from(a) * f64::from(b)))
}

/// Computes `a × b + c` for four narrow numbers (`.e4m3x4`, `.e5m2x4` from sources of 8, 6 and 4 bits and `.ue8m0x4`, PTX 9.4),
/// exactly and rounded to odd in `.f32`; the caller encodes it with one rounding. The operands are decoded with
/// `values::convert`. A sum has `b` = 1, a difference a negated `c`, a product `c` = -0 (which changes no product, not even a
/// zero).
#[inline(always)]
pub fn fma4(a: [f32; 4], b: [f32; 4], c: [f32; 4]) -> [f32; 4] {
    let one = |i: usize| match (a.get(i), b.get(i), c.get(i)) {
        (Some(&a), Some(&b), Some(&c)) => {
            let sum = single::sum_exactly(FloatRounding::Nearest, f64::from(a) * f64::from(b), f64::from(c));
            single::round_to_odd(sum)
        }
        _ => f32::NAN,
    };
    std::array::from_fn(one)
}
