//! Finds two operands in the wrong order: each would fit in the place of the other. This is one mistake with a clear fix.

use crate::diagnostic::Diagnostic;
use crate::rules::operand_kind::{self, ExchangedOperand};
use ptx_sema::forms::operands::{self, NameLookup};
use ptx_sema::forms::spec::{OperandPattern, OperandVariant};
use ptx_sema::hir::ast::Instruction;

/// The report on two exchanged operands, if exchanging them is all that is needed. `text` is the source in which ranges count.
pub(super) fn report(
    instruction: &Instruction<'_>,
    variant: &OperandVariant,
    names: &dyn NameLookup,
    text: &str,
    mnemonic: &str,
) -> Option<Diagnostic> {
    let fits = |operand: usize, place: usize| {
        let mut found = Vec::new();
        let (operand, (_, shape)) = (instruction.operands.get(operand)?, variant.operands.get(place)?);
        operands::check(operand, shape, names, &mut found);
        Some(found.is_empty())
    };
    let mut wrong = (0..instruction.operands.len()).filter(|i| fits(*i, *i) == Some(false));
    let (first, second) = (wrong.next()?, wrong.next()?);
    if wrong.next().is_some() || fits(first, second) != Some(true) || fits(second, first) != Some(true) {
        return None;
    }
    let place = |index: usize| {
        let operand = instruction.operands.get(index)?;
        let (_, shape) = variant.operands.get(index)?;
        Some(ExchangedOperand {
            range: operand.range.clone(),
            text: text.get(operand.range.clone())?,
            name: name(shape)?,
        })
    };
    let (first, second) = (place(first)?, place(second)?);
    Some(operand_kind::exchanged(first, second, mnemonic))
}

/// The name of an operand in the manual; `None` for `_`.
fn name(shape: &OperandPattern) -> Option<String> {
    Some(match shape {
        OperandPattern::Value(spec) | OperandPattern::Arguments(spec) => spec.value.name.to_owned(),
        OperandPattern::Address(parts) => {
            format!("[{}]", parts.iter().map(|p| p.value.name).collect::<Vec<_>>().join(", "))
        }
        OperandPattern::Pair(both) => format!("{}|{}", both.0.value.name, both.1.value.name),
        OperandPattern::Sink => return None,
    })
}
