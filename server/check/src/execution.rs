//! A module that is checked and lowered for execution.

#[cfg(test)]
mod tests;

use crate::diagnostic::Diagnostic;
use crate::incremental::analyzer::{Analyzer, declarations};
use ptx_flow::program::ModuleProgram;
use ptx_sema::hir::module::items;
use ptx_syntax::Snapshot;

/// A lowered module with the errors that the check found in it.
#[derive(Debug, Clone, Default)]
pub struct CheckedProgram {
    /// The module. Its [`ModuleProgram::errors`] are the places of `errors`, in the same order.
    pub program: ModuleProgram,
    /// The errors, in text order; ranges count from the start of the file.
    pub errors: Vec<Diagnostic>,
}

impl CheckedProgram {
    /// Checks a module and lowers it.
    pub fn new(snapshot: &Snapshot) -> Self {
        Self::of(snapshot, &Analyzer::default().analyze(snapshot).diagnostics)
    }

    /// Lowers a module whose check found these diagnostics.
    pub fn of(snapshot: &Snapshot, diagnostics: &[Diagnostic]) -> Self {
        let mut errors: Vec<Diagnostic> = diagnostics.iter().filter(|d| d.is_parse_error()).cloned().collect();
        errors.sort_by_key(|d| (d.range.start, d.range.end));
        let places = errors.iter().map(|error| error.range.clone()).collect();
        let header = declarations(snapshot, &items(snapshot));
        Self { program: ModuleProgram::new(snapshot, &header, places), errors }
    }
}
