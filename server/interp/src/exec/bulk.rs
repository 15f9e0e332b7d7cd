//! Bulk operations: the copy engine's work on blocks of memory.

#[cfg(test)]
mod tests;

use crate::exec::asynchronous::{MemoryReduction, counted_by, is_own, refuse_reports};
use crate::exec::{mbarrier, memory};
use crate::findings::FaultKind;
use crate::inst::DecodeContext;
use crate::lanes::lanes;
use crate::machine::code::{DecodeRefusal, OpAction};
use crate::machine::copies;
use crate::machine::layout::{Address, AddressSpace};
use crate::machine::state::flights::Family;
use crate::machine::{AccessLocation, AccessRange, ExecContext, Order, Scope, StepOutcome};
use crate::registers::RegisterLocation;
use ptx_isa::{Modifier, OperandName};
use ptx_num::values::Marks;

/// Alignment of addresses and sizes in bytes.
const UNIT: usize = 16;

/// Bytes that `st.bulk` writes at once.
const CHUNK: usize = 4096;

/// The largest size of `st.bulk` in bytes.
const MAX_STORE_BYTES: u64 = 1 << 24;

/// The place of a numeric operand, whatever its width; `None` if it is absent. A constant gets `bytes` bytes.
fn number(
    inst: &mut DecodeContext<'_>,
    name: OperandName,
    bytes: u8,
) -> Result<Option<RegisterLocation>, DecodeRefusal> {
    Ok(inst.places(name, bytes)?.first().copied())
}

fn size(inst: &mut DecodeContext<'_>) -> Result<RegisterLocation, DecodeRefusal> {
    Ok(number(inst, OperandName::Size, 4)?.ok_or("a bulk operation without a size")?)
}

/// The size of a lane's block in bytes. Reports a finding and returns `None` unless it is a multiple of [`UNIT`].
fn block(context: &mut ExecContext<'_>, size: RegisterLocation, lane: usize) -> Option<usize> {
    let bytes = context.registers.lane_bits(size, lane) as u32 as usize;
    if !bytes.is_multiple_of(UNIT) {
        let words = || format!("a bulk operation on {bytes} bytes: the size must be a multiple of {UNIT}");
        context.fault(FaultKind::Misaligned, 1 << lane, words);
        return None;
    }
    Some(bytes)
}

/// How a bulk operation signals that it is complete.
struct Completion {
    /// The mbarrier that counts the bytes; `None` if the operation belongs to a bulk group of the thread.
    barrier: Option<Address>,
    /// The destination must be in the thread's own CTA.
    own: bool,
    /// A mask of CTAs. Each of them gets the block and counts it.
    ctas: Option<RegisterLocation>,
}

impl Completion {
    fn new(inst: &mut DecodeContext<'_>) -> Result<Self, DecodeRefusal> {
        refuse_reports(inst)?;
        let barrier = inst.operand(OperandName::Mbar).is_some().then(|| inst.address(OperandName::Mbar)).transpose()?;
        let ctas = number(inst, OperandName::Mask, 2)?.or(number(inst, OperandName::Mask32, 4)?);
        let from_cta = inst.operand(OperandName::Src).is_some_and(|o| inst.space_of(o) == AddressSpace::Global);
        let own = barrier.is_some() && from_cta && inst.has(Modifier::SharedCta);
        Ok(Self { barrier, own, ctas })
    }

    /// The destinations of a lane's block, each with the mbarrier there that counts it.
    fn targets(
        &self,
        context: &mut ExecContext<'_>,
        to: &Address,
        lane: usize,
        bytes: usize,
    ) -> Vec<(AccessLocation, Option<AccessLocation>)> {
        let Some(target) = context.locate(to, lane, bytes, UNIT, true) else { return Vec::new() };
        if self.own && !is_own(context, target, lane) {
            return Vec::new();
        }
        let Some(barrier) = &self.barrier else { return vec![(target, None)] };
        let Some(barrier) = counted_by(context, barrier, lane, target) else { return Vec::new() };
        let Some(mask) = self.ctas else { return vec![(target, Some(barrier))] };
        let mask = context.registers.lane_bits(mask, lane) as u32;
        let mut out = Vec::new();
        for rank in mbarrier::ctas(context, mask, lane) {
            let there = mbarrier::in_cta(context, target, lane, rank, bytes);
            let counts = mbarrier::in_cta(context, barrier, lane, rank, 8);
            out.extend(there.zip(counts).map(|(there, counts)| (there, Some(counts))));
        }
        out
    }

