//! A function as the assembler sees it after what it surely does: copies, constants, parameters, truncations and address sums take no
//! registers of their own, and unread results are gone.
//!
//! Values are *units*: one register of 32 bits each, or one predicate. A register of 64 bits is two units, so that its halves are
//! values of their own.

use super::fold::ConstantFolding;
use crate::flow::{FlowFunction, Graph};

/// The index of a 32-bit register unit.
pub type RegisterUnit = u32;

/// The effect of an operation on memory, which limits its reordering.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryEffect {
    /// Not at all, or it reads memory that does not change.
    None,
    /// It reads memory of a space, given by a number.
    Read(u8),
    /// It writes, or reads what may change any time.
    Write(u8),
    /// Nothing passes it.
    Barrier,
}

/// One scheduled operation: a machine instruction, or a few.
#[derive(Debug, Clone)]
pub struct EstimateOperation {
    /// Units that it reads, each once.
    pub uses: Vec<RegisterUnit>,
    /// Units that it writes, each once.
    pub defs: Vec<RegisterUnit>,
    /// Under a guard: what it writes stays alive before it.
    pub guarded: bool,
    /// How it goes with memory.
    pub memory: MemoryEffect,
    /// After how many cycles its results are there.
    pub cycles: u32,
    /// Registers that it needs for itself while it is executed.
    pub temporaries: u16,
    /// It adds a constant to its own result: `i = i + 1`.
    pub steps: bool,
    /// It ends the block.
    pub last: bool,
    /// The index of the instruction, if that is a call.
    pub call: Option<u32>,
}

/// A function as the register estimate sees it.
#[derive(Debug, Clone, Default)]
pub struct EstimateProgram {
    /// For each block of the graph its operations, in the order of the text; none where control never comes.
    pub blocks: Vec<Vec<EstimateOperation>>,
    /// For each unit whether it is a predicate.
    pub predicate: Vec<bool>,
}

impl EstimateProgram {
    /// Of a function.
    pub fn new(function: &FlowFunction, graph: &Graph) -> Self {
        let mut folding = ConstantFolding::new(function);
        let order = || graph.order.iter().map(|b| *b as usize);
        // In this order definitions come before their uses, but for loops.
        order().flat_map(|b| graph.blocks[b].instructions()).for_each(|index| folding.fold(index));
        let mut blocks: Vec<Vec<EstimateOperation>> = vec![Vec::new(); graph.blocks.len()];
        for block in order() {
            blocks[block] = graph.blocks[block].instructions().filter_map(|i| folding.operation(i)).collect();
        }
        let mut out = Self { blocks, predicate: folding.into_predicates() };
        out.drop_unread(graph);
        out
    }

    /// Removes unread results. Values that only the loop that computes them reads stay.
    fn drop_unread(&mut self, graph: &Graph) {
        let mut readers = vec![0u32; self.predicate.len()];
        for operation in self.blocks.iter().flatten() {
            operation.uses.iter().for_each(|u| readers[*u as usize] += 1);
        }
        // What is left after a few rounds is a chain through loops, and takes next to nothing.
        const ROUNDS: usize = 8;
        for _ in 0..ROUNDS {
            let mut changed = false;
            for block in graph.order.iter().rev() {
                let operations = &mut self.blocks[*block as usize];
                let before = operations.len();
                // From the last on, so that what only dead operations read is seen to be dead.
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
