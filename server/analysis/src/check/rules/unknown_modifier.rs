//! `unknown-modifier`: no instruction has such a modifier.

use super::{did_you_mean, suggest};
use crate::check::codes::Code;
use crate::check::diagnostic::Diagnostic;
use crate::hir::ast::Word;
use ptx_isa::ISA;
use ptx_isa::tables::Opcode;

const CODE: Code = Code::UnknownModifier;

/// Whether any instruction at all has it.
pub fn is_known(name: &str) -> bool {
    ISA.modifier(name).is_some() || ISA.ty(name).is_some() || ISA.space(name).is_some()
}

/// The report on a modifier that exists nowhere.
pub fn report(modifier: Word<'_>, opcode: &'static Opcode) -> Diagnostic {
    let found = Diagnostic::error(CODE, modifier.range(), format!("`{}` is not a modifier", modifier.text));
    // What this opcode takes is the likelier meaning.
    let own = opcode.entries.iter().flat_map(|e| e.forms).flat_map(|f| f.slots).flat_map(|s| s.values.iter().copied());
    let all = ISA.modifiers.iter().map(|m| m.name).chain(ISA.types.iter().map(|t| t.name));
    did_you_mean(found, suggest(modifier.text, own).or_else(|| suggest(modifier.text, all)))
}
