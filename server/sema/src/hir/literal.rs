//! Parses number literals (manual 4.5.1 and 4.5.2) as the assembler does.

use ptx_isa::ISA;

/// A parsed integer literal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IntegerLiteral {
    /// The 64 bits that the assembler makes of it.
    pub bits: u64,
    /// Whether it is unsigned: it has the suffix `U`, or the value does not fit `.s64`.
    pub unsigned: bool,
    /// Whether it has more than 64 bits, of which the assembler silently drops the upper ones.
    pub cut: bool,
}

/// A parsed floating-point literal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FloatLiteral {
    /// A decimal number, or the bits after `0d`.
    Double(f64),
    /// The bits after `0f`.
    Single(u32),
}

/// Why a word has no value as a literal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unreadable {
    /// It is not a literal.
    Shape,
    /// The assembler rejects it: it has too many digits, or it is a decimal number outside the normal range of `.f64`.
    Overflow,
}

/// Parses an integer literal.
///
/// ptxas multiplies and adds in 64 bits, possibly losing bits. It rejects a literal only if the value of the digits before
/// the next one has its highest bit set.
///
/// # Errors
/// If it has no value.
pub fn parse_integer(text: &str) -> Result<IntegerLiteral, Unreadable> {
    let (text, suffix) = text.strip_suffix('U').map_or((text, false), |t| (t, true));
    let (digits, radix) = match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => (&text[2..], 16),
        [b'0', b'b' | b'B', ..] => (&text[2..], 2),
        [b'0', _, ..] => (&text[1..], 8),
        _ => (text, 10),
    };
    if digits.is_empty() {
        return Err(Unreadable::Shape);
    }
    let (mut bits, mut cut) = (0u64, false);
    for c in digits.chars() {
        let digit = u64::from(c.to_digit(radix).ok_or(Unreadable::Shape)?);
        if bits >> 63 != 0 {
            return Err(Unreadable::Overflow);
        }
        let radix = u64::from(radix);
        cut |= bits.checked_mul(radix).and_then(|n| n.checked_add(digit)).is_none();
        bits = bits.wrapping_mul(radix).wrapping_add(digit);
    }
    Ok(IntegerLiteral { bits, unsigned: suffix || bits >> 63 != 0, cut })
}

/// The 64 bits of an integer literal as the assembler reads it, as an unsigned number; `None` if it rejects it.
pub fn integer(text: &str) -> Option<i128> {
    parse_integer(text).ok().map(|n| n.bits.into())
}

/// The value of a word that can only be a number: an integer literal, or the name of a constant (`WARP_SZ`).
pub fn number(text: &str) -> Option<i128> {
    ISA.constant(text).map(|named| named.value.into()).or_else(|| integer(text))
}

/// Parses a floating-point literal.
///
/// # Errors
/// If it has no value. In ptxas, a decimal number that is infinite or subnormal as `.f64` overflows.
pub fn parse_float(text: &str) -> Result<FloatLiteral, Unreadable> {
    match text.get(..2) {
        Some("0f" | "0F") => {
            u32::from_str_radix(&text[2..], 16).map(FloatLiteral::Single).map_err(|_| Unreadable::Shape)
        }
        Some("0d" | "0D") => match u64::from_str_radix(&text[2..], 16) {
            Ok(bits) => Ok(FloatLiteral::Double(f64::from_bits(bits))),
            Err(_) => Err(Unreadable::Shape),
        },
        _ => {
            let value: f64 = text.parse().map_err(|_| Unreadable::Shape)?;
            let mantissa = text.split(['e', 'E']).next().unwrap_or("");
            let zero = !mantissa.contains(|c: char| ('1'..='9').contains(&c));
            if value.is_normal() || zero { Ok(FloatLiteral::Double(value)) } else { Err(Unreadable::Overflow) }
        }
    }
}

/// The value of a floating-point literal.
pub fn float(text: &str) -> Option<f64> {
    match parse_float(text).ok()? {
        FloatLiteral::Double(value) => Some(value),
        FloatLiteral::Single(bits) => Some(f32::from_bits(bits).into()),
    }
}

