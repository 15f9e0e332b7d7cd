//! A run with snapshots, from which any window of any warp's steps can be had again: forwards, backwards, in the middle of millions.
//!
//! A run depends on nothing but its beginning. So nothing is recorded while it goes on; copies of the machine are kept now and then, and a
//! window is executed again from the last copy before it, this time with what every instruction changed.
//!
//! *Time* is the number of instructions that the warps of the whole grid have executed. [`Run::at`] gives the machine at any time.

use crate::findings::Site;
use crate::machine::{Detail, Machine, Origin, Progress, Recorded, Recorder, Scope, Status, Target};

/// Copies that are kept at most. When there are more, every other one goes, and they are made half as often.
const SNAPSHOTS: usize = 64;

/// Steps between two copies, at first.
const INTERVAL: u64 = 4096;

/// Bytes that all copies may take together, if each has pages of its own for all that was written.
const WEIGHT: usize = 256 << 20;

/// Steps that are looked at together when places are searched.
const STRETCH: usize = 1 << 14;

/// A run that has ended.
pub struct Run {
    /// How.
    pub status: Status,
    /// The machine at its end.
    pub machine: Machine,
    snapshots: Vec<Machine>,
}

/// Which way places are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From a time on: what is executed at this time or later.
    Forward,
    /// What is executed before a time, the last first.
    Backward,
}

/// Executes a grid from where it stands to its end. A machine that has executed something already goes on: its times, and those of the run,
/// count on from there.
pub fn run(machine: Machine, cancelled: &dyn Fn() -> bool) -> Run {
    run_reporting(machine, cancelled, &mut |_| {})
}

/// The same, and reports now and then how many instructions the machine has executed.
pub fn run_reporting(machine: Machine, cancelled: &dyn Fn() -> bool, report: &mut dyn FnMut(u64)) -> Run {
    let mut machine = machine;
    let mut snapshots = vec![machine.clone()];
    let mut interval = INTERVAL;
    loop {
        match machine.advance(machine.steps + interval, None, cancelled) {
            Progress::Ended(status) => return Run { status, machine, snapshots },
            Progress::Paused => {
                report(machine.steps);
                snapshots.push(machine.clone());
                let heavy = snapshots.iter().map(Machine::weight).fold(0, usize::saturating_add) > WEIGHT;
                if snapshots.len() > SNAPSHOTS || (heavy && snapshots.len() > 2) {
                    let mut keep = false;
                    snapshots.retain(|_| {
                        keep = !keep;
                        keep
                    });
                    interval *= 2;
                }
            }
        }
    }
}

impl Run {
    /// The time at which it began: zero, unless it goes on from the middle of another.
    pub fn begin(&self) -> u64 {
        self.snapshots.first().map_or(self.machine.steps, |m| m.steps)
    }

    /// The time at its end.
    pub fn total(&self) -> u64 {
        self.machine.steps
    }

