//! Which instructions only some lanes of a warp get to.
//!
//! A branch whose predicate differs from lane to lane splits the warp. A block is reached by one part alone if it can be
//! reached from one side of the branch and not from the other (but by way of the same branch again). A side that leaves the
//! function by itself does not count: threads that are gone are not waited for.

use super::bits::Bits;
use super::function::{Function, Slot};
use super::graph::Graph;
use super::variance::{Variance, Variances};
use ptx_isa::tables::Flow;

/// Why an instruction is executed by some lanes only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Split {
    /// The instruction with the guard: the branch, or the instruction itself.
    pub at: usize,
    /// The predicate.
    pub predicate: Slot,
    /// Nobody knows how many lanes there are on each side, only that it depends on the lane.
    pub perhaps: bool,
}

/// For each of some instructions, the split that surely keeps lanes away from it, if there is one.
pub fn splits(function: &Function, graph: &Graph, variances: &Variances<'_>, wanted: &[usize]) -> Vec<(usize, Split)> {
    let mut out: Vec<(usize, Split)> = Vec::new();
    let own = |index: usize| {
        let slot = function.instructions[index].guard.as_ref()?.slot?;
        split(variances, slot, index)
    };
    let mut left: Vec<usize> = Vec::new();
    for index in wanted.iter().copied().filter(|i| graph.is_reachable(graph.block_of(*i))) {
        match own(index) {
            Some(split) => out.push((index, split)),
            None => left.push(index),
        }
    }
    let mut sides = Sides::new(function, graph, wanted);
    for block in graph.order.iter().map(|b| *b as usize) {
        if left.is_empty() {
            break;
        }
        let &[a, b] = graph.successors(block) else { continue };
        let last = graph.blocks[block].end as usize - 1;
        let instruction = &function.instructions[last];
        let Some(slot) = instruction.guard.as_ref().and_then(|g| g.slot) else { continue };
        if instruction.flow != Flow::Branch {
            continue;
        }
        let Some(split) = split(variances, slot, last) else { continue };
        sides.compute(block, a as usize, b as usize);
        left.retain(|index| {
            let found = sides.parts(graph.block_of(*index));
            if found {
                out.push((*index, split));
            }
            !found
        });
    }
    out.sort_by_key(|(index, _)| *index);
    out
}

fn split(variances: &Variances<'_>, predicate: Slot, at: usize) -> Option<Split> {
    match variances.at(predicate, at) {
        Variance::Lane(_) => Some(Split { at, predicate, perhaps: false }),
        Variance::Perhaps => Some(Split { at, predicate, perhaps: true }),
        _ => None,
    }
}

/// What can be reached from both sides of a branch.
struct Sides<'a> {
    graph: &'a Graph,
    /// Blocks from which one of the wanted instructions can be reached.
    zone: Bits,
    /// Blocks that do nothing but lead on.
    quiet: Vec<bool>,
    branch: usize,
    sides: [usize; 2],
    /// Reached from a side without passing the branch.
    reached: [Bits; 2],
    /// Whether lanes on that side leave by themselves.
    leaves: [bool; 2],
}

impl<'a> Sides<'a> {
    fn new(function: &Function, graph: &'a Graph, wanted: &[usize]) -> Self {
        let count = graph.blocks.len();
        let mut zone = Bits::new(count);
        let mut waiting: Vec<usize> = wanted.iter().map(|i| graph.block_of(*i)).filter(|b| zone.insert(*b)).collect();
        while let Some(block) = waiting.pop() {
            waiting.extend(graph.predecessors(block).iter().map(|b| *b as usize).filter(|b| zone.insert(*b)));
        }
        let quiet = |b: &super::Block| {
            b.instructions().all(|i| matches!(function.instructions[i].flow, Flow::Branch | Flow::Return | Flow::Exit))
        };
        let quiet = graph.blocks.iter().map(quiet).collect();
        let reached = [Bits::new(count), Bits::new(count)];
        Self { graph, zone, quiet, branch: 0, sides: [0; 2], reached, leaves: [false; 2] }
    }

    fn compute(&mut self, branch: usize, a: usize, b: usize) {
        (self.branch, self.sides) = (branch, [a, b]);
        self.reached = [self.reach(a, |f, _| f != branch), self.reach(b, |f, _| f != branch)];
        // What lanes of a side may still do, unless they are on the other side the next time.
        let after = [self.reach(a, |f, t| f != branch || t != b), self.reach(b, |f, t| f != branch || t != a)];
        let common = after[0].iter().any(|n| after[1].contains(n) && !self.quiet[n]);
        self.leaves = [a, b].map(|side| !common && !self.zone.contains(side));
    }

    fn reach(&self, from: usize, goes: impl Fn(usize, usize) -> bool) -> Bits {
        let mut out = Bits::new(self.graph.blocks.len());
        out.insert(from);
        let mut waiting = vec![from];
        while let Some(block) = waiting.pop() {
            for next in self.graph.successors(block).iter().map(|b| *b as usize) {
                if goes(block, next) && out.insert(next) {
                    waiting.push(next);
                }
            }
        }
        out
    }

    /// Whether only one side gets to a block, and the other goes on without it.
    fn parts(&self, block: usize) -> bool {
        let gets = [self.reached[0].contains(block), self.reached[1].contains(block)];
        let other = match gets {
            [true, false] => 1,
            [false, true] => 0,
            _ => return false,
        };
        let from = self.sides[other];
        if self.zone.contains(from) { self.goes_past(from, block) } else { !self.leaves[other] }
    }

    /// Whether lanes can go from one block to the end of the function without passing another. Where some of them leave early
    /// and the rest goes on, only the rest counts.
    fn goes_past(&self, from: usize, block: usize) -> bool {
        let early = |f: usize, t: usize| {
            !self.zone.contains(t) && self.graph.successors(f).iter().any(|s| self.zone.contains(*s as usize))
        };
        let reached = self.reach(from, |f, t| f != block && !early(f, t));
        reached.iter().any(|b| b != block && (self.graph.blocks[b].leaves || !self.zone.contains(b)))
    }
}
