//! Joins `.reg` declarations into one statement, or splits one into a statement per name.

use super::assist::Assist;
use crate::TextEdit;
use ptx_syntax::walk::named_children;
use ptx_syntax::{Node, Snapshot, fields, kinds};
use std::ops::Range;

/// Offers to split the `.reg` declaration at the start of `range`, and to join it with its neighbours.
pub fn assists(snapshot: &Snapshot, range: &Range<usize>, out: &mut Vec<Assist>) {
    let Some(node) = declaration_at(snapshot, range.start) else { return };
    split(snapshot, node, out);
    join(snapshot, node, out);
}

fn declaration_at(snapshot: &Snapshot, offset: usize) -> Option<Node<'_>> {
    let k = kinds();
    let mut node = snapshot.leaf(offset..offset)?;
    while node.kind_id() != k.variable_declaration {
        if node.kind_id() == k.block || node.kind_id() == k.function {
            return None;
        }
        node = node.parent()?;
    }
    Some(node).filter(|n| is_plain(snapshot, *n))
}

/// Whether a node is a `.reg` declaration that consists of names and ranges only.
fn is_plain(snapshot: &Snapshot, node: Node<'_>) -> bool {
    let space = node.child_by_field_id(fields().space).map(|n| snapshot.text(n.byte_range()));
    let comment = |n: Node<'_>| n.kind_id() == kinds().comment || n.kind_id() == kinds().preprocessor_line;
    node.kind_id() == kinds().variable_declaration
        && !node.has_error()
        && space.is_some_and(|s| s == ".reg")
        && declarators(node).next().is_some()
        && !named_children(node).any(comment)
}

fn declarators(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    named_children(node).filter(|n| n.kind_id() == kinds().declarator)
}

/// The text before the first name, with single blanks.
fn head(snapshot: &Snapshot, node: Node<'_>) -> String {
    let first = declarators(node).next().map_or(node.end_byte(), |n| n.start_byte());
    snapshot.text(node.start_byte()..first).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn split(snapshot: &Snapshot, node: Node<'_>, out: &mut Vec<Assist>) {
    let all: Vec<Node<'_>> = declarators(node).collect();
    let (Some(first), true) = (all.first(), all.len() > 1) else { return };
    // Keeps the author's space between type and name.
    let before = snapshot.text(node.start_byte()..first.start_byte()).into_owned();
    let rope = snapshot.rope();
    let line = rope.line_to_byte(rope.byte_to_line(node.start_byte()));
    let indent: String = snapshot.text(line..node.start_byte()).chars().take_while(|c| c.is_whitespace()).collect();
    let line_end = if snapshot.text(0..4096).contains("\r\n") { "\r\n" } else { "\n" };
    let statements: Vec<String> = all.iter().map(|n| format!("{before}{};", snapshot.text(n.byte_range()))).collect();
    let text = statements.join(&format!("{line_end}{indent}"));
    out.push(Assist::new(
        "split-declaration",
        "Declare each in a statement of its own",
        vec![TextEdit { range: node.byte_range(), text }],
    ));
}

fn join(snapshot: &Snapshot, node: Node<'_>, out: &mut Vec<Assist>) {
    let wanted = head(snapshot, node);
    let fits = |n: &Node<'_>| is_plain(snapshot, *n) && head(snapshot, *n) == wanted;
    let mut all = vec![node];
    let back = std::iter::successors(node.prev_named_sibling(), Node::prev_named_sibling).take_while(fits);
    all.extend(back.take(100));
    all.reverse();
    all.extend(std::iter::successors(node.next_named_sibling(), Node::next_named_sibling).take_while(fits).take(100));
    let (Some(first), Some(last), true) = (all.first(), all.last(), all.len() > 1) else { return };
    let names: Vec<String> =
        all.iter().flat_map(|n| declarators(*n)).map(|n| snapshot.text(n.byte_range()).into_owned()).collect();
    let name = declarators(*first).next().map_or(first.end_byte(), |n| n.start_byte());
    let text = format!("{}{};", snapshot.text(first.start_byte()..name), names.join(", "));
    out.push(Assist::new(
        "join-declarations",
        format!("Declare these {} in one statement", names.len()),
        vec![TextEdit { range: first.start_byte()..last.end_byte(), text }],
    ));
}
