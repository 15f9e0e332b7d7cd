//! Searches for the next stop of a run, forwards or backwards: a breakpoint, a finding, or the end of a step.
//!
//! A search runs on its own thread. It uses only the history and the breakpoints, and can be cancelled at any time.

use super::history::RunHistory;
use super::places::SourceMap;
use super::stops::{DataWatch, Point, Stops, Watch};
use super::wire::ClientConnection;
use ptx_interp::findings::{Fault, InstructionSite};
use ptx_interp::lanes::LaneMask;
use ptx_interp::machine::{Detail, Machine, RecordedStep, WarpId};
use ptx_interp::trace::{GridRun, SearchDirection};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Number of memory events that a watch examines together.
const CHUNK: u64 = 1 << 16;

/// Maximum number of logpoint messages per search.
const MESSAGES: u32 = 2000;

/// The point where a run stops, with the reason.
#[derive(Debug, Clone)]
pub struct SearchStop {
    /// Index of the leg of the history.
    pub leg: usize,
    /// The time of the stop.
    pub time: u64,
    /// The warp in focus after the stop; `None` if no warp is left.
    pub target: Option<WarpId>,
    /// The reason, as the protocol names it.
    pub reason: &'static str,
    /// The reason, as a sentence for the user.
    pub description: Option<String>,
    /// Details: the values of watched data, or the text of a finding.
    pub text: Option<String>,
    /// Numbers of the breakpoints that were hit.
    pub ids: Vec<i64>,
    /// The finding that stopped the run.
    pub fault: Option<Fault>,
}

impl SearchStop {
    /// A stop with only the required fields.
    pub fn new(leg: usize, time: u64, target: Option<WarpId>, reason: &'static str) -> Self {
        Self { leg, time, target, reason, description: None, text: None, ids: Vec::new(), fault: None }
    }
}

/// The result of a search.
#[derive(Debug, Clone)]
pub enum SearchOutcome {
    /// The run stops.
    Stop(Box<SearchStop>),
    /// Nothing stops the run before its end.
    End,
    /// Nothing stopped the run on the way back to its beginning.
    Beginning,
    /// It was cancelled at this time of this branch.
    GivenUp(usize, u64),
}

impl From<SearchStop> for SearchOutcome {
    fn from(stop: SearchStop) -> Self {
        Self::Stop(Box::new(stop))
    }
}

/// The state that a search shares with the session.
#[derive(Debug, Default)]
pub struct Control {
    /// Set if the search was cancelled or the user wants to pause here.
    pub stop: AtomicBool,
    /// Number of instructions examined.
    pub done: AtomicU64,
    /// Number of instructions to examine, if known.
    pub all: AtomicU64,
}

impl Control {
    /// Whether the search must stop.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// A search for the next stop.
pub struct StopSearch<'s> {
    /// The history to search.
    pub history: &'s RunHistory,
    /// The breakpoints and filters that stop it.
    pub stops: &'s Stops,
    /// The source positions of instructions.
    pub places: &'s SourceMap,
    /// The client that receives messages of logpoints.
    pub client: &'s ClientConnection,
    /// The state shared with the session.
    pub control: &'s Control,
    /// The time of a finding that was already reported and must not stop the search again.
    pub told: Option<u64>,
}

/// A breakpoint that was hit.
enum Hit {
    Points(Vec<Arc<Point>>, LaneMask),
    Watch(Arc<Watch>, String),
}

