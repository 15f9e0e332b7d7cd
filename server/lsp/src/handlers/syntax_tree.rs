//! The syntax tree of a document as text.

use ptx_syntax::{Node, Snapshot, TreeCursor};
use std::fmt::Write;

/// Maximum size of the output in bytes: editors show longer texts slowly.
const MAX_BYTES: usize = 1 << 20;
const MAX_TOKEN_CHARS: usize = 60;

/// Renders one node per line: its field, kind, range (lines from 1, columns in bytes from 1) and, for a leaf, its text. The
/// chunks of a chunked parse are not visible: their contents are shown below one root.
pub fn render(snapshot: &Snapshot) -> String {
    let mut out = String::new();
    let (first, last) = (snapshot.roots().next(), snapshot.roots().next_back());
    let Some((first, last)) = first.zip(last) else { return out };
    if first == last {
        nodes(snapshot, first.walk(), 0, &mut out);
        return out;
    }
    place(&mut out, "source_file", first, last);
    out.push_str(")\n");
    for root in snapshot.roots() {
        let mut cursor = root.walk();
        // A root that the parser could not recognise is shown as an error below the root.
        if (root.is_error() || cursor.goto_first_child()) && !nodes(snapshot, cursor, 1, &mut out) {
            break;
        }
    }
    out
}

/// Writes a node, its following siblings and all their descendants; returns `false` if the output is too long.
fn nodes(snapshot: &Snapshot, mut cursor: TreeCursor<'_>, least: usize, out: &mut String) -> bool {
    let mut depth = least;
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
            place(out, node.kind(), node, node);
            if node.child_count() == 0 && !node.is_missing() {
                let text = snapshot.text(node.byte_range());
                let shown: String = text.chars().take(MAX_TOKEN_CHARS).collect();
                let more = if shown.len() < text.len() { "…" } else { "" };
                let _ = write!(out, " {shown:?}{more}");
            }
            out.push_str(")\n");
            if out.len() > MAX_BYTES {
                out.push_str("; the rest is left out\n");
                return false;
            }
        }
        if cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        while !cursor.goto_next_sibling() {
            if depth == least || !cursor.goto_parent() {
                return true;
            }
            depth -= 1;
        }
    }
}

/// Writes `(kind [1:1-2:3]`, from the beginning of one node to the end of another.
fn place(out: &mut String, kind: &str, first: Node<'_>, last: Node<'_>) {
    let (start, end) = (first.start_position(), last.end_position());
    let missing = if first.is_missing() { "MISSING " } else { "" };
    let _ = write!(out, "({missing}{kind} [{}:{}-", start.row + 1, start.column + 1);
    let _ = write!(out, "{}:{}]", end.row + 1, end.column + 1);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_do_not_show() {
        let function = "// One of them.\n.func f()\n{\n    mov.u32 %r1, 0x1f; // é\n    ret;\n} // behind\n\n";
        let text = format!("\n.version 8.0\n.target sm_80\n{}.global .u32 last;\n", function.repeat(3));
        let chunks = Snapshot::with_chunk_size(&text, 2, 1);
        assert_eq!(chunks.roots().count(), 4);
        let shown = render(&chunks);
        assert_eq!(shown.matches("(function ").count(), 3, "{shown}");
        assert_eq!(shown, render(&Snapshot::new(&text)));
        let long = text.repeat(1 + MAX_BYTES / shown.len());
        let shown = render(&Snapshot::with_chunk_size(&long, 2, 1));
        assert!(shown.ends_with("; the rest is left out\n") && shown.len() < MAX_BYTES + 1000);
        assert!(shown == render(&Snapshot::new(&long)));
    }
}
