//! `mbarrier.test_wait` and `mbarrier.try_wait`.

use super::object::{self, Object};
use super::{live, locate, phase, seen};
use crate::findings::FaultKind;
use crate::inst::DecodeContext;
use crate::lanes::lanes;
use crate::machine::code::{DecodeRefusal, OpAction};
use crate::machine::{AccessLocation, ExecContext, StepOutcome, races};
use crate::registers::Src;
use ptx_isa::{Modifier, OperandName};

/// How a wait names its phase.
#[derive(Clone, Copy)]
enum PhaseOperand {
    /// By the state that an arrival returned.
    State(Src<u64>),
    /// By its parity.
    Parity(Src<u32>),
}

/// `mbarrier.test_wait` and `mbarrier.try_wait`, by state or parity. If `blocking`, a lane waits as long as any other thread can go on.
///
/// The interpreter refuses the operations that leave reports. So the destinations of reports get zeros, and the conditional phase is the
/// primary one.
pub(crate) fn wait(inst: &mut DecodeContext<'_>, blocking: bool) -> Result<OpAction, DecodeRefusal> {
    let address = inst.address(OperandName::A)?;
    let named = match inst.optional_src(OperandName::State)? {
        Some(state) => PhaseOperand::State(state),
        None => PhaseOperand::Parity(inst.src(OperandName::Parity)?),
    };
    let p = inst.predicate_dst(OperandName::P)?.ok_or("a wait without a predicate")?;
    let report = inst.predicate_dst(OperandName::Report)?;
    let value = inst.places(OperandName::Value, 1)?;
    let (relaxed, scope) = (inst.has(Modifier::Relaxed), crate::exec::memory::scope(inst));
    Ok(DecodeContext::machine(move |context| {
        let mut done = 0;
        for lane in lanes(context.mask) {
            let Some(at) = locate(context, &address, lane, false) else { continue };
            if is_complete(context, at, lane, named) {
                done |= 1 << lane;
                seen(context, at);
                races::acquire(context, at, scope, relaxed);
            }
        }
        // Threads of a warp may wait for different mbarriers, so the wait ends as soon as the phase of one of them is complete.
        if blocking && done == 0 && !context.idle && !context.is_stopped() {
            return StepOutcome::Wait;
        }
        context.registers.put_predicate(p, context.mask, done);
        if let Some(report) = report {
            context.registers.put_predicate(report, context.mask, 0);
        }
        for lane in lanes(context.mask) {
            for place in &value {
                context.registers.set_lane_bits(*place, lane, 0);
            }
        }
        if done == context.mask { StepOutcome::Next } else { StepOutcome::Yield }
    }))
}

/// Whether the phase that a lane waits for is complete.
fn is_complete(context: &mut ExecContext<'_>, at: AccessLocation, lane: usize, named: PhaseOperand) -> bool {
    let number = phase(context, at, lane);
    let object = Object::from_bits(context.object_at(at, lane));
    match named {
        PhaseOperand::Parity(parity) => {
            let parity = context.registers.lane(parity, lane);
            if parity > 1 {
                context.fault(FaultKind::Mbarrier, 1 << lane, || format!("a parity of {parity}: it must be 0 or 1"));
            }
            object.parity != (parity & 1 != 0)
        }
        PhaseOperand::State(state) => {
            let state = context.registers.lane(state, lane);
            if let Some(number) = number {
                check_age(context, at, lane, object::age(state, number));
            }
            object.parity != object::parity_of_state(state)
        }
    }
}

/// Checks that a state names the current phase or the one before it (manual, "mbarrier.test_wait, mbarrier.try_wait").
fn check_age(context: &mut ExecContext<'_>, at: AccessLocation, lane: usize, age: u64) {
    if age <= 1 {
        return;
    }
    let name = context.name_of(at);
    let related = live(context, at).map(|l| (l.site, "where it was initialized".to_owned()));
    let words = || {
        if age < 1 << 20 {
            format!(
                "a wait for a phase of the mbarrier {name} that is {age} phases old: a state is valid for the current phase and the one before"
            )
        } else {
            format!(
                "a wait for a phase of the mbarrier {name} that has not begun: the state comes from another barrier"
            )
        }
    };
    context.fault_with(FaultKind::Mbarrier, 1 << lane, words, related);
}
