//! Asynchronous operations whose completion no thread has observed yet.
//!
//! The interpreter carries out an operation when it is issued, which is one of the schedules that hardware may choose. The bytes that it
//! read and wrote stay *in flight* until its completion is known: until a wait for its group, or for the phase of the mbarrier that counts
//! it, has succeeded. Before that, a thread that reads the written bytes, or writes any of the bytes, races with the operation: a finding.

use super::operands;
use super::state::flights::{CopySpan, FLIGHT, Family, Flight, FlightId, Flights, GROUP, Index};
use super::state::operands::{OperandUses, TensorKind};
use super::{AccessLocation, AccessRange, ExecContext};
use crate::findings::FaultKind;
use crate::memory::Region;
use std::cell::Cell;

/// Maximum number of committed groups of a thread. If there are more, the oldest two become one.
const MAX_GROUPS: usize = 256;

/// Number of spans that a search looks at with one unit of effort.
const LOOKS: usize = 4;

/// The effect of an access on bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AccessEffect {
    Read,
    Write,
    Atomic,
}

/// The bytes at a location as a span; `None` if they are in neither global nor shared memory.
fn span(context: &ExecContext<'_>, location: AccessLocation, bytes: u64) -> Option<CopySpan> {
    let rank = match location.region {
        Region::Global => None,
        Region::Shared(rank) => Some(rank.unwrap_or(context.rank as u32)),
        _ => return None,
    };
    (bytes > 0).then_some(CopySpan { rank, start: location.offset, bytes })
}

/// Records the start of an operation with the bytes that it reads and writes. Returns its identifier; `None` if it is not tracked.
pub(crate) fn begin(
    context: &mut ExecContext<'_>,
    reads: Option<AccessRange>,
    writes: Option<AccessRange>,
    atomic: bool,
) -> Option<FlightId> {
    if let Some(AccessRange { location, bytes }) = writes {
        written_by_engine(context, location, bytes as usize);
        super::proxies::written_by_engine(context, location, bytes as usize);
    }
    let wanted = context.machine.settings.checks.has(FaultKind::Asynchronous);
    if !wanted || context.is_stopped() || context.machine.flights.is_full() {
        return None;
    }
    let reads = reads.and_then(|range| span(context, range.location, range.bytes));
    let writes = writes.and_then(|range| span(context, range.location, range.bytes));
    let flights = &mut context.machine.flights;
    let id = flights.next;
    flights.next += 1;
    flights.live.insert(id, Flight { reads, writes, atomic, ..Flight::new(context.site) });
    context.hold_for_all(FLIGHT);
    if let Some(span) = reads {
        note(context, span, id, false, true);
    }
    if let Some(span) = writes {
        note(context, span, id, true, true);
    }
    Some(id)
}

/// Records the start of the product, or the copy to tensor memory, that the instruction has just carried out. `kind`: what it does in tensor
/// memory, if it uses that. Returns its identifier; `None` if it is not tracked.
pub(crate) fn begin_product(context: &mut ExecContext<'_>, kind: Option<TensorKind>) -> Option<FlightId> {
    let OperandUses { shared, tensor } = context.uses.take().map_or_else(OperandUses::default, |uses| *uses);
    let wanted = context.machine.settings.checks.has(FaultKind::Asynchronous);
    if !wanted || context.is_stopped() || context.machine.flights.is_full() {
        return None;
    }
    let site = context.site;
    for (rank, granule) in &shared {
        if let Some(cta) = context.cta_of(*rank) {
            cta.operands.begin(*granule, site);
        }
    }
    let flights = &mut context.machine.flights;
    let id = flights.next;
    flights.next += 1;
    let flight = Flight { operands: shared, tensor: kind.is_some(), ..Flight::new(site) };
    let held = flight.held();
    flights.live.insert(id, flight);
    context.hold_for_all(held);
    if let Some(kind) = kind {
        operands::begin(context, kind, tensor, Some(id));
    }
    Some(id)
}

/// Marks an operation as a refused request for another cluster. The thread learns of the refusal when the operation completes.
pub(crate) fn set_refused(context: &mut ExecContext<'_>, id: Option<FlightId>) {
    if let Some(flight) = id.and_then(|id| context.machine.flights.live.get_mut(&id)) {
        flight.refused = true;
    }
}

/// Adds a span of an operation to the index of its memory, or removes it.
fn note(context: &mut ExecContext<'_>, span: CopySpan, id: FlightId, write: bool, begins: bool) {
    let change = |index: &mut Index| if begins { index.insert(span, id) } else { index.remove(span, id) };
    match span.rank {
        None if write => change(&mut context.machine.flights.writes),
        None => change(&mut context.machine.flights.reads),
        Some(rank) => {
            if let Some(cta) = context.cta_of(rank) {
                change(if write { &mut cta.flights.writes } else { &mut cta.flights.reads });
                cta.flights.count(span, begins);
            }
        }
    }
}