    /// Records an operation that was carried out. Its reads and writes stay in flight until its completion is known.
    fn done(
        context: &mut ExecContext<'_>,
        lane: usize,
        source: Option<AccessRange>,
        target: AccessLocation,
        barrier: Option<AccessLocation>,
        bytes: usize,
        atomic: bool,
    ) {
        let id = copies::begin(context, source, Some(AccessRange { location: target, bytes: bytes as u64 }), atomic);
        match barrier {
            Some(at) => {
                mbarrier::check_visible(context, at, lane);
                mbarrier::attach(context, at, id);
                mbarrier::transacted(context, at, lane, bytes as u64);
            }
            None => copies::join(context, lane, Family::Bulk, id),
        }
    }
}

/// `cp.async.bulk` in all directions, and `multimem.cp.async.bulk`.
pub(crate) fn copy(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let (to, from, size) = (inst.address(OperandName::Dst)?, inst.address(OperandName::Src)?, size(inst)?);
    let completion = Completion::new(inst)?;
    let mask = number(inst, OperandName::Bytes, 2)?;
    let (left, right) = (number(inst, OperandName::Left, 4)?, number(inst, OperandName::Right, 4)?);
    Ok(DecodeContext::machine(move |context| {
        for lane in lanes(context.mask) {
            let Some(bytes) = block(context, size, lane) else { continue };
            let read = |context: &ExecContext<'_>, place: Option<RegisterLocation>, otherwise: u64| {
                place.map_or(otherwise, |p| context.registers.lane_bits(p, lane) as u64)
            };
            let mask = read(context, mask, u64::from(u16::MAX)) as u16;
            let (left, right) = (read(context, left, 0) as usize, read(context, right, 0) as usize);
            let Some((source, inner)) = source(context, &from, lane, bytes, left, right) else { continue };
            copies::read_by_engine(context, source, lane, inner, "the copy engine");
            let targets = completion.targets(context, &to, lane, bytes);
            for (target, barrier) in targets {
                let place = |skip: usize| AccessLocation {
                    address: target.address + skip as u64,
                    offset: target.offset + skip as u64,
                    ..target
                };
                context.copy_at(source, place(left.min(bytes)), lane, inner, mask);
                for (at, count) in [(0, left.min(bytes)), (bytes - right.min(bytes), right.min(bytes))] {
                    let zeros = &[0; UNIT][..count.min(UNIT)];
                    if count > 0 {
                        // The manual leaves undefined what is copied for bytes that may be out of bounds.
                        context.write_at(place(at), lane, zeros, Marks::UNSPECIFIED, Order::Weak);
                    }
                }
                Completion::done(
                    context,
                    lane,
                    Some(AccessRange { location: source, bytes: inner as u64 }),
                    target,
                    barrier,
                    bytes,
                    false,
                );
            }
        }
        StepOutcome::Next
    }))
}

/// The location and the size of the source block, without `left` and `right` bytes at its ends.
fn source(
    context: &mut ExecContext<'_>,
    from: &Address,
    lane: usize,
    bytes: usize,
    left: usize,
    right: usize,
) -> Option<(AccessLocation, usize)> {
    if left == 0 && right == 0 {
        return Some((context.locate(from, lane, bytes, UNIT, false)?, bytes));
    }
    if left >= UNIT || right >= UNIT {
        let words = || {
            format!("{left} and {right} bytes that may be out of bounds: at most {} are allowed at each end", UNIT - 1)
        };
        context.fault(FaultKind::Undefined, 1 << lane, words);
    }
    if context.generic_address(from, lane).is_some_and(|a| !a.is_multiple_of(UNIT as u64)) {
        context.fault(FaultKind::Misaligned, 1 << lane, || {
            format!("the address of a bulk copy must be a multiple of {UNIT}")
        });
        return None;
    }
    let inner = bytes.saturating_sub(left).saturating_sub(right);
    let address = Address { offset: from.offset.wrapping_add(left as i64), ..*from };
    Some((context.locate(&address, lane, inner, 1, false)?, inner))
}

