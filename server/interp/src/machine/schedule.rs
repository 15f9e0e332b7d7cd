//! Whose turn it is: clusters, CTAs and warps in the order of their numbers, each for a quantum, and in a warp the group that comes first.
//!
//! The order depends on nothing but the program, so a run can be repeated from any copy of the machine that was made between two quanta.

use super::Machine;
use super::code::Executable;
use super::group::{GroupRun, Stop, Turn};
use super::record::{Recorder, WarpId};
use super::warp::{Group, GroupReadiness, Warp};
use crate::findings::{FaultKind, InstructionSite};
use crate::lanes::{LaneMask, lanes};
use std::sync::Arc;

/// Instructions that a warp executes in its turn.
const QUANTUM: u64 = 1024;

/// Each so many rounds, in each warp the group that has waited longest goes first: so a lock that lanes of a warp take from each other is
/// released in the end.
const FAIRNESS: u64 = 8;

/// CTAs that run at the same time at most.
const MAX_RESIDENT_CTAS: usize = 1024;

/// After so many steps in which no cluster came to its end, another one starts: they may wait for it in a loop.
const MAX_IDLE_STEPS: u64 = 200_000;

/// So often everybody may give up waiting without anything changing before that is called a deadlock.
const MAX_HOPELESS_ROUNDS: u32 = 256;

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunStatus {
    /// All threads have exited.
    Finished,
    /// Something was found that ends it.
    Fault,
    /// The limit of steps was reached.
    Limit,
    /// No group could go on.
    Deadlock,
    /// Cancelled.
    Cancelled,
}

/// How far a run has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// As far as was asked for.
    Paused,
    /// To its end.
    Ended(RunStatus),
}

/// What the scheduler remembers between quanta.
#[derive(Debug, Clone, Default)]
pub(crate) struct Schedule {
    /// Cluster, CTA and warp that are next.
    next: (usize, usize, usize),
    /// Instructions in this round.
    executed: u64,
    /// Rounds in which no group went on.
    level: u8,
    /// The count of visible changes in the last such round.
    progress: u64,
    /// Rounds in which no group went on and nothing had changed.
    hopeless: u32,
    /// Steps when a cluster started or ended last.
    since: u64,
    /// How often every warp has had its turn.
    rounds: u64,
    /// Work of the piece that is executed, beyond that of ordinary instructions.
    pub(super) spent: u64,
    /// A turn that was stopped in the middle: that of the warp that is next.
    unfinished: Option<Unfinished>,
}

/// What goes on when a turn does that was stopped in the middle.
#[derive(Debug, Clone, Copy)]
struct Unfinished {
    /// Instructions of the turn that are done.
    done: u64,
    /// The group that was being executed, if it had not come to a place where the groups are looked at again.
    piece: Option<GroupSlice>,
}

/// A group that is executed for a while.
#[derive(Debug, Clone, Copy)]
struct GroupSlice {
    /// Its place in the warp.
    at: usize,
    /// Where in the order of its function it must stop.
    meet: u32,
    /// Instructions that it may execute still.
    left: u64,
    /// Instructions that it has executed.
    done: u64,
}

/// How a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// The next warp has its turn.
    Over,
    /// It was stopped in the middle, because as many instructions were executed as were asked for.
    Cut,
    /// The run ends.
    Run,
}

impl Machine {
    /// Executes at least until so many steps are done in all, and to the end of a quantum, or to the end of the run.
    pub fn advance(&mut self, until: u64, recorder: Option<&mut Recorder>, cancelled: &dyn Fn() -> bool) -> Progress {
        self.execute(until, u64::MAX, &mut { u64::MAX }, recorder, cancelled)
    }

    /// Executes until exactly so many steps are done in all, or to the end of the run. Going on from there is the same as not having
    /// stopped.
    pub fn advance_to(&mut self, time: u64, recorder: Option<&mut Recorder>, cancelled: &dyn Fn() -> bool) -> Progress {
        self.execute(time, time, &mut { u64::MAX }, recorder, cancelled)
    }

