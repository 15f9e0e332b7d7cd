//! Thread pools for requests, so that long computations do not delay short ones.
//!
//! A pool is the blocking pool of a tokio runtime: its tasks wait in the order of arrival until a thread is free.

use super::arrivals::Arrivals;
use super::documents::{DocumentThreads, WORKER_STACK};
use super::find::FileSystem;
use crate::platform::{Computation, Demand, FileSource, Platform, Pool, WaitingInput, WorkerTask};
use crate::priority::yield_to_others;
use futures::FutureExt;
use futures::executor::block_on;
use futures::future::BoxFuture;
use std::io::Result;
use std::num::NonZero;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::task::JoinHandle;

/// Stack size of a thread in bytes: functions that walk a tree recurse, to the depth that `ptx_syntax` allows. This is address
/// space, not memory.
const STACK: usize = 16 << 20;

/// Handles of the thread pools: the platform of a server on threads.
#[derive(Debug, Clone)]
pub struct Pools {
    /// For asynchronous work, and for most requests.
    requests: Handle,
    instant: Handle,
    /// More than two runs at a time would only compete for processors and memory.
    evaluations: Handle,
    documents: DocumentThreads,
    arrivals: Arc<Arrivals>,
}

impl Platform for Pools {
    fn spawn(&self, work: BoxFuture<'static, ()>) {
        self.requests.spawn(work);
    }

    fn compute(&self, pool: Pool, work: Computation) {
        let handle = match pool {
            Pool::Instant => &self.instant,
            Pool::Requests => &self.requests,
            Pool::Evaluations => &self.evaluations,
        };
        handle.spawn_blocking(move || block_on(work()));
    }

    fn start_worker(&self, _: &str, demand: Arc<Demand>, work: WorkerTask) -> Result<()> {
        self.documents.start(demand, work)
    }

    fn sleep(&self, time: Duration) -> BoxFuture<'static, ()> {
        Sleep(self.requests.spawn(async move { tokio::time::sleep(time).await })).boxed()
    }

    fn start_examiner(&self, work: Computation) -> Result<()> {
        let thread = std::thread::Builder::new().name("file".into()).stack_size(WORKER_STACK);
        let work = move || {
            yield_to_others();
            block_on(work());
        };
        thread.spawn(work).map(drop)
    }

    /// Half of the processors, because the user is editing meanwhile.
    fn examiners(&self) -> usize {
        (std::thread::available_parallelism().map_or(1, NonZero::get) / 2).clamp(1, 8)
    }

    fn waiting_input(&self) -> WaitingInput {
        self.arrivals.waiting()
    }

    fn files(&self) -> Option<Arc<dyn FileSource>> {
        Some(Arc::new(FileSystem))
    }
}

/// A timer of the runtime for futures that any thread polls. It ends early if the runtime shuts down.
struct Sleep(JoinHandle<()>);

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        self.0.poll_unpin(context).map(drop)
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Owner of the pools' threads.
#[derive(Debug)]
pub struct ThreadPools {
    requests: Runtime,
    instant: Runtime,
    evaluations: Runtime,
    documents: DocumentThreads,
}

impl ThreadPools {
    /// Creates the pools; only the two threads for asynchronous work start at once.
    ///
    /// # Errors
    /// If threads cannot be started.
    pub fn new() -> Result<Self> {
        let pool = |name: &str, threads: usize| {
            let mut builder = Builder::new_current_thread();
            builder.max_blocking_threads(threads).thread_stack_size(STACK).thread_name(name);
            builder
        };
        let requests = Builder::new_multi_thread()
            .worker_threads(2)
            .max_blocking_threads(4)
            .thread_stack_size(STACK)
            .thread_name("request")
            .enable_time()
            .build()?;
        let instant = pool("instant", 2).build()?;
        let evaluations = pool("evaluation", 2).on_thread_start(yield_to_others).build()?;
        Ok(Self { requests, instant, evaluations, documents: DocumentThreads::new() })
    }

    /// Returns the handles of the pools, for a server whose input `arrivals` counts.
    pub fn pools(&self, arrivals: Arc<Arrivals>) -> Pools {
        Pools {
            requests: self.requests.handle().clone(),
            instant: self.instant.handle().clone(),
            evaluations: self.evaluations.handle().clone(),
            documents: self.documents.clone(),
            arrivals,
        }
    }

    /// Runs asynchronous work to its end.
    pub fn block_on<T>(&self, work: impl Future<Output = T>) -> T {
        self.requests.block_on(work)
    }

    /// Ends the pools without waiting for threads that still compute: nothing reads their answers any more.
    pub fn shut_down(self) {
        self.documents.close();
        self.evaluations.shutdown_background();
        self.instant.shutdown_background();
        self.requests.shutdown_background();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    #[test]
    fn running_kernels_does_not_delay_requests() {
        let threads = ThreadPools::new().unwrap();
        let pools = threads.pools(Arc::default());
        let (free, until) = channel::<()>();
        let until = Arc::new(std::sync::Mutex::new(until));
        let (began, begun) = channel();
        for _ in 0..8 {
            let (until, began) = (until.clone(), began.clone());
            let run = move || {
                began.send(()).unwrap();
                let _ = until.lock().unwrap().recv();
            };
            pools.compute(Pool::Evaluations, Box::new(|| async move { run() }.boxed_local()));
        }
        let patience = Duration::from_secs(20);
        begun.recv_timeout(patience).unwrap();
        begun.recv_timeout(patience).unwrap();
        for pool in [Pool::Instant, Pool::Requests] {
            let (said, heard) = channel();
            pools.compute(pool, Box::new(|| async move { said.send(()).unwrap() }.boxed_local()));
            heard.recv_timeout(patience).unwrap();
        }
        // Two tasks run, the others wait.
        assert!(begun.recv_timeout(Duration::from_millis(50)).is_err());
        drop(free);
        (0..6).for_each(|_| begun.recv_timeout(patience).unwrap());
        threads.shut_down();
    }
}
