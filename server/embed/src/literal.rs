//! Literals become text, with a map from each byte to its place.

use crate::map::{Decoded, SegmentKind};
use crate::raw::Literal;

/// Appends the text of a C++ literal of `source`.
pub(crate) fn decode_cpp(out: &mut Decoded, source: &str, literal: &Literal) {
    let body = literal.body.clone();
    let Some(text) = source.get(body.clone()) else { return };
    if literal.writing.raw || text.is_empty() {
        out.push(body, text, SegmentKind::Verbatim);
        return;
    }
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let plain = memchr::memchr(b'\\', &bytes[at..]).map_or(bytes.len(), |i| at + i);
        if plain > at {
            out.push(body.start + at..body.start + plain, &text[at..plain], SegmentKind::Verbatim);
            at = plain;
            continue;
        }
        let (length, value) = cpp_escape(&bytes[at..]);
        let host = body.start + at..body.start + (at + length).min(bytes.len());
        let mut buffer = [0; 4];
        match value {
            Some(c) => out.push(host, c.encode_utf8(&mut buffer), SegmentKind::Escape),
            None => out.push(host, "", SegmentKind::Glue),
        }
        at += length;
    }
}

/// The length and the value of an escape. A spliced line has no value.
fn cpp_escape(bytes: &[u8]) -> (usize, Option<char>) {
    let Some(b) = bytes.get(1) else { return (1, Some('\\')) };
    let digits = |from: usize, most: usize, radix: u32| {
        let run = bytes[from..].iter().take(most).take_while(|b| char::from(**b).is_digit(radix)).count();
        let value = std::str::from_utf8(&bytes[from..from + run]).ok().and_then(|d| u32::from_str_radix(d, radix).ok());
        (from + run, Some(value.and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER)))
    };
    let simple = match b {
        b'\n' => return (2, None),
        b'\r' if bytes.get(2) == Some(&b'\n') => return (3, None),
        b'n' => '\n',
        b't' => '\t',
        b'r' => '\r',
        b'v' => '\u{b}',
        b'f' => '\u{c}',
        b'a' => '\u{7}',
        b'b' => '\u{8}',
        b'0'..=b'7' => return digits(1, 3, 8),
        b'x' if bytes.get(2).is_some_and(u8::is_ascii_hexdigit) => return digits(2, 8, 16),
        b'u' => return digits(2, 4, 16),
        b'U' => return digits(2, 8, 16),
        b if b.is_ascii() => char::from(*b),
        // A character outside ASCII stands for itself.
        _ => return (1, None),
    };
    (2, Some(simple))
}
