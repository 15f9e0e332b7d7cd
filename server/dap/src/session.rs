//! A debug session: its state, and the dispatch of requests.
//!
//! One thread owns the session and answers requests in their order; it does nothing that may take long. Running,
//! stepping and loading are *jobs*: each has its own thread, which returns its result through the same queue that
//! delivers requests.

use super::arguments::{Initialize, LaunchArguments};
use super::configure::ClientBreakpoints;
use super::handles::Handles;
use super::history::RunHistory;
use super::jobs::{DebugJob, JobOutcome};
use super::launching::Debuggee;
use super::search::SearchStop;
use super::wire::{ClientConnection, DapAnswer, DapMessage, DapRequest, RequestFailure, arguments};
use super::{filters, threads};
use ptx_interp::machine::{Machine, WarpId};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

/// How often the session checks the progress of a job.
const TICK: Duration = Duration::from_millis(100);

/// An event that the session handles.
pub enum SessionEvent {
    /// A message of the client.
    Message(DapMessage),
    /// The client has closed its stream.
    Gone,
    /// A job is done.
    Done(Box<JobOutcome>),
}

/// The position of the session.
#[derive(Clone)]
pub struct Now {
    /// Index of the leg of the history.
    pub leg: usize,
    /// The machine; its time is the time of the session.
    pub machine: Arc<Machine>,
    /// The warp in focus.
    pub focus: WarpId,
    /// The last stop, with its reason.
    pub stop: SearchStop,
}

/// The phase of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionPhase {
    /// No program is loaded.
    New,
    /// A program is loaded, and the client sets its breakpoints.
    Configuring,
    /// The session is stopped, or a job moves it.
    Going,
    /// It has ended.
    Ended,
}

/// A debug session.
pub struct DebugSession {
    /// The connection to the client.
    pub client: ClientConnection,
    /// The capabilities of the client.
    pub facts: Initialize,
    /// The phase.
    pub phase: SessionPhase,
    /// The arguments of the launch.
    pub launched: LaunchArguments,
    /// The loaded program.
    pub debuggee: Option<Arc<Debuggee>>,
    /// The recorded runs.
    pub history: Option<RunHistory>,
    /// The current position.
    pub now: Option<Now>,
    /// Breakpoints as the client has set them.
    pub configured: ClientBreakpoints,
    /// The numbers of frames and containers that the client knows.
    pub handles: Handles,
    /// The job in progress.
    pub job: Option<DebugJob>,
    /// The lane in focus; `None` for all lanes.
    pub lane: Option<usize>,
    /// Number of bytes of kernel output that the client has received.
    pub printed: usize,
    /// The sender that jobs use to return their results.
    pub sender: Sender<SessionEvent>,
    /// The last number given to a breakpoint, a job or a progress.
    numbers: i64,
    over: bool,
}

impl DebugSession {
    /// A new session.
    pub fn new(client: ClientConnection, sender: Sender<SessionEvent>) -> Self {
        Self {
            client,
            facts: Initialize::default(),
            phase: SessionPhase::New,
            launched: LaunchArguments::default(),
            debuggee: None,
            history: None,
            now: None,
            configured: ClientBreakpoints::default(),
            handles: Handles::default(),
            job: None,
            lane: None,
            printed: 0,
            sender,
            numbers: 0,
            over: false,
        }
    }

