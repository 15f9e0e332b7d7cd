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

mod lanes;
mod probe;
mod report;
mod scopes;
mod updates;

use super::state::{Clock, Knowledge, SyncKind, SyncOperation};
use super::{AccessLocation, ExecContext, GridShape, Order, Scope};
use crate::findings::FaultKind;
use crate::lanes::{LANES, LaneMask};
use crate::memory::Region;
use crate::memory::shadow::{self, ShadowCell, Stamp};
pub(super) use lanes::{observe_reads, observe_writes, orders_nothing, watches};
use probe::{AccessProbe, RaceCause, look};
pub use report::read_fixed;
use scopes::{BEYOND, Domain, ScopeState};
use std::collections::HashMap;
use std::sync::Arc;
pub(super) use updates::{LaneUpdate, update};

/// Maximum number of units of shadow memory per run ([`shadow::UNIT_BYTES`]): 416 MiB. A unit is 256 bytes of the program's memory, a quarter
/// of that where bytes are distinguished.
const MAX_UNITS: u32 = 1 << 17;

/// Maximum number of entries of knowledge that are stored in larger pieces of it: 400 MB.
const MAX_ENTRIES: u64 = 1 << 24;

/// Smaller pieces of knowledge need not be counted: there is not more of them than of warps.
const SMALL_KNOWLEDGE: u64 = 64;

/// Maximum number of locations with stored release knowledge.
const MAX_LOCATIONS: usize = 1 << 16;

/// Maximum number of bytes of these.
const MAX_LOCATION_BYTES: u64 = 64 << 20;

/// Limit of the work for joining knowledge, in CTAs looked at. After that the run is no longer checked for races.
const MAX_WORK: u64 = 1 << 28;

/// Effort of a strong access of a lane, which may gain or publish knowledge.
const STRONG: usize = 3;

/// Work for joining knowledge that makes a unit of effort.
const WORK_PER_EFFORT: u64 = 4;

/// Global state of the race detector.
#[derive(Debug, Clone)]
pub struct Races {
    /// For each word that was released: the knowledge that an acquire of it gives. Keys are (number of the CTA for shared memory, else a
    /// value near `u64::MAX`; word index; the threads that see the release).
    locations: Arc<HashMap<(u64, u64, Domain), Knowledge>>,
    /// State for programs that name scopes.
    scopes: ScopeState,
    /// Number of units of shadow memory that may still be created.
    left: u32,
    /// Some accesses were not noted, because no units are left.
    full: bool,
    /// Entries of knowledge that may still be stored in larger pieces.
    entries: u64,
    /// Work that may still be done, in CTAs looked at.
    work: u64,
    /// Work of the current instruction, which is part of its effort.
    spent: u64,
    /// Whether the lanes of a warp run in lockstep; computed on first use.
    lockstep: Option<bool>,
}

impl Default for Races {
    fn default() -> Self {
        Self {
            locations: Arc::default(),
            scopes: ScopeState::default(),
            left: MAX_UNITS,
            full: false,
            entries: MAX_ENTRIES,
            work: MAX_WORK,
            spent: 0,
            lockstep: None,
        }
    }
}

/// The kind of an access, and its memory ordering.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RaceAccess {
    /// A read.
    Read(Order),
    /// A write.
    Write(Order),
    /// A read and a write in one atomic operation.
    Atomic(Order),
}

impl RaceAccess {
    fn order(self) -> Order {
        match self {
            Self::Read(order) | Self::Write(order) | Self::Atomic(order) => order,
        }
    }

    fn writes(self) -> bool {
        !matches!(self, Self::Read(_))
    }
}

/// Whether the run is checked for races.
#[inline]
pub fn wanted(context: &ExecContext<'_>) -> bool {
    context.machine.settings.checks.has(FaultKind::Race) && context.machine.races.work > 0
}

