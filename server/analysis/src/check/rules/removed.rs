//! `removed`: newer versions or targets no longer have it.

use crate::check::codes::Code;
use crate::check::diagnostic::Diagnostic;
use crate::target::{Environment, describe_needs, is_option};
use ptx_isa::tables::Gate;
use std::ops::Range;

const CODE: Code = Code::Removed;

/// The report.
pub fn report(range: Range<usize>, what: &str, gate: &Gate, environment: &Environment) -> Diagnostic {
    let by_option = gate.alternatives.iter().any(|a| a.feature.is_some_and(is_option));
    let message = if by_option {
        format!("`{what}` is not there with {}", describe_needs(gate))
    } else {
        format!("`{what}` is no longer there from {} on; {}", describe_needs(gate), environment.says())
    };
    let diagnostic = Diagnostic::error(CODE, range, message);
    if gate.note.is_empty() { diagnostic } else { diagnostic.with_help(gate.note) }
}
