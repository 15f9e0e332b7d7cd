//! The execution loop for a group of lanes.

use super::code::{Executable, FunctionCode, LaneGathering, Op, OpAction};
use super::context::{ExecContext, StepOutcome};
use super::record::{CallResults, Recorder, StepRecord, WarpId, entered, held_code, results};
use super::state::{CallFrame, Group, GroupReadiness, Warp, WarpLanes};
use super::{Machine, nan, specials};
use crate::findings::{FaultKind, InstructionSite};
use crate::lanes::{LaneMask, lanes};
use crate::memory::ledger;
use crate::registers::{PredicateSrc, RegisterFile, Src};
use crate::simd::LaneMarks;

/// Where and how far a group is executed.
pub(super) struct Turn<'t> {
    /// Index of the warp's cluster in [`Machine::clusters`].
    pub cluster: usize,
    /// Rank of the warp's CTA in the cluster.
    pub rank: usize,
    /// No group could continue in the last round.
    pub idle: bool,
    /// Maximum number of instructions.
    pub budget: u64,
    /// The priority number ([`FunctionCode::order`](super::code::FunctionCode::order)) at which the group must stop.
    pub meet: u32,
    /// The time at the first instruction: the number of instructions that all warps of the grid have executed before.
    pub time: u64,
    /// The recorder, if steps are recorded.
    pub recorder: Option<&'t mut Recorder>,
}

impl Turn<'_> {
    /// A turn that executes nothing: it only says where a finding belongs.
    pub(super) fn none(cluster: usize, rank: usize, idle: bool) -> Self {
        Self { cluster, rank, idle, budget: 0, meet: 0, time: 0, recorder: None }
    }
}

/// Why a group stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// It has reached the position where other lanes are or will be, or its budget is used up.
    Turn,
    /// It waits.
    Waits,
    /// Other groups should see its last effect before it continues.
    Yields,
    /// Its lanes have diverged, have exited or have changed the function: a group must be selected again.
    Changed,
    /// It has done much work: the scheduler should poll for cancellation.
    Tired,
    /// The run ends.
    Ends,
}

/// The result of executing a group.
pub(super) struct GroupRun {
    /// Number of instructions executed.
    pub steps: u64,
    /// Why it stopped.
    pub stop: Stop,
}

/// Extra work after which a group stops so that cancellation can be polled: about 0.4 ms.
const MAX_EFFORT: u64 = 8192;

