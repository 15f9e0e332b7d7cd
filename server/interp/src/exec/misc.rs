//! `trap`, `nanosleep`.

use crate::findings::FaultKind;
use crate::inst::DecodeContext;
use crate::machine::StepOutcome;
use crate::machine::code::{DecodeRefusal, OpAction};

/// `trap`: the launch ends.
pub(crate) fn trap(_: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    Ok(DecodeContext::machine(|context| {
        let lanes = context.mask;
        context.fault(FaultKind::Trap, lanes, || "`trap` ends the launch".into());
        StepOutcome::Next
    }))
}

/// `nanosleep`: lets other threads run. The manual leaves the duration open between zero and twice the given time.
pub(crate) fn nanosleep(_: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    Ok(DecodeContext::machine(|_| StepOutcome::Yield))
}
