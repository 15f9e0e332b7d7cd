//! Scopes of a frame, and their variables.

use super::arguments;
use super::expressions;
use super::handles::{Container, GroupFrame, ScopeKind};
use super::launching::Debuggee;
use super::memory::MemoryReference;
use super::session::{DebugSession, Now};
use super::types::{self, DapVariable, PresentationHint};
use super::values;
use super::wire::{DapAnswer, DapRequest, RequestFailure, body};
use ptx_interp::inspect::BindingSite;
use ptx_interp::inspect::{self, MemoryPlace, RegisterView, SpecialView};
use ptx_interp::lanes::{LANES, LaneMask, lanes};
use ptx_interp::memory::Window;
use ptx_num::notation::ElementFormat;
use ptx_sema::hir::symbols;
use ptx_view::lane_values::marks;
use serde_json::json;

/// Number of elements that the text of a variable in memory shows.
const SHOWN: u64 = 4;

/// A variable in memory.
struct InMemory {
    name: String,
    at: MemoryReference,
    element: ElementFormat,
    count: u64,
}

/// The state that a description of variables needs.
pub(super) struct View<'v> {
    pub debuggee: &'v Debuggee,
    pub now: &'v Now,
    pub hex: bool,
    /// The lane in focus.
    pub lane: Option<usize>,
}

impl DebugSession {
    /// Handles `scopes`.
    pub(super) fn scopes(&mut self, request: &DapRequest) -> DapAnswer {
        let (debuggee, now) = self.stopped()?;
        let given: arguments::ScopesArguments = super::wire::arguments(request)?;
        let frame = self.frame(&now, Some(given.frame_id))?;
        if frame.depth == usize::MAX {
            return Ok(json!({ "scopes": [] }));
        }
        let view = View { debuggee: &debuggee, now: &now, hex: false, lane: self.lane };
        let mut out = Vec::new();
        let mut add = |session: &mut Self, scope, name, hint, count: usize| {
            if count > 0 {
                let variables_reference = session.handles.add(Container::Scope(frame, scope));
                out.push(types::DapScope {
                    name,
                    presentation_hint: hint,
                    variables_reference,
                    named_variables: Some(count),
                    expensive: false,
                });
            }
        };
        let registers = inspect::registers(&now.machine, frame.target, frame.group, frame.depth).unwrap_or_default();
        let count = |scope| registers.iter().filter(|r| kind(r, frame.mask) == Some(scope)).count();
        let locals = view.locals(frame).len();
        let kernel = debuggee.run.machine.executable.parameters.len();
        let specials = inspect::specials(&now.machine, frame.target, frame.group, frame.depth).unwrap_or_default();
        add(self, ScopeKind::Uniform, "Uniform registers", Some("registers"), count(ScopeKind::Uniform));
        add(self, ScopeKind::Varying, "Varying registers", Some("locals"), count(ScopeKind::Varying));
        add(self, ScopeKind::Predicates, "Predicates", None, count(ScopeKind::Predicates));
        add(self, ScopeKind::Local, "Local", None, locals);
        add(self, ScopeKind::Shared, "Shared", None, view.shared(frame).len());
        add(self, ScopeKind::Parameters, "Parameters", Some("arguments"), kernel);
        add(self, ScopeKind::Buffers, "Buffers", None, view.buffers().len());
        add(self, ScopeKind::Specials, "Special registers", None, specials.len());
        body(json!({ "scopes": out }))
    }

