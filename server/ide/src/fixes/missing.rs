//! Operands that are missing: a destination, a value that the operand usually has, or the related opcode that does without.

use super::declare;
use super::statement::{DiagnosedInstruction, TrialRegister, fix};
use ptx_analysis::Fix;
use ptx_analysis::types::register_type;
use ptx_analysis::{AlignmentEdit, Code, FixEdit, Instruction, OperandPattern, OperandSpec, Symbol, TypeId};
use ptx_isa::ISA;
use ptx_isa::tables::{Opcode, OperandAccess, ValueKind};

/// Adds the fixes of an instruction with too few or too many operands.
pub fn fixes(statement: &DiagnosedInstruction<'_>, out: &mut Vec<Fix>) {
    if statement.diagnostic.code() != Code::OperandCount {
        return;
    }
    statement.lowered(|instruction| {
        let (opcode, head) = statement.head(instruction)?;
        let (alignment, variant) = statement.alignment(instruction, &head)?;
        if let [AlignmentEdit::Missing { expected, before }] = alignment.edits[..] {
            let fixer = MissingOperand { statement, instruction, before };
            match variant.operands.get(expected) {
                Some((_, OperandPattern::Sink)) => fixer.insert("_", Vec::new(), out),
                Some((_, OperandPattern::Value(spec))) => fixer.value(spec, out),
                _ => {}
            }
        }
        // Only a destination tells an opcode from a related one: `red` is `atom` without a result.
        let writes = |expected: usize| match variant.operands.get(expected) {
            Some((_, OperandPattern::Value(spec))) => spec.value.access == OperandAccess::Write,
            _ => false,
        };
        match alignment.edits[..] {
            [AlignmentEdit::Extra(0)] if !writes(0) => related(statement, instruction, opcode, out),
            [AlignmentEdit::Missing { expected: 0, .. }] if writes(0) => related(statement, instruction, opcode, out),
            _ => {}
        }
        Some(())
    });
}

/// An operand to be inserted.
struct MissingOperand<'a> {
    statement: &'a DiagnosedInstruction<'a>,
    instruction: &'a Instruction<'a>,
    /// Index of the written operand that it stands before.
    before: usize,
}

impl MissingOperand<'_> {
    fn value(&self, spec: &OperandSpec, out: &mut Vec<Fix>) {
        if spec.value.access == OperandAccess::Write {
            if spec.value.sink {
                self.insert("_", Vec::new(), out);
            }
            let Some(ty) = spec.ty.map(register_type).filter(|_| spec.value.kind == ValueKind::Value) else { return };
            let Some(new) = declare::fresh(self.statement.snapshot, self.statement.base, ty) else { return };
            self.insert(&new.clone(), vec![(new, ty)], out);
            return;
        }
        let mnemonic = self.statement.text.get(self.instruction.mnemonic_range()).unwrap_or("");
        let modifiers: Vec<&str> = self.instruction.modifiers.iter().map(|m| m.text).collect();
        let implied = |row: &&ptx_isa::tables::Suggested| row.implied && row.operand == spec.value.name;
        let usual = ptx_isa::VALUES.iter().filter(implied).find(|row| row.is_of(mnemonic, &modifiers));
        if let Some(usual) = usual {
            self.insert(usual.value, Vec::new(), out);
        }
    }

    /// Offers the instruction with the operand, and registers that must be declared for it.
    fn insert(&self, operand: &str, declared: Vec<(String, &'static str)>, out: &mut Vec<Fix>) {
        let operands = &self.instruction.operands;
        let (at, text) = match (operands.get(self.before), operands.last()) {
            (Some(next), _) => (next.range.start, format!("{operand}, ")),
            (None, Some(last)) => (last.range.end, format!(", {operand}")),
            (None, None) => (self.instruction.mnemonic_range().end, format!(" {operand}")),
        };
        let registers: Vec<TrialRegister> = declared
            .iter()
            .map(|(name, ty)| {
                let symbol = TypeId::of(ty).map_or(Symbol::Unknown, |ty| Symbol::Register { ty, elements: 1 });
                TrialRegister { name: name.clone(), symbol }
            })
            .collect();
        if !self.statement.is_better(&self.statement.with(&[(at..at, &text)]), &registers) {
            return;
        }
        let mut edits: Vec<FixEdit> = declared.into_iter().map(|(name, ty)| FixEdit::Declare { name, ty }).collect();
        edits.push(self.statement.replace(at..at, text));
        out.push(fix(format!("Add `{operand}`"), edits));
    }
}

/// Offers the opcodes of the same family that take these modifiers with these operands.
fn related(
    statement: &DiagnosedInstruction<'_>,
    instruction: &Instruction<'_>,
    opcode: &'static Opcode,
    out: &mut Vec<Fix>,
) {
    let families: Vec<&str> = opcode.entries.iter().map(|e| e.family).collect();
    let others = ISA
        .opcodes
        .iter()
        .filter(|other| other.name != opcode.name && other.entries.iter().any(|e| families.contains(&e.family)));
    let range = instruction.opcode.range();
    for other in others {
        if statement.is_better(&statement.with(&[(range.clone(), other.name)]), &[]) {
            out.push(fix(format!("Write `{}`", other.name), vec![statement.replace(range.clone(), other.name)]));
        }
    }
}
