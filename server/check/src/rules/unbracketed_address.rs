//! `unbracketed-address`: an address without its brackets, which the assembler accepts.

use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use ptx_sema::forms::spec::OperandPattern;
use ptx_sema::hir::ast::{Operand, OperandKind};

/// An address that is written without brackets.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct UnbracketedAddress {
    /// The name of the operand in the form, such as `a`.
    pub operand: &'static str,
    /// The mnemonic as written.
    pub mnemonic: Box<str>,
}

impl DiagnosticMessage for UnbracketedAddress {
    fn message(&self) -> String {
        format!("`{}` of `{}` is an address: it belongs in brackets", self.operand, self.mnemonic)
    }

    fn help(&self) -> Option<String> {
        Some("write `[…]` around it; the assembler also accepts it without brackets".to_owned())
    }
}

/// The report, if the operand is an address and has no brackets. `mnemonic` is the mnemonic as written.
pub(crate) fn check(operand: &Operand<'_>, shape: &OperandPattern, mnemonic: &str) -> Option<Diagnostic> {
    let OperandPattern::Address(parts) = shape else { return None };
    let bare = !matches!(operand.kind, OperandKind::Address(_) | OperandKind::Index(..) | OperandKind::Error);
    let name = parts.first().filter(|_| bare)?.value.name;
    Some(Diagnostic::new(operand.range.clone(), UnbracketedAddress { operand: name, mnemonic: mnemonic.into() }))
}

#[cfg(test)]
mod tests {
    use crate::Code::UnbracketedAddress;
    use crate::testing::{in_kernel, messages};

    #[test]
    fn addresses_without_brackets() {
        let copy = |from: &str| {
            let copy = "cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%rd1, {0}]";
            in_kernel(UnbracketedAddress, &format!(".shared .align 128 .b8 tile[1024]; {copy}, {from};"))
        };
        let mnemonic = "cp.async.bulk.tensor.1d.global.shared::cta.bulk_group";
        let expected = format!("`src` of `{mnemonic}` is an address: it belongs in brackets");
        assert_eq!(messages(&copy("tile")), [expected]);
        assert!(copy("[tile]").is_empty());
    }
}
