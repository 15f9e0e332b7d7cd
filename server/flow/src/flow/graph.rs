//! Blocks and edges.

use super::function::{FlowFunction, FlowInstruction, OperandValue};
use ptx_isa::tables::ControlTransfer;
use std::ops::Range;

/// A basic block: control enters at the first instruction and leaves after the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BasicBlock {
    /// The index of its first instruction.
    pub first: u32,
    /// The index after that of its last instruction.
    pub end: u32,
    /// Control may leave the function here: by `ret`, `exit`, a call that does not return, or at the end of the body.
    pub leaves: bool,
}

impl BasicBlock {
    /// The indices of its instructions.
    pub fn instructions(&self) -> Range<usize> {
        self.first as usize..self.end as usize
    }
}

/// Lists of numbers, one list per node, stored in one contiguous buffer.
#[derive(Debug, Clone, Default)]
pub(super) struct Lists {
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    /// Builds `count` lists from pairs (list, item); the items of a list keep their order.
    pub(super) fn new(count: usize, pairs: &[(u32, u32)]) -> Self {
        let mut starts = vec![0u32; count + 1];
        for (from, _) in pairs {
            starts[*from as usize + 1] += 1;
        }
        for i in 0..count {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let mut items = vec![0; pairs.len()];
        for (from, to) in pairs {
            items[next[*from as usize] as usize] = *to;
            next[*from as usize] += 1;
        }
        Self { starts, items }
    }

    pub(super) fn of(&self, index: usize) -> &[u32] {
        match self.starts.get(index..index + 2) {
            Some(&[start, end]) => &self.items[start as usize..end as usize],
            _ => &[],
        }
    }
}

/// The control-flow graph of a function: its blocks and the edges between them. Block 0 is the entry; a function without
/// instructions has no blocks.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    /// The blocks, in the order of the text.
    pub blocks: Vec<BasicBlock>,
    successors: Lists,
    predecessors: Lists,
    block_of: Vec<u32>,
    /// The blocks reachable from the entry, in reverse post-order: every predecessor of a block comes before it, except along
    /// loop back edges.
    pub order: Vec<u32>,
    reachable: Vec<bool>,
    /// The first block from which control runs off the end of the body.
    pub falls_off: Option<u32>,
}

impl Graph {
    /// The graph of a function.
    pub fn new(function: &FlowFunction) -> Self {
        let count = function.instructions.len();
        if count == 0 {
            return Self::default();
        }
        let mut starts = vec![false; count + 1];
        starts[0] = true;
        for label in &function.labels {
            if let Some(start) = starts.get_mut(label.target as usize) {
                *start = true;
            }
        }
        for (index, instruction) in function.instructions.iter().enumerate() {
            starts[index + 1] |= ends_block(instruction);
        }
        let mut blocks = Vec::new();
        let mut block_of = vec![0; count];
        for index in 0..count {
            if starts[index] {
                blocks.push(BasicBlock { first: index as u32, end: 0, leaves: false });
            }
            block_of[index] = blocks.len() as u32 - 1;
            if let Some(block) = blocks.last_mut() {
                block.end = index as u32 + 1;
            }
        }
        let mut edges = Vec::new();
        // Indexed by target block: the number plus 1 of the last block with an edge to it. Target tables can name the same
        // label more than once.
        let mut led = vec![0; blocks.len()];
        let mut falls_off = None;
        for (number, block) in blocks.iter_mut().enumerate() {
            let last = block.end as usize - 1;
            let instruction = &function.instructions[last];
            let number = number as u32;
            let mut to = |target: u32| match block_of.get(target as usize) {
                Some(target) if led[*target as usize] != number + 1 => {
                    led[*target as usize] = number + 1;
                    edges.push((number, *target));
                }
                Some(_) => {}
                // A label at the end of the body, or a label that is never defined.
                None => {
                    block.leaves = true;
                    falls_off = falls_off.or(Some(number));
                }
            };
            if instruction.flow == ControlTransfer::Branch {
                for label in targets(function, last) {
                    to(function.labels.get(label as usize).map_or(u32::MAX, |l| l.target));
                }
            }
            if goes_on(instruction) {
                to(block.end);
            }
            block.leaves |=
                matches!(instruction.flow, ControlTransfer::Return | ControlTransfer::Exit) || instruction.noreturn;
        }
        let reversed: Vec<(u32, u32)> = edges.iter().map(|(a, b)| (*b, *a)).collect();
        let successors = Lists::new(blocks.len(), &edges);
        let predecessors = Lists::new(blocks.len(), &reversed);
        let order = post_order(blocks.len(), 0, |b| successors.of(b));
        let order: Vec<u32> = order.into_iter().rev().collect();
        let mut reachable = vec![false; blocks.len()];
        order.iter().for_each(|b| reachable[*b as usize] = true);
        let falls_off = falls_off.filter(|b| reachable[*b as usize]);
        Self { blocks, successors, predecessors, block_of, order, reachable, falls_off }
    }

