//! An instruction as its parts, to be compared before and after a fix.

use ptx_analysis::{ConstantValue, Instruction, Operand, OperandKind, literal};
use ptx_isa::ISA;

/// What is compared before and after a fix.
pub struct InstructionParts {
    /// The instruction as written.
    pub statement: String,
    /// Its opcode with its modifiers.
    pub mnemonic: String,
    /// The modifiers, with their dots.
    pub modifiers: Vec<String>,
    /// The operands.
    pub operands: Vec<OperandText>,
}

/// An operand as written.
#[derive(Clone, PartialEq, Eq)]
pub struct OperandText {
    /// The text.
    pub text: String,
    /// The value of a number.
    pub value: Option<i128>,
    /// Whether it is a number of any kind.
    pub is_number: bool,
}

impl InstructionParts {
    /// The parts of an instruction of a text.
    pub fn of(instruction: &Instruction<'_>, text: &str) -> Self {
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
        let statement = text.get(instruction.range.clone()).unwrap_or("").to_owned();
        Self { statement, mnemonic, operands: instruction.operands.iter().map(operand).collect(), modifiers }
    }
}

/// Whether no modifier is new that only the assembler knows.
pub fn keeps_to_the_manual(before: &InstructionParts, after: &InstructionParts) -> bool {
    let modifiers: Vec<&str> = after.modifiers.iter().map(String::as_str).collect();
    let opcode = after.mnemonic.split('.').next().and_then(|name| ISA.opcode(name));
    let Some(entry) = opcode.and_then(|opcode| opcode.entry(&modifiers)) else { return true };
    let slots = || entry.forms.iter().flat_map(|form| form.slots);
    let is_documented = |modifier: &str| slots().any(|slot| slot.documented().any(|value| value == modifier));
    let is_tolerated =
        |modifier: &str| slots().any(|slot| slot.tolerated.contains(&modifier)) && !is_documented(modifier);
    !modifiers.iter().any(|new| !before.modifiers.iter().any(|old| old == new) && is_tolerated(new))
}
