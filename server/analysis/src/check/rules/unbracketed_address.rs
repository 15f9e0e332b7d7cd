//! `unbracketed-address`: an address without its brackets, which the assembler lets through.

use crate::check::codes::Code;
use crate::check::diagnostic::Diagnostic;
use crate::forms::spec::Shape;
use crate::hir::ast::{Operand, OperandKind};

const CODE: Code = Code::UnbracketedAddress;

/// The report, if the operand is an address and has no brackets.
pub fn check(operand: &Operand<'_>, shape: &Shape, head: &str) -> Option<Diagnostic> {
    let Shape::Address(parts) = shape else { return None };
    let bare = !matches!(operand.kind, OperandKind::Address(_) | OperandKind::Index(..) | OperandKind::Error);
    let name = parts.first().filter(|_| bare)?.value.name;
    let message = format!("`{name}` of `{head}` is an address: it belongs in brackets");
    let help = "write `[…]` around it; the assembler lets it pass without";
    Some(Diagnostic::warning(CODE, operand.range.clone(), message).with_help(help))
}
