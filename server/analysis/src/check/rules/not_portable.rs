//! `not-portable`: had by one architecture or one family alone, so that the code does not carry over to later ones.

use crate::check::codes::Code;
use crate::check::diagnostic::{Diagnostic, Severity};
use crate::target::Environment;
use crate::target::project::{bound, having};
use ptx_isa::tables::Gate;
use std::ops::Range;

const CODE: Code = Code::NotPortable;

/// The report.
pub fn report(range: Range<usize>, what: &str, gate: &Gate, environment: &Environment) -> Option<Diagnostic> {
    let feature = bound(gate, environment)?;
    let message = format!("`{what}` is bound to {}: later architectures need not have it", reach(feature));
    Some(Diagnostic { severity: Severity::Information, ..Diagnostic::error(CODE, range, message) })
}

/// Which architectures a feature reaches: `sm_90a alone`, `the family of sm_100f (sm_100f, sm_103f …)`.
pub fn reach(feature: &str) -> String {
    if feature.ends_with('f') {
        // An architecture has the feature in its `f` and its `a` target; one name is enough.
        let family: Vec<&str> = having(feature).into_iter().filter(|n| n.ends_with('f')).collect();
        format!("the family {}", family.join(", "))
    } else {
        format!("{feature} alone")
    }
}
