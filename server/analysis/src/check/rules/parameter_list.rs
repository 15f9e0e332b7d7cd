//! `parameter-list`: a list of parameters or results that no function can have.

use crate::check::codes::Code;
use crate::check::diagnostic::Diagnostic;
use std::ops::Range;

const CODE: Code = Code::ParameterList;

/// The report on results in memory, of which there can be one.
pub fn several_results(range: Range<usize>) -> Diagnostic {
    Diagnostic::error(CODE, range, "of several results, each must be in `.reg`: only a single one can be in `.param`")
        .with_help("return a structure: `.param .align 8 .b8 results[16]`")
}

/// The report on a parameter in a space that has none.
pub fn space(range: Range<usize>, name: &str, found: &str, kernel: bool) -> Diagnostic {
    let wanted = if kernel { "`.param`" } else { "`.param` or `.reg`" };
    let what = if kernel { "a parameter of a kernel" } else { "a parameter" };
    let name = if name == "_" { String::new() } else { format!(" `{name}`") };
    let found = if found.is_empty() { "has no state space".to_owned() } else { format!("is in `{found}`") };
    Diagnostic::error(CODE, range, format!("parameter{name} {found}: {what} must be in {wanted}"))
}

/// The report on the results of a kernel.
pub fn kernel_results(range: Range<usize>) -> Diagnostic {
    Diagnostic::error(CODE, range, "a kernel returns nothing")
        .with_help("pass a pointer, and store what the kernel computes there")
}

/// The report on a parameter that is called `_`.
pub fn unnamed(range: Range<usize>) -> Diagnostic {
    Diagnostic::error(
        CODE,
        range,
        "a parameter of a function needs a name: `_` stands only in a kernel or a `.callprototype`",
    )
}

/// The report on an array without a size, at a place where there can be none. `what` says whose.
pub fn open_array(range: Range<usize>, name: &str, what: &str) -> Diagnostic {
    let name = if name == "_" { String::new() } else { format!(" `{name}`") };
    Diagnostic::error(CODE, range, format!("the array{name} has no size, but {what}"))
        .with_help("only the last parameter of a `.func` can be open: it takes any number of bytes")
}
