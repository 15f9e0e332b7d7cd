//! Determines across which threads a register holds the same value whenever they execute together.
//!
//! The results inform the reader of a program, while [`super::variance`] serves diagnostics. So everything that is not
//! understood counts as different here. There is one answer per register, over all values ever written to it. The search
//! starts from the assumption that every register is the same in the whole CTA, and weakens it until nothing contradicts it.
//! A result computed from registers that differ differs as well. Where threads that took different paths meet again,
//! registers written on those paths differ too.

use super::dominance::Tree;
use super::function::{FlowFunction, FlowOperand, OperandRole, OperandValue, RegisterSlot};
use super::graph::{Graph, Lists};
use super::liveness::Liveness;
use ptx_isa::tables::{Computes, TypeClass, UniformExtent};
use ptx_sema::hir::symbols::VariableOrigin;

/// The threads across which a value is the same, strongest first: each variant guarantees less than the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Across {
    /// All threads of the CTA.
    Cta,
    /// The lanes of a warp.
    Warp,
    /// The lanes of a warp, if the width of the CTA is a multiple of the warp size: warps are then parts of its rows.
    Rows,
    /// No other thread.
    Lane,
}

/// The lattice of the uniformity search, strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum UniformityState {
    Cta,
    Warp,
    Rows,
    /// Like [`UniformityState::Rows`], except that the lowest bits, of which this is the number, may differ from lane to
    /// lane.
    Bits(u8),
    Lane,
}

/// The maximum number of steps; a function that needs more is not analysed.
const MAX_STEPS: usize = 40_000_000;

/// For each slot, the threads across which its register is the same; `None` for a function that needs more than `MAX_STEPS`
/// steps.
pub fn across(function: &FlowFunction, graph: &Graph, liveness: &Liveness, post: &Tree) -> Option<Vec<Across>> {
    let mut search = UniformitySearch::new(function, graph, liveness, post);
    while let Some(index) = search.waiting.pop() {
        search.queued[index as usize] = false;
        search.instruction(index as usize);
        if search.steps > MAX_STEPS {
            return None;
        }
    }
    let plain = |known: &UniformityState| match known {
        UniformityState::Cta => Across::Cta,
        UniformityState::Warp => Across::Warp,
        UniformityState::Rows => Across::Rows,
        UniformityState::Bits(_) | UniformityState::Lane => Across::Lane,
    };
    Some(search.known.iter().map(plain).collect())
}

/// The registers that hold a known integer constant, because their only write copies it.
pub(crate) fn constants(function: &FlowFunction) -> Vec<(RegisterSlot, i64)> {
    let mut writers = vec![0u32; function.registers.len()];
    for write in (0..function.instructions.len()).flat_map(|i| function.writes(i)) {
        writers[write.slot.index()] += 1;
    }
    let mut out = Vec::new();
    for index in 0..function.instructions.len() {
        let [written] = function.writes(index) else { continue };
        if function.entry(index).computes != Computes::Copy
            || function.instructions[index].guard.is_some()
            || writers[written.slot.index()] != 1
            || function.declaration(written.slot).origin != VariableOrigin::Body
        {
            continue;
        }
        let mut sources = function.operands_of(index).iter().filter(|o| o.reads());
        if let (Some(FlowOperand { value: OperandValue::Integer(value), role: OperandRole::Plain, .. }), None) =
            (sources.next(), sources.next())
        {
            out.push((written.slot, *value));
        }
    }
    out
}

struct UniformitySearch<'a> {
    function: &'a FlowFunction,
    graph: &'a Graph,
    liveness: &'a Liveness,
    post: &'a Tree,
    known: Vec<UniformityState>,
    constants: Vec<Option<i64>>,
    /// Indexed by slot: the indices of the instructions that read the register.
    readers: Lists,
    waiting: Vec<u32>,
    queued: Vec<bool>,
    /// Indexed by block: how threads diverge at its last instruction, as far as processed ([`UniformityState::Cta`]: they do
    /// not).
    parted: Vec<UniformityState>,
    steps: usize,
}

impl<'a> UniformitySearch<'a> {
    fn new(function: &'a FlowFunction, graph: &'a Graph, liveness: &'a Liveness, post: &'a Tree) -> Self {
        let count = function.instructions.len();
        let mut pairs = Vec::new();
        for index in 0..count {
            pairs.extend(function.reads(index).iter().map(|used| (used.slot.0, index as u32)));
        }
        let mut known = vec![UniformityState::Cta; function.registers.len()];
        for (index, known) in known.iter_mut().enumerate() {
            // A caller may pass any value, so registers of the signature are unknown.
            if function.declaration(RegisterSlot(index as u32)).origin != VariableOrigin::Body {
                *known = UniformityState::Lane;
            }
        }
        let mut constants = vec![None; function.registers.len()];
        for (slot, value) in self::constants(function) {
            constants[slot.index()] = Some(value);
        }
        Self {
            function,
            graph,
            liveness,
            post,
            known,
            constants,
            readers: Lists::new(function.registers.len(), &pairs),
            waiting: (0..count as u32).rev().collect(),
            queued: vec![true; count],
            parted: vec![UniformityState::Cta; graph.blocks.len()],
            steps: 0,
        }
    }