/// The number of the CTA, the index of the warp, and the number of warps per CTA.
fn own(context: &mut ExecContext<'_>) -> (u64, u32, u32) {
    (context.cta().number, context.lanes.number, context.machine.shape.warps())
}

impl Races {
    /// Whether no release of a location is stored.
    fn has_no_releases(&self) -> bool {
        self.locations.is_empty() && self.scopes.has_no_releases()
    }

    /// Takes back the units of shadow memory of shared memory that has ended.
    pub(super) fn give_back(&mut self, units: u32) {
        self.left = self.left.saturating_add(units).min(MAX_UNITS);
    }

    /// Sets the number of units that are left. The last ones are never used, so that it can be seen here whether they are enough.
    fn set_left(&mut self, left: u32) {
        self.left = left;
        self.full |= left < shadow::FINE_UNITS;
    }

    /// Whether the notes have reached a limit, so that races may have been missed.
    pub fn is_incomplete(&self) -> bool {
        self.full || self.work == 0
    }

    /// Whether no limit was reached, and none would have been reached if this state and `others` were those of one run. `blocks`: the number
    /// of shadow blocks that such a run would need.
    pub(super) fn stays_within_limits<'r>(
        &'r self,
        shape: &GridShape,
        others: impl Iterator<Item = &'r Self>,
        blocks: usize,
    ) -> bool {
        let (mut work, mut locations) = (MAX_WORK - self.work, self.locations.len());
        for other in others {
            work += MAX_WORK - other.work;
            locations += other.locations.len();
        }
        work < MAX_WORK
            && locations < max_locations(shape)
            && blocks.saturating_mul(shadow::FINE_UNITS as usize) <= MAX_UNITS as usize
    }

    fn spend(&mut self, work: u64) {
        self.work = self.work.saturating_sub(work);
        self.spent = self.spent.saturating_add(work);
        if work > SMALL_KNOWLEDGE {
            self.entries = self.entries.saturating_sub(work);
            // Without all knowledge the detector would report false races, so it stops.
            self.work = if self.entries == 0 { 0 } else { self.work };
        }
    }

    /// The effort of joining knowledge since the last call, and of publishing it.
    pub(super) fn take_effort(&mut self, published: u64) -> u64 {
        if published > SMALL_KNOWLEDGE {
            self.entries = self.entries.saturating_sub(published);
            self.work = if self.entries == 0 { 0 } else { self.work };
        }
        (std::mem::take(&mut self.spent) + published) / WORK_PER_EFFORT
    }
}

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

/// Records that threads of a warp have exited. `own`: number of the CTA, index of the warp, warps per CTA. Barriers that do not wait for
/// these threads treat their accesses as done.
pub(crate) fn exit(clock: &mut Clock, own: (u64, u32, u32), into: &mut Knowledge) {
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

/// Bytes of a location with stored release knowledge: its entry, and a list of the times of the lanes of its CTA.
fn location_bytes(shape: &GridShape) -> u64 {
    512 + 4 * LANES as u64 * u64::from(shape.warps())
}

/// Maximum number of locations with stored release knowledge.
fn max_locations(shape: &GridShape) -> usize {
    (MAX_LOCATION_BYTES / location_bytes(shape)).min(MAX_LOCATIONS as u64) as usize
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
        let needed = context.machine.shape.scope_of(own.0, key.0);
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

/// The earlier access of a race.
#[derive(Debug, Clone, Copy)]
struct RaceConflict {
    /// The earlier access.
    other: Stamp,
    /// The earlier access was a write.
    other_writes: bool,
    /// Why they race.
    cause: RaceCause,
    /// Where the conflict is: bytes from the beginning of the later access.
    at: usize,
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

/// Whether the lanes of a warp run in lockstep.
fn lockstep(context: &mut ExecContext<'_>) -> bool {
    match context.machine.races.lockstep {
        Some(known) => known,
        None => *context.machine.races.lockstep.insert(!context.machine.executable.has("sm_70")),
    }
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
    let (cta, warp, warps) = own(context);
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
