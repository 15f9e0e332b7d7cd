//! Why a run ended before its kernel did: limits of steps, of effort and of time.

use ptx_clock::Instant;
use ptx_interp::machine::RunStatus;
use ptx_interp::trace::{GridRun, RunningGrid};
use std::cell::Cell;
use std::time::Duration;

/// Time limit of a run that neither a setting nor an argument limits, where somebody waits for its answer.
pub const DEFAULT_SECONDS: u64 = 30;

/// Number of polls for each look at the clock. Between two polls a run executes up to 256 instructions.
const POLLS: u32 = 16;

/// Longer times are no limit: a hundred years.
const MAX_TIME: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

/// The limit that ended a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunLimit {
    /// It has executed as many warp instructions as it may.
    Steps,
    /// Its instructions have taken as much work as they may.
    Effort,
    /// It has taken as long as it may.
    Time(Duration),
}

impl RunLimit {
    /// Returns the name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Steps => "steps",
            Self::Effort => "effort",
            Self::Time(_) => "time",
        }
    }
}

/// The end of the time of a run.
#[derive(Default)]
struct Deadline {
    limit: Option<Duration>,
    /// Set when the run begins.
    end: Option<Instant>,
    is_over: Cell<bool>,
    polls: Cell<u32>,
}

impl Deadline {
    fn begin(&mut self, now: Instant) {
        if let (None, Some(limit)) = (self.end, self.limit) {
            // A time that no clock can hold never ends.
            self.end = if limit < MAX_TIME { Some(now + limit) } else { None };
        }
    }

    /// Whether the time is over. Looks at the clock now and then.
    fn is_over(&self) -> bool {
        let Some(end) = self.end else { return false };
        let polls = self.polls.get();
        self.polls.set(polls.wrapping_add(1));
        if polls.is_multiple_of(POLLS) && Instant::now() >= end {
            self.is_over.set(true);
        }
        self.is_over.get()
    }
}

/// A run with a time limit.
pub(crate) struct LimitedGrid {
    grid: RunningGrid,
    deadline: Deadline,
    /// Time that the run has taken, without pauses.
    time: Duration,
}

/// How a run with a time limit ended.
pub(crate) struct LimitedEnd {
    pub(crate) run: GridRun,
    pub(crate) limit: Option<RunLimit>,
    pub(crate) time: Duration,
}

impl LimitedGrid {
    pub(crate) fn new(grid: RunningGrid, limit: Option<Duration>) -> Self {
        Self { grid, deadline: Deadline { limit, ..Deadline::default() }, time: Duration::ZERO }
    }

    /// Number of instructions that it has executed.
    pub(crate) fn steps(&self) -> u64 {
        self.grid.steps()
    }

    /// Bytes that the run occupies, with what is kept of its history.
    pub(crate) fn bytes(&self) -> u64 {
        self.grid.bytes()
    }

    /// Returns the result of something that is not part of the time of the run.
    pub(crate) fn pausing<T>(&mut self, wait: impl FnOnce() -> T) -> T {
        let begin = Instant::now();
        let out = wait();
        self.deadline.end = self.deadline.end.map(|end| end + begin.elapsed());
        out
    }

    /// Executes a part of the run, which takes about a millisecond. Returns the status when the run has ended.
    pub(crate) fn advance(&mut self, cancelled: &dyn Fn() -> bool) -> Option<RunStatus> {
        let Self { grid, deadline, time } = self;
        let begin = Instant::now();
        deadline.begin(begin);
        let ended = grid.advance(&|| cancelled() || deadline.is_over());
        *time += begin.elapsed();
        match ended {
            // A run that takes too long is one that has reached a limit, unless nobody wants its result.
            Some(RunStatus::Cancelled) if deadline.is_over.get() && !cancelled() => Some(RunStatus::Limit),
            ended => ended,
        }
    }

    /// Returns the finished run.
    pub(crate) fn end(self, status: RunStatus) -> LimitedEnd {
        let Self { grid, deadline, time } = self;
        let run = grid.end(status);
        let late = deadline.limit.filter(|_| deadline.is_over.get());
        let limit = (status == RunStatus::Limit).then(|| match late {
            Some(limit) => RunLimit::Time(limit),
            None if run.machine.is_exhausted() => RunLimit::Effort,
            None => RunLimit::Steps,
        });
        LimitedEnd { run, limit, time }
    }
}

/// Returns a time limit of this number of seconds.
///
/// # Errors
/// If it is not a positive number.
pub fn seconds(number: f64) -> Result<Duration, &'static str> {
    let positive = number > 0.0 && number.is_finite();
    let time = positive.then(|| Duration::try_from_secs_f64(number).unwrap_or(MAX_TIME));
    time.ok_or("a time limit is a number of seconds above 0")
}
