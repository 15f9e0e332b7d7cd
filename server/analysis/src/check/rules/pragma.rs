//! `pragma`: a `.pragma` where it may not stand, or with a wrong argument.

use crate::check::codes::Code;
use crate::check::diagnostic::Diagnostic;
use crate::hir::ast::Word;

const CODE: Code = Code::Pragma;

/// Between the header of a function and its body.
pub fn in_function_header(word: Word<'_>) -> Diagnostic {
    Diagnostic::error(CODE, word.range(), "`.pragma` cannot stand between the header of a function and its body")
        .with_help("write it into the body; only kernels (`.entry`) have it before the body")
}

/// A string that belongs into a body, or into that of a kernel.
pub fn misplaced(string: Word<'_>, name: &str, in_body: bool) -> Diagnostic {
    let place = if in_body { "in the body of a kernel, not of a function" } else { "inside of a body" };
    Diagnostic::error(CODE, string.range(), format!("`\"{name}\"` may stand only {place}"))
}

/// An argument is missing. The assembler looks at some of them only when it generates code.
pub fn no_argument(string: Word<'_>, name: &str, late: bool) -> Diagnostic {
    found(string, format!("`\"{name}\"` needs a number after the name"), late)
}

/// A wrong argument.
pub fn argument(argument: Word<'_>, name: &str, least: u64, late: bool) -> Diagnostic {
    let wanted = if least == 0 { "one number".to_owned() } else { format!("one number, at least {least}") };
    let message = format!("`\"{name}\"` takes {wanted} and nothing more, but this is `{}`", argument.text);
    found(argument, message, late)
}

fn found(word: Word<'_>, message: String, late: bool) -> Diagnostic {
    if late {
        Diagnostic::warning(CODE, word.range(), format!("{message}: the assembler refuses it when it generates code"))
    } else {
        Diagnostic::error(CODE, word.range(), message)
    }
}
