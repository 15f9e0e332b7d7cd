//! `requires-target`: the module's `.target` does not have a feature. The report is made in [`super::requires_version`],
//! since one gate has requirements on both version and target.

use super::requires_version::Requirement;
use crate::finding::DiagnosticMessage;

/// A feature that the module's target does not have in any version.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct RequiresTarget(pub Box<Requirement>);

impl DiagnosticMessage for RequiresTarget {
    fn message(&self) -> String {
        self.0.message()
    }

    fn brief(&self) -> String {
        self.0.needs()
    }

    fn help(&self) -> Option<String> {
        self.0.help()
    }
}

#[cfg(test)]
mod tests {
    use crate::Code::{RequiresTarget, RequiresVersion};
    use crate::diagnostic::FixEdit;
    use crate::testing::{in_module, messages};

    fn module(version: &str, target: &str) -> String {
        let body = ".reg .b32 %r<4>; mov.b32 %r0, 1; fma.rn.bf16x2 %r3, %r0, %r0, %r0; ret;";
        format!(".version {version}\n.target {target}\n.address_size 64\n.visible .entry k() {{ {body} }}")
    }

    #[test]
    fn instructions_that_the_target_does_not_have() {
        let found = in_module(RequiresTarget, &module("8.5", "sm_75"));
        let expected = "`fma.rn.bf16x2` needs PTX 7.0 and sm_80; this module says PTX 8.5 and sm_75";
        assert_eq!(messages(&found), [expected]);
        assert_eq!(found[0].fixes[0].edits, [FixEdit::Target("sm_80")]);
        assert!(in_module(RequiresVersion, &module("8.5", "sm_75")).is_empty());
        assert!(in_module(RequiresTarget, &module("8.5", "sm_80")).is_empty());
    }
}
