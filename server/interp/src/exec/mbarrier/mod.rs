//! mbarriers: objects in shared memory that count arrivals and transactions, phase by phase.
//!
//! Instructions depend only on the object itself ([`object`]). The machine also records which objects are initialized and which phase
//! each is in ([`crate::machine::mbarriers`]), so that violations of the protocol are found.

mod arrive;
pub(crate) mod object;
#[cfg(test)]
mod tests;
mod wait;

pub(crate) use arrive::{arrive, arrive_drop, complete_tx, expect_tx};
pub(crate) use wait::wait;

use crate::findings::FaultKind;
use crate::inst::DecodeContext;
use crate::lanes::lanes;
use crate::machine::code::{DecodeRefusal, OpAction};
use crate::machine::copies;
use crate::machine::layout::Address;
use crate::machine::mbarriers::{live, mbarriers};
use crate::machine::state::flights::FlightId;
use crate::machine::state::mbarriers::{BYTES, Initialization, LiveMbarrier};
use crate::machine::{AccessLocation, ExecContext, StepOutcome, races};
use crate::memory::Region;
use crate::registers::Src;
use object::{Object, ProtocolViolation};
use ptx_isa::{Modifier, OperandName};
use ptx_num::values::Marks;

/// Bytes of an operation in the list of an mbarrier.
const ATTACHED: u64 = 32;

/// The rank of the CTA whose shared memory contains a location; `None` for other memory.
pub(crate) fn rank_of(context: &ExecContext<'_>, at: AccessLocation) -> Option<u32> {
    match at.region {
        Region::Shared(rank) => Some(rank.unwrap_or(context.rank as u32)),
        _ => None,
    }
}

/// The location of a lane's mbarrier. Reports a finding and returns `None` if none can be there. `anywhere` also allows other CTAs of the
/// cluster.
pub(crate) fn locate(
    context: &mut ExecContext<'_>,
    address: &Address,
    lane: usize,
    anywhere: bool,
) -> Option<AccessLocation> {
    let at = context.locate(address, lane, BYTES as usize, BYTES as usize, true)?;
    match rank_of(context, at) {
        None => {
            context.fault(FaultKind::Mbarrier, 1 << lane, || "an mbarrier must be in shared memory".into());
            None
        }
        Some(rank) if !anywhere && rank != context.rank as u32 => {
            let words = || {
                format!("the mbarrier is in CTA {rank} of the cluster, but this instruction needs one of its own CTA")
            };
            context.fault(FaultKind::Mbarrier, 1 << lane, words);
            None
        }
        Some(_) => Some(at),
    }
}

/// The same offset in the shared memory of CTA `rank` of the cluster.
pub(crate) fn in_cta(
    context: &mut ExecContext<'_>,
    at: AccessLocation,
    lane: usize,
    rank: u32,
    bytes: usize,
) -> Option<AccessLocation> {
    let offset = (u64::from(rank) + 1) * crate::memory::SHARED_STRIDE + at.offset;
    let address = context.executable().map.generic(crate::memory::Window::Shared, offset)?;
    context.locate_generic(address, lane, bytes, 1, true)
}

/// The ranks of the CTAs in a mask. A bit that stands for no CTA is a finding.
pub(crate) fn ctas(context: &mut ExecContext<'_>, mask: u32, lane: usize) -> impl Iterator<Item = u32> + use<> {
    let count = context.cluster().ctas.len() as u32;
    let there = if count >= 32 { u32::MAX } else { (1 << count) - 1 };
    if mask & !there != 0 {
        let words = || format!("the mask {mask:#x} names CTAs that the cluster, of {count}, does not have");
        context.fault(FaultKind::Undefined, 1 << lane, words);
    }
    lanes(mask & there).map(|rank| rank as u32)
}

/// The number of an mbarrier's current phase. Reports a finding and returns `None` if there is no mbarrier.
fn phase(context: &mut ExecContext<'_>, at: AccessLocation, lane: usize) -> Option<u64> {
    if let Some(live) = live(context, at) {
        let (phase, initialized) = (live.phase, live.initialized);
        check_initialized(context, at, lane, initialized);
        return Some(phase);
    }
    let name = context.name_of(at);
    let words = || {
        format!(
            "there is no mbarrier at {name}: nothing has initialized one there, or it was invalidated or overwritten"
        )
    };
    context.fault(FaultKind::Mbarrier, 1 << lane, words);
    None
}

