//! `deprecated`: the manual advises against it.

use crate::check::codes::Code;
use crate::check::diagnostic::Diagnostic;
use crate::target::describe_needs;
use ptx_isa::tables::Gate;
use std::ops::Range;

const CODE: Code = Code::Deprecated;

/// The report, a warning.
pub fn report(range: Range<usize>, what: &str, gate: &Gate) -> Diagnostic {
    let message = format!("`{what}` is deprecated since {}", describe_needs(gate));
    let diagnostic = Diagnostic::warning(CODE, range, message);
    if gate.note.is_empty() { diagnostic } else { diagnostic.with_help(gate.note) }
}
