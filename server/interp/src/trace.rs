//! A run with snapshots, from which any window of the steps of any warp can be reconstructed: forwards, backwards, in the middle of
//! millions.
//!
//! A run depends only on its initial state. So the run itself records no steps and only keeps a copy of the machine now and then. A window
//! of steps is executed again from the last copy before it, this time with a recording of every change.
//!
//! *Time* is the number of instructions that the warps of the whole grid have executed. [`GridRun::at`] returns the machine at any time.

use crate::findings::InstructionSite;
use crate::machine::{Cta, Detail, Machine, Origin, Progress, RecordScope, RecordedStep, Recorder, RunStatus, WarpId};
use crate::memory::{PAGE_BYTES, ledger};

/// Maximum number of copies. If there are more, every other one is dropped, and the interval doubles.
const MAX_SNAPSHOTS: usize = 64;

/// Number of steps between two copies, initially.
const INTERVAL: u64 = 4096;

/// Work of a part of a run, in ordinary instructions: about a millisecond.
const PART: u64 = 8192;

/// Maximum total size of all copies in bytes. Together with the run they also stay below the run's own limit of memory.
const MAX_SNAPSHOT_BYTES: u64 = 256 << 20;

/// Bytes of a machine for which a copy costs as much work as an ordinary instruction, and later the copies of pages that it shares.
const COPIED_BYTES: u64 = 128;

/// Number of steps that a search executes at a time.
const STRETCH: usize = 1 << 14;

/// A run that has ended.
pub struct GridRun {
    /// How it ended.
    pub status: RunStatus,
    /// The machine at its end.
    pub machine: Machine,
    snapshots: Vec<Machine>,
    /// Bytes that only the snapshots hold, at most.
    held: u64,
}

/// The direction of a search for steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchDirection {
    /// Searches steps at the start time or later, first to last.
    Forward,
    /// Searches steps before the start time, last to first.
    Backward,
}

/// Executes a grid from where it stands to its end. A machine that has executed something already goes on: its times, and those of the run,
/// count on from there.
pub fn run(machine: Machine, cancelled: &dyn Fn() -> bool) -> GridRun {
    run_reporting(machine, cancelled, &mut |_| {})
}

/// The same, and reports now and then how many instructions the machine has executed.
pub fn run_reporting(machine: Machine, cancelled: &dyn Fn() -> bool, report: &mut dyn FnMut(u64)) -> GridRun {
    let mut running = RunningGrid::new(machine);
    loop {
        match running.advance(cancelled) {
            Some(status) => return running.end(status),
            None => report(running.steps()),
        }
    }
}

/// The execution of a grid in parts. It has the same result as [`run`].
pub struct RunningGrid {
    machine: Machine,
    snapshots: Vec<Machine>,
    interval: u64,
    /// The time of the next snapshot.
    next: u64,
    /// The work before which it does not follow, so that snapshots of a large machine take no more time than the run.
    next_work: u64,
    /// Bytes that only snapshots hold, at most.
    held: u64,
}

impl RunningGrid {
    /// Starts the execution of a grid from where it stands.
    pub fn new(machine: Machine) -> Self {
        let next = machine.steps + INTERVAL;
        Self { snapshots: vec![machine.clone()], interval: INTERVAL, next, next_work: 0, held: 0, machine }
    }

    /// Starts an execution that keeps no snapshots: its run has an end, but no steps can be looked up in it.
    pub fn without_history(machine: Machine) -> Self {
        Self { snapshots: Vec::new(), interval: INTERVAL, next: u64::MAX, next_work: 0, held: 0, machine }
    }

