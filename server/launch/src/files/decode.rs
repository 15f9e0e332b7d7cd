//! Bytes as text.

/// Bytes as text, and whether they had to be changed. Of what is not UTF-8, each byte becomes a control character (the one
/// that ASCII has for a substitute), so that every offset is one of the file. In a comment that does no harm, and elsewhere
/// no byte beyond ASCII is right.
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
