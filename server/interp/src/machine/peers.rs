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

/// An access of a warp of another CTA to the shared memory of a CTA.
#[derive(Debug, Clone, Copy)]
struct PeerAccess {
    /// The time on the clock of the warp.
    time: u32,
    site: InstructionSite,
    lanes: LaneMask,
    step: u64,
    /// Offset and number of bytes that one lane writes.
    written: Option<(u64, usize)>,
}

/// The last accesses of a warp that may still be in progress.
#[derive(Debug, Clone, Copy, Default)]
struct WarpAccesses {
    last: Option<PeerAccess>,
    /// The access before `last`. It takes the place of `last` when that is known to be complete.
    before: Option<PeerAccess>,
}

impl WarpAccesses {
    fn add(&mut self, access: PeerAccess) {
        match &mut self.last {
            Some(last) if last.step == access.step => {
                // Several lanes of one instruction.
                last.lanes |= access.lanes;
                last.written = None;
            }
            last => {
                self.before = last.take().or(self.before);
                *last = Some(access);
            }
        }
    }

    /// Removes the last access if it wrote all of these bytes: a thread that reads the value of a store knows that the store is complete.
    fn read(&mut self, offset: u64, bytes: usize) {
        let wrote_all = |(start, length): (u64, usize)| {
            start <= offset && offset.saturating_add(bytes as u64) <= start.saturating_add(length as u64)
        };
        self.last = self.last.filter(|last| !last.written.is_some_and(wrote_all));
    }
}

/// The accesses of other CTAs to the shared memory of a CTA, by the number of the CTA and the index of the warp.
#[derive(Debug, Clone, Default)]
pub struct PeerAccesses(BTreeMap<(u64, u32), WarpAccesses>);

impl PeerAccesses {
    /// Whether there are none.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

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
                "accesses shared memory of CTA {rank} of the cluster, which has ended: `barrier.cluster` must keep it until here"
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
