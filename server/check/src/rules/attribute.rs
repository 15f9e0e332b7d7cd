//! `attribute`: a wrong `.attribute(…)` or `.ptr`.

use super::one_of;
use crate::diagnostic::{Diagnostic, Severity};
use crate::finding::DiagnosticMessage;
use ptx_sema::hir::ast::{self, SourceWord};
use std::ops::Range;

/// What is wrong with an attribute or a `.ptr`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum AttributeProblem {
    /// The parentheses are empty; one of these attributes is expected.
    Missing(Box<[&'static str]>),
    /// An unknown attribute, or one that is not allowed here.
    Unknown {
        /// The word that stands in the place of an attribute.
        name: Box<str>,
        /// A description of the declaration that has the attribute.
        holder: &'static str,
        /// The attributes that such a declaration may have.
        known: Box<[&'static str]>,
        /// The known attribute that is most similar to the word.
        near: Option<&'static str>,
    },
    /// This attribute has numbers but takes none.
    NoNumbers(Box<str>),
    /// An attribute has too many or too few numbers.
    Count {
        /// The attribute.
        name: Box<str>,
        /// How many numbers it takes.
        expected: u8,
        /// How many it has.
        found: usize,
    },
    /// An argument is an expression, where only a number is allowed.
    NotANumber,
    /// The variable is in a state space for which the attribute is not allowed.
    Space {
        /// The attribute.
        name: Box<str>,
        /// The state spaces for which it is allowed.
        spaces: &'static [&'static str],
    },
    /// The declaration already has this attribute.
    Repeated(Box<str>),
    /// A kernel has an attribute.
    OnKernel,
    /// A function has two attributes.
    Second,
    /// This word describes the memory that a parameter points to, but the parameter is not a kernel's.
    Pointer(&'static str),
    /// `.ptr` names a state space that is not allowed for it.
    PointerSpace {
        /// The state space.
        space: Box<str>,
        /// The state spaces that are allowed.
        spaces: &'static [&'static str],
    },
    /// A parameter has two `.ptr`.
    SecondPointer,
}

impl DiagnosticMessage for AttributeProblem {
    fn message(&self) -> String {
        match self {
            Self::Missing(known) => format!("an attribute is missing in the parentheses: {}", one_of(known)),
            Self::Unknown { name, holder, known, .. } => {
                format!("`{name}` is not an attribute of {holder}; expected {}", one_of(known))
            }
            Self::NoNumbers(name) => format!("`{name}` takes no numbers in parentheses"),
            Self::Count { name, expected, found } => {
                let given = if *found == 1 { "is" } else { "are" };
                format!("`{name}` takes {expected} numbers in parentheses; {found} {given} given")
            }
            Self::NotANumber => "expected a literal number here, not an expression".to_owned(),
            Self::Space { name, spaces } => format!("`{name}` is for variables in {}", one_of(spaces)),
            Self::Repeated(name) => format!("`{name}` is given twice"),
            Self::OnKernel => "kernels have no attributes".to_owned(),
            Self::Second => "a function has one attribute; this is the second".to_owned(),
            Self::Pointer(written) => {
                format!("`{written}` here describes what a parameter of a kernel points to; this is not a kernel")
            }
            Self::PointerSpace { space, spaces } => format!("`.ptr` points to {}, not to `{space}`", one_of(spaces)),
            Self::SecondPointer => "a parameter has one `.ptr`; this is the second".to_owned(),
        }
    }

    fn help(&self) -> Option<String> {
        match self {
            Self::Unknown { near, .. } => near.map(|name| format!("did you mean `{name}`?")),
            Self::Pointer(_) => Some("write the alignment of the parameter itself before its type".to_owned()),
            Self::PointerSpace { .. } => Some("omit the space for a generic address".to_owned()),
            _ => None,
        }
    }
}

/// Reports empty parentheses: `.attribute()`. `known` are the attributes allowed here.
pub(crate) fn missing(range: Range<usize>, known: &[&'static str]) -> Diagnostic {
    Diagnostic::new(range, AttributeProblem::Missing(known.into()))
}

/// Reports an unknown attribute, or one that is not allowed here. `holder` describes the declaration; `known` are its attributes.
pub(crate) fn unknown(word: SourceWord<'_>, known: &[&'static str], holder: &'static str) -> Diagnostic {
    let near = super::suggest(word.text, known.iter().copied());
    Diagnostic::new(
        word.range(),
        AttributeProblem::Unknown { name: word.text.into(), holder, known: known.into(), near },
    )
}

/// Reports too many or too few numbers. `expected` is the right number of them.
pub(crate) fn arguments(attribute: &ast::Attribute<'_>, expected: u8) -> Diagnostic {
    let name = attribute.name.text.into();
    let found = match expected {
        0 => AttributeProblem::NoNumbers(name),
        _ => AttributeProblem::Count { name, expected, found: attribute.arguments.len() },
    };
    Diagnostic::new(attribute.range.clone(), found)
}

/// Reports an argument that is not a number.
pub(crate) fn not_a_number(range: Range<usize>) -> Diagnostic {
    Diagnostic::new(range, AttributeProblem::NotANumber)
}

/// Reports an attribute of a variable that is in none of these state spaces.
pub(crate) fn space(word: SourceWord<'_>, spaces: &'static [&'static str]) -> Diagnostic {
    Diagnostic::new(word.range(), AttributeProblem::Space { name: word.text.into(), spaces })
}

/// Reports the second of two equal attributes.
pub(crate) fn repeated(word: SourceWord<'_>) -> Diagnostic {
    let found = AttributeProblem::Repeated(word.text.into());
    Diagnostic::new(word.range(), found).severity(Severity::Hint).unnecessary()
}

/// Reports an attribute of a kernel.
pub(crate) fn on_kernel(range: Range<usize>) -> Diagnostic {
    Diagnostic::new(range, AttributeProblem::OnKernel)
}

/// Reports the second attribute of a function.
pub(crate) fn second(range: Range<usize>) -> Diagnostic {
    Diagnostic::new(range, AttributeProblem::Second)
}

/// Reports `.ptr`, or an alignment in its place, on a parameter that is not a kernel's.
pub(crate) fn pointer(range: Range<usize>, written: &'static str) -> Diagnostic {
    Diagnostic::new(range, AttributeProblem::Pointer(written))
}

/// Reports a state space that `.ptr` does not allow, as in `.ptr .param`.
pub(crate) fn pointer_space(word: SourceWord<'_>, spaces: &'static [&'static str]) -> Diagnostic {
    Diagnostic::new(word.range(), AttributeProblem::PointerSpace { space: word.text.into(), spaces })
}

/// Reports the second `.ptr` of a parameter.
pub(crate) fn second_pointer(range: Range<usize>) -> Diagnostic {
    Diagnostic::new(range, AttributeProblem::SecondPointer)
}

#[cfg(test)]
mod tests {
    use crate::Code;
    use crate::testing::{in_module, messages};

    fn of(module: &str) -> Vec<String> {
        let text = format!(".version 8.5\n.target sm_90\n.address_size 64\n{module}\n");
        in_module(Code::Attribute, &text).iter().map(crate::Diagnostic::text).collect()
    }

    #[test]
    fn attributes_of_variables() {
        assert!(of(".attribute(.managed) .global .u32 a;").is_empty());
        assert_eq!(of(".attribute(.managed) .shared .u32 a;"), ["`.managed` is for variables in `.global`"]);
        assert_eq!(of(".attribute(.managed(1)) .global .u32 a;"), ["`.managed` takes no numbers in parentheses"]);
        let unknown =
            "`.manged` is not an attribute of a variable; expected `.managed` or `.unified`\ndid you mean `.managed`?";
        assert_eq!(of(".attribute(.manged) .global .u32 a;"), [unknown]);
    }

    #[test]
    fn pointers_are_parameters_of_kernels() {
        assert!(of(".entry k(.param .u64 .ptr .global p)\n{\nret;\n}").is_empty());
        let text = ".version 8.5\n.target sm_90\n.func f(.param .u32 .ptr .global p)\n{\nret;\n}\n";
        assert_eq!(
            messages(&in_module(Code::Attribute, text)),
            ["`.ptr` here describes what a parameter of a kernel points to; this is not a kernel"]
        );
    }
}
