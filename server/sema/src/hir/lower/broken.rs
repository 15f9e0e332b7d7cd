//! Detects syntax errors in statements.

use ptx_syntax::{Node, kinds};

/// Whether a statement has a syntax error: an ERROR or MISSING node, or a missing bracket or semicolon at its end.
pub fn is_broken(node: Node<'_>) -> bool {
    node.has_error() || ends_unclosed(node)
}

/// Whether a list or a statement ends without its bracket, its semicolon, the operand after its last comma, or the value after
/// its equals sign.
pub fn ends_unclosed(node: Node<'_>) -> bool {
    let k = kinds();
    let unclosed =
        |node: Node<'_>| node.kind_id() == k.unclosed || (node.kind_id() == k.declarator && ends_unclosed(node));
    let mut cursor = node.walk();
    cursor.goto_last_child() && (unclosed(cursor.node()) || (cursor.goto_previous_sibling() && unclosed(cursor.node())))
}
