//! The independent live ranges (*webs*) of one register: which of its reads see which of its writes.
//!
//! A *web* is a set of writes and reads that must name the same register, because some read may see any of several writes. A
//! register with several webs is reused: each web could be a register of its own. A write under a guard does not end the
//! previous value. The elements of a vector register belong to one web if an operand names all of them.

use super::function::{FlowFunction, OperandValue, RegisterSlot};
use super::graph::Graph;
use ptx_sema::hir::symbols::VariableOrigin;
use rustc_hash::FxHashMap as HashMap;
use std::ops::Range;

/// An operand or guard in which an instruction names the register.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebPlace {
    /// The byte range of the operand, or of the predicate of a guard, from the start of the function's item. The range
    /// contains the name.
    pub range: Range<u32>,
    /// The index of the instruction.
    pub instruction: u32,
    /// Index into [`Webs::webs`].
    pub web: u32,
    /// Whether the instruction writes the register; it may read it too.
    pub writes: bool,
}

/// One web: an independent live range of the register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Web {
    /// Whether the caller passes or reads the value. The name in the signature then belongs to the web.
    pub fixed: bool,
    /// Whether a read may see the register before any write.
    pub unwritten: bool,
}

/// The webs of one register.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Webs {
    /// The webs, in the order of their first places.
    pub webs: Vec<Web>,
    /// All places that name the register, in text order.
    pub places: Vec<WebPlace>,
}

impl Webs {
    /// The index of the web whose place contains a byte offset.
    pub fn at(&self, offset: u32) -> Option<u32> {
        self.places.iter().find(|p| p.range.start <= offset && offset < p.range.end).map(|p| p.web)
    }
}

/// A union-find structure.
#[derive(Default)]
struct DisjointSets {
    parents: Vec<u32>,
}

impl DisjointSets {
    fn add(&mut self) -> u32 {
        let new = self.parents.len() as u32;
        self.parents.push(new);
        new
    }

    fn find(&mut self, node: u32) -> u32 {
        let mut root = node;
        while self.parents[root as usize] != root {
            root = self.parents[root as usize];
        }
        let mut here = node;
        while self.parents[here as usize] != root {
            here = std::mem::replace(&mut self.parents[here as usize], root);
        }
        root
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.parents[a.max(b) as usize] = a.min(b);
    }
}

/// What an instruction does to one slot.
struct Event {
    instruction: usize,
    /// Index into [`FlowFunction::operands`]; `None` for the guard.
    operand: Option<u32>,
    writes: bool,
    /// Whether the write is unconditional and replaces the whole register.
    kills: bool,
}

/// Computes the webs of a register: `declaration` is an index into [`FlowFunction::declarations`]; `number` is the register's
/// number in a range such as `%r<10>`, else 0.
pub fn webs(function: &FlowFunction, graph: &Graph, declaration: u32, number: u32) -> Webs {
    let wanted = |r: &super::SlotRegister| r.declaration == declaration && r.number == number;
    let slots =
        function.registers.iter().enumerate().filter(|(_, r)| wanted(r)).map(|(index, _)| RegisterSlot(index as u32));
    let mut sets = DisjointSets::default();
    // A place is one node for all of its accesses and elements; the guard and each operand of an instruction are separate
    // nodes.
    let mut places: HashMap<(usize, Option<u32>), u32> = HashMap::default();
    let (mut outside, mut nothing) = (Vec::new(), Vec::new());
    for slot in slots {
        one(function, graph, slot, &mut sets, &mut places, (&mut outside, &mut nothing));
    }
    let mut found: Vec<(Range<u32>, usize, bool, u32)> = places
        .into_iter()
        .filter_map(|((instruction, operand), node)| {
            let range = match operand {
                Some(operand) => function.operands.get(operand as usize)?.range.clone(),
                None => function.instructions.get(instruction)?.guard.as_ref()?.range.clone(),
            };
            let writes = function.writes(instruction).iter().any(|u| operand.is_some() && u.operand == operand);
            Some((range, instruction, writes, node))
        })
        .collect();
    found.sort_by_key(|(range, ..)| (range.start, range.end));
    let fixed: Vec<u32> = outside.into_iter().map(|n| sets.find(n)).collect();
    let unwritten: Vec<u32> = nothing.into_iter().map(|n| sets.find(n)).collect();
    let mut out = Webs::default();
    let mut numbers: HashMap<u32, u32> = HashMap::default();
    for (range, instruction, writes, node) in found {
        let root = sets.find(node);
        let web = *numbers.entry(root).or_insert_with(|| {
            out.webs.push(Web { fixed: fixed.contains(&root), unwritten: unwritten.contains(&root) });
            out.webs.len() as u32 - 1
        });
        out.places.push(WebPlace { range, instruction: instruction as u32, web, writes });
    }
    out
}

