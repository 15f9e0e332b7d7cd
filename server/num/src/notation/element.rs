//! Formats of the elements of buffers.

use crate::values::convert::{FloatLayout, Narrow, NumberClass, Real, RoundingDirection};
use std::fmt::{self, Display};

/// How the bits of an element are interpreted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ElementKind {
    /// Untyped bits.
    Bits,
    /// An integer.
    Integer {
        /// It is in two's complement.
        signed: bool,
    },
    /// A number with a fraction.
    Float(Float),
}

/// A format of numbers with a fraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Float {
    /// An ordinary floating-point format.
    Layout(FloatLayout),
    /// One of 8 bits or fewer.
    Narrow(Narrow),
}

impl Float {
    /// The code of a value, rounded to nearest even. With `saturate`, values beyond the largest number become that number.
    pub fn encode(self, value: Real, saturate: bool) -> u128 {
        match self {
            Self::Layout(layout) => layout.encode(value, RoundingDirection::Nearest, saturate).into(),
            Self::Narrow(narrow) => narrow.encode_real(value, RoundingDirection::Nearest, saturate).into(),
        }
    }

    /// The value of a code.
    pub fn decode(self, bits: u64) -> Real {
        match self {
            Self::Layout(layout) => layout.decode(bits),
            Self::Narrow(narrow) => narrow.real(bits as u8),
        }
    }

    /// Whether the format has a NaN.
    pub fn has_nan(self) -> bool {
        match self {
            Self::Layout(_) => true,
            Self::Narrow(n) => {
                matches!(n, Narrow::E4m3 | Narrow::E5m2 | Narrow::Ue8m0 | Narrow::Ue4m3 | Narrow::Ue5m3)
            }
        }
    }

    /// Whether the format has an infinity.
    pub fn has_infinity(self) -> bool {
        matches!(self, Self::Layout(_) | Self::Narrow(Narrow::E5m2))
    }

    /// The largest finite number.
    pub fn largest(self) -> f64 {
        let code = match self {
            Self::Layout(layout) => layout.largest(),
            Self::Narrow(narrow) => {
                narrow.encode_real(Real::scaled(false, 1, 200), RoundingDirection::Nearest, true).into()
            }
        };
        f64::from_bits(FloatLayout::F64.encode(self.decode(code), RoundingDirection::Nearest, false))
    }

    /// Whether the format has negative numbers.
    pub fn is_signed(self) -> bool {
        match self {
            Self::Layout(layout) => layout.signed,
            Self::Narrow(Narrow::S2f6) => true,
            Self::Narrow(narrow) => narrow.layout().is_some_and(|l| l.signed),
        }
    }
}

/// The format of an element, as an index into `TABLE`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ElementFormat(u8);

const fn integer(signed: bool) -> ElementKind {
    ElementKind::Integer { signed }
}

const fn narrow(narrow: Narrow) -> ElementKind {
    ElementKind::Float(Float::Narrow(narrow))
}

/// For each format: name, size of an element in bits, interpretation.
const TABLE: &[(&str, u32, ElementKind)] = &[
    ("u8", 8, integer(false)),
    ("u16", 16, integer(false)),
    ("u32", 32, integer(false)),
    ("u64", 64, integer(false)),
    ("s8", 8, integer(true)),
    ("s16", 16, integer(true)),
    ("s32", 32, integer(true)),
    ("s64", 64, integer(true)),
    ("b8", 8, ElementKind::Bits),
    ("b16", 16, ElementKind::Bits),
    ("b32", 32, ElementKind::Bits),
    ("b64", 64, ElementKind::Bits),
    ("b128", 128, ElementKind::Bits),
    ("f16", 16, ElementKind::Float(Float::Layout(FloatLayout::F16))),
    ("bf16", 16, ElementKind::Float(Float::Layout(FloatLayout::BF16))),
    ("tf32", 32, ElementKind::Float(Float::Layout(FloatLayout::TF32))),
    ("f32", 32, ElementKind::Float(Float::Layout(FloatLayout::F32))),
    ("f64", 64, ElementKind::Float(Float::Layout(FloatLayout::F64))),
    ("e4m3", 8, narrow(Narrow::E4m3)),
    ("e5m2", 8, narrow(Narrow::E5m2)),
    ("e2m3", 8, narrow(Narrow::E2m3)),
    ("e3m2", 8, narrow(Narrow::E3m2)),
    ("e2m1", 4, narrow(Narrow::E2m1)),
    ("ue8m0", 8, narrow(Narrow::Ue8m0)),
    ("ue4m3", 8, narrow(Narrow::Ue4m3)),
    ("ue5m3", 8, narrow(Narrow::Ue5m3)),
    ("s2f6", 8, narrow(Narrow::S2f6)),
];

