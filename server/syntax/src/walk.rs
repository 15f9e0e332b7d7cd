//! Walks over a text that may be parsed in chunks, each with its own tree.

use crate::{Node, Snapshot, is_named, kinds};

/// The children of a node, named or not.
#[inline]
pub fn children(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let mut cursor = node.walk();
    let mut more = cursor.goto_first_child();
    std::iter::from_fn(move || {
        let child = more.then(|| cursor.node());
        more = more && cursor.goto_next_sibling();
        child
    })
}

/// Named children without comments and errors.
#[inline]
pub fn named_children(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let mut cursor = node.walk();
    let mut more = cursor.goto_first_child();
    std::iter::from_fn(move || {
        while more {
            let child = cursor.node();
            more = cursor.goto_next_sibling();
            let kind = child.kind_id();
            if is_named(kind) && !is_extra(kind) {
                return Some(child);
            }
        }
        None
    })
}

/// The top-level nodes of a module, in order: all items, and the comments between them.
pub fn top(snapshot: &Snapshot) -> impl Iterator<Item = Node<'_>> {
    snapshot.roots().flat_map(children)
}

/// Whether a node may occur anywhere, such as a comment or an error.
#[inline]
pub fn is_extra(kind: u16) -> bool {
    let k = kinds();
    kind == k.comment || kind == k.preprocessor_line || kind == k.unclosed || kind == k.error
}
