//! Values with their types, and how they are shown.

use crate::lanes::{LANES, Mask};
use crate::launch::{Element, Kind};
use crate::machine::list;
use crate::values::Marks;
use ptx_isa::ISA;
use ptx_isa::tables::{Type, TypeClass};

/// A value of one lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Value {
    /// Its type, with the dot.
    pub ty: &'static str,
    /// Its bits, extended with zeros.
    pub bits: u128,
    /// What must be said of it.
    pub marks: Marks,
    /// It comes from what was written.
    pub known: bool,
}

/// How a value is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Style {
    /// As its type says: bits without a meaning in hexadecimal.
    #[default]
    Default,
    /// In hexadecimal.
    Hex,
    /// As a whole number that may be negative.
    Signed,
    /// As a whole number that is not.
    Unsigned,
    /// As a floating-point number of its size.
    Float,
    /// 32 bits as two numbers of 16.
    Half2,
    /// In binary.
    Bits,
}

impl Style {
    /// The style of that name.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "default" => Self::Default,
            "hex" => Self::Hex,
            "signed" => Self::Signed,
            "unsigned" => Self::Unsigned,
            "float" => Self::Float,
            "half2" => Self::Half2,
            "bits" => Self::Bits,
            _ => return None,
        })
    }
}

/// What the bits of a type mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// True or false.
    Truth,
    /// A whole number.
    Integer { signed: bool },
    /// Nothing by themselves.
    Bits,
    /// A floating-point number.
    Float(Element),
    /// So many numbers.
    Packed(Element, u32),
}

/// What the bits of a type mean, and how many they are.
pub(super) fn meaning(ty: &str) -> (Meaning, u32) {
    let Some(info) = ISA.ty(ty) else { return (Meaning::Bits, 32) };
    let bits = u32::from(info.bits).clamp(1, 128);
    (meaning_of(info), bits)
}

fn meaning_of(info: &Type) -> Meaning {
    match info.class {
        TypeClass::Pred => Meaning::Truth,
        TypeClass::Uint => Meaning::Integer { signed: false },
        TypeClass::Sint => Meaning::Integer { signed: true },
        TypeClass::Bits | TypeClass::Opaque => Meaning::Bits,
        TypeClass::Float | TypeClass::Packed => {
            let one = Element::named(info.name).filter(|e| matches!(e.kind(), Kind::Float(_)));
            let many = || {
                let (element, count) = info.name.rsplit_once('x')?;
                let (element, count) = (Element::named(element)?, count.parse::<u32>().ok()?);
                (count > 0 && element.bits() * count == u32::from(info.bits)).then_some((element, count))
            };
            match one {
                Some(element) => Meaning::Float(element),
                None => many().map_or(Meaning::Bits, |(element, count)| Meaning::Packed(element, count)),
            }
        }
    }
}

pub(super) fn low(bits: u128, count: u32) -> u128 {
    if count >= 128 { bits } else { bits & ((1 << count) - 1) }
}

pub(super) fn signed(bits: u128, count: u32) -> i128 {
    let unused = 128 - count.clamp(1, 128);
    ((bits << unused) as i128) >> unused
}

impl Value {
    /// A value that was written, and of which nothing is to be said.
    pub fn new(ty: &'static str, bits: u128) -> Self {
        Self { ty, bits: low(bits, meaning(ty).1), marks: Marks::NONE, known: true }
    }

    /// The value of a lane of a register whose 32 lanes these bytes are, as recorders and views give them; of a predicate, four bytes with a
    /// bit for each lane.
    pub fn of_lane(ty: &'static str, bytes: &[u8], lane: usize) -> Option<Self> {
        if meaning(ty).0 == Meaning::Truth {
            let mask = Mask::from_le_bytes(*bytes.first_chunk()?);
            return Some(Self::new(ty, u128::from(mask >> (lane % LANES) & 1)));
        }
        let width = bytes.len() / LANES;
        let own = bytes.get(lane % LANES * width..)?.get(..width)?;
        let bits = own.iter().rev().take(16).fold(0, |all, byte| all << 8 | u128::from(*byte));
        Some(Self::new(ty, bits))
    }

    /// Whether it counts as true: a number that is not zero.
    pub fn is_true(&self) -> bool {
        match meaning(self.ty).0 {
            Meaning::Float(element) => element.value(self.bits) != 0.0,
            _ => self.bits != 0,
        }
    }
}

/// A value in words, with what must be said of it.
pub fn show(value: &Value, style: Style) -> String {
    if !value.known {
        return "uninitialized".to_owned();
    }
    let text = plain(value, style);
    if value.marks.contains(Marks::UNSPECIFIED) {
        format!("{text} (unspecified)")
    } else if value.marks.contains(Marks::APPROXIMATE) {
        format!("{text} (approximate)")
    } else {
        text
    }
}

/// Values of several lanes: those that are the same are said once.
pub fn show_lanes(values: &[(usize, Value)], style: Style) -> String {
    let mut groups: Vec<(String, Mask)> = Vec::new();
    for (lane, value) in values {
        let (text, bit) = (show(value, style), 1 << (lane % LANES));
        match groups.iter_mut().find(|(known, _)| *known == text) {
            Some((_, mask)) => *mask |= bit,
            None => groups.push((text, bit)),
        }
    }
    match groups.as_slice() {
        [(text, _)] => text.clone(),
        all => all.iter().map(|(text, mask)| format!("{}: {text}", list(*mask))).collect::<Vec<_>>().join("; "),
    }
}

