//! The course of a warp through a run: its instruction and time at each step.

use crate::evaluate::LaunchRun;
use ptx_interp::machine::{Detail, RecordedStep, WarpId};

/// Maximum number of stored steps; later steps are found by executing the run again.
const MAX_STEPS: usize = 1 << 17;

/// The course of a warp, computed once and used by all views of the warp.
#[derive(Debug)]
pub struct Course {
    /// The warp.
    pub target: WarpId,
    /// Number of steps that the warp executed.
    pub steps: u64,
    /// The first steps, without the changes that they made.
    kept: Vec<RecordedStep>,
}

impl Course {
    /// Computes the course of a warp. `cancelled` is polled; once it returns true, the result must be discarded.
    pub fn new(done: &LaunchRun, target: WarpId, cancelled: &dyn Fn() -> bool) -> Self {
        let kept = done.run.steps_of(target, 0, MAX_STEPS, Detail::MASKS, cancelled);
        let steps = if kept.len() < MAX_STEPS { kept.len() as u64 } else { done.run.steps(target, cancelled) };
        Self { target, steps, kept }
    }

    /// Returns the stored steps.
    pub fn kept(&self) -> &[RecordedStep] {
        &self.kept
    }

    /// Returns at most `count` steps, beginning with step `from`.
    pub fn window(&self, done: &LaunchRun, from: u64, count: usize, cancelled: &dyn Fn() -> bool) -> Vec<RecordedStep> {
        let first = usize::try_from(from).unwrap_or(usize::MAX).min(self.kept.len());
        let last = first.saturating_add(count);
        if last <= self.kept.len() || self.steps == self.kept.len() as u64 {
            return self.kept[first..last.min(self.kept.len())].to_vec();
        }
        done.run.steps_of(self.target, from, count, Detail::MASKS, cancelled)
    }

    /// Returns the time of a step: the number of steps that the whole grid executed before it.
    pub fn time_of(&self, done: &LaunchRun, step: u64, cancelled: &dyn Fn() -> bool) -> Option<u64> {
        match self.kept.get(usize::try_from(step).ok()?) {
            Some(step) => Some(step.time),
            None => done.run.time_of(self.target, step, cancelled),
        }
    }
}
