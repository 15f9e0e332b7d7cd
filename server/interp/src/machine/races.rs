//! Which accesses of threads to the same bytes nothing orders (manual 8.7.1, 8.8, 8.9.4, 8.9.5).
//!
//! Each warp has a [`Clock`]; what it knows of others it learns where the manual makes operations *synchronize*: barriers of a CTA and of a
//! cluster, mbarriers, release and acquire patterns, fences that are sequentially consistent. Beside each word in global and shared memory
//! (each byte, where parts of words are used) stand the last write and the last reads by two warps. An access that conflicts with one
//! of these and does not know of it is a race.
//!
//! **What is not found.** When in doubt nothing is said:
//! - What one lane learns or tells counts for its whole warp, and so does everything that any of its lanes did before. Lanes of one warp
//!   are told apart only among themselves.
//! - Every `.sync` instruction counts as if it ordered memory accesses of the lanes that it names, though only `bar.warp.sync` does.
//! - A release is visible to everyone who later acquires the same location, whether or not that reads the value. Scopes and proxies are not
//!   looked at, and neither is whether operations overlap completely.
//! - A barrier of the CTA counts as a fence for what relaxed operations have read before it: the pattern of the programming guide (an
//!   atomic ticket, a barrier, then the sums of all blocks) has no other.
//! - What threads did before they exited comes before whatever follows a barrier that does not wait for them.
//! - A write of the value that is there already is no race.
//! - On targets before `sm_70` lanes of a warp run in step: only what one instruction does at once can be a race among them.
//! - Of many readers only two are remembered; memory for all of this is limited, and behind the limit nothing is looked at.

mod knowledge;

use super::{AccessLocation, ExecContext, Order};
use crate::findings::FaultKind;
use crate::lanes::LaneMask;
use crate::memory::shadow::{self, Cell, Stamp};
use crate::memory::{PAGE, Region};
pub use knowledge::{Clock, Knowledge};
use std::collections::HashMap;
use std::sync::Arc;

/// Blocks of cells that a run may have: 3 KiB each, 12 KiB where bytes are told apart.
const MAX_BLOCKS: u32 = 1 << 15;

/// Locations of which is remembered what they tell.
const MAX_LOCATIONS: usize = 1 << 16;

/// Work that a run may spend on joining what is known, in CTAs; then it stops looking for races.
const MAX_WORK: u64 = 1 << 28;

/// Who is ordered before whom.
#[derive(Debug, Clone)]
pub struct Races {
    /// What is told by whom acquires a location.
    locations: Arc<HashMap<(u64, u64), Knowledge>>,
    /// What all sequentially consistent fences before know.
    consistent: Knowledge,
    /// Blocks of cells that may still be made.
    left: u32,
    /// Work that may still be done.
    work: u64,
    /// Whether lanes of a warp run in step; computed on first use.
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

/// What an access does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RaceAccess {
    /// It reads.
    Read(Order),
    /// It writes.
    Write(Order),
    /// It reads and writes at once.
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

/// Whether the search for races is enabled.
#[inline]
pub fn wanted(context: &ExecContext<'_>) -> bool {
    context.machine.settings.checks.has(FaultKind::Race) && context.machine.races.work > 0
}

/// CTA, warp, and how many warps a CTA has.
fn own(context: &mut ExecContext<'_>) -> (u64, u32, u32) {
    (context.cta().number, context.lanes.number, context.machine.shape.warps())
}

impl Races {
    fn spend(&mut self, work: u64) {
        self.work = self.work.saturating_sub(work);
    }
}

/// The warp arrives at a barrier: its accesses happen before what the waiting warps do next.
pub fn arrive(context: &mut ExecContext<'_>, at: &mut Knowledge) {
    if wanted(context) {
        let own = own(context);
        let told = context.lanes.clock.publish(own);
        context.machine.races.spend(at.join(&told));
    }
}

/// The warp arrives somewhere without a release: what it knew at its last fence is told.
pub fn arrive_relaxed(context: &mut ExecContext<'_>, at: &mut Knowledge) {
    if wanted(context) {
        context.machine.races.spend(at.join(&context.lanes.clock.fenced));
    }
}

/// The warp goes on after waiting: it knows what those know who have arrived, or have exited before.
pub fn depart(context: &mut ExecContext<'_>, at: &Knowledge) {
    if wanted(context) {
        let own = own(context);
        let work = context.lanes.clock.learn(at, own) + context.lanes.clock.listen(own);
        context.machine.races.spend(work);
    }
}

/// Threads of a warp (CTA, warp, warps of a CTA) have exited: barriers that do not wait for them count what they did as done before.
pub(crate) fn exit(clock: &mut Clock, own: (u64, u32, u32), into: &mut Knowledge) {
    into.join(&clock.publish(own));
}

/// What a location tells is kept for its words.
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
            // Whoever cannot remember what was told must not judge any more.
            races.work = if locations.len() >= MAX_LOCATIONS / 2 { 0 } else { races.work };
        }
        let work = locations.entry(key).or_default().join(told);
        races.spend(work);
    }
}

