//! Conversions of one value without a fast path: any pair of scalar types with any modifiers.

use super::format::{ConversionOptions, ConversionRounding, ScalarFormat};
use super::quick;
use super::real::{FloatLayout, NumberClass, Real, RoundingDirection};

/// The binary64 NaN for a NaN of another format: the widened `0x7fffffff` (folded by `ptxas` 13.5 for `.f16` and `.bf16`).
const WIDENED_NAN: u64 = 0x7fff_ffff_e000_0000;

/// Returns the exact value of a source; with `.ftz` a subnormal `.f32` counts as zero.
fn read(from: ScalarFormat, ftz: bool, bits: u64) -> Real {
    match from {
        ScalarFormat::Integer { bits: width, signed } => {
            let bits = bits << (64 - width);
            let bits = if signed { ((bits as i64) >> (64 - width)) as u64 } else { bits >> (64 - width) };
            Real::integer(bits, signed)
        }
        ScalarFormat::F32 if ftz && FloatLayout::F32.is_subnormal(bits) => Real::zero(bits >> 31 & 1 != 0),
        ScalarFormat::F32 => FloatLayout::F32.decode(bits),
        ScalarFormat::F16 => FloatLayout::F16.decode(bits),
        ScalarFormat::Bf16 => FloatLayout::BF16.decode(bits),
        ScalarFormat::F64 => FloatLayout::F64.decode(bits),
        ScalarFormat::Tf32 => FloatLayout::F32.decode(bits & 0xffff_e000),
    }
}

/// Converts to a clamped integer. `odd_nan`: a NaN becomes the top bit alone instead of 0 (manual, 9.0 on: a source of `.f64`,
/// or a result of 64 bits).
fn to_integer(value: Real, direction: RoundingDirection, bits: u32, signed: bool, odd_nan: bool) -> u64 {
    let top = 1_u64 << (bits - 1);
    if value.class == NumberClass::Nan {
        return if odd_nan { top } else { 0 };
    }
    let magnitude = value.quanta(0, direction);
    if signed {
        if value.negative { magnitude.min(top).wrapping_neg() } else { magnitude.min(top - 1) }
    } else if value.negative {
        0
    } else {
        magnitude.min(top | (top - 1))
    }
}

/// Extends a result to 64 bits for a wider register: signed integers by their sign, all other types by zeros.
fn extend(bits: u64, to: ScalarFormat) -> u64 {
    let unused = 64 - to.bits();
    match to {
        ScalarFormat::Integer { signed: true, .. } => (((bits << unused) as i64) >> unused) as u64,
        _ => (bits << unused) >> unused,
    }
}

/// `.sat` on a floating-point result: NaN, negative numbers and -0 become +0 (folded), numbers above 1 become 1.
fn saturate_to_one(bits: u64, layout: FloatLayout) -> u64 {
    if layout.is_nan(bits) || bits & layout.sign_bit() != 0 { 0 } else { bits.min(layout.one()) }
}

/// `.relu`: the canonical NaN stays; any other result with a sign becomes +0.
#[inline]
pub(super) fn cut_negative(bits: u64, layout: FloatLayout) -> u64 {
    if !layout.is_nan(bits) && bits & layout.sign_bit() != 0 { 0 } else { bits }
}

/// An integer type of at most 64 bits.
#[derive(Debug, Clone, Copy)]
pub(super) struct IntegerFormat {
    pub(super) bits: u32,
    pub(super) signed: bool,
}

impl IntegerFormat {
    const fn scalar(self) -> ScalarFormat {
        ScalarFormat::Integer { bits: self.bits, signed: self.signed }
    }
}

/// Converts between two integer types; `.sat` clamps.
#[inline]
pub(super) fn integers(from: IntegerFormat, to: IntegerFormat, sat: bool, bits: u64) -> u64 {
    let scalar = to.scalar();
    let value = read(from.scalar(), false, bits);
    let magnitude = value.significand;
    if sat {
        return extend(to_integer(value, RoundingDirection::Zero, to.bits, to.signed, false), scalar);
    }
    extend(if value.negative { magnitude.wrapping_neg() } else { magnitude }, scalar)
}

