//! The layout of a text: nothing but the white space between its tokens changes, so that no token, no comment and no
//! preprocessor line can. What the parser did not understand stays as it is, and so does what stands between the comments
//! `// ptx-fmt: off` and `// ptx-fmt: on`.

mod align;
mod gaps;
mod items;
mod line;
mod protected;
mod statement;
mod tokens;
mod typing;

use crate::TextEdit;
use items::LayoutState;
use ptx_syntax::Snapshot;
use std::ops::Range;
pub use typing::format_on_type;

/// How a text is to look. Columns count characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormatOptions {
    /// Columns of one level of indentation; also what a tab counts.
    pub indent: usize,
    /// Indent with tabs. What stands in columns is padded with spaces all the same.
    pub tabs: bool,
    /// What fits into so many columns may stand in one line.
    pub width: usize,
    /// How operands are aligned.
    pub operands: OperandColumns,
    /// Room for the opcode with its modifiers before the operands, from the indentation on.
    pub operand_column: usize,
    /// Guard predicates stand one level further left than opcodes, in a column of their own.
    pub outdent_guards: bool,
    /// Labels stand one level further left than instructions.
    pub outdent_labels: bool,
    /// Names of declarations stand in a column.
    pub align_declarations: bool,
    /// Comments behind consecutive lines stand in a column.
    pub align_comments: bool,
    /// How many blank lines may follow each other.
    pub blank_lines: usize,
}

impl Default for FormatOptions {
    fn default() -> Self {
        Self {
            indent: 4,
            tabs: false,
            width: 100,
            operands: OperandColumns::Column,
            operand_column: 20,
            outdent_guards: true,
            outdent_labels: true,
            align_declarations: true,
            align_comments: true,
            blank_lines: 2,
        }
    }
}

/// Where operands begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperandColumns {
    /// In one column all over the file, as far as opcodes are short enough.
    Column,
    /// In one column for each run of consecutive instructions, which is as wide as the longest opcode of those that are short enough.
    Run,
    /// One blank behind the opcode.
    Off,
}

/// Lines above and below a range that are looked at, since what is aligned with them counts.
const CONTEXT: usize = 200;

/// The edits that format a whole text: in order, none touching another.
pub fn format(snapshot: &Snapshot, options: &FormatOptions) -> Vec<TextEdit> {
    edits(snapshot, 0..snapshot.rope().len_bytes(), None, options)
}

/// The edits that format the lines of a range and whole statements of which a part lies there; nothing else changes.
pub fn format_range(snapshot: &Snapshot, range: Range<usize>, options: &FormatOptions) -> Vec<TextEdit> {
    let lines = lines(snapshot, &statements(snapshot, lines(snapshot, &range)));
    let window = statements(snapshot, surroundings(snapshot, &lines));
    edits(snapshot, window, Some(lines), options)
}

/// The text with some edits applied, which must be as the functions here give them.
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

/// As many edits are handed out one by one; more become a few larger ones, since an editor applies each by itself.
const MAX_EDITS: usize = 2000;
/// Then edits that are no further apart become one.
const NEAR: usize = 80;

/// Joins edits where there are very many of them.
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

/// Formats the statements in a window of the text; of the edits, those in `only` are handed out.
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

/// The whole lines that a range touches, without the last line break. An empty rest of a line at the end of a selection does not count.
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

/// Where a line ends, before its line break.
fn end_of_line(snapshot: &Snapshot, line: usize) -> usize {
    let rope = snapshot.rope();
    let start = rope.line_to_byte(line.min(rope.len_lines()));
    let next = rope.line_to_byte((line + 1).min(rope.len_lines()));
    let text = snapshot.text(start..next);
    start + text.trim_end_matches(['\r', '\n']).len()
}

/// The lines around some lines that are aligned with them: up to a blank one.
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

/// A range grown to whole statements and heads of functions.
fn statements(snapshot: &Snapshot, range: Range<usize>) -> Range<usize> {
    let mut out = range.clone();
    for offset in [range.start, range.end] {
        if let Some(node) = items::statement_at(snapshot, offset) {
            out.start = out.start.min(node.start);
            out.end = out.end.max(node.end);
        }
    }
    out
}
