//! The named constraints of the instruction notation (`check NAME`): rules that the tables cannot express, one function each.

use crate::rules::operand_range::OperandRange;
use ptx_isa::tables::Form;
use ptx_isa::{Modifier, OperandName};
use ptx_sema::forms::spec::OperandVariant;
use ptx_sema::hir::ast::{Instruction, Operand, OperandKind};
use ptx_sema::hir::literal;

/// A violated constraint: the index of the operand and the data of the diagnostic.
pub(crate) type Violation = (usize, OperandRange);

/// A constraint: reads the operands by the names that the form gives them.
type Constraint = fn(&NamedOperands<'_, '_>) -> Option<Violation>;

/// All constraints, by name.
const CONSTRAINTS: &[(&str, Constraint)] =
    &[("fraction", fraction), ("policy-range", policy_range), ("vmad-negation", vmad_negation)];

/// The first violated named constraint of the form. The operands of the instruction must fit `variant` already.
pub(crate) fn check(instruction: &Instruction<'_>, form: &'static Form, variant: &OperandVariant) -> Option<Violation> {
    let operands = NamedOperands { instruction, form, variant };
    let checked = CONSTRAINTS.iter().filter(|c| form.checks.contains(&c.0));
    checked.into_iter().find_map(|(_, constraint)| constraint(&operands))
}

/// The operands of an instruction, found by their names in the form.
struct NamedOperands<'a, 't> {
    instruction: &'a Instruction<'t>,
    form: &'static Form,
    variant: &'a OperandVariant,
}

impl<'t> NamedOperands<'_, 't> {
    fn get(&self, name: OperandName) -> Option<(usize, &Operand<'t>)> {
        let place = self.variant.operands.iter().position(|(index, _)| {
            self.form.operands.get(usize::from(*index)).is_some_and(|o| o.pattern.names() == [name.name()])
        })?;
        Some((place, self.instruction.operands.get(place)?))
    }

    fn integer(&self, name: OperandName) -> Option<(usize, i128)> {
        match self.get(name)? {
            (place, Operand { kind: OperandKind::Integer(text), .. }) => Some((place, literal::integer(text)?)),
            _ => None,
        }
    }
}

/// `createpolicy.fractional`: the fraction must be above 0 and at most 1 (measured).
fn fraction(operands: &NamedOperands<'_, '_>) -> Option<Violation> {
    let (place, operand) = operands.get(OperandName::Fraction)?;
    let OperandKind::Float(text) = operand.kind else { return None };
    let value = literal::float(text)?;
    (!(value > 0.0 && value <= 1.0)).then(|| (place, OperandRange::Fraction(text.into())))
}

/// `createpolicy.range`: the primary size must not exceed the total size (measured).
fn policy_range(operands: &NamedOperands<'_, '_>) -> Option<Violation> {
    let (place, size) = operands.integer(OperandName::Size)?;
    let (_, total) = operands.integer(OperandName::Total)?;
    (size > total).then_some((place, OperandRange::PolicySize { size, total }))
}

/// `vmad`: of the product `a·b` and the summand `c` at most one may be negated, and with `.po` neither (measured over all combinations).
fn vmad_negation(operands: &NamedOperands<'_, '_>) -> Option<Violation> {
    let negated = |name: OperandName| {
        let operand = operands.get(name);
        (operand.as_ref().map(|f| f.0), matches!(operand, Some((_, Operand { kind: OperandKind::Minus(_), .. }))))
    };
    let ((place, a), (_, b), (last, c)) = (negated(OperandName::A), negated(OperandName::B), negated(OperandName::C));
    let plus_one = operands.instruction.modifiers.iter().any(|m| m.text == Modifier::Po.name());
    if plus_one && (c || a != b) {
        let place = if c { last } else { place };
        return place.map(|p| (p, OperandRange::Negation { plus_one }));
    }
    if c && a != b { last.map(|p| (p, OperandRange::Negation { plus_one })) } else { None }
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_constraint_that_the_tables_name_exists() {
        let forms = ptx_isa::ISA.opcodes.iter().flat_map(|o| o.entries).flat_map(|e| e.forms);
        for name in forms.flat_map(|f| f.checks) {
            assert!(super::CONSTRAINTS.iter().any(|c| c.0 == *name), "check {name}");
        }
    }
}
