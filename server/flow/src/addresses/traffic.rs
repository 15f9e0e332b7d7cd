//! The traffic of an access: its minimum and maximum over all values of the unknown numbers.

use super::access::{Access, AccessEffect};
use super::evaluate::{Assumptions, Evaluator};
use super::lanes::{LANES, Lanes, active_lanes};
use super::node::{Node, NodeId, Symbol, sign_extended};
use super::shape::{BlockShape, WarpCase};
use super::transactions::{LaneAccess, SECTOR, WORD, banks, sectors};
use super::values::Values;
use rustc_hash::FxHashMap as HashMap;
use std::ops::RangeInclusive;

/// The maximum number of patterns of one access that are counted.
const MAX_PATTERNS: usize = 256;

/// The maximum number of nodes that are evaluated for the accesses of one function; later accesses have no known traffic.
const MAX_FUNCTION_STEPS: u32 = 2_000_000;

/// Addresses are counted from here, so that none is negative. A multiple of every unit of the memory system.
const ORIGIN: u64 = 1 << 40;

/// The traffic of an access, for a warp whose lanes are all active.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Traffic {
    /// Of global memory.
    Sectors(SectorTraffic),
    /// Of shared memory.
    Banks(BankTraffic),
}

/// The traffic of an access to global memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SectorTraffic {
    /// The number of sectors.
    pub sectors: RangeInclusive<u32>,
    /// The same if the pointer parameter at which the address begins is aligned as memory allocators align it. `None` if there is no
    /// such parameter.
    pub aligned: Option<RangeInclusive<u32>>,
    /// The minimum number of sectors that hold as many different bytes.
    pub ideal: u32,
    /// The distance from lane to lane in bytes, if it is the same for all lanes.
    pub stride: Option<i64>,
}

impl SectorTraffic {
    /// The number of sectors; if the address begins with a pointer parameter, for an aligned one.
    pub fn usual(&self) -> &RangeInclusive<u32> {
        self.aligned.as_ref().unwrap_or(&self.sectors)
    }

    /// Whether no sector is moved unnecessarily, except at the ends of the bytes that a warp touches.
    pub fn is_coalesced(&self) -> bool {
        let usual = self.usual();
        *usual.start() <= self.ideal && *usual.end() <= self.ideal + 1
    }
}

/// The traffic of an access to shared memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BankTraffic {
    /// The number of different words that one bank must deliver at the same time: 1 means no conflict.
    pub conflict: RangeInclusive<u32>,
    /// The number of passes.
    pub wavefronts: RangeInclusive<u32>,
    /// The number of passes without conflicts.
    pub ideal: u32,
    /// The lanes of one conflict of the largest degree, one bit for each lane.
    pub lanes: u32,
    /// The distance from lane to lane in bytes, if it is the same for all lanes.
    pub stride: Option<i64>,
}

impl Traffic {
    /// Whether the access costs at least twice as much as necessary.
    pub fn is_costly(&self) -> bool {
        self.factor() >= 2
    }

    /// The minimum cost of the access divided by the necessary cost, rounded down.
    pub fn factor(&self) -> u32 {
        match self {
            Self::Sectors(sectors) => *sectors.usual().start() / sectors.ideal.max(1),
            Self::Banks(banks) => *banks.wavefronts.start() / banks.ideal.max(1),
        }
    }
}

/// The addresses of an access in the lanes of a warp.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    /// The distance of each lane's address from that of the first active lane, in bytes.
    pub distances: [i64; LANES],
    /// The possible addresses of the first active lane, modulo the size of a sector.
    pub starts: Vec<u64>,
    /// The lanes that exist.
    pub active: u32,
}

impl Pattern {
    /// The pattern of these addresses; `None` if all of them are misaligned.
    fn new(lanes: &Lanes, width: u8, active: u32, bytes: u32) -> Option<Self> {
        let first = active_lanes(active).next()?;
        let distances: [i64; LANES] =
            std::array::from_fn(|l| sign_extended(lanes.values[l].wrapping_sub(lanes.values[first]), width));
        let align = if bytes.is_power_of_two() { u64::from(bytes) } else { 1 };
        let aligned = |start: &u64| {
            active_lanes(active)
                .all(|l| ORIGIN.wrapping_add(*start).wrapping_add(distances[l] as u64).is_multiple_of(align))
        };
        let unknown = lanes.unknown & (SECTOR - 1);
        let possible = (0..SECTOR).filter(|n| n & !unknown == 0);
        let starts = possible.map(|n| lanes.values[first].wrapping_add(n) % SECTOR).filter(aligned);
        let mut starts: Vec<u64> = starts.collect();
        starts.sort_unstable();
        starts.dedup();
        (!starts.is_empty()).then_some(Self { distances, starts, active })
    }

    /// The accesses of the lanes in `mask`, if the first active lane's address is `start`.
    fn accesses(&self, mask: u32, start: u64, bytes: u32) -> Vec<LaneAccess> {
        let at = |lane: usize| ORIGIN.wrapping_add(start).wrapping_add(self.distances[lane] as u64);
        active_lanes(mask & self.active).map(|lane| LaneAccess { lane: lane as u8, at: at(lane), bytes }).collect()
    }

