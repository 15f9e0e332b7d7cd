//! `trap`, `nanosleep`.

use crate::findings::Kind;
use crate::inst::Inst;
use crate::machine::Outcome;
use crate::machine::code::{Action, Refusal};

/// `trap`: the launch ends.
pub(crate) fn trap(_: &mut Inst<'_>) -> Result<Action, Refusal> {
    Ok(Inst::machine(|context| {
        let lanes = context.mask;
        context.fault(Kind::Trap, lanes, || "`trap` ends the launch".into());
        Outcome::Next
    }))
}

/// `nanosleep`: others have their turn. How long is left open between nothing and twice the time.
pub(crate) fn nanosleep(_: &mut Inst<'_>) -> Result<Action, Refusal> {
    Ok(Inst::machine(|_| Outcome::Yield))
}
