//! The clock of a warp: its time, and what it knows about other warps.
//!
//! Each warp counts its own time, which advances whenever the warp publishes its accesses to others. Knowledge about other warps counts for
//! all lanes, except for what a single lane has learned since it met the others. Knowledge within the own warp has one time per pair of
//! lanes, which is necessary only because of partial `bar.warp.sync`.

use super::knowledge::Knowledge;
use super::sync::SyncOperation;
use crate::lanes::{LANES, LaneMask, lanes};
use crate::memory::Scope;

/// The warp of a clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ClockOwner {
    /// The linear number of its CTA in the grid.
    pub(crate) cta: u64,
    /// Its index in the CTA.
    pub(crate) warp: u32,
    /// The number of warps per CTA.
    pub(crate) warps: u32,
}

/// The time of a warp, and its knowledge.
#[derive(Debug, Clone)]
pub struct Clock {
    /// The own time, beginning with 1.
    pub(crate) time: u32,
    /// Knowledge about other warps.
    pub(crate) known: Knowledge,
    /// Every lane of the warp knows the accesses of every other lane up to this time.
    pub(in crate::machine) met: u32,
    /// For each lane (first index), the time up to which it knows another lane, where it is later than `met`.
    pairs: Option<Box<[[u32; LANES]; LANES]>>,
    /// Entries of the knowledge that it has published since the last look: each time they may be copied.
    published: u64,
    /// For each lane, what it alone has learned.
    alone: Option<Box<[Knowledge; LANES]>>,
    /// State of fences; absent before the first fence and the first relaxed read of a released value.
    sync: Option<Box<SyncState>>,
}

/// What the fences of a warp have published, and what its relaxed reads have seen.
#[derive(Debug, Clone, Default)]
pub(in crate::machine) struct SyncState {
    /// For each scope, the knowledge as of the last fence that has this scope or a wider one: a relaxed write publishes it.
    pub(in crate::machine) fenced: [Knowledge; 3],
    /// For each scope, knowledge gained by relaxed reads from threads in it. It counts from the next fence of this scope or a wider one on.
    pub(in crate::machine) heard: [Knowledge; 3],
    /// The last release whose value a relaxed read may have read.
    pub(in crate::machine) heard_from: Option<SyncOperation>,
    /// The last fence, if its scope is narrower than `.gpu`.
    pub(in crate::machine) narrow_fence: Option<SyncOperation>,
}

impl Default for Clock {
    fn default() -> Self {
        Self { time: 1, known: Knowledge::default(), met: 0, published: 0, pairs: None, alone: None, sync: None }
    }
}

impl Clock {
    /// The work of publishing since the last call, in CTAs looked at.
    #[inline]
    pub(in crate::machine) fn take_work(&mut self) -> u64 {
        std::mem::take(&mut self.published)
    }

    /// The knowledge of the warp, including its own accesses so far, for others. Later accesses of the warp are not part of it.
    pub(in crate::machine) fn publish(&mut self, owner: ClockOwner) -> Knowledge {
        let ClockOwner { cta, warp, warps } = owner;
        self.known.set(cta, warp, warps, self.time);
        self.time = self.time.saturating_add(1);
        self.published = self.published.saturating_add(self.known.len());
        let mut told = self.known.clone();
        for alone in self.alone.iter().flat_map(|a| a.iter()) {
            told.join(alone);
        }
        told
    }

    /// The knowledge of one lane, including its own accesses so far and those accesses of other lanes that it knows. Later accesses of the
    /// warp are not part of it.
    pub(in crate::machine) fn publish_of(&mut self, lane: usize, owner: ClockOwner) -> Knowledge {
        let ClockOwner { cta, warp, warps } = owner;
        let mut told = self.known.clone();
        if let Some(alone) = self.alone.as_ref().and_then(|a| a.get(lane)) {
            told.join(alone);
        }
        let mut times: [u32; LANES] = std::array::from_fn(|other| self.of_lane(lane, Some(other)));
        times[lane] = self.time;
        self.time = self.time.saturating_add(1);
        self.published = self.published.saturating_add(told.len());
        told.set(cta, warp, warps, self.met);
        told.set_lanes(cta, warp, warps, &times);
        told
    }

    /// Adds published knowledge to that of all lanes. Returns the work, in CTAs looked at.
    pub(in crate::machine) fn learn(&mut self, from: &Knowledge, own: ClockOwner) -> u64 {
        self.recognize(from, own, LaneMask::MAX);
        self.known.join(from)
    }

