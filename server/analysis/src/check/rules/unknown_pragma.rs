//! `unknown-pragma`: a string that the assembler does not know. Its front end takes any.

use super::suggest;
use crate::check::codes::Code;
use crate::check::diagnostic::{Diagnostic, Fix};
use crate::hir::ast::Word;
use ptx_isa::ISA;

const CODE: Code = Code::UnknownPragma;

/// The report, a warning.
pub fn report(string: Word<'_>, place: &str) -> Diagnostic {
    let fate = if place == "module" { "refuses it here when it generates code" } else { "ignores it" };
    let range = if string.text.is_empty() { string.range().start - 1..string.range().end + 1 } else { string.range() };
    let found = Diagnostic::warning(CODE, range, format!("the assembler knows no pragma `{}` and {fate}", string.text));
    let known = || ISA.directives.iter().filter(|d| d.name.starts_with('"')).map(|d| d.name.trim_matches('"'));
    let (name, rest) = string.text.trim().split_once(' ').unwrap_or((string.text.trim(), ""));
    let lower = name.to_lowercase();
    let near = known().find(|k| *k == lower).or_else(|| suggest(&lower, known()));
    match near {
        Some(near) => {
            let text = if rest.is_empty() { near.to_owned() } else { format!("{near} {rest}") };
            let text = if near == "nounroll" { near.to_owned() } else { text };
            found.with_help(format!("did you mean `{text}`?")).fix(Fix::replace(
                format!("Change it to `{text}`"),
                string.range(),
                text.clone(),
            ))
        }
        None => found,
    }
}
