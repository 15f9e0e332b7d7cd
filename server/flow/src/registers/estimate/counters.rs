//! Finds counters of a loop that differ only by a constant: the assembler keeps one of them.

use super::trips::{Writers, literal, two};
use crate::flow::{FlowFunction, Graph, OperandValue, RegisterSlot};
use ptx_isa::tables::Computes;
use ptx_sema::hir::types::TypeId;
use std::collections::HashMap;

/// What counters that differ by a constant have in common.
#[derive(Debug, PartialEq, Eq, Hash)]
struct CounterKind {
    ty: TypeId,
    /// The block in which the counter steps, and by how much.
    steps: (u32, i64),
    /// The block before the loop that sets the counter.
    starts: u32,
    /// The register to which the first value adds a constant; `None` if it is a constant.
    base: Option<RegisterSlot>,
}

/// Pairs of counters that differ only by a constant: one that needs no register, and the one of which it can be computed.
pub(crate) fn alike(function: &FlowFunction, graph: &Graph, writers: &Writers) -> Vec<(RegisterSlot, RegisterSlot)> {
    let mut block = vec![0u32; function.instructions.len()];
    for (number, instructions) in graph.blocks.iter().map(|b| b.instructions()).enumerate() {
        instructions.for_each(|i| block[i] = number as u32);
    }
    let mut first: HashMap<CounterKind, RegisterSlot> = HashMap::new();
    let mut out = Vec::new();
    for slot in (0..function.registers.len() as u32).map(RegisterSlot) {
        let Some(kind) = kind(function, writers, &block, slot) else { continue };
        let leader = *first.entry(kind).or_insert(slot);
        if leader != slot {
            out.push((slot, leader));
        }
    }
    out
}

/// Describes a register with two writers, of which one sets it and the other adds a constant to it.
fn kind(function: &FlowFunction, writers: &Writers, block: &[u32], slot: RegisterSlot) -> Option<CounterKind> {
    let [a, b] = *writers.of(slot) else { return None };
    let (a, b) = (a as usize, b as usize);
    if [a, b].iter().any(|i| function.instructions[*i].guard.is_some()) {
        return None;
    }
    let own = |index: usize| sum(function, index).filter(|(from, _)| *from == slot);
    let (start, step, by) = match (own(a), own(b)) {
        (None, Some((_, by))) => (a, b, by),
        (Some((_, by)), None) => (b, a, by),
        _ => return None,
    };
    let base = match sum(function, start) {
        Some((base, _)) if writers.of(base).len() <= 1 => Some(base),
        Some(_) => return None,
        None => literal(function, start).map(|_| None)?,
    };
    let ty = function.declaration(slot).ty;
    Some(CounterKind { ty, steps: (block[step], by), starts: block[start], base })
}

/// The register and the constant that an instruction adds. A copy of a register adds 0.
fn sum(function: &FlowFunction, index: usize) -> Option<(RegisterSlot, i64)> {
    if function.entry(index).computes == Computes::Copy {
        let mut reads = function.operands_of(index).iter().filter(|o| o.reads());
        return match (reads.next()?.value, reads.next()) {
            (OperandValue::Register(from), None) => Some((from, 0)),
            _ => None,
        };
    }
    let [a, b] = two(function, index)?;
    match (function.entry(index).computes, a.value, b.value) {
        (Computes::Sum, OperandValue::Register(from), OperandValue::Integer(by)) => Some((from, by)),
        (Computes::Difference, OperandValue::Register(from), OperandValue::Integer(by)) => {
            Some((from, by.checked_neg()?))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::alike;
    use crate::flow::Graph;
    use crate::flow::tests::lowered;
    use crate::registers::estimate::trips::Writers;

    /// The number of counters that need no register of their own, in a loop with this body.
    fn of(start: &str, body: &str) -> usize {
        let function = lowered(&format!(
            ".visible .entry k() {{ .reg .b32 %r<9>; .reg .pred %p<2>; mov.u32 %r8, %tid.x; {start}\nL: {body} \
             setp.lt.u32 %p1, %r1, 64; @%p1 bra L; ret; }}"
        ));
        alike(&function, &Graph::new(&function), &Writers::new(&function)).len()
    }

    #[test]
    fn counters_with_one_step_and_one_base_are_alike() {
        let step = "add.u32 %r1, %r1, 8; add.u32 %r2, %r2, 8;";
        assert_eq!(of("add.u32 %r1, %r8, 4; mov.u32 %r2, %r8;", step), 1);
        assert_eq!(of("mov.u32 %r1, 0; mov.u32 %r2, 5;", step), 1);
        assert_eq!(of("add.u32 %r1, %r8, 4; mov.u32 %r2, 0;", step), 0);
        assert_eq!(of("mov.u32 %r1, 0; mov.u32 %r2, 5;", "add.u32 %r1, %r1, 8; add.u32 %r2, %r2, 4;"), 0);
        assert_eq!(of("mov.u32 %r1, 0; mov.u32 %r2, 5;", "add.u32 %r1, %r1, 8; @%p1 add.u32 %r2, %r2, 8;"), 0);
    }
}
