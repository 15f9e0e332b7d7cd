//! Resolution of an instruction for its hints: its form, its operand variant and its operands.

use super::Hints;
use ptx_analysis::{Anything, Candidate, Instruction, ItemSource, OperandVariant, VariantFit, lower};
use ptx_syntax::Node;

/// An instruction with its form and operand variant.
pub(super) struct Resolved<'i, 't> {
    pub instruction: &'i Instruction<'i>,
    /// Offset of the instruction's text.
    pub base: usize,
    pub node: Node<'t>,
    pub candidate: &'i Candidate,
    pub variant: &'i OperandVariant,
}

impl<'t> Hints<'t> {
    /// All hints of an instruction.
    pub(super) fn instruction(&mut self, node: Node<'t>) {
        let text = self.snapshot.text(node.byte_range());
        let source = ItemSource { text: &text, base: node.start_byte() };
        let Some(instruction) = lower::instruction(source, node).filter(|i| !i.broken) else { return };
        // These hints depend on the syntax of the operands only, not on the declarations of their names.
        let mnemonic = self.semantics.mnemonic(&instruction);
        let Some(resolved) = mnemonic.choose(&instruction, &Anything) else { return };
        if !matches!(resolved.fit, VariantFit::Fits) {
            return;
        }
        let (candidate, variant) = (resolved.candidate, resolved.variant);
        let resolved = Resolved { instruction: &instruction, base: source.base, node, candidate, variant };
        self.decoded(&resolved, &text);
        self.defaults(&resolved);
        self.operands(&resolved);
        self.arguments(&resolved);
    }
}
