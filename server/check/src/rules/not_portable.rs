//! `not-portable`: a feature that only one architecture or family has, so that the code may not run on later ones.

use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use ptx_isa::tables::Gate;
use ptx_sema::target::Environment;
use ptx_sema::target::project::{bound, having};
use std::ops::Range;

/// A feature that only one architecture or family has.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct NotPortable {
    /// The feature as written in the source.
    pub what: Box<str>,
    /// The target feature that it needs, such as `sm_90a` or `sm_100f`.
    pub feature: &'static str,
}

impl DiagnosticMessage for NotPortable {
    fn message(&self) -> String {
        format!("`{}` exists only on {}: later architectures may not have it", self.what, reach(self.feature))
    }
}

/// The report on a feature with this gate, if the gate binds it to one architecture or family.
pub(crate) fn report(range: Range<usize>, what: &str, gate: &Gate, environment: &Environment) -> Option<Diagnostic> {
    let feature = bound(gate, environment)?;
    Some(Diagnostic::new(range, NotPortable { what: what.into(), feature }))
}

/// The architectures that have a target feature, in words: `sm_90a`, `the family sm_100f, sm_103f …`.
pub(crate) fn reach(feature: &str) -> String {
    if feature.ends_with('f') {
        // Both the `f` and the `a` target of an architecture have the feature; one name is enough.
        let family: Vec<&str> = having(feature).into_iter().filter(|n| n.ends_with('f')).collect();
        format!("the family {}", family.join(", "))
    } else {
        feature.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use crate::Code;
    use crate::testing::{in_project, messages};
    use ptx_sema::target::project::Project;

    #[test]
    fn features_of_one_architecture() {
        let found = |portable: bool, body: &str| {
            let header = ".version 9.0\n.target sm_90a\n.address_size 64\n";
            let project = Project { portable, ..Project::default() };
            let text = format!("{header}.entry k()\n{{\n{body}\nret;\n}}\n");
            messages(&in_project(Code::NotPortable, &project, &text))
        };
        let message = "`wgmma.fence.sync.aligned` exists only on sm_90a: later architectures may not have it";
        assert_eq!(found(true, "wgmma.fence.sync.aligned;"), [message]);
        assert!(found(true, "bar.sync 0;").is_empty() && found(false, "wgmma.fence.sync.aligned;").is_empty());
    }
}
