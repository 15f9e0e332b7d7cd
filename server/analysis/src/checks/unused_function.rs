//! `unused-function`: a function that nothing can call.

use crate::diagnostic::Diagnostic;
use std::ops::Range;

/// The code.
pub const CODE: &str = "unused-function";

/// The report on a function that is neither visible outside of the module nor named by anything that is.
pub fn report(range: Range<usize>, name: &str) -> Diagnostic {
    Diagnostic::hint(CODE, range, format!("nothing calls `{name}`"))
        .help("it is not `.visible`, so no other module can; leave it out, or write `.visible` before `.func`")
        .unnecessary()
}