impl Machine {
    /// Executes the group with index `at` until it must stop. The group keeps its index in the warp.
    pub(super) fn run_group(
        &mut self,
        executable: &Executable,
        warp: &mut Warp,
        at: usize,
        mut turn: Turn<'_>,
    ) -> GroupRun {
        let mut group = std::mem::take(&mut warp.groups[at]);
        let frame = warp.frames.get_mut(group.frame as usize).and_then(Option::take);
        let (Some(mut frame), true) = (frame, group.mask != 0) else {
            return GroupRun { steps: 0, stop: Stop::Changed };
        };
        let Some(code) = executable.code(frame.function) else { return GroupRun { steps: 0, stop: Stop::Changed } };
        let checks = self.settings.checks.has(FaultKind::UninitializedRegister);
        let numbers = self.settings.checks.has(FaultKind::NotANumber);
        let mut steps = 0;
        let target = WarpId { cta: self.clusters[turn.cluster].ctas[turn.rank].number, warp: warp.lanes.number };
        if turn.recorder.as_ref().is_some_and(|r| !r.includes(target)) {
            turn.recorder = None;
        }
        let recorded = turn.recorder.is_some();
        let stop = loop {
            // Steps that need not be recorded are executed by the fast loop.
            let mut left = turn.budget - steps.min(turn.budget);
            if recorded && let Some(recorder) = &turn.recorder {
                left = left.min(recorder.quiet(warp.lanes.steps, turn.time + steps));
            }
            if left > 0 && !numbers && !warp.lanes.wgmma.watches() {
                let done = run_simple(code, &mut frame, &mut group, left, turn.meet, checks);
                steps += done;
                warp.lanes.steps += done;
            }
            let Some(op) = code.ops.get(group.pc as usize) else {
                // The end of the body acts as a return.
                self.leave(warp, &mut frame, &mut group);
                break Stop::Changed;
            };
            if steps >= turn.budget || code.order[group.pc as usize] >= turn.meet {
                break Stop::Turn;
            }
            if op.prepared {
                specials::prepare(turn.time + steps, code, &mut frame, group.pc);
            }
            let (mut parted, mut yields) = (false, false);
            // A group that already waits (it has a token) has gathered its lanes before.
            if op.together != LaneGathering::Any && group.state != GroupReadiness::Gathered && group.token.is_none() {
                let (waiting, needed) = absent(op, &frame, group.mask, &warp.lanes);
                if waiting == group.mask
                    && let [(_, needed)] = needed[..]
                {
                    group.state = GroupReadiness::Gathering(needed);
                    break Stop::Waits;
                }
                for (mask, needed) in needed {
                    let mut other = group.clone();
                    (other.mask, other.state) = (mask, GroupReadiness::Gathering(needed));
                    warp.groups.push(other);
                    group.mask &= !mask;
                    parted = true;
                }
                if group.mask == 0 {
                    break Stop::Changed;
                }
            }
            let mask = op.guard.map_or(group.mask, |g| group.mask & frame.registers.predicate(g));
            let site = InstructionSite { function: frame.function, instruction: group.pc };
            let mut passed = Vec::new();
            if checks {
                self.check_reads(op.guard_slot.as_slice(), code, &frame, group.mask, site, &warp.lanes, &turn);
                self.check_reads(&op.uses, code, &frame, mask, site, &warp.lanes, &turn);
                if let Some(passing) = &op.passing {
                    passed = passing.unknowns(&code.slots, &frame, mask);
                }
            }
            if mask != 0 && !op.pipelined && warp.lanes.wgmma.watches() {
                self.check_pending(op, site, mask, warp, &turn);
            }
            // The fast loop may have reached the first step to record.
            let wanted =
                recorded && turn.recorder.as_ref().is_some_and(|r| r.quiet(warp.lanes.steps, turn.time + steps) == 0);
            if let Some(recorder) = turn.recorder.as_mut().filter(|_| wanted) {
                recorder.before(&frame, &code.slots, &op.writes);
            }
            let mut changed = None;
            match &op.action {
                _ if mask == 0 => group.pc += 1,
                OpAction::Lanes(step) => {
                    let watched = numbers && op.floats.is_some();
                    let before = if watched { nan::read(executable, code, op, &frame.registers, group.pc) } else { 0 };
                    let marked = step.run(&mut frame.registers, mask);
                    self.schedule.spent += op.effort.of(mask);
                    self.charge(op.effort.of(mask));
                    let sources = sources(op, &frame);
                    note_writes(op, &mut frame, mask, marked, sources);
                    if !passed.is_empty() {
                        frame.shadow.note_unknowns(passed);
                    }
                    if watched {
                        let made = nan::written(executable, code, &frame.registers, group.pc) & mask & !before;
                        self.note_nan(executable, &turn, &warp.lanes, site, made);
                    }
                    group.pc += 1;
                }
                OpAction::Nothing => group.pc += 1,
                OpAction::Branch(to) => {
                    let to = *to;
                    if mask == group.mask {
                        group.pc = to;
                    } else {
                        changed = Some(warp_split(warp, &group, mask, to));
                        group.mask &= !mask;
                        group.pc += 1;
                    }
                }
                OpAction::Machine(step) => {
                    let sources = sources(op, &frame);
                    let mut context = ExecContext {
                        registers: &mut frame.registers,
                        mask,
                        group: group.mask,
                        lanes: &mut warp.lanes,
                        machine: self,
                        cluster: turn.cluster,
                        rank: turn.rank,
                        site,
                        idle: turn.idle,
                        token: group.token,
                        marked: LaneMarks::default(),
                        sources,
                        exact: false,
                        uses: None,
                        effort: 0,
                        stopped: false,
                        noted: turn.recorder.as_mut().filter(|_| wanted).and_then(|r| r.noted()),
                    };
                    let outcome = step(&mut context);
                    let taken = ledger::collect();
                    if taken > 0 {
                        context.hold(taken, mask.trailing_zeros() as usize);
                    }
                    let (token, marked, stopped) = (context.token, context.marked, context.stopped);
                    let (exact, effort) = (context.exact, context.effort);
                    let effort =
                        u64::from(effort) + op.effort.of(mask) + self.races.take_effort(warp.lanes.clock.take_work());
                    self.schedule.spent += effort;
                    self.charge(effort);
                    group.token = token;
                    if stopped {
                        let lanes = (group.mask, mask);
                        self.record(&mut turn, warp, &frame, code, op, site, lanes, (steps, wanted));
                        steps += 1;
                        warp.lanes.steps += 1;
                        break Stop::Ends;
                    }
                    if outcome == StepOutcome::Wait {
                        let rest = group.mask & !mask;
                        if rest != 0 {
                            // Lanes whose guard is false do not wait.
                            let mut other = group.clone();
                            (other.mask, other.pc) = (rest, group.pc + 1);
                            (other.state, other.token) = (GroupReadiness::Ready, None);
                            warp.groups.push(other);
                            group.mask = mask;
                        }
                        if let Some(recorder) = turn.recorder.as_mut().filter(|_| wanted) {
                            recorder.abandon(&op.writes);
                        }
                        group.state = GroupReadiness::Waiting;
                        break Stop::Waits;
                    }
                    group.token = None;
                    let sources = if exact { LaneMarks::default() } else { sources };
                    note_writes(op, &mut frame, mask, marked, sources);
                    if !passed.is_empty() {
                        frame.shadow.note_unknowns(passed);
                    }
                    group.pc += 1;
                    yields = outcome == StepOutcome::Yield;
                }
                OpAction::Table(index, targets) => {
                    changed = Some(self.table(warp, &frame, &mut group, mask, *index, targets, site, &turn));
                }
                OpAction::Call(call) => {
                    let rest = group.mask & !mask;
                    if rest != 0 {
                        let mut other = group.clone();
                        (other.mask, other.pc) = (rest, group.pc + 1);
                        other.state = GroupReadiness::Ready;
                        warp.groups.push(other);
                        group.mask = mask;
                    }
                    self.record(&mut turn, warp, &frame, code, op, site, (mask | rest, mask), (steps, wanted));
                    let ok = self.call(executable, warp, frame, &mut group, call, site, &turn);
                    if let Some(recorder) = turn.recorder.as_mut().filter(|r| wanted && ok && r.amends()) {
                        entered(executable, warp, group.frame, recorder);
                    }
                    warp.lanes.steps += 1;
                    group.state = GroupReadiness::Ready;
                    warp.groups[at] = group;
                    return GroupRun { steps: steps + 1, stop: if ok { Stop::Changed } else { Stop::Ends } };
                }
                OpAction::Return | OpAction::Exit => {
                    let rest = group.mask & !mask;
                    if rest != 0 {
                        let mut other = group.clone();
                        (other.mask, other.pc, other.state) = (rest, group.pc + 1, GroupReadiness::Ready);
                        warp.groups.push(other);
                    }
                    group.mask = mask;
                    if !self.flights.is_empty() && (frame.parent.is_none() || matches!(op.action, OpAction::Exit)) {
                        self.check_copies_at_end(&turn, &warp.lanes, site, mask);
                    }
                    self.record(&mut turn, warp, &frame, code, op, site, (group.mask | rest, mask), (steps, wanted));
                    steps += 1;
                    warp.lanes.steps += 1;
                    if matches!(op.action, OpAction::Return) {
                        let call = (frame.parent, frame.call);
                        let amended = wanted && turn.recorder.as_ref().is_some_and(|r| r.amends());
                        let held = if amended { results(executable, warp, call) } else { None };
                        self.leave(warp, &mut frame, &mut group);
                        if let (Some(CallResults { caller, writes, before }), Some(recorder)) =
                            (held, turn.recorder.as_mut())
                            && let (Some(frame), Some(code)) = (warp.frame(caller), held_code(executable, warp, caller))
                        {
                            recorder.amend(frame, &code.slots, writes, &before);
                        }
                    } else {
                        self.exit(warp, &mut frame, &mut group);
                    }
                    break Stop::Changed;
                }
                OpAction::Refused(why) => {
                    let words = why.0.clone();
                    self.note(&turn, &warp.lanes, FaultKind::Unsupported, site, mask, || words);
                    break Stop::Ends;
                }
            }
            if wanted {
                let lanes = (group.mask | changed.map_or(0, |_| mask), mask);
                self.record(&mut turn, warp, &frame, code, op, site, lanes, (steps, wanted));
            }
            steps += 1;
            warp.lanes.steps += 1;
            group.state = GroupReadiness::Ready;
            if yields {
                break Stop::Yields;
            }
            if changed.is_some() || parted {
                break Stop::Changed;
            }
            if self.schedule.spent > MAX_EFFORT || self.is_exhausted() {
                break Stop::Tired;
            }
        };
        let index = group.frame as usize;
        if group.mask != 0 || frame.lanes != 0 {
            warp.frames[index].get_or_insert(frame);
        } else {
            self.release(frame.held());
        }
        group.turn = warp.lanes.steps;
        warp.groups[at] = group;
        GroupRun { steps, stop }
    }

