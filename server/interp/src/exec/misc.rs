//! `trap`, `nanosleep`, `setmaxnreg`.

use crate::findings::FaultKind;
use crate::inst::DecodeContext;
use crate::machine::StepOutcome;
use crate::machine::code::{DecodeRefusal, OpAction};
use ptx_isa::OperandName;

/// Maximum number of requests of a warp that are compared with those of others.
const MAX_REQUESTS: usize = 32;

/// `trap`: the launch ends.
pub(crate) fn trap(_: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    Ok(DecodeContext::machine(|context| {
        let lanes = context.mask;
        context.fault(FaultKind::Trap, lanes, || "`trap` ends the launch".into());
        StepOutcome::Next
    }))
}

/// `setmaxnreg`: has no effect here, but all warps of a warpgroup must execute the same ones (manual, *setmaxnreg*).
pub(crate) fn set_registers(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let count = inst.immediate(OperandName::Count).ok_or("an unknown number of registers")?;
    Ok(DecodeContext::machine(move |context| {
        let (warp, site, mask) = (context.lanes.number as usize, context.site, context.mask);
        let requests = &mut context.cta().register_requests;
        if requests.len() <= warp {
            requests.resize(warp + 1, Vec::new());
        }
        let turn = requests[warp].len();
        if turn >= MAX_REQUESTS {
            return StepOutcome::Next;
        }
        requests[warp].push((count, site));
        let group = warp / 4 * 4;
        let others = requests.iter().skip(group).take(4).filter_map(|r| r.get(turn));
        if let Some((other, at)) = others.copied().find(|(other, _)| *other != count) {
            let words = || {
                format!(
                    "{other} registers here, but {count} in another warp of the warpgroup: all four warps must ask for the same number"
                )
            };
            context.fault_before(FaultKind::Undefined, at, mask, words, (site, "the other warp".to_owned()));
        }
        StepOutcome::Next
    }))
}

/// `nanosleep`: lets other threads run. The manual leaves the duration open between zero and twice the given time.
pub(crate) fn nanosleep(_: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    Ok(DecodeContext::machine(|_| StepOutcome::Yield))
}
