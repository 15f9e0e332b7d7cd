//! `launch-limit`: launch sizes in a directive that the assembler accepts but no device supports.

use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use ptx_isa::tables::Directive;
use std::ops::Range;

/// A directive whose numbers have a product above the limit of every device.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct LaunchLimit {
    /// The directive.
    pub directive: &'static str,
    /// The product of its numbers.
    pub number: u64,
    /// The largest useful product.
    pub limit: u64,
    /// The reason for the limit, for the message.
    pub note: &'static str,
}

impl DiagnosticMessage for LaunchLimit {
    fn message(&self) -> String {
        format!("`{}` asks for {}, but {}", self.directive, self.number, self.note)
    }

    fn help(&self) -> Option<String> {
        Some(format!("the limit is {}", self.limit))
    }
}

/// The report on a directive with these numbers, if their product is above its limit. A limit of 0 means that there is none.
pub(crate) fn check(range: Range<usize>, directive: &Directive, numbers: &[u64]) -> Option<Diagnostic> {
    let number = numbers.iter().fold(1u64, |product, n| product.saturating_mul(*n));
    let Directive { name, limit, limit_note: note, .. } = *directive;
    let found = || LaunchLimit { directive: name, number, limit, note };
    (limit > 0 && number > limit).then(|| Diagnostic::new(range, found()))
}

#[cfg(test)]
mod tests {
    use crate::Code;
    use crate::testing::{in_module, messages};

    fn found(threads: &str) -> Vec<String> {
        let header = ".version 9.0\n.target sm_90a\n.address_size 64\n";
        let found = in_module(Code::LaunchLimit, &format!("{header}.entry k()\n.maxntid {threads}\n{{\nret;\n}}\n"));
        messages(&found)
    }

    #[test]
    fn more_threads_than_a_block_has() {
        let message = "`.maxntid` asks for 2048, but no device launches a CTA of more than 1,024 threads, so the bound says nothing";
        assert_eq!(found("32, 32, 2"), [message]);
        assert!(found("32, 32").is_empty());
    }
}
