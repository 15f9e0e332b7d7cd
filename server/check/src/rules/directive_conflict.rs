//! `directive-conflict`: a directive that conflicts with another directive, or with the function that has it.

use crate::diagnostic::{Diagnostic, Fix};
use crate::finding::DiagnosticMessage;
use ptx_sema::hir::ast::SourceWord;

/// What a directive conflicts with.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum DirectiveConflict {
    /// Another directive: a kernel may have only one of the two.
    Excluded {
        /// The directive.
        name: Box<str>,
        /// The other directive, which stands before it.
        other: Box<str>,
    },
    /// The same directive, which a header may have only once.
    Repeated(Box<str>),
    /// The body of its function: this directive says that the body is elsewhere.
    Body(Box<str>),
    /// The results of its function: this directive says that the function does not return.
    Results(Box<str>),
}

impl DiagnosticMessage for DirectiveConflict {
    fn message(&self) -> String {
        match self {
            Self::Excluded { name, other } => format!("`{other}` and `{name}` exclude each other"),
            Self::Repeated(name) => format!("`{name}` may appear only once in the header of a function"),
            Self::Body(name) => {
                format!("`{name}` says that the body is in another module, but this declaration has one")
            }
            Self::Results(name) => format!("`{name}` is not allowed on a function that returns something"),
        }
    }

    fn help(&self) -> Option<String> {
        let body = matches!(self, Self::Body(_));
        body.then(|| "write `.visible` for a function that other modules use".to_owned())
    }
}

/// Reports two directives of which a kernel may have only one.
pub(crate) fn excluded(name: SourceWord<'_>, other: SourceWord<'_>) -> Diagnostic {
    let found = DirectiveConflict::Excluded { name: name.text.into(), other: other.text.into() };
    Diagnostic::new(name.range(), found).related(other.range(), "the other one")
}

/// Reports the repetition of a directive that a header may have only once.
pub(crate) fn repeated(name: SourceWord<'_>, earlier: SourceWord<'_>) -> Diagnostic {
    let found = DirectiveConflict::Repeated(name.text.into());
    Diagnostic::new(name.range(), found).related(earlier.range(), "the first one")
}

/// Reports `.extern` before a function with a body.
pub(crate) fn body_of_extern(word: SourceWord<'_>) -> Diagnostic {
    let fix = Fix::replace("Change it to `.visible`", word.range(), ".visible");
    Diagnostic::new(word.range(), DirectiveConflict::Body(word.text.into())).fix(fix)
}

/// Reports `.noreturn` on a function with results.
pub(crate) fn returns(word: SourceWord<'_>) -> Diagnostic {
    Diagnostic::new(word.range(), DirectiveConflict::Results(word.text.into()))
}

#[cfg(test)]
mod tests {
    use crate::Code;
    use crate::testing::{in_module, mended, messages};

    fn module(function: &str) -> String {
        format!(".version 8.5\n.target sm_90\n.address_size 64\n{function}\n")
    }

    fn of(function: &str) -> Vec<String> {
        messages(&in_module(Code::DirectiveConflict, &module(function)))
    }

    #[test]
    fn tuning_directives_exclude_each_other() {
        assert!(of(".entry k() .maxntid 128 .minnctapersm 2\n{\nret;\n}").is_empty());
        assert_eq!(
            of(".entry k() .maxntid 128 .reqntid 128\n{\nret;\n}"),
            ["`.maxntid` and `.reqntid` exclude each other"]
        );
        assert_eq!(
            of(".func (.param .b32 r) f() .noreturn;"),
            ["`.noreturn` is not allowed on a function that returns something"]
        );
    }

    #[test]
    fn external_functions_have_no_body() {
        let wrong = ".extern .func f()\n{\nret;\n}";
        assert_eq!(of(wrong), ["`.extern` says that the body is in another module, but this declaration has one"]);
        assert_eq!(mended(Code::DirectiveConflict, &module(wrong)), module(".visible .func f()\n{\nret;\n}"));
    }
}
