//! Counts the turns of loops whose number of turns the text gives.

use crate::flow::{FlowFunction, FlowOperand, OperandValue, RegisterSlot};
use ptx_isa::tables::{Computes, ControlTransfer};
use std::ops::Range;

/// Indexed by slot: the instructions that write the register, in text order.
pub(crate) struct Writers(Vec<Vec<u32>>);

impl Writers {
    /// The writers of all registers of a function.
    pub(super) fn new(function: &FlowFunction) -> Self {
        let mut out: Vec<Vec<u32>> = vec![Vec::new(); function.registers.len()];
        for index in 0..function.instructions.len() {
            for write in function.writes(index) {
                out[write.slot.index()].push(index as u32);
            }
        }
        Self(out)
    }

    /// The instructions that write a register.
    pub(super) fn of(&self, slot: RegisterSlot) -> &[u32] {
        self.0.get(slot.index()).map_or(&[], |w| w)
    }

    /// The only writer of a register inside (or outside) of a range of instructions.
    fn only(&self, slot: RegisterSlot, range: &Range<usize>, inside: bool) -> Option<usize> {
        let (all, within) = (self.of(slot), self.within(slot, range));
        let found = match inside {
            true => all.get(within.clone()).filter(|found| found.len() == 1)?.first(),
            // Of two parts, one is empty.
            false if all.len() - within.len() == 1 => all.get(..within.start)?.first().or_else(|| all.last()),
            false => None,
        };
        found.map(|index| *index as usize)
    }

    /// The part of [`Self::of`] that is in a range of instructions.
    fn within(&self, slot: RegisterSlot, range: &Range<usize>) -> Range<usize> {
        let before = |end: usize| self.of(slot).partition_point(|index| (*index as usize) < end);
        before(range.start)..before(range.end)
    }

    /// Whether no instruction of a range writes a register.
    fn none(&self, slot: RegisterSlot, range: &Range<usize>) -> bool {
        self.within(slot, range).is_empty()
    }
}

/// What the text says about the number of turns of a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turns {
    /// No counter with a constant step decides it, so the assembler cannot compute it before the loop.
    Open,
    /// A counter with a constant step and a limit that the loop does not change decides it.
    Counted,
    /// The text gives this number.
    Known(u64),
}

/// The turns of a loop that consists of these instructions.
pub(crate) fn turns(function: &FlowFunction, writers: &Writers, instructions: &Range<usize>) -> Turns {
    match counter(function, writers, instructions) {
        Some(counter) => counter.turns(function, writers).map_or(Turns::Counted, Turns::Known),
        None => Turns::Open,
    }
}

/// The counter of a loop.
struct LoopCounter<'a> {
    /// The instruction before the loop that sets it, if there is exactly one.
    start: Option<usize>,
    step: i64,
    limit: &'a FlowOperand,
}

impl LoopCounter<'_> {
    fn turns(&self, function: &FlowFunction, writers: &Writers) -> Option<u64> {
        let limit = constant(function, writers, self.limit)?;
        let start = literal(function, self.start?)?;
        let (way, by) = (limit.checked_sub(start)?, self.step);
        (by != 0 && (way > 0) == (by > 0)).then(|| way.unsigned_abs().div_ceil(by.unsigned_abs()).max(1))
    }
}

fn counter<'a>(function: &'a FlowFunction, writers: &Writers, instructions: &Range<usize>) -> Option<LoopCounter<'a>> {
    let branches = |i: &usize| function.instructions[*i].flow == ControlTransfer::Branch;
    let branch = instructions.clone().rev().find(branches)?;
    let guard = function.instructions[branch].guard.as_ref()?.slot?;
    let test = writers.only(guard, instructions, true)?;
    if function.entry(test).computes != Computes::Comparison {
        return None;
    }
    let [a, b] = two(function, test)?;
    let fixed = |operand: &FlowOperand| match operand.value {
        OperandValue::Integer(_) => true,
        OperandValue::Register(slot) => writers.none(slot, instructions),
        _ => false,
    };
    let (counter, limit) = match (a.value, b.value) {
        (OperandValue::Register(counter), _) if fixed(b) => (counter, b),
        (_, OperandValue::Register(counter)) if fixed(a) => (counter, a),
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
    Some(LoopCounter { start: writers.only(before, instructions, false), step: by, limit })
}

/// The two operands that an instruction reads.
pub(crate) fn two(function: &FlowFunction, index: usize) -> Option<[&FlowOperand; 2]> {
    let mut reads = function.operands_of(index).iter().filter(|o| o.reads());
    match (reads.next(), reads.next(), reads.next()) {
        (Some(a), Some(b), None) => Some([a, b]),
        _ => None,
    }
}

/// The constant that an instruction copies.
pub(super) fn literal(function: &FlowFunction, index: usize) -> Option<i64> {
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
    use super::{Turns, Writers, turns};
    use crate::flow::Graph;
    use crate::flow::tests::lowered;

    /// The turns of the loop with this body.
    fn of(start: &str, body: &str) -> Turns {
        let function = lowered(&format!(
            ".visible .entry k(.param .u32 n) {{ .reg .b32 %r<9>; .reg .pred %p<2>; .shared .b32 tile; ld.param.u32 %r8, [n]; \
             {start}\nL: st.volatile.shared.u32 [tile], %r1; {body} @%p1 bra L; ret; }}"
        ));
        assert!(function.complete);
        let graph = Graph::new(&function);
        let block = (0..graph.blocks.len()).find(|b| graph.successors(*b).contains(&(*b as u32))).expect("the loop");
        turns(&function, &Writers::new(&function), &graph.blocks[block].instructions())
    }

    #[test]
    fn turns_are_counted() {
        assert_eq!(of("mov.u32 %r1, 0;", "add.u32 %r1, %r1, 4; setp.ne.u32 %p1, %r1, 64;"), Turns::Known(16));
        assert_eq!(of("mov.u32 %r1, 10;", "sub.u32 %r1, %r1, 3; setp.gt.s32 %p1, %r1, 0;"), Turns::Known(4));
        assert_eq!(
            of("mov.u32 %r1, 0;", "add.u32 %r2, %r1, 1; mov.u32 %r1, %r2; setp.lt.u32 %p1, %r2, 5;"),
            Turns::Known(5)
        );
        assert_eq!(
            of("mov.u32 %r1, 0; mov.u32 %r3, 6;", "add.u32 %r1, %r1, 2; setp.lt.u32 %p1, %r1, %r3;"),
            Turns::Known(3)
        );
    }

    #[test]
    fn what_the_launch_decides_is_not_known() {
        assert_eq!(of("mov.u32 %r1, 0;", "add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, %r8;"), Turns::Counted);
        assert_eq!(of("mov.u32 %r1, %r8;", "add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 9;"), Turns::Counted);
        assert_eq!(of("mov.u32 %r1, 0;", "shl.b32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 9;"), Turns::Open);
        assert_eq!(of("mov.u32 %r1, 9;", "add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 3;"), Turns::Counted);
        assert_eq!(of("mov.u32 %r1, 0;", "add.u32 %r1, %r1, %r8; setp.lt.u32 %p1, %r1, 9;"), Turns::Open);
    }
}
