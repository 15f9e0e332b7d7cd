//! The environment of a module (PTX version, target, address size), and gates: the versions and targets that a feature needs.

pub mod project;

use self::project::Project;
use ptx_isa::ISA;
use ptx_isa::tables::{Emulation, Gate, GateAlternative, GateKind, TargetInfo, Version};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The environment that the module's header declares. A missing or invalid value is `None` and refuses nothing.
#[derive(Debug, Clone, Eq, Default)]
pub struct Environment {
    /// The PTX version of `.version`.
    pub version: Option<Version>,
    /// The architecture of `.target`.
    pub target: Option<&'static TargetInfo>,
    /// Its options, such as `texmode_independent`.
    pub options: Vec<&'static str>,
    /// The `.address_size` in bits; 32 if it is absent.
    pub address_size: u16,
    /// Whether the module has an `.address_size`.
    pub sized: bool,
    /// Whether the target was chosen for the check and is not the module's own.
    pub asked: bool,
    /// The project for which the module is checked.
    pub project: Arc<Project>,
}

impl PartialEq for Environment {
    /// Compares targets by name: each instruction compares environments, and a target has dozens of fields.
    fn eq(&self, other: &Self) -> bool {
        let Self { version, target, options, address_size, sized, asked, project } = self;
        *version == other.version
            && target.map(|t| t.name) == other.target.map(|t| t.name)
            && (address_size, sized, asked) == (&other.address_size, &other.sized, &other.asked)
            && *options == other.options
            && (Arc::ptr_eq(project, &other.project) || *project == other.project)
    }
}

impl Hash for Environment {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // Everything that `PartialEq` compares; a new field must not be left out.
        let Self { version, target, options, address_size, sized, asked, project } = self;
        version.hash(state);
        target.map(|t| t.name).hash(state);
        (options, address_size, sized, asked, project).hash(state);
    }
}

/// The target with this name; `compute_90a` is a synonym of `sm_90a`.
pub fn find_target(name: &str) -> Option<&'static TargetInfo> {
    match name.strip_prefix("compute_") {
        Some(number) => ISA.target(&format!("sm_{number}")),
        None => ISA.target(name),
    }
}

/// Parses a version such as `8.5`.
pub fn version(text: &str) -> Option<Version> {
    let (major, minor) = text.split_once('.')?;
    Some(Version { major: major.parse().ok()?, minor: minor.parse().ok()? })
}

/// The target with this name, if it is an architecture and not an option such as `debug`.
pub fn find_architecture(name: &str) -> Option<&'static TargetInfo> {
    find_target(name).filter(|t| !t.features.is_empty())
}

/// The size of an address, in bits, for which the assembler generates code.
pub const ASSEMBLED_ADDRESS_SIZE: u16 = 64;

impl Environment {
    /// Whether the assembler generates code for modules with this address size. Without the directive it does.
    pub fn generates_code(&self) -> bool {
        !self.sized || self.address_size == ASSEMBLED_ADDRESS_SIZE
    }

    /// Whether the module's version is at least this.
    pub fn version_at_least(&self, version: Option<Version>) -> bool {
        match (self.version, version) {
            (Some(have), Some(need)) => Self::counts_as(have) >= need,
            _ => true,
        }
    }

    /// The version whose features a version has: itself, except for a few versions that were never published.
    pub fn counts_as(version: Version) -> Version {
        ISA.versions.iter().find(|v| v.version == version).map_or(version, |v| v.counts_as)
    }

    /// Whether the module's target has a feature.
    pub fn has(&self, feature: Option<&str>) -> bool {
        match (self.target, feature) {
            (_, None) | (None, _) => true,
            (Some(target), Some(feature)) => target.has(feature) || self.options.contains(&feature),
        }
    }

    fn holds(&self, alternative: &GateAlternative) -> bool {
        self.version_at_least(alternative.ptx) && self.has(alternative.feature)
    }

