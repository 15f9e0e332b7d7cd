//! Jobs: loading, running and stepping. They may take long, so each has its own thread.

use super::arguments::{Cancel, LaunchArguments, OfThread, Restart};
use super::history::RunHistory;
use super::job::{DebugJob, JobKind, JobOutcome, JobResult, MoveOrder};
use super::launching::{Debuggee, load};
use super::places::PathFormat;
use super::search::{Control, SearchOutcome, SearchStop, StopSearch};
use super::session::{DebugSession, Now, SessionEvent, SessionPhase};
use super::stepping::{Granularity, StepKind};
use super::stops::Stops;
use super::threads;
use super::wire::{ClientConnection, DapAnswer, DapRequest, RequestFailure, arguments};
use ptx_gate::words::quoted;
use ptx_interp::inspect;
use ptx_interp::machine::{Detail, Machine, WarpId};
use ptx_launch_syntax::LineText;
use serde_json::{Value, json};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// A job that takes longer than this reports progress to the client.
const PROGRESS_DELAY: Duration = Duration::from_millis(400);

/// Stack size of a job's thread in bytes: parsing and analysis recurse deeply.
const STACK: usize = 16 << 20;

/// The input of a job that moves through the execution.
struct MoveContext {
    debuggee: Arc<Debuggee>,
    history: RunHistory,
    stops: Arc<Stops>,
    client: ClientConnection,
    leg: usize,
    machine: Arc<Machine>,
    told: Option<u64>,
}

impl DebugSession {
    /// Handles `launch`.
    pub(super) fn launch(&mut self, request: &DapRequest) -> Option<DapAnswer> {
        if self.phase != SessionPhase::New || self.job.is_some() {
            return Some(Err(RequestFailure::new("a kernel has already been launched: use `restart`")));
        }
        match arguments::<LaunchArguments>(request) {
            Ok(launch) => self.load(launch, request),
            Err(failure) => return Some(Err(RequestFailure::shown(failure.words))),
        }
        None
    }

    /// Handles `restart`.
    pub(super) fn restart(&mut self, request: &DapRequest) -> Option<DapAnswer> {
        let arguments = arguments::<Restart>(request).and_then(|restart| match restart.arguments {
            Some(value) => serde_json::from_value(value).map_err(|e| RequestFailure::shown(e.to_string())),
            None => Ok(self.launched.clone()),
        });
        let launch = match arguments {
            Ok(launch) => launch,
            Err(failure) => return Some(Err(failure)),
        };
        if self.debuggee.is_none() {
            return Some(Err(RequestFailure::new("no kernel has been launched")));
        }
        if let Some(now) = self.now.as_ref().filter(|_| self.job.is_none() && self.phase == SessionPhase::Going) {
            // Some clients ignore a stop of one thread while they believe that another one is stopped. So report that
            // all threads continue.
            let thread = threads::id(&now.machine.shape, now.focus);
            self.client.event("continued", json!({ "threadId": thread, "allThreadsContinued": true }));
        }
        self.give_up();
        self.load(launch, request);
        None
    }

    fn load(&mut self, launch: LaunchArguments, request: &DapRequest) {
        self.launched = launch.clone();
        let title = format!("Running {}", launch.entry.as_deref().unwrap_or("the kernel"));
        let request = Some((request.seq, request.command.clone()));
        let format = match self.facts.path_format.as_deref() {
            Some("uri") => PathFormat::Uri,
            _ => PathFormat::Path,
        };
        self.begin(JobKind::Load, title, request, move |control| match load(&launch, &|| control.is_stopped()) {
            Ok(mut debuggee) => {
                debuggee.places.format = format;
                JobResult::Loaded(Box::new(debuggee))
            }
            Err(failure) => JobResult::Refused(failure),
        });
    }

