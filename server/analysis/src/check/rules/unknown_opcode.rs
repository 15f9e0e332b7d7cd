//! `unknown-opcode`: no instruction has that name.

use super::{did_you_mean, suggest};
use crate::check::codes::Code;
use crate::check::diagnostic::Diagnostic;
use crate::hir::ast::Word;
use ptx_isa::ISA;

const CODE: Code = Code::UnknownOpcode;

/// The report on an opcode that is none.
pub fn report(opcode: Word<'_>) -> Diagnostic {
    let found = Diagnostic::error(CODE, opcode.range(), format!("`{}` is not an instruction", opcode.text));
    did_you_mean(found, suggest(opcode.text, ISA.opcodes.iter().map(|o| o.name)))
}