impl StopSearch<'_> {
    fn cancelled(&self) -> impl Fn() -> bool + use<'_> {
        || self.control.is_stopped()
    }

    /// Searches for the next stop from `time` on.
    ///
    /// - `first`: the instruction at `time` itself counts.
    /// - `only`: breakpoints count for this warp only.
    /// - `until`: nothing from this time on counts.
    pub fn forward(
        &self,
        leg: usize,
        time: u64,
        first: bool,
        only: Option<WarpId>,
        until: Option<u64>,
    ) -> SearchOutcome {
        let cancelled = self.cancelled();
        let Some(run) = self.history.leg(leg).run(&cancelled) else { return SearchOutcome::GivenUp(leg, time) };
        let end = until.unwrap_or(u64::MAX).min(run.total());
        // A breakpoint does not stop again at the current instruction. Accesses of that instruction to watched data
        // still count.
        let skip = (!first).then_some(time);
        self.control.done.store(0, Ordering::Relaxed);
        self.control.all.store(end.saturating_sub(time), Ordering::Relaxed);
        let exception = match self.exception(leg, time, end, until.is_none()) {
            Ok(found) => found,
            Err(()) => return SearchOutcome::GivenUp(leg, time),
        };
        let bound = exception.as_ref().map_or(end, |e| e.time.min(end));
        let mut best = exception;
        if let Some((step, hit)) = self.point(&run, leg, time..bound, skip, SearchDirection::Forward, only) {
            // A data breakpoint stops after the write, with the new value in place.
            let at = step.time + u64::from(matches!(hit, Hit::Watch(..)));
            best = Some(self.stopped(leg, at, &step, hit));
        }
        if self.control.is_stopped() {
            return SearchOutcome::GivenUp(
                leg,
                (time + self.control.done.load(Ordering::Relaxed)).clamp(time, run.total()),
            );
        }
        let bound = best.as_ref().map_or(end, |b| b.time);
        if let Some((step, hit)) = self.watched(&run, leg, time..bound, SearchDirection::Forward, only) {
            best = Some(self.stopped(leg, step.time + 1, &step, hit));
        }
        if self.control.is_stopped() {
            return SearchOutcome::GivenUp(leg, time);
        }
        best.map_or(SearchOutcome::End, SearchOutcome::from)
    }

    /// Searches for the last stop before a time of a leg.
    pub fn backward(&self, mut leg: usize, mut time: u64) -> SearchOutcome {
        let cancelled = self.cancelled();
        self.control.done.store(0, Ordering::Relaxed);
        self.control.all.store(time, Ordering::Relaxed);
        loop {
            let Some(run) = self.history.leg(leg).run(&cancelled) else { return SearchOutcome::GivenUp(leg, time) };
            let begin = self.history.leg(leg).from;
            let mut best: Option<SearchStop> = match self.exceptions(leg, begin, time, false) {
                Ok(found) => found.into_iter().next_back(),
                Err(()) => return SearchOutcome::GivenUp(leg, time),
            };
            let from = best.as_ref().map_or(begin, |b| b.time);
            if let Some((step, hit)) = self.point(&run, leg, from..time, None, SearchDirection::Backward, None) {
                best = Some(self.stopped(leg, step.time, &step, hit));
            }
            let from = best.as_ref().map_or(begin, |b| b.time);
            if let Some((step, hit)) = self.watched(&run, leg, from..time, SearchDirection::Backward, None) {
                best = Some(self.stopped(leg, step.time, &step, hit));
            }
            if self.control.is_stopped() {
                let at = time.saturating_sub(self.control.done.load(Ordering::Relaxed)).max(begin);
                return SearchOutcome::GivenUp(leg, at);
            }
            match best {
                Some(stop) => return stop.into(),
                None if leg == 0 => return SearchOutcome::Beginning,
                // Continue before the write that began the leg.
                None => (leg, time) = (leg - 1, begin),
            }
        }
    }

    /// The stops at findings in a range of time.
    fn exceptions(&self, leg: usize, from: u64, end: u64, closed: bool) -> Result<Vec<SearchStop>, ()> {
        if self.stops.filters.is_empty() {
            return Ok(Vec::new());
        }
        let cancelled = self.cancelled();
        let faults = self.history.leg(leg).faults(&cancelled).ok_or(())?;
        let mut out = Vec::new();
        for (time, fault) in faults.iter().filter(|(t, _)| *t >= from && (*t < end || closed && *t == end)) {
            if self.told == Some(*time) {
                continue;
            }
            let Some(condition) = self.stops.filter(fault) else { continue };
            let machine = self.history.at(leg, *time, &cancelled).ok_or(())?;
            let target = WarpId { cta: machine.shape.cta_number(fault.cta), warp: fault.warp };
            if let Some(condition) = condition
                && !matches!(condition.holds(&machine, target, fault.lanes), Ok(lanes) if lanes != 0)
            {
                continue;
            }
            let mut stop = SearchStop::new(leg, *time, Some(target), "exception");
            stop.description = Some(format!("Stopped: {}", fault.kind.name()));
            stop.text = Some(fault.message.clone());
            stop.fault = Some(fault.clone());
            out.push(stop);
        }
        Ok(out)
    }

    /// The first finding from a time on, including the instruction at that time.
    fn exception(&self, leg: usize, time: u64, end: u64, closed: bool) -> Result<Option<SearchStop>, ()> {
        Ok(self.exceptions(leg, time, end, closed)?.into_iter().next())
    }

    /// The first or last hit of a breakpoint at an instruction or on a register. At the time to skip only registers
    /// count.
    fn point(
        &self,
        run: &GridRun,
        leg: usize,
        range: std::ops::Range<u64>,
        skip: Option<u64>,
        direction: SearchDirection,
        only: Option<WarpId>,
    ) -> Option<(RecordedStep, Hit)> {
        let registers = self.register_sites(run);
        if range.is_empty() || (self.stops.points.is_empty() && registers.is_empty()) {
            return None;
        }
        let hits = self.counted(leg, range.end)?;
        let done = &self.control.done;
        let seen = Cell::new(0u64);
        let length = range.end - range.start;
        let forward = direction == SearchDirection::Forward;
        // The search has no limit of its own: it ends after as many steps as the range has.
        let cancelled = || self.control.is_stopped() || (forward && seen.get() > length);
        let wanted = |target: WarpId, site: InstructionSite| {
            let count = seen.get() + 1;
            seen.set(count);
            done.store(count.min(length), Ordering::Relaxed);
            let watched = || registers.get(&site).is_some_and(|w| w.iter().any(|(t, _)| *t == target));
            only.is_none_or(|only| only == target) && (self.stops.is_at(site) || watched())
        };
        let hit = RefCell::new(None);
        let messages = Cell::new(0u32);
        let mut accept = |machine: &Machine, step: &RecordedStep| {
            if !range.contains(&step.time) {
                return false;
            }
            let mut met = Vec::new();
            let mut lanes = step.group;
            for point in self.stops.at(step.site).filter(|_| skip != Some(step.time)) {
                let Some(held) = self.holds(point, machine, step, &hits) else { continue };
                match &point.log {
                    Some(template) if forward => {
                        let count = messages.get();
                        messages.set(count + 1);
                        if count < MESSAGES {
                            self.log(template, machine, step);
                        } else if count == MESSAGES {
                            self.client.say("console", "… more messages of logpoints are left out\n");
                        }
                    }
                    Some(_) => {}
                    None => {
                        lanes &= held;
                        met.push(Arc::clone(point));
                    }
                }
            }
            if !met.is_empty() {
                *hit.borrow_mut() = Some(Hit::Points(met, lanes));
                return true;
            }
            for (target, watch) in registers.get(&step.site).into_iter().flatten() {
                if *target == step.target
                    && let Some(words) = self.register_hit(watch, machine, step, &hits)
                {
                    *hit.borrow_mut() = Some(Hit::Watch(Arc::clone(watch), words));
                    return true;
                }
            }
            false
        };
        let from = if forward { range.start } else { range.end };
        let found = run.find(from, direction, &wanted, &mut accept, &cancelled)?;
        Some((found, hit.into_inner()?))
    }

    /// The lanes in which the condition of a reached breakpoint holds; `None` if it does not stop.
    fn holds(&self, point: &Point, machine: &Machine, step: &RecordedStep, hits: &HitTimes) -> Option<LaneMask> {
        let lanes = match &point.when.condition {
            Some(condition) => condition.holds(machine, step.target, step.group).ok()?,
            None => step.group,
        };
        let counted = || match &point.when.hits {
            Some(rule) => {
                let known = hits.get(&point.id).map_or(&[][..], Vec::as_slice);
                known.binary_search(&step.time).is_ok_and(|before| rule.holds(before as u64 + 1))
            }
            None => true,
        };
        (lanes != 0 && counted()).then_some(lanes)
    }

    fn log(&self, template: &super::expressions::Template, machine: &Machine, step: &RecordedStep) {
        let text = template.fill(machine, step.target, step.group);
        let place = self.places.shown(step.site);
        self.client.event(
            "output",
            serde_json::json!({
                "category": "console", "output": format!("{text}\n"),
                "source": self.places.source(place.line.file), "line": place.line.line,
            }),
        );
    }

    /// The hit times of all breakpoints that count their hits, from the beginning of the run up to a time. Recounting
    /// makes the hit number independent of how the user came there: the third hit is always the same instruction of the
    /// same warp.
    fn counted(&self, leg: usize, end: u64) -> Option<HitTimes> {
        let mut out = HitTimes::new();
        let counting: Vec<&Arc<Point>> = self.stops.points.iter().filter(|p| p.when.hits.is_some()).collect();
        if counting.is_empty() {
            return Some(out);
        }
        let cancelled = self.cancelled();
        for number in 0..=leg {
            let until = if number == leg { end } else { self.history.leg(number + 1).from };
            let begin = self.history.leg(number).from;
            let run = self.history.leg(number).run(&cancelled)?;
            let seen = Cell::new(0u64);
            let enough = || self.control.is_stopped() || seen.get() > until.saturating_sub(begin);
            let wanted = |_: WarpId, site: InstructionSite| {
                seen.set(seen.get() + 1);
                counting.iter().any(|p| p.sites.contains(&site))
            };
            let mut accept = |machine: &Machine, step: &RecordedStep| {
                for point in counting.iter().filter(|p| step.time < until && p.sites.contains(&step.site)) {
                    let held = point.when.condition.as_ref().map(|c| c.holds(machine, step.target, step.group));
                    if held.is_none_or(|held| held.is_ok_and(|lanes| lanes != 0)) {
                        out.entry(point.id).or_default().push(step.time);
                    }
                }
                false
            };
            run.find(begin, SearchDirection::Forward, &wanted, &mut accept, &enough);
        }
        (!self.control.is_stopped()).then_some(out)
    }

    /// The instructions that write watched registers, with the watches of each.
    fn register_sites(&self, run: &GridRun) -> HashMap<InstructionSite, Vec<(WarpId, Arc<Watch>)>> {
        let mut out: HashMap<InstructionSite, Vec<(WarpId, Arc<Watch>)>> = HashMap::new();
        for watch in &self.stops.watches {
            let DataWatch::Register { cta, warp, function, slot, .. } = watch.watched else { continue };
            let Some(code) = run.machine.executable.code(function) else { continue };
            for (instruction, op) in code.ops.iter().enumerate() {
                let uses = watch.writes && op.writes.contains(&slot) || watch.reads && op.reads.contains(&slot);
                if uses {
                    let site = InstructionSite { function, instruction: instruction as u32 };
                    out.entry(site).or_default().push((WarpId { cta, warp }, Arc::clone(watch)));
                }
            }
        }
        out
    }

    /// A text that says how an instruction changes a watched register; `None` if it does not stop.
    fn register_hit(&self, watch: &Watch, machine: &Machine, step: &RecordedStep, _: &HitTimes) -> Option<String> {
        let DataWatch::Register { function, slot, lanes, .. } = watch.watched else { return None };
        let lanes = lanes & step.mask;
        if lanes == 0 {
            return None;
        }
        if let Some(condition) = &watch.when.condition
            && !matches!(condition.holds(machine, step.target, step.group), Ok(held) if held != 0)
        {
            return None;
        }
        let mut after = machine.clone();
        let mut recorder = ptx_interp::machine::Recorder::of(
            ptx_interp::machine::RecordScope::One(step.target),
            ptx_interp::machine::Origin::Time(step.time),
            1,
            Detail::REGISTERS,
        );
        after.advance_to(step.time + 1, Some(&mut recorder), &|| false);
        let recorded = recorder.steps();
        let change = recorded.iter().flat_map(|s| &s.changes).find(|c| (c.function, c.slot) == (function, slot));
        let ty = machine.executable.function(function).and_then(|f| {
            let slot = ptx_flow::flow::RegisterSlot(slot);
            (slot.index() < f.registers.len()).then(|| f.declaration(slot).ty.name())
        });
        Some(match (change, ty) {
            (Some(change), Some(ty)) => {
                let (old, new) = (
                    super::values::summary(ty, &change.before, lanes, false),
                    super::values::summary(ty, &change.after, lanes, false),
                );
                format!("{}: {old} → {new} in {}", watch.name, ptx_launch::words::lanes(lanes))
            }
            _ => format!("{} is read in {}", watch.name, ptx_launch::words::lanes(lanes)),
        })
    }

    /// The first or last access to watched memory.
    fn watched(
        &self,
        run: &GridRun,
        leg: usize,
        range: std::ops::Range<u64>,
        direction: SearchDirection,
        only: Option<WarpId>,
    ) -> Option<(RecordedStep, Hit)> {
        let watches = || self.stops.watches.iter().filter(|w| matches!(w.watched, DataWatch::Memory { .. }));
        if range.is_empty() || watches().next().is_none() {
            return None;
        }
        let cancelled = self.cancelled();
        let shape = run.machine.shape;
        let forward = direction == SearchDirection::Forward;
        let (mut low, mut high) = (range.start, range.end);
        let touched = |step: &RecordedStep| {
            let mine = only.is_none_or(|only| only == step.target);
            let touches = |w: &&Arc<Watch>| step.accesses.iter().any(|a| w.touches(a, step.target, &shape));
            watches().filter(|_| mine).find(touches).cloned()
        };
        while low < high && !self.control.is_stopped() {
            let from = if forward { low } else { high.saturating_sub(CHUNK).max(low) };
            let count = CHUNK.min(high - from);
            let events = run.events(from, count as usize, Detail { registers: false, accesses: true }, &cancelled);
            let mut candidates: Vec<(&RecordedStep, Arc<Watch>)> =
                events.iter().filter_map(|s| Some((s, touched(s)?))).collect();
            if !forward {
                candidates.reverse();
            }
            for (step, watch) in candidates {
                if let Some(words) = self.memory_hit(&watch, leg, step) {
                    return Some((step.clone(), Hit::Watch(watch, words)));
                }
            }
            if forward { low += count } else { high = from }
        }
        None
    }

    /// A text that says how an instruction accesses watched memory; `None` if the condition does not hold.
    fn memory_hit(&self, watch: &Watch, leg: usize, step: &RecordedStep) -> Option<String> {
        let cancelled = self.cancelled();
        let before = self.history.at(leg, step.time, &cancelled)?;
        if let Some(condition) = &watch.when.condition
            && !matches!(condition.holds(&before, step.target, step.group), Ok(held) if held != 0)
        {
            return None;
        }
        let DataWatch::Memory { space, offset, bytes } = watch.watched else { return None };
        let mut after = before.clone();
        after.advance_to(step.time + 1, None, &|| false);
        let read = |machine: &Machine| super::memory::read(machine, space, offset, bytes.min(16) as usize);
        let lanes = step.accesses.iter().filter(|a| watch.touches(a, step.target, &before.shape));
        let lanes = lanes.fold(0, |all: LaneMask, a| all | 1 << a.lane);
        let who = ptx_launch::words::lanes(lanes);
        Some(match (read(&before), read(&after)) {
            (Some(old), Some(new)) if old != new => {
                format!("{}: {} → {} by {who}", watch.name, super::values::bytes(&old), super::values::bytes(&new))
            }
            (Some(old), _) => format!("{}: {}, touched by {who}", watch.name, super::values::bytes(&old)),
            _ => format!("{} is accessed by {who}", watch.name),
        })
    }

    /// A stop at a breakpoint.
    fn stopped(&self, leg: usize, time: u64, step: &RecordedStep, hit: Hit) -> SearchStop {
        match hit {
            Hit::Points(points, lanes) => {
                let reason = points.first().map_or("breakpoint", |p| p.kind.reason());
                let mut stop = SearchStop::new(leg, time, Some(step.target), reason);
                stop.ids = points.iter().map(|p| p.id).collect();
                if points.iter().any(|p| p.when.condition.is_some()) {
                    let lanes = ptx_launch::words::lanes(lanes);
                    stop.description = Some(format!("Paused on {reason}: the condition holds in {lanes}"));
                }
                stop
            }
            Hit::Watch(watch, words) => {
                let mut stop = SearchStop::new(leg, time, Some(step.target), "data breakpoint");
                stop.ids = vec![watch.id];
                stop.description = Some(format!("Data breakpoint: {words}"));
                stop.text = Some(words);
                stop
            }
        }
    }
}

/// The times of the hits, by breakpoint number.
type HitTimes = HashMap<i64, Vec<u64>>;