    /// Starts the thread of a job.
    fn begin(
        &mut self,
        work: JobKind,
        title: String,
        request: Option<(i64, String)>,
        run: impl FnOnce(&Control) -> JobResult + Send + 'static,
    ) {
        let number = self.number();
        let control = Arc::new(Control::default());
        let (sender, own) = (self.sender.clone(), Arc::clone(&control));
        self.job = Some(DebugJob {
            number,
            control,
            began: Instant::now(),
            title,
            progress: None,
            request,
            again: false,
            work,
        });
        let thread = std::thread::Builder::new().name("job".into()).stack_size(STACK).spawn(move || {
            let result = catch_unwind(AssertUnwindSafe(|| run(&own))).unwrap_or(JobResult::Failed);
            // The receiver is gone if the session is over.
            let _ = sender.send(SessionEvent::Done(Box::new(JobOutcome { number, result })));
        });
        if let Err(error) = thread {
            tracing::error!("a thread cannot be started: {error}");
            let _ = self.sender.send(SessionEvent::Done(Box::new(JobOutcome { number, result: JobResult::Failed })));
        }
    }

    /// Cancels the current job and answers its request.
    pub(super) fn give_up(&mut self) {
        if let Some(mut job) = self.job.take() {
            job.control.stop.store(true, Ordering::Relaxed);
            self.end_progress(&mut job);
            if let Some((seq, command)) = job.request {
                self.client.answer(seq, &command, Err(RequestFailure::cancelled()));
            }
        }
    }

    /// Begins to run, after the client has set its breakpoints.
    pub(super) fn start(&mut self) {
        let Some(debuggee) = self.debuggee.clone() else { return };
        self.phase = SessionPhase::Going;
        let machine = self.history.as_ref().and_then(|h| h.at(0, 0, &|| false));
        let Some(machine) = machine.map(Arc::new) else { return self.finish() };
        let stop = SearchStop::new(0, 0, Some(debuggee.first), "entry");
        self.now = Some(Now { leg: 0, machine, focus: debuggee.first, stop });
        if debuggee.no_debug {
            return self.finish();
        }
        let order = if debuggee.stop_on_entry { MoveOrder::Entry(debuggee.first) } else { MoveOrder::Forward(true) };
        self.go(order);
    }

    /// Starts a job that moves the session.
    pub(super) fn go(&mut self, order: MoveOrder) {
        let (Some(debuggee), Some(history), Some(now)) = (&self.debuggee, &self.history, &self.now) else { return };
        let told = now.stop.fault.as_ref().map(|_| now.machine.steps);
        let all = MoveContext {
            debuggee: Arc::clone(debuggee),
            history: history.clone(),
            stops: self.configured.stops(),
            client: self.client.clone(),
            leg: now.leg,
            machine: Arc::clone(&now.machine),
            told,
        };
        let title = match order {
            MoveOrder::Backward => "Going back",
            MoveOrder::Step(..) => "Stepping",
            MoveOrder::Entry(_) | MoveOrder::Forward(_) => "Running",
        };
        self.begin(JobKind::Move(order), title.to_owned(), None, move |control| all.search(order, control));
    }

    /// Handles the result of a finished job.
    pub(super) fn done(&mut self, outcome: JobOutcome) {
        let Some(mut job) = self.job.take_if(|job| job.number == outcome.number) else { return };
        self.end_progress(&mut job);
        match outcome.result {
            JobResult::Loaded(debuggee) => self.loaded(*debuggee, job.request),
            JobResult::Refused(failure) => {
                if let Some((seq, command)) = job.request {
                    self.client.answer(seq, &command, Err(failure));
                }
                if self.phase != SessionPhase::New {
                    // After a failed restart there is no program left.
                    self.phase = SessionPhase::Ended;
                    self.client.event("terminated", Value::Null);
                }
            }
            JobResult::Moved(SearchOutcome::GivenUp(leg, time), Some(machine)) if job.again => {
                if let (Some(now), JobKind::Move(order)) = (&mut self.now, job.work) {
                    let forward = matches!(order, MoveOrder::Forward(_));
                    // A step starts again from its beginning; a search continues from the time that it has reached.
                    if forward || matches!(order, MoveOrder::Backward) {
                        (now.leg, now.machine, now.stop) =
                            (leg, Arc::new(*machine), SearchStop::new(leg, time, None, "pause"));
                    }
                    self.go(if forward { MoveOrder::Forward(true) } else { order });
                }
            }
            JobResult::Moved(found, machine) => self.moved(found, machine.map(|m| *m)),
            JobResult::Failed => {
                if let Some((seq, command)) = job.request {
                    self.client.answer(seq, &command, Err(RequestFailure::shown("ptx-analyzer had an internal error")));
                } else {
                    self.client.say("important", "ptx-analyzer had an internal error; the session is where it was.\n");
                    self.tell_stopped("pause", None, None, &[]);
                }
            }
        }
    }

