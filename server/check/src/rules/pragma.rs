//! `pragma`: a `.pragma` at a place where it is not allowed, or with a wrong argument.

use crate::diagnostic::{Diagnostic, Severity};
use crate::finding::DiagnosticMessage;
use ptx_sema::hir::ast::SourceWord;

/// A `.pragma` at a place where it is not allowed, or with a wrong argument.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Pragma {
    /// It stands between the header of a function and its body.
    InFunctionHeader,
    /// Its string is only allowed in a body, or only in the body of a kernel.
    Misplaced {
        /// The name of the pragma.
        name: &'static str,
        /// True if it stands in the body of a function although only kernel bodies allow it. False if no body contains it.
        in_body: bool,
    },
    /// The number after its name is missing.
    NoArgument {
        /// The name of the pragma.
        name: &'static str,
        /// Whether the assembler checks the argument only when it generates code.
        late: bool,
    },
    /// The text after its name is not a single allowed number.
    Argument {
        /// The name of the pragma.
        name: &'static str,
        /// The smallest number that it takes; 0 if it takes any.
        least: u64,
        /// The text after the name.
        actual: Box<str>,
        /// Whether the assembler checks the argument only when it generates code.
        late: bool,
    },
}

impl DiagnosticMessage for Pragma {
    fn message(&self) -> String {
        let (message, late) = match self {
            Self::InFunctionHeader => {
                return "`.pragma` is not allowed between the header of a function and its body".to_owned();
            }
            Self::Misplaced { name, in_body: true } => {
                return format!("`\"{name}\"` is allowed only in the body of a kernel, not of a function");
            }
            Self::Misplaced { name, in_body: false } => {
                return format!("`\"{name}\"` is allowed only inside a body");
            }
            Self::NoArgument { name, late } => (format!("`\"{name}\"` needs a number after the name"), late),
            Self::Argument { name, least, actual, late } => {
                let least = if *least == 0 { String::new() } else { format!(", at least {least}") };
                (format!("`\"{name}\"` takes one number{least} and nothing more, but this is `{actual}`"), late)
            }
        };
        if *late { format!("{message}: the assembler refuses it when it generates code") } else { message }
    }

    fn help(&self) -> Option<String> {
        let help = "move it into the body; only kernels (`.entry`) can have it before the body";
        matches!(self, Self::InFunctionHeader).then(|| help.to_owned())
    }
}

/// Reports a `.pragma` between the header of a function and its body.
pub(crate) fn in_function_header(word: SourceWord<'_>) -> Diagnostic {
    Diagnostic::new(word.range(), Pragma::InFunctionHeader)
}

/// Reports a string that is only allowed in a body or, with `in_body`, only in the body of a kernel.
pub(crate) fn misplaced(string: SourceWord<'_>, name: &'static str, in_body: bool) -> Diagnostic {
    Diagnostic::new(string.range(), Pragma::Misplaced { name, in_body })
}

/// Reports a missing argument; `late` if the assembler checks it only when it generates code.
pub(crate) fn no_argument(string: SourceWord<'_>, name: &'static str, late: bool) -> Diagnostic {
    Diagnostic::new(string.range(), Pragma::NoArgument { name, late }).severity(severity(late))
}

/// Reports a wrong argument; `late` if the assembler checks it only when it generates code.
pub(crate) fn argument(argument: SourceWord<'_>, name: &'static str, least: u64, late: bool) -> Diagnostic {
    let found = Pragma::Argument { name, least, actual: argument.text.into(), late };
    Diagnostic::new(argument.range(), found).severity(severity(late))
}

/// The severity of a wrong argument. If the assembler checks it only when it generates code (`late`), it is a warning: the assembler
/// does not check code that it removes.
fn severity(late: bool) -> Severity {
    if late { Severity::Warning } else { Severity::Error }
}

#[cfg(test)]
mod tests {
    use crate::Code;
    use crate::testing::{in_kernel, in_module, messages};

    const HEADER: &str = ".version 9.0\n.target sm_90a\n.address_size 64\n";

    #[test]
    fn pragmas_before_a_body() {
        let found = |function: &str| {
            in_module(Code::Pragma, &format!("{HEADER}{function}\n.pragma \"nounroll\";\n{{\nret;\n}}\n"))
        };
        let message = "`.pragma` is not allowed between the header of a function and its body";
        assert_eq!(messages(&found(".func f()")), [message]);
        assert!(found(".entry k()").is_empty());
    }

    #[test]
    fn arguments_are_numbers() {
        let found = |text: &str| messages(&in_kernel(Code::Pragma, &format!(".pragma \"{text}\";")));
        assert_eq!(
            found("used_bytes_mask"),
            ["`\"used_bytes_mask\"` needs a number after the name: the assembler refuses it when it generates code"]
        );
        assert!(found("used_bytes_mask 0xff").is_empty());
    }
}
