//! `repeated-destination`: one instruction writes the same register twice.

use crate::diagnostic::{Diagnostic, Severity};
use crate::finding::DiagnosticMessage;
use crate::lints::Analysis;
use ptx_isa::tables::Outcome;

/// A register that one instruction writes twice.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct RepeatedDestination {
    /// The name of the register.
    pub register: Box<str>,
    /// Whether the assembler generates no code for the instruction.
    pub refused: bool,
}

impl DiagnosticMessage for RepeatedDestination {
    fn message(&self) -> String {
        format!("`{}` appears twice among the results: which of the values it gets is undefined", self.register)
    }

    fn help(&self) -> Option<String> {
        let refused = if self.refused { "ptxas refuses this when it generates code: " } else { "" };
        Some(format!("{refused}use another register, or `_` where the instruction allows it"))
    }
}

/// Reports registers that occur twice among the results of an instruction.
pub(crate) fn find(analysis: &Analysis<'_>, out: &mut Vec<Diagnostic>) {
    let function = analysis.function;
    for index in 0..function.instructions.len() {
        let writes = function.writes(index);
        for (place, write) in writes.iter().enumerate().skip(1) {
            if !writes[..place].iter().any(|w| w.slot == write.slot) {
                continue;
            }
            let Some(operand) = write.operand.and_then(|o| function.operands.get(o as usize)) else { continue };
            let range = operand.range.start as usize..operand.range.end as usize;
            let register = function.register_name(write.slot).into();
            let refused = function.chosen(index).entry.repeated_results == Outcome::Refused;
            let severity = if refused { Severity::Error } else { Severity::Warning };
            out.push(Diagnostic::new(range, RepeatedDestination { register, refused }).severity(severity));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Code::RepeatedDestination;
    use crate::Severity;
    use crate::testing::{in_kernel, in_module, messages};

    #[test]
    fn registers_that_are_written_twice() {
        let found = in_kernel(RepeatedDestination, "ld.global.v2.u32 {%r1, %r1}, [%rd1];");
        let expected = "`%r1` appears twice among the results: which of the values it gets is undefined";
        assert_eq!(messages(&found), [expected]);
        assert_eq!(found[0].severity, Severity::Warning, "ptxas builds it");
        let header = ".version 8.6\n.target sm_100a\n.address_size 64\n";
        let load = "tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r1, %r1}, [%r2];";
        let text = format!("{header}.entry k() {{ .reg .b32 %r<3>; mov.b32 %r2, 0; {load} ret; }}");
        assert_eq!(in_module(RepeatedDestination, &text)[0].severity, Severity::Error);
        assert!(in_kernel(RepeatedDestination, "ld.global.v2.u32 {%r1, %r2}, [%rd1];").is_empty());
    }
}
