//! Ends the process, whatever its threads do.

use std::time::Duration;

/// The time after which `force` ends the process. The rest of a second is left for cleaning up.
const END_TIMEOUT: Duration = Duration::from_millis(650);

/// Ends the process after `END_TIMEOUT`, unless it ends by itself before: the thread that should end it may be busy with
/// messages that the client sent before it left. `last` cleans up, in a moment at most, and returns the exit status.
pub fn force(last: impl FnOnce() -> i32 + Send + 'static) {
    let work = move || {
        std::thread::sleep(END_TIMEOUT);
        let status = last();
        std::process::exit(status);
    };
    if let Err(error) = std::thread::Builder::new().name("end".into()).spawn(work) {
        tracing::error!("a thread cannot be started: {error}");
    }
}
