//! `vector-length`: a list with a wrong number of elements, or a single value where a list is needed.

use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use ptx_sema::forms::spec::OperandSpec;
use ptx_sema::hir::types::TypeId;
use std::ops::Range;

/// An operand that must be a list of a certain length.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum VectorLength {
    /// A list with a wrong number of elements.
    Elements {
        /// The name of the operand in the form, such as `d`.
        operand: &'static str,
        /// The mnemonic as written.
        mnemonic: Box<str>,
        /// The number of elements that it has.
        actual: u32,
        /// The lengths that it may have; empty if they are not known.
        expected: &'static [u16],
        /// The type of each element.
        element: Option<TypeId>,
    },
    /// A single value instead of a list.
    Scalar {
        /// The name of the operand in the form, such as `d`.
        operand: &'static str,
        /// The mnemonic as written.
        mnemonic: Box<str>,
        /// The length that the list must have, if known.
        expected: Option<u16>,
    },
}

impl DiagnosticMessage for VectorLength {
    fn message(&self) -> String {
        match self {
            Self::Elements { operand, mnemonic, actual, expected: [], .. } => {
                format!("`{operand}` of `{mnemonic}` does not take {actual} elements")
            }
            Self::Elements { operand, mnemonic, actual, expected, .. } => {
                let expected: Vec<String> = expected.iter().map(u16::to_string).collect();
                let noun = if matches!(expected.as_slice(), [one] if one == "1") { "element" } else { "elements" };
                let verb = if *actual == 1 { "is" } else { "are" };
                format!("`{operand}` of `{mnemonic}` takes {} {noun}; {actual} {verb} given", expected.join(" or "))
            }
            Self::Scalar { operand, mnemonic, expected } => {
                let list = expected.map_or("a list".to_owned(), |n| format!("a list of {n} registers"));
                format!("`{operand}` of `{mnemonic}` must be {list} in braces, or a vector register")
            }
        }
    }

    fn help(&self) -> Option<String> {
        match self {
            Self::Elements { element: Some(ty), .. } => {
                Some(format!("each element is {}", super::operand_type::wanted_of(*ty)))
            }
            _ => None,
        }
    }
}

fn name(spec: Option<&OperandSpec>) -> &'static str {
    spec.map_or("the operand", |s| s.value.name)
}

/// The report on a list of the wrong length. `mnemonic` is the mnemonic as written.
pub(crate) fn report(range: Range<usize>, found: usize, spec: Option<&OperandSpec>, mnemonic: &str) -> Diagnostic {
    let (operand, mnemonic) = (name(spec), mnemonic.into());
    let actual = u32::try_from(found).unwrap_or(u32::MAX);
    let (expected, element) = (spec.map_or(&[][..], |s| s.lengths), spec.and_then(|s| s.ty));
    Diagnostic::new(range, VectorLength::Elements { operand, mnemonic, actual, expected, element })
}

/// The report on a single value instead of a list. `mnemonic` is the mnemonic as written.
pub(crate) fn scalar(range: Range<usize>, spec: Option<&OperandSpec>, mnemonic: &str) -> Diagnostic {
    let expected = spec.and_then(|s| s.lengths.first().copied());
    Diagnostic::new(range, VectorLength::Scalar { operand: name(spec), mnemonic: mnemonic.into(), expected })
}

#[cfg(test)]
mod tests {
    use crate::Code::VectorLength;
    use crate::testing::{in_kernel, messages};

    #[test]
    fn lists_of_another_length() {
        let found = in_kernel(VectorLength, "ld.global.v4.f32 {%f0, %f1, %f2}, [%rd1];");
        assert_eq!(messages(&found), ["`d` of `ld.global.v4.f32` takes 4 elements; 3 are given"]);
        assert_eq!(found[0].help().as_deref(), Some("each element is a register for `.f32`: `.b32`, `.f32`"));
        assert!(in_kernel(VectorLength, "ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%rd1];").is_empty());
    }

    #[test]
    fn a_value_for_a_list() {
        let found = in_kernel(VectorLength, "ld.global.v2.f32 %f0, [%rd1];");
        let expected = "`d` of `ld.global.v2.f32` must be a list of 2 registers in braces, or a vector register";
        assert_eq!(messages(&found), [expected]);
        assert!(in_kernel(VectorLength, "ld.global.f32 %f0, [%rd1];").is_empty());
    }
}