    /// Executes a part, which takes about a millisecond, or as long as one turn of a warp. Returns the status when the run has ended. If the settings allow several threads,
    /// the first call executes the whole grid where they give the same result.
    pub fn advance(&mut self, cancelled: &dyn Fn() -> bool) -> Option<RunStatus> {
        if self.machine.steps == 0
            && let Some(status) = self.machine.run_on_threads(cancelled)
        {
            return Some(status);
        }
        let machine = &mut self.machine;
        ledger::collect_copied();
        let progress = machine.advance_by(PART, cancelled);
        self.held += ledger::collect_copied();
        if let Progress::Ended(status) = progress {
            self.make_room();
            return Some(status);
        }
        if machine.steps >= self.next && machine.work() >= self.next_work {
            self.snapshots.push(machine.clone());
            self.held += machine.copy_bytes();
            if self.snapshots.len() > MAX_SNAPSHOTS {
                self.thin_out();
            }
            self.next = self.machine.steps + self.interval;
            self.next_work = self.machine.work() + self.machine.kept / COPIED_BYTES;
        }
        self.make_room();
        None
    }

    /// Drops snapshots until they fit into the memory that the run leaves. The first one has what is kept of it anyway.
    fn make_room(&mut self) {
        let memory_left = self.machine.settings.memory.saturating_sub(self.machine.kept);
        let room = MAX_SNAPSHOT_BYTES.min(memory_left);
        while self.held > room && self.snapshots.len() > 1 {
            self.thin_out();
        }
    }

    /// Drops every other snapshot, and doubles the distance between them.
    fn thin_out(&mut self) {
        let mut keep = false;
        self.snapshots.retain(|_| {
            keep = !keep;
            keep
        });
        self.interval = self.interval.saturating_mul(2);
        let later = self.snapshots.iter().skip(1).chain(std::iter::once(&self.machine));
        self.held = self.snapshots.iter().zip(later).map(|(old, new)| old.bytes_apart(new)).sum();
    }

    /// The number of instructions that the machine has executed.
    pub fn steps(&self) -> u64 {
        self.machine.steps
    }

    /// Bytes that the run occupies, with its snapshots.
    pub fn bytes(&self) -> u64 {
        self.machine.kept.saturating_add(self.held)
    }

    /// Returns the finished run.
    pub fn end(self, status: RunStatus) -> GridRun {
        GridRun { status, machine: self.machine, snapshots: self.snapshots, held: self.held }
    }
}

impl GridRun {
    /// The time at which the run began: zero, unless it continues another run.
    pub fn begin(&self) -> u64 {
        self.snapshots.first().map_or(self.machine.steps, |m| m.steps)
    }

    /// The time at the end of the run.
    pub fn total(&self) -> u64 {
        self.machine.steps
    }

    /// The machine at exactly a time, about to execute the next instruction. `None` before the beginning, after the end, or if it was
    /// cancelled.
    ///
    /// Unless it is changed, it continues as the run did ([`Machine::advance_to`]).
    pub fn at(&self, time: u64, cancelled: &dyn Fn() -> bool) -> Option<Machine> {
        if time == self.total() {
            return Some(self.machine.clone());
        }
        if time > self.total() || time < self.begin() {
            return None;
        }
        // A copy made at exactly that time is unsuitable: some waiting groups may already have retried their instruction.
        let start = self.snapshots.iter().rev().find(|m| m.steps < time).or(self.snapshots.first())?;
        let mut machine = start.clone();
        machine.advance_to(time, None, cancelled);
        machine.settle(cancelled);
        (machine.steps == time).then_some(machine)
    }

    /// The last copy that was made at a time or before.
    fn before(&self, time: u64) -> Option<&Machine> {
        self.snapshots.iter().rev().find(|m| m.steps <= time)
    }

    /// The last copy in which a warp has executed at most `step` instructions and is not gone.
    fn before_step(&self, target: WarpId, step: u64) -> Option<&Machine> {
        let machine = &self.machine;
        if target.cta >= machine.shape.ctas() || target.warp >= machine.shape.warps() {
            return None;
        }
        self.snapshots.iter().rev().find(|m| m.steps_of(target).is_some_and(|steps| steps <= step))
    }

