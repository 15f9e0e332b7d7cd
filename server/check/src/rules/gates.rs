//! Turns the gates of a feature (its requirements on PTX version and target) into a diagnostic. All checks of gates go through here.

use super::{deprecated, not_portable, project_target, removed, requires_version};
use crate::diagnostic::Diagnostic;
use crate::raise;
use ptx_isa::tables::{Gate, GateKind};
use ptx_sema::target::Environment;
use std::ops::Range;

/// The worst problem with the gates of a feature, since one report about a feature is enough. `what` is the feature as written.
/// `applies` selects the gates that concern it as it is used here.
pub(crate) fn check(
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

/// The error about a gate that refuses a feature. `all` are all gates of the feature that apply: the fix must raise version and target
/// far enough for each of them.
pub(crate) fn refused<'g>(
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

#[cfg(test)]
mod tests {
    use crate::testing::in_module;
    use crate::{Code, FixEdit};

    fn module(version: &str, target: &str) -> String {
        let body = ".reg .b32 %r<3>;\nshfl.down.b32 %r1, %r2, 16, 31;\nret;\n";
        format!(".version {version}\n.target {target}\n.address_size 64\n.entry k()\n{{\n{body}}}\n")
    }

    #[test]
    fn only_the_worst_is_reported() {
        let found = |version: &str, target: &str, code: Code| in_module(code, &module(version, target)).len();
        assert_eq!(found("6.0", "sm_60", Code::Deprecated), 1);
        assert_eq!((found("6.4", "sm_70", Code::Removed), found("6.4", "sm_70", Code::Deprecated)), (1, 0));
    }

    #[test]
    fn the_version_is_raised_far_enough() {
        let text = module("5.0", "sm_30").replace("shfl.down.b32 %r1, %r2, 16, 31", "activemask.b32 %r1");
        let found = in_module(Code::RequiresVersion, &text);
        assert!(matches!(&found[0].fixes[0].edits[..], [FixEdit::Version(version)] if version.to_string() == "6.2"));
    }
}
