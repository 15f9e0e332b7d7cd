//! `excess-shift`: a constant shift distance that shifts all bits out.

use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use std::ops::Range;

/// A constant shift distance that shifts all bits out.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ExcessShift {
    /// The distance as written.
    pub distance: Box<str>,
    /// The size of the shifted value in bits.
    pub width: u16,
    /// The opcode with its modifiers.
    pub mnemonic: Box<str>,
}

impl DiagnosticMessage for ExcessShift {
    fn message(&self) -> String {
        let Self { distance, width, mnemonic } = self;
        format!("`{mnemonic}` shifts {width} bits by `{distance}`, which shifts out every bit")
    }

    fn help(&self) -> Option<String> {
        Some(format!("useful distances are 0 to {}; larger ones do not wrap", self.width.saturating_sub(1)))
    }
}

/// The report. `text` is the distance as the source spells it.
pub(crate) fn report(range: Range<usize>, text: &str, width: u16, mnemonic: &str) -> Diagnostic {
    Diagnostic::new(range, ExcessShift { distance: text.into(), width, mnemonic: mnemonic.into() })
}

#[cfg(test)]
mod tests {
    use crate::testing::{in_kernel, messages};
    use crate::{Code, Severity};

    #[test]
    fn distances_are_less_than_the_width() {
        let found = in_kernel(Code::ExcessShift, "shl.b32 %r1, %r2, 32;");
        assert_eq!(messages(&found), ["`shl.b32` shifts 32 bits by `32`, which shifts out every bit"]);
        assert_eq!(found[0].help().as_deref(), Some("useful distances are 0 to 31; larger ones do not wrap"));
        assert_eq!(found[0].severity, Severity::Warning);
        assert!(in_kernel(Code::ExcessShift, "shl.b32 %r1, %r2, 31; shl.b64 %rd1, %rd2, 32;").is_empty());
    }
}
