//! Packed conversions: two or four elements, scale factors, stochastic rounding.

use super::format::{ConversionFormat, ConversionOptions, ConversionRounding, ScalarFormat, Scaled};
use super::narrow::Narrow;
use super::real::{FloatLayout, NumberClass, Real, RoundingDirection};
use super::scalar::cut_negative;

/// The register values of a conversion's sources, each from bit 0 up; unused fields are ignored.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sources {
    /// The first source.
    pub a: u64,
    /// The second source of a packed result, for the element below the first.
    pub b: u64,
    /// The third of four sources.
    pub e: u64,
    /// The fourth of four sources: the lowest element.
    pub f: u64,
    /// The last operand: random bits of `.rs`, or scale factors.
    pub extra: u64,
}

/// One element of a packed source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PackedElement {
    Float(FloatLayout),
    Narrow(Narrow),
}

impl PackedElement {
    fn read(self, bits: u64) -> Real {
        match self {
            Self::Float(layout) => layout.decode(bits),
            Self::Narrow(narrow) => narrow.real(bits as u8),
        }
    }

    fn width(self) -> u32 {
        match self {
            Self::Float(layout) => layout.magnitude_bits() + 1,
            Self::Narrow(narrow) => narrow.element_bits(),
        }
    }

    /// Returns the code of a value at the element's width, with zeros above the format.
    fn write(self, value: Real, direction: RoundingDirection, options: &ConversionOptions) -> u64 {
        let (layout, code) = match self {
            Self::Float(layout) => (layout, layout.encode(value, direction, options.satfinite)),
            Self::Narrow(narrow) => {
                // `.relu` of fixed point applies before the rounding, because two's complement has no separate sign bit.
                let cut = narrow == Narrow::S2f6 && options.relu && value.negative && value.class != NumberClass::Nan;
                let value = if cut { Real::zero(false) } else { value };
                let code = u64::from(narrow.encode_real(value, direction, options.satfinite));
                match narrow.layout() {
                    Some(layout) => (layout, code),
                    None => return code,
                }
            }
        };
        let code = if options.relu { cut_negative(code, layout) } else { code };
        if options.pzo && layout.signed && code == layout.sign_bit() { 0 } else { code }
    }
}

/// A packed conversion, prepared once per instruction.
#[derive(Debug, Clone, Copy)]
pub(super) struct PackedConversion {
    source: PackedElement,
    /// Whether all elements come from one register instead of one register per element.
    together: bool,
    count: u32,
    result: PackedElement,
    options: ConversionOptions,
    direction: RoundingDirection,
}

impl PackedConversion {
    #[inline]
    pub(super) fn new(from: ConversionFormat, to: ConversionFormat, options: ConversionOptions) -> Option<Self> {
        let float = |scalar: ScalarFormat| scalar.layout().map(PackedElement::Float);
        let (source, together) = match from {
            ConversionFormat::Scalar(ScalarFormat::F32) => (PackedElement::Float(FloatLayout::F32), false),
            ConversionFormat::Pair(scalar) => (float(scalar)?, true),
            ConversionFormat::Narrow2(narrow) => (PackedElement::Narrow(narrow), true),
            _ => return None,
        };
        let (result, count) = match to {
            ConversionFormat::Pair(scalar) => (float(scalar)?, 2),
            ConversionFormat::Narrow2(narrow) => (PackedElement::Narrow(narrow), 2),
            ConversionFormat::Narrow4(narrow) => (PackedElement::Narrow(narrow), 4),
            ConversionFormat::Scalar(_) => return None,
        };
        let narrow_source = matches!(source, PackedElement::Narrow(_));
        let narrow_result = matches!(result, PackedElement::Narrow(_));
        let stochastic = options.rounding == Some(ConversionRounding::Rs);
        // `cvt` has no conversion from halves to halves or between narrow formats. Four elements require `.rs` and separate
        // sources.
        if (together && narrow_source == narrow_result)
            || (count == 4 && (together || !stochastic))
            || (stochastic && (together || (count == 2 && narrow_result) || options.scaled != Scaled::No))
        {
            return None;
        }
        let direction = options.rounding?.direction();
        Some(Self { source, together, count, result, options, direction })
    }

    /// Returns the exponent of the power of two by which element `index` (0 is the highest) is scaled; `None` for the NaN.
    fn scale(&self, index: u32, extra: u64) -> Option<i32> {
        let byte = match self.options.scaled {
            Scaled::No => return Some(0),
            Scaled::One => extra as u8,
            Scaled::Two => (extra >> (8 * (1 - index.min(1)))) as u8,
        };
        if byte == 0xff { None } else { Some(i32::from(byte) - 127) }
    }

