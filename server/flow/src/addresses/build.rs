//! Computes the values of all registers of a function, block by block.
//!
//! Where control flow joins and a register may hold several values, it gets a symbol of its own, as in static single assignment. At the
//! header of a loop that adds the same number to a register in each iteration, the symbol is a *counter*.

use super::access::{self, Access};
use super::encoded::{EncodedOperand, find_makers};
use super::loops::Loops;
use super::node::{Expressions, NodeId, Symbol};
use super::values::{Counter, Values};
use crate::flow::dominance::Tree;
use crate::flow::liveness::Liveness;
use crate::flow::uniformity::Across;
use crate::flow::{FlowFunction, Graph, OperandRole, OperandValue, RegisterSlot};
use ptx_isa::tables::TypeClass;
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

/// The maximum number of values at the ends of blocks; a function with more is not analysed.
const MAX_HELD: usize = 4_000_000;

/// The maximum number of nodes.
const MAX_NODES: usize = 2_000_000;

/// The maximum number of operands whose bits have a meaning and whose values are followed.
const MAX_ENCODED: usize = 1 << 14;

/// The flow analyses that the values are computed from.
pub struct Flow<'a> {
    /// The function.
    pub function: &'a FlowFunction,
    /// Its control-flow graph.
    pub graph: &'a Graph,
    /// The live registers.
    pub liveness: &'a Liveness,
    /// The dominator tree.
    pub dominators: &'a Tree,
    /// The post-dominator tree.
    pub post_dominators: &'a Tree,
    /// For each register, the threads across which it is always the same.
    pub across: &'a [Across],
}

/// The values of a function, its accesses, and its operands whose bits have a meaning, both in text order.
pub(super) type FunctionValues = (Values, Vec<Access>, Box<[EncodedOperand]>);

/// Computes the values of a function.
pub(super) struct Builder<'a> {
    pub(super) function: &'a FlowFunction,
    graph: &'a Graph,
    loops: Loops,
    pub(super) values: Expressions,
    /// The alignment of what a pointer parameter points to, by variable.
    pub(super) pointers: HashMap<u32, u32>,
    /// Indexed by slot: its value at the current instruction.
    current: Vec<Option<NodeId>>,
    /// The block of the current instruction.
    block: usize,
    /// Pairs of a loop and a slot that an instruction of the loop writes.
    written: HashSet<(u32, u32)>,
}

/// A register at the header of a loop that writes it.
struct LoopValue {
    block: u32,
    slot: u32,
    symbol: NodeId,
    start: NodeId,
    natural_loop: u32,
}

