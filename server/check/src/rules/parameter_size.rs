//! `parameter-size`: the total size of a kernel's parameters exceeds the limit.

use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use ptx_isa::tables::{Capacity, GateAlternative};
use ptx_sema::hir::ast::SourceWord;
use ptx_sema::target::{Environment, ModuleTarget, describe_alternatives};

/// A parameter of a kernel that ends beyond the limit. Sizes are in bytes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ParameterSize {
    /// The name of the parameter.
    pub name: Box<str>,
    /// The offset of its end from the start of the parameters.
    pub end: u64,
    /// The limit for all parameters.
    pub limit: u32,
    /// The version and target of the module.
    pub header: ModuleTarget,
    /// A limit that would be large enough, and the version and target that have it.
    pub more: Option<(u32, &'static [GateAlternative])>,
}

impl DiagnosticMessage for ParameterSize {
    fn message(&self) -> String {
        let Self { name, end, limit, header, .. } = self;
        let header = header.describe();
        format!("`{name}` ends at byte {end}: the limit for the parameters of a kernel is {limit} bytes with {header}")
    }

    fn help(&self) -> Option<String> {
        Some(match self.more {
            Some((bytes, needs)) => format!("{bytes} bytes need {}", describe_alternatives(needs)),
            None => "pass the address of a variable in `.global` or `.const` instead".to_owned(),
        })
    }
}

/// The report on the parameter that exceeds the limit. `more` is a capacity that would be large enough.
pub(crate) fn report(
    name: SourceWord<'_>,
    end: u64,
    limit: u32,
    more: Option<&Capacity>,
    environment: &Environment,
) -> Diagnostic {
    let more = more.and_then(|c| Some((c.bytes, c.gates.first()?.alternatives)));
    let found = ParameterSize { name: name.text.into(), end, limit, header: environment.module_target(), more };
    Diagnostic::new(name.range(), found)
}

#[cfg(test)]
mod tests {
    use crate::Code;
    use crate::testing::{in_module, messages};

    #[test]
    fn parameters_fit_together() {
        let found = |version: &str, bytes: u32| {
            let header = format!(".version {version}\n.target sm_90a\n.address_size 64\n");
            let text = format!("{header}.entry k(.param .b32 n, .param .b8 a[{bytes}])\n{{\nret;\n}}\n");
            in_module(Code::ParameterSize, &text)
        };
        let old = found("8.0", 4349);
        let message =
            "`a` ends at byte 4353: the limit for the parameters of a kernel is 4352 bytes with PTX 8.0 and sm_90a";
        assert_eq!(messages(&old), [message]);
        assert_eq!(old[0].help().as_deref(), Some("32764 bytes need PTX 8.1 and sm_70"));
        assert!(found("9.0", 4349).is_empty());
        // The assembler counts in 32 bits: this total is 0 bytes for it.
        assert!(found("9.0", u32::MAX - 3).is_empty());
        assert_eq!(found("9.0", u32::MAX - 4).len(), 1);
    }
}
