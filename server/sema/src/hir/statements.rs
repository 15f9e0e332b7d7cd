//! The statements of a block.

use ptx_syntax::{Node, PlainKind, PlainStatement, is_named, kinds};

/// A child of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Child<'tree> {
    /// The offset of its first byte in the file.
    pub start: usize,
    /// The offset behind its last byte.
    pub end: usize,
    /// Its kind, which is cached because it is needed often.
    pub kind: u16,
    /// The node; `None` for a statement that was read without the parser.
    pub node: Option<Node<'tree>>,
}

impl<'tree> Child<'tree> {
    /// A node of this kind.
    pub fn of(node: Node<'tree>, kind: u16) -> Self {
        Self { start: node.start_byte(), end: node.end_byte(), kind, node: Some(node) }
    }
}

/// All children but comments, errors included.
pub fn children(node: Node<'_>) -> Vec<Child<'_>> {
    statements(node, &[])
}

/// Like [`children`], with the statements in the node that were read without the parser. `plain` has those of the whole text.
pub fn statements<'n>(node: Node<'n>, plain: &[PlainStatement]) -> Vec<Child<'n>> {
    let broken = node.has_error();
    let before = |offset: usize| plain.partition_point(|statement| statement.range.start < offset);
    let mut plain = plain.get(before(node.start_byte())..before(node.end_byte())).unwrap_or_default();
    let mut out = Vec::with_capacity(plain.len());
    let mut cursor = node.walk();
    let mut more = cursor.goto_first_child();
    while more {
        let node = cursor.node();
        let kind = node.kind_id();
        if is_statement(node, kind, broken) {
            let child = Child::of(node, kind);
            while let Some(first) = plain.first().filter(|first| first.range.start < child.end) {
                // The others are inside this child.
                out.extend((first.range.start < child.start).then(|| read_without_parser(first)));
                plain = plain.get(1..).unwrap_or_default();
            }
            out.push(child);
        }
        more = cursor.goto_next_sibling();
    }
    out.extend(plain.iter().map(read_without_parser));
    out
}

fn read_without_parser<'n>(statement: &PlainStatement) -> Child<'n> {
    let k = kinds();
    let kind = match statement.kind {
        PlainKind::Instruction => k.instruction,
        PlainKind::Label => k.label,
        PlainKind::Location => k.loc_directive,
    };
    Child { start: statement.range.start, end: statement.range.end, kind, node: None }
}

/// Whether a child of a block is analysed: all are except comments; errors and nodes inserted by the parser are included.
pub fn is_statement(node: Node<'_>, kind: u16, broken: bool) -> bool {
    let k = kinds();
    kind != k.comment && kind != k.preprocessor_line && (is_named(kind) || (broken && node.is_missing()))
}
