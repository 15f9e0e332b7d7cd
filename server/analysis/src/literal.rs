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

#[cfg(test)]
mod tests {
    use super::integer;

    #[test]
    fn literals_of_every_radix() {
        assert_eq!(integer("42"), Some(42));
        assert_eq!(integer("0x1F"), Some(31));
        assert_eq!(integer("017"), Some(15));
        assert_eq!(integer("0b101U"), Some(5));
        assert_eq!(integer("0"), Some(0));
        assert_eq!(integer("08"), None);
        assert_eq!(integer("18446744073709551615"), Some(u64::MAX.into()));
    }
}
