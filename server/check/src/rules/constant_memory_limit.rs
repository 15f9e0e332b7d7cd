//! `constant-memory-limit`: the `.const` variables of a module take more memory than the target has.

use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use ptx_sema::hir::module::Header;
use ptx_sema::hir::symbols::{Symbol, VariableSymbol};
use std::ops::Range;

/// `.const` variables that take more memory in total than the target has for them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ConstantMemoryLimit {
    /// The end of the last one, with padding, in bytes.
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

/// The report, at the last `.const` variable, if they end too late. ptxas places them in the order of their declarations, each at the next
/// address that is a multiple of its alignment.
pub(crate) fn check(header: &Header) -> Option<Diagnostic> {
    let target = header.environment.target.filter(|t| t.constant > 0)?;
    let mut variables: Vec<(&Range<usize>, u64, u64)> = Vec::new();
    let mut most = 0u64;
    for symbol in header.symbols.values() {
        if let Symbol::Variable(VariableSymbol {
            space: ".const", bytes: Some(bytes), align, external: false, ..
        }) = symbol.symbol
        {
            let align = u64::from(align.unwrap_or(1).max(1));
            most = most.saturating_add(bytes).saturating_add(align - 1);
            variables.push((&symbol.place, bytes, align));
        }
    }
    if most <= u64::from(target.constant) {
        return None;
    }
    variables.sort_by_key(|(place, ..)| place.start);
    let end = |start: u64, bytes: u64, align: u64| Some(start.checked_next_multiple_of(align)?.saturating_add(bytes));
    let total = variables.iter().fold(0, |at, (_, bytes, align)| end(at, *bytes, *align).unwrap_or(u64::MAX));
    let (last, ..) = variables.last()?;
    if total <= u64::from(target.constant) {
        return None;
    }
    let found = ConstantMemoryLimit { total, target: target.name, limit: target.constant };
    Some(Diagnostic::new((*last).clone(), found))
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

    /// The verdicts are those of ptxas 13.5 with code generation.
    #[test]
    fn padding_counts() {
        let end = |variables: &str| {
            let header = ".version 9.5\n.target sm_90\n.address_size 64\n";
            let found = in_module(Code::ConstantMemoryLimit, &format!("{header}{variables}"));
            messages(&found).first().and_then(|m| m.split(' ').nth(7)?.parse::<u32>().ok())
        };
        assert_eq!(end(".const .b8 a[64]; .const .align 65536 .b8 x[4];"), Some(0x10004));
        assert_eq!(end(".const .align 65536 .b8 x[4]; .const .b8 a[64];"), None);
        assert_eq!(end(".const .b8 a; .const .b32 b[16383];"), None);
        assert_eq!(end(".const .b8 a; .const .b32 b[16383]; .const .b8 d;"), Some(0x10001));
        let words: String = (0..10_000).map(|i| format!(".const .b8 a{i}; .const .b32 b{i};")).collect();
        assert_eq!(end(&words), Some(0x13880));
    }
}
