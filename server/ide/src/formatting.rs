//! Formatting of a text. Only white space between tokens changes; tokens, comments and preprocessor lines do not. Text that
//! the parser does not understand stays unchanged, and so does the text between the comments `// ptx-fmt: off` and
//! `// ptx-fmt: on`.

mod align;
mod gaps;
mod items;
mod line;
mod options;
mod protected;
mod statement;
mod tokens;
mod typing;

use crate::TextEdit;
use items::LayoutState;
pub use options::{FormatOptions, OperandColumns};
use ptx_syntax::Snapshot;
use ptx_syntax::statements::statement_at;
use std::ops::Range;
pub use typing::format_on_type;

/// Maximum number of lines above and below a range that are read because they may be aligned with it.
const CONTEXT: usize = 200;

/// The edits that format a whole text, sorted and not touching each other.
pub fn format(snapshot: &Snapshot, options: &FormatOptions) -> Vec<TextEdit> {
    edits(snapshot, 0..snapshot.rope().len_bytes(), None, options)
}

/// The edits that format the lines of a range. A statement that is partly in the range is formatted as a whole; nothing
/// else changes.
pub fn format_range(snapshot: &Snapshot, range: Range<usize>, options: &FormatOptions) -> Vec<TextEdit> {
    let lines = lines(snapshot, &statements(snapshot, lines(snapshot, &range)));
    let window = statements(snapshot, surroundings(snapshot, &lines));
    edits(snapshot, window, Some(lines), options)
}

/// Applies edits that the functions of this module return.
pub fn apply_in_order(text: &str, edits: &[TextEdit]) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 4);
    let mut done = 0;
    for edit in edits {
        if let Some(kept) = text.get(done..edit.range.start) {
            out.push_str(kept);
            out.push_str(&edit.text);
            done = edit.range.end;
        }
    }
    out.push_str(text.get(done..).unwrap_or(""));
    out
}

/// Maximum number of separate edits. Beyond that they are joined to a few larger ones, since an editor applies each by
/// itself.
const MAX_EDITS: usize = 2000;
/// Maximum number of bytes between edits that are joined.
const NEAR: usize = 80;

/// Joins edits if there are more than [`MAX_EDITS`].
fn joined(snapshot: &Snapshot, edits: Vec<TextEdit>) -> Vec<TextEdit> {
    if edits.len() <= MAX_EDITS {
        return edits;
    }
    let mut out: Vec<TextEdit> = Vec::new();
    for edit in edits {
        match out.last_mut() {
            Some(last) if edit.range.start.saturating_sub(last.range.end) <= NEAR => {
                last.text.push_str(&snapshot.text(last.range.end..edit.range.start));
                last.text.push_str(&edit.text);
                last.range.end = edit.range.end;
            }
            _ => out.push(edit),
        }
    }
    out
}

/// Formats the statements in a window of the text and returns the edits that are in `only`.
fn edits(
    snapshot: &Snapshot,
    window: Range<usize>,
    only: Option<Range<usize>>,
    options: &FormatOptions,
) -> Vec<TextEdit> {
    let text = snapshot.text(window.clone());
    let protected = protected::ranges(snapshot, window.end);
    let mut layout = LayoutState::new(&text, window, protected, options);
    layout.module(snapshot);
    let mut out = layout.finish();
    match only {
        Some(lines) => {
            out.retain(|e| lines.start <= e.range.start && e.range.end <= lines.end);
            out
        }
        None => joined(snapshot, out),
    }
}

/// The byte range of the lines that a range touches, without the last line break. If the range ends at the beginning of a
/// line, that line does not count.
fn lines(snapshot: &Snapshot, range: &Range<usize>) -> Range<usize> {
    let rope = snapshot.rope();
    let len = rope.len_bytes();
    let first = rope.byte_to_line(range.start.min(len));
    let mut last = rope.byte_to_line(range.end.min(len));
    if last > first && rope.line_to_byte(last) == range.end {
        last -= 1;
    }
    rope.line_to_byte(first)..end_of_line(snapshot, last)
}

/// Offset of the end of a line, before its line break.
fn end_of_line(snapshot: &Snapshot, line: usize) -> usize {
    let rope = snapshot.rope();
    let start = rope.line_to_byte(line.min(rope.len_lines()));
    let next = rope.line_to_byte((line + 1).min(rope.len_lines()));
    let text = snapshot.text(start..next);
    start + text.trim_end_matches(['\r', '\n']).len()
}

/// The surrounding lines that may be aligned with a range: up to the next blank line.
fn surroundings(snapshot: &Snapshot, range: &Range<usize>) -> Range<usize> {
    let rope = snapshot.rope();
    let is_blank = |line: usize| rope.line(line).chars().all(char::is_whitespace);
    let mut first = rope.byte_to_line(range.start);
    for _ in 0..CONTEXT {
        if first == 0 {
            break;
        }
        first -= 1;
        if is_blank(first) {
            break;
        }
    }
    let mut last = rope.byte_to_line(range.end);
    for _ in 0..CONTEXT {
        if last + 1 >= rope.len_lines() {
            break;
        }
        last += 1;
        if is_blank(last) {
            break;
        }
    }
    rope.line_to_byte(first)..end_of_line(snapshot, last)
}

/// Extends a range to whole statements. The header of a function counts as one statement.
fn statements(snapshot: &Snapshot, range: Range<usize>) -> Range<usize> {
    let mut out = range.clone();
    for offset in [range.start, range.end] {
        if let Some(node) = statement_at(snapshot, offset) {
            out.start = out.start.min(node.start);
            out.end = out.end.max(node.end);
        }
    }
    out
}