    /// Handles `variables`.
    pub(super) fn variables(&mut self, request: &DapRequest) -> DapAnswer {
        let (debuggee, now) = self.stopped()?;
        let given: arguments::Variables = super::wire::arguments(request)?;
        let known = self.handles.container(given.variables_reference);
        let container = known
            .ok_or_else(|| RequestFailure::new("these variables are no longer valid: the session has moved on"))?;
        let indexed = !matches!(container, Container::Scope(..));
        let (start, count) = match given.count {
            0 => (given.start, usize::MAX),
            count => (given.start, count),
        };
        let mismatch = match given.filter.as_deref() {
            Some("indexed") => !indexed,
            Some("named") => indexed,
            _ => false,
        };
        if mismatch {
            return Ok(json!({ "variables": [] }));
        }
        let hex = given.format.unwrap_or_default().hex;
        let view = View { debuggee: &debuggee, now: &now, hex, lane: self.lane };
        let made = match &container {
            Container::Scope(frame, scope) => view.scope(*frame, *scope),
            Container::Register(frame, slot) => view.lanes_of(*frame, *slot),
            Container::Lanes { mask, ty, bytes, name } => view.lanes(*mask, ty, bytes, name, *mask),
            Container::Memory { at, element, count: all, name } => {
                let all = usize::try_from(*all).unwrap_or(usize::MAX);
                let (start, room) = (start.min(all), all.saturating_sub(start));
                let elements = view.elements(*at, *element, start as u64, count.min(room).min(1 << 16) as u64, name);
                let variables: Vec<DapVariable> = elements.into_iter().map(|v| self.finish_variable(v)).collect();
                return body(json!({ "variables": variables }));
            }
        };
        let wanted = made.into_iter().skip(start).take(count);
        let variables: Vec<DapVariable> = wanted.map(|v| self.finish_variable(v)).collect();
        body(json!({ "variables": variables }))
    }

    /// Assigns a variable the number of its children.
    pub(super) fn finish_variable(&mut self, (mut variable, parts): VariableWithParts) -> DapVariable {
        if let Some(parts) = parts {
            variable.indexed_variables = Some(match &parts {
                Container::Memory { count, .. } => usize::try_from(*count).unwrap_or(usize::MAX).min(i32::MAX as usize),
                Container::Lanes { mask, .. } => mask.count_ones() as usize,
                Container::Register(frame, _) => frame.mask.count_ones() as usize,
                Container::Scope(..) => 0,
            });
            variable.variables_reference = self.handles.add(parts);
        }
        variable
    }
}

/// A variable, and the container of its children.
pub(super) type VariableWithParts = (DapVariable, Option<Container>);

/// The scope of a register; `None` until an instruction has written it.
fn kind(register: &RegisterView, mask: LaneMask) -> Option<ScopeKind> {
    if register.known & mask == 0 {
        return None;
    }
    Some(if register.ty == ".pred" {
        ScopeKind::Predicates
    } else if register.known & mask == mask && values::is_uniform(register.ty, &register.bytes, mask) {
        ScopeKind::Uniform
    } else {
        ScopeKind::Varying
    })
}

fn read_only() -> Option<PresentationHint> {
    Some(PresentationHint { attributes: vec!["readOnly"] })
}

