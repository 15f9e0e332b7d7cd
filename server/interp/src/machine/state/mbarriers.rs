//! State of mbarriers besides the objects in shared memory: which are initialized, and the phase of each.

use super::flights::FlightId;
use crate::findings::InstructionSite;
use std::collections::BTreeMap;

/// Size of an mbarrier object in bytes, and its alignment.
pub(crate) const BYTES: u64 = 8;

/// When and by which warp an mbarrier was initialized.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Initialization {
    /// The linear number of the CTA in the grid.
    pub(crate) cta: u64,
    /// The index of the warp in the CTA.
    pub(crate) warp: u32,
    /// The time on the clock of the warp.
    pub(crate) time: u32,
}

/// State of an initialized mbarrier besides its bits.
#[derive(Debug, Clone)]
pub(crate) struct LiveMbarrier {
    /// The number of its current phase.
    pub(crate) phase: u64,
    /// All phases with a lower number are known to be complete, because a thread has observed the completion of such a phase or of a later
    /// one.
    pub(crate) seen: u64,
    /// The instruction that initialized it.
    pub(crate) site: InstructionSite,
    /// Its initialization. `None` once a use that is not ordered after it has been reported.
    pub(crate) initialized: Option<Initialization>,
    /// No fence has made its initialization visible to the copy engine yet.
    pub(crate) hidden: bool,
    /// Asynchronous operations in flight, with the number of the phase that counts each.
    pub(crate) flights: Vec<(u64, FlightId)>,
}

/// The mbarriers of a CTA.
#[derive(Debug, Clone, Default)]
pub struct Mbarriers {
    /// The initialized mbarriers, by offset in the shared memory of the CTA.
    pub(in crate::machine) live: BTreeMap<u64, LiveMbarrier>,
    /// A range of offsets that contains all of them: a quick first test.
    range: (u64, u64),
}

impl Mbarriers {
    /// Whether some of these bytes belong to an mbarrier.
    #[inline]
    pub(crate) fn touches(&self, start: u64, bytes: u64) -> bool {
        let end = start.saturating_add(bytes);
        start < self.range.1 && end > self.range.0 && self.within(start, end).next().is_some()
    }

    /// The mbarriers that overlap a range of offsets.
    pub(in crate::machine) fn within(&self, start: u64, end: u64) -> impl Iterator<Item = (&u64, &LiveMbarrier)> {
        self.live.range(start.saturating_sub(BYTES - 1)..end)
    }

    /// Records a fence: the copy engine sees the mbarriers that are initialized.
    pub(crate) fn show_to_engine(&mut self) {
        self.live.values_mut().for_each(|live| live.hidden = false);
    }

    /// Adds an mbarrier at an offset. Returns the one that it replaces.
    pub(crate) fn insert(&mut self, at: u64, live: LiveMbarrier) -> Option<LiveMbarrier> {
        let (from, to) = if self.live.is_empty() { (at, at) } else { self.range };
        self.range = (from.min(at), to.max(at + BYTES));
        self.live.insert(at, live)
    }

    /// Removes the mbarrier at an offset.
    pub(crate) fn remove(&mut self, at: u64) {
        self.live.remove(&at);
    }
}