    /// Adds published knowledge to that of one lane. `live`: the threads of the warp that have not exited. Returns the work, in CTAs looked
    /// at.
    pub(in crate::machine) fn learn_of(
        &mut self,
        lane: usize,
        from: &Knowledge,
        own: ClockOwner,
        live: LaneMask,
    ) -> u64 {
        if live == 1 << lane {
            return self.learn(from, own);
        }
        self.recognize(from, own, 1 << lane);
        let alone = self.alone.get_or_insert_default();
        let work = alone[lane].join(from);
        // All lanes have often learned the same, one after the other.
        if live >> lane == 1 && lanes(live).all(|l| alone[l].is_same(&alone[lane])) {
            self.alone = None;
            return work + self.known.join(from);
        }
        work
    }

    /// Adds what single lanes have learned to the knowledge of all lanes.
    pub(in crate::machine) fn share(&mut self) -> u64 {
        let alone = self.alone.take();
        alone.iter().flat_map(|a| a.iter()).map(|a| self.known.join(a)).sum()
    }

    /// Notes that the lanes `who` learn about their own warp: knowledge may contain times that it has published itself.
    fn recognize(&mut self, from: &Knowledge, owner: ClockOwner, who: LaneMask) {
        let ClockOwner { cta, warp, .. } = owner;
        let all = from.of(cta, warp);
        if who == LaneMask::MAX {
            self.met = self.met.max(all);
        }
        if from.of_lane(cta, warp, None) <= self.met {
            return;
        }
        let pairs = self.pairs.get_or_insert_with(|| Box::new([[0; LANES]; LANES]));
        for lane in lanes(who) {
            for (other, to) in pairs[lane].iter_mut().enumerate() {
                *to = (*to).max(from.of_lane(cta, warp, Some(other)));
            }
        }
    }

    /// What a lane alone has learned.
    pub(in crate::machine) fn apart(&self, lane: usize) -> Option<&Knowledge> {
        self.alone.as_ref().and_then(|a| a.get(lane))
    }

    /// The time up to which some lane knows the accesses of some lane of another warp.
    pub(crate) fn latest_of(&self, cta: u64, warp: u32) -> u32 {
        let alone = self.alone.iter().flat_map(|a| a.iter());
        alone.chain([&self.known]).map(|k| k.of_lane(cta, warp, None)).max().unwrap_or(0)
    }

    /// The state of fences; creates it if there is none.
    pub(in crate::machine) fn sync(&mut self) -> &mut SyncState {
        self.sync.get_or_insert_default()
    }

    /// The state of fences, if there is any.
    pub(in crate::machine) fn synced(&self) -> Option<&SyncState> {
        self.sync.as_deref()
    }

    /// The knowledge as of the last fence of this scope or a wider one.
    pub(in crate::machine) fn fenced(&self, scope: Scope) -> Knowledge {
        self.synced().map(|s| s.fenced[scope as usize].clone()).unwrap_or_default()
    }

    /// Adds the knowledge gained by relaxed reads from threads in a scope. Returns the work, in CTAs looked at.
    pub(in crate::machine) fn listen(&mut self, scope: Scope, own: ClockOwner) -> u64 {
        let Some(sync) = &mut self.sync else { return 0 };
        let heard: [Knowledge; 3] = std::array::from_fn(|index| match index <= scope as usize {
            true => std::mem::take(&mut sync.heard[index]),
            false => Knowledge::default(),
        });
        heard.iter().filter(|h| !h.is_empty()).map(|h| self.learn(h, own)).sum()
    }

    /// Records that the lanes `met` synchronize: each gains the accesses and the knowledge of all of them. `live`: the threads of the warp
    /// that have not exited.
    pub(in crate::machine) fn meet(&mut self, met: LaneMask, live: LaneMask) {
        let now = self.time;
        self.time = self.time.saturating_add(1);
        if live & !met == 0 {
            self.share();
            (self.met, self.pairs) = (now, None);
            return;
        }
        if let Some(alone) = &mut self.alone {
            let mut all = Knowledge::default();
            for lane in lanes(met) {
                all.join(&alone[lane]);
            }
            for lane in lanes(met) {
                alone[lane] = all.clone();
            }
        }
        let pairs = self.pairs.get_or_insert_with(|| Box::new([[0; LANES]; LANES]));
        let mut all = [0; LANES];
        for lane in lanes(met) {
            for (to, from) in all.iter_mut().zip(&pairs[lane]) {
                *to = (*from).max(*to);
            }
        }
        for lane in lanes(met) {
            all[lane] = now;
        }
        for lane in lanes(met) {
            pairs[lane] = all;
        }
    }

