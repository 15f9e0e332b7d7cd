//! Readings: the ways in which the bits of a register can be read, and the text of a value in each of them.

use crate::short;
use ptx_interp::inspect;
use ptx_interp::lanes::LANES;
use ptx_isa::ISA;
use ptx_isa::tables::TypeClass;
use ptx_num::notation::{ElementFormat, ElementKind};

/// What a reading makes of bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The truth value of a predicate.
    Truth,
    Hexadecimal,
    Binary,
    Integer {
        signed: bool,
    },
    /// Numbers of this format, one after another from the lowest bits on.
    Numbers(&'static str),
}

/// Whole numbers of 64 bits from here on are usually addresses, and read as hexadecimal digits.
const ADDRESSES: i128 = 1 << 32;

/// Bits without a type that are all below this are shown in decimal: a larger one is more likely a mask, an address or a floating-point number.
const COUNTED: u128 = 1 << 16;

struct ReadingRow {
    name: &'static str,
    title: &'static str,
    label: &'static str,
    /// Sizes of registers in bytes that can be read so.
    sizes: &'static [usize],
    kind: Kind,
}

const fn row(
    name: &'static str,
    title: &'static str,
    label: &'static str,
    sizes: &'static [usize],
    kind: Kind,
) -> ReadingRow {
    ReadingRow { name, title, label, sizes, kind }
}

const ALL_SIZES: &[usize] = &[1, 2, 4, 8, 16];
const WIDE: &[usize] = &[4, 8, 16];

/// The readings, in the order in which editors offer them.
const TABLE: &[ReadingRow] = &[
    row("predicate", "Truth value", "pred", &[0], Kind::Truth),
    row("hex", "Hexadecimal", "hex", ALL_SIZES, Kind::Hexadecimal),
    row("signed", "Signed", "int", &[1, 2, 4, 8], Kind::Integer { signed: true }),
    row("unsigned", "Unsigned", "uint", ALL_SIZES, Kind::Integer { signed: false }),
    row("float", "Floating point", "float", &[4], Kind::Numbers("f32")),
    row("double", "Floating point", "float", &[8], Kind::Numbers("f64")),
    row("half", "Half (f16)", "f16", &[2], Kind::Numbers("f16")),
    row("bf16", "bf16", "bf16", &[2], Kind::Numbers("bf16")),
    row("float2", "Singles (f32 pairs)", "f32×2", &[8, 16], Kind::Numbers("f32")),
    row("half2", "Halves (f16 pairs)", "f16×2", WIDE, Kind::Numbers("f16")),
    row("bf16x2", "bf16 pairs", "bf16×2", WIDE, Kind::Numbers("bf16")),
    row("fp8", "Bytes as e4m3", "e4m3", ALL_SIZES, Kind::Numbers("e4m3")),
    row("bits", "Bits", "bits", ALL_SIZES, Kind::Binary),
];

/// A way to read the bits of a register, as an index into `TABLE`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Reading(u8);

impl Reading {
    /// Hexadecimal digits.
    pub const HEX: Self = Self(1);
    /// Integers without a sign.
    pub const UNSIGNED: Self = Self(3);

    /// The reading with this name.
    pub fn named(name: &str) -> Option<Self> {
        TABLE.iter().position(|row| row.name == name).map(|at| Self(at as u8))
    }

    /// The readings of registers of `bytes` bytes for each lane, 0 for a predicate, in the order in which editors offer them.
    pub fn of_size(bytes: usize) -> impl Iterator<Item = Self> {
        (0..TABLE.len() as u8).map(Self).filter(move |reading| reading.row().sizes.contains(&bytes))
    }

    /// The reading that a type asks for in a register of `bytes` bytes; `None` for untyped bits.
    pub fn of_type(ty: &str, bytes: usize) -> Option<Self> {
        let info = ISA.ty(ty)?;
        match info.class {
            TypeClass::Pred => Self::named("predicate"),
            TypeClass::Sint => Self::named("signed").filter(|reading| reading.row().sizes.contains(&bytes)),
            TypeClass::Uint => Self::named("unsigned"),
            TypeClass::Float | TypeClass::Packed => {
                let (format, _) = inspect::number_format(info)?;
                // A register with a `.tf32` is a whole `.f32`.
                let number = if format.name() == "tf32" { "f32" } else { format.name() };
                Self::of_size(bytes).find(|reading| reading.row().kind == Kind::Numbers(number))
            }
            TypeClass::Bits | TypeClass::Opaque => None,
        }
    }