impl ElementFormat {
    /// All formats.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..TABLE.len()).map(|i| Self(i as u8))
    }

    /// The format with this name, with or without the dot.
    pub fn named(name: &str) -> Option<Self> {
        let name = name.strip_prefix('.').unwrap_or(name);
        Self::all().find(|e| e.name() == name)
    }

    /// Untyped bytes (`b8`).
    pub fn byte() -> Self {
        Self::of_bits(8)
    }

    /// The untyped format of `bits` bits; `b8` if there is none.
    pub fn of_bits(bits: u32) -> Self {
        let byte = Self::all().find(|e| e.name() == "b8").unwrap_or(Self(0));
        Self::all().find(|e| e.kind() == ElementKind::Bits && e.bits() == bits).unwrap_or(byte)
    }

    fn row(self) -> (&'static str, u32, ElementKind) {
        TABLE.get(usize::from(self.0)).copied().unwrap_or(("b8", 8, ElementKind::Bits))
    }

    /// Its name, without a dot.
    pub fn name(self) -> &'static str {
        self.row().0
    }

    /// Size of an element in memory, in bits. Only `e2m1` has fewer than 8 (4): two elements share a byte, the first in the low half.
    pub fn bits(self) -> u32 {
        self.row().1
    }

    /// How the bits are interpreted.
    pub fn kind(self) -> ElementKind {
        self.row().2
    }

    /// A mask of all bits of an element.
    pub fn mask(self) -> u128 {
        u128::MAX >> (128 - self.bits())
    }

    /// Number of unused low bits: `tf32` occupies only the upper 19 of 32 bits.
    pub fn padding(self) -> u32 {
        if self.name() == "tf32" { 13 } else { 0 }
    }

    /// Size in bytes of `count` elements; `None` on overflow.
    pub fn bytes(self, count: u64) -> Option<u64> {
        count.checked_mul(self.bits().into()).map(|bits| bits.div_ceil(8))
    }

    /// Number of complete elements in `bytes` bytes.
    pub fn count(self, bytes: u64) -> u64 {
        u64::try_from(u128::from(bytes) * 8 / u128::from(self.bits())).unwrap_or(u64::MAX)
    }

    /// The canonical NaN, which PTX instructions produce: all bits set except the sign. `None` if the format has no NaN.
    pub fn nan(self) -> Option<u128> {
        match self.kind() {
            ElementKind::Float(float) if float.has_nan() => Some(float.encode(Real::NAN, false) << self.padding()),
            _ => None,
        }
    }

    /// The value of an element. Integers of more than 53 bits are rounded to the nearest f64.
    pub fn value(self, bits: u128) -> f64 {
        match self.kind() {
            ElementKind::Integer { signed: true } => self.sign_extended(bits) as f64,
            ElementKind::Integer { signed: false } | ElementKind::Bits => bits as f64,
            ElementKind::Float(float) => {
                let real = float.decode((bits >> self.padding()) as u64);
                f64::from_bits(FloatLayout::F64.encode(real, RoundingDirection::Nearest, false))
            }
        }
    }

    /// Whether the bits are a NaN of the format.
    pub fn is_nan(self, bits: u128) -> bool {
        match self.kind() {
            ElementKind::Float(float) => float.decode((bits >> self.padding()) as u64).class == NumberClass::Nan,
            _ => false,
        }
    }

    /// The value of a signed integer element.
    pub fn sign_extended(self, bits: u128) -> i128 {
        let unused = 128 - self.bits();
        ((bits << unused) as i128) >> unused
    }

    /// The element with index `index` in an array of bytes; `None` beyond its end.
    pub fn get(self, bytes: &[u8], index: u64) -> Option<u128> {
        let bit = u128::from(index) * u128::from(self.bits());
        let first = usize::try_from(bit / 8).ok()?;
        if self.bits() < 8 {
            return bytes.get(first).map(|b| u128::from(*b) >> (bit % 8) & self.mask());
        }
        let part = bytes.get(first..)?.get(..self.bits() as usize / 8)?;
        let mut all = [0; 16];
        all.get_mut(..part.len())?.copy_from_slice(part);
        Some(u128::from_le_bytes(all))
    }

    /// Stores the element with index `index` in an array of bytes; does nothing beyond its end.
    pub fn put(self, bytes: &mut [u8], index: u64, value: u128) {
        let bit = u128::from(index) * u128::from(self.bits());
        let Ok(first) = usize::try_from(bit / 8) else { return };
        if self.bits() < 8 {
            if let Some(byte) = bytes.get_mut(first) {
                let shift = (bit % 8) as u32;
                *byte = *byte & !((self.mask() << shift) as u8) | ((value & self.mask()) << shift) as u8;
            }
            return;
        }
        let size = self.bits() as usize / 8;
        let part = bytes.get_mut(first..).and_then(|b| b.get_mut(..size));
        if let (Some(part), Some(value)) = (part, value.to_le_bytes().get(..size)) {
            part.copy_from_slice(value);
        }
    }
}

