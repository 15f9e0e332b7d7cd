//! Refuses operands with a part that would be ignored.

use super::DecodeContext;
use crate::machine::code::DecodeRefusal;
use ptx_flow::flow::{FlowOperand, OperandRole, OperandValue};
use ptx_isa::Exec;
use ptx_isa::tables::TypeClass;
use ptx_sema::hir::types::TypeId;

impl DecodeContext<'_> {
    /// Refuses the instruction if an operand has an offset, a sign, a negation or a selector that its decoder does not look at: with the
    /// part ignored, the result would be wrong without a message.
    pub(crate) fn check_operands(&self) -> Result<(), DecodeRefusal> {
        self.leaves().try_for_each(|operand| self.check_operand(operand))
    }

    fn check_operand(&self, operand: &FlowOperand) -> Result<(), DecodeRefusal> {
        let ty = self.type_of(operand);
        let class = ty.map(|t| t.info().class);
        let predicate = class == Some(TypeClass::Pred);
        match operand.offset {
            None => return Err("an offset whose value is not known".into()),
            Some(0) => {}
            Some(_) if self.adds_offset(operand) => {}
            Some(_) => {
                let name = ty.map_or("this operand", |t| t.name());
                return Err(format!(
                    "a number is added to {name}: this is executed for addresses and for integers of up to 64 bits"
                )
                .into());
            }
        }
        if operand.negated && !predicate {
            return Err("`!` before an operand that is not a predicate".into());
        }
        let signed = match operand.value {
            OperandValue::Integer(_) => true,
            _ => self.exec() == Some(Exec::VideoVmad),
        };
        if operand.minus && !signed {
            return Err("a sign before an operand of an instruction that takes none".into());
        }
        let selects = operand.spec.is_some_and(|s| !s.select.is_empty());
        if matches!(operand.value, OperandValue::Part(..)) && !selects {
            return Err("a selector on an operand of an instruction that takes none".into());
        }
        Ok(())
    }

    /// The declared type of the register in an operand, or the type that the form gives a constant.
    fn type_of(&self, operand: &FlowOperand) -> Option<TypeId> {
        match operand.value {
            OperandValue::Register(slot) | OperandValue::Part(slot, _) | OperandValue::Registers(slot, _) => {
                Some(self.function.declaration(slot).ty)
            }
            OperandValue::Special(register, _) => TypeId::of(register.ty),
            _ => operand.ty,
        }
    }

    /// Whether the number that is added to an operand is part of its value. ptxas accepts it after any register. For integers of up to 64
    /// bits it writes an addition of the register's width; for other types it crashes or writes code without the addition.
    fn adds_offset(&self, operand: &FlowOperand) -> bool {
        let whole = || {
            self.type_of(operand)
                .map(|t| t.info())
                .is_some_and(|t| matches!(t.class, TypeClass::Bits | TypeClass::Uint | TypeClass::Sint) && t.bits <= 64)
        };
        match operand.value {
            OperandValue::Variable(_) | OperandValue::Integer(_) => true,
            OperandValue::Register(_) | OperandValue::Special(..) => {
                operand.role == OperandRole::Address || !operand.writes() && whole()
            }
            _ => false,
        }
    }
}
