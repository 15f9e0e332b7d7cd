//! Evaluates an expression for the lanes of a warp.
//!
//! Numbers that are unknown but the same in all lanes stay unknown as long as they only shift the pattern of the lanes. Where single
//! bits of such a number change the pattern (in a swizzle by XOR, for instance), the evaluation is repeated for each value of those bits.

use super::lanes::{LANES, Lanes, active_lanes, between};
use super::node::{Node, NodeId, Operation, Symbol, combined, mask, sign_extended};
use super::shape::WarpCase;
use super::values::Values;
use crate::flow::uniformity::Across;
use ptx_isa::tables::GridRole;
use rustc_hash::FxHashMap as HashMap;

/// The maximum number of bits of unknown numbers whose values are tried one after the other.
const MAX_TRIED_BITS: usize = 6;

/// The maximum number of nodes that are evaluated for one expression.
const MAX_STEPS: u32 = 40_000;

/// The maximum number of values that an evaluator remembers; then it begins again.
const MAX_REMEMBERED: usize = 20_000;

/// The maximum depth of the recursion.
const MAX_DEPTH: u32 = 160;

/// The alignment that is assumed for the pointer of [`Assumptions::aligned`]: that of CUDA's memory allocators.
const ALLOCATED: u64 = 256;

/// The assumptions of an evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Assumptions {
    /// A pointer parameter that is aligned as CUDA's memory allocators align memory.
    pub aligned: Option<NodeId>,
}

/// A bit of the unknown number of a node, and its value.
type TriedBit = (NodeId, u32, bool);

/// Evaluates expressions for the warps of one case. Values that need no trial of bits are remembered.
pub(crate) struct Evaluator<'a> {
    values: &'a Values,
    case: &'a WarpCase,
    assumptions: Assumptions,
    known: HashMap<NodeId, Option<Lanes>>,
}

impl<'a> Evaluator<'a> {
    /// An evaluator that remembers nothing yet.
    pub(crate) fn new(values: &'a Values, case: &'a WarpCase, assumptions: Assumptions) -> Self {
        Self { values, case, assumptions, known: HashMap::default() }
    }

    /// The values of an expression: one list of lanes for each value of the bits that had to be tried. `None` if the values are not known.
    /// `steps` counts the nodes that are evaluated.
    pub(crate) fn lanes_of(&mut self, id: NodeId, steps: &mut u32) -> Option<Vec<Lanes>> {
        let limit = steps.saturating_add(MAX_STEPS);
        let (mut out, mut waiting) = (Vec::new(), vec![Vec::<TriedBit>::new()]);
        while let Some(tried) = waiting.pop() {
            let known = if tried.is_empty() { std::mem::take(&mut self.known) } else { HashMap::default() };
            let Self { values, case, assumptions, .. } = *self;
            let mut evaluation =
                Evaluation { values, case, assumptions, tried: &tried, known, split: None, steps: *steps, limit };
            let found = evaluation.node(id, 0);
            *steps = evaluation.steps;
            let split = evaluation.split;
            if tried.is_empty() && evaluation.known.len() < MAX_REMEMBERED {
                self.known = evaluation.known;
            }
            match (found, split) {
                (Some(lanes), None) => out.push(lanes),
                (_, Some((node, bit))) if tried.len() < MAX_TRIED_BITS && *steps < limit => {
                    for value in [false, true] {
                        let mut more = tried.clone();
                        more.push((node, bit, value));
                        waiting.push(more);
                    }
                }
                _ => return None,
            }
        }
        Some(out)
    }
}

struct Evaluation<'a> {
    values: &'a Values,
    case: &'a WarpCase,
    assumptions: Assumptions,
    tried: &'a [TriedBit],
    known: HashMap<NodeId, Option<Lanes>>,
    /// A bit whose values must be tried.
    split: Option<(NodeId, u32)>,
    steps: u32,
    /// The number of steps at which the evaluation gives up.
    limit: u32,
}

