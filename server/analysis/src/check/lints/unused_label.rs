//! `unused-label`: a label that is not used.

use crate::check::codes::DiagnosticMessage;
use crate::check::diagnostic::Diagnostic;
use crate::check::lints::Analysis;

/// A label that neither an operand nor a list names.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct UnusedLabel {
    /// The name of the label.
    pub name: Box<str>,
}

impl DiagnosticMessage for UnusedLabel {
    fn message(&self) -> String {
        format!("nothing refers to the label `{}`", self.name)
    }
}

/// Reports unused labels. A module with debugging data is left out: its labels may be for the debugger.
pub fn find(analysis: &Analysis<'_>, out: &mut Vec<Diagnostic>) {
    let function = analysis.function;
    if analysis.module.debugging {
        return;
    }
    let labels = function.labels.iter().map(|l| (&l.name, &l.range, l.uses));
    let lists = function.lists.iter().map(|l| (&l.name, &l.range, l.uses));
    for (name, range, uses) in labels.chain(lists) {
        if uses == 0 {
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
}
