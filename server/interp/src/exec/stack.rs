//! `stacksave`, `stackrestore`, `alloca` (manual 9.7.17).
//!
//! In the machine, the stack of a thread grows upwards and not downwards. Programs do not notice it: `alloca` returns the lowest address
//! of the allocated memory in either case, and only `stackrestore` interprets the values of `stacksave`.

use crate::findings::FaultKind;
use crate::inst::DecodeContext;
use crate::lanes::lanes;
use crate::machine::code::{DecodeRefusal, OpAction};
use crate::machine::{LOCAL_BYTES, StepOutcome};
use ptx_isa::{Modifier, OperandName, SlotName};
use ptx_num::values::Marks;

/// The minimum alignment of an allocation in bytes.
const ALIGNMENT: u64 = 8;

/// `stacksave`.
pub(crate) fn save(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let width = if inst.modifier(SlotName::Type) == Some(Modifier::U64) { 8 } else { 4 };
    let operand = inst.operand(OperandName::D).ok_or("`stacksave` without a destination")?;
    let d = inst.place(operand, width)?;
    Ok(DecodeContext::machine(move |context| {
        for lane in lanes(context.mask) {
            let top = context.lanes.stack[lane];
            context.registers.set_lane_bits(d, lane, top.into());
            // The manual leaves open where the stack of a thread ends.
            context.mark(lane, Marks::UNSPECIFIED);
        }
        StepOutcome::Next
    }))
}

/// `stackrestore`.
pub(crate) fn restore(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let width = if inst.modifier(SlotName::Type) == Some(Modifier::U64) { 8 } else { 4 };
    let operand = inst.operand(OperandName::A).ok_or("`stackrestore` without a source")?;
    let a = inst.place(operand, width)?;
    Ok(DecodeContext::machine(move |context| {
        for lane in lanes(context.mask) {
            let (top, now) = (context.registers.lane_bits(a, lane), context.lanes.stack[lane]);
            if top > u128::from(now) {
                context.fault(FaultKind::Undefined, 1 << lane, || {
                    format!("{top:#x} is not what `stacksave` returned: the stack ends at {now:#x}")
                });
                continue;
            }
            let top = top as u32;
            if let Some(local) = context.lanes.local.get_mut(lane) {
                local.forget(top.into(), u64::from(now - top));
            }
            context.lanes.stack[lane] = top;
        }
        StepOutcome::Next
    }))
}

/// `alloca`.
pub(crate) fn alloca(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let width = if inst.modifier(SlotName::Type) == Some(Modifier::U64) { 8 } else { 4 };
    let operand = inst.operand(OperandName::D).ok_or("`alloca` without a destination")?;
    let d = inst.place(operand, width)?;
    let operand = inst.operand(OperandName::Size).ok_or("`alloca` without a size")?;
    let size = inst.place(operand, width)?;
    let align = inst.immediate(OperandName::Align).map_or(ALIGNMENT, |a| (a as u64).clamp(ALIGNMENT, 1 << 23));
    Ok(DecodeContext::machine(move |context| {
        for lane in lanes(context.mask) {
            let bytes = context.registers.lane_bits(size, lane);
            let at = u64::from(context.lanes.stack[lane]).next_multiple_of(align);
            // The next data on the stack keeps its alignment of 16 bytes.
            let end = (u128::from(at) + bytes).next_multiple_of(16);
            if end > u128::from(LOCAL_BYTES) {
                context.fault(FaultKind::StackOverflow, 1 << lane, || {
                    format!("{bytes} bytes with an alignment of {align} do not fit on the stack: {at:#x} of {LOCAL_BYTES:#x} are in use")
                });
                return StepOutcome::Next;
            }
            context.lanes.stack[lane] = end as u32;
            context.registers.set_lane_bits(d, lane, at.into());
        }
        StepOutcome::Next
    }))
}

#[cfg(test)]
mod tests;
