//! `operand-count`: too few or too many operands.

use crate::check::codes::DiagnosticMessage;
use crate::check::diagnostic::Diagnostic;
use crate::hir::ast::Instruction;
use ptx_isa::tables::Form;
use std::ops::Range;

/// An instruction with too few or too many operands.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct OperandCount {
    /// The opcode with its modifiers, as written.
    pub mnemonic: Box<str>,
    /// The numbers of operands that it may have, ascending.
    pub expected: Box<[usize]>,
    /// The number that it has.
    pub actual: usize,
    /// The syntax of the form.
    pub form: &'static str,
}

impl DiagnosticMessage for OperandCount {
    fn message(&self) -> String {
        let expected = match &*self.expected {
            [] | [0] => "no operands".to_owned(),
            [1] => "1 operand".to_owned(),
            [n] => format!("{n} operands"),
            [rest @ .., last] => {
                let rest: Vec<String> = rest.iter().map(usize::to_string).collect();
                format!("{} or {last} operands", rest.join(", "))
            }
        };
        format!("`{}` takes {expected}, not {}", self.mnemonic, self.actual)
    }

    fn help(&self) -> Option<String> {
        Some(format!("the form is `{}`", self.form))
    }
}

/// The report. `counts` are the numbers of operands that the form allows, ascending.
pub fn report(instruction: &Instruction<'_>, mnemonic: &str, counts: Vec<usize>, form: &'static Form) -> Diagnostic {
    let (range, actual) = (place(instruction, &counts), instruction.operands.len());
    Diagnostic::new(range, OperandCount { mnemonic: mnemonic.into(), expected: counts.into(), actual, form: form.text })
}

/// The byte range of the surplus operands or, if operands are missing, of the mnemonic.
fn place(instruction: &Instruction<'_>, counts: &[usize]) -> Range<usize> {
    let most = counts.last().copied().unwrap_or(0);
    match (instruction.operands.get(most), instruction.operands.last()) {
        (Some(first), Some(last)) => first.range.start..last.range.end,
        _ => instruction.mnemonic_range(),
    }
}

#[cfg(test)]
mod tests {
    use crate::Code;
    use crate::testing::{in_kernel, messages};

    #[test]
    fn too_few_and_too_many() {
        let found = |body: &str| messages(&in_kernel(Code::OperandCount, body));
        assert_eq!(found("add.u32 %r1, %r2;"), ["`add.u32` takes 3 operands, not 2"]);
        assert_eq!(found("add.u32 %r1, %r2, %r3, %r4;"), ["`add.u32` takes 3 operands, not 4"]);
        assert_eq!(found("bar.warp.sync;"), ["`bar.warp.sync` takes 1 operand, not 0"]);
        assert!(found("add.u32 %r1, %r2, %r3; bar.warp.sync -1;").is_empty());
    }
}
