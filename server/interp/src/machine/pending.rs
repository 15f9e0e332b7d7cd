//! Uses of registers, and ends of threads, while asynchronous operations need what they use.

use super::Machine;
use super::code::{Executable, Op};
use super::group::Turn;
use super::state::{Warp, WarpLanes};
use crate::findings::{FaultKind, InstructionSite};
use crate::lanes::LaneMask;
use ptx_flow::flow::RegisterSlot;
use std::sync::Arc;

/// The name of a register of the function that contains an instruction.
fn register(executable: &Executable, site: InstructionSite, slot: u32) -> String {
    executable.function(site.function).map_or_else(String::new, |f| f.register_name(RegisterSlot(slot)))
}

impl Machine {
    /// Reports registers that an instruction uses although a `wgmma` product or a `tcgen05.ld` in flight uses them.
    #[cold]
    pub(super) fn check_pending(
        &mut self,
        op: &Op,
        site: InstructionSite,
        mask: LaneMask,
        warp: &mut Warp,
        turn: &Turn<'_>,
    ) {
        for slot in &op.reads {
            warp.lanes.wgmma.read(site.function, *slot);
        }
        for slot in &op.writes {
            if warp.lanes.wgmma.overwrites(site.function, *slot).is_some() {
                let executable = Arc::clone(&self.executable);
                let words = || {
                    let name = register(&executable, site, *slot);
                    format!(
                        "`{name}` is overwritten while the `tcgen05.ld` that fills it is in flight: `tcgen05.wait::ld` must come first"
                    )
                };
                self.note(turn, &warp.lanes, FaultKind::Asynchronous, site, mask, words);
            }
        }
        for slot in op.reads.iter().chain(&op.writes) {
            let Some(early) = warp.lanes.wgmma.touch(site.function, *slot) else { continue };
            let executable = Arc::clone(&self.executable);
            let words = || {
                let name = register(&executable, site, *slot);
                let what = if early.accumulator { "the accumulator" } else { "A" };
                format!(
                    "`{name}` is used, but it is {what} of a `wgmma` product in flight: `wgmma.commit_group` and `wgmma.wait_group` must come first"
                )
            };
            self.note(turn, &warp.lanes, FaultKind::Asynchronous, site, mask, words);
        }
    }

    /// Reports threads that end before their bulk copies are known to have read shared memory.
    #[cold]
    pub(super) fn check_copies_at_end(
        &mut self,
        turn: &Turn<'_>,
        lanes: &WarpLanes,
        site: InstructionSite,
        mask: LaneMask,
    ) {
        let early = lanes.copies.reading(&self.flights, mask);
        if early != 0 {
            let words = || {
                "the thread ends while a bulk copy may still read shared memory, which ends with the CTA: `cp.async.bulk.wait_group.read` must come first".to_owned()
            };
            self.note(turn, lanes, FaultKind::Asynchronous, site, early, words);
        }
    }
}