/// Records that the operation is known to have read its source.
fn has_read(context: &mut ExecContext<'_>, id: FlightId) {
    let flight = context.machine.flights.live.get_mut(&id);
    if let Some(span) = flight.and_then(|f| f.reads.take()) {
        note(context, span, id, false, false);
    }
}

/// Records that the operation is known to be complete. Returns whether it is a refused request for another cluster.
pub(crate) fn complete(context: &mut ExecContext<'_>, id: FlightId) -> bool {
    let Some(flight) = context.machine.flights.live.remove(&id) else { return false };
    context.machine.release(flight.held());
    if let Some(span) = flight.reads {
        note(context, span, id, false, false);
    }
    if let Some(span) = flight.writes {
        note(context, span, id, true, false);
    }
    for (rank, granule) in flight.operands {
        if let Some(cta) = context.cta_of(rank) {
            cta.operands.end(granule);
        }
    }
    if flight.tensor {
        context.cluster().ctas.iter_mut().for_each(|cta| cta.tensor.pipeline.complete(id));
    }
    flight.refused
}

/// Adds an operation to the group that its thread has not committed yet.
pub(crate) fn join(context: &mut ExecContext<'_>, lane: usize, family: Family, id: Option<FlightId>) {
    let Some(id) = id else { return };
    let copies = &mut context.lanes.copies;
    if copies.lanes.is_empty() {
        copies.lanes = vec![Default::default(); crate::lanes::LANES];
    }
    if let Some(groups) = copies.groups(lane, family) {
        groups.open.push(id);
    }
}

/// Commits the operations of a thread since its last commit as a group.
pub(crate) fn commit(context: &mut ExecContext<'_>, lane: usize, family: Family) {
    if let Some(groups) = context.lanes.copies.groups(lane, family) {
        let open = std::mem::take(&mut groups.open);
        groups.closed.push_back(open);
        let is_full = groups.closed.len() > MAX_GROUPS;
        if is_full && let Some(mut first) = groups.closed.pop_front() {
            groups.read = groups.read.saturating_sub(1);
            if let Some(second) = groups.closed.front_mut() {
                first.append(second);
                *second = first;
            }
        } else {
            context.hold(GROUP, lane);
        }
    }
}

/// Records a wait: all groups of a thread except the newest `left` are complete. With `sources`, they are only known to have read their
/// sources.
pub(crate) fn wait(context: &mut ExecContext<'_>, lane: usize, family: Family, left: usize, sources: bool) {
    let Some(groups) = context.lanes.copies.groups(lane, family) else { return };
    let done = groups.closed.len().saturating_sub(left);
    if sources {
        let from = groups.read.min(done);
        groups.read = groups.read.max(done);
        let ids: Vec<FlightId> = groups.closed.range(from..done).flatten().copied().collect();
        for id in ids {
            has_read(context, id);
        }
    } else {
        groups.read = groups.read.saturating_sub(done);
        context.machine.release(GROUP * done as u64);
        let ids: Vec<FlightId> = groups.closed.drain(..done).flatten().collect();
        for id in ids {
            complete(context, id);
        }
    }
}

/// All operations of a thread that are not known to be complete, in any group.
pub(crate) fn of_thread(context: &mut ExecContext<'_>, lane: usize, family: Family) -> Vec<FlightId> {
    let groups = context.lanes.copies.groups(lane, family);
    let ids: Vec<FlightId> =
        groups.map_or_else(Vec::new, |g| g.closed.iter().flatten().chain(&g.open).copied().collect());
    context.spend(ids.len() / 4);
    ids
}

/// The operations of `tcgen05` of a thread that are not known to be complete.
pub(crate) fn of_tensor(context: &mut ExecContext<'_>, lane: usize) -> Vec<FlightId> {
    let live = &context.machine.flights.live;
    let Some(groups) = context.lanes.copies.groups(lane, Family::Tensor) else { return Vec::new() };
    groups.open.retain(|id| live.contains_key(id));
    let ids = groups.open.clone();
    context.spend(ids.len() / 4);
    ids
}

