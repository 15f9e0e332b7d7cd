//! `misplaced-declaration`: a state space in which nothing can be declared, or not here.

use crate::check::codes::Code;
use crate::check::diagnostic::{Diagnostic, Fix};
use crate::hir::ast::Word;
use crate::target::{Environment, describe_needs};
use ptx_isa::tables::Gate;

const CODE: Code = Code::MisplacedDeclaration;

/// `.sreg`, `.shared::cta`.
pub fn never(word: Word<'_>, base: Option<&str>) -> Diagnostic {
    let found = Diagnostic::error(CODE, word.range(), format!("nothing can be declared in `{}`", word.text));
    match base {
        Some(base) => found
            .with_help(format!("declare it in `{base}`"))
            .fix(Fix::replace(format!("Change `{}` to `{base}`", word.text), word.range(), base).preferred()),
        None => found,
    }
}

/// A space that belongs elsewhere.
pub fn not_here(word: Word<'_>, here: &str, elsewhere: &str) -> Diagnostic {
    Diagnostic::error(CODE, word.range(), format!("`{}` cannot be declared {here}", word.text))
        .with_help(format!("it is declared {elsewhere}"))
}

/// A space that once could be declared here.
pub fn no_longer(word: Word<'_>, here: &str, gate: &Gate, environment: &Environment) -> Diagnostic {
    let (since, have) = (describe_needs(gate), environment.describe());
    let message = format!("`{}` cannot be declared {here} from {since} on; this module says {have}", word.text);
    let found = Diagnostic::error(CODE, word.range(), message);
    if gate.note.is_empty() { found } else { found.with_help(gate.note) }
}

/// `.global[1]`.
pub fn no_banks(word: Word<'_>, space: &str) -> Diagnostic {
    Diagnostic::error(CODE, word.range(), format!("`{space}` has no numbered banks"))
}

/// A bank that holds external arrays of unknown size.
pub fn bank(word: Word<'_>, most: i128) -> Diagnostic {
    let message = format!("banks 1 to {most} are for `.extern` arrays without a size, bank 0 for all other variables");
    Diagnostic::error(CODE, word.range(), message)
}
