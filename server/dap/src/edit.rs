//! Changing values: the session copies the machine, changes the copy, and continues the history from it.

use super::arguments::{self, DataBreakpointInfo, ValueFormat};
use super::expressions::{DebugExpression, ValueLocation};
use super::handles::{Container, GroupFrame, ScopeKind};
use super::history::RunHistory;
use super::memory::MemoryReference;
use super::session::{DebugSession, Now};
use super::stops::DataWatch;
use super::values;
use super::variables::View;
use super::wire::{DapAnswer, DapRequest, RequestFailure};
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use base64::engine::{DecodePaddingMode, Engine};
use ptx_interp::inspect::{self, RegisterView};
use ptx_interp::lanes::LaneMask;
use ptx_interp::machine::Machine;
use ptx_num::notation::{ElementFormat, Number};
use serde_json::{Value, json};
use std::sync::Arc;

/// The encoding of bytes in `readMemory` and `writeMemory`; some clients leave out the padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The destination of a write.
enum Goal {
    Register(GroupFrame, u32, LaneMask),
    Memory(MemoryReference, ElementFormat),
}

impl DebugSession {
    /// Changes a copy of the machine and continues the history from it.
    fn change(
        &mut self,
        now: &Now,
        change: impl FnOnce(&mut Machine) -> Result<(), String>,
    ) -> Result<(), RequestFailure> {
        let mut machine = (*now.machine).clone();
        change(&mut machine).map_err(RequestFailure::new)?;
        let Some(history) = &mut self.history else { return Err(RequestFailure::new("no kernel has been started")) };
        history.cut(now.leg);
        history.fork(machine.clone());
        self.printed = self.printed.min(machine.printed.len());
        let leg = RunHistory::len(history) - 1;
        if let Some(now) = &mut self.now {
            (now.leg, now.machine) = (leg, Arc::new(machine));
        }
        Ok(())
    }

    fn changed_memory(&self, at: MemoryReference, machine: &Machine, count: u64) {
        if self.facts.supports_memory_event {
            let body = json!({ "memoryReference": at.text(machine), "offset": 0, "count": count });
            self.client.event("memory", body);
        }
    }

    /// The bits that a text denotes: a number, or an expression.
    fn bits(
        &self,
        now: &Now,
        text: &str,
        ty: &str,
        element: ElementFormat,
        frame: GroupFrame,
    ) -> Result<u128, RequestFailure> {
        let text = text.trim();
        if ty == ".pred" && ["true", "false"].contains(&text) {
            return Ok(u128::from(text == "true"));
        }
        if let Some((number, length)) = Number::parse(text)
            && length == text.len()
        {
            return number.encode(element).map_err(RequestFailure::new);
        }
        let expression = DebugExpression::parse(text).map_err(RequestFailure::new)?;
        let value = expression.value(&now.machine, frame).map_err(RequestFailure::new)?;
        if !value.is_uniform() {
            return Err(RequestFailure::new(format!(
                "`{text}` is not the same in all lanes: choose one, as in `{}`",
                super::expressions::lane_of(text, 0)
            )));
        }
        let lane = value.mask.trailing_zeros() as usize % 32;
        Ok(values::bits(&value.ty, &value.bytes, lane) & element.mask())
    }

    /// Writes a value, and returns the new value in the response.
    fn write(&mut self, goal: Goal, text: &str, frame: GroupFrame, format: Option<ValueFormat>) -> DapAnswer {
        let (debuggee, now) = self.stopped()?;
        let hex = format.unwrap_or_default().hex;
        match goal {
            Goal::Register(at, slot, lanes) => {
                let register = register(&now, at, slot)?;
                let ty = register.ty;
                let element = ElementFormat::named(ty).filter(|e| e.bits() as usize * 4 == register.bytes.len());
                let element = element.unwrap_or(match ty {
                    ".pred" => ElementFormat::byte(),
                    _ => ElementFormat::of_bits(register.bytes.len() as u32 / 4),
                });
                let bits = self.bits(&now, text, ty, element, frame)?;
                let all = lanes & at.mask;
                self.change(&now, |m| inspect::set_register(m, at.target, at.group, at.depth, slot, all, bits))?;
                let (_, now) = self.stopped()?;
                let register = self::register(&now, at, slot)?;
                let one = lanes.count_ones() == 1;
                if one {
                    let lane = lanes.trailing_zeros() as usize;
                    return Ok(json!({ "value": values::lane(ty, &register.bytes, lane, hex), "type": ty }));
                }
                let view = View { debuggee: &debuggee, now: &now, hex, lane: self.lane };
                let made = view.register(at, &register);
                let variable = self.finish_variable(made);
                Ok(answer_of(&variable))
            }
            Goal::Memory(at, element) => {
                let bits = self.bits(&now, text, &format!(".{element}"), element, frame)?;
                let size = u64::from(element.bits().div_ceil(8));
                let mut bytes = vec![0; size as usize];
                element.put(&mut bytes, 0, bits);
                self.change(&now, |m| {
                    inspect::poke(m, at.target, Some(at.lane), inspect::MemoryPlace::Address(at.address), &bytes)
                })?;
                let (_, now) = self.stopped()?;
                self.changed_memory(at, &now.machine, size);
                let view = View { debuggee: &debuggee, now: &now, hex, lane: self.lane };
                let made = view.elements(at, element, 0, 1, "").into_iter().next();
                let value = made.map_or_else(String::new, |(v, _)| v.value);
                Ok(json!({ "value": value, "type": format!(".{element}"), "memoryReference": at.text(&now.machine) }))
            }
        }
    }

