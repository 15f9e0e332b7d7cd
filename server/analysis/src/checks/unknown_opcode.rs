//! `unknown-opcode`: no instruction has that name.

use super::suggest;
use crate::ast::Word;
use crate::diagnostic::Diagnostic;
use ptx_isa::ISA;

/// The code.
pub const CODE: &str = "unknown-opcode";

/// The report on an opcode that is none.
pub fn report(opcode: Word<'_>) -> Diagnostic {
    let found = Diagnostic::error(CODE, opcode.range(), format!("`{}` is not an instruction", opcode.text));
    match suggest(opcode.text, ISA.opcodes.iter().map(|o| o.name)) {
        Some(name) => found.help(format!("did you mean `{name}`?")),
        None => found,
    }
}
