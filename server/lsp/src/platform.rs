//! What the server needs from the system that it runs on: threads or time slices, timers, and files.
//!
//! Everything else in this crate is the same on every system. The program `ptx-analyzer` runs it on threads
//! ([`crate::native`]); in a browser it shares one thread with the messages. `docs/decisions/0012-one-server-on-two-platforms.md`
//! has the reasons.

use super::settings::WorkspaceSettings;
use super::workspace::FolderContents;
use futures::FutureExt;
use futures::future::{BoxFuture, Either, LocalBoxFuture, ready, select};
use std::fmt::Debug;
use std::future::Future;
use std::io::Result;
use std::path::Path;
use std::pin::pin;
use std::time::Duration;

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

/// A computation that may wait. It starts on the thread that runs it, and stays there.
pub type Computation = Box<dyn FnOnce() -> LocalBoxFuture<'static, ()> + Send>;

/// The system that the server runs on.
pub trait Platform: Debug + Send + Sync {
    /// Starts asynchronous work in the background.
    fn spawn(&self, work: BoxFuture<'static, ()>);

    /// Starts a computation away from the work that reads messages.
    fn compute(&self, pool: Pool, work: Computation);

    /// Starts the worker of a document, which has a name.
    ///
    /// # Errors
    /// If the system has no room for another worker.
    fn start_worker(&self, document: &str, work: Computation) -> Result<()>;

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

    /// Returns the search for files; `None` if there is no file system.
    fn finder(&self) -> Option<Finder> {
        None
    }
}

/// Returns the PTX files in a folder. The last argument is polled: whether to stop.
pub type Finder = fn(&Path, &WorkspaceSettings, &dyn Fn() -> bool) -> FolderContents;

impl dyn Platform + '_ {
    /// Waits for a future, but not longer than a time; `None` if that was not enough.
    pub async fn timeout<T>(&self, time: Duration, work: impl Future<Output = T>) -> Option<T> {
        match select(pin!(work), self.sleep(time)).await {
            Either::Left((out, _)) => Some(out),
            Either::Right(_) => None,
        }
    }

    /// Lets messages be read if the current time slice is over.
    pub async fn breathe(&self) {
        if self.slice_is_over() {
            self.next_slice().await;
        }
    }
}
