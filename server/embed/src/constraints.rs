//! What constraints, register classes and types of operands mean, from the tables (`constraints.tsv`).

use crate::model::{Kind, Operand, Statement};
use crate::raw::Form;
use ptx_isa::ASM_CONSTRAINTS;
use ptx_isa::tables::{AsmConstraint, ConstraintKind, NvccSupport};

/// The marks before a constraint's letter.
const MARKS: [char; 4] = ['=', '+', '&', '%'];

/// The kinds of registers, with their types.
const REGISTERS: [(Kind, &str); 7] = [
    (Kind::B16, ".b16"),
    (Kind::B32, ".b32"),
    (Kind::B64, ".b64"),
    (Kind::B128, ".b128"),
    (Kind::F32, ".f32"),
    (Kind::F64, ".f64"),
    (Kind::Pred, ".pred"),
];

impl Kind {
    /// The type of the register; `None` for a constant.
    #[must_use]
    pub fn register_type(self) -> Option<&'static str> {
        REGISTERS.iter().find(|(kind, _)| *kind == self).map(|(_, ty)| *ty)
    }

    fn of(constraint: &AsmConstraint) -> Option<Self> {
        match constraint.kind {
            ConstraintKind::Register(ty) => REGISTERS.iter().find(|(_, name)| *name == ty).map(|(kind, _)| *kind),
            ConstraintKind::Constant => Some(Self::Constant),
            ConstraintKind::Text => None,
        }
    }
}

/// The letters of a constraint, without its marks.
pub(crate) fn letters(constraint: &str) -> &str {
    constraint.trim_start_matches(MARKS)
}

/// The kind of a constraint. `None` where it is wrong or unknown, and for text.
pub(crate) fn kind_of(constraint: &str) -> Option<Kind> {
    ptx_isa::asm_constraint(letters(constraint)).and_then(Kind::of)
}

/// The kind of a register class of Rust.
pub(crate) fn kind_of_class(class: &str) -> Option<Kind> {
    ASM_CONSTRAINTS.iter().find(|c| !c.class.is_empty() && c.class == class).and_then(Kind::of)
}

/// The letter for a type of the CuTe DSL.
pub(crate) fn letter_of_type(name: &str) -> Option<&'static str> {
    let name = name.rsplit('.').next()?;
    ASM_CONSTRAINTS.iter().find(|c| c.types.contains(&name)).map(|c| c.letter)
}

/// The register classes of Rust.
pub(crate) fn classes() -> Vec<&'static str> {
    ASM_CONSTRAINTS.iter().map(|c| c.class).filter(|class| !class.is_empty()).collect()
}

/// The letters that nvcc documents.
pub(crate) fn nvcc() -> Vec<&'static str> {
    ASM_CONSTRAINTS.iter().filter(|c| c.nvcc == NvccSupport::Documented).map(|c| c.letter).collect()
}

/// Whether nvcc takes a letter, documented or not.
pub(crate) fn is_nvcc(letter: &str) -> bool {
    ptx_isa::asm_constraint(letter).is_some_and(|c| c.nvcc != NvccSupport::No)
}

/// The letters that `ptx_asm!` takes; an output is a register.
pub(crate) fn ptx_asm(output: bool) -> Vec<&'static str> {
    let fits = |c: &&AsmConstraint| c.ptx_asm && (!output || matches!(c.kind, ConstraintKind::Register(_)));
    ASM_CONSTRAINTS.iter().filter(fits).map(|c| c.letter).collect()
}

/// A list for a message: `` `h`, `r` or `l` ``.
pub(crate) fn listed(words: &[&str], conjunction: &str) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    match words.as_slice() {
        [rest @ .., last] if !rest.is_empty() && !conjunction.is_empty() => {
            format!("{} {conjunction} {last}", rest.join(", "))
        }
        _ => words.join(", "),
    }
}

impl Statement {
    /// What the host writes for an operand of this size in place of the constraint of `operand`: ``the constraint `"=l"` ``. `None` if
    /// the host has no register of the size.
    #[must_use]
    pub fn sized_operand(&self, operand: &Operand, bits: u16, float: bool) -> Option<String> {
        let is_known = |c: &&AsmConstraint| match self.form {
            Form::Asm => c.nvcc == NvccSupport::Documented,
            Form::PtxAsm => c.ptx_asm,
            Form::RustAsm => !c.class.is_empty(),
            Form::InlinePtx => !c.types.is_empty(),
            Form::LlvmIr | Form::LlvmInlineAsm | Form::Elementwise | Form::Julia => c.llvm,
        };
        let of_type = |ty: &str| {
            let is_type = |c: &&AsmConstraint| matches!(c.kind, ConstraintKind::Register(name) if name == ty);
            ASM_CONSTRAINTS.iter().filter(is_known).find(is_type)
        };
        let number = float.then(|| of_type(&format!(".f{bits}"))).flatten();
        let constraint = number.or_else(|| of_type(&format!(".b{bits}")))?;
        let written = operand.constraint.text.as_str();
        let marks = &written[..written.len() - letters(written).len()];
        Some(match self.form {
            Form::RustAsm => format!("the register class `{}`", constraint.class),
            Form::InlinePtx => format!("the type `{}`", constraint.types.first()?),
            Form::Asm | Form::PtxAsm => format!("the constraint `\"{marks}{}\"`", constraint.letter),
            _ => format!("the constraint `{marks}{}`", constraint.letter),
        })
    }
}
