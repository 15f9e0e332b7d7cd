//! Bytes of memory by address, by offset or by name.

use super::groups::{chain, cta_of, find, warp_of};
use crate::lanes::LANES;
use crate::machine::code::body_name;
use crate::machine::state::schedule::WarpPosition;
use crate::machine::{CallFrame, Machine, MemoryAccess, Warp, WarpId, region_name};
use crate::memory::{ReadStatus, Region, STACK_PARAMETERS, Storage, Window};
use ptx_flow::flow;
use ptx_isa::tables::{TypeClass, TypeInfo};
use ptx_num::values::Marks;
use ptx_sema::hir::signature::{Array, Parameter};
use std::collections::HashSet;
use std::ops::Range;

/// Maximum number of bytes per read.
const MAX_READ: usize = 1 << 24;

/// A state space that users can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Area {
    /// Global memory; an offset is an address.
    Global,
    /// Shared memory of the CTA. Offsets from 16 MiB on address the CTAs of its cluster.
    Shared,
    /// Local memory of a lane.
    Local,
    /// Constant memory.
    Constant,
    /// Parameters of the kernel.
    Parameter,
}

impl Area {
    /// The state space with this name, with or without the dot.
    pub fn named(name: &str) -> Option<Self> {
        match name.strip_prefix('.').unwrap_or(name) {
            "global" => Some(Self::Global),
            "shared" | "shared::cta" | "shared::cluster" => Some(Self::Shared),
            "local" => Some(Self::Local),
            "const" => Some(Self::Constant),
            "param" | "param::entry" => Some(Self::Parameter),
            _ => None,
        }
    }

    /// All of them, in the order of a menu.
    pub const ALL: [Self; 5] = [Self::Shared, Self::Local, Self::Parameter, Self::Constant, Self::Global];

    /// Its name in views, without the dot.
    pub fn name(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Shared => "shared",
            Self::Local => "local",
            Self::Constant => "const",
            Self::Parameter => "param",
        }
    }

    /// The window of the state space; `None` for global memory.
    pub(super) fn window(self) -> Option<Window> {
        match self {
            Self::Global => None,
            Self::Shared => Some(Window::Shared),
            Self::Local => Some(Window::Local),
            Self::Constant => Some(Window::Constant),
            Self::Parameter => Some(Window::Parameter),
        }
    }
}

/// A place in memory, as a user specifies it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryPlace<'n> {
    /// A generic address.
    Address(u64),
    /// An offset in a state space.
    Offset(Area, u64),
    /// A variable, a buffer or a parameter by name, and a distance in bytes from its beginning.
    Named(&'n str, u64),
}

/// Bytes read from memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Peek {
    /// The memory that contains them.
    pub region: Region,
    /// The generic address of the first byte.
    pub address: u64,
    /// The offset of the first byte in its state space; in global memory the address.
    pub offset: u64,
    /// The name of the first byte: `x+16`.
    pub name: Option<String>,
    /// The bytes; fewer than requested at the end of memory. Unwritten bytes are zero.
    pub bytes: Vec<u8>,
    /// The written bytes, as ranges of indices into `bytes`.
    pub known: Vec<Range<usize>>,
    /// The combined marks of the bytes.
    pub marks: Marks,
}

impl Peek {
    /// The name of the state space in views: `shared`.
    pub fn space(&self) -> &'static str {
        space(self.region)
    }
}

/// The name of a region's state space in views, without the dot.
pub fn space(region: Region) -> &'static str {
    match region {
        Region::Global => Area::Global.name(),
        Region::Shared(_) => Area::Shared.name(),
        Region::Local => Area::Local.name(),
        Region::Constant => Area::Constant.name(),
        Region::Parameter => Area::Parameter.name(),
        Region::Code => "code",
    }
}

/// A parameter of the kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParameterView {
    /// Its name.
    pub name: String,
    /// The type, or the element type of an array, with the dot; empty if it is unknown.
    pub ty: &'static str,
    /// The offset of its first byte in the `.param` space.
    pub offset: u32,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The name of the memory that it points to, if it is an address: `x+16`.
    pub points_to: Option<String>,
}