    /// The first gate of a list that refuses, among those for which `applies` returns true.
    pub fn refused(&self, gates: &'static [Gate], applies: impl Fn(&Gate) -> bool) -> Option<&'static Gate> {
        gates.iter().find(|gate| {
            let refused = match gate.kind {
                GateKind::Needs => !gate.alternatives.iter().any(|a| self.holds(a)),
                GateKind::Until => {
                    // Unknown versions and targets refuse nothing.
                    let is_decidable = |a: &GateAlternative| {
                        (a.ptx.is_none() || self.version.is_some()) && (a.feature.is_none() || self.target.is_some())
                    };
                    gate.alternatives.iter().any(|a| is_decidable(a) && self.holds(a))
                }
                GateKind::Deprecated => false,
            };
            refused && applies(gate)
        })
    }

    /// Whether the module's target is among those of an emulation.
    pub(crate) fn emulates(&self, emulation: &Emulation) -> bool {
        self.target.is_some_and(|t| t.has(emulation.from) && (emulation.until.is_empty() || !t.has(emulation.until)))
    }

    /// The first gate of a list that deprecates, among those for which `applies` returns true.
    pub fn deprecated(&self, gates: &'static [Gate], applies: impl Fn(&Gate) -> bool) -> Option<&'static Gate> {
        self.version?;
        gates
            .iter()
            .find(|g| g.kind == GateKind::Deprecated && g.alternatives.iter().any(|a| self.holds(a)) && applies(g))
    }

    /// Its version and target only.
    pub fn module_target(&self) -> ModuleTarget {
        ModuleTarget { version: self.version, target: self.target.map(|t| t.name), asked: self.asked }
    }

    /// The version and target for messages, such as `PTX 6.5 and sm_75`.
    pub fn describe(&self) -> String {
        self.module_target().describe()
    }
}

/// The version and target of a module, for messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ModuleTarget {
    /// The PTX version of `.version`.
    pub version: Option<Version>,
    /// The name of the target architecture.
    pub target: Option<&'static str>,
    /// Whether the target was chosen for the check and is not the module's own.
    pub asked: bool,
}

impl ModuleTarget {
    /// A clause for messages, such as `this module says PTX 6.5 and sm_75`.
    pub fn says(&self) -> String {
        match (self.asked, self.target, self.version) {
            (true, Some(target), Some(version)) => {
                format!("this module says PTX {version} and is checked for {target}")
            }
            (true, Some(target), None) => format!("this module is checked for {target}"),
            _ => format!("this module says {}", self.describe()),
        }
    }

    /// The version and target, such as `PTX 6.5 and sm_75`.
    pub fn describe(&self) -> String {
        match (self.version, self.target) {
            (Some(v), Some(t)) => format!("PTX {v} and {t}"),
            (Some(v), None) => format!("PTX {v}"),
            (None, Some(t)) => t.to_owned(),
            (None, None) => "neither".to_owned(),
        }
    }
}

/// Whether a feature is an option of `.target`, such as `texmode_independent`, instead of one of an architecture.
pub fn is_option(feature: &str) -> bool {
    ISA.target(feature).is_some_and(|t| t.features.is_empty())
}

fn in_target(option: &str) -> String {
    format!("`{option}` in `.target`")
}

/// A version that every module reaches.
const ALWAYS: Version = Version { major: 1, minor: 0 };

/// The requirements of a gate for messages, such as `PTX 7.0 and sm_80, or PTX 7.8 and sm_90`.
pub fn describe_needs(gate: &Gate) -> String {
    describe_alternatives(gate.alternatives)
}

/// Like [`describe_needs`], for the alternatives of a gate, which diagnostics keep.
pub fn describe_alternatives(alternatives: &[GateAlternative]) -> String {
    let one = |a: &GateAlternative| match (a.ptx, a.feature) {
        (_, Some(option)) if is_option(option) && a.ptx.is_none_or(|v| v <= ALWAYS) => in_target(option),
        (Some(v), Some(option)) if is_option(option) => format!("PTX {v} and {}", in_target(option)),
        (Some(v), Some(f)) => format!("PTX {v} and {f}"),
        (Some(v), None) => format!("PTX {v}"),
        (None, Some(f)) => f.to_owned(),
        (None, None) => String::new(),
    };
    alternatives.iter().map(one).collect::<Vec<_>>().join(", or ")
}

#[cfg(test)]
mod tests {
    use super::{Environment, find_target};
    use ptx_isa::tables::{Gate, GateAlternative, GateKind, Version};

    const V70: Version = Version { major: 7, minor: 0 };
    static NEEDS: [Gate; 1] = [Gate {
        kind: GateKind::Needs,
        alternatives: &[GateAlternative { ptx: Some(V70), feature: Some("sm_80") }],
        when: &[],
        note: "",
    }];

    fn environment(major: u16, minor: u16, target: &str) -> Environment {
        Environment {
            version: Some(Version { major, minor }),
            target: find_target(target),
            options: Vec::new(),
            address_size: 64,
            ..Environment::default()
        }
    }

    #[test]
    fn a_gate_needs_both_version_and_target() {
        assert!(environment(7, 0, "sm_80").refused(&NEEDS, |_| true).is_none());
        assert!(environment(8, 5, "compute_90a").refused(&NEEDS, |_| true).is_none());
        assert!(environment(6, 5, "sm_80").refused(&NEEDS, |_| true).is_some());
        assert!(environment(7, 0, "sm_75").refused(&NEEDS, |_| true).is_some());
        assert!(Environment::default().refused(&NEEDS, |_| true).is_none(), "an unknown header gates nothing");
    }
}