impl<'a> Builder<'a> {
    /// The values of a function; `None` if it is too large, has a cycle with several entries, or
    /// `cancelled` returns true.
    pub(super) fn run(flow: &Flow<'a>, cancelled: &dyn Fn() -> bool) -> Option<FunctionValues> {
        let Flow { function, graph, liveness, across, .. } = *flow;
        let uniform = |block: usize| {
            let last = graph.blocks[block].end as usize - 1;
            let same = |slot: RegisterSlot| matches!(across.get(slot.index()), Some(Across::Cta | Across::Warp));
            let guard = function.instructions[last].guard.as_ref();
            guard.is_none_or(|g| g.special.is_none()) && function.reads(last).iter().all(|r| same(r.slot))
        };
        let loops = Loops::new(graph, flow.dominators, flow.post_dominators, &uniform)?;
        let values = Expressions::new(loops.all.iter().map(|l| l.depth).collect());
        let pointers = function.variables.iter().enumerate().filter_map(|(index, variable)| {
            let align = variable.symbol.points_to_align.filter(|a| a.is_power_of_two())?;
            Some((index as u32, align))
        });
        let mut written = HashSet::default();
        for index in 0..function.instructions.len() {
            for natural_loop in loops.around(graph.block_of(index)) {
                written.extend(function.writes(index).iter().map(|w| (natural_loop, w.slot.0)));
            }
            if written.len() > MAX_HELD {
                return None;
            }
        }
        let mut builder = Self {
            function,
            graph,
            loops,
            values,
            pointers: pointers.collect(),
            current: vec![None; function.registers.len()],
            block: 0,
            written,
        };
        let mut ends: Vec<Vec<(u32, NodeId)>> = vec![Vec::new(); graph.blocks.len()];
        let mut done = vec![false; graph.blocks.len()];
        let (mut loop_values, mut held) = (Vec::new(), 0);
        let (mut results, mut accesses, mut encoded) = (Vec::new(), Vec::new(), Vec::new());
        for block in graph.order.iter().map(|b| *b as usize) {
            if held > MAX_HELD || builder.values.node_count() > MAX_NODES || cancelled() {
                return None;
            }
            builder.block = block;
            builder.current.fill(None);
            for slot in liveness.at_start(block) {
                held += 1;
                builder.enter(slot.0, &ends, &done, &mut loop_values);
            }
            for index in graph.blocks[block].instructions() {
                builder.encoded(index, &mut encoded);
                builder.instruction(index, &mut results, &mut accesses);
            }
            let live = liveness.at_end(block).filter_map(|s| Some((s.0, builder.held(s)?)));
            let mut live: Vec<(u32, NodeId)> = live.collect();
            live.sort_unstable_by_key(|(slot, _)| *slot);
            held += live.len();
            ends[block] = live;
            done[block] = true;
        }
        let counters = builder.counters(&loop_values, &ends);
        // The blocks were visited in reverse post-order, not in text order.
        results.sort_unstable_by_key(|(index, slot, _)| (*index, *slot));
        accesses.sort_unstable_by_key(|a: &Access| (a.instruction, a.operand));
        let Self { values, loops, .. } = builder;
        let values =
            Values { nodes: values.into_nodes(), loops, counters, across: across.into(), results: results.into() };
        find_makers(function, graph, &mut encoded);
        encoded.sort_unstable_by_key(|operand| (operand.instruction, operand.place));
        Some((values, accesses, encoded.into()))
    }

    /// The width of a register's value, if it is followed.
    pub(super) fn width(&self, slot: RegisterSlot) -> Option<u8> {
        let info = self.function.declaration(slot).ty.info();
        u8::try_from(info.bits).ok().filter(|bits| info.class != TypeClass::Pred && (8..=64).contains(bits))
    }

    /// The value of a register at the current instruction.
    pub(super) fn held(&mut self, slot: RegisterSlot) -> Option<NodeId> {
        if let Some(known) = self.current[slot.index()] {
            return Some(known);
        }
        let width = self.width(slot)?;
        let meeting = self.meeting(slot.0, width);
        self.current[slot.index()] = Some(meeting);
        Some(meeting)
    }

    fn meeting(&mut self, slot: u32, width: u8) -> NodeId {
        let inside = self.loops.innermost(self.block);
        self.values.opaque(Symbol::Meeting(self.block as u32, slot), width, inside)
    }

    /// Sets the value of a register at the beginning of the current block.
    fn enter(&mut self, slot: u32, ends: &[Vec<(u32, NodeId)>], done: &[bool], loop_values: &mut Vec<LoopValue>) {
        let (block, graph) = (self.block, self.graph);
        let Some(width) = self.width(RegisterSlot(slot)) else { return };
        let headed = self.loops.headed_by(block);
        let (mut one, mut several) = (None, false);
        for from in graph.predecessors(block).iter().map(|b| *b as usize).filter(|b| graph.is_reachable(*b)) {
            if headed.is_some_and(|l| self.loops.contains(l, from)) {
                continue;
            }
            let end = &ends[from];
            let value = end.binary_search_by_key(&slot, |(s, _)| *s).ok().map(|at| end[at].1);
            match value.filter(|_| done[from]) {
                Some(value) if one.is_none_or(|o| o == value) => one = Some(value),
                _ => several = true,
            }
        }
        let value = one.filter(|_| !several && block != 0).filter(|value| {
            // Outside of a loop, lanes may have left it in different iterations.
            let inside = self.values.facts(*value).inside;
            inside.is_none_or(|l| self.loops.contains(l, block))
        });
        let written = headed.filter(|l| self.written.contains(&(*l, slot)));
        let value = match (value, written) {
            (Some(start), Some(natural_loop)) => {
                let symbol = self.meeting(slot, width);
                loop_values.push(LoopValue { block: block as u32, slot, symbol, start, natural_loop });
                symbol
            }
            (Some(value), None) => value,
            (None, _) => self.meeting(slot, width),
        };
        self.current[slot as usize] = Some(value);
    }

