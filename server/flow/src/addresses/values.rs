//! The value of each integer register of a function.

use super::loops::Loops;
use super::node::{Node, NodeFacts, NodeId, Symbol};
use crate::flow::uniformity::Across;
use ptx_isa::tables::GridRole;
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

/// The value of each integer register of a function.
#[derive(Debug, Default)]
pub struct Values {
    pub(super) nodes: Vec<NodeFacts>,
    pub(super) loops: Loops,
    /// The symbols that are loop counters.
    pub(super) counters: HashMap<NodeId, Counter>,
    /// Indexed by slot: the threads across which the register is always the same.
    pub(super) across: Box<[Across]>,
    /// The value that each instruction writes to each slot, sorted.
    pub(super) results: Box<[(u32, u32, NodeId)]>,
}

/// A register that grows by the same number in each iteration of a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counter {
    /// Its value in the first iteration.
    pub start: NodeId,
    /// What each iteration adds.
    pub step: NodeId,
    /// The number of the loop.
    pub natural_loop: u32,
}

impl Values {
    /// The properties of a value.
    pub fn facts(&self, id: NodeId) -> &NodeFacts {
        &self.nodes[id.0 as usize]
    }

    /// The loop counter that a symbol stands for.
    pub fn counter(&self, id: NodeId) -> Option<Counter> {
        self.counters.get(&id).copied()
    }

    /// The loops of the function.
    pub fn loops(&self) -> &Loops {
        &self.loops
    }

    /// The values that an instruction writes: instruction, slot and value of each.
    pub(super) fn results_of(&self, instruction: u32) -> &[(u32, u32, NodeId)] {
        let from = self.results.partition_point(|(i, ..)| *i < instruction);
        let to = self.results.partition_point(|(i, ..)| *i <= instruction);
        self.results.get(from..to).unwrap_or(&[])
    }

    /// Whether the lanes of a value may depend on the shape of the block: it contains the thread's index, the size of the block, or a
    /// register that is the same in a warp only if warps are parts of rows.
    pub(super) fn depends_on_block(&self, id: NodeId) -> bool {
        let (mut seen, mut waiting) = (HashSet::default(), vec![id]);
        while let Some(id) = waiting.pop() {
            if !seen.insert(id) {
                continue;
            }
            match &self.facts(id).node {
                Node::Symbol(Symbol::Special(name, _)) => {
                    if matches!(name.0.grid, GridRole::Thread | GridRole::CtaSize) {
                        return true;
                    }
                }
                Node::Symbol(Symbol::Meeting(_, slot) | Symbol::Result(_, slot)) => match self.counter(id) {
                    Some(counter) => waiting.extend([counter.start, counter.step]),
                    None if self.across.get(*slot as usize) == Some(&Across::Rows) => return true,
                    None => {}
                },
                node => waiting.extend(node.arguments()),
            }
        }
        false
    }
}
