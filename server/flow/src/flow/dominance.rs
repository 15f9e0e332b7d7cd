//! Dominators and post-dominators.

use super::graph::{Graph, Lists};

/// A dominator tree (or post-dominator tree): the parent of a block is the nearest block on every path to (or from) it.
#[derive(Debug, Clone, Default)]
pub struct Tree {
    parent: Vec<u32>,
    /// Indexed by block: the step at which a depth-first walk of the tree enters and leaves the block.
    entered: Vec<u32>,
    left: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Tree {
    /// The immediate dominator of a block, if it has one.
    pub fn parent(&self, block: usize) -> Option<usize> {
        self.parent.get(block).filter(|p| **p != NONE).map(|p| *p as usize)
    }

    /// Whether `a` dominates `b`; a block dominates itself. Blocks that are not in the tree dominate nothing else.
    pub fn dominates(&self, a: usize, b: usize) -> bool {
        if a == b {
            return true;
        }
        let inside = |a: usize, b: usize| {
            Some(*self.entered.get(a)? < *self.entered.get(b)? && *self.left.get(b)? < *self.left.get(a)?)
        };
        inside(a, b).unwrap_or(false)
    }

    fn new(parent: Vec<u32>, root: usize) -> Self {
        let pairs: Vec<(u32, u32)> =
            parent.iter().enumerate().filter(|(_, p)| **p != NONE).map(|(n, p)| (*p, n as u32)).collect();
        let children = Lists::new(parent.len(), &pairs);
        let (mut entered, mut left) = (vec![0; parent.len()], vec![0; parent.len()]);
        let mut clock = 0;
        let mut stack = vec![(root, 0)];
        while let Some((node, next)) = stack.last_mut() {
            if *next == 0 {
                clock += 1;
                if let Some(at) = entered.get_mut(*node) {
                    *at = clock;
                }
            }
            match children.of(*node).get(*next) {
                Some(child) => {
                    *next += 1;
                    let child = *child as usize;
                    stack.push((child, 0));
                }
                None => {
                    clock += 1;
                    if let Some(at) = left.get_mut(*node) {
                        *at = clock;
                    }
                    stack.pop();
                }
            }
        }
        Self { parent, entered, left }
    }
}

/// The dominator tree of the reachable blocks.
pub fn dominators(graph: &Graph) -> Tree {
    let count = graph.blocks.len();
    let parent = immediate(count, 0, |b| graph.successors(b), |b| graph.predecessors(b));
    Tree::new(parent, 0)
}

/// The post-dominator tree. An extra node, numbered `graph.blocks.len()`, stands for the exit of the function; a block that
/// cannot reach it has no post-dominator. `leads_out` returns whether control may leave the function from a block.
pub fn post_dominators(graph: &Graph, leads_out: impl Fn(usize) -> bool) -> Tree {
    let count = graph.blocks.len();
    let mut forward: Vec<(u32, u32)> = Vec::new();
    for block in 0..count {
        forward.extend(graph.successors(block).iter().map(|s| (block as u32, *s)));
        if leads_out(block) {
            forward.push((block as u32, count as u32));
        }
    }
    post_dominators_of(count, &forward)
}

/// The post-dominator tree of `count` blocks with the edges `forward`; an edge to node `count` leaves the function.
pub(super) fn post_dominators_of(count: usize, forward: &[(u32, u32)]) -> Tree {
    let backward: Vec<(u32, u32)> = forward.iter().map(|(a, b)| (*b, *a)).collect();
    let (forward, backward) = (Lists::new(count + 1, forward), Lists::new(count + 1, &backward));
    let parent = immediate(count + 1, count, |b| backward.of(b), |b| forward.of(b));
    Tree::new(parent, count)
}

/// Computes immediate dominators with the algorithm of Lengauer and Tarjan, which takes nearly linear time: the iteration of Cooper,
/// Harvey and Kennedy climbs a tree as deep as the function is long for each of thousands of branches to one label.
fn immediate<'g>(
    count: usize,
    root: usize,
    successors: impl Fn(usize) -> &'g [u32],
    predecessors: impl Fn(usize) -> &'g [u32],
) -> Vec<u32> {
    let mut out = vec![NONE; count];
    if count == 0 {
        return out;
    }
    // From here on nodes have the numbers of a depth-first walk, in which the root has number 0.
    let Walk { nodes, before, number } = Walk::new(count, root, successors);
    let mut forest = Forest::new(nodes.len());
    let mut parent = vec![0_u32; nodes.len()];
    let mut waiting: Vec<Vec<u32>> = vec![Vec::new(); nodes.len()];
    for node in (1..nodes.len() as u32).rev() {
        let sources = predecessors(nodes[node as usize] as usize).iter().map(|from| number[*from as usize]);
        for from in sources.filter(|from| *from != NONE) {
            let least = forest.evaluate(from);
            let least = forest.semi[least as usize];
            let semi = &mut forest.semi[node as usize];
            *semi = least.min(*semi);
        }
        waiting[forest.semi[node as usize] as usize].push(node);
        let above = before[node as usize];
        forest.ancestor[node as usize] = above;
        for other in std::mem::take(&mut waiting[above as usize]) {
            let least = forest.evaluate(other);
            let earlier = forest.semi[least as usize] < forest.semi[other as usize];
            parent[other as usize] = if earlier { least } else { above };
        }
    }
    for node in 1..nodes.len() {
        if parent[node] != forest.semi[node] {
            parent[node] = parent[parent[node] as usize];
        }
        out[nodes[node] as usize] = nodes[parent[node] as usize];
    }
    out
}

