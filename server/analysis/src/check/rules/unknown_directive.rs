//! `unknown-directive`: no directive has that name.

use super::{did_you_mean, suggest};
use crate::check::codes::Code;
use crate::check::diagnostic::Diagnostic;
use crate::hir::ast::Word;
use ptx_isa::ISA;
use ptx_isa::tables::Directive;

const CODE: Code = Code::UnknownDirective;

/// The report.
pub fn report(directive: Word<'_>) -> Diagnostic {
    suggesting(directive, |_| true)
}

/// The report on a word in the header of a function.
pub fn in_header(directive: Word<'_>, place: &str) -> Diagnostic {
    suggesting(directive, |d| d.places.contains(&place))
}

fn suggesting(directive: Word<'_>, fits: impl Fn(&Directive) -> bool) -> Diagnostic {
    let found = Diagnostic::error(CODE, directive.range(), format!("`{}` is not a directive", directive.text));
    did_you_mean(found, suggest(directive.text, ISA.directives.iter().filter(|d| fits(d)).map(|d| d.name)))
}