    /// Adds a completed step to the recorder, if it is to be recorded. `lanes`: the group and the active lanes. `done`: the steps before it
    /// in this turn.
    #[expect(clippy::too_many_arguments, reason = "what a step was is known only here")]
    fn record(
        &self,
        turn: &mut Turn<'_>,
        warp: &Warp,
        frame: &CallFrame,
        code: &FunctionCode,
        op: &Op,
        site: InstructionSite,
        lanes: (LaneMask, LaneMask),
        (done, wanted): (u64, bool),
    ) {
        let time = turn.time + done;
        let Some(recorder) = turn.recorder.as_mut().filter(|_| wanted) else { return };
        let mut depth = 0;
        let mut at = frame.parent;
        while let Some(parent) = at.and_then(|p| warp.frame(p)) {
            depth += 1;
            at = parent.parent;
        }
        let target = WarpId { cta: self.clusters[turn.cluster].ctas[turn.rank].number, warp: warp.lanes.number };
        let (step, (group, mask)) = (warp.lanes.steps, lanes);
        let step = StepRecord { target, step, time, site, group, mask, depth, writes: 0, accesses: 0, more: false };
        recorder.after(step, frame, &code.slots, &op.writes);
    }

    /// Reports registers that an instruction reads in lanes where they were never written.
    #[expect(clippy::too_many_arguments, reason = "what a step was is known only here")]
    #[inline]
    fn check_reads(
        &mut self,
        slots: &[u32],
        code: &FunctionCode,
        frame: &CallFrame,
        mask: LaneMask,
        site: InstructionSite,
        lanes: &WarpLanes,
        turn: &Turn<'_>,
    ) {
        for slot in slots {
            let known = frame.shadow.known.get(*slot as usize).copied().unwrap_or(0);
            if mask & !known != 0 {
                let copied = mask & !known & !frame.shadow.copied.lanes(*slot) == 0;
                let executable = std::sync::Arc::clone(&self.executable);
                let name = executable
                    .function(code.function)
                    .map_or_else(String::new, |f| f.register_name(ptx_flow::flow::RegisterSlot(*slot)));
                let words = || match copied {
                    true => format!(
                        "`{name}` is read, but it holds a copy of a register that was never written: give that register a value on every path to this point"
                    ),
                    false => {
                        format!("`{name}` is read, but was never written: give it a value on every path to this point")
                    }
                };
                self.note(turn, lanes, FaultKind::UninitializedRegister, site, mask & !known, words);
            }
        }
    }

