//! `trap`, `nanosleep`.

use crate::findings::Kind;
use crate::inst::DecodeContext;
use crate::machine::Outcome;
use crate::machine::code::{Action, Refusal};

/// `trap`: the launch ends.
pub(crate) fn trap(_: &mut DecodeContext<'_>) -> Result<Action, Refusal> {
    Ok(DecodeContext::machine(|context| {
        let lanes = context.mask;
        context.fault(Kind::Trap, lanes, || "`trap` ends the launch".into());
        Outcome::Next
    }))
}

/// `nanosleep`: lets other threads run. The manual leaves the duration open between zero and twice the given time.
pub(crate) fn nanosleep(_: &mut DecodeContext<'_>) -> Result<Action, Refusal> {
    Ok(DecodeContext::machine(|_| Outcome::Yield))
}
