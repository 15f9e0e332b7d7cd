//! Conversion of bytes to text.

/// Returns bytes as text, and whether they were changed. If the bytes are not UTF-8, each byte that is not ASCII becomes a
/// control character (ASCII's substitute), so that every offset matches the file. In a comment this does no harm, and elsewhere
/// bytes beyond ASCII are invalid anyway.
pub fn decode(bytes: Vec<u8>) -> (String, bool) {
    let bytes = match String::from_utf8(bytes) {
        Ok(text) => return (text, false),
        Err(error) => error.into_bytes(),
    };
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        out.extend(chunk.invalid().iter().map(|_| '\u{1a}'));
    }
    (out, true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_keeps_its_place() {
        assert_eq!(decode("é".into()), ("é".to_owned(), false));
        let (text, changed) = decode(b"a\xffb\xe2\x82c\xc3\xa9".to_vec());
        assert_eq!((text.as_str(), changed), ("a\u{1a}b\u{1a}\u{1a}c\u{e9}", true));
    }
}
