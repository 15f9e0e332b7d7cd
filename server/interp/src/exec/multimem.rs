//! Operations on multimem addresses. The machine has one device, so such an address is that of its one replica.

#[cfg(test)]
mod tests;

use crate::exec::asynchronous::MemoryReduction;
use crate::exec::memory;
use crate::inst::DecodeContext;
use crate::lanes::lanes;
use crate::machine::code::{DecodeRefusal, OpAction};
use crate::machine::{AccessLocation, Order, Scope, StepOutcome};
use ptx_isa::OperandName;

/// `multimem.ld_reduce`: the value of the one replica.
pub(crate) fn load(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    memory::load(inst)
}

/// `multimem.red`, `multimem.red.async`: relaxed unless another ordering is written.
pub(crate) fn reduce(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let reduction = MemoryReduction::new(inst)?;
    let bytes = reduction.bytes;
    let (address, values) = (inst.address(OperandName::A)?, inst.places(OperandName::B, bytes as u8)?);
    let order = match memory::order(inst) {
        Order::Weak => Order::Relaxed(Scope::Gpu),
        order => order,
    };
    Ok(DecodeContext::machine(move |context| {
        let count = bytes * values.len();
        for lane in lanes(context.mask) {
            let Some(at) = context.locate(&address, lane, count, count, true) else { continue };
            let marks = context.source_marks(lane);
            for (i, value) in values.iter().enumerate() {
                let skip = (i * bytes) as u64;
                let place = AccessLocation { address: at.address + skip, offset: at.offset + skip, ..at };
                let value = context.registers.lane_bits(*value, lane);
                reduction.apply(context, place, lane, value, order, marks);
            }
        }
        StepOutcome::Next
    }))
}
