//! What threads have written to global memory through the generic proxy, and other proxies may not see yet (manual 8.6): bytes that a bulk
//! copy reads, and tensor maps.
//!
//! Any later fence of any thread counts, so every report is a real missing fence.

use super::{AccessLocation, ExecContext};
use crate::findings::FaultKind;
use crate::memory::Region;
use std::sync::Arc;

/// Number of bytes that are tracked together.
const GRANULE: u64 = 16;

/// Maximum number of granules that are tracked.
const MAX_GRANULES: usize = 1 << 18;

fn granules(location: AccessLocation, bytes: usize) -> impl Iterator<Item = u64> {
    location.offset / GRANULE..(location.offset + bytes as u64).div_ceil(GRANULE)
}

/// Records that an instruction, not the copy engine, writes bytes.
#[cold]
pub(super) fn written(context: &mut ExecContext<'_>, location: AccessLocation, bytes: usize) {
    let site = context.site;
    let all = Arc::make_mut(&mut context.machine.hidden.granules);
    if all.len() < MAX_GRANULES {
        all.extend(granules(location, bytes).map(|g| (g, site)));
    }
}

/// Records that the copy engine writes bytes.
pub(super) fn written_by_engine(context: &mut ExecContext<'_>, location: AccessLocation, bytes: usize) {
    if location.region == Region::Global && !context.machine.hidden.granules.is_empty() {
        let all = Arc::make_mut(&mut context.machine.hidden.granules);
        granules(location, bytes).for_each(|g| {
            all.remove(&g);
        });
    }
}

/// Checks bytes of global memory that the copy engine reads.
pub(crate) fn read_by_engine(context: &mut ExecContext<'_>, location: AccessLocation, lane: usize, bytes: usize) {
    let all = &context.machine.hidden.granules;
    if location.region != Region::Global || all.is_empty() {
        return;
    }
    let Some(site) = granules(location, bytes).find_map(|g| all.get(&g).copied()) else { return };
    let name = context.name_of(location);
    let words = || {
        format!(
            "the copy engine reads {bytes} bytes at {name}, some of which were written by ordinary instructions: put `fence.proxy.async` in between"
        )
    };
    context.fault_with(FaultKind::Asynchronous, 1 << lane, words, Some((site, "the write".to_owned())));
}

/// Executes `fence.proxy.async` for global memory.
pub(crate) fn fence(context: &mut ExecContext<'_>) {
    context.machine.hidden.granules = Arc::default();
}

/// Records that a tensor map in global memory is written.
pub(crate) fn map_written(context: &mut ExecContext<'_>, location: AccessLocation) {
    if location.region == Region::Global {
        let site = context.site;
        Arc::make_mut(&mut context.machine.hidden.maps).insert(location.address, site);
    }
}

/// Executes `fence.proxy.tensormap::generic.acquire` for the tensor map at an address.
pub(crate) fn acquire_map(context: &mut ExecContext<'_>, address: u64) {
    if !context.machine.hidden.maps.is_empty() {
        Arc::make_mut(&mut context.machine.hidden.maps).remove(&address);
    }
}

/// Checks a tensor map that a copy uses.
pub(crate) fn check_map(context: &mut ExecContext<'_>, location: AccessLocation, lane: usize) {
    let Some(site) = context.machine.hidden.maps.get(&location.address).copied() else { return };
    let name = context.name_of(location);
    let words = || {
        format!(
            "the tensor map at {name} was written by the kernel: `fence.proxy.tensormap::generic.acquire` must come before a copy uses it"
        )
    };
    context.fault_with(FaultKind::Asynchronous, 1 << lane, words, Some((site, "the write".to_owned())));
}
