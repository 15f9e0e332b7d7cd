//! `modifier-not-allowed`: the modifier exists, but not for this instruction.

use super::one_of;
use crate::check::codes::DiagnosticMessage;
use crate::check::diagnostic::Diagnostic;
use crate::hir::ast::SourceWord;
use ptx_isa::tables::{Form, Opcode};

/// A modifier that exists, but not for this instruction.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ModifierNotAllowed {
    /// The modifier.
    pub modifier: Box<str>,
    /// Why the instruction does not take it.
    pub reason: Reason,
}

/// Why an instruction does not take a modifier.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Reason {
    /// No form of the opcode takes it.
    NoForm {
        /// The opcode.
        opcode: &'static str,
        /// The form of the opcode, if it has only one.
        only: Option<&'static str>,
    },
    /// Other forms of the opcode take it, but not the nearest one.
    OtherForm {
        /// The nearest form.
        form: &'static str,
    },
    /// It is a type where the opcode takes only other types.
    WrongType {
        /// The opcode.
        opcode: &'static str,
        /// The types that may stand there.
        expected: Box<[&'static str]>,
    },
    /// It stands in the place of a required modifier.
    Instead {
        /// The modifiers that may stand there.
        expected: Box<[&'static str]>,
        /// The nearest form.
        form: &'static str,
    },
}

impl DiagnosticMessage for ModifierNotAllowed {
    fn message(&self) -> String {
        let modifier = &self.modifier;
        match &self.reason {
            Reason::NoForm { opcode, .. } => format!("`{opcode}` does not take `{modifier}`"),
            Reason::OtherForm { .. } => format!("`{modifier}` has no place here"),
            Reason::WrongType { opcode, expected } => {
                format!("`{opcode}` has no `{modifier}` form: expected {}", one_of(expected))
            }
            Reason::Instead { expected, .. } => {
                format!("`{modifier}` has no place here: expected {}", one_of(expected))
            }
        }
    }

    fn help(&self) -> Option<String> {
        match &self.reason {
            Reason::NoForm { only, .. } => only.map(|form| format!("the form is `{form}`")),
            Reason::OtherForm { form } | Reason::Instead { form, .. } => Some(format!("the nearest form is `{form}`")),
            Reason::WrongType { .. } => None,
        }
    }
}

fn new(modifier: SourceWord<'_>, reason: Reason) -> Diagnostic {
    Diagnostic::new(modifier.range(), ModifierNotAllowed { modifier: modifier.text.into(), reason })
}

/// The report on a modifier that no form of the opcode takes.
pub fn report(modifier: SourceWord<'_>, opcode: &'static Opcode) -> Diagnostic {
    let forms: Vec<&'static str> = opcode.entries.iter().flat_map(|e| e.forms).map(|f| f.text).collect();
    let only = if let [only] = forms[..] { Some(only) } else { None };
    new(modifier, Reason::NoForm { opcode: opcode.name, only })
}

/// The report on a modifier that only other forms take.
pub fn in_form(modifier: SourceWord<'_>, form: &'static Form) -> Diagnostic {
    new(modifier, Reason::OtherForm { form: form.text })
}

/// The report on a type where the opcode takes only the types in `expected`.
pub fn wrong_type(modifier: SourceWord<'_>, opcode: &'static str, expected: &[&'static str]) -> Diagnostic {
    new(modifier, Reason::WrongType { opcode, expected: expected.into() })
}

/// The report on a modifier in the place of a required one, which must be one of `expected`.
pub fn instead(modifier: SourceWord<'_>, expected: &[&'static str], form: &'static Form) -> Diagnostic {
    new(modifier, Reason::Instead { expected: expected.into(), form: form.text })
}

#[cfg(test)]
mod tests {
    use crate::Code;
    use crate::testing::{in_kernel, messages};

    #[test]
    fn modifiers_of_other_instructions() {
        let found = |body: &str| messages(&in_kernel(Code::ModifierNotAllowed, body));
        assert_eq!(found("not.sat.b32 %r1, %r2;"), ["`not` does not take `.sat`"]);
        assert_eq!(
            found("not.u32 %r1, %r2;"),
            ["`not` has no `.u32` form: expected `.pred`, `.b16`, `.b32` or `.b64`"]
        );
        assert_eq!(found("cvt.rn.f32.f32 %f1, %f2;"), ["`.rn` has no place here"]);
        assert!(found("not.b32 %r1, %r2; add.sat.s32 %r1, %r2, %r3; cvt.rni.f32.f32 %f1, %f2;").is_empty());
    }
}
