//! Detection of races: accesses of threads to the same bytes that nothing orders (manual 8.7.1, 8.8, 8.9.4, 8.9.5).
//!
//! Each warp has a [`Clock`]. It learns about other warps where the manual makes operations *synchronize*: barriers of a CTA or a cluster,
//! mbarriers, release and acquire patterns. The shadow of each word in global and shared memory (of each
//! byte, if parts of words are used) holds the last write and the last reads by two warps. An access that conflicts with one of them
//! without knowing about it is a race.
//!
//! **Races that are not found.** In doubt the detector reports nothing:
//! - What one lane learns or publishes at an mbarrier or by a fence counts for its whole warp, including everything that any of its lanes
//!   did before. Only releasing and acquiring accesses count for the lane that makes them.
//! - Every `.sync` instruction counts as if it ordered the memory accesses of the lanes that it names, although only `bar.warp.sync` does.
//! - A release is visible to every thread that later acquires the same location, whether or not the acquire reads the released value.
//!   Whether strong operations overlap completely is ignored.
//! - What a thread has fenced before a CTA barrier counts as fenced by the threads that wait there: `membar.gl`, a barrier, and an atomic
//!   operation of one thread publish the writes of all threads.
//! - A CTA barrier counts as a fence for values that relaxed operations read before it. The pattern of the programming guide (an atomic
//!   ticket, a barrier, then the sums of all blocks) has no other fence.
//! - Accesses of exited threads happen before everything that follows a barrier that does not wait for these threads.
//! - A write of the value that is already there is no race.
//! - On targets before `sm_70` the lanes of a warp run in lockstep: only accesses of a single instruction can race with each other.
//! - The shadow remembers only two readers. Memory for the shadow is limited; accesses beyond the limit are not checked.

mod conflict;
mod detector;
mod lanes;
mod probe;
mod report;
mod scopes;
mod updates;

use super::state::races::{location_bytes, max_locations};
use super::state::scopes::{BEYOND, Domain};
use super::state::{Clock, ClockOwner, Knowledge, SyncKind, SyncOperation};
use super::{AccessLocation, ExecContext, Order, Scope};
use crate::lanes::LaneMask;
use crate::memory::Region;
use crate::memory::shadow::{ShadowCell, Stamp};
pub use conflict::RaceAccess;
use conflict::RaceConflict;
pub use detector::wanted;
use detector::{lockstep, own};
pub(super) use lanes::{observe_reads, observe_writes, orders_nothing, watches};
use probe::{AccessProbe, look};
pub use report::read_fixed;
use std::sync::Arc;
pub(super) use updates::{LaneUpdate, update};

/// Effort of a strong access of a lane, which may gain or publish knowledge.
const STRONG: usize = 3;

/// Records that the warp arrives at a barrier: its accesses so far happen before the next accesses of the waiting warps.
pub fn arrive(context: &mut ExecContext<'_>, at: &mut Knowledge) {
    if wanted(context) {
        let own = own(context);
        let told = context.lanes.clock.publish(own);
        let fenced = context.lanes.clock.fenced(Scope::Gpu).as_fenced();
        context.machine.races.spend(at.join(&told) + at.join(&fenced));
    }
}

/// Records that the warp arrives without a release: it publishes only its knowledge as of its last fence. That it has come so far is known
/// as well, but orders no accesses.
pub fn arrive_relaxed(context: &mut ExecContext<'_>, at: &mut Knowledge) {
    if wanted(context) {
        let own = own(context);
        let told = context.lanes.clock.fenced(Scope::Cluster);
        let reached = context.lanes.clock.publish(own).out_of_scope();
        context.machine.races.spend(at.join(&told) + at.join(&reached));
    }
}

/// Records that the warp continues after a wait: it gains the knowledge of the threads that have arrived, or have exited before.
pub fn depart(context: &mut ExecContext<'_>, at: &Knowledge) {
    if wanted(context) {
        let own = own(context);
        let clock = &mut context.lanes.clock;
        let work = clock.share() + clock.learn(at, own) + clock.listen(Scope::Gpu, own);
        context.machine.races.spend(work);
    }
}

/// Records that threads of the warp `own` have exited. Barriers that do not wait for these threads treat their accesses as done.
pub(crate) fn exit(clock: &mut Clock, own: ClockOwner, into: &mut Knowledge) {
    into.join(&clock.publish(own));
}