    /// Reports that an instruction produced a NaN in the lanes `made`.
    fn note_nan(
        &mut self,
        executable: &Executable,
        turn: &Turn<'_>,
        lanes: &WarpLanes,
        site: InstructionSite,
        made: LaneMask,
    ) {
        if made == 0 {
            return;
        }
        let function = executable.function(site.function);
        let name = function.map_or("", |f| f.entry(site.instruction as usize).name);
        let words = || format!("`{name}` produces a NaN, though none of its operands is one");
        self.note(turn, lanes, FaultKind::NotANumber, site, made, words);
    }

    /// Adds a finding for an instruction that has no [`ExecContext`].
    pub(super) fn note(
        &mut self,
        turn: &Turn<'_>,
        lanes: &WarpLanes,
        kind: FaultKind,
        site: InstructionSite,
        mask: LaneMask,
        message: impl FnOnce() -> String,
    ) {
        if !self.settings.checks.has(kind) {
            return;
        }
        let cta = self.clusters[turn.cluster].ctas[turn.rank].index;
        let (warp, step) = (lanes.number, lanes.steps);
        let fault = || crate::findings::Fault {
            kind,
            message: message(),
            site,
            lanes: mask,
            cta,
            warp,
            step,
            count: 1,
            related: None,
        };
        self.findings.add(kind, site, fault);
    }

