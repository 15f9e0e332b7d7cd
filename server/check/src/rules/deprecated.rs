//! `deprecated`: a feature that the manual calls deprecated.

use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use ptx_isa::tables::Gate;
use ptx_sema::target::describe_needs;
use std::hash::{Hash, Hasher};
use std::ops::Range;

/// A feature that the manual calls deprecated for this version and target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Deprecated {
    /// The feature as written.
    pub what: Box<str>,
    /// The gate: since when it is deprecated, and what to use instead.
    pub gate: &'static Gate,
}

impl Hash for Deprecated {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // Gates cannot be hashed. Two diagnostics about the same text rarely differ only in the gate.
        self.what.hash(state);
    }
}

impl DiagnosticMessage for Deprecated {
    fn message(&self) -> String {
        format!("`{}` is deprecated since {}", self.what, describe_needs(self.gate))
    }

    fn help(&self) -> Option<String> {
        (!self.gate.note.is_empty()).then(|| self.gate.note.to_owned())
    }
}

/// The warning about a deprecated feature. `what` is the feature as written.
pub(crate) fn report(range: Range<usize>, what: &str, gate: &'static Gate) -> Diagnostic {
    Diagnostic::new(range, Deprecated { what: what.into(), gate })
}

#[cfg(test)]
mod tests {
    use crate::testing::{in_module, messages};
    use crate::{Code, Severity};

    #[test]
    fn shuffles_name_their_lanes_since_6_0() {
        let of = |version: &str| {
            let header = format!(".version {version}\n.target sm_60\n.address_size 64\n");
            let body = ".reg .b32 %r<3>;\nshfl.down.b32 %r1, %r2, 16, 31;\nret;\n";
            in_module(Code::Deprecated, &format!("{header}.entry k()\n{{\n{body}}}\n"))
        };
        let found = of("6.0");
        assert_eq!(messages(&found), ["`shfl.down.b32` is deprecated since PTX 6.0"]);
        assert_eq!(found[0].severity, Severity::Warning);
        assert!(of("5.0").is_empty());
    }
}
