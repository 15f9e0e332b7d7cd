//! Values of special registers for views.

use super::groups::{cta_of, frame_of, warp_of};
use crate::lanes::LANES;
use crate::machine::layout::Special;
use crate::machine::{self, Machine, WarpId};
use ptx_flow::flow::OperandValue;
use ptx_isa::ISA;
use ptx_isa::tables::{SpecialRegister, TypeClass};

/// Special registers that views always show: they identify the thread.
const ALWAYS: &[&str] = &["%tid", "%ctaid", "%laneid", "%warpid"];

/// A special register of a warp.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecialView {
    /// Its name, with the component for vectors: `%tid.x`.
    pub name: String,
    /// Its type, with the dot.
    pub ty: &'static str,
    /// The values of all lanes, lane 0 first, each little-endian in the size of the type. For a predicate: four bytes with one bit per
    /// lane.
    pub bytes: Box<[u8]>,
}

/// The special registers that identify a thread, and those that the function of a call frame reads. `depth` counts calls outwards from the
/// innermost frame of the group. `None` if there is no such frame.
pub fn specials(machine: &Machine, target: WarpId, group: usize, depth: usize) -> Option<Vec<SpecialView>> {
    let warp = warp_of(machine, target)?;
    let body = machine.executable.function(frame_of(warp, group, depth)?.function)?;
    let mut wanted: Vec<(&'static SpecialRegister, u8)> = Vec::new();
    let mut add = |register: &'static SpecialRegister, component: Option<u8>| {
        // The fourth component of a vector is always 0.
        let all = match component {
            Some(component) => component..component + 1,
            None => 0..register.components.len().clamp(1, 3) as u8,
        };
        for component in all {
            if !wanted.iter().any(|(known, c)| known.name == register.name && *c == component) {
                wanted.push((register, component));
            }
        }
    };
    let always = ALWAYS.iter().filter_map(|name| ISA.special_registers.iter().find(|r| r.name == *name));
    always.for_each(|register| add(register, None));
    for operand in &body.operands {
        if let OperandValue::Special(register, component) = operand.value {
            add(register, component);
        }
    }
    for guard in body.instructions.iter().filter_map(|i| i.guard.as_ref()) {
        if let Some(register) = guard.special {
            add(register, None);
        }
    }
    Some(wanted.into_iter().filter_map(|(register, component)| special(machine, target, register, component)).collect())
}

/// The values of one component of a special register in all lanes of a warp; `None` if the CTA is not running.
pub fn special(
    machine: &Machine,
    target: WarpId,
    register: &'static SpecialRegister,
    component: u8,
) -> Option<SpecialView> {
    let cta = cta_of(machine, target)?;
    let own = Special { name: register.name, component };
    let value = |lane: usize| {
        let fixed = machine::special_value(machine, cta, target.warp, lane, own);
        fixed.unwrap_or_else(|| machine::clock(machine.steps, own))
    };
    let info = ISA.ty(register.ty)?;
    let bytes: Vec<u8> = if info.class == TypeClass::Pred {
        let bit = |lane: usize| u32::from(value(lane) & 1 != 0) << lane;
        (0..LANES).map(bit).fold(0, |all, bit| all | bit).to_le_bytes().to_vec()
    } else {
        let width = usize::from(info.bits.div_ceil(8).clamp(1, 16));
        (0..LANES).flat_map(|lane| value(lane).to_le_bytes().into_iter().take(width)).collect()
    };
    let component = register.components.as_bytes().get(usize::from(component));
    let suffix = component.map_or_else(String::new, |c| format!(".{}", char::from(*c)));
    Some(SpecialView { name: format!("{}{suffix}", register.name), ty: info.name, bytes: bytes.into() })
}
