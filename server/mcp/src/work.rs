//! Threads for the work of tools. None of it happens on the thread that speaks the protocol.

use super::tool::{ToolAnswer, ToolCall, Toolbox};
use ptx_wire::ending;
use serde_json::{Map, Value};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::runtime::{Builder, Handle, Runtime};

/// Stack size of a thread in bytes, because checks recurse into deep trees. It reserves address space, not memory.
const STACK: usize = 64 << 20;

/// Number of long calls at a time: more would only compete for processors and memory.
const LONG_CALLS: usize = 2;

/// How long calls may go on after the end of the input, so that `… | ptx-analyzer mcp` prints its answers.
const GRACE: Duration = Duration::from_secs(1);

/// Whether the session is over.
#[derive(Debug, Clone, Default)]
pub struct Ending(Arc<AtomicBool>);

impl Ending {
    /// The input has ended: calls are cancelled after a moment, and the process ends even if some do not stop.
    pub fn begin(&self) {
        let over = Arc::clone(&self.0);
        let wait = move || {
            std::thread::sleep(GRACE);
            over.store(true, Ordering::Relaxed);
            ending::force(|| 0);
        };
        // Without this thread the library waits a few seconds for the calls.
        let _ = std::thread::Builder::new().name("ending".into()).spawn(wait);
    }

    fn is_over(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The owner of the threads.
#[derive(Debug)]
pub struct WorkThreads {
    short: Runtime,
    long: Runtime,
}

impl WorkThreads {
    /// Creates the pools; their threads start when they are needed.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn new() -> io::Result<Self> {
        let pool = |name: &str, threads: usize| {
            let mut builder = Builder::new_current_thread();
            builder.max_blocking_threads(threads).thread_stack_size(STACK).thread_name(name).build()
        };
        let processors = std::thread::available_parallelism().map_or(2, usize::from);
        Ok(Self { short: pool("tool", processors.max(2))?, long: pool("long tool", LONG_CALLS)? })
    }

    /// Returns what starts work.
    pub fn handles(&self, ending: Ending) -> Work {
        Work { short: self.short.handle().clone(), long: self.long.handle().clone(), ending }
    }

    /// Leaves the threads to the end of the process.
    pub fn abandon(self) {
        self.short.shutdown_background();
        self.long.shutdown_background();
    }
}

/// A call with all that it needs.
pub struct OwnedCall {
    pub name: String,
    pub arguments: Map<String, Value>,
    pub roots: Vec<PathBuf>,
    pub is_long: bool,
}

/// Starts work on the threads.
#[derive(Debug, Clone)]
pub struct Work {
    short: Handle,
    long: Handle,
    ending: Ending,
}

impl Work {
    /// Calls a tool. A panic in it becomes an error, and harms no other call.
    pub async fn call(
        &self,
        tools: Arc<dyn Toolbox>,
        call: OwnedCall,
        cancelled: impl Fn() -> bool + Send + Sync + 'static,
    ) -> ToolAnswer {
        let pool = if call.is_long { &self.long } else { &self.short };
        let ending = self.ending.clone();
        let work = move || {
            let OwnedCall { name, arguments, roots, .. } = call;
            let cancelled = || cancelled() || ending.is_over();
            if cancelled() {
                return ToolAnswer::error("The call was cancelled.");
            }
            let call = ToolCall { name: &name, arguments, roots: &roots, cancelled: &cancelled };
            catch_unwind(AssertUnwindSafe(|| tools.call(call))).unwrap_or_else(|_| failed(&name))
        };
        pool.spawn_blocking(work)
            .await
            .unwrap_or_else(|_| ToolAnswer::error("The call could not be started; try again."))
    }
}

fn failed(name: &str) -> ToolAnswer {
    ToolAnswer::error(format!(
        "`{name}` failed because of a mistake in ptx-analyzer; other calls still work. Please report it, with the arguments of this call."
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ToolDescription;

    struct Panics;

    impl Toolbox for Panics {
        fn tools(&self) -> Vec<ToolDescription> {
            Vec::new()
        }

        fn call(&self, call: ToolCall<'_>) -> ToolAnswer {
            assert_ne!(call.name, "bad", "this panic is a part of the test");
            ToolAnswer::new(call.name)
        }
    }

    #[test]
    fn a_panic_harms_no_other_call() {
        let threads = WorkThreads::new().unwrap();
        let work = threads.handles(Ending::default());
        let runtime = Builder::new_current_thread().build().unwrap();
        let answer = |name: &str, cancelled: bool| {
            let call =
                OwnedCall { name: name.to_owned(), arguments: Map::new(), roots: Vec::new(), is_long: name == "long" };
            runtime.block_on(work.call(Arc::new(Panics), call, move || cancelled))
        };
        assert!(answer("bad", false).text.contains("mistake in ptx-analyzer"));
        assert_eq!(answer("good", false), ToolAnswer::new("good"));
        assert_eq!(answer("long", false), ToolAnswer::new("long"));
        assert!(answer("good", true).is_error);
    }
}
