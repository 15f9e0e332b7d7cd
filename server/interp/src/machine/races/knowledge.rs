//! Knowledge of a warp about others: for each warp, the time up to which all its accesses are complete and visible.
//!
//! Each warp counts its own time, which advances whenever the warp publishes its accesses to others. Knowledge about other warps has one
//! time per warp. Knowledge within the own warp has one time per pair of lanes, which is necessary only because of partial `bar.warp.sync`.

use super::scopes::SyncOperation;
use crate::lanes::{LANES, LaneMask, lanes};
use crate::memory::Scope;
use std::sync::Arc;

/// Known times of the warps of a CTA, by warp index.
type Times = Arc<[u32]>;

/// Set in the number of a CTA, it names what is known of the CTA only if scopes are ignored: an operation with a too narrow scope took part.
const BEYOND_SCOPE: u64 = 1 << 63;

/// Set in the number of a CTA, it names accesses that their thread has fenced for all threads before it arrived at a barrier.
const FENCED: u64 = 1 << 62;

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
    pub(crate) fn of(&self, cta: u64, warp: u32) -> u32 {
        let all = self.all();
        let found = all.binary_search_by_key(&cta, |(c, _)| *c).ok().and_then(|i| all.get(i));
        found.and_then(|(_, times)| times.get(warp as usize)).copied().unwrap_or(0)
    }

    /// As [`of`](Self::of), if all scopes were wide enough.
    pub(crate) fn beyond_scope(&self, cta: u64, warp: u32) -> u32 {
        self.of(cta | BEYOND_SCOPE, warp)
    }

    /// The same knowledge, gained through an operation whose scope does not include the other thread.
    pub(super) fn out_of_scope(&self) -> Self {
        let all = self.all();
        let split = all.partition_point(|(cta, _)| cta & BEYOND_SCOPE == 0);
        let (known, beyond) = all.split_at(split);
        let known = &known[..known.partition_point(|(cta, _)| cta & FENCED == 0)];
        let mut out = Self::of_entries(known.iter().map(|(cta, times)| (cta | BEYOND_SCOPE, Arc::clone(times))));
        out.join(&Self::of_entries(beyond.iter().cloned()));
        out
    }

    /// The same knowledge, as that of accesses which are fenced.
    pub(super) fn as_fenced(&self) -> Self {
        let known = self.all().iter().filter(|(cta, _)| cta & (BEYOND_SCOPE | FENCED) == 0);
        Self::of_entries(known.map(|(cta, times)| (cta | FENCED, Arc::clone(times))))
    }

    /// What is known of accesses that other threads have fenced.
    pub(super) fn fenced_part(&self) -> Self {
        let all = self.all();
        let from = all.partition_point(|(cta, _)| cta & (BEYOND_SCOPE | FENCED) == 0);
        let to = all.partition_point(|(cta, _)| cta & BEYOND_SCOPE == 0);
        Self::of_entries(all[from..to].iter().map(|(cta, times)| (cta & !FENCED, Arc::clone(times))))
    }

    fn of_entries(entries: impl Iterator<Item = (u64, Times)>) -> Self {
        let all: Vec<_> = entries.collect();
        Self((!all.is_empty()).then(|| Arc::new(all)))
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
    pub(crate) time: u32,
    /// Knowledge about other warps.
    pub(crate) known: Knowledge,
    /// Every lane of the warp knows the accesses of every other lane up to this time.
    pub(super) met: u32,
    /// For each lane (first index), the time up to which it knows another lane, where it is later than `met`.
    pairs: Option<Box<[[u32; LANES]; LANES]>>,
    /// State of fences; absent before the first fence and the first relaxed read of a released value.
    sync: Option<Box<SyncState>>,
}

/// What the fences of a warp have published, and what its relaxed reads have seen.
#[derive(Debug, Clone, Default)]
pub(super) struct SyncState {
    /// For each scope, the knowledge as of the last fence that has this scope or a wider one: a relaxed write publishes it.
    pub(super) fenced: [Knowledge; 3],
    /// For each scope, knowledge gained by relaxed reads from threads in it. It counts from the next fence of this scope or a wider one on.
    pub(super) heard: [Knowledge; 3],
    /// The last release whose value a relaxed read may have read.
    pub(super) heard_from: Option<SyncOperation>,
    /// The last fence, if its scope is narrower than `.gpu`.
    pub(super) narrow_fence: Option<SyncOperation>,
}

impl Default for Clock {
    fn default() -> Self {
        Self { time: 1, known: Knowledge::default(), met: 0, pairs: None, sync: None }
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

    /// The state of fences; creates it if there is none.
    pub(super) fn sync(&mut self) -> &mut SyncState {
        self.sync.get_or_insert_default()
    }

    /// The state of fences, if there is any.
    pub(super) fn synced(&self) -> Option<&SyncState> {
        self.sync.as_deref()
    }

    /// The knowledge as of the last fence of this scope or a wider one.
    pub(super) fn fenced(&self, scope: Scope) -> Knowledge {
        self.synced().map(|s| s.fenced[scope as usize].clone()).unwrap_or_default()
    }

    /// Adds the knowledge gained by relaxed reads from threads in a scope. Returns the work, in CTAs looked at.
    pub(super) fn listen(&mut self, scope: Scope, own: (u64, u32, u32)) -> u64 {
        let Some(sync) = &mut self.sync else { return 0 };
        let heard: [Knowledge; 3] = std::array::from_fn(|index| match index <= scope as usize {
            true => std::mem::take(&mut sync.heard[index]),
            false => Knowledge::default(),
        });
        heard.iter().filter(|h| !h.is_empty()).map(|h| self.learn(h, own)).sum()
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
    fn what_a_narrow_scope_gives_is_kept_apart() {
        let mut all = Knowledge::default();
        all.set(1, 0, 2, 5);
        all.set(2, 1, 2, 4);
        let mut narrow = all.out_of_scope();
        assert_eq!((narrow.of(1, 0), narrow.beyond_scope(1, 0), narrow.beyond_scope(2, 1)), (0, 5, 4));
        all.set(1, 0, 2, 7);
        narrow.join(&all);
        let again = narrow.out_of_scope();
        assert_eq!(
            (narrow.of(1, 0), narrow.beyond_scope(1, 0), again.of(1, 0), again.beyond_scope(1, 0)),
            (7, 5, 0, 7)
        );
    }

    #[test]
    fn what_is_fenced_is_kept_apart() {
        let mut all = Knowledge::default();
        all.set(1, 0, 2, 5);
        let mut known = all.as_fenced();
        assert_eq!((known.of(1, 0), known.fenced_part().of(1, 0)), (0, 5));
        known.set(1, 0, 2, 7);
        let out = known.out_of_scope();
        assert_eq!((known.of(1, 0), known.fenced_part().of(1, 0), out.beyond_scope(1, 0)), (7, 5, 7));
        assert!(out.fenced_part().is_empty());
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
