//! The scheduler: clusters, CTAs and warps run in the order of their numbers, each warp for a quantum. Within a warp, the group with the
//! lowest execution priority number runs first.
//!
//! The order depends only on the program. A run can therefore be repeated from any copy of the machine that was made between two quanta.

use super::Machine;
use super::code::Executable;
use super::group::{GroupRun, Stop, Turn};
use super::group_selection::tidy;
use super::limits::{FAIRNESS, MAX_CTA_STEPS, MAX_IDLE_STEPS, MAX_RESIDENT_CTAS};
use super::record::{Recorder, WarpId};
use super::state::GroupReadiness;
use super::state::schedule::{GroupSlice, TurnBudget, Unfinished, WarpPosition};
use crate::findings::{FaultKind, InstructionSite};
use crate::lanes::list;
use crate::memory::ledger;
use std::sync::Arc;

/// Maximum number of instructions that a warp executes in its turn.
const QUANTUM: u64 = 1024;

/// After this many rounds without any visible change, in which all groups only wait or give up waiting, the run counts as deadlocked.
const MAX_HOPELESS_ROUNDS: u32 = 256;

/// Effort of a slice in which a group executes nothing, because it waits.
const WAIT: u64 = 4;

/// Effort of a turn of a warp, even if it has ended or waits.
const TURN: u64 = 2;

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunStatus {
    /// All threads have exited.
    Finished,
    /// A finding ended it.
    Fault,
    /// It reached the limit of steps, or that of effort.
    Limit,
    /// No group could continue.
    Deadlock,
    /// The caller cancelled it.
    Cancelled,
}

impl RunStatus {
    /// The ways in which a run can end by itself.
    pub const ENDS: [Self; 4] = [Self::Finished, Self::Fault, Self::Limit, Self::Deadlock];

    /// The name that users see.
    pub fn name(self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::Fault => "fault",
            Self::Limit => "limit",
            Self::Deadlock => "deadlock",
            Self::Cancelled => "cancelled",
        }
    }
}

/// Whether a run has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// It has executed the requested steps and can continue.
    Paused,
    /// It has ended.
    Ended(RunStatus),
}

/// How a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// The next warp has its turn.
    Over,
    /// The turn was interrupted: the requested number of instructions has been executed.
    Cut,
    /// The run ends.
    Run,
}

impl Machine {
    /// Runs until the grid has executed at least `until` steps in all and a turn is complete, or until the run ends.
    pub fn advance(&mut self, until: u64, recorder: Option<&mut Recorder>, cancelled: &dyn Fn() -> bool) -> Progress {
        self.execute(until, u64::MAX, &mut { u64::MAX }, recorder, cancelled)
    }

    /// Runs for about this much more work, in ordinary instructions, until a turn is complete; or until the run ends.
    pub fn advance_by(&mut self, work: u64, cancelled: &dyn Fn() -> bool) -> Progress {
        self.schedule.pause = Some(self.work().saturating_add(work));
        let progress = self.advance(u64::MAX, None, cancelled);
        self.schedule.pause = None;
        progress
    }

    /// As [`execute_until`](Self::execute_until). At the end of the run, adds the findings that were kept for it.
    fn execute(
        &mut self,
        until: u64,
        exact: u64,
        waits: &mut u64,
        recorder: Option<&mut Recorder>,
        cancelled: &dyn Fn() -> bool,
    ) -> Progress {
        // What was noted since belongs to no run.
        ledger::collect();
        let progress = self.execute_until(until, exact, waits, recorder, cancelled);
        self.hold(ledger::collect());
        if matches!(progress, Progress::Ended(_)) {
            self.report_narrow_accesses();
        }
        progress
    }

    /// Runs until the grid has executed exactly `time` steps in all, or until the run ends. Continuing from there gives the same result as
    /// an uninterrupted run.
    pub fn advance_to(&mut self, time: u64, recorder: Option<&mut Recorder>, cancelled: &dyn Fn() -> bool) -> Progress {
        self.execute(time, time, &mut { u64::MAX }, recorder, cancelled)
    }

