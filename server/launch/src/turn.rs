//! Large runs take turns, so that a process which runs many launches at a time holds no more memory than one of them may.

use ptx_launch_syntax::{Argument, BufferContents, Launch};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Size in bytes from which a run is large.
pub(crate) const LARGE: u64 = 256 << 20;

/// Time between two looks whether another large run has ended.
const INTERVAL: Duration = Duration::from_millis(5);

/// Whether a large run has its turn.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// The turn of a large run. It ends when this is dropped, with the memory of the run.
#[derive(Debug)]
pub(crate) struct LargeRun(());

impl LargeRun {
    /// Waits until no other large run has its turn. `None` if the caller cancels that.
    pub(crate) fn begin(cancelled: &dyn Fn() -> bool) -> Option<Self> {
        while TAKEN.swap(true, Ordering::Acquire) {
            if cancelled() {
                return None;
            }
            std::thread::sleep(INTERVAL);
        }
        Some(Self(()))
    }
}

impl Drop for LargeRun {
    fn drop(&mut self) {
        TAKEN.store(false, Ordering::Release);
    }
}

/// Whether the buffers of a launch make its run a large one from the beginning. The size of a file is not known yet.
pub(crate) fn begins_large(launch: &Launch) -> bool {
    let given = launch.parameters.iter().chain(&launch.globals).chain(&launch.buffers);
    let mut sizes = given.map(|given| match &given.argument {
        Argument::Buffer(buffer) if matches!(buffer.contents, BufferContents::File(_)) => LARGE,
        Argument::Buffer(buffer) => buffer.bytes().unwrap_or(LARGE),
        Argument::Table(table) if table.iter().any(|(key, _)| key == "file" || key == "size") => LARGE / 4,
        _ => 0,
    });
    sizes.try_fold(0u64, |all, size| Some(all.saturating_add(size)).filter(|all| *all < LARGE)).is_none()
}

#[cfg(test)]
mod tests {
    use super::LargeRun;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn one_large_run_at_a_time() {
        let (running, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let turn = LargeRun::begin(&|| false);
                    most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    std::thread::sleep(std::time::Duration::from_millis(3));
                    running.fetch_sub(1, Ordering::SeqCst);
                    drop(turn);
                });
            }
        });
        assert_eq!(most.into_inner(), 1);
        let turn = LargeRun::begin(&|| false);
        assert!(turn.is_some() && LargeRun::begin(&|| true).is_none());
    }
}
