//! Shared memory of other CTAs of a cluster: it exists until its CTA ends (manual 2.2.2).
//!
//! An access to it must be ordered before the end. The detector of races knows what happens before what, so an order that the run has by
//! chance is told from one that the program makes.

use super::races::{self, Knowledge};
use super::{AccessLocation, ExecContext, Machine};
use crate::findings::{Fault, FaultKind, InstructionSite};
use crate::lanes::LaneMask;
use crate::memory::Region;
use std::collections::BTreeMap;

/// The last access of a warp of another CTA to the shared memory of a CTA.
#[derive(Debug, Clone, Copy)]
struct PeerAccess {
    /// The time on the clock of the warp.
    time: u32,
    site: InstructionSite,
    lanes: LaneMask,
    step: u64,
}

/// The accesses of other CTAs to the shared memory of a CTA, by the number of the CTA and the index of the warp.
#[derive(Debug, Clone, Default)]
pub struct PeerAccesses(BTreeMap<(u64, u32), PeerAccess>);

/// Checks and records an access that may be one to the shared memory of another CTA of the cluster.
#[inline]
pub(super) fn touch(context: &mut ExecContext<'_>, location: AccessLocation, lane: usize) {
    if let Region::Shared(Some(rank)) = location.region
        && rank != context.rank as u32
    {
        remote(context, rank, lane);
    }
}

#[cold]
fn remote(context: &mut ExecContext<'_>, rank: u32, lane: usize) {
    let (own, warp) = (context.cta().number, context.lanes.number);
    if context.cta_of(rank).is_some_and(|peer| peer.live == 0) {
        let words = || {
            format!(
                "accesses shared memory of CTA {rank} of the cluster, which has ended: `barrier.cluster` must keep it until here"
            )
        };
        return context.fault(FaultKind::Undefined, 1 << lane, words);
    }
    if !races::wanted(context) {
        return;
    }
    let access =
        PeerAccess { time: context.lanes.clock.time, site: context.site, lanes: 1 << lane, step: context.lanes.steps };
    if let Some(peer) = context.cta_of(rank) {
        peer.peers.0.insert((own, warp), access);
    }
}

impl Machine {
    /// Reports accesses of other CTAs to the shared memory of a CTA that has just ended, unless they are ordered before its end. `known`:
    /// what its threads knew when they exited.
    pub(super) fn report_peers(&mut self, peers: &PeerAccesses, rank: usize, known: &Knowledge) {
        for (&(cta, warp), access) in &peers.0 {
            if known.of(cta, warp) >= access.time || known.beyond_scope(cta, warp) >= access.time {
                continue;
            }
            let kind = FaultKind::Undefined;
            if !self.settings.checks.has(kind) {
                return;
            }
            let PeerAccess { site, lanes, step, .. } = *access;
            let message = format!(
                "accesses shared memory of CTA {rank} of the cluster, and nothing keeps that CTA from ending before: `barrier.cluster` must come between this and the end"
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