/// Converts any source to an integer.
#[inline]
pub(super) fn float_to_integer(
    from: ScalarFormat,
    to: IntegerFormat,
    rounding: ConversionRounding,
    ftz: bool,
    bits: u64,
) -> u64 {
    let value = read(from, ftz, bits);
    let odd_nan = from == ScalarFormat::F64 || to.bits == 64;
    let result = to_integer(value, rounding.direction(), to.bits, to.signed, odd_nan);
    extend(result, to.scalar())
}

/// Returns the result for a NaN source.
fn nan(from: ScalarFormat, to: ScalarFormat, options: &ConversionOptions, bits: u64) -> u64 {
    match (from, to) {
        // The conversion is a shift, unless `.ftz` makes it arithmetic (ptxas, sm_90).
        (ScalarFormat::Bf16, ScalarFormat::F32) if !options.ftz => u64::from(quick::f32_from_bf16(bits as u32)),
        // With `.ftz` the result comes from a multiplication or addition, whose NaN is canonical (ptxas, sm_90).
        (ScalarFormat::F32, ScalarFormat::F64) if !options.ftz => quick::f64_from_f32(bits as u32),
        (ScalarFormat::F64, ScalarFormat::F32) => u64::from(quick::f32_nan_from_f64(bits)),
        (ScalarFormat::F64, ScalarFormat::F64) => bits | 1 << 51,
        (_, ScalarFormat::F64) => WIDENED_NAN,
        (_, ScalarFormat::F32) => 0x7fff_ffff,
        (_, ScalarFormat::Tf32) => FloatLayout::TF32.all_ones() << 13,
        _ => 0x7fff,
    }
}

/// Whether the machine code of a conversion with `.ftz` does not flush subnormal sources. The assembler writes `F2F.F16.F32`, or a packing
/// instruction, with and without `.ftz` (ptxas, sm_75 to sm_120); only `.rm` and `.rp` can tell the difference.
pub(super) fn keeps_subnormals(from: ScalarFormat, to: ScalarFormat, ftz: bool) -> bool {
    ftz && (from, to) == (ScalarFormat::F32, ScalarFormat::F16)
}

/// Converts any source to a floating-point type.
#[inline]
pub(super) fn to_float(from: ScalarFormat, to: ScalarFormat, options: &ConversionOptions, bits: u64) -> u64 {
    let Some(layout) = to.layout() else { return 0 };
    let ftz_to = options.ftz && to == ScalarFormat::F32;
    let rounding = options.rounding.unwrap_or(ConversionRounding::Rn);
    let direction = rounding.direction();
    let mut value = read(from, options.ftz && !keeps_subnormals(from, to, options.ftz), bits);
    // A plain copy is a move (ptxas, sm_90). Half precision is an exception: it passes through an addition, which makes its NaN
    // canonical.
    let plain = from == to && options.rounding.is_none() && !options.ftz && !options.sat;
    if plain && matches!(to, ScalarFormat::F32 | ScalarFormat::F64) {
        return bits & (u64::MAX >> (64 - to.bits()));
    }
    if value.class == NumberClass::Nan {
        return if options.sat { 0 } else { nan(from, to, options, bits) };
    }
    if rounding.is_integer() && value.class == NumberClass::Finite && value.exponent < 0 {
        value = Real::scaled(value.negative, value.quanta(0, direction), 0);
    }
    let mut result = if ftz_to && layout.is_tiny(value, direction) {
        layout.encode(Real::zero(value.negative), direction, false)
    } else {
        layout.encode(value, direction, options.satfinite)
    };
    if options.sat {
        result = saturate_to_one(result, layout);
    }
    if options.relu {
        result = cut_negative(result, layout);
    }
    if options.pzo && result == layout.sign_bit() {
        result = 0;
    }
    if to == ScalarFormat::Tf32 { result << 13 } else { result }
}
