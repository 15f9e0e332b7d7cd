//! Runs a program that may hang, print endlessly or fail. Its time and output are limited, and it leaves no processes or files
//! behind.

#[cfg(windows)]
use super::job::Lifeline;
#[cfg(unix)]
use super::supervisor::Lifeline;
use ptx_gate::words::visible_lines;
use std::borrow::Cow;
use std::collections::HashMap;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Interval of polling for cancellation, and for the end of a program that closed its output.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// Time to read the remaining output of a program that has ended. Processes that it left may keep its pipe open; their output
/// is ignored.
const DRAIN_TIMEOUT: Duration = Duration::from_millis(200);

/// Time that the end of this process waits for a temporary folder to be removed.
pub const CLEANUP_TIMEOUT: Duration = Duration::from_millis(250);

/// The reason why a program gave no output.
#[derive(Debug)]
pub enum RunFailure {
    /// The program could not be started.
    Start(std::io::Error),
    /// The time limit was exceeded.
    Late,
    /// The output limit was exceeded.
    Flood,
    /// The run was cancelled.
    Cancelled,
}

/// The limits of a run.
#[derive(Debug, Clone, Copy)]
pub struct RunLimits {
    /// Time limit.
    pub time: Duration,
    /// Maximum size of the output in bytes.
    pub output: usize,
}

/// Runs programs, and can end them all at once and permanently.
#[derive(Debug, Default)]
pub struct Runner {
    state: Mutex<RunnerState>,
    idle: Condvar,
}

#[derive(Debug, Default)]
struct RunnerState {
    /// The running programs, by the number of their run.
    children: HashMap<u64, RunningProgram>,
    /// Number of the next run.
    next: u64,
    /// Number of runs and clean-ups in progress.
    busy: usize,
    ended: bool,
}

/// Guard of a run and its clean-up: [`Runner::end`] waits until it is dropped.
#[derive(Debug)]
pub struct Busy<'a>(&'a Runner);

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.0.lock().busy -= 1;
        self.0.idle.notify_all();
    }
}

impl Runner {
    /// Returns a guard to keep until everything is cleaned up.
    pub fn busy(&self) -> Busy<'_> {
        self.lock().busy += 1;
        Busy(self)
    }

    /// Kills the running programs, prevents new runs, and waits up to `patience` for the clean-up.
    pub fn end(&self, patience: Duration) {
        let mut state = self.lock();
        state.ended = true;
        state.children.values_mut().for_each(RunningProgram::kill);
        let _ = self.idle.wait_timeout_while(state, patience, |s| s.busy > 0);
    }

    /// Ends the running programs when a signal ends this process: each is in its own process group and does not get the
    /// signal. To be called once.
    ///
    /// # Errors
    /// If the signal handlers cannot be installed.
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

    /// Ends the running programs at Ctrl+C, and when the console is closed: they have none, so they are not told. To be called once.
    ///
    /// # Errors
    /// If the handler cannot be installed.
    #[cfg(windows)]
    pub fn end_with_signals(self: &Arc<Self>) -> std::io::Result<()> {
        let runner = Arc::clone(self);
        crate::windows::before_interruption(move || runner.end(CLEANUP_TIMEOUT))
    }

    /// Does nothing: there are no processes.
    ///
    /// # Errors
    /// None.
    #[cfg(not(any(unix, windows)))]
    pub fn end_with_signals(self: &Arc<Self>) -> std::io::Result<()> {
        Ok(())
    }

    /// Runs a program without input in a folder, and returns its output of both streams together.
    ///
    /// `stop` is called about a hundred times a second; `true` cancels the run.
    ///
    /// # Errors
    /// If the program had to be stopped, or did not start. It is dead then, with all processes that it started.
    pub fn run(
        &self,
        command: Command,
        folder: &Path,
        bounds: RunLimits,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<(ExitStatus, String), RunFailure> {
        let deadline = Instant::now() + bounds.time;
        let (reader, writer) = std::io::pipe().map_err(RunFailure::Start)?;
        let copy = writer.try_clone().map_err(RunFailure::Start)?;
        let (mut command, lifeline) = Lifeline::attach(command).map_err(RunFailure::Start)?;
        command.current_dir(folder).stdout(copy).stderr(writer);
        // The program's temporary files go to the folder, which is removed. The last two names are those of Windows.
        for name in ["TMPDIR", "TMP", "TEMP"] {
            command.env(name, folder);
        }
        alone(&mut command);
        let running = {
            let mut state = self.lock();
            if state.ended {
                return Err(RunFailure::Cancelled);
            }
            let mut child = command.spawn().map_err(RunFailure::Start)?;
            if let Err(error) = lifeline.bound(&child, bounds.time) {
                kill(&mut child);
                return Err(RunFailure::Start(error));
            }
            let number = state.next;
            state.next += 1;
            state.children.insert(number, RunningProgram { child, lifeline: lifeline.clone() });
            RunGuard { runner: self, number }
        };
        // The pipe ends when its last writer is closed.
        drop(command);
        lifeline.start().map_err(
            |error| {
                if self.lock().ended { RunFailure::Cancelled } else { RunFailure::Start(error) }
            },
        )?;
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
            match if open { end.recv_timeout(POLL_INTERVAL) } else { Err(RecvTimeoutError::Timeout) } {
                Ok(OutputEnd::Flood) => return Err(RunFailure::Flood),
                Ok(OutputEnd::Done) | Err(RecvTimeoutError::Disconnected) => open = false,
                Err(RecvTimeoutError::Timeout) if !open => std::thread::sleep(Duration::from_millis(1)),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if !running.has_ended()? {
                continue;
            }
            let since = *since.get_or_insert_with(Instant::now);
            if open && since.elapsed() < DRAIN_TIMEOUT {
                continue;
            }
            let status = running.reap()?;
            let bytes = std::mem::take(&mut *printed.lock().unwrap_or_else(PoisonError::into_inner));
            return Ok((status, readable(&bytes)));
        }
    }

    fn lock(&self) -> MutexGuard<'_, RunnerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A program that was started.
#[derive(Debug)]
struct RunningProgram {
    /// The program, or its supervisor.
    child: Child,
    lifeline: Lifeline,
}

impl RunningProgram {
    /// Kills the program with all processes that it has started.
    fn kill(&mut self) {
        if !self.lifeline.cut() {
            kill(&mut self.child);
        }
    }
}

/// What a program printed, as text. It quotes names and strings of the module, whose characters must not act on whoever reads them.
fn readable(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n");
    match visible_lines(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(shown) => shown,
    }
}

/// A running program; dropping the guard ends it.
struct RunGuard<'a> {
    runner: &'a Runner,
    number: u64,
}