    fn loaded(&mut self, debuggee: Debuggee, request: Option<(i64, String)>) {
        let again = self.debuggee.is_some();
        let start = debuggee.run.at(0, &|| false);
        self.history = start.map(|machine| RunHistory::new(&debuggee.run, machine));
        let guessed = debuggee.guessed.sentence();
        let line = debuggee.launch.definition().first().map(LineText::to_string).unwrap_or_default();
        let entry = debuggee.launch.entry.to_string();
        self.debuggee = Some(Arc::new(debuggee));
        (self.now, self.printed, self.lane) = (None, 0, None);
        self.handles.clear();
        self.phase = SessionPhase::Configuring;
        if let Some((seq, command)) = request {
            self.client.answer(seq, &command, Ok(Value::Null));
        }
        self.client.event("process", json!({ "name": entry, "isLocalProcess": true, "startMethod": "launch" }));
        self.client.say("console", &format!("{entry}: {line}\n"));
        if let Some(guessed) = guessed {
            self.client.say("console", &format!("guessed: {guessed}\n"));
        }
        self.resolve_again();
        if again {
            self.start();
        } else {
            self.client.event("initialized", Value::Null);
        }
    }

    fn moved(&mut self, found: SearchOutcome, machine: Option<Machine>) {
        let stop = match found {
            SearchOutcome::Stop(stop) => *stop,
            SearchOutcome::End => {
                let at_end = self.debuggee.as_ref().is_some_and(|d| d.stop_at_end);
                let there = |m: &Machine| self.now.as_ref().is_some_and(|now| now.machine.steps == m.steps);
                match &machine {
                    Some(end) if at_end && !there(end) => {
                        let mut stop =
                            SearchStop::new(self.now.as_ref().map_or(0, |n| n.leg), end.steps, None, "pause");
                        stop.description = Some("Paused at the end: the run is over".to_owned());
                        stop
                    }
                    _ => return self.finish(),
                }
            }
            SearchOutcome::Beginning => {
                let mut stop = SearchStop::new(0, 0, None, "entry");
                stop.description = Some("Paused at the beginning: there is no earlier step".to_owned());
                stop
            }
            SearchOutcome::GivenUp(leg, time) => SearchStop::new(leg, time, None, "pause"),
        };
        let Some(machine) = machine else { return self.finish() };
        let focus = self.focus(&stop, &machine);
        self.print(&machine);
        if let Some(history) = &mut self.history {
            // Going back past a write returns to the older run.
            history.cut(stop.leg);
        }
        self.handles.clear();
        let SearchStop { reason, description, text, ids, .. } = stop.clone();
        self.now = Some(Now { leg: stop.leg, machine: Arc::new(machine), focus, stop });
        self.tell_stopped(reason, description, text, &ids);
    }

    /// The warp to show after a stop.
    fn focus(&self, stop: &SearchStop, machine: &Machine) -> WarpId {
        let last = self.now.as_ref().map_or(WarpId { cta: 0, warp: 0 }, |now| now.focus);
        let running = |t: WarpId| inspect::groups(machine, t).is_some_and(|g| g.next.is_some());
        if let Some(target) = stop.target {
            return target;
        }
        if running(last) {
            return last;
        }
        let all = machine.clusters.iter().flat_map(|c| &c.ctas);
        let mut warps = all.flat_map(|c| c.warps.iter().map(|w| WarpId { cta: c.number, warp: w.lanes.number }));
        warps.find(|t| running(*t)).unwrap_or(last)
    }

