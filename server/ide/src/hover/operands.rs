//! The operands of an instruction as hover shows them, and the role of one.

use crate::describe;
use crate::excerpt::one_line;
use ptx_analysis::literal;
use ptx_analysis::{ConstantValue, Instruction, Operand, OperandKind};
use ptx_analysis::{OperandPattern, OperandSpec, OperandVariant};
use ptx_isa::tables::ValueKind;
use std::ops::Range;

/// The role of an operand in its instruction.
pub struct Here {
    /// The mnemonic.
    pub written: String,
    /// The spec of the operand.
    pub spec: OperandSpec,
    /// The purpose of the operand.
    pub note: Option<&'static str>,
    /// All operands.
    pub operands: Vec<WrittenOperand>,
    /// The modifiers of the instruction.
    pub modifiers: Vec<&'static str>,
    /// A description of the matrix elements that it holds.
    pub matrix: Option<String>,
    /// For an element of a list: what it is.
    pub element: Option<&'static str>,
}

/// An operand as written.
pub struct WrittenOperand {
    /// Its name in the form.
    pub name: &'static str,
    /// Its text; a long list is cut.
    pub text: String,
    /// Its range in the text of the instruction.
    pub range: Range<usize>,
    /// Its value, if it is an integer.
    pub value: Option<i128>,
    /// Its spec.
    pub spec: OperandSpec,
}

impl Here {
    /// Whether the operand is a function, a label, or a list of them.
    pub fn is_code(&self) -> bool {
        matches!(self.spec.value.kind, ValueKind::Function | ValueKind::Label | ValueKind::Targets)
    }

    /// A sentence about the role: `` Here: `a` of `add.f32` – read: `.f32` ``.
    pub fn role(&self) -> String {
        let what = describe::with_note(self.note, &describe::operand(&self.spec));
        let element = self.element.map_or_else(String::new, |element| format!("**{element}**, an element of "));
        format!("Here: {element}`{}` of `{}` – {what}", self.spec.value.name, self.written)
    }
}

/// Maximum length in characters of an operand's displayed text.
const LONGEST_OPERAND: usize = 40;

/// The operands of an instruction with their names in the form. `text` is the text of the instruction.
pub fn given(instruction: &Instruction<'_>, variant: &OperandVariant, text: &str) -> Vec<WrittenOperand> {
    let mut out = Vec::new();
    for (operand, (_, shape)) in instruction.operands.iter().zip(&variant.operands) {
        let mut add = |spec: &OperandSpec, operand: &Operand<'_>| {
            let mut short = one_line(text.get(operand.range.clone()).unwrap_or(""));
            if let Some((end, _)) = short.char_indices().nth(LONGEST_OPERAND) {
                short.truncate(end);
                short = format!("{} …", short.trim_end());
            }
            let (range, value) = (operand.range.clone(), integer(operand));
            out.push(WrittenOperand { name: spec.value.name, text: short, range, value, spec: *spec });
        };
        match (shape, &operand.kind) {
            (OperandPattern::Value(spec) | OperandPattern::Arguments(spec), _) => add(spec, operand),
            (OperandPattern::Pair(specs), OperandKind::Pair(both)) => {
                add(&specs.0, &both.0);
                add(&specs.1, &both.1);
            }
            (OperandPattern::Address(specs), OperandKind::Address(parts)) => {
                specs.iter().zip(parts).for_each(|(spec, part)| add(spec, part));
            }
            _ => {}
        }
    }
    out
}

/// The index of the element at a range in a list operand of an instruction.
pub fn element_index(instruction: &Instruction<'_>, range: &Range<usize>) -> Option<usize> {
    let covers = |operand: &&Operand<'_>| operand.range.start <= range.start && range.end <= operand.range.end;
    let mut operand = instruction.operands.iter().find(covers)?;
    if let OperandKind::Address(parts) = &operand.kind {
        operand = parts.iter().find(covers)?;
    }
    match &operand.kind {
        OperandKind::Vector(elements) => elements.iter().position(|element| covers(&element)),
        _ => None,
    }
}

/// The value of an integer operand.
pub fn integer(operand: &Operand<'_>) -> Option<i128> {
    match operand.kind {
        OperandKind::Integer(text) => literal::integer(text),
        OperandKind::Constant(ConstantValue::Integer(value)) => value,
        _ => None,
    }
}
