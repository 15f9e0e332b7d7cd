//! `unusual-modifier-order`: modifiers in an order that the assembler accepts, but the manual does not show.

use crate::ast::{Instruction, Word};
use crate::codes::Words;
use crate::diagnostic::{Diagnostic, Fix};
use crate::head::Candidate;

/// Modifiers in another order than the manual has them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct UnusualModifierOrder {
    /// The mnemonic in the manual's order.
    pub usual: Box<str>,
    /// The mnemonic as written.
    pub written: Box<str>,
}

impl Words for UnusualModifierOrder {
    fn message(&self) -> String {
        format!("the manual's order of these modifiers is `{}`", self.usual)
    }

    fn help(&self) -> Option<String> {
        Some(format!("`{}` means the same", self.written))
    }
}

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
    let usual = format!("{}{}", instruction.opcode.text, usual.concat());
    let range = first.0.start as usize..instruction.head().end;
    let fix = Fix::replace(format!("Write `{usual}`"), instruction.head(), usual.as_str()).preferred();
    let found = UnusualModifierOrder { usual: usual.into(), written: written.into() };
    out.push(Diagnostic::new(range, found).fix(fix));
}
