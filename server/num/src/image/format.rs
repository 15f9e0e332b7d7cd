//! Formats of texels: channel types and channel orders, conversion between stored texels and register values.
//!
//! A channel becomes 32 bits of a register: floats and normalised integers as `.f32`, integers extended to 32 bits. Only the
//! image's format decides this, not the instruction's result type (measured: `ptxas` 13 for sm_90 emits the same `TEX` for
//! `.u32` and `.f32`).

use crate::values::Marks;
use crate::values::convert::quick::{NEAREST, f16_from_f32, f32_from_f64, integral_f64};

/// Type of a channel of a texel (manual 5.3.3, table 12).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChannelType {
    /// 8 bits as −1.0 … 1.0.
    Snorm8,
    /// 16 bits as −1.0 … 1.0.
    Snorm16,
    /// 8 bits as 0.0 … 1.0.
    Unorm8,
    /// 16 bits as 0.0 … 1.0.
    Unorm16,
    /// 8 bits, signed.
    Sint8,
    /// 16 bits, signed.
    Sint16,
    /// 32 bits, signed.
    Sint32,
    /// 8 bits, unsigned.
    Uint8,
    /// 16 bits, unsigned.
    Uint16,
    /// 32 bits, unsigned.
    Uint32,
    /// `.f16`.
    Half,
    /// `.f32`.
    Float,
}

impl ChannelType {
    /// All variants.
    pub const ALL: [Self; 12] = [
        Self::Snorm8,
        Self::Snorm16,
        Self::Unorm8,
        Self::Unorm16,
        Self::Sint8,
        Self::Sint16,
        Self::Sint32,
        Self::Uint8,
        Self::Uint16,
        Self::Uint32,
        Self::Half,
        Self::Float,
    ];

    /// Size of one channel in bytes.
    #[inline]
    pub fn bytes(self) -> u32 {
        match self {
            Self::Snorm8 | Self::Unorm8 | Self::Sint8 | Self::Uint8 => 1,
            Self::Snorm16 | Self::Unorm16 | Self::Sint16 | Self::Uint16 | Self::Half => 2,
            Self::Sint32 | Self::Uint32 | Self::Float => 4,
        }
    }

    /// Whether a register receives the channel as an integer.
    #[inline]
    pub fn is_integer(self) -> bool {
        self.is_signed_integer() || self.is_unsigned_integer()
    }

    /// Whether a register receives the channel as a signed integer.
    #[inline]
    pub fn is_signed_integer(self) -> bool {
        matches!(self, Self::Sint8 | Self::Sint16 | Self::Sint32)
    }

    /// Whether a register receives the channel as an unsigned integer.
    #[inline]
    pub fn is_unsigned_integer(self) -> bool {
        matches!(self, Self::Uint8 | Self::Uint16 | Self::Uint32)
    }

    /// Returns OpenCL's number of the type, the result of `txq` and `suq` (manual 5.3.3, table 12).
    pub fn number(self) -> u32 {
        match self {
            Self::Snorm8 => 0x10d0,
            Self::Snorm16 => 0x10d1,
            Self::Unorm8 => 0x10d2,
            Self::Unorm16 => 0x10d3,
            Self::Sint8 => 0x10d7,
            Self::Sint16 => 0x10d8,
            Self::Sint32 => 0x10d9,
            Self::Uint8 => 0x10da,
            Self::Uint16 => 0x10db,
            Self::Uint32 => 0x10dc,
            Self::Half => 0x10dd,
            Self::Float => 0x10de,
        }
    }

