//! NaN results of instructions without a NaN operand. They are searched only if this finding is enabled.

use super::code::{Executable, FunctionCode, LaneGathering, Op};

use super::layout::Slot;
use crate::lanes::{ALL, LANES, LaneMask};
use crate::registers::WarpRegisters;
use ptx_flow::flow::{self, FlowOperand, OperandValue};

/// The lanes in which a source operand is a NaN. For instructions that exchange data between lanes: all lanes if any has one.
pub(super) fn read(
    executable: &Executable,
    code: &FunctionCode,
    op: &Op,
    registers: &WarpRegisters,
    pc: u32,
) -> LaneMask {
    let found = operands(executable, code, registers, pc, FlowOperand::reads);
    if op.together != LaneGathering::Any && found != 0 { ALL } else { found }
}

/// The lanes in which a result is a NaN.
pub(super) fn written(executable: &Executable, code: &FunctionCode, registers: &WarpRegisters, pc: u32) -> LaneMask {
    operands(executable, code, registers, pc, FlowOperand::writes)
}

/// The lanes in which one of the selected operands is a NaN.
fn operands(
    executable: &Executable,
    code: &FunctionCode,
    registers: &WarpRegisters,
    pc: u32,
    wanted: fn(&FlowOperand) -> bool,
) -> LaneMask {
    let Some(function) = executable.function(code.function) else { return 0 };
    let operands = function.operands_of(pc as usize).iter().filter(|o| wanted(o));
    operands.fold(0, |found, operand| found | of(operand, code, registers))
}

/// The lanes in which one operand holds a NaN; none if its type is not a floating-point type.
fn of(operand: &FlowOperand, code: &FunctionCode, registers: &WarpRegisters) -> LaneMask {
    let Some((bits, exponent)) = operand.ty.and_then(|t| number_format(t.info().name)) else { return 0 };
    let (first, count) = match operand.value {
        OperandValue::Register(slot) | OperandValue::Part(slot, _) => (slot, 1),
        OperandValue::Registers(slot, count) => (slot, u32::from(count)),
        OperandValue::Float(bits, single) => {
            let nan = if single { f32::from_bits(bits as u32).is_nan() } else { f64::from_bits(bits).is_nan() };
            return if nan { ALL } else { 0 };
        }
        _ => return 0,
    };
    let mut found = 0;
    for slot in (first.0..first.0 + count).map(flow::RegisterSlot) {
        let Some(Slot::Register(place)) = code.slots.get(slot.0 as usize) else { continue };
        for lane in 0..LANES {
            found |= LaneMask::from(is_nan(registers.lane_bits(*place, lane), bits, exponent)) << lane;
        }
    }
    found
}

/// Whether one of the packed numbers of `bits` bits each is a NaN. A NaN has a larger magnitude than infinity, whose bits are `exponent`.
fn is_nan(value: u128, bits: u32, exponent: u64) -> bool {
    let magnitude = (1u64 << (bits - 1)) - 1;
    (0..128 / bits).any(|i| (value >> (bits * i)) as u64 & magnitude > exponent)
}

/// For a type that consists of floating-point numbers with NaN: the size of a number in bits, and the bits of its infinity.
pub(crate) fn number_format(name: &str) -> Option<(u32, u64)> {
    Some(match name {
        ".f16" | ".f16x2" => (16, 0x7c00),
        ".bf16" | ".bf16x2" => (16, 0x7f80),
        ".f32" | ".f32x2" | ".tf32" => (32, 0x7f80_0000),
        ".f64" => (64, 0x7ff0_0000_0000_0000),
        _ => return None,
    })
}
