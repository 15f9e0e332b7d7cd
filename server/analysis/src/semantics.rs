//! What the PTX at a place means: the one thing that hover, completion, hints, fixes and all other features ask.
//!
//! [`Semantics`] answers for a snapshot without a check of the whole module: which version and target hold, what a name stands for
//! where it is written, and which form of which instruction a statement is.

mod header;
pub mod names;
pub mod walk;

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

/// Answers questions about a text. Mnemonics are resolved once for each spelling.
#[derive(Debug)]
pub struct Semantics<'s> {
    snapshot: &'s Snapshot,
    environment: OnceCell<Environment>,
    mnemonics: RefCell<MnemonicCache>,
}

impl<'s> Semantics<'s> {
    /// Of a text.
    pub fn new(snapshot: &'s Snapshot) -> Self {
        Self { snapshot, environment: OnceCell::new(), mnemonics: RefCell::default() }
    }

    /// Version, target and address size, as the first lines of the module say.
    pub fn environment(&self) -> &Environment {
        self.environment.get_or_init(|| environment(self.snapshot))
    }

    /// The names that are known at a node.
    pub fn names_at(&self, node: Node<'s>) -> LocalNames<'s> {
        LocalNames::new(self.snapshot, node)
    }

    /// Calls `f` with the instruction that a node is; its ranges count from the start of the node.
    pub fn lowered<R>(&self, node: Node<'_>, f: impl FnOnce(&Instruction<'_>, &str) -> Option<R>) -> Option<R> {
        let text = self.snapshot.text(node.byte_range());
        f(&lower::instruction(ItemSource { text: &text, base: node.start_byte() }, node)?, &text)
    }

    /// The opcode and modifiers of an instruction against the tables.
    pub fn mnemonic(&self, instruction: &Instruction<'_>) -> Arc<ResolvedMnemonic> {
        let mut key = instruction.opcode.text.to_owned();
        instruction.modifiers.iter().for_each(|m| key.push_str(m.text));
        self.mnemonics.borrow_mut().resolve_as(&key, instruction, self.environment())
    }
}

/// The mnemonic of an opcode and modifiers that may stand nowhere yet; `None` if nothing is known of that opcode.
pub fn mnemonic(opcode: &'static Opcode, modifiers: &[&str]) -> Option<Mnemonic> {
    mnemonic::resolve(opcode, modifiers)
}

/// The instruction around a node, within its statement.
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