    /// The reading of values for somebody who has chosen none: that of the type; of a register of bits that of its readers, otherwise small
    /// numbers in decimal and others in hexadecimal.
    pub fn automatic(ty: &str, read_as: Option<&str>, bytes: usize, mut values: impl Iterator<Item = u128>) -> Self {
        let of_type = Self::of_type(ty, bytes).or_else(|| Self::of_type(read_as?, bytes));
        let is_signed = of_type.is_some_and(Self::is_signed);
        let is_address = |bits: u128| {
            let value = if is_signed { (bits as u64).cast_signed().into() } else { bits.cast_signed() };
            !(1 - ADDRESSES..ADDRESSES).contains(&value)
        };
        match of_type {
            Some(reading) if bytes != 8 || !reading.is_whole() || !values.any(is_address) => reading,
            None if bytes != 16 && values.all(|bits| bits < COUNTED) => Self::UNSIGNED,
            _ => Self::HEX,
        }
    }

    fn row(self) -> &'static ReadingRow {
        &TABLE[usize::from(self.0) % TABLE.len()]
    }

    /// Its name in requests and settings: `half2`.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Its name in a menu: `Halves (f16 pairs)`.
    pub fn title(self) -> &'static str {
        self.row().title
    }

    /// Its short name beside a register: `f16×2`.
    pub fn label(self) -> &'static str {
        self.row().label
    }

    /// Whether the values are whole numbers, which can count up from lane to lane.
    pub fn is_whole(self) -> bool {
        matches!(self.row().kind, Kind::Hexadecimal | Kind::Integer { .. })
    }

    /// Whether the values are whole numbers with a sign.
    pub fn is_signed(self) -> bool {
        self.row().kind == Kind::Integer { signed: true }
    }

    /// Number of values in a register of `bytes` bytes.
    pub fn parts(self, bytes: usize) -> usize {
        match self.element(bytes) {
            Some(element) => (bytes * 8 / element.bits() as usize).max(1),
            None => 1,
        }
    }

    /// The format of each value of a register with numbers.
    fn element(self, bytes: usize) -> Option<ElementFormat> {
        match self.row().kind {
            Kind::Numbers(name) => ElementFormat::named(name).filter(|element| element.bits() as usize <= bytes * 8),
            _ => None,
        }
    }

    /// The text of one of the values of a register: `part` counts from the lowest bits.
    pub fn part_text(self, bits: u128, bytes: usize, part: usize) -> String {
        match self.row().kind {
            Kind::Truth => if bits & 1 != 0 { "true" } else { "false" }.to_owned(),
            // A digit is the same in both notations.
            Kind::Hexadecimal if bits < 10 => bits.to_string(),
            Kind::Hexadecimal => format!("{bits:#x}"),
            Kind::Binary => binary(bits, bytes),
            Kind::Integer { signed } => {
                let unused = 128 - (bytes * 8).clamp(1, 128);
                if signed { (((bits << unused) as i128) >> unused).to_string() } else { bits.to_string() }
            }
            Kind::Numbers(_) => match self.element(bytes) {
                Some(element) => element.text(bits >> (part * element.bits() as usize) & element.mask()),
                None => format!("{bits:#x}"),
            },
        }
    }

    /// The text of a value. Several numbers are separated by `|`, the lowest first.
    pub fn text(self, bits: u128, bytes: usize) -> String {
        let parts: Vec<String> = (0..self.parts(bytes)).map(|part| self.part_text(bits, bytes, part)).collect();
        parts.join("|")
    }

    /// A text of at most `room` characters that replaces a longer one, without ambiguity: a number loses digits of its fraction or gets a unit
    /// (`-21.8k`), hexadecimal digits and bits lose their front (`…beef`).
    pub fn short_text(self, text: &str, room: usize) -> String {
        match self.row().kind {
            Kind::Hexadecimal | Kind::Binary => short::tail(text, room),
            Kind::Truth | Kind::Integer { .. } | Kind::Numbers(_) => short::numbers(text, room),
        }
    }

    /// Name of a part: `f16 lo`, `e4m3 2`; of a register with one value that of the reading.
    pub fn part_label(self, bytes: usize, part: usize) -> String {
        let (number, _) = self.label().split_once('×').unwrap_or((self.label(), ""));
        match (self.parts(bytes), part) {
            (1, _) => self.label().to_owned(),
            (2, 0) => format!("{number} lo"),
            (2, _) => format!("{number} hi"),
            _ => format!("{number} {part}"),
        }
    }
}

