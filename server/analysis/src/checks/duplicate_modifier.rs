//! `duplicate-modifier`: the same modifier twice.

use crate::ast::Word;
use crate::diagnostic::{Diagnostic, Fix};

/// The code.
pub const CODE: &str = "duplicate-modifier";

/// The report.
pub fn report(modifier: Word<'_>) -> Diagnostic {
    Diagnostic::error(CODE, modifier.range(), format!("`{}` is written twice", modifier.text))
        .help("remove one of them")
        .fix(Fix::replace(format!("Remove the second `{}`", modifier.text), modifier.range(), "").preferred())
}
