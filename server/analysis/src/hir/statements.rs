//! The statements of a block.

use ptx_syntax::{Node, is_named, kinds};

/// A child of a block with its kind, which is cached because it is needed often.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Child<'tree> {
    /// The node.
    pub node: Node<'tree>,
    /// Its kind.
    pub kind: u16,
}

/// All children but comments, errors included.
pub fn children(node: Node<'_>) -> Vec<Child<'_>> {
    let broken = node.has_error();
    let mut out = Vec::new();
    let mut cursor = node.walk();
    let mut more = cursor.goto_first_child();
    while more {
        let node = cursor.node();
        let kind = node.kind_id();
        if is_statement(node, kind, broken) {
            out.push(Child { node, kind });
        }
        more = cursor.goto_next_sibling();
    }
    out
}

/// Whether a child of a block is analysed: all are except comments; errors and nodes inserted by the parser are included.
pub fn is_statement(node: Node<'_>, kind: u16, broken: bool) -> bool {
    let k = kinds();
    kind != k.comment && kind != k.preprocessor_line && (is_named(kind) || (broken && node.is_missing()))
}
