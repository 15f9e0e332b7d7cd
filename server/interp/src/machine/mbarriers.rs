//! The mbarriers at locations of shared memory, and writes over them.

use super::state::mbarriers::{LiveMbarrier, Mbarriers};
use super::{AccessLocation, ExecContext};
use crate::findings::{FaultKind, InstructionSite};
use crate::memory::Region;

/// The mbarriers of the CTA whose shared memory contains a location.
pub(crate) fn mbarriers<'c>(context: &'c mut ExecContext<'_>, at: AccessLocation) -> Option<&'c mut Mbarriers> {
    let own = context.rank as u32;
    match at.region {
        Region::Shared(rank) => context.cta_of(rank.unwrap_or(own)).map(|c| &mut c.mbarriers),
        _ => None,
    }
}

/// The mbarrier at a location.
pub(crate) fn live<'c>(context: &'c mut ExecContext<'_>, at: AccessLocation) -> Option<&'c mut LiveMbarrier> {
    mbarriers(context, at)?.live.get_mut(&at.offset)
}

/// Handles another instruction that writes bytes of mbarriers: reports it and removes these mbarriers.
#[cold]
pub(crate) fn overwritten(context: &mut ExecContext<'_>, at: AccessLocation, lane: usize, bytes: usize) {
    let (start, end) = (at.offset, at.offset.saturating_add(bytes as u64));
    let Some(all) = mbarriers(context, at) else { return };
    let gone: Vec<(u64, InstructionSite)> = all.within(start, end).map(|(at, live)| (*at, live.site)).collect();
    for (offset, site) in gone {
        if let Some(all) = mbarriers(context, at) {
            all.remove(offset);
        }
        let name = context.name_of(AccessLocation { offset, ..at });
        let words = || format!("writes over the mbarrier {name}: `mbarrier.inval` must come first");
        context.fault_with(FaultKind::Mbarrier, 1 << lane, words, Some((site, "where it was initialized".to_owned())));
    }
}