/// `cp.reduce.async.bulk`, `multimem.cp.reduce.async.bulk`.
pub(crate) fn reduce(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let reduction = MemoryReduction::new(inst)?;
    let (to, from, size) = (inst.address(OperandName::Dst)?, inst.address(OperandName::Src)?, size(inst)?);
    let completion = Completion::new(inst)?;
    let order = memory::order(inst);
    Ok(DecodeContext::machine(move |context| {
        for lane in lanes(context.mask) {
            let Some(bytes) = block(context, size, lane) else { continue };
            let Some(source) = context.locate(&from, lane, bytes, UNIT, false) else { continue };
            copies::read_by_engine(context, source, lane, bytes, "the copy engine");
            for (target, barrier) in completion.targets(context, &to, lane, bytes) {
                for skip in (0..bytes).step_by(reduction.bytes) {
                    let at = |place: AccessLocation| AccessLocation {
                        address: place.address + skip as u64,
                        offset: place.offset + skip as u64,
                        ..place
                    };
                    let mut value = [0; 16];
                    let marks = context.read_at(at(source), lane, &mut value[..reduction.bytes], Order::Weak);
                    // Each element is combined by a relaxed operation, whether or not the instruction says so.
                    let order = if order == Order::Weak { Order::Relaxed(Scope::Gpu) } else { order };
                    reduction.apply(context, at(target), lane, u128::from_le_bytes(value), order, marks);
                }
                let source = Some(AccessRange { location: source, bytes: bytes as u64 });
                Completion::done(context, lane, source, target, barrier, bytes, true);
            }
        }
        StepOutcome::Next
    }))
}

/// `cp.async.bulk.prefetch`: has no effect, so only its address and size are checked.
pub(crate) fn prefetch(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    check_only(inst, OperandName::Src, UNIT)
}

/// `applypriority.async.bulk`: has no effect either.
pub(crate) fn apply_priority(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    check_only(inst, OperandName::A, 128)
}

fn check_only(inst: &mut DecodeContext<'_>, name: OperandName, align: usize) -> Result<OpAction, DecodeRefusal> {
    let (address, size) = (inst.address(name)?, size(inst)?);
    Ok(DecodeContext::machine(move |context| {
        for lane in lanes(context.mask) {
            if let Some(bytes) = block(context, size, lane) {
                context.locate(&address, lane, bytes, align, false);
            }
        }
        StepOutcome::Next
    }))
}

/// `st.bulk`: writes zeros to shared memory.
pub(crate) fn store(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let address = inst.address(OperandName::A)?;
    let size = number(inst, OperandName::Size, 8)?.ok_or("`st.bulk` without a size")?;
    Ok(DecodeContext::machine(move |context| {
        for lane in lanes(context.mask) {
            let bytes = context.registers.lane_bits(size, lane) as u64;
            if !bytes.is_multiple_of(8) || bytes > MAX_STORE_BYTES {
                let words = || {
                    format!(
                        "`st.bulk` of {bytes} bytes: the size must be a multiple of 8, and at most {MAX_STORE_BYTES}"
                    )
                };
                context.fault(FaultKind::Misaligned, 1 << lane, words);
                continue;
            }
            let bytes = bytes as usize;
            let Some(at) = context.locate(&address, lane, bytes, 8, true) else { continue };
            if !is_own(context, at, lane) {
                continue;
            }
            for skip in (0..bytes).step_by(CHUNK) {
                let place = AccessLocation { address: at.address + skip as u64, offset: at.offset + skip as u64, ..at };
                context.write_at(place, lane, &[0; CHUNK][..CHUNK.min(bytes - skip)], Marks::NONE, Order::Weak);
            }
        }
        StepOutcome::Next
    }))
}