    /// Handles `setVariable`.
    pub(super) fn set_variable(&mut self, request: &DapRequest) -> DapAnswer {
        let given: arguments::SetVariable = super::wire::arguments(request)?;
        let (debuggee, now) = self.stopped()?;
        let container = self.handles.container(given.variables_reference);
        let container = container
            .ok_or_else(|| RequestFailure::new("these variables are no longer valid: the session has moved on"))?;
        let index = || {
            let digits = given.name.trim_start_matches('[').trim_end_matches(']');
            digits.parse::<u64>().map_err(|_| RequestFailure::new(format!("there is no `{}` here", given.name)))
        };
        let read_only = || RequestFailure::new(format!("`{}` cannot be changed", given.name));
        let (goal, frame) = match container {
            Container::Register(frame, slot) => {
                let lane = index()?.min(31);
                (Goal::Register(frame, slot, 1 << lane), GroupFrame { mask: 1 << lane, ..frame })
            }
            Container::Memory { at, element, count, .. } => {
                let index = index()?;
                if index >= count {
                    return Err(RequestFailure::new(format!("it has {count} elements, numbered from 0")));
                }
                (Goal::Memory(at.moved(byte_of(element, index)? as i64), element), super::stacks::top(&now, now.focus))
            }
            Container::Scope(frame, ScopeKind::Uniform | ScopeKind::Varying | ScopeKind::Predicates) => {
                let all = inspect::registers(&now.machine, frame.target, frame.group, frame.depth).unwrap_or_default();
                let found = all.iter().find(|r| r.name == given.name).ok_or_else(read_only)?;
                let lanes = match self.lane.filter(|l| frame.mask >> l & 1 != 0) {
                    Some(lane) => 1 << lane,
                    None => frame.mask,
                };
                (Goal::Register(frame, found.slot, lanes), frame)
            }
            Container::Scope(
                frame,
                ScopeKind::Parameters | ScopeKind::Shared | ScopeKind::Local | ScopeKind::Buffers,
            ) => {
                let view = View { debuggee: &debuggee, now: &now, hex: false, lane: self.lane };
                let lane = view.lane_of(frame);
                let found = inspect::peek(
                    &now.machine,
                    frame.target,
                    Some(lane),
                    inspect::MemoryPlace::Named(&given.name, 0),
                    0,
                );
                let address = found.map_err(RequestFailure::new)?.address;
                let listed = inspect::parameters(&now.machine).into_iter().find(|p| p.name == given.name);
                let ty = match listed {
                    Some(parameter) => parameter.ty.to_owned(),
                    None => self.type_in(&view, frame, &given.name).ok_or_else(read_only)?,
                };
                let element = ElementFormat::named(&ty).ok_or_else(read_only)?;
                (Goal::Memory(MemoryReference { target: frame.target, lane, address }, element), frame)
            }
            Container::Scope(_, ScopeKind::Specials) | Container::Lanes { .. } => return Err(read_only()),
        };
        self.write(goal, &given.value, frame, given.format)
    }

    /// The type of a variable in memory that is not an array.
    fn type_in(&self, view: &View<'_>, frame: GroupFrame, name: &str) -> Option<String> {
        [ScopeKind::Shared, ScopeKind::Local, ScopeKind::Buffers].into_iter().find_map(|scope| {
            let found = view.scope(frame, scope).into_iter().find(|(v, _)| v.name == name)?;
            found.0.ty.filter(|ty| !ty.contains('['))
        })
    }

