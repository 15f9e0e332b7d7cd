//! Conversions between formats: `cvt`, `cvt.pack`, narrow floating-point formats.
//!
//! Sources: manual `cvt` (9.1, and 9.4 for the later forms) and `cvt.pack`. Where the manual leaves the bits open: constants
//! folded by `ptxas` 13.5, and the machine code it emits for other operands. `.satfinite`, scales and unsigned formats also
//! follow NVIDIA's `cuda_fp8.hpp`, `cuda_fp6.hpp` and `cuda_fp4.hpp` (13.5), which define the same functions for machines
//! without the instructions.
//!
//! A conversion is selected once per instruction, not per lane. [`lift`] passes the function for one lane to a [`Lift`], which
//! can wrap it in a loop over lanes. Each function has its own type, so the compiler specialises and vectorises that loop.
//! [`compile`] boxes the function instead.
//!
//! Registers: only the low bits of a source count. The result of an integer type narrower than its 32- or 64-bit lane is
//! extended by the sign for signed types and by zeros otherwise. Results of all other types are extended by zeros. This is the
//! manual's rule for registers wider than the type. A caller that writes a 32-bit result to a 64-bit register extends it in the
//! same way ([`ConversionFormat::is_signed_integer`]), and truncates it for a narrower register.

mod format;
mod narrow;
mod packed;
pub mod quick;
mod real;
mod scalar;
#[cfg(test)]
mod tests;

pub use format::{ConversionFormat, ConversionOptions, ConversionRounding, ScalarFormat, Scaled};
pub use narrow::Narrow;
pub use packed::{Sources, pack};
pub use real::{FloatLayout, NumberClass, Real, RoundingDirection, SpecialCodes};

use super::Marks;
use packed::PackedConversion;
use quick::{DOWN, NEAREST, TOWARD_ZERO, UP};

/// Consumer of the function that converts one lane; the method depends on the widths of source and result.
pub trait Lift {
    /// Result of wrapping the function.
    type Output;
    /// From a source of up to 32 bits to a result of up to 32 bits.
    fn b32_to_b32<F: Fn(u32) -> u32 + Send + Sync + Copy + 'static>(self, function: F) -> Self::Output;
    /// From a source of up to 32 bits to a result of 64 bits.
    fn b32_to_b64<F: Fn(u32) -> u64 + Send + Sync + Copy + 'static>(self, function: F) -> Self::Output;
    /// From a source of 64 bits to a result of up to 32 bits.
    fn b64_to_b32<F: Fn(u64) -> u32 + Send + Sync + Copy + 'static>(self, function: F) -> Self::Output;
    /// From a source of 64 bits to a result of 64 bits.
    fn b64_to_b64<F: Fn(u64) -> u64 + Send + Sync + Copy + 'static>(self, function: F) -> Self::Output;
    /// From the sources `a` and `b` to a packed result of 32 bits.
    fn pair_to_b32<F: Fn(u32, u32) -> u32 + Send + Sync + Copy + 'static>(self, function: F) -> Self::Output;
    /// From all sources (with a scale, random bits, or four values) to a result of up to 32 bits.
    fn many_to_b32<F: Fn(&Sources) -> u32 + Send + Sync + Copy + 'static>(self, function: F) -> Self::Output;
}

/// Passes the function of a conversion to `lift`. Returns `None` if `cvt` has no such conversion. Does not check whether a
/// program may use it with its target and modifiers.
pub fn lift<L: Lift>(
    from: ConversionFormat,
    to: ConversionFormat,
    options: ConversionOptions,
    lift: L,
) -> Option<L::Output> {
    let (ConversionFormat::Scalar(source), ConversionFormat::Scalar(result)) = (from, to) else {
        return packed(from, to, options, lift);
    };
    let lift = match quickly(source, result, options, lift) {
        Ok(output) => return Some(output),
        Err(lift) => lift,
    };
    slowly(source, result, options, lift)
}

