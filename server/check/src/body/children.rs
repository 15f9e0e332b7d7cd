//! The statements of a block. After a keystroke in a large function, the statements outside of the edited range are taken
//! over from the previous check.

use super::around::NamesAround;
use ptx_sema::hir::statements::{self, Child, is_statement};
use ptx_syntax::{Node, PlainStatement};
use std::ops::Range;

/// Range, kind and hash of a statement, without its node. Offsets count from the start of the item.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct KnownStatement {
    /// The offset of its first byte.
    pub start: u32,
    /// The offset after its last byte.
    pub end: u32,
    /// The kind of its syntax node.
    pub kind: u16,
    /// For an instruction or block without a syntax error: the hash of its text. `None` also if the diagnostics of an instruction depend
    /// on the text around it.
    pub text: Option<u64>,
    /// The state of the function, without the names around all statements, in which the statement had no diagnostics and looked up no
    /// module name; 0 if there is none. In this state it can be skipped unless it uses one of those names that has changed.
    pub silent: u64,
}

impl KnownStatement {
    fn of(child: &Child<'_>, base: usize) -> Self {
        let offset = |byte: usize| u32::try_from(byte.saturating_sub(base)).unwrap_or(u32::MAX);
        Self { start: offset(child.start), end: offset(child.end), kind: child.kind, ..Self::default() }
    }

    fn of_node(node: Node<'_>, base: usize) -> Self {
        Self::of(&Child::of(node, node.kind_id()), base)
    }

    /// Its byte range.
    pub(crate) fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// The part of an item whose text changed since its statements were listed. Offsets count from the start of the item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ChangedRange {
    /// The offset of its first byte.
    pub start: usize,
    /// The offset of its end in the old text.
    pub old_end: usize,
    /// The offset of its end in the new text.
    pub new_end: usize,
}

/// The statements of a function's block at the previous check.
#[derive(Debug)]
pub(crate) struct EarlierStatements<'o> {
    /// The statements, in order.
    pub known: Vec<KnownStatement>,
    /// The names around them.
    pub around: NamesAround,
    /// The range that changed since, and the earlier block; `None` if nothing has changed.
    pub changed: Option<(ChangedRange, Old<'o>)>,
}

/// The block of a function in an earlier tree.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Old<'o> {
    /// The block.
    pub block: Node<'o>,
    /// The byte offset in the file at which the function begins.
    pub base: usize,
}

impl<'o> Old<'o> {
    fn node(&self, known: &KnownStatement) -> Option<Node<'o>> {
        child_at(self.block, self.base, known)
    }
}

/// The statements of a block in order, without comments, with the syntax nodes that are available.
pub(super) struct Children<'n> {
    parent: Node<'n>,
    base: usize,
    known: Vec<KnownStatement>,
    /// The index of the statement to which the first element of `nodes` belongs.
    first: usize,
    /// `None` for a statement that was read without the parser.
    nodes: Vec<Option<Node<'n>>>,
    /// Whether a node was not at its expected position.
    lost: bool,
}

impl<'n> Children<'n> {
    /// Lists all statements of a block from its tree, and those of the text that were read without the parser.
    pub(super) fn all(parent: Node<'n>, base: usize, plain: &[PlainStatement]) -> Self {
        Self::of(parent, statements::statements(parent, plain), base)
    }

    /// Creates the list from these children of a block.
    pub(super) fn of(parent: Node<'n>, children: Vec<Child<'n>>, base: usize) -> Self {
        let known = children.iter().map(|c| KnownStatement::of(c, base)).collect();
        Self { parent, base, known, first: 0, nodes: children.iter().map(|c| c.node).collect(), lost: false }
    }

    /// Lists all statements of a block; those outside of the changed range are taken over from the previous check. Without a
    /// changed range, all are.
    ///
    /// The text determines the tree from left to right, except for error recovery: the parser may discard nodes before an
    /// error, and continue after it as if in another block. So the statements next to the window must be the same subtrees as
    /// before, in the same block, and the last statement must be at its expected position. If not, all statements must be
    /// listed again (`is_lost`). Comparing the trees instead would cost as much as listing all statements.
    pub(super) fn resumed(parent: Node<'n>, base: usize, before: EarlierStatements<'_>) -> Self {
        let EarlierStatements { mut known, changed, .. } = before;
        let Some((window, old)) = changed else {
            return Self { parent, base, known, first: 0, nodes: Vec::new(), lost: false };
        };
        // Include one more statement on either side: the line after a statement may decide whether the statement is complete.
        let first = known.partition_point(|k| (k.end as usize) < window.start).saturating_sub(1);
        let mut next = (known.partition_point(|k| (k.start as usize) <= window.old_end) + 1).min(known.len());
        let moved = |start: u32| start as usize + window.new_end - window.old_end;
        let (mut fresh, mut nodes) = (Vec::new(), Vec::new());
        let mut cursor = parent.walk();
        let from = first.checked_sub(1).and_then(|before| known.get(before)).map(|k| base + k.end as usize);
        let mut more = match from {
            Some(from) => cursor.goto_first_child_for_byte(from).is_some(),
            None => cursor.goto_first_child(),
        };
        let broken = parent.has_error();
        let same =
            |node: Node<'_>, known: &KnownStatement| old.node(known).is_some_and(|old| is_same_subtree(node, old));
        let before = first.checked_sub(1).and_then(|before| known.get(before));
        let mut lost = before.is_some_and(|k| !child_at(parent, base, k).is_some_and(|node| same(node, k)));
        let mut met = false;
        while more {
            let node = cursor.node();
            let here = KnownStatement::of_node(node, base);
            while known.get(next).is_some_and(|k| moved(k.start) < here.start as usize) {
                next += 1;
            }
            if known.get(next).is_some_and(|k| moved(k.start) == here.start as usize && same(node, k)) {
                met = true;
                break;
            }
            let before = from.is_some_and(|from| node.end_byte() <= from && !node.is_missing());
            if !before && is_statement(node, here.kind, broken) {
                fresh.push(here);
                nodes.push(Some(node));
            }
            more = cursor.goto_next_sibling();
        }
        if !met {
            next = known.len();
        }
        let shift = |at: u32| u32::try_from(moved(at)).unwrap_or(u32::MAX);
        for k in known.iter_mut().skip(next) {
            (k.start, k.end) = (shift(k.start), shift(k.end));
        }
        known.splice(first..next, fresh);
        let mut out = Self { parent, base, known, first, nodes, lost };
        lost |= !out.ends_where_the_block_does(broken);
        out.lost = lost;
        out
    }

