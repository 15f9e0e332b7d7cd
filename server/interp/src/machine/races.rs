//! Detection of races: accesses of threads to the same bytes that nothing orders (manual 8.7.1, 8.8, 8.9.4, 8.9.5).
//!
//! Each warp has a [`Clock`]. It learns about other warps where the manual makes operations *synchronize*: barriers of a CTA or a cluster,
//! mbarriers, release and acquire patterns, sequentially consistent fences. The shadow of each word in global and shared memory (of each
//! byte, if parts of words are used) holds the last write and the last reads by two warps. An access that conflicts with one of them
//! without knowing about it is a race.
//!
//! **Races that are not found.** In doubt the detector reports nothing:
//! - Anything that one lane learns or publishes counts for its whole warp, including everything that any of its lanes did before. The lanes
//!   of a warp are distinguished only among themselves.
//! - Every `.sync` instruction counts as if it ordered the memory accesses of the lanes that it names, although only `bar.warp.sync` does.
//! - A release is visible to every thread that later acquires the same location, whether or not the acquire reads the released value.
//!   Scopes and proxies are ignored, and so is whether operations overlap completely.
//! - A CTA barrier counts as a fence for values that relaxed operations read before it. The pattern of the programming guide (an atomic
//!   ticket, a barrier, then the sums of all blocks) has no other fence.
//! - Accesses of exited threads happen before everything that follows a barrier that does not wait for these threads.
//! - A write of the value that is already there is no race.
//! - On targets before `sm_70` the lanes of a warp run in lockstep: only accesses of a single instruction can race with each other.
//! - The shadow remembers only two readers. Memory for the shadow is limited; accesses beyond the limit are not checked.

mod knowledge;

use super::{AccessLocation, ExecContext, Order};
use crate::findings::FaultKind;
use crate::lanes::LaneMask;
use crate::memory::shadow::{self, ShadowCell, Stamp};
use crate::memory::{PAGE, Region};
pub use knowledge::{Clock, Knowledge};
use std::collections::HashMap;
use std::sync::Arc;

/// Maximum number of shadow blocks per run: 3 KiB each, 12 KiB if bytes are distinguished.
const MAX_BLOCKS: u32 = 1 << 15;

/// Maximum number of locations with stored release knowledge.
const MAX_LOCATIONS: usize = 1 << 16;

/// Limit of the work for joining knowledge, in CTAs looked at. After that the run is no longer checked for races.
const MAX_WORK: u64 = 1 << 28;

/// Global state of the race detector.
#[derive(Debug, Clone)]
pub struct Races {
    /// For each word that was released: the knowledge that an acquire of it gives. Keys are (number of the CTA for shared memory, else a
    /// value near `u64::MAX`; word index).
    locations: Arc<HashMap<(u64, u64), Knowledge>>,
    /// The combined knowledge of all sequentially consistent fences so far.
    consistent: Knowledge,
    /// Number of shadow blocks that may still be created.
    left: u32,
    /// Work that may still be done, in CTAs looked at.
    work: u64,
    /// Whether the lanes of a warp run in lockstep; computed on first use.
    lockstep: Option<bool>,
}

