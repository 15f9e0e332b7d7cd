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
        let (length, value) = cpp_escape(&bytes[at..], 8);
        let host = body.start + at..body.start + (at + length).min(bytes.len());
        let mut buffer = [0; 4];
        match value {
            Some(c) => out.push(host, c.encode_utf8(&mut buffer), SegmentKind::Escape),
            None => out.push(host, "", SegmentKind::Glue),
        }
        at += length;
    }
}

/// The length and the value of an escape, of which `\x` has at most `hex` digits. A spliced line has no value.
fn cpp_escape(bytes: &[u8], hex: usize) -> (usize, Option<char>) {
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
        b'x' if bytes.get(2).is_some_and(u8::is_ascii_hexdigit) => return digits(2, hex, 16),
        b'u' => return digits(2, 4, 16),
        b'U' => return digits(2, 8, 16),
        b if b.is_ascii() => char::from(*b),
        // A character outside ASCII stands for itself.
        _ => return (1, None),
    };
    (2, Some(simple))
}

/// The text that stands for a hole.
pub(crate) const HOLE: &str = "_hole_";

/// Appends the text of a Python literal of `source`.
pub(crate) fn decode_python(out: &mut Decoded, source: &str, literal: &Literal) {
    let body = literal.body.clone();
    let Some(text) = source.get(body.clone()) else { return };
    let bytes = text.as_bytes();
    if text.is_empty() {
        out.push(body, text, SegmentKind::Verbatim);
        return;
    }
    let (raw, format) = (literal.writing.raw, literal.writing.format);
    let mut at = 0;
    while at < bytes.len() {
        let special = |b: &u8| *b == b'\\' && !raw || matches!(b, b'{' | b'}') && format;
        let plain = if raw && !format {
            bytes.len()
        } else if format {
            bytes[at..].iter().position(special).map_or(bytes.len(), |i| at + i)
        } else {
            memchr::memchr(b'\\', &bytes[at..]).map_or(bytes.len(), |i| at + i)
        };
        if plain > at {
            out.push(body.start + at..body.start + plain, &text[at..plain], SegmentKind::Verbatim);
            at = plain;
            continue;
        }
        let host = |length: usize| body.start + at..body.start + (at + length).min(bytes.len());
        match (bytes[at], bytes.get(at + 1)) {
            (b'{', Some(b'{')) => {
                out.push(host(2), "{", SegmentKind::Escape);
                at += 2;
            }
            (b'}', Some(b'}')) => {
                out.push(host(2), "}", SegmentKind::Escape);
                at += 2;
            }
            (b'{', _) => {
                let length = replacement_field(&bytes[at..]);
                out.push(host(length), HOLE, SegmentKind::Hole);
                at += length;
            }
            (b'}', _) => {
                out.push(host(1), "}", SegmentKind::Verbatim);
                at += 1;
            }
            _ => {
                let (length, value) = python_escape(&bytes[at..]);
                let mut buffer = [0; 4];
                match value {
                    PythonEscape::Character(c) => {
                        out.push(host(length), c.encode_utf8(&mut buffer), SegmentKind::Escape)
                    }
                    PythonEscape::Nothing => out.push(host(length), "", SegmentKind::Glue),
                    // Python keeps the backslash of an escape that it does not know.
                    PythonEscape::Itself => out.push(host(length), &text[at..at + length], SegmentKind::Verbatim),
                }
                at += length;
            }
        }
    }
}

/// The length of `{expression}`. One that does not end reaches to the end of the text.
fn replacement_field(bytes: &[u8]) -> usize {
    let mut depth = 0u32;
    for (i, b) in bytes.iter().enumerate() {
        match b {
            b'{' => depth += 1,
            b'}' => {
                depth -= 1;
                if depth == 0 {
                    return i + 1;
                }
            }
            _ => {}
        }
    }
    bytes.len()
}

enum PythonEscape {
    Character(char),
    Nothing,
    Itself,
}

/// The length and the value of an escape.
fn python_escape(bytes: &[u8]) -> (usize, PythonEscape) {
    let Some(b) = bytes.get(1) else { return (1, PythonEscape::Itself) };
    match b {
        b'\n' => (2, PythonEscape::Nothing),
        b'\r' if bytes.get(2) == Some(&b'\n') => (3, PythonEscape::Nothing),
        b'N' if bytes.get(2) == Some(&b'{') => {
            let length = memchr::memchr(b'}', &bytes[..bytes.len().min(100)]).map_or(1, |i| i + 1);
            if length == 1 { (1, PythonEscape::Itself) } else { (length, PythonEscape::Character('\u{fffd}')) }
        }
        b'n' | b't' | b'r' | b'v' | b'f' | b'a' | b'b' | b'0'..=b'7' | b'\\' | b'"' | b'\'' | b'x' | b'u' | b'U' => {
            let (length, value) = cpp_escape(bytes, 2);
            value.map_or((1, PythonEscape::Itself), |c| (length, PythonEscape::Character(c)))
        }
        _ => (1, PythonEscape::Itself),
    }
}

