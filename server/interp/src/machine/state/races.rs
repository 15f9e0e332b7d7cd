//! What the race detector remembers of a run, and the limits of that.

use super::knowledge::Knowledge;
use super::scopes::{Domain, ScopeState};
use super::shape::GridShape;
use crate::lanes::LANES;
use crate::memory::shadow;
use std::collections::HashMap;
use std::sync::Arc;

/// Maximum number of units of shadow memory per run ([`shadow::UNIT_BYTES`]): 416 MiB. A unit is 256 bytes of the program's memory, a quarter
/// of that where bytes are distinguished.
const MAX_UNITS: u32 = 1 << 17;

/// Maximum number of entries of knowledge that are stored in larger pieces of it: 400 MB.
const MAX_ENTRIES: u64 = 1 << 24;

/// Smaller pieces of knowledge need not be counted: there is not more of them than of warps.
pub(in crate::machine) const SMALL_KNOWLEDGE: u64 = 64;

/// Maximum number of locations with stored release knowledge.
pub(in crate::machine) const MAX_LOCATIONS: usize = 1 << 16;

/// Maximum number of bytes of these.
const MAX_LOCATION_BYTES: u64 = 64 << 20;

/// Limit of the work for joining knowledge, in CTAs looked at. After that the run is no longer checked for races.
const MAX_WORK: u64 = 1 << 28;

/// Work for joining knowledge that makes a unit of effort.
const WORK_PER_EFFORT: u64 = 4;

/// Global state of the race detector.
#[derive(Debug, Clone)]
pub struct Races {
    /// For each word that was released: the knowledge that an acquire of it gives. Keys are (number of the CTA for shared memory, else a
    /// value near `u64::MAX`; word index; the threads that see the release).
    pub(in crate::machine) locations: Arc<HashMap<(u64, u64, Domain), Knowledge>>,
    /// State for programs that name scopes.
    pub(in crate::machine) scopes: ScopeState,
    /// Number of units of shadow memory that may still be created.
    pub(in crate::machine) left: u32,
    /// Some accesses were not noted, because no units are left.
    pub(in crate::machine) full: bool,
    /// Entries of knowledge that may still be stored in larger pieces.
    pub(in crate::machine) entries: u64,
    /// Work that may still be done, in CTAs looked at.
    pub(in crate::machine) work: u64,
    /// Work of the current instruction, which is part of its effort.
    pub(in crate::machine) spent: u64,
    /// Whether the lanes of a warp run in lockstep; computed on first use.
    pub(in crate::machine) lockstep: Option<bool>,
}

impl Default for Races {
    fn default() -> Self {
        Self {
            locations: Arc::default(),
            scopes: ScopeState::default(),
            left: MAX_UNITS,
            full: false,
            entries: MAX_ENTRIES,
            work: MAX_WORK,
            spent: 0,
            lockstep: None,
        }
    }
}

impl Races {
    /// Whether no release of a location is stored.
    pub(in crate::machine) fn has_no_releases(&self) -> bool {
        self.locations.is_empty() && self.scopes.has_no_releases()
    }

    /// Takes back the units of shadow memory of shared memory that has ended.
    pub(in crate::machine) fn give_back(&mut self, units: u32) {
        self.left = self.left.saturating_add(units).min(MAX_UNITS);
    }

    /// Sets the number of units that are left. The last ones are never used, so that it can be seen here whether they are enough.
    pub(in crate::machine) fn set_left(&mut self, left: u32) {
        self.left = left;
        self.full |= left < shadow::FINE_UNITS;
    }

    /// Whether the notes have reached a limit, so that races may have been missed.
    pub fn is_incomplete(&self) -> bool {
        self.full || self.work == 0
    }

    /// Whether no limit was reached, and none would have been reached if this state and `others` were those of one run. `blocks`: the number
    /// of shadow blocks that such a run would need.
    pub(in crate::machine) fn stays_within_limits<'r>(
        &'r self,
        shape: &GridShape,
        others: impl Iterator<Item = &'r Self>,
        blocks: usize,
    ) -> bool {
        let (mut work, mut locations) = (MAX_WORK - self.work, self.locations.len());
        for other in others {
            work += MAX_WORK - other.work;
            locations += other.locations.len();
        }
        work < MAX_WORK
            && locations < max_locations(shape)
            && blocks.saturating_mul(shadow::FINE_UNITS as usize) <= MAX_UNITS as usize
    }

    pub(in crate::machine) fn spend(&mut self, work: u64) {
        self.work = self.work.saturating_sub(work);
        self.spent = self.spent.saturating_add(work);
        if work > SMALL_KNOWLEDGE {
            self.entries = self.entries.saturating_sub(work);
            // Without all knowledge the detector would report false races, so it stops.
            self.work = if self.entries == 0 { 0 } else { self.work };
        }
    }

    /// The effort of joining knowledge since the last call, and of publishing it.
    pub(in crate::machine) fn take_effort(&mut self, published: u64) -> u64 {
        if published > SMALL_KNOWLEDGE {
            self.entries = self.entries.saturating_sub(published);
            self.work = if self.entries == 0 { 0 } else { self.work };
        }
        (std::mem::take(&mut self.spent) + published) / WORK_PER_EFFORT
    }
}

/// Bytes of a location with stored release knowledge: its entry, and a list of the times of the lanes of its CTA.
pub(in crate::machine) fn location_bytes(shape: &GridShape) -> u64 {
    512 + 4 * LANES as u64 * u64::from(shape.warps())
}

/// Maximum number of locations with stored release knowledge.
pub(in crate::machine) fn max_locations(shape: &GridShape) -> usize {
    (MAX_LOCATION_BYTES / location_bytes(shape)).min(MAX_LOCATIONS as u64) as usize
}
