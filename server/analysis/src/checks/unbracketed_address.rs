//! `unbracketed-address`: an address without its brackets, which the assembler lets through.

use crate::ast::{Operand, OperandKind};
use crate::codes::Words;
use crate::diagnostic::Diagnostic;
use crate::spec::Shape;

/// An address that is written without brackets.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct UnbracketedAddress {
    /// The name of the operand in the form, `a`.
    pub operand: &'static str,
    /// The mnemonic as written.
    pub mnemonic: Box<str>,
}

impl Words for UnbracketedAddress {
    fn message(&self) -> String {
        format!("`{}` of `{}` is an address: it belongs in brackets", self.operand, self.mnemonic)
    }

    fn help(&self) -> Option<String> {
        Some("write `[…]` around it; the assembler lets it pass without".to_owned())
    }
}

/// The report, if the operand is an address and has no brackets. `head` is the mnemonic as written.
pub fn check(operand: &Operand<'_>, shape: &Shape, head: &str) -> Option<Diagnostic> {
    let Shape::Address(parts) = shape else { return None };
    let bare = !matches!(operand.kind, OperandKind::Address(_) | OperandKind::Index(..) | OperandKind::Error);
    let name = parts.first().filter(|_| bare)?.value.name;
    Some(Diagnostic::new(operand.range.clone(), UnbracketedAddress { operand: name, mnemonic: head.into() }))
}
