//! `array-size`: the size of an array, or the number of names in a range.

use crate::check::codes::Code;
use crate::check::diagnostic::Diagnostic;
use std::ops::Range;

const CODE: Code = Code::ArraySize;

/// A size that is more than a number.
pub fn not_a_number(range: Range<usize>) -> Diagnostic {
    Diagnostic::error(CODE, range, "a number is expected here: sizes cannot be computed")
}

/// A variable without a size.
pub fn unknown(range: Range<usize>, name: &str) -> Diagnostic {
    Diagnostic::error(CODE, range, format!("the size of `{name}` is missing"))
        .with_help("only `.extern` arrays and arrays with an initializer go without one")
}

/// An inner dimension without a size.
pub fn inner(range: Range<usize>) -> Diagnostic {
    Diagnostic::error(CODE, range, "only the first dimension can go without a size")
}

/// A parameter of two dimensions.
pub fn parameter(range: Range<usize>) -> Diagnostic {
    Diagnostic::error(CODE, range, "a parameter has at most one dimension").with_help("give the number of all elements")
}

/// An array of registers.
pub fn registers(range: Range<usize>, name: &str, count: Option<i128>) -> Diagnostic {
    let count = count.map_or_else(|| "4".to_owned(), |n| n.to_string());
    Diagnostic::error(CODE, range, "there are no arrays of registers")
        .with_help(format!("`{name}<{count}>` declares `{name}0`, `{name}1` …"))
}

/// `x<4>[2]`, `x<4> = 1`.
pub fn range_alone(range: Range<usize>, what: &str) -> Diagnostic {
    Diagnostic::error(CODE, range, format!("a range of names cannot have {what}"))
}

/// `%r<4294967296>`.
pub fn too_many(range: Range<usize>) -> Diagnostic {
    Diagnostic::error(CODE, range, "that many names cannot be declared")
}

/// `%r<0>`.
pub fn nothing(range: Range<usize>) -> Diagnostic {
    Diagnostic::hint(CODE, range, "a range of no names declares nothing").unnecessary()
}

/// `%r1<4>`.
pub fn unreachable(range: Range<usize>, name: &str) -> Diagnostic {
    let message = format!("nothing can reach this range: in `{name}0` the number is all of the digits at the end");
    Diagnostic::warning(CODE, range, message).with_help("let the name end in something other than a digit")
}