    /// Appends the operands of an instruction whose bits have a meaning and that are registers.
    fn encoded(&mut self, index: usize, out: &mut Vec<EncodedOperand>) {
        let function = self.function;
        for operand in function.operands_of(index).iter().filter(|o| o.role != OperandRole::Address && o.reads()) {
            let has_meaning = operand.spec.is_some_and(|spec| !spec.decodes.is_empty());
            let OperandValue::Register(slot) = operand.value else { continue };
            if !has_meaning || out.len() >= MAX_ENCODED {
                continue;
            }
            let value = self.width(slot).and_then(|width| self.value(operand, width));
            out.extend(value.and_then(|value| EncodedOperand::new(function, index, (operand, slot), value)));
        }
    }

    fn instruction(&mut self, index: usize, results: &mut Vec<(u32, u32, NodeId)>, accesses: &mut Vec<Access>) {
        let function = self.function;
        access::accesses(self, index, accesses);
        let writes = function.writes(index);
        let mut new = Vec::with_capacity(writes.len());
        for (place, written) in writes.iter().enumerate() {
            let Some(width) = self.width(written.slot) else { continue };
            let operand = written.operand.and_then(|o| function.operands.get(o as usize));
            // A part of a register (`%r1.b0`) leaves the others as they are.
            let whole = operand.is_some_and(|o| o.selector().is_none());
            let signed = operand.and_then(|o| o.ty).is_some_and(|t| t.info().class == TypeClass::Sint);
            let computed = if whole && function.is_pure(index) { self.result(index, place) } else { None };
            let computed = computed.and_then(|c| self.values.extend(c, signed, width));
            new.push((written.slot, width, computed.filter(|c| self.values.width(*c) == width)));
        }
        for (slot, width, computed) in new {
            let before = self.current[slot.index()];
            let guarded = function.instructions[index].guard.is_some();
            let value = match computed {
                Some(value) if !guarded || before == Some(value) => value,
                _ => {
                    let inside = self.loops.innermost(self.block);
                    self.values.opaque(Symbol::Result(index as u32, slot.0), width, inside)
                }
            };
            self.current[slot.index()] = Some(value);
            results.push((index as u32, slot.0, value));
        }
    }

    /// The registers that grow by the same number in each iteration of a loop.
    fn counters(&mut self, all: &[LoopValue], ends: &[Vec<(u32, NodeId)>]) -> HashMap<NodeId, Counter> {
        let mut out = HashMap::default();
        for LoopValue { block, slot, symbol, start, natural_loop } in all {
            let mut next = None;
            let mut same = true;
            for from in self.graph.predecessors(*block as usize).iter().map(|b| *b as usize) {
                if !self.loops.contains(*natural_loop, from) {
                    continue;
                }
                let end = &ends[from];
                let value = end.binary_search_by_key(slot, |(s, _)| *s).ok().map(|at| end[at].1);
                same &= value.is_some() && next.is_none_or(|n| Some(n) == value);
                next = value;
            }
            let Some(next) = next.filter(|_| same) else { continue };
            let Some(step) = self.values.subtract(next, *symbol) else { continue };
            let inside = self.values.facts(step).inside;
            // The step must be the same in all iterations.
            if inside.is_none_or(|l| l != *natural_loop && self.loops.encloses(l, *natural_loop)) {
                let counter = Counter { start: *start, step, natural_loop: *natural_loop };
                out.insert(*symbol, counter);
            }
        }
        out
    }
}
