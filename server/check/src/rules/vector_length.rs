//! `vector-length`: a list with a wrong number of elements, or a single value where a list is needed.

use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use ptx_isa::ISA;
use ptx_isa::fragment::LayoutLookup;
use ptx_sema::forms::mnemonic::Candidate;
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
        /// The matrix whose values the elements are.
        matrix: Option<MatrixShare>,
    },
    /// A single value instead of a list.
    Scalar {
        /// The name of the operand in the form, such as `d`.
        operand: &'static str,
        /// The mnemonic as written.
        mnemonic: Box<str>,
        /// The length that the list must have, if known.
        expected: Option<u16>,
        /// The type of each element.
        element: Option<TypeId>,
        /// The matrix whose values the elements are.
        matrix: Option<MatrixShare>,
    },
}

/// The part of a matrix that each thread holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct MatrixShare {
    /// The name of the matrix, `A`.
    pub name: &'static str,
    /// The modifier that says its shape.
    pub shape: &'static str,
    /// The number of rows.
    pub rows: u32,
    /// The number of columns.
    pub columns: u32,
    /// The type of its values.
    pub ty: &'static str,
    /// The number of threads that hold it.
    pub threads: u32,
    /// The number of registers of each thread.
    pub registers: u32,
    /// The number of values in a register.
    pub values: u32,
}

impl MatrixShare {
    /// The share of each thread in an operand of an instruction of this name, if that is a matrix.
    pub(crate) fn of(name: &str, candidate: &Candidate, operand: &str) -> Option<Self> {
        let LayoutLookup::Layout(layout) = ISA.layout(name, candidate.form, &candidate.values, operand, |_, _| None)?
        else {
            return None;
        };
        let numbers =
            |value: &&'static str| value.split(|c: char| !c.is_ascii_digit()).filter(|n| !n.is_empty()).count();
        let is_shape = |value: &&'static str| ISA.ty(value).is_none() && numbers(value) > 1;
        let shape = candidate.values.iter().copied().flatten().find(is_shape)?;
        Some(Self {
            name: layout.fragment.matrix,
            shape,
            rows: layout.rows,
            columns: layout.columns,
            ty: layout.ty?,
            threads: layout.threads,
            registers: layout.registers,
            values: layout.register_bits.checked_div(layout.width).filter(|values| *values > 0)?,
        })
    }

    /// The share in words.
    fn describe(&self) -> String {
        let Self { name, shape, rows, columns, ty, threads, registers, values } = self;
        let plural = if *registers == 1 { "" } else { "s" };
        let each = if *values == 1 { "one value each".to_owned() } else { format!("{values} values each") };
        format!(
            "with `{shape}`, {name} has {rows}×{columns} `{ty}` values, spread over {threads} threads: {registers} register{plural} of {each}"
        )
    }
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
            Self::Scalar { operand, mnemonic, expected, .. } => {
                let list = expected.map_or("a list".to_owned(), |n| format!("a list of {n} registers"));
                format!("`{operand}` of `{mnemonic}` must be {list} in braces, or a vector register")
            }
        }
    }

    fn help(&self) -> Option<String> {
        let (Self::Elements { element, matrix, .. } | Self::Scalar { element, matrix, .. }) = self;
        let each = element.map(|ty| format!("each element is {}", super::operand_type::wanted_of(ty)));
        let matrix = matrix.map(|matrix| matrix.describe());
        let parts: Vec<String> = matrix.into_iter().chain(each).collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }
}

fn name(spec: Option<&OperandSpec>) -> &'static str {
    spec.map_or("the operand", |s| s.value.name)
}

/// The report on a list of the wrong length. `mnemonic` is the mnemonic as written, `matrix` the matrix that the list is a part of.
pub(crate) fn report(
    range: Range<usize>,
    found: usize,
    spec: Option<&OperandSpec>,
    mnemonic: &str,
    matrix: Option<MatrixShare>,
) -> Diagnostic {
    let (operand, mnemonic) = (name(spec), mnemonic.into());
    let actual = u32::try_from(found).unwrap_or(u32::MAX);
    let (expected, element) = (spec.map_or(&[][..], |s| s.lengths), spec.and_then(|s| s.ty));
    Diagnostic::new(range, VectorLength::Elements { operand, mnemonic, actual, expected, element, matrix })
}

/// The report on a single value instead of a list. `mnemonic` is the mnemonic as written, `matrix` the matrix that the list is a part of.
pub(crate) fn scalar(
    range: Range<usize>,
    spec: Option<&OperandSpec>,
    mnemonic: &str,
    matrix: Option<MatrixShare>,
) -> Diagnostic {
    let expected = spec.and_then(|s| s.lengths.first().copied());
    let (operand, element) = (name(spec), spec.and_then(|s| s.ty));
    Diagnostic::new(range, VectorLength::Scalar { operand, mnemonic: mnemonic.into(), expected, element, matrix })
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
