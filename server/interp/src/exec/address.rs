//! Instructions on addresses: conversion between generic addresses and those of state spaces, tests of the state space, and addresses in
//! other CTAs of the cluster.

use crate::inst::{DecodeContext, space_named};
use crate::machine::code::{DecodeRefusal, OpAction};
use crate::machine::layout::AddressSpace;
use crate::memory::{Region, SHARED_STRIDE, Window};
use ptx_isa::{Modifier, OperandName};
use ptx_num::values::Marks;

fn space_of(inst: &DecodeContext<'_>) -> AddressSpace {
    inst.modifiers()
        .map(|m| space_named(m.name()))
        .find(|s| *s != AddressSpace::Generic)
        .unwrap_or(AddressSpace::Generic)
}

/// `cvta` and `cvta.to`.
pub(crate) fn cvta(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let space = space_of(inst);
    let back = inst.has(Modifier::To);
    let map = inst.executable.map;
    let width = inst.executable.address_bytes();
    let operand = inst.operand(OperandName::A).ok_or("`cvta` without a source")?;
    let a = inst.place(operand, width)?;
    let d = inst.operand(OperandName::P).ok_or("`cvta` without a destination")?;
    let d = inst.place(d, width)?;
    let AddressSpace::Window(window) = space else {
        return Ok(DecodeContext::each(move |r, lane| {
            let value = r.lane_bits(a, lane);
            r.set_lane_bits(d, lane, value);
            Marks::NONE
        }));
    };
    Ok(DecodeContext::each(move |r, lane| {
        let value = r.lane_bits(a, lane) as u64;
        // An address outside of the window gives an unspecified result.
        let found = if back {
            map.window(value).filter(|(w, _)| *w == window || window == Window::Parameter).map(|(w, at)| {
                if w == Window::Local && window == Window::Parameter {
                    at + crate::memory::STACK_PARAMETERS
                } else {
                    at
                }
            })
        } else {
            map.generic(window, value)
        };
        r.set_lane_bits(d, lane, found.unwrap_or(value.wrapping_sub(map.base(window))).into());
        if found.is_some() { Marks::NONE } else { Marks::UNSPECIFIED }
    }))
}

/// `isspacep`.
pub(crate) fn isspacep(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let own = inst.has(Modifier::SharedCta) || inst.has(Modifier::Shared);
    let space = space_of(inst);
    let map = inst.executable.map;
    let p = inst.predicate_dst(OperandName::P)?.ok_or("`isspacep` without a predicate")?;
    let operand = inst.operand(OperandName::A).ok_or("`isspacep` without an address")?;
    let a = inst.place(operand, inst.executable.address_bytes())?;
    Ok(DecodeContext::machine(move |context| {
        let mut truth = 0;
        for lane in crate::lanes::lanes(context.mask) {
            let (region, _) = map.region(context.registers.lane_bits(a, lane) as u64);
            let own_rank = context.rank as u32;
            let is = match (space, region) {
                (AddressSpace::Global, Region::Global) => true,
                (AddressSpace::Window(Window::Shared), Region::Shared(rank)) => {
                    !own || rank.is_none_or(|r| r == own_rank)
                }
                (AddressSpace::Window(Window::Local), Region::Local) => true,
                (AddressSpace::Window(Window::Constant), Region::Constant) => true,
                (AddressSpace::Window(Window::Parameter), Region::Parameter) => true,
                _ => false,
            };
            truth |= u32::from(is) << lane;
        }
        context.registers.put_predicate(p, context.mask, truth);
        crate::machine::StepOutcome::Next
    }))
}

/// `mapa`: the address of a variable in the shared memory of another CTA of the cluster.
pub(crate) fn mapa(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let window = space_of(inst) == AddressSpace::Window(Window::Shared);
    let map = inst.executable.map;
    let width = inst.executable.address_bytes();
    let operand = inst.operand(OperandName::A).ok_or("`mapa` without an address")?;
    let a = inst.place(operand, width)?;
    let b = inst.src::<u32>(OperandName::B)?;
    let d = inst.operand(OperandName::D).ok_or("`mapa` without a destination")?;
    let d = inst.place(d, width)?;
    Ok(DecodeContext::each(move |r, lane| {
        let value = r.lane_bits(a, lane) as u64;
        let rank = u64::from(r.lane(b, lane));
        let offset = if window { value } else { value.wrapping_sub(map.base(Window::Shared)) } % SHARED_STRIDE;
        let there = (rank + 1) * SHARED_STRIDE + offset;
        let base = if window { 0 } else { map.base(Window::Shared) };
        r.set_lane_bits(d, lane, (base + there).into());
        Marks::NONE
    }))
}

/// `getctarank`: the rank of the CTA whose shared memory contains an address.
pub(crate) fn getctarank(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let window = space_of(inst) == AddressSpace::Window(Window::Shared);
    let map = inst.executable.map;
    let operand = inst.operand(OperandName::A).ok_or("`getctarank` without an address")?;
    let a = inst.place(operand, inst.executable.address_bytes())?;
    let d = inst.dst::<u32>(OperandName::D)?;
    Ok(DecodeContext::machine(move |context| {
        for lane in crate::lanes::lanes(context.mask) {
            let value = context.registers.lane_bits(a, lane) as u64;
            let offset = if window { value } else { value.wrapping_sub(map.base(Window::Shared)) };
            let rank = (offset / SHARED_STRIDE).checked_sub(1).unwrap_or(context.rank as u64);
            context.registers.put_lane(d, lane, rank as u32);
        }
        crate::machine::StepOutcome::Next
    }))
}
