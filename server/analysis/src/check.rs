//! Diagnostics and the code that finds them. [`rules`] and [`lints`] have one file for each diagnostic; the other modules check
//! the parts of a PTX module and report these diagnostics.

pub mod actions;
pub mod calls;
pub mod codes;
pub(crate) mod constraints;
pub mod declare;
pub(crate) mod diagnostic;
pub mod directives;
pub(crate) mod functions;
pub mod generated;
pub(crate) mod immediates;
pub(crate) mod initializer;
pub(crate) mod instruction;
pub mod lints;
pub(crate) mod lists;
pub(crate) mod memory;
pub mod raise;
pub mod rules;
pub mod statement;
pub(crate) mod variables;
