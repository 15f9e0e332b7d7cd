//! `vector-type`: a vector that cannot be declared.

use crate::check::codes::Code;
use crate::check::diagnostic::Diagnostic;
use crate::hir::ast::Word;

const CODE: Code = Code::VectorType;

/// `.v8`.
pub fn length(word: Word<'_>) -> Diagnostic {
    Diagnostic::error(CODE, word.range(), format!("a vector has 2 or 4 elements, `{}` cannot be declared", word.text))
        .with_help("longer vectors exist in instructions only: list the registers in braces")
}

/// More than 128 bits.
pub fn too_wide(word: Word<'_>, ty: &str, bits: u32) -> Diagnostic {
    Diagnostic::error(
        CODE,
        word.range(),
        format!("a vector has at most 128 bits, `{} {ty}` would have {bits}", word.text),
    )
}

/// Elements that vectors do not have.
pub fn element(word: Word<'_>, ty: &str) -> Diagnostic {
    Diagnostic::error(CODE, word.range(), format!("there are no vectors of `{ty}`"))
}

/// A vector in `.param`.
pub fn parameter(word: Word<'_>, bytes: u32) -> Diagnostic {
    Diagnostic::error(CODE, word.range(), "a `.param` variable cannot be a vector")
        .with_help(format!("declare `.align {bytes} .b8 name[{bytes}]`"))
}
