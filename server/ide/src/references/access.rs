//! Determines how an instruction uses a name among its operands, according to its form.

use super::ReferenceKind;
use ptx_analysis::ast::{Operand, OperandKind};
use ptx_analysis::lower::{self, ItemSource};
use ptx_analysis::semantics::Semantics;
use ptx_analysis::semantics::names::{Anything, DeclarationKind};
use ptx_analysis::spec::{OperandPattern, OperandSpec};
use ptx_isa::tables::{self, ControlTransfer, ValueKind};
use ptx_syntax::{Node, Snapshot, kinds};
use std::ops::Range;

/// Determines the uses of names of one kind.
pub struct AccessReader<'t> {
    snapshot: &'t Snapshot,
    what: DeclarationKind,
    semantics: Semantics<'t>,
}

/// The spec of an operand or of a part of one.
struct OperandPosition<'s> {
    spec: &'s OperandSpec,
    /// The operand is in brackets.
    bracketed: bool,
}

impl<'t> AccessReader<'t> {
    /// A reader for names of the kind `what`.
    pub fn new(snapshot: &'t Snapshot, what: DeclarationKind) -> Self {
        Self { snapshot, what, semantics: Semantics::new(snapshot) }
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
        let text = self.snapshot.text(node.byte_range());
        let base = node.start_byte();
        let instruction = lower::instruction(ItemSource { text: &text, base }, node)?;
        let mnemonic = self.semantics.mnemonic(&instruction);
        let resolved = mnemonic.choose(&instruction, &Anything)?;
        let local = range.start.checked_sub(base)?..range.end.checked_sub(base)?;
        let shapes = &resolved.variant.operands;
        let pairs = instruction.operands.iter().zip(shapes);
        let place = pairs.filter(|(o, _)| covers(&o.range, &local)).find_map(|(o, (_, s))| place(o, s, &local))?;
        Some(self.done(&place, resolved.candidate.entry.flow))
    }

    fn done(&self, place: &OperandPosition<'_>, flow: ControlTransfer) -> ReferenceKind {
        let value = place.spec.value;
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
            DeclarationKind::Function | DeclarationKind::Alias | DeclarationKind::Targets => ReferenceKind::Mention,
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

/// The spec of the part of an operand at a range.
fn place<'s>(operand: &Operand<'_>, shape: &'s OperandPattern, range: &Range<usize>) -> Option<OperandPosition<'s>> {
    let bracketed = matches!(operand.kind, OperandKind::Address(_));
    let spec = match (shape, &operand.kind) {
        (OperandPattern::Value(spec) | OperandPattern::Arguments(spec), _) => spec,
        (OperandPattern::Pair(both), OperandKind::Pair(given)) if covers(&given.1.range, range) => &both.1,
        (OperandPattern::Pair(both), _) => &both.0,
        (OperandPattern::Address(specs), OperandKind::Address(parts)) => {
            let part = parts.iter().position(|o| covers(&o.range, range))?;
            specs.get(part)?
        }
        (OperandPattern::Address(specs), _) => specs.first()?,
        (OperandPattern::Sink, _) => return None,
    };
    Some(OperandPosition { spec, bracketed })
}