impl Default for Races {
    fn default() -> Self {
        Self {
            locations: Arc::default(),
            consistent: Knowledge::default(),
            left: MAX_BLOCKS,
            work: MAX_WORK,
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
    fn spend(&mut self, work: u64) {
        self.work = self.work.saturating_sub(work);
    }
}

/// Records that the warp arrives at a barrier: its accesses so far happen before the next accesses of the waiting warps.
pub fn arrive(context: &mut ExecContext<'_>, at: &mut Knowledge) {
    if wanted(context) {
        let own = own(context);
        let told = context.lanes.clock.publish(own);
        context.machine.races.spend(at.join(&told));
    }
}

/// Records that the warp arrives without a release: it publishes only its knowledge as of its last fence.
pub fn arrive_relaxed(context: &mut ExecContext<'_>, at: &mut Knowledge) {
    if wanted(context) {
        context.machine.races.spend(at.join(&context.lanes.clock.fenced));
    }
}

/// Records that the warp continues after a wait: it gains the knowledge of the threads that have arrived, or have exited before.
pub fn depart(context: &mut ExecContext<'_>, at: &Knowledge) {
    if wanted(context) {
        let own = own(context);
        let work = context.lanes.clock.learn(at, own) + context.lanes.clock.listen(own);
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

/// Adds knowledge to the words of a location, for later acquires.
fn tell(context: &mut ExecContext<'_>, location: AccessLocation, bytes: usize, told: &Knowledge) {
    if told.is_empty() {
        return;
    }
    for key in keys(context, location, bytes) {
        let running: Vec<u64> = match context.machine.races.locations.len() {
            MAX_LOCATIONS.. => context.machine.clusters.iter().flat_map(|c| &c.ctas).map(|c| c.number).collect(),
            _ => Vec::new(),
        };
        let races = &mut context.machine.races;
        let locations = Arc::make_mut(&mut races.locations);
        if locations.len() >= MAX_LOCATIONS {
            locations.retain(|(space, _), _| *space >= u64::MAX - 1 || running.contains(space));
            // Without all released knowledge the detector would report false races, so it stops.
            races.work = if locations.len() >= MAX_LOCATIONS / 2 { 0 } else { races.work };
        }
        let work = locations.entry(key).or_default().join(told);
        races.spend(work);
    }
}

/// Records a release: later acquires of this location gain the warp's knowledge. Used for arrivals on an mbarrier.
pub fn release(context: &mut ExecContext<'_>, location: AccessLocation) {
    release_bytes(context, location, 4);
}

/// As [`release`], for a location of `bytes` bytes: a releasing store.
fn release_bytes(context: &mut ExecContext<'_>, location: AccessLocation, bytes: usize) {
    if wanted(context) {
        let own = own(context);
        let told = context.lanes.clock.publish(own);
        tell(context, location, bytes, &told);
    }
}

/// Records an acquire: the warp gains the knowledge that was released at this location. Used when a wait on an mbarrier has ended.
pub fn acquire(context: &mut ExecContext<'_>, location: AccessLocation) {
    acquire_bytes(context, location, 4, true);
}

/// As [`acquire`], for a location of `bytes` bytes. Without `now` (a relaxed read) the warp gains the knowledge only at its next fence.
fn acquire_bytes(context: &mut ExecContext<'_>, location: AccessLocation, bytes: usize, now: bool) {
    if !wanted(context) {
        return;
    }
    let own = own(context);
    for key in keys(context, location, bytes) {
        let Some(told) = context.machine.races.locations.get(&key) else { continue };
        let clock = &mut context.lanes.clock;
        let work = if now { clock.learn(told, own) } else { clock.heard.join(told) };
        context.machine.races.spend(work);
    }
    if now {
        let work = context.lanes.clock.listen(own);
        context.machine.races.spend(work);
    }
}

/// Records a fence. `consistent`: the fence is sequentially consistent. All such fences have one order, and each gains the knowledge of
/// those before it.
pub fn fence(context: &mut ExecContext<'_>, consistent: bool) {
    if !wanted(context) {
        return;
    }
    let own = own(context);
    let clock = &mut context.lanes.clock;
    let mut work = clock.listen(own);
    if consistent {
        work += clock.learn(&context.machine.races.consistent, own);
    }
    clock.fenced = clock.publish(own);
    if consistent {
        work += context.machine.races.consistent.join(&clock.fenced);
    }
    context.machine.races.spend(work);
}

/// Records that the lanes `here` of the warp have met at an instruction that names the lanes `named`.
pub fn meet(context: &mut ExecContext<'_>, here: LaneMask, named: LaneMask) {
    if wanted(context) {
        let live = context.lanes.present & !context.lanes.exited;
        context.lanes.clock.meet((named | here) & live, live);
    }
}

/// The earlier access of a race.
struct RaceConflict {
    /// The earlier access.
    other: Stamp,
    /// The earlier access was a write.
    other_writes: bool,
    /// Where the conflict is: bytes from the beginning of the later access.
    at: usize,
}

/// An access that is checked against earlier ones.
struct AccessProbe<'c> {
    me: Stamp,
    lockstep: bool,
    warps: u32,
    clock: &'c Clock,
}

impl AccessProbe<'_> {
    /// Whether the earlier access is ordered before this one.
    fn knows(&self, stamp: Stamp) -> bool {
        if stamp.time == 0 {
            return true;
        }
        if stamp.warp != self.me.warp {
            let (cta, warp) = (stamp.warp / self.warps.max(1), stamp.warp % self.warps.max(1));
            return self.clock.known.of(cta.into(), warp) >= stamp.time;
        }
        let many = stamp.has(Stamp::MANY);
        if stamp.lane() == self.me.lane() && !many {
            return true;
        }
        if self.lockstep && !stamp.is_with(self.me) {
            return true;
        }
        stamp.time <= self.clock.of_lane(self.me.lane(), Some(stamp.lane()).filter(|_| !many))
    }

    /// Notes an access in a cell, and says with which one it races.
    fn touch(&self, cell: &mut ShadowCell, access: RaceAccess) -> Option<(Stamp, bool)> {
        let strong = self.me.has(Stamp::STRONG);
        let harmless = |other: Stamp| self.knows(other) || (strong && other.has(Stamp::STRONG));
        let write = cell.write;
        if !access.writes() {
            let found = (!harmless(write) && !write.has(Stamp::QUIET)).then_some((write, true));
            self.remember(cell);
            return found;
        }
        let read = cell.reads.into_iter().find(|r| !harmless(*r)).map(|r| (r, false));
        let found = if harmless(write) { read } else { Some((write, true)) };
        cell.write = self.me;
        for read in &mut cell.reads {
            // A thread that is ordered after this write is also ordered after the reads before it, unless those reads are not ordered
            // before the write.
            if self.knows(*read) {
                *read = Stamp::default();
            }
        }
        found
    }

    /// Keeps a read: in the place of its own warp, of none, of one that is known, else of the second.
    fn remember(&self, cell: &mut ShadowCell) {
        let [first, second] = &mut cell.reads;
        let own = |s: &Stamp| s.time != 0 && s.warp == self.me.warp;
        let place = if own(first) {
            first
        } else if own(second) {
            second
        } else if self.knows(*first) {
            first
        } else {
            second
        };
        let again = own(place) && place.time == self.me.time;
        let many = again && (place.lane() != self.me.lane() || place.has(Stamp::MANY));
        // A strong read does not replace a weak read of the same time.
        if again && !place.has(Stamp::STRONG) && self.me.has(Stamp::STRONG) {
            return;
        }
        *place = if many { self.me.with(Stamp::MANY) } else { self.me };
    }
}

/// Stores an access in the shadow, and reports it if it races with an earlier one.
pub fn observe(context: &mut ExecContext<'_>, location: AccessLocation, lane: usize, bytes: usize, access: RaceAccess) {
    if let Some(conflict) = note(context, location, lane, bytes, access) {
        report(context, location, lane, access, &conflict);
    }
}

/// Stores a write of the bytes `from`, before it is executed, and reports it if it races with an earlier access. A write of the value that
/// is already there is not reported.
pub fn observe_write(context: &mut ExecContext<'_>, location: AccessLocation, lane: usize, from: &[u8], order: Order) {
    let access = RaceAccess::Write(order);
    let Some(conflict) = note(context, location, lane, from.len(), access) else { return };
    if !holds(context, location, lane, from) {
        return report(context, location, lane, access, &conflict);
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
    let mut flags = 0;
    if order != Order::Weak || matches!(access, RaceAccess::Atomic(_)) {
        flags |= Stamp::STRONG;
        flags |= if matches!(access, RaceAccess::Atomic(_)) { Stamp::ATOMIC } else { 0 };
        if !matches!(access, RaceAccess::Write(_)) {
            let now = matches!(order, Order::Acquire | Order::AcquireRelease);
            acquire_bytes(context, location, bytes, now);
        }
    }
    let (cta, warp, warps) = own(context);
    // A release publishes the accesses before this one. The stamp of this access therefore has the time that is published.
    let time = context.lanes.clock.time;
    if flags != 0 && access.writes() {
        if matches!(order, Order::Release | Order::AcquireRelease) {
            release_bytes(context, location, bytes);
        } else if !context.lanes.clock.fenced.is_empty() {
            let told = context.lanes.clock.fenced.clone();
            tell(context, location, bytes, &told);
        }
    }
    let number = (cta as u32).wrapping_mul(warps).wrapping_add(warp);
    let me = Stamp::new(number, time, context.site, lane, context.lanes.steps, flags);
    let lockstep = match context.machine.races.lockstep {
        Some(known) => known,
        None => *context.machine.races.lockstep.insert(!context.machine.executable.has("sm_70")),
    };
    let clock = std::mem::take(&mut context.lanes.clock);
    let mut left = context.machine.races.left;
    let asker = AccessProbe { me, lockstep, warps, clock: &clock };
    let found = look(context, location, lane, bytes, &mut left, |cell| asker.touch(cell, access));
    context.lanes.clock = clock;
    context.machine.races.left = left;
    found
}

/// Calls `f` with the shadow cell of each word or byte in a range. Returns the first conflict that `f` reports.
fn look(
    context: &mut ExecContext<'_>,
    location: AccessLocation,
    lane: usize,
    bytes: usize,
    left: &mut u32,
    f: impl Fn(&mut ShadowCell) -> Option<(Stamp, bool)>,
) -> Option<RaceConflict> {
    let (storage, start) = context.storage(location, lane, bytes)?;
    let (mut done, mut found) = (0, None);
    while done < bytes {
        let at = start + done as u64;
        let inside = at as usize % shadow::BLOCK;
        let count = (bytes - done).min(shadow::BLOCK - inside);
        if let Some(block) = storage.shadow(at).block(at as usize % PAGE, left) {
            let (cells, grain) = block.cells(inside, count);
            for (i, cell) in cells.iter_mut().enumerate() {
                if let Some((other, other_writes)) = f(cell) {
                    found.get_or_insert(RaceConflict { other, other_writes, at: done + i * grain });
                }
            }
        }
        done += count;
    }
    found
}

/// Reports a race.
fn report(
    context: &mut ExecContext<'_>,
    location: AccessLocation,
    lane: usize,
    access: RaceAccess,
    found: &RaceConflict,
) {
    let at = found.at as u64;
    let there = AccessLocation { address: location.address + at, offset: location.offset + at, ..location };
    let name = context.name_of(there);
    let own = own(context);
    let (other, warps) = (found.other, own.2);
    let (context_site, step) = (context.site, context.lanes.steps);
    let (cta, warp) = (u64::from(other.warp / warps.max(1)), other.warp % warps.max(1));
    let does = |writes: bool, atomic: bool| match (writes, atomic) {
        (_, true) => "changes atomically",
        (true, _) => "writes",
        _ => "reads",
    };
    let verb = does(access.writes(), matches!(access, RaceAccess::Atomic(_)));
    let before = match does(found.other_writes, other.has(Stamp::ATOMIC)) {
        "writes" => "wrote",
        "reads" => "read",
        _ => "changed atomically",
    };
    let who = if cta != own.0 {
        format!("lane {} of warp {warp} of CTA {cta}", other.lane())
    } else if warp != own.1 {
        format!("lane {} of warp {warp}", other.lane())
    } else if other.has(Stamp::MANY) {
        "other lanes".to_owned()
    } else {
        format!("lane {}", other.lane())
    };
    let words = || {
        let both = format!("lane {lane} {verb} {name}, which {who} {before}");
        if cta != own.0 {
            format!(
                "{both}: only a release and an acquire of one location, or a fence and an atomic operation, would order them"
            )
        } else if warp != own.1 {
            format!("{both}, and no barrier or anything else orders them")
        } else if other.is_with(Stamp::new(other.warp, other.time, context_site, 0, step, 0)) {
            format!("{both} in the same instruction, with another value")
        } else {
            format!("{both}, and no `bar.warp.sync` or anything else orders them")
        }
    };
    let related = (other.site(), format!("{who} {before} it here"));
    context.fault_with(FaultKind::Race, 1 << lane, words, Some(related));
}

#[cfg(test)]
mod tests;
