//! Runs a program that may hang, flood or fail: its time and output are limited, and it leaves no processes or files behind.

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The interval at which cancellation is polled, and the end of a program that closed its output.
const TICK: Duration = Duration::from_millis(10);

/// No file that is written grows beyond this.
#[cfg(target_os = "linux")]
const FILE: u64 = 4 << 30;

/// A program that has ended may have left others that hold its pipe; what they still say is of no interest.
const LINGER: Duration = Duration::from_millis(200);

/// How long the end of this process waits for a temporary folder to be removed.
pub const CLEANUP_TIMEOUT: Duration = Duration::from_millis(250);

/// The reason why a program gave no output.
#[derive(Debug)]
pub enum RunFailure {
    /// It could not be started.
    Start(std::io::Error),
    /// It took too long.
    Late,
    /// It said too much.
    Flood,
    /// Cancelled.
    Cancelled,
}

/// The limits of a run.
#[derive(Debug, Clone, Copy)]
pub struct RunLimits {
    /// How long it may run.
    pub time: Duration,
    /// How many bytes it may print.
    pub output: usize,
}

/// Runs one program at a time, and can be told to end at once and for good.
#[derive(Debug, Default)]
pub struct Runner {
    state: Mutex<RunnerState>,
    idle: Condvar,
}

#[derive(Debug, Default)]
struct RunnerState {
    child: Option<Child>,
    /// A run or its clean-up is under way.
    busy: usize,
    ended: bool,
}

/// Held while something is run and cleaned up: [`Runner::end`] waits for that.
#[derive(Debug)]
pub struct Busy<'a>(&'a Runner);

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.0.lock().busy -= 1;
        self.0.idle.notify_all();
    }
}

impl Runner {
    /// To be held for as long as there is something to clean up.
    pub fn busy(&self) -> Busy<'_> {
        self.lock().busy += 1;
        Busy(self)
    }

    /// Kills what runs, lets nothing start any more, and waits a while until all is cleaned up.
    pub fn end(&self, patience: Duration) {
        let mut state = self.lock();
        state.ended = true;
        if let Some(child) = &mut state.child {
            kill(child);
        }
        let _ = self.idle.wait_timeout_while(state, patience, |s| s.busy > 0);
    }

    /// Has what runs end when a signal ends this process: in a group of its own it would not hear of that. To be called once.
    ///
    /// # Errors
    /// If signals cannot be waited for.
    #[cfg(unix)]
    pub fn end_with_signals(self: &Arc<Self>) -> std::io::Result<()> {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
        let mut signals = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGTERM])?;
        let runner = Arc::clone(self);
        std::thread::Builder::new().name("signals".into()).spawn(move || {
            for signal in signals.forever() {
                runner.end(CLEANUP_TIMEOUT);
                let _ = signal_hook::low_level::emulate_default_handler(signal);
            }
        })?;
        Ok(())
    }

    /// Elsewhere there are no such signals.
    ///
    /// # Errors
    /// None.
    #[cfg(not(unix))]
    pub fn end_with_signals(self: &Arc<Self>) -> std::io::Result<()> {
        Ok(())
    }

    /// Runs a program with no input in a folder, and gives what it prints, to whichever of its two outputs.
    ///
    /// `stop` is asked about a hundred times a second.
    ///
    /// # Errors
    /// If it had to be stopped, or did not start. It is dead then, with all that it started.
    pub fn run(
        &self,
        mut command: Command,
        folder: &Path,
        bounds: RunLimits,
        stop: &mut (dyn FnMut() -> bool + Send),
    ) -> Result<(ExitStatus, String), RunFailure> {
        let deadline = Instant::now() + bounds.time;
        let (reader, writer) = std::io::pipe().map_err(RunFailure::Start)?;
        let copy = writer.try_clone().map_err(RunFailure::Start)?;
        command.current_dir(folder).stdin(Stdio::null()).stdout(copy).stderr(writer);
        // Temporary files of its own go where they are removed.
        command.env("TMPDIR", folder);
        alone(&mut command);
        {
            let mut state = self.lock();
            if state.ended {
                return Err(RunFailure::Cancelled);
            }
            let child = command.spawn().map_err(RunFailure::Start)?;
            bound(&child, bounds.time);
            state.child = Some(child);
        }
        // The pipe ends when its last writer is gone.
        drop(command);
        let running = RunGuard(self);
        let printed = Arc::new(Mutex::new(Vec::new()));
        let end = read(reader, bounds.output, Arc::clone(&printed)).map_err(RunFailure::Start)?;
        let mut open = true;
        let mut since = None;
        loop {
            if stop() {
                return Err(RunFailure::Cancelled);
            }
            if Instant::now() >= deadline {
                return Err(RunFailure::Late);
            }
            match if open { end.recv_timeout(TICK) } else { Err(RecvTimeoutError::Timeout) } {
                Ok(OutputEnd::Flood) => return Err(RunFailure::Flood),
                Ok(OutputEnd::Done) | Err(RecvTimeoutError::Disconnected) => open = false,
                Err(RecvTimeoutError::Timeout) if !open => std::thread::sleep(Duration::from_millis(1)),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if !self.has_ended()? {
                continue;
            }
            let since = *since.get_or_insert_with(Instant::now);
            if open && since.elapsed() < LINGER {
                continue;
            }
            let status = running.reap()?;
            let bytes = std::mem::take(&mut *printed.lock().unwrap_or_else(PoisonError::into_inner));
            return Ok((status, String::from_utf8_lossy(&bytes).into_owned()));
        }
    }

    fn lock(&self) -> MutexGuard<'_, RunnerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the program has ended. It is not forgotten yet: its number, which is that of its group, cannot become another's.
    fn has_ended(&self) -> Result<bool, RunFailure> {
        let mut state = self.lock();
        if state.ended {
            return Err(RunFailure::Cancelled);
        }
        state.child.as_mut().map_or(Ok(true), |child| has_ended(child).map_err(RunFailure::Start))
    }
}

