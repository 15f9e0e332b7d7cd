//! What the tests that cross crates share.

pub mod annotations;
pub mod generate;
pub mod snippets;
