//! Steps of one warp, forwards and backwards.

use super::places::SourceLine;
use super::search::{SearchOutcome, SearchStop, StopSearch};
use ptx_interp::findings::InstructionSite;
use ptx_interp::machine::{Detail, Machine, RecordedStep, WarpId};
use ptx_interp::trace::GridRun;
use ptx_launch::words;
use std::sync::Arc;

/// The kind of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepKind {
    /// Into called functions.
    In,
    /// Over called functions.
    Over,
    /// To the caller.
    Out,
    /// Backwards.
    Back,
}

/// The unit of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Granularity {
    /// One instruction.
    Instruction,
    /// One line of the shown source.
    Line,
}

/// Number of steps examined together: the initial and the maximum value.
const CHUNKS: (usize, usize) = (16, 1 << 14);

/// The state in which a step begins.
struct Begin {
    target: WarpId,
    /// Index of the step that the warp executes next.
    step: u64,
    site: InstructionSite,
    group: u32,
    depth: u32,
}

impl StopSearch<'_> {
    /// Steps a warp from a time of a leg on.
    pub fn step(
        &self,
        machine: &Machine,
        leg: usize,
        target: WarpId,
        kind: StepKind,
        granularity: Granularity,
    ) -> SearchOutcome {
        let time = machine.steps;
        let cancelled = || self.control.is_stopped();
        let Some(run) = self.history.leg(leg).run(&cancelled) else { return SearchOutcome::GivenUp(leg, time) };
        let step = match machine.steps_of(target) {
            Some(step) => step,
            None if kind == StepKind::Back => self.executed(leg, target),
            None => return self.elsewhere(&run, leg, time, target),
        };
        if kind == StepKind::Back {
            return self.back(machine, leg, target, step, granularity);
        }
        let Some(first) = run.steps_of(target, step, 1, Detail::MASKS, &cancelled).into_iter().next() else {
            return if cancelled() {
                SearchOutcome::GivenUp(leg, time)
            } else {
                self.elsewhere(&run, leg, time, target)
            };
        };
        let begin = Begin { target, step, site: first.site, group: first.group, depth: first.depth };
        let end = self.first(&run, &begin, |s| self.ends(&begin, s, kind, granularity));
        if cancelled() {
            return SearchOutcome::GivenUp(leg, time);
        }
        // A breakpoint that this warp hits on the way ends the step. Breakpoints of other warps do not: those warps
        // execute at any time.
        let until = end.as_ref().map(|s| s.time);
        match self.forward(leg, time, false, Some(target), until) {
            SearchOutcome::End => {}
            found => return found,
        }
        match end {
            Some(end) => {
                let mut stop = SearchStop::new(leg, end.time, Some(target), "step");
                if end.group & begin.group == 0 {
                    stop.description = Some(format!("Paused on step: {} are next", words::lanes(end.group)));
                } else if end.group != begin.group {
                    stop.description = Some(format!("Paused on step: {} continue together", words::lanes(end.group)));
                }
                stop.into()
            }
            None => {
                let count = run.steps(target, &cancelled).max(step + 1);
                let last = run.time_of(target, count - 1, &cancelled);
                self.elsewhere(&run, leg, last.map_or(time, |t| t + 1), target)
            }
        }
    }

    /// The first step of the warp after its next one that satisfies `wanted`.
    fn first(
        &self,
        run: &GridRun,
        begin: &Begin,
        mut wanted: impl FnMut(&RecordedStep) -> bool,
    ) -> Option<RecordedStep> {
        let cancelled = || self.control.is_stopped();
        let (mut at, (mut count, most)) = (begin.step + 1, CHUNKS);
        loop {
            let steps = run.steps_of(begin.target, at, count, Detail::MASKS, &cancelled);
            let read = steps.len();
            if let Some(found) = steps.into_iter().find(&mut wanted) {
                return Some(found);
            }
            if read < count || cancelled() {
                return None;
            }
            (at, count) = (at + read as u64, (count * 8).min(most));
        }
    }

    /// The function and the shown line of an instruction; a change of either ends a line step.
    fn line(&self, site: InstructionSite) -> (u32, SourceLine) {
        (site.function, self.places.shown(site).line)
    }

    /// Whether a step ends here.
    fn ends(&self, begin: &Begin, at: &RecordedStep, kind: StepKind, granularity: Granularity) -> bool {
        let deep = match kind {
            StepKind::Out => at.depth < begin.depth,
            StepKind::Over => at.depth <= begin.depth,
            StepKind::In | StepKind::Back => true,
        };
        deep && match granularity {
            Granularity::Instruction => true,
            _ if kind == StepKind::Out => true,
            Granularity::Line => {
                let (here, there) = (self.line(begin.site), self.line(at.site));
                // A loop in one line of PTX: each step executes one iteration.
                let again = there.1.file.is_none() && at.site.instruction <= begin.site.instruction;
                here != there || at.depth != begin.depth || again
            }
        }
    }

    /// Chooses the thread to stop at after the stepping warp has finished.
    fn elsewhere(&self, run: &Arc<GridRun>, leg: usize, time: u64, target: WarpId) -> SearchOutcome {
        let cancelled = || self.control.is_stopped();
        let next = run.events(time, 1, Detail::MASKS, &cancelled).into_iter().next();
        let Some(next) = next else {
            return if cancelled() { SearchOutcome::GivenUp(leg, time) } else { SearchOutcome::End };
        };
        let mut stop = SearchStop::new(leg, next.time, Some(next.target), "step");
        let name = |t| super::threads::name(&run.machine.shape, t);
        stop.description = Some(format!("{} has ended; {} is next", name(target), name(next.target)));
        stop.into()
    }

    /// The number of steps that a warp has executed in all legs before and including this one.
    fn executed(&self, leg: usize, target: WarpId) -> u64 {
        let cancelled = || self.control.is_stopped();
        // A leg that begins after the end of the warp has no steps of it.
        let steps = |leg| self.history.leg(leg).run(&cancelled).map_or(0, |run| run.steps(target, &cancelled));
        (0..=leg).rev().map(steps).find(|steps| *steps > 0).unwrap_or(0)
    }

    /// Steps a warp backwards.
    fn back(
        &self,
        machine: &Machine,
        leg: usize,
        target: WarpId,
        step: u64,
        granularity: Granularity,
    ) -> SearchOutcome {
        let depth = self.depth(leg, target, step, machine);
        let mut chosen: Option<(usize, RecordedStep)> = None;
        let (mut leg, mut end) = (leg, step);
        let (mut count, most) = CHUNKS;
        'all: while end > 0 {
            let cancelled = || self.control.is_stopped();
            let Some(run) = self.history.leg(leg).run(&cancelled) else {
                return SearchOutcome::GivenUp(leg, machine.steps);
            };
            let from = end.saturating_sub(count as u64);
            // A leg that begins after a change does not contain the steps before it.
            let known = self.history.at(leg, self.history.leg(leg).from, &cancelled);
            let first = known.and_then(|m| m.steps_of(target)).unwrap_or(0);
            let from = if leg > 0 { from.max(first) } else { from };
            if from >= end {
                leg -= 1;
                continue;
            }
            let steps = run.steps_of(target, from, (end - from) as usize, Detail::MASKS, &cancelled);
            if cancelled() {
                return SearchOutcome::GivenUp(leg, machine.steps);
            }
            if steps.is_empty() {
                break;
            }
            for step in steps.into_iter().rev() {
                let over = step.depth > depth.0;
                match &chosen {
                    _ if granularity == Granularity::Instruction => {
                        chosen = Some((leg, step));
                        break 'all;
                    }
                    // Skip the steps inside a called function.
                    None if over => {}
                    None => chosen = Some((leg, step)),
                    // Continue to the beginning of the line.
                    Some(_) if over => {}
                    Some((_, last)) => {
                        let again =
                            self.line(step.site).1.file.is_none() && step.site.instruction >= last.site.instruction;
                        if self.line(step.site) != self.line(last.site) || step.depth != last.depth || again {
                            break 'all;
                        }
                        chosen = Some((leg, step));
                    }
                }
            }
            (end, count) = (from, (count * 8).min(most));
        }
        match chosen {
            Some((leg, step)) => {
                let mut stop = SearchStop::new(leg, step.time, Some(target), "step");
                if depth.1 != 0 && step.group & depth.1 == 0 {
                    stop.description = Some(format!("Paused on step: {} were at it before", words::lanes(step.group)));
                }
                stop.into()
            }
            None => SearchOutcome::Beginning,
        }
    }

    /// The call depth of the warp, and the lanes that execute next.
    fn depth(&self, leg: usize, target: WarpId, step: u64, machine: &Machine) -> (u32, u32) {
        let cancelled = || self.control.is_stopped();
        let next = self.history.leg(leg).run(&cancelled);
        let next = next.and_then(|run| run.steps_of(target, step, 1, Detail::MASKS, &cancelled).into_iter().next());
        if let Some(next) = next {
            return (next.depth, next.group);
        }
        let groups = ptx_interp::inspect::groups(machine, target);
        let first = groups.and_then(|g| g.groups.into_iter().next());
        first.map_or((0, 0), |g| (g.depth, g.mask))
    }
}