/// Checks an access against the operations in flight. Called for every access while there are any.
#[inline(never)]
pub(crate) fn meet(
    context: &mut ExecContext<'_>,
    location: AccessLocation,
    lane: usize,
    bytes: usize,
    kind: AccessEffect,
) {
    let Some(span) = span(context, location, bytes as u64) else { return };
    if kind != AccessEffect::Read
        && let Some(rank) = span.rank
        && let Some(site) = context.cta_of(rank).and_then(|c| c.operands.user(span.start, span.bytes))
    {
        operands::overwritten(context, location, lane, bytes, site);
    }
    let (mut target, mut source) = (None, None);
    let looked = Cell::new(0);
    {
        let machine = &*context.machine;
        let (reads, writes) = match span.rank {
            None => (&machine.flights.reads, &machine.flights.writes),
            Some(rank) => {
                let Some(cta) = machine.clusters[context.cluster].ctas.get(rank as usize) else { return };
                if !cta.flights.touches(span.start, span.bytes) {
                    return;
                }
                (&cta.flights.reads, &cta.flights.writes)
            }
        };
        let flight = |id: FlightId| machine.flights.live.get(&id);
        let meets = |id: &FlightId| kind != AccessEffect::Atomic || flight(*id).is_some_and(|f| !f.atomic);
        if writes.count > 0 {
            target = writes.overlapping(span.start, span.bytes, &looked).find(meets).and_then(flight).map(|f| f.site);
        }
        if kind != AccessEffect::Read && reads.count > 0 {
            let found = reads.overlapping(span.start, span.bytes, &looked).next();
            source = found.and_then(|id| Some((id, flight(id)?.site)));
        }
    }
    context.spend(looked.get() / LOOKS);
    let verb = if kind == AccessEffect::Read { "reads" } else { "writes" };
    if let Some(site) = target {
        let name = context.name_of(location);
        let words = || {
            format!(
                "{verb} {bytes} bytes at {name} that an asynchronous operation may still be writing: wait for it first"
            )
        };
        let related = Some((site, "the operation that writes them".to_owned()));
        context.fault_with(FaultKind::Asynchronous, 1 << lane, words, related);
    }
    if let Some((id, site)) = source {
        if let Some(flight) = context.machine.flights.live.get_mut(&id) {
            flight.reported = true;
        }
        let name = context.name_of(location);
        let words = || {
            format!(
                "{verb} {bytes} bytes at {name} that an asynchronous operation may still be reading: wait for it first"
            )
        };
        let related = Some((site, "the operation that reads them".to_owned()));
        context.fault_with(FaultKind::Asynchronous, 1 << lane, words, related);
    }
}

/// Whether [`meet`] certainly has nothing to do for an access to these bytes.
pub(super) fn is_quiet(context: &mut ExecContext<'_>, region: Region, start: u64, bytes: u64, write: bool) -> bool {
    match region {
        Region::Global => {
            let Flights { reads, writes, .. } = &context.machine.flights;
            let looked = Cell::new(0);
            let free = |index: &Index| index.count == 0 || index.overlapping(start, bytes, &looked).next().is_none();
            let quiet = free(writes) && (!write || free(reads));
            context.spend(looked.get() / LOOKS);
            quiet
        }
        Region::Shared(None) => {
            let cta = context.cta();
            !cta.flights.touches(start, bytes) && (!write || cta.operands.user(start, bytes).is_none())
        }
        Region::Shared(Some(_)) => false,
        _ => true,
    }
}

/// Records that an instruction, not the copy engine, writes bytes.
#[inline]
pub(crate) fn written(context: &mut ExecContext<'_>, location: AccessLocation, bytes: usize) {
    if context.executable().engine
        && let Some(CopySpan { rank: Some(rank), start, bytes }) = span(context, location, bytes as u64)
        && let Some(cta) = context.cta_of(rank)
    {
        cta.flights.set_generic(start, bytes, true);
    }
}

/// Records that the copy engine writes bytes.
pub(crate) fn written_by_engine(context: &mut ExecContext<'_>, location: AccessLocation, bytes: usize) {
    if let Some(CopySpan { rank: Some(rank), start, bytes }) = span(context, location, bytes as u64)
        && let Some(cta) = context.cta_of(rank)
    {
        cta.flights.set_generic(start, bytes, false);
    }
}

/// Checks bytes that the copy engine or a tensor core (`reader`) reads: those written by instructions must have been fenced. Any later fence
/// in the cluster counts, no matter which thread executed it. So every report is a real missing fence.
pub(crate) fn read_by_engine(
    context: &mut ExecContext<'_>,
    location: AccessLocation,
    lane: usize,
    bytes: usize,
    reader: &str,
) {
    super::proxies::read_by_engine(context, location, lane, bytes);
    let Some(CopySpan { rank: Some(rank), start, bytes }) = span(context, location, bytes as u64) else { return };
    if context.cta_of(rank).is_some_and(|cta| cta.flights.is_generic(start, bytes)) {
        let name = context.name_of(location);
        let words = || {
            format!(
                "{reader} reads {bytes} bytes at {name}, some of which were written by ordinary instructions: put `fence.proxy.async` in between"
            )
        };
        context.fault(FaultKind::Asynchronous, 1 << lane, words);
    }
}

/// Executes `fence.proxy.async`: the copy engine sees all earlier writes of instructions.
pub(crate) fn fence(context: &mut ExecContext<'_>) {
    for cta in &mut context.cluster().ctas {
        cta.flights.generic.clear();
        cta.mbarriers.show_to_engine();
    }
}
