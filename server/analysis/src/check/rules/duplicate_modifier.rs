//! `duplicate-modifier`: the same modifier twice.

use crate::check::codes::Code;
use crate::check::diagnostic::{Diagnostic, Fix};
use crate::hir::ast::Word;

const CODE: Code = Code::DuplicateModifier;

/// The report.
pub fn report(modifier: Word<'_>) -> Diagnostic {
    Diagnostic::error(CODE, modifier.range(), format!("`{}` is written twice", modifier.text))
        .with_help("remove one of them")
        .fix(Fix::replace(format!("Remove the second `{}`", modifier.text), modifier.range(), "").preferred())
}
