//! The barrier of a cluster (manual 9.7.13.3).

use crate::findings::FaultKind;
use crate::inst::DecodeContext;
use crate::lanes::LaneMask;
use crate::lanes::list;
use crate::machine::code::{DecodeRefusal, OpAction};
use crate::machine::{ExecContext, StepOutcome, races};
use ptx_isa::Modifier;

/// The entry of a warp in a table of masks, indexed by the rank of the CTA and the number of the warp. Extends the table if necessary.
fn at(all: &mut Vec<Vec<LaneMask>>, rank: usize, warp: usize) -> &mut LaneMask {
    if all.len() <= rank {
        all.resize(rank + 1, Vec::new());
    }
    let warps = &mut all[rank];
    if warps.len() <= warp {
        warps.resize(warp + 1, 0);
    }
    &mut warps[warp]
}

/// Reports a finding if an aligned barrier is executed without some live lanes of the warp.
fn check_aligned(context: &mut ExecContext<'_>, aligned: bool) {
    let (mask, live) = (context.mask, context.lanes.present & !context.lanes.exited);
    if aligned && mask != live {
        context.fault(FaultKind::Divergence, mask, || {
            format!(
                "lanes {} are at this barrier without lanes {} of their warp, but it is `.aligned`",
                list(mask),
                list(live & !mask)
            )
        });
    }
}

/// `barrier.cluster.arrive`.
pub(crate) fn arrive(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let (aligned, relaxed) = (inst.function.converges(inst.index), inst.has(Modifier::Relaxed));
    Ok(DecodeContext::machine(move |context| {
        check_aligned(context, aligned);
        let (rank, warp, mask) = (context.rank, context.lanes.number as usize, context.mask);
        let barrier = &mut context.cluster().barrier;
        let arrived = at(&mut barrier.arrived, rank, warp);
        let again = *arrived & mask;
        *arrived |= mask;
        *at(&mut barrier.pending, rank, warp) |= mask;
        let mut coming = std::mem::take(&mut barrier.coming);
        if again != 0 {
            context.fault(FaultKind::Barrier, again, || {
                format!("lanes {} arrive at the barrier of the cluster again before it completes", list(again))
            });
        }
        if relaxed {
            races::arrive_relaxed(context, &mut coming);
        } else {
            races::arrive(context, &mut coming);
        }
        context.cluster().barrier.coming = coming;
        context.changed();
        complete(context);
        StepOutcome::Next
    }))
}

/// Completes the barrier if all threads of the cluster have arrived or exited.
fn complete(context: &mut ExecContext<'_>) {
    let (rank, warp, exited) = (context.rank, context.lanes.number as usize, context.lanes.exited);
    let cluster = context.cluster();
    let barrier = &mut cluster.barrier;
    for (r, cta) in cluster.ctas.iter().enumerate() {
        for (w, gone) in cta.gone.iter().enumerate() {
            let gone = if (r, w) == (rank, warp) { *gone | exited } else { *gone };
            if *at(&mut barrier.arrived, r, w) | gone != LaneMask::MAX {
                return;
            }
        }
    }
    barrier.arrived.clear();
    barrier.known = std::mem::take(&mut barrier.coming);
    for cta in &mut cluster.ctas {
        barrier.known.join(&cta.barriers.exited);
    }
    context.changed();
}

/// `barrier.cluster.wait`.
pub(crate) fn wait(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let aligned = inst.function.converges(inst.index);
    Ok(DecodeContext::machine(move |context| {
        let (rank, warp, mask) = (context.rank, context.lanes.number as usize, context.mask);
        if context.token.is_none() {
            check_aligned(context, aligned);
            let absent = mask & !*at(&mut context.cluster().barrier.pending, rank, warp);
            if absent != 0 {
                context.fault(FaultKind::Barrier, absent, || {
                    format!("lanes {} wait at the barrier of the cluster without having arrived", list(absent))
                });
            }
        }
        if *at(&mut context.cluster().barrier.arrived, rank, warp) & mask != 0 {
            // Threads may have exited since the arrival.
            complete(context);
        }
        let barrier = &mut context.cluster().barrier;
        if *at(&mut barrier.arrived, rank, warp) & mask != 0 {
            context.token = Some(0);
            return StepOutcome::Wait;
        }
        *at(&mut barrier.pending, rank, warp) &= !mask;
        let known = barrier.known.clone();
        races::depart(context, &known);
        StepOutcome::Next
    }))
}

#[cfg(test)]
mod tests;
