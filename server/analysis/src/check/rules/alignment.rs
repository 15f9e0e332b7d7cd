//! `alignment`: an alignment that is none, or that says nothing.

use crate::check::codes::Code;
use crate::check::diagnostic::{Diagnostic, Fix};
use std::ops::Range;

const CODE: Code = Code::Alignment;

/// 0, 3, 2^32.
pub fn power_of_two(place: Range<usize>, value: i128) -> Diagnostic {
    let found = Diagnostic::error(
        CODE,
        place.clone(),
        format!("an alignment is a power of two from 1 to 2147483648, not {value}"),
    );
    match u32::try_from(value).ok().filter(|v| *v > 0).and_then(u32::checked_next_power_of_two) {
        Some(next) => found.fix(Fix::replace(format!("Change {value} to {next}"), place, next.to_string())),
        None => found,
    }
}

/// `.align n`.
pub fn not_a_number(place: Range<usize>) -> Diagnostic {
    Diagnostic::error(CODE, place, "an alignment is a number, a power of two")
}

/// More than the place allows.
pub fn too_large(place: Range<usize>, value: i128, limit: u32) -> Diagnostic {
    Diagnostic::error(
        CODE,
        place,
        format!("an alignment of {value} bytes is too much here, at most {limit} can be had"),
    )
    .with_help("only the parameters of kernels may have more")
}

/// Less than the type has.
pub fn below_natural(range: Range<usize>, value: i128, natural: u32) -> Diagnostic {
    let message = format!("an alignment of {value} has no effect: the type is aligned to {natural} bytes");
    Diagnostic::hint(CODE, range, message).unnecessary()
}

/// The smaller one of several.
pub fn not_the_largest(range: Range<usize>, value: i128, largest: i128) -> Diagnostic {
    let message = format!("an alignment of {value} has no effect beside one of {largest}: the largest counts");
    Diagnostic::warning(CODE, range, message).unnecessary()
}

/// `.reg .align 8`.
pub fn of_register(range: Range<usize>) -> Diagnostic {
    Diagnostic::hint(CODE, range, "registers have no alignment, so this has no effect").unnecessary()
}

/// `.param .u64 .align 8 p`.
pub fn of_pointee(range: Range<usize>) -> Diagnostic {
    let message = "behind the type this is the alignment of what the parameter points to, not of the parameter";
    Diagnostic::hint(CODE, range, message).with_help("write it before the type, or `.ptr .align`")
}
