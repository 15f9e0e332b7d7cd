//! `unknown-opcode`: a word in the place of an opcode that is not one.

use super::{spellings, suggest, write_instead};
use crate::check::codes::DiagnosticMessage;
use crate::check::diagnostic::Diagnostic;
use crate::hir::ast::SourceWord;
use ptx_isa::ISA;

/// A word in the place of an opcode that is not one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct UnknownOpcode {
    /// The word.
    pub name: Box<str>,
    /// The most similar opcode, if one is similar enough.
    pub near: Option<&'static str>,
}

impl DiagnosticMessage for UnknownOpcode {
    fn message(&self) -> String {
        format!("`{}` is not an instruction", self.name)
    }

    fn help(&self) -> Option<String> {
        super::in_ptx(&self.name).or_else(|| self.near.map(|near| format!("did you mean `{near}`?")))
    }
}

/// The report on an unknown opcode.
pub fn report(opcode: SourceWord<'_>) -> Diagnostic {
    let lower = opcode.text.to_ascii_lowercase();
    let same = ISA.opcodes.iter().map(|o| o.name).find(|name| *name == lower);
    // A word of another language is its PTX if that is an opcode without operands.
    let foreign = || spellings(opcode.text)?.0.into_iter().find(|s| !s.contains(' ') && !s.starts_with('.'));
    let near = same.or_else(foreign).or_else(|| suggest(&lower, ISA.opcodes.iter().map(|o| o.name)));
    Diagnostic::new(opcode.range(), UnknownOpcode { name: opcode.text.into(), near })
        .fixes(write_instead(opcode.range(), near))
}

#[cfg(test)]
mod tests {
    use crate::Code::UnknownOpcode;
    use crate::testing::{in_kernel, mended, messages};

    #[test]
    fn misspelt_opcodes() {
        let found = in_kernel(UnknownOpcode, "mvo.b32 %r0, 1;");
        assert_eq!(messages(&found), ["`mvo` is not an instruction"]);
        assert_eq!(found[0].help().as_deref(), Some("did you mean `mov`?"));
        assert!(in_kernel(UnknownOpcode, "mov.b32 %r0, 1;").is_empty());
        assert!(in_kernel(UnknownOpcode, "frobnicate.b32 %r0, 1;")[0].help().is_none());
    }

    #[test]
    fn the_fix_writes_the_nearest_one() {
        let text = ".version 9.0\n.target sm_90a\n.func f() { .reg .b32 %r; mvo.b32 %r, 1; ret; }";
        assert_eq!(mended(UnknownOpcode, text), text.replace("mvo", "mov"));
    }
}
