//! Counts the turns of loops whose number of turns the text gives.

use crate::flow::{FlowFunction, FlowOperand, OperandValue, RegisterSlot};
use ptx_isa::tables::{Computes, ControlTransfer};
use std::ops::Range;

/// Indexed by slot: the instructions that write the register, at most [`MAX_WRITERS`].
pub struct Writers(Vec<Vec<u32>>);

/// More writers than a counter has: its start, its step, and a copy.
const MAX_WRITERS: usize = 4;

impl Writers {
    /// The writers of all registers of a function.
    pub fn new(function: &FlowFunction) -> Self {
        let mut out = vec![Vec::new(); function.registers.len()];
        for index in 0..function.instructions.len() {
            for write in function.writes(index) {
                let writers: &mut Vec<u32> = &mut out[write.slot.index()];
                if writers.len() < MAX_WRITERS {
                    writers.push(index as u32);
                }
            }
        }
        Self(out)
    }

    /// The only writer of a register inside (or outside) of a range of instructions.
    fn only(&self, slot: RegisterSlot, range: &Range<usize>, inside: bool) -> Option<usize> {
        let all = self.0.get(slot.index()).filter(|w| w.len() < MAX_WRITERS)?;
        let mut found = all.iter().map(|i| *i as usize).filter(|i| range.contains(i) == inside);
        found.next().filter(|_| found.next().is_none())
    }
}

/// The number of turns of a loop that consists of these instructions, if a counter with a constant start, step and limit
/// decides it.
pub fn trips(function: &FlowFunction, writers: &Writers, instructions: &Range<usize>) -> Option<u64> {
    let branches = |i: &usize| function.instructions[*i].flow == ControlTransfer::Branch;
    let branch = instructions.clone().rev().find(branches)?;
    let guard = function.instructions[branch].guard.as_ref()?.slot?;
    let test = writers.only(guard, instructions, true)?;
    if function.entry(test).computes != Computes::Comparison {
        return None;
    }
    let [a, b] = two(function, test)?;
    let (counter, limit) = match (a.value, b.value) {
        (OperandValue::Register(counter), _) => (counter, constant(function, writers, b)?),
        (_, OperandValue::Register(counter)) => (counter, constant(function, writers, a)?),
        _ => return None,
    };
    // The counter itself, or its next value, which a copy moves to the counter at the end of the turn.
    let step = writers.only(counter, instructions, true)?;
    let [a, b] = two(function, step)?;
    let by = match (function.entry(step).computes, a.value, b.value) {
        (Computes::Sum, _, OperandValue::Integer(by)) => by,
        (Computes::Difference, _, OperandValue::Integer(by)) => by.checked_neg()?,
        _ => return None,
    };
    let OperandValue::Register(before) = a.value else { return None };
    if before != counter {
        let copy = writers.only(before, instructions, true)?;
        let from = function.operands_of(copy).iter().any(|o| o.reads() && o.value == OperandValue::Register(counter));
        if function.entry(copy).computes != Computes::Copy || !from {
            return None;
        }
    }
    let start = writers.only(before, instructions, false)?;
    let start = literal(function, start)?;
    let way = limit.checked_sub(start)?;
    (by != 0 && (way > 0) == (by > 0)).then(|| way.unsigned_abs().div_ceil(by.unsigned_abs()).max(1))
}

/// The two operands that an instruction reads.
fn two(function: &FlowFunction, index: usize) -> Option<[&FlowOperand; 2]> {
    let mut reads = function.operands_of(index).iter().filter(|o| o.reads());
    match (reads.next(), reads.next(), reads.next()) {
        (Some(a), Some(b), None) => Some([a, b]),
        _ => None,
    }
}

/// The constant that an instruction copies.
fn literal(function: &FlowFunction, index: usize) -> Option<i64> {
    let mut reads = function.operands_of(index).iter().filter(|o| o.reads());
    match (reads.next()?.value, reads.next(), function.entry(index).computes) {
        (OperandValue::Integer(number), None, Computes::Copy) => Some(number),
        _ => None,
    }
}

fn constant(function: &FlowFunction, writers: &Writers, operand: &FlowOperand) -> Option<i64> {
    match operand.value {
        OperandValue::Integer(number) => Some(number),
        OperandValue::Register(slot) => match writers.0.get(slot.index())?[..] {
            [only] => literal(function, only as usize),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Writers, trips};
    use crate::flow::Graph;
    use crate::flow::tests::lowered;

    /// The number of turns of the loop with this body.
    fn of(start: &str, body: &str) -> Option<u64> {
        let function = lowered(&format!(
            ".visible .entry k(.param .u32 n) {{ .reg .b32 %r<9>; .reg .pred %p<2>; .shared .b32 tile; ld.param.u32 %r8, [n]; \
             {start}\nL: st.volatile.shared.u32 [tile], %r1; {body} @%p1 bra L; ret; }}"
        ));
        assert!(function.complete);
        let graph = Graph::new(&function);
        let block = (0..graph.blocks.len()).find(|b| graph.successors(*b).contains(&(*b as u32))).expect("the loop");
        trips(&function, &Writers::new(&function), &graph.blocks[block].instructions())
    }

    #[test]
    fn turns_are_counted() {
        assert_eq!(of("mov.u32 %r1, 0;", "add.u32 %r1, %r1, 4; setp.ne.u32 %p1, %r1, 64;"), Some(16));
        assert_eq!(of("mov.u32 %r1, 10;", "sub.u32 %r1, %r1, 3; setp.gt.s32 %p1, %r1, 0;"), Some(4));
        assert_eq!(of("mov.u32 %r1, 0;", "add.u32 %r2, %r1, 1; mov.u32 %r1, %r2; setp.lt.u32 %p1, %r2, 5;"), Some(5));
        assert_eq!(of("mov.u32 %r1, 0; mov.u32 %r3, 6;", "add.u32 %r1, %r1, 2; setp.lt.u32 %p1, %r1, %r3;"), Some(3));
    }

    #[test]
    fn what_the_launch_decides_is_not_known() {
        assert_eq!(of("mov.u32 %r1, 0;", "add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, %r8;"), None);
        assert_eq!(of("mov.u32 %r1, %r8;", "add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 9;"), None);
        assert_eq!(of("mov.u32 %r1, 0;", "shl.b32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 9;"), None);
        assert_eq!(of("mov.u32 %r1, 9;", "add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 3;"), None);
    }
}
