//! The analysis of PTX modules.
//!
//! Turns a snapshot of text and tree into diagnostics as plain data: lowering, name resolution, matching of instructions
//! against the tables, types, versions and targets. This crate does no input or output and depends on no protocol or editor.
//! Positions are byte offsets. PTX itself is described by the tables of `ptx-isa`; this crate only applies them.

// Tests make the files that they read.
#![cfg_attr(test, allow(clippy::disallowed_methods))]

pub mod addresses;
pub mod check;
pub mod execution;
pub mod flow;
pub mod forms;
pub mod hir;
pub mod incremental;
pub mod inline;
pub mod program;
pub mod registers;
pub mod semantics;
pub mod target;
#[cfg(test)]
mod testing;

pub use check::codes::{Code, Finding};
pub use check::diagnostic::{Diagnostic, Fix, FixEdit, Related, Severity};
pub use check::{calls, codes, declare, directives, generated, lints, raise, rules, statement};
pub use forms::{align, choose, mnemonic, mnemonics, operands, spec};
pub use hir::{ast, constant, declared, directive_parts, literal, lower, module, signature, symbols, types};
pub use incremental::analyzer::{Analyzer, DiagnosticList, PlacedDiagnostic, Report, SharedReport};
pub use registers::facts::ModuleFacts;
pub use target::project;