    /// Handles events until the client has gone or ends the session.
    pub fn serve(&mut self, incoming: &Receiver<SessionEvent>) {
        while !self.over {
            let next = match &self.job {
                Some(_) => incoming.recv_timeout(TICK),
                None => incoming.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match next {
                Ok(SessionEvent::Message(DapMessage::Request(request))) => self.request(&request),
                Ok(SessionEvent::Message(DapMessage::Response)) => {}
                Ok(SessionEvent::Message(DapMessage::Malformed(seq, command, why))) => {
                    tracing::warn!("{why}");
                    self.client.answer(seq, &command, Err(RequestFailure::new(why)));
                }
                Ok(SessionEvent::Done(outcome)) => self.done(*outcome),
                Ok(SessionEvent::Gone) | Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {}
            }
            self.report_progress();
        }
        self.give_up();
    }

    /// A new number.
    pub fn number(&mut self) -> i64 {
        self.numbers += 1;
        self.numbers
    }

    fn request(&mut self, request: &DapRequest) {
        if let Some(answer) = self.answer(request) {
            self.client.answer(request.seq, &request.command, answer);
        }
        // Events that belong to a request follow its response.
        match request.command.as_str() {
            "configurationDone" if self.phase == SessionPhase::Configuring => self.start(),
            "terminate" => self.terminate(),
            "disconnect" => self.over = true,
            _ => {}
        }
    }

    /// The answer to a request; `None` if a job answers later.
    fn answer(&mut self, request: &DapRequest) -> Option<DapAnswer> {
        Some(match request.command.as_str() {
            "initialize" => self.initialize(request),
            "launch" => return self.launch(request),
            "attach" => Err(RequestFailure::shown(
                "there is nothing to attach to: ptx-analyzer runs kernels itself, without a GPU. Use a `launch` configuration",
            )),
            "restart" => return self.restart(request),
            "configurationDone" | "terminate" | "disconnect" => Ok(Value::Null),
            "cancel" => self.cancel(request),
            "threads" => self.threads(),
            "stackTrace" => self.stack_trace(request),
            "scopes" => self.scopes(request),
            "variables" => self.variables(request),
            "setVariable" => self.set_variable(request),
            "setExpression" => self.set_expression(request),
            "evaluate" => self.evaluate(request),
            "completions" => self.completions(request),
            "continue" => self.proceed(request),
            "reverseContinue" => self.reverse(request),
            "next" => self.step(request, super::stepping::StepKind::Over),
            "stepIn" => self.step(request, super::stepping::StepKind::In),
            "stepOut" => self.step(request, super::stepping::StepKind::Out),
            "stepBack" => self.step(request, super::stepping::StepKind::Back),
            "pause" => self.pause(),
            "setBreakpoints" => self.set_breakpoints(request),
            "setFunctionBreakpoints" => self.set_function_breakpoints(request),
            "setInstructionBreakpoints" => self.set_instruction_breakpoints(request),
            "setDataBreakpoints" => self.set_data_breakpoints(request),
            "setExceptionBreakpoints" => self.set_exception_breakpoints(request),
            "dataBreakpointInfo" => self.data_breakpoint_info(request),
            "breakpointLocations" => self.breakpoint_locations(request),
            "exceptionInfo" => self.exception_info(request),
            "readMemory" => self.read_memory(request),
            "writeMemory" => self.write_memory(request),
            "disassemble" => self.disassemble(request),
            "loadedSources" => self.loaded_sources(),
            "source" => self.source(request),
            "ptx/focusLane" => self.focus_lane(request),
            other => Err(RequestFailure::new(format!("there is no request `{other}` here"))),
        })
    }

    fn initialize(&mut self, request: &DapRequest) -> DapAnswer {
        self.facts = arguments(request)?;
        Ok(json!({
            "supportsConfigurationDoneRequest": true,
            "supportsFunctionBreakpoints": true,
            "supportsConditionalBreakpoints": true,
            "supportsHitConditionalBreakpoints": true,
            "supportsEvaluateForHovers": true,
            "exceptionBreakpointFilters": filters::capabilities(),
            "supportsStepBack": true,
            "supportsSetVariable": true,
            "supportsCompletionsRequest": true,
            "completionTriggerCharacters": ["%", ".", "["],
            "supportsRestartRequest": true,
            "supportsValueFormattingOptions": true,
            "supportsExceptionInfoRequest": true,
            "supportTerminateDebuggee": false,
            "supportsDelayedStackTraceLoading": true,
            "supportsLoadedSourcesRequest": true,
            "supportsLogPoints": true,
            "supportsSetExpression": true,
            "supportsTerminateRequest": true,
            "supportsDataBreakpoints": true,
            "supportsDataBreakpointBytes": true,
            "supportsReadMemoryRequest": true,
            "supportsWriteMemoryRequest": true,
            "supportsDisassembleRequest": true,
            "supportsCancelRequest": true,
            "supportsBreakpointLocationsRequest": true,
            "supportsClipboardContext": true,
            "supportsSteppingGranularity": true,
            "supportsInstructionBreakpoints": true,
            "supportsExceptionFilterOptions": true,
        }))
    }

    /// The program and the current position; a refusal while a job runs.
    pub fn stopped(&self) -> Result<(Arc<Debuggee>, Now), RequestFailure> {
        if self.job.is_some() {
            return Err(RequestFailure::not_stopped());
        }
        match (&self.debuggee, &self.now, self.phase) {
            (Some(debuggee), Some(now), SessionPhase::Going) => Ok((Arc::clone(debuggee), now.clone())),
            (_, _, SessionPhase::Ended) => Err(RequestFailure::new("the kernel has ended")),
            _ => Err(RequestFailure::new("no kernel has been started")),
        }
    }

    fn threads(&self) -> DapAnswer {
        Ok(match &self.now {
            Some(now) if self.phase == SessionPhase::Going => threads::list(&now.machine, now.focus),
            _ => json!({ "threads": [] }),
        })
    }

    /// The warp of a thread number, or the warp in focus without one.
    pub fn target(&self, now: &Now, thread: Option<i64>) -> Result<WarpId, RequestFailure> {
        let Some(id) = thread else { return Ok(now.focus) };
        threads::target(&now.machine.shape, id).ok_or_else(|| RequestFailure::new(format!("there is no warp {id}")))
    }

    /// A line in the client's numbering.
    pub fn outgoing_line(&self, line: usize) -> i64 {
        line as i64 - i64::from(!self.facts.lines_start_at1)
    }

    /// A column in the client's numbering.
    pub fn outgoing_column(&self, column: usize) -> i64 {
        column as i64 - i64::from(!self.facts.columns_start_at1)
    }

    /// Converts a line of the client to a line from 1.
    pub fn incoming_line(&self, line: i64) -> usize {
        usize::try_from(line.saturating_add(i64::from(!self.facts.lines_start_at1))).unwrap_or(0).max(1)
    }

    /// Asks the client to request these areas again because they have changed.
    pub fn invalidate(&self, areas: &[&str]) {
        if self.facts.supports_invalidated_event {
            self.client.event("invalidated", json!({ "areas": areas }));
        }
    }
}
