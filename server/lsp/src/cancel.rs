//! Work that stops when its result is no longer wanted.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::runtime::Handle;
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

/// Does long work away from the asynchronous threads.
///
/// # Errors
/// If it panics.
pub async fn off_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    cancellable(move |_| work()).await
}

/// As [`off_thread`], for work that can be cancelled: it gets the flag of the request. Work that has not begun when the request
/// is cancelled never begins.
///
/// # Errors
/// If it panics.
pub async fn cancellable<T: Send + 'static>(work: impl FnOnce(&CancelFlag) -> T + Send + 'static) -> Result<T> {
    cancellable_in(&Handle::current(), work).await
}

/// As [`cancellable`], in a given pool ([`super::pools`]).
///
/// # Errors
/// If it panics.
pub async fn cancellable_in<T: Send + 'static>(
    pool: &Handle,
    work: impl FnOnce(&CancelFlag) -> T + Send + 'static,
) -> Result<T> {
    let wanted = UntilDropped::default();
    let cancelled = wanted.token();
    let done = pool.spawn_blocking(move || (!cancelled.is_set()).then(|| work(&cancelled))).await;
    done.map_err(|_| Error::internal_error())?.ok_or_else(Error::request_cancelled)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::time::Duration;

    #[test]
    fn dropped_work_is_told() {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).max_blocking_threads(1).build();
        let runtime = runtime.unwrap();
        let (began, begun) = mpsc::channel();
        let (ended, end) = mpsc::channel();
        let first = runtime.spawn(cancellable(move |cancelled| {
            began.send(()).unwrap();
            while !cancelled.is_set() {
                std::thread::sleep(Duration::from_millis(1));
            }
            ended.send(()).unwrap();
        }));
        begun.recv_timeout(Duration::from_secs(10)).unwrap();
        // The only thread is busy, so this work waits, and is dropped before it begins.
        let (never, nothing) = mpsc::channel::<()>();
        let second = runtime.spawn(off_thread(move || never.send(())));
        second.abort();
        assert!(runtime.block_on(second).unwrap_err().is_cancelled());
        first.abort();
        end.recv_timeout(Duration::from_secs(10)).unwrap();
        assert!(nothing.recv_timeout(Duration::from_secs(10)).is_err());
    }
}
