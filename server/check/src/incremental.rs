//! The only part of the crate that caches results between checks: of functions and statements, with the names that they
//! looked up and their diagnostics.

pub(crate) mod analyzer;
pub(crate) mod body;
pub(crate) mod memo;
pub(crate) mod recovery;
