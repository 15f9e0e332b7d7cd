//! Knowledge of a warp about others: for each warp, the time up to which all its accesses are complete and visible.
//!
//! Each warp counts its own time, which advances whenever the warp publishes its accesses to others. Knowledge about other warps has one
//! time per warp. Knowledge within the own warp has one time per pair of lanes, which is necessary only because of partial `bar.warp.sync`.

use crate::lanes::{LANES, LaneMask, lanes};
use std::sync::Arc;

/// Known times of the warps of a CTA, by warp index.
type Times = Arc<[u32]>;

/// Known times of warps, by the number of the CTA in the grid and the index of the warp in the CTA. Copies are cheap.
#[derive(Debug, Clone, Default)]
pub struct Knowledge(Option<Arc<Vec<(u64, Times)>>>);

impl Knowledge {
    fn all(&self) -> &[(u64, Times)] {
        self.0.as_ref().map_or(&[], |a| a)
    }

    /// Whether it contains no times.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The known time of a warp; 0 if nothing is known about it.
    pub(super) fn of(&self, cta: u64, warp: u32) -> u32 {
        let all = self.all();
        let found = all.binary_search_by_key(&cta, |(c, _)| *c).ok().and_then(|i| all.get(i));
        found.and_then(|(_, times)| times.get(warp as usize)).copied().unwrap_or(0)
    }

    /// Raises the known time of a warp to `time`. `warps` is the number of warps per CTA.
    pub(super) fn set(&mut self, cta: u64, warp: u32, warps: u32, time: u32) {
        let all = Arc::make_mut(self.0.get_or_insert_with(Arc::default));
        let at = match all.binary_search_by_key(&cta, |(c, _)| *c) {
            Ok(at) => at,
            Err(at) => {
                all.insert(at, (cta, vec![0; warps as usize].into()));
                at
            }
        };
        let mut times = all[at].1.to_vec();
        if let Some(to) = times.get_mut(warp as usize) {
            *to = time.max(*to);
        }
        all[at].1 = times.into();
    }

    /// Adds other knowledge. Returns the work, in CTAs looked at.
    pub(crate) fn join(&mut self, other: &Self) -> u64 {
        let Some(more) = &other.0 else { return 0 };
        let Some(own) = &mut self.0 else {
            self.0 = Some(Arc::clone(more));
            return 1;
        };
        if Arc::ptr_eq(own, more) {
            return 1;
        }
        let mut out = Vec::with_capacity(own.len().max(more.len()));
        let (mut a, mut b) = (own.iter().peekable(), more.iter().peekable());
        let (mut changed, mut same) = (false, true);
        loop {
            match (a.peek(), b.peek()) {
                (None, None) => break,
                (Some((x, times)), y) if y.is_none_or(|(y, _)| x < y) => {
                    out.push((*x, Arc::clone(times)));
                    same = false;
                    a.next();
                }
                (x, Some((y, times))) if x.is_none_or(|(x, _)| y < x) => {
                    out.push((*y, Arc::clone(times)));
                    changed = true;
                    b.next();
                }
                (Some((x, first)), Some((_, second))) => {
                    let joined = later(first, second);
                    changed |= !Arc::ptr_eq(&joined, first);
                    same &= Arc::ptr_eq(&joined, second);
                    out.push((*x, joined));
                    a.next();
                    b.next();
                }
                _ => break,
            }
        }
        let work = out.len() as u64;
        if same {
            *own = Arc::clone(more);
        } else if changed {
            *own = Arc::new(out);
        }
        work
    }
}

/// The elementwise maximum of two lists. Shares one of them if it is the later one everywhere.
fn later(a: &Times, b: &Times) -> Times {
    if Arc::ptr_eq(a, b) || (a.len() == b.len() && a.iter().zip(b.iter()).all(|(x, y)| x <= y)) {
        return Arc::clone(b);
    }
    if a.iter().zip(b.iter()).all(|(x, y)| x >= y) {
        return Arc::clone(a);
    }
    a.iter().zip(b.iter()).map(|(x, y)| *x.max(y)).collect()
}