/// Handles the common conversions, each with a specialised function; returns `lift` as the error if there is none.
fn quickly<L: Lift>(from: ScalarFormat, to: ScalarFormat, options: ConversionOptions, lift: L) -> Result<L::Output, L> {
    use ScalarFormat::{Bf16, F16, F32, F64, Integer};
    const S8: ScalarFormat = Integer { bits: 8, signed: true };
    const S16: ScalarFormat = Integer { bits: 16, signed: true };
    const S32: ScalarFormat = Integer { bits: 32, signed: true };
    const S64: ScalarFormat = Integer { bits: 64, signed: true };
    const U8: ScalarFormat = Integer { bits: 8, signed: false };
    const U16: ScalarFormat = Integer { bits: 16, signed: false };
    const U32: ScalarFormat = Integer { bits: 32, signed: false };
    const U64: ScalarFormat = Integer { bits: 64, signed: false };

    // `.sat` from float to integer changes nothing. `.ftz` changes nothing if the result is the nearest integer or the integer
    // toward zero.
    let float_to_integer = matches!((from, to), (F32 | F64, Integer { .. }));
    let inward = matches!(options.rounding, Some(ConversionRounding::Rzi | ConversionRounding::Rni));
    let integer_to_float = matches!((from, to), (Integer { .. }, F32 | F64));
    // `.ftz` changes nothing between halves and singles either: a subnormal of one format is a normal number or zero in the
    // other.
    let half = (from, to) == (F16, F32)
        || ((from, to) == (F32, F16)
            && matches!(options.rounding, Some(ConversionRounding::Rn | ConversionRounding::Rz)));
    let idle = integer_to_float || half || (float_to_integer && inward);
    let plain = ConversionOptions { ftz: options.ftz && !idle, sat: options.sat && !float_to_integer, ..options };
    let with = |rounding| ConversionOptions { rounding, ..ConversionOptions::default() };
    if plain == with(None) {
        return Ok(match (from, to) {
            (F32, F32) => lift.b32_to_b32(|a| a),
            (F64, F64) => lift.b64_to_b64(|a| a),
            (F16, F32) => lift.b32_to_b32(quick::f32_from_f16),
            (Bf16, F32) => lift.b32_to_b32(quick::f32_from_bf16),
            (F32, F64) => lift.b32_to_b64(quick::f64_from_f32),
            // The source's sign decides how a result as wide as its lane is extended, the result type's sign decides for
            // narrower ones.
            (S64 | U64, S64 | U64) => lift.b64_to_b64(|a| a),
            (S64 | U64, S32 | U32) => lift.b64_to_b32(|a| a as u32),
            (S32 | U32, S32 | U32) => lift.b32_to_b32(|a| a),
            (S32, S64 | U64) => lift.b32_to_b64(|a| i64::from(a as i32) as u64),
            (U32, S64 | U64) => lift.b32_to_b64(u64::from),
            (S16, S64 | U64) => lift.b32_to_b64(|a| i64::from(a as i16) as u64),
            (U16, S64 | U64) => lift.b32_to_b64(|a| u64::from(a as u16)),
            (S16, S32 | U32) | (S32 | U32 | S16 | U16, S16) => lift.b32_to_b32(quick::sign_extend::<16>),
            (U16, S32 | U32) | (S32 | U32 | S16 | U16, U16) => lift.b32_to_b32(quick::zero_extend::<16>),
            (S8, S16 | S32 | U32) | (S32 | U32 | S16 | U16 | S8 | U8, S8) => lift.b32_to_b32(quick::sign_extend::<8>),
            (U8, S16 | U16 | S32 | U32) | (S32 | U32 | S16 | U16 | S8 | U8, U8) => {
                lift.b32_to_b32(quick::zero_extend::<8>)
            }
            _ => return Err(lift),
        });
    }
    if plain == with(Some(ConversionRounding::Rn)) {
        return Ok(match (from, to) {
            (S32, F32) => lift.b32_to_b32(|a| (a as i32 as f32).to_bits()),
            (U32, F32) => lift.b32_to_b32(|a| (a as f32).to_bits()),
            (S64, F32) => lift.b64_to_b32(|a| (a as i64 as f32).to_bits()),
            (U64, F32) => lift.b64_to_b32(|a| (a as f32).to_bits()),
            (S32, F64) => lift.b32_to_b64(|a| f64::from(a as i32).to_bits()),
            (U32, F64) => lift.b32_to_b64(|a| f64::from(a).to_bits()),
            (S64, F64) => lift.b64_to_b64(|a| (a as i64 as f64).to_bits()),
            (U64, F64) => lift.b64_to_b64(|a| (a as f64).to_bits()),
            (S16, F32) => lift.b32_to_b32(|a| f32::from(a as i16).to_bits()),
            (U16, F32) => lift.b32_to_b32(|a| f32::from(a as u16).to_bits()),
            (S8, F32) => lift.b32_to_b32(|a| f32::from(a as i8).to_bits()),
            (U8, F32) => lift.b32_to_b32(|a| f32::from(a as u8).to_bits()),
            (F32, F16) => lift.b32_to_b32(quick::f16_from_f32),
            (F32, Bf16) => lift.b32_to_b32(quick::bf16_from_f32),
            (F64, F32) => lift.b64_to_b32(quick::f32_from_f64),
            _ => return Err(lift),
        });
    }
    if plain == with(Some(ConversionRounding::Rna)) && (from, to) == (F32, ScalarFormat::Tf32) {
        return Ok(lift.b32_to_b32(quick::tf32_away));
    }
    if (ConversionOptions { satfinite: false, ..plain }) == with(Some(ConversionRounding::Rna))
        && (from, to) == (F32, ScalarFormat::Tf32)
    {
        return Ok(lift.b32_to_b32(quick::tf32_away_finite));
    }
    if (from, to, plain) == (F32, F32, ConversionOptions { sat: true, ..ConversionOptions::default() }) {
        return Ok(lift.b32_to_b32(quick::saturated_f32));
    }
    if plain == with(plain.rounding) {
        return match plain.rounding {
            Some(ConversionRounding::Rni) => integral::<L, NEAREST, false>(from, to, lift),
            Some(ConversionRounding::Rzi) => integral::<L, TOWARD_ZERO, false>(from, to, lift),
            Some(ConversionRounding::Rmi) => integral::<L, DOWN, false>(from, to, lift),
            Some(ConversionRounding::Rpi) => integral::<L, UP, false>(from, to, lift),
            _ => Err(lift),
        };
    }
    if from == F32 && plain == (ConversionOptions { ftz: true, ..with(plain.rounding) }) {
        return match plain.rounding {
            Some(ConversionRounding::Rni) => integral::<L, NEAREST, true>(from, to, lift),
            Some(ConversionRounding::Rzi) => integral::<L, TOWARD_ZERO, true>(from, to, lift),
            Some(ConversionRounding::Rmi) => integral::<L, DOWN, true>(from, to, lift),
            Some(ConversionRounding::Rpi) => integral::<L, UP, true>(from, to, lift),
            _ => Err(lift),
        };
    }
    Err(lift)
}

