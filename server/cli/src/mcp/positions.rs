//! Places in a text as `line:column`.

use crate::source::{LineColumn, place};
use ptx_syntax::Rope;
use std::ops::Range;

/// The place of a byte offset.
pub fn at(text: &Rope, offset: usize) -> String {
    let LineColumn { line, column } = place(text, offset);
    format!("{line}:{column}")
}

/// A range of bytes: `15:37-40`, or `15:37-16:2` if it ends in another line.
pub fn range(text: &Rope, range: &Range<usize>) -> String {
    let (start, end) = (place(text, range.start), place(text, range.end.max(range.start)));
    let line = if start.line == end.line { String::new() } else { format!("{}:", end.line) };
    format!("{}:{}-{line}{}", start.line, start.column, end.column)
}

/// The byte offset of a place; both numbers count from 1. The end of a line is the last place in it.
///
/// # Errors
/// If the text has no such place.
pub fn offset(text: &Rope, line: usize, column: usize) -> Result<usize, String> {
    let lines = text.len_lines();
    if line == 0 || line > lines {
        return Err(format!("there is no line {line}: the text has {lines}"));
    }
    let start = text.line_to_byte(line - 1);
    let whole = text.line(line - 1).to_string();
    let content = whole.trim_end_matches(['\n', '\r']);
    match column.checked_sub(1) {
        Some(column) if column <= content.len() && content.is_char_boundary(column) => Ok(start + column),
        Some(column) if column < content.len() => {
            Err(format!("column {} of line {line} is inside a character", column + 1))
        }
        _ => Err(format!("line {line} has no column {column}: it ends at column {}", content.len() + 1)),
    }
}
