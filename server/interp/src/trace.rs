//! A run with snapshots, from which any window of any warp's steps can be had again: forwards, backwards, in the middle of millions.
//!
//! A run depends on nothing but its beginning. So nothing is recorded while it goes on; copies of the machine are kept now and then, and a
//! window is executed again from the last copy before it, this time with what every instruction changed.

use crate::machine::{Machine, Progress, Recorded, Recorder, Status, Target};

/// Copies that are kept at most. When there are more, every other one goes, and they are made half as often.
const SNAPSHOTS: usize = 64;

/// Steps between two copies, at first.
const INTERVAL: u64 = 4096;

/// Bytes that all copies may take together, if each has pages of its own for all that was written.
const WEIGHT: usize = 256 << 20;

/// A run that has ended.
pub struct Run {
    /// How.
    pub status: Status,
    /// The machine at its end.
    pub machine: Machine,
    snapshots: Vec<Machine>,
}

/// Executes a grid from its beginning to its end.
pub fn run(machine: Machine, cancelled: &dyn Fn() -> bool) -> Run {
    let mut machine = machine;
    let mut snapshots = vec![machine.clone()];
    let mut interval = INTERVAL;
    loop {
        match machine.advance(machine.steps + interval, None, cancelled) {
            Progress::Ended(status) => return Run { status, machine, snapshots },
            Progress::Paused => {
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
    /// Steps of a warp, from one of them on: so many, or fewer if it ended before.
    pub fn window(&self, target: Target, from: u64, count: usize, cancelled: &dyn Fn() -> bool) -> Vec<Recorded> {
        let before = |m: &&Machine| m.steps_of(target).is_some_and(|steps| steps <= from);
        let Some(start) = self.snapshots.iter().rev().find(before) else { return Vec::new() };
        let mut machine = start.clone();
        let mut recorder = Recorder::new(target, from, count);
        // To the end of the quantum in which the window is full, or that of the run, whose limit is the same.
        while !recorder.is_full() {
            let until = machine.steps + INTERVAL;
            match machine.advance(until, Some(&mut recorder), cancelled) {
                Progress::Paused if machine.steps < self.machine.steps => {}
                _ => break,
            }
        }
        recorder.steps()
    }

    /// The machine as it was before a step of a warp, or a little earlier: at the beginning of the turn in which the step was executed.
    pub fn near(&self, target: Target, step: u64, cancelled: &dyn Fn() -> bool) -> Option<Machine> {
        let before = |m: &&Machine| m.steps_of(target).is_some_and(|steps| steps <= step);
        let mut machine = self.snapshots.iter().rev().find(before)?.clone();
        loop {
            let last = machine.clone();
            let ended = machine.advance(machine.steps + 1, None, cancelled) != Progress::Paused;
            if machine.steps_of(target).is_none_or(|steps| steps > step) || ended {
                return Some(last);
            }
        }
    }

    /// How many copies are kept.
    pub fn snapshots(&self) -> usize {
        self.snapshots.len()
    }
}

impl Machine {
    /// How many instructions a warp has executed; nothing if it has ended.
    pub fn steps_of(&self, target: Target) -> Option<u64> {
        let running = self.clusters.iter().flat_map(|c| &c.ctas).find(|c| c.number == target.cta);
        match running {
            Some(cta) => cta.warps.get(target.warp as usize).map(|w| w.lanes.steps),
            None => self.is_ahead(target.cta).then_some(0),
        }
    }

    /// Bytes of registers, and of pages that other copies may not share.
    fn weight(&self) -> usize {
        let written = usize::try_from(self.kept).unwrap_or(usize::MAX);
        let warps = self.clusters.iter().flat_map(|c| &c.ctas).flat_map(|c| &c.warps);
        let frames = warps.flat_map(|w| w.frames.iter().flatten());
        let registers: usize = frames.map(|f| f.registers.weight() + 12 * f.shadow.known.len()).sum();
        registers.saturating_add(written)
    }
}