    /// The time up to which a lane knows another lane of its warp; for `None`, the maximum over all other lanes.
    pub(in crate::machine) fn of_lane(&self, lane: usize, other: Option<usize>) -> u32 {
        let Some(row) = self.pairs.as_ref().and_then(|p| p.get(lane)) else { return self.met };
        let more = match other {
            Some(other) => row.get(other).copied().unwrap_or(0),
            None => row.iter().enumerate().filter(|(l, _)| *l != lane).map(|(_, t)| *t).max().unwrap_or(0),
        };
        self.met.max(more)
    }
}

#[cfg(test)]
mod tests {
    use super::{Clock, ClockOwner};

    fn owner(cta: u64, warp: u32, warps: u32) -> ClockOwner {
        ClockOwner { cta, warp, warps }
    }

    #[test]
    fn what_is_published_ends_a_time() {
        let own = owner(0, 1, 2);
        let mut clock = Clock::default();
        let first = clock.publish(own);
        assert_eq!((first.of(0, 1), clock.time), (1, 2));
        let mut other = Clock::default();
        other.learn(&first, owner(0, 0, 2));
        assert_eq!((other.known.of(0, 1), other.met), (1, 0));
        let back = other.publish(owner(0, 0, 2));
        clock.learn(&back, own);
        assert_eq!((clock.known.of(0, 0), clock.met), (1, 1));
    }

    #[test]
    fn a_lane_publishes_its_own_accesses() {
        let own = owner(4, 1, 2);
        let mut clock = Clock::default();
        clock.meet(0x3, u32::MAX);
        let told = clock.publish_of(0, own);
        // Lane 1 has met lane 0 at time 1, and the others have not.
        assert_eq!([0, 1, 2].map(|lane| told.of_lane(4, 1, Some(lane))), [2, 1, 0]);
        assert_eq!((told.of(4, 1), told.of_lane(4, 1, None), clock.time), (0, 2, 3));
        let mut other = Clock::default();
        other.learn(&told, owner(4, 0, 2));
        let back = other.publish(owner(4, 0, 2));
        // Lane 5 hears of its own warp through another one.
        clock.learn_of(5, &back, own, u32::MAX);
        assert_eq!([0, 1, 2].map(|lane| clock.of_lane(5, Some(lane))), [2, 1, 0]);
        assert_eq!((clock.of_lane(6, Some(0)), clock.met), (0, 0));
    }

    #[test]
    fn what_one_lane_learns_is_shared_when_it_meets_others() {
        let (own, other) = (owner(0, 0, 2), owner(0, 1, 2));
        let told = Clock::default().publish(other);
        let mut clock = Clock::default();
        clock.learn_of(3, &told, own, u32::MAX);
        assert_eq!((clock.known.of(0, 1), clock.latest_of(0, 1)), (0, 1));
        let known = |clock: &Clock, lane| clock.apart(lane).map_or(0, |k| k.of(0, 1));
        assert_eq!([2, 3, 4].map(|lane| known(&clock, lane)), [0, 1, 0]);
        clock.meet(0xc, u32::MAX);
        assert_eq!([2, 3, 4].map(|lane| known(&clock, lane)), [1, 1, 0]);
        assert_eq!(clock.publish_of(4, own).of(0, 1), 0);
        assert_eq!(clock.publish_of(2, own).of(0, 1), 1);
        clock.meet(u32::MAX, u32::MAX);
        assert_eq!((clock.known.of(0, 1), clock.alone.is_some()), (1, false));
    }

    #[test]
    fn what_all_lanes_learn_is_knowledge_of_the_warp() {
        let told = Clock::default().publish(owner(0, 1, 2));
        let mut clock = Clock::default();
        for lane in 0..8 {
            assert_eq!(clock.known.of(0, 1), 0, "{lane}");
            clock.learn_of(lane, &told, owner(0, 0, 2), 0xff);
        }
        assert_eq!((clock.known.of(0, 1), clock.alone.is_some()), (1, false));
        let mut alone = Clock::default();
        alone.learn_of(7, &told, owner(0, 0, 2), 1 << 7);
        assert_eq!((alone.known.of(0, 1), alone.alone.is_some()), (1, false));
    }

    #[test]
    fn parts_of_a_warp_meet() {
        let mut clock = Clock::default();
        clock.meet(0x0f, u32::MAX);
        assert_eq!([clock.of_lane(0, Some(3)), clock.of_lane(0, Some(4)), clock.of_lane(4, Some(0))], [1, 0, 0]);
        clock.meet(0x18, u32::MAX);
        // Lane 4 learns through lane 3 about the accesses of lane 0.
        assert_eq!([clock.of_lane(4, Some(0)), clock.of_lane(4, Some(3)), clock.of_lane(0, Some(4))], [1, 2, 0]);
        clock.meet(0xff, 0xff);
        assert_eq!(clock.of_lane(0, Some(4)), 3);
    }
}
