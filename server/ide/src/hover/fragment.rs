//! Hover on the registers of matrix operands.

use crate::fragment::{describe, operands_of, register_at, summary};
use ptx_analysis::{Candidate, Instruction, OperandVariant};
use std::ops::Range;

/// The matrix elements that each matrix operand of an instruction holds: the operand's name and one line of text.
pub fn lanes(
    instruction: &Instruction<'_>,
    candidate: &Candidate,
    variant: &OperandVariant,
) -> Vec<(&'static str, String)> {
    let all = operands_of(instruction, candidate, variant);
    all.iter().map(|operand| (operand.name, summary(&operand.found))).collect()
}

/// The matrix elements that the operand at a range holds, by thread. `range` is relative to the instruction; `name` is the
/// text at that range.
pub fn matrix(
    instruction: &Instruction<'_>,
    candidate: &Candidate,
    variant: &OperandVariant,
    range: &Range<usize>,
    name: &str,
) -> Option<String> {
    let all = operands_of(instruction, candidate, variant);
    let covers = |r: &Range<usize>| r.start <= range.start && range.end <= r.end;
    let operand = all.iter().find(|o| covers(&o.operand.range))?;
    let register = register_at(operand.operand, range).map(|number| (number, name));
    Some(describe(&operand.found, register))
}
