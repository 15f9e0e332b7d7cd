//! Output lines: text segments with their leading white space, and the edits that change that space.

use super::options::FormatOptions;
use crate::TextEdit;
use std::ops::Range;

/// The white space before a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeadingSpace {
    /// Unchanged.
    Keep,
    /// This number of blanks.
    Blanks(usize),
    /// Line breaks, then columns of indentation and alignment.
    Lines {
        /// Number of line breaks.
        count: usize,
        /// Columns of indentation.
        indent: usize,
        /// Columns of alignment after the indentation.
        pad: usize,
    },
}

/// A token, or a text that is left unchanged.
#[derive(Debug, Clone, Copy)]
pub struct TextSegment {
    /// Byte range of the source between the previous segment and this one.
    pub gap: (usize, usize),
    /// The white space that replaces it.
    pub space: LeadingSpace,
}

/// The column after a text that begins at `column`. A tab counts as the options say.
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

/// Whether a gap consists of blanks, tabs and line ends only. Other white space is rare and may be intended, so it is not
/// replaced.
pub fn is_plain(gap: &str) -> bool {
    let bytes = gap.as_bytes();
    bytes.iter().enumerate().all(|(i, b)| match b {
        b' ' | b'\t' | b'\n' => true,
        b'\r' => bytes.get(i + 1) == Some(&b'\n'),
        _ => false,
    })
}

/// The edit that replaces the white space of a gap, reduced to the part that changes.
pub fn edit(start: usize, gap: &str, space: LeadingSpace, line_end: &str, options: &FormatOptions) -> Option<TextEdit> {
    let mut wanted = String::new();
    match space {
        LeadingSpace::Keep => return None,
        LeadingSpace::Blanks(count) => wanted.extend(std::iter::repeat_n(' ', count)),
        LeadingSpace::Lines { count, indent, pad } => {
            // A file with mixed line ends keeps them.
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
    // An edit must not split a CRLF line end.
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
