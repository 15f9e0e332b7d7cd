//! Which function answers which request of a session, and the loop that reads requests and results of jobs.

use super::session::{DebugSession, SessionEvent, SessionPhase};
use super::stepping::StepKind;
use super::wire::{DapAnswer, DapMessage, DapRequest, RequestFailure, arguments};
use super::{filters, threads};
use serde_json::{Value, json};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

/// How often the session checks the progress of a job.
const TICK: Duration = Duration::from_millis(100);

impl DebugSession {
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
            "next" => self.step(request, StepKind::Over),
            "stepIn" => self.step(request, StepKind::In),
            "stepOut" => self.step(request, StepKind::Out),
            "stepBack" => self.step(request, StepKind::Back),
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

    fn threads(&self) -> DapAnswer {
        Ok(match &self.now {
            Some(now) if self.phase == SessionPhase::Going => threads::list(&now.machine, now.focus),
            _ => json!({ "threads": [] }),
        })
    }
}