    /// Sends the new output of the kernel's `printf` calls to the client. In the console, verdicts of ours are around it.
    fn print(&mut self, machine: &Machine) {
        if let Some(new) = machine.printed.get(self.printed..).filter(|new| !new.is_empty()) {
            self.client.say("stdout", &quoted(&String::from_utf8_lossy(new)));
            self.printed = machine.printed.len();
        }
    }

    fn tell_stopped(&self, reason: &str, description: Option<String>, text: Option<String>, ids: &[i64]) {
        let Some(now) = &self.now else { return };
        let mut body = json!({
            "reason": reason, "threadId": threads::id(&now.machine.shape, now.focus), "allThreadsStopped": true,
        });
        let Some(fields) = body.as_object_mut() else { return };
        fields.extend(description.map(|d| ("description".to_owned(), json!(d))));
        fields.extend(text.map(|t| ("text".to_owned(), json!(t))));
        if !ids.is_empty() {
            fields.insert("hitBreakpointIds".to_owned(), json!(ids));
        }
        self.client.event("stopped", body);
    }

    /// Reports the result of the kernel after it has ended.
    pub(super) fn finish(&mut self) {
        let leg = self.now.as_ref().map_or(0, |now| now.leg);
        let run = self.history.as_ref().and_then(|h| h.leg(leg).run(&|| false));
        let mut code = 0;
        if let (Some(debuggee), Some(run)) = (self.debuggee.clone(), run) {
            self.print(&run.machine);
            let outcome = debuggee.outcome(&run);
            self.client.say("console", &format!("{}\n", outcome.ended));
            for line in &outcome.wrong {
                self.client.say("stderr", &format!("{line}\n"));
            }
            if let (held, all @ 1..) = outcome.held {
                self.client.say("console", &format!("{held} of {all} expectations hold{}\n", outcome.marked));
            }
            code = i32::from(!outcome.passed);
        }
        self.phase = SessionPhase::Ended;
        self.handles.clear();
        self.client.event("exited", json!({ "exitCode": code }));
        self.client.event("terminated", Value::Null);
    }

    /// Handles `terminate`: ends the kernel.
    pub(super) fn terminate(&mut self) {
        self.give_up();
        if self.phase != SessionPhase::Ended {
            self.phase = SessionPhase::Ended;
            self.handles.clear();
            self.client.event("terminated", Value::Null);
        }
    }

    /// Handles `continue`.
    pub(super) fn proceed(&mut self, request: &DapRequest) -> DapAnswer {
        self.turn_to(request)?;
        self.go(MoveOrder::Forward(false));
        Ok(json!({ "allThreadsContinued": true }))
    }

    /// Handles `reverseContinue`.
    pub(super) fn reverse(&mut self, request: &DapRequest) -> DapAnswer {
        self.turn_to(request)?;
        self.go(MoveOrder::Backward);
        Ok(Value::Null)
    }

    /// Handles `next`, `stepIn`, `stepOut` and `stepBack`.
    pub(super) fn step(&mut self, request: &DapRequest, kind: StepKind) -> DapAnswer {
        let (target, granularity) = self.turn_to(request)?;
        let granularity = match granularity.as_deref() {
            Some("instruction") => Granularity::Instruction,
            None | Some("line" | "statement") => Granularity::Line,
            Some(other) => return Err(RequestFailure::new(format!("`{other}` is not a granularity of steps"))),
        };
        self.go(MoveOrder::Step(target, kind, granularity));
        Ok(Value::Null)
    }

    /// Makes the warp of a request the warp in focus.
    fn turn_to(&mut self, request: &DapRequest) -> Result<(WarpId, Option<String>), RequestFailure> {
        let (_, now) = self.stopped()?;
        let OfThread { thread_id, granularity } = arguments(request)?;
        let target = self.target(&now, thread_id)?;
        if let Some(now) = &mut self.now {
            now.focus = target;
        }
        Ok((target, granularity))
    }

    /// Handles `pause`.
    pub(super) fn pause(&mut self) -> DapAnswer {
        match &self.job {
            Some(job) => job.control.stop.store(true, Ordering::Relaxed),
            None => drop(self.stopped()?),
        }
        Ok(Value::Null)
    }

