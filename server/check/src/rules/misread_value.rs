//! `misread-value`: a constant that the assembler reads as a value other than the one that is written.

use crate::diagnostic::{Diagnostic, Fix};
use crate::finding::DiagnosticMessage;
use ptx_isa::tables::{TypeClass, TypeInfo};
use std::ops::Range;

/// A constant that the assembler reads as a value other than the one that is written.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum MisreadValue {
    /// A floating-point number for an untyped element that keeps only its lowest bits.
    LowBits {
        /// The number as written.
        text: Box<str>,
        /// The type of the element.
        ty: &'static str,
        /// Its size in bits.
        bits: u16,
    },
    /// A single-precision bit pattern for a 64-bit value.
    SingleForDouble {
        /// The number as written.
        text: Box<str>,
        /// The type of the value.
        ty: &'static str,
        /// The bits of the same number in double precision.
        double: Option<u64>,
    },
    /// An incomplete inner list before further values. The assembler does not pad it.
    ShortRow {
        /// Whether the list is empty.
        empty: bool,
    },
    /// A list for an element of this packed type. The assembler does not pack its values.
    Packed(&'static str),
    /// A value of this 128-bit type. The assembler writes only 64 of its bits.
    UpperHalf(&'static str),
    /// A field that the independent texture mode ignores.
    IgnoredField {
        /// The field.
        field: Box<str>,
        /// The type of the variable.
        ty: &'static str,
    },
    /// A value with a field name, for a type that has no fields.
    FieldOfScalar {
        /// The name.
        field: Box<str>,
        /// The type of the variable.
        ty: &'static str,
    },
}

impl DiagnosticMessage for MisreadValue {
    fn message(&self) -> String {
        match self {
            Self::LowBits { text, ty, bits } => {
                format!("a `{ty}` keeps only the lowest {bits} bits of the pattern of `{text}`")
            }
            Self::SingleForDouble { text, ty, .. } => {
                format!(
                    "`{text}` gives 32 bits, which become the lower half of this `{ty}`: this is a different number"
                )
            }
            Self::ShortRow { empty } => format!(
                "this list is {}, and the assembler does not pad it: the values after it move forward",
                if *empty { "empty" } else { "not full" }
            ),
            Self::Packed(ty) => {
                format!("the assembler does not pack these into a `{ty}`: it writes them side by side, 32 bits each")
            }
            Self::UpperHalf(ty) => {
                format!("the assembler writes 64 bits of this `{ty}`; the upper half is unspecified")
            }
            Self::IgnoredField { field, ty } => {
                format!("in independent texture mode `{field}` of a `{ty}` is ignored")
            }
            Self::FieldOfScalar { field, ty } => format!(
                "a `{ty}` has no fields: the assembler ignores the name `{field}`, and does not check the value"
            ),
        }
    }

    fn help(&self) -> Option<String> {
        let help = match self {
            Self::SingleForDouble { double, .. } => {
                return double.map(|bits| format!("the same number in 64 bits is `{}`", literal(bits)));
            }
            Self::LowBits { .. } => "write the bits as an integer",
            Self::ShortRow { .. } => "write the zeros at its end",
            Self::Packed(_) => "declare it `.b32` or `.b16` and write the packed bits",
            Self::UpperHalf(_) => "initialize two elements of `.b64` instead",
            Self::IgnoredField { .. } => "set it in the `.samplerref`",
            Self::FieldOfScalar { .. } => return None,
        };
        Some(help.to_owned())
    }
}

/// The `0d…` literal of a double-precision bit pattern.
fn literal(bits: u64) -> String {
    format!("0d{bits:016X}")
}

/// The report on a floating-point number that does not fit its type: `0f…` (`single`) for a 64-bit type, or any for an untyped one of
/// 8 or 16 bits.
pub(crate) fn float(range: Range<usize>, text: &str, single: bool, ty: &TypeInfo) -> Option<Diagnostic> {
    if single && ty.bits >= 64 {
        return Some(single_for_double(range, text, ty));
    }
    let found = || MisreadValue::LowBits { text: text.into(), ty: ty.name, bits: ty.bits };
    (ty.class == TypeClass::Bits && ty.bits < 32).then(|| Diagnostic::new(range, found()))
}

/// Reports a `0f…` literal for a 64-bit value: its 32 bits become the lower half of the value.
pub(crate) fn single_for_double(range: Range<usize>, text: &str, ty: &TypeInfo) -> Diagnostic {
    let bits = text.get(2..).and_then(|digits| u32::from_str_radix(digits, 16).ok());
    let double = bits.map(|bits| f64::from(f32::from_bits(bits)).to_bits());
    let fix = double.map(|bits| {
        let double = literal(bits);
        Fix::replace(format!("Write `{double}`"), range.clone(), double).preferred()
    });
    Diagnostic::new(range, MisreadValue::SingleForDouble { text: text.into(), ty: ty.name, double }).fixes(fix)
}

/// Reports an incomplete inner list before further values.
pub(crate) fn short_row(range: Range<usize>, empty: bool) -> Diagnostic {
    Diagnostic::new(range, MisreadValue::ShortRow { empty })
}

/// Reports a list for a packed type.
pub(crate) fn packed(range: Range<usize>, ty: &'static str) -> Diagnostic {
    Diagnostic::new(range, MisreadValue::Packed(ty))
}

/// Reports a 128-bit value, of which the assembler writes only one half.
pub(crate) fn upper_half(range: Range<usize>, ty: &'static str) -> Diagnostic {
    Diagnostic::new(range, MisreadValue::UpperHalf(ty))
}

/// Reports a field that the independent texture mode ignores.
pub(crate) fn ignored_field(range: Range<usize>, field: &str, ty: &'static str) -> Diagnostic {
    Diagnostic::new(range, MisreadValue::IgnoredField { field: field.into(), ty })
}

/// Reports a value with a field name, for a type that has no fields.
pub(crate) fn field_of_scalar(range: Range<usize>, field: &str, ty: &'static str) -> Diagnostic {
    Diagnostic::new(range, MisreadValue::FieldOfScalar { field: field.into(), ty })
}

#[cfg(test)]
mod tests {
    use crate::Code;
    use crate::testing::{in_kernel, in_module, mended, messages};

    const HEADER: &str = ".version 9.0\n.target sm_90a\n.address_size 64\n";

    #[test]
    fn single_precision_for_double() {
        let found = in_kernel(Code::MisreadValue, "add.f64 %fd1, %fd2, 0f3F800000;");
        let message =
            "`0f3F800000` gives 32 bits, which become the lower half of this `.f64`: this is a different number";
        assert_eq!(messages(&found), [message]);
        assert!(in_kernel(Code::MisreadValue, "add.f64 %fd1, %fd2, 0d3FF0000000000000;").is_empty());
        let text = format!("{HEADER}.global .f64 x = 0f3F800000;\n");
        assert_eq!(mended(Code::MisreadValue, &text), text.replace("0f3F800000", "0d3FF0000000000000"));
    }

    #[test]
    fn rows_that_are_not_full() {
        let found =
            |rows: &str| in_module(Code::MisreadValue, &format!("{HEADER}.global .b32 x[2][2] = {{{rows}}};\n"));
        let message = "this list is not full, and the assembler does not pad it: the values after it move forward";
        assert_eq!(messages(&found("{1}, {2, 3}")), [message]);
        assert!(found("{1, 2}, {3}").is_empty());
    }
}
