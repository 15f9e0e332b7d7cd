//! The state of a debug session. It answers no request; `dispatch` says who does.
//!
//! One thread owns the session and answers requests in their order; it does nothing that may take long. Running,
//! stepping and loading are *jobs*: each has its own thread, which returns its result through the same queue that
//! delivers requests.

use super::arguments::{Initialize, LaunchArguments};
use super::breakpoints::ClientBreakpoints;
use super::handles::Handles;
use super::history::RunHistory;
use super::job::{DebugJob, JobOutcome};
use super::launching::Debuggee;
use super::search::SearchStop;
use super::threads;
use super::wire::{ClientConnection, DapMessage, RequestFailure};
use ptx_interp::machine::{Machine, WarpId};
use serde_json::json;
use std::sync::Arc;
use std::sync::mpsc::Sender;

/// An event that the session handles.
pub enum SessionEvent {
    /// A message of the client.
    Message(DapMessage),
    /// The client has closed its stream.
    Gone,
    /// A job is done.
    Done(Box<JobOutcome>),
}

/// The position of the session.
#[derive(Clone)]
pub struct Now {
    /// Index of the leg of the history.
    pub leg: usize,
    /// The machine; its time is the time of the session.
    pub machine: Arc<Machine>,
    /// The warp in focus.
    pub focus: WarpId,
    /// The last stop, with its reason.
    pub stop: SearchStop,
}

/// The phase of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionPhase {
    /// No program is loaded.
    New,
    /// A program is loaded, and the client sets its breakpoints.
    Configuring,
    /// The session is stopped, or a job moves it.
    Going,
    /// It has ended.
    Ended,
}

/// A debug session.
pub struct DebugSession {
    /// The connection to the client.
    pub client: ClientConnection,
    /// The capabilities of the client.
    pub facts: Initialize,
    /// The phase.
    pub phase: SessionPhase,
    /// The arguments of the launch.
    pub launched: LaunchArguments,
    /// The loaded program.
    pub debuggee: Option<Arc<Debuggee>>,
    /// The recorded runs.
    pub history: Option<RunHistory>,
    /// The current position.
    pub now: Option<Now>,
    /// Breakpoints as the client has set them.
    pub configured: ClientBreakpoints,
    /// The numbers of frames and containers that the client knows.
    pub handles: Handles,
    /// The job in progress.
    pub job: Option<DebugJob>,
    /// The lane in focus; `None` for all lanes.
    pub lane: Option<usize>,
    /// Number of bytes of kernel output that the client has received.
    pub printed: usize,
    /// The sender that jobs use to return their results.
    pub sender: Sender<SessionEvent>,
    /// The last number given to a breakpoint, a job or a progress.
    numbers: i64,
    /// Whether the client has ended the session.
    pub over: bool,
}

impl DebugSession {
    /// A new session.
    pub fn new(client: ClientConnection, sender: Sender<SessionEvent>) -> Self {
        Self {
            client,
            facts: Initialize::default(),
            phase: SessionPhase::New,
            launched: LaunchArguments::default(),
            debuggee: None,
            history: None,
            now: None,
            configured: ClientBreakpoints::default(),
            handles: Handles::default(),
            job: None,
            lane: None,
            printed: 0,
            sender,
            numbers: 0,
            over: false,
        }
    }

    /// A new number.
    pub fn number(&mut self) -> i64 {
        self.numbers += 1;
        self.numbers
    }

    /// The program and the current position; a refusal while a job runs.
    pub fn stopped(&self) -> Result<(Arc<Debuggee>, Now), RequestFailure> {
        if self.job.is_some() {
            return Err(RequestFailure::not_stopped());
        }
        match (&self.debuggee, &self.now, self.phase) {
            (Some(debuggee), Some(now), SessionPhase::Going) => Ok((Arc::clone(debuggee), now.clone())),
            (_, _, SessionPhase::Ended) => Err(RequestFailure::new("the kernel has ended")),
            _ => Err(RequestFailure::new("no kernel has been started")),
        }
    }

    /// The warp of a thread number, or the warp in focus without one.
    pub fn target(&self, now: &Now, thread: Option<i64>) -> Result<WarpId, RequestFailure> {
        let Some(id) = thread else { return Ok(now.focus) };
        threads::target(&now.machine.shape, id).ok_or_else(|| RequestFailure::new(format!("there is no warp {id}")))
    }

    /// A line in the client's numbering.
    pub fn outgoing_line(&self, line: usize) -> i64 {
        line as i64 - i64::from(!self.facts.lines_start_at1)
    }

    /// A column in the client's numbering.
    pub fn outgoing_column(&self, column: usize) -> i64 {
        column as i64 - i64::from(!self.facts.columns_start_at1)
    }

    /// Converts a line of the client to a line from 1.
    pub fn incoming_line(&self, line: i64) -> usize {
        usize::try_from(line.saturating_add(i64::from(!self.facts.lines_start_at1))).unwrap_or(0).max(1)
    }

    /// Asks the client to request these areas again because they have changed.
    pub fn invalidate(&self, areas: &[&str]) {
        if self.facts.supports_invalidated_event {
            self.client.event("invalidated", json!({ "areas": areas }));
        }
    }
}
