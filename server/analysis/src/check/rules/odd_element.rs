//! `odd-element`: something in a list that the assembler takes for an ordinary register and that cannot be meant.

use crate::check::codes::Code;
use crate::check::diagnostic::Diagnostic;
use crate::forms::operands::{Names, special};
use crate::forms::spec::{Arrangement, Shape};
use crate::hir::ast::{Instruction, Operand, OperandKind};
use crate::hir::symbols::Symbol;
use ptx_isa::tables::{Access, TypeClass};

const CODE: Code = Code::OddElement;

/// The reports on the lists of an instruction that assembles.
pub fn check(instruction: &Instruction<'_>, chosen: &Arrangement, names: &dyn Names, out: &mut Vec<Diagnostic>) {
    for (operand, (_, shape)) in instruction.operands.iter().zip(&chosen.operands) {
        let (OperandKind::Vector(list), Shape::Value(spec)) = (&operand.kind, shape) else { continue };
        if !spec.value.mixed {
            continue;
        }
        let written = spec.value.access != Access::Read;
        let pred = spec.ty.is_some_and(|t| t.info().class == TypeClass::Pred);
        out.extend(list.iter().filter_map(|element| odd(element, written, pred, names)));
    }
}

fn odd(element: &Operand<'_>, written: bool, pred: bool, names: &dyn Names) -> Option<Diagnostic> {
    let warning = |message: String| Diagnostic::warning(CODE, element.range.clone(), message);
    match &element.kind {
        OperandKind::Name(name) => match names.look_up(name) {
            Some(Symbol::Register { ty, .. }) if !pred && ty.info().class == TypeClass::Pred => {
                let message = format!("`{name}` is a predicate, which has no place in a list of values");
                Some(
                    warning(message)
                        .with_help("the assembler lets it pass here; turn it into a number with `selp` first"),
                )
            }
            None if written && special(name).is_some() => Some(read_only(element, name)),
            _ => None,
        },
        OperandKind::Member(object, member) => match names.look_up(object.text) {
            Some(Symbol::Register { elements: 1, .. }) => {
                let message =
                    format!("the selector `{}` is overlooked in a list: all of `{}` counts", member.text, object.text);
                Some(warning(message).with_help("remove it, or extract the part with `bfe` or `prmt` first"))
            }
            None if written && special(object.text).is_some() => Some(read_only(element, object.text)),
            _ => None,
        },
        _ => None,
    }
}

fn read_only(element: &Operand<'_>, name: &str) -> Diagnostic {
    let message = format!("`{name}` is a special register: nothing can be written there");
    Diagnostic::warning(CODE, element.range.clone(), message)
        .with_help("the assembler lets it pass in a list; use a register, or `_` where it allows that")
}
