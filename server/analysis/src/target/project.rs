//! What a module is asked about besides what it says of itself: the architectures that a project is for, the newest version
//! that it may use, and whether the code is to run on later architectures as well.

use crate::target::Environment;
use ptx_isa::ISA;
use ptx_isa::tables::{Gate, GateAlternative, GateKind, TargetInfo, Version};
use std::hash::{Hash, Hasher};

/// What a project wants.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Project {
    /// The architectures that every module is for.
    pub targets: Vec<&'static TargetInfo>,
    /// The newest version of the language that a module may use.
    pub version: Option<Version>,
    /// Whether to say what is had by one architecture or one family alone.
    pub portable: bool,
}

impl Hash for Project {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self { targets, version, portable } = self;
        targets.iter().for_each(|t| t.name.hash(state));
        (version, portable).hash(state);
    }
}

/// Why something is not for the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lacking {
    /// These of its architectures have not got it.
    Targets(Vec<&'static str>),
    /// Its newest version is older.
    Version(Version),
}

impl Project {
    /// Whether it asks for nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The architectures that cannot run a module for this one.
    pub fn without(&self, module: &TargetInfo) -> Vec<&'static str> {
        self.targets.iter().filter(|t| !runs(t, module.name)).map(|t| t.name).collect()
    }

    /// What speaks against something with this gate in a module that the gate itself lets pass.
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

    /// The first gate of a list that lets the module pass but not the project.
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

    /// The first gate that only an architecture or a family by itself passes, if that matters to the project.
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
/// ptxas: `-arch` takes what is for the architecture itself or an earlier one. What is for `a` it takes with that very name only, what
/// is for `f` with each architecture of the family, with or without a letter.
fn runs(target: &TargetInfo, feature: &str) -> bool {
    let plain = target.name.ends_with(|c: char| c.is_ascii_digit());
    let family = || ISA.target(&format!("{}f", target.name)).is_some_and(|f| f.has(feature));
    target.has(feature) || (plain && family())
}

/// Whether an architecture has not got what the gate asks for, in whatever version.
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

/// The feature of one architecture (`a`) or one family (`f`) by which alone a module passes a gate.
pub fn bound(gate: &Gate, environment: &Environment) -> Option<&'static str> {
    let target = environment.target?;
    if gate.kind != GateKind::Needs {
        return None;
    }
    let passes = |a: &&GateAlternative| environment.version_at_least(a.ptx) && a.feature.is_none_or(|f| target.has(f));
    let mut features = gate.alternatives.iter().filter(passes).map(|a| a.feature);
    let first = features.next()??;
    let specific = |f: &str| f.starts_with("sm_") && f.ends_with(['a', 'f']);
    // A family is more than an architecture: it is the better news.
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
