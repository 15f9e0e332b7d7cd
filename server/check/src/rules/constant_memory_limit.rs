//! `constant-memory-limit`: the `.const` variables of a module take more memory than the target has.

use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use ptx_sema::hir::module::Header;
use ptx_sema::hir::symbols::{Symbol, VariableSymbol};
use std::ops::Range;

/// `.const` variables that take more memory in total than the target has for them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ConstantMemoryLimit {
    /// The sum of their sizes in bytes.
    pub total: u64,
    /// The name of the target.
    pub target: &'static str,
    /// The number of bytes that the target has for them.
    pub limit: u32,
}

impl DiagnosticMessage for ConstantMemoryLimit {
    fn message(&self) -> String {
        let Self { total, target, limit } = self;
        format!("the constant variables of this module take {total} bytes; the limit of `{target}` is {limit}")
    }

    fn help(&self) -> Option<String> {
        Some("ptxas refuses this; move large variables to `.global`".to_owned())
    }
}

/// The report, at the last `.const` variable, if the sum of their sizes is too large.
pub(crate) fn check(header: &Header) -> Option<Diagnostic> {
    let target = header.environment.target.filter(|t| t.constant > 0)?;
    let mut total = 0u64;
    let mut last: Option<&Range<usize>> = None;
    for symbol in header.symbols.values() {
        if let Symbol::Variable(VariableSymbol { space: ".const", bytes: Some(bytes), external: false, .. }) =
            symbol.symbol
        {
            total = total.saturating_add(bytes);
            last = last.into_iter().chain([&symbol.place]).max_by_key(|p| p.start);
        }
    }
    if total <= u64::from(target.constant) {
        return None;
    }
    let found = ConstantMemoryLimit { total, target: target.name, limit: target.constant };
    Some(Diagnostic::new(last?.clone(), found))
}

#[cfg(test)]
mod tests {
    use crate::testing::{in_module, messages};
    use crate::{Code, Severity};

    #[test]
    fn constant_variables_fit_together() {
        let of = |bytes: u32| {
            let variables = format!(".const .b8 small[4096];\n.const .b8 large[{bytes}];\n");
            in_module(Code::ConstantMemoryLimit, &format!(".version 8.0\n.target sm_90\n{variables}"))
        };
        let found = of(61441);
        assert_eq!(
            messages(&found),
            ["the constant variables of this module take 65537 bytes; the limit of `sm_90` is 65536"]
        );
        assert_eq!(found[0].severity, Severity::Error);
        assert!(of(61440).is_empty());
    }
}
