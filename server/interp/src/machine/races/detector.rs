//! Whether the detector runs, and for whom.

use crate::findings::FaultKind;
use crate::machine::ExecContext;
use crate::machine::state::ClockOwner;

/// Whether the run is checked for races.
#[inline]
pub fn wanted(context: &ExecContext<'_>) -> bool {
    context.machine.settings.checks.has(FaultKind::Race) && context.machine.races.work > 0
}

/// The running warp.
pub(super) fn own(context: &mut ExecContext<'_>) -> ClockOwner {
    ClockOwner { cta: context.cta().number, warp: context.lanes.number, warps: context.machine.shape.warps() }
}

/// Whether the lanes of a warp run in lockstep.
pub(super) fn lockstep(context: &mut ExecContext<'_>) -> bool {
    match context.machine.races.lockstep {
        Some(known) => known,
        None => *context.machine.races.lockstep.insert(!context.machine.executable.has("sm_70")),
    }
}