    fn instruction(&mut self, index: usize) {
        self.steps += 1;
        let function = self.function;
        let guard = function.instructions[index].guard.as_ref();
        let guard = guard
            .map_or(UniformityState::Cta, |g| g.slot.map_or(UniformityState::Cta, |s| coarse(self.known[s.index()])));
        if !function.writes(index).is_empty() {
            let result = self.result(index).max(guard);
            for write in function.writes(index) {
                self.raise(write.slot, result);
            }
        }
        let block = self.graph.block_of(index);
        if self.graph.blocks.get(block).is_some_and(|b| b.end as usize == index + 1)
            && self.graph.successors(block).len() > 1
        {
            let reads = function.reads(index).iter().map(|used| coarse(self.known[used.slot.index()]));
            let parts = reads.max().unwrap_or(UniformityState::Cta).max(guard);
            if parts > self.parted[block] {
                self.parted[block] = parts;
                self.part(block, parts);
            }
        }
    }

    fn raise(&mut self, slot: RegisterSlot, to: UniformityState) {
        if to <= self.known[slot.index()] {
            return;
        }
        self.known[slot.index()] = to;
        for reader in self.readers.of(slot.index()) {
            if !std::mem::replace(&mut self.queued[*reader as usize], true) {
                self.waiting.push(*reader);
            }
        }
    }

    /// Handles divergence at the end of a block: what threads write before they meet again differs after the meeting.
    fn part(&mut self, block: usize, level: UniformityState) {
        let count = self.graph.blocks.len();
        let together = self.post.parent(block).filter(|b| *b < count);
        // Indexed by block: how many sides of the branch lead to it, and the last of those sides.
        let mut ways = vec![(0u32, u32::MAX); count];
        let mut region = Vec::new();
        for (way, first) in self.graph.successors(block).iter().enumerate() {
            let mut waiting = vec![*first];
            while let Some(at) = waiting.pop() {
                let (number, last) = &mut ways[at as usize];
                if *last == way as u32 {
                    continue;
                }
                *last = way as u32;
                *number += 1;
                self.steps += 1;
                if Some(at as usize) == together {
                    continue;
                }
                if *number == 1 {
                    region.push(at as usize);
                }
                waiting.extend(self.graph.successors(at as usize));
            }
        }
        let mut written = super::bits::BitSet::new(self.function.registers.len());
        for index in region.iter().flat_map(|b| self.graph.blocks[*b].instructions()) {
            self.steps += 1;
            for write in self.function.writes(index) {
                written.insert(write.slot.index());
            }
        }
        let joins = region.iter().copied().filter(|b| ways[*b].0 > 1 && self.graph.predecessors(*b).len() > 1);
        for join in joins.chain(together) {
            let liveness = self.liveness;
            for slot in liveness.at_start(join) {
                self.steps += 1;
                if written.contains(slot.index()) {
                    self.raise(slot, level);
                }
            }
        }
    }

    fn result(&self, index: usize) -> UniformityState {
        let function = self.function;
        if let Some(extent) = function.uniform(index) {
            return of_extent(extent, 0);
        }
        if !function.is_pure(index) {
            return UniformityState::Lane;
        }
        let operands = function.operands_of(index);
        let sources: Vec<(UniformityState, Option<i64>)> =
            operands.iter().filter(|o| o.reads() && o.value != OperandValue::Sink).map(|o| self.operand(o)).collect();
        if function.reads_fixed_memory(index) {
            return sources.iter().map(|s| coarse(s.0)).max().unwrap_or(UniformityState::Cta);
        }
        self.applied(index, &sources)
    }

