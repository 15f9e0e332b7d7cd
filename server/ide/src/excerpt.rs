//! Statements of the source as they are shown.

use ptx_syntax::{Node, Snapshot, kinds};
use std::ops::Range;

/// Longest statement that is shown whole.
const MAX_LENGTH: usize = 72;
/// Where what is said of a statement stands at the latest.
const COLUMN: usize = 48;
/// How far a statement is followed.
const FAR: usize = 400;

/// The statement that begins at an offset, on one line and not too long.
pub fn statement_at(snapshot: &Snapshot, start: usize) -> String {
    let length = snapshot.rope().len_bytes();
    let text = snapshot.text(start.min(length)..(start + FAR).min(length));
    let end = text.find(';').map_or(text.len(), |end| end + 1);
    short(text.get(..end).unwrap_or(""))
}

/// A text on one line and not too long.
pub fn short(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_LENGTH) {
        Some((end, _)) => format!("{} …", line.get(..end).unwrap_or("").trim_end()),
        None => line,
    }
}

/// The instruction around a node.
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

/// The function around a node.
pub fn function(node: Node<'_>) -> Option<Node<'_>> {
    let mut here = node;
    while here.kind_id() != kinds().function {
        here = here.parent()?;
    }
    Some(here)
}

/// Statements with what is said of each behind them, in a column.
pub fn annotated(lines: &[(String, String)]) -> String {
    let width = lines.iter().map(|(line, _)| line.chars().count()).filter(|n| *n <= COLUMN).max().unwrap_or(0);
    let line = |(line, note): &(String, String)| {
        let fill = width.saturating_sub(line.chars().count());
        if note.is_empty() { line.clone() } else { format!("{line}{:fill$}  // {note}", "") }
    };
    lines.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// A range moved to the start of another.
pub fn local(range: &Range<usize>, base: usize) -> Option<Range<usize>> {
    Some(range.start.checked_sub(base)?..range.end.checked_sub(base)?)
}

/// `read twice`, `never read`.
pub fn done(what: &str, count: usize) -> String {
    if count == 0 { format!("never {what}") } else { format!("{what} {}", times(count)) }
}

/// `twice`.
pub fn times(count: usize) -> String {
    match count {
        0 => "never".to_owned(),
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        n => format!("{n} times"),
    }
}
