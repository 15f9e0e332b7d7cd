//! Shared memory of other CTAs of a cluster: it exists until its CTA ends (manual 2.2.2).
//!
//! An access to it must be ordered before the end. The detector of races knows what happens before what, so an order that the run has by
//! chance is told from one that the program makes.

use super::state::Knowledge;
use super::state::peers::{PeerAccess, PeerAccesses};
use super::{AccessLocation, ExecContext, Machine, races};
use crate::findings::{Fault, FaultKind};
use crate::memory::Region;

/// Checks and records an access that may be one to the shared memory of another CTA of the cluster.
#[inline]
pub(super) fn touch(context: &mut ExecContext<'_>, location: AccessLocation, lane: usize, bytes: usize, write: bool) {
    if let Region::Shared(Some(rank)) = location.region
        && rank != context.rank as u32
    {
        remote(context, rank, lane, write.then_some((location.offset, bytes)));
    }
}

/// Records that a CTA reads bytes of its own shared memory. If another CTA stored the value, that store is complete.
#[inline]
pub(super) fn read(context: &mut ExecContext<'_>, location: AccessLocation, bytes: usize) {
    let own = match location.region {
        Region::Shared(None) => true,
        Region::Shared(Some(rank)) => rank == context.rank as u32,
        _ => false,
    };
    if own {
        context.cta().peers.0.values_mut().for_each(|accesses| accesses.read(location.offset, bytes));
    }
}

#[cold]
fn remote(context: &mut ExecContext<'_>, rank: u32, lane: usize, written: Option<(u64, usize)>) {
    let (own, warp) = (context.cta().number, context.lanes.number);
    if context.cta_of(rank).is_some_and(|peer| peer.live == 0) {
        let words = || {
            format!(
                "accesses shared memory of CTA {rank} of the cluster, which has ended: `barrier.cluster` must keep it running until here"
            )
        };
        return context.fault(FaultKind::Undefined, 1 << lane, words);
    }
    if !races::wanted(context) {
        return;
    }
    let (time, site, step) = (context.lanes.clock.time, context.site, context.lanes.steps);
    if let Some(peer) = context.cta_of(rank) {
        let access = PeerAccess { time, site, lanes: 1 << lane, step, written };
        peer.peers.0.entry((own, warp)).or_default().add(access);
    }
}

impl Machine {
    /// Reports accesses of other CTAs to the shared memory of a CTA that has just ended, unless they are ordered before its end. `known`:
    /// what its threads knew when they exited.
    pub(super) fn report_peers(&mut self, peers: &PeerAccesses, rank: usize, known: &Knowledge) {
        for (&(cta, warp), accesses) in &peers.0 {
            let Some(access) = accesses.last.or(accesses.before) else { continue };
            let times = [known.of_lane(cta, warp, None), known.beyond_scope(cta, warp, None)];
            if times.iter().any(|time| *time >= access.time) {
                continue;
            }
            let kind = FaultKind::Undefined;
            if !self.settings.checks.has(kind) {
                return;
            }
            let PeerAccess { site, lanes, step, .. } = access;
            let message = format!(
                "accesses shared memory of CTA {rank} of the cluster, and nothing keeps that CTA from ending first: `barrier.cluster` must come between this and the end"
            );
            let cta = self.shape.cta_place(cta);
            self.findings.add(kind, site, || Fault {
                kind,
                message,
                site,
                lanes,
                cta,
                warp,
                step,
                count: 1,
                related: None,
            });
        }
    }
}