/// The keys in [`Races::locations`] of the words that contain these bytes.
fn keys(
    context: &mut ExecContext<'_>,
    location: AccessLocation,
    bytes: usize,
) -> impl Iterator<Item = (u64, u64)> + use<> {
    let space = match location.region {
        Region::Shared(None) => context.cta().number,
        Region::Shared(Some(rank)) => context.cta_of(rank).map_or(u64::MAX - 1, |c| c.number),
        _ => u64::MAX,
    };
    let first = location.offset / 4;
    (first..(location.offset + bytes.max(1) as u64).div_ceil(4)).map(move |word| (space, word))
}

/// Adds knowledge to a word, for later acquires by the threads of a domain.
fn tell(context: &mut ExecContext<'_>, (space, word): (u64, u64), domain: Domain, told: &Knowledge) {
    if told.is_empty() {
        return;
    }
    let bytes = location_bytes(&context.machine.shape);
    let most = max_locations(&context.machine.shape);
    let running: Vec<u64> = match context.machine.races.locations.len() >= most {
        true => context.machine.clusters.iter().flat_map(|c| &c.ctas).map(|c| c.number).collect(),
        false => Vec::new(),
    };
    let races = &mut context.machine.races;
    let locations = Arc::make_mut(&mut races.locations);
    let before = locations.len() as u64;
    if locations.len() >= most {
        let stays = |space: u64| space >= u64::MAX - 1 || running.contains(&space);
        locations.retain(|(space, ..), _| stays(*space));
        races.scopes.retain(stays);
        // Without all released knowledge the detector would report false races, so it stops.
        races.work = if locations.len() >= most / 2 { 0 } else { races.work };
    }
    let work = locations.entry((space, word, domain)).or_default().join(told);
    let after = locations.len() as u64;
    races.spend(work);
    context.machine.release(bytes * before.saturating_sub(after));
    context.hold_for_all(bytes * after.saturating_sub(before));
}

/// Records a release by the system, or by a thread whose scope certainly includes the acquiring threads: an operation on an mbarrier.
pub fn release(context: &mut ExecContext<'_>, location: AccessLocation) {
    if wanted(context) {
        let own = own(context);
        let told = context.lanes.clock.publish(own);
        for key in keys(context, location, 4) {
            tell(context, key, 0, &told);
            if scopes::differ(context) {
                // The threads that wait are those of the CTA that has the mbarrier.
                tell(context, key, scopes::of_cta(key.0), &told);
            }
        }
    }
}

/// Records an arrival of a thread at an mbarrier. Without a scope it has `.cta` (manual, *mbarrier.arrive*), which matters only if the
/// mbarrier is in another CTA. A `relaxed` arrival publishes what a fence before it has.
pub fn arrive_at(context: &mut ExecContext<'_>, location: AccessLocation, scope: Option<Scope>, relaxed: bool) {
    if !wanted(context) {
        return;
    }
    let own = own(context);
    let scope = scope.unwrap_or(Scope::Cta);
    for key in keys(context, location, 4) {
        let needed = context.machine.shape.scope_of(own.cta, key.0);
        let reached = context.lanes.clock.publish(own);
        let told = match relaxed {
            true => {
                let mut told = context.lanes.clock.fenced(needed);
                told.join(&reached.out_of_scope());
                told
            }
            false => reached,
        };
        if !scopes::differ(context) {
            tell(context, key, 0, &told);
            continue;
        }
        let operation = SyncOperation::of(context, SyncKind::Mbarrier, scope);
        scopes::note_release(&mut context.machine.races, key, operation);
        if scope < needed {
            tell(context, key, BEYOND, &told);
            continue;
        }
        tell(context, key, 0, &told);
        if needed == Scope::Cta {
            tell(context, key, scopes::of_cta(key.0), &told);
        }
    }
}

/// Records a releasing store of a lane.
fn release_bytes(context: &mut ExecContext<'_>, location: AccessLocation, lane: usize, bytes: usize, scope: Scope) {
    let (own, lockstep) = (own(context), lockstep(context));
    let alone = context.lanes.present == 1 << lane;
    let clock = &mut context.lanes.clock;
    let told = if lockstep || alone { clock.publish(own) } else { clock.publish_of(lane, own) };
    publish(context, location, bytes, scope, [&told, &told, &told], None);
}

