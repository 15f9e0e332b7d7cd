//! The gate that each fix of an instruction passes: it leads to an instruction of the manual, and to none that its author cannot have
//! meant. A fix that makes an error go away is rarely read again, so none is better than a wrong one.

use super::statement::DiagnosedInstruction;
use super::types::TypeChange;
use ptx_analysis::{Code, ConstantValue, Fix, FixEdit, Instruction, Operand, OperandKind, literal};
use ptx_isa::ISA;
use ptx_syntax::Snapshot;
use std::ops::Range;

/// What is compared before and after a fix.
struct InstructionParts {
    mnemonic: String,
    modifiers: Vec<String>,
    operands: Vec<OperandText>,
}

/// An operand as written.
#[derive(Clone, PartialEq, Eq)]
struct OperandText {
    text: String,
    /// The value of a number.
    value: Option<i128>,
    /// Whether it is a number of any kind.
    is_number: bool,
}

impl InstructionParts {
    fn of(instruction: &Instruction<'_>, text: &str) -> Self {
        let modifiers: Vec<String> = instruction.modifiers.iter().map(|m| m.text.to_owned()).collect();
        let operand = |operand: &Operand<'_>| OperandText {
            text: text.get(operand.range.clone()).unwrap_or("").to_owned(),
            value: match &operand.kind {
                OperandKind::Integer(text) => literal::integer(text),
                OperandKind::Constant(ConstantValue::Integer(value)) => *value,
                _ => None,
            },
            is_number: matches!(
                operand.kind,
                OperandKind::Integer(_) | OperandKind::Float(_) | OperandKind::Constant(_)
            ),
        };
        let mnemonic = std::iter::once(instruction.opcode.text).chain(modifiers.iter().map(String::as_str)).collect();
        Self { mnemonic, operands: instruction.operands.iter().map(operand).collect(), modifiers }
    }
}

/// Whether a fix of an instruction may be offered. A fix that changes other places too is only judged by what it does to the instruction.
pub fn admits(statement: &DiagnosedInstruction<'_>, fix: &Fix) -> bool {
    let Some(after) = edited(statement, fix) else { return true };
    let Some(before) = statement.lowered(|i| Some(InstructionParts::of(i, &statement.text))) else { return true };
    let Some(after) = parts_of(&after) else { return true };
    keeps_to_the_manual(&before, &after)
        && (is_about_space(statement) || !has_spaces(&before) || keeps_spaces(&before, &after))
        && TypeChange::between(&before.modifiers, &after.modifiers).is_none_or(|change| change.is_plausible(statement))
        && fills_in_nothing(statement, &before, &after)
}

/// The instruction after a fix; `None` if the fix changes nothing of it.
fn edited(statement: &DiagnosedInstruction<'_>, fix: &Fix) -> Option<String> {
    let end = statement.base + statement.text.len();
    let mut edits: Vec<(Range<usize>, &str)> = Vec::new();
    for edit in &fix.edits {
        if let FixEdit::Replace(range, text) = edit
            && statement.base <= range.start
            && range.end <= end
        {
            edits.push((range.start - statement.base..range.end - statement.base, text));
        }
    }
    edits.sort_by_key(|(range, _)| (range.start, range.end));
    (!edits.is_empty()).then(|| statement.with(&edits))
}

/// The parts of a text that is one instruction; `None` for several, such as an instruction with a conversion before it.
fn parts_of(text: &str) -> Option<InstructionParts> {
    let snapshot = Snapshot::new(text);
    let root = snapshot.root_at(0);
    let mut instructions =
        ptx_syntax::walk::named_children(root).filter(|n| n.kind_id() == ptx_syntax::kinds().instruction);
    let only = instructions.next()?;
    if instructions.next().is_some() {
        return None;
    }
    let source = ptx_analysis::ItemSource { text, base: 0 };
    Some(InstructionParts::of(&ptx_analysis::lower::instruction(source, only)?, text))
}

/// Whether no modifier is new that only the assembler knows.
fn keeps_to_the_manual(before: &InstructionParts, after: &InstructionParts) -> bool {
    let modifiers: Vec<&str> = after.modifiers.iter().map(String::as_str).collect();
    let opcode = after.mnemonic.split('.').next().and_then(|name| ISA.opcode(name));
    let Some(entry) = opcode.and_then(|opcode| opcode.entry(&modifiers)) else { return true };
    let slots = || entry.forms.iter().flat_map(|form| form.slots);
    let is_documented = |modifier: &str| slots().any(|slot| slot.documented().any(|value| value == modifier));
    let is_tolerated =
        |modifier: &str| slots().any(|slot| slot.tolerated.contains(&modifier)) && !is_documented(modifier);
    !modifiers.iter().any(|new| !before.modifiers.iter().any(|old| old == new) && is_tolerated(new))
}

/// Whether each state space stays, or is written more exactly: `.shared::cluster` for `.shared`. Where an address points does not follow
/// from other modifiers.
fn keeps_spaces(before: &InstructionParts, after: &InstructionParts) -> bool {
    let spaces = |parts: &InstructionParts| -> Vec<String> {
        let is_space = |m: &&String| ISA.space(m).is_some();
        parts.modifiers.iter().filter(is_space).map(|m| m.split("::").next().unwrap_or(m).to_owned()).collect()
    };
    let new = spaces(after);
    spaces(before).iter().all(|space| new.contains(space))
}

/// Whether the opcode has state spaces at all.
fn has_spaces(parts: &InstructionParts) -> bool {
    let opcode = parts.mnemonic.split('.').next().and_then(|name| ISA.opcode(name));
    let mut slots = opcode.iter().flat_map(|o| o.entries).flat_map(|e| e.forms).flat_map(|f| f.slots);
    slots.any(|slot| slot.values.iter().any(|value| ISA.space(value).is_some()))
}

/// Whether a state space itself may be the mistake.
fn is_about_space(statement: &DiagnosedInstruction<'_>) -> bool {
    statement.diagnostic.code() == Code::StateSpace
}

/// Whether an operand more is one that the author implied, and is read only if it is a value.
fn fills_in_nothing(statement: &DiagnosedInstruction<'_>, before: &InstructionParts, after: &InstructionParts) -> bool {
    if after.operands.len() <= before.operands.len() {
        return true;
    }
    let mut left = before.operands.clone();
    let mut added: Vec<(usize, &OperandText)> = Vec::new();
    for (place, operand) in after.operands.iter().enumerate() {
        match left.iter().position(|o| o == operand) {
            Some(same) => drop(left.remove(same)),
            None => added.push((place, operand)),
        }
    }
    let modifiers: Vec<&str> = after.modifiers.iter().map(String::as_str).collect();
    let implied = |operand: &OperandText| {
        let rows = ptx_isa::VALUES.iter().filter(|row| row.implied && row.is_of(&after.mnemonic, &modifiers));
        rows.into_iter().any(|row| literal::integer(row.value) == operand.value)
    };
    // An operand that stands for two, as in `add.u32 %r1, %r2` read as `%r1 += %r2`, would read what nothing has written.
    let repeats = after.operands.len() - before.operands.len() != added.len();
    let numbers = added.iter().filter(|(_, operand)| operand.is_number);
    let certain = || statement.missing_operand_is_certain() || after.mnemonic != before.mnemonic;
    !repeats && numbers.into_iter().all(|(_, operand)| implied(operand) && certain())
}
