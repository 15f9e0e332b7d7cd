//! Functions of floating-point numbers that have the same bits on every computer.
//!
//! The standard library leaves most functions of floating-point numbers to the C library of the platform, and C libraries
//! differ: the fused multiply-add of MinGW rounds twice and loses signs of zero, and hardly two of them agree on the last bit
//! of a logarithm. So a lint (`clippy.toml`) refuses those methods, and only this module may use one of them, on processors
//! that all have the instruction. Everything else that is needed comes from the library `libm`, which is written in Rust, or from
//! the arithmetic that IEEE 754 fixes: `+`, `-`, `*`, `/`, square roots, comparisons and conversions.
//!
//! The bits of a NaN remain open here; PTX has rules of its own for them.

/// `fmod` returns the exact remainder of a division with the sign of the dividend, which `%` leaves to the C library; `ldexp` a number
/// times a power of two; `log2` the logarithm to base 2.
pub use libm::{fmod, ldexp, log2};

/// A way to compute `a × b + c` with a single rounding, to nearest.
pub trait FusedMultiplyAdd: Copy + Send + Sync + 'static {
    /// `a × b + c` of single precision.
    fn single(self, a: f32, b: f32, c: f32) -> f32;
    /// `a × b + c` of double precision.
    fn double(self, a: f64, b: f64, c: f64) -> f64;
}

/// The instruction of the processor. A value of this type proves that the processor has it.
///
/// A loop that is compiled for such a processor gets the instruction inline, and for vectors. Other code calls it.
#[derive(Debug, Clone, Copy)]
pub struct FusedInstruction(());

impl FusedInstruction {
    /// Whether the processor that runs the program has the instruction. An x86-64 may lack it (those before 2013 do), a 64-bit
    /// ARM never, WebAssembly always.
    #[inline]
    pub fn detect() -> Option<Self> {
        #[cfg(target_arch = "x86_64")]
        let found = is_x86_feature_detected!("fma");
        #[cfg(not(target_arch = "x86_64"))]
        let found = cfg!(target_arch = "aarch64");
        found.then_some(Self(()))
    }
}

impl FusedMultiplyAdd for FusedInstruction {
    #[inline(always)]
    fn single(self, a: f32, b: f32, c: f32) -> f32 {
        instruction::single(self, a, b, c)
    }

    #[inline(always)]
    fn double(self, a: f64, b: f64, c: f64) -> f64 {
        instruction::double(self, a, b, c)
    }
}

/// Not `mul_add`: without optimisation that is a function of its own, which is compiled for any processor and calls the C library.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod instruction {
    use super::FusedInstruction;
    use std::arch::x86_64::{_mm_cvtsd_f64, _mm_cvtss_f32, _mm_fmadd_sd, _mm_fmadd_ss, _mm_set_sd, _mm_set_ss};

    #[target_feature(enable = "fma")]
    #[inline]
    fn single_inline(a: f32, b: f32, c: f32) -> f32 {
        _mm_cvtss_f32(_mm_fmadd_ss(_mm_set_ss(a), _mm_set_ss(b), _mm_set_ss(c)))
    }

    #[target_feature(enable = "fma")]
    #[inline]
    fn double_inline(a: f64, b: f64, c: f64) -> f64 {
        _mm_cvtsd_f64(_mm_fmadd_sd(_mm_set_sd(a), _mm_set_sd(b), _mm_set_sd(c)))
    }

    #[inline(always)]
    pub(super) fn single(_: FusedInstruction, a: f32, b: f32, c: f32) -> f32 {
        // SAFETY: `FusedInstruction::detect`, which has found the instruction, is the only place that makes a value.
        unsafe { single_inline(a, b, c) }
    }

    #[inline(always)]
    pub(super) fn double(_: FusedInstruction, a: f64, b: f64, c: f64) -> f64 {
        // SAFETY: as above.
        unsafe { double_inline(a, b, c) }
    }
}

#[cfg(target_arch = "aarch64")]
#[expect(clippy::disallowed_methods, reason = "every processor of this kind has the instruction")]
mod instruction {
    use super::FusedInstruction;

    #[inline(always)]
    pub(super) fn single(_: FusedInstruction, a: f32, b: f32, c: f32) -> f32 {
        a.mul_add(b, c)
    }

    #[inline(always)]
    pub(super) fn double(_: FusedInstruction, a: f64, b: f64, c: f64) -> f64 {
        a.mul_add(b, c)
    }
}

/// Nothing has the instruction, so nothing gets here.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod instruction {
    use super::{FusedArithmetic, FusedInstruction, FusedMultiplyAdd};

    pub(super) fn single(_: FusedInstruction, a: f32, b: f32, c: f32) -> f32 {
        FusedArithmetic.single(a, b, c)
    }

    pub(super) fn double(_: FusedInstruction, a: f64, b: f64, c: f64) -> f64 {
        FusedArithmetic.double(a, b, c)
    }
}

/// The same result from ordinary arithmetic, for processors without the instruction.
#[derive(Debug, Clone, Copy)]
pub struct FusedArithmetic;

impl FusedMultiplyAdd for FusedArithmetic {
    #[inline(always)]
    fn single(self, a: f32, b: f32, c: f32) -> f32 {
        // The product is exact in `f64`, and its sum is rounded to odd there, so that rounding it again is rounding once.
        let (sum, error) = two_sum(f64::from(a) * f64::from(b), f64::from(c));
        to_odd(sum, error) as f32
    }

    #[inline]
    fn double(self, a: f64, b: f64, c: f64) -> f64 {
        libm::fma(a, b, c)
    }
}

/// Chooses at run time, for code that is not compiled for either.
impl FusedMultiplyAdd for Option<FusedInstruction> {
    #[inline]
    fn single(self, a: f32, b: f32, c: f32) -> f32 {
        match self {
            Some(instruction) => instruction.single(a, b, c),
            None => FusedArithmetic.single(a, b, c),
        }
    }

    #[inline]
    fn double(self, a: f64, b: f64, c: f64) -> f64 {
        match self {
            Some(instruction) => instruction.double(a, b, c),
            None => FusedArithmetic.double(a, b, c),
        }
    }
}

/// Returns `a + b` rounded to nearest and the exact rounding error (Knuth). The sum must not overflow.
#[inline(always)]
pub(crate) fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let from_b = sum - a;
    let from_a = sum - from_b;
    (sum, (a - from_a) + (b - from_b))
}

/// Returns the neighbour of `rounded + error` with an odd last bit, or `rounded` if `error` is zero. A further rounding to a
/// format with at least two bits less then yields the correctly rounded exact value, in every direction.
#[inline(always)]
pub(crate) fn to_odd(rounded: f64, error: f64) -> f64 {
    let bits = rounded.to_bits();
    // Not `error != 0.0`: the error of an infinite sum is NaN.
    let inexact = error.abs() > 0.0;
    let outward = (error > 0.0) == (rounded > 0.0);
    let neighbour = if outward { bits.wrapping_add(1) } else { bits.wrapping_sub(1) };
    f64::from_bits(if inexact && bits & 1 == 0 { neighbour } else { bits })
}
