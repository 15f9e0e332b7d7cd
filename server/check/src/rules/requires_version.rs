//! `requires-version`: the module's `.version` is too old for a feature.

use super::requires_target::RequiresTarget;
use crate::diagnostic::Diagnostic;
use crate::finding::{DiagnosticMessage, Finding};
use crate::raise;
use ptx_isa::release_of;
use ptx_isa::tables::{Gate, GateAlternative};
use ptx_sema::target::{Environment, ModuleTarget, describe_alternatives};
use std::ops::Range;

/// A feature that only a newer `.version` has.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct RequiresVersion(pub Box<Requirement>);

/// A feature that the module's version and target do not have: the data of `requires-version` and `requires-target`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Requirement {
    /// The feature.
    pub subject: GatedSubject,
    /// The versions and targets that have it; one of them is enough.
    pub alternatives: &'static [GateAlternative],
    /// What to do instead; may be empty.
    pub note: &'static str,
    /// The version and target of the module.
    pub module: ModuleTarget,
}

/// A feature that needs a version or target.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum GatedSubject {
    /// A feature as written in the source.
    Quoted(Box<str>),
    /// A feature without a name, described in words.
    Words(&'static str),
    /// A part of the syntax of a directive.
    Part {
        /// Its name in the tables.
        part: &'static str,
        /// The directive.
        directive: &'static str,
    },
    /// The target for which the module is checked instead of its own.
    CheckedTarget(&'static str),
}

impl Requirement {
    /// The requirement, for a message: `needs PTX 7.0 and sm_80`.
    pub(crate) fn needs(&self) -> String {
        format!("needs {}", describe_alternatives(self.alternatives))
    }
}

/// The number of an architecture: 90 of `sm_90a`.
fn number_of(target: &str) -> Option<u32> {
    target.strip_prefix("sm_")?.trim_end_matches(char::is_alphabetic).parse().ok()
}

impl DiagnosticMessage for Requirement {
    fn message(&self) -> String {
        let (needs, says) = (self.needs(), self.module.says());
        match &self.subject {
            GatedSubject::Quoted(what) => format!("`{what}` {needs}; {says}"),
            GatedSubject::Words(what) => format!("{what} {needs}; {says}"),
            GatedSubject::Part { part, directive } => {
                format!("{} in `{directive}` {needs}; {says}", part.replace('_', " "))
            }
            GatedSubject::CheckedTarget(target) => {
                let version = self.module.version.map_or("nothing".to_owned(), |v| format!("PTX {v}"));
                format!("`{target}`, for which this module is checked, {needs}; the module says {version}")
            }
        }
    }

    fn help(&self) -> Option<String> {
        // `sm_120` has a larger number than `sm_90a`, and not its features.
        let newer = || {
            let own = number_of(self.module.target?)?;
            let names = self.alternatives.iter().filter_map(|alternative| alternative.feature);
            let specific = names.filter(|name| name.ends_with(['a', 'f']));
            let older: Vec<&str> = specific.filter(|name| number_of(name).is_some_and(|number| number < own)).collect();
            (older.len() == self.alternatives.len())
                .then(|| format!("no target with another number has the features of `{}`, also no newer one", older[0]))
        };
        (!self.note.is_empty()).then(|| self.note.to_owned()).or_else(newer)
    }
}

impl DiagnosticMessage for RequiresVersion {
    fn message(&self) -> String {
        self.0.message()
    }

    fn brief(&self) -> String {
        self.0.needs()
    }

    fn help(&self) -> Option<String> {
        let alternatives = self.0.alternatives.iter().filter_map(|a| a.ptx);
        let least = alternatives.filter(|version| self.0.module.version.is_none_or(|own| own < *version)).min();
        let release = least.and_then(|version| Some(format!("PTX {version} came with {}", release_of(version)?)));
        match (self.0.help(), release) {
            (Some(note), Some(release)) => Some(format!("{note}; {release}")),
            (note, release) => note.or(release),
        }
    }
}

/// The report on a feature as written in the source: `requires-version` if some alternative fits the target, else `requires-target`.
pub(crate) fn report(range: Range<usize>, what: &str, gate: &'static Gate, environment: &Environment) -> Diagnostic {
    report_subject(range, GatedSubject::Quoted(what.into()), gate, environment)
}

/// The report on any kind of feature: `requires-version` or `requires-target`, as in [`report`].
pub(crate) fn report_subject(
    range: Range<usize>,
    subject: GatedSubject,
    gate: &'static Gate,
    environment: &Environment,
) -> Diagnostic {
    // If some alternative fits the target, only the version is too old.
    let version_alone =
        gate.alternatives.iter().any(|a| environment.has(a.feature) && !environment.version_at_least(a.ptx));
    let requirement = Box::new(requirement(subject, gate, environment));
    let finding: Finding =
        if version_alone { RequiresVersion(requirement).into() } else { RequiresTarget(requirement).into() };
    Diagnostic::new(range, finding).fixes(raise::fix([gate], environment))
}

/// The report on the target for which a module is checked instead of its own, if the module's version is too old for that target.
pub(crate) fn checked_target(
    range: Range<usize>,
    target: &'static str,
    gate: &'static Gate,
    environment: &Environment,
) -> Diagnostic {
    let requirement = requirement(GatedSubject::CheckedTarget(target), gate, environment);
    Diagnostic::new(range, RequiresVersion(Box::new(requirement)))
}

fn requirement(subject: GatedSubject, gate: &'static Gate, environment: &Environment) -> Requirement {
    Requirement { subject, alternatives: gate.alternatives, note: gate.note, module: environment.module_target() }
}

#[cfg(test)]
mod tests {
    use crate::Analyzer;
    use crate::Code::RequiresVersion;
    use crate::diagnostic::FixEdit;
    use crate::testing::{in_module, messages};
    use ptx_isa::tables::Version;
    use ptx_syntax::Snapshot;

    #[test]
    fn targets_of_newer_versions() {
        let module = |version: &str| format!(".version {version}\n.target sm_80\n.address_size 64\n");
        let found = in_module(RequiresVersion, &module("6.5"));
        assert_eq!(messages(&found), ["`sm_80` needs PTX 7.0; this module says PTX 6.5"]);
        assert_eq!(found[0].fixes[0].edits, [FixEdit::Version(Version { major: 7, minor: 0 })]);
        assert!(in_module(RequiresVersion, &module("7.0")).is_empty());
    }

    #[test]
    fn each_architecture_must_exist() {
        let of = |version: &str| in_module(RequiresVersion, &format!(".version {version}\n.target sm_90, sm_75\n"));
        assert_eq!((of("7.7").len(), of("7.8").len()), (1, 0));
    }

    #[test]
    fn parts_of_directives_and_values() {
        let module = |version: &str| {
            let header = format!(".version {version}\n.target sm_20\n.address_size 64\n");
            format!("{header}.visible .entry k();\n.global .u64 b;\n.global .u64 a = generic(b);\n")
        };
        let found = messages(&in_module(RequiresVersion, &module("2.3")));
        let says = "this module says PTX 2.3 and sm_20";
        let declaration = format!("declaration in `.entry` needs PTX 3.0; {says}");
        let generic = format!("the operator `generic()` needs PTX 3.1; {says}");
        assert_eq!(found, [declaration, generic]);
        assert!(in_module(RequiresVersion, &module("3.1")).is_empty());
    }
    #[test]
    fn targets_that_are_asked_about() {
        let mut analyzer = Analyzer::default();
        analyzer.set_target(Some("sm_90")).expect("a target");
        let mut found = |version: &str| {
            let text = format!(".version {version}\n.target sm_80\n.address_size 64\n");
            messages(&analyzer.analyze(&Snapshot::new(&text)).diagnostics)
        };
        let expected = "`sm_90`, for which this module is checked, needs PTX 7.8; the module says PTX 7.0";
        assert_eq!(found("7.0"), [expected]);
        assert!(found("7.8").is_empty());
    }
}
