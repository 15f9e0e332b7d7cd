//! Fences. Memory is sequentially consistent in the machine, so fences change only the state of the race detector (manual 9.7.13.4, 8.8).

use crate::exec::memory;
use crate::inst::DecodeContext;
use crate::lanes::lanes;
use crate::machine::code::{DecodeRefusal, OpAction};
use crate::machine::races;
use crate::machine::state::SyncKind;
use crate::machine::{Scope, StepOutcome, copies, proxies};
use ptx_isa::{Modifier, OperandName};

/// `fence`, and `membar`, which is `fence.sc`.
pub(crate) fn fence(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let old = inst.exec() == Some(ptx_isa::Exec::FenceMembar);
    let kind = if old { SyncKind::Membar } else { SyncKind::Fence };
    let scope = memory::scope(inst).unwrap_or(Scope::Gpu);
    Ok(DecodeContext::machine(move |context| {
        races::fence(context, scope, kind);
        StepOutcome::Next
    }))
}

/// `fence.proxy`, `membar.proxy`, `fence.mbarrier_init`. Those that also order accesses of the generic proxy count as fences, too.
pub(crate) fn proxy(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let ordering = [Modifier::Release, Modifier::Acquire, Modifier::AcqRel].into_iter().any(|m| inst.has(m));
    let ordering = ordering || inst.exec() == Some(ptx_isa::Exec::FenceMbarrierInit);
    let engine = inst.has(Modifier::Async) || inst.has(Modifier::AsyncGeneric);
    let initial = inst.exec() == Some(ptx_isa::Exec::FenceMbarrierInit);
    // Without a state space the fence is one for all of them.
    let shared = engine && !inst.has(Modifier::Global);
    let global =
        engine && ![Modifier::Shared, Modifier::SharedCta, Modifier::SharedCluster].into_iter().any(|m| inst.has(m));
    let map = match inst.operand(OperandName::A) {
        Some(_) => Some(inst.address(OperandName::A)?),
        None => None,
    };
    if !ordering && !engine && map.is_none() {
        return Ok(OpAction::Nothing);
    }
    Ok(DecodeContext::machine(move |context| {
        if ordering {
            races::fence(context, Scope::Gpu, SyncKind::Fence);
        }
        if shared {
            copies::fence(context);
        }
        if global {
            proxies::fence(context);
        }
        for lane in lanes(context.mask) {
            if let Some(address) = map.and_then(|map| context.generic_address(&map, lane)) {
                proxies::acquire_map(context, address);
            }
        }
        if initial {
            context.cluster().ctas.iter_mut().for_each(|cta| cta.mbarriers.show_to_engine());
        }
        StepOutcome::Next
    }))
}
