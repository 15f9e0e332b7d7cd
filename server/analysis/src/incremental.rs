//! The one part that remembers: which functions and statements were checked, what they looked up, and what was found.

pub(crate) mod analyzer;
pub(crate) mod body;
pub(crate) mod memo;
pub(crate) mod recovery;