/// The parameters of the kernel.
pub fn parameters(machine: &Machine) -> Vec<ParameterView> {
    let executable = &machine.executable;
    let Some(callable) = executable.program.functions.get(executable.entry as usize) else { return Vec::new() };
    let all = callable.parameters.iter().zip(&executable.parameters);
    let view = |(parameter, (offset, size)): (&Parameter, &(u32, u32))| {
        let mut bytes = vec![0; *size as usize];
        machine.memory.parameters.read(u64::from(*offset), &mut bytes);
        let info = parameter.ty.map(|t| t.info());
        let whole = info.is_some_and(|t| matches!(t.class, TypeClass::Bits | TypeClass::Uint | TypeClass::Sint));
        let address = (whole && bytes.len() == usize::from(executable.address_bytes())).then(|| word(&bytes));
        ParameterView {
            name: parameter.name.to_string(),
            ty: info.map_or("", |t| t.name),
            offset: *offset,
            points_to: address.and_then(|address| name_of(machine, address)),
            bytes,
        }
    };
    all.map(view).collect()
}

/// Memory that has a name of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VariableView<'m> {
    /// The name of the buffer or the variable.
    pub name: &'m str,
    /// The name of its state space in views: `shared`.
    pub space: &'static str,
}

/// The buffers of a launch, and the variables of the module and of the functions that the kernel can reach, in order of their addresses.
/// Parameters are not among them: [`parameters`] has those.
pub fn variables(machine: &Machine) -> Vec<VariableView<'_>> {
    let executable = &machine.executable;
    let allocations = machine.memory.global.allocations().iter().filter(|allocation| !allocation.is_on_heap());
    let global = allocations.map(|allocation| VariableView { name: &allocation.name, space: space(Region::Global) });
    let mut located: Vec<_> = executable
        .variables
        .iter()
        .filter_map(|(key, at)| Some((space_of(at.window?)?, at.address, executable.variable_name(key))))
        .collect();
    located.sort_unstable();
    let functions = 0..executable.program.functions.len() as u32;
    let on_stack = functions.filter_map(|at| Some((executable.code(at)?, executable.function(at)?)));
    let on_stack = on_stack.flat_map(|(code, body)| {
        let declared = body.variables.iter().enumerate();
        let local = declared.filter(|(at, v)| v.symbol.space == ".local" && code.stack.contains_key(&(*at as u32)));
        local.map(|(_, variable)| VariableView { name: &variable.name, space: space(Region::Local) })
    });
    let located = located.into_iter().map(|(space, _, name)| VariableView { name, space });
    let mut seen = HashSet::new();
    global.chain(located).chain(on_stack).filter(|variable| seen.insert(variable.name)).collect()
}

/// The name in views of the state space of a window that has variables.
fn space_of(window: Window) -> Option<&'static str> {
    let area = [Area::Shared, Area::Local, Area::Constant].into_iter().find(|area| area.window() == Some(window))?;
    Some(area.name())
}

fn word(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte))
}

/// The name of the memory at a generic address: `x+16`, `x`; `None` if it has none.
pub fn name_of(machine: &Machine, address: u64) -> Option<String> {
    let (region, offset) = machine.executable.map.region(address);
    name_at(machine, region, offset)
}

/// The name of the first byte of an access.
pub fn name_of_access(machine: &Machine, access: &MemoryAccess) -> Option<String> {
    name_at(machine, access.region, access.offset)
}

/// The name of the memory at an offset of a region.
fn name_at(machine: &Machine, region: Region, offset: u64) -> Option<String> {
    let (name, by) = machine.named(region, offset)?;
    Some(if by == 0 { name.to_owned() } else { format!("{name}+{by}") })
}

/// A resolved place in memory, with its name.
struct PeekLocation {
    region: Region,
    offset: u64,
    address: u64,
    name: Option<String>,
}