    /// Lets all groups that must wait start waiting, right up to the next instruction. Without this, the last group that reached a barrier
    /// before an interruption would not yet be known to wait.
    pub fn settle(&mut self, cancelled: &dyn Fn() -> bool) {
        // Whether an instruction waits becomes known only when it is tried. A clone therefore counts the waits before the next completed
        // instruction; then the machine itself executes exactly that many waits.
        let (mut ahead, mut left) = (self.clone(), u64::MAX);
        let next = self.steps + 1;
        ahead.execute(next, next, &mut left, None, cancelled);
        let mut waits = u64::MAX - left;
        if ahead.steps == next && waits > 0 {
            self.execute(next, next, &mut waits, None, cancelled);
        }
    }

    /// Runs until the grid has executed `until` steps in all and a turn is complete, but never more than `exact` steps. Also stops when
    /// `waits`, which counts down the slices without a step, reaches zero.
    fn execute_until(
        &mut self,
        until: u64,
        exact: u64,
        waits: &mut u64,
        mut recorder: Option<&mut Recorder>,
        cancelled: &dyn Fn() -> bool,
    ) -> Progress {
        let executable = Arc::clone(&self.executable);
        loop {
            if self.clusters.is_empty() && !self.admit() {
                if self.next_cluster >= self.last_cluster() {
                    return Progress::Ended(RunStatus::Finished);
                }
                self.report_no_room();
                return Progress::Ended(RunStatus::Fault);
            }
            if self.steps >= self.settings.limit || self.is_exhausted() {
                // The last permitted step may have been the last one of the run.
                let finished =
                    self.next_cluster >= self.last_cluster() && self.clusters.iter().all(|c| c.is_finished());
                return Progress::Ended(if finished { RunStatus::Finished } else { RunStatus::Limit });
            }
            let pauses = self.schedule.pause.is_some_and(|work| self.work() >= work);
            if pauses || self.steps >= until || *waits == 0 || recorder.as_ref().is_some_and(|r| r.is_full()) {
                return Progress::Paused;
            }
            if cancelled() {
                return Progress::Ended(RunStatus::Cancelled);
            }
            let position = self.schedule.next;
            let WarpPosition { cluster, rank, number: warp } = position;
            let Some(cta) = self.clusters.get(cluster).and_then(|c| c.ctas.get(rank)) else {
                match self.end_round() {
                    Some(status) => return Progress::Ended(status),
                    // The result of a part that has a finding or depends on other parts is dropped.
                    None if self.part.as_ref().is_some_and(|part| part.depends || !self.findings.faults.is_empty()) => {
                        return Progress::Paused;
                    }
                    None => continue,
                }
            };
            if warp >= cta.warps.len() {
                let more = rank + 1 < self.clusters[cluster].ctas.len();
                let (cluster, rank) = if more { (cluster, rank + 1) } else { (cluster + 1, 0) };
                self.schedule.next = WarpPosition { cluster, rank, number: 0 };
                continue;
            }
            self.schedule.next = WarpPosition { number: warp + 1, ..position };
            if self.schedule.unfinished.is_none() {
                // Warps that wait or have ended take time too.
                self.charge(TURN);
                if self.is_exhausted() {
                    continue;
                }
            }
            let allowed = exact.min(self.settings.limit) - self.steps;
            // At the step limit the run ends, and so does the turn. Only a turn that will be continued is stored as unfinished.
            let pauses = exact < self.settings.limit || *waits < u64::MAX;
            let (steps, end) = self.run_warp(
                &executable,
                position,
                TurnBudget { allowed, pauses, waits },
                recorder.as_deref_mut(),
                cancelled,
            );
            self.steps += steps;
            self.schedule.executed += steps;
            match end {
                End::Cut if pauses => self.schedule.next = position,
                End::Over | End::Cut => {}
                End::Run => return Progress::Ended(RunStatus::Fault),
            }
        }
    }

