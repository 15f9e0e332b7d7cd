//! Sets of shared variables that have most of their variables in common.
//!
//! Each function of a chain of calls reaches nearly the functions that its callee reaches. A set is a binary tree over all places
//! of variables, and trees share their parts, so a set that differs from another by one place costs the depth of a tree.

use rustc_hash::FxHashMap;

/// Alignment, a power of two, and size of a variable, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Placed {
    pub(super) align: u64,
    pub(super) bytes: u64,
}

impl Placed {
    /// The first byte behind the variable if it is the next one at or after `start`.
    pub(super) fn behind(self, start: u64) -> u64 {
        start.checked_next_multiple_of(self.align).unwrap_or(u64::MAX).saturating_add(self.bytes)
    }
}

/// A set of places in a [`VariableSets`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct VariableSet(u32);

impl VariableSet {
    pub(super) const EMPTY: Self = Self(0);
}

/// A part of a tree: the places of a range that are in the set.
#[derive(Debug)]
enum Part {
    /// No place of the range.
    Empty,
    /// The only place of the range, with its variables.
    Place(Vec<Placed>),
    /// The places in the two halves of the range.
    Halves(VariableSet, VariableSet),
}

/// All sets over a number of places, in whose order the variables are laid out.
#[derive(Debug)]
pub(super) struct VariableSets {
    /// The number of places of a whole tree, a power of two.
    span: usize,
    /// The parts, and the largest alignment in each.
    parts: Vec<(Part, u64)>,
    /// Indexed by place: the part that has only this place, within a tree; empty if it has no variable.
    places: Vec<VariableSet>,
    /// The size of a part that is laid out behind a start, by the start modulo its largest alignment.
    sizes: FxHashMap<(VariableSet, u64), u64>,
}

impl VariableSets {
    pub(super) fn new(places: usize) -> Self {
        Self {
            span: places.next_power_of_two(),
            parts: vec![(Part::Empty, 1)],
            places: vec![VariableSet::EMPTY; places],
            sizes: FxHashMap::default(),
        }
    }

    fn add(&mut self, part: Part, align: u64) -> VariableSet {
        self.parts.push((part, align));
        VariableSet(u32::try_from(self.parts.len() - 1).unwrap_or(0))
    }

    /// Says which variables stand at a place.
    pub(super) fn define(&mut self, place: usize, variables: Vec<Placed>) {
        if variables.is_empty() {
            return;
        }
        let align = variables.iter().map(|v| v.align).max().unwrap_or(1);
        let mut set = self.add(Part::Place(variables), align);
        let mut span = 1;
        while span < self.span {
            let half = if place & span == 0 { (set, VariableSet::EMPTY) } else { (VariableSet::EMPTY, set) };
            set = self.add(Part::Halves(half.0, half.1), align);
            span *= 2;
        }
        self.places[place] = set;
    }

    /// The set of one place.
    pub(super) fn single(&self, place: usize) -> VariableSet {
        self.places[place]
    }

    /// The places of both sets.
    pub(super) fn union(&mut self, a: VariableSet, b: VariableSet) -> VariableSet {
        match (&self.parts[a.0 as usize].0, &self.parts[b.0 as usize].0) {
            (_, Part::Empty) => a,
            (Part::Empty, _) => b,
            _ if a == b => a,
            (Part::Halves(a1, a2), Part::Halves(b1, b2)) => {
                let (of_a, of_b) = ((*a1, *a2), (*b1, *b2));
                let both = (self.union(of_a.0, of_b.0), self.union(of_a.1, of_b.1));
                if both == of_a {
                    return a;
                }
                if both == of_b {
                    return b;
                }
                let align = self.parts[both.0.0 as usize].1.max(self.parts[both.1.0 as usize].1);
                self.add(Part::Halves(both.0, both.1), align)
            }
            // A place is the same part in all sets.
            _ => a,
        }
    }

