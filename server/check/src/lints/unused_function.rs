//! `unused-function`: a function that nothing can call.

use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use std::ops::Range;

/// A function that nothing can call.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct UnusedFunction {
    /// The name of the function.
    pub name: Box<str>,
}

impl DiagnosticMessage for UnusedFunction {
    fn message(&self) -> String {
        format!("nothing calls `{}`", self.name)
    }

    fn help(&self) -> Option<String> {
        let help = "it is not `.visible`, so no other module can; leave it out, or write `.visible` before `.func`";
        Some(help.to_owned())
    }
}

/// The report on a function that is not visible outside of the module, and that no visible function or variable names.
pub fn report(range: Range<usize>, name: &str) -> Diagnostic {
    Diagnostic::new(range, UnusedFunction { name: name.into() }).unnecessary()
}

#[cfg(test)]
mod tests {
    use crate::Code::UnusedFunction;
    use crate::testing::{in_module, messages};

    #[test]
    fn functions_that_nothing_calls() {
        let module = |linkage: &str, call: &str| {
            let header = ".version 9.0\n.target sm_90a\n.address_size 64\n";
            format!("{header}{linkage} .func f() {{ ret; }}\n.visible .entry k() {{ {call} ret; }}\n")
        };
        let found = in_module(UnusedFunction, &module("", ""));
        assert_eq!(messages(&found), ["nothing calls `f`"]);
        assert!(found[0].unnecessary);
        assert!(in_module(UnusedFunction, &module("", "call f;")).is_empty());
        assert!(in_module(UnusedFunction, &module(".visible", "")).is_empty());
    }
}
