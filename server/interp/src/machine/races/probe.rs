//! The comparison of an access with earlier ones to the same bytes.

use super::{Clock, RaceAccess};
use crate::machine::{GridShape, Scope};
use crate::memory::shadow::{ShadowCell, Stamp};
use std::cell::Cell;

/// Why two accesses race.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RaceCause {
    /// Nothing orders them.
    Unordered,
    /// Both are strong, but a scope does not include the other thread.
    AccessScope,
    /// They would be ordered if every scope were wide enough.
    SyncScope,
}

/// An access that is checked against earlier ones.
pub(super) struct AccessProbe<'c> {
    pub(super) me: Stamp,
    lockstep: bool,
    warps: u32,
    shape: &'c GridShape,
    clock: &'c Clock,
    /// Some other warps, with the times up to which their accesses are known. The own warp stands for none.
    recent: [Cell<(u32, u32)>; 4],
}

impl<'c> AccessProbe<'c> {
    pub(super) fn new(me: Stamp, lockstep: bool, shape: &'c GridShape, clock: &'c Clock) -> Self {
        let recent = std::array::from_fn(|_| Cell::new((me.warp, 0)));
        Self { me, lockstep, warps: shape.warps(), shape, clock, recent }
    }

    /// Whether the access of another warp is known.
    #[inline(always)]
    fn knows_other(&self, stamp: Stamp) -> bool {
        let (warp, time) = self.recent[stamp.warp as usize % self.recent.len()].get();
        if warp == stamp.warp { time >= stamp.time } else { self.look_up(stamp) }
    }

    #[inline(never)]
    fn look_up(&self, stamp: Stamp) -> bool {
        let (cta, index) = self.warp_of(stamp);
        let time = self.clock.known.of(cta, index);
        self.recent[stamp.warp as usize % self.recent.len()].set((stamp.warp, time));
        time >= stamp.time
    }

    /// The number of the CTA of an access, and the index of its warp there.
    fn warp_of(&self, stamp: Stamp) -> (u64, u32) {
        (u64::from(stamp.warp / self.warps.max(1)), stamp.warp % self.warps.max(1))
    }

    /// Whether the earlier access is ordered before this one.
    #[inline(always)]
    pub(super) fn knows(&self, stamp: Stamp) -> bool {
        match stamp {
            _ if stamp.time == 0 => true,
            _ if stamp.warp != self.me.warp => self.knows_other(stamp),
            _ => stamp.is_of_lane(self.me) || stamp.time <= self.clock.met || self.knows_own(stamp),
        }
    }

    /// Whether an access of another lane of the warp is ordered before this one.
    #[inline(never)]
    fn knows_own(&self, stamp: Stamp) -> bool {
        if self.lockstep && !stamp.is_with(self.me) {
            return true;
        }
        let many = stamp.has(Stamp::MANY);
        stamp.time <= self.clock.of_lane(self.me.lane(), Some(stamp.lane()).filter(|_| !many))
    }

    /// Whether an earlier access is ordered before this one, whatever lane makes this one.
    #[inline]
    pub(super) fn all_know(&self, stamp: Stamp) -> bool {
        match stamp {
            _ if stamp.time == 0 => true,
            _ if stamp.warp != self.me.warp => self.knows_other(stamp),
            _ => stamp.time <= self.clock.met,
        }
    }

    /// Why this access races with an earlier one; `None` if it does not.
    fn cause(&self, other: Stamp) -> Option<RaceCause> {
        if self.knows(other) {
            return None;
        }
        if let (Some(mine), Some(theirs)) = (self.me.scope(), other.scope()) {
            let narrow = mine.min(theirs);
            let reach = || self.shape.scope_of(self.warp_of(self.me).0, self.warp_of(other).0);
            return (narrow < Scope::Gpu && narrow < reach()).then_some(RaceCause::AccessScope);
        }
        let (cta, warp) = self.warp_of(other);
        let beyond = other.warp != self.me.warp && self.clock.known.beyond_scope(cta, warp) >= other.time;
        Some(if beyond { RaceCause::SyncScope } else { RaceCause::Unordered })
    }

    /// Notes an access in a cell, and says with which one it races: whether that one is a write, and why.
    pub(super) fn touch(&self, cell: &mut ShadowCell, access: RaceAccess) -> Option<(Stamp, bool, RaceCause)> {
        let write = cell.write;
        let cause = self.cause(write);
        if !access.writes() {
            self.remember(cell);
            return cause.filter(|_| !write.has(Stamp::QUIET)).map(|cause| (write, true, cause));
        }
        let found = match cause {
            Some(cause) => Some((write, true, cause)),
            None => cell.reads.into_iter().find_map(|r| Some((r, false, self.cause(r)?))),
        };
        // An atomic operation does not hide an earlier plain write of its thread that was published with it.
        let again = write.warp == self.me.warp && write.time == self.me.time;
        if !(again && write.scope().is_none() && self.me.scope().is_some()) {
            cell.write = self.me;
        }
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
    #[inline(always)]
    pub(super) fn remember(&self, cell: &mut ShadowCell) {
        let [first, second] = &mut cell.reads;
        let own = |s: &Stamp| s.warp == self.me.warp && s.time != 0;
        let place = if own(first) {
            first
        } else if !own(second) && self.knows(*first) {
            *first = self.me;
            return;
        } else {
            second
        };
        let again = own(place) && place.time == self.me.time;
        // A strong read does not replace a weaker read of the same time.
        if again && place.strength() < self.me.strength() {
            return;
        }
        *place = if again && !place.is_of_lane(self.me) { self.me.with(Stamp::MANY) } else { self.me };
    }
}
