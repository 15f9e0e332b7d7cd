//! Work that stops when its result is no longer wanted.

use super::platform::{Platform, Pool};
use futures::FutureExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::oneshot;
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
pub async fn off_thread<T: Send + 'static>(
    platform: &dyn Platform,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T> {
    cancellable_in(platform, Pool::Requests, move |_| work()).await
}

/// As [`off_thread`], for work of any kind that can be cancelled: it gets the flag of the request. Work that has not begun when
/// the request is cancelled never begins.
///
/// # Errors
/// If it panics.
pub async fn cancellable_in<T: Send + 'static>(
    platform: &dyn Platform,
    pool: Pool,
    work: impl FnOnce(&CancelFlag) -> T + Send + 'static,
) -> Result<T> {
    sliced_in(platform, pool, async move |cancelled| work(&cancelled)).await
}

/// As [`cancellable_in`], for work that interrupts itself where it shares its thread ([`Platform::next_slice`]).
///
/// # Errors
/// If it panics.
pub async fn sliced_in<T: Send + 'static>(
    platform: &dyn Platform,
    pool: Pool,
    work: impl AsyncFnOnce(CancelFlag) -> T + Send + 'static,
) -> Result<T> {
    let wanted = UntilDropped::default();
    let cancelled = wanted.token();
    let (done, result) = oneshot::channel();
    let computation = move || {
        async move {
            let out = if cancelled.is_set() { None } else { Some(work(cancelled).await) };
            // The request may be gone.
            let _ = done.send(out);
        }
        .boxed_local()
    };
    platform.compute(pool, Box::new(computation));
    result.await.map_err(|_| Error::internal_error())?.ok_or_else(Error::request_cancelled)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::native::ThreadPools;
    use futures::executor::block_on;
    use std::sync::mpsc;
    use std::time::Duration;

    #[test]
    fn dropped_work_is_told() {
        let threads = ThreadPools::new().unwrap();
        let pools = threads.pools();
        let (began, begun) = mpsc::channel();
        let (ended, end) = mpsc::channel();
        let busy = [0, 1].map(|_| {
            let (began, ended) = (began.clone(), ended.clone());
            let mut work = Box::pin(cancellable_in(&pools, Pool::Instant, move |cancelled| {
                began.send(()).unwrap();
                while !cancelled.is_set() {
                    std::thread::sleep(Duration::from_millis(1));
                }
                ended.send(()).unwrap();
            }));
            assert!(work.as_mut().now_or_never().is_none());
            work
        });
        for _ in &busy {
            begun.recv_timeout(Duration::from_secs(10)).unwrap();
        }
        // Both threads are busy, so this work waits, and is dropped before it begins.
        let (never, nothing) = mpsc::channel::<()>();
        let mut waiting = Box::pin(cancellable_in(&pools, Pool::Instant, move |_| never.send(())));
        assert!(waiting.as_mut().now_or_never().is_none());
        drop(waiting);
        drop(busy);
        for _ in 0..2 {
            end.recv_timeout(Duration::from_secs(10)).unwrap();
        }
        assert!(nothing.recv_timeout(Duration::from_secs(10)).is_err());
        threads.shut_down();
    }

    #[test]
    fn a_panic_becomes_an_error() {
        let threads = ThreadPools::new().unwrap();
        let failed: Result<()> = block_on(off_thread(&threads.pools(), || panic!("on purpose")));
        assert_eq!(failed, Err(Error::internal_error()));
        threads.shut_down();
    }
}
