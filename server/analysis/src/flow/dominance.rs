//! Dominators and post-dominators.

use super::graph::{Graph, Lists, post_order};

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

/// Computes immediate dominators with the iterative algorithm of Cooper, Harvey and Kennedy.
fn immediate<'g>(
    count: usize,
    root: usize,
    successors: impl Fn(usize) -> &'g [u32],
    predecessors: impl Fn(usize) -> &'g [u32],
) -> Vec<u32> {
    let mut parent = vec![NONE; count];
    if count == 0 {
        return parent;
    }
    let order = post_order(count, root, successors);
    let mut number = vec![NONE; count];
    for (place, node) in order.iter().enumerate() {
        number[*node as usize] = place as u32;
    }
    parent[root] = root as u32;
    let mut changed = true;
    while changed {
        changed = false;
        for node in order.iter().rev().copied().filter(|n| *n as usize != root) {
            let mut new = NONE;
            for from in predecessors(node as usize).iter().copied().filter(|p| parent[*p as usize] != NONE) {
                new = if new == NONE { from } else { common(&parent, &number, new, from) };
            }
            if new != parent[node as usize] {
                parent[node as usize] = new;
                changed = true;
            }
        }
    }
    parent[root] = NONE;
    parent
}

/// The nearest common ancestor of two nodes.
fn common(parent: &[u32], number: &[u32], a: u32, b: u32) -> u32 {
    let (mut a, mut b) = (a, b);
    while a != b {
        while number[a as usize] < number[b as usize] {
            a = parent[a as usize];
        }
        while number[b as usize] < number[a as usize] {
            b = parent[b as usize];
        }
    }
    a
}
