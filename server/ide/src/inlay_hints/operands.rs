//! Hints at operands: shapes of matrices, meanings of literals, types of registers.

use super::instruction::Resolved;
use super::{Hint, HintKind, Hints};
use crate::fragment::fragment_labels;
use crate::hover::decoded;
use ptx_analysis::{DeclarationKind, Operand, OperandKind, OperandPattern, Symbol};
use ptx_isa::tables::{OperandAccess, ValueKind};
use ptx_syntax::{Node, kinds};
use std::ops::Range;

impl<'t> Hints<'t> {
    /// Adds the meaning of a literal: `= (%r2 & %r3) | ~%r4` after a truth table.
    pub(super) fn decoded(&mut self, resolved: &Resolved<'_, '_>, text: &str) {
        if !self.options.decoded {
            return;
        }
        for (range, words) in decoded(resolved.instruction, resolved.variant, text) {
            self.out.push(Hint::after(resolved.base + range.end, words));
        }
    }

    /// Adds the shape before a matrix, `A 16×16:`, at the first of a run of equal instructions, and the types of written
    /// registers.
    pub(super) fn operands(&mut self, resolved: &Resolved<'_, 't>) {
        if self.options.shapes && !self.repeats(resolved.node) {
            for label in fragment_labels(self.snapshot, resolved.node) {
                self.out.push(Hint::before(label.range.start, format!("{}:", label.text)));
            }
        }
        if !self.options.types {
            return;
        }
        let mut written = Vec::new();
        for (operand, (_, shape)) in resolved.instruction.operands.iter().zip(&resolved.variant.operands) {
            match (shape, &operand.kind) {
                (OperandPattern::Value(spec), _)
                    if spec.value.access != OperandAccess::Read && spec.value.kind == ValueKind::Value =>
                {
                    registers(operand, &mut written);
                }
                (OperandPattern::Pair(both), OperandKind::Pair(parts)) => {
                    for (spec, part) in [(&both.0, &parts.0), (&both.1, &parts.1)] {
                        if spec.value.access != OperandAccess::Read {
                            registers(part, &mut written);
                        }
                    }
                }
                _ => {}
            }
        }
        for (name, range) in written {
            let found = self.declaration(resolved.node, name).filter(|d| d.what == DeclarationKind::Register);
            if let Some(Symbol::Register { ty, .. }) = found.map(|d| d.symbol(self.snapshot)) {
                let hint = Hint::after(resolved.base + range.end, format!(": {}", ty.name()));
                self.out.push(Hint { kind: HintKind::Type, gap_before: false, ..hint });
            }
        }
    }
}

/// Bytes before an instruction that are searched for an equal one.
const LOOK_BACK: usize = 1 << 12;

impl Hints<'_> {
    /// Whether an instruction continues a run. The previous instruction with its opcode in the block must have the same
    /// modifiers, and there must be no label between the two. Loads between them do not end a run.
    fn repeats(&self, node: Node<'_>) -> bool {
        let k = kinds();
        let (Some(parent), Some((opcode, own))) = (node.parent(), self.mnemonic(node)) else { return false };
        let mut cursor = parent.walk();
        let mut same = false;
        let mut more = cursor.goto_first_child_for_byte(node.start_byte().saturating_sub(LOOK_BACK)).is_some();
        while more && cursor.node().start_byte() < node.start_byte() {
            let before = cursor.node();
            let kind = before.kind_id();
            if kind == k.label || kind == k.block || before.is_error() {
                same = false;
            } else if kind == k.instruction
                && let Some((_, found)) = self.mnemonic(before).filter(|(name, _)| *name == opcode)
            {
                same = found == own;
            }
            more = cursor.goto_next_sibling();
        }
        same
    }

    /// The opcode of an instruction, and its mnemonic.
    fn mnemonic(&self, instruction: Node<'_>) -> Option<(String, String)> {
        let k = kinds();
        let mut cursor = instruction.walk();
        let mut words =
            instruction.children(&mut cursor).filter(|n| n.kind_id() == k.opcode || n.kind_id() == k.modifier);
        let opcode = self.snapshot.text(words.next()?.byte_range()).into_owned();
        let all = words.fold(opcode.clone(), |text, word| text + &self.snapshot.text(word.byte_range()));
        Some((opcode, all))
    }
}

/// Appends the registers that an operand names, with their ranges.
fn registers<'t>(operand: &Operand<'t>, out: &mut Vec<(&'t str, Range<usize>)>) {
    match &operand.kind {
        OperandKind::Name(name) => out.push((name, operand.range.clone())),
        OperandKind::Vector(list) => list.iter().for_each(|o| registers(o, out)),
        _ => {}
    }
}
