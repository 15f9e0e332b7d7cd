//! What the table of diagnostics registers: the code of each type of data, and all flow lints.

use crate::code::Code;
use crate::codes::diagnostics;
use crate::diagnostic::Diagnostic;
use crate::finding::Coded;
use crate::{lints, rules};
use ptx_sema::hir::module::ModuleItem;
use ptx_syntax::Snapshot;

macro_rules! register {
    ($($name:literal: $code:ident $(($data:path))?, $level:expr $(=> [$($($find:ident)::+),*])?;)*) => {
        $($(
            impl Coded for $data {
                const CODE: Code = Code::$code;
            }
        )?)*

        /// All functions that find flow lints in a function.
        const LINTS: &[lints::Lint] = &[$($($(lints::$($find)::+,)*)?)*];
    };
}

diagnostics!(register);

/// Runs all flow lints on a function. `None` if `cancelled` returned true in between.
pub(crate) fn lint(analysis: &lints::Analysis<'_>, cancelled: &dyn Fn() -> bool) -> Option<Vec<Diagnostic>> {
    let mut out = Vec::new();
    for lint in LINTS {
        if cancelled() {
            return None;
        }
        lint(analysis, &mut out);
    }
    // A function that control can leave without `ret` or `exit` is unfinished: do not report unused code in it yet.
    if analysis.graph.falls_off.is_some() {
        out.retain(|d| !d.unnecessary);
    }
    Some(out)
}

/// Runs the flow lints about the functions of a module together. `checked` are the items whose contents were checked.
pub(crate) fn lint_module<'c, 's: 'c>(
    snapshot: &Snapshot,
    items: &[ModuleItem<'_>],
    checked: impl Iterator<Item = lints::CheckedItem<'c, 's>>,
) -> Vec<Diagnostic> {
    lints::unused_function::find(snapshot, items, checked)
}
