//! Asynchronous copies of threads.

/// Asynchronous copies of threads.
#[derive(Debug, Clone, Default)]
pub struct Copies {}
