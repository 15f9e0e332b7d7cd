//! `vector-length`: a list with too few or too many elements, or none where one must be.

use crate::check::codes::Code;
use crate::check::diagnostic::Diagnostic;
use crate::forms::spec::Spec;
use std::ops::Range;

const CODE: Code = Code::VectorLength;

/// The report on a list of the wrong length.
pub fn report(range: Range<usize>, found: usize, spec: Option<&Spec>, head: &str) -> Diagnostic {
    let wanted: Vec<String> = spec.map_or(Vec::new(), |s| s.lengths.iter().map(u16::to_string).collect());
    let name = spec.map_or("the operand", |s| s.value.name);
    let message = if wanted.is_empty() {
        format!("`{name}` of `{head}` does not have {found} parts")
    } else {
        format!("`{name}` of `{head}` has {} elements, not {found}", wanted.join(" or "))
    };
    let found = Diagnostic::error(CODE, range, message);
    match spec.and_then(|s| s.ty) {
        Some(ty) => found.with_help(format!("each element is {}", super::operand_type::wanted_of(ty))),
        None => found,
    }
}

/// The report on a single value.
pub fn scalar(range: Range<usize>, spec: Option<&Spec>, head: &str) -> Diagnostic {
    let length = spec.and_then(|s| s.lengths.first().copied());
    let name = spec.map_or("the operand", |s| s.value.name);
    let wanted = length.map_or("a list".to_owned(), |n| format!("a list of {n} registers"));
    Diagnostic::error(CODE, range, format!("`{name}` of `{head}` must be {wanted} in braces, or a vector register"))
}
