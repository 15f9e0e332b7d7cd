//! The operands of an instruction as hover shows them, and the role of one.

use crate::describe;
use crate::excerpt::one_line;
use ptx_analysis::literal;
use ptx_analysis::{ConstantValue, Instruction, Operand, OperandKind};
use ptx_analysis::{OperandPattern, OperandSpec, OperandVariant};
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
    /// A sentence about the role: `` Here: `a` of `add.f32` – read: `.f32` ``.
    pub fn role(&self) -> String {
        let what = describe::with_note(self.note, &describe::operand(&self.spec));
        format!("Here: `{}` of `{}` – {what}", self.spec.value.name, self.written)
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

/// The value of an integer operand.
pub fn integer(operand: &Operand<'_>) -> Option<i128> {
    match operand.kind {
        OperandKind::Integer(text) => literal::integer(text),
        OperandKind::Constant(ConstantValue::Integer(value)) => value,
        _ => None,
    }
}