    /// Ends a round, after every warp has had its turn: removes finished clusters, starts new ones, and checks whether any group has made
    /// progress. Returns the status if the run is deadlocked.
    fn end_round(&mut self) -> Option<RunStatus> {
        self.schedule.next = WarpPosition::default();
        let before = self.clusters.len();
        let ended: u64 = self.clusters.iter().filter(|c| c.is_finished()).map(|c| c.held()).sum();
        self.release(ended);
        for cluster in &mut self.clusters {
            cluster.rounds += 1;
            if cluster.is_finished() {
                self.races.give_back(cluster.ctas.iter().map(|cta| cta.shared.shadow_units()).sum());
            }
        }
        self.clusters.retain(|c| !c.is_finished());
        let went_on = std::mem::take(&mut self.schedule.executed) > 0;
        if self.clusters.len() < before {
            (self.schedule.level, self.schedule.since) = (0, self.steps);
            return None;
        }
        if went_on {
            self.schedule.level = 0;
            let idle = self.steps - self.schedule.since;
            match &mut self.part {
                Some(part) => {
                    part.overlaps |= idle > MAX_IDLE_STEPS;
                    part.depends |= idle > MAX_CTA_STEPS;
                }
                None if idle > MAX_IDLE_STEPS => {
                    self.admit();
                }
                None => {}
            }
            return None;
        }
        if let Some(part) = &mut self.part {
            part.depends = true;
            return None;
        }
        if self.admit() {
            self.schedule.level = 0;
            return None;
        }
        let still = self.progress == self.schedule.progress;
        self.schedule.hopeless = if still { self.schedule.hopeless + 1 } else { 0 };
        self.schedule.progress = self.progress;
        self.schedule.level += 1;
        if self.schedule.level > 2 || self.schedule.hopeless > MAX_HOPELESS_ROUNDS {
            self.report_deadlock();
            return Some(RunStatus::Deadlock);
        }
        None
    }

    /// The number of the last cluster to execute, plus one.
    fn last_cluster(&self) -> u64 {
        self.part.as_ref().map_or(u64::MAX, |part| part.end).min(self.cluster_count())
    }

    /// Starts the next cluster, if one is left and there is room for it.
    fn admit(&mut self) -> bool {
        let running: usize = self.clusters.iter().map(|c| c.ctas.len()).sum();
        if running > 0 && running + self.shape.cluster_ctas() as usize > MAX_RESIDENT_CTAS {
            return false;
        }
        let needed = self.cluster_at_start();
        while self.next_cluster < self.last_cluster() {
            if self.taken_over > 0 {
                self.taken_over -= 1;
                self.next_cluster += 1;
                continue;
            }
            if !self.has_room(needed) {
                return false;
            }
            let number = self.next_cluster;
            self.next_cluster += 1;
            self.charge(self.cluster_effort());
            let cluster = self.start(number);
            self.hold(needed);
            self.clusters.push(cluster);
            self.schedule.since = self.steps;
            return true;
        }
        false
    }

