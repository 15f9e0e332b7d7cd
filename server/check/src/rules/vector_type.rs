//! `vector-type`: a vector that cannot be declared.

use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use ptx_sema::hir::ast::SourceWord;

/// A vector type that no declaration can have.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum VectorType {
    /// A vector length that is not allowed, such as `.v8`.
    Length(Box<str>),
    /// A vector of more than 128 bits.
    TooWide {
        /// The length, such as `.v4`.
        vector: Box<str>,
        /// The type of its elements.
        ty: &'static str,
        /// The size of the vector in bits.
        bits: u32,
    },
    /// A vector with elements of this type, which no vector can have.
    Element(&'static str),
    /// A vector in `.param`.
    Parameter {
        /// The size of the vector in bytes.
        bytes: u32,
    },
}

impl DiagnosticMessage for VectorType {
    fn message(&self) -> String {
        match self {
            Self::Length(vector) => format!("a vector has 2 or 4 elements: `{vector}` cannot be declared"),
            Self::TooWide { vector, ty, bits } => {
                format!("a vector has at most 128 bits: `{vector} {ty}` would have {bits}")
            }
            Self::Element(ty) => format!("a vector of `{ty}` is not allowed"),
            Self::Parameter { .. } => "a `.param` variable cannot be a vector".to_owned(),
        }
    }

    fn help(&self) -> Option<String> {
        match self {
            Self::Length(_) => {
                Some("longer vectors exist in instructions only: list the registers in braces".to_owned())
            }
            Self::Parameter { bytes } => Some(format!("declare `.align {bytes} .b8 name[{bytes}]`")),
            Self::TooWide { .. } | Self::Element(_) => None,
        }
    }
}

/// Reports a vector length that is not allowed, such as `.v8`.
pub(crate) fn length(word: SourceWord<'_>) -> Diagnostic {
    Diagnostic::new(word.range(), VectorType::Length(word.text.into()))
}

/// Reports a vector of more than 128 bits.
pub(crate) fn too_wide(word: SourceWord<'_>, ty: &'static str, bits: u32) -> Diagnostic {
    Diagnostic::new(word.range(), VectorType::TooWide { vector: word.text.into(), ty, bits })
}

/// Reports a vector with an element type that no vector can have.
pub(crate) fn element(word: SourceWord<'_>, ty: &'static str) -> Diagnostic {
    Diagnostic::new(word.range(), VectorType::Element(ty))
}

/// Reports a vector in `.param`.
pub(crate) fn parameter(word: SourceWord<'_>, bytes: u32) -> Diagnostic {
    Diagnostic::new(word.range(), VectorType::Parameter { bytes })
}

#[cfg(test)]
mod tests {
    use crate::Code::VectorType;
    use crate::testing::{in_module, messages};

    fn found(declaration: &str) -> Vec<String> {
        let header = ".version 9.0\n.target sm_90a\n.address_size 64\n";
        messages(&in_module(VectorType, &format!("{header}{declaration}")))
    }

    #[test]
    fn vectors_that_do_not_exist() {
        let length = "a vector has 2 or 4 elements: `.v3` cannot be declared";
        assert_eq!(found(".global .v3 .f32 position;"), [length]);
        let wide = "a vector has at most 128 bits: `.v4 .f64` would have 256";
        assert_eq!(found(".global .v4 .f64 matrix;"), [wide]);
        assert_eq!(found(".func f() { .reg .v2 .pred %p; ret; }"), ["a vector of `.pred` is not allowed"]);
        let parameter = "a `.param` variable cannot be a vector";
        assert_eq!(found(".entry k(.param .v4 .f32 p) { ret; }"), [parameter]);
        assert!(found(".global .v4 .f32 matrix;").is_empty());
        assert!(found(".func f() { .reg .v2 .b32 %p; ret; }").is_empty());
    }
}
