//! Reads a text once, byte by byte: braces, ends of statements, and the operands that are constants.

use super::{InlineConstant, InlineText};
use ptx_syntax::trivia::opaque;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// What stands in a text, as byte offsets.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Scan {
    /// The semicolons.
    pub(crate) semicolons: Vec<usize>,
    /// The opening braces of blocks that are not closed.
    pub open: Vec<usize>,
    /// The closing braces that close nothing.
    pub extra: Vec<usize>,
    /// The end of the last statement, if its semicolon is missing.
    pub missing_semicolon: Option<usize>,
    /// The constants: place, index of the constant, and whether the constant is only a part of a word.
    pub constants: Vec<(Range<usize>, usize, bool)>,
    /// Whether there is anything but blanks and comments.
    pub(crate) has_text: bool,
}

fn continues_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$')
}

/// Reads a text.
pub(super) fn scan(text: &InlineText<'_>) -> Scan {
    let constants: FxHashMap<&str, usize> =
        text.constants.iter().enumerate().map(|(index, InlineConstant { name, .. })| (*name, index)).collect();
    let bytes = text.ptx.as_bytes();
    let mut out = Scan::default();
    let mut hidden_ranges = text.opaque.iter().peekable();
    // The open braces, and whether each opens a block and not a list.
    let mut braces: Vec<(usize, bool)> = Vec::new();
    // The first and the last byte of the current statement.
    let mut statement: Option<(usize, usize)> = None;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        while hidden_ranges.next_if(|range| range.end <= at).is_some() {}
        let hidden = hidden_ranges.peek().is_some_and(|range| range.contains(&at));
        let next = bytes.get(at + 1).copied();
        if !hidden
            && byte != b'"'
            && let Some(extent) = opaque(&bytes[at..])
        {
            at += extent.exact();
            continue;
        }
        if byte.is_ascii_whitespace() && !hidden {
            at += 1;
            continue;
        }
        out.has_text = true;
        let first = statement.map_or(at, |(first, _)| first);
        match byte {
            _ if hidden => statement = Some((first, at)),
            b';' => {
                out.semicolons.push(at);
                statement = None;
            }
            b'{' => {
                let block = statement.is_none();
                braces.push((at, block));
                statement = if block { None } else { Some((first, at)) };
            }
            b'}' => match braces.pop() {
                Some((_, false)) => statement = Some((first, at)),
                Some((_, true)) => statement = None,
                None => {
                    out.extra.push(at);
                    statement = None;
                }
            },
            b':' if next != Some(b':') && is_label(bytes.get(first..at)) => statement = None,
            b'"' => {
                let end = at + opaque(&bytes[at..]).map_or(1, |extent| extent.exact());
                statement = Some((first, end - 1));
                at = end - 1;
            }
            b'%' | b'$' => {
                let end = bytes[at + 1..].iter().position(|b| !continues_word(*b)).map_or(bytes.len(), |n| at + 1 + n);
                if let Some(index) = text.ptx.get(at..end).and_then(|name| constants.get(name)) {
                    let before = at.checked_sub(1).and_then(|before| bytes.get(before)).copied();
                    let glued = before.is_some_and(|b| continues_word(b) || b == b'.') || bytes[..at].ends_with(b"::");
                    out.constants.push((at..end, *index, glued));
                }
                statement = Some((first, end - 1));
                at = end - 1;
            }
            // A word, so that no `$` inside of it begins a name.
            _ if continues_word(byte) => {
                let end = bytes[at..].iter().position(|b| !b.is_ascii_alphanumeric() && *b != b'_');
                let end = end.map_or(bytes.len(), |n| at + n);
                statement = Some((first, end - 1));
                at = end - 1;
            }
            _ => statement = Some((first, at)),
        }
        at += 1;
    }
    out.open = braces.iter().filter(|(_, block)| *block).map(|(at, _)| *at).collect();
    // A directive may do without one.
    out.missing_semicolon = statement.filter(|(first, _)| bytes.get(*first) != Some(&b'.')).map(|(_, last)| last + 1);
    out
}

fn is_label(statement: Option<&[u8]>) -> bool {
    let name = |b: &u8| continues_word(*b) || *b == b'%';
    statement.is_some_and(|text| !text.is_empty() && text.trim_ascii_end().iter().all(name))
}