    /// Executes `brx.idx`: the lanes of each target become a group of their own.
    #[expect(clippy::too_many_arguments, reason = "what a step was is known only here")]
    fn table(
        &mut self,
        warp: &mut Warp,
        frame: &CallFrame,
        group: &mut Group,
        mask: LaneMask,
        index: Src<u32>,
        targets: &[u32],
        site: InstructionSite,
        turn: &Turn<'_>,
    ) -> bool {
        let indices = frame.registers.get(index);
        let mut left = mask;
        while left != 0 {
            let first = indices[left.trailing_zeros() as usize];
            let same = lanes(left).filter(|l| indices[*l] == first).fold(0, |m, l| m | 1 << l);
            left &= !same;
            let to = match targets.get(first as usize) {
                Some(to) => *to,
                None => {
                    let count = targets.len();
                    self.note(turn, &warp.lanes, FaultKind::Undefined, site, same, || {
                        format!(
                            "index {first} of a list of {count} labels: the target is undefined (here, the last one)"
                        )
                    });
                    targets.last().copied().unwrap_or(u32::MAX)
                }
            };
            let mut other = group.clone();
            (other.mask, other.pc, other.state) = (same, to, GroupReadiness::Ready);
            warp.groups.push(other);
        }
        group.mask &= !mask;
        group.pc += 1;
        true
    }
}

