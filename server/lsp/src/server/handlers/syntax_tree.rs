//! The syntax tree of a document as text.

use ptx_syntax::Snapshot;
use std::fmt::Write;

/// No editor shows more with pleasure.
const MOST_BYTES: usize = 1 << 20;
const LONGEST_TOKEN: usize = 60;

/// A node a line: its field, kind, place (lines from 1, columns in bytes from 1) and, for a leaf, its text.
pub fn render(snapshot: &Snapshot) -> String {
    let mut out = String::new();
    let mut cursor = snapshot.root().walk();
    let mut depth = 0;
    loop {
        let node = cursor.node();
        // In an error, punctuation matters as much as the rest.
        if node.is_named() || node.is_missing() || node.parent().is_some_and(|p| p.is_error()) {
            for _ in 0..depth {
                out.push_str("  ");
            }
            if let Some(field) = cursor.field_name() {
                let _ = write!(out, "{field}: ");
            }
            let (start, end) = (node.start_position(), node.end_position());
            let missing = if node.is_missing() { "MISSING " } else { "" };
            let _ = write!(out, "({missing}{} [{}:{}-", node.kind(), start.row + 1, start.column + 1);
            let _ = write!(out, "{}:{}]", end.row + 1, end.column + 1);
            if node.child_count() == 0 && !node.is_missing() {
                let text = snapshot.text(node.byte_range());
                let shown: String = text.chars().take(LONGEST_TOKEN).collect();
                let more = if shown.len() < text.len() { "…" } else { "" };
                let _ = write!(out, " {shown:?}{more}");
            }
            out.push_str(")\n");
            if out.len() > MOST_BYTES {
                out.push_str("; the rest is left out\n");
                return out;
            }
        }
        if cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return out;
            }
            depth -= 1;
        }
    }
}
