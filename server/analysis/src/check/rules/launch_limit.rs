//! `launch-limit`: numbers that the assembler takes and no device can live up to.

use crate::check::codes::Code;
use crate::check::diagnostic::Diagnostic;
use ptx_isa::tables::Directive;
use std::ops::Range;

const CODE: Code = Code::LaunchLimit;

/// The report, a warning.
pub fn report(range: Range<usize>, directive: &Directive, number: u64) -> Diagnostic {
    let message = format!("`{}` asks for {number}, but {}", directive.name, directive.limit_note);
    Diagnostic::warning(CODE, range, message).with_help(format!("the most is {}", directive.limit))
}
