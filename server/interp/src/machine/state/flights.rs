//! Asynchronous operations whose completion no thread has observed yet: the bytes that they use, and the groups that threads wait for.

mod index;

use crate::findings::InstructionSite;
use crate::lanes::LaneMask;
pub(in crate::machine) use index::Index;
use std::collections::{HashMap, VecDeque};

/// Number of bytes of shared memory that share a counter.
pub(crate) const GRANULE: u64 = 16;

/// Maximum number of operations in flight that are tracked; further ones are not checked.
const MAX_COPIES: usize = 1 << 16;

/// Bytes of an operation in flight with its entries in indices, groups and mbarriers.
pub(in crate::machine) const FLIGHT: u64 = 512;

/// Bytes of a group of a thread.
pub(in crate::machine) const GROUP: u64 = 32;

/// A range of bytes that an operation uses.
#[derive(Debug, Clone, Copy)]
pub(in crate::machine) struct CopySpan {
    /// The rank of the CTA for shared memory; `None` for global memory.
    pub(in crate::machine) rank: Option<u32>,
    pub(in crate::machine) start: u64,
    pub(in crate::machine) bytes: u64,
}

/// An operation in flight.
#[derive(Debug, Clone)]
pub(in crate::machine) struct Flight {
    /// The instruction that issued it.
    pub(in crate::machine) site: InstructionSite,
    /// The bytes that it reads, until it is known to have read them.
    pub(in crate::machine) reads: Option<CopySpan>,
    /// The bytes that it writes.
    pub(in crate::machine) writes: Option<CopySpan>,
    /// It updates elements atomically, so other atomic operations may update them at the same time.
    pub(in crate::machine) atomic: bool,
    /// It is a request to cancel another cluster (`clusterlaunchcontrol`), and it was refused.
    pub(in crate::machine) refused: bool,
    /// The granules of shared memory that it reads as operands of a product: rank of the CTA, number.
    pub(in crate::machine) operands: Vec<(u32, u32)>,
    /// It uses tensor memory.
    pub(in crate::machine) tensor: bool,
    /// A finding says that its bytes were used too early.
    pub(in crate::machine) reported: bool,
}

impl Flight {
    /// An operation that uses nothing.
    pub(in crate::machine) fn new(site: InstructionSite) -> Self {
        Self {
            site,
            reads: None,
            writes: None,
            atomic: false,
            refused: false,
            operands: Vec::new(),
            tensor: false,
            reported: false,
        }
    }

    /// Bytes that it occupies.
    pub(in crate::machine) fn held(&self) -> u64 {
        FLIGHT + size_of_val(&self.operands[..]) as u64
    }
}

/// Identifies an operation in flight.
pub(crate) type FlightId = u64;

/// Operations in flight in the shared memory of a CTA.
#[derive(Debug, Clone, Default)]
pub struct SharedFlights {
    pub(in crate::machine) reads: Index,
    pub(in crate::machine) writes: Index,
    /// Number of operations that use each granule (16 bytes).
    pub(in crate::machine) counters: Vec<u16>,
    /// One bit per granule: instructions have written to it since the last fence for the copy engine.
    pub(in crate::machine) generic: Vec<u64>,
}

impl SharedFlights {
    /// Adds an operation to the counters of its granules, or removes it.
    pub(in crate::machine) fn count(&mut self, span: CopySpan, up: bool) {
        let last = (span.start + span.bytes).div_ceil(GRANULE) as usize;
        if self.counters.len() < last {
            self.counters.resize(last, 0);
        }
        for counter in &mut self.counters[(span.start / GRANULE) as usize..last] {
            // A saturated counter stays saturated; the counters only say where to look.
            *counter = match (*counter, up) {
                (u16::MAX, _) => u16::MAX,
                (n, true) => n + 1,
                (n, false) => n.saturating_sub(1),
            };
        }
        if self.reads.count + self.writes.count == 0 {
            self.counters = Vec::new();
        }
    }

    /// Records whether bytes were last written by an instruction (`generic`) or by the copy engine.
    pub(in crate::machine) fn set_generic(&mut self, start: u64, bytes: u64, generic: bool) {
        for granule in start / GRANULE..(start + bytes).div_ceil(GRANULE) {
            let (word, bit) = ((granule / 64) as usize, 1 << (granule % 64));
            if word >= self.generic.len() && generic {
                self.generic.resize(word + 1, 0);
            }
            if let Some(bits) = self.generic.get_mut(word) {
                *bits = if generic { *bits | bit } else { *bits & !bit };
            }
        }
    }

