//! Blocks that the assembler makes one of: what a short branch jumps over is executed under a guard instead.

use super::live::Ends;
use super::program::{Memory, Operation, Program};
use crate::flow::Graph;

/// The longest piece of code that is executed under a guard instead of jumped over, in operations.
const LONGEST: usize = 12;

/// Blocks that follow one another, as one.
pub struct Region {
    /// The first block.
    pub first: usize,
    /// The last one.
    pub last: usize,
    /// Their operations.
    pub operations: Vec<Operation>,
}

/// All of them, each block in one; blocks where control never comes are in none.
pub fn regions(program: &Program, graph: &Graph, ends: &Ends) -> Vec<Region> {
    let mut taken = vec![false; graph.blocks.len()];
    let mut out = Vec::new();
    for first in graph.order.iter().map(|b| *b as usize) {
        if std::mem::replace(&mut taken[first], true) {
            continue;
        }
        let mut region = Region { first, last: first, operations: program.blocks[first].clone() };
        while let Some((over, to)) = skipped(program, graph, region.last).filter(|(o, t)| !taken[*o] && !taken[*t]) {
            let branch = region.operations.pop_if(|o| o.last);
            let test = branch.map_or(Vec::new(), |b| b.uses);
            for operation in program.blocks[over].iter().filter(|o| !o.last) {
                let mut copy = operation.clone();
                // What only the skipped block itself reads has no other value to keep.
                let kept = || operation.defs.iter().filter(|d| ends.begins_with(to, **d));
                copy.guarded |= kept().next().is_some();
                for unit in test.iter().chain(kept()) {
                    if !copy.uses.contains(unit) {
                        copy.uses.push(*unit);
                    }
                }
                region.operations.push(copy);
            }
            region.operations.extend(program.blocks[to].iter().cloned());
            (taken[over], taken[to]) = (true, true);
            region.last = to;
        }
        out.push(region);
    }
    out
}

/// The block that the end of a block may jump over, and where it goes then.
fn skipped(program: &Program, graph: &Graph, from: usize) -> Option<(usize, usize)> {
    let [a, b] = graph.successors(from) else { return None };
    let one = |over: u32, to: u32| {
        let body = &program.blocks[over as usize];
        let short = body.len() <= LONGEST && !body.iter().any(|o| o.memory == Memory::Barrier);
        let only = |block: u32, from: &[u32]| graph.predecessors(block as usize).iter().all(|p| from.contains(p));
        let skips = short
            && graph.successors(over as usize) == [to]
            && only(over, &[from as u32])
            && only(to, &[from as u32, over]);
        skips.then_some((over as usize, to as usize))
    };
    one(*a, *b).or_else(|| one(*b, *a))
}
