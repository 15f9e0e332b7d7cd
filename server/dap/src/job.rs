//! A job as data: loading, running or stepping in the background. It knows no session; `jobs` starts and ends them.

use super::launching::Debuggee;
use super::search::{Control, SearchOutcome};
use super::stepping::{Granularity, StepKind};
use super::wire::RequestFailure;
use ptx_interp::machine::{Machine, WarpId};
use std::sync::Arc;
use std::time::Instant;

/// A job that runs in the background.
pub struct DebugJob {
    /// Its number.
    pub number: i64,
    /// The way to stop it, and its progress.
    pub control: Arc<Control>,
    /// When it began.
    pub began: Instant,
    /// Its name for the user.
    pub title: String,
    /// The id of its progress, if the client shows one.
    pub progress: Option<String>,
    /// Number and command of the request to answer when the job is done.
    pub request: Option<(i64, String)>,
    /// True if breakpoints have changed: the job must continue with the new ones.
    pub again: bool,
    /// Its kind.
    pub work: JobKind,
}

/// The kind of a job.
#[derive(Debug, Clone, Copy)]
pub enum JobKind {
    /// Loads the program.
    Load,
    /// Moves through the execution.
    Move(MoveOrder),
}

/// The destination of a move through the execution.
#[derive(Debug, Clone, Copy)]
pub enum MoveOrder {
    /// To the first instruction of a warp, before it is executed.
    Entry(WarpId),
    /// Forwards from the current time; true if the instruction at that time itself counts.
    Forward(bool),
    /// Backwards.
    Backward,
    /// By a step of a warp.
    Step(WarpId, StepKind, Granularity),
}

/// The result of a job, with the number of the job.
pub struct JobOutcome {
    /// The number.
    pub number: i64,
    /// The result.
    pub result: JobResult,
}

/// The result of a job.
pub enum JobResult {
    /// The program is loaded.
    Loaded(Box<Debuggee>),
    /// There is nothing to run.
    Refused(RequestFailure),
    /// Where the move has stopped, and the machine there.
    Moved(SearchOutcome, Option<Box<Machine>>),
    /// The job has panicked.
    Failed,
}
