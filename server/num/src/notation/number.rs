//! Numbers as they are written in launches and expressions.

use super::element::{ElementFormat, ElementKind};
use crate::values::convert::{FloatLayout, NumberClass, Real, RoundingDirection};
use std::fmt::{self, Display};

/// A number as written, before its type is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Number {
    /// An integer in decimal digits.
    Integer {
        /// It has a minus sign.
        negative: bool,
        /// The absolute value.
        magnitude: u128,
    },
    /// `0x…`, `0b…`: bits. For an integer type they are the value, for a floating-point type the encoding.
    Bits(u128),
    /// With a decimal point or an exponent; `inf` or `nan`.
    Float(f64),
    /// `0f3F800000`: an f32, given by its bits.
    Single(u32),
    /// `0d3FF0000000000000`: an f64, given by its bits.
    Double(u64),
}

impl Number {
    /// An integer.
    pub fn integer(value: i64) -> Self {
        Self::Integer { negative: value < 0, magnitude: value.unsigned_abs().into() }
    }

    /// Parses the number at the beginning of a text, and returns it with its length in bytes. Digits may be grouped by `_`.
    pub fn parse(text: &str) -> Option<(Self, usize)> {
        let sign = usize::from(text.starts_with(['-', '+']));
        let negative = text.starts_with('-');
        let rest = text.get(sign..)?;
        let word_end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        let word = rest.get(..word_end)?;
        let lower = word.to_ascii_lowercase();
        let signed = |value: f64| Some((Self::Float(if negative { -value } else { value }), sign + word_end));
        match lower.as_str() {
            "nan" => return signed(f64::NAN),
            "inf" | "infinity" => return signed(f64::INFINITY),
            _ => {}
        }
        let digits = |from: usize| lower.get(from..).unwrap_or_default().replace('_', "");
        if let Some(prefix) = lower.get(..2).filter(|p| ["0x", "0b", "0f", "0d"].contains(p)) {
            let radix = if prefix == "0b" { 2 } else { 16 };
            let digits = digits(2);
            let bits = u128::from_str_radix(&digits, radix).ok()?;
            let number = match prefix {
                "0f" if digits.len() == 8 => Self::Single(bits as u32 ^ u32::from(negative) << 31),
                "0d" if digits.len() == 16 => Self::Double(bits as u64 ^ u64::from(negative) << 63),
                "0f" | "0d" => return None,
                _ if negative => Self::Integer { negative, magnitude: bits },
                _ => Self::Bits(bits),
            };
            return Some((number, sign + word_end));
        }
        let (length, float) = decimal(rest)?;
        // `12abc` is not a number.
        if rest.get(length..).is_some_and(|r| r.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')) {
            return None;
        }
        let digits = rest.get(..length)?.replace('_', "");
        let number = if float {
            let value: f64 = digits.parse().ok().filter(|v: &f64| v.is_finite())?;
            Self::Float(if negative { -value } else { value })
        } else {
            Self::Integer { negative, magnitude: digits.parse().ok()? }
        };
        Some((number, sign + length))
    }

    /// The value, rounded to the nearest f64. `Bits` count as an integer.
    pub fn value(self) -> f64 {
        match self {
            Self::Integer { negative, magnitude } => {
                let value = magnitude as f64;
                if negative { -value } else { value }
            }
            Self::Bits(bits) => bits as f64,
            Self::Float(value) => value,
            Self::Single(bits) => f32::from_bits(bits).into(),
            Self::Double(bits) => f64::from_bits(bits),
        }
    }

    /// The value as an integer: whether it is negative, and its magnitude. `None` if it has a fraction or does not fit into 128 bits.
    pub fn whole(self) -> Option<(bool, u128)> {
        match self {
            Self::Integer { negative, magnitude } => Some((negative && magnitude != 0, magnitude)),
            Self::Bits(bits) => Some((false, bits)),
            Self::Float(_) | Self::Single(_) | Self::Double(_) => {
                let value = self.value();
                // A number that does not fit becomes the greatest or the least one, which no `f64` of that size equals but -2^127.
                let fits = value as i128 as f64 == value && value.abs() < (1_u128 << 127) as f64;
                fits.then(|| (value < 0.0, value.abs() as u128))
            }
        }
    }

    /// The value as a count or a size; `None` if it is not a non-negative integer of 64 bits.
    pub fn count(self) -> Option<u64> {
        match self.whole() {
            Some((false, value)) => u64::try_from(value).ok(),
            _ => None,
        }
    }

    /// The exact value, for conversion to a floating-point type.
    fn real(self) -> Real {
        match self {
            Self::Integer { negative, magnitude } => match u64::try_from(magnitude) {
                Ok(digits) => Real::scaled(negative, digits, 0),
                Err(_) => FloatLayout::F64.decode(self.value().to_bits()),
            },
            Self::Single(bits) => FloatLayout::F32.decode(bits.into()),
            Self::Bits(_) | Self::Float(_) | Self::Double(_) => FloatLayout::F64.decode(self.value().to_bits()),
        }
    }

