//! The way of a warp through a run: where it was at each step, and when.

use crate::evaluate::LaunchRun;
use ptx_interp::machine::{Detail, RecordedStep, WarpId};

/// Steps that are kept. What comes later is found by executing it again.
const MAX_STEPS: usize = 1 << 17;

/// The way of a warp: found once, and asked for by everything that is shown of it.
#[derive(Debug)]
pub struct Course {
    /// The warp.
    pub target: WarpId,
    /// How many steps it executed.
    pub steps: u64,
    /// The first of them, without what they changed.
    kept: Vec<RecordedStep>,
}

impl Course {
    /// Of a warp. `cancelled` is polled; once it returns true, the result must be discarded.
    pub fn new(done: &LaunchRun, target: WarpId, cancelled: &dyn Fn() -> bool) -> Self {
        let kept = done.run.steps_of(target, 0, MAX_STEPS, Detail::MASKS, cancelled);
        let steps = if kept.len() < MAX_STEPS { kept.len() as u64 } else { done.run.steps(target, cancelled) };
        Self { target, steps, kept }
    }

    /// The steps that are known at once.
    pub fn kept(&self) -> &[RecordedStep] {
        &self.kept
    }

    /// At most `count` steps, beginning with step `from`.
    pub fn window(&self, done: &LaunchRun, from: u64, count: usize, cancelled: &dyn Fn() -> bool) -> Vec<RecordedStep> {
        let first = usize::try_from(from).unwrap_or(usize::MAX).min(self.kept.len());
        let last = first.saturating_add(count);
        if last <= self.kept.len() || self.steps == self.kept.len() as u64 {
            return self.kept[first..last.min(self.kept.len())].to_vec();
        }
        done.run.steps_of(self.target, from, count, Detail::MASKS, cancelled)
    }

    /// When a step is executed: what the whole grid has executed before it.
    pub fn time_of(&self, done: &LaunchRun, step: u64, cancelled: &dyn Fn() -> bool) -> Option<u64> {
        match self.kept.get(usize::try_from(step).ok()?) {
            Some(step) => Some(step.time),
            None => done.run.time_of(self.target, step, cancelled),
        }
    }
}
