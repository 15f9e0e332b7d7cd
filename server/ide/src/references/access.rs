//! Determines how an instruction uses a name among its operands, according to its form.

use super::ReferenceKind;
use ptx_analysis::{
    Anything, DeclarationKind, ItemSource, Operand, OperandKind, OperandPattern, OperandSpec, Semantics, lower,
};
use ptx_isa::tables::{self, ControlTransfer, FormValue, ValueKind};
use ptx_syntax::{Node, Snapshot, kinds};
use std::ops::Range;

/// Determines the uses of names of one kind.
pub struct AccessReader<'t> {
    snapshot: &'t Snapshot,
    what: DeclarationKind,
    semantics: Semantics<'t>,
    /// The last instruction with its start: consecutive uses are often in the same one, which may be long.
    last: Option<(usize, InstructionPositions)>,
}

/// The operands of an instruction and their parts.
struct InstructionPositions {
    /// In order, with their ranges from the start of the instruction.
    operands: Vec<(Range<usize>, OperandPosition)>,
    flow: ControlTransfer,
}

/// What the form says of an operand or a part of one.
#[derive(Clone, Copy)]
struct OperandPosition {
    value: &'static FormValue,
    /// The operand is in brackets.
    bracketed: bool,
}

impl<'t> AccessReader<'t> {
    /// A reader for names of the kind `what`.
    pub fn new(snapshot: &'t Snapshot, what: DeclarationKind) -> Self {
        Self { snapshot, what, semantics: Semantics::new(snapshot), last: None }
    }

    /// The kind of reference that the last node of a path is.
    pub fn access(&mut self, path: &[Node<'_>]) -> ReferenceKind {
        let k = kinds();
        let Some(name) = path.last() else { return ReferenceKind::Mention };
        for here in path.iter().rev() {
            let kind = here.kind_id();
            if kind == k.guard {
                return ReferenceKind::Read;
            }
            if kind == k.instruction {
                return self.in_instruction(*here, name.byte_range()).unwrap_or(ReferenceKind::Mention);
            }
            if kind == k.block {
                break;
            }
        }
        ReferenceKind::Mention
    }

    fn in_instruction(&mut self, node: Node<'_>, range: Range<usize>) -> Option<ReferenceKind> {
        let base = node.start_byte();
        if self.last.as_ref().is_none_or(|(start, _)| *start != base) {
            self.last = Some((base, self.positions(node)?));
        }
        let (_, known) = self.last.as_ref()?;
        let local = range.start.checked_sub(base)?..range.end.checked_sub(base)?;
        let behind = known.operands.partition_point(|(operand, _)| operand.start <= local.start);
        let (operand, position) = known.operands.get(behind.checked_sub(1)?)?;
        covers(operand, &local).then(|| self.done(*position, known.flow))
    }

    fn positions(&self, node: Node<'_>) -> Option<InstructionPositions> {
        let text = self.snapshot.text(node.byte_range());
        let instruction = lower::instruction(ItemSource { text: &text, base: node.start_byte() }, node)?;
        let mnemonic = self.semantics.mnemonic(&instruction);
        let resolved = mnemonic.choose(&instruction, &Anything)?;
        let mut operands = Vec::new();
        for (operand, (_, pattern)) in instruction.operands.iter().zip(&resolved.variant.operands) {
            add_positions(operand, pattern, &mut operands);
        }
        Some(InstructionPositions { operands, flow: resolved.candidate.entry.flow })
    }

    fn done(&self, place: OperandPosition, flow: ControlTransfer) -> ReferenceKind {
        let value = place.value;
        let memory = matches!(value.kind, ValueKind::Address(_));
        let access = match value.access {
            tables::OperandAccess::Read => ReferenceKind::Read,
            tables::OperandAccess::Write => ReferenceKind::Write,
            tables::OperandAccess::Update => ReferenceKind::ReadWrite,
        };
        match self.what {
            // A register in brackets is read, whatever the instruction does with the memory.
            DeclarationKind::Register if memory => ReferenceKind::Read,
            DeclarationKind::Register => access,
            DeclarationKind::Label => ReferenceKind::Jump,
            DeclarationKind::Function | DeclarationKind::Alias
                if flow == ControlTransfer::Call && matches!(value.kind, ValueKind::Function) =>
            {
                ReferenceKind::Call
            }
            DeclarationKind::Function | DeclarationKind::Alias | DeclarationKind::Targets(_) => ReferenceKind::Mention,
            // A parameter may be a register.
            DeclarationKind::Variable | DeclarationKind::Parameter | DeclarationKind::Result => match value.kind {
                ValueKind::Arguments | ValueKind::Opaque(_) => access,
                ValueKind::Address(_) if place.bracketed || value.naked => access,
                ValueKind::Value if value.access != tables::OperandAccess::Read => access,
                _ if self.what != DeclarationKind::Variable => access,
                _ => ReferenceKind::Mention,
            },
        }
    }
}

fn covers(outer: &Range<usize>, inner: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// Adds an operand or, if its pattern tells them apart, its parts.
fn add_positions(operand: &Operand<'_>, pattern: &OperandPattern, out: &mut Vec<(Range<usize>, OperandPosition)>) {
    let bracketed = matches!(operand.kind, OperandKind::Address(_));
    let position = |spec: &OperandSpec| OperandPosition { value: spec.value, bracketed };
    match (pattern, &operand.kind) {
        (OperandPattern::Value(spec) | OperandPattern::Arguments(spec), _) => {
            out.push((operand.range.clone(), position(spec)));
        }
        (OperandPattern::Pair(both), OperandKind::Pair(given)) => {
            out.push((operand.range.start..given.1.range.start, position(&both.0)));
            out.push((given.1.range.clone(), position(&both.1)));
        }
        (OperandPattern::Pair(both), _) => out.push((operand.range.clone(), position(&both.0))),
        (OperandPattern::Address(specs), OperandKind::Address(parts)) => {
            out.extend(parts.iter().zip(specs).map(|(part, spec)| (part.range.clone(), position(spec))));
        }
        (OperandPattern::Address(specs), _) => {
            out.extend(specs.first().map(|spec| (operand.range.clone(), position(spec))));
        }
        (OperandPattern::Sink, _) => {}
    }
}
