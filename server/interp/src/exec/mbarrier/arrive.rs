//! Arrivals, and changes of the transaction count.

use super::object::{Object, ProtocolViolation};
use super::{change, check_seen, ctas, in_cta, locate};
use crate::inst::DecodeContext;
use crate::lanes::lanes;
use crate::machine::code::{DecodeRefusal, OpAction};
use crate::machine::layout::Address;
use crate::machine::{AccessLocation, ExecContext, StepOutcome, races};
use crate::registers::{Dst, Src};
use ptx_isa::{Modifier, OperandName};

/// The mbarriers that an instruction changes: one, or with `.multicast` one in each CTA of a mask.
struct ArrivalTarget {
    address: Address,
    /// The mbarrier may be in another CTA.
    anywhere: bool,
    ctas: Option<Src<u32>>,
}

impl ArrivalTarget {
    fn new(inst: &mut DecodeContext<'_>, anywhere: bool) -> Result<Self, DecodeRefusal> {
        let ctas = inst.optional_src(OperandName::Ctas)?;
        Ok(Self { address: inst.address(OperandName::A)?, anywhere: anywhere || ctas.is_some(), ctas })
    }

    /// Calls `f` for each mbarrier of each lane. `f` returns the state before the change, which goes to the register `to`.
    fn each(
        &self,
        context: &mut ExecContext<'_>,
        to: Option<Dst<u64>>,
        f: impl Fn(&mut ExecContext<'_>, AccessLocation, usize) -> u64,
    ) {
        for lane in lanes(context.mask) {
            let Some(at) = locate(context, &self.address, lane, self.anywhere) else { continue };
            let Some(mask) = self.ctas else {
                let state = f(context, at, lane);
                if let Some(d) = to {
                    context.registers.put_lane(d, lane, state);
                }
                continue;
            };
            let mask = context.registers.lane(mask, lane);
            for rank in ctas(context, mask, lane) {
                if let Some(at) = in_cta(context, at, lane, rank, 8) {
                    f(context, at, lane);
                }
            }
        }
    }
}

/// The register for the state; `None` for `_`.
fn state(inst: &mut DecodeContext<'_>) -> Result<Option<Dst<u64>>, DecodeRefusal> {
    let Some(operand) = inst.operand(OperandName::D).filter(|o| o.value != ptx_flow::flow::OperandValue::Sink) else {
        return Ok(None);
    };
    if inst.operand(OperandName::Ctas).is_some() {
        return Err("which state an arrival at the mbarriers of several CTAs returns is not known: write `_`".into());
    }
    inst.destination(operand).map(Some)
}

/// `mbarrier.expect_tx`.
pub(crate) fn expect_tx(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let (target, tx) = (ArrivalTarget::new(inst, true)?, inst.src::<u32>(OperandName::Tx)?);
    Ok(DecodeContext::machine(move |context| {
        target.each(context, None, |context, at, lane| {
            let count = context.registers.lane(tx, lane);
            change(context, at, lane, |object| object.transact(count.into()))
        });
        StepOutcome::Next
    }))
}

/// `mbarrier.complete_tx`.
pub(crate) fn complete_tx(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let (target, tx) = (ArrivalTarget::new(inst, true)?, inst.src::<u32>(OperandName::Tx)?);
    let scope = crate::exec::memory::scope(inst);
    Ok(DecodeContext::machine(move |context| {
        target.each(context, None, |context, at, lane| {
            let count = context.registers.lane(tx, lane);
            races::arrive_at(context, at, scope, true);
            change(context, at, lane, |object| object.transact(-i64::from(count)))
        });
        StepOutcome::Next
    }))
}

/// `mbarrier.arrive`, with `.expect_tx` too.
pub(crate) fn arrive(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    arrival(inst, false)
}

/// `mbarrier.arrive_drop`, with `.expect_tx` too.
pub(crate) fn arrive_drop(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    arrival(inst, true)
}

fn arrival(inst: &mut DecodeContext<'_>, drops: bool) -> Result<OpAction, DecodeRefusal> {
    let to = state(inst)?;
    let target = ArrivalTarget::new(inst, to.is_none())?;
    let (count, tx) = (inst.optional_src::<u32>(OperandName::Count)?, inst.optional_src::<u32>(OperandName::Tx)?);
    let open = inst.has(Modifier::NoComplete);
    let (relaxed, scope) = (inst.has(Modifier::Relaxed), crate::exec::memory::scope(inst));
    Ok(DecodeContext::machine(move |context| {
        target.each(context, to, |context, at, lane| {
            let value = |context: &ExecContext<'_>, src: Option<Src<u32>>| src.map(|s| context.registers.lane(s, lane));
            let count = value(context, count).unwrap_or(1);
            let tx = value(context, tx).unwrap_or(0);
            check_seen(context, at, lane);
            races::arrive_at(context, at, scope, relaxed);
            change(context, at, lane, |object| {
                let expects = object.transact(tx.into());
                let dropped = if drops { object.drop_expected(count) } else { Ok(()) };
                expects.and(dropped).and(promise(object, open, count)).and(object.arrive(count))
            })
        });
        StepOutcome::Next
    }))
}

/// Checks the promise of `.noComplete` (`open`) that the arrival does not complete the phase.
fn promise(object: &Object, open: bool, count: u32) -> Result<(), ProtocolViolation> {
    if open && count == object.pending && object.tx == 0 { Err(ProtocolViolation::Completes) } else { Ok(()) }
}
