//! `unusual-modifier-order`: modifiers in an order that the assembler accepts, but the manual does not show.

use crate::check::codes::Code;
use crate::check::diagnostic::{Diagnostic, Fix};
use crate::forms::head::Candidate;
use crate::hir::ast::{Instruction, Word};

const CODE: Code = Code::UnusualModifierOrder;

/// The report, if the modifiers do not stand in the order of the form.
pub fn check(instruction: &Instruction<'_>, candidate: &Candidate, written: &str, out: &mut Vec<Diagnostic>) {
    let slots = candidate.form.slots.iter().zip(&candidate.values).filter(|(slot, _)| slot.after_operand == 0);
    let usual = slots.filter_map(|(_, value)| *value);
    let differs = |(found, usual): (&Word<'_>, &str)| found.text != usual;
    if !instruction.modifiers.iter().zip(usual.clone()).any(differs) {
        return;
    }
    // A modifier written twice leaves nothing to compare.
    let usual: Vec<&str> = usual.collect();
    let Some(first) = instruction.modifiers.iter().zip(&usual).find(|(found, usual)| found.text != **usual) else {
        return;
    };
    if usual.len() != instruction.modifiers.len() {
        return;
    }
    let head = format!("{}{}", instruction.opcode.text, usual.concat());
    let range = first.0.start as usize..instruction.head().end;
    let message = format!("the manual's order of these modifiers is `{head}`");
    let fix = Fix::replace(format!("Write `{head}`"), instruction.head(), head).preferred();
    out.push(Diagnostic::hint(CODE, range, message).with_help(format!("`{written}` means the same")).fix(fix));
}
