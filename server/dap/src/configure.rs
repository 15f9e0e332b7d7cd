//! Breakpoints: the client's settings, and the instructions or data that they resolve to in the program.

use super::arguments::{
    BreakpointLocations, DataBreakpoint, DataBreakpointInfo, FunctionBreakpoint, InstructionBreakpoint,
    MAX_BREAKPOINTS, SetBreakpoints, SetDataBreakpoints, SetExceptionBreakpoints, SetFunctionBreakpoints,
    SetInstructionBreakpoints, SourceBreakpoint,
};
use super::breakpoints::SourceBreakpoints;
use super::expressions::{DebugExpression, Template};
use super::filters::{self, FindingFilter};
use super::launching::Debuggee;
use super::places::{PathFormat, site};
use super::session::DebugSession;
use super::stops::{BreakpointKind, DataWatch, Hits, Point, StopCondition, Stops, Watch, reference};
use super::types::{Breakpoint, DapSource};
use super::wire::{DapAnswer, DapRequest, RequestFailure, arguments, body};
use ptx_gate::names::FileName;
use ptx_gate::words::visible;
use ptx_interp::findings::InstructionSite;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The result of setting one breakpoint: the answer for the client and, if it is valid, the point that stops the run.
type Set = (Breakpoint, Option<Arc<Point>>);

/// The answer for a breakpoint that cannot be set; `words` is the reason.
fn refused(id: i64, words: String) -> Breakpoint {
    // They repeat names and conditions.
    Breakpoint { id, verified: false, message: Some(visible(&words).into_owned()), ..Breakpoint::default() }
}

fn when(condition: Option<&str>, hits: Option<&str>) -> Result<StopCondition, String> {
    let given = |text: Option<&str>| text.map(str::trim).filter(|t| !t.is_empty()).map(str::to_owned);
    let condition = given(condition).map(|text| DebugExpression::parse(&text)).transpose();
    Ok(StopCondition {
        condition: condition.map_err(|why| format!("the condition cannot be understood: {why}"))?,
        hits: given(hits).map(|text| Hits::parse(&text)).transpose()?,
    })
}

impl DebugSession {
    /// The path of a source that the client names.
    pub(super) fn path(source: &DapSource) -> PathBuf {
        let path = source.path.as_deref().or(source.name.as_deref()).unwrap_or_default();
        PathFormat::path(path).unwrap_or_default()
    }

    /// Handles `setBreakpoints`.
    pub(super) fn set_breakpoints(&mut self, request: &DapRequest) -> DapAnswer {
        let SetBreakpoints { source, breakpoints, lines } = arguments(request)?;
        let path = Self::path(&source);
        let of_line = |line: &i64| SourceBreakpoint { line: *line, ..SourceBreakpoint::default() };
        let given = breakpoints.map_or_else(|| lines.0.iter().map(of_line).collect(), |breakpoints| breakpoints.0);
        let given: Vec<_> = given.into_iter().map(|b| (self.number(), b)).collect();
        let told = given.iter().map(|(id, b)| self.line_point(&path, *id, b).0).collect::<Vec<_>>();
        self.configured.lines.insert(FileName::of_path(&path), SourceBreakpoints { path, points: given });
        self.rebuild();
        body(json!({ "breakpoints": told }))
    }

    /// Handles `setFunctionBreakpoints`.
    pub(super) fn set_function_breakpoints(&mut self, request: &DapRequest) -> DapAnswer {
        let SetFunctionBreakpoints { breakpoints } = arguments(request)?;
        let given: Vec<_> = breakpoints.0.into_iter().map(|b| (self.number(), b)).collect();
        let told: Vec<_> = given.iter().map(|(id, b)| self.function_point(*id, b).0).collect();
        self.configured.functions = given;
        self.rebuild();
        body(json!({ "breakpoints": told }))
    }

    /// Handles `setInstructionBreakpoints`.
    pub(super) fn set_instruction_breakpoints(&mut self, request: &DapRequest) -> DapAnswer {
        let SetInstructionBreakpoints { breakpoints } = arguments(request)?;
        let given: Vec<_> = breakpoints.0.into_iter().map(|b| (self.number(), b)).collect();
        let told: Vec<_> = given.iter().map(|(id, b)| self.instruction_point(*id, b).0).collect();
        self.configured.instructions = given;
        self.rebuild();
        body(json!({ "breakpoints": told }))
    }

