//! `removed`: a feature that the module's version or target no longer has.

use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use ptx_isa::tables::{Gate, GateAlternative};
use ptx_sema::target::{Environment, ModuleTarget, describe_alternatives, is_option};
use std::ops::Range;

/// A feature that the module's version or target no longer has.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Removed(pub Box<Removal>);

/// The data of [`Removed`], which is boxed to keep diagnostics small.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Removal {
    /// The feature as written in the source.
    pub what: Box<str>,
    /// The versions and targets, or the option of `.target`, that removed it.
    pub alternatives: &'static [GateAlternative],
    /// What to do instead; may be empty.
    pub note: &'static str,
    /// The version and target of the module.
    pub module: ModuleTarget,
}

impl Removal {
    /// Whether an option of `.target` excludes it, independent of the version.
    fn is_by_option(&self) -> bool {
        self.alternatives.iter().any(|a| a.feature.is_some_and(is_option))
    }

    /// The message without the version and target of the module.
    fn brief(&self) -> String {
        let (what, since) = (&self.what, describe_alternatives(self.alternatives));
        if self.is_by_option() {
            format!("`{what}` does not exist with {since}")
        } else {
            format!("`{what}` was removed in {since}")
        }
    }
}

impl DiagnosticMessage for Removed {
    fn message(&self) -> String {
        let brief = self.0.brief();
        if self.0.is_by_option() { brief } else { format!("{brief}; {}", self.0.module.says()) }
    }

    fn brief(&self) -> String {
        self.0.brief()
    }

    fn help(&self) -> Option<String> {
        (!self.0.note.is_empty()).then(|| self.0.note.to_owned())
    }
}

/// The report on a removed feature. `what` is the feature as written.
pub(crate) fn report(range: Range<usize>, what: &str, gate: &'static Gate, environment: &Environment) -> Diagnostic {
    let module = environment.module_target();
    let removal = Removal { what: what.into(), alternatives: gate.alternatives, note: gate.note, module };
    Diagnostic::new(range, Removed(Box::new(removal)))
}

#[cfg(test)]
mod tests {
    use crate::Code::Removed;
    use crate::testing::{in_module, messages};

    fn module(target: &str) -> String {
        let body = ".reg .b32 %r<2>; mov.b32 %r0, 1; shfl.down.b32 %r1, %r0, 16, 31; ret;";
        format!(".version 6.4\n.target {target}\n.address_size 64\n.visible .entry k() {{ {body} }}")
    }

    #[test]
    fn instructions_that_newer_targets_do_without() {
        let found = in_module(Removed, &module("sm_70"));
        let expected = "`shfl.down.b32` was removed in PTX 6.4 and sm_70; this module says PTX 6.4 and sm_70";
        assert_eq!(messages(&found), [expected]);
        assert!(in_module(Removed, &module("sm_61")).is_empty());
    }

    #[test]
    fn the_help_names_the_successor() {
        let found = in_module(Removed, ".version 9.0\n.target sm_90a\n.address_size 64\n.tex .u32 t;\n");
        let expected = "`.tex` was removed in PTX 1.5; this module says PTX 9.0 and sm_90a";
        assert_eq!(messages(&found), [expected]);
        assert_eq!(found[0].help().as_deref(), Some("declare `.global .texref`"));
        assert!(in_module(Removed, ".version 1.4\n.target sm_13\n.tex .u32 t;\n").is_empty());
    }
}
