//! `linkage`: a linking directive (`.extern`, `.visible`, `.weak`, `.common`) where none is allowed, and declarations of one variable
//! that disagree.

use super::one_of;
use crate::diagnostic::{Diagnostic, Fix, Severity};
use crate::finding::DiagnosticMessage;
use ptx_sema::hir::ast::SourceWord;
use ptx_sema::hir::types::TypeId;
use std::ops::Range;

/// A linking directive that is not allowed where it stands, or two declarations of one variable that disagree.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Linkage {
    /// A second linking directive.
    Second(Box<str>),
    /// A linking directive in a body.
    InBody(Box<str>),
    /// A linking directive on a variable in a state space that does not allow it.
    Space {
        /// The directive.
        directive: Box<str>,
        /// The state spaces that allow it.
        spaces: &'static [&'static str],
    },
    /// `.common` on a texture, sampler or surface variable.
    Opaque {
        /// The directive.
        directive: Box<str>,
        /// The type of the variable.
        ty: &'static str,
    },
    /// A directive for variables on a function.
    OnFunction(Box<str>),
    /// The variable of this name is `.extern` but has an initializer.
    Initialized(Box<str>),
    /// The variable of this name is declared `.extern`, but its definition has no linking directive.
    Hidden(Box<str>),
    /// A variable has another type in an earlier declaration.
    Type {
        /// Its name.
        name: Box<str>,
        /// The type in the earlier declaration.
        ty: TypeId,
        /// The number of elements of a vector in the earlier declaration, else 1.
        elements: u8,
    },
    /// A variable has another size in an earlier declaration.
    Size {
        /// Its name.
        name: Box<str>,
        /// The dimensions in the earlier declaration; 0 for `[]`.
        sizes: Box<[i128]>,
    },
    /// A variable is in another state space in an earlier declaration. The assembler does not report that.
    OtherSpace {
        /// Its name.
        name: Box<str>,
        /// The state space in the earlier declaration.
        space: &'static str,
    },
}

impl DiagnosticMessage for Linkage {
    fn message(&self) -> String {
        match self {
            Self::Second(word) => format!("a declaration has one linking directive; `{word}` is the second"),
            Self::InBody(word) => format!("`{word}` is not allowed inside a function"),
            Self::Space { directive, spaces } => format!("`{directive}` is allowed only in {}", one_of(spaces)),
            Self::Opaque { directive, ty } => format!("`{directive}` cannot be combined with `{ty}`"),
            Self::OnFunction(word) => format!("`{word}` is for variables, not for functions"),
            Self::Initialized(name) => {
                format!("`{name}` is defined in another module, so it cannot have an initializer here")
            }
            Self::Hidden(name) => {
                format!("`{name}` is declared `.extern`, so its definition must be visible to other modules")
            }
            Self::Type { name, ty, elements } => {
                let vector = if *elements > 1 { format!(".v{elements} ") } else { String::new() };
                format!("`{name}` has a different type here than before: `{vector}{}`", ty.name())
            }
            Self::Size { name, sizes } if sizes.is_empty() => {
                format!("`{name}` has a different size here than before: it is not an array")
            }
            Self::Size { name, sizes } => {
                let size = |n: &i128| if *n == 0 { "[]".to_owned() } else { format!("[{n}]") };
                let sizes: String = sizes.iter().map(size).collect();
                format!("`{name}` has a different size here than before: `{name}{sizes}`")
            }
            Self::OtherSpace { name, space } => {
                format!("`{name}` was declared in `{space}`; the assembler uses only one of the two spaces")
            }
        }
    }

    fn help(&self) -> Option<String> {
        let help = match self {
            Self::InBody(_) => "other modules see only what is declared outside of functions",
            Self::Initialized(_) => "write `.visible`, or remove the initializer",
            Self::Hidden(_) => "write `.visible` before it",
            _ => return None,
        };
        Some(help.to_owned())
    }
}

/// Reports a second linking directive.
pub(crate) fn second(word: SourceWord<'_>, first: SourceWord<'_>) -> Diagnostic {
    let fix = Fix::replace(format!("Remove `{}`", word.text), word.range(), "");
    Diagnostic::new(word.range(), Linkage::Second(word.text.into()))
        .related(first.range(), "the first is here")
        .fix(fix)
}

