//! `unused-function`: a function that nothing can call.

use crate::check::codes::Code;
use crate::check::diagnostic::Diagnostic;
use std::ops::Range;

const CODE: Code = Code::UnusedFunction;

/// The report on a function that is neither visible outside of the module nor named by anything that is.
pub fn report(range: Range<usize>, name: &str) -> Diagnostic {
    Diagnostic::hint(CODE, range, format!("nothing calls `{name}`"))
        .with_help("it is not `.visible`, so no other module can; leave it out, or write `.visible` before `.func`")
        .unnecessary()
}
