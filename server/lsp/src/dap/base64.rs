//! Bytes as text: base 64 with padding, as `readMemory` and `writeMemory` carry them.

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Bytes as text.
pub fn encode(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let group = chunk.iter().fold(0u32, |all, byte| all << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            match place <= chunk.len() {
                true => out.push(char::from(DIGITS[(group >> (18 - 6 * place)) as usize & 63])),
                false => out.push('='),
            }
        }
    }
    out
}

/// Text as bytes; nothing if it is no base 64. Padding may be missing.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=');
    let mut out = Vec::with_capacity(digits.len() * 3 / 4);
    for chunk in digits.as_bytes().chunks(4) {
        let mut group = 0u32;
        for digit in chunk {
            group = group << 6 | DIGITS.iter().position(|d| d == digit)? as u32;
        }
        let bytes = match chunk.len() {
            4 => 3,
            3 => 2,
            2 => 1,
            _ => return None,
        };
        let group = group << (6 * (4 - chunk.len()));
        out.extend(&group.to_be_bytes()[1..1 + bytes]);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::{decode, encode};

    #[test]
    fn there_and_back() {
        for (bytes, text) in
            [(&b""[..], ""), (b"f", "Zg=="), (b"fo", "Zm8="), (b"foo", "Zm9v"), (&[255, 254, 0, 63], "//4APw==")]
        {
            assert_eq!(encode(bytes), text);
            assert_eq!(decode(text).as_deref(), Some(bytes));
        }
        assert_eq!(decode("Zm8"), Some(b"fo".to_vec()));
        assert_eq!(decode("Z"), None);
        assert_eq!(decode("Zm8*"), None);
    }
}