    /// The time at which a warp executes one of its steps: the number of instructions that the grid has executed before it.
    pub fn time_of(&self, target: WarpId, step: u64, cancelled: &dyn Fn() -> bool) -> Option<u64> {
        self.steps_of(target, step, 1, Detail::MASKS, cancelled).first().map(|s| s.time)
    }

    /// Number of steps that a warp has executed at the end of the run, even if its CTA is gone. Zero if the run continues another one and
    /// the CTA had ended before.
    pub fn steps(&self, target: WarpId, cancelled: &dyn Fn() -> bool) -> u64 {
        if let Some(steps) = self.machine.steps_of(target) {
            return steps;
        }
        let Some(start) = self.before_step(target, u64::MAX) else { return 0 };
        let mut machine = start.clone();
        let mut recorder = Recorder::of(RecordScope::One(target), Origin::Step(u64::MAX), usize::MAX, Detail::MASKS);
        while machine.steps_of(target).is_some() && machine.steps < self.total() {
            let until = (machine.steps + INTERVAL).min(self.total());
            if machine.advance_to(until, Some(&mut recorder), cancelled) != Progress::Paused {
                break;
            }
        }
        recorder.executed().or_else(|| start.steps_of(target)).unwrap_or(0)
    }

    /// Up to `count` steps of a warp, beginning with step `from`, with the registers that they wrote. Fewer if the warp ends before.
    pub fn window(&self, target: WarpId, from: u64, count: usize, cancelled: &dyn Fn() -> bool) -> Vec<RecordedStep> {
        self.steps_of(target, from, count, Detail::REGISTERS, cancelled)
    }

    /// Up to `count` steps of a warp, beginning with step `from`, recorded in this detail. Fewer if the warp ends before.
    pub fn steps_of(
        &self,
        target: WarpId,
        from: u64,
        count: usize,
        detail: Detail,
        cancelled: &dyn Fn() -> bool,
    ) -> Vec<RecordedStep> {
        let Some(start) = self.before_step(target, from) else { return Vec::new() };
        let mut recorder = Recorder::of(RecordScope::One(target), Origin::Step(from), count, detail);
        self.record(start, &mut recorder, Some(target), cancelled);
        recorder.steps()
    }

    /// Up to `count` steps of all warps in the order of execution, beginning at time `from`. Fewer at the end of the run.
    pub fn events(&self, from: u64, count: usize, detail: Detail, cancelled: &dyn Fn() -> bool) -> Vec<RecordedStep> {
        let from = from.max(self.begin());
        let Some(start) = self.before(from) else { return Vec::new() };
        let mut recorder = Recorder::of(RecordScope::All, Origin::Time(from), count, detail);
        self.record(start, &mut recorder, None, cancelled);
        recorder.steps()
    }

    /// Executes from a copy until the recorder is full, the warp is gone, or the run is at its end.
    fn record(&self, start: &Machine, recorder: &mut Recorder, target: Option<WarpId>, cancelled: &dyn Fn() -> bool) {
        let mut machine = start.clone();
        while !recorder.is_full() && machine.steps < self.total() {
            let until = (machine.steps + INTERVAL).min(self.total());
            let gone = |m: &Machine| target.is_some_and(|t| m.steps_of(t).is_none());
            if machine.advance_to(until, Some(recorder), cancelled) != Progress::Paused || gone(&machine) {
                break;
            }
        }
    }

