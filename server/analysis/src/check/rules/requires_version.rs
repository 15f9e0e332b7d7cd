//! `requires-version`: the module's `.version` is too old.

use crate::check::codes::Code;
use crate::check::diagnostic::Diagnostic;
use crate::check::raise;
use crate::target::{Environment, describe_needs};
use ptx_isa::tables::Gate;
use std::ops::Range;

const CODE: Code = Code::RequiresVersion;

/// The report, under this code or that of `requires-target`, whichever is at fault.
pub fn report(range: Range<usize>, what: &str, gate: &Gate, environment: &Environment) -> Diagnostic {
    report_part(range, &format!("`{what}`"), gate, environment)
}

/// The same for something that has no name of its own: `what` is words.
pub fn report_part(range: Range<usize>, what: &str, gate: &Gate, environment: &Environment) -> Diagnostic {
    // If some alternative fits the target, only the version is too old.
    let version_alone =
        gate.alternatives.iter().any(|a| environment.has(a.feature) && !environment.version_at_least(a.ptx));
    let code = if version_alone { CODE } else { Code::RequiresTarget };
    let message = format!("{what} needs {}; {}", describe_needs(gate), environment.says());
    let mut diagnostic = Diagnostic::error(code, range, message);
    diagnostic.fixes.extend(raise::fix([gate], environment));
    if gate.note.is_empty() { diagnostic } else { diagnostic.with_help(gate.note) }
}
