//! `unusual-modifier-order`: modifiers in an order that the assembler accepts but the manual does not show.

use crate::diagnostic::{Diagnostic, Fix};
use crate::finding::DiagnosticMessage;
use ptx_sema::forms::mnemonic::Candidate;
use ptx_sema::hir::ast::{Instruction, SourceWord};

/// Modifiers in an order that differs from the manual's.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct UnusualModifierOrder {
    /// The mnemonic in the manual's order.
    pub usual: Box<str>,
    /// The mnemonic as written.
    pub written: Box<str>,
}

impl DiagnosticMessage for UnusualModifierOrder {
    fn message(&self) -> String {
        format!("the manual's order of these modifiers is `{}`", self.usual)
    }

    fn help(&self) -> Option<String> {
        Some(format!("`{}` means the same", self.written))
    }
}

/// Reports modifiers that are not in the order of the form.
pub(crate) fn check(instruction: &Instruction<'_>, candidate: &Candidate, written: &str, out: &mut Vec<Diagnostic>) {
    let slots = candidate.form.slots.iter().zip(&candidate.values).filter(|(slot, _)| slot.after_operand == 0);
    let usual = slots.filter_map(|(_, value)| *value);
    let differs = |(found, usual): (&SourceWord<'_>, &str)| found.text != usual;
    if !instruction.modifiers.iter().zip(usual.clone()).any(differs) {
        return;
    }
    // If a modifier is written twice, the two lists cannot be compared.
    let usual: Vec<&str> = usual.collect();
    let Some(first) = instruction.modifiers.iter().zip(&usual).find(|(found, usual)| found.text != **usual) else {
        return;
    };
    if usual.len() != instruction.modifiers.len() {
        return;
    }
    let usual = format!("{}{}", instruction.opcode.text, usual.concat());
    let range = first.0.start as usize..instruction.mnemonic_range().end;
    let fix = Fix::replace(format!("Write `{usual}`"), instruction.mnemonic_range(), usual.as_str()).preferred();
    let found = UnusualModifierOrder { usual: usual.into(), written: written.into() };
    out.push(Diagnostic::new(range, found).fix(fix));
}

#[cfg(test)]
mod tests {
    use crate::Code::UnusualModifierOrder;
    use crate::testing::{in_module, mended, messages};

    #[test]
    fn modifiers_in_another_order() {
        let module = |load: &str| {
            let body = format!(".reg .b32 %r; .reg .b64 %rd; {load} %r, [%rd]; ret;");
            format!(".version 9.0\n.target sm_90a\n.address_size 64\n.func f() {{ {body} }}")
        };
        let text = module("ld.u32.volatile.global");
        let found = in_module(UnusualModifierOrder, &text);
        assert_eq!(messages(&found), ["the manual's order of these modifiers is `ld.volatile.global.u32`"]);
        assert_eq!(found[0].help().as_deref(), Some("`ld.u32.volatile.global` means the same"));
        assert_eq!(mended(UnusualModifierOrder, &text), module("ld.volatile.global.u32"));
        assert!(in_module(UnusualModifierOrder, &module("ld.volatile.global.u32")).is_empty());
    }
}
