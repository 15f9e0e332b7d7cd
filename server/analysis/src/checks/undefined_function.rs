//! `undefined-function`: a function is declared, and has no body anywhere.

use crate::codes::Words;
use crate::diagnostic::Diagnostic;
use std::ops::Range;

/// A function that is declared without a body, although no other module can have one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct UndefinedFunction {
    /// Its name.
    pub name: Box<str>,
    /// It is a kernel.
    pub kernel: bool,
}

impl Words for UndefinedFunction {
    fn message(&self) -> String {
        let what = if self.kernel { "kernel" } else { "function" };
        format!("the {what} `{}` is declared here, but this module has no body for it", self.name)
    }

    fn help(&self) -> Option<String> {
        Some("the assembler refuses that once it generates code: define it, or declare it `.extern`".to_owned())
    }
}

/// The report.
pub fn report(range: Range<usize>, name: &str, kernel: bool) -> Diagnostic {
    Diagnostic::new(range, UndefinedFunction { name: name.into(), kernel })
}