    /// Has everybody who must wait do so, up to the very moment before the next instruction is executed: until then, whoever comes to a
    /// barrier last before a stop does not know yet that it must wait.
    pub fn settle(&mut self, cancelled: &dyn Fn() -> bool) {
        // Whether an instruction waits is known only when it has been tried. So it is counted how often somebody waits before the next one
        // is done, and then just that is done.
        let (mut ahead, mut left) = (self.clone(), u64::MAX);
        let next = self.steps + 1;
        ahead.execute(next, next, &mut left, None, cancelled);
        let mut waits = u64::MAX - left;
        if ahead.steps == next && waits > 0 {
            self.execute(next, next, &mut waits, None, cancelled);
        }
    }

    /// Executes until so many steps are done and a turn is over, but never more steps than `exact`, and until groups have stopped so often
    /// without a step, which is counted down in `waits`.
    fn execute(
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
                if self.next_cluster >= self.cluster_count() {
                    return Progress::Ended(RunStatus::Finished);
                }
                self.report_no_room();
                return Progress::Ended(RunStatus::Fault);
            }
            if self.steps >= self.settings.limit {
                // The last step that is allowed may have been the last that there is.
                let finished =
                    self.next_cluster >= self.cluster_count() && self.clusters.iter().all(|c| c.is_finished());
                return Progress::Ended(if finished { RunStatus::Finished } else { RunStatus::Limit });
            }
            if self.steps >= until || *waits == 0 || recorder.as_ref().is_some_and(|r| r.is_full()) {
                return Progress::Paused;
            }
            if cancelled() {
                return Progress::Ended(RunStatus::Cancelled);
            }
            let (cluster, rank, warp) = self.schedule.next;
            let Some(cta) = self.clusters.get(cluster).and_then(|c| c.ctas.get(rank)) else {
                match self.end_round() {
                    Some(status) => return Progress::Ended(status),
                    None => continue,
                }
            };
            if warp >= cta.warps.len() {
                let more = rank + 1 < self.clusters[cluster].ctas.len();
                self.schedule.next = if more { (cluster, rank + 1, 0) } else { (cluster + 1, 0, 0) };
                continue;
            }
            self.schedule.next = (cluster, rank, warp + 1);
            let allowed = exact.min(self.settings.limit) - self.steps;
            // Where the run ends, the warp's turn does: only what goes on later is left as it is.
            let pauses = exact < self.settings.limit || *waits < u64::MAX;
            let (steps, end) = self.run_warp(
                &executable,
                (cluster, rank, warp),
                (allowed, pauses, waits),
                recorder.as_deref_mut(),
                cancelled,
            );
            self.steps += steps;
            self.schedule.executed += steps;
            match end {
                End::Cut if pauses => self.schedule.next = (cluster, rank, warp),
                End::Over | End::Cut => {}
                End::Run => return Progress::Ended(RunStatus::Fault),
            }
        }
    }

    /// After all warps have had their turn: takes away what is finished, and checks whether any group has gone on.
    fn end_round(&mut self) -> Option<RunStatus> {
        self.schedule.next = (0, 0, 0);
        self.schedule.rounds += 1;
        let before = self.clusters.len();
        let ended: u64 = self.clusters.iter().filter(|c| c.is_finished()).map(|c| c.held()).sum();
        self.release(ended);
        self.clusters.retain(|c| !c.is_finished());
        let went_on = std::mem::take(&mut self.schedule.executed) > 0;
        if self.clusters.len() < before {
            (self.schedule.level, self.schedule.since) = (0, self.steps);
            return None;
        }
        if went_on {
            self.schedule.level = 0;
            if self.steps - self.schedule.since > MAX_IDLE_STEPS {
                self.admit();
            }
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

    /// Starts the next cluster, if there is one and room for it.
    fn admit(&mut self) -> bool {
        let running: usize = self.clusters.iter().map(|c| c.ctas.len()).sum();
        if running > 0 && running + self.shape.cluster_ctas() as usize > MAX_RESIDENT_CTAS {
            return false;
        }
        let needed = self.cluster_at_start();
        while self.next_cluster < self.cluster_count() {
            if self.cancelled.remove(&self.next_cluster) {
                self.next_cluster += 1;
                continue;
            }
            if !self.has_room(needed) {
                return false;
            }
            let number = self.next_cluster;
            self.next_cluster += 1;
            let cluster = self.start(number);
            self.hold(needed);
            self.clusters.push(cluster);
            self.schedule.since = self.steps;
            return true;
        }
        false
    }

    /// The turn of a warp, or what is left of it: so many instructions at most. `pauses` says that the turn goes on later if they are too
    /// few for it. Gives the instructions that it executed, and how it ended.
    fn run_warp(
        &mut self,
        executable: &Executable,
        (cluster, rank, number): (usize, usize, usize),
        (allowed, pauses, waits): (u64, bool, &mut u64),
        mut recorder: Option<&mut Recorder>,
        cancelled: &dyn Fn() -> bool,
    ) -> (u64, End) {
        let unfinished = self.schedule.unfinished.take();
        let mut warp = std::mem::take(&mut self.clusters[cluster].ctas[rank].warps[number]);
        if unfinished.is_none() {
            for group in &mut warp.groups {
                if group.state == GroupReadiness::Waiting {
                    group.state = GroupReadiness::Ready;
                }
            }
        }
        let fair = self.schedule.rounds % FAIRNESS == FAIRNESS - 1;
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
                    self.gather(executable, &mut warp, (cluster, rank));
                    let Some((at, meet)) = self.pick(executable, &warp, &warp.groups, fair && done == 0) else {
                        end = End::Over;
                        break;
                    };
                    // In pieces, so that a cancelled run ends soon.
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
                // Lanes that part from it in what is left of the piece take with them when it was executed before.
                if let Some(group) = warp.groups.get_mut(current.at) {
                    group.turn = last;
                }
                piece = Some(GroupSlice { left: current.left - steps, done: current.done + steps, ..current });
                break;
            }
            *waits -= u64::from(steps == 0);
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
                // As it happens when the turn goes on: whoever looks sees lanes at one place together.
                tidy(&mut warp);
            }
            self.schedule.unfinished = Some(Unfinished { done, piece });
            self.clusters[cluster].ctas[rank].warps[number] = warp;
            return (done - begin, end);
        }
        tidy(&mut warp);
        self.note_exits(&mut warp, (cluster, rank, number));
        self.clusters[cluster].ctas[rank].warps[number] = warp;
        (done - begin, end)
    }

    /// What lanes that have ended since the last turn leave behind: their CTA counts them, and has tensor memory to be freed when they were its last.
    fn note_exits(&mut self, warp: &mut Warp, (cluster, rank, number): (usize, usize, usize)) {
        let mut leaks = Vec::new();
        let cta = &mut self.clusters[cluster].ctas[rank];
        if let Some(gone) = cta.gone.get_mut(number) {
            let now = !warp.lanes.present | warp.lanes.exited;
            let exited = now & !*gone;
            cta.live -= exited.count_ones();
            *gone = now;
            if exited != 0 && cta.live == 0 {
                leaks = std::mem::take(&mut cta.tensor.allocations);
            }
            if exited != 0 && self.settings.checks.has(FaultKind::Race) {
                let own = (cta.number, number as u32, self.shape.warps());
                super::races::exit(&mut warp.lanes.clock, own, &mut cta.barriers.exited);
            }
        }
        if warp.is_finished() {
            self.release(warp.frames_held());
            warp.frames.clear();
        }
        for leak in leaks {
            let turn = Turn::none((cluster, rank), false);
            let words = || {
                let columns = leak.columns;
                format!(
                    "{columns} columns of tensor memory are allocated here and never freed: `tcgen05.dealloc` must come before the end"
                )
            };
            self.note(&turn, &warp.lanes, FaultKind::Undefined, leak.site, warp.lanes.present, words);
        }
    }

    /// The group whose turn it is, and in the order of its function where it must stop.
    #[inline(always)]
    fn pick(&self, executable: &Executable, warp: &Warp, groups: &[Group], fair: bool) -> Option<(usize, u32)> {
        let ready = |g: &&Group| matches!(g.state, GroupReadiness::Ready | GroupReadiness::Gathered);
        let mut candidates = groups.iter().enumerate().filter(|(_, g)| ready(g));
        let first = candidates.next()?;
        if groups.len() == 1 {
            return Some((first.0, u32::MAX));
        }
        let all = || groups.iter().enumerate().filter(|(_, g)| ready(g));
        if fair {
            let oldest = all().min_by_key(|(i, g)| (g.turn, *i))?;
            return Some((oldest.0, u32::MAX));
        }
        let chosen = all().min_by_key(|(i, g)| (warp.position(self, g), *i))?;
        // Where lanes that are not behind it stand, or will come back to.
        let group = chosen.1;
        let code = executable.code(warp.frame(group.frame)?.function)?;
        let own = code.order.get(group.pc as usize).copied().unwrap_or(u32::MAX);
        let others = groups.iter().enumerate().filter(|(i, _)| *i != chosen.0);
        let meets = others.filter_map(|(_, other)| {
            let (mut pc, mut at) = (other.pc, other.frame);
            while at != group.frame {
                let frame = warp.frame(at)?;
                (pc, at) = (frame.call + 1, frame.parent?);
            }
            code.order.get(pc as usize).copied().filter(|m| *m > own)
        });
        Some((chosen.0, meets.min().unwrap_or(u32::MAX)))
    }

    /// The group of a warp that goes on first, as far as can be told before it has its turn: of those that wait for something outside of
    /// the warp nobody knows whether they still must.
    pub(crate) fn next_group(&self, (cluster, rank, number): (usize, usize, usize)) -> Option<usize> {
        let warp = self.clusters.get(cluster)?.ctas.get(rank)?.warps.get(number)?;
        let own = self.schedule.unfinished.filter(|_| self.schedule.next == (cluster, rank, number));
        if let Some(piece) = own.and_then(|u| u.piece) {
            return Some(piece.at);
        }
        let mut groups = warp.groups.clone();
        if own.is_none() {
            let waiting = groups.iter_mut().filter(|g| g.state == GroupReadiness::Waiting);
            waiting.for_each(|g| g.state = GroupReadiness::Ready);
        }
        let fair = self.schedule.rounds % FAIRNESS == FAIRNESS - 1 && own.is_none_or(|u| u.done == 0);
        let picked = self.pick(&self.executable, warp, &groups, fair);
        picked.map(|(at, _)| at).or((!groups.is_empty()).then_some(0))
    }

    /// Groups that wait for lanes of the warp: joins those at one place, and lets go whoever has all that it needs.
    fn gather(&mut self, executable: &Executable, warp: &mut Warp, (cluster, rank): (usize, usize)) {
        if !warp.groups.iter().any(|g| matches!(g.state, GroupReadiness::Gathering(_))) {
            return;
        }
        let live = warp.lanes.present & !warp.lanes.exited;
        for at in (0..warp.groups.len()).rev() {
            let group = &warp.groups[at];
            if !matches!(group.state, GroupReadiness::Gathering(_)) {
                continue;
            }
            // The states say the same of which lanes are named: who names others does not meet.
            let same = |o: &Group| (o.frame, o.pc, o.state) == (group.frame, group.pc, group.state);
            if let Some(twin) = (0..at).find(|i| same(&warp.groups[*i])) {
                let mask = std::mem::take(&mut warp.groups[at].mask);
                warp.groups[twin].mask |= mask;
            }
        }
        tidy(warp);
        let anywhere = |g: &Group| {
            let code = warp.frame(g.frame).and_then(|f| executable.code(f.function));
            code.and_then(|c| c.ops.get(g.pc as usize)).is_some_and(|o| o.meets_anywhere)
        };
        let free: Vec<bool> = warp
            .groups
            .iter()
            .map(|g| match g.state {
                GroupReadiness::Gathering(needed) if anywhere(g) => {
                    let meets = warp.groups.iter().filter(|o| o.state == g.state && anywhere(o));
                    needed & live & !meets.fold(0, |all, o| all | o.mask) == 0
                }
                GroupReadiness::Gathering(needed) => needed & live & !g.mask == 0,
                _ => false,
            })
            .collect();
        let mut any = false;
        for (group, free) in warp.groups.iter_mut().zip(&free) {
            if *free {
                (group.state, any) = (GroupReadiness::Gathered, true);
            }
        }
        if any || self.schedule.level < 2 {
            return;
        }
        // No group anywhere can go on: a deadlock.
        let stuck = warp.groups.iter().position(|g| matches!(g.state, GroupReadiness::Gathering(_)));
        let Some(at) = stuck else { return };
        let group = warp.groups[at].clone();
        let GroupReadiness::Gathering(needed) = group.state else { return };
        let absent = needed & live & !group.mask;
        let function = warp.frame(group.frame).map_or(0, |f| f.function);
        let site = InstructionSite { function, instruction: group.pc };
        let turn = Turn::none((cluster, rank), true);
        let words = || {
            format!(
                "lanes {} wait here for lanes {}, which are elsewhere and never come",
                list(group.mask),
                list(absent)
            )
        };
        self.note(&turn, &warp.lanes, FaultKind::Divergence, site, group.mask, words);
        warp.groups[at].state = GroupReadiness::Gathered;
    }

    /// Says where everybody waits.
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
            let turn = Turn::none((cluster, rank), true);
            let words = || format!("lanes {} wait here, and no thread that could let them go on is left", list(mask));
            self.note(&turn, &warp, FaultKind::Deadlock, site, mask, words);
        }
    }
}

