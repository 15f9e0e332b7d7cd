//! Watches for the end of the process that started the server.
//!
//! Usually the end of that process closes the input, and the server ends. But another process may have inherited the pipe and
//! keep it open. In the protocol the client therefore names its process (`processId`), and the server polls whether it still
//! exists.

#[cfg(unix)]
use std::time::Duration;

/// Interval between two polls.
#[cfg(unix)]
const INTERVAL: Duration = Duration::from_secs(1);

/// Calls `end` when a process has ended. If no process has that number at first, the number belongs to another system: the
/// client runs outside of the server's container. Then nothing is watched.
#[cfg(unix)]
pub fn watch(process: i64, end: impl FnOnce() + Send + 'static) {
    use rustix::process::{Pid, test_kill_process};
    let Some(pid) = i32::try_from(process).ok().filter(|p| *p > 0).and_then(Pid::from_raw) else { return };
    // A process of another user counts as existing.
    let gone = move || test_kill_process(pid) == Err(rustix::io::Errno::SRCH);
    if gone() {
        tracing::debug!("there is no process {process} here, so its end is not watched");
        return;
    }
    let work = move || {
        while !gone() {
            std::thread::sleep(INTERVAL);
        }
        tracing::info!("the process {process}, which started the server, has ended");
        end();
    };
    if let Err(error) = std::thread::Builder::new().name("parent".into()).spawn(work) {
        tracing::warn!("the process {process} is not watched: {error}");
    }
}

/// On other systems only the end of the input ends the server.
#[cfg(not(unix))]
pub fn watch(_: i64, _: impl FnOnce() + Send + 'static) {}
