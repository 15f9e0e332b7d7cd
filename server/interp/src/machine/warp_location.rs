//! Where the accesses of the lanes of a warp lie that all use the same storage.

use super::{AccessLocation, Machine};
use crate::lanes::LANES;
use crate::memory::{LaneOffsets, Region, Storage};

/// An access of a warp whose lanes all use the same storage, or in local memory their own.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WarpAccess {
    pub region: Region,
    /// The generic address at which the storage begins.
    pub(super) base: u64,
    /// The index of the allocation in global memory.
    pub(super) allocation: usize,
    pub offsets: LaneOffsets,
}

impl Default for WarpAccess {
    #[inline]
    fn default() -> Self {
        Self { region: Region::Code, base: 0, allocation: 0, offsets: LaneOffsets::default() }
    }
}

impl WarpAccess {
    /// The location of the access of a lane.
    pub(crate) fn location(&self, lane: usize) -> AccessLocation {
        let offset = u64::from(self.offsets.at[lane % LANES]);
        let address = self.base.wrapping_add(offset);
        AccessLocation {
            address,
            region: self.region,
            offset: if self.region == Region::Global { address } else { offset },
        }
    }

    /// The offset in the region of the first byte that some lane accesses.
    pub(super) fn start(&self) -> u64 {
        let first = u64::from(self.offsets.low);
        if self.region == Region::Global { self.base + first } else { first }
    }

    /// The storage, unless it is local memory. `place`: the index of the cluster, and the rank of the CTA.
    pub(super) fn storage<'m>(&self, machine: &'m mut Machine, place: (usize, usize)) -> Option<&'m mut Storage> {
        match self.region {
            Region::Global => machine.memory.global.storage_mut(self.allocation),
            Region::Shared(_) => Some(&mut machine.clusters.get_mut(place.0)?.ctas.get_mut(place.1)?.shared),
            Region::Constant => Some(&mut machine.memory.constant),
            Region::Parameter => Some(&mut machine.memory.parameters),
            Region::Local | Region::Code => None,
        }
    }
}
