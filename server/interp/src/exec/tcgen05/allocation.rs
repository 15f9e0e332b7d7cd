//! `tcgen05.alloc`, `tcgen05.dealloc`, `tcgen05.relinquish_alloc_permit`.

use super::{ctas, has_pair, memory, note_ctas};
use crate::exec::mma::whole_warp;
use crate::findings::FaultKind;
use crate::inst::DecodeContext;
use crate::lanes::lanes;
use crate::machine::code::{DecodeRefusal, OpAction};
use crate::machine::state::tensor_memory::PairAllocation;
use crate::machine::{ExecContext, Order, StepOutcome, operands};
use crate::memory::Region;
use crate::registers::Src;
use ptx_isa::{Modifier, OperandName};
use ptx_num::values::Marks;

/// The number of columns in an operand, which must be the same in all lanes; otherwise reports a finding. A number that cannot be
/// allocated is a finding, too, and gives `None`.
fn columns(context: &mut ExecContext<'_>, src: Src<u32>) -> Option<u32> {
    let lane = context.mask.trailing_zeros().min(31) as usize;
    let columns = context.registers.lane(src, lane);
    let other = lanes(context.mask).filter(|l| context.registers.lane(src, *l) != columns).fold(0, |m, l| m | 1 << l);
    if other != 0 {
        context.fault(FaultKind::Undefined, other, || "the number of columns must be the same in all lanes".into());
    }
    if columns.is_power_of_two() && (32..=512).contains(&columns) {
        return Some(columns);
    }
    let mask = context.mask;
    context.fault(FaultKind::Undefined, mask, || {
        format!("{columns} columns of tensor memory: it must be 32, 64, 128, 256 or 512")
    });
    None
}

/// `tcgen05.alloc`.
pub(crate) fn allocate(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    if inst.has(Modifier::Exclusive) {
        return Err("the manual does not say what `.exclusive` means".into());
    }
    let ctas = ctas(inst);
    let (address, count) = (inst.address(OperandName::Dst)?, inst.src::<u32>(OperandName::Ncols)?);
    Ok(DecodeContext::machine(move |context| {
        let again = context.token.is_some();
        if !again {
            whole_warp(context);
            note_ctas(context, ctas);
        }
        let Some(columns) = columns(context, count) else { return StepOutcome::Next };
        if !again {
            check_permit(context, columns);
        }
        if !has_pair(context, ctas) {
            return StepOutcome::Next;
        }
        let found = if ctas == 2 { together(context, columns) } else { alone(context, columns) };
        let Some(first) = found else {
            context.token = Some(1);
            return StepOutcome::Wait;
        };
        let lane = context.mask.trailing_zeros().min(31) as usize;
        let Some(at) = context.locate(&address, lane, 4, 4, true) else { return StepOutcome::Next };
        let own = match at.region {
            Region::Shared(rank) => rank.is_none_or(|r| r == context.rank as u32),
            _ => false,
        };
        if !own {
            context.fault(FaultKind::Undefined, 1 << lane, || {
                "the address of tensor memory can be written to shared memory of this CTA only".into()
            });
        }
        context.write_at(at, lane, &first.to_le_bytes(), Marks::NONE, Order::Weak);
        context.changed();
        StepOutcome::Next
    }))
}

/// Reports a finding if this CTA may not allocate `columns` columns now.
fn check_permit(context: &mut ExecContext<'_>, columns: u32) {
    let tensor = &context.cta().tensor;
    let (relinquished, last) = (tensor.relinquished, tensor.last);
    let mask = context.mask;
    if relinquished {
        context.fault(FaultKind::Undefined, mask, || {
            "this CTA has given up the right to allocate tensor memory with `tcgen05.relinquish_alloc_permit`".into()
        });
    }
    if let Some(last) = last.filter(|l| *l < columns) {
        context.fault(FaultKind::Undefined, mask, || {
            format!("{columns} columns after an allocation of {last}: later allocations of a CTA must not be larger")
        });
    }
}

/// Allocates columns in this CTA and returns the first; `None` if not enough are free.
fn alone(context: &mut ExecContext<'_>, columns: u32) -> Option<u32> {
    let site = context.site;
    let tensor = &mut context.cta().tensor;
    let first = tensor.free(columns, None)?;
    let held = tensor.held();
    tensor.allocate(first, columns, site);
    let taken = tensor.held() - held;
    context.hold_for_all(taken);
    Some(first)
}

/// Allocates columns in both CTAs of a pair and returns the first; `None` if the warp has to wait. The warp that comes last allocates for
/// both.
fn together(context: &mut ExecContext<'_>, columns: u32) -> Option<u32> {
    let (own, peer, site) = (context.rank as u32, context.rank as u32 ^ 1, context.site);
    let waited = context.token.is_some();
    match context.cta().tensor.pair {
        PairAllocation::Granted(first) if waited => {
            context.cta().tensor.pair = PairAllocation::Idle;
            context.changed();
            return Some(first);
        }
        PairAllocation::Idle => {
            context.cta().tensor.pair = PairAllocation::Waits(columns);
            context.changed();
        }
        // Another warp of this CTA came first.
        _ if !waited => return None,
        _ => {}
    }
    let asked = match context.cta_of(peer)?.tensor.pair {
        PairAllocation::Waits(asked) => asked,
        _ => return None,
    };
    if asked != columns {
        let mask = context.mask;
        context.fault(FaultKind::Undefined, mask, || {
            format!("{columns} columns here, but {asked} in the other CTA of the pair")
        });
    }
    let most = asked.max(columns);
    let other = context.cta_of(peer)?.tensor.clone();
    let first = memory(context, own)?.free(most, Some(&other))?;
    for rank in [own, peer] {
        let tensor = memory(context, rank)?;
        let held = tensor.held();
        tensor.allocate(first, most, site);
        tensor.pair = if rank == own { PairAllocation::Idle } else { PairAllocation::Granted(first) };
        let taken = tensor.held() - held;
        context.hold_for_all(taken);
    }
    context.changed();
    Some(first)
}

/// `tcgen05.dealloc`. In a pair each CTA frees its own columns.
pub(crate) fn free(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    if inst.has(Modifier::Exclusive) {
        return Err("the manual does not say what `.exclusive` means".into());
    }
    let ctas = ctas(inst);
    let (address, count) = (inst.src::<u32>(OperandName::Taddr)?, inst.src::<u32>(OperandName::Ncols)?);
    Ok(DecodeContext::machine(move |context| {
        whole_warp(context);
        note_ctas(context, ctas);
        let Some(columns) = columns(context, count) else { return StepOutcome::Next };
        let lane = context.mask.trailing_zeros().min(31) as usize;
        let first = context.registers.lane(address, lane);
        operands::freed(context, first & 0xffff, columns);
        if !context.cta().tensor.free_up(first, columns) {
            context.fault(FaultKind::Undefined, 1 << lane, || {
                format!("there is no allocation of {columns} columns at {first:#x} in the tensor memory of this CTA")
            });
        }
        context.changed();
        StepOutcome::Next
    }))
}

/// `tcgen05.relinquish_alloc_permit`.
pub(crate) fn relinquish(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let ctas = ctas(inst);
    Ok(DecodeContext::machine(move |context| {
        whole_warp(context);
        note_ctas(context, ctas);
        context.cta().tensor.relinquished = true;
        StepOutcome::Next
    }))
}
