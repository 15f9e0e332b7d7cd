//! Tokens of Rust which hide others: comments, strings and characters. All functions take the offset of the first byte
//! and return the offset after the last. A text that ends inside a token ends it.

use crate::literal::nested_comment;
use crate::raw::{Literal, Writing};

/// Whether a byte may be part of a name.
pub(super) fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80
}

/// The offset after a name or number.
pub(super) fn word(text: &[u8], at: usize) -> usize {
    at + text[at..].iter().take_while(|b| is_word(**b)).count()
}

/// The offset after a `//` comment, without its line break.
pub(super) fn line_comment(text: &[u8], at: usize) -> usize {
    memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |i| at + i)
}

/// The offset after a `/* … */` comment, in which others may be nested.
pub(super) fn block_comment(text: &[u8], at: usize) -> usize {
    nested_comment(text, at, *b"/*", *b"*/")
}

/// The offset after blanks, line breaks and comments.
pub(super) fn skip_blank(text: &[u8], mut at: usize) -> usize {
    loop {
        match text.get(at) {
            Some(b) if b.is_ascii_whitespace() => at += 1,
            Some(b'/') if text.get(at + 1) == Some(&b'/') => at = line_comment(text, at),
            Some(b'/') if text.get(at + 1) == Some(&b'*') => at = block_comment(text, at),
            _ => return at,
        }
    }
}

/// The offset after blanks of the same line.
pub(super) fn skip_spaces(text: &[u8], at: usize) -> usize {
    at + text[at..].iter().take_while(|b| matches!(b, b' ' | b'\t')).count()
}

/// A string literal.
pub(super) struct RustString {
    pub literal: Literal,
    pub is_closed: bool,
    /// Neither a byte string nor a C string.
    pub is_text: bool,
}

/// The string literal at the start of a token.
pub(super) fn string(text: &[u8], at: usize) -> Option<RustString> {
    let quote = match text.get(at)? {
        b'"' => at,
        b'r' | b'b' | b'c' => word(text, at),
        _ => return None,
    };
    let (is_raw, is_text) = match &text[at..quote] {
        b"" => (false, true),
        b"r" => (true, true),
        b"b" | b"c" => (false, false),
        b"br" | b"cr" => (true, false),
        _ => return None,
    };
    let hashes = text[quote..].iter().take_while(|b| **b == b'#').count();
    if hashes > 0 && !is_raw || text.get(quote + hashes) != Some(&b'"') {
        return None;
    }
    let body = quote + hashes + 1;
    let (body_end, end, is_closed) = if is_raw {
        let mut mark = vec![b'"'];
        mark.resize(hashes + 1, b'#');
        match memchr::memmem::find(&text[body..], &mark) {
            Some(i) => (body + i, body + i + mark.len(), true),
            None => (text.len(), text.len(), false),
        }
    } else {
        quoted(text, body)
    };
    // In a plain literal a line break after `\` would vanish, so new ones are written as escapes.
    let writing = Writing { raw: is_raw, lines: is_raw, format: false, quote: '"', levels: 1 };
    Some(RustString { literal: Literal { span: at..end, body: body..body_end, writing }, is_closed, is_text })
}

/// The rest of a plain literal: the end of its body, the offset after it, and whether it is closed.
fn quoted(text: &[u8], mut at: usize) -> (usize, usize, bool) {
    while let Some(i) = memchr::memchr2(b'"', b'\\', text.get(at..).unwrap_or_default()) {
        at += i;
        if text[at] == b'"' {
            return (at, at + 1, true);
        }
        at += 2;
    }
    (text.len(), text.len(), false)
}

/// The offset after a character literal or a lifetime.
pub(super) fn character(text: &[u8], at: usize) -> usize {
    match text.get(at + 1) {
        Some(b'\\') => {
            // The longest is `'\u{10FFFF}'`, which may have underscores.
            let from = (at + 3).min(text.len());
            let rest = &text[from..(from + 16).min(text.len())];
            memchr::memchr(b'\'', rest).map_or((at + 2).min(text.len()), |i| from + i + 1)
        }
        Some(first) => {
            let length = match first {
                0..0x80 => 1,
                0x80..0xe0 => 2,
                0xe0..0xf0 => 3,
                _ => 4,
            };
            if *first != b'\'' && *first != b'\n' && text.get(at + 1 + length) == Some(&b'\'') {
                at + length + 2
            } else {
                word(text, at + 1)
            }
        }
        None => at + 1,
    }
}
