//! `duplicate-name`: two declarations of one name in one block or module.

use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use ptx_sema::hir::symbols::Symbol;
use std::ops::Range;

/// A name that is declared again.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct DuplicateName {
    /// The name.
    pub name: Box<str>,
    /// How it is declared again.
    pub kind: DuplicateNameKind,
}

/// Ways to declare a name again.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum DuplicateNameKind {
    /// In the same block.
    InBlock,
    /// By a second definition in the module.
    InModule,
    /// By a declaration that follows the definition of the same function.
    AfterDefinition,
    /// As a symbol of another kind, for example as a variable and as a function.
    TwoKinds {
        /// The kind of this declaration, in words.
        now: &'static str,
        /// The symbol of the first declaration.
        first: Symbol,
    },
}

impl DiagnosticMessage for DuplicateName {
    fn message(&self) -> String {
        let name = &self.name;
        match &self.kind {
            DuplicateNameKind::InBlock => format!("`{name}` is declared twice in this block"),
            DuplicateNameKind::InModule => format!("`{name}` is defined twice in this module"),
            DuplicateNameKind::AfterDefinition => format!("`{name}` is declared again, although it is defined before"),
            DuplicateNameKind::TwoKinds { now, first } => {
                format!("`{name}` is {now} here, but {} before", first.describe())
            }
        }
    }

    fn help(&self) -> Option<String> {
        let after = self.kind == DuplicateNameKind::AfterDefinition;
        after.then(|| "remove this declaration, or move it before the definition".to_owned())
    }
}

fn new(range: Range<usize>, name: &str, kind: DuplicateNameKind) -> Diagnostic {
    Diagnostic::new(range, DuplicateName { name: name.into(), kind })
}

/// The report on a second declaration in a block. `earlier` is the range of the first, or empty if that is not in the same text.
pub(crate) fn report(range: Range<usize>, name: &str, earlier: Range<usize>) -> Diagnostic {
    let diagnostic = new(range, name, DuplicateNameKind::InBlock);
    if earlier.is_empty() { diagnostic } else { diagnostic.related(earlier, "the first declaration is here") }
}

/// The report on a second definition in the module.
pub(crate) fn in_module(range: Range<usize>, name: &str, earlier: Range<usize>) -> Diagnostic {
    new(range, name, DuplicateNameKind::InModule).related(earlier, "the first definition is here")
}

/// The report on a declaration that follows the definition of the same function.
pub(crate) fn after_definition(range: Range<usize>, name: &str, earlier: Range<usize>) -> Diagnostic {
    new(range, name, DuplicateNameKind::AfterDefinition).related(earlier, "it is defined here")
}

/// The report on a name of the module that is both a variable and a function. `now` is the kind of this declaration, in words.
pub(crate) fn two_kinds(
    range: Range<usize>,
    name: &str,
    now: &'static str,
    first: Symbol,
    earlier: Range<usize>,
) -> Diagnostic {
    new(range, name, DuplicateNameKind::TwoKinds { now, first }).related(earlier, "the first declaration is here")
}

#[cfg(test)]
mod tests {
    use crate::Code;
    use crate::testing::{in_kernel, in_module, messages};

    #[test]
    fn names_of_a_block() {
        let found = in_kernel(Code::DuplicateName, ".reg .b32 x; .reg .b64 x;");
        assert_eq!(messages(&found), ["`x` is declared twice in this block"]);
        assert_eq!(found[0].related[0].message(), "the first declaration is here");
        assert!(in_kernel(Code::DuplicateName, ".reg .b32 x; { .reg .b64 x; }").is_empty());
    }

    #[test]
    fn names_of_a_module() {
        let of = |text: &str| {
            messages(&in_module(
                Code::DuplicateName,
                &format!(".version 8.5\n.target sm_90\n.address_size 64\n{text}\n"),
            ))
        };
        assert_eq!(of(".global .b32 x;\n.global .b32 x;"), ["`x` is defined twice in this module"]);
        assert_eq!(of(".global .b32 x;\n.func x();"), ["`x` is a function here, but a `.global` variable before"]);
        let again = ["`f` is declared again, although it is defined before"];
        assert_eq!(of(".func f()\n{\nret;\n}\n.func f();"), again);
        assert!(of(".func f();\n.func f()\n{\nret;\n}").is_empty());
    }
}
