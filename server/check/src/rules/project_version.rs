//! `project-version`: a feature that the module's version has, but not the newest version that the project allows.

use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use ptx_isa::tables::{GateAlternative, Version};
use ptx_sema::hir::lower::ItemSource;
use ptx_sema::target::{Environment, describe_alternatives};
use ptx_syntax::{Node, fields};
use std::ops::Range;

/// A feature, or a module version, that is newer than the project allows.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ProjectVersion {
    /// The feature or version.
    pub what: Newer,
    /// The newest version that the project allows.
    pub newest: Version,
}

/// A feature or version that is newer than the project allows.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Newer {
    /// A feature that the module uses.
    Used {
        /// The feature as written.
        what: Box<str>,
        /// The version and target that it needs.
        needs: &'static [GateAlternative],
    },
    /// The version of the module.
    Module(Version),
}

impl DiagnosticMessage for ProjectVersion {
    fn message(&self) -> String {
        let newest = self.newest;
        match &self.what {
            Newer::Used { what, needs } => {
                format!("`{what}` needs {}; the project allows PTX {newest} at most", describe_alternatives(needs))
            }
            Newer::Module(version) => {
                format!("PTX {version} is newer than PTX {newest}, the newest that the project allows")
            }
        }
    }

    fn help(&self) -> Option<String> {
        let help = "a driver refuses a module whose `.version` is newer than the newest it knows";
        matches!(self.what, Newer::Module(_)).then(|| help.to_owned())
    }
}

/// The report on a feature that the module uses.
pub(crate) fn report(
    range: Range<usize>,
    what: &str,
    needs: &'static [GateAlternative],
    newest: Version,
) -> Diagnostic {
    Diagnostic::new(range, ProjectVersion { what: Newer::Used { what: what.into(), needs }, newest })
}

/// Checks the version in the module's `.version`.
pub(crate) fn check(source: ItemSource<'_>, node: Node<'_>, environment: &Environment, out: &mut Vec<Diagnostic>) {
    let number = node.child_by_field_id(fields().version);
    if let (Some(number), Some(version), Some(newest)) = (number, environment.version, environment.project.version)
        && Environment::counts_as(version) > Environment::counts_as(newest)
    {
        let found = ProjectVersion { what: Newer::Module(version), newest };
        out.push(Diagnostic::new(source.range(number), found));
    }
}

#[cfg(test)]
mod tests {
    use crate::Code;
    use crate::testing::{in_project, messages};
    use ptx_isa::tables::Version;
    use ptx_sema::target::project::Project;

    #[test]
    fn versions_of_the_project() {
        let found = |major: u16| {
            let project = Project { version: Some(Version { major, minor: 0 }), ..Project::default() };
            let header = ".version 9.0\n.target sm_90a\n.address_size 64\n";
            let text = format!("{header}.entry k()\n{{\ngriddepcontrol.wait;\nret;\n}}\n");
            messages(&in_project(Code::ProjectVersion, &project, &text))
        };
        let module = "PTX 9.0 is newer than PTX 7.0, the newest that the project allows";
        let used = "`griddepcontrol.wait` needs PTX 7.8 and sm_90; the project allows PTX 7.0 at most";
        assert_eq!(found(7), [module, used]);
        assert!(found(9).is_empty());
    }
}
