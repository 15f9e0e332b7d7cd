//! `operand-count`: too few or too many operands.

use crate::check::codes::Code;
use crate::check::diagnostic::Diagnostic;
use crate::hir::ast::Instruction;
use ptx_isa::tables::Form;
use std::ops::Range;

const CODE: Code = Code::OperandCount;

/// The report. `counts` are the numbers that the form allows, ascending.
pub fn report(instruction: &Instruction<'_>, head: &str, counts: &[usize], form: &'static Form) -> Diagnostic {
    let given = instruction.operands.len();
    let wanted = match counts {
        [] | [0] => "no operands".to_owned(),
        [1] => "1 operand".to_owned(),
        [n] => format!("{n} operands"),
        [rest @ .., last] => {
            let rest: Vec<String> = rest.iter().map(usize::to_string).collect();
            format!("{} or {last} operands", rest.join(", "))
        }
    };
    let message = format!("`{head}` takes {wanted}, not {given}");
    Diagnostic::error(CODE, place(instruction, counts), message).with_help(format!("the form is `{}`", form.text))
}

/// The first operand too many, or the head where operands are missing.
fn place(instruction: &Instruction<'_>, counts: &[usize]) -> Range<usize> {
    let most = counts.last().copied().unwrap_or(0);
    match (instruction.operands.get(most), instruction.operands.last()) {
        (Some(first), Some(last)) => first.range.start..last.range.end,
        _ => instruction.head(),
    }
}