impl View<'_> {
    /// The lane whose single-lane variables are shown: the lane in focus if the frame contains it, otherwise the
    /// frame's first lane.
    pub(super) fn lane_of(&self, frame: GroupFrame) -> usize {
        let first = frame.mask.trailing_zeros() as usize % LANES;
        self.lane.filter(|l| frame.mask >> l & 1 != 0 || frame.mask == 0).unwrap_or(first)
    }

    pub(super) fn scope(&self, frame: GroupFrame, scope: ScopeKind) -> Vec<VariableWithParts> {
        match scope {
            ScopeKind::Uniform | ScopeKind::Varying | ScopeKind::Predicates => {
                let all = inspect::registers(&self.now.machine, frame.target, frame.group, frame.depth);
                let wanted = all.unwrap_or_default().into_iter().filter(|r| kind(r, frame.mask) == Some(scope));
                wanted.map(|r| self.register(frame, &r)).collect()
            }
            ScopeKind::Specials => {
                let all = inspect::specials(&self.now.machine, frame.target, frame.group, frame.depth);
                all.unwrap_or_default().iter().map(|s| self.special(frame, s)).collect()
            }
            ScopeKind::Parameters => self.parameters(frame),
            ScopeKind::Shared => self.shared(frame).into_iter().map(|v| self.in_memory(v)).collect(),
            ScopeKind::Local => self.locals(frame).into_iter().map(|v| self.in_memory(v)).collect(),
            ScopeKind::Buffers => self.buffers().into_iter().map(|v| self.in_memory(v)).collect(),
        }
    }

    /// A register of a frame, as a variable.
    pub(super) fn register(&self, frame: GroupFrame, register: &RegisterView) -> VariableWithParts {
        let known = register.known & frame.mask;
        // Bits read as the instructions read them.
        let (ty, shown) = (register.ty, register.read_as.unwrap_or(register.ty));
        let mark = marks(register.unspecified, register.approximate, known);
        let value = match self.lane.filter(|l| frame.mask >> l & 1 != 0) {
            _ if known == 0 => "not written".to_owned(),
            Some(lane) if ty != ".pred" && kind(register, frame.mask) == Some(ScopeKind::Varying) => {
                match known >> lane & 1 {
                    0 => format!("lane {lane}: not written"),
                    _ => format!("lane {lane}: {}", values::lane(shown, &register.bytes, lane, self.hex)),
                }
            }
            _ => values::summary(shown, &register.bytes, known, self.hex),
        };
        let first = known.trailing_zeros() as usize;
        let pointer = (known == frame.mask && register.uniform || frame.mask.count_ones() == 1)
            .then(|| self.pointed(ty, values::bits(ty, &register.bytes, first % LANES), frame, first % LANES))
            .flatten();
        let (value, memory_reference) = self.with_pointer(format!("{value}{mark}"), pointer);
        let variable = DapVariable {
            name: register.name.clone(),
            value,
            ty: Some(ty.to_owned()),
            evaluate_name: Some(register.name.clone()),
            memory_reference,
            ..DapVariable::default()
        };
        (variable, Some(Container::Register(frame, register.slot)))
    }

    /// The memory that a value points to, if it is the exact address of something with a name.
    fn pointed(&self, ty: &str, bits: u128, frame: GroupFrame, lane: usize) -> Option<(MemoryReference, String)> {
        let machine = &self.now.machine;
        let size = ElementFormat::named(ty)?.bits() / 8;
        if size != u32::from(machine.executable.address_bytes()) || ty.starts_with(".f") {
            return None;
        }
        let address = u64::try_from(bits).ok()?;
        let name = inspect::name_of(machine, address)?;
        Some((MemoryReference { target: frame.target, lane, address }, name))
    }

    fn with_pointer(&self, value: String, pointer: Option<(MemoryReference, String)>) -> (String, Option<String>) {
        match pointer {
            Some((at, name)) => (format!("{value} → {name}"), Some(at.text(&self.now.machine))),
            None => (value, None),
        }
    }

    /// The lanes of a register, as variables.
    fn lanes_of(&self, frame: GroupFrame, slot: u32) -> Vec<VariableWithParts> {
        let all = inspect::registers(&self.now.machine, frame.target, frame.group, frame.depth).unwrap_or_default();
        let Some(register) = all.iter().find(|r| r.slot == slot) else { return Vec::new() };
        let shown = register.read_as.unwrap_or(register.ty);
        let mut out = self.lanes(frame.mask, shown, &register.bytes, &register.name, register.known);
        for ((variable, _), lane) in out.iter_mut().zip(lanes(frame.mask)) {
            variable.value += marks(register.unspecified, register.approximate, 1 << lane);
            variable.presentation_hint = None;
            variable.ty = Some(register.ty.to_owned());
            if register.known >> lane & 1 != 0 {
                let pointer = self.pointed(register.ty, values::bits(register.ty, &register.bytes, lane), frame, lane);
                let value = std::mem::take(&mut variable.value);
                (variable.value, variable.memory_reference) = self.with_pointer(value, pointer);
            }
        }
        out
    }

    /// Per-lane values, as variables.
    fn lanes(&self, mask: LaneMask, ty: &str, bytes: &[u8], name: &str, known: LaneMask) -> Vec<VariableWithParts> {
        let one = |lane: usize| {
            let value = match known >> lane & 1 {
                0 => "not written".to_owned(),
                _ => values::lane(ty, bytes, lane, self.hex),
            };
            let variable = DapVariable {
                name: format!("[{lane}]"),
                value,
                ty: Some(ty.to_owned()),
                presentation_hint: read_only(),
                evaluate_name: Some(expressions::lane_of(name, lane)),
                ..DapVariable::default()
            };
            (variable, None)
        };
        lanes(mask).map(one).collect()
    }

    fn special(&self, frame: GroupFrame, special: &SpecialView) -> VariableWithParts {
        let value = values::summary(special.ty, &special.bytes, frame.mask, self.hex);
        let uniform = values::is_uniform(special.ty, &special.bytes, frame.mask);
        let variable = DapVariable {
            name: special.name.clone(),
            value,
            ty: Some(special.ty.to_owned()),
            presentation_hint: read_only(),
            evaluate_name: Some(special.name.clone()),
            ..DapVariable::default()
        };
        let parts = (!uniform).then(|| Container::Lanes {
            mask: frame.mask,
            ty: special.ty.to_owned(),
            bytes: special.bytes.clone(),
            name: special.name.clone(),
        });
        (variable, parts)
    }

    fn parameters(&self, frame: GroupFrame) -> Vec<VariableWithParts> {
        let machine = &self.now.machine;
        let map = &machine.executable.map;
        let one = |p: inspect::ParameterView| {
            let element = ElementFormat::named(p.ty).unwrap_or(ElementFormat::byte());
            let lane = self.lane_of(frame);
            let address = map.generic(Window::Parameter, p.offset.into()).unwrap_or_default();
            let at = MemoryReference { target: frame.target, lane, address };
            let count = element.count(p.bytes.len() as u64);
            if count != 1 {
                return self.in_memory(InMemory { name: p.name, at, element, count });
            }
            let bits = element.get(&p.bytes, 0).unwrap_or_default();
            let pointer = self.pointed(p.ty, bits, frame, lane);
            let (value, points) = self.with_pointer(values::text(p.ty, bits, p.bytes.len(), self.hex), pointer);
            let variable = DapVariable {
                evaluate_name: Some(p.name.clone()),
                name: p.name,
                value,
                ty: Some(p.ty.to_owned()),
                memory_reference: points.or_else(|| Some(at.text(machine))),
                ..DapVariable::default()
            };
            (variable, None)
        };
        inspect::parameters(machine).into_iter().map(one).collect()
    }

    /// The symbol of a module variable, by its key.
    fn symbol(&self, key: &str) -> Option<symbols::VariableSymbol> {
        let program = &self.now.machine.executable.program;
        match key.split_once('/') {
            Some((function, variable)) => {
                let body = program.functions.get(function.parse::<usize>().ok()?)?.body.as_ref()?;
                Some(body.variables.get(variable.parse::<usize>().ok()?)?.symbol)
            }
            None => Some(program.variables.get(program.variable(key)?)?.symbol),
        }
    }

    fn element(symbol: Option<symbols::VariableSymbol>) -> ElementFormat {
        let ty = symbol.and_then(|s| s.ty).map(|t| t.info().name);
        ty.and_then(ElementFormat::named).unwrap_or(ElementFormat::byte())
    }

    /// Module variables in a window of memory, ordered by address.
    fn variables_in(&self, window: Window, frame: GroupFrame, end: u64) -> Vec<InMemory> {
        let executable = &self.now.machine.executable;
        let mut found: Vec<_> = executable.variables.iter().filter(|(_, l)| l.window == Some(window)).collect();
        found.sort_by_key(|(key, l)| (l.address, *key));
        let one = |(key, located): (&str, &ptx_interp::decode::VariableLocation)| {
            let element = Self::element(self.symbol(key));
            // The launch determines the size of dynamic shared memory.
            let bytes = if located.bytes == 0 { end.saturating_sub(located.address) } else { located.bytes };
            let address = executable.map.generic(window, located.address)?;
            let at = MemoryReference { target: frame.target, lane: self.lane_of(frame), address };
            let name = executable.variable_name(key).to_owned();
            Some(InMemory { name, at, element, count: element.count(bytes) })
        };
        found.into_iter().filter_map(|(key, located)| one((key, located))).collect()
    }

    /// Variables in shared memory.
    fn shared(&self, frame: GroupFrame) -> Vec<InMemory> {
        let ctas = self.now.machine.clusters.iter().flat_map(|c| &c.ctas);
        let own = ctas.into_iter().find(|c| c.number == frame.target.cta);
        own.map_or_else(Vec::new, |cta| self.variables_in(Window::Shared, frame, cta.shared.len()))
    }

    /// Variables in the local memory of a lane: those of the innermost function.
    fn locals(&self, frame: GroupFrame) -> Vec<InMemory> {
        let machine = &self.now.machine;
        let frames = inspect::frames(machine, frame.target, frame.group);
        let Some(site) = frames.first().filter(|_| frame.depth == 0).map(|f| f.site) else { return Vec::new() };
        let Some(body) = machine.executable.function(site.function) else { return Vec::new() };
        let lane = self.lane_of(frame);
        let on_stack = |v: &&ptx_flow::flow::FlowVariable| {
            v.symbol.space == ".local" || v.symbol.space == ".param" && !(body.kernel && v.range.is_empty())
        };
        let one = |v: &ptx_flow::flow::FlowVariable| {
            let found = inspect::peek(machine, frame.target, Some(lane), MemoryPlace::Named(&v.name, 0), 0).ok()?;
            let element = Self::element(Some(v.symbol));
            let at = MemoryReference { target: frame.target, lane, address: found.address };
            matches!(found.region, ptx_interp::memory::Region::Local).then(|| InMemory {
                name: v.name.to_string(),
                at,
                element,
                count: element.count(v.symbol.bytes.unwrap_or(0)),
            })
        };
        body.variables.iter().filter(on_stack).filter_map(one).collect()
    }

    /// Buffers of the launch, and variables in constant memory.
    fn buffers(&self) -> Vec<InMemory> {
        let executable = &self.now.machine.executable;
        let no_lanes = GroupFrame { target: self.now.focus, group: 0, depth: 0, mask: 0 };
        let mut out: Vec<InMemory> = Vec::new();
        for buffer in &self.debuggee.buffers {
            let address = match buffer.place {
                BindingSite::Global(address) => Some(address),
                BindingSite::Constant(at) => executable.map.generic(Window::Constant, at),
                BindingSite::Image(_) => None,
            };
            let Some(address) = address else { continue };
            let at = MemoryReference { target: self.now.focus, lane: self.lane_of(no_lanes), address };
            let name = executable.variable_name(&buffer.name).to_owned();
            out.push(InMemory { name, at, element: buffer.element, count: buffer.element.count(buffer.bytes) });
        }
        for variable in self.variables_in(Window::Constant, no_lanes, 0) {
            if !out.iter().any(|known| known.at.address == variable.at.address) {
                out.push(variable);
            }
        }
        out
    }

    /// All variables in memory that are visible in a frame.
    fn all_in_memory(&self, frame: GroupFrame) -> Vec<InMemory> {
        let mut out = self.locals(frame);
        out.extend(self.shared(frame));
        out.extend(self.buffers());
        out
    }

    /// The variable in memory or the parameter with this name.
    pub(super) fn named(&self, frame: GroupFrame, name: &str) -> Option<VariableWithParts> {
        if name.starts_with('%') || name.is_empty() {
            return None;
        }
        if let Some(found) = self.all_in_memory(frame).into_iter().find(|v| v.name == name) {
            return Some(self.in_memory(found));
        }
        self.parameters(frame).into_iter().find(|(v, _)| v.name == name)
    }

    /// The size of a variable in memory, in bytes.
    pub(super) fn size_of(&self, frame: GroupFrame, name: &str) -> Option<u64> {
        let found = self.all_in_memory(frame).into_iter().find(|v| v.name == name)?;
        Some((found.count * u64::from(found.element.bits())).div_ceil(8))
    }

    /// The names of all variables in memory, with their types.
    pub(super) fn names(&self, frame: GroupFrame) -> Vec<(String, String)> {
        let variables = self.all_in_memory(frame).into_iter().map(|v| (v.name, format!(".{}", v.element)));
        let parameters = inspect::parameters(&self.now.machine).into_iter().map(|p| (p.name, p.ty.to_owned()));
        variables.chain(parameters).collect()
    }

    /// A variable in memory, as text with its first elements.
    fn in_memory(&self, of: InMemory) -> VariableWithParts {
        let InMemory { name, at, element, count } = of;
        let single = count == 1;
        let first = self.elements(at, element, 0, count.min(SHOWN), &name);
        let texts: Vec<&str> = first.iter().map(|(v, _)| v.value.as_str()).collect();
        let more = if count > SHOWN { ", …" } else { "" };
        let value = if single { texts.concat() } else { format!("{{{}{more}}}", texts.join(", ")) };
        let ty = if single { format!(".{element}") } else { format!(".{element}[{count}]") };
        let variable = DapVariable {
            evaluate_name: Some(name.clone()),
            name: name.clone(),
            value,
            ty: Some(ty),
            memory_reference: Some(at.text(&self.now.machine)),
            ..DapVariable::default()
        };
        (variable, (!single && count > 0).then_some(Container::Memory { at, element, count, name }))
    }

    /// The elements of an array in memory, as variables.
    pub(super) fn elements(
        &self,
        at: MemoryReference,
        element: ElementFormat,
        from: u64,
        count: u64,
        name: &str,
    ) -> Vec<VariableWithParts> {
        let machine = &self.now.machine;
        let bits = u64::from(element.bits());
        let byte = |index: u64| index * bits / 8;
        let start = at.moved(byte(from) as i64);
        let length = byte(from + count + 1) - byte(from);
        let place = MemoryPlace::Address(start.address);
        let read = inspect::peek(machine, at.target, Some(at.lane), place, length as usize);
        let one = |index: u64| {
            let offset = byte(from + index) - byte(from);
            let known = read.as_ref().is_ok_and(|r| {
                let (first, last) = (offset as usize, (offset + bits.div_ceil(8)) as usize);
                r.known.iter().any(|k| k.start <= first && last <= k.end)
            });
            // Two elements of a 4-bit type share a byte.
            let inside = from * bits % 8 / bits.max(1);
            let value = read.as_ref().ok().and_then(|r| element.get(&r.bytes, index + inside));
            let value = match value {
                Some(value) if known => {
                    let size = (bits as usize).div_ceil(8);
                    if self.hex {
                        format!("{value:#0w$x}", w = 2 + 2 * size)
                    } else {
                        values::text(element.name(), value, size, false)
                    }
                }
                Some(_) => "not written".to_owned(),
                None => "?".to_owned(),
            };
            let variable = DapVariable {
                name: if name.is_empty() { String::new() } else { format!("[{}]", from + index) },
                value,
                ty: Some(format!(".{element}")),
                evaluate_name: expressions::element_of(name, element, from + index),
                memory_reference: Some(at.moved(byte(from + index) as i64).text(machine)),
                ..DapVariable::default()
            };
            (variable, None)
        };
        (0..count).map(one).collect()
    }
}
