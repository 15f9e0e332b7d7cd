//! Project settings: the architectures for which the modules are meant, the newest version that they may use, and whether the
//! code must also run on later architectures.

use crate::target::Environment;
use ptx_isa::ISA;
use ptx_isa::tables::{Gate, GateAlternative, GateKind, TargetInfo, Version};
use std::hash::{Hash, Hasher};

/// The requirements of a project on its modules.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Project {
    /// The architectures on which every module must run.
    pub targets: Vec<&'static TargetInfo>,
    /// The newest version of the language that a module may use.
    pub version: Option<Version>,
    /// Whether to report features that only one architecture or one family has.
    pub portable: bool,
    /// Whether to report accesses to memory that cost more than necessary.
    pub costly: bool,
}

impl Hash for Project {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self { targets, version, portable, costly } = self;
        targets.iter().for_each(|t| t.name.hash(state));
        (version, portable, costly).hash(state);
    }
}

/// Why the project cannot use a feature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lacking {
    /// These architectures of the project do not have it.
    Targets(Vec<&'static str>),
    /// The newest version that the project allows is too old.
    Version(Version),
}

impl Project {
    /// Whether it has no requirements.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The architectures of the project that cannot run a module for the target `module`.
    pub fn without(&self, module: &TargetInfo) -> Vec<&'static str> {
        self.targets.iter().filter(|t| !runs(t, module.name)).map(|t| t.name).collect()
    }

    /// Why the project cannot use a feature with this gate, although the gate accepts the module itself; `None` if it can.
    pub fn lacking(&self, gate: &Gate, environment: &Environment) -> Option<Lacking> {
        let missing: Vec<&'static str> =
            self.targets.iter().filter(|t| refuses(gate, t, environment)).map(|t| t.name).collect();
        if !missing.is_empty() {
            return Some(Lacking::Targets(missing));
        }
        let newest = self.version?;
        let old_enough = |a: &GateAlternative| {
            environment.has(a.feature) && a.ptx.is_none_or(|needed| Environment::counts_as(newest) >= needed)
        };
        (gate.kind == GateKind::Needs && !gate.alternatives.iter().any(old_enough)).then_some(Lacking::Version(newest))
    }

    /// The first gate of a list that accepts the module but not the project.
    pub fn first_lacking(
        &self,
        gates: &'static [Gate],
        environment: &Environment,
        applies: impl Fn(&Gate) -> bool,
    ) -> Option<&'static Gate> {
        if self.targets.is_empty() && self.version.is_none() {
            return None;
        }
        gates.iter().find(|g| self.lacking(g, environment).is_some() && applies(g))
    }

    /// The first gate of a list that the module passes only by a feature of one architecture or family, if the project must
    /// be portable.
    pub fn first_bound(
        &self,
        gates: &'static [Gate],
        environment: &Environment,
        applies: impl Fn(&Gate) -> bool,
    ) -> Option<&'static Gate> {
        if !self.portable {
            return None;
        }
        gates.iter().find(|g| bound(g, environment).is_some() && applies(g))
    }
}

/// Whether code that needs a feature runs on an architecture.
///
/// ptxas `-arch` accepts code for the architecture itself or an earlier one. It accepts code for an `a` target with that very
/// name only, and code for an `f` target with each architecture of the family, with or without a letter.
fn runs(target: &TargetInfo, feature: &str) -> bool {
    let plain = target.name.ends_with(|c: char| c.is_ascii_digit());
    let family = || ISA.target(&format!("{}f", target.name)).is_some_and(|f| f.has(feature));
    target.has(feature) || (plain && family())
}

/// Whether an architecture does not have what the gate needs, regardless of the PTX version.
fn refuses(gate: &Gate, target: &TargetInfo, environment: &Environment) -> bool {
    let has = |a: &GateAlternative| a.feature.is_none_or(|f| runs(target, f) || environment.options.contains(&f));
    match gate.kind {
        GateKind::Needs => !gate.alternatives.iter().any(has),
        GateKind::Until => {
            let reached = |a: &GateAlternative| {
                environment.version.is_some()
                    && environment.version_at_least(a.ptx)
                    && a.feature.is_some_and(|f| target.has(f))
            };
            gate.alternatives.iter().any(reached)
        }
        GateKind::Deprecated => false,
    }
}

/// The feature of one architecture (`a`) or one family (`f`) that a module needs to pass a gate; `None` if it also passes
/// without one.
pub fn bound(gate: &Gate, environment: &Environment) -> Option<&'static str> {
    let target = environment.target?;
    if gate.kind != GateKind::Needs {
        return None;
    }
    let passes = |a: &&GateAlternative| environment.version_at_least(a.ptx) && a.feature.is_none_or(|f| target.has(f));
    let mut features = gate.alternatives.iter().filter(passes).map(|a| a.feature);
    let first = features.next()??;
    let specific = |f: &str| f.starts_with("sm_") && f.ends_with(['a', 'f']);
    // Prefer a family, which covers more than one architecture.
    let rest: Option<Vec<&'static str>> = features.collect();
    let all: Vec<&'static str> = std::iter::once(first).chain(rest?).collect();
    if !all.iter().all(|f| specific(f)) {
        return None;
    }
    all.iter().copied().find(|f| f.ends_with('f')).or(Some(first))
}

/// The architectures that have a feature.
pub fn having(feature: &str) -> Vec<&'static str> {
    ISA.targets.iter().filter(|t| t.has(feature)).map(|t| t.name).collect()
}
