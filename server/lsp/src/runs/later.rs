//! The findings of a run. In a browser this function is loaded late (`crate::embedded`).

use super::Evaluation;
use ptx_analysis::Diagnostic;
use ptx_launch::words;

/// Maximum number of faults that are shown in a document.
const MAX_FAULTS: usize = 100;

/// Returns the findings of a run.
#[inline(never)]
pub(super) fn faults(evaluation: &Evaluation) -> Vec<Diagnostic> {
    let faults = evaluation.done.faults().iter().take(MAX_FAULTS);
    faults.map(|fault| words::diagnostic(&evaluation.done, fault)).collect()
}
