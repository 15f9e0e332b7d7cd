//! What versions and targets have to say of something that is used: the one place where a list of gates becomes a finding.

use super::{deprecated, not_portable, project_target, removed, requires_version};
use crate::check::diagnostic::Diagnostic;
use crate::check::raise;
use crate::target::Environment;
use ptx_isa::tables::{Gate, GateKind};
use std::ops::Range;

/// The finding on something whose gates are not all passed; the worst, since one word about a thing is enough. `applies` tells
/// which gates are about the way in which it is written.
pub fn check(
    range: Range<usize>,
    what: &str,
    gates: &'static [Gate],
    environment: &Environment,
    applies: impl Fn(&Gate) -> bool,
) -> Option<Diagnostic> {
    if gates.is_empty() {
        return None;
    }
    if let Some(gate) = environment.refused(gates, &applies) {
        return Some(refused(range, what, gate, gates.iter().filter(|g| applies(g)), environment));
    }
    if let Some(gate) = environment.deprecated(gates, &applies) {
        return Some(deprecated::report(range, what, gate));
    }
    let project = &environment.project;
    if let Some(gate) = project.first_lacking(gates, environment, &applies) {
        return project_target::report(range, what, gate, environment);
    }
    let gate = project.first_bound(gates, environment, &applies)?;
    not_portable::report(range, what, gate, environment)
}

/// The error on a gate that refuses. `all` are those that are about the same thing: raising the version for one is of no use where
/// another asks for more.
pub fn refused<'g>(
    range: Range<usize>,
    what: &str,
    gate: &'static Gate,
    all: impl Iterator<Item = &'g Gate>,
    environment: &Environment,
) -> Diagnostic {
    if gate.kind == GateKind::Until {
        return removed::report(range, what, gate, environment);
    }
    let mut out = requires_version::report(range, what, gate, environment);
    out.fixes = raise::fix(all, environment).into_iter().collect();
    out
}