    /// Returns the name in the launch format: `un8`, `sn16`, `u32`, `s8`, `f16`, …
    pub fn name(self) -> &'static str {
        match self {
            Self::Snorm8 => "sn8",
            Self::Snorm16 => "sn16",
            Self::Unorm8 => "un8",
            Self::Unorm16 => "un16",
            Self::Sint8 => "s8",
            Self::Sint16 => "s16",
            Self::Sint32 => "s32",
            Self::Uint8 => "u8",
            Self::Uint16 => "u16",
            Self::Uint32 => "u32",
            Self::Half => "f16",
            Self::Float => "f32",
        }
    }

    /// Converts a stored channel (the low bits of `raw`) to the 32 bits of a register.
    #[inline]
    fn decode(self, raw: u32) -> (u32, Marks) {
        match self {
            Self::Uint8 | Self::Uint16 | Self::Uint32 | Self::Sint32 | Self::Float => (raw, Marks::NONE),
            Self::Sint8 => (raw as i8 as i32 as u32, Marks::NONE),
            Self::Sint16 => (raw as i16 as i32 as u32, Marks::NONE),
            Self::Half => (half_to_f32(raw as u16), Marks::NONE),
            Self::Unorm8 => normalised(raw as f32, 255.0),
            Self::Unorm16 => normalised(raw as f32, 65535.0),
            // Both −128 and −127 map to −1.0, so that 0 is exact.
            Self::Snorm8 => normalised(f32::from((raw as i8).max(-127)), 127.0),
            Self::Snorm16 => normalised(f32::from((raw as i16).max(-32767)), 32767.0),
        }
    }

    /// Converts a register's value to a stored channel (manual 9.7.11.2: operands of `sust.p`).
    ///
    /// The manual leaves two cases open: NaN becomes 0, and an integer out of range becomes the nearest value that fits; both
    /// are marked.
    #[inline]
    fn encode(self, bits: u32) -> (u32, Marks) {
        let fit = |value: i64, low: i64, high: i64| {
            let fitting = value.clamp(low, high);
            (fitting as u32, if fitting == value { Marks::NONE } else { Marks::UNSPECIFIED })
        };
        let (raw, marks) = match self {
            Self::Float | Self::Uint32 | Self::Sint32 => (bits, Marks::NONE),
            Self::Uint8 => fit(i64::from(bits), 0, 0xff),
            Self::Uint16 => fit(i64::from(bits), 0, 0xffff),
            Self::Sint8 => fit(i64::from(bits as i32), -0x80, 0x7f),
            Self::Sint16 => fit(i64::from(bits as i32), -0x8000, 0x7fff),
            Self::Half => (f16_from_f32(bits), nan_mark(bits)),
            Self::Unorm8 => (scaled(bits, 0.0, 255.0), nan_mark(bits)),
            Self::Unorm16 => (scaled(bits, 0.0, 65535.0), nan_mark(bits)),
            Self::Snorm8 => (scaled(bits, -1.0, 127.0), nan_mark(bits)),
            Self::Snorm16 => (scaled(bits, -1.0, 32767.0), nan_mark(bits)),
        };
        let mask = (1_u64 << (8 * self.bytes())) as u32;
        (raw & mask.wrapping_sub(1), marks)
    }

    /// Returns the stored bits of a value: float formats store the number, integer and normalised formats the low bits of the
    /// integer.
    pub fn stored(self, value: f64) -> u32 {
        match self {
            Self::Float => f32_from_f64(value.to_bits()),
            Self::Half => f16_from_f32(f32_from_f64(value.to_bits())),
            _ => value as i64 as u32,
        }
    }

    /// Returns the register's bits for 1 if `one` is set, else for 0.
    #[inline]
    fn constant(self, one: bool) -> u32 {
        match (one, self.is_integer()) {
            (false, _) => 0,
            (true, true) => 1,
            (true, false) => 1.0_f32.to_bits(),
        }
    }
}

/// Returns `value / scale`. No document specifies the bits; only 0 and ±1 are certain, all other results are marked
/// approximate.
#[inline]
fn normalised(value: f32, scale: f32) -> (u32, Marks) {
    let sure = value == 0.0 || value.abs() == scale;
    ((value / scale).to_bits(), if sure { Marks::NONE } else { Marks::APPROXIMATE })
}

/// Returns the float `bits`, clamped to `low` … 1, times `scale`, rounded to the nearest integer. The product is exact in
/// `f64`. Ties occur only at ±0.5 (the scales are odd), where rounding away from zero and to even agree.
#[inline]
fn scaled(bits: u32, low: f64, scale: f64) -> u32 {
    let value = f64::from(f32::from_bits(bits));
    if value.is_nan() {
        return 0;
    }
    integral_f64::<NEAREST>(value.clamp(low, 1.0) * scale) as i32 as u32
}

#[inline]
fn nan_mark(bits: u32) -> Marks {
    if f32::from_bits(bits).is_nan() { Marks::UNSPECIFIED } else { Marks::NONE }
}

/// Converts `.f16` bits to `.f32` bits exactly. Unlike `cvt`, a texel keeps the payload of a NaN.
#[inline]
pub(super) fn half_to_f32(half: u16) -> u32 {
    let sign = u32::from(half & 0x8000) << 16;
    let magnitude = u32::from(half & 0x7fff);
    if magnitude >= 0x7c00 {
        return sign | 0x7f80_0000 | (magnitude & 0x3ff) << 13;
    }
    if magnitude >= 0x400 {
        return sign | ((magnitude << 13) + (112 << 23));
    }
    // A subnormal: `magnitude` times 2^-24, which is exact.
    sign | (magnitude as f32 * f32::from_bits((127 - 24) << 23)).to_bits()
}

/// Mapping from stored channels to components (manual 5.3.3, table 13).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names of the manual say all: the stored channels in order")]
pub enum ChannelOrder {
    R,
    A,
    Rg,
    Ra,
    Rgba,
    Bgra,
    Argb,
    Intensity,
    Luminance,
}

/// Source of a component: a stored channel (by index) or a constant.
#[derive(Clone, Copy)]
enum ComponentSource {
    Channel(u8),
    Zero,
    One,
}

impl ChannelOrder {
    /// All variants.
    pub const ALL: [Self; 9] =
        [Self::R, Self::A, Self::Rg, Self::Ra, Self::Rgba, Self::Bgra, Self::Argb, Self::Intensity, Self::Luminance];

