//! The lowest version and target that pass a gate: the fix for a feature that the module's own do not have.

use crate::diagnostic::{Fix, FixEdit};
use ptx_isa::ISA;
use ptx_isa::tables::{Gate, GateAlternative, GateKind, TargetInfo, Version};
use ptx_sema::target::Environment;

/// The fix that raises `.version`, `.target` or both just far enough to pass the gates. The new target has all features of the present
/// one. `None` if there is no such target, or if the module is checked for a target other than its own.
pub(crate) fn fix<'g>(gates: impl IntoIterator<Item = &'g Gate>, environment: &Environment) -> Option<Fix> {
    let mut raised = environment.clone();
    for gate in gates.into_iter().filter(|g| g.kind == GateKind::Needs) {
        let version = raised.version?;
        let ways = gate.alternatives.iter().filter_map(|a| alternative(a, version, &raised));
        // Prefer to keep the target: a newer version still runs on the same devices.
        let (_, version, target) = ways.min_by_key(|(index, version, _)| (*index, *version))?;
        raised.version = Some(version);
        raised.target = target.or(raised.target);
    }
    let mut edits = Vec::new();
    let mut words = Vec::new();
    if let Some(version) = raised.version.filter(|_| raised.version != environment.version) {
        edits.push(FixEdit::Version(version));
        words.push(format!("`.version` to {version}"));
    }
    if let Some(target) = raised.target.filter(|_| raised.target != environment.target) {
        edits.push(FixEdit::Target(target.name));
        words.push(format!("`.target` to {}", target.name));
    }
    (!edits.is_empty()).then(|| Fix { title: format!("Raise {}", words.join(" and ")), edits, preferred: false })
}

/// The version and target that pass one alternative. The first number ranks targets: 0 if the target stays, else its index in the table
/// plus 1.
fn alternative(
    alternative: &GateAlternative,
    version: Version,
    environment: &Environment,
) -> Option<(usize, Version, Option<&'static TargetInfo>)> {
    let version = if environment.version_at_least(alternative.ptx) { version } else { alternative.ptx? };
    if environment.has(alternative.feature) {
        return Some((0, version, None));
    }
    let (feature, now) = (alternative.feature?, environment.target.filter(|_| !environment.asked)?);
    let (index, target) = ISA
        .targets
        .iter()
        .enumerate()
        .find(|(_, t)| t.has(feature) && !t.features.is_empty() && now.features.iter().all(|f| t.has(f)))?;
    Some((index + 1, version.max(first_version(target)?), Some(target)))
}

/// The first PTX version that supports an architecture.
pub(crate) fn first_version(target: &TargetInfo) -> Option<Version> {
    let gate = target.gates.iter().find(|g| g.kind == GateKind::Needs)?;
    gate.alternatives.iter().filter_map(|a| a.ptx).min()
}
