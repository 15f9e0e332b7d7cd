//! `unknown-opcode`: no instruction has that name.

use super::{suggest, write_instead};
use crate::ast::Word;
use crate::codes::Words;
use crate::diagnostic::Diagnostic;
use ptx_isa::ISA;

/// A word that stands where an opcode must, and is none.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct UnknownOpcode {
    /// The word.
    pub name: Box<str>,
    /// The opcode that is nearest to it.
    pub near: Option<&'static str>,
}

impl Words for UnknownOpcode {
    fn message(&self) -> String {
        format!("`{}` is not an instruction", self.name)
    }

    fn help(&self) -> Option<String> {
        self.near.map(|near| format!("did you mean `{near}`?"))
    }
}

/// The report on an opcode that is none.
pub fn report(opcode: Word<'_>) -> Diagnostic {
    let near = suggest(opcode.text, ISA.opcodes.iter().map(|o| o.name));
    Diagnostic::new(opcode.range(), UnknownOpcode { name: opcode.text.into(), near })
        .fixes(write_instead(opcode.range(), near))
}