    /// The machine exactly at a time, about to execute the next instruction; `None` before the beginning, behind the end, or if it was cancelled.
    ///
    /// It goes on from there as the run did ([`Machine::advance_to`]), unless it is changed.
    pub fn at(&self, time: u64, cancelled: &dyn Fn() -> bool) -> Option<Machine> {
        if time == self.total() {
            return Some(self.machine.clone());
        }
        if time > self.total() || time < self.begin() {
            return None;
        }
        // Not a copy of that very time: some of those who must wait may have been asked already.
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

    /// The last copy in which a warp has executed at most so many instructions and may still execute some.
    fn before_step(&self, target: Target, step: u64) -> Option<&Machine> {
        let machine = &self.machine;
        if target.cta >= machine.shape.ctas() || target.warp >= machine.shape.warps() {
            return None;
        }
        self.snapshots.iter().rev().find(|m| m.steps_of(target).is_some_and(|steps| steps <= step))
    }

    /// The time at which a warp executes one of its steps: what the grid has executed before it.
    pub fn time_of(&self, target: Target, step: u64, cancelled: &dyn Fn() -> bool) -> Option<u64> {
        self.steps_of(target, step, 1, Detail::MASKS, cancelled).first().map(|s| s.time)
    }

    /// How many steps a warp has executed at the end of the run, whether its CTA is still there or not. If the run began in the middle and
    /// the CTA was gone by then, that is not known here: zero.
    pub fn steps(&self, target: Target, cancelled: &dyn Fn() -> bool) -> u64 {
        if let Some(steps) = self.machine.steps_of(target) {
            return steps;
        }
        let Some(start) = self.before_step(target, u64::MAX) else { return 0 };
        let mut machine = start.clone();
        let mut recorder = Recorder::of(Scope::One(target), Origin::Step(u64::MAX), usize::MAX, Detail::MASKS);
        while machine.steps_of(target).is_some() && machine.steps < self.total() {
            let until = (machine.steps + INTERVAL).min(self.total());
            if machine.advance_to(until, Some(&mut recorder), cancelled) != Progress::Paused {
                break;
            }
        }
        recorder.executed().or_else(|| start.steps_of(target)).unwrap_or(0)
    }

    /// Steps of a warp, from one of them on: so many, or fewer if it ended before. With the registers that they changed.
    pub fn window(&self, target: Target, from: u64, count: usize, cancelled: &dyn Fn() -> bool) -> Vec<Recorded> {
        self.steps_of(target, from, count, Detail::REGISTERS, cancelled)
    }

    /// Steps of a warp, from one of them on: so many, or fewer if it ended before.
    pub fn steps_of(
        &self,
        target: Target,
        from: u64,
        count: usize,
        detail: Detail,
        cancelled: &dyn Fn() -> bool,
    ) -> Vec<Recorded> {
        let Some(start) = self.before_step(target, from) else { return Vec::new() };
        let mut recorder = Recorder::of(Scope::One(target), Origin::Step(from), count, detail);
        self.record(start, &mut recorder, Some(target), cancelled);
        recorder.steps()
    }

    /// Steps of all warps in the order in which they are executed, from a time on: so many, or fewer at the end of the run.
    pub fn events(&self, from: u64, count: usize, detail: Detail, cancelled: &dyn Fn() -> bool) -> Vec<Recorded> {
        let from = from.max(self.begin());
        let Some(start) = self.before(from) else { return Vec::new() };
        let mut recorder = Recorder::of(Scope::All, Origin::Time(from), count, detail);
        self.record(start, &mut recorder, None, cancelled);
        recorder.steps()
    }

    /// Executes from a copy until everything that is wanted is recorded, the warp is gone, or the run is at its end.
    fn record(&self, start: &Machine, recorder: &mut Recorder, target: Option<Target>, cancelled: &dyn Fn() -> bool) {
        let mut machine = start.clone();
        while !recorder.is_full() && machine.steps < self.total() {
            let until = (machine.steps + INTERVAL).min(self.total());
            let gone = |m: &Machine| target.is_some_and(|t| m.steps_of(t).is_none());
            if machine.advance_to(until, Some(recorder), cancelled) != Progress::Paused || gone(&machine) {
                break;
            }
        }
    }

    /// The next step, or the last one before a time, that is executed at a wanted place by a wanted warp, and for which `accept` says yes
    /// when it sees the machine just before it. What is wanted is asked for every step, so it should be quick; `accept` may take longer.
    ///
    /// Forwards, steps at the time `from` itself count; backwards, those before it.
    pub fn find(
        &self,
        from: u64,
        direction: Direction,
        wanted: &dyn Fn(Target, Site) -> bool,
        accept: &mut dyn FnMut(&Machine, &Recorded) -> bool,
        cancelled: &dyn Fn() -> bool,
    ) -> Option<Recorded> {
        match direction {
            Direction::Forward => {
                let start = self.before(from.max(self.begin()))?;
                self.scan(start, from..self.total(), true, wanted, accept, cancelled)
            }
            Direction::Backward => {
                let mut end = from.min(self.total());
                for start in self.snapshots.iter().rev().filter(|m| m.steps < from) {
                    let found = self.scan(start, start.steps..end, false, wanted, accept, cancelled);
                    if found.is_some() || cancelled() {
                        return found;
                    }
                    end = start.steps;
                }
                None
            }
        }
    }

    /// The first, or the last, accepted step of a range of time.
    fn scan(
        &self,
        start: &Machine,
        range: std::ops::Range<u64>,
        first: bool,
        wanted: &dyn Fn(Target, Site) -> bool,
        accept: &mut dyn FnMut(&Machine, &Recorded) -> bool,
        cancelled: &dyn Fn() -> bool,
    ) -> Option<Recorded> {
        // One machine goes ahead and tells who is where; the other follows to the wanted places.
        let (mut ahead, mut behind) = (start.clone(), start.clone());
        let mut found = None;
        let mut recorder = Recorder::of(Scope::All, Origin::Time(range.start), STRETCH, Detail::MASKS);
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
                    found = Some(step);
                }
            }
            if progress != Progress::Paused {
                break;
            }
        }
        found
    }

    /// How many copies are kept.
    pub fn snapshots(&self) -> usize {
        self.snapshots.len()
    }
}

impl Machine {
    /// How many instructions a warp has executed; nothing if its CTA is gone.
    pub fn steps_of(&self, target: Target) -> Option<u64> {
        let running = self.clusters.iter().flat_map(|c| &c.ctas).find(|c| c.number == target.cta);
        match running {
            Some(cta) => cta.warps.get(target.warp as usize).map(|w| w.lanes.steps),
            None => self.is_ahead(target.cta).then_some(0),
        }
    }

    /// Bytes of registers, and of pages that other copies may not share.
    fn weight(&self) -> usize {
        usize::try_from(self.kept.saturating_sub(self.kept_before)).unwrap_or(usize::MAX)
    }
}