impl RunGuard<'_> {
    /// Whether the program has ended. The program is not reaped yet, so its process number, which is also that of its group,
    /// cannot be reused.
    fn has_ended(&self) -> Result<bool, RunFailure> {
        let mut state = self.runner.lock();
        if state.ended {
            return Err(RunFailure::Cancelled);
        }
        let program = state.children.get_mut(&self.number);
        program.map_or(Ok(true), |program| has_ended(&mut program.child).map_err(RunFailure::Start))
    }

    /// Returns the status of a program that has ended, and kills the processes that it left.
    fn reap(&self) -> Result<ExitStatus, RunFailure> {
        let program = self.runner.lock().children.remove(&self.number);
        let mut program = program.ok_or(RunFailure::Cancelled)?;
        program.kill();
        program.child.wait().map_err(RunFailure::Start)
    }
}

impl Drop for RunGuard<'_> {
    fn drop(&mut self) {
        let mut state = self.runner.lock();
        if let Some(mut program) = state.children.remove(&self.number) {
            program.kill();
            let _ = program.child.wait();
        }
    }
}

enum OutputEnd {
    Done,
    Flood,
}

/// Collects the output on a separate thread, because a pipe cannot be polled for data.
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

/// Puts the program in its own process group, so that it can be killed with all processes that it starts.
#[cfg(unix)]
fn alone(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

#[cfg(not(unix))]
fn alone(_: &mut Command) {}

/// A system without processes: nothing starts there.
#[cfg(not(any(unix, windows)))]
#[derive(Debug, Clone)]
struct Lifeline;

#[cfg(not(any(unix, windows)))]
impl Lifeline {
    fn attach(program: Command) -> std::io::Result<(Command, Self)> {
        Ok((program, Self))
    }

    fn bound(&self, _: &Child, _: Duration) -> std::io::Result<()> {
        Ok(())
    }

    fn start(&self) -> std::io::Result<()> {
        Ok(())
    }

    fn cut(&self) -> bool {
        false
    }
}

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
#[cfg(any(unix, windows))]
mod tests;