/// The generic address of a place, as a warp sees it. Variables on the stack differ per lane; their name refers to the innermost function
/// that has such a variable.
fn address_of(machine: &Machine, target: WarpId, lane: Option<usize>, place: MemoryPlace<'_>) -> Result<u64, String> {
    let map = &machine.executable.map;
    let generic = |window: Option<Window>, at: u64| match window {
        None => Ok(at),
        Some(window) => map.generic(window, at).ok_or_else(|| format!("{at:#x} lies past the end of the state space")),
    };
    match place {
        MemoryPlace::Address(address) => Ok(address),
        MemoryPlace::Offset(area, at) => generic(area.window(), at),
        MemoryPlace::Named(name, by) => {
            let (window, at) = variable(machine, target, lane, name)?;
            let at = at.checked_add(by).ok_or_else(|| format!("there is nothing {by:#x} bytes past `{name}`"))?;
            generic(window, at)
        }
    }
}

/// The memory that a name refers to.
#[derive(Debug, Clone, Copy)]
pub(super) struct NamedMemory {
    /// The window that contains it; `None` for global memory.
    pub window: Option<Window>,
    /// The offset in the window; for a variable on the stack, the offset in the frame.
    pub at: u64,
    /// It lies on the stack, at a different address for each lane.
    pub stack: bool,
    /// The type, or the element type of an array.
    pub ty: Option<&'static TypeInfo>,
    /// It is a single value.
    pub scalar: bool,
}

/// A variable of the function of a call frame, by name.
fn of_function(machine: &Machine, frame: &CallFrame, name: &str) -> Option<NamedMemory> {
    let executable = &machine.executable;
    let body = executable.function(frame.function)?;
    let named = body.variables.iter().enumerate().filter(|(_, v)| *v.name == *name);
    let find = |(at, declared): (usize, &flow::FlowVariable)| {
        let symbol = &declared.symbol;
        let found = NamedMemory {
            window: None,
            at: 0,
            stack: false,
            ty: symbol.ty.map(|t| t.info()),
            scalar: !symbol.array && symbol.elements <= 1,
        };
        if let Some(located) = executable.variables.get(&body_name(frame.function as usize, at)) {
            return Some(NamedMemory { window: located.window, at: located.address, ..found });
        }
        let offset = *executable.code(frame.function)?.stack.get(&(at as u32))?;
        let window = if symbol.space == ".local" { Window::Local } else { Window::Parameter };
        Some(NamedMemory { window: Some(window), at: offset.into(), stack: true, ..found })
    };
    named.filter_map(find).next()
}

fn of_module(machine: &Machine, name: &str) -> Option<NamedMemory> {
    let located = machine.executable.variables.get(name)?;
    let symbol = machine.executable.program.variables.iter().find(|v| *v.name == *name).map(|v| &v.symbol);
    Some(NamedMemory {
        window: located.window,
        at: located.address,
        stack: false,
        ty: symbol.and_then(|s| s.ty).map(|t| t.info()),
        scalar: symbol.is_some_and(|s| !s.array && s.elements <= 1),
    })
}

fn of_kernel(machine: &Machine, name: &str) -> Option<NamedMemory> {
    let executable = &machine.executable;
    let callable = executable.program.functions.get(executable.entry as usize)?;
    let all = callable.parameters.iter().zip(&executable.parameters);
    let (parameter, (at, _)) = all.into_iter().find(|(p, _)| *p.name == *name)?;
    Some(NamedMemory {
        window: Some(Window::Parameter),
        at: u64::from(*at),
        stack: false,
        ty: parameter.ty.map(|t| t.info()),
        scalar: parameter.array == Array::No && parameter.elements <= 1,
    })
}

fn of_launch(machine: &Machine, name: &str) -> Option<NamedMemory> {
    let base = machine.memory.global.named(name)?.base;
    Some(NamedMemory { window: None, at: base, stack: false, ty: None, scalar: false })
}

/// A variable of a function that is not currently executing, by name.
fn elsewhere(machine: &Machine, name: &str) -> Result<Option<NamedMemory>, String> {
    let executable = &machine.executable;
    let mut all = executable.variables.iter().filter(|(key, _)| executable.variable_name(key) == name);
    match (all.next(), all.next()) {
        (Some((_, l)), None) => {
            Ok(Some(NamedMemory { window: l.window, at: l.address, stack: false, ty: None, scalar: false }))
        }
        (Some(_), Some(_)) => Err(format!("several functions have a variable `{name}`")),
        (None, _) => Ok(None),
    }
}

