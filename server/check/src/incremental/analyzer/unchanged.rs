//! Finds the functions that have not changed since the last snapshot.

use crate::body::is_same_subtree;
use ptx_sema::hir::module::ModuleItem;
use ptx_syntax::{Node, Snapshot, SnapshotId, fields};
use rustc_hash::FxHashMap as HashMap;
use std::ops::Range;

/// A byte range of the text and the hash of its content.
pub(super) type HashedRange = (Range<usize>, u64);

/// The items that no edit has touched since the last snapshot, by their byte range.
pub(super) type UnchangedItems<'l> = HashMap<(usize, usize), Unchanged<'l>>;

/// The functions that no edit since the last snapshot touched, by their current byte range. Without this, hashing megabytes
/// for each keystroke would be the largest part of its cost.
pub(super) fn unchanged<'l>(last: Option<&'l (Snapshot, Vec<HashedRange>)>, snapshot: &Snapshot) -> UnchangedItems<'l> {
    let Some((last, functions)) = last else { return HashMap::default() };
    let Some(edits) = snapshot.edits_since(last.id()) else { return HashMap::default() };
    let moved = |(range, hash): &HashedRange| {
        let (mut start, mut end) = (range.start, range.end);
        for edit in edits {
            if edit.old_end <= start {
                start = start + edit.new_end - edit.old_end;
                end = end + edit.new_end - edit.old_end;
            } else if edit.start < end {
                return None;
            }
        }
        Some(((start, end), Unchanged { text: *hash, last, range: range.clone() }))
    };
    functions.iter().filter_map(moved).collect()
}

/// A function that no edit has touched since the last snapshot.
pub(super) struct Unchanged<'l> {
    /// The hash of its text.
    pub text: u64,
    last: &'l Snapshot,
    /// Its byte range in the last snapshot.
    range: Range<usize>,
}

impl Unchanged<'_> {
    /// Whether it is the function that had this byte range in this snapshot.
    pub(super) fn stood_at(&self, (snapshot, range): &(SnapshotId, Range<usize>)) -> bool {
        (*snapshot, range) == (self.last.id(), &self.range)
    }

    /// Whether the function's body is the same subtree as in the last snapshot, and no other part of the function has an
    /// error.
    pub(super) fn has_tree_of(&self, item: &ModuleItem<'_>) -> bool {
        let f = fields();
        let (Some(old), Some(new)) = (
            self.last.leaf(self.range.clone()).and_then(|n| n.child_by_field_id(f.body)),
            item.node.child_by_field_id(f.body),
        ) else {
            return false;
        };
        let elsewhere = |child: Node<'_>| child != new && child.has_error();
        is_same_subtree(new, old) && !item.unclosed && !item.node.children(&mut item.node.walk()).any(elsewhere)
    }
}