    /// The blocks to which control may go from a block, each once.
    pub fn successors(&self, block: usize) -> &[u32] {
        self.successors.of(block)
    }

    /// The blocks from which control may come to a block.
    pub fn predecessors(&self, block: usize) -> &[u32] {
        self.predecessors.of(block)
    }

    /// The index of the block that contains an instruction.
    pub fn block_of(&self, instruction: usize) -> usize {
        self.block_of.get(instruction).map_or(0, |b| *b as usize)
    }

    /// Whether control can reach the block from the entry of the function.
    pub fn is_reachable(&self, block: usize) -> bool {
        self.reachable.get(block).copied().unwrap_or(false)
    }
}

/// Whether the instruction ends its block, so that the next instruction begins a new one.
fn ends_block(instruction: &FlowInstruction) -> bool {
    matches!(instruction.flow, ControlTransfer::Branch | ControlTransfer::Return | ControlTransfer::Exit)
        || instruction.noreturn
}

/// Whether control may continue with the next instruction.
fn goes_on(instruction: &FlowInstruction) -> bool {
    instruction.guard.is_some() || !ends_block(instruction)
}

/// The number of branch targets, summed over all branches of the function.
pub(crate) fn branches(function: &FlowFunction) -> usize {
    let branches =
        (0..function.instructions.len()).filter(|index| function.instructions[*index].flow == ControlTransfer::Branch);
    branches.map(|index| targets(function, index).count()).sum()
}

/// The labels to which a branch may go: indices into [`FlowFunction::labels`].
fn targets(function: &FlowFunction, index: usize) -> impl Iterator<Item = u32> + '_ {
    function.operands_of(index).iter().flat_map(|operand| {
        let (one, list) = match operand.value {
            OperandValue::Label(label) => (Some(label), None),
            OperandValue::List(list) => (None, function.lists.get(list as usize)),
            _ => (None, None),
        };
        one.into_iter().chain(list.into_iter().flat_map(|l| l.labels.iter().copied()))
    })
}

/// The nodes reachable from `root` in post-order: each node after its successors, except along loop back edges.
pub(super) fn post_order<'g>(count: usize, root: usize, successors: impl Fn(usize) -> &'g [u32]) -> Vec<u32> {
    let mut seen = vec![false; count];
    let mut out = Vec::with_capacity(count);
    let mut stack: Vec<(u32, u32)> = vec![(root as u32, 0)];
    if let Some(first) = seen.get_mut(root) {
        *first = true;
    }
    while let Some((node, next)) = stack.last_mut() {
        match successors(*node as usize).get(*next as usize) {
            Some(to) => {
                *next += 1;
                let to = *to;
                if !std::mem::replace(&mut seen[to as usize], true) {
                    stack.push((to, 0));
                }
            }
            None => {
                out.push(*node);
                stack.pop();
            }
        }
    }
    out
}
