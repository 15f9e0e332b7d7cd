//! `undefined-function`: a function that is declared but has no body anywhere.

use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use std::ops::Range;

/// A function that is declared without a body, although no other module can have one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct UndefinedFunction {
    /// The name of the function.
    pub name: Box<str>,
    /// Whether it is a kernel.
    pub kernel: bool,
}

impl DiagnosticMessage for UndefinedFunction {
    fn message(&self) -> String {
        let what = if self.kernel { "kernel" } else { "function" };
        format!("the {what} `{}` is declared here, but this module has no body for it", self.name)
    }

    fn help(&self) -> Option<String> {
        Some("ptxas refuses this when it generates code: define it, or declare it `.extern`".to_owned())
    }
}

/// The report on a function without a body.
pub(crate) fn report(range: Range<usize>, name: &str, kernel: bool) -> Diagnostic {
    Diagnostic::new(range, UndefinedFunction { name: name.into(), kernel })
}

#[cfg(test)]
mod tests {
    use crate::Code::UndefinedFunction;
    use crate::testing::{in_module, messages};

    const HEADER: &str = ".version 9.0\n.target sm_90a\n.address_size 64\n";

    #[test]
    fn functions_without_a_body() {
        let found = in_module(UndefinedFunction, &format!("{HEADER}.func f(.param .b32 x);\n.entry k();"));
        let rest = "is declared here, but this module has no body for it";
        assert_eq!(messages(&found), [format!("the function `f` {rest}"), format!("the kernel `k` {rest}")]);
        let elsewhere = format!("{HEADER}.extern .func f(.param .b32 x);");
        assert!(in_module(UndefinedFunction, &elsewhere).is_empty());
        let system = format!("{HEADER}.func (.param .b64 r) malloc(.param .b64 size);");
        assert!(in_module(UndefinedFunction, &system).is_empty(), "the driver has it");
        let below = format!("{HEADER}.func f();\n.func f() {{ ret; }}");
        assert!(in_module(UndefinedFunction, &below).is_empty());
    }
}