/// Whoever acquires this location from now on knows what this warp has done: an arrival on an mbarrier, a store that releases.
pub fn release(context: &mut ExecContext<'_>, location: AccessLocation) {
    release_bytes(context, location, 4);
}

fn release_bytes(context: &mut ExecContext<'_>, location: AccessLocation, bytes: usize) {
    if wanted(context) {
        let own = own(context);
        let told = context.lanes.clock.publish(own);
        tell(context, location, bytes, &told);
    }
}

/// The warp knows what those know who have released this location: a wait on an mbarrier has ended, a load that acquires.
pub fn acquire(context: &mut ExecContext<'_>, location: AccessLocation) {
    acquire_bytes(context, location, 4, true);
}

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

/// A fence. `consistent`: all such fences are in one order, and each knows what those before it knew.
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

/// Lanes of the warp have met at an instruction that names these lanes.
pub fn meet(context: &mut ExecContext<'_>, here: LaneMask, named: LaneMask) {
    if wanted(context) {
        let live = context.lanes.present & !context.lanes.exited;
        context.lanes.clock.meet((named | here) & live, live);
    }
}

/// Two accesses that race.
struct RaceConflict {
    /// The one before.
    other: Stamp,
    other_writes: bool,
    /// Where, in bytes from the beginning of the access.
    at: usize,
}

/// Who asks.
struct AccessProbe<'c> {
    me: Stamp,
    lockstep: bool,
    warps: u32,
    clock: &'c Clock,
}

impl AccessProbe<'_> {
    /// Whether an access is known to be over.
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
    fn touch(&self, cell: &mut Cell, access: RaceAccess) -> Option<(Stamp, bool)> {
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
            // A thread that is ordered after this write is ordered after the reads before it, unless these are not ordered.
            if self.knows(*read) {
                *read = Stamp::default();
            }
        }
        found
    }

    /// Keeps a read: in the place of its own warp, of none, of one that is known, else of the second.
    fn remember(&self, cell: &mut Cell) {
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
        // A weak read is not hidden by a strong one behind it.
        if again && !place.has(Stamp::STRONG) && self.me.has(Stamp::STRONG) {
            return;
        }
        *place = if many { self.me.with(Stamp::MANY) } else { self.me };
    }
}

/// Notes an access, and looks whether it races with one before.
pub fn observe(context: &mut ExecContext<'_>, location: AccessLocation, lane: usize, bytes: usize, access: RaceAccess) {
    if let Some(conflict) = note(context, location, lane, bytes, access) {
        report(context, location, lane, access, &conflict);
    }
}

/// Notes a write of these bytes, before it is done, and looks whether it races with an access before. If the same bytes are there already,
/// that harms nobody.
pub fn observe_write(context: &mut ExecContext<'_>, location: AccessLocation, lane: usize, from: &[u8], order: Order) {
    let access = RaceAccess::Write(order);
    let Some(conflict) = note(context, location, lane, from.len(), access) else { return };
    if !holds(context, location, lane, from) {
        return report(context, location, lane, access, &conflict);
    }
    let mut left = 0;
    let quiet = |cell: &mut Cell| {
        cell.write = cell.write.with(Stamp::QUIET);
        None
    };
    look(context, location, lane, from.len(), &mut left, quiet);
}

/// Whether these bytes were written there before. Of many it is not asked.
fn holds(context: &mut ExecContext<'_>, location: AccessLocation, lane: usize, bytes: &[u8]) -> bool {
    let mut there = [0; 64];
    let Some(there) = there.get_mut(..bytes.len()) else { return false };
    let read = context.storage(location, lane, bytes.len()).map(|(storage, at)| storage.read(at, there));
    read.is_some_and(|r| !r.uninitialized) && there == bytes
}

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
    // What it releases comes before what it does itself: its stamp belongs to the time that is published.
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

/// Calls `f` with the cells of some bytes. Gives the first conflict that it finds.
fn look(
    context: &mut ExecContext<'_>,
    location: AccessLocation,
    lane: usize,
    bytes: usize,
    left: &mut u32,
    f: impl Fn(&mut Cell) -> Option<(Stamp, bool)>,
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