/// A running program; dropping the guard ends it.
struct RunGuard<'a>(&'a Runner);

impl RunGuard<'_> {
    /// The status of a program that has ended; what it has left behind ends too.
    fn reap(&self) -> Result<ExitStatus, RunFailure> {
        let child = self.0.lock().child.take();
        let mut child = child.ok_or(RunFailure::Cancelled)?;
        kill(&mut child);
        child.wait().map_err(RunFailure::Start)
    }
}

impl Drop for RunGuard<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        if let Some(mut child) = state.child.take() {
            kill(&mut child);
            let _ = child.wait();
        }
    }
}

enum OutputEnd {
    Done,
    Flood,
}

/// Collects what is printed, on a thread of its own: a pipe cannot be asked whether there is something in it.
fn read(
    mut reader: std::io::PipeReader,
    most: usize,
    into: Arc<Mutex<Vec<u8>>>,
) -> std::io::Result<mpsc::Receiver<OutputEnd>> {
    let (sender, receiver) = mpsc::channel();
    std::thread::Builder::new().name("assembler".into()).spawn(move || {
        let mut buffer = vec![0; 1 << 16];
        loop {
            let end = match reader.read(&mut buffer) {
                Ok(0) | Err(_) => OutputEnd::Done,
                Ok(n) => {
                    let mut printed = into.lock().unwrap_or_else(PoisonError::into_inner);
                    printed.extend_from_slice(&buffer[..n]);
                    if printed.len() <= most {
                        continue;
                    }
                    OutputEnd::Flood
                }
            };
            // The receiver may be gone.
            let _ = sender.send(end);
            return;
        }
    })?;
    Ok(receiver)
}

