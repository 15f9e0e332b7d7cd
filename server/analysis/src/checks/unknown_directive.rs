//! `unknown-directive`: no directive has that name.

use super::{did_you_mean, suggest};
use crate::ast::Word;
use crate::diagnostic::Diagnostic;
use ptx_isa::ISA;

/// The code.
pub const CODE: &str = "unknown-directive";

/// The report.
pub fn report(directive: Word<'_>) -> Diagnostic {
    let found = Diagnostic::error(CODE, directive.range(), format!("`{}` is not a directive", directive.text));
    did_you_mean(found, suggest(directive.text, ISA.directives.iter().map(|d| d.name)))
}