    /// Searches for a step of a wanted warp at a wanted instruction that `accept` confirms. `accept` gets the machine just before the step.
    /// Returns the first such step at time `from` or later; backwards, the last one before `from`.
    ///
    /// `wanted` is called for every step and should be fast; `accept` may take longer.
    pub fn find(
        &self,
        from: u64,
        direction: SearchDirection,
        wanted: &dyn Fn(WarpId, InstructionSite) -> bool,
        accept: &mut dyn FnMut(&Machine, &RecordedStep) -> bool,
        cancelled: &dyn Fn() -> bool,
    ) -> Option<RecordedStep> {
        match direction {
            SearchDirection::Forward => {
                let start = self.before(from.max(self.begin()))?;
                self.scan(start, from..self.total(), true, wanted, accept, cancelled)
            }
            SearchDirection::Backward => {
                let mut end = from.min(self.total());
                for start in self.snapshots.iter().rev().filter(|m| m.steps < from) {
                    let step = self.scan(start, start.steps..end, false, wanted, accept, cancelled);
                    if step.is_some() || cancelled() {
                        return step;
                    }
                    end = start.steps;
                }
                None
            }
        }
    }

    /// The first, or the last, accepted step in a range of time.
    fn scan(
        &self,
        start: &Machine,
        range: std::ops::Range<u64>,
        first: bool,
        wanted: &dyn Fn(WarpId, InstructionSite) -> bool,
        accept: &mut dyn FnMut(&Machine, &RecordedStep) -> bool,
        cancelled: &dyn Fn() -> bool,
    ) -> Option<RecordedStep> {
        // One machine runs ahead and records the steps; the other follows to each wanted step.
        let (mut ahead, mut behind) = (start.clone(), start.clone());
        let mut last = None;
        let mut recorder = Recorder::of(RecordScope::All, Origin::Time(range.start), STRETCH, Detail::MASKS);
        while ahead.steps < range.end {
            recorder.restart(Origin::Time(range.start));
            let until = (ahead.steps + STRETCH as u64).min(range.end);
            let progress = ahead.advance_to(until, Some(&mut recorder), cancelled);
            for step in recorder.iter().filter(|s| wanted(s.target, s.site)) {
                behind.advance_to(step.time, None, cancelled);
                if behind.steps != step.time || cancelled() {
                    return None;
                }
                if accept(&behind, &step) {
                    if first {
                        return Some(step);
                    }
                    last = Some(step);
                }
            }
            if progress != Progress::Paused {
                break;
            }
        }
        last
    }

    /// Bytes that it occupies, with its snapshots.
    pub fn bytes(&self) -> u64 {
        self.machine.kept.saturating_add(self.held)
    }

    /// Number of copies.
    pub fn snapshots(&self) -> usize {
        self.snapshots.len()
    }
}

impl Machine {
    /// Number of instructions that a warp has executed; `None` if its CTA is gone.
    pub fn steps_of(&self, target: WarpId) -> Option<u64> {
        let running = self.clusters.iter().flat_map(|c| &c.ctas).find(|c| c.number == target.cta);
        match running {
            Some(cta) => cta.warps.get(target.warp as usize).map(|w| w.lanes.steps),
            None => self.is_ahead(target.cta).then_some(0),
        }
    }

    /// Bytes of a copy of the machine besides the pages of memory, which it shares.
    fn copy_bytes(&self) -> u64 {
        let shared = self.clusters.iter().flat_map(|c| &c.ctas).map(Cta::page_bytes).sum::<u64>();
        let pages = self.memory.page_bytes() + shared;
        // A page is an entry in a list.
        self.kept.saturating_sub(pages) + pages / PAGE_BYTES as u64 * 8 + self.printed.len() as u64 + MACHINE
    }

    /// Bytes of a copy that are not shared with a later state of the machine.
    fn bytes_apart(&self, later: &Self) -> u64 {
        let old = self.clusters.iter().flat_map(|c| &c.ctas);
        let mut apart = self.memory.global.bytes_apart(&later.memory.global) as u64;
        for cta in old {
            let new = later.clusters.iter().flat_map(|c| &c.ctas).find(|c| c.number == cta.number);
            apart += cta.bytes_apart(new);
        }
        apart + self.copy_bytes()
    }
}

/// Bytes of a machine without all that depends on the program.
const MACHINE: u64 = 16 << 10;
