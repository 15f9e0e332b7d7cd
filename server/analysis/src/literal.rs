//! Number literals (manual 4.5).

/// Value of an integer literal: decimal, `0x`, `0b`, octal, with or without `U`. `None` if it is none (`08`) or wider than 127 bits.
pub fn integer(text: &str) -> Option<i128> {
    let text = text.strip_suffix(['U', 'u']).unwrap_or(text);
    let (digits, radix) = match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => (&text[2..], 16),
        [b'0', b'b' | b'B', ..] => (&text[2..], 2),
        [b'0', _, ..] => (&text[1..], 8),
        _ => (text, 10),
    };
    i128::from_str_radix(digits, radix).ok()
}

/// Value of a floating-point literal: decimal, or the bits after `0f` and `0d`.
pub fn float(text: &str) -> Option<f64> {
    match text.get(..2) {
        Some("0f" | "0F") => u32::from_str_radix(&text[2..], 16).ok().map(|bits| f32::from_bits(bits).into()),
        Some("0d" | "0D") => u64::from_str_radix(&text[2..], 16).ok().map(f64::from_bits),
        _ => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::{float, integer};

    #[test]
    fn literals_of_every_radix() {
        assert_eq!(integer("42"), Some(42));
        assert_eq!(integer("0x1F"), Some(31));
        assert_eq!(integer("017"), Some(15));
        assert_eq!(integer("0b101U"), Some(5));
        assert_eq!(integer("0"), Some(0));
        assert_eq!(integer("08"), None);
        assert_eq!(float("0f3F800000"), Some(1.0));
        assert_eq!(float("0d4000000000000000"), Some(2.0));
        assert_eq!(float("1.5e3"), Some(1500.0));
        assert_eq!(integer("18446744073709551615"), Some(u64::MAX.into()));
    }
}
