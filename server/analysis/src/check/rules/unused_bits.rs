//! `unused-bits`: an immediate of which the instruction reads a part.

use crate::check::codes::Code;
use crate::check::diagnostic::Diagnostic;
use std::ops::Range;

const CODE: Code = Code::UnusedBits;

/// The report. `highest` is the largest value of which all is read.
pub fn report(range: Range<usize>, text: &str, value: i128, operand: &str, head: &str, highest: i64) -> Diagnostic {
    let bits = 64 - highest.leading_zeros();
    let kept = value as u64 & highest.cast_unsigned();
    Diagnostic::warning(CODE, range, format!("`{operand}` of `{head}` has {bits} bits: of `{text}` it reads {kept:#x}"))
}
