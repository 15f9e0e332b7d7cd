//! `linkage`: `.extern`, `.visible`, `.weak` and `.common` where they cannot stand, and declarations of one variable that disagree.

use crate::check::codes::Code;
use crate::check::diagnostic::{Diagnostic, Fix};
use crate::hir::ast::Word;
use std::ops::Range;

const CODE: Code = Code::Linkage;

/// A second linking directive.
pub fn second(word: Word<'_>, first: Word<'_>) -> Diagnostic {
    let message = format!("a declaration has one linking directive, and `{}` is the second", word.text);
    Diagnostic::error(CODE, word.range(), message).related(first.range(), "the first is here").fix(Fix::replace(
        format!("Remove `{}`", word.text),
        word.range(),
        "",
    ))
}

/// In a body.
pub fn in_body(word: Word<'_>) -> Diagnostic {
    Diagnostic::error(CODE, word.range(), format!("`{}` cannot stand inside of a function", word.text))
        .with_help("other modules see only what is declared outside of functions")
}

/// In another state space than it goes with.
pub fn space(word: Word<'_>, spaces: &[&str]) -> Diagnostic {
    Diagnostic::error(CODE, word.range(), format!("`{}` goes with {} only", word.text, super::one_of(spaces)))
}

/// `.common` with a texture.
pub fn opaque(word: Word<'_>, ty: &str) -> Diagnostic {
    Diagnostic::error(CODE, word.range(), format!("`{}` does not go with `{ty}`", word.text))
}

/// On a function.
pub fn on_function(word: Word<'_>) -> Diagnostic {
    Diagnostic::error(CODE, word.range(), format!("`{}` is for variables, not for functions", word.text))
}

/// `.extern` with an initializer.
pub fn initialized(word: Word<'_>, name: &str) -> Diagnostic {
    let message = format!("`{name}` is defined in another module, so it cannot have an initializer here");
    Diagnostic::error(CODE, word.range(), message).with_help("write `.visible`, or remove the initializer")
}

/// A definition without linkage of what was declared `.extern`.
pub fn hidden(range: Range<usize>, name: &str, earlier: Range<usize>) -> Diagnostic {
    let message = format!("`{name}` is declared `.extern`, so its definition must be seen by other modules");
    Diagnostic::error(CODE, range, message)
        .related(earlier, "the declaration is here")
        .with_help("write `.visible` before it")
}

/// Another type or size than before.
pub fn disagrees(range: Range<usize>, name: &str, what: &str, before: &str, earlier: Range<usize>) -> Diagnostic {
    Diagnostic::error(CODE, range, format!("`{name}` has another {what} here than before: {before}"))
        .related(earlier, "the other declaration is here")
}

/// Another state space than before, which the assembler does not notice.
pub fn other_space(range: Range<usize>, name: &str, before: &str, earlier: Range<usize>) -> Diagnostic {
    let message = format!("`{name}` was declared in `{before}`; the assembler goes by one of the two");
    Diagnostic::warning(CODE, range, message).related(earlier, "the other declaration is here")
}
