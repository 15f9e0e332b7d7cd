//! In which order groups of lanes are executed that a branch has parted: so that they meet again where their ways join.
//!
//! The group whose instruction comes first runs. First is what comes first in a topological order in which loops stand together: then
//! every block between a branch and the place where its ways join comes before that place, and the lanes that are there wait.

use ptx_analysis::flow::{FlowFunction, Graph};

/// The order of the instructions of a function, and that of its end.
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
    // What cannot be reached comes last, in the order of the text.
    for at in out.iter_mut().filter(|at| **at == u32::MAX) {
        *at = next;
        next += 1;
    }
    out.into()
}

/// The blocks in order. A loop is any set of blocks of which each can reach each other, whether it has one entry or several: its blocks
/// stand together, one at which it is entered first, the loops inside it in the same way. So whatever comes behind a loop comes after all
/// of it.
fn order(graph: &Graph, blocks: usize) -> Vec<usize> {
    let mut out = Vec::with_capacity(blocks);
    // Sets of blocks that are still to be arranged, and single ones, the next one last.
    enum Work {
        Set(Vec<usize>),
        Block(usize),
    }
    // In which set a block is that is being arranged now: edges that leave it do not count.
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
        // They come the last one first, as they are to be pushed.
        for mut component in search.components(&set, ways) {
            if component.len() == 1 {
                work.push(Work::Block(component[0]));
                continue;
            }
            // The loop is entered where a way leads in from outside, at the first such block in the text.
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

/// Finds sets of blocks of which each can reach each other (Tarjan's algorithm, without recursion).
struct ComponentSearch {
    /// The number of each block in the order of discovery, from 1; 0: not yet found.
    found: Vec<usize>,
    lowest: Vec<usize>,
    on_stack: Vec<bool>,
}

impl ComponentSearch {
    fn new(blocks: usize) -> Self {
        Self { found: vec![0; blocks], lowest: vec![0; blocks], on_stack: vec![false; blocks] }
    }

    /// The components of a set, each before those that lead to it. Of what could stand in either order, the later in the text comes first.
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
                    // `pop` takes the last one: the later in the text is visited first.
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