impl Evaluation<'_> {
    fn node(&mut self, id: NodeId, depth: u32) -> Option<Lanes> {
        if let Some(known) = self.known.get(&id) {
            return *known;
        }
        self.steps += 1;
        if depth > MAX_DEPTH || self.steps > self.limit {
            return None;
        }
        let mut found = self.compute(id, depth + 1);
        if self.split.is_some() {
            return None;
        }
        if let Some(lanes) = &mut found {
            let facts = self.values.facts(id);
            if lanes.is_disjoint() {
                lanes.unknown &= facts.may;
            }
            for (_, bit, value) in self.tried.iter().filter(|(node, ..)| *node == id) {
                let bit = 1u64 << bit;
                if *value && lanes.unknown & bit != 0 {
                    lanes.values = lanes.values.map(|v| v.wrapping_add(bit) & mask(facts.width));
                }
                lanes.unknown &= !bit;
            }
        }
        self.known.insert(id, found);
        found
    }

    fn compute(&mut self, id: NodeId, depth: u32) -> Option<Lanes> {
        let values = self.values;
        let facts = values.facts(id);
        let width = facts.width;
        match &facts.node {
            Node::Constant(value) => Some(Lanes::number(*value)),
            Node::Symbol(symbol) => self.symbol(id, *symbol, width, depth),
            Node::Sum(constant, terms) => {
                let mut all = Lanes::number(*constant);
                for term in terms {
                    let mut product = Lanes::number(1);
                    for factor in &term.factors {
                        let factor_lanes = self.node(*factor, depth)?;
                        product = self.product(&product, &factor_lanes, *factor, width)?;
                    }
                    all = all.plus(&product.times(term.coefficient, width), width);
                }
                Some(all)
            }
            Node::Extend(of, signed) => {
                let inner = self.node(*of, depth)?;
                self.extended(*of, &inner, *signed, values.facts(*of).width, width)
            }
            Node::Low(of) => {
                let inner = self.node(*of, depth)?;
                let bits = mask(width);
                Some(Lanes { values: inner.values.map(|v| v & bits), unknown: inner.unknown & bits })
            }
            Node::Apply(operation, arguments) => {
                let mut lanes = Vec::with_capacity(arguments.len());
                for argument in arguments {
                    lanes.push(self.node(*argument, depth)?);
                }
                self.applied(*operation, arguments, &lanes, width)
            }
        }
    }

    fn symbol(&mut self, id: NodeId, symbol: Symbol, width: u8, depth: u32) -> Option<Lanes> {
        let values = self.values;
        let facts = values.facts(id);
        let uniform = Some(Lanes::uniform(facts.may & mask(width)));
        match symbol {
            Symbol::Special(name, component) => {
                let at = usize::from(component);
                match name.0.grid {
                    GridRole::Thread => self.case.thread.get(at).copied(),
                    GridRole::Lane => Some(Lanes { values: std::array::from_fn(|l| l as u64), unknown: 0 }),
                    GridRole::CtaSize => match (self.case.size, at) {
                        (Some(size), _) => size.get(at).map(|n| Lanes::number((*n).into())),
                        (None, 0) if self.case.rows => Some(Lanes::uniform(facts.may & !(LANES as u64 - 1))),
                        _ => uniform,
                    },
                    _ => uniform,
                }
            }
            Symbol::Parameter(..) if self.assumptions.aligned == Some(id) => {
                Some(Lanes::uniform(facts.may & !(ALLOCATED - 1)))
            }
            Symbol::Parameter(..) | Symbol::Address(_) | Symbol::Window(_) => uniform,
            Symbol::Meeting(_, slot) => {
                if let Some(counter) = values.counters.get(&id)
                    && values.loops.all.get(counter.natural_loop as usize).is_some_and(|l| l.converged)
                {
                    let start = self.node(counter.start, depth)?;
                    let step = self.node(counter.step, depth)?;
                    let turns = Lanes::uniform(mask(width));
                    let way = self.product(&step, &turns, counter.step, width)?;
                    return Some(start.plus(&way, width));
                }
                if self.is_uniform(slot) { uniform } else { None }
            }
            Symbol::Result(_, slot) => {
                if self.is_uniform(slot) {
                    uniform
                } else {
                    None
                }
            }
        }
    }

    /// Whether a register always has the same value in all lanes of a warp.
    fn is_uniform(&self, slot: u32) -> bool {
        match self.values.across.get(slot as usize) {
            Some(Across::Cta | Across::Warp) => true,
            Some(Across::Rows) => self.case.rows,
            _ => false,
        }
    }

    /// The product of two values. `second` is the node of `b`.
    fn product(&mut self, a: &Lanes, b: &Lanes, second: NodeId, width: u8) -> Option<Lanes> {
        let active = self.case.active;
        let bits = mask(width);
        match (a.unknown, b.unknown, a.is_uniform(active), b.is_uniform(active)) {
            (0, 0, ..) => {
                let values = std::array::from_fn(|l| a.values[l].wrapping_mul(b.values[l]) & bits);
                Some(Lanes { values, unknown: 0 })
            }
            (0, _, true, _) => Some(b.times(first_of(a, active), width)),
            (_, 0, _, true) => Some(a.times(first_of(b, active), width)),
            (_, _, true, true) => {
                let zeros = a.zeros(active).saturating_add(b.zeros(active));
                Some(Lanes::uniform(between(zeros, 64) & bits))
            }
            // A distance that varies from lane to lane, times an unknown number.
            (0, ..) => self.try_bits(second, b),
            _ => None,
        }
    }

    fn extended(&mut self, of: NodeId, inner: &Lanes, signed: bool, from: u8, width: u8) -> Option<Lanes> {
        let sign = 1u64 << (from - 1);
        if inner.is_disjoint() {
            let values = inner.values.map(|v| if signed { sign_extended(v, from) as u64 & mask(width) } else { v });
            // With an unknown sign, all known parts are positive.
            let above = mask(width) & !mask(from);
            let unknown = if signed && inner.unknown & sign != 0 { inner.unknown | above } else { inner.unknown };
            return Some(Lanes { values, unknown });
        }
        let largest = active_lanes(self.case.active).map(|l| inner.values[l]).max().unwrap_or(0);
        let limit = if signed { sign } else { mask(from).wrapping_add(1) };
        if from < 64 && largest.saturating_add(inner.unknown) < limit {
            return Some(*inner);
        }
        if from < 32 {
            return self.try_bits(of, inner);
        }
        // An index that wraps around at 2^31 or 2^32 between two lanes would reach memory gigabytes apart.
        let values = inner.values.map(|v| sign_extended(v, from) as u64 & mask(width));
        let above = if signed && inner.unknown & sign != 0 { mask(width) & !mask(from) } else { 0 };
        Some(Lanes { values, unknown: inner.unknown | above })
    }

    /// Requests that the lowest bit of an unknown number is tried, if it has few bits.
    fn try_bits(&mut self, node: NodeId, lanes: &Lanes) -> Option<Lanes> {
        let few = lanes.unknown.count_ones() as usize <= MAX_TRIED_BITS;
        if few && lanes.unknown != 0 && self.split.is_none() {
            self.split = Some((node, lanes.unknown.trailing_zeros()));
        }
        None
    }

    fn applied(&mut self, operation: Operation, nodes: &[NodeId], lanes: &[Lanes], width: u8) -> Option<Lanes> {
        let active = self.case.active;
        if lanes.iter().all(|l| l.unknown == 0) {
            let mut values = [0; LANES];
            for (lane, value) in values.iter_mut().enumerate() {
                let arguments: [u64; 3] = std::array::from_fn(|i| lanes.get(i).map_or(0, |a| a.values[lane]));
                match operation.apply(&arguments, width) {
                    Some(result) => *value = result,
                    None if active >> lane & 1 == 0 => {}
                    None => return None,
                }
            }
            return Some(Lanes { values, unknown: 0 });
        }
        if let Some(table) = operation.table() {
            return self.bitwise(table, nodes, lanes, width);
        }
        if let (Operation::ShiftRight(signed), [a, by]) = (operation, lanes)
            && by.unknown == 0
            && by.is_uniform(active)
            && let Some(found) = self.shifted_right(a, first_of(by, active), signed, width)
        {
            return Some(found);
        }
        if let (Operation::ShiftLeft, [a, by]) = (operation, lanes)
            && by.unknown == 0
            && by.is_uniform(active)
        {
            let by = first_of(by, active);
            return Some(if by < u64::from(width) { a.times(1 << by, width) } else { Lanes::number(0) });
        }
        if lanes.iter().all(|l| l.is_uniform(active)) {
            return Some(Lanes::uniform(mask(width)));
        }
        let (node, unknown) = nodes.iter().zip(lanes).find(|(_, l)| l.unknown != 0)?;
        self.try_bits(*node, unknown)
    }

    fn shifted_right(&self, a: &Lanes, by: u64, signed: bool, width: u8) -> Option<Lanes> {
        let by = u32::try_from(by).ok().filter(|by| *by < u32::from(width))?;
        let sign = 1u64 << (width - 1);
        let largest = active_lanes(self.case.active).map(|l| a.values[l]).max().unwrap_or(0);
        if a.is_disjoint() {
            let shift = |v: u64| if signed { (sign_extended(v, width) >> by) as u64 & mask(width) } else { v >> by };
            let copies = if signed && a.unknown & sign != 0 { mask(width) & !(mask(width) >> by) } else { 0 };
            return Some(Lanes { values: a.values.map(shift), unknown: a.unknown >> by | copies });
        }
        // Bits that are shifted out carry nothing into the others if the unknown number has none of them.
        let limit = if signed { sign } else { mask(width) };
        let fits = largest.checked_add(a.unknown).is_some_and(|sum| sum < limit);
        (fits && a.unknown.trailing_zeros() >= by)
            .then(|| Lanes { values: a.values.map(|v| v >> by), unknown: a.unknown >> by })
    }

    /// A bitwise function of up to three values.
    fn bitwise(&mut self, table: u8, nodes: &[NodeId], lanes: &[Lanes], width: u8) -> Option<Lanes> {
        let active = self.case.active;
        let bits = mask(width);
        // The bits that depend on an unknown number. If they are part of a sum, so do all bits above, because of carries.
        let mut open = [0u64; 3];
        let mut carried = [0u64; 3];
        for (at, argument) in lanes.iter().enumerate().take(3) {
            if !argument.is_disjoint() {
                carried[at] = between(argument.unknown.trailing_zeros(), 64) & bits;
            }
            open[at] = argument.unknown & bits | carried[at];
        }
        // The results with all combinations of zeros and ones in the open bits: what they agree on is known.
        let with = |choice: usize, lane: usize| {
            let argument = |at: usize| {
                let known = lanes.get(at).map_or(0, |l| l.values[lane]);
                if choice >> at & 1 == 1 { known | open[at] } else { known & !open[at] }
            };
            combined(table, argument(0), argument(1), argument(2)) & bits
        };
        let choices: Vec<usize> = (0..8).filter(|c| (0..3).all(|at| c >> at & 1 == 0 || open[at] != 0)).collect();
        let mut out = Lanes { values: std::array::from_fn(|lane| with(0, lane)), unknown: 0 };
        let (mut differs, mut mixed) = (0, 0);
        for choice in &choices {
            let (mut any, mut all) = (0, bits);
            for lane in active_lanes(active) {
                let result = with(*choice, lane);
                differs |= result ^ out.values[lane];
                any |= result;
                all &= result;
            }
            mixed |= any & !all;
        }
        // With a carry, each lane may have a value of its own.
        if let Some(at) = (0..lanes.len().min(3)).find(|at| differs & carried[*at] != 0) {
            return self.try_bits(nodes[at], &lanes[at]);
        }
        // The unknown number selects which of the lanes have the bit.
        let selected = differs & mixed;
        if selected != 0 {
            let bit = selected.trailing_zeros();
            let at = (0..lanes.len()).find(|at| lanes[*at].unknown >> bit & 1 == 1)?;
            self.split = Some((nodes[at], bit));
            return None;
        }
        out.values = out.values.map(|v| v & !differs);
        out.unknown = differs;
        Some(out)
    }
}

/// The value of the first active lane.
fn first_of(lanes: &Lanes, active: u32) -> u64 {
    active_lanes(active).next().map_or(0, |l| lanes.values[l])
}
