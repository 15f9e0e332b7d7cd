//! What is wrong with a PTX module.
//!
//! From a snapshot of text and tree to diagnostics as plain data: lowering, name resolution, matching of instructions
//! against the tables, types, versions and targets. This crate does no input or output, knows no protocol and no editor,
//! and counts in byte offsets. PTX itself is in the tables of `ptx-isa`; here is only how they are applied.

mod analyzer;
pub mod ast;
mod body;
pub mod calls;
pub mod checks;
pub mod codes;
pub mod constant;
mod constraints;
pub mod declare;
mod diagnostic;
pub mod directives;
pub mod flow;
mod functions;
pub mod head;
mod immediates;
mod initializer;
mod instruction;
pub mod lints;
mod lists;
pub mod literal;
pub mod lower;
pub mod memo;
mod memory;
pub mod module;
pub mod operands;
pub mod program;
pub mod project;
pub mod raise;
mod recovery;
pub mod registers;
pub mod signature;
pub mod spec;
pub mod statement;
pub mod symbols;
pub mod target;
#[cfg(test)]
mod testing;
pub mod types;
mod variables;

pub use analyzer::{Analyzer, ModuleFacts, Report};
pub use codes::{Code, Finding};
pub use diagnostic::{Diagnostic, Edit, Fix, Related, Severity};
