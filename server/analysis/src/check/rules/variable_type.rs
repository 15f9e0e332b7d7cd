//! `variable-type`: a type that a register, variable or parameter cannot have, or not in its state space.

use crate::check::codes::Code;
use crate::check::diagnostic::{Diagnostic, Fix};
use crate::hir::ast::Word;
use ptx_isa::ISA;

const CODE: Code = Code::VariableType;

/// A type that only instructions have.
pub fn instructions_only(word: Word<'_>, what: &str) -> Diagnostic {
    let found = Diagnostic::error(CODE, word.range(), format!("`{}` cannot be the type of {what}", word.text));
    match ISA.ty(word.text).map(|t| t.agrees) {
        Some([first, ..]) => found.with_help(format!("such values live in `{first}`")).fix(Fix::replace(
            format!("Change `{}` to `{first}`", word.text),
            word.range(),
            *first,
        )),
        _ => found,
    }
}

/// A predicate in memory.
pub fn predicate(word: Word<'_>, space: &str) -> Diagnostic {
    Diagnostic::error(CODE, word.range(), format!("predicates live in registers only, not in `{space}`"))
        .with_help("store the result of `selp`, and compare it when it is loaded")
}

/// A packed type in `.param`.
pub fn parameter(word: Word<'_>, bits: u16) -> Diagnostic {
    Diagnostic::error(CODE, word.range(), format!("`{}` cannot be the type of a `.param` variable", word.text))
        .with_help(format!("declare it `.b{bits}`"))
        .fix(
            Fix::replace(format!("Change `{}` to `.b{bits}`", word.text), word.range(), format!(".b{bits}"))
                .preferred(),
        )
}

/// A texture, sampler or surface anywhere but where they may be.
pub fn opaque(word: Word<'_>, place: &str) -> Diagnostic {
    let message = format!("`{}` cannot be declared {place}", word.text);
    Diagnostic::error(CODE, word.range(), message)
        .with_help("textures, samplers and surfaces are `.global` variables of the module or parameters of kernels")
}

/// Anything but an integer in the former texture space.
pub fn texture_space(word: Word<'_>) -> Diagnostic {
    Diagnostic::error(CODE, word.range(), "a variable in `.tex` is one `.u32` or `.u64`")
}