/// The lanes of a group that must wait for other lanes of the warp before they execute an instruction. Returns all of them, and a list of
/// (lanes, lanes that they wait for): lanes that name different masks wait separately. Lanes whose guard is false do not wait, unless the
/// whole warp must be present.
fn absent(op: &Op, frame: &CallFrame, group: LaneMask, warp: &WarpLanes) -> (LaneMask, Vec<(LaneMask, LaneMask)>) {
    let live = warp.present & !warp.exited;
    let mask = op.guard.map_or(group, |g: PredicateSrc| group & frame.registers.predicate(g));
    let nobody = (0, Vec::new());
    match op.together {
        _ if mask == 0 => nobody,
        LaneGathering::Any => nobody,
        LaneGathering::Warp if live & !group == 0 => nobody,
        LaneGathering::Warp => (group, vec![(group, LaneMask::MAX)]),
        LaneGathering::Named(place) => {
            let named = |lane: usize| frame.registers.lane_bits(place, lane) as LaneMask;
            let first = named(mask.trailing_zeros() as usize);
            if place.file == RegisterFile::Constant && first & live & !group == 0 {
                return nobody;
            }
            let (mut waiting, mut parts, mut left) = (0, Vec::new(), mask);
            while left != 0 {
                let needed = named(left.trailing_zeros() as usize);
                let same = lanes(left).filter(|l| named(*l) == needed).fold(0, |m, l| m | 1 << l);
                left &= !same;
                if needed & live & !group != 0 {
                    waiting |= same;
                    parts.push((same, needed));
                }
            }
            (waiting, parts)
        }
    }
}

/// Makes a group of the lanes that take a branch.
fn warp_split(warp: &mut Warp, group: &Group, mask: LaneMask, to: u32) -> bool {
    let mut other = group.clone();
    (other.mask, other.pc, other.state, other.token) = (mask, to, GroupReadiness::Ready, None);
    warp.groups.push(other);
    true
}

/// The combined marks of the registers that an instruction reads.
#[inline]
fn sources(op: &Op, frame: &CallFrame) -> LaneMarks {
    let mut out = LaneMarks::default();
    for slot in &op.reads {
        out.unspecified |= frame.shadow.unspecified.get(*slot as usize).copied().unwrap_or(0);
        out.approximate |= frame.shadow.approximate.get(*slot as usize).copied().unwrap_or(0);
    }
    out
}

/// Updates the status of the registers that an instruction wrote.
#[inline]
fn note_writes(op: &Op, frame: &mut CallFrame, mask: LaneMask, marked: LaneMarks, sources: LaneMarks) {
    let (unspecified, approximate) =
        (marked.unspecified | sources.unspecified, marked.approximate | sources.approximate);
    let shadow = &mut frame.shadow;
    for slot in &op.writes {
        let slot = *slot as usize;
        if let (Some(k), Some(u), Some(a)) =
            (shadow.known.get_mut(slot), shadow.unspecified.get_mut(slot), shadow.approximate.get_mut(slot))
        {
            *k |= mask;
            *u = (*u & !mask) | (unspecified & mask);
            *a = (*a & !mask) | (approximate & mask);
        }
    }
}

/// Executes up to `budget` simple operations as long as none of them needs a report. Returns their number.
fn run_simple(
    code: &FunctionCode,
    frame: &mut CallFrame,
    group: &mut Group,
    budget: u64,
    meet: u32,
    checks: bool,
) -> u64 {
    let mut pc = group.pc as usize;
    let mut done = 0;
    while done < budget {
        let Some((op, order)) = code.ops.get(pc).zip(code.order.get(pc)) else { break };
        if !op.simple || *order >= meet {
            break;
        }
        let mask = op.guard.map_or(group.mask, |g| group.mask & frame.registers.predicate(g));
        if checks && !op.is_known(&frame.shadow, group.mask, mask) {
            break;
        }
        match &op.action {
            OpAction::Lanes(step) if mask != 0 => {
                let marked = step.run(&mut frame.registers, mask);
                let sources = sources(op, frame);
                note_writes(op, frame, mask, marked, sources);
                pc += 1;
            }
            OpAction::Branch(to) if mask == group.mask => pc = *to as usize,
            OpAction::Branch(_) if mask != 0 => break,
            _ => pc += 1,
        }
        done += 1;
    }
    if done > 0 {
        (group.pc, group.state) = (pc as u32, GroupReadiness::Ready);
    }
    done
}