    /// Handles `setExpression`.
    pub(super) fn set_expression(&mut self, request: &DapRequest) -> DapAnswer {
        let given: arguments::SetExpression = super::wire::arguments(request)?;
        let (_, now) = self.stopped()?;
        let frame = self.frame(&now, given.frame_id)?;
        let goal = self.goal(&now, frame, &given.expression)?;
        let answer = self.write(goal, &given.value, frame, given.format)?;
        self.invalidate(&["variables"]);
        Ok(answer)
    }

    /// The destination that an expression names.
    fn goal(&self, now: &Now, frame: GroupFrame, text: &str) -> Result<Goal, RequestFailure> {
        let expression = DebugExpression::parse(text).map_err(RequestFailure::new)?;
        let value = expression.value(&now.machine, frame).map_err(RequestFailure::new)?;
        match value.place {
            Some(ValueLocation::Register(slot)) => {
                let lane = self.lane.filter(|l| !expression.selects() && value.mask >> l & 1 != 0);
                Ok(Goal::Register(frame, slot, lane.map_or(value.mask, |l| 1 << l)))
            }
            Some(ValueLocation::Memory(at, element)) => Ok(Goal::Memory(at, element)),
            None => Err(RequestFailure::new(format!(
                "`{text}` has no storage of its own: only registers and memory can be changed"
            ))),
        }
    }

    /// Handles `readMemory`.
    pub(super) fn read_memory(&mut self, request: &DapRequest) -> DapAnswer {
        let given: arguments::ReadMemory = super::wire::arguments(request)?;
        let (_, now) = self.stopped()?;
        let at = self.reference(&now, &given.memory_reference)?.moved(given.offset);
        let (missing, bytes) = super::memory::peek(&now.machine, at, given.count);
        let mut out = json!({ "address": format!("{:#x}", at.address) });
        if let Some(fields) = out.as_object_mut() {
            if !bytes.is_empty() {
                fields.insert("data".to_owned(), json!(BASE64.encode(&bytes)));
            }
            let missing = if bytes.is_empty() { missing } else { given.count.saturating_sub(bytes.len() as u64) };
            if missing > 0 {
                fields.insert("unreadableBytes".to_owned(), json!(missing));
            }
        }
        Ok(out)
    }

    /// Handles `writeMemory`.
    pub(super) fn write_memory(&mut self, request: &DapRequest) -> DapAnswer {
        let given: arguments::WriteMemory = super::wire::arguments(request)?;
        let (_, now) = self.stopped()?;
        let at = self.reference(&now, &given.memory_reference)?.moved(given.offset);
        let mut bytes =
            BASE64.decode(&given.data).map_err(|why| RequestFailure::new(format!("`data` is not base 64: {why}")))?;
        if given.allow_partial {
            let (_, there) = super::memory::peek(&now.machine, at, bytes.len() as u64);
            bytes.truncate(there.len());
        }
        let count = bytes.len() as u64;
        self.change(&now, |m| {
            inspect::poke(m, at.target, Some(at.lane), inspect::MemoryPlace::Address(at.address), &bytes)
        })?;
        self.changed_memory(at, &now.machine, count);
        self.invalidate(&["variables"]);
        Ok(json!({ "bytesWritten": count }))
    }

    fn reference(&self, now: &Now, text: &str) -> Result<MemoryReference, RequestFailure> {
        let lane = self.lane.unwrap_or(0);
        let found = MemoryReference::parse(text, now.focus, lane);
        found.ok_or_else(|| RequestFailure::new(format!("`{text}` is not a reference to memory")))
    }

    /// The data to watch, with its name for the user; otherwise the reason why it cannot be watched.
    pub(super) fn watchable(&self, given: &DataBreakpointInfo, now: &Now) -> Result<(String, DataWatch), String> {
        let machine = &now.machine;
        if given.as_address {
            let at = MemoryReference::parse(&given.name, now.focus, self.lane.unwrap_or(0));
            let at = at.ok_or_else(|| format!("`{}` is not an address", given.name))?;
            let bytes = given.bytes.unwrap_or(4).max(1);
            return self.watched_memory(machine, at, bytes, at.text(machine));
        }
        let parent = given.variables_reference.and_then(|n| self.handles.container(n));
        let index =
            || given.name.trim_start_matches('[').trim_end_matches(']').parse::<u64>().map_err(|e| e.to_string());
        match parent {
            Some(Container::Register(frame, slot)) => {
                let lane = index()?.min(31);
                let register = register(now, frame, slot).map_err(|f| f.words)?;
                let name = super::expressions::lane_of(&register.name, lane as usize);
                Ok((name, watched_register(now, frame, slot, 1 << lane)?))
            }
            Some(Container::Memory { at, element, count, name }) => {
                let index = index()?;
                if index >= count {
                    return Err(format!("it has {count} elements, numbered from 0"));
                }
                let byte = byte_of(element, index).map_err(|f| f.words)?;
                let bytes = given.bytes.unwrap_or(u64::from(element.bits().div_ceil(8)));
                self.watched_memory(machine, at.moved(byte as i64), bytes, format!("{name}[{index}]"))
            }
            Some(Container::Lanes { .. }) => Err("a computed value cannot be watched".to_owned()),
            Some(Container::Scope(_, ScopeKind::Specials)) => Err("special registers cannot be watched".to_owned()),
            Some(Container::Scope(frame, _)) => self.watched_expression(given, now, frame),
            None => {
                let frame = self.frame(now, given.frame_id).map_err(|f| f.words)?;
                self.watched_expression(given, now, frame)
            }
        }
    }

