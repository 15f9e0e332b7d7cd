//! Small asynchronous operations: `cp.async` and its groups, `st.async`, `red.async`.

#[cfg(test)]
mod tests;

use crate::exec::{mbarrier, memory};
use crate::findings::FaultKind;
use crate::inst::DecodeContext;
use crate::lanes::lanes;
use crate::machine::code::{DecodeRefusal, OpAction};
use crate::machine::copies;
use crate::machine::layout::Address;
use crate::machine::state::flights::Family;
use crate::machine::{AccessLocation, AccessRange, ExecContext, Order, StepOutcome};
use crate::registers::RegisterLocation;
use ptx_isa::tables::Version;
use ptx_isa::{Exec, Modifier, OperandName};
use ptx_num::values::Marks;
use ptx_num::values::atomic::{self, AtomicElement, AtomicFunction, AtomicOperation};

/// The version from which bulk sums of `.f32` keep subnormal numbers (manual 9.4, `cp.reduce.async.bulk`).
const BULK_KEEPS_SUBNORMALS: Version = Version { major: 9, minor: 4 };

/// `cp.async`.
pub(crate) fn copy(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let (to, from) = (inst.address(OperandName::D)?, inst.address(OperandName::A)?);
    let size = inst
        .immediate(OperandName::Size)
        .filter(|s| matches!(s, 4 | 8 | 16))
        .ok_or("a copy of a size other than 4, 8 or 16 bytes")?;
    let size = size as usize;
    let count = inst.optional_src::<u32>(OperandName::N)?;
    let ignore = inst.predicate_src(OperandName::Ignore)?;
    Ok(DecodeContext::machine(move |context| {
        let ignored = ignore.map_or(0, |p| context.registers.predicate(p));
        if count.is_none()
            && ignored & context.mask == 0
            && let Some([source, target]) = context.copy_lanes(&from, &to, size)
        {
            for lane in lanes(context.mask) {
                begin(
                    context,
                    lane,
                    target.location(lane),
                    size,
                    Some(AccessRange { location: source.location(lane), bytes: size as u64 }),
                );
            }
            return StepOutcome::Next;
        }
        for lane in lanes(context.mask) {
            let asked = count.map_or(size as u32, |n| context.registers.lane(n, lane));
            if asked > size as u32 {
                let words = || {
                    format!(
                        "{asked} bytes of the source for a copy of {size}: the source cannot be longer than the copy"
                    )
                };
                context.fault(FaultKind::Undefined, 1 << lane, words);
            }
            let read = if ignored >> lane & 1 != 0 { 0 } else { (asked as usize).min(size) };
            let Some(target) = context.locate(&to, lane, size, size, true) else { continue };
            if !is_own(context, target, lane) {
                continue;
            }
            let mut source = None;
            if read > 0 {
                let Some(at) = context.locate(&from, lane, read, size, false) else { continue };
                context.copy_at(at, target, lane, read, u16::MAX);
                source = Some(AccessRange { location: at, bytes: read as u64 });
            }
            if read < size {
                let rest = AccessLocation {
                    address: target.address + read as u64,
                    offset: target.offset + read as u64,
                    ..target
                };
                context.write_at(rest, lane, &[0; 16][read..size], Marks::NONE, Order::Weak);
            }
            begin(context, lane, target, size, source);
        }
        StepOutcome::Next
    }))
}

/// Records the start of a copy of a lane to `size` bytes at `target`, from a location with a number of bytes.
fn begin(context: &mut ExecContext<'_>, lane: usize, target: AccessLocation, size: usize, source: Option<AccessRange>) {
    let id = copies::begin(context, source, Some(AccessRange { location: target, bytes: size as u64 }), false);
    // `cp.async` does not use the copy engine.
    copies::written(context, target, size);
    copies::join(context, lane, Family::Small, id);
}

/// Whether a location lies in the shared memory of the thread's own CTA. If it does not, reports a finding.
pub(crate) fn is_own(context: &mut ExecContext<'_>, at: AccessLocation, lane: usize) -> bool {
    let rank = mbarrier::rank_of(context, at);
    let own = rank == Some(context.rank as u32);
    if !own {
        context.fault(FaultKind::Undefined, 1 << lane, || match rank {
            Some(rank) => {
                format!("the address is in CTA {rank} of the cluster, but this instruction needs one in its own CTA")
            }
            None => "the address must be in shared memory".into(),
        });
    }
    own
}

