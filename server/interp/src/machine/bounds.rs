//! Accesses through the address of one variable or buffer that land in another one.

use super::code::Executable;
use super::{AccessLocation, ExecContext, Memory};
use crate::findings::{Fault, FaultKind};
use crate::machine::origins::OriginBounds;
use crate::memory::Region;
use std::ops::Range;
use std::sync::Arc;

/// The ranges for each set of origins of a program. The buffers whose addresses are in the parameters must exist.
pub(super) fn of(executable: &Executable, memory: &Memory) -> Arc<[OriginBounds]> {
    let width = usize::from(executable.address_bytes());
    let buffer = |at: u64| {
        let mut bytes = [0; 8];
        memory.parameters.contains(at, width).then(|| memory.parameters.read(at, &mut bytes[..width]))?;
        let found = memory.global.find(u64::from_le_bytes(bytes), 0)?;
        Some(found.base..found.base + found.storage.len())
    };
    executable.origins.iter().map(|set| OriginBounds::new(set, buffer)).collect()
}

/// Reports an access outside of the variables and buffers from which its address comes. The run goes on, as on hardware.
#[inline]
pub(super) fn check(
    context: &mut ExecContext<'_>,
    origins: u32,
    location: AccessLocation,
    lane: usize,
    bytes: usize,
    write: bool,
) {
    let Some(bounds) = context.machine.bounds.get(origins as usize) else { return };
    let ranges = match location.region {
        Region::Global => &bounds.global,
        Region::Shared(_) => &bounds.shared,
        _ => return,
    };
    let (start, end) = (location.offset, location.offset.saturating_add(bytes as u64));
    let fits = |range: &Range<u64>| range.start <= start && end <= range.end;
    if !ranges.is_empty() && !ranges.iter().any(fits) {
        outside(context, origins, location, lane, bytes, write);
    }
}

#[cold]
fn outside(
    context: &mut ExecContext<'_>,
    origins: u32,
    location: AccessLocation,
    lane: usize,
    bytes: usize,
    write: bool,
) {
    let machine = &*context.machine;
    let bounds = machine.bounds.get(origins as usize).cloned().unwrap_or_default();
    let (region, ranges) = match location.region {
        Region::Global => (Region::Global, bounds.global),
        _ => (Region::Shared(None), bounds.shared),
    };
    let of = |range: &Range<u64>| {
        let name = machine.named(region, range.start).map_or("a variable", |(name, _)| name);
        match range.end {
            u64::MAX => format!("`{name}`"),
            end => format!("`{name}` ({} bytes)", end - range.start),
        }
    };
    let of: Vec<String> = ranges.iter().map(of).collect();
    let (of, name) = (of.join(" or "), context.name_of(location));
    let verb = if write { "writes" } else { "reads" };
    let message = format!(
        "{verb} {bytes} bytes at {name}, but the address comes from {of}: keep the index inside it, or take the address of the other variable"
    );
    let (kind, site, lanes) = (FaultKind::OutOfBounds, context.site, 1 << lane);
    let (cta, warp, step) = (context.cta().index, context.lanes.number, context.lanes.steps);
    let fault = || Fault { kind, message, site, lanes, cta, warp, step, count: 1, related: None };
    context.machine.findings.add(kind, site, fault);
}
