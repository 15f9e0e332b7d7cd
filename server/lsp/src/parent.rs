//! The end of the process that started the server.
//!
//! Usually its end closes the input, and the server ends. Another process may have inherited the pipe and keep it open, so the
//! protocol has the client name the process (`processId`), and the server looks whether it still lives.

#[cfg(unix)]
use std::time::Duration;

/// How often.
#[cfg(unix)]
const INTERVAL: Duration = Duration::from_secs(1);

/// Calls `end` when a process has gone. A number that names no process to begin with belongs to another system: the client
/// runs outside of the container that the server runs in.
#[cfg(unix)]
pub fn watch(process: i64, end: impl FnOnce() + Send + 'static) {
    use rustix::process::{Pid, test_kill_process};
    let Some(pid) = i32::try_from(process).ok().filter(|p| *p > 0).and_then(Pid::from_raw) else { return };
    // A process of another user is there, too.
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

/// Elsewhere the end of the input has to do.
#[cfg(not(unix))]
pub fn watch(_: i64, _: impl FnOnce() + Send + 'static) {}