/// The offset after a comment that begins at an offset, in which others may be nested.
pub(crate) fn nested_comment(text: &[u8], at: usize, open: [u8; 2], close: [u8; 2]) -> usize {
    let mut at = (at + 2).min(text.len());
    let mut depth = 1u32;
    while let Some(i) = memchr::memchr2(open[0], close[0], &text[at..]) {
        at += i;
        if text[at..].starts_with(&close) {
            at += 2;
            depth -= 1;
            if depth == 0 {
                return at;
            }
        } else if text[at..].starts_with(&open) {
            at += 2;
            depth += 1;
        } else {
            at += 1;
        }
    }
    text.len()
}

/// Appends the text of a Rust literal of `source`. Braces stay: they belong to the template, not to the literal.
pub(crate) fn decode_rust(out: &mut Decoded, source: &str, literal: &Literal) {
    let body = literal.body.clone();
    let Some(text) = source.get(body.clone()) else { return };
    if literal.writing.raw || text.is_empty() {
        out.push(body, text, SegmentKind::Verbatim);
        return;
    }
    escaped(out, body.start, text, |rest| {
        let (length, value) = rust_escape(rest);
        (length, value.map_or(Escaped::Nothing, Escaped::Character))
    });
}

/// What an escape stands for.
enum Escaped {
    Character(char),
    /// The backslash is no escape.
    Backslash,
    /// A spliced line.
    Nothing,
}

/// Appends a text that begins at a byte of the host and has escapes. `read` reads the one at the start of its argument: its length,
/// and what it stands for.
fn escaped(out: &mut Decoded, start: usize, text: &str, read: impl Fn(&str) -> (usize, Escaped)) {
    let mut at = 0;
    while at < text.len() {
        let plain = memchr::memchr(b'\\', &text.as_bytes()[at..]).map_or(text.len(), |i| at + i);
        if plain > at {
            out.push(start + at..start + plain, &text[at..plain], SegmentKind::Verbatim);
            at = plain;
            continue;
        }
        let (length, value) = read(&text[at..]);
        let host = start + at..start + at + length;
        match value {
            Escaped::Character(c) => out.push(host, c.encode_utf8(&mut [0; 4]), SegmentKind::Escape),
            Escaped::Backslash => out.push(host, "\\", SegmentKind::Verbatim),
            Escaped::Nothing => out.push(host, "", SegmentKind::Glue),
        }
        at += length;
    }
}

/// The length and the value of an escape. A spliced line has no value.
fn rust_escape(text: &str) -> (usize, Option<char>) {
    let bytes = text.as_bytes();
    let number = |digits: &str| u32::from_str_radix(&digits.replace('_', ""), 16).ok().and_then(char::from_u32);
    let simple = match bytes.get(1) {
        None => return (1, Some('\\')),
        // Blanks at the start of the next lines do not count.
        Some(b'\n' | b'\r') => {
            let blanks = bytes[1..].iter().take_while(|b| matches!(b, b' ' | b'\t' | b'\n' | b'\r')).count();
            return (1 + blanks, None);
        }
        Some(b'n') => '\n',
        Some(b't') => '\t',
        Some(b'r') => '\r',
        Some(b'0') => '\0',
        Some(b'x') if bytes.get(2..4).is_some_and(|d| d.iter().all(u8::is_ascii_hexdigit)) => {
            return (4, number(&text[2..4]));
        }
        Some(b'u') if bytes.get(2) == Some(&b'{') => {
            let end = memchr::memchr(b'}', &bytes[..bytes.len().min(14)]);
            return end.map_or((2, Some('u')), |end| {
                (end + 1, Some(text.get(3..end).and_then(number).unwrap_or(char::REPLACEMENT_CHARACTER)))
            });
        }
        Some(b) if b.is_ascii() => char::from(*b),
        // A character outside ASCII stands for itself.
        Some(_) => return (1, None),
    };
    (2, Some(simple))
}

