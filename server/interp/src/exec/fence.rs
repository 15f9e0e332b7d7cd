//! Fences. Memory is sequentially consistent in the machine, so fences change only the state of the race detector (manual 9.7.13.4, 8.8).

use crate::inst::DecodeContext;
use crate::machine::code::{DecodeRefusal, OpAction};
use crate::machine::{StepOutcome, copies, races};
use ptx_isa::Modifier;

/// `fence`, and `membar`, which is `fence.sc`.
pub(crate) fn fence(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let consistent = inst.has(Modifier::Sc) || inst.exec() == Some(ptx_isa::Exec::FenceMembar);
    Ok(DecodeContext::machine(move |context| {
        races::fence(context, consistent);
        StepOutcome::Next
    }))
}

/// `fence.proxy`, `membar.proxy`, `fence.mbarrier_init`. Those that also order accesses of the generic proxy count as fences, too.
pub(crate) fn proxy(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let ordering = [Modifier::Release, Modifier::Acquire, Modifier::AcqRel].into_iter().any(|m| inst.has(m));
    let ordering = ordering || inst.exec() == Some(ptx_isa::Exec::FenceMbarrierInit);
    let engine = inst.has(Modifier::Async) || inst.has(Modifier::AsyncGeneric);
    if !ordering && !engine {
        return Ok(OpAction::Nothing);
    }
    Ok(DecodeContext::machine(move |context| {
        if ordering {
            races::fence(context, false);
        }
        if engine {
            copies::fence(context);
        }
        StepOutcome::Next
    }))
}
