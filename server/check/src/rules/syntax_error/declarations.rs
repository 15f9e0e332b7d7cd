//! Reports on the parts of a declaration.

use super::kind::{SyntaxErrorKind, error};
use crate::diagnostic::{Diagnostic, Fix};
use crate::rules::{foreign, suggest, write_instead};
use ptx_sema::hir::ast::SourceWord;
use std::ops::Range;

/// Reports a word with a dot in the place of a type.
pub(crate) fn not_a_type(word: SourceWord<'_>) -> Diagnostic {
    let foreign = || foreign(word.text)?.spellings.into_iter().find(|s| ptx_isa::ISA.ty(s).is_some());
    let near = foreign().or_else(|| suggest(word.text, ptx_isa::ISA.types.iter().map(|t| t.name)));
    error(word.range(), SyntaxErrorKind::NotAType(word.text.into(), near)).fixes(write_instead(word.range(), near))
}

/// Reports a part of a declaration that must come before the part described by `before`.
pub(crate) fn order(range: Range<usize>, before: &'static str) -> Diagnostic {
    error(range, SyntaxErrorKind::Order(before))
}

/// Reports a parameter without a name; `prototype` if it is a prototype's.
pub(crate) fn no_name(range: Range<usize>, prototype: bool) -> Diagnostic {
    error(range, SyntaxErrorKind::NamelessParameter(prototype))
}

/// Reports `.ptr` before the type, as in `.param .ptr .u64 p`.
pub(crate) fn pointer_order(range: Range<usize>) -> Diagnostic {
    error(range, SyntaxErrorKind::PointerOrder)
}

/// Reports the second state space, type or vector length of a declaration. `what` describes it.
pub(crate) fn given_twice(range: Range<usize>, what: &'static str) -> Diagnostic {
    error(range.clone(), SyntaxErrorKind::GivenTwice(what)).fix(Fix::replace("Remove the second", range, ""))
}

/// Reports a declaration without a type.
pub(crate) fn no_type(range: Range<usize>) -> Diagnostic {
    error(range, SyntaxErrorKind::NoType)
}
