//! Barriers of a CTA, and of the lanes of a warp (manual 9.7.13.1, 9.7.13.2).

use crate::findings::FaultKind;
use crate::inst::DecodeContext;
use crate::lanes::list;
use crate::lanes::{LANES, LaneMask, lanes};
use crate::machine::code::{DecodeRefusal, OpAction};
use crate::machine::state::barriers::{BARRIERS, FirstArrival};
use crate::machine::{ExecContext, StepOutcome, races};
use crate::registers::{Dst, PredicateDst, PredicateSrc, Src};
use ptx_isa::{Modifier, OperandName};

/// The kind of an arrival at a barrier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arrival {
    /// Arrives and waits.
    Sync,
    /// Only arrives.
    Arrive,
    /// Arrives with a predicate, and waits for the result.
    Reduce,
}

/// The reduction of the predicates, with its destination.
#[derive(Debug, Clone, Copy)]
enum BarrierReduction {
    None,
    Count(Dst<u32>),
    All(PredicateDst),
    Any(PredicateDst),
}

/// A decoded barrier instruction.
struct BarrierStep {
    what: Arrival,
    aligned: bool,
    /// The number of the barrier.
    a: Src<u32>,
    /// The count of threads.
    b: Option<Src<u32>>,
    /// The predicate that is reduced.
    c: Option<PredicateSrc>,
    reduction: BarrierReduction,
}

/// `bar`, `barrier`.
pub(crate) fn barrier(inst: &mut DecodeContext<'_>, what: Arrival) -> Result<OpAction, DecodeRefusal> {
    let aligned = inst.is_aligned();
    let (a, b) = (inst.src::<u32>(OperandName::A)?, inst.optional_src::<u32>(OperandName::B)?);
    let c = inst.predicate_src(OperandName::C)?;
    let reduction = if what != Arrival::Reduce {
        BarrierReduction::None
    } else if inst.has(Modifier::Popc) {
        BarrierReduction::Count(inst.dst(OperandName::D)?)
    } else {
        let d = inst.predicate_dst(OperandName::D)?.ok_or("a reduction without a destination")?;
        if inst.has(Modifier::And) { BarrierReduction::All(d) } else { BarrierReduction::Any(d) }
    };
    let step = BarrierStep { what, aligned, a, b, c, reduction };
    Ok(DecodeContext::machine(move |context| step.run(context)))
}

impl BarrierStep {
    fn run(&self, context: &mut ExecContext<'_>) -> StepOutcome {
        let Some((number, count)) = self.operands(context) else { return StepOutcome::Next };
        let phase = match context.token {
            Some(phase) => phase,
            None => match self.arrive(context, number, count) {
                Some(phase) => phase,
                None => return StepOutcome::Next,
            },
        };
        self.complete(context, number);
        if self.what == Arrival::Arrive {
            return StepOutcome::Next;
        }
        let threads = context.mask.count_ones();
        let barrier = &mut context.cta().barriers.all[number];
        if barrier.phase <= phase {
            context.token = Some(phase);
            return StepOutcome::Wait;
        }
        let Some(at) = barrier.done.iter().position(|d| d.phase == phase) else { return StepOutcome::Next };
        let done = &mut barrier.done[at];
        let (all, truths) = done.voted;
        let knowledge = done.knowledge.clone();
        done.waiting = done.waiting.saturating_sub(threads);
        if done.waiting == 0 {
            barrier.done.remove(at);
        }
        let (registers, mask) = (&mut *context.registers, context.mask);
        let truth = |t: bool| if t { LaneMask::MAX } else { 0 };
        match self.reduction {
            BarrierReduction::None => {}
            BarrierReduction::Count(d) => registers.put(d, mask, [truths; LANES]),
            BarrierReduction::All(d) => registers.put_predicate(d, mask, truth(truths == all)),
            BarrierReduction::Any(d) => registers.put_predicate(d, mask, truth(truths > 0)),
        }
        races::depart(context, &knowledge);
        StepOutcome::Next
    }

    /// The number of the barrier and the count of threads (`None`: all threads of the CTA). Reports a finding and returns `None` if there
    /// is no such barrier, or if the lanes name different ones.
    fn operands(&self, context: &mut ExecContext<'_>) -> Option<(usize, Option<u32>)> {
        let first = context.mask.trailing_zeros() as usize % LANES;
        let values = |s: Src<u32>| (context.registers.get(s), context.registers.lane(s, first));
        let (numbers, number) = values(self.a);
        let counts = self.b.map(values);
        let count = counts.map(|(_, c)| c);
        let differ = |l: usize| numbers[l] != number || counts.is_some_and(|(all, c)| all[l] != c);
        let others = lanes(context.mask).filter(|l| differ(*l)).fold(0, |m, l| m | 1 << l);
        if others != 0 {
            context.fault(FaultKind::Unsupported, others, || {
                format!("lane {first} names barrier {number}, lanes {} another barrier or count: lanes that arrive together must name the same one", list(others))
            });
            return None;
        }
        if number as usize >= BARRIERS {
            let mask = context.mask;
            context.fault(FaultKind::Barrier, mask, || format!("there is no barrier {number}: a CTA has 0 to 15"));
            return None;
        }
        Some((number as usize, count.filter(|c| *c != 0)))
    }

