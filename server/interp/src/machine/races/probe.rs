//! The comparison of an access with earlier ones to the same bytes.

use super::conflict::{RaceAccess, RaceCause, RaceConflict};
use crate::machine::state::{Clock, Knowledge};
use crate::machine::{AccessLocation, ExecContext, GridShape, Scope};
use crate::memory::PAGE;
use crate::memory::shadow::{self, ShadowCell, Stamp};

/// The lane that made an access, if it is known.
fn lane_of(stamp: Stamp) -> Option<usize> {
    (!stamp.has(Stamp::MANY)).then_some(stamp.lane())
}

/// An access that is checked against earlier ones.
pub(super) struct AccessProbe<'c> {
    pub(super) me: Stamp,
    lockstep: bool,
    warps: u32,
    shape: &'c GridShape,
    clock: &'c Clock,
}

/// The last other warp that was looked up, and the time up to which its accesses are known.
#[derive(Debug, Clone, Copy)]
pub(super) struct KnownWarp {
    warp: u32,
    time: u32,
}

impl KnownWarp {
    /// Whether an access is one of these.
    #[inline(always)]
    pub(super) fn includes(self, stamp: Stamp) -> bool {
        stamp.warp == self.warp && stamp.time <= self.time
    }
}

impl<'c> AccessProbe<'c> {
    /// The accesses of the own warp that every lane knows.
    #[inline(always)]
    pub(super) fn own_known(&self) -> KnownWarp {
        KnownWarp { warp: self.me.warp, time: self.clock.met }
    }

    pub(super) fn new(me: Stamp, lockstep: bool, shape: &'c GridShape, clock: &'c Clock) -> Self {
        Self { me, lockstep, warps: shape.warps(), shape, clock }
    }

    /// The number of the CTA of an access, and the index of its warp there.
    fn warp_of(&self, stamp: Stamp) -> (u64, u32) {
        (u64::from(stamp.warp / self.warps.max(1)), stamp.warp % self.warps.max(1))
    }

    /// A value for the parameter `known` of [`knows`](Self::knows): no other warp has been looked up.
    pub(super) fn nothing_known(&self) -> KnownWarp {
        KnownWarp { warp: self.me.warp, time: 0 }
    }

    /// Whether the earlier access is ordered before this one, made as `me`, by what all lanes know. If not, [`is_ordered`](Self::is_ordered)
    /// decides.
    #[inline(always)]
    pub(super) fn knows(&self, stamp: Stamp, me: Stamp, known: &mut KnownWarp) -> bool {
        if stamp.time == 0 {
            return true;
        }
        if stamp.warp == me.warp {
            return stamp.is_of_lane(me) || stamp.time <= self.clock.met || self.knows_own(stamp, me);
        }
        if stamp.warp != known.warp {
            *known = self.look_up(stamp);
        }
        stamp.time <= known.time
    }

    /// Whether the earlier access is ordered before this one, also if only its lane is known, or only the lane that makes this one knows it.
    fn is_ordered(&self, stamp: Stamp) -> bool {
        if self.knows(stamp, self.me, &mut self.nothing_known()) {
            return true;
        }
        let (cta, index) = self.warp_of(stamp);
        let knows = |known: &Knowledge| stamp.time <= known.of_lane(cta, index, lane_of(stamp));
        let alone = || self.clock.apart(self.me.lane()).is_some_and(knows);
        stamp.warp != self.me.warp && (knows(&self.clock.known) || alone())
    }

    #[inline(never)]
    fn look_up(&self, stamp: Stamp) -> KnownWarp {
        let (cta, index) = self.warp_of(stamp);
        KnownWarp { warp: stamp.warp, time: self.clock.known.of(cta, index) }
    }

    /// Whether an access of another lane of the warp is ordered before this one.
    #[inline(never)]
    fn knows_own(&self, stamp: Stamp, me: Stamp) -> bool {
        if self.lockstep && !stamp.is_with(me) {
            return true;
        }
        stamp.time <= self.clock.of_lane(me.lane(), lane_of(stamp))
    }

