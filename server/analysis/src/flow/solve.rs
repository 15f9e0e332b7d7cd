//! Equations over sets of numbers, one set for each end of each block, solved by iteration.

use super::bits::{BitMatrix, BitSet};
use super::graph::Graph;

/// The direction of a data-flow problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlowDirection {
    /// From the beginning of the function.
    Forward,
    /// From its ends.
    Backward,
}

/// What holds where several ways meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meet {
    /// What holds on one of them.
    Any,
    /// What holds on all of them.
    All,
}

/// A system of equations: after a block holds what it generates, and what held before unless it kills that.
#[derive(Debug)]
pub struct Equations<'a> {
    /// Which way.
    pub direction: FlowDirection,
    /// What is known where ways meet.
    pub meet: Meet,
    /// Numbers are below this.
    pub limit: usize,
    /// What each block generates.
    pub generates: &'a BitMatrix,
    /// What each block kills.
    pub kills: &'a BitMatrix,
    /// What holds where the function begins (backward: where control leaves it).
    pub boundary: &'a BitSet,
}

/// What holds at the beginning and at the end of each block.
#[derive(Debug, Clone, Default)]
pub struct Solution {
    /// At the beginning.
    pub starts: BitMatrix,
    /// At the end.
    pub ends: BitMatrix,
}

/// Solves the equations for the blocks that can be reached.
pub fn solve(graph: &Graph, equations: &Equations<'_>) -> Solution {
    let Equations { direction, meet, limit, .. } = *equations;
    let count = graph.blocks.len();
    let all = meet == Meet::All;
    let forward = direction == FlowDirection::Forward;
    // Forward: before is the start of a block. Backward: its end.
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
