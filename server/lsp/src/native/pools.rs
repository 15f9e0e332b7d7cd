//! Thread pools for requests, so that long computations do not delay short ones.
//!
//! A pool is the blocking pool of a tokio runtime: its tasks wait in the order of arrival until a thread is free.

use std::io::Result;
use tokio::runtime::{Builder, Handle, Runtime};

/// Stack size of a thread in bytes: functions that walk a tree recurse, to the depth that `ptx_syntax` allows. This is address
/// space, not memory.
const STACK: usize = 16 << 20;

/// Handles of the thread pools.
#[derive(Debug, Clone)]
pub struct Pools {
    /// For asynchronous work, and for most requests.
    pub requests: Handle,
    /// For short requests that the user waits for: hover, completion, definition.
    pub instant: Handle,
    /// For runs of kernels. More than two at a time would only compete for processors and memory.
    pub evaluations: Handle,
}

/// Owner of the pools' threads.
#[derive(Debug)]
pub struct ThreadPools {
    requests: Runtime,
    instant: Runtime,
    evaluations: Runtime,
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
        Ok(Self { requests, instant, evaluations })
    }

    /// Returns the handles of the pools.
    pub fn pools(&self) -> Pools {
        Pools {
            requests: self.requests.handle().clone(),
            instant: self.instant.handle().clone(),
            evaluations: self.evaluations.handle().clone(),
        }
    }

    /// Runs asynchronous work to its end.
    pub fn block_on<T>(&self, work: impl Future<Output = T>) -> T {
        self.requests.block_on(work)
    }

    /// Ends the pools without waiting for threads that still compute: nothing reads their answers any more.
    pub fn shut_down(self) {
        self.evaluations.shutdown_background();
        self.instant.shutdown_background();
        self.requests.shutdown_background();
    }
}

/// Lowers the priority of the current thread, so that threads that answer requests run first. Only Linux has a priority for a
/// single thread; on other systems the scheduler decides alone.
pub fn yield_to_others() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::setpriority_process(Some(rustix::thread::gettid()), NICENESS) {
        tracing::debug!("a background thread runs like the others: {error}");
    }
}

/// Niceness of background threads (0 … 19): high enough that a thread that wakes up runs first, low enough that the work
/// proceeds while an editor is busy.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 5;

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    #[test]
    fn running_kernels_does_not_delay_requests() {
        let threads = ThreadPools::new().unwrap();
        let pools = threads.pools();
        let (free, until) = channel::<()>();
        let until = std::sync::Arc::new(std::sync::Mutex::new(until));
        let (began, begun) = channel();
        for _ in 0..8 {
            let (until, began) = (until.clone(), began.clone());
            pools.evaluations.spawn_blocking(move || {
                began.send(()).unwrap();
                let _ = until.lock().unwrap().recv();
            });
        }
        let patience = Duration::from_secs(20);
        begun.recv_timeout(patience).unwrap();
        begun.recv_timeout(patience).unwrap();
        for pool in [&pools.instant, &pools.requests] {
            let (said, heard) = channel();
            pool.spawn_blocking(move || said.send(()).unwrap());
            heard.recv_timeout(patience).unwrap();
        }
        // Two tasks run, the others wait.
        assert!(begun.recv_timeout(Duration::from_millis(50)).is_err());
        drop(free);
        (0..6).for_each(|_| begun.recv_timeout(patience).unwrap());
        threads.shut_down();
    }
}
