//! The threads that answer requests, in pools, so that what takes long keeps nothing waiting that takes an instant.
//!
//! A pool is the blocking pool of a tokio runtime: work waits there in the order in which it came until one of its threads is free.

use std::io::Result;
use tokio::runtime::{Builder, Handle, Runtime};

/// Stack of a thread: functions that walk a tree recurse, to the depth that `ptx_syntax` allows. It is address space, not memory.
const STACK: usize = 16 << 20;

/// Where to have work done.
#[derive(Debug, Clone)]
pub struct Pools {
    /// For asynchronous work, and for most requests.
    pub requests: Handle,
    /// For requests that take an instant and that the user waits for: hover, completion, definition.
    pub instant: Handle,
    /// For runs of kernels. More than two at a time would only compete for the processors, and for memory.
    pub evaluations: Handle,
}

/// The threads behind the pools.
#[derive(Debug)]
pub struct ThreadPools {
    requests: Runtime,
    instant: Runtime,
    evaluations: Runtime,
}

impl ThreadPools {
    /// Starts nothing yet but two threads for asynchronous work.
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

    /// Where to have work done.
    pub fn pools(&self) -> Pools {
        Pools {
            requests: self.requests.handle().clone(),
            instant: self.instant.handle().clone(),
            evaluations: self.evaluations.handle().clone(),
        }
    }

    /// Waits for asynchronous work.
    pub fn block_on<T>(&self, work: impl Future<Output = T>) -> T {
        self.requests.block_on(work)
    }

    /// Ends without waiting for threads that still compute: their answers have no reader any more.
    pub fn shut_down(self) {
        self.evaluations.shutdown_background();
        self.instant.shutdown_background();
        self.requests.shutdown_background();
    }
}

/// Lets threads that answer requests go first. Only Linux gives single threads a priority of their own; elsewhere the scheduler has to
/// find out by itself which of them take long.
pub fn yield_to_others() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::setpriority_process(Some(rustix::thread::gettid()), NICENESS) {
        tracing::debug!("a background thread runs like the others: {error}");
    }
}

/// Of 20: high enough that a thread which wakes up goes first, low enough that the work gets on while an editor is busy.
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
        // Two run, and the others wait.
        assert!(begun.recv_timeout(Duration::from_millis(50)).is_err());
        drop(free);
        (0..6).for_each(|_| begun.recv_timeout(patience).unwrap());
        threads.shut_down();
    }
}