    /// The number of sectors that the lanes in `mask` touch.
    pub fn sectors(&self, mask: u32, bytes: u32) -> Option<RangeInclusive<u32>> {
        let mut all = Vec::with_capacity(self.starts.len());
        for start in &self.starts {
            all.push(u32::try_from(sectors(&self.accesses(mask, *start, bytes))?.touched).ok()?);
        }
        range(all)
    }

    /// The degree of the bank conflict, the passes, the passes without conflicts, and the lanes of a conflict, for the lanes in `mask`.
    pub fn banks(&self, mask: u32, bytes: u32, update: bool) -> Option<BankTraffic> {
        let mut all = Vec::new();
        // Moving all lanes by a word changes only the numbers of the banks.
        let mut starts: Vec<u64> = self.starts.iter().map(|s| s % WORD).collect();
        starts.sort_unstable();
        starts.dedup();
        for start in starts {
            all.push(banks(&self.accesses(mask, start, bytes), update)?);
        }
        let worst = all.iter().max_by_key(|b| b.conflict)?;
        Some(BankTraffic {
            conflict: range(all.iter().map(|b| b.conflict).collect())?,
            wavefronts: range(all.iter().map(|b| b.wavefronts).collect())?,
            ideal: worst.ideal,
            lanes: worst.conflicting,
            stride: self.stride(),
        })
    }

    /// The minimum number of sectors that hold as many different bytes.
    fn ideal(&self, bytes: u32) -> Option<u32> {
        let start = self.starts.first()?;
        u32::try_from(sectors(&self.accesses(u32::MAX, *start, bytes))?.ideal).ok()
    }

    /// The distance from lane to lane, if it is the same for all lanes.
    fn stride(&self) -> Option<i64> {
        let lanes: Vec<usize> = active_lanes(self.active).collect();
        let mut all = lanes.windows(2).map(|w| self.distances[w[1]].wrapping_sub(self.distances[w[0]]));
        let first = all.next()?;
        all.all(|s| s == first).then_some(first)
    }
}

fn range(all: Vec<u32>) -> Option<RangeInclusive<u32>> {
    Some(*all.iter().min()?..=*all.iter().max()?)
}

/// The first range, with the end of the second one if that is higher.
fn raised(a: &RangeInclusive<u32>, b: &RangeInclusive<u32>) -> RangeInclusive<u32> {
    *a.start()..=*a.end().max(b.end())
}

fn union(a: &RangeInclusive<u32>, b: &RangeInclusive<u32>) -> RangeInclusive<u32> {
    *a.start().min(b.start())..=*a.end().max(b.end())
}

/// All patterns that the addresses of an access may have in blocks of a shape; `None` if they are not known.
pub fn patterns(values: &Values, access: &Access, shape: BlockShape, assumptions: Assumptions) -> Option<Vec<Pattern>> {
    let cases = shape.cases();
    let mut all: Vec<Evaluator<'_>> = cases.iter().map(|case| Evaluator::new(values, case, assumptions)).collect();
    patterns_of(values, access, &cases, &mut all, &mut 0)
}

fn patterns_of(
    values: &Values,
    access: &Access,
    cases: &[WarpCase],
    evaluators: &mut [Evaluator<'_>],
    steps: &mut u32,
) -> Option<Vec<Pattern>> {
    let width = values.facts(access.address).width;
    let mut out: Vec<Pattern> = Vec::new();
    for (case, evaluator) in cases.iter().zip(evaluators) {
        for lanes in evaluator.lanes_of(access.address, steps)? {
            // A case in which every address is misaligned is a fault and cannot be counted.
            if let Some(pattern) = Pattern::new(&lanes, width, case.active, access.bytes)
                && !out.contains(&pattern)
            {
                out.push(pattern);
            }
            if out.len() > MAX_PATTERNS {
                return None;
            }
        }
    }
    (!out.is_empty()).then_some(out)
}

/// The pointer parameter at which an address begins: a term of 64 bits without a factor, if there is only one.
pub(super) fn pointer(values: &Values, address: NodeId) -> Option<NodeId> {
    let is_pointer = |id: NodeId| {
        let facts = values.facts(id);
        facts.width == 64 && matches!(facts.node, Node::Symbol(Symbol::Parameter(..)))
    };
    let mut visited = 0;
    let mut address = address;
    loop {
        visited += 1;
        let found = match &values.facts(address).node {
            Node::Symbol(Symbol::Parameter(..)) => return Some(address).filter(|a| is_pointer(*a)),
            Node::Sum(_, terms) => {
                let single = |t: &&super::node::Term| t.coefficient == 1 && t.factors.len() == 1;
                let all = || terms.iter().filter(single).map(|t| t.factors[0]);
                let mut pointers = all().filter(|id| is_pointer(*id));
                match (pointers.next(), pointers.next()) {
                    (Some(one), None) => return Some(one),
                    (Some(_), Some(_)) => return None,
                    // A pointer that grows in a loop begins where its start does.
                    (None, _) => all().find(|id| values.counter(*id).is_some())?,
                }
            }
            Node::Symbol(_) => address,
            _ => return None,
        };
        address = values.counter(found)?.start;
        if visited > 8 {
            return None;
        }
    }
}

/// Computes the traffic of the accesses of a function in blocks of a shape.
pub(super) struct Counting<'a> {
    values: &'a Values,
    cases: &'a [WarpCase],
    evaluators: Vec<Evaluator<'a>>,
    /// The same if a pointer is aligned, by pointer.
    aligned: HashMap<NodeId, Vec<Evaluator<'a>>>,
    /// The number of nodes that were evaluated.
    steps: u32,
}

