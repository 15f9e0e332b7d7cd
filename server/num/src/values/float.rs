//! Floating-point arithmetic of all formats and roundings.
//!
//! Every function takes and returns bits (`u32` for `.f32`, `u64` for `.f64`, `u16` for `.f16` and `.bf16`) and gets its
//! modifiers from a [`FloatModifiers`]. The functions are inlined: with constant modifiers, `add.rn.f32` becomes one native
//! addition and one selection, and a loop over lanes becomes vector code. Directed roundings are computed exactly in software;
//! the host's rounding mode is never touched.
//!
//! | module | content |
//! |---|---|
//! | [`single`], [`double`], [`half`] | arithmetic of `.f32`, `.f64`, `.f16` and `.bf16` |
//! | [`packed`] | the same for `.f32x2`, `.f16x2`, `.bf16x2` |
//! | [`mixed`] | operands of another precision than the result |
//! | [`extremes`] | `min`, `max` |
//! | [`compare`] | `setp`, `set`, `testp`, `slct` |
//! | [`approx`] | the functions with `.approx` and `.full` |
//!
//! The marks of a result are computed separately ([`single::marks`] and similar functions), so that the arithmetic stays lean.

pub mod approx;
pub mod compare;
pub mod double;
mod elementary;
mod exact;
pub mod extremes;
pub mod half;
pub mod mixed;
pub mod packed;
pub mod single;

#[cfg(test)]
mod tests;

/// Rounding of an exact result to the format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum FloatRounding {
    /// `.rn`: to the nearest, ties to the one with an even last bit.
    #[default]
    Nearest,
    /// `.rz`: towards zero.
    Zero,
    /// `.rm`: towards minus infinity.
    Down,
    /// `.rp`: towards plus infinity.
    Up,
}

/// Clamping of a rounded result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Clamp {
    /// No clamping.
    #[default]
    None,
    /// `.sat`: into [0, 1]; NaN becomes +0.
    Saturate,
    /// `.relu`: negative numbers become +0, NaN the canonical NaN.
    Relu,
}

/// The modifiers of an arithmetic instruction. A field that an instruction does not have keeps its default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct FloatModifiers {
    /// `.rn`, `.rz`, `.rm`, `.rp`.
    pub rounding: FloatRounding,
    /// `.ftz`: subnormal operands and results become zeros of their sign. Not for `.f64`.
    pub ftz: bool,
    /// `.sat`, `.relu`.
    pub clamp: Clamp,
}

impl FloatModifiers {
    /// `.rn` and nothing else.
    pub const RN: Self = Self { rounding: FloatRounding::Nearest, ftz: false, clamp: Clamp::None };
    /// `.rn.ftz`.
    pub const RN_FTZ: Self = Self { ftz: true, ..Self::RN };
    /// `.rz` and nothing else.
    pub const RZ: Self = Self { rounding: FloatRounding::Zero, ..Self::RN };

    /// Returns these modifiers with another rounding.
    pub const fn rounding(self, rounding: FloatRounding) -> Self {
        Self { rounding, ..self }
    }

    /// Returns these modifiers with or without `.ftz`.
    pub const fn ftz(self, ftz: bool) -> Self {
        Self { ftz, ..self }
    }

    /// Returns these modifiers with `.sat`, `.relu` or neither.
    pub const fn clamp(self, clamp: Clamp) -> Self {
        Self { clamp, ..self }
    }
}

/// Whether `.ftz` flushes a result with the value `exact` (rounded to odd) in a format of `precision` bits with the smallest
/// normal number `normal`. It does if the value, rounded to that precision with an unbounded exponent, is below `normal`.
///
/// Measured with constants that the assembler folds for `mul.ftz.f32`: 0x3f000001 × 0x00fffffe is not flushed, 0x3f7fffff ×
/// 0x00800000 is flushed, though both round to `normal` as subnormals.
#[inline(always)]
fn is_flushed(rounding: FloatRounding, exact: f64, normal: f64, precision: i32) -> bool {
    // The spacing of the format directly below `normal` if its exponent were unbounded.
    let spacing = normal * f64::from_bits(((1023 - precision) as u64) << 52);
    let magnitude = exact.abs();
    let outward = match rounding {
        FloatRounding::Nearest => return magnitude < normal - spacing / 2.0,
        FloatRounding::Zero => false,
        FloatRounding::Down => exact < 0.0,
        FloatRounding::Up => exact > 0.0,
    };
    if outward { magnitude <= normal - spacing } else { magnitude < normal }
}

/// Returns `sum` with the sign of a zero sum corrected: terms of opposite sign yield +0, or -0 when rounding down.
#[inline(always)]
fn with_zero_sign(rounding: FloatRounding, sum: f64, both_positive_zero: bool) -> f64 {
    if rounding == FloatRounding::Down && sum == 0.0 && !both_positive_zero { -0.0 } else { sum }
}
