//! Execution order of the groups of lanes that a branch has separated, so that they meet again where their paths join.
//!
//! The machine runs the group whose instruction comes first in a topological order that keeps loops contiguous. In this order, every block
//! between a branch and the join of its paths comes before the join. So lanes that reach the join early wait there.

use ptx_flow::flow::{FlowFunction, Graph};

/// Priority of each instruction of a function, by index, with one more entry for the end of the function. The machine executes the lowest
/// number first.
pub fn priorities(function: &FlowFunction) -> Box<[u32]> {
    let graph = Graph::new(function);
    let blocks = graph.blocks.len();
    let mut out = vec![u32::MAX; function.instructions.len() + 1];
    let mut next = 0;
    for block in order(&graph, blocks) {
        for instruction in graph.blocks[block].instructions() {
            if let Some(at) = out.get_mut(instruction) {
                *at = next;
                next += 1;
            }
        }
    }
    // Unreachable instructions and the end come last, in source order.
    for at in out.iter_mut().filter(|at| **at == u32::MAX) {
        *at = next;
        next += 1;
    }
    out.into()
}

/// Returns the reachable blocks in execution order.
///
/// A loop is any set of blocks that can all reach each other, with one entry or several. Its blocks stay contiguous: an entry block comes
/// first, and the others, with their inner loops, are ordered in the same way. So a block after a loop comes after all blocks of the loop.
fn order(graph: &Graph, blocks: usize) -> Vec<usize> {
    let mut out = Vec::with_capacity(blocks);
    // Work stack: sets of blocks that still have to be ordered, and single blocks. The last entry comes next.
    enum Work {
        Set(Vec<usize>),
        Block(usize),
    }
    // Number of the set that contains each block. Edges that leave the set being ordered do not count.
    let mut set_of = vec![0; blocks];
    let mut sets = 0;
    let mut search = ComponentSearch::new(blocks);
    let reachable = graph.order.iter().map(|b| *b as usize).collect();
    let mut work = vec![Work::Set(reachable)];
    while let Some(next) = work.pop() {
        let set = match next {
            Work::Block(block) => {
                out.push(block);
                continue;
            }
            Work::Set(set) => set,
        };
        sets += 1;
        set.iter().for_each(|b| set_of[*b] = sets);
        let ways = |block: usize| {
            graph.successors(block).iter().map(|s| *s as usize).filter(|s| set_of[*s] == sets).collect::<Vec<_>>()
        };
        // `components` returns the last component first, as the stack needs it.
        for mut component in search.components(&set, ways) {
            if component.len() == 1 {
                work.push(Work::Block(component[0]));
                continue;
            }
            // A loop starts at its first block in source order that has an edge from outside, or that begins the function.
            component.sort_unstable();
            let inside = |b: usize| component.binary_search(&b).is_ok();
            let entered = |b: &usize| *b == 0 || graph.predecessors(*b).iter().any(|p| !inside(*p as usize));
            let head = component.iter().position(entered).unwrap_or(0);
            let head = component.remove(head);
            work.push(Work::Set(component));
            work.push(Work::Block(head));
        }
    }
    out
}

/// Finds sets of blocks that can all reach each other (Tarjan's algorithm, without recursion).
struct ComponentSearch {
    /// Number of each block in order of discovery, from 1; 0: not yet found.
    found: Vec<usize>,
    /// Lowest discovery number that each block can reach among the blocks on the stack.
    lowest: Vec<usize>,
    /// Whether each block is on the stack, because its component is not complete yet.
    on_stack: Vec<bool>,
}

impl ComponentSearch {
    fn new(blocks: usize) -> Self {
        Self { found: vec![0; blocks], lowest: vec![0; blocks], on_stack: vec![false; blocks] }
    }

    /// Returns the components of a set, each before those that lead to it. If two could come in either order, the later one in the source
    /// comes first.
    fn components(&mut self, set: &[usize], ways: impl Fn(usize) -> Vec<usize>) -> Vec<Vec<usize>> {
        let mut roots = set.to_vec();
        roots.sort_unstable_by(|a, b| b.cmp(a));
        roots.iter().for_each(|b| self.found[*b] = 0);
        let (mut out, mut stack, mut count) = (Vec::new(), Vec::new(), 0);
        let mut calls: Vec<(usize, Vec<usize>)> = Vec::new();
        for root in roots {
            if self.found[root] != 0 {
                continue;
            }
            let mut enter = Some(root);
            loop {
                if let Some(block) = enter.take() {
                    count += 1;
                    (self.found[block], self.lowest[block]) = (count, count);
                    self.on_stack[block] = true;
                    stack.push(block);
                    // `pop` takes the last successor, so the later block in the source is visited first.
                    let mut list = ways(block);
                    list.sort_unstable();
                    calls.push((block, list));
                }
                let Some((block, left)) = calls.last_mut() else { break };
                let block = *block;
                if let Some(to) = left.pop() {
                    if self.found[to] == 0 {
                        enter = Some(to);
                    } else if self.on_stack[to] {
                        self.lowest[block] = self.lowest[block].min(self.found[to]);
                    }
                    continue;
                }
                calls.pop();
                if let Some((parent, _)) = calls.last() {
                    self.lowest[*parent] = self.lowest[*parent].min(self.lowest[block]);
                }
                if self.lowest[block] == self.found[block] {
                    let from = stack.iter().rposition(|b| *b == block).unwrap_or(0);
                    let component = stack.split_off(from);
                    component.iter().for_each(|b| self.on_stack[*b] = false);
                    out.push(component);
                }
            }
        }
        out
    }
}
