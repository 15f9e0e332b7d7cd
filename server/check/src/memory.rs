//! Checks memory operands whose address is a named variable: the access must be aligned and inside the variable. The assembler
//! checks neither. An address in a register must be wide enough.

use crate::diagnostic::Diagnostic;
use crate::rules::narrow_address::AddressRegister;
use crate::rules::out_of_bounds::{AccessSize, VariableAccess};
use crate::rules::{misaligned_address, narrow_address, out_of_bounds};
use ptx_isa::ISA;
use ptx_isa::tables::{ByteCount, Entry, ValueKind};
use ptx_sema::forms::operands::NameLookup;
use ptx_sema::forms::spec::{OperandPattern, OperandSpec, OperandVariant};
use ptx_sema::hir::ast::{ConstantValue, Instruction, Operand, OperandKind};
use ptx_sema::hir::literal;
use ptx_sema::hir::symbols::{Symbol, VariableSymbol};
use ptx_sema::target::Environment;
use std::ops::Range;

/// Checks the memory operands of an instruction that fits its form.
pub(crate) fn check(
    instruction: &Instruction<'_>,
    text: &str,
    entry: &'static Entry,
    variant: &OperandVariant,
    environment: &Environment,
    names: &dyn NameLookup,
    out: &mut Vec<Diagnostic>,
) {
    for (operand, (_, shape)) in instruction.operands.iter().zip(&variant.operands) {
        let OperandPattern::Address(specs) = shape else { continue };
        for (part, spec) in
            parts(operand).iter().zip(specs).filter(|(_, s)| matches!(s.value.kind, ValueKind::Address(_)))
        {
            let Some((name, offset)) = base(part) else { continue };
            match names.look_up(name) {
                Some(Symbol::Variable(variable)) => {
                    let Some(offset) = offset.map(|o| o.bytes(&variable)) else { continue };
                    let written = text.get(part.range.clone()).unwrap_or(name);
                    let place = VariableAccess { range: part.range.clone(), name, variable, offset, written };
                    let access = access(instruction, variant, spec);
                    // If both are wrong, out of bounds is the worse problem.
                    let outside = out_of_bounds::check(&place, &access);
                    out.extend(outside.or_else(|| misaligned_address::check(&place, &access)));
                }
                Some(Symbol::Register { ty, elements: 1 }) => {
                    let written = text.get(instruction.mnemonic_range()).unwrap_or(entry.name);
                    let register = AddressRegister { instruction, written, entry, spec, name, ty };
                    out.extend(narrow_address::check(part.range.clone(), &register, environment));
                }
                _ => {}
            }
        }
    }
}

/// The parts of an address operand. Without brackets there is one: the operand itself.
fn parts<'o, 't>(operand: &'o Operand<'t>) -> &'o [Operand<'t>] {
    match &operand.kind {
        OperandKind::Address(parts) => parts,
        _ => std::slice::from_ref(operand),
    }
}

/// A distance from the beginning of a variable.
#[derive(Debug, Clone, Copy)]
enum Distance {
    Bytes(i128),
    /// `var[3]` counts in elements, in a vector too.
    Elements(i128),
}

impl Distance {
    fn bytes(self, variable: &VariableSymbol) -> i128 {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Elements(count) => count * variable.ty.map_or(0, |t| i128::from(t.info().bits.div_ceil(8))),
        }
    }
}

/// The name at the base of an address and the distance from it, which is `None` if it is not a known constant.
fn base<'t>(part: &Operand<'t>) -> Option<(&'t str, Option<Distance>)> {
    match &part.kind {
        OperandKind::Name(name) => Some((name, Some(Distance::Bytes(0)))),
        OperandKind::Index(object, index) => match object.kind {
            OperandKind::Name(name) => Some((name, index.map(Distance::Elements))),
            _ => None,
        },
        OperandKind::Offset(both, false) => match both.0.kind {
            OperandKind::Name(name) => Some((name, constant(&both.1).map(Distance::Bytes))),
            _ => None,
        },
        _ => None,
    }
}

/// The value of an operand, if it is an integer constant.
fn constant(operand: &Operand<'_>) -> Option<i128> {
    match &operand.kind {
        OperandKind::Integer(text) => literal::integer(text),
        OperandKind::Constant(ConstantValue::Integer(value)) => *value,
        OperandKind::Name(name) => ISA.constant(name).map(|c| c.value.into()),
        OperandKind::Arguments(list) => match list.as_slice() {
            [one] => constant(one),
            _ => None,
        },
        _ => None,
    }
}

/// Size and alignment of the access according to the tables. An operand of the instruction may give the number of bytes.
fn access(instruction: &Instruction<'_>, variant: &OperandVariant, spec: &OperandSpec) -> AccessSize {
    let elements = spec.lengths.first().map_or(1, |n| i128::from(*n));
    let natural = spec.ty.map(|t| i128::from(t.info().bits.div_ceil(8)) * elements);
    let known = |bytes: ByteCount| match bytes {
        ByteCount::Natural => natural,
        ByteCount::Fixed(bytes) => Some(bytes.into()),
        ByteCount::Operand(name) => {
            let mut both = instruction.operands.iter().zip(&variant.operands);
            let of = |shape: &OperandPattern| matches!(shape, OperandPattern::Value(spec) if spec.value.name == name);
            both.find(|(_, (_, shape))| of(shape)).and_then(|(operand, _)| constant(operand))
        }
    };
    let bytes = known(spec.value.bytes);
    AccessSize { bytes, align: known(spec.value.align).unwrap_or(1), kept: kept(instruction, elements, bytes) }
}

/// The bytes of an access that a list of registers keeps: all but those at its beginning and end that go to `_`.
fn kept(instruction: &Instruction<'_>, elements: i128, bytes: Option<i128>) -> Option<Range<i128>> {
    let whole = 0..bytes?;
    let list = instruction.operands.iter().find_map(|operand| match &operand.kind {
        OperandKind::Vector(list) if list.len() as i128 == elements => Some(list),
        _ => None,
    });
    let Some(list) = list else { return Some(whole) };
    let is_kept = |operand: &Operand<'_>| !matches!(operand.kind, OperandKind::Sink);
    if list.iter().all(is_kept) {
        return Some(whole);
    }
    let (first, last) = (list.iter().position(is_kept)?, list.iter().rposition(is_kept)?);
    let size = whole.end / elements;
    Some(first as i128 * size..(last as i128 + 1) * size)
}