impl<'a> Counting<'a> {
    /// Nothing is computed yet.
    pub(super) fn new(values: &'a Values, cases: &'a [WarpCase]) -> Self {
        let evaluators = cases.iter().map(|case| Evaluator::new(values, case, Assumptions::default()));
        Self { values, cases, evaluators: evaluators.collect(), aligned: HashMap::default(), steps: 0 }
    }

    /// The traffic of an access to a state space; `None` if it is not known, or if the previous accesses took too long.
    pub(super) fn of(&mut self, access: &Access, space: &str) -> Option<Traffic> {
        if self.steps > MAX_FUNCTION_STEPS {
            return None;
        }
        let patterns = patterns_of(self.values, access, self.cases, &mut self.evaluators, &mut self.steps)?;
        match space {
            ".global" => self.sectors(access, &patterns).map(Traffic::Sectors),
            ".shared" => conflicts(access, &patterns).map(Traffic::Banks),
            _ => None,
        }
    }

    fn sectors(&mut self, access: &Access, patterns: &[Pattern]) -> Option<SectorTraffic> {
        let bytes = access.bytes;
        let count = |patterns: &[Pattern]| counted(patterns, |p| p.sectors(u32::MAX, bytes), union, raised);
        let full = full(patterns);
        let mut out = SectorTraffic {
            sectors: count(patterns)?,
            aligned: None,
            ideal: full.iter().filter_map(|p| p.ideal(bytes)).max()?,
            stride: same(full.iter().map(|p| p.stride())),
        };
        if let Some(pointer) = pointer(self.values, access.address) {
            // Only the start of each pattern may change.
            let assumptions = Assumptions { aligned: Some(pointer) };
            let (values, cases) = (self.values, self.cases);
            let evaluators = self
                .aligned
                .entry(pointer)
                .or_insert_with(|| cases.iter().map(|case| Evaluator::new(values, case, assumptions)).collect());
            let aligned = if out.sectors.start() == out.sectors.end() {
                Some(out.sectors.clone())
            } else {
                let found = patterns_of(values, access, cases, evaluators, &mut self.steps);
                found.and_then(|p| count(&p))
            };
            out.aligned = aligned;
        }
        Some(out)
    }
}

fn conflicts(access: &Access, patterns: &[Pattern]) -> Option<BankTraffic> {
    let (bytes, update) = (access.bytes, access.effect == AccessEffect::Update);
    counted(
        patterns,
        |p| p.banks(u32::MAX, bytes, update),
        |a, b| BankTraffic {
            conflict: union(&a.conflict, &b.conflict),
            wavefronts: union(&a.wavefronts, &b.wavefronts),
            ideal: a.ideal.max(b.ideal),
            lanes: if b.conflict.end() > a.conflict.end() { b.lanes } else { a.lanes },
            stride: a.stride.filter(|s| b.stride == Some(*s)),
        },
        |a, b| BankTraffic {
            conflict: raised(&a.conflict, &b.conflict),
            wavefronts: raised(&a.wavefronts, &b.wavefronts),
            ..a.clone()
        },
    )
}

/// The patterns of warps whose lanes all exist, or all patterns if there are none.
fn full(patterns: &[Pattern]) -> Vec<&Pattern> {
    let full: Vec<&Pattern> = patterns.iter().filter(|p| p.active == u32::MAX).collect();
    if full.is_empty() { patterns.iter().collect() } else { full }
}

/// The counts of all patterns. The minimum is that of warps whose lanes all exist; no warp exceeds the maximum.
fn counted<T>(
    patterns: &[Pattern],
    count: impl Fn(&Pattern) -> Option<T>,
    join: impl Fn(&T, &T) -> T,
    raise: impl Fn(&T, &T) -> T,
) -> Option<T> {
    let mut out: Option<T> = None;
    for pattern in full(patterns) {
        let one = count(pattern)?;
        out = Some(match out {
            Some(all) => join(&all, &one),
            None => one,
        });
    }
    let mut out = out?;
    for pattern in patterns.iter().filter(|p| p.active != u32::MAX) {
        out = raise(&out, &count(pattern)?);
    }
    Some(out)
}

/// The value that all of them have.
fn same(mut all: impl Iterator<Item = Option<i64>>) -> Option<i64> {
    let first = all.next()??;
    all.all(|s| s == Some(first)).then_some(first)
}