/// Checks that the initialization of an mbarrier is ordered before this use.
fn check_initialized(
    context: &mut ExecContext<'_>,
    at: AccessLocation,
    lane: usize,
    initialized: Option<Initialization>,
) {
    let Some(Initialization { cta, warp, time }) = initialized else { return };
    let own = context.cta().number;
    if (cta, warp) == (own, context.lanes.number)
        || !races::wanted(context)
        || context.lanes.clock.latest_of(cta, warp) >= time
    {
        return;
    }
    let Some(live) = live(context, at) else { return };
    let site = live.site;
    live.initialized = None;
    let (name, rank) = (context.name_of(at), rank_of(context, at).unwrap_or(0));
    let words = || {
        if cta == own {
            format!(
                "the mbarrier {name} is used, but nothing orders its initialization before this: put a barrier of the CTA in between"
            )
        } else {
            format!(
                "the mbarrier {name} of CTA {rank} of the cluster is used, but nothing orders its initialization before this: put `fence.mbarrier_init` and `barrier.cluster` in between"
            )
        }
    };
    context.fault_with(FaultKind::Mbarrier, 1 << lane, words, Some((site, "where it is initialized".to_owned())));
}

/// Changes an mbarrier, and starts its next phase if nothing is pending. Returns the state before the change.
fn change(
    context: &mut ExecContext<'_>,
    at: AccessLocation,
    lane: usize,
    f: impl FnOnce(&mut Object) -> Result<(), ProtocolViolation>,
) -> u64 {
    let number = phase(context, at, lane);
    let mut object = Object::from_bits(context.object_at(at, lane));
    let state = object.state(number.unwrap_or(object.parity.into()));
    if let Err(mistake) = f(&mut object) {
        let name = context.name_of(at);
        let most = object.most();
        let related = live(context, at).map(|l| (l.site, "where it was initialized".to_owned()));
        context.fault_with(FaultKind::Mbarrier, 1 << lane, || words(mistake, &name, most), related);
    }
    let turned = object.turn();
    context.put_object_at(at, lane, Some(object.bits()));
    if turned
        && !context.is_stopped()
        && let Some(live) = live(context, at)
    {
        live.phase += 1;
    }
    state
}

fn words(mistake: ProtocolViolation, name: &str, most: u32) -> String {
    match mistake {
        ProtocolViolation::Arrivals(count, pending) => {
            format!("{count} arrivals at the mbarrier {name}, whose phase waits for {pending} more")
        }
        ProtocolViolation::Completes => {
            format!(
                "this arrival at the mbarrier {name} is the last of its phase, which `.noComplete` promises it is not"
            )
        }
        ProtocolViolation::Transactions(sum) => {
            let limit = object::TX_LIMIT;
            format!("the transaction count of the mbarrier {name} would be {sum}: it ranges from -{limit} to {limit}")
        }
        ProtocolViolation::Count(sum) => {
            format!("the arrival count of the mbarrier {name} would be {sum}: it ranges from 1 to {most}")
        }
    }
}

/// Checks before an arrival that some thread has observed the completion of the previous phase (manual, "Phase of the mbarrier object").
fn check_seen(context: &mut ExecContext<'_>, at: AccessLocation, lane: usize) {
    let unseen = live(context, at).filter(|l| l.seen < l.phase).map(|l| (l.phase, l.seen));
    if let Some((number, seen)) = unseen {
        let name = context.name_of(at);
        context.fault(FaultKind::Mbarrier, 1 << lane, || {
            format!(
                "an arrival in phase {number} of the mbarrier {name}, but no wait has seen that phase {seen} is complete: a thread that waits for it may miss it"
            )
        });
    }
}

/// Makes the system arrive for an asynchronous operation. `more`: the pending count does not contain this arrival yet, so add it first.
pub(crate) fn system_arrives(context: &mut ExecContext<'_>, at: AccessLocation, lane: usize, more: bool) {
    check_seen(context, at, lane);
    races::release(context, at);
    change(context, at, lane, |object| {
        let counted = if more { object.await_more(1) } else { Ok(()) };
        counted.and(object.arrive(1))
    });
}

/// Checks that the copy engine, which counts bytes at an mbarrier, sees that it is initialized.
pub(crate) fn check_visible(context: &mut ExecContext<'_>, at: AccessLocation, lane: usize) {
    let Some(live) = live(context, at).filter(|l| l.hidden) else { return };
    let site = live.site;
    live.hidden = false;
    let name = context.name_of(at);
    let words = || {
        format!(
            "the copy engine may not see yet that the mbarrier {name} is initialized: put `fence.mbarrier_init` or `fence.proxy.async` in between"
        )
    };
    context.fault_with(FaultKind::Mbarrier, 1 << lane, words, Some((site, "where it is initialized".to_owned())));
}

/// Completes `count` transactions of an mbarrier on behalf of the copy engine.
pub(crate) fn transacted(context: &mut ExecContext<'_>, at: AccessLocation, lane: usize, count: u64) {
    races::release(context, at);
    change(context, at, lane, |object| object.transact(-(count as i64)));
}

