//! A process between the server and a program that it runs. It ends the program, and all that the program has started, when the server ends
//! in whatever way: a process that is killed (SIGKILL) can clean up nothing.
//!
//! It is this executable again, started with [`ARGUMENT`]. Its standard input is one end of a pair of sockets. The server holds the other
//! end, which the system closes with the server. They carry, in this order: a byte from the server, when the limits of the process are set;
//! four bytes from the supervisor, the number of the error if the program cannot be started; and then the end.

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// The first argument of a supervisor. The program and its arguments follow.
const ARGUMENT: &str = "supervise-program";

/// Time limit for a supervisor to start the program.
const TIMEOUT: Duration = Duration::from_secs(20);

/// Maximum size in bytes of a file that the program writes.
#[cfg(target_os = "linux")]
const MAX_FILE: u64 = 4 << 30;

/// The executable that understands [`ARGUMENT`]; empty if this process is another program.
static EXECUTABLE: OnceLock<OsString> = OnceLock::new();

/// Supervises a program, if the arguments of this process ask for that. Otherwise programs are supervised by this executable from now on.
///
/// To be called first in `main`.
pub fn supervise_or_enable() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_some_and(|first| first == ARGUMENT) {
        return Some(supervise(arguments).unwrap_or(ExitCode::FAILURE));
    }
    if let Ok(path) = std::env::current_exe() {
        // The name in `/proc` leads to this executable even if another one has replaced it on the disk.
        let own = if cfg!(target_os = "linux") { "/proc/self/exe".into() } else { path.into_os_string() };
        let _ = EXECUTABLE.set(own);
    }
    None
}

/// Runs the program that the arguments name. Returns its exit status, or `None` if nothing was run.
fn supervise(mut arguments: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    let program = arguments.next()?;
    let input: OwnedFd = io::stdin().as_fd().try_clone_to_owned().ok()?;
    let mut server = UnixStream::from(input);
    server.read_exact(&mut [0]).ok()?;
    // A group of its own, so that it can be ended with all processes that it starts.
    let started = Command::new(program).args(arguments).stdin(Stdio::null()).process_group(0).spawn();
    let error = started.as_ref().err().map_or(0, |error| error.raw_os_error().unwrap_or(-1));
    server.write_all(&error.to_le_bytes()).ok()?;
    let mut child = started.ok()?;
    let group = Pid::from_child(&child);
    // The number of the group is nobody else's until the program has been reaped.
    let running = Arc::new(Mutex::new(true));
    let end = move |running: &Mutex<bool>| {
        if *running.lock().unwrap_or_else(PoisonError::into_inner) {
            let _ = kill_process_group(group, Signal::KILL);
        }
    };
    let watched = Arc::clone(&running);
    let watch = move || {
        // The server sends nothing more.
        let _ = server.read(&mut [0]);
        end(&watched);
    };
    if std::thread::Builder::new().name("server".into()).spawn(watch).is_err() {
        end(&running);
    }
    let _ = waitid(WaitId::Pid(group), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
    // What the program has left.
    end(&running);
    *running.lock().unwrap_or_else(PoisonError::into_inner) = false;
    child.wait().ok().map(end_like)
}

/// Ends as a program has ended.
fn end_like(status: ExitStatus) -> ExitCode {
    if let Some(signal) = status.signal() {
        let _ = signal_hook::low_level::emulate_default_handler(signal);
    }
    status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from)
}

/// The server's side of a supervised program; `None` if the program is not supervised.
#[derive(Debug, Clone)]
pub struct Lifeline(Option<Arc<UnixStream>>);

impl Lifeline {
    /// Returns the command that runs a program under supervision, as far as this executable can do that. Its standard input is taken.
    ///
    /// # Errors
    /// If the system has no sockets left.
    pub fn attach(mut program: Command) -> io::Result<(Command, Self)> {
        let Some(executable) = EXECUTABLE.get() else {
            program.stdin(Stdio::null());
            return Ok((program, Self(None)));
        };
        let (own, other) = UnixStream::pair()?;
        let mut supervisor = Command::new(executable);
        supervisor.arg(ARGUMENT).arg(program.get_program());
        let mut command = copy(&program, supervisor);
        command.stdin(OwnedFd::from(other));
        Ok((command, Self(Some(Arc::new(own)))))
    }

    /// Sets limits that the system enforces, and that processes hand on to those that they start: processor time (all processors together), and
    /// the size of a file.
    ///
    /// # Errors
    /// None: without limits the program is only watched by the server.
    pub fn bound(&self, process: &Child, time: Duration) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        {
            use rustix::process::{Resource, Rlimit, prlimit};
            let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get) as u64;
            let seconds = time.as_secs().saturating_add(1).saturating_mul(processors);
            for (resource, most) in [(Resource::Cpu, seconds), (Resource::Fsize, MAX_FILE)] {
                let limit = Rlimit { current: Some(most), maximum: Some(most) };
                if let Err(error) = prlimit(Some(Pid::from_child(process)), resource, limit) {
                    tracing::debug!("no limit for a program: {error}");
                }
            }
        }
        #[cfg(not(target_os = "linux"))]
        let _ = (process, time);
        Ok(())
    }

    /// Lets the program start, and waits until it has.
    ///
    /// # Errors
    /// If it does not start.
    pub fn start(&self) -> io::Result<()> {
        let Some(mut supervisor) = self.0.as_deref() else { return Ok(()) };
        supervisor.set_read_timeout(Some(TIMEOUT))?;
        supervisor.write_all(&[0])?;
        let mut error = [0; 4];
        supervisor.read_exact(&mut error)?;
        match i32::from_le_bytes(error) {
            0 => Ok(()),
            error => Err(io::Error::from_raw_os_error(error)),
        }
    }

    /// Ends the program. Returns whether it is supervised.
    pub fn cut(&self) -> bool {
        // A supervisor that has ended needs no message.
        self.0.as_ref().map(|supervisor| supervisor.shutdown(Shutdown::Both)).is_some()
    }
}

/// Adds the arguments and the environment of a command to another one.
fn copy(from: &Command, mut to: Command) -> Command {
    to.args(from.get_args());
    for (name, value) in from.get_envs() {
        match value {
            Some(value) => to.env(name, value),
            None => to.env_remove(name),
        };
    }
    to
}
