//! Words and literals of Python.

use crate::literal::decode_python;
use crate::map::Decoded;
use crate::raw::{Literal, Writing};

/// Whether a byte may be part of a name.
pub(super) fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80
}

/// The offset after a name or number.
pub(super) fn word(text: &[u8], at: usize) -> usize {
    at + text[at..].iter().take_while(|b| is_word(**b)).count()
}

/// Whether a word is the prefix of a literal: raw, and formatted.
pub(super) fn prefix(word: &[u8]) -> Option<(bool, bool)> {
    let known =
        word.len() <= 2 && word.iter().all(|b| matches!(b.to_ascii_lowercase(), b'r' | b'b' | b'u' | b'f' | b't'));
    let has = |letter: u8| word.iter().any(|b| b.to_ascii_lowercase() == letter);
    known.then(|| (has(b'r'), has(b'f') || has(b't')))
}

/// The literal at an offset. The second part says whether it is closed. An unclosed one ends at its line, or with three
/// quotes at the end of the text.
pub(super) fn string(text: &[u8], at: usize) -> Option<(Literal, bool)> {
    let start = match text.get(at)? {
        b'"' | b'\'' => at,
        b if b.is_ascii_alphabetic() => word(text, at),
        _ => return None,
    };
    let quote = *text.get(start).filter(|b| matches!(b, b'"' | b'\''))?;
    let (raw, format) = prefix(&text[at..start])?;
    let lines = text.get(start + 1) == Some(&quote) && text.get(start + 2) == Some(&quote);
    let body = start + if lines { 3 } else { 1 };
    let mut here = body;
    let (end, closed) = loop {
        let next = memchr::memchr3(quote, b'\\', b'\n', text.get(here..).unwrap_or_default());
        let Some(i) = next else { break (text.len(), false) };
        here += i;
        match text[here] {
            b'\\' if text[here..].starts_with(b"\\\r\n") => here += 3,
            b'\\' => here = (here + 2).min(text.len()),
            b'\n' if !lines => break (here, false),
            b'\n' => here += 1,
            _ if !lines => break (here + 1, true),
            _ if text[here..].starts_with(&[quote; 3]) => break (here + 3, true),
            _ => here += 1,
        }
    };
    let body_end = if closed { end - (body - start) } else { end.max(body) };
    let writing = Writing { raw, lines, format, quote: char::from(quote), levels: 1 };
    Some((Literal { span: at..end.max(body), body: body..body_end, writing }, closed))
}

/// The text of a literal at the start of a source.
pub(super) fn decoded(source: &str, literal: &Literal) -> Decoded {
    let mut moved = literal.clone();
    moved.body = literal.body.start - literal.span.start..literal.body.end - literal.span.start;
    let mut out = Decoded::default();
    decode_python(&mut out, source, &moved);
    out
}
