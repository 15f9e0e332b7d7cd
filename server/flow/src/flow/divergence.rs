//! Finds instructions that only some lanes of a warp reach.
//!
//! A branch whose predicate differs from lane to lane splits the warp until its paths meet at the branch's post-dominator. A
//! block in between is reached by one part alone if it is reachable from one side of the branch but not from the other. A
//! side that leaves the function does not count: no instruction waits for exited threads.

use super::bits::BitSet;
use super::dominance::{Tree, post_dominators_of};
use super::function::{FlowFunction, RegisterSlot};
use super::graph::Graph;
use super::variance::{Variance, Variances};
use ptx_isa::tables::ControlTransfer;

/// The branch or guard because of which only some lanes execute an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DivergenceCause {
    /// The index of the instruction with the guard: the branch, or the instruction itself.
    pub at: usize,
    /// The register of the predicate.
    pub predicate: RegisterSlot,
    /// Whether it is unknown how many lanes go each way, although the condition depends on the lane.
    pub perhaps: bool,
}

/// For each instruction in `wanted` that some lanes certainly skip: its index and the branch or guard responsible, ordered by
/// index.
pub fn splits(
    function: &FlowFunction,
    graph: &Graph,
    variances: &Variances<'_>,
    wanted: &[usize],
) -> Vec<(usize, DivergenceCause)> {
    let mut out: Vec<(usize, DivergenceCause)> = Vec::new();
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
        if instruction.flow != ControlTransfer::Branch {
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

fn split(variances: &Variances<'_>, predicate: RegisterSlot, at: usize) -> Option<DivergenceCause> {
    match variances.at(predicate, at) {
        Variance::Lane(_) => Some(DivergenceCause { at, predicate, perhaps: false }),
        Variance::Perhaps => Some(DivergenceCause { at, predicate, perhaps: true }),
        _ => None,
    }
}

/// The blocks reachable from each of the two sides of a branch.
struct Sides<'a> {
    graph: &'a Graph,
    /// Blocks from which a `wanted` instruction of [`splits`] can be reached.
    zone: BitSet,
    /// The post-dominator tree of the zone.
    meets: Tree,
    /// By block: whether it contains only branches, returns and exits.
    quiet: Vec<bool>,
    sides: [usize; 2],
    /// The block at which the paths from the current branch meet.
    meeting: Option<usize>,
    /// By side: the blocks reachable without passing through the branch or `meeting`.
    reached: [BitSet; 2],
    /// By side: whether the lanes that take it leave the zone and share no further work with the other side.
    leaves: [bool; 2],
}

impl<'a> Sides<'a> {
    fn new(function: &FlowFunction, graph: &'a Graph, wanted: &[usize]) -> Self {
        let count = graph.blocks.len();
        let mut zone = BitSet::new(count);
        let mut waiting: Vec<usize> = wanted.iter().map(|i| graph.block_of(*i)).filter(|b| zone.insert(*b)).collect();
        while let Some(block) = waiting.pop() {
            waiting.extend(graph.predecessors(block).iter().map(|b| *b as usize).filter(|b| zone.insert(*b)));
        }
        let quiet = |b: &super::BasicBlock| {
            b.instructions().all(|i| {
                matches!(
                    function.instructions[i].flow,
                    ControlTransfer::Branch | ControlTransfer::Return | ControlTransfer::Exit
                )
            })
        };
        let quiet = graph.blocks.iter().map(quiet).collect();
        let meets = post_dominators_of(count, &edges_of_zone(graph, &zone));
        let reached = [BitSet::new(count), BitSet::new(count)];
        Self { graph, zone, meets, quiet, sides: [0; 2], meeting: None, reached, leaves: [false; 2] }
    }

    fn compute(&mut self, branch: usize, a: usize, b: usize) {
        self.sides = [a, b];
        // Lanes that leave the zone do not come back, so the paths never meet.
        let parts_for_good = !self.zone.contains(a) || !self.zone.contains(b);
        self.meeting = self.meets.parent(branch).filter(|_| !parts_for_good);
        let meeting = self.meeting;
        let inside = |from: usize, to: usize| from != branch && Some(from) != meeting && Some(to) != meeting;
        self.reached = [self.reach(a, inside), self.reach(b, inside)];
        // The blocks that lanes of a side can still reach before a later pass over the branch sends them to the other side.
        let after = [self.reach(a, |f, t| f != branch || t != b), self.reach(b, |f, t| f != branch || t != a)];
        let common = after[0].iter().any(|n| after[1].contains(n) && !self.quiet[n]);
        self.leaves = [a, b].map(|side| !common && !self.zone.contains(side));
    }

    fn reach(&self, from: usize, goes: impl Fn(usize, usize) -> bool) -> BitSet {
        let mut out = BitSet::new(self.graph.blocks.len());
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

    /// Whether lanes of only one side reach the block while lanes of the other side continue without it.
    fn parts(&self, block: usize) -> bool {
        let other = match [self.reached[0].contains(block), self.reached[1].contains(block)] {
            [true, false] => 1,
            [false, true] => 0,
            _ => return false,
        };
        let side = self.sides[other];
        match self.zone.contains(side) {
            // If no meeting block is known, as in an endless loop, nothing is certain.
            true => self.meeting.is_some_and(|m| m != block),
            false => !self.leaves[other],
        }
    }
}

/// The edges between the blocks of the zone. The number of blocks stands for everything outside the zone. If a block can both
/// stay in the zone and leave it, the leaving edge is dropped, because no instruction waits for lanes that left. It is kept
/// only where no other edge leads out.
fn edges_of_zone(graph: &Graph, zone: &BitSet) -> Vec<(u32, u32)> {
    let outside = graph.blocks.len() as u32;
    let stays = |block: usize| graph.successors(block).iter().any(|s| zone.contains(*s as usize));
    let mut edges: Vec<(u32, u32)> = Vec::new();
    let mut waiting: Vec<usize> = Vec::new();
    for block in zone.iter() {
        let inside = graph.successors(block).iter().filter(|s| zone.contains(**s as usize));
        edges.extend(inside.map(|s| (block as u32, *s)));
        if !stays(block) {
            edges.push((block as u32, outside));
            waiting.push(block);
        }
    }
    let mut leads_out = BitSet::new(graph.blocks.len());
    waiting.iter().for_each(|b| {
        leads_out.insert(*b);
    });
    while let Some(block) = waiting.pop() {
        let before = graph.predecessors(block).iter().map(|b| *b as usize);
        waiting.extend(before.filter(|b| zone.contains(*b) && leads_out.insert(*b)));
    }
    let closed = zone.iter().filter(|b| !leads_out.contains(*b));
    let leaving =
        |b: &usize| graph.blocks[*b].leaves || graph.successors(*b).iter().any(|s| !zone.contains(*s as usize));
    edges.extend(closed.filter(leaving).map(|b| (b as u32, outside)));
    edges
}
