//! What the server needs from the system that it runs on: threads or time slices, timers, and files.
//!
//! Everything else in this crate is the same on every system. The program `ptx-analyzer` runs it on threads
//! ([`crate::native`]); in a browser it shares one thread with the messages. `docs/decisions/0012-one-server-on-two-platforms.md`
//! has the reasons.

mod files;

use super::cancel::{CancelFlag, UntilDropped};
pub use files::{FileSource, FileStamp, FolderContents};
use futures::FutureExt;
use futures::future::{BoxFuture, Either, LocalBoxFuture, ready, select};
use ptx_clock::Instant;
use std::fmt::Debug;
use std::future::Future;
use std::io::Result;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::oneshot;
use tower_lsp_server::jsonrpc::{self, Error};

/// A kind of computation. Those of one kind never delay those of another kind for long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pool {
    /// Short requests that the user waits for: hover, completion, definition.
    Instant,
    /// The other requests.
    Requests,
    /// Runs of kernels.
    Evaluations,
}

/// Maximum time that diagnostics wait for edits that have arrived. After that the client sends faster than the server reads, and some state is
/// better than none.
pub const MAX_WAIT_FOR_EDITS: Duration = Duration::from_millis(500);

/// What has arrived from the client and is not handled yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitingInput {
    /// Nothing.
    Nothing,
    /// Bytes that nobody has read.
    Unread,
    /// Edits: the current text of a document is not the client's any more.
    Edits,
}

/// A computation that may wait. It starts on the thread that runs it, and stays there.
pub type Computation = Box<dyn FnOnce() -> LocalBoxFuture<'static, ()> + Send>;

/// The work of a document's worker. On threads it may move from one to another between two parts. In WebAssembly it may not: parsers of
/// tree-sitter cannot be sent to another thread there.
#[cfg(not(target_family = "wasm"))]
pub type WorkerTask = BoxFuture<'static, ()>;
/// The work of a document's worker, which starts where it stays.
#[cfg(target_family = "wasm")]
pub type WorkerTask = Computation;

/// Makes the work of a worker from a function that starts it.
#[cfg(not(target_family = "wasm"))]
pub fn worker_task<F: Future<Output = ()> + Send + 'static>(start: impl FnOnce() -> F + Send + 'static) -> WorkerTask {
    start().boxed()
}

/// Makes the work of a worker from a function that starts it.
#[cfg(target_family = "wasm")]
pub fn worker_task<F: Future<Output = ()> + 'static>(start: impl FnOnce() -> F + Send + 'static) -> WorkerTask {
    Box::new(|| start().boxed_local())
}

/// How urgent the work on a document is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DemandLevel {
    /// The text is checked. What is left is for an idle moment.
    Checked,
    /// The text is not checked.
    Unchecked,
    /// The user waits: for the check after an edit, or for the answer to a request.
    Awaited,
}

/// The current urgency of the work on a document, for the platform.
#[derive(Debug, Default)]
pub struct Demand {
    /// Whether there are changes that the worker has not seen.
    changed: AtomicBool,
    /// Whether the user made them.
    edited: AtomicBool,
    /// The number of requests that wait.
    waiting: AtomicUsize,
}

impl Demand {
    /// Records a change for the worker; `edited` if the user made it.
    pub fn change(&self, edited: bool) {
        self.changed.store(true, Ordering::Relaxed);
        self.edited.fetch_or(edited, Ordering::Relaxed);
    }

    /// Records that the worker has seen all changes.
    pub fn take(&self) {
        self.changed.store(false, Ordering::Relaxed);
        self.edited.store(false, Ordering::Relaxed);
    }

    /// Records that a request waits, until the result is dropped.
    pub fn wait(&self) -> impl Drop + use<'_> {
        struct WaitingRequest<'d>(&'d Demand);
        impl Drop for WaitingRequest<'_> {
            fn drop(&mut self) {
                self.0.waiting.fetch_sub(1, Ordering::Relaxed);
            }
        }
        self.waiting.fetch_add(1, Ordering::Relaxed);
        WaitingRequest(self)
    }

    /// Returns the urgency.
    pub fn level(&self) -> DemandLevel {
        match (self.changed.load(Ordering::Relaxed), self.edited.load(Ordering::Relaxed)) {
            _ if self.waiting.load(Ordering::Relaxed) > 0 => DemandLevel::Awaited,
            (_, true) => DemandLevel::Awaited,
            (true, false) => DemandLevel::Unchecked,
            (false, false) => DemandLevel::Checked,
        }
    }
}

/// The system that the server runs on.
pub trait Platform: Debug + Send + Sync {
    /// Starts asynchronous work in the background.
    fn spawn(&self, work: BoxFuture<'static, ()>);

    /// Starts a computation away from the work that reads messages.
    fn compute(&self, pool: Pool, work: Computation);

    /// Starts the worker of a document, which has a name. The most urgent work comes first.
    ///
    /// # Errors
    /// If the system has no room for another worker.
    fn start_worker(&self, document: &str, demand: Arc<Demand>, work: WorkerTask) -> Result<()>;

    /// Returns a future that is done after a time.
    fn sleep(&self, time: Duration) -> BoxFuture<'static, ()>;

    /// Whether a long computation should interrupt itself with [`Self::next_slice`], so that messages are read. Never true where
    /// computations have threads of their own.
    fn slice_is_over(&self) -> bool {
        false
    }

    /// Returns a future that is done when the next time slice of this computation begins.
    fn next_slice(&self) -> BoxFuture<'static, ()> {
        ready(()).boxed()
    }

