//! The types of matrix elements and the meaning of their bits.

/// Type of the elements of a matrix, or of scale factors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MatrixElementType {
    /// IEEE double precision.
    F64,
    /// IEEE single precision.
    F32,
    /// Single precision; tensor cores read only its upper 19 bits.
    Tf32,
    /// IEEE half precision.
    F16,
    /// The upper half of single precision.
    Bf16,
    /// Eight bits, four of exponent; no infinity, one NaN for each sign.
    E4m3,
    /// Eight bits, five of exponent; infinities and NaNs as in IEEE formats.
    E5m2,
    /// Six bits, three of exponent; finite numbers only.
    E3m2,
    /// Six bits, two of exponent; finite numbers only.
    E2m3,
    /// Four bits, two of exponent; finite numbers only.
    E2m1,
    /// Scale factor: a power of two, 255 is NaN.
    Ue8m0,
    /// Scale factor: `E4m3` without its sign.
    Ue4m3,
    /// 32-bit accumulator of integers.
    S32,
    /// Unsigned byte.
    U8,
    /// Signed byte.
    S8,
    /// Four bits, unsigned.
    U4,
    /// Four bits, signed.
    S4,
    /// A bit.
    B1,
}

/// Layout of a floating-point format of at most 32 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FloatFormat {
    /// Bits of the exponent.
    pub exponent_bits: u32,
    /// Bits of the significand after the point.
    pub fraction_bits: u32,
    /// Meaning of the greatest exponent.
    pub special: SpecialEncoding,
}

/// Encoding of infinities and NaNs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SpecialEncoding {
    /// Infinities and NaNs have the greatest exponent, as in IEEE 754.
    Ieee,
    /// NaN if all bits except the sign are set; no infinity.
    NanOnly,
    /// No infinity and no NaN: all codes are finite numbers.
    Nothing,
}

impl FloatFormat {
    /// The exponent bias.
    pub fn bias(self) -> i32 {
        (1 << (self.exponent_bits - 1)) - 1
    }
}

impl MatrixElementType {
    /// All variants.
    pub const ALL: [Self; 18] = [
        Self::F64,
        Self::F32,
        Self::Tf32,
        Self::F16,
        Self::Bf16,
        Self::E4m3,
        Self::E5m2,
        Self::E3m2,
        Self::E2m3,
        Self::E2m1,
        Self::Ue8m0,
        Self::Ue4m3,
        Self::S32,
        Self::U8,
        Self::S8,
        Self::U4,
        Self::S4,
        Self::B1,
    ];

    /// Returns the type that a modifier (`.f16`, with or without its dot) names.
    pub fn named(name: &str) -> Option<Self> {
        let name = name.strip_prefix('.').unwrap_or(name);
        Self::ALL.into_iter().find(|e| e.name() == name)
    }

    /// Returns the name in PTX, without the dot.
    pub fn name(self) -> &'static str {
        match self {
            Self::F64 => "f64",
            Self::F32 => "f32",
            Self::Tf32 => "tf32",
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::E4m3 => "e4m3",
            Self::E5m2 => "e5m2",
            Self::E3m2 => "e3m2",
            Self::E2m3 => "e2m3",
            Self::E2m1 => "e2m1",
            Self::Ue8m0 => "ue8m0",
            Self::Ue4m3 => "ue4m3",
            Self::S32 => "s32",
            Self::U8 => "u8",
            Self::S8 => "s8",
            Self::U4 => "u4",
            Self::S4 => "s4",
            Self::B1 => "b1",
        }
    }

    /// Width in bits when elements are packed without padding.
    pub fn bits(self) -> u32 {
        match self {
            Self::F64 => 64,
            Self::F32 | Self::Tf32 | Self::S32 => 32,
            Self::F16 | Self::Bf16 => 16,
            Self::E4m3 | Self::E5m2 | Self::Ue8m0 | Self::Ue4m3 | Self::U8 | Self::S8 => 8,
            Self::E3m2 | Self::E2m3 => 6,
            Self::E2m1 | Self::U4 | Self::S4 => 4,
            Self::B1 => 1,
        }
    }

    /// Number of the element's lowest bit in the byte that it occupies with `.kind::f8f6f4` and `.kind::mxf8f6f4`.
    ///
    /// Manual 9.7.14.5.14: elements of six bits fill the lower part of the byte, elements of four bits the middle.
    pub fn low_in_byte(self) -> u32 {
        if self == Self::E2m1 { 2 } else { 0 }
    }

    /// Returns the layout of a floating-point type of at most 32 bits; `None` for other types.
    pub(crate) fn format(self) -> Option<FloatFormat> {
        let format =
            |exponent_bits, fraction_bits, special| Some(FloatFormat { exponent_bits, fraction_bits, special });
        match self {
            Self::F32 => format(8, 23, SpecialEncoding::Ieee),
            // The lower 13 bits are never read: arXiv 2511.10909, truncation of the inputs.
            Self::Tf32 => format(8, 10, SpecialEncoding::Ieee),
            Self::F16 => format(5, 10, SpecialEncoding::Ieee),
            Self::Bf16 => format(8, 7, SpecialEncoding::Ieee),
            Self::E4m3 | Self::Ue4m3 => format(4, 3, SpecialEncoding::NanOnly),
            Self::E5m2 => format(5, 2, SpecialEncoding::Ieee),
            Self::E3m2 => format(3, 2, SpecialEncoding::Nothing),
            Self::E2m3 => format(2, 3, SpecialEncoding::Nothing),
            Self::E2m1 => format(2, 1, SpecialEncoding::Nothing),
            _ => None,
        }
    }

    /// Whether this is a floating-point type of at most eight bits. All such types can be multiplied with each other.
    pub(crate) fn is_narrow(self) -> bool {
        matches!(self, Self::E4m3 | Self::E5m2 | Self::E3m2 | Self::E2m3 | Self::E2m1)
    }

    /// Whether tensor cores multiply floating-point elements of these two types.
    pub(crate) fn multiplies_with(self, other: Self) -> bool {
        let wide = matches!(self, Self::Tf32 | Self::F16 | Self::Bf16) && self == other;
        wide || self.is_narrow() && other.is_narrow()
    }

    /// Returns the integer in the lowest bits; `None` for types that are not integers.
    #[inline]
    pub fn integer(self, bits: u64) -> Option<i32> {
        Some(match self {
            Self::U8 => i32::from(bits as u8),
            Self::S8 => i32::from(bits as u8 as i8),
            Self::U4 => (bits & 15) as i32,
            Self::S4 => ((bits as i32) << 28) >> 28,
            Self::S32 => bits as i32,
            Self::B1 => (bits & 1) as i32,
            _ => return None,
        })
    }
}

