//! Cache policies, which are opaque numbers here, and `discard`.

use crate::inst::DecodeContext;
use crate::lanes::lanes;
use crate::machine::StepOutcome;
use crate::machine::code::{DecodeRefusal, OpAction};
use ptx_isa::OperandName;
use ptx_num::values::Marks;

/// Size in bytes of the cache line that `discard` gives up.
const LINE: usize = 128;

/// `createpolicy`: returns a fixed number, since nothing in the machine depends on it.
pub(crate) fn policy(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let d = inst.dst::<u64>(OperandName::D).or_else(|_| inst.dst::<u64>(OperandName::Policy))?;
    Ok(DecodeContext::each(move |r, lane| {
        r.put_lane(d, lane, 0x12f0_0000_0000_0000);
        Marks::UNSPECIFIED
    }))
}

/// `discard`: the contents of the line are undefined from then on.
pub(crate) fn discard(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let address = inst.address(OperandName::A)?;
    Ok(DecodeContext::machine(move |context| {
        for lane in lanes(context.mask) {
            let Some(at) = context.locate(&address, lane, LINE, LINE, true) else { continue };
            context.forget_at(at, lane, LINE as u64);
        }
        StepOutcome::Next
    }))
}
