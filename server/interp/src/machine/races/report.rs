//! The words of a race.

use super::conflict::{RaceAccess, RaceCause, RaceConflict};
use super::detector::{own, wanted};
use super::probe::look;
use crate::findings::{Fault, FaultKind, InstructionSite};
use crate::machine::state::{ClockOwner, SyncKind, SyncOperation};
use crate::machine::{AccessLocation, ExecContext, Order, Scope};
use crate::memory::shadow::{ShadowCell, Stamp};

/// What an access does to the bytes, in the present and in the past.
fn verbs(writes: bool, atomic: bool) -> (&'static str, &'static str) {
    match (writes, atomic) {
        (_, true) => ("changes atomically", "changed atomically"),
        (true, _) => ("writes", "wrote"),
        _ => ("reads", "read"),
    }
}

/// Two accesses that race, in words.
struct RaceWords {
    /// The bytes.
    name: String,
    /// The lane of the later access.
    lane: usize,
    /// What the later access does.
    verb: &'static str,
    /// The thread of the earlier access.
    who: String,
    /// What the earlier access did.
    before: &'static str,
}

impl RaceWords {
    fn new(
        context: &mut ExecContext<'_>,
        location: AccessLocation,
        lane: usize,
        access: RaceAccess,
        found: &RaceConflict,
    ) -> Self {
        let at = found.at as u64;
        let there = AccessLocation { address: location.address + at, offset: location.offset + at, ..location };
        let name = context.name_of(there);
        let ClockOwner { cta: own_cta, warp: own_warp, .. } = own(context);
        let (other, (cta, warp)) = (found.other, warp_of(context, found.other));
        let who = if cta != own_cta {
            format!("lane {} of warp {warp} of CTA {cta}", other.lane())
        } else if warp != own_warp {
            format!("lane {} of warp {warp}", other.lane())
        } else if other.has(Stamp::MANY) {
            "other lanes".to_owned()
        } else {
            format!("lane {}", other.lane())
        };
        let verb = verbs(access.writes(), matches!(access, RaceAccess::Atomic(_))).0;
        let before = verbs(found.other_writes, other.has(Stamp::ATOMIC)).1;
        Self { name, lane, verb, who, before }
    }

    /// `lane 3 writes x, which lane 4 read`.
    fn both(&self) -> String {
        let Self { name, lane, verb, who, before } = self;
        format!("lane {lane} {verb} {name}, which {who} {before}")
    }

    /// The earlier access as a related place.
    fn earlier(&self, site: InstructionSite) -> (InstructionSite, String) {
        (site, format!("{} {} it here", self.who, self.before))
    }
}

/// The number of the CTA that made an access, and the index of its warp there.
fn warp_of(context: &ExecContext<'_>, stamp: Stamp) -> (u64, u32) {
    let warps = context.machine.shape.warps().max(1);
    (u64::from(stamp.warp / warps), stamp.warp % warps)
}

/// Reports a race.
pub(super) fn race(
    context: &mut ExecContext<'_>,
    location: AccessLocation,
    lane: usize,
    access: RaceAccess,
    found: &RaceConflict,
) {
    match found.cause {
        RaceCause::Unordered => unordered(context, location, lane, access, found),
        RaceCause::AccessScope => access_scope(context, location, lane, access, found),
        RaceCause::SyncScope => sync_scope(context, location, lane, access, found),
    }
}

/// Reports accesses that nothing orders.
fn unordered(
    context: &mut ExecContext<'_>,
    location: AccessLocation,
    lane: usize,
    access: RaceAccess,
    found: &RaceConflict,
) {
    let words = RaceWords::new(context, location, lane, access, found);
    let ClockOwner { cta: own_cta, warp: own_warp, .. } = own(context);
    let (other, (cta, warp)) = (found.other, warp_of(context, found.other));
    let again = Stamp::new(other.warp, other.time, context.site, 0, context.lanes.steps, 0);
    let related = Some(words.earlier(other.site()));
    let message = || {
        let both = words.both();
        if cta != own_cta {
            format!(
                "{both}: only a release and an acquire of one location, or a fence and an atomic operation, would order them"
            )
        } else if warp != own_warp {
            format!("{both}, and neither a barrier nor anything else orders them")
        } else if other.is_with(again) {
            format!("{both} in the same instruction, with another value")
        } else {
            format!("{both}, and neither `bar.warp.sync` nor anything else orders them")
        }
    };
    context.fault_with(FaultKind::Race, 1 << lane, message, related);
}

