//! What keeps a program and all that it starts in the hands of the server on Windows: a job object.
//!
//! The server holds the only handle. Windows closes it with the server, in whatever way that ends, and then ends all processes of the job:
//! no second process has to watch, as it does on [other systems](super). A process that the program starts before it belongs to the job, in
//! the first microseconds, would be free; assemblers start none.

use crate::windows::Job;
use std::io;
use std::os::windows::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

/// The program gets no console window: the server of an editor has none that it could share.
const CREATE_NO_WINDOW: u32 = 0x0800_0000;

/// The server's hold on a program.
#[derive(Debug, Clone)]
pub struct Lifeline(Arc<Job>);

impl Lifeline {
    /// Returns the command that runs a program in a job. Its standard input is taken.
    ///
    /// # Errors
    /// If Windows gives no job.
    pub fn attach(mut program: Command) -> io::Result<(Command, Self)> {
        program.stdin(Stdio::null()).creation_flags(CREATE_NO_WINDOW);
        Ok((program, Self(Arc::new(Job::new()?))))
    }

    /// Takes a process that was just started into the job. Its time is watched by the server alone.
    ///
    /// # Errors
    /// If Windows refuses.
    pub fn bound(&self, process: &Child, _: Duration) -> io::Result<()> {
        self.0.take(process)
    }

    /// The program has started already.
    ///
    /// # Errors
    /// None.
    pub fn start(&self) -> io::Result<()> {
        Ok(())
    }

    /// Ends the program and all that it has started. Returns whether that was done.
    pub fn cut(&self) -> bool {
        self.0.end().is_ok()
    }
}
