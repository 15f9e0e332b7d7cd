//! State of the race detector for programs that name scopes.

use super::sync::SyncOperation;
use crate::findings::{Fault, InstructionSite};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// Maximum number of pairs of CTAs for which the operation that is too narrow is stored.
const MAX_NARROW: usize = 1 << 12;

/// The threads for which a release is stored: 0 for all of them.
pub(in crate::machine) type Domain = u64;

/// The domain of releases that some thread may not see, because their scope is narrow.
pub(in crate::machine) const BEYOND: Domain = u64::MAX;

/// A release and an acquire that do not synchronize, because the scope of one of them does not include the other thread.
#[derive(Debug, Clone, Copy)]
pub(in crate::machine) struct NarrowSync {
    /// The operation whose scope is too narrow.
    pub(in crate::machine) operation: SyncOperation,
    /// The release and the acquire.
    pub(in crate::machine) sites: [InstructionSite; 2],
}

/// Two strong accesses whose scopes do not include each other.
#[derive(Debug, Clone)]
pub(in crate::machine) struct NarrowAccesses {
    pub(in crate::machine) sites: [InstructionSite; 2],
    pub(in crate::machine) fault: Fault,
}

/// State of the detector for programs that name scopes.
#[derive(Debug, Clone, Default)]
pub(in crate::machine) struct ScopeState {
    /// The last release of each word; keys as in [`Races::locations`](super::races::Races::locations).
    pub(in crate::machine) released: Arc<HashMap<(u64, u64), SyncOperation>>,
    /// For two CTAs, the last operation whose scope was too narrow for the second one to see what the first one released.
    pub(in crate::machine) narrow: Arc<BTreeMap<(u64, u64), NarrowSync>>,
    /// Strong accesses that race, to be reported at the end of the run.
    pub(in crate::machine) kept: Arc<Vec<NarrowAccesses>>,
    /// Operations that a finding has named as too narrow, and those with which they do not synchronize.
    pub(in crate::machine) named: Arc<BTreeSet<InstructionSite>>,
}

impl ScopeState {
    /// Whether no release of a location is stored.
    pub(in crate::machine) fn has_no_releases(&self) -> bool {
        self.released.is_empty()
    }

    /// Forgets the releases of words in shared memory of CTAs that have ended.
    pub(in crate::machine) fn retain(&mut self, stays: impl Fn(u64) -> bool) {
        Arc::make_mut(&mut self.released).retain(|(space, _), _| stays(*space));
    }

    /// The operation because of which CTA `to` does not see what CTA `from` released.
    pub(in crate::machine) fn cause(&self, from: u64, to: u64) -> Option<NarrowSync> {
        self.narrow.get(&(from, to)).copied()
    }

    pub(in crate::machine) fn add(
        &mut self,
        from: u64,
        to: u64,
        operation: SyncOperation,
        sites: [InstructionSite; 2],
    ) {
        if self.narrow.len() < MAX_NARROW || self.narrow.contains_key(&(from, to)) {
            Arc::make_mut(&mut self.narrow).insert((from, to), NarrowSync { operation, sites });
        }
    }

    /// Records that a finding names this operation. Returns whether it is the first one.
    pub(in crate::machine) fn name(&mut self, narrow: NarrowSync) -> bool {
        let named = Arc::make_mut(&mut self.named);
        let first = named.insert(narrow.operation.site);
        named.extend(narrow.sites);
        first
    }

    /// Whether a finding on these two instructions is kept for the end of the run.
    pub(in crate::machine) fn is_kept(&self, here: InstructionSite, there: InstructionSite) -> bool {
        self.kept.iter().any(|k| k.sites == [here, there] || k.sites == [there, here])
    }

    /// Keeps a finding on two strong accesses for the end of the run.
    pub(in crate::machine) fn keep(&mut self, here: InstructionSite, there: InstructionSite, fault: Fault) {
        Arc::make_mut(&mut self.kept).push(NarrowAccesses { sites: [here, there], fault });
    }
}
