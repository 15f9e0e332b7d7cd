//! Knowledge about warps: for each warp, the time up to which the accesses of all its lanes are complete and visible, and for some also
//! later times of single lanes.

use crate::lanes::LANES;
use std::sync::Arc;

/// Known times of the warps of a CTA, by warp index.
type Times = Arc<[u32]>;

/// Set in the number of a CTA, it names what is known of the CTA only if scopes are ignored: an operation with a too narrow scope took part.
const BEYOND_SCOPE: u64 = 1 << 63;

/// Set in the number of a CTA, it names accesses that their thread has fenced for all threads before it arrived at a barrier.
const FENCED: u64 = 1 << 62;

/// Set in the number of a CTA, it names the times of single lanes: 32 for each warp. One lane that releases publishes its own accesses, and
/// of those of other lanes only what it knows.
const BY_LANE: u64 = 1 << 61;

/// Known times of warps, by the number of the CTA in the grid and the index of the warp in the CTA. Copies are cheap.
#[derive(Debug, Clone, Default)]
pub struct Knowledge(Option<Arc<Vec<(u64, Times)>>>);

impl Knowledge {
    fn all(&self) -> &[(u64, Times)] {
        self.0.as_ref().map_or(&[], |a| a)
    }

    /// Number of CTAs of which something is known.
    pub(in crate::machine) fn len(&self) -> u64 {
        self.all().len() as u64
    }

    /// Whether it contains no times.
    pub(in crate::machine) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The known time of a warp; 0 if nothing is known about it.
    pub(crate) fn of(&self, cta: u64, warp: u32) -> u32 {
        let all = self.all();
        let found = all.binary_search_by_key(&cta, |(c, _)| *c).ok().and_then(|i| all.get(i));
        found.and_then(|(_, times)| times.get(warp as usize)).copied().unwrap_or(0)
    }

    /// The known time of a lane of a warp; for `None`, the latest of any lane.
    pub(crate) fn of_lane(&self, cta: u64, warp: u32, lane: Option<usize>) -> u32 {
        let all = self.all();
        let found = all.binary_search_by_key(&(cta | BY_LANE), |(c, _)| *c).ok().and_then(|i| all.get(i));
        let Some(row) = found.and_then(|(_, times)| times.get(warp as usize * LANES..)?.get(..LANES)) else {
            return self.of(cta, warp);
        };
        let time = match lane {
            Some(lane) => row.get(lane).copied().unwrap_or(0),
            None => row.iter().copied().max().unwrap_or(0),
        };
        time.max(self.of(cta, warp))
    }

    /// As [`of_lane`](Self::of_lane), if all scopes were wide enough.
    pub(crate) fn beyond_scope(&self, cta: u64, warp: u32, lane: Option<usize>) -> u32 {
        self.of_lane(cta | BEYOND_SCOPE, warp, lane)
    }

    /// The same knowledge, gained through an operation whose scope does not include the other thread.
    pub(in crate::machine) fn out_of_scope(&self) -> Self {
        let all = self.all();
        let split = all.partition_point(|(cta, _)| cta & BEYOND_SCOPE == 0);
        let (known, beyond) = all.split_at(split);
        let known = &known[..known.partition_point(|(cta, _)| cta & FENCED == 0)];
        let mut out = Self::of_entries(known.iter().map(|(cta, times)| (cta | BEYOND_SCOPE, Arc::clone(times))));
        out.join(&Self::of_entries(beyond.iter().cloned()));
        out
    }

    /// The same knowledge, as that of accesses which are fenced.
    pub(in crate::machine) fn as_fenced(&self) -> Self {
        let known = self.all().iter().filter(|(cta, _)| cta & (BEYOND_SCOPE | FENCED) == 0);
        Self::of_entries(known.map(|(cta, times)| (cta | FENCED, Arc::clone(times))))
    }

    /// What is known of accesses that other threads have fenced.
    pub(in crate::machine) fn fenced_part(&self) -> Self {
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
    pub(in crate::machine) fn set(&mut self, cta: u64, warp: u32, warps: u32, time: u32) {
        self.raise(cta, warps as usize, warp as usize, &[time]);
    }

    /// Raises the known times of the lanes of a warp. `warps` is the number of warps per CTA.
    pub(in crate::machine) fn set_lanes(&mut self, cta: u64, warp: u32, warps: u32, times: &[u32; LANES]) {
        self.raise(cta | BY_LANE, warps as usize * LANES, warp as usize * LANES, times);
    }

    /// Raises `times` in the list of a CTA with `count` times, from the index `from` on.
    fn raise(&mut self, cta: u64, count: usize, from: usize, times: &[u32]) {
        let all = Arc::make_mut(self.0.get_or_insert_with(Arc::default));
        let at = match all.binary_search_by_key(&cta, |(c, _)| *c) {
            Ok(at) => at,
            Err(at) => {
                all.insert(at, (cta, vec![0; count].into()));
                at
            }
        };
        let mut list = all[at].1.to_vec();
        for (to, time) in list.iter_mut().skip(from).zip(times) {
            *to = (*time).max(*to);
        }
        all[at].1 = list.into();
    }

    /// Whether both share their memory, and are therefore equal.
    pub(in crate::machine) fn is_same(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (a, b) => a.is_none() && b.is_none(),
        }
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

#[cfg(test)]
mod tests {
    use super::Knowledge;

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
    fn what_a_narrow_scope_gives_is_kept_apart() {
        let mut all = Knowledge::default();
        all.set(1, 0, 2, 5);
        all.set(2, 1, 2, 4);
        let mut narrow = all.out_of_scope();
        assert_eq!((narrow.of(1, 0), narrow.beyond_scope(1, 0, None), narrow.beyond_scope(2, 1, None)), (0, 5, 4));
        all.set(1, 0, 2, 7);
        narrow.join(&all);
        let again = narrow.out_of_scope();
        assert_eq!(
            (narrow.of(1, 0), narrow.beyond_scope(1, 0, None), again.of(1, 0), again.beyond_scope(1, 0, None)),
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
        assert_eq!((known.of(1, 0), known.fenced_part().of(1, 0), out.beyond_scope(1, 0, None)), (7, 5, 7));
        assert!(out.fenced_part().is_empty());
    }
}
