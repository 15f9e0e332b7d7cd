//! Natural loops, and in which of them all lanes of a warp that execute an instruction together are in the same iteration.

use crate::flow::Graph;
use crate::flow::dominance::Tree;

/// The maximum number of steps of the search for loops; a function that needs more is not analysed.
const MAX_STEPS: usize = 4_000_000;

/// A loop: the blocks from which its header can be reached again without leaving the blocks that the header dominates.
#[derive(Debug, Clone)]
pub struct NaturalLoop {
    /// The block through which control enters.
    pub header: u32,
    /// The number of the next loop around it.
    pub parent: Option<u32>,
    /// The number of loops around it.
    pub depth: u32,
    /// Whether lanes that execute an instruction of the loop together have finished the same number of iterations.
    pub converged: bool,
}

/// The loops of a function.
#[derive(Debug, Clone, Default)]
pub struct Loops {
    /// The loops; inner loops come before those around them.
    pub all: Vec<NaturalLoop>,
    /// Indexed by block: the innermost loop that contains it.
    innermost: Vec<Option<u32>>,
    /// Indexed by block: the loop of which it is the header.
    headed: Vec<Option<u32>>,
}

impl Loops {
    /// Finds the loops; `None` for a function that is too large, or that has a cycle with several entries. Such a cycle is not a natural
    /// loop, although lanes may leave it in different iterations. `uniform` returns whether all lanes of a warp take the same way at the
    /// end of a block.
    pub fn new(graph: &Graph, dominators: &Tree, post: &Tree, uniform: &dyn Fn(usize) -> bool) -> Option<Self> {
        let count = graph.blocks.len();
        if has_cycle_with_several_entries(graph, dominators) {
            return None;
        }
        let mut out = Self { all: Vec::new(), innermost: vec![None; count], headed: vec![None; count] };
        let mut steps = 0;
        for header in graph.order.iter().rev().copied() {
            let back =
                |b: &&u32| graph.is_reachable(**b as usize) && dominators.dominates(header as usize, **b as usize);
            let mut waiting: Vec<u32> = graph.predecessors(header as usize).iter().filter(back).copied().collect();
            if waiting.is_empty() {
                continue;
            }
            let number = out.all.len() as u32;
            out.all.push(NaturalLoop { header, parent: None, depth: 0, converged: false });
            out.headed[header as usize] = Some(number);
            while let Some(block) = waiting.pop() {
                steps += 1;
                let inner = match out.outermost(block as usize) {
                    Some(inner) if inner == number => continue,
                    inner => inner,
                };
                let first = match inner {
                    Some(inner) => {
                        out.all[inner as usize].parent = Some(number);
                        out.all[inner as usize].header
                    }
                    None => {
                        out.innermost[block as usize] = Some(number);
                        block
                    }
                };
                if first != header {
                    let reachable = |b: &&u32| graph.is_reachable(**b as usize);
                    waiting.extend(graph.predecessors(first as usize).iter().filter(reachable));
                }
            }
            if out.innermost[header as usize].is_none() {
                out.innermost[header as usize] = Some(number);
            }
            if steps > MAX_STEPS {
                return None;
            }
        }
        // Outer loops come later.
        for number in (0..out.all.len()).rev() {
            out.all[number].depth = out.all[number].parent.map_or(0, |p| out.all[p as usize].depth + 1);
        }
        out.find_converged(graph, post, uniform);
        Some(out)
    }

    /// The innermost loop that contains a block.
    pub fn innermost(&self, block: usize) -> Option<u32> {
        self.innermost.get(block).copied().flatten()
    }

    /// The loop of which a block is the header.
    pub(crate) fn headed_by(&self, block: usize) -> Option<u32> {
        self.headed.get(block).copied().flatten()
    }