/// `cp.async.commit_group`, `cp.async.bulk.commit_group`.
pub(crate) fn commit(family: Family) -> OpAction {
    DecodeContext::machine(move |context| {
        for lane in lanes(context.mask) {
            copies::commit(context, lane, family);
        }
        StepOutcome::Next
    })
}

/// `cp.async.wait_group`, `cp.async.bulk.wait_group`: the copies were executed when they were issued, so there is no wait.
pub(crate) fn wait(inst: &mut DecodeContext<'_>, family: Family) -> Result<OpAction, DecodeRefusal> {
    let left = inst.immediate(OperandName::N).ok_or("an unknown number of groups")?;
    let left = usize::try_from(left).unwrap_or(usize::MAX);
    let sources = inst.has(Modifier::Read);
    Ok(DecodeContext::machine(move |context| {
        for lane in lanes(context.mask) {
            copies::wait(context, lane, family, left, sources);
        }
        StepOutcome::Next
    }))
}

/// `cp.async.wait_all`.
pub(crate) fn wait_all() -> OpAction {
    DecodeContext::machine(|context| {
        for lane in lanes(context.mask) {
            copies::commit(context, lane, Family::Small);
            copies::wait(context, lane, Family::Small, 0, false);
        }
        StepOutcome::Next
    })
}

/// `cp.async.mbarrier.arrive`: the copies are complete, so the arrival follows at once.
pub(crate) fn mbarrier_arrive(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let address = inst.address(OperandName::A)?;
    let more = !inst.has(Modifier::Noinc);
    Ok(DecodeContext::machine(move |context| {
        for lane in lanes(context.mask) {
            let Some(at) = mbarrier::locate(context, &address, lane, false) else { continue };
            let ids = copies::of_thread(context, lane, Family::Small);
            mbarrier::attach(context, at, ids);
            mbarrier::system_arrives(context, at, lane, more);
        }
        StepOutcome::Next
    }))
}

/// The location of the mbarrier that counts the data arriving at `target`. Reports a finding and returns `None` unless both are in the
/// same CTA.
pub(crate) fn counted_by(
    context: &mut ExecContext<'_>,
    address: &Address,
    lane: usize,
    target: AccessLocation,
) -> Option<AccessLocation> {
    let at = mbarrier::locate(context, address, lane, true)?;
    let (there, here) = (mbarrier::rank_of(context, target), mbarrier::rank_of(context, at));
    if there != here {
        context.fault(FaultKind::Mbarrier, 1 << lane, || {
            let name = |rank: Option<u32>| rank.map_or("no CTA".to_owned(), |r| format!("CTA {r} of the cluster"));
            format!("the data goes to {}, but the mbarrier is in {}: they must be together", name(there), name(here))
        });
        return None;
    }
    Some(at)
}

/// `st.async`.
pub(crate) fn store(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let counts = inst.has(Modifier::MbarrierCompleteTxBytes);
    if inst.operand(OperandName::Mbar).is_none() {
        if counts {
            return Err(
                "the completion names no mbarrier: the assembler accepts this, but the manual does not say what it does"
                    .into(),
            );
        }
        return memory::store(inst);
    }
    let (bytes, _) = memory::element(inst)?;
    let from = inst.places(OperandName::B, bytes as u8)?;
    let (address, barrier) = (inst.address(OperandName::A)?, inst.address(OperandName::Mbar)?);
    Ok(DecodeContext::machine(move |context| {
        let mut buffer = [0; 64];
        let count = (bytes * from.len()).min(buffer.len());
        for lane in lanes(context.mask) {
            gather(context, lane, &from, bytes, &mut buffer[..count]);
            let marks = context.source_marks(lane);
            let Some(at) = context.locate(&address, lane, count, count, true) else { continue };
            let Some(barrier) = counted_by(context, &barrier, lane, at) else { continue };
            context.write_at(at, lane, &buffer[..count], marks, Order::Weak);
            let id = copies::begin(context, None, Some(AccessRange { location: at, bytes: count as u64 }), false);
            mbarrier::attach(context, barrier, id);
            mbarrier::transacted(context, barrier, lane, count as u64);
        }
        StepOutcome::Next
    }))
}

