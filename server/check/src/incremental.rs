//! The only part of the crate that caches results between checks: of functions and statements, with the names that they
//! looked up and their diagnostics.

pub(crate) mod analyzer;