    /// The bits of the number in an element format, rounded to nearest even. Untyped elements of 32 and 64 bits store numbers with a
    /// fraction as f32 and f64.
    ///
    /// # Errors
    /// A message, if the format has no such value.
    pub fn encode(self, element: ElementFormat) -> Result<u128, String> {
        let name = element.name();
        match element.kind() {
            ElementKind::Bits if !matches!(self, Self::Integer { .. } | Self::Bits(_)) => match element.bits() {
                32 => Ok(FloatLayout::F32.encode(self.real(), RoundingDirection::Nearest, false).into()),
                64 => Ok(FloatLayout::F64.encode(self.real(), RoundingDirection::Nearest, false).into()),
                _ => Err(format!("`{self}` is not a value of `{name}`, which has no format: write its bits (`0x…`)")),
            },
            ElementKind::Bits | ElementKind::Integer { .. } => {
                let (negative, magnitude) = self
                    .whole()
                    .ok_or_else(|| format!("`{self}` is not a value of `{name}`, which holds whole numbers"))?;
                let signed = element.kind() == ElementKind::Integer { signed: true };
                let bits = element.bits();
                let all = element.mask();
                // Bits may fill a signed type, and -1 is a common way to write all-ones.
                let most = if signed && !matches!(self, Self::Bits(_)) { all >> 1 } else { all };
                if negative && magnitude > 1 << (bits - 1) || !negative && magnitude > most {
                    return Err(format!("`{self}` does not fit into `{name}`"));
                }
                Ok(if negative { magnitude.wrapping_neg() & all } else { magnitude })
            }
            ElementKind::Float(layout) => match self {
                Self::Bits(bits) => {
                    let fits = bits <= element.mask();
                    fits.then_some(bits).ok_or_else(|| format!("`{self}` has more bits than `{name}`"))
                }
                _ => {
                    let real = self.real();
                    let finite = matches!(real.class, NumberClass::Finite | NumberClass::Zero);
                    let code = layout.encode(real, false);
                    let stored = layout.decode(code as u64);
                    let lost = !matches!(stored.class, NumberClass::Finite | NumberClass::Zero)
                        || !layout.has_nan()
                            && self.value().abs() > layout.largest()
                            && element.value(code << element.padding()) != self.value();
                    match real.class {
                        NumberClass::Nan if !layout.has_nan() => Err(format!("`{name}` has no NaN")),
                        NumberClass::Infinite if !layout.has_infinity() => Err(format!("`{name}` has no infinity")),
                        _ if finite && lost => Err(format!("`{self}` does not fit into `{name}`")),
                        NumberClass::Finite if real.negative && !layout.is_signed() => {
                            Err(format!("`{name}` has no sign, but `{self}` is negative"))
                        }
                        _ => Ok(code << element.padding()),
                    }
                }
            },
        }
    }
}

/// The length of the decimal number at the beginning of a text, and whether it has a decimal point or an exponent. In `1..2`, a range, the
/// number is `1`.
fn decimal(text: &str) -> Option<(usize, bool)> {
    let bytes = text.as_bytes();
    let digits = |from: usize| {
        bytes.get(from..).unwrap_or_default().iter().take_while(|b| b.is_ascii_digit() || **b == b'_').count()
    };
    let whole = digits(0);
    let mut at = whole;
    let mut float = false;
    let mut fraction = 0;
    if bytes.get(at) == Some(&b'.') && bytes.get(at + 1) != Some(&b'.') {
        float = true;
        fraction = digits(at + 1);
        at += 1 + fraction;
    }
    if whole + fraction == 0 || bytes.first() == Some(&b'_') {
        return None;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let exponent = digits(at + 1 + sign);
        if exponent > 0 {
            float = true;
            at += 1 + sign + exponent;
        }
    }
    Some((at, float))
}

/// A floating-point number as text that parses to the same number.
pub(super) fn float_text(value: f64) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    if value.is_infinite() {
        return if value < 0.0 { "-inf" } else { "inf" }.to_owned();
    }
    format!("{value:?}")
}

