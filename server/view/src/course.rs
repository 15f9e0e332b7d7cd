//! The course of a warp through a run: its instruction and time at each step.

use ptx_interp::inspect;
use ptx_interp::lanes::{LANES, LaneMask, lanes};
use ptx_interp::machine::{Detail, GridShape, RecordedStep, WarpId};
use ptx_launch::evaluate::LaunchRun;

/// Maximum number of stored steps; later steps are found by executing the run again.
const MAX_STEPS: usize = 1 << 17;

/// The course of a warp, computed once and used by all views of the warp.
#[derive(Debug)]
pub struct Course {
    /// The warp.
    pub target: WarpId,
    /// Number of steps that the warp executed.
    pub steps: u64,
    /// The lanes that are threads.
    pub present: LaneMask,
    /// The lanes that have exited at the end of the run.
    exited: LaneMask,
    /// The last step of each lane, if all steps are stored.
    last_steps: Option<[u64; LANES]>,
    /// The first steps, without the changes that they made.
    kept: Vec<RecordedStep>,
}

impl Course {
    /// Computes the course of a warp. `cancelled` is polled; once it returns true, the result must be discarded.
    pub fn new(done: &LaunchRun, target: WarpId, cancelled: &dyn Fn() -> bool) -> Self {
        let kept = done.run.steps_of(target, 0, MAX_STEPS, Detail::MASKS, cancelled);
        let steps = if kept.len() < MAX_STEPS { kept.len() as u64 } else { done.run.steps(target, cancelled) };
        let present = present(&done.run.machine.shape, target.warp);
        // A CTA is gone when all of its threads have exited.
        let exited = inspect::groups(&done.run.machine, target).map_or(present, |view| view.exited);
        let last_steps = (steps == kept.len() as u64).then(|| {
            let mut last = [0; LANES];
            kept.iter().for_each(|step| lanes(step.group).for_each(|lane| last[lane] = step.step));
            last
        });
        Self { target, steps, present, exited, last_steps, kept }
    }

    /// Returns the lanes that have exited after a step; `None` if the warp has too many steps to know that.
    pub fn exited_after(&self, step: u64) -> Option<LaneMask> {
        let last = self.last_steps.as_ref()?;
        Some(lanes(self.exited).filter(|lane| last[*lane] <= step).fold(0, |mask, lane| mask | 1 << lane))
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

/// Returns the mask of the existing lanes of a warp: the last warp of a CTA may have fewer than 32.
pub fn present(shape: &GridShape, warp: u32) -> LaneMask {
    let left = shape.threads().saturating_sub(warp * 32);
    if left >= 32 { u32::MAX } else { (1 << left) - 1 }
}
