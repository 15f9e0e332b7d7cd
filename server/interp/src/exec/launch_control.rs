//! Cluster launch control: a CTA takes over the work of a cluster that has not started.
//!
//! The 16 bytes of an answer are opaque. Their layout here is the one that ptxas 13.5 decodes for `sm_100`: the index of the cluster's
//! first CTA (x in bits 0 … 31, y in 32 … 47, z in 48 … 63), and in bit 64 whether a cluster was cancelled.

use crate::exec::asynchronous::{counted_by, is_own};
use crate::exec::mbarrier;
use crate::findings::FaultKind;
use crate::inst::DecodeContext;
use crate::lanes::lanes;
use crate::machine::code::{DecodeRefusal, OpAction};
use crate::machine::{AccessRange, ExecContext, Order, StepOutcome, copies};
use crate::registers::RegisterLocation;
use ptx_isa::{Modifier, OperandName, SlotName};
use ptx_num::values::Marks;

/// Size of an answer in bytes.
const BYTES: usize = 16;

/// The bit of an answer that says that a cluster was cancelled.
const CANCELLED: u128 = 1 << 64;

/// Encodes an answer with the index of the cancelled cluster's first CTA; `None` if no cluster was cancelled.
fn answer(first: Option<[u32; 3]>) -> u128 {
    let Some([x, y, z]) = first else { return 0 };
    u128::from(x) | u128::from(y as u16) << 32 | u128::from(z as u16) << 48 | CANCELLED
}

/// The index of the first CTA in an answer. The fourth element has no meaning.
fn index(answer: u128) -> [u32; 4] {
    [answer as u32, (answer >> 32) as u32 & 0xffff, (answer >> 48) as u32 & 0xffff, 0]
}

/// Cancels the cluster that would start next, and returns the index of its first CTA.
fn cancel(context: &mut ExecContext<'_>) -> Option<[u32; 3]> {
    let machine = &mut *context.machine;
    if let Some(part) = &mut machine.part {
        part.depends = true;
    }
    // Clusters are taken over in their order, so those that must not start come next.
    let number = machine.next_cluster + machine.taken_over;
    if number >= machine.cluster_count() {
        return None;
    }
    machine.taken_over += 1;
    let at = machine.cluster_index(number);
    Some(std::array::from_fn(|i| at[i] * machine.shape.cluster[i]))
}

/// `clusterlaunchcontrol.try_cancel`.
pub(crate) fn try_cancel(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let (address, barrier) = (inst.address(OperandName::A)?, inst.address(OperandName::Mbar)?);
    let all = inst.has(Modifier::MulticastClusterAll);
    Ok(DecodeContext::machine(move |context| {
        for lane in lanes(context.mask) {
            let Some(at) = context.locate(&address, lane, BYTES, BYTES, true) else { continue };
            if !is_own(context, at, lane) {
                continue;
            }
            let Some(counts) = counted_by(context, &barrier, lane, at) else { continue };
            if context.cta().refused {
                let words = || "this CTA knows that an earlier request was refused: asking again is undefined".into();
                context.fault(FaultKind::Undefined, 1 << lane, words);
            }
            if context.is_stopped() {
                return StepOutcome::Next;
            }
            let first = cancel(context);
            let bytes = answer(first).to_le_bytes();
            let count = context.cluster().ctas.len() as u32;
            let own = context.rank as u32;
            for rank in if all { 0..count } else { own..own + 1 } {
                if context.cta_of(rank).is_none_or(|c| c.live == 0) {
                    let words = || format!("the answer goes to CTA {rank} of the cluster too, which has exited");
                    context.fault(FaultKind::Undefined, 1 << lane, words);
                    continue;
                }
                let Some(at) = mbarrier::in_cta(context, at, lane, rank, BYTES) else { continue };
                let Some(counts) = mbarrier::in_cta(context, counts, lane, rank, 8) else { continue };
                context.write_at(at, lane, &bytes, Marks::NONE, Order::Weak);
                let id = copies::begin(context, None, Some(AccessRange { location: at, bytes: BYTES as u64 }), false);
                if first.is_none() {
                    copies::set_refused(context, id);
                }
                mbarrier::attach(context, counts, id);
                mbarrier::transacted(context, counts, lane, BYTES as u64);
            }
        }
        StepOutcome::Next
    }))
}

/// `clusterlaunchcontrol.query_cancel`.
pub(crate) fn query_cancel(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let answer = *inst.places(OperandName::Answer, 16)?.first().ok_or("`query_cancel` without an answer")?;
    if let Some(p) = inst.predicate_dst(OperandName::P)? {
        return Ok(DecodeContext::machine(move |context| {
            let is = |lane: &usize| context.registers.lane_bits(answer, *lane) & CANCELLED != 0;
            let truth = lanes(context.mask).filter(is).fold(0, |all, lane| all | 1 << lane);
            context.registers.put_predicate(p, context.mask, truth);
            StepOutcome::Next
        }));
    }
    let to: Vec<RegisterLocation> = inst.places(OperandName::D, 4)?;
    let component = inst.modifier(SlotName::Component).map_or(0, |name| match name {
        Modifier::GetFirstCtaidY => 1,
        Modifier::GetFirstCtaidZ => 2,
        _ => 0,
    });
    Ok(DecodeContext::machine(move |context| {
        for lane in lanes(context.mask) {
            let bits = context.registers.lane_bits(answer, lane);
            if bits & CANCELLED == 0 {
                let words = || "the answer says that no cluster was cancelled, so the index in it is undefined".into();
                context.fault(FaultKind::Undefined, 1 << lane, words);
                context.mark(lane, Marks::UNSPECIFIED);
            }
            let index = index(bits);
            for (i, place) in to.iter().enumerate() {
                let element = if to.len() == 1 { component } else { i };
                context.registers.set_lane_bits(*place, lane, index[element.min(3)].into());
            }
        }
        StepOutcome::Next
    }))
}