/// The error in a word that begins like a number but is not a literal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Malformed {
    /// `0x`, `0b`: nothing follows.
    NoDigits,
    /// `08`: a digit that an octal number does not have.
    Octal,
    /// `0b2`.
    Binary,
    /// `0f3f80`: a wrong number of digits: the actual and the expected number.
    Bits(usize, usize),
    /// `1e`: no digits after the exponent.
    Exponent,
    /// `12u`, `12L`, `1.5f`: a suffix that PTX does not have.
    Suffix,
    /// `1_000`, `1'000`.
    Separator,
    /// `0FFh`, `1F`: hexadecimal digits without `0x`.
    Hexadecimal,
    /// Anything else.
    Other,
}

/// The error in a word that begins with a digit but is not a literal; `None` for other words.
pub fn malformed(word: &str) -> Option<Malformed> {
    if !word.starts_with(|c: char| c.is_ascii_digit())
        || parse_integer(word) != Err(Unreadable::Shape)
        || parse_float_word(word) != Err(Unreadable::Shape)
    {
        return None;
    }
    let digits = word.get(2..).unwrap_or("");
    let hexadecimal = digits.bytes().all(|b| b.is_ascii_hexdigit());
    let suffixed = |text: &str| parse_integer(text).is_ok() || parse_float_word(text).is_ok();
    Some(match word.as_bytes() {
        [b'0', b'x' | b'X' | b'b' | b'B'] => Malformed::NoDigits,
        _ if word.contains(['_', '\'']) => Malformed::Separator,
        [b'0', b'f' | b'F', ..] if hexadecimal => Malformed::Bits(digits.len(), 8),
        [b'0', b'd' | b'D', ..] if hexadecimal => Malformed::Bits(digits.len(), 16),
        [b'0', b'b' | b'B', ..] if digits.bytes().all(|b| b.is_ascii_digit()) => Malformed::Binary,
        _ if word.bytes().all(|b| b.is_ascii_digit()) => Malformed::Octal,
        _ if word.trim_end_matches(['+', '-']).ends_with(['e', 'E']) => Malformed::Exponent,
        _ if suffixed(unsuffixed(word)) => Malformed::Suffix,
        _ if word.trim_end_matches(['h', 'H']).bytes().all(|b| b.is_ascii_hexdigit()) => Malformed::Hexadecimal,
        _ => Malformed::Other,
    })
}

/// A number without the suffixes of other languages.
pub fn unsuffixed(word: &str) -> &str {
    let shorter = word.trim_end_matches(['u', 'U', 'l', 'L']);
    if shorter.starts_with("0x") || shorter.starts_with("0X") { shorter } else { shorter.trim_end_matches(['f', 'F']) }
}

/// [`parse_float`] for words that the parser has not validated.
fn parse_float_word(word: &str) -> Result<FloatLiteral, Unreadable> {
    let exact = |length: usize| word.len() == length && word.bytes().skip(2).all(|b| b.is_ascii_hexdigit());
    match word.as_bytes() {
        [b'0', b'f' | b'F', ..] if !exact(10) => Err(Unreadable::Shape),
        [b'0', b'd' | b'D', ..] if !exact(18) => Err(Unreadable::Shape),
        // An integer is not a floating-point literal.
        [b'0', b'f' | b'F' | b'd' | b'D', ..] => parse_float(word),
        _ if !word.contains(['.', 'e', 'E']) => Err(Unreadable::Shape),
        _ => parse_float(word),
    }
}

#[cfg(test)]
mod tests {
    use super::{
        FloatLiteral, IntegerLiteral, Malformed, Unreadable, float, integer, malformed, parse_float, parse_integer,
    };

