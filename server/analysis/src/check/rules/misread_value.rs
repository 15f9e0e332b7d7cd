//! `misread-value`: the assembler takes it, and makes of it something else than it says.

use crate::check::codes::Code;
use crate::check::diagnostic::{Diagnostic, Fix};
use ptx_isa::tables::{Type, TypeClass};
use std::ops::Range;

const CODE: Code = Code::MisreadValue;

/// `0f…` for 64 bits; a floating-point number for eight or sixteen.
pub fn float(range: Range<usize>, text: &str, single: bool, ty: &Type) -> Option<Diagnostic> {
    if single && ty.bits >= 64 {
        return Some(single_for_double(range, text, ty));
    }
    (ty.class == TypeClass::Bits && ty.bits < 32).then(|| {
        Diagnostic::warning(
            CODE,
            range,
            format!("of `{text}`, a `{}` keeps the lowest {} bits of its pattern", ty.name, ty.bits),
        )
        .with_help("write the bits as an integer")
    })
}

/// 32 bits where 64 are read: the pattern becomes the lower half of the number.
pub fn single_for_double(range: Range<usize>, text: &str, ty: &Type) -> Diagnostic {
    let message =
        format!("`{text}` gives 32 bits, which become the lower half of this `{}`: not the same number", ty.name);
    let found = Diagnostic::warning(CODE, range.clone(), message);
    let bits = text.get(2..).and_then(|digits| u32::from_str_radix(digits, 16).ok());
    let Some(bits) = bits else { return found };
    let wide = format!("0d{:016X}", f64::from(f32::from_bits(bits)).to_bits());
    found
        .with_help(format!("the same number in 64 bits is `{wide}`"))
        .fix(Fix::replace(format!("Write `{wide}`"), range, wide).preferred())
}

/// An inner list that is not full, with values after it.
pub fn short_row(range: Range<usize>, empty: bool) -> Diagnostic {
    let what = if empty { "empty" } else { "not full" };
    let message = format!(
        "this list is {what}, and the assembler does not fill it up: the values after it move forward into its place"
    );
    Diagnostic::warning(CODE, range, message).with_help("write the zeros at its end")
}

/// A list for a packed type.
pub fn packed(range: Range<usize>, ty: &str) -> Diagnostic {
    Diagnostic::warning(
        CODE,
        range,
        format!("the assembler does not pack these into a `{ty}`: it writes them side by side, 32 bits each"),
    )
    .with_help("declare it `.b32` or `.b16` and write the packed bits")
}

/// A 128-bit value, of which the assembler writes a half.
pub fn upper_half(range: Range<usize>, ty: &str) -> Diagnostic {
    Diagnostic::warning(
        CODE,
        range,
        format!("the assembler writes 64 bits of this `{ty}`; what the upper half holds is left to chance"),
    )
    .with_help("initialize two elements of `.b64` instead")
}

/// A field that the mode ignores.
pub fn ignored_field(range: Range<usize>, field: &str, ty: &str) -> Diagnostic {
    Diagnostic::warning(CODE, range, format!("in independent texture mode `{field}` of a `{ty}` is ignored"))
        .with_help("give it to the `.samplerref`")
}

/// A named value of something that has no fields.
pub fn field_of_scalar(range: Range<usize>, field: &str, ty: &str) -> Diagnostic {
    Diagnostic::warning(
        CODE,
        range,
        format!("a `{ty}` has no fields: the assembler ignores the name `{field}`, and does not check the value"),
    )
}