/// Resolves a name in a call frame. Order: variables of its function, variables of the module, parameters of the kernel, buffers, variables
/// of other functions.
pub(super) fn variable_in(machine: &Machine, frame: &CallFrame, name: &str) -> Result<Option<NamedMemory>, String> {
    let near = of_function(machine, frame, name).or_else(|| of_module(machine, name));
    match near.or_else(|| of_kernel(machine, name)).or_else(|| of_launch(machine, name)) {
        Some(found) => Ok(Some(found)),
        None => elsewhere(machine, name),
    }
}

/// The address of a variable, a buffer or a parameter: its window and the offset in it.
fn variable(
    machine: &Machine,
    target: WarpId,
    lane: Option<usize>,
    name: &str,
) -> Result<(Option<Window>, u64), String> {
    // Variables of the executing function and of its callers take precedence.
    if let Some(warp) = warp_of(machine, target) {
        let group = warp.groups.iter().find(|g| lane.is_none_or(|l| g.mask >> (l % LANES) & 1 != 0));
        let group = group.or_else(|| warp.groups.first());
        for frame in group.into_iter().flat_map(|g| chain(warp, g.frame)).filter_map(|index| warp.frame(index)) {
            let Some(found) = of_function(machine, frame, name) else { continue };
            if !found.stack {
                return Ok((found.window, found.at));
            }
            let lane = lane.ok_or_else(|| format!("each lane has its own `{name}`: choose a lane"))?;
            let at = u64::from(frame.base.get(lane % LANES).copied().unwrap_or(0)) + found.at;
            let own = if found.window == Some(Window::Parameter) { STACK_PARAMETERS } else { 0 };
            return Ok((found.window, own + at));
        }
    }
    let found = of_module(machine, name).or_else(|| of_launch(machine, name)).or_else(|| of_kernel(machine, name));
    let found = match found {
        Some(found) => Some(found),
        None => elsewhere(machine, name)?,
    };
    let found = found.ok_or_else(|| format!("there is no variable, buffer or parameter `{name}`"))?;
    Ok((found.window, found.at))
}

fn locate(
    machine: &Machine,
    target: WarpId,
    lane: Option<usize>,
    place: MemoryPlace<'_>,
) -> Result<PeekLocation, String> {
    let address = address_of(machine, target, lane, place)?;
    let (region, offset) = machine.executable.map.region(address);
    Ok(PeekLocation { region, offset, address, name: name_at(machine, region, offset) })
}

/// The storage that contains a place, and the offset in it.
fn storage<'m>(
    machine: &'m Machine,
    target: WarpId,
    lane: Option<usize>,
    found: &PeekLocation,
) -> Result<(&'m Storage, u64), String> {
    let gone = || "the CTA is not running, so it has no shared or local memory".to_owned();
    let at = found.offset;
    Ok(match found.region {
        Region::Global => {
            let allocation = machine.memory.global.find(at, 0);
            let place = || format!("{at:#x} is {}", machine.memory.global.describe(at));
            let allocation = allocation.filter(|a| at < a.base + a.storage.len()).ok_or_else(place)?;
            (&allocation.storage, at - allocation.base)
        }
        Region::Shared(None) => (&cta_of(machine, target).ok_or_else(gone)?.shared, at),
        Region::Shared(Some(rank)) => {
            let cluster = find(machine, target).ok_or_else(gone)?.cluster;
            let cta = machine.clusters.get(cluster).and_then(|c| c.ctas.get(rank as usize));
            (&cta.ok_or_else(|| format!("the cluster has no CTA of rank {rank}"))?.shared, at)
        }
        Region::Local => {
            let warp: &Warp = warp_of(machine, target).ok_or_else(gone)?;
            let lane = lane.ok_or("each lane has its own local memory: choose a lane")?;
            (warp.lanes.local.get(lane).ok_or_else(|| format!("a warp has no lane {lane}"))?, at)
        }
        Region::Constant => (&machine.memory.constant, at),
        Region::Parameter => (&machine.memory.parameters, at),
        Region::Code => return Err(format!("{:#x} is an address of code", found.address)),
    })
}

