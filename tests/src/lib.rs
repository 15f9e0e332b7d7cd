//! Shared code of the tests that cross crates.

pub mod annotations;
pub mod combinations;
pub mod floors;
pub mod framing;
pub mod generate;
pub mod mistakes;
pub mod mutants;
pub mod sessions;
pub mod snippets;
pub mod suite;
pub mod typing;
