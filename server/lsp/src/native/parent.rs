//! Watches for the end of the process that started the server.
//!
//! Usually the end of that process closes the input, and the server ends. But another process may have inherited the pipe and
//! keep it open. In the protocol the client therefore names its process (`processId`), and a thread waits for its end.

/// Calls `end` when a process has ended. If no process has that number at first, the number belongs to another system: the
/// client runs outside of the server's container. Then nothing is watched.
pub fn watch(process: i64, end: impl FnOnce() + Send + 'static) {
    let Some(found) = WatchedProcess::find(process) else {
        tracing::debug!("there is no process {process} here, so its end is not watched");
        return;
    };
    let work = move || {
        if found.wait() {
            tracing::info!("the process {process}, which started the server, has ended");
            end();
        }
    };
    if let Err(error) = std::thread::Builder::new().name("parent".into()).spawn(work) {
        tracing::warn!("the process {process} is not watched: {error}");
    }
}

#[cfg(unix)]
struct WatchedProcess(rustix::process::Pid);

#[cfg(unix)]
impl WatchedProcess {
    /// Interval between two polls.
    const INTERVAL: std::time::Duration = std::time::Duration::from_secs(1);

    fn find(process: i64) -> Option<Self> {
        let number = i32::try_from(process).ok().filter(|number| *number > 0)?;
        let found = Self(rustix::process::Pid::from_raw(number)?);
        (!found.is_gone()).then_some(found)
    }

    /// A process of another user counts as existing.
    fn is_gone(&self) -> bool {
        rustix::process::test_kill_process(self.0) == Err(rustix::io::Errno::SRCH)
    }

    fn wait(&self) -> bool {
        while !self.is_gone() {
            std::thread::sleep(Self::INTERVAL);
        }
        true
    }
}

#[cfg(windows)]
struct WatchedProcess(crate::windows::Process);

#[cfg(windows)]
impl WatchedProcess {
    fn find(process: i64) -> Option<Self> {
        let number = u32::try_from(process).ok().filter(|number| *number > 0)?;
        crate::windows::Process::find(number).ok().map(Self)
    }

    fn wait(&self) -> bool {
        self.0.wait()
    }
}