fn integral<L: Lift, const MODE: u8, const FTZ: bool>(
    from: ScalarFormat,
    to: ScalarFormat,
    lift: L,
) -> Result<L::Output, L> {
    let ScalarFormat::Integer { bits, signed } = to else {
        return if (from, to) == (ScalarFormat::F32, ScalarFormat::F32) {
            // The NaN is a choice of this crate, after manual 9.7.3 and the results of other instructions.
            Ok(lift.b32_to_b32(|a| {
                let value = quick::integral_f32::<MODE>(f32::from_bits(quick::flushed_f32::<FTZ>(a)));
                if value.is_nan() { 0x7fff_ffff } else { value.to_bits() }
            }))
        } else {
            Err(lift)
        };
    };
    Ok(match (from, bits, signed) {
        (ScalarFormat::F32, 32, true) => lift.b32_to_b32(|a| quick::s32_from_f32::<MODE>(quick::flushed_f32::<FTZ>(a))),
        (ScalarFormat::F32, 32, false) => {
            lift.b32_to_b32(|a| quick::u32_from_f32::<MODE>(quick::flushed_f32::<FTZ>(a)))
        }
        (ScalarFormat::F32, 64, true) => lift.b32_to_b64(|a| quick::s64_from_f32::<MODE>(quick::flushed_f32::<FTZ>(a))),
        (ScalarFormat::F32, 64, false) => {
            lift.b32_to_b64(|a| quick::u64_from_f32::<MODE>(quick::flushed_f32::<FTZ>(a)))
        }
        (ScalarFormat::F64, 32, true) => lift.b64_to_b32(quick::s32_from_f64::<MODE>),
        (ScalarFormat::F64, 32, false) => lift.b64_to_b32(quick::u32_from_f64::<MODE>),
        (ScalarFormat::F64, 64, true) => lift.b64_to_b64(quick::s64_from_f64::<MODE>),
        (ScalarFormat::F64, 64, false) => lift.b64_to_b64(quick::u64_from_f64::<MODE>),
        _ => return Err(lift),
    })
}

/// Adapts a function of 64 bits to the widths of the types and passes it to `lift`.
fn resize<L: Lift>(
    from: ScalarFormat,
    to: ScalarFormat,
    lift: L,
    function: impl Fn(u64) -> u64 + Send + Sync + Copy + 'static,
) -> L::Output {
    match (from.bits(), to.bits()) {
        (64, 64) => lift.b64_to_b64(function),
        (64, _) => lift.b64_to_b32(move |a| function(a) as u32),
        (_, 64) => lift.b32_to_b64(move |a| function(u64::from(a))),
        _ => lift.b32_to_b32(move |a| function(u64::from(a)) as u32),
    }
}