    #[test]
    fn literals_of_every_radix() {
        assert_eq!(integer("42"), Some(42));
        assert_eq!(integer("0x1F"), Some(31));
        assert_eq!(integer("017"), Some(15));
        assert_eq!(integer("0b101U"), Some(5));
        assert_eq!(integer("0"), Some(0));
        assert_eq!(integer("0U"), Some(0));
        assert_eq!(float("0f3F800000"), Some(1.0));
        assert_eq!(float("0d4000000000000000"), Some(2.0));
        assert_eq!(float("1.5e3"), Some(1500.0));
        assert_eq!(integer("18446744073709551615"), Some(u64::MAX.into()));
    }

    #[test]
    fn what_is_no_literal() {
        for text in ["08", "0x", "0b", "0b2", "12u", "", "U", "0xU", "1.5"] {
            assert_eq!(parse_integer(text), Err(Unreadable::Shape), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_with_a_word() {
        for (word, wanted) in [
            ("08", Malformed::Octal),
            ("0b2", Malformed::Binary),
            ("0x", Malformed::NoDigits),
            ("0f3f80000", Malformed::Bits(7, 8)),
            ("0d3ff", Malformed::Bits(3, 16)),
            ("12u", Malformed::Suffix),
            ("12ULL", Malformed::Suffix),
            ("1.5f", Malformed::Suffix),
            ("0xffu", Malformed::Suffix),
            ("1e", Malformed::Exponent),
            ("1_000", Malformed::Separator),
            ("0xFFFF'FFFF", Malformed::Separator),
            ("0FFh", Malformed::Hexadecimal),
            ("1F2", Malformed::Hexadecimal),
            ("0o17", Malformed::Other),
        ] {
            assert_eq!(malformed(word), Some(wanted), "{word}");
        }
        for word in ["0", "0x1F", "1.5", "0f3f800000", "1e5", "12U", "99999999999999999999", "1e400", "x1"] {
            assert_eq!(malformed(word), None, "{word}");
        }
    }

    /// Each case is measured: the value in an object file, or the assembler's rejection.
    #[test]
    fn more_bits_than_64_are_cut_until_they_overflow() {
        let cut = |bits: u64| Ok(IntegerLiteral { bits, unsigned: bits >> 63 != 0, cut: true });
        for (text, wanted) in [
            ("18446744073709551616", cut(0)),
            ("18446744073709551617", cut(1)),
            ("0x1ffffffffffffffff", cut(u64::MAX)),
            ("0x123456789abcdef01", cut(0x2345_6789_abcd_ef01)),
            ("55340232221128654848", cut(0)),
            ("99999999999999999999", Err(Unreadable::Overflow)),
            ("92233720368547758070", cut(0xffff_ffff_ffff_fff6)),
            ("92233720368547758080", Err(Unreadable::Overflow)),
            ("184467440737095516160000", cut(0)),
            ("0x10000000000000000ffff", cut(0xffff)),
            ("0x80000000000000000", Err(Unreadable::Overflow)),
            ("03777777777777777777777", cut(u64::MAX)),
            ("010000000000000000000000", Err(Unreadable::Overflow)),
            ("0b10000000000000000000000000000000000000000000000000000000000000000", Err(Unreadable::Overflow)),
        ] {
            assert_eq!(parse_integer(text), wanted, "{text}");
        }
        assert_eq!(parse_integer("0x00000000000000000000001").map(|n| n.cut), Ok(false));
    }

    #[test]
    fn decimal_numbers_are_normal_or_zero() {
        for text in ["1e400", "1e309", "1e-310", "5e-324", "2.2250738585072011e-308", "1e99999", "1e-99999"] {
            assert_eq!(parse_float(text), Err(Unreadable::Overflow), "{text}");
        }
        for text in ["2.2250738585072014e-308", "1.7976931348623157e308", "0e99999", "0.0e-999", ".5", "1.", "08.5"] {
            assert!(parse_float(text).is_ok(), "{text}");
        }
        assert_eq!(parse_float("0D0000000000000001"), Ok(FloatLiteral::Double(5e-324)));
        assert_eq!(parse_float("0F7f800001"), Ok(FloatLiteral::Single(0x7f80_0001)));
    }
}
