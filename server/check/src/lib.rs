//! What is wrong with a PTX module.
//!
//! `rules` and `lints` have one file for each diagnostic; `codes` lists them. The other modules check the parts of a module and report
//! these diagnostics. `incremental` runs the checks and remembers their results. Positions are byte offsets.

#![warn(unreachable_pub)]
// Tests make the files that they read.
#![cfg_attr(test, allow(clippy::disallowed_methods))]

mod actions;
mod body;
mod calls;
mod code;
mod codes;
mod constraints;
mod declarations;
mod declare;
mod diagnostic;
mod directives;
pub mod execution;
mod finding;
mod functions;
pub mod generated;
mod header;
mod immediates;
mod incremental;
mod initializer;
pub mod inline;
mod instruction;
mod lints;
mod lists;
mod locations;
mod memo;
mod memory;
mod raise;
mod recovery;
mod registry;
mod rules;
pub mod statement;
mod suggestions;
#[cfg(test)]
mod testing;
mod variables;

pub use code::{Code, DiagnosticLevel};
pub use diagnostic::{Diagnostic, Fix, FixEdit, Related, Severity};
pub use finding::{DiagnosticMessage, Finding, Text};
pub use incremental::analyzer::{Analyzer, DiagnosticList, PlacedDiagnostic, Report, SharedReport};

/// Diagnostics about the text around PTX in another language, which its finder asks for.
pub mod asm {
    pub use crate::rules::asm::{AsmCode, AsmProblem, report};
}

pub use rules::required_size::RequiredSize;

/// What a name may be.
pub mod names {
    pub use crate::rules::reserved_name::{ReservedName, reserved};
    pub use crate::rules::syntax_error::{LookAlike, dotted_name, look_alike};
    pub use crate::rules::undeclared_name::is_template;
    pub use crate::rules::{ForeignWord, foreign_operand};
}
