//! The flow lints and the register report. In a browser these functions are loaded late (`crate::embedded`).

use ptx_analysis::{Analyzer, Diagnostic, Figures, ModuleFacts};
use ptx_isa::tables::TargetInfo;
use ptx_syntax::Snapshot;

/// Runs the flow lints; see [`Analyzer::lints_until`].
#[inline(never)]
pub(super) fn lints(
    analyzer: &mut Analyzer,
    snapshot: &Snapshot,
    stop: &(dyn Fn() -> bool + Sync),
    cancelled: &(dyn Fn() -> bool + Sync),
) -> Option<Vec<Diagnostic>> {
    analyzer.lints_until(snapshot, stop, cancelled)
}

/// Returns the flow facts and the register report of the last flow lints.
#[inline(never)]
pub(super) fn figures(
    analyzer: &Analyzer,
    before: &Figures,
    snapshot: &Snapshot,
    target: Option<&'static TargetInfo>,
) -> (ModuleFacts, Figures) {
    let facts = analyzer.facts();
    let figures = before.next(snapshot, &facts, target);
    (facts, figures)
}
