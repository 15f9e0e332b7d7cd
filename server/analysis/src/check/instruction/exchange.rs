//! Two operands of which each would be right in the place of the other: one mistake, and clear how to mend it.

use crate::check::diagnostic::Diagnostic;
use crate::check::rules::operand_kind;
use crate::forms::operands::{self, Names};
use crate::forms::spec::{Arrangement, Shape};
use crate::hir::ast::Instruction;

/// The report on two operands that are the wrong way round. `text` is the instruction's.
pub fn report(
    instruction: &Instruction<'_>,
    arrangement: &Arrangement,
    names: &dyn Names,
    (text, head): (&str, &str),
) -> Option<Diagnostic> {
    let fits = |operand: usize, place: usize| {
        let mut found = Vec::new();
        let (operand, (_, shape)) = (instruction.operands.get(operand)?, arrangement.operands.get(place)?);
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
        let (_, shape) = arrangement.operands.get(index)?;
        Some((operand.range.clone(), text.get(operand.range.clone())?, name(shape)?))
    };
    let (first, second) = (place(first)?, place(second)?);
    Some(operand_kind::exchanged(first, second, head))
}

/// How the manual names an operand.
fn name(shape: &Shape) -> Option<String> {
    Some(match shape {
        Shape::Value(spec) | Shape::Arguments(spec) => spec.value.name.to_owned(),
        Shape::Address(parts) => {
            format!("[{}]", parts.iter().map(|p| p.value.name).collect::<Vec<_>>().join(", "))
        }
        Shape::Pair(both) => format!("{}|{}", both.0.value.name, both.1.value.name),
        Shape::Sink => return None,
    })
}