/// Flags that classify a floating-point number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Traits(pub u8);

impl Traits {
    /// Not a number.
    pub const NAN: u8 = 1;
    /// Positive infinity.
    pub const POSITIVE_INFINITY: u8 = 2;
    /// Negative infinity.
    pub const NEGATIVE_INFINITY: u8 = 4;
    /// A zero of any sign.
    pub const ZERO: u8 = 8;
    /// A subnormal number other than zero.
    pub const SUBNORMAL: u8 = 16;
    /// Mask of the flags of numbers that are not finite.
    pub const SPECIAL: u8 = Self::NAN | Self::POSITIVE_INFINITY | Self::NEGATIVE_INFINITY;
}

/// A decoded number: `significand * 2^(exponent - fraction_bits)` for a format with `fraction_bits` bits after the point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct UnpackedFloat {
    /// Significand with its sign; 0 for NaN and infinities.
    pub significand: i32,
    /// Exponent, not normalised: subnormal numbers have the least exponent of the format, as in hardware (arXiv 2511.10909).
    pub exponent: i32,
    /// Flags of [`Traits`].
    pub traits: u8,
    /// Whether the sign bit is set.
    pub negative: bool,
}

impl FloatFormat {
    /// Decodes the number in the lowest bits.
    #[inline]
    pub fn decode(self, bits: u32) -> UnpackedFloat {
        let fraction = bits & ((1 << self.fraction_bits) - 1);
        let exponent_mask = (1u32 << self.exponent_bits) - 1;
        let exponent = (bits >> self.fraction_bits) & exponent_mask;
        let negative = (bits >> (self.fraction_bits + self.exponent_bits)) & 1 == 1;
        let special = match self.special {
            SpecialEncoding::Ieee if exponent == exponent_mask => match (fraction, negative) {
                (0, false) => Traits::POSITIVE_INFINITY,
                (0, true) => Traits::NEGATIVE_INFINITY,
                _ => Traits::NAN,
            },
            SpecialEncoding::NanOnly if exponent == exponent_mask && fraction == (1 << self.fraction_bits) - 1 => {
                Traits::NAN
            }
            _ => 0,
        };
        if special != 0 {
            return UnpackedFloat { significand: 0, exponent: 0, traits: special, negative };
        }
        let (implicit, field) = if exponent == 0 { (0, 1) } else { (1 << self.fraction_bits, exponent as i32) };
        let magnitude = (fraction | implicit) as i32;
        let traits = match (exponent, fraction) {
            (0, 0) => Traits::ZERO,
            (0, _) => Traits::SUBNORMAL,
            _ => 0,
        };
        let significand = if negative { -magnitude } else { magnitude };
        UnpackedFloat { significand, exponent: field - self.bias(), traits, negative }
    }
}

impl MatrixElementType {
    /// Decodes a floating-point element; any other type decodes to NaN.
    #[inline]
    pub(crate) fn decode(self, bits: u64) -> UnpackedFloat {
        let bits = bits as u32;
        let bits = match self {
            Self::Tf32 => bits >> 13,
            Self::Ue4m3 => bits & 0x7f,
            Self::Ue8m0 => {
                let byte = bits & 0xff;
                let traits = if byte == 0xff { Traits::NAN } else { 0 };
                return UnpackedFloat { significand: 1, exponent: byte as i32 - 127, traits, negative: false };
            }
            _ => bits,
        };
        match self.format() {
            Some(format) => format.decode(bits),
            None => UnpackedFloat { traits: Traits::NAN, ..UnpackedFloat::default() },
        }
    }

    /// Bits of a significand after the point; 0 if this is no floating-point type of at most 32 bits.
    pub(crate) fn fraction_bits(self) -> u32 {
        self.format().map_or(0, |f| f.fraction_bits)
    }
}
