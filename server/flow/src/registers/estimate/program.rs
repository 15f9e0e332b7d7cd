//! A function after the optimizations that the assembler certainly performs: copies, constants, parameters, truncations and
//! address sums need no registers of their own, and unread results are removed.
//!
//! Values are *units*: one register of 32 bits each, or one predicate. A register of 64 bits is two units, so that its halves are
//! values of their own.

use super::counters::alike;
use super::fold::ConstantFolding;
use super::trips::Writers;
use crate::flow::{FlowFunction, Graph};

/// The index of a 32-bit register unit.
pub(crate) type RegisterUnit = u32;

/// The number of the generic address space, which contains the others.
pub(crate) const GENERIC: u8 = 0;

/// The effect of an operation on memory, which limits its reordering.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MemoryEffect {
    /// No effect: no access, or a read of memory that does not change.
    None,
    /// A read of memory of the state space with this number.
    Read(u8),
    /// A write to the state space with this number, or a read that must keep its order.
    Write(u8),
    /// A barrier: no access may be moved across it.
    Barrier,
}

/// One scheduled operation: a machine instruction, or a few.
#[derive(Debug, Clone)]
pub(crate) struct EstimateOperation {
    /// The units that it reads, each once.
    pub uses: Vec<RegisterUnit>,
    /// The units that it writes, each once.
    pub(crate) defs: Vec<RegisterUnit>,
    /// Whether it has a guard: the previous values of its results then stay live.
    pub guarded: bool,
    /// Its effect on memory.
    pub memory: MemoryEffect,
    /// The latency of its results, in cycles.
    pub cycles: u32,
    /// The number of registers that it needs only while it is executed.
    pub temporaries: u16,
    /// Whether it adds a constant to its own result: `i = i + 1`.
    pub steps: bool,
    /// Whether it ends the block.
    pub last: bool,
    /// The index of the instruction, if it is a call.
    pub call: Option<u32>,
}

/// The operations of a function on which the register estimate works.
#[derive(Debug, Clone, Default)]
pub(crate) struct EstimateProgram {
    /// Indexed by block of the graph: its operations, in text order; empty for unreachable blocks.
    pub blocks: Vec<Vec<EstimateOperation>>,
    /// Indexed by unit: whether it is a predicate.
    pub predicate: Vec<bool>,
}

impl EstimateProgram {
    /// Folds a function to its operations and removes unread results.
    pub(super) fn new(function: &FlowFunction, graph: &Graph) -> Self {
        let mut folding = ConstantFolding::new(function);
        let alike = alike(function, graph, &Writers::new(function));
        alike.into_iter().for_each(|(counter, leader)| folding.merge(counter, leader));
        let order = || graph.order.iter().map(|b| *b as usize);
        // In this order definitions come before their uses, except in loops.
        order().flat_map(|b| graph.blocks[b].instructions()).for_each(|index| folding.fold(index));
        let mut blocks: Vec<Vec<EstimateOperation>> = vec![Vec::new(); graph.blocks.len()];
        for block in order() {
            blocks[block] = graph.blocks[block].instructions().filter_map(|i| folding.operation(i)).collect();
        }
        let mut out = Self { blocks, predicate: folding.into_predicates() };
        out.drop_unread(graph);
        out
    }

    /// Removes unread results. Values that are read only by the loop that computes them stay.
    fn drop_unread(&mut self, graph: &Graph) {
        let mut readers = vec![0u32; self.predicate.len()];
        for operation in self.blocks.iter().flatten() {
            operation.uses.iter().for_each(|u| readers[*u as usize] += 1);
        }
        // After a few rounds, only chains through loops are left, which need almost no registers.
        const ROUNDS: usize = 8;
        for _ in 0..ROUNDS {
            let mut changed = false;
            for block in graph.order.iter().rev() {
                let operations = &mut self.blocks[*block as usize];
                let before = operations.len();
                // Go backwards, so that operations whose results only dead operations read are also removed.
                operations.reverse();
                operations.retain(|operation| {
                    let needed = operation.defs.is_empty()
                        || operation.last
                        || !matches!(operation.memory, MemoryEffect::None | MemoryEffect::Read(_))
                        || operation.defs.iter().any(|d| readers[*d as usize] > 0);
                    if !needed {
                        operation.uses.iter().for_each(|u| readers[*u as usize] -= 1);
                    }
                    needed
                });
                operations.reverse();
                changed |= operations.len() != before;
            }
            if !changed {
                break;
            }
        }
    }
}
