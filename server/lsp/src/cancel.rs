//! Work that stops when its result is no longer wanted.

use super::sync::lock;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use tower_lsp_server::jsonrpc::{Error, Result};
use tower_lsp_server::ls_types::ProgressToken;

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

/// Work that the client can cancel by its token.
#[derive(Debug, Default)]
pub struct RunningWork(Mutex<HashMap<ProgressToken, CancelFlag>>);

impl RunningWork {
    /// Cancels the work of a token.
    pub fn cancel(&self, token: &ProgressToken) {
        if let Some(cancelled) = lock(&self.0).get(token) {
            cancelled.set();
        }
    }

    /// Adds work with its token.
    pub fn add(&self, token: ProgressToken, cancelled: CancelFlag) {
        lock(&self.0).insert(token, cancelled);
    }

    /// Removes work that has ended.
    pub fn remove(&self, token: &ProgressToken) {
        lock(&self.0).remove(token);
    }
}
