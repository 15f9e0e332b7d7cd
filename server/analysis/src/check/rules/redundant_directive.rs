//! `redundant-directive`: a directive that the assembler takes and ignores.

use super::one_of;
use crate::check::codes::Code;
use crate::check::diagnostic::Diagnostic;
use crate::hir::ast::Word;
use std::ops::Range;

const CODE: Code = Code::RedundantDirective;

/// The same directive stands again further on.
pub fn overridden(range: Range<usize>, name: Word<'_>, later: Word<'_>) -> Diagnostic {
    let message = format!("`{}` stands here more than once, and only the last one counts", name.text);
    Diagnostic::warning(CODE, range, message).related(later.range(), "this one overrides it").unnecessary()
}

/// Without another directive it says nothing.
pub fn idle(range: Range<usize>, name: Word<'_>, without: &[&str]) -> Diagnostic {
    let message = format!("`{}` is ignored without {}", name.text, one_of(without));
    Diagnostic::warning(CODE, range, message).unnecessary()
}

/// A second `.target` directly after the first.
pub fn second_target(range: Range<usize>) -> Diagnostic {
    let message = "only the last architecture counts: a module needs one `.target`";
    Diagnostic::warning(CODE, range, message)
}