/// Removes empty groups, and joins those at one place that can go on.
fn tidy(warp: &mut Warp) {
    if warp.groups.len() == 1 && warp.groups[0].mask != 0 {
        return;
    }
    warp.groups.retain(|g| g.mask != 0);
    let joins = |g: &Group| g.state == GroupReadiness::Ready && g.token.is_none();
    let mut at = 0;
    while at < warp.groups.len() {
        let group = &warp.groups[at];
        let (frame, pc) = (group.frame, group.pc);
        let twin = (0..at).find(|i| {
            let other = &warp.groups[*i];
            other.frame == frame && other.pc == pc && joins(other)
        });
        match twin.filter(|_| joins(&warp.groups[at])) {
            Some(twin) => {
                let gone = warp.groups.remove(at);
                warp.groups[twin].mask |= gone.mask;
                warp.groups[twin].turn = warp.groups[twin].turn.min(gone.turn);
            }
            None => at += 1,
        }
    }
}

/// Lanes in words: `0-15, 31`.
pub(crate) fn list(mask: LaneMask) -> String {
    let mut out: Vec<String> = Vec::new();
    let mut run: Option<(usize, usize)> = None;
    let mut close = |run: Option<(usize, usize)>| match run {
        Some((from, to)) if from == to => out.push(from.to_string()),
        Some((from, to)) => out.push(format!("{from}-{to}")),
        None => {}
    };
    for lane in lanes(mask) {
        run = match run {
            Some((from, to)) if to + 1 == lane => Some((from, lane)),
            other => {
                close(other);
                Some((lane, lane))
            }
        };
    }
    close(run);
    if out.is_empty() { "none".into() } else { out.join(", ") }
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