/// Handles every conversion of one value, through its exact value.
fn slowly<L: Lift>(from: ScalarFormat, to: ScalarFormat, options: ConversionOptions, lift: L) -> Option<L::Output> {
    let rounding = options.rounding;
    Some(match (from, to) {
        (ScalarFormat::Integer { bits: width, signed }, ScalarFormat::Integer { bits, signed: to_signed }) => {
            let sat = options.sat;
            let source = scalar::IntegerFormat { bits: width, signed };
            let result = scalar::IntegerFormat { bits, signed: to_signed };
            resize(from, to, lift, move |a| scalar::integers(source, result, sat, a))
        }
        (_, ScalarFormat::Integer { bits, signed }) => {
            let rounding = rounding.filter(|rounding| rounding.is_integer())?;
            let ftz = options.ftz;
            let result = scalar::IntegerFormat { bits, signed };
            resize(from, to, lift, move |a| scalar::float_to_integer(from, result, rounding, ftz, a))
        }
        _ => {
            let integral = rounding.is_some_and(ConversionRounding::is_integer);
            if rounding == Some(ConversionRounding::Rs) || (integral && from != to) {
                return None;
            }
            resize(from, to, lift, move |a| scalar::to_float(from, to, &options, a))
        }
    })
}

fn packed<L: Lift>(
    from: ConversionFormat,
    to: ConversionFormat,
    options: ConversionOptions,
    lift: L,
) -> Option<L::Output> {
    let f32 = ConversionFormat::Scalar(ScalarFormat::F32);
    if from == f32
        && options == (ConversionOptions { rounding: Some(ConversionRounding::Rn), ..ConversionOptions::default() })
    {
        match to {
            ConversionFormat::Pair(ScalarFormat::F16) => {
                return Some(lift.pair_to_b32(|a, b| quick::f16_from_f32(a) << 16 | quick::f16_from_f32(b)));
            }
            ConversionFormat::Pair(ScalarFormat::Bf16) => {
                return Some(lift.pair_to_b32(|a, b| quick::bf16_from_f32(a) << 16 | quick::bf16_from_f32(b)));
            }
            _ => {}
        }
    }
    let packed = PackedConversion::new(from, to, options)?;
    let one_register = from != f32;
    let extra = options.scaled != Scaled::No || options.rounding == Some(ConversionRounding::Rs);
    let four = matches!(to, ConversionFormat::Narrow4(_));
    Some(match (extra || four, one_register) {
        (true, _) => lift.many_to_b32(move |sources| packed.run(sources) as u32),
        (false, true) => {
            lift.b32_to_b32(move |a| packed.run(&Sources { a: u64::from(a), ..Sources::default() }) as u32)
        }
        (false, false) => lift.pair_to_b32(move |a, b| {
            packed.run(&Sources { a: u64::from(a), b: u64::from(b), ..Sources::default() }) as u32
        }),
    })
}

/// A boxed conversion.
pub struct Conversion {
    from: ConversionFormat,
    to: ConversionFormat,
    options: ConversionOptions,
    function: Box<dyn Fn(&Sources) -> u64 + Send + Sync>,
}

struct Boxed;

impl Lift for Boxed {
    type Output = Box<dyn Fn(&Sources) -> u64 + Send + Sync>;

    fn b32_to_b32<F: Fn(u32) -> u32 + Send + Sync + Copy + 'static>(self, function: F) -> Self::Output {
        Box::new(move |sources| u64::from(function(sources.a as u32)))
    }

    fn b32_to_b64<F: Fn(u32) -> u64 + Send + Sync + Copy + 'static>(self, function: F) -> Self::Output {
        Box::new(move |sources| function(sources.a as u32))
    }

    fn b64_to_b32<F: Fn(u64) -> u32 + Send + Sync + Copy + 'static>(self, function: F) -> Self::Output {
        Box::new(move |sources| u64::from(function(sources.a)))
    }

    fn b64_to_b64<F: Fn(u64) -> u64 + Send + Sync + Copy + 'static>(self, function: F) -> Self::Output {
        Box::new(move |sources| function(sources.a))
    }

    fn pair_to_b32<F: Fn(u32, u32) -> u32 + Send + Sync + Copy + 'static>(self, function: F) -> Self::Output {
        Box::new(move |sources| u64::from(function(sources.a as u32, sources.b as u32)))
    }

    fn many_to_b32<F: Fn(&Sources) -> u32 + Send + Sync + Copy + 'static>(self, function: F) -> Self::Output {
        Box::new(move |sources| u64::from(function(sources)))
    }
}

