//! Liveness: which registers hold a value that may still be read.

use super::bits::{BitMatrix, BitSet};
use super::function::{FlowFunction, RegisterSlot};
use super::graph::Graph;
use super::solve::{Equations, FlowDirection, Meet, Solution, solve};
use ptx_sema::hir::symbols::VariableOrigin;

/// The registers that live across blocks: those that some block reads before it has certainly written them. Only these need
/// bits in the sets at block boundaries, and compiler output has few of them.
#[derive(Debug, Clone, Default)]
pub(crate) struct CrossBlockRegisters {
    number: Vec<u32>,
    slots: Vec<RegisterSlot>,
    /// Pairs (block, register number): the block reads the register before it has certainly written it.
    pub(super) exposed: Vec<(u32, u32)>,
    /// Pairs (block, register number): the block certainly writes the register.
    pub(super) written: Vec<(u32, u32)>,
}

const NONE: u32 = u32::MAX;

impl CrossBlockRegisters {
    /// Finds the registers that live across blocks.
    pub(crate) fn new(function: &FlowFunction, graph: &Graph) -> Self {
        let mut out = Self { number: vec![NONE; function.registers.len()], ..Self::default() };
        let mut written = vec![NONE; function.registers.len()];
        let mut read = vec![NONE; function.registers.len()];
        let mut writes: Vec<(u32, RegisterSlot)> = Vec::new();
        for (number, block) in graph.blocks.iter().enumerate() {
            let number = number as u32;
            for index in block.instructions() {
                for slot in function.reads(index).iter().map(|u| u.slot) {
                    if written[slot.index()] != number && read[slot.index()] != number {
                        read[slot.index()] = number;
                        let global = out.add(slot);
                        out.exposed.push((number, global));
                    }
                }
                if function.instructions[index].guard.is_some() {
                    continue;
                }
                for slot in function.writes(index).iter().map(|u| u.slot) {
                    if written[slot.index()] != number {
                        written[slot.index()] = number;
                        writes.push((number, slot));
                    }
                }
            }
        }
        // Results are read when the function returns.
        for (index, _) in function.registers.iter().enumerate() {
            if function.declaration(RegisterSlot(index as u32)).origin == VariableOrigin::Result {
                out.add(RegisterSlot(index as u32));
            }
        }
        out.written = writes.into_iter().filter_map(|(b, s)| Some((b, out.number(s)? as u32))).collect();
        out
    }

    fn add(&mut self, slot: RegisterSlot) -> u32 {
        let number = &mut self.number[slot.index()];
        if *number == NONE {
            *number = self.slots.len() as u32;
            self.slots.push(slot);
        }
        *number
    }

    /// The number of cross-block registers.
    pub(crate) fn count(&self) -> usize {
        self.slots.len()
    }

    /// The dense number of a register among the cross-block registers, if it is one of them.
    pub(crate) fn number(&self, slot: RegisterSlot) -> Option<usize> {
        self.number.get(slot.index()).filter(|n| **n != NONE).map(|n| *n as usize)
    }

    /// The register with this dense number.
    pub(crate) fn slot(&self, number: usize) -> RegisterSlot {
        self.slots[number]
    }

    /// The set of cross-block registers whose origin satisfies `wanted`.
    pub(super) fn of_origin(&self, function: &FlowFunction, wanted: impl Fn(VariableOrigin) -> bool) -> BitSet {
        let mut out = BitSet::new(self.count());
        for (number, slot) in self.slots.iter().enumerate() {
            if wanted(function.declaration(*slot).origin) {
                out.insert(number);
            }
        }
        out
    }
}

/// The maximum product of blocks and cross-block registers: the bits of a matrix. With both in proportion to the text, it grows with
/// the square of the text.
const MAX_BITS: usize = 1 << 28;

/// The maximum number of registers that are live at the ends of all blocks together. Most analyses visit each of them.
const MAX_LIVE: usize = 1 << 24;

/// The registers that are live at the beginning and at the end of each block.
#[derive(Debug, Clone, Default)]
pub struct Liveness {
    global: CrossBlockRegisters,
    solution: Solution,
}

impl Liveness {
    /// Computes liveness; `None` for a function that is too large. A write under a guard does not end the live range of the
    /// previous value.
    pub fn new(function: &FlowFunction, graph: &Graph) -> Option<Self> {
        let global = CrossBlockRegisters::new(function, graph);
        let (blocks, limit) = (graph.blocks.len(), global.count());
        if blocks.saturating_mul(limit) > MAX_BITS {
            return None;
        }
        let (mut generates, mut kills) = (BitMatrix::new(blocks, limit, false), BitMatrix::new(blocks, limit, false));
        global.exposed.iter().for_each(|(b, n)| generates.insert(*b as usize, *n as usize));
        global.written.iter().for_each(|(b, n)| kills.insert(*b as usize, *n as usize));
        let boundary = global.of_origin(function, |o| o == VariableOrigin::Result);
        let solution = solve(
            graph,
            &Equations {
                direction: FlowDirection::Backward,
                meet: Meet::Any,
                limit,
                generates: &generates,
                kills: &kills,
                boundary: &boundary,
            },
        );
        (solution.ends.count() <= MAX_LIVE).then_some(Self { global, solution })
    }

    /// The registers that are live at the beginning of a block.
    pub fn at_start(&self, block: usize) -> impl Iterator<Item = RegisterSlot> + '_ {
        self.solution.starts.iter(block).map(|n| self.global.slot(n))
    }

    /// The registers that are live at the end of a block.
    pub fn at_end(&self, block: usize) -> impl Iterator<Item = RegisterSlot> + '_ {
        self.solution.ends.iter(block).map(|n| self.global.slot(n))
    }

    /// Calls `visit` for the instructions of the reachable blocks, in each block from the last to the first. Its arguments
    /// are the index of the instruction and the set of the slots that are live after it.
    pub fn visit(&self, function: &FlowFunction, graph: &Graph, mut visit: impl FnMut(usize, &BitSet)) {
        let mut live = BitSet::new(function.registers.len());
        for block in graph.order.iter().map(|b| *b as usize) {
            let mut touched: Vec<RegisterSlot> = Vec::new();
            for slot in self.at_end(block) {
                live.insert(slot.index());
                touched.push(slot);
            }
            for index in graph.blocks[block].instructions().rev() {
                visit(index, &live);
                if function.instructions[index].guard.is_none() {
                    function.writes(index).iter().for_each(|w| live.remove(w.slot.index()));
                }
                for read in function.reads(index) {
                    if live.insert(read.slot.index()) {
                        touched.push(read.slot);
                    }
                }
            }
            // Clear the bits that this block set.
            touched.iter().for_each(|s| live.remove(s.index()));
        }
    }
}
