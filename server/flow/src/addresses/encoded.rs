//! Operands whose bits have a meaning (`decodes` in the tables), such as the descriptors of matrices: their values, and the instructions
//! that make them.

use super::node::{Node, NodeId, Symbol};
use super::values::Values;
use crate::flow::{FlowFunction, FlowOperand, Graph, RegisterSlot};
use ptx_isa::tables::TypeClass;
use rustc_hash::FxHashSet as HashSet;

/// The maximum number of instructions that are searched for the makers of all operands of a function.
const MAX_STEPS: usize = 1 << 20;

/// The maximum number of instructions that make one value.
const MAX_MAKERS: usize = 64;

/// An operand in a register whose bits have a meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncodedOperand {
    /// The index of the instruction.
    pub instruction: u32,
    /// The index of the operand, in written order.
    pub place: u8,
    /// Its name in the form.
    pub name: &'static str,
    /// The name of the encoding.
    pub encoding: &'static str,
    /// The modifiers of the instruction.
    pub modifiers: Box<[&'static str]>,
    /// The register.
    pub slot: RegisterSlot,
    /// Its value.
    pub value: NodeId,
    /// The instructions whose write of the register it may read, in text order.
    pub writers: Box<[u32]>,
    /// The instructions whose results become a part of the value, in text order. Empty if there are many.
    pub makers: Box<[u32]>,
}

impl EncodedOperand {
    /// Whether an instruction makes a part of its value.
    pub fn is_made_by(&self, instruction: u32) -> bool {
        self.makers.binary_search(&instruction).is_ok()
    }

    /// An operand of an instruction; `None` if its bits have no meaning. Who makes it is not known yet.
    pub(super) fn new(
        function: &FlowFunction,
        index: usize,
        (operand, slot): (&FlowOperand, RegisterSlot),
        value: NodeId,
    ) -> Option<Self> {
        let spec = operand.spec.filter(|spec| !spec.decodes.is_empty())?;
        let modifiers = function.chosen(index).values.iter().flatten().copied().collect();
        Some(Self {
            instruction: index as u32,
            place: operand.place,
            name: spec.name,
            encoding: spec.decodes,
            modifiers,
            slot,
            value,
            writers: Box::default(),
            makers: Box::default(),
        })
    }
}

/// Finds the makers of the operands.
pub(super) fn find_makers(function: &FlowFunction, graph: &Graph, operands: &mut [EncodedOperand]) {
    let mut search = MakerSearch { function, graph, steps: MAX_STEPS };
    for operand in operands {
        let (index, slot) = (operand.instruction as usize, operand.slot);
        operand.writers = search.writers(index, slot).into_iter().map(|writer| writer as u32).collect();
        operand.writers.sort_unstable();
        operand.makers = search.makers(index, slot).into();
    }
}

struct MakerSearch<'a> {
    function: &'a FlowFunction,
    graph: &'a Graph,
    steps: usize,
}

impl MakerSearch<'_> {
    /// The instructions whose results become a part of the value that an instruction reads from a register.
    fn makers(&mut self, index: usize, slot: RegisterSlot) -> Vec<u32> {
        let (mut out, mut seen) = (Vec::new(), HashSet::default());
        let mut waiting = vec![(index, slot)];
        while let Some((index, slot)) = waiting.pop() {
            if !seen.insert((index, slot)) {
                continue;
            }
            for writer in self.writers(index, slot) {
                if out.contains(&(writer as u32)) {
                    continue;
                }
                out.push(writer as u32);
                if out.len() > MAX_MAKERS || self.steps == 0 {
                    return Vec::new();
                }
                // A value that is loaded is not made of the address.
                let function = self.function;
                if function.entry(writer).pure {
                    let number = |slot: RegisterSlot| function.declaration(slot).ty.info().class != TypeClass::Pred;
                    let reads = function.reads(writer).iter().filter(|r| r.operand.is_some() && number(r.slot));
                    waiting.extend(reads.map(|read| (writer, read.slot)));
                }
            }
        }
        out.sort_unstable();
        out
    }

    /// The instructions whose write an instruction may read from a register.
    fn writers(&mut self, index: usize, slot: RegisterSlot) -> Vec<usize> {
        let (function, graph) = (self.function, self.graph);
        let own = graph.block_of(index);
        let mut out = Vec::new();
        let mut entered = HashSet::default();
        let mut waiting = vec![(own, index)];
        while let Some((block, end)) = waiting.pop() {
            let mut is_open = true;
            for at in (graph.blocks[block].instructions().start..end).rev() {
                self.steps = self.steps.saturating_sub(1);
                let Some(write) = function.writes(at).iter().find(|write| write.slot == slot) else { continue };
                out.push(at);
                let operand = write.operand.and_then(|o| function.operands.get(o as usize));
                let is_whole = operand.is_some_and(|o| o.selector().is_none());
                if is_whole && function.instructions[at].guard.is_none() {
                    is_open = false;
                    break;
                }
            }
            if is_open && self.steps > 0 {
                let before = graph.predecessors(block).iter().map(|b| *b as usize);
                let new = before.filter(|b| graph.is_reachable(*b) && entered.insert(*b));
                waiting.extend(new.map(|b| (b, graph.blocks[b].instructions().end)));
            }
        }
        out
    }
}

impl Values {
    /// Whether a part of a kernel parameter becomes a part of a value. The parameter is an index into
    /// [`FlowFunction::variables`].
    pub(super) fn contains_parameter(&self, id: NodeId, parameter: u32) -> bool {
        let (mut seen, mut waiting) = (HashSet::default(), vec![id]);
        while let Some(id) = waiting.pop() {
            let node = &self.facts(id).node;
            if matches!(node, Node::Symbol(Symbol::Parameter(variable, _)) if *variable == parameter) {
                return true;
            }
            if seen.insert(id) {
                waiting.extend(node.arguments());
            }
        }
        false
    }
}
