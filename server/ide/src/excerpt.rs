//! Excerpts of the source for display.

use ptx_syntax::{Node, Snapshot, kinds};
use std::ops::Range;

/// Maximum length in characters of an excerpt.
const MAX_LENGTH: usize = 72;
/// Maximum column of the notes after excerpts.
const COLUMN: usize = 48;
/// Maximum number of bytes of a statement that are read.
const FAR: usize = 400;

/// The statement that begins at an offset, on one line and shortened to [`MAX_LENGTH`] characters.
pub fn statement_at(snapshot: &Snapshot, start: usize) -> String {
    let length = snapshot.rope().len_bytes();
    let text = snapshot.text(start.min(length)..(start + FAR).min(length));
    let end = text.find(';').map_or(text.len(), |end| end + 1);
    short(text.get(..end).unwrap_or(""))
}

/// A text on one line: white space, line breaks included, becomes single spaces.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A text on one line, shortened to [`MAX_LENGTH`] characters.
pub fn short(text: &str) -> String {
    let line = one_line(text);
    match line.char_indices().nth(MAX_LENGTH) {
        Some((end, _)) => format!("{} …", line.get(..end).unwrap_or("").trim_end()),
        None => line,
    }
}

/// The instruction that contains a node.
pub fn instruction(node: Node<'_>) -> Option<Node<'_>> {
    let k = kinds();
    let mut here = node;
    while here.kind_id() != k.instruction {
        if here.kind_id() == k.block || here.kind_id() == k.function {
            return None;
        }
        here = here.parent()?;
    }
    Some(here)
}

/// The function that contains a node.
pub fn function(node: Node<'_>) -> Option<Node<'_>> {
    let mut here = node;
    while here.kind_id() != kinds().function {
        here = here.parent()?;
    }
    Some(here)
}

/// A statement, with a note that may be empty.
pub struct AnnotatedLine {
    pub text: String,
    pub note: String,
}

/// Statements followed by their notes as comments, aligned in a column.
pub fn annotated(lines: &[AnnotatedLine]) -> String {
    let width = lines.iter().map(|line| line.text.chars().count()).filter(|n| *n <= COLUMN).max().unwrap_or(0);
    let line = |AnnotatedLine { text, note }: &AnnotatedLine| {
        let fill = width.saturating_sub(text.chars().count());
        if note.is_empty() { text.clone() } else { format!("{text}{:fill$}  // {note}", "") }
    };
    lines.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// A range relative to `base`.
pub fn local(range: &Range<usize>, base: usize) -> Option<Range<usize>> {
    Some(range.start.checked_sub(base)?..range.end.checked_sub(base)?)
}

/// The number of times something is done: `read twice`, `never read`.
pub fn done(what: &str, count: usize) -> String {
    if count == 0 { format!("never {what}") } else { format!("{what} {}", times(count)) }
}

/// A number of times: `twice`.
pub fn times(count: usize) -> String {
    match count {
        0 => "never".to_owned(),
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        n => format!("{n} times"),
    }
}
