//! `modifier-not-allowed`: the modifier exists, but not for this instruction.

use super::one_of;
use crate::check::codes::Code;
use crate::check::diagnostic::Diagnostic;
use crate::hir::ast::Word;
use ptx_isa::tables::{Form, Opcode};

const CODE: Code = Code::ModifierNotAllowed;

/// The report on a modifier that no form of the opcode takes.
pub fn report(modifier: Word<'_>, name: &str, opcode: &'static Opcode) -> Diagnostic {
    let found = Diagnostic::error(CODE, modifier.range(), format!("`{name}` does not take `{}`", modifier.text));
    let forms: Vec<&str> = opcode.entries.iter().flat_map(|e| e.forms).map(|f| f.text).collect();
    match forms.as_slice() {
        [only] => found.with_help(format!("the form is `{only}`")),
        _ => found,
    }
}

/// The report on a modifier that only other forms take.
pub fn in_form(modifier: Word<'_>, form: &'static Form) -> Diagnostic {
    let message = format!("`{}` has no place here", modifier.text);
    Diagnostic::error(CODE, modifier.range(), message).with_help(format!("the nearest form is `{}`", form.text))
}

/// The report on a type in the place of another.
pub fn wrong_type(modifier: Word<'_>, name: &str, expected: &[&str]) -> Diagnostic {
    let message = format!("`{name}` has no `{}` form: expected {}", modifier.text, one_of(expected));
    Diagnostic::error(CODE, modifier.range(), message)
}

/// The report on a modifier in the place of another.
pub fn instead(modifier: Word<'_>, expected: &[&str], form: &'static Form) -> Diagnostic {
    let message = format!("`{}` has no place here: expected {}", modifier.text, one_of(expected));
    Diagnostic::error(CODE, modifier.range(), message).with_help(format!("the nearest form is `{}`", form.text))
}
