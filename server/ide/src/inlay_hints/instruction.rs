//! What is needed of an instruction: its forms, remembered by spelling, and its operands.

use super::Hints;
use ptx_analysis::ast::{Instruction, Operand, OperandKind};
use ptx_analysis::head::{self, Candidate, Head};
use ptx_analysis::lower;
use ptx_analysis::spec::{Arrangement, Shape};
use ptx_isa::ISA;
use ptx_syntax::Node;
use std::collections::HashMap;
use std::rc::Rc;

/// The heads met so far.
#[derive(Default)]
pub(super) struct Heads(HashMap<String, Option<Rc<Head>>>);

impl Heads {
    fn get(&mut self, instruction: &Instruction<'_>) -> Option<Rc<Head>> {
        let modifiers: Vec<&str> = instruction.modifiers.iter().map(|m| m.text).collect();
        let key = format!("{}{}", instruction.opcode.text, modifiers.concat());
        let resolve = || {
            let head = head::resolve(ISA.opcode(instruction.opcode.text)?, &modifiers)?;
            (head.mismatch.is_none() && !head.candidates.is_empty()).then(|| Rc::new(head))
        };
        self.0.entry(key).or_insert_with(resolve).clone()
    }
}

/// Whether an operand is written as its shape demands, so that the parts of both can be paired.
fn looks(shape: &Shape, operand: &Operand<'_>) -> bool {
    match &operand.kind {
        OperandKind::Pair(_) => matches!(shape, Shape::Pair(_)),
        OperandKind::Arguments(_) => matches!(shape, Shape::Arguments(_)),
        OperandKind::Address(_) => matches!(shape, Shape::Address(_)),
        // Addresses stand without their brackets in some places.
        _ => !matches!(shape, Shape::Pair(_) | Shape::Arguments(_)),
    }
}

/// An instruction whose modifiers fit a form.
pub(super) struct Resolved<'i, 't> {
    pub instruction: &'i Instruction<'i>,
    /// Where the text of the instruction begins.
    pub base: usize,
    pub node: Node<'t>,
    pub candidate: &'i Candidate,
    pub arrangement: &'i Arrangement,
}

impl<'t> Hints<'t> {
    /// All hints of an instruction.
    pub(super) fn instruction(&mut self, node: Node<'t>) {
        let text = self.snapshot.text(node.byte_range());
        let source = lower::Source { text: &text, base: node.start_byte() };
        let Some(instruction) = lower::instruction(source, node).filter(|i| !i.broken) else { return };
        let Some(head) = self.heads.get(&instruction) else { return };
        // Of several forms those with so many operands; what the operands are does not matter for what is said here.
        let given = &instruction.operands;
        let looks = |a: &Arrangement| a.operands.iter().zip(given).all(|((_, shape), operand)| looks(shape, operand));
        let fits = |a: &&Arrangement| a.operands.len() == given.len() && a.broken.is_none() && looks(a);
        let found = head.candidates.iter().find_map(|c| Some((c, c.arrangements.iter().find(fits)?)));
        let Some((candidate, arrangement)) = found else { return };
        let resolved = Resolved { instruction: &instruction, base: source.base, node, candidate, arrangement };
        self.decoded(&resolved, &text);
        self.defaults(&resolved);
        self.operands(&resolved);
        self.arguments(&resolved);
    }
}
