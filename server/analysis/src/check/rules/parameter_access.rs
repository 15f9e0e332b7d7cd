//! `parameter-access`: a parameter, a result or an argument in memory is used in a way that it is not meant for.

use crate::check::codes::Code;
use crate::check::diagnostic::{Diagnostic, Severity};
use crate::hir::ast::Word;
use crate::hir::symbols::Origin;
use std::ops::Range;

const CODE: Code = Code::ParameterAccess;

/// The report on a store to a parameter.
pub fn written(range: Range<usize>, name: &str, origin: Origin) -> Diagnostic {
    let whose = if origin == Origin::KernelParameter { "the kernel" } else { "this function" };
    Diagnostic::error(CODE, range, format!("`{name}` is a parameter of {whose}, which cannot be written"))
        .with_help("copy it into a register, or into a variable in `.local`")
}

/// The report on a load from a result.
pub fn result_read(range: Range<usize>, name: &str) -> Diagnostic {
    Diagnostic::error(CODE, range, format!("`{name}` is the result of this function, which can only be written"))
        .with_help("keep the value in a register, and store it before `ret`")
}

/// The report on a guard before the access to an argument or result of a call.
pub fn guarded(guard: Word<'_>, name: &str, written: bool) -> Diagnostic {
    let what = if written { "stored" } else { "loaded" };
    let message = format!("`{name}` belongs to a call, so it must be {what} without a guard");
    let help = if written {
        "choose the value with `selp` first, or branch around the whole call"
    } else {
        "load it into another register, and move that under the guard"
    };
    Diagnostic::error(CODE, guard.range(), message).with_help(help)
}

/// The report on the address of an argument or result of a call.
pub fn address_taken(range: Range<usize>, name: &str) -> Diagnostic {
    Diagnostic::error(CODE, range, format!("`{name}` belongs to a call and has no address")).with_help(
        "only `st.param`, `ld.param` and `call` can name it; put the value into `.local` memory to point to it",
    )
}

/// The same with a constant added, at which only the code generator objects.
pub fn offset_taken(range: Range<usize>, name: &str) -> Diagnostic {
    address_taken(range, name).severity(Severity::Warning)
}

/// The report on `.param::entry` or `.param::func` where the variable is in the other.
pub fn other_space(range: Range<usize>, name: &str, origin: Origin, modifier: &str) -> Diagnostic {
    let what =
        if origin == Origin::KernelParameter { "a parameter of the kernel" } else { "an argument or result of a call" };
    Diagnostic::error(CODE, range, format!("`{name}` is {what}, which is not in `{modifier}`"))
        .with_help("write `.param`, which covers both")
}
