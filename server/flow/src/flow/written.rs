//! Finds reads of registers that may not have been written before.

use super::bits::BitMatrix;
use super::function::{FlowFunction, FlowOperand, RegisterSlot, RegisterUse};
use super::graph::Graph;
use super::liveness::CrossBlockRegisters;
use super::solve::{Equations, FlowDirection, Meet, solve};
use ptx_isa::OperandName;
use ptx_sema::hir::symbols::VariableOrigin;
use rustc_hash::FxHashMap as HashMap;

/// How certain it is that a register is unwritten where it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// No instruction writes the register.
    Never,
    /// The register is written somewhere, but on no path to the read.
    Nowhere,
    /// The register is written on some of the paths to the read, or under a guard.
    Sometimes,
}

/// A read of a register that is not written on every path to the read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unwritten {
    /// The index of the instruction.
    pub instruction: usize,
    /// The register and the operand.
    pub used: RegisterUse,
    /// How certain it is that the register is unwritten.
    pub certainty: Certainty,
}

/// The registers that hold an undefined value although an instruction writes them: they are copies of registers that are
/// never written. Maps each to the register of which it is a copy.
pub fn undefined_copies(function: &FlowFunction) -> HashMap<RegisterSlot, RegisterSlot> {
    // Indexed by slot: the number of writes.
    let mut writers = vec![0u32; function.registers.len()];
    for write in (0..function.instructions.len()).flat_map(|i| function.writes(i)) {
        writers[write.slot.index()] += 1;
    }
    let unwritten =
        |slot: RegisterSlot| writers[slot.index()] == 0 && function.declaration(slot).origin == VariableOrigin::Body;
    let mut origins: HashMap<RegisterSlot, RegisterSlot> = HashMap::default();
    let mut copies: Vec<usize> = (0..function.instructions.len())
        .filter(|i| function.entry(*i).carries && !function.writes(*i).is_empty())
        .collect();
    if !(0..function.registers.len()).any(|i| unwritten(RegisterSlot(i as u32))) {
        return origins;
    }
    let mut left = writers.clone();
    loop {
        let before = copies.len();
        copies.retain(|index| {
            let origin = |slot: RegisterSlot| if unwritten(slot) { Some(slot) } else { origins.get(&slot).copied() };
            let mut sources = function.named(*index, OperandName::A).flat_map(FlowOperand::slots);
            let Some(first) = sources.next().and_then(origin) else { return true };
            if sources.any(|s| origin(s).is_none()) {
                return true;
            }
            for write in function.writes(*index) {
                left[write.slot.index()] -= 1;
                if left[write.slot.index()] == 0 {
                    origins.insert(write.slot, first);
                }
            }
            false
        });
        if copies.len() == before {
            return origins;
        }
    }
}

/// The reads of registers that are not certainly written before, in reverse post-order of the blocks.
pub fn unwritten(function: &FlowFunction, graph: &Graph) -> Vec<Unwritten> {
    let global = CrossBlockRegisters::new(function, graph);
    let (blocks, limit) = (graph.blocks.len(), global.count());
    let none = BitMatrix::new(blocks, limit, false);
    let boundary =
        global.of_origin(function, |o| matches!(o, VariableOrigin::Parameter | VariableOrigin::KernelParameter));
    let mut surely = BitMatrix::new(blocks, limit, false);
    global.written.iter().for_each(|(b, n)| surely.insert(*b as usize, *n as usize));
    let mut perhaps = BitMatrix::new(blocks, limit, false);
    let mut somewhere = vec![false; function.registers.len()];
    for (number, block) in graph.blocks.iter().enumerate() {
        for write in block.instructions().flat_map(|i| function.writes(i)) {
            somewhere[write.slot.index()] = true;
            if let Some(n) = global.number(write.slot) {
                perhaps.insert(number, n);
            }
        }
    }
    let equations = |meet, generates| Equations {
        direction: FlowDirection::Forward,
        meet,
        limit,
        generates,
        kills: &none,
        boundary: &boundary,
    };
    let always = solve(graph, &equations(Meet::All, &surely));
    let sometimes = solve(graph, &equations(Meet::Any, &perhaps));
    let mut out = Vec::new();
    // Indexed by slot: the last block that writes the register certainly (`sure`), or under a guard (`guarded`).
    let mut sure = vec![u32::MAX; function.registers.len()];
    let mut guarded = vec![u32::MAX; function.registers.len()];
    for block in graph.order.iter().copied() {
        for index in graph.blocks[block as usize].instructions() {
            for used in function.reads(index) {
                let slot: RegisterSlot = used.slot;
                // Another operand decides whether the register is read at all.
                if used.conditional || sure[slot.index()] == block {
                    continue;
                }
                let Some(number) = global.number(slot) else { continue };
                if always.starts.contains(block as usize, number) {
                    continue;
                }
                let maybe = guarded[slot.index()] == block || sometimes.starts.contains(block as usize, number);
                let certainty = match (somewhere[slot.index()], maybe) {
                    (false, _) => Certainty::Never,
                    (true, false) => Certainty::Nowhere,
                    (true, true) => Certainty::Sometimes,
                };
                out.push(Unwritten { instruction: index, used: *used, certainty });
            }
            let mark = if function.instructions[index].guard.is_some() { &mut guarded } else { &mut sure };
            function.writes(index).iter().for_each(|w| mark[w.slot.index()] = block);
        }
    }
    out
}
