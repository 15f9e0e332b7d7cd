//! `attribute`: `.attribute(…)` and `.ptr`.

use crate::check::codes::Code;
use crate::check::diagnostic::Diagnostic;
use crate::hir::ast::{Attribute, Word};
use std::ops::Range;

const CODE: Code = Code::Attribute;

/// `.attribute()`.
pub fn missing(range: Range<usize>, known: &[&str]) -> Diagnostic {
    Diagnostic::error(CODE, range, format!("an attribute is missing in the parentheses: {}", super::one_of(known)))
}

/// An unknown attribute, or one that is not allowed here.
pub fn unknown(word: Word<'_>, known: &[&str], holder: &str) -> Diagnostic {
    let message = format!("`{}` is no attribute of {holder}; expected {}", word.text, super::one_of(known));
    let found = Diagnostic::error(CODE, word.range(), message);
    match super::suggest(word.text, known.iter().copied()) {
        Some(name) => found.with_help(format!("did you mean `{name}`?")),
        None => found,
    }
}

/// Too many or too few numbers.
pub fn arguments(attribute: &Attribute<'_>, wanted: u8) -> Diagnostic {
    let name = attribute.name.text;
    let message = match wanted {
        0 => format!("`{name}` has no numbers in parentheses"),
        wanted => format!("`{name}` has {wanted} numbers in parentheses, not {}", attribute.arguments.len()),
    };
    Diagnostic::error(CODE, attribute.range.clone(), message)
}

/// Something other than a number.
pub fn not_a_number(range: Range<usize>) -> Diagnostic {
    Diagnostic::error(CODE, range, "a number is expected here: it cannot be computed")
}

/// In another state space than it goes with.
pub fn space(word: Word<'_>, spaces: &[&str]) -> Diagnostic {
    Diagnostic::error(CODE, word.range(), format!("`{}` is for variables in {}", word.text, super::one_of(spaces)))
}

/// The same again.
pub fn repeated(word: Word<'_>) -> Diagnostic {
    Diagnostic::hint(CODE, word.range(), format!("`{}` is said already", word.text)).unnecessary()
}

/// On a kernel.
pub fn on_kernel(range: Range<usize>) -> Diagnostic {
    Diagnostic::error(CODE, range, "kernels have no attributes")
}

/// A second one on a function.
pub fn second(range: Range<usize>) -> Diagnostic {
    Diagnostic::error(CODE, range, "a function has one attribute, and this is the second")
}

/// `.ptr` on anything but a kernel's parameter.
pub fn pointer(range: Range<usize>, written: &str) -> Diagnostic {
    let message = format!("`{written}` here says what a parameter of a kernel points to; this is no kernel");
    Diagnostic::error(CODE, range, message).with_help("write the alignment of the parameter itself before its type")
}

/// `.ptr .param`.
pub fn pointer_space(word: Word<'_>, spaces: &[&str]) -> Diagnostic {
    let message = format!("`.ptr` points to {}, not to `{}`", super::one_of(spaces), word.text);
    Diagnostic::error(CODE, word.range(), message).with_help("leave the space out for a generic address")
}

/// `.ptr .ptr`.
pub fn second_pointer(range: Range<usize>) -> Diagnostic {
    Diagnostic::error(CODE, range, "a parameter has one `.ptr`, and this is the second")
}