    /// Handles `setDataBreakpoints`.
    pub(super) fn set_data_breakpoints(&mut self, request: &DapRequest) -> DapAnswer {
        let SetDataBreakpoints { breakpoints } = arguments(request)?;
        let given: Vec<_> = breakpoints.0.into_iter().map(|b| (self.number(), b)).collect();
        let told: Vec<_> = given
            .iter()
            .map(|(id, b)| match self.watch(*id, b) {
                Ok(_) => Breakpoint { id: *id, verified: true, ..Breakpoint::default() },
                Err(words) => refused(*id, words),
            })
            .collect();
        self.configured.data = given;
        self.rebuild();
        body(json!({ "breakpoints": told }))
    }

    /// Handles `setExceptionBreakpoints`.
    pub(super) fn set_exception_breakpoints(&mut self, request: &DapRequest) -> DapAnswer {
        let SetExceptionBreakpoints { filters, filter_options } = arguments(request)?;
        let plain = filters.0.into_iter().map(|id| (id, None));
        let options = filter_options.0.into_iter().map(|o| (o.filter_id, o.condition));
        let given: Vec<_> = plain.chain(options).take(MAX_BREAKPOINTS).map(|(id, c)| (self.number(), id, c)).collect();
        let told: Vec<_> = given
            .iter()
            .map(|(number, id, condition)| match exception(id, condition.as_deref()) {
                Ok(_) => Breakpoint { id: *number, verified: true, ..Breakpoint::default() },
                Err(words) => refused(*number, words),
            })
            .collect();
        self.configured.filters = given;
        self.rebuild();
        body(json!({ "breakpoints": told }))
    }

    /// Handles `breakpointLocations`.
    pub(super) fn breakpoint_locations(&mut self, request: &DapRequest) -> DapAnswer {
        let BreakpointLocations { source, line, end_line } = arguments(request)?;
        let Some(debuggee) = &self.debuggee else { return Ok(json!({ "breakpoints": [] })) };
        let files = debuggee.places.files(&Self::path(&source));
        let from = self.incoming_line(line);
        let to = end_line.map_or(from, |l| self.incoming_line(l));
        let lines = files.iter().flat_map(|f| debuggee.places.lines(*f, from, to).map(|(line, _)| line));
        let mut lines: Vec<usize> = lines.take(MAX_BREAKPOINTS).collect();
        lines.sort_unstable();
        lines.dedup();
        let all: Vec<Value> = lines.iter().map(|l| json!({ "line": self.outgoing_line(*l) })).collect();
        Ok(json!({ "breakpoints": all }))
    }

    fn line_point(&self, path: &Path, id: i64, given: &SourceBreakpoint) -> Set {
        let Some(debuggee) = &self.debuggee else {
            return (refused(id, "the program is not loaded yet".to_owned()), None);
        };
        let files = debuggee.places.files(path);
        let made = when(given.condition.as_deref(), given.hit_condition.as_deref()).and_then(|when| {
            let log = given.log_message.as_deref().filter(|m| !m.is_empty()).map(Template::parse).transpose()?;
            Ok((when, log, debuggee.places.resolve(&files, self.incoming_line(given.line))?))
        });
        match made {
            Err(words) => (Breakpoint { line: Some(given.line), ..refused(id, words) }, None),
            Ok((when, log, found)) => {
                let source = Some(debuggee.places.source(files.first().copied().flatten()));
                let told = Breakpoint { source, ..self.told(id, debuggee, found.sites.first(), Some(found.line)) };
                let point = Point { id, kind: BreakpointKind::Line, sites: found.sites, when, log: log.map(Arc::new) };
                (told, Some(Arc::new(point)))
            }
        }
    }

    fn function_point(&self, id: i64, given: &FunctionBreakpoint) -> Set {
        let Some(debuggee) = &self.debuggee else {
            return (refused(id, "the program is not loaded yet".to_owned()), None);
        };
        let made = when(given.condition.as_deref(), given.hit_condition.as_deref())
            .and_then(|when| Ok((when, debuggee.places.function(&given.name, &debuggee.run.machine.executable)?)));
        self.point(id, BreakpointKind::Function, made, debuggee)
    }

    fn instruction_point(&self, id: i64, given: &InstructionBreakpoint) -> Set {
        let Some(debuggee) = &self.debuggee else {
            return (refused(id, "the program is not loaded yet".to_owned()), None);
        };
        let made = when(given.condition.as_deref(), given.hit_condition.as_deref()).and_then(|when| {
            let address = super::memory::number(&given.instruction_reference);
            let found = address.and_then(|a| site(a.wrapping_add_signed(given.offset)));
            let there = found.filter(|s| s.instruction < debuggee.places.instructions(s.function));
            let words = || format!("there is no instruction at {}", given.instruction_reference);
            Ok((when, there.ok_or_else(words)?))
        });
        self.point(id, BreakpointKind::Instruction, made, debuggee)
    }

