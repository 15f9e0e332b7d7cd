//! Locations of inlined calls that an earlier function declares.

use crate::diagnostic::Diagnostic;
use crate::directives::debug;
use crate::rules::debug_directive;
use ptx_sema::hir::module::{ModuleItem, is_function};
use ptx_syntax::Snapshot;

/// Decides about locations of inlined calls that no `.loc` of the same function has: one in an earlier function is enough.
#[derive(Default)]
pub(crate) struct EarlierLocations {
    known: debug::KnownLocations,
    /// The number of items whose locations are known.
    read: usize,
}

impl EarlierLocations {
    /// `first` is the index of the first diagnostic of the function, `before` are the items before it.
    pub(crate) fn settle(
        &mut self,
        snapshot: &Snapshot,
        before: &[ModuleItem<'_>],
        out: &mut Vec<Diagnostic>,
        first: usize,
    ) {
        if !out.iter().skip(first).any(is_unsettled) {
            return;
        }
        for item in before.iter().skip(self.read).filter(|item| is_function(item.node)) {
            self.known.add(&snapshot.text(item.range.clone()));
        }
        self.read = before.len();
        for diagnostic in out.split_off(first) {
            match debug_directive::unsettled(&diagnostic) {
                None => out.push(diagnostic),
                Some(location) if self.known.lack(location) => {
                    out.push(debug_directive::inlined_nowhere(diagnostic.range, location, true));
                }
                Some(_) => {}
            }
        }
    }
}

/// Whether a diagnostic depends on the locations in earlier items.
pub(crate) fn is_unsettled(diagnostic: &Diagnostic) -> bool {
    debug_directive::unsettled(diagnostic).is_some()
}