/// Keeps a finding on two strong accesses of which one has a scope that does not include the other thread, until the end of the run: accesses
/// that are not ordered because of it are reported instead. It stands at the access that is too narrow; if both are, at the later one.
fn access_scope(
    context: &mut ExecContext<'_>,
    location: AccessLocation,
    lane: usize,
    access: RaceAccess,
    found: &RaceConflict,
) {
    let (here, there) = (context.site, found.other.site());
    if context.machine.races.scopes.is_kept(here, there) {
        return;
    }
    let words = RaceWords::new(context, location, lane, access, found);
    let ClockOwner { cta: own_cta, warp: own_warp, .. } = own(context);
    let (other, (cta, warp)) = (found.other, warp_of(context, found.other));
    let shape = context.machine.shape;
    let needed = shape.scope_of(own_cta, cta);
    let (Some(mine), Some(theirs)) = (access.order().scope().or(Some(Scope::Gpu)), other.scope()) else { return };
    let (mine_fits, theirs_fits) = (mine >= needed, theirs >= needed);
    let both = if mine_fits || theirs_fits { "it needs" } else { "both need" };
    let apart = beyond(context, needed);
    let need = needed.name();
    let own_place = format!("lane {lane} of warp {own_warp} of CTA {own_cta}");
    let RaceWords { name, verb, before, .. } = &words;
    let fault = if mine_fits {
        let (lane, theirs) = (other.lane(), theirs.name());
        let message = format!(
            "lane {lane} {before} {name}, which {own_place} then {verb}: the scope `{theirs}` does not include {apart}, {both} `{need}`"
        );
        let related = Some((here, format!("{own_place} {verb} it here")));
        let (kind, site, cta, step) = (FaultKind::Race, there, shape.cta_place(cta), other.step());
        Fault { kind, message, site, lanes: 1 << lane, cta, warp, step, count: 1, related }
    } else {
        let mine = mine.name();
        let message = format!("{}: the scope `{mine}` does not include {apart}, {both} `{need}`", words.both());
        let related = Some(words.earlier(there));
        let (kind, site, cta, step) = (FaultKind::Race, here, shape.cta_place(own_cta), context.lanes.steps);
        Fault { kind, message, site, lanes: 1 << lane, cta, warp: own_warp, step, count: 1, related }
    };
    context.machine.races.scopes.keep(here, there, fault);
}

/// The threads that a narrower scope than `needed` leaves out.
fn beyond(context: &ExecContext<'_>, needed: Scope) -> &'static str {
    match needed {
        Scope::Gpu if context.machine.shape.cluster_ctas() > 1 => "threads of other clusters",
        _ => "threads of other CTAs",
    }
}

/// Reports accesses that would be ordered if the scope of a fence, a release or an acquire were wider. One such operation is one finding.
fn sync_scope(
    context: &mut ExecContext<'_>,
    location: AccessLocation,
    lane: usize,
    access: RaceAccess,
    found: &RaceConflict,
) {
    let own_cta = own(context).cta;
    let (cta, _) = warp_of(context, found.other);
    let Some(narrow) = context.machine.races.scopes.cause(cta, own_cta) else {
        return unordered(context, location, lane, access, found);
    };
    let SyncOperation { kind, scope, site, cta: of, .. } = narrow.operation;
    // An arrival at an mbarrier orders earlier reads whatever its scope is: it comes after them, since they have their values.
    if kind == SyncKind::Mbarrier && !found.other_writes {
        return;
    }
    // The same operation may leave several accesses unordered.
    let first = context.machine.races.scopes.name(narrow);
    if !first && !context.machine.findings.has(FaultKind::Race, context.site) {
        return;
    }
    let needed = context.machine.shape.scope_of(own_cta, cta);
    let apart = beyond(context, needed);
    let words = RaceWords::new(context, location, lane, access, found);
    let what = match kind {
        SyncKind::Fence | SyncKind::Membar => "the fence",
        SyncKind::Access => "the access",
        SyncKind::Mbarrier => "the operation on the mbarrier",
    };
    let better = match kind {
        SyncKind::Membar if needed == Scope::Gpu => "membar.gl",
        _ => needed.name(),
    };
    let scope = scope.name();
    let message = || {
        let both = words.both();
        format!(
            "{both}, and {what} that should order them has the scope `{scope}`, which does not include {apart}: use `{better}`"
        )
    };
    let related = Some((site, format!("{what} of CTA {of}, with the scope `{scope}`")));
    context.fault_with(FaultKind::Race, 1 << lane, message, related);
}

/// Checks a load that needs memory which no thread of the kernel writes (`ld.global.nc`).
pub fn read_fixed(context: &mut ExecContext<'_>, location: AccessLocation, lane: usize, bytes: usize) {
    if wanted(context) {
        let mut left = context.machine.races.left;
        let written =
            |cell: &mut ShadowCell| (cell.write.time != 0).then_some((cell.write, true, RaceCause::Unordered));
        let found = look(context, location, lane, bytes, &mut left, written);
        context.machine.races.left = left;
        if let Some(conflict) = found {
            fixed(context, location, lane, &conflict);
        }
    }
}

/// Reports a load of bytes that the kernel has written, although it needs bytes that stay as they are.
fn fixed(context: &mut ExecContext<'_>, location: AccessLocation, lane: usize, found: &RaceConflict) {
    let words = RaceWords::new(context, location, lane, RaceAccess::Read(Order::Weak), found);
    let related = Some(words.earlier(found.other.site()));
    let message = || {
        let both = words.both();
        format!("{both}: `ld.global.nc` may return an old value of memory that the kernel writes; use `ld.global`")
    };
    context.fault_with(FaultKind::Undefined, 1 << lane, message, related);
}