    fn point(
        &self,
        id: i64,
        kind: BreakpointKind,
        made: Result<(StopCondition, InstructionSite), String>,
        debuggee: &Debuggee,
    ) -> Set {
        match made {
            Err(words) => (refused(id, words), None),
            Ok((when, site)) => {
                let point = Point { id, kind, sites: vec![site], when, log: None };
                (self.told(id, debuggee, Some(&site), None), Some(Arc::new(point)))
            }
        }
    }

    /// The answer for a breakpoint that was set at `site`; `line` overrides the line of the instruction.
    fn told(&self, id: i64, debuggee: &Debuggee, site: Option<&InstructionSite>, line: Option<usize>) -> Breakpoint {
        let place = site.map(|s| debuggee.places.shown(*s));
        let source = place.map(|p| debuggee.places.source(p.line.file));
        let line = line.or(place.map(|p| p.line.line));
        Breakpoint {
            id,
            verified: true,
            source,
            line: line.map(|l| self.outgoing_line(l)),
            instruction_reference: site.map(|s| reference(*s)),
            ..Breakpoint::default()
        }
    }

    fn watch(&self, id: i64, given: &DataBreakpoint) -> Result<Watch, String> {
        let (name, watched): (String, DataWatch) = serde_json::from_str(&given.data_id)
            .map_err(|_| "this data cannot be watched: request it again".to_owned())?;
        let (reads, writes) = match given.access_type.as_deref() {
            Some("read") => (true, false),
            Some("readWrite") => (true, true),
            None | Some("write") => (false, true),
            Some(other) => return Err(format!("`{other}` is not a kind of access")),
        };
        let when = when(given.condition.as_deref(), given.hit_condition.as_deref())?;
        if when.hits.is_some() {
            return Err("hits of data breakpoints are not counted".to_owned());
        }
        Ok(Watch { id, watched, name, reads, writes, when })
    }

    /// Rebuilds `stops` from the resolved breakpoints and filters.
    fn rebuild(&mut self) {
        let own = &self.configured;
        let lines = own.in_lines().filter_map(|(path, id, b)| self.line_point(path, id, b).1);
        let functions = own.functions.iter().filter_map(|(id, b)| self.function_point(*id, b).1);
        let instructions = own.instructions.iter().filter_map(|(id, b)| self.instruction_point(*id, b).1);
        let points = lines.chain(functions).chain(instructions).collect();
        let watches = own.data.iter().filter_map(|(id, b)| self.watch(*id, b).ok().map(Arc::new)).collect();
        let filters = own.filters.iter().filter_map(|(_, id, c)| exception(id, c.as_deref()).ok()).collect();
        self.configured.stops = Arc::new(Stops::new(points, watches, filters));
        self.search_again();
    }

    /// Resolves all breakpoints again after a program was loaded, and reports the results to the client.
    pub(super) fn resolve_again(&mut self) {
        let own = &self.configured;
        let lines = own.in_lines().map(|(path, id, b)| self.line_point(path, id, b).0);
        let functions = own.functions.iter().map(|(id, b)| self.function_point(*id, b).0);
        let instructions = own.instructions.iter().map(|(id, b)| self.instruction_point(*id, b).0);
        for breakpoint in lines.chain(functions).chain(instructions) {
            self.client.event("breakpoint", json!({ "reason": "changed", "breakpoint": breakpoint }));
        }
        self.rebuild();
    }

    /// Handles `dataBreakpointInfo`.
    pub(super) fn data_breakpoint_info(&mut self, request: &DapRequest) -> DapAnswer {
        let given: DataBreakpointInfo = arguments(request)?;
        let (_, now) = self.stopped()?;
        match self.watchable(&given, &now) {
            Err(why) => Ok(json!({ "dataId": null, "description": why })),
            Ok((name, watched)) => {
                let id = serde_json::to_string(&(&name, watched)).map_err(|e| RequestFailure::new(e.to_string()))?;
                Ok(json!({
                    "dataId": id, "description": name,
                    "accessTypes": ["read", "write", "readWrite"], "canPersist": false,
                }))
            }
        }
    }
}

fn exception(id: &str, condition: Option<&str>) -> Result<(&'static FindingFilter, Option<DebugExpression>), String> {
    let filter = filters::named(id).ok_or_else(|| format!("there is no exception filter `{id}`"))?;
    Ok((filter, when(condition, None)?.condition))
}