impl Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer { negative, magnitude } => write!(f, "{}{magnitude}", if *negative { "-" } else { "" }),
            Self::Bits(bits) => write!(f, "{bits:#x}"),
            Self::Float(value) => f.write_str(&float_text(*value)),
            Self::Single(bits) => write!(f, "0f{bits:08X}"),
            Self::Double(bits) => write!(f, "0d{bits:016X}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::element::ElementFormat;
    use super::Number;

    fn bits(text: &str, element: &str) -> Result<u128, String> {
        let (number, length) = Number::parse(text).unwrap();
        assert_eq!(length, text.len(), "{text}");
        number.encode(ElementFormat::named(element).unwrap())
    }

    #[test]
    fn spellings() {
        for (text, length) in [
            ("12", 2),
            ("-1.5e-3,", 7),
            ("1..2", 1),
            ("1.0..2", 3),
            ("0x1F)", 4),
            ("nan", 3),
            ("-inf]", 4),
            (".5", 2),
            ("1_000", 5),
            ("3.", 2),
            ("0f3F800000 ", 10),
            ("1e5", 3),
        ] {
            assert_eq!(Number::parse(text).map(|(_, n)| n), Some(length), "{text}");
        }
        for text in ["", "1e400", "-", "abc", "0f3F80", "0x", "12ab", ".", "_1", "e5", "1e", "0xg"] {
            assert_eq!(Number::parse(text), None, "{text}");
        }
    }

    #[test]
    fn integers_in_their_types() {
        assert_eq!(bits("-1", "u8"), Ok(0xff));
        assert_eq!(bits("-128", "s8"), Ok(0x80));
        assert_eq!(bits("0xff", "s8"), Ok(0xff));
        assert_eq!(bits("1e3", "u16"), Ok(1000));
        assert_eq!(bits("0xffffffffffffffffffffffffffffffff", "b128"), Ok(u128::MAX));
        assert_eq!(bits("-1", "b128"), Ok(u128::MAX));
        assert_eq!(bits("128", "s8"), Err("`128` does not fit into `s8`".into()));
        assert_eq!(bits("-129", "s8"), Err("`-129` does not fit into `s8`".into()));
        assert_eq!(bits("256", "u8"), Err("`256` does not fit into `u8`".into()));
        assert_eq!(bits("1.5", "u8"), Err("`1.5` is not a value of `u8`, which holds whole numbers".into()));
        assert_eq!(bits("nan", "s32"), Err("`nan` is not a value of `s32`, which holds whole numbers".into()));
        assert_eq!(bits("1.5", "b32"), Ok(1.5f32.to_bits().into()));
        assert_eq!(bits("1.5", "b64"), Ok(1.5f64.to_bits().into()));
        assert!(bits("1.5", "b16").is_err());
    }

    #[test]
    fn floats_in_their_types() {
        assert_eq!(bits("0.1", "f32"), Ok(0.1f32.to_bits().into()));
        assert_eq!(bits("7", "f64"), Ok(7f64.to_bits().into()));
        assert_eq!(bits("-0.0", "f32"), Ok(0x8000_0000));
        assert_eq!(bits("0x7f800000", "f32"), Ok(0x7f80_0000));
        assert_eq!(bits("0f3F800000", "f16"), Ok(0x3c00));
        assert_eq!(bits("1.0", "bf16"), Ok(0x3f80));
        // 1 + 2^-11 lies between two tf32 numbers and rounds to the even one. The low 13 bits of the container are zero.
        assert_eq!(bits("1.00048828125", "tf32"), Ok(0x3f80_0000));
        assert_eq!(bits("1.5", "tf32"), Ok(0x3fc0_0000));
        assert_eq!(bits("65504", "f16"), Ok(0x7bff));
        assert_eq!(bits("65536", "f16"), Err("`65536` does not fit into `f16`".into()));
        assert_eq!(bits("7", "e2m1"), Err("`7` does not fit into `e2m1`".into()));
        assert_eq!(bits("500", "e4m3"), Err("`500` does not fit into `e4m3`".into()));
        assert_eq!(bits("448", "e4m3"), Ok(0x7e));
        assert_eq!(bits("-6", "e2m1"), Ok(0xf));
        assert_eq!(bits("2", "ue8m0"), Ok(128));
        assert_eq!(bits("-0.5", "s2f6"), Ok(0xe0));
        assert_eq!(bits("-2", "s2f6"), Ok(0x80));
        assert_eq!(bits("inf", "e4m3"), Err("`e4m3` has no infinity".into()));
        assert_eq!(bits("nan", "e2m1"), Err("`e2m1` has no NaN".into()));
        assert_eq!(bits("-2", "ue8m0"), Err("`ue8m0` has no sign, but `-2` is negative".into()));
        assert_eq!(bits("0x10000", "f16"), Err("`0x10000` has more bits than `f16`".into()));
    }

    #[test]
    fn what_is_written_is_read_again() {
        for text in ["12", "-12", "0xff", "1.5", "1e300", "-inf", "0fBF800000", "0d3FF0000000000001", "-0.0", "0.1"] {
            let (number, _) = Number::parse(text).unwrap();
            assert_eq!(Number::parse(&number.to_string()).unwrap().0, number, "{text}");
        }
    }
}
