//! Stacks of warps: the positions of the lanes, and the calls that led there.

use super::arguments::{self, OfThread};
use super::handles::GroupFrame;
use super::launching::Debuggee;
use super::places::TextPosition;
use super::session::{DebugSession, Now};
use super::stops::reference;
use super::types::StackFrame;
use super::wire::{DapAnswer, DapRequest, RequestFailure, body};
use ptx_interp::findings::InstructionSite;
use ptx_interp::inspect::{self, CtaPhase, GroupState, WarpView};
use ptx_interp::machine::WarpId;
use ptx_launch::words::lanes;
use serde_json::json;

/// A stack frame before it gets its number.
struct UnnumberedFrame {
    name: String,
    frame: GroupFrame,
    site: Option<InstructionSite>,
    hint: Option<&'static str>,
}

/// A text for the state of a group of lanes.
pub fn state(state: GroupState) -> String {
    match state {
        GroupState::Ready => "can continue".to_owned(),
        GroupState::Barrier => "wait at a barrier".to_owned(),
        GroupState::Waiting => "wait for others".to_owned(),
        GroupState::Gathering(mask) => format!("wait for {}", lanes(mask)),
    }
}

/// The indices of a warp's groups: first the group that executes next, then the others.
pub fn order(groups: &WarpView) -> Vec<usize> {
    let others = (0..groups.groups.len()).filter(|i| Some(*i) != groups.next);
    groups.next.into_iter().chain(others).collect()
}

impl DebugSession {
    /// Handles `stackTrace`.
    pub(super) fn stack_trace(&mut self, request: &DapRequest) -> DapAnswer {
        let (debuggee, now) = self.stopped()?;
        let given: arguments::StackTrace = super::wire::arguments(request)?;
        let target = self.target(&now, Some(given.thread_id))?;
        let lines = stack(&debuggee, &now, target);
        let total = lines.len();
        let count = if given.levels == 0 { total } else { given.levels };
        let wanted = lines.into_iter().skip(given.start_frame).take(count);
        let frames: Vec<StackFrame> = wanted.map(|line| self.stack_frame(&debuggee, line)).collect();
        body(json!({ "stackFrames": frames, "totalFrames": total }))
    }

    fn stack_frame(&mut self, debuggee: &Debuggee, line: UnnumberedFrame) -> StackFrame {
        let id = self.handles.add_frame(line.frame);
        let mut out = StackFrame { id, name: line.name, presentation_hint: line.hint, ..StackFrame::default() };
        if let Some(site) = line.site {
            // Omit the end: clients select a range that has one, and the next key would replace it.
            let TextPosition { line, column, .. } = debuggee.places.shown(site);
            out.source = Some(debuggee.places.source(line.file));
            out.line = self.outgoing_line(line.line);
            out.column = self.outgoing_column(column);
            out.instruction_pointer_reference = Some(reference(site));
        }
        out
    }

    /// The frame with this number; without a number, the innermost frame of the group that executes next.
    pub(super) fn frame(&self, now: &Now, number: Option<i64>) -> Result<GroupFrame, RequestFailure> {
        match number {
            Some(number) => {
                let known = self.handles.frame(number);
                known.ok_or_else(|| RequestFailure::new("this frame is no longer valid: the session has moved on"))
            }
            None => Ok(top(now, now.focus)),
        }
    }

    /// Handles `exceptionInfo`.
    pub(super) fn exception_info(&mut self, request: &DapRequest) -> DapAnswer {
        let (debuggee, now) = self.stopped()?;
        let _: OfThread = super::wire::arguments(request)?;
        let Some(fault) = &now.stop.fault else {
            return Err(RequestFailure::new("it did not stop at a finding"));
        };
        let line = |site: InstructionSite| debuggee.places.ptx(site).line.line;
        let kind = fault.kind.name();
        let place = |site: InstructionSite| format!("{}, line {}", debuggee.places.name(site.function), line(site));
        let name = super::threads::name(&now.machine.shape, now.focus);
        let mut details = json!({
            "message": fault.message,
            "typeName": kind,
            "fullTypeName": format!("{kind} in {} of {name}", lanes(fault.lanes)),
            "stackTrace": format!("at {}: {}", place(fault.site), debuggee.places.text(fault.site)),
        });
        if let (Some((site, words)), Some(fields)) = (&fault.related, details.as_object_mut()) {
            let other = json!({
                "message": words, "typeName": "related place",
                "stackTrace": format!("at {}: {}", place(*site), debuggee.places.text(*site)),
            });
            fields.insert("innerException".to_owned(), json!([other]));
        }
        Ok(json!({
            "exceptionId": kind,
            "description": format!("{} ({} of {name})", fault.message, lanes(fault.lanes)),
            "breakMode": "always",
            "details": details,
        }))
    }
}

/// The innermost frame of the group of a warp that executes next.
pub fn top(now: &Now, target: WarpId) -> GroupFrame {
    let groups = inspect::groups(&now.machine, target);
    let first = groups.as_ref().and_then(|g| order(g).first().copied());
    let mask = groups.and_then(|g| g.groups.into_iter().nth(first.unwrap_or(0))).map_or(0, |g| g.mask);
    GroupFrame { target, group: first.unwrap_or(0), depth: 0, mask }
}

/// The frames of a warp: first those of the group that executes next, then those of each other group below a heading.
fn stack(debuggee: &Debuggee, now: &Now, target: WarpId) -> Vec<UnnumberedFrame> {
    let machine = &now.machine;
    let groups = inspect::groups(machine, target).filter(|g| !g.groups.is_empty());
    let Some(groups) = groups else {
        let entry = machine.executable.entry;
        let (words, instruction) = match inspect::phase(machine, target) {
            CtaPhase::Ahead => ("has not started", 0),
            _ => ("has ended", debuggee.places.instructions(entry)),
        };
        let name = format!("{} {words}", debuggee.places.name(entry));
        let frame = GroupFrame { target, group: 0, depth: 0, mask: 0 };
        return vec![UnnumberedFrame {
            name,
            frame,
            site: Some(InstructionSite { function: entry, instruction }),
            hint: None,
        }];
    };
    let together = groups.groups.len() == 1;
    let all = groups.present & !groups.exited;
    let mut out = Vec::new();
    for (place, index) in order(&groups).into_iter().enumerate() {
        let Some(group) = groups.groups.get(index) else { continue };
        let who = lanes(group.mask);
        if place > 0 {
            let frame = GroupFrame { target, group: index, depth: usize::MAX, mask: group.mask };
            let name = format!("{who}: {}", state(group.state));
            out.push(UnnumberedFrame { name, frame, site: None, hint: Some("label") });
        }
        for (depth, view) in inspect::frames(machine, target, index).into_iter().enumerate() {
            let full = together && group.mask == all && groups.exited == 0;
            let name = if full { view.name } else { format!("{} [{who}]", view.name) };
            let frame = GroupFrame { target, group: index, depth, mask: group.mask };
            out.push(UnnumberedFrame { name, frame, site: Some(view.site), hint: None });
        }
    }
    out
}
