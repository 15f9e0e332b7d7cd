//! Registers that all have another type than the instruction: most likely its type is wrong, not each of them.

use crate::diagnostic::Diagnostic;
use crate::rules::operand_type;
use ptx_isa::ISA;
use ptx_isa::tables::{Opcode, TypeClass};
use ptx_sema::forms::choose::{VariantFit, choose};
use ptx_sema::forms::mnemonic::resolve_fitting;
use ptx_sema::forms::operands::{MismatchKind, NameLookup, OperandMismatch};
use ptx_sema::hir::ast::Instruction;
use ptx_sema::hir::types::TypeId;

/// The report, if all mismatches are registers of one type, and the instruction with that type fits.
pub(super) fn report(
    instruction: &Instruction<'_>,
    mismatches: &[OperandMismatch],
    opcode: &'static Opcode,
    names: &dyn NameLookup,
    written: &str,
) -> Option<Diagnostic> {
    let register = |mismatch: &OperandMismatch| match &mismatch.kind {
        MismatchKind::RegisterType(_, ty) => Some(*ty),
        _ => None,
    };
    let ty = register(mismatches.first()?)?;
    if mismatches.len() < 2 || !mismatches.iter().all(|mismatch| register(mismatch) == Some(ty)) {
        return None;
    }
    let mut types = instruction.modifiers.iter().enumerate().filter(|(_, m)| ISA.ty(m.text).is_some());
    let (index, modifier) = types.next().filter(|_| types.next().is_none())?;
    let own = TypeId::of(modifier.text)?;
    let wanted = of_class(own, ty)?;
    let mut modifiers: Vec<&str> = instruction.modifiers.iter().map(|m| m.text).collect();
    modifiers[index] = wanted;
    let mnemonic = resolve_fitting(opcode, &modifiers)?;
    let chosen = choose(instruction, &mnemonic, &[], names)?;
    let whole: String = std::iter::once(opcode.name).chain(modifiers.iter().copied()).collect();
    matches!(chosen.fit, VariantFit::Fits)
        .then(|| operand_type::all_registers(mismatches, ty, (modifier.range(), wanted), (written, &whole)))
}

/// The type of an instruction for registers of a type: integers keep their sign, untyped registers the class of the written type.
fn of_class(own: TypeId, registers: TypeId) -> Option<&'static str> {
    let (own, info) = (own.info(), registers.info());
    let letter = match (info.class, own.class) {
        (TypeClass::Bits, TypeClass::Float) => "f",
        (TypeClass::Bits, TypeClass::Sint) => "s",
        (TypeClass::Bits, TypeClass::Uint) => "u",
        _ => return Some(info.name),
    };
    let name = format!(".{letter}{}", info.bits);
    ISA.ty(&name).map(|ty| ty.name)
}
