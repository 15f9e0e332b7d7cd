//! `missing-modifier`: a modifier that must be there is not.

use super::one_of;
use crate::check::codes::Code;
use crate::check::diagnostic::Diagnostic;
use ptx_isa::tables::{Form, Slot};
use std::ops::Range;

const CODE: Code = Code::MissingModifier;

/// The report. `head` is the range of the opcode with its modifiers.
/// `expected` is what may stand there, in any form.
pub fn report(
    head: Range<usize>,
    written: &str,
    slot: &'static Slot,
    expected: &[&str],
    form: &'static Form,
) -> Diagnostic {
    let what = if slot.is_type { "a type" } else { "a modifier" };
    let message = format!("`{written}` lacks {what}: expected {}", one_of(expected));
    // Where the choice is between forms, one of them says little.
    let found = Diagnostic::error(CODE, head, message);
    if expected.len() > slot.values.len() { found } else { found.with_help(format!("the form is `{}`", form.text)) }
}
