//! `missing-directive`: something that needs a directive which is not there.

use super::one_of;
use crate::check::codes::Code;
use crate::check::diagnostic::Diagnostic;
use crate::hir::ast::{Instruction, OperandKind, Word};
use ptx_isa::ISA;
use ptx_isa::tables::SpecialRegister;
use std::ops::Range;
use std::sync::LazyLock;

const CODE: Code = Code::MissingDirective;

/// The special registers that need a directive.
static NEEDY: LazyLock<Vec<&SpecialRegister>> =
    LazyLock::new(|| ISA.special_registers.iter().filter(|r| !r.requires.is_empty()).collect());

/// Finds special registers among the operands of an instruction in a kernel whose directives are given.
// ptxas: as the base of an address, or in a list, they pass.
pub fn check(instruction: &Instruction<'_>, given: &[&str], out: &mut Vec<Diagnostic>) {
    for operand in &instruction.operands {
        let OperandKind::Name(name) = operand.kind else { continue };
        let Some(register) = NEEDY.iter().find(|r| name.len() == r.name.len() && name == r.name) else { continue };
        if let Some(missing) = register.requires.iter().find(|d| !given.contains(d)) {
            out.push(of_register(operand.range.clone(), name, missing));
        }
    }
}

/// A directive that needs others on the same kernel.
pub fn of_directive(word: Word<'_>, missing: &[&str]) -> Diagnostic {
    let names = one_of(missing).replace(" or ", " and ");
    let message = format!("`{}` needs {names} on the same kernel", word.text);
    Diagnostic::error(CODE, word.range(), message)
}

/// A special register that only kernels with a directive may read.
pub fn of_register(range: Range<usize>, register: &str, directive: &str) -> Diagnostic {
    let message = format!("`{register}` may be read only in a kernel with `{directive}`");
    Diagnostic::error(CODE, range, message).with_help(format!("write `{directive} 1024` before the body, for instance"))
}

/// An option of `.target` that needs something in the module.
pub fn of_option(range: Range<usize>, option: &str, directive: &str) -> Diagnostic {
    let message = format!("the option `{option}` of `.target` needs a `{directive}` in the module, and there is none");
    Diagnostic::error(CODE, range, message).with_help("remove the option from a module without debugging information")
}
