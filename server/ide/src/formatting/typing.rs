//! The indentation of what has just been typed.

use super::{FormatOptions, end_of_line, format_range};
use crate::TextEdit;
use ptx_syntax::{Node, Snapshot, kinds};

/// The edits after a character was typed that ends something: `;`, `}`, `:` or a line end. `offset` is the place behind it.
///
/// Only the white space at the beginning of that line and of the line above changes. An editor applies these edits some time after
/// the key, and what has been typed meanwhile must neither move nor be replaced.
pub fn format_on_type(snapshot: &Snapshot, offset: usize, typed: char, options: &FormatOptions) -> Vec<TextEdit> {
    let rope = snapshot.rope();
    let line = rope.byte_to_line(offset.min(rope.len_bytes()));
    let mut edits = layout_of_typed(snapshot, offset, typed, options);
    edits.retain(|edit| {
        [Some(line), line.checked_sub(1)].into_iter().flatten().any(|line| {
            let start = rope.line_to_byte(line);
            let text = snapshot.text(start..end_of_line(snapshot, line));
            let blanks = text.len() - text.trim_start().len();
            start <= edit.range.start && edit.range.end <= start + blanks && !edit.text.contains(['\n', '\r'])
        })
    });
    edits
}

fn layout_of_typed(snapshot: &Snapshot, offset: usize, typed: char, options: &FormatOptions) -> Vec<TextEdit> {
    let rope = snapshot.rope();
    let offset = offset.min(rope.len_bytes());
    let line = rope.byte_to_line(offset);
    let line_start = rope.line_to_byte(line);
    if typed != '\n' {
        // In a comment or a string it ends nothing.
        let Some(node) = offset.checked_sub(1).and_then(|at| snapshot.leaf(at..at + 1)) else {
            return Vec::new();
        };
        if node.kind_id() == kinds().comment
            || node.kind_id() == kinds().string
            || node.kind_id() == kinds().preprocessor_line
        {
            return Vec::new();
        }
        return format_range(snapshot, line_start..offset, options);
    }
    let Some(above) = line.checked_sub(1) else { return Vec::new() };
    let before = rope.line_to_byte(above);
    let above = before..end_of_line(snapshot, above);
    let mut out = format_range(snapshot, above.clone(), options);
    // A statement that goes on is not brought into shape under somebody's hands.
    if out.iter().any(|e| e.range.start < above.start || e.range.end > above.end) {
        out.clear();
    }
    let end = end_of_line(snapshot, line);
    let text = snapshot.text(line_start..end);
    // A new line begins where a statement would; one that has something in it already is formatted as such.
    if text.trim().is_empty() {
        let wanted = indentation(level(snapshot, line_start), options);
        if *text != wanted {
            out.push(TextEdit { range: line_start..end, text: wanted });
        }
    } else {
        // A statement that begins above the line end brings edits that are there already.
        let done = out.last().map_or(0, |e| e.range.end);
        let more = format_range(snapshot, line_start..end, options);
        let new: Vec<TextEdit> = more.into_iter().filter(|e| e.range.start >= done && !out.contains(e)).collect();
        out.extend(new);
    }
    out
}

/// How many levels in something at a place would stand.
fn level(snapshot: &Snapshot, offset: usize) -> usize {
    let k = kinds();
    let rope = snapshot.rope();
    // What was written last before it tells where it stands; white space belongs to nobody.
    let at = rope.byte_to_char(offset.min(rope.len_bytes()));
    let mut back = at;
    let found = rope.chars_at(at).reversed().take(4096).find(|c| {
        back = back.saturating_sub(1);
        !c.is_whitespace()
    });
    let Some(last) = found else { return 0 };
    let last_at = rope.char_to_byte(back);
    let Some(mut node) = snapshot.leaf(last_at..last_at + last.len_utf8()) else {
        return 0;
    };
    let mut out = 0;
    loop {
        let inside = node.start_byte() < offset && (node.end_byte() >= offset || !ends(node));
        let opens =
            node.kind_id() == k.block || node.kind_id() == k.parameter_list || node.kind_id() == k.initializer_list;
        if opens && inside {
            out += 1;
        }
        // A statement that goes on.
        if node.kind_id() == k.instruction && matches!(last, ',' | '(' | '[' | '{') {
            out += 1;
        }
        match node.parent() {
            Some(parent) => node = parent,
            None => return out,
        }
    }
}

/// Whether a block or a list has its closing bracket.
fn ends(node: Node<'_>) -> bool {
    let last = node.child(node.child_count().saturating_sub(1));
    last.is_some_and(|n| matches!(n.kind(), "}" | ")") && !n.byte_range().is_empty())
}

fn indentation(levels: usize, options: &FormatOptions) -> String {
    if options.tabs { "\t".repeat(levels) } else { " ".repeat(levels * options.indent) }
}