/// A depth-first walk from a root.
struct Walk {
    /// The nodes in the order in which the walk reaches them.
    nodes: Vec<u32>,
    /// Indexed by number in that order: the number of the node from which the walk came.
    before: Vec<u32>,
    /// Indexed by node: its number, or [`NONE`] if no path leads to it.
    number: Vec<u32>,
}

impl Walk {
    fn new<'g>(count: usize, root: usize, successors: impl Fn(usize) -> &'g [u32]) -> Self {
        let mut out = Self { nodes: Vec::new(), before: Vec::new(), number: vec![NONE; count] };
        out.reach(root as u32, 0);
        let mut path: Vec<(u32, usize)> = vec![(0, 0)];
        while let Some((from, edge)) = path.last_mut() {
            let (number, next) = (*from, successors(out.nodes[*from as usize] as usize).get(*edge).copied());
            *edge += 1;
            match next {
                Some(to) if out.number[to as usize] == NONE => path.push((out.reach(to, number), 0)),
                Some(_) => {}
                None => drop(path.pop()),
            }
        }
        out
    }

    fn reach(&mut self, node: u32, from: u32) -> u32 {
        let number = self.nodes.len() as u32;
        self.number[node as usize] = number;
        self.nodes.push(node);
        self.before.push(from);
        number
    }
}

/// The nodes that were visited so far, with their parents in the walk, along paths that become shorter with each look-up.
struct Forest {
    /// The semidominators.
    semi: Vec<u32>,
    ancestor: Vec<u32>,
    /// The node with the least semidominator between a node and its ancestor.
    least: Vec<u32>,
    path: Vec<u32>,
}

impl Forest {
    fn new(count: usize) -> Self {
        let own: Vec<u32> = (0..count as u32).collect();
        Self { semi: own.clone(), ancestor: vec![NONE; count], least: own, path: Vec::new() }
    }

    /// The node with the least semidominator among a node and those above it, but for the root of its tree.
    fn evaluate(&mut self, node: u32) -> u32 {
        let mut top = node;
        while self.ancestor[top as usize] != NONE {
            self.path.push(top);
            top = self.ancestor[top as usize];
        }
        // The child of the root keeps its ancestor; all below it get the root for theirs.
        self.path.pop();
        while let Some(node) = self.path.pop() {
            let above = self.ancestor[node as usize];
            let (own, other) = (self.least[node as usize], self.least[above as usize]);
            if self.semi[other as usize] < self.semi[own as usize] {
                self.least[node as usize] = other;
            }
            self.ancestor[node as usize] = self.ancestor[above as usize];
        }
        self.least[node as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::{NONE, immediate};
    use crate::flow::graph::Lists;

    /// The immediate dominators by their definition: without a dominator, no path leads from the root to the node.
    fn by_definition(count: usize, edges: &[(u32, u32)]) -> Vec<u32> {
        let reached = |without: usize| {
            let mut seen = vec![false; count];
            let mut waiting = if without == 0 { Vec::new() } else { vec![0] };
            while let Some(node) = waiting.pop() {
                if node != without && !std::mem::replace(&mut seen[node], true) {
                    waiting.extend(edges.iter().filter(|e| e.0 as usize == node).map(|e| e.1 as usize));
                }
            }
            seen
        };
        let all = reached(count);
        let lost: Vec<Vec<bool>> = (0..count).map(reached).collect();
        let dominates = |a: usize, b: usize| all[a] && all[b] && !lost[a][b];
        let nearest = |node: usize| {
            let above = || (0..count).filter(|a| *a != node && dominates(*a, node));
            // The nearest one is dominated by all others.
            above().find(|a| above().all(|other| dominates(other, *a))).map_or(NONE, |a| a as u32)
        };
        (0..count).map(nearest).collect()
    }

    #[test]
    fn dominators_are_what_no_path_avoids() {
        let mut state = 1_u64;
        let mut number = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        for round in 0..400 {
            let count = 1 + number(12);
            let edges: Vec<(u32, u32)> =
                (0..number(3 * count)).map(|_| (number(count) as u32, number(count) as u32)).collect();
            let back: Vec<(u32, u32)> = edges.iter().map(|(a, b)| (*b, *a)).collect();
            let (forward, backward) = (Lists::new(count, &edges), Lists::new(count, &back));
            let found = immediate(count, 0, |node| forward.of(node), |node| backward.of(node));
            assert_eq!(found, by_definition(count, &edges), "round {round}: {edges:?}");
        }
    }
}