    /// Whether instructions have written some of these bytes since the last fence for the copy engine.
    pub(in crate::machine) fn is_generic(&self, start: u64, bytes: u64) -> bool {
        let mut granules = start / GRANULE..(start + bytes).div_ceil(GRANULE);
        granules.any(|g| self.generic.get((g / 64) as usize).is_some_and(|bits| bits >> (g % 64) & 1 != 0))
    }

    /// Whether some operation may use these bytes.
    pub(in crate::machine) fn touches(&self, start: u64, bytes: u64) -> bool {
        let last = (start + bytes).div_ceil(GRANULE) as usize;
        let last = last.min(self.counters.len());
        self.counters.get((start / GRANULE) as usize..last).is_some_and(|c| c.iter().any(|n| *n > 0))
    }
}

/// All operations in flight. The indices here are those of global memory.
#[derive(Debug, Clone, Default)]
pub struct Flights {
    pub(in crate::machine) live: HashMap<FlightId, Flight>,
    pub(in crate::machine) next: FlightId,
    pub(in crate::machine) reads: Index,
    pub(in crate::machine) writes: Index,
    /// Some operations are not tracked, because there are too many.
    pub(in crate::machine) full: bool,
}

impl Flights {
    /// Whether some operations were not tracked.
    pub fn is_incomplete(&self) -> bool {
        self.full
    }

    /// Whether no more operations are tracked. Notes that one is not.
    pub(in crate::machine) fn is_full(&mut self) -> bool {
        let full = self.live.len() >= MAX_COPIES;
        self.full |= full;
        full
    }

    /// Whether nothing is in flight.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.live.is_empty()
    }
}

/// The kinds of operations of a thread that are waited for together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    /// Groups of `cp.async`.
    Small,
    /// Groups of bulk operations (`cp.async.bulk`).
    Bulk,
    /// Operations of `tcgen05` that `tcgen05.commit` tracks. They are never committed to a group.
    Tensor,
}

/// The groups of operations of one thread.
#[derive(Debug, Clone, Default)]
pub(in crate::machine) struct CopyGroups {
    /// Operations that are not committed to a group yet.
    pub(in crate::machine) open: Vec<FlightId>,
    /// The committed groups that are not known to be complete, oldest first.
    pub(in crate::machine) closed: VecDeque<Vec<FlightId>>,
    /// Number of the oldest groups that are known to have read their sources.
    pub(in crate::machine) read: usize,
}

/// The asynchronous copies of the threads of a warp, in groups.
#[derive(Debug, Clone, Default)]
pub struct Copies {
    /// The groups of each lane, by [`Family`]; empty until something is in flight.
    pub(in crate::machine) lanes: Vec<[CopyGroups; 3]>,
}

impl Copies {
    pub(in crate::machine) fn groups(&mut self, lane: usize, family: Family) -> Option<&mut CopyGroups> {
        self.lanes.get_mut(lane).map(|l| &mut l[family as usize])
    }

    /// Bytes that the groups occupy.
    pub(in crate::machine) fn held(&self) -> u64 {
        GROUP * self.lanes.iter().flatten().map(|groups| groups.closed.len() as u64).sum::<u64>()
    }

    /// The lanes of a mask whose bulk copies are not known to have read their sources in shared memory.
    pub(in crate::machine) fn reading(&self, flights: &Flights, mask: LaneMask) -> LaneMask {
        let reads = |id: &FlightId| {
            let flight = flights.live.get(id);
            flight.filter(|f| !f.reported).and_then(|f| f.reads).is_some_and(|span| span.rank.is_some())
        };
        let pending = |lane: &usize| {
            let groups = self.lanes.get(*lane).map(|l| &l[Family::Bulk as usize]);
            groups.is_some_and(|g| g.closed.iter().flatten().chain(&g.open).any(reads))
        };
        crate::lanes::lanes(mask).filter(pending).fold(0, |all, lane| all | 1 << lane)
    }
}

#[cfg(test)]
mod tests;
