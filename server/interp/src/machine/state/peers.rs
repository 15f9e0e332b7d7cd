//! Accesses of other CTAs of a cluster to the shared memory of a CTA.

use crate::findings::InstructionSite;
use crate::lanes::LaneMask;
use std::collections::BTreeMap;

/// An access of a warp of another CTA to the shared memory of a CTA.
#[derive(Debug, Clone, Copy)]
pub(in crate::machine) struct PeerAccess {
    /// The time on the clock of the warp.
    pub(in crate::machine) time: u32,
    pub(in crate::machine) site: InstructionSite,
    pub(in crate::machine) lanes: LaneMask,
    pub(in crate::machine) step: u64,
    /// Offset and number of bytes that one lane writes.
    pub(in crate::machine) written: Option<(u64, usize)>,
}

/// The last accesses of a warp that may still be in progress.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::machine) struct WarpAccesses {
    pub(in crate::machine) last: Option<PeerAccess>,
    /// The access before `last`. It takes the place of `last` when that is known to be complete.
    pub(in crate::machine) before: Option<PeerAccess>,
}

impl WarpAccesses {
    pub(in crate::machine) fn add(&mut self, access: PeerAccess) {
        match &mut self.last {
            Some(last) if last.step == access.step => {
                // Several lanes of one instruction.
                last.lanes |= access.lanes;
                last.written = None;
            }
            last => {
                self.before = last.take().or(self.before);
                *last = Some(access);
            }
        }
    }

    /// Removes the last access if it wrote all of these bytes: a thread that reads the value of a store knows that the store is complete.
    pub(in crate::machine) fn read(&mut self, offset: u64, bytes: usize) {
        let wrote_all = |(start, length): (u64, usize)| {
            start <= offset && offset.saturating_add(bytes as u64) <= start.saturating_add(length as u64)
        };
        self.last = self.last.filter(|last| !last.written.is_some_and(wrote_all));
    }
}

/// The accesses of other CTAs to the shared memory of a CTA, by the number of the CTA and the index of the warp.
#[derive(Debug, Clone, Default)]
pub struct PeerAccesses(pub(in crate::machine) BTreeMap<(u64, u32), WarpAccesses>);

impl PeerAccesses {
    /// Whether there are none.
    #[inline]
    pub(in crate::machine) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
