//! `misplaced-directive`: a directive at a place where it is not allowed.

use crate::diagnostic::{Diagnostic, Severity};
use crate::finding::DiagnosticMessage;
use ptx_isa::tables::Directive;
use ptx_sema::hir::ast::SourceWord;

/// A directive at a place where it is not allowed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum MisplacedDirective {
    /// It is only allowed at other places.
    Elsewhere {
        /// The directive.
        directive: Box<str>,
        /// The places where it may stand, as the tables name them.
        places: &'static [&'static str],
    },
    /// It belongs to the header of the module, such as `.version`.
    OfModuleHeader(Box<str>),
    /// It may not stand in the header of this function.
    InHeader {
        /// The directive.
        directive: Box<str>,
        /// The places where it may stand, as the tables name them.
        places: &'static [&'static str],
        /// The kind of function that has the header.
        owner: HeaderOwner,
    },
    /// A linking directive (`.visible`) follows the name of a function.
    Linkage(Box<str>),
    /// The first directive must come before the second in a header.
    Order(Box<str>, Box<str>),
    /// It begins a function inside of another one.
    FunctionInFunction(Box<str>),
    /// A `.branchtargets`, `.calltargets` or `.callprototype` directive has no label.
    WithoutLabel(Box<str>),
    /// `.target` in a body. The assembler applies it to the code that follows.
    TargetInBody,
}

/// The kind of function, or prototype, that has a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum HeaderOwner {
    /// A kernel with a body.
    Kernel,
    /// A kernel without a body.
    KernelDeclaration,
    /// A function with a body.
    Function,
    /// A function without a body.
    FunctionDeclaration,
    /// `.callprototype`.
    Prototype,
}

impl HeaderOwner {
    /// The owner of a header, from its place name in the tables (`entry`, `func`, `declaration` or `prototype`).
    fn at(place: &str, kernel: bool) -> Self {
        match (kernel, place) {
            (true, "declaration") => Self::KernelDeclaration,
            (false, "declaration") => Self::FunctionDeclaration,
            (_, "prototype") => Self::Prototype,
            (true, _) => Self::Kernel,
            (false, _) => Self::Function,
        }
    }

    fn is_declaration(self) -> bool {
        matches!(self, Self::KernelDeclaration | Self::FunctionDeclaration)
    }
}

impl DiagnosticMessage for MisplacedDirective {
    fn message(&self) -> String {
        match self {
            Self::Elsewhere { directive, .. } => format!("`{directive}` is not allowed here"),
            Self::OfModuleHeader(directive) => {
                format!("`{directive}` is not allowed here: it belongs at the beginning of the module")
            }
            Self::InHeader { directive, owner, .. } => {
                let owner = match owner {
                    HeaderOwner::Kernel => "a kernel",
                    HeaderOwner::KernelDeclaration => "a kernel without a body",
                    HeaderOwner::Function => "a function",
                    HeaderOwner::FunctionDeclaration => "a function without a body",
                    HeaderOwner::Prototype => "a prototype",
                };
                format!("`{directive}` is not allowed on {owner}")
            }
            Self::Linkage(directive) => format!("`{directive}` cannot follow the name of a function"),
            Self::Order(first, second) => format!("`{first}` must come before `{second}`"),
            Self::FunctionInFunction(directive) => format!("`{directive}` is not allowed inside a function"),
            Self::WithoutLabel(directive) => {
                format!("`{directive}` needs a label before it: other instructions refer to it by that label")
            }
            Self::TargetInBody => {
                "`.target` in a body also changes the target of the code after it: it belongs at the \
                                   beginning of the module"
                    .to_owned()
            }
        }
    }

    fn help(&self) -> Option<String> {
        Some(match self {
            Self::Elsewhere { places, .. } => format!("it belongs {}", home(places)),
            Self::InHeader { places: ["entry"], owner, .. } if !owner.is_declaration() => {
                "only kernels (`.entry`) can have it".to_owned()
            }
            Self::InHeader { owner, .. } if owner.is_declaration() => "write it where the body is".to_owned(),
            Self::InHeader { places, .. } => format!("it belongs {}", home(places)),
            Self::Linkage(_) => "it is the first word of the declaration, before `.entry` or `.func`".to_owned(),
            Self::FunctionInFunction(_) => "functions cannot be nested: move it out of this one".to_owned(),
            Self::WithoutLabel(directive) => format!("write, for instance, `targets: {directive} …`"),
            Self::OfModuleHeader(_) | Self::Order(..) | Self::TargetInBody => return None,
        })
    }
}

