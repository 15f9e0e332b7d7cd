//! The formats of 8, 6 and 4 bits: tables from codes to `f32`, and rounded conversion from values to codes.
//!
//! Sources: manual 5.2.3 (alternate floating-point formats) and 5.2.4 (`.s2f6`); for `.ue5m3` the same sections of the manual
//! for 9.4. Rules for NaN, infinity and signs: manual `cvt`; for `.ue8m0` and `.ue5m3` the code of NVIDIA's `cuda_fp8.hpp`
//! (13.5) for hardware without the instruction.

use super::real::{FloatLayout, NumberClass, Real, RoundingDirection, SpecialCodes};

/// A format whose codes fit in a byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Narrow {
    /// Sign, 4 exponent bits, 3 fraction bits; NaN is `0x7f` and `0xff`, no infinity.
    E4m3,
    /// Sign, 5 exponent bits, 2 fraction bits; infinity and NaN as in IEEE 754.
    E5m2,
    /// 6 bits: sign, 2 exponent bits, 3 fraction bits; numbers only.
    E2m3,
    /// 6 bits: sign, 3 exponent bits, 2 fraction bits; numbers only.
    E3m2,
    /// 4 bits: sign, 2 exponent bits, 1 fraction bit; numbers only.
    E2m1,
    /// A power of two from 2^-127 to 2^127; `0xff` is the NaN.
    Ue8m0,
    /// 7 bits without a sign: 4 exponent bits, 3 fraction bits; `0x7f` is the NaN.
    Ue4m3,
    /// 5 exponent bits and 3 fraction bits without a sign; `0xff` is the NaN.
    Ue5m3,
    /// Fixed point: two's complement in units of 1/64.
    S2f6,
}

/// The value of each byte as `f32`. Bits above the format are ignored.
type NarrowTable = [f32; 256];

const fn table(format: Narrow) -> NarrowTable {
    let mut table = [0.0; 256];
    let mut code = 0;
    while code < 256 {
        table[code] = f32::from_bits(exact_f32(format.real(code as u8)));
        code += 1;
    }
    table
}

/// Returns the `f32` bits of a value that `f32` represents exactly; usable in constants.
const fn exact_f32(value: Real) -> u32 {
    let sign = (value.negative as u32) << 31;
    match value.class {
        NumberClass::Zero => sign,
        NumberClass::Infinite => sign | 0x7f80_0000,
        NumberClass::Nan => 0x7fff_ffff,
        NumberClass::Finite => {
            let place = 63 - value.significand.leading_zeros() as i32;
            let top = place + value.exponent;
            if top < -126 {
                // Reached only for 2^-127 of `.ue8m0`.
                return sign | (value.significand as u32) << (value.exponent + 149);
            }
            let fraction = ((value.significand << (63 - place)) >> 40) as u32 & 0x7f_ffff;
            sign | ((top + 127) as u32) << 23 | fraction
        }
    }
}

static E4M3: NarrowTable = table(Narrow::E4m3);
static E5M2: NarrowTable = table(Narrow::E5m2);
static E2M3: NarrowTable = table(Narrow::E2m3);
static E3M2: NarrowTable = table(Narrow::E3m2);
static E2M1: NarrowTable = table(Narrow::E2m1);
static UE8M0: NarrowTable = table(Narrow::Ue8m0);
static UE4M3: NarrowTable = table(Narrow::Ue4m3);
static UE5M3: NarrowTable = table(Narrow::Ue5m3);
static S2F6: NarrowTable = table(Narrow::S2f6);

const fn layout(exponent_bits: u32, fraction_bits: u32, signed: bool, special: SpecialCodes) -> FloatLayout {
    FloatLayout { exponent_bits, fraction_bits, bias: (1 << (exponent_bits - 1)) - 1, signed, special }
}

impl Narrow {
    /// All variants.
    pub const ALL: [Self; 9] =
        [Self::E4m3, Self::E5m2, Self::E2m3, Self::E3m2, Self::E2m1, Self::Ue8m0, Self::Ue4m3, Self::Ue5m3, Self::S2f6];

    /// Returns the layout if the format is a floating-point format with a fraction.
    #[inline]
    pub const fn layout(self) -> Option<FloatLayout> {
        match self {
            Self::E4m3 => Some(layout(4, 3, true, SpecialCodes::OneNan)),
            Self::E5m2 => Some(layout(5, 2, true, SpecialCodes::Ieee)),
            Self::E2m3 => Some(layout(2, 3, true, SpecialCodes::None)),
            Self::E3m2 => Some(layout(3, 2, true, SpecialCodes::None)),
            Self::E2m1 => Some(layout(2, 1, true, SpecialCodes::None)),
            Self::Ue4m3 => Some(layout(4, 3, false, SpecialCodes::OneNan)),
            Self::Ue5m3 => Some(layout(5, 3, false, SpecialCodes::OneNan)),
            Self::Ue8m0 | Self::S2f6 => None,
        }
    }