/// Returns the conversion between two formats; `None` if `cvt` has none.
pub fn compile(from: ConversionFormat, to: ConversionFormat, options: ConversionOptions) -> Option<Conversion> {
    Some(Conversion { from, to, options, function: lift(from, to, options, Boxed)? })
}

impl Conversion {
    /// Returns the result, extended to 32 bits (64 for types of 64 bits) as the [module](self) describes.
    #[inline]
    pub fn run(&self, sources: &Sources) -> u64 {
        (self.function)(sources)
    }

    /// Returns the marks of the result for these sources.
    pub fn marks(&self, sources: &Sources) -> Marks {
        marks(self.from, self.to, self.options, sources)
    }
}

/// Returns the marks of the result of a conversion. The manual leaves the bits of a NaN open, and a few cases of random bits
/// and scale factors.
pub fn marks(from: ConversionFormat, to: ConversionFormat, options: ConversionOptions, sources: &Sources) -> Marks {
    if UnspecifiedResults::new(from, to, options).is_open(sources) { Marks::UNSPECIFIED } else { Marks::NONE }
}

/// The sources for which the manual leaves the bits of the result open; computed once per instruction.
#[derive(Debug, Clone, Copy)]
pub enum UnspecifiedResults {
    /// No source.
    Never,
    /// Sources whose bits below `sign` are greater than `infinity`: the NaNs of the source's type.
    Nan {
        /// Mask of the sign bit.
        sign: u64,
        /// The bits of infinity.
        infinity: u64,
    },
    /// Depends on each element.
    Elements(OpenElements),
    /// Subnormal `.f32` sources of this sign that `.ftz` should flush but the machine code rounds away from zero, and NaNs if `nan`.
    Unflushed {
        /// The sources are negative.
        negative: bool,
        /// NaN sources are open as well.
        nan: bool,
    },
}

/// The elements of a packed conversion for which the manual leaves the bits open.
#[derive(Debug, Clone, Copy)]
pub struct OpenElements {
    packed: PackedConversion,
    /// Whether only NaN sources of `.f32` can be open.
    only_nan: bool,
}

impl UnspecifiedResults {
    /// Returns the open sources of a conversion.
    pub fn new(from: ConversionFormat, to: ConversionFormat, options: ConversionOptions) -> Self {
        let (ConversionFormat::Scalar(source), ConversionFormat::Scalar(result)) = (from, to) else {
            let packed = PackedConversion::new(from, to, options).filter(PackedConversion::can_be_open);
            let only_nan = from == ConversionFormat::Scalar(ScalarFormat::F32)
                && options.scaled == Scaled::No
                && options.rounding != Some(ConversionRounding::Rs);
            return packed.map_or(Self::Never, |packed| Self::Elements(OpenElements { packed, only_nan }));
        };
        if scalar::keeps_subnormals(source, result, options.ftz) {
            let negative = options.rounding == Some(ConversionRounding::Rm);
            // `.sat` makes every negative result zero.
            if negative && !options.sat || options.rounding == Some(ConversionRounding::Rp) {
                return Self::Unflushed { negative, nan: !options.sat };
            }
        }
        match source.layout() {
            Some(layout) if result.layout().is_some() && !options.sat => {
                let sign = layout.sign_bit();
                Self::Nan { sign, infinity: layout.infinity() }
            }
            _ => Self::Never,
        }
    }

    /// Whether the manual leaves the bits open for these sources.
    #[inline]
    pub fn is_open(&self, sources: &Sources) -> bool {
        match self {
            Self::Never => false,
            Self::Nan { sign, infinity } => sources.a & (sign - 1) > *infinity,
            Self::Elements(elements) => elements.is_open(sources),
            Self::Unflushed { negative, nan } => {
                let magnitude = sources.a & 0x7fff_ffff;
                let subnormal = (1..0x80_0000).contains(&magnitude) && (sources.a >> 31 & 1 != 0) == *negative;
                subnormal || *nan && magnitude > 0x7f80_0000
            }
        }
    }
}

impl OpenElements {
    /// Whether the manual leaves the bits open for these sources.
    #[inline]
    pub fn is_open(&self, sources: &Sources) -> bool {
        let nan = |bits: u64| bits & 0x7fff_ffff > 0x7f80_0000;
        if self.only_nan && !nan(sources.a) && !nan(sources.b) {
            return false;
        }
        self.packed.is_open(sources)
    }
}
