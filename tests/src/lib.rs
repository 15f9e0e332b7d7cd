//! Shared code of the tests that cross crates.

pub mod annotations;
pub mod claims;
pub mod combinations;
pub mod floors;
pub mod framing;
pub mod generate;
pub mod meant;
pub mod mistakes;
pub mod mutants;
pub mod separators;
pub mod sessions;
pub mod snippets;
pub mod suite;
pub mod twins;
pub mod typing;