/// Reads bytes of memory as a warp sees it; for local memory, as a lane does. At most 16 MiB.
///
/// # Errors
/// A message, if there is no such memory or no such name.
pub fn peek(
    machine: &Machine,
    target: WarpId,
    lane: Option<usize>,
    place: MemoryPlace<'_>,
    length: usize,
) -> Result<Peek, String> {
    let found = locate(machine, target, lane, place)?;
    let (storage, at) = storage(machine, target, lane, &found)?;
    let PeekLocation { region, offset, address, name } = found;
    if at >= storage.len() && length > 0 {
        let (name, size) = (region_name(region), storage.len());
        return Err(match size {
            0 if matches!(region, Region::Parameter) => "the kernel has no parameters".to_owned(),
            0 => format!("the kernel has no {name}"),
            _ => format!("{offset:#x} lies past the end of {name}, which has {size:#x} bytes"),
        });
    }
    let room = usize::try_from(storage.len().saturating_sub(at)).unwrap_or(usize::MAX);
    let mut bytes = vec![0; length.min(room).min(MAX_READ)];
    let read = storage.read(at, &mut bytes);
    let mut known: Vec<Range<usize>> = Vec::new();
    if read.uninitialized {
        for byte in (0..bytes.len()).filter(|byte| storage.known(at + *byte as u64)) {
            match known.last_mut() {
                Some(last) if last.end == byte => last.end += 1,
                _ => known.push(byte..byte + 1),
            }
        }
    } else if !bytes.is_empty() {
        known.push(0..bytes.len());
    }
    Ok(Peek { region, address, offset, name, bytes, known, marks: read.marks })
}

/// Reads the bytes at a generic address, as a lane sees it.
pub(super) fn load(
    machine: &Machine,
    target: WarpId,
    lane: usize,
    address: u64,
    to: &mut [u8],
) -> Result<ReadStatus, String> {
    let (region, offset) = machine.executable.map.region(address);
    let found = PeekLocation { region, offset, address, name: None };
    let (storage, at) = storage(machine, target, Some(lane), &found)?;
    if !storage.contains(at, to.len()) {
        let (name, size) = (region_name(region), storage.len());
        return Err(format!("{} bytes at {offset:#x} are not all in {name}, which ends at {size:#x}", to.len()));
    }
    Ok(storage.read(at, to))
}

/// Writes bytes of memory. They count as written and lose their marks. Constants and parameters can be changed, too.
///
/// # Errors
/// A message, if the bytes do not all lie in one variable, buffer or state space.
pub fn poke(
    machine: &mut Machine,
    target: WarpId,
    lane: Option<usize>,
    place: MemoryPlace<'_>,
    bytes: &[u8],
) -> Result<(), String> {
    let found = locate(machine, target, lane, place)?;
    let (there, at) = storage(machine, target, lane, &found)?;
    if !there.contains(at, bytes.len()) {
        let (end, name) = (there.len(), region_name(found.region));
        return Err(format!(
            "{} bytes at {:#x} are not all in {name}, which ends at {end:#x}",
            bytes.len(),
            found.offset
        ));
    }
    let own = find(machine, target);
    let Machine { memory, clusters, .. } = machine;
    let storage = match (found.region, own) {
        (Region::Global, _) => memory.global.find_mut(found.offset, bytes.len()).map(|a| &mut a.storage),
        (Region::Constant, _) => Some(&mut memory.constant),
        (Region::Parameter, _) => Some(&mut memory.parameters),
        (Region::Shared(rank), Some(WarpPosition { cluster, rank: own, .. })) => {
            let rank = rank.map_or(own, |r| r as usize);
            clusters.get_mut(cluster).and_then(|c| c.ctas.get_mut(rank)).map(|c| &mut c.shared)
        }
        (Region::Local, Some(WarpPosition { cluster, rank, number })) => {
            let warp = clusters.get_mut(cluster).and_then(|c| c.ctas.get_mut(rank)?.warps.get_mut(number));
            warp.and_then(|w| w.lanes.local.get_mut(lane?))
        }
        _ => None,
    };
    let storage = storage.ok_or("there is no memory")?;
    storage.write(at, bytes, Marks::NONE);
    let more = storage.count() as u64;
    machine.hold(more);
    Ok(())
}
