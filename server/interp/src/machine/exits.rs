//! What is done, and checked, when threads have exited.

use super::Machine;
use super::group::Turn;
use super::state::schedule::WarpPosition;
use super::state::{ClockOwner, Warp};
use crate::findings::FaultKind;

impl Machine {
    /// Handles lanes that have exited since the last turn: updates the CTA's count of live threads. After the last thread of the CTA,
    /// reports tensor memory that is still allocated.
    pub(super) fn note_exits(&mut self, warp: &mut Warp, position: WarpPosition) {
        let WarpPosition { cluster, rank, number } = position;
        let (mut leaks, mut lone) = (Vec::new(), Vec::new());
        let cta = &mut self.clusters[cluster].ctas[rank];
        if let Some(gone) = cta.gone.get_mut(number) {
            let now = !warp.lanes.present | warp.lanes.exited;
            let exited = now & !*gone;
            cta.live -= exited.count_ones();
            *gone = now;
            if exited != 0 && cta.live == 0 {
                leaks = std::mem::take(&mut cta.tensor.allocations);
                lone = cta.lone_requests();
            }
            if exited != 0 && self.settings.checks.has(FaultKind::Race) {
                let own = ClockOwner { cta: cta.number, warp: number as u32, warps: self.shape.warps() };
                super::races::exit(&mut warp.lanes.clock, own, &mut cta.barriers.exited);
                if cta.live == 0 {
                    let (peers, known) = (std::mem::take(&mut cta.peers), cta.barriers.exited.clone());
                    self.report_peers(&peers, rank, &known);
                }
            }
        }
        if warp.is_finished() {
            self.release(warp.frames_held());
            warp.frames.clear();
        }
        for site in lone {
            let turn = Turn::none(cluster, rank, false);
            let words = || {
                "only some warps of the warpgroup have executed this: all four must ask for the same number of registers".to_owned()
            };
            self.note(&turn, &warp.lanes, FaultKind::Undefined, site, warp.lanes.present, words);
        }
        for leak in leaks {
            let turn = Turn::none(cluster, rank, false);
            let words = || {
                let columns = leak.columns;
                format!(
                    "{columns} columns of tensor memory are allocated here and never freed: `tcgen05.dealloc` must come before the end"
                )
            };
            self.note(&turn, &warp.lanes, FaultKind::Undefined, leak.site, warp.lanes.present, words);
        }
    }
}
