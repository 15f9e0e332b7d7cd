//! Parses any bytes. The tree must cover them without overlaps, and with gaps only for blanks.

use tree_sitter::{Node, Parser, Tree};

/// Parses the input, and reports the kind of each node with the kind of its parent.
pub fn run(data: &[u8], seen: &mut dyn FnMut(u16, u16)) {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_ptx::LANGUAGE.into()).expect("the library reads this grammar's version");
    let tree = parser.parse(data, None).expect("no time limit is set");
    walk(&tree, data.len(), seen);
    // Also parse UTF-16, as for an editor with another encoding.
    let wide: Vec<u16> = data.chunks(2).map(|c| u16::from_le_bytes([c[0], *c.get(1).unwrap_or(&0)])).collect();
    let tree = parser.parse_utf16_le(&wide, None).expect("no time limit is set");
    walk(&tree, 2 * wide.len(), seen);
}

fn walk(tree: &Tree, length: usize, seen: &mut dyn FnMut(u16, u16)) {
    let root = tree.root_node();
    assert!(root.end_byte() <= length, "the tree is longer than its text");
    let mut cursor = tree.walk();
    let mut parents: Vec<Node<'_>> = Vec::new();
    let mut last = 0;
    loop {
        let node = cursor.node();
        assert!(node.start_byte() <= node.end_byte(), "{node:?}");
        if let Some(parent) = parents.last() {
            assert!(parent.start_byte() <= node.start_byte() && node.end_byte() <= parent.end_byte(), "{node:?}");
            assert!(last <= node.start_byte(), "{node:?} begins before its neighbour ends");
        }
        let of = |node: &Node<'_>| node.kind_id() & 0x3ff | u16::from(node.is_missing()) << 10;
        seen(parents.last().map_or(0, of), of(&node));
        if cursor.goto_first_child() {
            parents.push(node);
            last = node.start_byte();
            continue;
        }
        last = node.end_byte();
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
            parents.pop();
            last = cursor.node().end_byte();
        }
    }
}
