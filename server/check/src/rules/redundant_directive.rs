//! `redundant-directive`: a directive that the assembler accepts but ignores.

use super::one_of;
use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use ptx_sema::hir::ast::SourceWord;
use std::ops::Range;

/// A directive that has no effect.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum RedundantDirective {
    /// A later directive of the same name overrides this one.
    Overridden(Box<str>),
    /// The directive has an effect only together with one of certain others.
    Idle {
        /// The directive.
        name: Box<str>,
        /// The directives of which one must be present.
        without: &'static [&'static str],
    },
    /// A second `.target` directly after the first.
    SecondTarget,
}

impl DiagnosticMessage for RedundantDirective {
    fn message(&self) -> String {
        match self {
            Self::Overridden(name) => format!("`{name}` appears here more than once, and only the last one counts"),
            Self::Idle { name, without } => format!("`{name}` is ignored without {}", one_of(without)),
            Self::SecondTarget => "only the last architecture counts: a module needs one `.target`".to_owned(),
        }
    }
}

/// Reports a directive that a later one of the same name overrides.
pub(crate) fn overridden(range: Range<usize>, name: SourceWord<'_>, later: SourceWord<'_>) -> Diagnostic {
    Diagnostic::new(range, RedundantDirective::Overridden(name.text.into()))
        .related(later.range(), "this one overrides it")
        .unnecessary()
}

/// Reports a directive that has no effect because none of `without` is present.
pub(crate) fn idle(range: Range<usize>, name: SourceWord<'_>, without: &'static [&'static str]) -> Diagnostic {
    Diagnostic::new(range, RedundantDirective::Idle { name: name.text.into(), without }).unnecessary()
}

/// Reports a second `.target` directly after the first.
pub(crate) fn second_target(range: Range<usize>) -> Diagnostic {
    Diagnostic::new(range, RedundantDirective::SecondTarget)
}

#[cfg(test)]
mod tests {
    use crate::Code::RedundantDirective;
    use crate::testing::{in_module, messages};

    const HEADER: &str = ".version 9.0\n.target sm_90a\n.address_size 64\n";

    fn found(directives: &str) -> Vec<String> {
        let found = in_module(RedundantDirective, &format!("{HEADER}.visible .entry k() {directives} {{ ret; }}"));
        assert!(found.iter().all(|d| d.unnecessary));
        messages(&found)
    }

    #[test]
    fn directives_without_effect() {
        let twice = "`.maxnreg` appears here more than once, and only the last one counts";
        assert_eq!(found(".maxnreg 32 .maxnreg 64"), [twice]);
        let idle = "`.minnctapersm` is ignored without `.maxntid` or `.reqntid`";
        assert_eq!(found(".minnctapersm 2"), [idle]);
        assert!(found(".maxntid 32 .minnctapersm 2").is_empty());
        let second = in_module(RedundantDirective, ".version 9.0\n.target sm_90\n.target sm_90a\n");
        assert_eq!(messages(&second), ["only the last architecture counts: a module needs one `.target`"]);
    }
}