/// The places where a directive is allowed, in words.
fn home(places: &[&str]) -> String {
    let place = |place: &str| {
        Some(match place {
            "module" => "outside of functions",
            "header" => "between the name of a function and its body",
            "entry" => "between the parameters of a kernel and its body",
            "func" => "between the parameters of a function and its body",
            "body" | "entry-body" => "inside a body",
            "variable" => "with variables",
            "parameter" => "with parameters",
            _ => return None,
        })
    };
    let places: Vec<&str> = places.iter().filter_map(|p| place(p)).collect();
    match places[..] {
        [] => "elsewhere".to_owned(),
        [one] => one.to_owned(),
        [.., last] => format!("{} or {last}", places[..places.len() - 1].join(", ")),
    }
}

/// Reports a directive at a place where it is not allowed.
pub(crate) fn report(word: SourceWord<'_>, directive: &Directive) -> Diagnostic {
    let found = MisplacedDirective::Elsewhere { directive: word.text.into(), places: directive.places };
    Diagnostic::new(word.range(), found)
}

/// Reports a directive of the module header at another place.
pub(crate) fn of_module_header(word: SourceWord<'_>) -> Diagnostic {
    Diagnostic::new(word.range(), MisplacedDirective::OfModuleHeader(word.text.into()))
}

/// Reports a directive in the header of a function that may not have it. `place` is the place name of that header in the tables.
pub(crate) fn in_header(word: SourceWord<'_>, directive: &Directive, kernel: bool, place: &str) -> Diagnostic {
    let owner = HeaderOwner::at(place, kernel);
    let found = MisplacedDirective::InHeader { directive: word.text.into(), places: directive.places, owner };
    Diagnostic::new(word.range(), found)
}

/// Reports a linking directive that follows the name of a function.
pub(crate) fn linkage(word: SourceWord<'_>) -> Diagnostic {
    Diagnostic::new(word.range(), MisplacedDirective::Linkage(word.text.into()))
}

/// Reports a directive in a function header that must come before `later`.
pub(crate) fn order(word: SourceWord<'_>, later: SourceWord<'_>) -> Diagnostic {
    let found = MisplacedDirective::Order(word.text.into(), later.text.into());
    Diagnostic::new(word.range(), found).related(later.range(), "this comes after it")
}

/// Reports a function inside of another one.
pub(crate) fn function_in_function(word: SourceWord<'_>) -> Diagnostic {
    Diagnostic::new(word.range(), MisplacedDirective::FunctionInFunction(word.text.into()))
}

/// Reports a `.branchtargets`, `.calltargets` or `.callprototype` directive without a label.
pub(crate) fn without_label(word: SourceWord<'_>) -> Diagnostic {
    Diagnostic::new(word.range(), MisplacedDirective::WithoutLabel(word.text.into()))
}

/// Warns about `.target` in a body: the code after it is for another architecture.
pub(crate) fn target_in_body(word: SourceWord<'_>) -> Diagnostic {
    Diagnostic::new(word.range(), MisplacedDirective::TargetInBody).severity(Severity::Warning)
}

#[cfg(test)]
mod tests {
    use crate::Code;
    use crate::testing::{in_kernel, in_module, messages};

    #[test]
    fn directives_of_the_module_in_a_body() {
        let message = "`.version` is not allowed here: it belongs at the beginning of the module";
        assert_eq!(messages(&in_kernel(Code::MisplacedDirective, ".version 9.0")), [message]);
        assert!(in_kernel(Code::MisplacedDirective, ".pragma \"nounroll\";").is_empty());
    }

    #[test]
    fn linking_directives_after_the_name() {
        for header in [".entry f() .visible", ".entry f() .maxnreg 32 .visible 1", ".func f() .noreturn .visible"] {
            let text = format!(".version 9.0\n.target sm_90a\n.address_size 64\n{header} {{ ret; }}\n");
            let found = in_module(Code::MisplacedDirective, &text);
            assert_eq!(messages(&found), ["`.visible` cannot follow the name of a function"], "{header}");
        }
        let declared = |end: &str| {
            let text = format!(".version 9.0\n.target sm_90a\n.address_size 64\n.func f() .visible{end}\n");
            in_module(Code::MisplacedDirective, &text)
        };
        assert_eq!(messages(&declared(";")), ["`.visible` cannot follow the name of a function"]);
        assert!(declared("\n.func g() { ret; }").is_empty());
    }

    #[test]
    fn directives_of_kernels_on_functions() {
        let on = |function: &str| {
            let header = ".version 9.0\n.target sm_90a\n.address_size 64\n";
            in_module(Code::MisplacedDirective, &format!("{header}{function}\n.maxntid 32\n{{\nret;\n}}\n"))
        };
        let found = on(".func f()");
        assert_eq!(messages(&found), ["`.maxntid` is not allowed on a function"]);
        assert_eq!(found[0].help().as_deref(), Some("only kernels (`.entry`) can have it"));
        assert!(on(".entry f()").is_empty());
    }
}
