//! `project-target`: a feature that the module's target has, but that some target architecture of the project does not have.

use super::requires_version;
use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use ptx_isa::tables::{Gate, GateAlternative, GateKind, TargetInfo};
use ptx_sema::hir::lower::ItemSource;
use ptx_sema::target::project::Lacking;
use ptx_sema::target::{Environment, describe_alternatives, find_architecture};
use ptx_syntax::walk::named_children;
use ptx_syntax::{Node, kinds};
use std::ops::Range;

/// A feature, or a module target, that some target architectures of the project do not support.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum ProjectTarget {
    /// A feature needs a newer version or target than these architectures.
    Needs {
        /// The feature as written.
        what: Box<str>,
        /// The version and target that it needs.
        needs: &'static [GateAlternative],
        /// The architectures of the project that do not have it.
        targets: Box<[&'static str]>,
    },
    /// A feature was removed from these architectures.
    Removed {
        /// The feature as written.
        what: Box<str>,
        /// The version and target that removed it.
        since: &'static [GateAlternative],
        /// The architectures of the project that do not have it.
        targets: Box<[&'static str]>,
    },
    /// The module has a target whose code does not run on these architectures.
    Module {
        /// The target of the module.
        target: &'static str,
        /// The architectures of the project on which its code does not run.
        targets: Box<[&'static str]>,
    },
}

impl DiagnosticMessage for ProjectTarget {
    fn message(&self) -> String {
        match self {
            Self::Needs { what, needs, targets } => {
                let needs = describe_alternatives(needs);
                format!("`{what}` needs {needs}; the project also targets {}", targets.join(", "))
            }
            Self::Removed { what, since, targets } => {
                let since = describe_alternatives(since);
                format!("`{what}` was removed in {since}; the project also targets {}", targets.join(", "))
            }
            Self::Module { target, targets } => {
                format!("a module for `{target}` does not run on {}, which the project targets", targets.join(", "))
            }
        }
    }

    fn help(&self) -> Option<String> {
        let Self::Module { target, .. } = self else { return None };
        let help = if target.ends_with(['a', 'f']) {
            "a target that ends in `a` is for that architecture alone, one that ends in `f` for its family"
        } else {
            "code for a target runs on that architecture and on later ones"
        };
        Some(help.to_owned())
    }
}

/// The report on a feature that the project's architectures (`project-target`) or newest version (`project-version`) do not have.
/// `None` if they have it.
pub(crate) fn report(range: Range<usize>, what: &str, gate: &Gate, environment: &Environment) -> Option<Diagnostic> {
    let needs = gate.alternatives;
    Some(match environment.project.lacking(gate, environment)? {
        Lacking::Targets(names) => {
            let (what, targets) = (what.into(), names.into());
            let found = match gate.kind {
                GateKind::Until => ProjectTarget::Removed { what, since: needs, targets },
                _ => ProjectTarget::Needs { what, needs, targets },
            };
            Diagnostic::new(range, found)
        }
        Lacking::Version(newest) => super::project_version::report(range, what, needs, newest),
    })
}

/// Checks the architecture in the module's `.target`. If the user asked for a check for another target, `asked`, that replaces it in
/// `environment`.
pub(crate) fn check(
    source: ItemSource<'_>,
    node: Node<'_>,
    asked: Option<&'static TargetInfo>,
    environment: &mut Environment,
    out: &mut Vec<Diagnostic>,
) {
    let architecture =
        |n: &Node<'_>| n.kind_id() == kinds().target_name && find_architecture(source.word(*n).text).is_some();
    let name = named_children(node).find(architecture);
    let range = source.range(name.unwrap_or(node));
    if let Some(asked) = asked.filter(|a| Some(*a) != environment.target) {
        (environment.target, environment.asked) = (Some(asked), true);
        let version = Environment { target: None, ..environment.clone() };
        if let Some(gate) = version.refused(asked.gates, |_| true) {
            out.push(requires_version::checked_target(range.clone(), asked.name, gate, environment));
        }
    }
    let Some(target) = environment.target.filter(|_| !environment.asked) else { return };
    let without = environment.project.without(target);
    if !without.is_empty() {
        out.push(Diagnostic::new(range, ProjectTarget::Module { target: target.name, targets: without.into() }));
    }
}

#[cfg(test)]
mod tests {
    use crate::Code;
    use crate::testing::{in_project, messages};
    use ptx_sema::target::find_target;
    use ptx_sema::target::project::Project;

    #[test]
    fn architectures_of_the_project() {
        let found = |target: &str, body: &str| {
            let header = format!(".version 9.0\n.target {target}\n.address_size 64\n");
            let targets = ["sm_75", "sm_90"].iter().filter_map(|t| find_target(t)).collect();
            let project = Project { targets, ..Project::default() };
            let text = format!("{header}.entry k()\n{{\n{body}\nret;\n}}\n");
            in_project(Code::ProjectTarget, &project, &text)
        };
        assert!(found("sm_75", "bar.sync 0;").is_empty());
        let module = found("sm_80", "");
        assert_eq!(messages(&module), ["a module for `sm_80` does not run on sm_75, which the project targets"]);
        assert_eq!(module[0].help().as_deref(), Some("code for a target runs on that architecture and on later ones"));
        let used = found("sm_90", "cp.async.wait_all;");
        assert_eq!(
            messages(&used)[1..],
            ["`cp.async.wait_all` needs PTX 7.0 and sm_80; the project also targets sm_75"]
        );
    }
}