    /// The loops that contain a block, the innermost first.
    pub fn around(&self, block: usize) -> impl Iterator<Item = u32> + '_ {
        std::iter::successors(self.innermost(block), |l| self.all[*l as usize].parent)
    }

    /// Whether a loop contains a block.
    pub fn contains(&self, number: u32, block: usize) -> bool {
        self.around(block).any(|l| l == number)
    }

    /// Whether a loop contains another one.
    pub(crate) fn encloses(&self, outer: u32, inner: u32) -> bool {
        std::iter::successors(Some(inner), |l| self.all[*l as usize].parent).any(|l| l == outer)
    }

    fn outermost(&self, block: usize) -> Option<u32> {
        self.around(block).last()
    }

    /// Lanes that part at a branch in a loop meet again at the branch's immediate post-dominator. If a lane can begin the next
    /// iteration before that block, lanes of different iterations may meet.
    fn find_converged(&mut self, graph: &Graph, post: &Tree, uniform: &dyn Fn(usize) -> bool) {
        let mut converged = vec![true; self.all.len()];
        let mut steps = 0;
        // Each pair of a branch and a loop marks blocks with a number of its own.
        let (mut seen, mut mark) = (vec![0u32; graph.blocks.len()], 0);
        for block in graph.order.iter().map(|b| *b as usize) {
            let ways = graph.successors(block);
            if ways.len() < 2 || self.innermost(block).is_none() || uniform(block) {
                continue;
            }
            let around: Vec<u32> = self.around(block).collect();
            for number in around {
                let inside: Vec<u32> = ways.iter().copied().filter(|w| self.contains(number, *w as usize)).collect();
                if inside.len() < 2 || !converged[number as usize] {
                    continue;
                }
                let header = self.all[number as usize].header;
                let meeting = post.parent(block).filter(|m| *m < graph.blocks.len() && self.contains(number, *m));
                let Some(meeting) = meeting.filter(|m| *m != header as usize) else {
                    converged[number as usize] = false;
                    continue;
                };
                mark += 1;
                let mut waiting = inside;
                while let Some(at) = waiting.pop() {
                    steps += 1;
                    if at == header {
                        converged[number as usize] = false;
                        break;
                    }
                    if at as usize == meeting || std::mem::replace(&mut seen[at as usize], mark) == mark {
                        continue;
                    }
                    waiting
                        .extend(graph.successors(at as usize).iter().filter(|b| self.contains(number, **b as usize)));
                }
                if steps > MAX_STEPS {
                    return;
                }
            }
        }
        for (natural, converged) in self.all.iter_mut().zip(converged) {
            natural.converged = converged;
        }
    }
}

/// Whether an edge leads back in reverse post-order to a block that does not dominate its source.
fn has_cycle_with_several_entries(graph: &Graph, dominators: &Tree) -> bool {
    let mut done = vec![false; graph.blocks.len()];
    graph.order.iter().any(|block| {
        done[*block as usize] = true;
        let back = |to: &&u32| done[**to as usize];
        graph
            .successors(*block as usize)
            .iter()
            .filter(back)
            .any(|to| !dominators.dominates(*to as usize, *block as usize))
    })
}

#[cfg(test)]
mod tests {
    use super::Loops;
    use crate::flow::tests::lowered;
    use crate::flow::{Graph, dominance};

    /// For each loop of a kernel with this body, inner ones first: its depth and whether its lanes stay in the same iteration.
    fn of(body: &str) -> Vec<(u32, bool)> {
        let loops = loops(body).expect("natural loops");
        loops.all.iter().map(|l| (l.depth, l.converged)).collect()
    }

    fn loops(body: &str) -> Option<Loops> {
        let function = lowered(&format!(
            ".visible .entry k() {{ .reg .b32 %r<9>; .reg .pred %p<9>; .shared .b32 v; mov.u32 %r1, %tid.x;\n{body}\nret; }}"
        ));
        assert!(function.complete);
        let graph = Graph::new(&function);
        let post = dominance::post_dominators(&graph, |b| graph.blocks[b].leaves);
        Loops::new(&graph, &dominance::dominators(&graph), &post, &|_| false)
    }

    #[test]
    fn a_cycle_with_two_entries_is_no_natural_loop() {
        assert!(loops("@%p1 bra B; A: st.volatile.shared.u32 [v], %r1; B: add.u32 %r1, %r1, 1; @%p2 bra A;").is_none());
        assert!(loops("A: st.volatile.shared.u32 [v], %r1; B: add.u32 %r1, %r1, 1; @%p2 bra A;").is_some());
    }

    #[test]
    fn nested_loops_with_branches_that_meet() {
        let inner = "I: st.volatile.shared.u32 [v], %r1; @%p2 bra I;";
        assert_eq!(of(&format!("O: add.u32 %r1, %r1, 1; {inner} @%p1 bra O;")), [(1, true), (0, true)]);
        assert_eq!(
            of("L: @%p1 bra E; @%p2 bra S; st.volatile.shared.u32 [v], %r1; S: add.u32 %r1, %r1, 1; bra L; E:"),
            [(0, true)]
        );
    }

    #[test]
    fn lanes_that_go_on_before_the_others_arrive() {
        // Some lanes begin the next iteration at once; the others meet them at D, whose exit is the only one.
        assert_eq!(of("L: @%p1 bra D; bra L; D: @%p2 bra L;"), [(0, false)]);
        // An exit from one side: nothing brings the sides together within the loop.
        assert_eq!(of("L: @%p1 bra A; bra B; A: @%p2 bra E; B: add.u32 %r1, %r1, 1; bra L; E:"), [(0, false)]);
    }
}
