//! Walks over a text that may have been parsed in chunks, each with a tree of its own. A walk from item to item continues
//! in the next chunk.

pub(crate) use ptx_syntax::walk::{children, top};
use ptx_syntax::{Node, Snapshot};
use std::ops::Range;

/// The roots of the trees that a range touches.
pub(crate) fn roots_in(snapshot: &Snapshot, range: Range<usize>) -> impl Iterator<Item = Node<'_>> {
    let before = move |root: &Node<'_>| root.end_byte() < range.start;
    snapshot.roots().skip_while(before).take_while(move |root| root.start_byte() <= range.end)
}

/// The range from the first token to the end of the text, like that of the root node of a text parsed as a whole.
pub(crate) fn whole(snapshot: &Snapshot) -> Range<usize> {
    let start = snapshot.roots().next().map_or(0, |root| root.start_byte());
    let end = snapshot.roots().next_back().map_or(0, |root| root.end_byte());
    start..end.max(start)
}
