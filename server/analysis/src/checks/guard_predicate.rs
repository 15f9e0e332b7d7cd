//! `guard-predicate`: the guard of an instruction is no predicate.

use crate::ast::Word;
use crate::diagnostic::Diagnostic;
use crate::symbols::Symbol;

/// The code.
pub const CODE: &str = "guard-predicate";

/// The report.
pub fn report(guard: Word<'_>, symbol: &Symbol) -> Diagnostic {
    let message = format!("`{}` is {}, but a guard must be a `.pred` register", guard.text, symbol.describe());
    Diagnostic::error(CODE, guard.range(), message).help("compare first: `setp.ne.u32 %p, …, 0;`")
}
