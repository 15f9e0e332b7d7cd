//! `unknown-modifier`: no instruction has such a modifier.

use super::{suggest, write_instead};
use crate::ast::Word;
use crate::codes::Words;
use crate::diagnostic::Diagnostic;
use ptx_isa::ISA;
use ptx_isa::tables::Opcode;

/// A modifier that no instruction has.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct UnknownModifier {
    /// The modifier, with its dot.
    pub name: Box<str>,
    /// The modifier that is nearest to it.
    pub near: Option<&'static str>,
}

impl Words for UnknownModifier {
    fn message(&self) -> String {
        format!("`{}` is not a modifier", self.name)
    }

    fn help(&self) -> Option<String> {
        self.near.map(|near| format!("did you mean `{near}`?"))
    }
}

/// Whether any instruction at all has it.
pub fn is_known(name: &str) -> bool {
    ISA.modifier(name).is_some() || ISA.ty(name).is_some() || ISA.space(name).is_some()
}

/// The report on a modifier that exists nowhere.
pub fn report(modifier: Word<'_>, opcode: &'static Opcode) -> Diagnostic {
    // What this opcode takes is the likelier meaning.
    let own = opcode.entries.iter().flat_map(|e| e.forms).flat_map(|f| f.slots).flat_map(|s| s.values.iter().copied());
    let all = ISA.modifiers.iter().map(|m| m.name).chain(ISA.types.iter().map(|t| t.name));
    let near = suggest(modifier.text, own).or_else(|| suggest(modifier.text, all));
    Diagnostic::new(modifier.range(), UnknownModifier { name: modifier.text.into(), near })
        .fixes(write_instead(modifier.range(), near))
}