    /// Runs the turn of a warp, or the rest of an interrupted turn, for at most `allowed` instructions. If `pauses` is set and they are too
    /// few, the turn is stored and continues later. Returns the number of instructions executed, and how the turn ended.
    fn run_warp(
        &mut self,
        executable: &Executable,
        position: WarpPosition,
        budget: TurnBudget<'_>,
        mut recorder: Option<&mut Recorder>,
        cancelled: &dyn Fn() -> bool,
    ) -> (u64, End) {
        let WarpPosition { cluster, rank, number } = position;
        let TurnBudget { allowed, pauses, waits } = budget;
        let unfinished = self.schedule.unfinished.take();
        let mut warp = std::mem::take(&mut self.clusters[cluster].ctas[rank].warps[number]);
        if unfinished.is_none() {
            for group in &mut warp.groups {
                if group.state == GroupReadiness::Waiting {
                    group.state = GroupReadiness::Ready;
                }
            }
        }
        let fair = self.clusters[cluster].rounds % FAIRNESS == FAIRNESS - 1;
        let (begin, mut piece) = unfinished.map_or((0, None), |u| (u.done, u.piece));
        let (mut done, mut end) = (begin, End::Cut);
        while done - begin < allowed {
            if done >= QUANTUM {
                end = End::Over;
                break;
            }
            let current = match piece.take() {
                Some(piece) => piece,
                None => {
                    tidy(&mut warp);
                    self.gather(executable, &mut warp, cluster, rank);
                    let Some((at, meet)) = self.pick(executable, &warp, &warp.groups, fair && done == 0) else {
                        end = End::Over;
                        break;
                    };
                    // Slices are short, so that a cancelled run ends soon.
                    self.schedule.spent = 0;
                    GroupSlice { at, meet, left: (QUANTUM - done).min(256), done: 0 }
                }
            };
            let budget = current.left.min(allowed - (done - begin));
            let turn = Turn {
                cluster,
                rank,
                idle: self.schedule.level > 0,
                budget,
                meet: current.meet,
                time: self.steps + (done - begin),
                recorder: recorder.as_deref_mut(),
            };
            let cut = budget < current.left;
            let last = if cut { warp.groups.get(current.at).map_or(0, |g| g.turn) } else { 0 };
            let GroupRun { steps, stop } = self.run_group(executable, &mut warp, current.at, turn);
            done += steps;
            if stop == Stop::Ends || ((steps > 64 || stop == Stop::Tired) && cancelled()) {
                end = if stop == Stop::Ends { End::Run } else { End::Over };
                break;
            }
            if cut && stop == Stop::Turn && steps == budget {
                // Lanes that leave the group later in this slice inherit its previous `turn`.
                if let Some(group) = warp.groups.get_mut(current.at) {
                    group.turn = last;
                }
                piece = Some(GroupSlice { left: current.left - steps, done: current.done + steps, ..current });
                break;
            }
            if steps == 0 {
                *waits -= 1;
                self.charge(WAIT);
            }
            if self.is_exhausted() {
                end = End::Over;
                break;
            }
            if stop == Stop::Yields || (stop == Stop::Turn && current.done + steps == 0 && current.meet == u32::MAX) {
                end = End::Over;
                break;
            }
            if *waits == 0 {
                break;
            }
        }
        if done >= QUANTUM && end == End::Cut {
            end = End::Over;
        }
        if let Some(recorder) = recorder {
            let target = WarpId { cta: self.clusters[cluster].ctas[rank].number, warp: number as u32 };
            recorder.note_turn(target, warp.lanes.steps);
        }
        if end == End::Cut && pauses {
            if piece.is_none() {
                // This also happens when the turn continues. An observer thus sees lanes at the same instruction as one group.
                tidy(&mut warp);
            }
            self.schedule.unfinished = Some(Unfinished { done, piece });
            self.clusters[cluster].ctas[rank].warps[number] = warp;
            return (done - begin, end);
        }
        tidy(&mut warp);
        self.note_exits(&mut warp, position);
        self.clusters[cluster].ctas[rank].warps[number] = warp;
        (done - begin, end)
    }

    /// Reports where each group waits.
    fn report_deadlock(&mut self) {
        let mut places = Vec::new();
        for (c, cluster) in self.clusters.iter().enumerate() {
            for (r, cta) in cluster.ctas.iter().enumerate() {
                for warp in &cta.warps {
                    for group in &warp.groups {
                        let function = warp.frame(group.frame).map_or(0, |f| f.function);
                        places.push((
                            (c, r),
                            warp.lanes.clone(),
                            group.mask,
                            InstructionSite { function, instruction: group.pc },
                        ));
                    }
                }
            }
        }
        for ((cluster, rank), warp, mask, site) in places {
            let turn = Turn::none(cluster, rank, true);
            let words = || format!("lanes {} wait here, and no thread is left that could release them", list(mask));
            self.note(&turn, &warp, FaultKind::Deadlock, site, mask, words);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::list;

    #[test]
    fn lanes_are_listed_in_ranges() {
        assert_eq!(list(0), "none");
        assert_eq!(list(u32::MAX), "0-31");
        assert_eq!(list(0b1011_0001), "0, 4-5, 7");
    }
}
