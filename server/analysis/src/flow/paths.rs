//! Ways through the function under the guards that stand on them: whether a register that is not written on every way is
//! written on every way that can be taken.
//!
//! `@p mov r, 1; … @p add s, r, 1;` reads `r` only where it was written, if `p` is the same both times. For one register
//! this follows the condition under which it is *not* written: a set of predicates with the value that each must have. An
//! instruction that writes the register under a guard adds the opposite to the condition, a guarded branch adds its side,
//! writing a predicate takes that out, and where ways meet only what they have in common remains. Where the condition
//! contradicts itself, the register is written.

use super::function::{FlowFunction, Guard, RegisterSlot};
use super::graph::Graph;
use ptx_isa::tables::ControlTransfer;

/// A path condition: predicates with the values that they have. Sorted.
type PathCondition = Vec<(RegisterSlot, bool)>;

/// Predicates that are followed at once; hand-written guards use far fewer.
const MAX_PREDICATES: usize = 16;

/// Whether a register can be unwritten when an instruction of `reads` is executed; the first such instruction.
pub fn unwritten_at(function: &FlowFunction, graph: &Graph, slot: RegisterSlot, reads: &[usize]) -> Vec<usize> {
    let count = graph.blocks.len();
    // The condition at the start of each block; nothing: written, or not yet known.
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
                // The guard itself is read in any case.
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

/// Goes over one instruction; whether the register may be unwritten after it.
fn step(function: &FlowFunction, index: usize, slot: RegisterSlot, state: &mut PathCondition) -> bool {
    let writes = function.writes(index);
    if writes.iter().any(|w| w.slot == slot) {
        match guard_of(function, index) {
            Some((p, value)) => {
                if !assume(state, (p, !value)) {
                    return false;
                }
            }
            // Under a guard that is no register nothing is known.
            None if function.instructions[index].guard.is_some() => {}
            None => return false,
        }
    }
    for write in writes {
        state.retain(|(p, _)| *p != write.slot);
    }
    true
}

/// What holds of the guard of the last instruction of a block on the way to a successor.
fn side(function: &FlowFunction, graph: &Graph, last: usize, next: u32) -> Option<(RegisterSlot, bool)> {
    let (p, value) = guard_of(function, last)?;
    let instruction = &function.instructions[last];
    let after = last + 1 < function.instructions.len() && graph.block_of(last + 1) == next as usize;
    match instruction.flow {
        ControlTransfer::Branch => {
            // Both ways may lead to the same block.
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

/// The guard of an instruction as the value that its predicate must have.
fn guard_of(function: &FlowFunction, index: usize) -> Option<(RegisterSlot, bool)> {
    let guard: &Guard = function.instructions[index].guard.as_ref()?;
    Some((guard.slot?, !guard.negated))
}

/// Adds to a condition; whether it can still hold.
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