/// Copies the lowest `bytes` bytes of each register of one lane to `to`, one element after the other.
fn gather(context: &ExecContext<'_>, lane: usize, from: &[RegisterLocation], bytes: usize, to: &mut [u8]) {
    for (element, place) in to.chunks_exact_mut(bytes).zip(from) {
        element.copy_from_slice(&context.registers.lane_bits(*place, lane).to_le_bytes()[..bytes]);
    }
}

/// A reduction into memory, as the modifiers of the instruction describe it.
#[derive(Clone, Copy)]
pub(crate) struct MemoryReduction {
    operation: AtomicOperation,
    element: AtomicElement,
    function: AtomicFunction,
    /// Size of an element in bytes.
    pub bytes: usize,
}

impl MemoryReduction {
    /// The reduction of an instruction: the last modifiers that name an operation and a type determine it.
    pub(crate) fn new(inst: &DecodeContext<'_>) -> Result<Self, DecodeRefusal> {
        let names = || inst.modifiers().map(|m| m.word());
        let operation = names().filter_map(AtomicOperation::named).last().ok_or("a reduction without an operation")?;
        let element = names().filter_map(AtomicElement::named).last().ok_or("a reduction without a type")?;
        // Sums of `.f32` flush subnormal numbers in global memory. Bulk sums keep them from PTX 9.4 on, according to its manual.
        let newer = inst.executable.program.environment.version_at_least(Some(BULK_KEEPS_SUBNORMALS));
        let bulk = matches!(inst.exec(), Some(Exec::BulkReduce | Exec::MultimemBulkReduce | Exec::TensorReduce));
        let keeps = inst.has(Modifier::Noftz) || (newer && bulk);
        let function = atomic::operation(operation, element, !keeps);
        let function = function.ok_or("an unknown reduction")?;
        Ok(Self { operation, element, function, bytes: (element.bits() / 8) as usize })
    }

    /// Combines the value `b` with the element at a location.
    pub(crate) fn apply(
        &self,
        context: &mut ExecContext<'_>,
        at: AccessLocation,
        lane: usize,
        b: u128,
        order: Order,
        marks: Marks,
    ) {
        let function = self.function;
        let old = context.update_at(at, lane, self.bytes, order, |old| function(old, b, 0));
        let marks = marks | atomic::marks(self.operation, self.element, old, b);
        if !marks.is_none() {
            context.mark_at(at, lane, self.bytes, marks, true);
        }
    }
}

/// `red.async`.
pub(crate) fn reduce(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let reduction = MemoryReduction::new(inst)?;
    let bytes = reduction.bytes;
    let (address, b) = (inst.address(OperandName::A)?, inst.places(OperandName::B, bytes as u8)?);
    let b = *b.first().ok_or("a reduction without a value")?;
    let barrier = inst.operand(OperandName::Mbar).is_some().then(|| inst.address(OperandName::Mbar)).transpose()?;
    if barrier.is_none() && inst.has(Modifier::MbarrierCompleteTxBytes) {
        return Err(
            "the completion names no mbarrier: the assembler accepts this, but the manual does not say what it does"
                .into(),
        );
    }
    let order = memory::order(inst);
    Ok(DecodeContext::machine(move |context| {
        for lane in lanes(context.mask) {
            let Some(at) = context.locate(&address, lane, bytes, bytes, true) else { continue };
            let value = context.registers.lane_bits(b, lane);
            let marks = context.source_marks(lane);
            let Some(barrier) = &barrier else {
                reduction.apply(context, at, lane, value, order, marks);
                continue;
            };
            let Some(barrier) = counted_by(context, barrier, lane, at) else { continue };
            reduction.apply(context, at, lane, value, order, marks);
            let id = copies::begin(context, None, Some(AccessRange { location: at, bytes: bytes as u64 }), true);
            mbarrier::attach(context, barrier, id);
            mbarrier::transacted(context, barrier, lane, bytes as u64);
        }
        StepOutcome::Next
    }))
}

/// Refuses copies that inspect the data and report to the mbarrier what they find.
pub(crate) fn refuse_reports(inst: &DecodeContext<'_>) -> Result<(), DecodeRefusal> {
    if inst.modifiers().any(|m| m.name().starts_with(".mbarrier::report::validity")) {
        return Err("it inspects the data and reports to the mbarrier, by rules that the manual does not give".into());
    }
    Ok(())
}
