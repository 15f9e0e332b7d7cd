//! `alignment`: an invalid alignment, or one that has no effect.

use crate::diagnostic::{Diagnostic, Fix, Severity};
use crate::finding::DiagnosticMessage;
use std::ops::Range;

/// What is wrong with an alignment.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum AlignmentProblem {
    /// This value is not a power of two, or is above 2^31.
    NotAPowerOfTwo(i128),
    /// It is not a number.
    NotANumber,
    /// It is larger than declarations at this place may have.
    TooLarge {
        /// The alignment in bytes.
        value: i128,
        /// The largest alignment allowed there, in bytes.
        limit: u32,
    },
    /// It is smaller than the alignment of the type, so it has no effect.
    BelowNatural {
        /// The alignment in bytes.
        value: i128,
        /// The alignment of the type in bytes.
        natural: u32,
    },
    /// The same declaration has a larger one, so it has no effect.
    NotTheLargest {
        /// The alignment in bytes.
        value: i128,
        /// The larger alignment in bytes.
        largest: i128,
    },
    /// It is on a register, where it has no effect.
    OfRegister,
    /// It stands after the type of a parameter, so it is the alignment of the memory that the parameter points to.
    OfPointee,
}

impl DiagnosticMessage for AlignmentProblem {
    fn message(&self) -> String {
        match self {
            Self::NotAPowerOfTwo(value) => {
                format!("an alignment is a power of two from 1 to 2147483648, not {value}")
            }
            Self::NotANumber => "an alignment must be a power of two".to_owned(),
            Self::TooLarge { value, limit } => {
                format!("an alignment of {value} bytes is too large here: the limit is {limit}")
            }
            Self::BelowNatural { value, natural } => {
                format!("an alignment of {value} has no effect: the type is aligned to {natural} bytes")
            }
            Self::NotTheLargest { value, largest } => {
                format!("an alignment of {value} has no effect next to one of {largest}: the largest counts")
            }
            Self::OfRegister => "registers have no alignment, so this has no effect".to_owned(),
            Self::OfPointee => {
                "after the type, `.align` applies to the memory that the parameter points to, not to the parameter"
                    .to_owned()
            }
        }
    }

    fn help(&self) -> Option<String> {
        match self {
            Self::TooLarge { .. } => Some("only kernel parameters may have more".to_owned()),
            Self::OfPointee => Some("write it before the type, or `.ptr .align`".to_owned()),
            _ => None,
        }
    }
}

/// Reports a value such as 0, 3 or 2^32.
pub(crate) fn power_of_two(place: Range<usize>, value: i128) -> Diagnostic {
    let next = u32::try_from(value).ok().filter(|v| *v > 0).and_then(u32::checked_next_power_of_two);
    let fix = next.map(|next| Fix::replace(format!("Change {value} to {next}"), place.clone(), next.to_string()));
    Diagnostic::new(place, AlignmentProblem::NotAPowerOfTwo(value)).fixes(fix)
}

/// Reports an alignment that is not a number, such as `.align n`.
pub(crate) fn not_a_number(place: Range<usize>) -> Diagnostic {
    Diagnostic::new(place, AlignmentProblem::NotANumber)
}

/// Reports an alignment above `limit`, the largest allowed at this place. Both are in bytes.
pub(crate) fn too_large(place: Range<usize>, value: i128, limit: u32) -> Diagnostic {
    Diagnostic::new(place, AlignmentProblem::TooLarge { value, limit })
}

/// Reports an alignment below `natural`, the alignment of the type. Both are in bytes.
pub(crate) fn below_natural(range: Range<usize>, value: i128, natural: u32) -> Diagnostic {
    Diagnostic::new(range, AlignmentProblem::BelowNatural { value, natural }).severity(Severity::Hint).unnecessary()
}

/// Reports an alignment in a declaration that also has a larger one, `largest`.
pub(crate) fn not_the_largest(range: Range<usize>, value: i128, largest: i128) -> Diagnostic {
    Diagnostic::new(range, AlignmentProblem::NotTheLargest { value, largest }).severity(Severity::Warning).unnecessary()
}

/// Reports `.reg .align 8`.
pub(crate) fn of_register(range: Range<usize>) -> Diagnostic {
    Diagnostic::new(range, AlignmentProblem::OfRegister).severity(Severity::Hint).unnecessary()
}

/// Reports `.param .u64 .align 8 p`.
pub(crate) fn of_pointee(range: Range<usize>) -> Diagnostic {
    Diagnostic::new(range, AlignmentProblem::OfPointee).severity(Severity::Hint)
}

#[cfg(test)]
mod tests {
    use crate::testing::{in_kernel, in_module, mended, messages};
    use crate::{Code, Severity};

    #[test]
    fn alignments_are_powers_of_two() {
        let module = ".version 8.5\n.target sm_90\n.global .align 3 .b8 a[8];\n";
        let found = in_module(Code::Alignment, module);
        assert_eq!(messages(&found), ["an alignment is a power of two from 1 to 2147483648, not 3"]);
        assert_eq!(found[0].severity, Severity::Error);
        let mended = mended(Code::Alignment, module);
        assert!(mended.contains(".align 4 .b8") && in_module(Code::Alignment, &mended).is_empty());
    }

    #[test]
    fn alignments_without_effect_are_faded() {
        let of = |declaration: &str| in_kernel(Code::Alignment, declaration);
        let found = of(".local .align 2 .b32 x;");
        assert_eq!(messages(&found), ["an alignment of 2 has no effect: the type is aligned to 4 bytes"]);
        assert!(found[0].severity == Severity::Hint && found[0].unnecessary);
        assert_eq!(messages(&of(".reg .align 8 .b32 x;")), ["registers have no alignment, so this has no effect"]);
        assert!(of(".local .align 8 .b32 x;").is_empty());
    }
}
