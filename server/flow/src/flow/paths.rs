//! Paths through the function under their guards: decides whether a register that is not written on every path is written on
//! every path that can actually be taken.
//!
//! `@p mov r, 1; … @p add s, r, 1;` reads `r` only after it was written, if `p` is the same both times. For one register this
//! analysis tracks the condition under which it is *not* written: a set of predicates with the value that each must have. An
//! instruction that writes the register under a guard adds the opposite of that guard to the condition. A guarded branch adds
//! the value of its guard on each side. A write to a predicate removes it from the condition. Where paths meet, only their
//! common predicates remain. If the condition contradicts itself, the register is written.

use super::function::{FlowFunction, Guard, RegisterSlot};
use super::graph::Graph;
use ptx_isa::tables::ControlTransfer;

/// A path condition: predicates with their values, sorted by register.
type PathCondition = Vec<(RegisterSlot, bool)>;

/// The maximum number of predicates in a condition; hand-written guards use far fewer.
const MAX_PREDICATES: usize = 16;

/// The instructions in `reads` that may execute before the register is written.
pub fn unwritten_at(function: &FlowFunction, graph: &Graph, slot: RegisterSlot, reads: &[usize]) -> Vec<usize> {
    let count = graph.blocks.len();
    // Indexed by block: the condition at its start. `None`: the register is written there, or the block was not visited yet.
    let mut starts: Vec<Option<PathCondition>> = vec![None; count];
    let mut place = vec![0; count];
    for (index, block) in graph.order.iter().enumerate() {
        place[*block as usize] = index;
    }
    let Some(first) = starts.first_mut() else { return Vec::new() };
    *first = Some(PathCondition::new());
    let mut waiting = std::collections::BTreeSet::from([0]);
    while let Some(index) = waiting.pop_first() {
        let block = graph.order[index] as usize;
        let Some(mut state) = starts[block].clone() else { continue };
        let last = graph.blocks[block].end as usize - 1;
        if !graph.blocks[block].instructions().all(|i| step(function, i, slot, &mut state)) {
            continue;
        }
        for next in graph.successors(block) {
            let mut state = state.clone();
            if let Some(side) = side(function, graph, last, *next)
                && !assume(&mut state, side)
            {
                continue;
            }
            let known = &mut starts[*next as usize];
            let changed = match known {
                None => {
                    *known = Some(state);
                    true
                }
                Some(known) => {
                    let before = known.len();
                    known.retain(|literal| state.contains(literal));
                    known.len() != before
                }
            };
            if changed {
                waiting.insert(place[*next as usize]);
            }
        }
    }
    let mut out = Vec::new();
    for read in reads {
        let block = graph.block_of(*read);
        let Some(mut state) = starts[block].clone() else { continue };
        let before = graph.blocks[block].first as usize..*read;
        if before.into_iter().all(|i| step(function, i, slot, &mut state)) {
            let possible = match guard_of(function, *read) {
                // The guard itself is always read.
                Some((p, _)) if p == slot => true,
                Some(literal) => assume(&mut state, literal),
                None => true,
            };
            if possible {
                out.push(*read);
            }
        }
    }
    out
}

/// Applies one instruction to the condition. Returns whether the register may still be unwritten after it.
fn step(function: &FlowFunction, index: usize, slot: RegisterSlot, state: &mut PathCondition) -> bool {
    let writes = function.writes(index);
    if writes.iter().any(|w| w.slot == slot) {
        match guard_of(function, index) {
            Some((p, value)) => {
                if !assume(state, (p, !value)) {
                    return false;
                }
            }
            // Nothing is known of a guard that is not a register.
            None if function.instructions[index].guard.is_some() => {}
            None => return false,
        }
    }
    for write in writes {
        state.retain(|(p, _)| *p != write.slot);
    }
    true
}

/// The predicate value that holds on the edge from the last instruction of a block to the successor `next`, if any.
fn side(function: &FlowFunction, graph: &Graph, last: usize, next: u32) -> Option<(RegisterSlot, bool)> {
    let (p, value) = guard_of(function, last)?;
    let instruction = &function.instructions[last];
    let after = last + 1 < function.instructions.len() && graph.block_of(last + 1) == next as usize;
    match instruction.flow {
        ControlTransfer::Branch => {
            // The branch and its fall-through may lead to the same block.
            let jumps = function.operands_of(last).iter().any(|o| match o.value {
                super::OperandValue::Label(l) => {
                    let target = function.labels[l as usize].target as usize;
                    target < function.instructions.len() && graph.block_of(target) == next as usize
                }
                super::OperandValue::List(_) => true,
                _ => false,
            });
            match (jumps, after) {
                (true, false) => Some((p, value)),
                (false, true) => Some((p, !value)),
                _ => None,
            }
        }
        ControlTransfer::Return | ControlTransfer::Exit => Some((p, !value)),
        ControlTransfer::Call if instruction.noreturn => Some((p, !value)),
        _ => None,
    }
}

/// The register of an instruction's guard and the value that it must have.
fn guard_of(function: &FlowFunction, index: usize) -> Option<(RegisterSlot, bool)> {
    let guard: &Guard = function.instructions[index].guard.as_ref()?;
    Some((guard.slot?, !guard.negated))
}

/// Adds a predicate value to a condition. Returns whether the condition can still hold.
fn assume(state: &mut PathCondition, literal: (RegisterSlot, bool)) -> bool {
    match state.binary_search_by_key(&literal.0, |l| l.0) {
        Ok(at) => state[at].1 == literal.1,
        Err(at) => {
            if state.len() < MAX_PREDICATES {
                state.insert(at, literal);
            }
            true
        }
    }
}
