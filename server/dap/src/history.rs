//! The history of execution: each value that the user changes begins a new branch of it.
//!
//! Time counts the warp instructions of the grid. A write begins a new leg at the time of the write. Stepping back past that time
//! returns to the older leg, on which the write never happened.

use ptx_interp::findings::Fault;
use ptx_interp::machine::{Machine, WarpId};
use ptx_interp::trace::{self, GridRun};
use std::sync::{Arc, OnceLock};

/// One branch of the history: a run from the beginning of the kernel or from a changed value.
pub struct Leg {
    /// The time at which the leg begins.
    pub from: u64,
    /// The machine at that time.
    start: Machine,
    run: OnceLock<Arc<GridRun>>,
    faults: OnceLock<Arc<[(u64, Fault)]>>,
}

impl Leg {
    /// The run, executed on first use; `None` if it was cancelled.
    pub fn run(&self, cancelled: &dyn Fn() -> bool) -> Option<Arc<GridRun>> {
        if let Some(run) = self.run.get() {
            return Some(Arc::clone(run));
        }
        let run = trace::run(self.start.clone(), cancelled);
        if cancelled() {
            return None;
        }
        Some(Arc::clone(self.run.get_or_init(|| Arc::new(run))))
    }

    /// The findings of the run, each with the time of its instruction, ordered by time.
    pub fn faults(&self, cancelled: &dyn Fn() -> bool) -> Option<Arc<[(u64, Fault)]>> {
        if let Some(faults) = self.faults.get() {
            return Some(Arc::clone(faults));
        }
        let run = self.run(cancelled)?;
        let known = self.start.findings.faults.len();
        let mut found = Vec::new();
        for fault in run.machine.findings.faults.iter().skip(known) {
            let target = WarpId { cta: run.machine.shape.cta_number(fault.cta), warp: fault.warp };
            // A warp that waits forever never executes the instruction at which it waits.
            let time = run.time_of(target, fault.step, cancelled).unwrap_or(run.total());
            found.push((time, fault.clone()));
        }
        if cancelled() {
            return None;
        }
        found.sort_by_key(|(time, _)| *time);
        Some(Arc::clone(self.faults.get_or_init(|| found.into())))
    }
}

/// All legs, the oldest first. There is always at least one.
#[derive(Clone)]
pub struct RunHistory {
    legs: Vec<Arc<Leg>>,
}

impl RunHistory {
    /// The history of a run in which the user has changed nothing.
    pub fn new(run: &Arc<GridRun>, start: Machine) -> Self {
        let done = OnceLock::new();
        let _ = done.set(Arc::clone(run));
        Self { legs: vec![Arc::new(Leg { from: 0, start, run: done, faults: OnceLock::new() })] }
    }

    /// The leg with this index, or the last one if there are fewer.
    pub fn leg(&self, number: usize) -> &Arc<Leg> {
        &self.legs[number.min(self.legs.len() - 1)]
    }

    /// The number of legs.
    pub fn len(&self) -> usize {
        self.legs.len()
    }

    /// Removes all legs after `leg`, so that `leg` becomes the newest.
    pub fn cut(&mut self, leg: usize) {
        self.legs.truncate(leg + 1);
    }

    /// Begins a new leg with a changed machine. Several changes at the same time share one leg.
    pub fn fork(&mut self, machine: Machine) {
        let from = machine.steps;
        if self.legs.len() > 1 && self.legs.last().is_some_and(|l| l.from == from) {
            self.legs.pop();
        }
        self.legs.push(Arc::new(Leg { from, start: machine, run: OnceLock::new(), faults: OnceLock::new() }));
    }

    /// The machine at a time of a leg; `None` if cancelled.
    pub fn at(&self, leg: usize, time: u64, cancelled: &dyn Fn() -> bool) -> Option<Machine> {
        let leg = self.leg(leg);
        if time == leg.from && leg.run.get().is_none() {
            return Some(leg.start.clone());
        }
        leg.run(cancelled)?.at(time, cancelled)
    }
}