/// Joins the places of one slot that belong to the same web.
///
/// If the value at the start of a block is still read, that read sees every write that reaches the block. So one node per
/// such block is enough, and no sets of writes need to be propagated.
fn one(
    function: &FlowFunction,
    graph: &Graph,
    slot: RegisterSlot,
    sets: &mut DisjointSets,
    places: &mut HashMap<(usize, Option<u32>), u32>,
    (outside, nothing): (&mut Vec<u32>, &mut Vec<u32>),
) {
    let blocks = events(function, graph, slot);
    let origin = function.declaration(slot).origin;
    let live = live_at_start(graph, &blocks, origin == VariableOrigin::Result);
    let starts: HashMap<u32, u32> = live.iter().map(|block| (*block, sets.add())).collect();
    // The register's value when the function begins.
    let entry = sets.add();
    match origin {
        VariableOrigin::Parameter | VariableOrigin::KernelParameter => outside.push(entry),
        _ => nothing.push(entry),
    }
    // The read of a result when the function returns.
    let exit = (origin == VariableOrigin::Result).then(|| sets.add());
    outside.extend(exit);
    if let Some(start) = starts.get(&0) {
        sets.join(*start, entry);
    }
    let mut visit: Vec<u32> = blocks.keys().copied().chain(live.iter().copied()).collect();
    visit.sort_unstable();
    visit.dedup();
    for block in visit {
        // The nodes of the values that the register may hold now; writes under guards add to them.
        let mut now: Vec<u32> = starts.get(&block).copied().into_iter().collect();
        for event in blocks.get(&block).into_iter().flatten() {
            let node = *places.entry((event.instruction, event.operand)).or_insert_with(|| sets.add());
            if event.writes {
                if event.kills {
                    now.clear();
                }
                now.push(node);
            } else {
                now.iter().for_each(|n| sets.join(*n, node));
                now.truncate(1);
            }
        }
        let successors = graph.successors(block as usize).iter().filter_map(|next| starts.get(next)).copied();
        let leaves = exit.filter(|_| graph.blocks[block as usize].leaves);
        for next in successors.chain(leaves).collect::<Vec<_>>() {
            now.iter().for_each(|n| sets.join(*n, next));
        }
    }
    // Blocks without predecessors.
    for block in live.iter().filter(|b| **b != 0 && graph.predecessors(**b as usize).is_empty()) {
        sets.join(starts[block], entry);
    }
}

/// The accesses of each block to a slot; for each instruction, reads come before writes.
fn events(function: &FlowFunction, graph: &Graph, slot: RegisterSlot) -> HashMap<u32, Vec<Event>> {
    let mut out: HashMap<u32, Vec<Event>> = HashMap::default();
    for instruction in 0..function.instructions.len() {
        let read = function.reads(instruction).iter().filter(|u| u.slot == slot);
        let written = function.writes(instruction).iter().filter(|u| u.slot == slot);
        let mut own: Vec<Event> =
            read.map(|u| Event { instruction, operand: u.operand, writes: false, kills: false }).collect();
        let guarded = function.instructions[instruction].guard.is_some();
        for used in written {
            let operand = used.operand.and_then(|o| function.operands.get(o as usize));
            let part = operand.is_some_and(|o| matches!(o.value, OperandValue::Part(..)));
            if part {
                // The rest of the register keeps its value.
                own.push(Event { instruction, operand: used.operand, writes: false, kills: false });
            }
            own.push(Event { instruction, operand: used.operand, writes: true, kills: !guarded && !part });
        }
        if !own.is_empty() {
            own.sort_by_key(|e| e.writes);
            out.entry(graph.block_of(instruction) as u32).or_default().extend(own);
        }
    }
    out
}

/// The blocks at whose start the value of a slot may still be read; includes unreachable blocks.
fn live_at_start(graph: &Graph, blocks: &HashMap<u32, Vec<Event>>, result: bool) -> Vec<u32> {
    let read_first = |events: &Vec<Event>| events.iter().find(|e| e.kills || !e.writes).map(|e| !e.writes);
    let mut live = vec![false; graph.blocks.len()];
    let leaves = (0..graph.blocks.len()).filter(|b| result && graph.blocks[*b].leaves).map(|b| b as u32);
    // The blocks at whose end the value may still be read.
    let mut waiting: Vec<u32> = leaves.collect();
    let mut ended = vec![false; graph.blocks.len()];
    let mut start = |block: u32, waiting: &mut Vec<u32>| {
        if !std::mem::replace(&mut live[block as usize], true) {
            waiting.extend(graph.predecessors(block as usize));
        }
    };
    for (block, _) in blocks.iter().filter(|(_, events)| read_first(events) == Some(true)) {
        start(*block, &mut waiting);
    }
    while let Some(block) = waiting.pop() {
        if !std::mem::replace(&mut ended[block as usize], true)
            && blocks.get(&block).is_none_or(|events| read_first(events).is_none())
        {
            start(block, &mut waiting);
        }
    }
    (0..graph.blocks.len() as u32).filter(|b| live[*b as usize]).collect()
}

#[cfg(test)]
mod tests;
