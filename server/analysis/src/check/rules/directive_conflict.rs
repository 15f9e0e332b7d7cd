//! `directive-conflict`: directives that exclude each other, or what they stand before.

use crate::check::codes::Code;
use crate::check::diagnostic::{Diagnostic, Fix};
use crate::hir::ast::Word;

const CODE: Code = Code::DirectiveConflict;

/// Two directives of which a kernel may have one.
pub fn excluded(name: Word<'_>, other: Word<'_>) -> Diagnostic {
    let message = format!("`{}` and `{}` exclude each other", other.text, name.text);
    Diagnostic::error(CODE, name.range(), message).related(other.range(), "the other one")
}

/// The same directive twice, where each may stand once.
pub fn repeated(name: Word<'_>, earlier: Word<'_>) -> Diagnostic {
    let message = format!("`{}` may stand only once in the header of a function", name.text);
    Diagnostic::error(CODE, name.range(), message).related(earlier.range(), "the first one")
}

/// `.extern` before a function with a body.
pub fn body_of_extern(word: Word<'_>) -> Diagnostic {
    Diagnostic::error(
        CODE,
        word.range(),
        format!("`{}` says that the body is in another module, but here it is", word.text),
    )
    .with_help("write `.visible` for a function that other modules use")
    .fix(Fix::replace("Change it to `.visible`", word.range(), ".visible"))
}

/// `.noreturn` on a function with results.
pub fn returns(word: Word<'_>) -> Diagnostic {
    Diagnostic::error(CODE, word.range(), format!("`{}` cannot stand on a function that returns something", word.text))
}
