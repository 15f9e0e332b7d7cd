//! Solves data-flow equations over sets of numbers, one set at the beginning and one at the end of each block, by iteration.

use super::bits::{BitMatrix, BitSet};
use super::graph::Graph;

/// The direction of a data-flow problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlowDirection {
    /// From the beginning of the function.
    Forward,
    /// From its exits.
    Backward,
}

/// What holds where several paths meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meet {
    /// What holds on at least one of them.
    Any,
    /// What holds on all of them.
    All,
}

/// A system of data-flow equations: what holds after a block is what it generates, plus what held before unless the block
/// kills it.
#[derive(Debug)]
pub struct Equations<'a> {
    /// The direction in which facts flow.
    pub direction: FlowDirection,
    /// How facts are combined where paths meet.
    pub meet: Meet,
    /// The numbers in the sets are below this limit.
    pub limit: usize,
    /// One row per block: the numbers that it generates.
    pub generates: &'a BitMatrix,
    /// One row per block: the numbers that it kills.
    pub(crate) kills: &'a BitMatrix,
    /// The numbers that hold at the entry of the function (backward: where control leaves it).
    pub boundary: &'a BitSet,
}

/// The solution of [`Equations`]: what holds at the beginning and at the end of each block.
#[derive(Debug, Clone, Default)]
pub struct Solution {
    /// One row per block: the numbers that hold at its beginning.
    pub starts: BitMatrix,
    /// One row per block: the numbers that hold at its end.
    pub ends: BitMatrix,
}

/// Solves the equations for the reachable blocks.
pub fn solve(graph: &Graph, equations: &Equations<'_>) -> Solution {
    let Equations { direction, meet, limit, .. } = *equations;
    let count = graph.blocks.len();
    let all = meet == Meet::All;
    let forward = direction == FlowDirection::Forward;
    // If forward, `before` is the start of a block; if backward, its end.
    let mut before = BitMatrix::new(count, limit, false);
    let mut after = BitMatrix::new(count, limit, all);
    let mut boundary = BitMatrix::new(1, limit, false);
    equations.boundary.iter().for_each(|n| boundary.insert(0, n));
    let mut place = vec![usize::MAX; count];
    let order: Vec<u32> = if forward { graph.order.clone() } else { graph.order.iter().rev().copied().collect() };
    for (index, block) in order.iter().enumerate() {
        place[*block as usize] = index;
    }
    let mut waiting = BitSet::new(order.len());
    (0..order.len()).for_each(|i| {
        waiting.insert(i);
    });
    let mut joined = vec![0u64; limit.div_ceil(64)];
    loop {
        let mut again = false;
        for (index, block) in order.iter().map(|b| *b as usize).enumerate() {
            if !waiting.contains(index) {
                continue;
            }
            waiting.remove(index);
            let (from, to) = match forward {
                true => (graph.predecessors(block), graph.successors(block)),
                false => (graph.successors(block), graph.predecessors(block)),
            };
            joined.fill(if all { u64::MAX } else { 0 });
            let outside = if forward { block == 0 } else { graph.blocks[block].leaves };
            if outside {
                join(&mut joined, boundary.row(0), all);
            }
            for other in from.iter().filter(|b| graph.is_reachable(**b as usize)) {
                join(&mut joined, after.row(*other as usize), all);
            }
            before.row_mut(block).copy_from_slice(&joined);
            let (generates, kills) = (equations.generates.row(block), equations.kills.row(block));
            let mut changed = false;
            for (((after, before), generated), killed) in
                after.row_mut(block).iter_mut().zip(&joined).zip(generates).zip(kills)
            {
                let new = generated | (before & !killed);
                changed |= new != *after;
                *after = new;
            }
            if changed {
                for next in to.iter().filter(|b| graph.is_reachable(**b as usize)) {
                    let at = place[*next as usize];
                    waiting.insert(at);
                    again |= at <= index;
                }
            }
        }
        if !again {
            break;
        }
    }
    if forward { Solution { starts: before, ends: after } } else { Solution { starts: after, ends: before } }
}

fn join(into: &mut [u64], other: &[u64], all: bool) {
    for (a, b) in into.iter_mut().zip(other) {
        if all { *a &= b } else { *a |= b }
    }
}