    fn watched_expression(
        &self,
        given: &DataBreakpointInfo,
        now: &Now,
        frame: GroupFrame,
    ) -> Result<(String, DataWatch), String> {
        // The plain name of a variable in memory means all of its bytes.
        let lane = self.lane.unwrap_or(frame.mask.trailing_zeros() as usize % 32);
        let named = inspect::MemoryPlace::Named(&given.name, 0);
        if let Ok(found) = inspect::peek(&now.machine, frame.target, Some(lane), named, 0) {
            let debuggee = self.debuggee.as_ref().ok_or("no kernel has been started")?;
            let view = View { debuggee, now, hex: false, lane: self.lane };
            let at = MemoryReference { target: frame.target, lane, address: found.address };
            let size = view.size_of(frame, &given.name).unwrap_or(4);
            return self.watched_memory(&now.machine, at, given.bytes.unwrap_or(size), given.name.clone());
        }
        let expression = DebugExpression::parse(&given.name)?;
        let value = expression.value(&now.machine, frame)?;
        match value.place {
            Some(ValueLocation::Register(slot)) => {
                Ok((given.name.clone(), watched_register(now, frame, slot, value.mask)?))
            }
            Some(ValueLocation::Memory(at, element)) => {
                let bytes = given.bytes.unwrap_or(u64::from(element.bits().div_ceil(8)));
                self.watched_memory(&now.machine, at, bytes, given.name.clone())
            }
            None => {
                Err(format!("`{}` has no storage of its own: only registers and memory can be watched", given.name))
            }
        }
    }

    fn watched_memory(
        &self,
        machine: &Machine,
        at: MemoryReference,
        bytes: u64,
        name: String,
    ) -> Result<(String, DataWatch), String> {
        let found = at.space(machine).ok_or("code does not change")?;
        let (space, offset) = found;
        Ok((name, DataWatch::Memory { space, offset, bytes }))
    }
}

fn byte_of(element: ElementFormat, index: u64) -> Result<u64, RequestFailure> {
    let bits = index.checked_mul(element.bits().into()).filter(|bits| bits % 8 == 0);
    bits.map(|b| b / 8)
        .ok_or_else(|| RequestFailure::new("the second of two elements in a byte has no address of its own"))
}

fn register(now: &Now, frame: GroupFrame, slot: u32) -> Result<RegisterView, RequestFailure> {
    let all = inspect::registers(&now.machine, frame.target, frame.group, frame.depth).unwrap_or_default();
    all.into_iter().find(|r| r.slot == slot).ok_or_else(|| RequestFailure::new("the register no longer exists"))
}

fn watched_register(now: &Now, frame: GroupFrame, slot: u32, lanes: LaneMask) -> Result<DataWatch, String> {
    let frames = inspect::frames(&now.machine, frame.target, frame.group);
    let view = frames.get(frame.depth).ok_or("the function has returned")?;
    let (cta, warp) = (frame.target.cta, frame.target.warp);
    Ok(DataWatch::Register { cta, warp, function: view.site.function, slot, lanes })
}

fn answer_of(variable: &super::types::DapVariable) -> Value {
    let mut out = json!({ "value": variable.value, "variablesReference": variable.variables_reference });
    if let Some(fields) = out.as_object_mut() {
        fields.extend(variable.ty.clone().map(|ty| ("type".to_owned(), json!(ty))));
        fields.extend(variable.indexed_variables.map(|n| ("indexedVariables".to_owned(), json!(n))));
        fields.extend(variable.memory_reference.clone().map(|m| ("memoryReference".to_owned(), json!(m))));
    }
    out
}
