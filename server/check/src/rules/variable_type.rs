//! `variable-type`: a type that a register, variable or parameter cannot have, at all or in its state space.

use crate::diagnostic::{Diagnostic, Fix};
use crate::finding::DiagnosticMessage;
use ptx_isa::ISA;
use ptx_sema::hir::ast::SourceWord;

/// A declaration with a type that it cannot have.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum VariableType {
    /// A type that only instructions have.
    InstructionsOnly {
        /// The type.
        ty: Box<str>,
        /// The kind of the declared name.
        declared: DeclaredKind,
        /// The type of registers for such values.
        register: Option<&'static str>,
    },
    /// A predicate in this state space.
    Predicate(Box<str>),
    /// A packed type in `.param`.
    Parameter {
        /// The type.
        ty: Box<str>,
        /// Its size in bits.
        bits: u16,
    },
    /// A texture, sampler or surface at a place where none can be declared.
    Opaque {
        /// The type.
        ty: Box<str>,
        /// The place.
        place: OpaquePlace,
    },
    /// A `.tex` variable that is not a single integer.
    TextureSpace,
}

/// The kind of a declared name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum DeclaredKind {
    /// A register.
    Register,
    /// A parameter.
    Parameter,
    /// A variable in memory.
    Variable,
}

/// Places where no texture, sampler or surface can be declared.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum OpaquePlace {
    /// The type of a register.
    Register,
    /// Inside of a function.
    Function,
    /// The type of a parameter of a function.
    Parameter,
    /// In this state space.
    Space(Box<str>),
}

impl DiagnosticMessage for VariableType {
    fn message(&self) -> String {
        match self {
            Self::InstructionsOnly { ty, declared, .. } => {
                let declared = match declared {
                    DeclaredKind::Register => "a register",
                    DeclaredKind::Parameter => "a parameter",
                    DeclaredKind::Variable => "a variable",
                };
                format!("`{ty}` cannot be the type of {declared}")
            }
            Self::Predicate(space) => format!("predicates live in registers only, not in `{space}`"),
            Self::Parameter { ty, .. } => format!("`{ty}` cannot be the type of a `.param` variable"),
            Self::Opaque { ty, place } => match place {
                OpaquePlace::Register => format!("`{ty}` cannot be declared in a register"),
                OpaquePlace::Function => format!("`{ty}` cannot be declared inside a function"),
                OpaquePlace::Parameter => format!("`{ty}` cannot be declared as a parameter of a function"),
                OpaquePlace::Space(space) => format!("`{ty}` cannot be declared in `{space}`"),
            },
            Self::TextureSpace => "a variable in `.tex` must be a single `.u32` or `.u64`".to_owned(),
        }
    }

    fn help(&self) -> Option<String> {
        Some(match self {
            Self::InstructionsOnly { register, .. } => return register.map(|r| format!("such values live in `{r}`")),
            Self::Predicate(_) => "store the result of `selp`, and compare it when it is loaded".to_owned(),
            Self::Parameter { bits, .. } => format!("declare it `.b{bits}`"),
            Self::Opaque { .. } => {
                "textures, samplers and surfaces are `.global` variables of the module or parameters of kernels"
                    .to_owned()
            }
            Self::TextureSpace => return None,
        })
    }
}

/// Reports a type that only instructions have.
pub(crate) fn instructions_only(word: SourceWord<'_>, declared: DeclaredKind) -> Diagnostic {
    let register = ISA.ty(word.text).and_then(|t| t.agrees.first().copied());
    Diagnostic::new(word.range(), VariableType::InstructionsOnly { ty: word.text.into(), declared, register })
        .fixes(register.map(|register| change(word, register)))
}

/// Reports a predicate in a state space other than `.reg`.
pub(crate) fn predicate(word: SourceWord<'_>, space: &str) -> Diagnostic {
    Diagnostic::new(word.range(), VariableType::Predicate(space.into()))
}

/// Reports a packed type in `.param`.
pub(crate) fn parameter(word: SourceWord<'_>, bits: u16) -> Diagnostic {
    Diagnostic::new(word.range(), VariableType::Parameter { ty: word.text.into(), bits })
        .fix(change(word, &format!(".b{bits}")).preferred())
}

/// Reports a texture, sampler or surface at a place where none can be declared.
pub(crate) fn opaque(word: SourceWord<'_>, place: OpaquePlace) -> Diagnostic {
    Diagnostic::new(word.range(), VariableType::Opaque { ty: word.text.into(), place })
}

/// Reports a variable in the former texture space `.tex` that is not a single integer.
pub(crate) fn texture_space(word: SourceWord<'_>) -> Diagnostic {
    Diagnostic::new(word.range(), VariableType::TextureSpace)
}

fn change(word: SourceWord<'_>, ty: &str) -> Fix {
    Fix::replace(format!("Change `{}` to `{ty}`", word.text), word.range(), ty)
}

#[cfg(test)]
mod tests {
    use crate::Code::VariableType;
    use crate::testing::{in_module, mended, messages};

    const HEADER: &str = ".version 9.0\n.target sm_90a\n.address_size 64\n";

    fn found(declaration: &str) -> Vec<String> {
        messages(&in_module(VariableType, &format!("{HEADER}{declaration}")))
    }

    #[test]
    fn types_that_nothing_can_have() {
        assert_eq!(found(".func f() { .reg .bf16 %h; ret; }"), ["`.bf16` cannot be the type of a register"]);
        assert!(found(".func f() { .reg .b16 %h; ret; }").is_empty());
        assert_eq!(found(".global .pred ready;"), ["predicates live in registers only, not in `.global`"]);
        let old = |declaration: &str| {
            messages(&in_module(VariableType, &format!(".version 1.4\n.target sm_13\n{declaration}")))
        };
        assert_eq!(old(".tex .f32 t;"), ["a variable in `.tex` must be a single `.u32` or `.u64`"]);
        assert!(old(".tex .u32 t;").is_empty());
    }

    #[test]
    fn textures_elsewhere() {
        assert_eq!(found(".shared .texref t;"), ["`.texref` cannot be declared in `.shared`"]);
        let inside = ".func f() { .global .texref t; ret; }";
        assert_eq!(found(inside), ["`.texref` cannot be declared inside a function"]);
        assert!(found(".global .texref t;").is_empty());
    }

    #[test]
    fn the_fix_changes_the_type() {
        let text = format!("{HEADER}.entry k(.param .f16x2 pair) {{ ret; }}");
        assert_eq!(found(&text[HEADER.len()..]), ["`.f16x2` cannot be the type of a `.param` variable"]);
        let fixed = mended(VariableType, &text);
        assert_eq!(fixed, text.replace(".f16x2", ".b32"));
        assert!(in_module(VariableType, &fixed).is_empty());
    }
}
