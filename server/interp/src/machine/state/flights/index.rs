//! Which operations in flight use some bytes.

use super::{CopySpan, FlightId};
use std::cell::Cell;
use std::collections::BTreeMap;

/// Spans in one memory, searchable by address. They are stored in classes by size, so that a search looks at few of them.
#[derive(Debug, Clone, Default)]
pub(in crate::machine) struct Index {
    /// For each class: (start, operation) → size in bytes.
    pub(in crate::machine) classes: [BTreeMap<(u64, FlightId), u64>; 6],
    pub(in crate::machine) count: usize,
}

/// The class of a size: sizes of class *k* are below 16 to the power of *k* + 1. The last class has no upper bound.
fn class(bytes: u64) -> usize {
    ((bytes.max(1).ilog2() / 4) as usize).min(5)
}

impl Index {
    pub(in crate::machine) fn insert(&mut self, span: CopySpan, id: FlightId) {
        self.count += usize::from(self.classes[class(span.bytes)].insert((span.start, id), span.bytes).is_none());
    }

    pub(in crate::machine) fn remove(&mut self, span: CopySpan, id: FlightId) {
        self.count -= usize::from(self.classes[class(span.bytes)].remove(&(span.start, id)).is_some());
    }

    /// The operations that use some of these bytes. `looked` counts the spans that the search looks at.
    pub(in crate::machine) fn overlapping<'i>(
        &'i self,
        start: u64,
        bytes: u64,
        looked: &'i Cell<usize>,
    ) -> impl Iterator<Item = FlightId> + 'i {
        let end = start.saturating_add(bytes);
        let filled = self.classes.iter().enumerate().filter(|(_, c)| !c.is_empty());
        filled.flat_map(move |(class, spans)| {
            // The last class has no upper bound for sizes.
            let longest = if class == 5 { u64::MAX } else { 16 << (4 * class) };
            let from = start.saturating_sub(longest);
            let near = spans.range((from, 0)..(end, 0)).inspect(|_| looked.set(looked.get() + 1));
            near.filter(move |((at, _), len)| at.saturating_add(**len) > start).map(|((_, id), _)| *id)
        })
    }
}
