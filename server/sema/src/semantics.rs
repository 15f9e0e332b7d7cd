//! The meaning of the PTX at a position, for hover, completion, hints, fixes and all other features.
//!
//! [`Semantics`] answers queries about a snapshot without a check of the whole module: the version and target, the
//! declaration of a name, and the form of an instruction.

mod header;
pub mod names;

pub use crate::forms::choose::{ResolvedInstruction, VariantFit, choose};
pub use header::environment;

use crate::forms::mnemonic::{self, Mnemonic};
use crate::forms::mnemonics::{MnemonicCache, ResolvedMnemonic};
use crate::hir::ast::Instruction;
use crate::hir::lower::{self, ItemSource};
use crate::target::Environment;
use names::LocalNames;
use ptx_isa::tables::Opcode;
use ptx_syntax::{Node, Snapshot, kinds};
use std::cell::{OnceCell, RefCell};
use std::sync::Arc;

/// Answers queries about a snapshot. Mnemonics are resolved once per spelling.
#[derive(Debug)]
pub struct Semantics<'s> {
    snapshot: &'s Snapshot,
    environment: OnceCell<Environment>,
    mnemonics: RefCell<MnemonicCache>,
}

impl<'s> Semantics<'s> {
    /// Prepares queries for `snapshot`; nothing is computed yet.
    pub fn new(snapshot: &'s Snapshot) -> Self {
        Self { snapshot, environment: OnceCell::new(), mnemonics: RefCell::default() }
    }

    /// The version, target and address size, from the first lines of the module.
    pub fn environment(&self) -> &Environment {
        self.environment.get_or_init(|| environment(self.snapshot))
    }

    /// The names visible at a node.
    pub fn names_at(&self, node: Node<'s>) -> LocalNames<'s> {
        LocalNames::new(self.snapshot, node)
    }

    /// Lowers an instruction node and calls `f` with it and its text; ranges count from the start of the node.
    pub fn lowered<R>(&self, node: Node<'_>, f: impl FnOnce(&Instruction<'_>, &str) -> Option<R>) -> Option<R> {
        let text = self.snapshot.text(node.byte_range());
        f(&lower::instruction(ItemSource { text: &text, base: node.start_byte() }, node)?, &text)
    }

    /// Resolves the mnemonic of an instruction against the tables.
    pub fn mnemonic(&self, instruction: &Instruction<'_>) -> Arc<ResolvedMnemonic> {
        let mut key = instruction.opcode.text.to_owned();
        instruction.modifiers.iter().for_each(|m| key.push_str(m.text));
        self.mnemonics.borrow_mut().resolve_as(&key, instruction, self.environment())
    }
}

/// Resolves a mnemonic that need not occur in a text; `None` if the opcode has no entry.
pub fn mnemonic(opcode: &'static Opcode, modifiers: &[&str]) -> Option<Mnemonic> {
    mnemonic::resolve(opcode, modifiers)
}

/// The instruction node that contains a node.
pub fn instruction_around(mut node: Node<'_>) -> Option<Node<'_>> {
    let k = kinds();
    while node.kind_id() != k.instruction {
        if node.kind_id() == k.block || node.kind_id() == k.function {
            return None;
        }
        node = node.parent()?;
    }
    Some(node)
}
