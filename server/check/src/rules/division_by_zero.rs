//! `division-by-zero`: an integer division by the literal 0.

use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use std::ops::Range;

/// An integer division by the literal 0.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct DivisionByZero {
    /// The opcode with its modifiers.
    pub mnemonic: Box<str>,
}

impl DiagnosticMessage for DivisionByZero {
    fn message(&self) -> String {
        format!("`{}` divides by zero: its result is not specified", self.mnemonic)
    }
}

/// The warning about a division whose divisor is the literal 0.
pub(crate) fn report(range: Range<usize>, mnemonic: &str) -> Diagnostic {
    Diagnostic::new(range, DivisionByZero { mnemonic: mnemonic.into() })
}

#[cfg(test)]
mod tests {
    use crate::testing::{in_kernel, messages};
    use crate::{Code, Severity};

    #[test]
    fn only_integers_are_divided_by_zero() {
        let found = in_kernel(Code::DivisionByZero, "rem.s32 %r1, %r2, 0;");
        assert_eq!(messages(&found), ["`rem.s32` divides by zero: its result is not specified"]);
        assert_eq!(found[0].severity, Severity::Warning);
        let fine = "div.s32 %r1, %r2, 2; div.rn.f32 %f1, %f2, 0f00000000;";
        assert!(in_kernel(Code::DivisionByZero, fine).is_empty());
    }
}
