//! Walks over a text that may have been parsed in pieces, each with a tree of its own: what goes from item to item goes on in the
//! next piece.

use ptx_syntax::{Node, Snapshot};
use std::ops::Range;

/// The children of a node, named or not.
pub(crate) fn children(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let mut cursor = node.walk();
    let mut more = cursor.goto_first_child();
    std::iter::from_fn(move || {
        let child = more.then(|| cursor.node());
        more = more && cursor.goto_next_sibling();
        child
    })
}

/// What stands at the top of a module, in order: all items, and the comments between them.
pub(crate) fn top(snapshot: &Snapshot) -> impl Iterator<Item = Node<'_>> {
    snapshot.roots().flat_map(children)
}

/// The roots of the pieces that a range touches.
pub(crate) fn roots_in(snapshot: &Snapshot, range: Range<usize>) -> impl Iterator<Item = Node<'_>> {
    let before = move |root: &Node<'_>| root.end_byte() < range.start;
    snapshot.roots().skip_while(before).take_while(move |root| root.start_byte() <= range.end)
}

/// From the first token to the end of the text: the root node of a text that was parsed as a whole.
pub(crate) fn whole(snapshot: &Snapshot) -> Range<usize> {
    let start = snapshot.roots().next().map_or(0, |root| root.start_byte());
    let end = snapshot.roots().next_back().map_or(0, |root| root.end_byte());
    start..end.max(start)
}
