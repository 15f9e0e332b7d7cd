//! What is wrong with a PTX module.
//!
//! [`rules`] and [`lints`] have one file for each diagnostic; [`codes`] lists them. The other modules check the parts of a module and report
//! these diagnostics. [`incremental`] runs the checks and remembers their results. Positions are byte offsets.

// Tests make the files that they read.
#![cfg_attr(test, allow(clippy::disallowed_methods))]

pub mod actions;
pub mod body;
pub mod calls;
pub mod code;
mod codes;
pub mod constraints;
pub mod declarations;
pub mod declare;
pub mod diagnostic;
pub mod directives;
pub mod execution;
pub mod finding;
pub mod functions;
pub mod generated;
pub mod header;
pub mod immediates;
pub mod incremental;
pub mod initializer;
pub mod inline;
pub mod instruction;
pub mod lints;
pub mod lists;
pub mod locations;
pub mod memo;
pub mod memory;
pub mod raise;
pub mod recovery;
pub mod registry;
pub mod rules;
pub mod statement;
pub mod suggestions;
#[cfg(test)]
mod testing;
pub mod variables;

pub use code::{Code, DiagnosticLevel};
pub use diagnostic::{Diagnostic, Fix, FixEdit, Related, Severity};
pub use finding::{DiagnosticMessage, Finding, Text};
pub use incremental::analyzer::{Analyzer, DiagnosticList, PlacedDiagnostic, Report, SharedReport};