/// Binary digits in groups of four: `0000_1010`.
fn binary(bits: u128, bytes: usize) -> String {
    let digits = format!("{bits:0width$b}", width = bytes * 8);
    let groups: Vec<&str> = (0..digits.len().div_ceil(4)).filter_map(|at| digits.get(at * 4..at * 4 + 4)).collect();
    groups.join("_")
}

/// The bits of one element of a matrix or of memory as text. `ty` is a type of elements, also one of fewer than 8 bits: `.e2m1`, `.s4`, `.b1`.
pub fn element_text(ty: &str, bits: u128) -> String {
    if let Some(element) = ElementFormat::named(ty) {
        return match element.kind() {
            ElementKind::Bits => format!("{bits:0width$x}", width = element.bits() as usize / 4),
            _ => element.text(bits & element.mask()),
        };
    }
    // Types of fewer than 8 bits: `.s4`, `.u4`, `.b1`.
    let info = ISA.ty(ty);
    let unused = 128 - info.map_or(32, |info| u32::from(info.bits)).clamp(1, 128);
    match info.map(|info| info.class) {
        Some(TypeClass::Sint) => (((bits << unused) as i128) >> unused).to_string(),
        _ => (bits << unused >> unused).to_string(),
    }
}

/// Number of bytes of each lane in the bytes of a register; 0 for a predicate, whose lanes have a bit each.
pub fn lane_bytes(ty: &str, bytes: &[u8]) -> usize {
    if ty == ".pred" { 0 } else { bytes.len() / LANES }
}

#[cfg(test)]
mod tests {
    use super::{Reading, element_text};

    fn text(name: &str, bits: u128, bytes: usize) -> String {
        Reading::named(name).unwrap().text(bits, bytes)
    }

    #[test]
    fn readings_of_types() {
        assert_eq!((Reading::HEX.name(), Reading::UNSIGNED.name()), ("hex", "unsigned"));
        let of = |ty, bytes| Reading::of_type(ty, bytes).map(Reading::name);
        assert_eq!(of(".f32", 4), Some("float"));
        assert_eq!(of(".tf32", 4), Some("float"));
        assert_eq!(of(".f64", 8), Some("double"));
        assert_eq!(of(".f16", 2), Some("half"));
        assert_eq!(of(".f16x2", 4), Some("half2"));
        assert_eq!(of(".f16", 4), Some("half2"));
        assert_eq!(of(".bf16x2", 4), Some("bf16x2"));
        assert_eq!(of(".f32x2", 8), Some("float2"));
        assert_eq!(of(".s32", 4), Some("signed"));
        assert_eq!(of(".u64", 8), Some("unsigned"));
        assert_eq!((of(".b32", 4), of(".pred", 0)), (None, Some("predicate")));
    }

    #[test]
    fn one_value_in_all_readings() {
        let all: Vec<String> = Reading::of_size(4).map(|reading| reading.text(0x3c00_bc00, 4)).collect();
        assert_eq!(all[..3], ["0x3c00bc00", "1006681088", "1006681088"]);
        assert_eq!(all[4..6], ["-1.0|1.0", "-0.0078|0.0078"]);
        assert_eq!(all.last().unwrap(), "0011_1100_0000_0000_1011_1100_0000_0000");
        assert_eq!(text("signed", 0xff, 1), "-1");
        assert_eq!(text("hex", 7, 8), "7");
        assert_eq!(text("float2", 0x4000_0000_3f80_0000, 8), "1.0|2.0");
        assert_eq!(text("predicate", 1, 0), "true");
    }

    #[test]
    fn parts_have_names() {
        let half2 = Reading::named("half2").unwrap();
        assert_eq!(
            (half2.parts(4), half2.part_label(4, 0), half2.part_label(4, 1)),
            (2, "f16 lo".into(), "f16 hi".into())
        );
        assert_eq!(half2.part_label(8, 3), "f16 3");
    }

    #[test]
    fn elements_of_matrices() {
        assert_eq!(element_text(".s4", 0xf), "-1");
        assert_eq!(element_text(".u4", 0xf), "15");
        assert_eq!(element_text(".b1", 1), "1");
        assert_eq!(element_text(".e2m1", 0xf), "-6.0");
        assert_eq!(element_text(".b8", 0x1f), "1f");
        assert_eq!(element_text(".tf32", 0x3fc0_0000), "1.5");
    }
}