/// Attaches operations in flight to the current phase. They are complete once a wait has observed that the phase is.
pub(crate) fn attach(context: &mut ExecContext<'_>, at: AccessLocation, ids: impl IntoIterator<Item = FlightId>) {
    if let Some(live) = live(context, at) {
        let (phase, before) = (live.phase, live.flights.len());
        live.flights.extend(ids.into_iter().map(|id| (phase, id)));
        let added = live.flights.len() - before;
        context.hold_for_all(ATTACHED * added as u64);
    }
}

/// Records that a wait has observed the completion of all phases before the current one.
fn seen(context: &mut ExecContext<'_>, at: AccessLocation) {
    let Some(live) = live(context, at) else { return };
    let current = live.phase;
    live.seen = current;
    if live.flights.is_empty() {
        return;
    }
    let looked = live.flights.len();
    let (done, rest) = std::mem::take(&mut live.flights).into_iter().partition(|(phase, _)| *phase < current);
    live.flights = rest;
    let done: Vec<(u64, FlightId)> = done;
    context.spend(looked / 4);
    context.machine.release(ATTACHED * done.len() as u64);
    for (_, id) in done {
        let refused = copies::complete(context, id);
        context.cta().refused |= refused;
    }
}

/// `mbarrier.init`.
pub(crate) fn init(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let (address, count) = (inst.address(OperandName::A)?, inst.src::<u32>(OperandName::Count)?);
    let reports = inst.has(Modifier::LayoutV1);
    Ok(DecodeContext::machine(move |context| {
        for lane in lanes(context.mask) {
            let Some(at) = locate(context, &address, lane, false) else { continue };
            if let Some(site) = live(context, at).map(|l| l.site) {
                let name = context.name_of(at);
                let words = || format!("{name} holds an mbarrier already: `mbarrier.inval` must come first");
                let related = Some((site, "where it was initialized".to_owned()));
                context.fault_with(FaultKind::Mbarrier, 1 << lane, words, related);
            }
            let asked = context.registers.lane(count, lane);
            let most = Object::new(reports, 1).most();
            if asked == 0 || asked > most {
                let words = || format!("an mbarrier for {asked} arrivals: the count ranges from 1 to {most}");
                context.fault(FaultKind::Mbarrier, 1 << lane, words);
            }
            let object = Object::new(reports, asked.min(most));
            context.put_object_at(at, lane, Some(object.bits()));
            let site = context.site;
            let initialized = Some(Initialization {
                cta: context.cta().number,
                warp: context.lanes.number,
                time: context.lanes.clock.time,
            });
            if let Some(all) = mbarriers(context, at) {
                all.insert(
                    at.offset,
                    LiveMbarrier { phase: 0, seen: 0, site, initialized, hidden: true, flights: Vec::new() },
                );
            }
        }
        StepOutcome::Next
    }))
}

/// `mbarrier.inval`.
pub(crate) fn inval(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let address = inst.address(OperandName::A)?;
    Ok(DecodeContext::machine(move |context| {
        for lane in lanes(context.mask) {
            let Some(at) = locate(context, &address, lane, false) else { continue };
            phase(context, at, lane);
            context.put_object_at(at, lane, None);
            if let Some(all) = mbarriers(context, at) {
                all.remove(at.offset);
            }
        }
        StepOutcome::Next
    }))
}

/// `mbarrier.pending_count`.
pub(crate) fn pending_count(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let (d, state): (_, Src<u64>) = (inst.dst::<u32>(OperandName::N)?, inst.src(OperandName::State)?);
    Ok(DecodeContext::each(move |r, lane| {
        let state = r.lane(state, lane);
        r.put_lane(d, lane, object::pending_of_state(state));
        // A state of `.layout::v1` has no such count.
        if state & 1 == 0 { Marks::NONE } else { Marks::UNSPECIFIED }
    }))
}

/// `mbarrier.check_layout`.
pub(crate) fn check_layout(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let address = inst.address(OperandName::A)?;
    let p = inst.predicate_dst(OperandName::P)?.ok_or("`mbarrier.check_layout` without a predicate")?;
    let reports = inst.has(Modifier::LayoutV1);
    Ok(DecodeContext::machine(move |context| {
        let mut truth = 0;
        for lane in lanes(context.mask) {
            let Some(at) = locate(context, &address, lane, false) else { continue };
            phase(context, at, lane);
            let object = Object::from_bits(context.object_at(at, lane));
            truth |= u32::from(object.reports == reports) << lane;
        }
        context.registers.put_predicate(p, context.mask, truth);
        StepOutcome::Next
    }))
}
