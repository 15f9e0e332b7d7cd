//! What the tests that cross crates share.

pub mod generate;
pub mod snippets;
