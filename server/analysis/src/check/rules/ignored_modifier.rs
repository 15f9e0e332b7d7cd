//! `ignored-modifier`: a modifier that the assembler overlooks on any instruction.

use crate::check::codes::Code;
use crate::check::diagnostic::{Diagnostic, Fix};
use crate::hir::ast::Word;

const CODE: Code = Code::IgnoredModifier;

/// The report.
pub fn report(modifier: &Word<'_>) -> Diagnostic {
    let message = format!("`{}` means nothing on this instruction: the assembler ignores it", modifier.text);
    Diagnostic::warning(CODE, modifier.range(), message)
        .with_help("remove it")
        .fix(Fix::replace(format!("Remove `{}`", modifier.text), modifier.range(), "").preferred())
        .unnecessary()
}
