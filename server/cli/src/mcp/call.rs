//! A call of a tool.

use std::path::PathBuf;

/// What a call may read, and whether it still has to.
pub struct CallContext<'c> {
    /// The folders that the client allows.
    pub roots: &'c [PathBuf],
    /// Whether the call was cancelled.
    pub cancelled: &'c (dyn Fn() -> bool + Sync),
}

/// The reason of a call that was cancelled. No client shows it.
pub fn cancelled() -> String {
    "the call was cancelled".to_owned()
}
