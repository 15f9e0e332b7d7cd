//! `unused-function`: a function that nothing can call.

use crate::codes::Words;
use crate::diagnostic::Diagnostic;
use std::ops::Range;

/// A function that nothing can call.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct UnusedFunction {
    /// Its name.
    pub name: Box<str>,
}

impl Words for UnusedFunction {
    fn message(&self) -> String {
        format!("nothing calls `{}`", self.name)
    }

    fn help(&self) -> Option<String> {
        let help = "it is not `.visible`, so no other module can; leave it out, or write `.visible` before `.func`";
        Some(help.to_owned())
    }
}

/// The report on a function that is neither visible outside of the module nor named by anything that is.
pub fn report(range: Range<usize>, name: &str) -> Diagnostic {
    Diagnostic::new(range, UnusedFunction { name: name.into() }).unnecessary()
}
