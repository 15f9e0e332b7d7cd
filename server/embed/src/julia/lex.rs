//! Tokens of Julia which hide others: comments, strings and characters. All functions take the offset of the first byte
//! and return the offset after the last. A text that ends inside a token ends it.

use crate::literal::nested_comment;
use crate::raw::{Literal, Writing};

/// Whether a byte may be part of a name.
pub(super) fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'!') || b >= 0x80
}

/// The offset after a name or number.
pub(super) fn word(text: &[u8], at: usize) -> usize {
    at + text[at..].iter().take_while(|b| is_word(**b)).count()
}

/// The offset after a `#` or `#= … =#` comment, in which others may be nested.
pub(super) fn comment(text: &[u8], at: usize) -> usize {
    if text.get(at + 1) != Some(&b'=') {
        return memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |i| at + i);
    }
    nested_comment(text, at, *b"#=", *b"=#")
}

/// The offset after blanks, line breaks and comments.
pub(super) fn skip_blank(text: &[u8], mut at: usize) -> usize {
    loop {
        match text.get(at) {
            Some(b) if b.is_ascii_whitespace() => at += 1,
            Some(b'#') => at = comment(text, at),
            _ => return at,
        }
    }
}

/// The number of quotes that open a string: 3 or 1.
fn quotes(text: &[u8], at: usize) -> usize {
    let quote = text[at];
    if text[at..].starts_with(&[quote; 3]) { 3 } else { 1 }
}

/// The string or command at the start of a token, with the prefix of a macro such as `raw`. The second part says whether
/// it is closed.
pub(super) fn string(text: &[u8], at: usize) -> Option<(Literal, bool)> {
    let quote = match text.get(at)? {
        b'"' | b'`' => at,
        b if is_word(*b) && !b.is_ascii_digit() => word(text, at),
        _ => return None,
    };
    if !matches!(text.get(quote), Some(b'"' | b'`')) {
        return None;
    }
    let is_raw = quote > at;
    let count = quotes(text, quote);
    let body = quote + count;
    let (body_end, end, is_closed) = if is_raw { raw(text, quote, count) } else { interpolated(text, quote, count) };
    let writing =
        Writing { raw: is_raw, lines: is_raw || count == 3, format: false, quote: char::from(text[quote]), levels: 1 };
    Some((Literal { span: at..end, body: body..body_end.max(body), writing }, is_closed))
}

/// A string of a macro, in which a backslash matters only before quotes.
fn raw(text: &[u8], quote: usize, count: usize) -> (usize, usize, bool) {
    let mark = text[quote];
    let mut at = quote + count;
    while let Some(i) = memchr::memchr2(mark, b'\\', text.get(at..).unwrap_or_default()) {
        at += i;
        if text[at] == b'\\' {
            at += 2;
        } else if text[at..].starts_with(&[mark; 3][..count]) {
            return (at, at + count, true);
        } else {
            at += 1;
        }
    }
    (text.len(), text.len(), false)
}

/// What is open inside of a string.
enum Open {
    /// A string with its quote and the number of its quotes.
    String(u8, usize),
    /// A bracket of `$(…)`.
    Bracket,
}

/// A string in which `$(…)` may contain further strings.
fn interpolated(text: &[u8], quote: usize, count: usize) -> (usize, usize, bool) {
    let mut open = vec![Open::String(text[quote], count)];
    let mut at = quote + count;
    while let Some(&b) = text.get(at) {
        match open.last() {
            Some(Open::String(mark, count)) => match b {
                b'\\' => at += 2,
                b'$' if text.get(at + 1) == Some(&b'(') => {
                    open.push(Open::Bracket);
                    at += 2;
                }
                _ if b == *mark && text[at..].starts_with(&[*mark; 3][..*count]) => {
                    let end = at + count;
                    open.pop();
                    if open.is_empty() {
                        return (at, end, true);
                    }
                    at = end;
                }
                _ => at += 1,
            },
            Some(Open::Bracket) => match b {
                b'(' => {
                    open.push(Open::Bracket);
                    at += 1;
                }
                b')' => {
                    open.pop();
                    at += 1;
                }
                b'"' | b'`' => {
                    let count = quotes(text, at);
                    open.push(Open::String(b, count));
                    at += count;
                }
                _ => at += 1,
            },
            None => break,
        }
    }
    (text.len(), text.len(), false)
}

/// The offset after a character literal or the sign of a transposed matrix. `before` is the byte before it.
pub(super) fn character(text: &[u8], at: usize, before: u8) -> usize {
    if is_word(before) || matches!(before, b')' | b']' | b'}' | b'\'' | b'.' | b'"') {
        return at + 1;
    }
    let rest = &text[at + 1..text.len().min(at + 14)];
    let escape = usize::from(rest.first() == Some(&b'\\')) * 2;
    let end = rest.iter().skip(escape).position(|b| matches!(b, b'\'' | b'\n')).map(|i| i + escape);
    end.filter(|end| *end > 0 && rest[*end] == b'\'').map_or(at + 1, |end| at + 2 + end)
}
