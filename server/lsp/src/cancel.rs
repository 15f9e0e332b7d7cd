//! Work that stops when its result is no longer wanted.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tower_lsp_server::jsonrpc::{Error, Result};

/// Flag that cancels work. Long computations poll it, and return their partial result once it is set.
#[derive(Debug, Clone, Default)]
pub struct CancelFlag(Arc<AtomicBool>);

impl CancelFlag {
    /// Whether the work is cancelled.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Cancels the work.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns the error "request cancelled" if the flag is set.
    ///
    /// # Errors
    /// If it is set.
    pub fn check(&self) -> Result<()> {
        if self.is_set() { Err(Error::request_cancelled()) } else { Ok(()) }
    }
}

/// Guard of a handler: the framework drops a cancelled handler, and dropping the guard sets the flag of its work.
#[derive(Debug, Default)]
pub struct UntilDropped(CancelFlag);

impl UntilDropped {
    /// Returns the flag for the work.
    pub fn token(&self) -> CancelFlag {
        self.0.clone()
    }
}

impl Drop for UntilDropped {
    fn drop(&mut self) {
        self.0.set();
    }
}