/// Reports a linking directive in a body.
pub(crate) fn in_body(word: SourceWord<'_>) -> Diagnostic {
    Diagnostic::new(word.range(), Linkage::InBody(word.text.into()))
}

/// Reports a linking directive on a variable that is in none of these state spaces.
pub(crate) fn space(word: SourceWord<'_>, spaces: &'static [&'static str]) -> Diagnostic {
    Diagnostic::new(word.range(), Linkage::Space { directive: word.text.into(), spaces })
}

/// Reports `.common` on a variable of an opaque type, such as a texture.
pub(crate) fn opaque(word: SourceWord<'_>, ty: &'static str) -> Diagnostic {
    Diagnostic::new(word.range(), Linkage::Opaque { directive: word.text.into(), ty })
}

/// Reports a linking directive for variables on a function.
pub(crate) fn on_function(word: SourceWord<'_>) -> Diagnostic {
    Diagnostic::new(word.range(), Linkage::OnFunction(word.text.into()))
}

/// Reports an `.extern` variable with an initializer.
pub(crate) fn initialized(word: SourceWord<'_>, name: &str) -> Diagnostic {
    Diagnostic::new(word.range(), Linkage::Initialized(name.into()))
}

/// Reports the definition, without a linking directive, of a variable that was declared `.extern`.
pub(crate) fn hidden(range: Range<usize>, name: &str, earlier: Range<usize>) -> Diagnostic {
    Diagnostic::new(range, Linkage::Hidden(name.into())).related(earlier, "the declaration is here")
}

/// The type of a declared variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DeclaredType {
    pub element: TypeId,
    /// The number of vector elements, 1 for a scalar.
    pub elements: u8,
}

/// Reports a type that differs from that of the earlier declaration, `before`.
pub(crate) fn other_type(range: Range<usize>, name: &str, before: DeclaredType, earlier: Range<usize>) -> Diagnostic {
    let DeclaredType { element: ty, elements } = before;
    let found = Linkage::Type { name: name.into(), ty, elements };
    Diagnostic::new(range, found).related(earlier, "the other declaration is here")
}

/// Reports a size that differs from the earlier declaration's. `before` has the earlier dimensions, with 0 for `[]`.
pub(crate) fn other_size(range: Range<usize>, name: &str, before: &[i128], earlier: Range<usize>) -> Diagnostic {
    let found = Linkage::Size { name: name.into(), sizes: before.into() };
    Diagnostic::new(range, found).related(earlier, "the other declaration is here")
}

/// Warns about a state space that differs from the earlier declaration's. The assembler does not report that.
pub(crate) fn other_space(range: Range<usize>, name: &str, before: &'static str, earlier: Range<usize>) -> Diagnostic {
    let found = Linkage::OtherSpace { name: name.into(), space: before };
    Diagnostic::new(range, found).severity(Severity::Warning).related(earlier, "the other declaration is here")
}

#[cfg(test)]
mod tests {
    use crate::Code;
    use crate::testing::{in_module, mended, messages};

    const HEADER: &str = ".version 9.0\n.target sm_90a\n.address_size 64\n";

    fn found(text: &str) -> Vec<String> {
        messages(&in_module(Code::Linkage, &format!("{HEADER}{text}\n")))
    }

    #[test]
    fn declarations_of_one_variable_agree() {
        let other = "`x` has a different type here than before: `.v2 .f32`";
        assert_eq!(found(".extern .global .v2 .f32 x; .visible .global .f32 x;"), [other]);
        let size = "`x` has a different size here than before: `x[2][3]`";
        assert_eq!(found(".extern .global .f32 x[2][3]; .visible .global .f32 x[2][4];"), [size]);
        let array = "`x` has a different size here than before: it is not an array";
        assert_eq!(found(".extern .global .f32 x; .visible .global .f32 x[4];"), [array]);
        assert!(found(".extern .global .f32 x[]; .visible .global .f32 x[4];").is_empty());
    }

    #[test]
    fn one_linking_directive() {
        let text = format!("{HEADER}.extern .visible .global .f32 x;\n");
        let message = "a declaration has one linking directive; `.visible` is the second";
        assert_eq!(messages(&in_module(Code::Linkage, &text)), [message]);
        assert_eq!(mended(Code::Linkage, &text), text.replace(".visible", ""));
    }
}
