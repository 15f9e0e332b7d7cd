//! What the registers of an activation hold.

use super::groups::{find, frame_index, frame_of, warp_of};
use crate::findings::FaultKind;
use crate::lanes::{ALL, LANES, LaneMask, lanes};
use crate::machine::code::{Slot, predicate};
use crate::machine::{CallFrame, Machine, Warp, WarpId};
use ptx_analysis::flow::{self, FlowFunction};

/// A register of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegisterView {
    /// Its number among the registers of the function, as changes name it.
    pub slot: u32,
    /// Its name: `%r7`, `%v.y`.
    pub name: String,
    /// Its type, with the dot.
    pub ty: &'static str,
    /// Of a register that is declared as bits: the type that its readers take it as, where they agree.
    pub read_as: Option<&'static str>,
    /// The values of all lanes, lane 0 first, each little-endian in its own size; of a predicate four bytes, a bit for each lane.
    pub bytes: Box<[u8]>,
    /// The lanes in which something was written to it.
    pub known: LaneMask,
    /// Those whose value the manual leaves open.
    pub unspecified: LaneMask,
    /// Those whose value is an approximation.
    pub approximate: LaneMask,
    /// It is the same in all lanes that have not exited.
    pub uniform: bool,
}

/// The registers of an activation that a group is in, so many calls out from the innermost, in the order of their declarations. Those that
/// no instruction names are not there. Nothing if there is no such activation.
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

/// The lanes of an activation that are threads and have not exited; of one that all have left, those that are threads.
fn live(warp: &Warp, frame: &CallFrame) -> LaneMask {
    let live = warp.lanes.present & !warp.lanes.exited & frame.lanes;
    if live == 0 { warp.lanes.present } else { live }
}

/// The lanes in which something was written to a register. Where nobody looks for registers that were not written, nothing is noted of
/// them: then all count as written.
pub(super) fn known(machine: &Machine, frame: &CallFrame, slot: usize) -> LaneMask {
    if machine.settings.checks.has(FaultKind::UninitializedRegister) {
        frame.shadow.known.get(slot).copied().unwrap_or(0)
    } else {
        ALL
    }
}

/// The register of a function that is written so: `%r7`, `%v.y`. One that no instruction names has no number.
pub(super) fn slot_named(body: &FlowFunction, name: &str) -> Option<usize> {
    // Names of ranges end in a number; the declaration decides where it begins.
    let (base, element) = match name.rsplit_once('.') {
        Some((base, "x" | "r")) => (base, Some(0)),
        Some((base, "y" | "g")) => (base, Some(1)),
        Some((base, "z" | "b")) => (base, Some(2)),
        Some((base, "w" | "a")) => (base, Some(3)),
        _ => (name, None),
    };
    // Where the declaration is of a range, what follows its name is the number.
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

/// Gives a register of an activation a value in some lanes. It counts as written there, and nothing is to be said of it any more.
///
/// # Errors
/// If there is no such activation or register.
pub fn set_register(
    machine: &mut Machine,
    target: WarpId,
    group: usize,
    depth: usize,
    slot: u32,
    mask: LaneMask,
    bits: u128,
) -> Result<(), String> {
    let (cluster, rank, number) = find(machine, target).ok_or("the warp is not running")?;
    let executable = std::sync::Arc::clone(&machine.executable);
    let warp = &mut machine.clusters[cluster].ctas[rank].warps[number];
    let index = frame_index(warp, group, depth).ok_or("there is no such activation")?;
    let frame = warp.frames.get_mut(index as usize).and_then(Option::as_deref_mut);
    let frame = frame.ok_or("there is no such activation")?;
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
