//! Computes the units that are live in a program.

use super::program::{EstimateOperation, EstimateProgram, RegisterUnit};
use crate::flow::Graph;
use crate::flow::bits::{BitMatrix, BitSet};
use crate::flow::solve::{Equations, FlowDirection, Meet, Solution, solve};

/// The number of a unit that is only live within a block.
const INSIDE: u32 = u32::MAX;

/// The units that are live at the boundaries of blocks.
pub(crate) struct Ends {
    /// The units that live across block boundaries.
    units: Vec<RegisterUnit>,
    /// Indexed by unit: its index in `units`, or [`INSIDE`].
    number: Vec<u32>,
    solution: Solution,
}

impl Ends {
    /// Computes the live units of a program.
    pub(super) fn new(program: &EstimateProgram, graph: &Graph) -> Self {
        let mut number = vec![INSIDE; program.predicate.len()];
        let mut units: Vec<RegisterUnit> = Vec::new();
        let mut written = vec![u32::MAX; program.predicate.len()];
        let mut read: Vec<(u32, u32)> = Vec::new();
        let mut killed: Vec<(u32, RegisterUnit)> = Vec::new();
        for (block, operations) in program.blocks.iter().enumerate() {
            let block = block as u32;
            for operation in operations {
                for unit in operation.uses.iter().filter(|u| written[**u as usize] != block) {
                    let number = &mut number[*unit as usize];
                    if *number == INSIDE {
                        *number = units.len() as u32;
                        units.push(*unit);
                    }
                    read.push((block, *number));
                }
                for unit in operation.defs.iter().filter(|_| !operation.guarded) {
                    if std::mem::replace(&mut written[*unit as usize], block) != block {
                        killed.push((block, *unit));
                    }
                }
            }
        }
        let (blocks, limit) = (graph.blocks.len(), units.len());
        let (mut generates, mut kills) = (BitMatrix::new(blocks, limit, false), BitMatrix::new(blocks, limit, false));
        read.iter().for_each(|(block, number)| generates.insert(*block as usize, *number as usize));
        for (block, unit) in killed {
            let number = number[unit as usize];
            if number != INSIDE {
                kills.insert(block as usize, number as usize);
            }
        }
        let equations = Equations {
            direction: FlowDirection::Backward,
            meet: Meet::Any,
            limit,
            generates: &generates,
            kills: &kills,
            boundary: &BitSet::new(limit),
        };
        Self { units, number, solution: solve(graph, &equations) }
    }

    /// Whether a unit is live at the beginning of a block.
    pub(super) fn begins_with(&self, block: usize, unit: RegisterUnit) -> bool {
        let number = self.number.get(unit as usize).filter(|n| **n != INSIDE);
        number.is_some_and(|n| self.solution.starts.contains(block, *n as usize))
    }

    /// The units that are live at the end of a block.
    pub(super) fn of(&self, block: usize) -> impl Iterator<Item = RegisterUnit> + '_ {
        self.solution.ends.iter(block).map(|n| self.units[n])
    }
}

/// Counts live general registers; predicates do not count. Reuse one counter for all blocks, so that memory is allocated once.
#[derive(Default)]
pub(crate) struct Counter {
    live: Vec<bool>,
    touched: Vec<RegisterUnit>,
    unread: Vec<RegisterUnit>,
}

impl Counter {
    /// The maximum number of registers live at one point of a block with the operations in this order. `across` is called for
    /// each call, with the index of its instruction and the number of registers live across it.
    pub(super) fn most<'o>(
        &mut self,
        operations: impl DoubleEndedIterator<Item = &'o EstimateOperation>,
        at_end: impl Iterator<Item = RegisterUnit>,
        predicate: &[bool],
        mut across: impl FnMut(u32, u32),
    ) -> u32 {
        self.live.resize(predicate.len().max(self.live.len()), false);
        let mut now = 0;
        at_end.for_each(|unit| self.enter(unit, predicate, &mut now));
        let mut most = now;
        for operation in operations.rev() {
            // An unread result occupies its register for a moment, under a guard too.
            self.unread.clear();
            self.unread.extend(operation.defs.iter().copied().filter(|d| !self.live[*d as usize]));
            operation.defs.iter().for_each(|unit| self.enter(*unit, predicate, &mut now));
            most = most.max(now);
            for unit in &operation.defs {
                if operation.guarded && !self.unread.contains(unit) {
                    continue;
                }
                if std::mem::replace(&mut self.live[*unit as usize], false) {
                    now -= u32::from(!predicate[*unit as usize]);
                }
            }
            if let Some(call) = operation.call {
                across(call, now);
            }
            operation.uses.iter().for_each(|unit| self.enter(*unit, predicate, &mut now));
            most = most.max(now + u32::from(operation.temporaries));
        }
        self.touched.drain(..).for_each(|unit| self.live[unit as usize] = false);
        most
    }

    /// The maximum number of general registers live at one point; `order` holds the indices of the operations in execution
    /// order.
    pub(super) fn in_order(
        &mut self,
        operations: &[EstimateOperation],
        order: &[u32],
        at_end: &[RegisterUnit],
        predicate: &[bool],
    ) -> u32 {
        let operations = order.iter().map(|i| &operations[*i as usize]);
        self.most(operations, at_end.iter().copied(), predicate, |_, _| {})
    }

    fn enter(&mut self, unit: RegisterUnit, predicate: &[bool], now: &mut u32) {
        if !std::mem::replace(&mut self.live[unit as usize], true) {
            *now += u32::from(!predicate[unit as usize]);
            self.touched.push(unit);
        }
    }
}
