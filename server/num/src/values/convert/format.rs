//! The types and modifiers of `cvt`.

use super::narrow::Narrow;
use super::real::{FloatLayout, RoundingDirection};

/// A scalar type of `cvt`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ScalarFormat {
    /// An integer of that width in bits (8, 16, 32, 64).
    Integer {
        /// Width in bits.
        bits: u32,
        /// Whether the integer is signed (two's complement).
        signed: bool,
    },
    /// binary16
    F16,
    /// bfloat16
    Bf16,
    /// binary32 with 10 fraction bits
    Tf32,
    /// binary32
    F32,
    /// binary64
    F64,
}

/// A source or result type of `cvt`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ConversionFormat {
    /// One value.
    Scalar(ScalarFormat),
    /// Two packed elements: binary16 or bfloat16.
    Pair(ScalarFormat),
    /// Two packed narrow elements (`.e4m3x2`, …).
    Narrow2(Narrow),
    /// Four packed narrow elements (`.e4m3x4`, …).
    Narrow4(Narrow),
}

impl ConversionFormat {
    /// Returns the type with that name, without its dot (`s32`, `e4m3x2`).
    #[inline]
    pub fn named(name: &str) -> Option<Self> {
        let integer = |bits, signed| Some(Self::Scalar(ScalarFormat::Integer { bits, signed }));
        match name {
            "u8" => return integer(8, false),
            "u16" => return integer(16, false),
            "u32" => return integer(32, false),
            "u64" => return integer(64, false),
            "s8" => return integer(8, true),
            "s16" => return integer(16, true),
            "s32" => return integer(32, true),
            "s64" => return integer(64, true),
            "f16" => return Some(Self::Scalar(ScalarFormat::F16)),
            "bf16" => return Some(Self::Scalar(ScalarFormat::Bf16)),
            "tf32" => return Some(Self::Scalar(ScalarFormat::Tf32)),
            "f32" => return Some(Self::Scalar(ScalarFormat::F32)),
            "f64" => return Some(Self::Scalar(ScalarFormat::F64)),
            "f16x2" => return Some(Self::Pair(ScalarFormat::F16)),
            "bf16x2" => return Some(Self::Pair(ScalarFormat::Bf16)),
            _ => {}
        }
        let (element, count) = name.split_once('x')?;
        let element = match element {
            "e4m3" => Narrow::E4m3,
            "e5m2" => Narrow::E5m2,
            "e2m3" => Narrow::E2m3,
            "e3m2" => Narrow::E3m2,
            "e2m1" => Narrow::E2m1,
            "ue8m0" => Narrow::Ue8m0,
            "ue5m3" => Narrow::Ue5m3,
            "s2f6" => Narrow::S2f6,
            _ => return None,
        };
        match count {
            "2" => Some(Self::Narrow2(element)),
            "4" if matches!(element, Narrow::E4m3 | Narrow::E5m2 | Narrow::E2m3 | Narrow::E3m2 | Narrow::E2m1) => {
                Some(Self::Narrow4(element))
            }
            _ => None,
        }
    }

    /// Width in bits in a register.
    #[inline]
    pub fn bits(self) -> u32 {
        match self {
            Self::Scalar(scalar) => scalar.bits(),
            Self::Pair(_) => 32,
            Self::Narrow2(narrow) => 2 * narrow.element_bits(),
            Self::Narrow4(narrow) => 4 * narrow.element_bits(),
        }
    }

    /// Whether a wider register is filled with the sign; otherwise with zeros.
    #[inline]
    pub fn is_signed_integer(self) -> bool {
        matches!(self, Self::Scalar(ScalarFormat::Integer { signed: true, .. }))
    }
}

impl ScalarFormat {
    /// Width in bits.
    #[inline]
    pub fn bits(self) -> u32 {
        match self {
            Self::Integer { bits, .. } => bits,
            Self::F16 | Self::Bf16 => 16,
            Self::Tf32 | Self::F32 => 32,
            Self::F64 => 64,
        }
    }

    /// Returns the layout of a floating-point type; `None` for an integer.
    #[inline]
    pub fn layout(self) -> Option<FloatLayout> {
        match self {
            Self::Integer { .. } => None,
            Self::F16 => Some(FloatLayout::F16),
            Self::Bf16 => Some(FloatLayout::BF16),
            Self::Tf32 => Some(FloatLayout::TF32),
            Self::F32 => Some(FloatLayout::F32),
            Self::F64 => Some(FloatLayout::F64),
        }
    }
}

/// The rounding modifiers of `cvt`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ConversionRounding {
    /// To nearest, ties to even.
    Rn,
    /// Toward zero.
    Rz,
    /// Toward negative infinity.
    Rm,
    /// Toward positive infinity.
    Rp,
    /// To nearest, ties away from zero.
    Rna,
    /// Stochastic.
    Rs,
    /// To an integer, as `.rn`.
    Rni,
    /// To an integer, as `.rz`.
    Rzi,
    /// To an integer, as `.rm`.
    Rmi,
    /// To an integer, as `.rp`.
    Rpi,
}

impl ConversionRounding {
    /// Returns the modifier with that name, without its dot.
    #[inline]
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "rn" => Self::Rn,
            "rz" => Self::Rz,
            "rm" => Self::Rm,
            "rp" => Self::Rp,
            "rna" => Self::Rna,
            "rs" => Self::Rs,
            "rni" => Self::Rni,
            "rzi" => Self::Rzi,
            "rmi" => Self::Rmi,
            "rpi" => Self::Rpi,
            _ => return None,
        })
    }

    /// Whether the modifier rounds to an integral value.
    #[inline]
    pub fn is_integer(self) -> bool {
        matches!(self, Self::Rni | Self::Rzi | Self::Rmi | Self::Rpi)
    }

    /// Returns the direction. The random bits of `.rs` are not known here; the caller supplies them.
    #[inline]
    pub fn direction(self) -> RoundingDirection {
        match self {
            Self::Rn | Self::Rni => RoundingDirection::Nearest,
            Self::Rna => RoundingDirection::NearestAway,
            Self::Rz | Self::Rzi => RoundingDirection::Zero,
            Self::Rm | Self::Rmi => RoundingDirection::Down,
            Self::Rp | Self::Rpi => RoundingDirection::Up,
            Self::Rs => RoundingDirection::Stochastic { bits: 0, width: 1 },
        }
    }
}

/// Scale factors of a `cvt`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Scaled {
    /// No scale factor.
    #[default]
    No,
    /// `.scaled::n1::ue8m0`: one factor for both elements.
    One,
    /// `.scaled::n2::ue8m0`: one factor per element, the upper byte for the upper element.
    Two,
}

/// The modifiers of a `cvt`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ConversionOptions {
    /// The rounding modifier, if one is written.
    pub rounding: Option<ConversionRounding>,
    /// `.ftz` (the interpreter also sets it for `.f32` on `sm_1x`).
    pub ftz: bool,
    /// `.sat`
    pub sat: bool,
    /// `.relu`
    pub relu: bool,
    /// `.satfinite`
    pub satfinite: bool,
    /// `.pzo`: a result of -0 becomes +0.
    pub pzo: bool,
    /// The scale factors.
    pub scaled: Scaled,
}