/// A group of its own, so that it can be killed with all that it starts.
#[cfg(unix)]
fn alone(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

#[cfg(not(unix))]
fn alone(_: &mut Command) {}

/// Bounds that the system enforces, also after this process has ended: processor time, all processors together, and the size of a file.
#[cfg(target_os = "linux")]
fn bound(child: &Child, time: Duration) {
    use rustix::process::{Pid, Resource, Rlimit, prlimit};
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get) as u64;
    let seconds = time.as_secs().saturating_add(1).saturating_mul(processors);
    for (resource, most) in [(Resource::Cpu, seconds), (Resource::Fsize, FILE)] {
        let limit = Rlimit { current: Some(most), maximum: Some(most) };
        if let Err(error) = prlimit(Some(Pid::from_child(child)), resource, limit) {
            tracing::debug!("no limit for a program: {error}");
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn bound(_: &Child, _: Duration) {}

#[cfg(unix)]
fn kill(child: &mut Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    if kill_process_group(Pid::from_child(child), Signal::KILL).is_err() {
        let _ = child.kill();
    }
}

#[cfg(not(unix))]
fn kill(child: &mut Child) {
    let _ = child.kill();
}

#[cfg(unix)]
fn has_ended(child: &mut Child) -> std::io::Result<bool> {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    Ok(waitid(WaitId::Pid(Pid::from_child(child)), options)?.is_some())
}

#[cfg(not(unix))]
fn has_ended(child: &mut Child) -> std::io::Result<bool> {
    child.try_wait().map(|status| status.is_some())
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    fn sh(script: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        command
    }

    fn run(script: &str, seconds: u64, output: usize) -> Result<(ExitStatus, String), RunFailure> {
        let folder = tempfile::tempdir().unwrap();
        let bounds = RunLimits { time: Duration::from_secs(seconds), output };
        Runner::default().run(sh(script), folder.path(), bounds, &mut || false)
    }

    #[test]
    fn both_outputs_and_the_status() {
        let (status, printed) = run("echo one; echo two >&2; exit 3", 20, 100).unwrap();
        assert_eq!((status.code(), printed.as_str()), (Some(3), "one\ntwo\n"));
    }

    #[test]
    fn what_hangs_or_floods_is_killed() {
        let begin = Instant::now();
        assert!(matches!(run("sleep 100", 1, 100), Err(RunFailure::Late)));
        assert!(matches!(run("while :; do echo flood; done", 100, 1000), Err(RunFailure::Flood)));
        // Closed outputs are no end.
        assert!(matches!(run("exec >&- 2>&-; sleep 100", 1, 100), Err(RunFailure::Late)));
        assert!(begin.elapsed() < Duration::from_secs(50));
    }

    /// The number that a script has written, and whether that process still runs.
    fn lives(path: &Path) -> bool {
        let number = std::fs::read_to_string(path).unwrap();
        let state = std::fs::read_to_string(format!("/proc/{}/stat", number.trim())).unwrap_or_default();
        // The process may not have been reaped yet.
        !state.is_empty() && !state.contains(") Z")
    }

    fn dies(path: &Path) {
        let begin = Instant::now();
        while lives(path) {
            assert!(begin.elapsed() < Duration::from_secs(20), "it still runs");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn what_it_started_dies_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let number = folder.path().join("number");
        let bounds = RunLimits { time: Duration::from_secs(100), output: 100 };
        // One that is stopped …
        let script = "sleep 100 & echo $! >number; wait";
        let mut stop = || std::fs::read_to_string(&number).is_ok_and(|n| n.ends_with('\n'));
        let stopped = Runner::default().run(sh(script), folder.path(), bounds, &mut stop);
        assert!(matches!(stopped, Err(RunFailure::Cancelled)));
        dies(&number);
        // … and one that leaves another behind, which holds the pipe.
        let script = "sleep 100 & echo $! >number; echo done";
        let (_, printed) = Runner::default().run(sh(script), folder.path(), bounds, &mut || false).unwrap();
        assert_eq!(printed, "done\n");
        dies(&number);
    }

    #[test]
    fn the_end_is_for_good() {
        let folder = tempfile::tempdir().unwrap();
        let runner = Runner::default();
        let bounds = RunLimits { time: Duration::from_secs(100), output: 100 };
        let begin = Instant::now();
        std::thread::scope(|scope| {
            let (runner, folder) = (&runner, folder.path());
            let running = scope.spawn(move || {
                let _busy = runner.busy();
                runner.run(sh("sleep 100"), folder, bounds, &mut || false)
            });
            while runner.lock().child.is_none() {
                std::thread::sleep(Duration::from_millis(1));
            }
            runner.end(Duration::from_secs(20));
            assert!(runner.lock().busy == 0 && runner.lock().child.is_none());
            assert!(matches!(running.join().unwrap(), Err(RunFailure::Cancelled)));
        });
        assert!(matches!(runner.run(sh(":"), folder.path(), bounds, &mut || false), Err(RunFailure::Cancelled)));
        assert!(begin.elapsed() < Duration::from_secs(50));
    }
}