/// Appends the text of a string of LLVM IR in `source`.
pub(crate) fn decode_llvm_ir(out: &mut Decoded, source: &str, literal: &Literal) {
    let body = literal.body.clone();
    let Some(text) = source.get(body.clone()) else { return };
    if text.is_empty() {
        out.push(body, text, SegmentKind::Verbatim);
        return;
    }
    escaped(out, body.start, text, |rest| {
        // The lexer keeps a backslash that begins no escape.
        let (length, value) = llvm_escape(rest.as_bytes());
        (length, value.map_or(Escaped::Backslash, Escaped::Character))
    });
}

/// The length and the value of `\\` or of the bytes `\C3\A9` of a character. Other backslashes have no value.
fn llvm_escape(bytes: &[u8]) -> (usize, Option<char>) {
    if bytes.get(1) == Some(&b'\\') {
        return (2, Some('\\'));
    }
    let byte = |at: usize| -> Option<u8> {
        let digits = bytes.get(at + 1..at + 3).filter(|d| bytes[at] == b'\\' && d.iter().all(u8::is_ascii_hexdigit))?;
        u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    let Some(first) = byte(0) else { return (1, None) };
    let mut buffer = vec![first];
    while buffer.len() < 4 {
        match std::str::from_utf8(&buffer) {
            Ok(text) => return (3 * buffer.len(), text.chars().next()),
            // More bytes are missing.
            Err(error) if error.error_len().is_none() => {}
            Err(_) => return (3, Some(char::REPLACEMENT_CHARACTER)),
        }
        match byte(3 * buffer.len()) {
            Some(next) => buffer.push(next),
            None => return (3, Some(char::REPLACEMENT_CHARACTER)),
        }
    }
    let character = std::str::from_utf8(&buffer).ok().and_then(|text| text.chars().next());
    character.map_or((3, Some(char::REPLACEMENT_CHARACTER)), |c| (3 * buffer.len(), Some(c)))
}

/// Appends the text of a string of Julia in `source`. The indentation of `"""` strings stays, as it means nothing in PTX.
pub(crate) fn decode_julia(out: &mut Decoded, source: &str, literal: &Literal) {
    let body = literal.body.clone();
    let Some(text) = source.get(body.clone()) else { return };
    if literal.writing.raw || text.is_empty() {
        out.push(body, text, SegmentKind::Verbatim);
        return;
    }
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let plain = memchr::memchr2(b'\\', b'$', &bytes[at..]).map_or(bytes.len(), |i| at + i);
        if plain > at {
            out.push(body.start + at..body.start + plain, &text[at..plain], SegmentKind::Verbatim);
            at = plain;
            continue;
        }
        let host = |length: usize| body.start + at..body.start + (at + length).min(bytes.len());
        let length = if bytes[at] == b'$' {
            let length = interpolation(&bytes[at..]);
            out.push(host(length), HOLE, SegmentKind::Hole);
            length
        } else if bytes[at..].starts_with(b"\\\n") || bytes[at..].starts_with(b"\\\r\n") {
            // Blanks at the start of the next line do not count.
            let line = at + 1 + usize::from(bytes[at + 1] == b'\r') + 1;
            let length = line - at + bytes[line..].iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
            out.push(host(length), "", SegmentKind::Glue);
            length
        } else {
            let (length, value) = match bytes.get(at + 1) {
                Some(b'e') => (2, Some('\u{1b}')),
                Some(b'x') => cpp_escape(&bytes[at..], 2),
                _ => cpp_escape(&bytes[at..], 8),
            };
            let mut buffer = [0; 4];
            match value {
                Some(c) => out.push(host(length), c.encode_utf8(&mut buffer), SegmentKind::Escape),
                None => out.push(host(length), "", SegmentKind::Glue),
            }
            length
        };
        at += length;
    }
}

/// The length of `$name` or `$(…)`. One that does not end reaches to the end of the text.
fn interpolation(bytes: &[u8]) -> usize {
    if bytes.get(1) != Some(&b'(') {
        let is_word = |b: &&u8| b.is_ascii_alphanumeric() || matches!(**b, b'_' | b'!') || **b >= 0x80;
        return 1 + bytes[1..].iter().take_while(is_word).count();
    }
    let mut depth = 0u32;
    for (i, b) in bytes.iter().enumerate() {
        match b {
            b'(' => depth += 1,
            b')' => {
                depth -= 1;
                if depth == 0 {
                    return i + 1;
                }
            }
            _ => {}
        }
    }
    bytes.len()
}
