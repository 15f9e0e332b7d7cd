//! The lines that come out: pieces of text with the white space before them, and the edits that this makes.

use super::FormatOptions;
use crate::TextEdit;
use std::ops::Range;

/// What is to stand before a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeadingSpace {
    /// What stands there.
    Keep,
    /// Blanks.
    Blanks(usize),
    /// Line ends, and then as many columns: of these, `levels` are indentation, the rest is alignment.
    Lines {
        /// How many line ends.
        count: usize,
        /// Columns of indentation.
        indent: usize,
        /// Columns of alignment behind it.
        pad: usize,
    },
}

/// A token, or some text that is left alone.
#[derive(Debug, Clone, Copy)]
pub struct TextSegment {
    /// What stands before it, from the end of the piece before.
    pub gap: (usize, usize),
    /// What is to stand there.
    pub space: LeadingSpace,
}

/// Finds the width of a text; tabs count as the options say.
pub fn advance(column: usize, text: &str, options: &FormatOptions) -> usize {
    let tab = options.indent.max(1);
    let (mut column, line) = match text.rfind('\n') {
        Some(at) => (0, text.get(at + 1..).unwrap_or("")),
        None => (column, text),
    };
    if line.is_ascii() && !line.contains('\t') {
        return column + line.len();
    }
    for c in line.chars() {
        column += if c == '\t' { tab - column % tab } else { 1 };
    }
    column
}

/// Whether a gap holds nothing but what may be replaced. Other white space is rare and may be intended.
pub fn is_plain(gap: &str) -> bool {
    let bytes = gap.as_bytes();
    bytes.iter().enumerate().all(|(i, b)| match b {
        b' ' | b'\t' | b'\n' => true,
        b'\r' => bytes.get(i + 1) == Some(&b'\n'),
        _ => false,
    })
}

/// The edit that puts a space where a gap is, cut down to what changes.
pub fn edit(start: usize, gap: &str, space: LeadingSpace, line_end: &str, options: &FormatOptions) -> Option<TextEdit> {
    let mut wanted = String::new();
    match space {
        LeadingSpace::Keep => return None,
        LeadingSpace::Blanks(count) => wanted.extend(std::iter::repeat_n(' ', count)),
        LeadingSpace::Lines { count, indent, pad } => {
            // A file with different line ends keeps each.
            let own = if gap.contains("\r\n") {
                "\r\n"
            } else if gap.contains('\n') {
                "\n"
            } else {
                line_end
            };
            wanted.extend(std::iter::repeat_n(own, count));
            let tabs = if options.tabs { indent / options.indent.max(1) } else { 0 };
            wanted.extend(std::iter::repeat_n('\t', tabs));
            wanted.extend(std::iter::repeat_n(' ', indent + pad - tabs * options.indent));
        }
    }
    if wanted == gap {
        return None;
    }
    let (old, new) = (gap.as_bytes(), wanted.as_bytes());
    // A line end of two characters is not taken apart.
    let whole = |at: usize| old.get(at) != Some(&b'\n') || at == 0 || old.get(at - 1) != Some(&b'\r');
    let mut front = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    while !whole(front) {
        front -= 1;
    }
    let most = old.len().min(new.len()) - front;
    let mut back = old.iter().rev().zip(new.iter().rev()).take(most).take_while(|(a, b)| a == b).count();
    while back > 0 && !whole(old.len() - back) {
        back -= 1;
    }
    let range: Range<usize> = start + front..start + old.len() - back;
    let text = wanted.get(front..wanted.len() - back)?.to_owned();
    Some(TextEdit { range, text })
}