    /// Returns the rounding direction for element `index`, with its random bits.
    ///
    /// For `.f16x2` and `.bf16x2` each element uses one half of `rbits` (manual, `cvt`). For four elements the manual assigns
    /// 16 bits to each pair, shared by both elements. The upper element of a pair reads them in reverse order: this comes from
    /// published measurements on a B200, not from the manual or our own measurements, so these results are marked.
    fn direction(&self, index: u32, extra: u64) -> RoundingDirection {
        if self.options.rounding != Some(ConversionRounding::Rs) {
            return self.direction;
        }
        let half = |upper: bool| (if upper { extra >> 16 } else { extra }) as u32 & 0xffff;
        match (self.result, self.count) {
            (PackedElement::Float(layout), _) => {
                // The number of random bits is the difference in fraction bits between `.f32` and the format: 13 or 16.
                let width = FloatLayout::F32.fraction_bits - layout.fraction_bits;
                RoundingDirection::Stochastic { bits: half(index == 0) & ((1 << width) - 1), width }
            }
            (PackedElement::Narrow(narrow), _) => {
                let first_pair = index < 2;
                let field = if narrow == Narrow::E2m1 {
                    let byte = |place: u32| (extra >> place) as u32 & 0xff;
                    if first_pair { byte(24) << 8 | byte(8) } else { byte(16) << 8 | byte(0) }
                } else {
                    half(first_pair)
                };
                let bits = if index & 1 == 0 { field.reverse_bits() >> 16 } else { field };
                RoundingDirection::Stochastic { bits, width: 16 }
            }
        }
    }

    #[inline]
    pub(super) fn run(&self, sources: &Sources) -> u64 {
        let mut result = 0;
        for index in 0..self.count {
            let bits = if self.together {
                let width = self.source.width();
                sources.a >> (width * (1 - index)) & ((1 << width) - 1)
            } else {
                match (self.count, index) {
                    (_, 0) => sources.a,
                    (_, 1) => sources.b,
                    (_, 2) => sources.e,
                    _ => sources.f,
                }
            };
            let code = self.element(index, bits, sources.extra);
            result = result << self.result.width() | code;
        }
        result
    }

    fn element(&self, index: u32, bits: u64, extra: u64) -> u64 {
        let mut value = self.source.read(bits);
        // `.scaled::n1` treats subnormal inputs as zero (manual 9.4); keeping the sign of the zero is a choice of this crate.
        if let (Scaled::One, PackedElement::Float(layout)) = (self.options.scaled, self.source)
            && layout.is_subnormal(bits)
        {
            value = Real::zero(value.negative);
        }
        let power = match (self.scale(index, extra), self.source) {
            (None, _) => {
                value = Real::NAN;
                0
            }
            (Some(power), PackedElement::Narrow(_)) => power,
            (Some(power), PackedElement::Float(_)) => -power,
        };
        self.result.write(value.times_power(power), self.direction(index, extra), &self.options)
    }

    /// Whether [`is_open`](Self::is_open) can be true for any source.
    #[inline]
    pub(super) fn can_be_open(&self) -> bool {
        let nan_result = match self.result {
            PackedElement::Float(_) => true,
            PackedElement::Narrow(narrow) => narrow == Narrow::E5m2,
        };
        nan_result || self.options.scaled != Scaled::No || self.options.rounding == Some(ConversionRounding::Rs)
    }

    /// Whether the manual leaves the bits of this result open.
    #[inline]
    pub(super) fn is_open(&self, sources: &Sources) -> bool {
        let stochastic = self.options.rounding == Some(ConversionRounding::Rs);
        (0..self.count).any(|index| {
            let width = self.source.width();
            let bits = match (self.together, index) {
                (true, _) => sources.a >> (width * (1 - index.min(1))) & ((1 << width) - 1),
                (false, 0) => sources.a,
                (false, 1) => sources.b,
                (false, 2) => sources.e,
                (false, _) => sources.f,
            };
            let value = self.source.read(bits);
            let nan_result = match self.result {
                PackedElement::Float(_) => true,
                PackedElement::Narrow(narrow) => narrow == Narrow::E5m2,
            };
            let flushed = matches!((self.options.scaled, self.source), (Scaled::One, PackedElement::Float(layout))
                if value.negative && layout.is_subnormal(bits));
            let random = stochastic
                && value.class == NumberClass::Finite
                && match self.result {
                    PackedElement::Narrow(_) => true,
                    PackedElement::Float(layout) => layout.is_tiny(value, RoundingDirection::Zero),
                };
            (value.class == NumberClass::Nan && nan_result)
                || self.scale(index, sources.extra).is_none()
                || flushed
                || random
        })
    }
}

/// `cvt.pack.sat`: `bits` is the width of an element (16, 8, 4 or 2). Two 16-bit elements fill the register; otherwise `c`,
/// shifted up, fills the bits above both elements (manual 9.7.9.22).
#[inline]
pub fn pack(bits: u32, signed: bool, a: u32, b: u32, c: u32) -> u32 {
    let bits = bits.clamp(1, 16);
    let (low, high) = if signed { (-(1_i32 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) };
    let mask = (1_u32 << bits) - 1;
    let a = (a as i32).clamp(low, high) as u32 & mask;
    let b = (b as i32).clamp(low, high) as u32 & mask;
    let above = if bits == 16 { 0 } else { c << (2 * bits) };
    above | a << bits | b
}
