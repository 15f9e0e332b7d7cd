//! Constants whose value is unknown: an operand of a host language that is an integer constant, but whose value only the host
//! compiler computes.

use crate::hir::ast::{ConstantValue, Instruction, Operand, OperandKind};
use crate::hir::constant::Wrong;

/// Turns the names that stand for constants of unknown value, and the constant expressions that contain one, into integers
/// without a value, which no range check refuses. `text` is the source in which the ranges count.
pub fn substitute(instruction: &mut Instruction<'_>, text: &str, is_unknown: &dyn Fn(&str) -> bool) {
    for operand in &mut instruction.operands {
        in_operand(operand, text, is_unknown);
    }
}

const SOME_INTEGER: OperandKind<'static> = OperandKind::Constant(ConstantValue::Integer(None));

fn in_operand(operand: &mut Operand<'_>, text: &str, is_unknown: &dyn Fn(&str) -> bool) {
    let becomes_constant = match &mut operand.kind {
        OperandKind::Name(name) => is_unknown(name),
        OperandKind::Sign(sign) => {
            text.get(sign.range().end..operand.range.end).is_some_and(|name| is_unknown(name.trim()))
        }
        OperandKind::Minus(inner) | OperandKind::Not(inner) => {
            in_operand(inner, text, is_unknown);
            is_constant(inner)
        }
        OperandKind::Offset(parts, _) => {
            in_operand(&mut parts.0, text, is_unknown);
            in_operand(&mut parts.1, text, is_unknown);
            is_constant(&parts.0) && is_constant(&parts.1)
        }
        OperandKind::Index(object, _) => {
            in_operand(object, text, is_unknown);
            false
        }
        OperandKind::Pair(pair) => {
            in_operand(&mut pair.0, text, is_unknown);
            in_operand(&mut pair.1, text, is_unknown);
            false
        }
        OperandKind::Vector(list) | OperandKind::Address(list) | OperandKind::Arguments(list) => {
            list.iter_mut().for_each(|part| in_operand(part, text, is_unknown));
            false
        }
        OperandKind::Constant(ConstantValue::Wrong(problem)) if problem.what == Wrong::NotANumber => {
            text.get(problem.start as usize..problem.end as usize).is_some_and(is_unknown)
        }
        _ => false,
    };
    if becomes_constant {
        operand.kind = SOME_INTEGER;
    }
}

fn is_constant(operand: &Operand<'_>) -> bool {
    matches!(operand.kind, OperandKind::Integer(_) | OperandKind::Constant(ConstantValue::Integer(_)))
}