/// Records a strong store without a release: it publishes what a fence before it has.
fn publish_fenced(context: &mut ExecContext<'_>, location: AccessLocation, bytes: usize, scope: Scope) {
    let (mut told, narrow) = match context.lanes.clock.synced() {
        Some(sync) => (sync.fenced.clone(), sync.narrow_fence),
        None => Default::default(),
    };
    let others = context.lanes.clock.known.fenced_part();
    if !others.is_empty() {
        told.iter_mut().for_each(|told| {
            told.join(&others);
        });
    }
    // What the narrowest scope has is the most.
    if !told[0].is_empty() {
        publish(context, location, bytes, scope, [&told[0], &told[1], &told[2]], narrow);
    }
}

/// Stores knowledge at the words of a location: for each scope up to `scope`, what its threads gain. `fence`: the last fence, if it is one
/// of a narrow scope and publishes the knowledge.
fn publish(
    context: &mut ExecContext<'_>,
    location: AccessLocation,
    bytes: usize,
    scope: Scope,
    told: [&Knowledge; 3],
    fence: Option<SyncOperation>,
) {
    let differ = scopes::differ(context);
    for key in keys(context, location, bytes) {
        if !differ {
            tell(context, key, 0, told[2]);
            continue;
        }
        for scope in scopes::up_to(context, scope) {
            let domain = scopes::domain(context, scope);
            tell(context, key, domain, told[scope as usize]);
        }
        let operation = match fence {
            Some(fence) if fence.scope <= scope => fence,
            _ => SyncOperation::of(context, SyncKind::Access, scope),
        };
        scopes::note_release(&mut context.machine.races, key, operation);
        if operation.scope < Scope::Gpu {
            tell(context, key, BEYOND, told[0]);
        }
    }
}

/// Records the end of a wait for an mbarrier: the warp gains the knowledge that was released there. `scope`: as it is written; only `.cta`
/// leaves out threads that can arrive. A `relaxed` wait gives the knowledge only at the next fence.
pub fn acquire(context: &mut ExecContext<'_>, location: AccessLocation, scope: Option<Scope>, relaxed: bool) {
    let scope = if scope == Some(Scope::Cta) { Scope::Cta } else { Scope::Gpu };
    acquire_bytes(context, location, None, 4, (SyncKind::Mbarrier, scope), !relaxed);
}

/// Records an acquire of a location of `bytes` bytes by a lane, or by the whole warp. Without `now` (a relaxed read) the warp gains the
/// knowledge only at its next fence.
fn acquire_bytes(
    context: &mut ExecContext<'_>,
    location: AccessLocation,
    lane: Option<usize>,
    bytes: usize,
    (kind, scope): (SyncKind, Scope),
    now: bool,
) {
    if !wanted(context) {
        return;
    }
    let own = own(context);
    let differ = scopes::differ(context);
    for key in keys(context, location, bytes) {
        if differ {
            let operation = SyncOperation::of(context, kind, scope);
            scopes::acquire(context, key, operation, lane, now);
            continue;
        }
        let Some(told) = context.machine.races.locations.get(&(key.0, key.1, 0)) else { continue };
        let live = context.lanes.present & !context.lanes.exited;
        let clock = &mut context.lanes.clock;
        let work = match (now, lane) {
            (true, Some(lane)) => clock.learn_of(lane, told, own, live),
            (true, None) => clock.learn(told, own),
            (false, _) => clock.sync().heard[2].join(told),
        };
        context.machine.races.spend(work);
    }
    if now {
        let work = context.lanes.clock.listen(scope, own);
        context.machine.races.spend(work);
    }
}

/// Records a fence. A sequentially consistent fence counts as one that releases and acquires: the order of such fences is that of one run,
/// and no program may rely on it for its weak accesses.
pub fn fence(context: &mut ExecContext<'_>, scope: Scope, kind: SyncKind) {
    if !wanted(context) {
        return;
    }
    let own = own(context);
    let scope = if scopes::differ(context) { scope } else { Scope::Gpu };
    let operation = SyncOperation::of(context, kind, scope);
    scopes::listen(context, operation);
    let clock = &mut context.lanes.clock;
    let published = clock.publish(own);
    let sync = clock.sync();
    for fenced in &mut sync.fenced[..=scope as usize] {
        *fenced = published.clone();
    }
    sync.narrow_fence = (scope < Scope::Gpu).then_some(operation);
}