#[cfg(test)]
mod tests {
    use super::{CANCELLED, answer, index};
    use crate::findings::FaultKind;
    use crate::testing::{TestKernel, TestOutcome, words};

    #[test]
    fn answers_hold_the_index() {
        let bits = answer(Some([70_000, 65_535, 9]));
        assert_eq!((index(bits), bits & CANCELLED), ([70_000, 65_535, 9, 0], CANCELLED));
        assert_eq!(answer(None), 0);
    }

    /// Runs a grid of four CTAs of one thread each, in clusters of `cluster` CTAs. `%rd0` is the address of two words.
    fn run(cluster: u32, body: &str) -> TestOutcome {
        let text = format!(
            ".version 8.7\n.target sm_100a\n.address_size 64\n\
             .shared .align 8 .b64 bar;\n.shared .align 16 .b8 answer[16];\n\
             .entry k(.param .u64 out) {{\n\
             .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .b128 %q;\n\
             ld.param.u64 %rd0, [out]; mbarrier.init.shared::cta.b64 [bar], 1;\n{body}\n}}\n"
        );
        TestKernel::new(&text).threads(1).ctas(4, cluster).buffer(&[0; 8]).run()
    }

    const ASK: &str = "mbarrier.arrive.expect_tx.shared::cta.b64 %rd1, [bar], 16;\n\
        clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [answer], [bar];\n";
    const HEAR: &str = "mbarrier.try_wait.shared::cta.b64 %p0, [bar], %rd1; @!%p0 trap; ld.shared.b128 %q, [answer];\n\
        clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p1, %q;\n";
    const TAKE: &str = "clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r1, %q;\n\
        clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%r2, %r3, %r4, _}, %q;\n\
        red.async.release.gpu.global.add.u32 [%rd0], %r1; mov.u32 %r5, 1; red.async.release.gpu.global.add.u32 [%rd0+4], %r5;\n";

    #[test]
    fn clusters_that_have_not_started_are_taken_over() {
        let out = run(1, &format!("next: {ASK}{HEAR} @!%p1 ret; {TAKE} bra next;"));
        assert_eq!((out.kinds(), out.u32s(0)), (vec![], vec![6, 3]));
    }

    #[test]
    fn all_ctas_of_a_cluster_get_the_answer() {
        // CTA 1 of the cluster asks for both.
        let body = format!(
            "mov.u32 %r6, %cluster_ctarank; fence.mbarrier_init.release.cluster; barrier.cluster.arrive; barrier.cluster.wait;\n\
            mbarrier.arrive.expect_tx.shared::cta.b64 %rd1, [bar], 16; t: .branchtargets hear, ask; brx.idx %r6, t;\n\
            ask: clusterlaunchcontrol.try_cancel.async.mbarrier::complete_tx::bytes.multicast::cluster::all.b128 [answer], [bar];\n\
            hear: wait: mbarrier.try_wait.shared::cta.b64 %p0, [bar], %rd1; @!%p0 bra wait; ld.shared.b128 %q, [answer];\n\
            clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p1, %q; @!%p1 ret; {TAKE} ret;"
        );
        let out = run(2, &body);
        assert_eq!((out.kinds(), out.u32s(0)), (vec![], vec![4, 2]));
    }

    #[test]
    fn blocks_take_over_the_tiles_of_others() {
        // Without the square roots, the kernel copies 4096 elements with four blocks. The first block does all the work.
        let text = include_str!("../../../../tests/kernels/work_stealing.ptx").replace("sqrt.rn.f32", "mov.b32");
        let data = words((0..4096).map(|i| i * 3));
        let mut kernel = TestKernel::new(&text).threads(128).buffer(&data).buffer(&[0; 16384]);
        kernel.shape.grid = [4, 1, 1];
        let out = kernel.fine();
        assert_eq!(out.bytes(1), data);
    }

    #[test]
    fn what_is_undefined_is_found() {
        let out = run(4, &format!("{ASK}{HEAR} ret;"));
        assert_eq!(out.kinds(), []);
        let out = run(4, &format!("{ASK}{HEAR}{TAKE} ret;"));
        assert!(out.kinds().iter().all(|k| *k == FaultKind::Undefined) && out.kinds().len() == 2, "{:?}", out.faults());
        let out = run(4, &format!("{ASK}{HEAR}{ASK} ret;"));
        assert!(
            out.kinds() == [FaultKind::Undefined] && out.faults()[0].message.contains("asking again"),
            "{:?}",
            out.faults()
        );
        let out = run(1, &format!("{ASK} ld.shared.b128 %q, [answer]; ret;"));
        assert_eq!(out.kinds(), [FaultKind::Asynchronous]);
    }
}
