//! Walks over a text that may be parsed in chunks, each with its own tree.

use ptx_syntax::{Node, Snapshot};

/// The children of a node, named or not.
pub fn children(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let mut cursor = node.walk();
    let mut more = cursor.goto_first_child();
    std::iter::from_fn(move || {
        let child = more.then(|| cursor.node());
        more = more && cursor.goto_next_sibling();
        child
    })
}

/// The top-level nodes of a module, in order: all items, and the comments between them.
pub fn top(snapshot: &Snapshot) -> impl Iterator<Item = Node<'_>> {
    snapshot.roots().flat_map(children)
}