    /// Number of stored channels: 1, 2 or 4.
    #[inline]
    pub fn channels(self) -> u32 {
        match self {
            Self::R | Self::A | Self::Intensity | Self::Luminance => 1,
            Self::Rg | Self::Ra => 2,
            Self::Rgba | Self::Bgra | Self::Argb => 4,
        }
    }

    /// Returns the default order for this number of channels: red, then green, blue and alpha.
    pub fn of_channels(channels: u32) -> Option<Self> {
        match channels {
            1 => Some(Self::R),
            2 => Some(Self::Rg),
            4 => Some(Self::Rgba),
            _ => None,
        }
    }

    /// Returns OpenCL's number of the order (manual 5.3.3, table 13).
    pub fn number(self) -> u32 {
        match self {
            Self::R => 0x10b0,
            Self::A => 0x10b1,
            Self::Rg => 0x10b2,
            Self::Ra => 0x10b3,
            Self::Rgba => 0x10b5,
            Self::Bgra => 0x10b6,
            Self::Argb => 0x10b7,
            Self::Intensity => 0x10b8,
            Self::Luminance => 0x10b9,
        }
    }

    /// Returns the name in the launch format.
    pub fn name(self) -> &'static str {
        match self {
            Self::R => "r",
            Self::A => "a",
            Self::Rg => "rg",
            Self::Ra => "ra",
            Self::Rgba => "rgba",
            Self::Bgra => "bgra",
            Self::Argb => "argb",
            Self::Intensity => "intensity",
            Self::Luminance => "luminance",
        }
    }

    #[inline]
    fn sources(self) -> [ComponentSource; 4] {
        use ComponentSource::{Channel as C, One, Zero};
        match self {
            Self::R => [C(0), Zero, Zero, One],
            Self::A => [Zero, Zero, Zero, C(0)],
            Self::Rg => [C(0), C(1), Zero, One],
            Self::Ra => [C(0), Zero, Zero, C(1)],
            Self::Rgba => [C(0), C(1), C(2), C(3)],
            Self::Bgra => [C(2), C(1), C(0), C(3)],
            Self::Argb => [C(1), C(2), C(3), C(0)],
            Self::Intensity => [C(0), C(0), C(0), C(0)],
            Self::Luminance => [C(0), C(0), C(0), One],
        }
    }
}

/// The format of a texel: its stored channels, all of one type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TexelFormat {
    /// Type of each channel.
    pub channel: ChannelType,
    /// Mapping from channels to components.
    pub order: ChannelOrder,
}

/// Four components (red, green, blue, alpha) as register values, with their marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Components {
    /// 32 bits each; the format decides between `.f32`, `.u32` and `.s32`.
    pub bits: [u32; 4],
    /// Marks of each component.
    pub marks: [Marks; 4],
}

impl TexelFormat {
    /// Bytes of a texel: 1, 2, 4, 8 or 16.
    #[inline]
    pub fn bytes(self) -> u32 {
        self.channel.bytes() * self.order.channels()
    }

    /// Converts a stored texel to register values. A component without a stored channel is 0, or 1 for alpha. This is OpenCL's
    /// rule; the manual does not repeat it, so these components are marked.
    #[inline]
    pub fn decode(self, texel: [u8; 16]) -> Components {
        let size = self.channel.bytes();
        let word = u128::from_le_bytes(texel);
        let mut result = Components::default();
        for (i, source) in self.order.sources().into_iter().enumerate() {
            let (bits, marks) = match source {
                ComponentSource::Channel(c) => {
                    let raw = (word >> (8 * size * u32::from(c))) as u32;
                    let raw = if size == 4 { raw } else { raw & ((1 << (8 * size)) - 1) };
                    self.channel.decode(raw)
                }
                ComponentSource::Zero => (self.channel.constant(false), Marks::UNSPECIFIED),
                ComponentSource::One => (self.channel.constant(true), Marks::UNSPECIFIED),
            };
            result.bits[i] = bits;
            result.marks[i] = marks;
        }
        result
    }

    /// Returns the texel that `sust.p` stores for `values` (red, green, blue, alpha; as many as the instruction has). Only the
    /// first [`TexelFormat::bytes`] bytes count. Channels without a value become 0, marked unspecified (manual 9.7.11.2:
    /// unpredictable).
    #[inline]
    pub fn encode(self, values: &[u32]) -> ([u8; 16], Marks) {
        let size = self.channel.bytes();
        let mut word = 0_u128;
        let mut marks = Marks::NONE;
        let mut done = [false; 4];
        for (i, source) in self.order.sources().into_iter().enumerate() {
            let ComponentSource::Channel(c) = source else { continue };
            let Some(first) = done.get_mut(usize::from(c)) else { continue };
            if std::mem::replace(first, true) {
                continue;
            }
            let (raw, mark) = match values.get(i) {
                Some(&bits) => self.channel.encode(bits),
                None => (0, Marks::UNSPECIFIED),
            };
            word |= u128::from(raw) << (8 * size * u32::from(c));
            marks |= mark;
        }
        (word.to_le_bytes(), marks)
    }
}