    /// The first byte behind the variables of a set that are laid out from `start` on, but for those of one place.
    pub(super) fn behind(&mut self, set: VariableSet, without: Option<usize>, start: u64) -> u64 {
        self.part_behind(set, self.span, without, start)
    }

    /// The same for a part that spans `span` places; `without` counts from its first one.
    fn part_behind(&mut self, set: VariableSet, span: usize, without: Option<usize>, start: u64) -> u64 {
        let (part, align) = &self.parts[set.0 as usize];
        let key = (set, start % align);
        if without.is_none()
            && let Some(size) = self.sizes.get(&key)
        {
            return start.saturating_add(*size);
        }
        let end = match part {
            Part::Empty => return start,
            Part::Place(_) if without.is_some() => return start,
            Part::Place(variables) => variables.iter().fold(start, |end, variable| variable.behind(end)),
            Part::Halves(first, second) => {
                let (first, second, half) = (*first, *second, span / 2);
                let end = self.part_behind(first, half, without.filter(|at| *at < half), start);
                let without = without.filter(|at| *at >= half).map(|at| at - half);
                self.part_behind(second, half, without, end)
            }
        };
        if without.is_none() && end < u64::MAX {
            self.sizes.insert(key, end - start);
        }
        end
    }
}

#[cfg(test)]
mod tests {
    use super::{Placed, VariableSet, VariableSets};

    /// Numbers that look random, always the same.
    fn numbers() -> impl FnMut(u64) -> u64 {
        let mut state = 1_u64;
        move |below| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        }
    }

    #[test]
    fn sets_are_laid_out_as_their_variables_are() {
        let mut number = numbers();
        for places in [1, 2, 5, 16, 37] {
            let mut sets = VariableSets::new(places);
            let variables: Vec<Vec<Placed>> = (0..places)
                .map(|_| (0..number(3)).map(|_| Placed { align: 1 << number(5), bytes: number(40) }).collect())
                .collect();
            for (place, variables) in variables.iter().enumerate() {
                sets.define(place, variables.clone());
            }
            let mut known = vec![(VariableSet::EMPTY, vec![false; places])];
            for _ in 0..60 {
                let place = number(places as u64) as usize;
                let (a, of_a) = &known[number(known.len() as u64) as usize];
                let (b, of_b) = &known[number(known.len() as u64) as usize];
                let both = sets.union(*a, *b);
                let one = sets.single(place);
                let set = sets.union(both, one);
                let members: Vec<bool> = (0..places).map(|p| p == place || of_a[p] || of_b[p]).collect();
                for without in [None, Some(number(places as u64) as usize)] {
                    let start = number(100);
                    let expected = (0..places)
                        .filter(|p| members[*p] && Some(*p) != without)
                        .flat_map(|p| &variables[p])
                        .fold(start, |end, variable| variable.behind(end));
                    assert_eq!(sets.behind(set, without, start), expected, "{places} {members:?} {without:?}");
                }
                known.push((set, members));
            }
        }
    }

    #[test]
    fn a_set_with_one_more_place_costs_the_depth_of_a_tree() {
        let count = 1 << 12;
        let mut sets = VariableSets::new(count);
        let mut set = VariableSet::EMPTY;
        for place in 0..count {
            sets.define(place, vec![Placed { align: 4, bytes: 4 }]);
            let one = sets.single(place);
            set = sets.union(set, one);
            assert_eq!(sets.behind(set, Some(place), 4), 4 * (place as u64 + 1));
        }
        assert!(sets.parts.len() < count * 30 && sets.sizes.len() < count * 30, "{}", sets.parts.len());
    }

    #[test]
    fn sizes_end_at_the_largest_number() {
        let mut sets = VariableSets::new(2);
        sets.define(0, vec![Placed { align: 1, bytes: u64::MAX - 3 }]);
        sets.define(1, vec![Placed { align: 16, bytes: 16 }]);
        let (a, b) = (sets.single(0), sets.single(1));
        let both = sets.union(a, b);
        assert_eq!(sets.behind(both, None, 0), u64::MAX);
    }
}
