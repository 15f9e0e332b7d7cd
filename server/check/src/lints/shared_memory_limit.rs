//! `shared-memory-limit`: the shared variables of a kernel take more memory than the target allows.

use crate::diagnostic::{Diagnostic, Severity};
use crate::finding::DiagnosticMessage;
use crate::lints::Analysis;
use std::ops::Range;

/// A kernel whose shared variables take more memory than the target allows.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct SharedMemoryLimit {
    /// The name of the kernel.
    pub kernel: Box<str>,
    /// The size of its shared variables in bytes.
    pub total: u64,
    /// The name of the target.
    pub target: &'static str,
    /// The maximum size in bytes on this target.
    pub limit: u32,
    /// Whether those of the functions that it reaches are counted.
    pub reached: bool,
}

impl SharedMemoryLimit {
    /// The level: ptxas compares the lower 32 bits of the size, with a sign.
    fn severity(&self) -> Severity {
        let compared = self.total as u32 as i32;
        if i64::from(compared) > i64::from(self.limit) { Severity::Error } else { Severity::Warning }
    }

    /// The report, at the name of the kernel.
    pub(super) fn report(self, range: Range<usize>) -> Diagnostic {
        let severity = self.severity();
        Diagnostic::new(range, self).severity(severity)
    }
}

impl DiagnosticMessage for SharedMemoryLimit {
    fn message(&self) -> String {
        let Self { kernel, total, target, limit, reached } = self;
        let others = if *reached { " and of the functions that it reaches" } else { "" };
        format!("the shared variables of `{kernel}`{others} take {total} bytes; the limit of `{target}` is {limit}")
    }

    fn help(&self) -> Option<String> {
        if self.severity() == Severity::Warning {
            return Some(
                "ptxas adds the sizes in 32 bits, so it does not notice; the kernel cannot be launched".to_owned(),
            );
        }
        let help = "ptxas refuses this; more is available at launch, as `.extern .shared .align 16 .b8 name[];`";
        Some(help.to_owned())
    }
}

/// Reports a kernel whose shared variables exceed the limit. The sum is a lower bound: it has the variables that the kernel declares or
/// names, without padding and without the variables that only its callees name.
pub(crate) fn lint(analysis: &Analysis<'_>, out: &mut Vec<Diagnostic>) {
    let function = analysis.function;
    let Some(target) = analysis.environment.target.filter(|t| t.shared > 0 && function.kernel) else { return };
    let shared = function.variables.iter().filter(|v| v.symbol.space == ".shared" && !v.symbol.external);
    let total = shared.filter_map(|v| v.symbol.bytes).fold(0u64, u64::saturating_add);
    if total <= u64::from(target.shared) {
        return;
    }
    let range = function.name_range.start as usize..function.name_range.end as usize;
    let kernel = function.name.clone();
    let (target, limit) = (target.name, target.shared);
    out.push(SharedMemoryLimit { kernel, total, target, limit, reached: false }.report(range));
}

#[cfg(test)]
mod tests {
    use crate::Code::SharedMemoryLimit;
    use crate::Severity;
    use crate::testing::{in_module, messages};

    /// The levels are those of ptxas 13.5 with code generation.
    #[test]
    fn the_assembler_adds_in_32_bits() {
        let level = |bytes: u64| {
            let header = ".version 9.0\n.target sm_90\n.address_size 64\n";
            let text = format!("{header}.shared .b8 a[{bytes}];\n.entry k() {{ st.shared.b32 [a], 1; ret; }}");
            in_module(SharedMemoryLimit, &text).first().map(|d| d.severity)
        };
        assert_eq!((level(0x7fff_ffff), level(0x8000_0000)), (Some(Severity::Error), Some(Severity::Warning)));
        assert_eq!((level(0x1_0000_0004), level(0x1_0004_93e0)), (Some(Severity::Warning), Some(Severity::Error)));
    }

    #[test]
    fn more_variables_than_the_target_has_memory() {
        let found = |target: &str, bytes: u32| {
            let header = format!(".version 9.0\n.target {target}\n.address_size 64\n");
            let variables = format!(".shared .b32 a[8192]; .shared .align 16 .b8 b[{bytes}];");
            let body = format!("{variables} st.shared.u32 [a], 1; st.shared.u32 [b], 1; ret;");
            messages(&in_module(SharedMemoryLimit, &format!("{header}.entry k() {{ {body} }}")))
        };
        let expected = "the shared variables of `k` take 65536 bytes; the limit of `sm_90` is 49152";
        assert_eq!(found("sm_90", 32768), [expected]);
        assert!(found("sm_90", 16384).is_empty());
        assert!(found("sm_90a", 32768).is_empty());
    }
}