    /// Starts work on files that are not open. Everything else is more urgent.
    ///
    /// # Errors
    /// If the system has no room for more work.
    fn start_examiner(&self, work: Computation) -> Result<()>;

    /// Returns how many examiners may run at a time.
    fn examiners(&self) -> usize;

    /// Notes what the current computation works on from now on, so that a failure which ends all work names it.
    fn works_on(&self, _: &str) {}

    /// What has arrived from the client and is not handled yet.
    fn waiting_input(&self) -> WaitingInput {
        WaitingInput::Nothing
    }

    /// Returns the file system; `None` if there is none.
    fn files(&self) -> Option<Arc<dyn FileSource>> {
        None
    }
}

impl dyn Platform + '_ {
    /// Waits for a future, but not longer than a time; `None` if that was not enough.
    pub async fn timeout<T>(&self, time: Duration, work: impl Future<Output = T>) -> Option<T> {
        match select(pin!(work), self.sleep(time)).await {
            Either::Left((out, _)) => Some(out),
            Either::Right(_) => None,
        }
    }

    /// Waits until no edit waits to be handled, at most for [`MAX_WAIT_FOR_EDITS`].
    pub async fn until_edits_are_handled(&self) {
        /// Unread bytes are read within this time; if they are not, the end of the input makes them look so.
        const READING: Duration = Duration::from_millis(20);
        let begin = Instant::now();
        loop {
            let patience = match self.waiting_input() {
                WaitingInput::Nothing => return,
                WaitingInput::Unread => READING,
                WaitingInput::Edits => MAX_WAIT_FOR_EDITS,
            };
            if begin.elapsed() >= patience {
                return;
            }
            self.sleep(Duration::from_millis(1)).await;
        }
    }

    /// Lets messages be read if the current time slice is over.
    pub async fn breathe(&self) {
        if self.slice_is_over() {
            self.next_slice().await;
        }
    }

    /// Repeats a computation that stops at the end of a time slice and continues where it stopped, until it returns its result;
    /// `None` if `is_cancelled` became true before.
    pub async fn in_slices<T>(
        &self,
        is_cancelled: &(dyn Fn() -> bool + Sync),
        mut compute: impl FnMut(&(dyn Fn() -> bool + Sync)) -> Option<T>,
    ) -> Option<T> {
        loop {
            let done = compute(&|| self.slice_is_over() || is_cancelled());
            if done.is_some() {
                return done;
            }
            self.next_slice().await;
            if is_cancelled() {
                return None;
            }
        }
    }

    /// Does long work away from the asynchronous threads.
    ///
    /// # Errors
    /// If it panics.
    pub async fn off_thread<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> jsonrpc::Result<T> {
        self.cancellable_in(Pool::Requests, move |_| work()).await
    }

    /// As [`Self::off_thread`], for work that can be cancelled: it gets the flag of the request. Work that has not begun when the
    /// request is cancelled never begins.
    ///
    /// # Errors
    /// If it panics.
    pub async fn cancellable<T: Send + 'static>(
        &self,
        work: impl FnOnce(&CancelFlag) -> T + Send + 'static,
    ) -> jsonrpc::Result<T> {
        self.cancellable_in(Pool::Requests, work).await
    }

    /// As [`Self::cancellable`], for a kind of computation.
    ///
    /// # Errors
    /// If it panics.
    pub async fn cancellable_in<T: Send + 'static>(
        &self,
        pool: Pool,
        work: impl FnOnce(&CancelFlag) -> T + Send + 'static,
    ) -> jsonrpc::Result<T> {
        self.sliced_in(pool, async move |cancelled| work(&cancelled)).await
    }

    /// As [`Self::cancellable_in`], for work that interrupts itself where it shares its thread ([`Platform::next_slice`]).
    ///
    /// # Errors
    /// If it panics.
    pub async fn sliced_in<T: Send + 'static>(
        &self,
        pool: Pool,
        work: impl AsyncFnOnce(CancelFlag) -> T + Send + 'static,
    ) -> jsonrpc::Result<T> {
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
        self.compute(pool, Box::new(computation));
        result.await.map_err(|_| Error::internal_error())?.ok_or_else(Error::request_cancelled)
    }
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
        let pools: Arc<dyn Platform> = Arc::new(threads.pools(Arc::default()));
        let (began, begun) = mpsc::channel();
        let (ended, end) = mpsc::channel();
        let busy = [0, 1].map(|_| {
            let (began, ended) = (began.clone(), ended.clone());
            let mut work = Box::pin(pools.cancellable_in(Pool::Instant, move |cancelled| {
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
        let mut waiting = Box::pin(pools.cancellable_in(Pool::Instant, move |_| never.send(())));
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
        let pools: Arc<dyn Platform> = Arc::new(threads.pools(Arc::default()));
        let failed: jsonrpc::Result<()> = block_on(pools.off_thread(|| panic!("on purpose")));
        assert_eq!(failed, Err(Error::internal_error()));
        threads.shut_down();
    }
}
