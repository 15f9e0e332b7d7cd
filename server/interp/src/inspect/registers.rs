//! Values of the registers of a call frame.

use super::groups::{find, frame_index, frame_of, warp_of};
use crate::findings::FaultKind;
use crate::lanes::{ALL, LANES, LaneMask, lanes};
use crate::machine::layout::{Slot, predicate};
use crate::machine::state::schedule::WarpPosition;
use crate::machine::{CallFrame, Machine, Warp, WarpId};
use ptx_flow::flow::{self, FlowFunction};

/// A register of a function, with its values in a warp.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegisterView {
    /// Index of the register in the function, as in recorded register writes.
    pub slot: u32,
    /// Its name: `%r7`, `%v.y`.
    pub name: String,
    /// Its type, with the dot.
    pub ty: &'static str,
    /// For a register that is declared as bits: the type as which all its readers use it; `None` if they disagree.
    pub read_as: Option<&'static str>,
    /// The values of all lanes, lane 0 first, each little-endian in the size of the type. For a predicate: four bytes with one bit per
    /// lane.
    pub bytes: Box<[u8]>,
    /// The lanes in which the register was written.
    pub known: LaneMask,
    /// The lanes whose value is unspecified in the manual.
    pub unspecified: LaneMask,
    /// The lanes whose value is an approximation.
    pub approximate: LaneMask,
    /// All threads of the frame that have not exited have the same value.
    pub uniform: bool,
}

/// The registers of a call frame of a group, in the order of their declarations. `depth` counts calls outwards from the innermost frame.
/// Registers that no instruction names are missing. `None` if there is no such frame.
pub fn registers(machine: &Machine, target: WarpId, group: usize, depth: usize) -> Option<Vec<RegisterView>> {
    let warp = warp_of(machine, target)?;
    let frame = frame_of(warp, group, depth)?;
    let body = machine.executable.function(frame.function)?;
    let code = machine.executable.code(frame.function)?;
    let mut order: Vec<usize> = (0..body.registers.len().min(code.slots.len())).collect();
    order.sort_by_key(|slot| {
        let register = body.registers[*slot];
        (register.declaration, register.number, register.element)
    });
    let live = live(warp, frame);
    let read_as = super::meanings(body);
    let view = |slot: usize| {
        let bytes = frame.bytes(code.slots[slot]);
        let known = known(machine, frame, slot);
        let mask = |masks: &[LaneMask]| masks.get(slot).copied().unwrap_or(0);
        let same = match code.slots[slot] {
            Slot::Register(_) => {
                let width = (bytes.len() / LANES).max(1);
                let mut values = lanes(live).filter_map(|lane| bytes.get(lane * width..(lane + 1) * width));
                let first = values.next();
                values.all(|value| Some(value) == first)
            }
            Slot::Predicate(_) => {
                let bits = bytes.first_chunk().map_or(0, |b| LaneMask::from_le_bytes(*b)) & live;
                bits == 0 || bits == live
            }
        };
        RegisterView {
            slot: slot as u32,
            name: body.register_name(flow::RegisterSlot(slot as u32)),
            ty: body.declaration(flow::RegisterSlot(slot as u32)).ty.name(),
            read_as: read_as.get(slot).copied().flatten(),
            bytes: bytes.into(),
            known,
            unspecified: mask(&frame.shadow.unspecified),
            approximate: mask(&frame.shadow.approximate),
            uniform: same && (known & live == 0 || known & live == live),
        }
    };
    Some(order.into_iter().map(view).collect())
}

/// The threads of a call frame that have not exited. If all of them have left it: all threads of the warp.
fn live(warp: &Warp, frame: &CallFrame) -> LaneMask {
    let live = warp.lanes.present & !warp.lanes.exited & frame.lanes;
    if live == 0 { warp.lanes.present } else { live }
}

/// The lanes in which a register was written. Without the check for uninitialized registers this is not tracked, and all lanes count as
/// written.
pub(super) fn known(machine: &Machine, frame: &CallFrame, slot: usize) -> LaneMask {
    if machine.settings.checks.has(FaultKind::UninitializedRegister) {
        frame.shadow.known.get(slot).copied().unwrap_or(0)
    } else {
        ALL
    }
}

/// The index of the register with this name: `%r7`, `%v.y`. Registers that no instruction names have no index.
pub(super) fn slot_named(body: &FlowFunction, name: &str) -> Option<usize> {
    // In a parameterized name such as `%r7`, the declaration decides where the number begins.
    let (base, element) = match name.rsplit_once('.') {
        Some((base, "x" | "r")) => (base, Some(0)),
        Some((base, "y" | "g")) => (base, Some(1)),
        Some((base, "z" | "b")) => (base, Some(2)),
        Some((base, "w" | "a")) => (base, Some(3)),
        _ => (name, None),
    };
    // For a parameterized declaration, the number is the text after its name.
    let number = |declaration: &flow::RegisterDeclaration| match declaration.count {
        None => (*declaration.name == *base).then_some(0),
        Some(_) => {
            let digits = base.strip_prefix(&*declaration.name)?;
            let plain = digits == "0" || !digits.starts_with('0');
            digits.parse::<u32>().ok().filter(|_| plain && digits.bytes().all(|b| b.is_ascii_digit()))
        }
    };
    let declarations = body.declarations.iter().enumerate();
    let fits = |d: &flow::RegisterDeclaration| (d.elements > 1) == element.is_some();
    let wanted: Vec<(u32, u32)> =
        declarations.filter(|(_, d)| fits(d)).filter_map(|(at, d)| Some((at as u32, number(d)?))).collect();
    let element = element.unwrap_or(0);
    body.registers.iter().position(|r| r.element == element && wanted.contains(&(r.declaration, r.number)))
}

/// Sets a register of a call frame in the lanes of `mask`. It counts as written there and loses its marks. `depth` counts calls outwards
/// from the innermost frame.
///
/// # Errors
/// A message, if there is no such frame or register.
pub fn set_register(
    machine: &mut Machine,
    target: WarpId,
    group: usize,
    depth: usize,
    slot: u32,
    mask: LaneMask,
    bits: u128,
) -> Result<(), String> {
    let WarpPosition { cluster, rank, number } = find(machine, target).ok_or("the warp is not running")?;
    let executable = std::sync::Arc::clone(&machine.executable);
    let warp = &mut machine.clusters[cluster].ctas[rank].warps[number];
    let index = frame_index(warp, group, depth).ok_or("there is no such stack frame")?;
    let frame = warp.frames.get_mut(index as usize).and_then(Option::as_deref_mut);
    let frame = frame.ok_or("there is no such stack frame")?;
    let code = executable.code(frame.function).ok_or("there is no such function")?;
    match code.slots.get(slot as usize).ok_or("there is no such register")? {
        Slot::Register(place) => lanes(mask).for_each(|lane| frame.registers.set_lane_bits(*place, lane, bits)),
        Slot::Predicate(index) => {
            let value = if bits & 1 != 0 { ALL } else { 0 };
            frame.registers.put_predicate(predicate(*index).1, mask, value);
        }
    }
    let shadow = &mut frame.shadow;
    let at = slot as usize;
    if let Some(known) = shadow.known.get_mut(at) {
        *known |= mask;
    }
    for masks in [&mut shadow.unspecified, &mut shadow.approximate] {
        if let Some(marked) = masks.get_mut(at) {
            *marked &= !mask;
        }
    }
    Ok(())
}
