//! What is wrong with a module, as data: one file for each diagnostic in [`rules`] and [`lints`], and what finds them.

pub mod calls;
pub mod codes;
pub(crate) mod constraints;
pub mod declare;
pub(crate) mod diagnostic;
pub mod directives;
pub(crate) mod functions;
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
