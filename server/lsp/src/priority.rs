//! The priority of background threads.

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