    /// Width of a code in bits.
    #[inline]
    pub const fn bits(self) -> u32 {
        match self {
            Self::E2m1 => 4,
            Self::E2m3 | Self::E3m2 => 6,
            Self::Ue4m3 => 7,
            Self::E4m3 | Self::E5m2 | Self::Ue8m0 | Self::Ue5m3 | Self::S2f6 => 8,
        }
    }

    /// Width in bits of an element in a packed register: 6-bit formats fill a byte.
    #[inline]
    pub const fn element_bits(self) -> u32 {
        match self {
            Self::E2m1 => 4,
            _ => 8,
        }
    }

    /// The exact value of a code.
    #[inline]
    pub const fn real(self, code: u8) -> Real {
        match self {
            Self::Ue8m0 if code == 0xff => Real::NAN,
            Self::Ue8m0 => Real::scaled(false, 1, code as i32 - 127),
            Self::S2f6 => Real::integer(code as i8 as u64, true).times_power(-6),
            _ => match self.layout() {
                Some(layout) => layout.decode(code as u64),
                None => Real::NAN,
            },
        }
    }

    /// Returns the exact value of each byte as a code of this format. NaN is `0x7fffffff`.
    #[inline]
    pub fn table(self) -> &'static [f32; 256] {
        match self {
            Self::E4m3 => &E4M3,
            Self::E5m2 => &E5M2,
            Self::E2m3 => &E2M3,
            Self::E3m2 => &E3M2,
            Self::E2m1 => &E2M1,
            Self::Ue8m0 => &UE8M0,
            Self::Ue4m3 => &UE4M3,
            Self::Ue5m3 => &UE5M3,
            Self::S2f6 => &S2F6,
        }
    }

    /// Returns the exact value of a code; bits above the format are ignored.
    #[inline]
    pub fn decode(self, code: u8) -> f32 {
        self.table()[usize::from(code)]
    }

    /// Returns the code of an `f32`; `saturate` as in [`Narrow::encode_real`].
    #[inline]
    pub fn encode(self, value: f32, direction: RoundingDirection, saturate: bool) -> u8 {
        self.encode_real(FloatLayout::F32.decode(u64::from(value.to_bits())), direction, saturate)
    }

    /// Returns the code of an exact value. A value beyond the largest number becomes that number if `saturate` is set (always
    /// in the formats of 6 and 4 bits and in `.s2f6`), otherwise infinity or NaN. Formats without a sign use the magnitude.
    #[inline]
    pub fn encode_real(self, value: Real, direction: RoundingDirection, saturate: bool) -> u8 {
        match self {
            Self::Ue8m0 => power_of_two(value.magnitude(), direction, saturate),
            Self::S2f6 => fixed(value, direction),
            _ => match self.layout() {
                Some(layout) => layout.encode(value, direction, saturate) as u8,
                None => 0,
            },
        }
    }
}

/// Returns the code of `.ue8m0`. The format has no zero: a value below 2^-127 becomes 2^-127.
fn power_of_two(value: Real, direction: RoundingDirection, saturate: bool) -> u8 {
    let beyond = if saturate { 0xfe } else { 0xff };
    match value.class {
        NumberClass::Nan => return 0xff,
        NumberClass::Infinite => return beyond,
        NumberClass::Zero => return 0,
        NumberClass::Finite => {}
    }
    let place = 63 - value.significand.leading_zeros() as i32;
    let top = place + value.exponent;
    let code = if top < -127 {
        0
    } else {
        // In units of its highest digit the value is in [1, 2).
        let carried = value.quanta(top, direction) > 1;
        top + 127 + i32::from(carried)
    };
    if code > 0xfe { beyond } else { code as u8 }
}

/// Returns the code of `.s2f6`: two's complement in units of 1/64, clamped; a NaN becomes the largest number.
fn fixed(value: Real, direction: RoundingDirection) -> u8 {
    match value.class {
        NumberClass::Nan => 0x7f,
        _ if value.negative => (value.quanta(-6, direction).min(128) as u8).wrapping_neg(),
        _ => value.quanta(-6, direction).min(127) as u8,
    }
}
