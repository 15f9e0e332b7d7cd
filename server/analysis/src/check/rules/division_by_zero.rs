//! `division-by-zero`: an integer division by the literal 0.

use crate::check::codes::Code;
use crate::check::diagnostic::Diagnostic;
use std::ops::Range;

const CODE: Code = Code::DivisionByZero;

/// The report.
pub fn report(range: Range<usize>, head: &str) -> Diagnostic {
    Diagnostic::warning(CODE, range, format!("`{head}` divides by zero: its result is not specified"))
}
