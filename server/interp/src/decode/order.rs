//! In which order groups of lanes are executed that a branch has parted: so that they meet again where their ways join.
//!
//! The group whose instruction comes first runs. First is what comes first in a reverse post-order in which a loop stands together: then
//! every block between a branch and the place where its ways join comes before that place, and the lanes that are there wait.

use ptx_analysis::flow::{Function, Graph, dominance};

/// The order of the instructions of a function, and that of its end.
pub fn priorities(function: &Function) -> Box<[u32]> {
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

/// How deep each block lies in loops: the loops that a back edge to a dominator closes.
fn depths(graph: &Graph, blocks: usize) -> Vec<Vec<usize>> {
    let tree = dominance::dominators(graph);
    let mut loops: Vec<Vec<usize>> = vec![Vec::new(); blocks];
    for block in 0..blocks {
        for head in graph.successors(block).iter().map(|s| *s as usize) {
            if !tree.dominates(head, block) {
                continue;
            }
            // The body: what reaches the back edge without passing the head.
            let mut work = vec![block];
            let mut seen = vec![false; blocks];
            seen[head] = true;
            while let Some(at) = work.pop() {
                if std::mem::replace(&mut seen[at], true) {
                    continue;
                }
                work.extend(graph.predecessors(at).iter().map(|p| *p as usize));
            }
            for (block, _) in seen.iter().enumerate().filter(|(_, in_loop)| **in_loop) {
                if !loops[block].contains(&head) {
                    loops[block].push(head);
                }
            }
        }
    }
    loops
}

/// The blocks in order.
fn order(graph: &Graph, blocks: usize) -> Vec<usize> {
    let loops = depths(graph, blocks);
    let mut post = Vec::with_capacity(blocks);
    let mut seen = vec![false; blocks];
    // Successors that leave a loop are visited first, so they come last.
    let ways = |block: usize| {
        let shared = |to: usize| loops[block].iter().filter(|head| loops[to].contains(head)).count();
        let mut ways: Vec<usize> = graph.successors(block).iter().map(|s| *s as usize).collect();
        ways.sort_by_key(|to| shared(*to));
        ways
    };
    if blocks == 0 {
        return post;
    }
    seen[0] = true;
    let mut stack = vec![(0, ways(0), 0)];
    while let Some((block, list, at)) = stack.last_mut() {
        match list.get(*at).copied() {
            Some(to) => {
                *at += 1;
                if !std::mem::replace(&mut seen[to], true) {
                    stack.push((to, ways(to), 0));
                }
            }
            None => {
                post.push(*block);
                stack.pop();
            }
        }
    }
    post.reverse();
    post
}