fn plain(value: &Value, style: Style) -> String {
    let (meaning, bits) = meaning(value.ty);
    let float = |width: u32| match width {
        16 => Element::named("f16"),
        32 => Element::named("f32"),
        64 => Element::named("f64"),
        _ => None,
    };
    let many = |element: Element, count: u32| {
        let part = |i: u32| element.text(low(value.bits >> (i * element.bits()), element.bits()));
        format!("{{{}}}", (0..count).map(part).collect::<Vec<_>>().join(", "))
    };
    let hex = || format!("{:#0width$x}", value.bits, width = bits.div_ceil(4) as usize + 2);
    match (style, meaning) {
        (Style::Default | Style::Float | Style::Half2, Meaning::Truth) => (value.bits & 1 != 0).to_string(),
        (Style::Default | Style::Float, Meaning::Float(element)) => element.text(value.bits),
        (Style::Default | Style::Float | Style::Half2, Meaning::Packed(element, count)) => many(element, count),
        (Style::Default, Meaning::Integer { signed: true }) | (Style::Signed, _) => {
            signed(value.bits, bits).to_string()
        }
        (Style::Default, Meaning::Integer { signed: false }) | (Style::Unsigned, _) => value.bits.to_string(),
        (Style::Default | Style::Hex, _) => hex(),
        (Style::Float, _) => float(bits).map_or_else(hex, |element| element.text(value.bits)),
        (Style::Half2, _) => float(16).filter(|_| bits == 32).map_or_else(hex, |element| many(element, 2)),
        (Style::Bits, _) => {
            let digits = format!("{:0width$b}", value.bits, width = bits as usize);
            let parts: Vec<&str> =
                digits.as_bytes().rchunks(8).rev().filter_map(|c| std::str::from_utf8(c).ok()).collect();
            format!("0b{}", parts.join("_"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Style, Value, show, show_lanes};
    use crate::values::Marks;
    use ptx_isa::ISA;

    fn text(ty: &'static str, bits: u128, style: Style) -> String {
        show(&Value::new(ty, bits), style)
    }

    #[test]
    fn types_decide_how_values_are_shown() {
        let default = |ty, bits| text(ty, bits, Style::Default);
        assert_eq!(default(".u32", u128::MAX), "4294967295");
        assert_eq!(default(".s32", 0xffff_fffe), "-2");
        assert_eq!(default(".b32", 0x2a), "0x0000002a");
        assert_eq!(default(".f32", 0x3f80_0000), "1.0");
        assert_eq!(default(".f64", 0.1f64.to_bits().into()), "0.1");
        assert_eq!(default(".f16x2", 0x4000_3c00), "{1.0, 2.0}");
        assert_eq!(default(".bf16x2", 0x4000_3f80), "{1.0, 2.0}");
        assert_eq!(default(".u8x4", 0x0403_0201), "{1, 2, 3, 4}");
        assert_eq!(default(".e2m1x2", 0x42), "{1.0, 2.0}");
        assert_eq!(default(".pred", 1), "true");
        assert_eq!(default(".f32", 0x7fff_ffff), "nan");
    }

    #[test]
    fn styles_decide_otherwise() {
        assert_eq!(text(".f32", 0x3f80_0000, Style::Hex), "0x3f800000");
        assert_eq!(text(".b32", 0x3f80_0000, Style::Float), "1.0");
        assert_eq!(text(".b16", 0x3c00, Style::Float), "1.0");
        assert_eq!(text(".b32", 0x4000_3c00, Style::Half2), "{1.0, 2.0}");
        assert_eq!(text(".b64", 5, Style::Half2), "0x0000000000000005");
        assert_eq!(text(".b32", u128::MAX, Style::Signed), "-1");
        assert_eq!(text(".s32", u128::MAX, Style::Unsigned), "4294967295");
        assert_eq!(text(".b16", 0x8001, Style::Bits), "0b10000000_00000001");
        assert_eq!(text(".pred", 1, Style::Hex), "0x1");
        assert_eq!(text(".b128", u128::MAX, Style::Signed), "-1");
        for info in ISA.types {
            for style in ["default", "hex", "signed", "unsigned", "float", "half2", "bits"] {
                let style = Style::named(style).expect("a style");
                assert!(!text(info.name, u128::MAX / 3, style).is_empty(), "{} {style:?}", info.name);
            }
        }
    }

    #[test]
    fn what_must_be_said_is_said() {
        let value = Value::new(".u32", 7);
        let marked = |marks| show(&Value { marks, ..value }, Style::Default);
        assert_eq!(marked(Marks::APPROXIMATE), "7 (approximate)");
        assert_eq!(marked(Marks::UNSPECIFIED | Marks::APPROXIMATE), "7 (unspecified)");
        assert_eq!(show(&Value { known: false, ..value }, Style::Hex), "uninitialized");
    }

    #[test]
    fn lanes_with_the_same_value_are_said_once() {
        let values: Vec<_> = (0..32).map(|lane| (lane, Value::new(".u32", u128::from(lane >= 30)))).collect();
        assert_eq!(show_lanes(&values, Style::Default), "0-29: 0; 30-31: 1");
        assert_eq!(show_lanes(&values[..4], Style::Default), "0");
        let bytes: Vec<u8> = (0..32u32).flat_map(|l| (l * l).to_le_bytes()).collect();
        assert_eq!(Value::of_lane(".s32", &bytes, 5), Some(Value::new(".s32", 25)));
        assert_eq!(Value::of_lane(".pred", &[2, 0, 0, 0], 1), Some(Value::new(".pred", 1)));
        assert_eq!(Value::of_lane(".pred", &[2], 1), None);
    }
}
