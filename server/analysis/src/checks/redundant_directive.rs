//! `redundant-directive`: a directive that the assembler takes and ignores.

use super::one_of;
use crate::ast::Word;
use crate::codes::Words;
use crate::diagnostic::Diagnostic;
use std::ops::Range;

/// A directive that has no effect.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RedundantDirective {
    /// The directive of that name stands again further on.
    Overridden(Box<str>),
    /// A directive that has an effect only beside certain others.
    Idle {
        /// The directive.
        name: Box<str>,
        /// The directives of which one must stand beside it.
        without: &'static [&'static str],
    },
    /// A second `.target` directly after the first.
    SecondTarget,
}

impl Words for RedundantDirective {
    fn message(&self) -> String {
        match self {
            Self::Overridden(name) => format!("`{name}` stands here more than once, and only the last one counts"),
            Self::Idle { name, without } => format!("`{name}` is ignored without {}", one_of(without)),
            Self::SecondTarget => "only the last architecture counts: a module needs one `.target`".to_owned(),
        }
    }
}

/// The same directive stands again further on.
pub fn overridden(range: Range<usize>, name: Word<'_>, later: Word<'_>) -> Diagnostic {
    Diagnostic::new(range, RedundantDirective::Overridden(name.text.into()))
        .related(later.range(), "this one overrides it")
        .unnecessary()
}

/// The directive needs one of some others beside it to have an effect.
pub fn idle(range: Range<usize>, name: Word<'_>, without: &'static [&'static str]) -> Diagnostic {
    Diagnostic::new(range, RedundantDirective::Idle { name: name.text.into(), without }).unnecessary()
}

/// A second `.target` directly after the first.
pub fn second_target(range: Range<usize>) -> Diagnostic {
    Diagnostic::new(range, RedundantDirective::SecondTarget)
}