/// Records that the lanes `here` of the warp have met at an instruction that names the lanes `named`.
pub fn meet(context: &mut ExecContext<'_>, here: LaneMask, named: LaneMask) {
    if wanted(context) {
        let live = context.lanes.present & !context.lanes.exited;
        context.lanes.clock.meet((named | here) & live, live);
    }
}

/// Stores an access in the shadow, and reports it if it races with an earlier one.
pub fn observe(context: &mut ExecContext<'_>, location: AccessLocation, lane: usize, bytes: usize, access: RaceAccess) {
    if let Some(conflict) = note(context, location, lane, bytes, access) {
        report::race(context, location, lane, access, &conflict);
    }
}

/// Stores a write of the bytes `from`, before it is executed, and reports it if it races with an earlier access. A write of the value that
/// is already there is not reported.
pub fn observe_write(context: &mut ExecContext<'_>, location: AccessLocation, lane: usize, from: &[u8], order: Order) {
    let access = RaceAccess::Write(order);
    let Some(conflict) = note(context, location, lane, from.len(), access) else { return };
    if !holds(context, location, lane, from) {
        return report::race(context, location, lane, access, &conflict);
    }
    let mut left = 0;
    let quiet = |cell: &mut ShadowCell| {
        cell.write = cell.write.with(Stamp::QUIET);
        None
    };
    look(context, location, lane, from.len(), &mut left, quiet);
}

/// Whether memory already holds these bytes, and they were written. False for more than 64 bytes.
fn holds(context: &mut ExecContext<'_>, location: AccessLocation, lane: usize, bytes: &[u8]) -> bool {
    let mut there = [0; 64];
    let Some(there) = there.get_mut(..bytes.len()) else { return false };
    let read = context.storage(location, lane, bytes.len()).map(|(storage, at)| storage.read(at, there));
    read.is_some_and(|r| !r.uninitialized) && there == bytes
}

/// Stores an access in the shadow and applies its memory ordering. Returns the first conflict.
fn note(
    context: &mut ExecContext<'_>,
    location: AccessLocation,
    lane: usize,
    bytes: usize,
    access: RaceAccess,
) -> Option<RaceConflict> {
    if !wanted(context) || !matches!(location.region, Region::Global | Region::Shared(_)) {
        return None;
    }
    let order = access.order();
    let atomic = matches!(access, RaceAccess::Atomic(_));
    let scope = order.scope().or(atomic.then_some(Scope::Gpu));
    let mut flags = if atomic { Stamp::ATOMIC } else { 0 };
    if let Some(scope) = scope {
        context.spend(STRONG);
        flags |= Stamp::strong(scope);
        if !matches!(access, RaceAccess::Write(_)) {
            let now = matches!(order, Order::Acquire(_) | Order::AcquireRelease(_));
            let alone = Some(lane).filter(|_| !lockstep(context));
            acquire_bytes(context, location, alone, bytes, (SyncKind::Access, scope), now);
        }
    }
    let ClockOwner { cta, warp, warps } = own(context);
    // A release publishes the accesses before this one. The stamp of this access therefore has the time that is published.
    let time = context.lanes.clock.time;
    if let Some(scope) = scope.filter(|_| access.writes()) {
        if matches!(order, Order::Release(_) | Order::AcquireRelease(_)) {
            release_bytes(context, location, lane, bytes, scope);
        } else {
            publish_fenced(context, location, bytes, scope);
        }
    }
    let number = (cta as u32).wrapping_mul(warps).wrapping_add(warp);
    let me = Stamp::new(number, time, context.site, lane, context.lanes.steps, flags);
    let lockstep = lockstep(context);
    let clock = std::mem::take(&mut context.lanes.clock);
    let mut left = context.machine.races.left;
    let shape = context.machine.shape;
    let asker = AccessProbe::new(me, lockstep, &shape, &clock);
    let found = look(context, location, lane, bytes, &mut left, |cell| asker.touch(cell, access));
    context.lanes.clock = clock;
    context.machine.races.set_left(left);
    found
}

#[cfg(test)]
mod tests;