    fn operand(&self, operand: &FlowOperand) -> (UniformityState, Option<i64>) {
        match operand.value {
            OperandValue::Register(slot) => {
                let known = self.known[slot.index()];
                if operand.offset != Some(0) || operand.minus || operand.negated {
                    return (coarse(known), None);
                }
                (known, self.constants[slot.index()])
            }
            OperandValue::Part(slot, _) => (coarse(self.known[slot.index()]), None),
            OperandValue::Registers(..) => {
                (operand.slots().map(|s| coarse(self.known[s.index()])).max().unwrap_or(UniformityState::Lane), None)
            }
            OperandValue::Special(register, component) => {
                let bits = if component.unwrap_or(0) == 0 { register.lane_bits } else { 0 };
                (of_extent(register.uniform, bits), None)
            }
            OperandValue::Integer(value) => {
                (UniformityState::Cta, Some(value).filter(|_| operand.role != OperandRole::Address))
            }
            OperandValue::Float(..) | OperandValue::Variable(_) | OperandValue::Function(_) => {
                (UniformityState::Cta, None)
            }
            OperandValue::Label(_) | OperandValue::List(_) | OperandValue::Sink => (UniformityState::Cta, None),
            OperandValue::Unknown => (UniformityState::Lane, None),
        }
    }

    /// The state of the result of an instruction without side effects, computed from those of its sources.
    fn applied(&self, index: usize, sources: &[(UniformityState, Option<i64>)]) -> UniformityState {
        use UniformityState::Bits;
        let unsigned = || self.is_unsigned(index);
        let power = |n: i64| n > 0 && n & (n - 1) == 0;
        let plain = || sources.iter().map(|s| coarse(s.0)).max().unwrap_or(UniformityState::Cta);
        // A commutative operation may have its constant on either side.
        let pair = match sources {
            [(Bits(bits), _), (_, Some(number))] => Some((*bits, *number, true)),
            [(_, Some(number)), (Bits(bits), _)] => Some((*bits, *number, false)),
            _ => None,
        };
        let shifted = |bits: u8, by: i64| match u8::try_from(by) {
            Ok(by) if by >= bits => UniformityState::Rows,
            Ok(by) => Bits(bits - by),
            Err(_) => UniformityState::Lane,
        };
        let widened = |bits: u8, by: i64| match u8::try_from(by) {
            Ok(by) if bits + by.min(32) < 32 => Bits(bits + by),
            _ => UniformityState::Lane,
        };
        if !self.is_whole(index) {
            return plain();
        }
        match (self.function.entry(index).computes, pair) {
            (Computes::Copy, _) => match sources {
                [one] => one.0,
                _ => plain(),
            },
            (Computes::ShiftLeft, Some((bits, by, true))) => widened(bits, by),
            (Computes::ShiftRight, Some((bits, by, true))) => shifted(bits, by),
            (Computes::And, Some((bits, mask, _))) if mask & ((1 << bits) - 1) == 0 => UniformityState::Rows,
            (Computes::And | Computes::Xor, Some((bits, ..))) => Bits(bits),
            (Computes::Remainder, Some((bits, by, true))) if power(by) && unsigned() => Bits(bits),
            (Computes::Quotient, Some((bits, by, true))) if power(by) && unsigned() => {
                shifted(bits, by.trailing_zeros().into())
            }
            (Computes::Product, Some((bits, by, _))) if power(by) => widened(bits, by.trailing_zeros().into()),
            (Computes::Comparison, Some((bits, limit, true))) => {
                let limit = self.function.chosen(index).parts_at(limit);
                if limit.is_some_and(|l| l & ((1 << bits) - 1) == 0) {
                    UniformityState::Rows
                } else {
                    UniformityState::Lane
                }
            }
            _ => plain(),
        }
    }

    fn is_unsigned(&self, index: usize) -> bool {
        let ty = self.function.operands_of(index).last().and_then(|o| o.ty);
        ty.is_some_and(|t| t.info().class == TypeClass::Uint)
    }

    /// Whether all operands are plain registers or values that are predicates or integers of at least 32 bits, so that bits
    /// keep their positions.
    fn is_whole(&self, index: usize) -> bool {
        self.function.operands_of(index).iter().all(|operand| {
            operand.role == OperandRole::Plain
                && operand.ty.is_none_or(|t| {
                    let info = t.info();
                    info.class == TypeClass::Pred
                        || !matches!(info.class, TypeClass::Float | TypeClass::Packed) && info.bits >= 32
                })
        })
    }
}

fn of_extent(extent: UniformExtent, lane_bits: u8) -> UniformityState {
    match (extent, lane_bits) {
        (UniformExtent::Cta, _) => UniformityState::Cta,
        (UniformExtent::Warp, _) => UniformityState::Warp,
        (UniformExtent::None, 0) => UniformityState::Lane,
        (UniformExtent::None, bits) => UniformityState::Bits(bits),
    }
}

/// The state without its knowledge of single bits.
fn coarse(known: UniformityState) -> UniformityState {
    if matches!(known, UniformityState::Bits(_)) { UniformityState::Lane } else { known }
}
