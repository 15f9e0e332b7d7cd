//! `duplicate-name`: two declarations of one name in one block.

use crate::diagnostic::Diagnostic;
use std::ops::Range;

/// The code.
pub const CODE: &str = "duplicate-name";

/// The report.
pub fn report(range: Range<usize>, name: &str, earlier: Range<usize>) -> Diagnostic {
    let diagnostic = Diagnostic::error(CODE, range, format!("`{name}` is declared twice in this block"));
    if earlier.is_empty() { diagnostic } else { diagnostic.related(earlier, "the first declaration is here") }
}

/// The report on a second definition in the module.
pub fn in_module(range: Range<usize>, name: &str, earlier: Range<usize>) -> Diagnostic {
    Diagnostic::error(CODE, range, format!("`{name}` is defined twice in this module"))
        .related(earlier, "the first definition is here")
}
