//! Merges blocks as the assembler does: code skipped by a short branch is executed under a guard instead.

use super::live::Ends;
use super::program::{EstimateOperation, EstimateProgram, MemoryEffect};
use crate::flow::Graph;

/// The maximum number of operations that are executed under a guard instead of skipped by a branch.
const MAX_OPERATIONS: usize = 12;

/// Consecutive basic blocks merged into one.
pub(crate) struct BlockRegion {
    /// The index of the first block.
    pub first: usize,
    /// The index of the last block.
    pub last: usize,
    /// The operations of all merged blocks.
    pub operations: Vec<EstimateOperation>,
}

/// The regions of a program: each reachable block is in exactly one, unreachable blocks are in none.
pub(crate) fn regions(program: &EstimateProgram, graph: &Graph, ends: &Ends) -> Vec<BlockRegion> {
    let mut taken = vec![false; graph.blocks.len()];
    let mut out = Vec::new();
    for first in graph.order.iter().map(|b| *b as usize) {
        if std::mem::replace(&mut taken[first], true) {
            continue;
        }
        let mut region = BlockRegion { first, last: first, operations: program.blocks[first].clone() };
        loop {
            // A label that nothing jumps to, as debugging information has them, ends no block of the assembler.
            if let Some(next) = follower(graph, region.last).filter(|next| !taken[*next]) {
                region.operations.pop_if(|o| o.last);
                region.operations.extend(program.blocks[next].iter().cloned());
                taken[next] = true;
                region.last = next;
                continue;
            }
            let Some((over, to)) = skipped(program, graph, region.last).filter(|(o, t)| !taken[*o] && !taken[*t])
            else {
                break;
            };
            let branch = region.operations.pop_if(|o| o.last);
            let test = branch.map_or(Vec::new(), |b| b.uses);
            for operation in program.blocks[over].iter().filter(|o| !o.last) {
                let mut copy = operation.clone();
                // A value that only the skipped block reads has no previous value that must be kept.
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

/// The block that always comes after block `from`, and only after it.
fn follower(graph: &Graph, from: usize) -> Option<usize> {
    let [next] = graph.successors(from) else { return None };
    (graph.predecessors(*next as usize) == [from as u32]).then_some(*next as usize)
}

/// The block that the branch at the end of block `from` may skip, and the block at which the paths meet.
fn skipped(program: &EstimateProgram, graph: &Graph, from: usize) -> Option<(usize, usize)> {
    let [a, b] = graph.successors(from) else { return None };
    let one = |over: u32, to: u32| {
        let body = &program.blocks[over as usize];
        let short = body.len() <= MAX_OPERATIONS && !body.iter().any(|o| o.memory == MemoryEffect::Barrier);
        let only = |block: u32, from: &[u32]| graph.predecessors(block as usize).iter().all(|p| from.contains(p));
        let skips = short
            && graph.successors(over as usize) == [to]
            && only(over, &[from as u32])
            && only(to, &[from as u32, over]);
        skips.then_some((over as usize, to as usize))
    };
    one(*a, *b).or_else(|| one(*b, *a))
}

#[cfg(test)]
mod tests {
    use super::super::live::Ends;
    use super::super::program::EstimateProgram;
    use super::regions;
    use crate::flow::Graph;
    use crate::flow::tests::lowered;

    /// For each region: the number of its operations, and how many of them have a guard.
    fn of(skipped: &str) -> Vec<(usize, usize)> {
        let function = lowered(&format!(
            ".visible .entry k(.param .u64 p) {{ .reg .b32 %r<9>; .reg .pred %p<2>; .shared .b32 tile; mov.u32 %r1, %tid.x; \
             setp.eq.u32 %p1, %r1, 0; mov.u32 %r2, %r1; @%p1 bra A; {skipped} A: st.shared.u32 [tile], %r2; ret; }}"
        ));
        assert!(function.complete);
        let graph = Graph::new(&function);
        let program = EstimateProgram::new(&function, &graph);
        let found = regions(&program, &graph, &Ends::new(&program, &graph));
        let guarded = |r: &super::BlockRegion| r.operations.iter().filter(|o| o.guarded).count();
        found.iter().map(|r| (r.operations.len(), guarded(r))).collect()
    }

    #[test]
    fn what_a_short_branch_skips_is_put_under_a_guard() {
        // The branch is gone; a value that is read only inside needs no guard.
        assert_eq!(of("add.u32 %r2, %r1, 7;"), [(6, 1)]);
        assert_eq!(of("add.u32 %r3, %r1, 7; mul.lo.u32 %r2, %r3, %r1;"), [(7, 1)]);
    }

    #[test]
    fn a_label_that_nothing_jumps_to_ends_no_block() {
        assert_eq!(of("add.u32 %r2, %r1, 7; HERE: add.u32 %r2, %r2, %r1;").len(), 3);
        let long = "add.u32 %r2, %r2, %r1;".repeat(13);
        assert_eq!(of(&format!("{long} HERE: {long}")).iter().map(|r| r.0).collect::<Vec<_>>(), [4, 26, 2]);
    }

    #[test]
    fn barriers_and_long_pieces_stay_behind_their_branch() {
        assert_eq!(of("bar.sync 0;").len(), 3);
        assert_eq!(of(&"add.u32 %r2, %r2, %r1;".repeat(12)).len(), 1);
        assert_eq!(of(&"add.u32 %r2, %r2, %r1;".repeat(13)).len(), 3);
    }
}
