//! `modifier-order`: modifiers whose order matters stand the other way round.

use crate::check::codes::Code;
use crate::check::diagnostic::Diagnostic;
use crate::hir::ast::Word;
use ptx_isa::tables::Form;

const CODE: Code = Code::ModifierOrder;

/// The report: `first` stands after `second`, but belongs before it.
pub fn report(first: Word<'_>, second: Word<'_>, form: &'static Form) -> Diagnostic {
    let message = format!("`{}` must stand before `{}`", first.text, second.text);
    Diagnostic::error(CODE, first.range(), message).with_help(format!("the form is `{}`", form.text))
}
