//! `unused-label`: a label that is not used.

use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use crate::lints::Analysis;

/// A label that neither an operand nor a list names.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct UnusedLabel {
    /// The name of the label.
    pub name: Box<str>,
}

impl DiagnosticMessage for UnusedLabel {
    fn message(&self) -> String {
        format!("nothing refers to the label `{}`", self.name)
    }
}

/// Whether a compiler writes such labels, used or not: nvopencc `$Lt_0_12` and `$LDWend_k`, NVVM and LLVM `$L__BB0_2` and `BB0_2`, Ocelot
/// `$BB_1_2` and `BB_1_2`. A person begins no label with `$`.
fn is_compilers(name: &str) -> bool {
    let numbers = |rest: &str| {
        let mut parts = rest.trim_start_matches('_').split('_');
        parts.all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
    };
    name.starts_with('$')
        || name.starts_with("L__")
        || ["LBB", "BB", "Lt"]
            .iter()
            .any(|stem| name.strip_prefix(stem).is_some_and(|rest| rest.contains('_') && numbers(rest)))
}

/// Reports unused labels. A module with debugging data is left out: its labels may be for the debugger. So are labels that compilers write.
pub(crate) fn find(analysis: &Analysis<'_>, out: &mut Vec<Diagnostic>) {
    let function = analysis.function;
    if analysis.module.debugging {
        return;
    }
    let labels = function.labels.iter().map(|l| (&l.name, &l.range, l.uses));
    let lists = function.lists.iter().map(|l| (&l.name, &l.range, l.uses));
    for (name, range, uses) in labels.chain(lists) {
        if uses == 0 && !is_compilers(name) {
            let range = range.start as usize..range.end as usize;
            out.push(Diagnostic::new(range, UnusedLabel { name: name.clone() }).unnecessary());
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Code;
    use crate::testing::{in_kernel, messages};

    #[test]
    fn labels_without_uses() {
        let found = in_kernel(Code::UnusedLabel, "here: bra there; there:");
        assert_eq!(messages(&found), ["nothing refers to the label `here`"]);
        assert!(found[0].unnecessary);
        assert!(in_kernel(Code::UnusedLabel, "here: bra here;").is_empty());
    }

    #[test]
    fn labels_of_compilers() {
        for name in ["$BB_3_2", "$LDWend_k", "$Lt_0_1282", "$L__BB0_7", "BB0_7", "BB_1_12", "LBB3_1", "$L_exit"] {
            assert!(in_kernel(Code::UnusedLabel, &format!("{name}: mov.b32 %r1, 1;")).is_empty(), "{name}");
        }
        for name in ["BB", "BBox", "Loop_1", "Lt_x", "L1"] {
            assert_eq!(in_kernel(Code::UnusedLabel, &format!("{name}: mov.b32 %r1, 1;")).len(), 1, "{name}");
        }
    }
}