    /// Whether an earlier access is ordered before this one, whatever lane makes this one.
    #[inline(always)]
    pub(super) fn all_know(&self, stamp: Stamp, known: &mut KnownWarp) -> bool {
        match stamp {
            _ if stamp.time == 0 => true,
            _ if stamp.warp == self.me.warp => stamp.time <= self.clock.met,
            _ => self.knows(stamp, self.me, known),
        }
    }

    /// Why this access races with an earlier one; `None` if it does not.
    fn cause(&self, other: Stamp) -> Option<RaceCause> {
        if self.is_ordered(other) {
            return None;
        }
        if let (Some(mine), Some(theirs)) = (self.me.scope(), other.scope()) {
            let narrow = mine.min(theirs);
            let reach = || self.shape.scope_of(self.warp_of(self.me).0, self.warp_of(other).0);
            return (narrow < Scope::Gpu && narrow < reach()).then_some(RaceCause::AccessScope);
        }
        let (cta, warp) = self.warp_of(other);
        let beyond =
            other.warp != self.me.warp && self.clock.known.beyond_scope(cta, warp, lane_of(other)) >= other.time;
        Some(if beyond { RaceCause::SyncScope } else { RaceCause::Unordered })
    }

    /// Whether this access races with an earlier one.
    #[inline(never)]
    pub(super) fn races_with(&self, other: Stamp) -> bool {
        self.cause(other).is_some()
    }

    /// Notes an access in a cell, and says with which one it races: whether that one is a write, and why.
    pub(super) fn touch(&self, cell: &mut ShadowCell, access: RaceAccess) -> Option<(Stamp, bool, RaceCause)> {
        let write = cell.write;
        let cause = self.cause(write);
        if !access.writes() {
            self.remember(cell, self.me, &mut self.nothing_known());
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
            if self.is_ordered(*read) {
                *read = Stamp::default();
            }
        }
        found
    }

    /// Keeps a read: in the place of its own warp, of none, of one that is known, else of the second.
    #[inline(always)]
    pub(super) fn remember(&self, cell: &mut ShadowCell, me: Stamp, known: &mut KnownWarp) {
        let [first, second] = &mut cell.reads;
        let own = |s: &Stamp| s.warp == me.warp && s.time != 0;
        let place = if own(first) {
            first
        } else if !own(second) && self.knows(*first, me, known) {
            *first = me;
            return;
        } else {
            second
        };
        let again = own(place) && place.time == me.time;
        // A strong read does not replace a weaker read of the same time.
        if again && place.strength() < me.strength() {
            return;
        }
        *place = if again && !place.is_of_lane(me) { me.with(Stamp::MANY) } else { me };
    }
}

/// Calls `f` with the shadow cell of each word or byte in a range. Returns the first conflict that `f` reports.
pub(super) fn look(
    context: &mut ExecContext<'_>,
    location: AccessLocation,
    lane: usize,
    bytes: usize,
    left: &mut u32,
    f: impl Fn(&mut ShadowCell) -> Option<(Stamp, bool, RaceCause)>,
) -> Option<RaceConflict> {
    let (storage, start) = context.storage(location, lane, bytes)?;
    let (mut done, mut found) = (0, None);
    while done < bytes {
        let at = start + done as u64;
        let inside = at as usize % shadow::BLOCK;
        let count = (bytes - done).min(shadow::BLOCK - inside);
        let whole = inside.is_multiple_of(4) && count.is_multiple_of(4);
        if let Some(block) = storage.shadow(at).block(at as usize % PAGE, whole, left) {
            let (cells, grain) = block.cells(inside, count);
            for (i, cell) in cells.iter_mut().enumerate() {
                if let Some((other, other_writes, cause)) = f(cell) {
                    found.get_or_insert(RaceConflict { other, other_writes, cause, at: done + i * grain });
                }
            }
        }
        done += count;
    }
    found
}
