//! `unknown-opcode`: a word in the place of an opcode that is not one.

use super::{spellings, suggest, write_instead};
use crate::check::codes::DiagnosticMessage;
use crate::check::diagnostic::{Diagnostic, Severity};
use crate::hir::ast::SourceWord;
use ptx_isa::ISA;
use ptx_isa::tables::Entry;
use std::ops::Range;

/// A word in the place of an opcode that is not one, or an instruction whose forms are not known.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum UnknownOpcode {
    /// No instruction has this name.
    Nothing {
        /// The word.
        name: Box<str>,
        /// The most similar opcode, if one is similar enough.
        near: Option<&'static str>,
    },
    /// The tables know only the name of the instruction.
    Unchecked(&'static str),
}

impl DiagnosticMessage for UnknownOpcode {
    fn message(&self) -> String {
        match self {
            Self::Nothing { name, .. } => format!("`{name}` is not an instruction"),
            Self::Unchecked(name) => {
                format!("the syntax of `{name}` is not known: its modifiers and operands are not checked")
            }
        }
    }

    fn help(&self) -> Option<String> {
        match self {
            Self::Nothing { name, near } => {
                super::in_ptx(name).or_else(|| near.map(|near| format!("did you mean `{near}`?")))
            }
            Self::Unchecked(_) => Some("only the assembler can tell whether it is correct".to_owned()),
        }
    }
}

/// The report on an unknown opcode.
pub fn report(opcode: SourceWord<'_>) -> Diagnostic {
    let lower = opcode.text.to_ascii_lowercase();
    let same = ISA.opcodes.iter().map(|o| o.name).find(|name| *name == lower);
    // A word of another language is its PTX if that is an opcode without operands.
    let foreign = || spellings(opcode.text)?.0.into_iter().find(|s| !s.contains(' ') && !s.starts_with('.'));
    let near = same.or_else(foreign).or_else(|| suggest(&lower, ISA.opcodes.iter().map(|o| o.name)));
    Diagnostic::new(opcode.range(), UnknownOpcode::Nothing { name: opcode.text.into(), near })
        .fixes(write_instead(opcode.range(), near))
}

/// The hint that an instruction is known by name only.
pub fn unchecked(range: Range<usize>, entry: &Entry) -> Diagnostic {
    Diagnostic::new(range, UnknownOpcode::Unchecked(entry.name)).severity(Severity::Hint)
}

#[cfg(test)]
mod tests {
    use crate::Code::UnknownOpcode;
    use crate::Severity;
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
    fn instructions_known_by_name() {
        let found = in_kernel(UnknownOpcode, "fabric.try_get.async.tensor [%rd1];");
        let expected =
            "the syntax of `fabric.try_get.async.tensor` is not known: its modifiers and operands are not checked";
        assert_eq!((messages(&found), found[0].severity), (vec![expected.to_owned()], Severity::Hint));
    }

    #[test]
    fn the_fix_writes_the_nearest_one() {
        let text = ".version 9.0\n.target sm_90a\n.func f() { .reg .b32 %r; mvo.b32 %r, 1; ret; }";
        assert_eq!(mended(UnknownOpcode, text), text.replace("mvo", "mov"));
    }
}
