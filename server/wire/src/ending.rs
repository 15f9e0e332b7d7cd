//! The end of the process, whatever its threads do.

use std::time::Duration;

/// After so long a process that is to end does. What is left of a second is for cleaning up.
const END_TIMEOUT: Duration = Duration::from_millis(650);

/// Ends the process soon, unless it ends by itself before: the one that should end it may be busy with what the client sent before it left.
/// `last` cleans up, in a moment at most, and gives the exit status.
pub fn force(last: impl FnOnce() -> i32 + Send + 'static) {
    let work = move || {
        std::thread::sleep(END_TIMEOUT);
        let status = last();
        std::process::exit(status);
    };
    if let Err(error) = std::thread::Builder::new().name("end".into()).spawn(work) {
        tracing::error!("there can be no thread: {error}");
    }
}
