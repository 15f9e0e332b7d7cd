//! `repeated-destination`: one instruction writes the same register twice.

use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use crate::lints::Analysis;

/// A register that one instruction writes twice.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct RepeatedDestination {
    /// The name of the register.
    pub register: Box<str>,
}

impl DiagnosticMessage for RepeatedDestination {
    fn message(&self) -> String {
        format!("`{}` stands twice among the results: which of the values it gets is undefined", self.register)
    }

    fn help(&self) -> Option<String> {
        Some("use another register, or `_` where the instruction allows it".to_owned())
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
            out.push(Diagnostic::new(range, RepeatedDestination { register }));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Code::RepeatedDestination;
    use crate::testing::{in_kernel, messages};

    #[test]
    fn registers_that_are_written_twice() {
        let found = in_kernel(RepeatedDestination, "ld.global.v2.u32 {%r1, %r1}, [%rd1];");
        let expected = "`%r1` stands twice among the results: which of the values it gets is undefined";
        assert_eq!(messages(&found), [expected]);
        assert!(in_kernel(RepeatedDestination, "ld.global.v2.u32 {%r1, %r2}, [%rd1];").is_empty());
    }
}
