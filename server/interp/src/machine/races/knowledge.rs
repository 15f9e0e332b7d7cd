//! What a warp knows of others: up to which of their times everything that they did is over and visible to it.
//!
//! Each warp counts its own time; it advances whenever the warp tells others what it has done. Other warps are known by their times, the
//! lanes of the own warp by those of each pair, which only partial `bar.warp.sync` makes necessary.

use crate::lanes::{LANES, LaneMask, lanes};
use std::sync::Arc;

/// The times of the warps of a CTA.
type Times = Arc<[u32]>;

/// Times of warps, by the number of the CTA in the grid and of the warp in the CTA. Copies are cheap.
#[derive(Debug, Clone, Default)]
pub struct Knowledge(Option<Arc<Vec<(u64, Times)>>>);

impl Knowledge {
    fn all(&self) -> &[(u64, Times)] {
        self.0.as_ref().map_or(&[], |a| a)
    }

    /// Whether nothing is known.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Up to which time of a warp.
    pub(super) fn of(&self, cta: u64, warp: u32) -> u32 {
        let all = self.all();
        let found = all.binary_search_by_key(&cta, |(c, _)| *c).ok().and_then(|i| all.get(i));
        found.and_then(|(_, times)| times.get(warp as usize)).copied().unwrap_or(0)
    }

    /// Everything up to this time of a warp of a CTA that has so many is known.
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

    /// Adds what another knows. Gives what that took, in CTAs looked at.
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

/// The later of both, each; shared where one of them is later everywhere.
fn later(a: &Times, b: &Times) -> Times {
    if Arc::ptr_eq(a, b) || (a.len() == b.len() && a.iter().zip(b.iter()).all(|(x, y)| x <= y)) {
        return Arc::clone(b);
    }
    if a.iter().zip(b.iter()).all(|(x, y)| x >= y) {
        return Arc::clone(a);
    }
    a.iter().zip(b.iter()).map(|(x, y)| *x.max(y)).collect()
}

/// The time of a warp, and what it knows.
#[derive(Debug, Clone)]
pub struct Clock {
    /// Its own time, from 1 on.
    pub(super) time: u32,
    /// Other warps.
    pub(super) known: Knowledge,
    /// Up to this time all its lanes know each other.
    pub(super) met: u32,
    /// Up to which time a lane (first index) knows another, where that is more.
    pairs: Option<Box<[[u32; LANES]; LANES]>>,
    /// What it knew at its last fence: what a relaxed write tells.
    pub(super) fenced: Knowledge,
    /// What relaxed reads have told it: known from the next fence on.
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
    /// Everything that the warp has done and knows: for others. What it does from now on is not in it.
    pub(super) fn publish(&mut self, (cta, warp, warps): (u64, u32, u32)) -> Knowledge {
        self.known.set(cta, warp, warps, self.time);
        self.time = self.time.saturating_add(1);
        self.known.clone()
    }

    /// Takes over what others have published. Gives what it took.
    pub(super) fn learn(&mut self, from: &Knowledge, (cta, warp, _): (u64, u32, u32)) -> u64 {
        // What the own warp had published comes back with it: then all lanes know that.
        self.met = self.met.max(from.of(cta, warp));
        self.known.join(from)
    }

    /// What relaxed reads have told is known now.
    pub(super) fn listen(&mut self, own: (u64, u32, u32)) -> u64 {
        if self.heard.is_empty() {
            return 0;
        }
        let heard = std::mem::take(&mut self.heard);
        self.learn(&heard, own)
    }

    /// Lanes of the warp meet: each knows what all of them have done and known. `live` are those that there are.
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

    /// Up to which time a lane knows another lane of its warp; without another, the most that it knows of any.
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
        // Lane 4 knows through lane 3 what lane 0 had done.
        assert_eq!([clock.of_lane(4, Some(0)), clock.of_lane(4, Some(3)), clock.of_lane(0, Some(4))], [1, 2, 0]);
        clock.meet(0xff, 0xff);
        assert_eq!(clock.of_lane(0, Some(4)), 3);
    }
}
