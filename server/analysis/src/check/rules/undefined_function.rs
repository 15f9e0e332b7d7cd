//! `undefined-function`: a function is declared, and has no body anywhere.

use crate::check::codes::Code;
use crate::check::diagnostic::Diagnostic;
use std::ops::Range;

const CODE: Code = Code::UndefinedFunction;

/// The report.
pub fn report(range: Range<usize>, name: &str, kernel: bool) -> Diagnostic {
    let what = if kernel { "kernel" } else { "function" };
    let message = format!("the {what} `{name}` is declared here, but this module has no body for it");
    Diagnostic::warning(CODE, range, message)
        .with_help("the assembler refuses that once it generates code: define it, or declare it `.extern`")
}