impl Display for ElementFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::ElementFormat;

    #[test]
    fn elements_are_put_and_got_again() {
        for element in ElementFormat::all() {
            let mut bytes = [0xa5; 64];
            for index in 0..4 {
                element.put(&mut bytes, index, u128::from(index) + 3);
            }
            for index in 0..4 {
                assert_eq!(element.get(&bytes, index), Some(u128::from(index) + 3), "{element}");
            }
            assert_eq!(element.get(&bytes, element.count(64)), None, "{element}");
            element.put(&mut bytes, u64::MAX, 0);
            assert_eq!(element.bytes(3), Some(u64::from(element.bits() * 3).div_ceil(8)), "{element}");
        }
        let mut bytes = [0];
        let e2m1 = ElementFormat::named(".e2m1").unwrap();
        e2m1.put(&mut bytes, 0, 1);
        e2m1.put(&mut bytes, 1, 2);
        assert_eq!(bytes, [0x21]);
    }

    #[test]
    fn values_for_readers() {
        let text = |name: &str, bits: u128| ElementFormat::named(name).unwrap().text(bits);
        assert_eq!(text("f32", 0.1f32.to_bits().into()), "0.1");
        assert_eq!(text("f64", 0.1f64.to_bits().into()), "0.1");
        assert_eq!(text("f16", 0x3c00), "1.0");
        assert_eq!(text("tf32", 0x3fc0_0000), "1.5");
        assert_eq!(text("s8", 0xff), "-1");
        assert_eq!(text("b32", 0xff), "0x000000ff");
        assert_eq!(text("e5m2", 0xfc), "-inf");
        assert_eq!(text("e4m3", 0x7f), "nan");
        assert_eq!(text("f32", 0x8000_0000), "-0.0");
    }

    #[test]
    fn the_nan_of_ptx() {
        let nan = |name: &str| ElementFormat::named(name).unwrap().nan();
        assert_eq!((nan("f16"), nan("f32"), nan("e4m3")), (Some(0x7fff), Some(0x7fff_ffff), Some(0x7f)));
        assert_eq!((nan("u32"), nan("e2m1"), nan("s2f6")), (None, None, None));
        assert_eq!(nan("tf32").map(|n| n & 0x7f80_0000), Some(0x7f80_0000));
    }
}