/// The time of a warp, and its knowledge.
#[derive(Debug, Clone)]
pub struct Clock {
    /// The own time, beginning with 1.
    pub(super) time: u32,
    /// Knowledge about other warps.
    pub(super) known: Knowledge,
    /// Every lane of the warp knows the accesses of every other lane up to this time.
    pub(super) met: u32,
    /// For each lane (first index), the time up to which it knows another lane, where it is later than `met`.
    pairs: Option<Box<[[u32; LANES]; LANES]>>,
    /// The knowledge as of the last fence: a relaxed write publishes it.
    pub(super) fenced: Knowledge,
    /// Knowledge gained by relaxed reads. It counts from the next fence on.
    pub(super) heard: Knowledge,
}

impl Default for Clock {
    fn default() -> Self {
        Self {
            time: 1,
            known: Knowledge::default(),
            met: 0,
            pairs: None,
            fenced: Knowledge::default(),
            heard: Knowledge::default(),
        }
    }
}

impl Clock {
    /// The knowledge of the warp, including its own accesses so far, for others. Later accesses of the warp are not part of it.
    pub(super) fn publish(&mut self, (cta, warp, warps): (u64, u32, u32)) -> Knowledge {
        self.known.set(cta, warp, warps, self.time);
        self.time = self.time.saturating_add(1);
        self.known.clone()
    }

    /// Adds published knowledge. Returns the work, in CTAs looked at.
    pub(super) fn learn(&mut self, from: &Knowledge, (cta, warp, _): (u64, u32, u32)) -> u64 {
        // The knowledge may contain a time that the own warp has published. Then all its lanes know each other up to that time.
        self.met = self.met.max(from.of(cta, warp));
        self.known.join(from)
    }

    /// Adds the knowledge gained by relaxed reads. Returns the work, in CTAs looked at.
    pub(super) fn listen(&mut self, own: (u64, u32, u32)) -> u64 {
        if self.heard.is_empty() {
            return 0;
        }
        let heard = std::mem::take(&mut self.heard);
        self.learn(&heard, own)
    }

    /// Records that the lanes `met` synchronize: each gains the accesses and the knowledge of all of them. `live`: the threads of the warp
    /// that have not exited.
    pub(super) fn meet(&mut self, met: LaneMask, live: LaneMask) {
        let now = self.time;
        self.time = self.time.saturating_add(1);
        if live & !met == 0 {
            (self.met, self.pairs) = (now, None);
            return;
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
    pub(super) fn of_lane(&self, lane: usize, other: Option<usize>) -> u32 {
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
    use super::{Clock, Knowledge};

    #[test]
    fn knowledge_is_joined_by_warp() {
        let (mut a, mut b) = (Knowledge::default(), Knowledge::default());
        a.set(3, 0, 2, 5);
        b.set(3, 1, 2, 7);
        b.set(1, 0, 2, 2);
        a.join(&b);
        assert_eq!([a.of(3, 0), a.of(3, 1), a.of(1, 0), a.of(1, 1), a.of(2, 0)], [5, 7, 2, 0, 0]);
        assert_eq!([b.of(3, 0), b.of(3, 1)], [0, 7]);
        b.join(&a);
        assert_eq!(b.of(3, 0), 5);
        a.set(3, 0, 2, 4);
        assert_eq!(a.of(3, 0), 5);
        a.join(&Knowledge::default());
        assert_eq!(a.of(3, 1), 7);
    }

    #[test]
    fn what_is_published_ends_a_time() {
        let own = (0, 1, 2);
        let mut clock = Clock::default();
        let first = clock.publish(own);
        assert_eq!((first.of(0, 1), clock.time), (1, 2));
        let mut other = Clock::default();
        other.learn(&first, (0, 0, 2));
        assert_eq!((other.known.of(0, 1), other.met), (1, 0));
        let back = other.publish((0, 0, 2));
        clock.learn(&back, own);
        assert_eq!((clock.known.of(0, 0), clock.met), (1, 1));
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