    /// Makes the lanes arrive, and returns the phase for which they wait.
    fn arrive(&self, context: &mut ExecContext<'_>, number: usize, count: Option<u32>) -> Option<u64> {
        let mask = context.mask;
        let live = context.lanes.present & !context.lanes.exited;
        let (site, warp) = (context.site, context.lanes.number as usize);
        let warps = context.machine.shape.warps();
        if self.aligned && mask != live {
            context.fault(FaultKind::Divergence, mask, || {
                format!(
                    "lanes {} are at this barrier without lanes {} of their warp: an aligned barrier takes whole warps; `barrier` without `.aligned` takes parts of a warp",
                    list(mask),
                    list(live & !mask)
                )
            });
        }
        if self.what == Arrival::Arrive && count.is_none() {
            context.fault(FaultKind::Barrier, mask, || {
                "an arrival without waiting needs a count of threads that is not 0".into()
            });
        }
        if let Some(count) = count {
            if !count.is_multiple_of(32) {
                let words = || format!("barrier {number} expects {count} threads: the count must be a multiple of 32");
                context.fault(FaultKind::Barrier, mask, words);
            }
            if count > 32 * warps {
                let words = || format!("barrier {number} waits for {count} threads, but the CTA has {}", 32 * warps);
                context.fault(FaultKind::Barrier, mask, words);
            }
        }
        let reduces = self.what == Arrival::Reduce;
        let first = context.cta().barriers.all[number].first;
        if let Some(first) = first {
            // A count of all threads is the same as no count.
            let threads = |count: Option<u32>| count.unwrap_or(32 * warps).next_multiple_of(32);
            if threads(first.count) != threads(count) {
                let words = || {
                    let (there, here) = (threads(first.count), threads(count));
                    format!("this expects {here} threads at barrier {number}, but the first arrival expects {there}")
                };
                context.fault_with(
                    FaultKind::Barrier,
                    mask,
                    words,
                    Some((first.site, "the first arrival is here".into())),
                );
            }
            if first.reduces != reduces {
                let words = || format!("barrier {number} is used with `.red` and without it at the same time");
                context.fault_with(FaultKind::Barrier, mask, words, Some((first.site, "the other use is here".into())));
            }
        }
        let c = self.c.map_or(0, |c| context.registers.predicate(c)) & mask;
        let barrier = &mut context.cta().barriers.all[number];
        if barrier.arrived.len() <= warp {
            barrier.arrived.resize(warps as usize, 0);
        }
        barrier.first.get_or_insert(FirstArrival { site, count, reduces });
        // At an aligned barrier the warp arrives as a whole.
        let arriving = if self.aligned { live } else { mask };
        let again = barrier.arrived.get(warp).copied().unwrap_or(0) & arriving;
        if let Some(arrived) = barrier.arrived.get_mut(warp) {
            *arrived |= arriving;
        }
        if self.what != Arrival::Arrive {
            barrier.waiting += mask.count_ones();
        }
        if reduces {
            barrier.voted.0 += mask.count_ones();
            barrier.voted.1 += c.count_ones();
        }
        let phase = barrier.phase;
        if again != 0 {
            barrier.extra += 32;
            let first = first.map(|f| (f.site, "the first arrival is here".to_owned()));
            let words = || format!("lanes {} arrive at barrier {number} again before it completes", list(again));
            context.fault_with(FaultKind::Barrier, again, words, first);
        }
        let mut knowledge = std::mem::take(&mut context.cta().barriers.all[number].knowledge);
        races::arrive(context, &mut knowledge);
        context.cta().barriers.all[number].knowledge = knowledge;
        context.changed();
        Some(phase)
    }

    /// Completes the barrier if all expected threads have arrived.
    fn complete(&self, context: &mut ExecContext<'_>, number: usize) {
        let (warp, exited) = (context.lanes.number as usize, context.lanes.exited);
        let (mask, idle) = (context.mask, context.idle);
        let cta = context.cta();
        // The CTA does not know yet which lanes of the running warp have exited.
        if let Some(gone) = cta.gone.get_mut(warp) {
            cta.live -= (exited & !*gone).count_ones();
            *gone |= exited;
        }
        let barrier = &mut cta.barriers.all[number];
        let ready = barrier.is_complete(&cta.gone, false);
        let goes_on = ready || (idle && barrier.is_complete(&cta.gone, true));
        if !goes_on {
            return;
        }
        let arrived = barrier.arrived.iter().map(|m| m.count_ones()).sum::<u32>() + barrier.extra;
        let count = barrier.first.and_then(|f| f.count).unwrap_or(0);
        barrier.knowledge.join(&cta.barriers.exited);
        barrier.complete();
        context.changed();
        if !ready {
            context.fault(FaultKind::Barrier, mask, || {
                format!("barrier {number} waits for {count} threads, but only {arrived} have arrived, and the others have exited: this run continues without them")
            });
        }
    }
}

/// `bar.warp.sync`.
pub(crate) fn warp_sync(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let mask = inst.src::<u32>(OperandName::Membermask)?;
    Ok(DecodeContext::machine(move |context| {
        let named = context.registers.get(mask);
        let outside = lanes(context.mask).filter(|l| named[*l] >> l & 1 == 0).fold(0, |m, l| m | 1 << l);
        if outside != 0 {
            context.fault(FaultKind::Membermask, outside, || {
                format!("lanes {} wait here, but the mask does not include them", list(outside))
            });
        }
        // Other lanes of the mask may be at another `bar.warp.sync`.
        let mut left = context.mask;
        while left != 0 {
            let mask = named[left.trailing_zeros() as usize % LANES];
            let same = lanes(left).filter(|l| named[*l] == mask).fold(0, |m, l| m | 1 << l);
            left &= !same;
            races::meet(context, same, mask);
        }
        StepOutcome::Next
    }))
}

#[cfg(test)]
mod tests;
