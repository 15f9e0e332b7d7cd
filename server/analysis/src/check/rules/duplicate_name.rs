//! `duplicate-name`: two declarations of one name in one block.

use crate::check::codes::Code;
use crate::check::diagnostic::Diagnostic;
use crate::hir::symbols::Symbol;
use std::ops::Range;

const CODE: Code = Code::DuplicateName;

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

/// The report on a declaration that follows the definition of the same function.
pub fn after_definition(range: Range<usize>, name: &str, earlier: Range<usize>) -> Diagnostic {
    Diagnostic::error(CODE, range, format!("`{name}` is declared again, although it is defined before"))
        .related(earlier, "it is defined here")
        .with_help("drop this declaration, or move it before the definition")
}

/// The report on a name of the module that is a variable and a function.
pub fn two_kinds(range: Range<usize>, name: &str, what: &str, first: Symbol, earlier: Range<usize>) -> Diagnostic {
    Diagnostic::error(CODE, range, format!("`{name}` is {what} here, but {} before", first.describe()))
        .related(earlier, "the first declaration is here")
}