    /// Handles `cancel`.
    pub(super) fn cancel(&mut self, request: &DapRequest) -> DapAnswer {
        let Cancel { request_id, progress_id } = arguments(request)?;
        if let Some(job) = &self.job {
            let asked = job.request.as_ref().is_some_and(|(seq, _)| Some(*seq) == request_id);
            let shown = progress_id.is_some() && job.progress == progress_id;
            if asked || shown {
                job.control.stop.store(true, Ordering::Relaxed);
            }
        }
        Ok(Value::Null)
    }

    /// Restarts a running search because the breakpoints have changed.
    pub(super) fn search_again(&mut self) {
        if let Some(job) = &mut self.job
            && matches!(job.work, JobKind::Move(_))
        {
            job.again = true;
            job.control.stop.store(true, Ordering::Relaxed);
        }
    }

    /// Reports the progress of a long job to the client.
    pub(super) fn report_progress(&mut self) {
        if !self.facts.supports_progress_reporting {
            return;
        }
        let Some(job) = &mut self.job else { return };
        if job.began.elapsed() < PROGRESS_DELAY {
            return;
        }
        let (done, all) = (job.control.done.load(Ordering::Relaxed), job.control.all.load(Ordering::Relaxed));
        let percentage = (all > 0).then(|| (100 * done.min(all) / all.max(1)).min(99));
        let mut body = match &job.progress {
            None => {
                let id = format!("job {}", job.number);
                job.progress = Some(id.clone());
                json!({ "progressId": id, "title": job.title, "cancellable": true })
            }
            Some(id) if percentage.is_some() => json!({ "progressId": id }),
            Some(_) => return,
        };
        let starts = body.get("title").is_some();
        if let (Some(percentage), Some(fields)) = (percentage, body.as_object_mut()) {
            fields.insert("percentage".to_owned(), json!(percentage));
        }
        self.client.event(if starts { "progressStart" } else { "progressUpdate" }, body);
    }

    fn end_progress(&self, job: &mut DebugJob) {
        if let Some(id) = job.progress.take() {
            self.client.event("progressEnd", json!({ "progressId": id }));
        }
    }
}

impl MoveContext {
    fn search(&self, order: MoveOrder, control: &Control) -> JobResult {
        let search = StopSearch {
            history: &self.history,
            stops: &self.stops,
            places: &self.debuggee.places,
            client: &self.client,
            control,
            told: self.told,
        };
        let time = self.machine.steps;
        let found = match order {
            MoveOrder::Entry(target) => self.entry(target),
            MoveOrder::Forward(first) => search.forward(self.leg, time, first, None, None),
            MoveOrder::Backward => search.backward(self.leg, time),
            MoveOrder::Step(target, kind, granularity) => {
                search.step(&self.machine, self.leg, target, kind, granularity)
            }
        };
        let never = || false;
        let (leg, time) = match &found {
            SearchOutcome::Stop(stop) => (stop.leg, stop.time),
            SearchOutcome::Beginning => (0, 0),
            SearchOutcome::GivenUp(leg, time) => (*leg, *time),
            SearchOutcome::End => (self.leg, self.history.leg(self.leg).run(&never).map_or(time, |r| r.total())),
        };
        // If the search was cancelled where it began, keep the machine instead of computing it from the run.
        let given_up = matches!(found, SearchOutcome::GivenUp(..)) && time == self.machine.steps;
        let machine = if given_up { Some((*self.machine).clone()) } else { self.history.at(leg, time, &never) };
        JobResult::Moved(found, machine.map(Box::new))
    }

    /// A stop before the first instruction of a warp.
    fn entry(&self, target: WarpId) -> SearchOutcome {
        let never = || false;
        let run = self.history.leg(0).run(&never);
        let first = run.and_then(|r| r.steps_of(target, 0, 1, Detail::MASKS, &never).into_iter().next());
        match first {
            Some(first) => SearchStop::new(0, first.time, Some(target), "entry").into(),
            None => {
                let mut stop = SearchStop::new(0, 0, None, "entry");
                stop.description = Some("Paused on entry: the selected warp never starts".to_owned());
                stop.into()
            }
        }
    }
}
