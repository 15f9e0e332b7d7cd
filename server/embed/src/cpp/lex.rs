//! Tokens of C++ which hide others: comments, strings and characters. All functions take the offset of the first byte
//! and return the offset after the last. A text that ends inside a token ends it.

use crate::raw::{Literal, Writing};
use std::ops::Range;

/// The offset after a `//` comment, without its line break.
pub(super) fn line_comment(text: &[u8], mut at: usize) -> usize {
    loop {
        match memchr::memchr(b'\n', &text[at..]) {
            None => return text.len(),
            Some(i) if spliced(text, at + i) => at += i + 1,
            Some(i) => return at + i,
        }
    }
}

/// Whether the line break at an offset follows a backslash.
pub(super) fn spliced(text: &[u8], newline: usize) -> bool {
    let before = &text[..newline];
    let before = before.strip_suffix(b"\r").unwrap_or(before);
    before.last() == Some(&b'\\')
}

/// The offset after a `/* … */` comment.
pub(super) fn block_comment(text: &[u8], at: usize) -> usize {
    let from = (at + 2).min(text.len());
    memchr::memmem::find(&text[from..], b"*/").map_or(text.len(), |i| from + i + 2)
}

/// The offset after blanks, line breaks, splices and comments.
pub(super) fn skip_blank(text: &[u8], mut at: usize) -> usize {
    loop {
        match text.get(at) {
            Some(b' ' | b'\t' | b'\r' | b'\n' | b'\x0b' | b'\x0c') => at += 1,
            Some(b'\\') if matches!(text.get(at + 1), Some(b'\n' | b'\r')) => at += 2,
            Some(b'/') if text.get(at + 1) == Some(&b'/') => at = line_comment(text, at),
            Some(b'/') if text.get(at + 1) == Some(&b'*') => at = block_comment(text, at),
            _ => return at,
        }
    }
}

/// Whether a byte may be part of a name.
pub(super) fn is_word(b: u8) -> bool {
    WORD[usize::from(b)]
}

static WORD: [bool; 256] = {
    let mut out = [false; 256];
    let mut i = 0;
    while i < 256 {
        let b = i as u8;
        out[i] = b.is_ascii_alphanumeric() || b == b'_' || b == b'$' || b >= 0x80;
        i += 1;
    }
    out
};

/// The offset after a name or number without digit separators.
pub(super) fn word(text: &[u8], at: usize) -> usize {
    at + text[at..].iter().take_while(|b| is_word(**b)).count()
}

/// The offset after a number.
pub(super) fn number(text: &[u8], mut at: usize) -> usize {
    while let Some(b) = text.get(at) {
        let separator = *b == b'\'' && text.get(at + 1).is_some_and(u8::is_ascii_alphanumeric);
        if !is_word(*b) && *b != b'.' && !separator {
            break;
        }
        at += 1;
    }
    at
}

/// The offset after a literal in single or double quotes. It ends before an unescaped line break. `true` if it has a
/// closing quote.
pub(super) fn quoted(text: &[u8], at: usize) -> (usize, bool) {
    let quote = text[at];
    let mut at = at + 1;
    loop {
        match memchr::memchr3(quote, b'\\', b'\n', &text[at.min(text.len())..]) {
            None => return (text.len(), false),
            Some(i) => at += i,
        }
        match text[at] {
            b'\\' if text.get(at + 1) == Some(&b'\r') && text.get(at + 2) == Some(&b'\n') => at += 3,
            b'\\' => at += 2,
            b'\n' => return (at, false),
            _ => return (at + 1, true),
        }
    }
}

/// A raw string, whose `"` stands at an offset: the offset after it, and its body. `None` if its delimiter is wrong.
pub(super) fn raw_string(text: &[u8], quote: usize) -> Option<(usize, Range<usize>)> {
    let rest = &text[quote + 1..];
    let delimiter = rest.iter().take(17).position(|b| *b == b'(')?;
    if rest[..delimiter].iter().any(|b| matches!(b, b' ' | b')' | b'\\' | b'\n' | b'\t' | b'"')) {
        return None;
    }
    let mut end = vec![b')'];
    end.extend_from_slice(&rest[..delimiter]);
    end.push(b'"');
    let start = quote + 1 + delimiter + 1;
    let body = memchr::memmem::find(&text[start..], &end).map(|i| start..start + i);
    Some(body.map_or((text.len(), start..text.len()), |b| (b.end + end.len(), b)))
}

/// Whether a name is the prefix of a literal, and of a raw one.
pub(super) fn prefix(word: &[u8]) -> Option<bool> {
    match word {
        b"u8" | b"u" | b"U" | b"L" => Some(false),
        b"R" | b"u8R" | b"uR" | b"UR" | b"LR" => Some(true),
        _ => None,
    }
}

/// The string literal at an offset, which may begin with a prefix. The second part says whether it is closed.
pub(super) fn string(text: &[u8], at: usize) -> Option<(Literal, bool)> {
    let quote = match text.get(at)? {
        b'"' => at,
        b'u' | b'U' | b'L' | b'R' => word(text, at),
        _ => return None,
    };
    if text.get(quote) != Some(&b'"') {
        return None;
    }
    if quote > at
        && prefix(&text[at..quote])?
        && let Some((end, body)) = raw_string(text, quote)
    {
        let closed = body.end < end;
        return Some((
            Literal { span: at..end, body, writing: Writing { raw: true, lines: true, ..Writing::CPP } },
            closed,
        ));
    }
    let (end, closed) = quoted(text, quote);
    let body = quote + 1..if closed { end - 1 } else { end.max(quote + 1) };
    Some((Literal { span: at..end, body, writing: Writing::CPP }, closed))
}