    /// Whether the last statement is also the last in the tree. It is not if the text after the window changed as well.
    fn ends_where_the_block_does(&self, broken: bool) -> bool {
        let mut cursor = self.parent.walk();
        let mut more = cursor.goto_last_child();
        while more && !is_statement(cursor.node(), cursor.node().kind_id(), broken) {
            more = cursor.goto_previous_sibling();
        }
        match (more, self.known.last()) {
            (true, Some(last)) => {
                let known = KnownStatement::of_node(cursor.node(), self.base);
                (known.start, known.end, known.kind) == (last.start, last.end, last.kind)
            }
            (more, last) => !more && last.is_none(),
        }
    }

    /// The number of statements.
    pub(super) fn len(&self) -> usize {
        self.known.len()
    }

    /// The statement at an index.
    pub(super) fn get(&self, index: usize) -> Option<&KnownStatement> {
        self.known.get(index)
    }

    /// Records the hash of a statement's text and the state in which it can be skipped (see [`KnownStatement::silent`]).
    pub(super) fn note(&mut self, index: usize, text: Option<u64>, silent: u64) {
        if let Some(known) = self.known.get_mut(index) {
            (known.text, known.silent) = (text, silent);
        }
    }

    /// All statements, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &KnownStatement> {
        self.known.iter()
    }

    /// Whether the statement at an index was read without the parser, so that it has no node.
    pub(super) fn is_without_node(&self, index: usize) -> bool {
        index.checked_sub(self.first).and_then(|i| self.nodes.get(i)).is_some_and(Option::is_none)
    }

    /// The syntax node of the statement at an index.
    pub(super) fn node(&mut self, index: usize) -> Option<Node<'n>> {
        if let Some(node) = index.checked_sub(self.first).and_then(|i| self.nodes.get(i)) {
            return *node;
        }
        let known = *self.known.get(index)?;
        let found = child_at(self.parent, self.base, &known);
        self.lost |= found.is_none();
        found
    }

    /// Whether a node was not found, so that none of the earlier statements can be trusted.
    pub(super) fn is_lost(&self) -> bool {
        self.lost
    }

    /// All statements, for the next check.
    pub(super) fn into_known(self) -> Vec<KnownStatement> {
        self.known
    }

    /// All statements with their nodes; empty if not all nodes are available.
    pub(super) fn with_nodes(&self) -> Vec<Child<'n>> {
        if self.nodes.len() != self.known.len() {
            return Vec::new();
        }
        let child = |(node, known): (&Option<Node<'n>>, &KnownStatement)| {
            let range = known.range();
            Child { start: self.base + range.start, end: self.base + range.end, kind: known.kind, node: *node }
        };
        self.nodes.iter().zip(&self.known).map(child).collect()
    }
}

/// The child of a block with the range and the kind of a known statement.
fn child_at<'n>(parent: Node<'n>, base: usize, known: &KnownStatement) -> Option<Node<'n>> {
    let (start, end) = (base + known.start as usize, base + known.end as usize);
    let mut cursor = parent.walk();
    // A node inserted by the parser has no width: it comes after the node that ends there, or after all nodes.
    let added = start == end;
    let mut more = cursor.goto_first_child_for_byte(start.saturating_sub(usize::from(added))).is_some()
        || (added && cursor.goto_last_child());
    while more && cursor.node().start_byte() <= start {
        let node = cursor.node();
        if node.start_byte() == start && node.end_byte() == end && node.kind_id() == known.kind {
            return Some(node);
        }
        more = cursor.goto_next_sibling();
    }
    None
}

/// Whether the parser reused a node of an earlier tree for the other node. The id of a node depends on its parent, which may
/// be a different one, so the ids of the first children are compared.
pub(crate) fn is_same_subtree(one: Node<'_>, other: Node<'_>) -> bool {
    let child = |node: Node<'_>| node.child(0).map(|c| c.id());
    one.kind_id() == other.kind_id() && child(one).is_some() && child(one) == child(other)
}

/// Whether a node kind is that of an error node.
pub(super) fn is_error(kind: u16) -> bool {
    kind == u16::MAX
}
