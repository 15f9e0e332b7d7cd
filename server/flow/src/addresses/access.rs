//! The accesses of lanes to memory: space, size and address of each.

use super::build::Builder;
use super::node::NodeId;
use crate::flow::addresses::base;
use crate::flow::{FlowFunction, FlowOperand, OperandRole, OperandValue};
use ptx_isa::Exec;
use ptx_isa::tables::{ByteCount, Length, Spaces, ValueKind};

/// The effect of an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AccessEffect {
    /// It reads the bytes.
    Load,
    /// It writes the bytes.
    Store,
    /// It reads, changes and writes the bytes, as one access.
    Update,
}

/// An operand through which each lane accesses memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    /// The index of the instruction.
    pub instruction: u32,
    /// The index of the operand, in written order.
    pub operand: u8,
    /// The state space, without its sub-space; `None` for a generic address.
    pub space: Option<&'static str>,
    /// The effect.
    pub effect: AccessEffect,
    /// The number of bytes that each lane accesses.
    pub bytes: u32,
    /// The address.
    pub address: NodeId,
    /// Whether the instruction has a guard, so that not all lanes may execute it.
    pub guarded: bool,
}

/// Appends the accesses of an instruction whose lanes access memory by themselves: loads, stores, atomics and `cp.async`.
pub(super) fn accesses(builder: &mut Builder<'_>, index: usize, out: &mut Vec<Access>) {
    let function = builder.function;
    let Some(exec) = function.chosen(index).exec() else { return };
    let update = match exec {
        Exec::MemoryLd | Exec::MemoryLdNc | Exec::MemoryLdu | Exec::MemorySt | Exec::AsyncCp => false,
        Exec::AtomicAtom
        | Exec::AtomicCas
        | Exec::AtomicExch
        | Exec::AtomicAtomVector
        | Exec::AtomicRed
        | Exec::AtomicRedVector => true,
        _ => return,
    };
    let guarded = function.instructions[index].guard.is_some();
    for operand in function.operands_of(index).iter().filter(|o| o.role == OperandRole::Address) {
        let Some(access) = operand.memory() else { continue };
        let effect = match access {
            _ if update => AccessEffect::Update,
            _ if exec == Exec::AsyncCp && operand.place == 0 => AccessEffect::Store,
            ptx_isa::tables::OperandAccess::Read => AccessEffect::Load,
            _ => AccessEffect::Store,
        };
        let (Some(space), Some(bytes)) = (space(function, index, operand), bytes(function, index, operand)) else {
            continue;
        };
        let width = match operand.value {
            OperandValue::Register(slot) => builder.width(slot),
            _ => Some(64),
        };
        let Some(address) = width.and_then(|w| builder.value(operand, w)) else { continue };
        let (instruction, operand) = (index as u32, operand.place);
        out.push(Access { instruction, operand, space, effect, bytes, address, guarded });
    }
}

/// The state space of an address operand: `Some(None)` for a generic address, `None` for the memory of other CTAs or an unknown space.
fn space(function: &FlowFunction, index: usize, operand: &FlowOperand) -> Option<Option<&'static str>> {
    let ValueKind::Address(spaces) = operand.spec?.kind else { return None };
    let chosen = function.chosen(index);
    let named = match spaces {
        Spaces::Generic => None,
        Spaces::Slot(slot) => chosen.values.get(usize::from(slot)).copied().flatten(),
        Spaces::Named([one]) => Some(*one),
        Spaces::Named(_) => return None,
    };
    match named {
        None => Some(None),
        Some(name) if name.ends_with("::cluster") => None,
        Some(name) => Some(Some(base(name))),
    }
}

/// The number of bytes that an access through this operand touches.
fn bytes(function: &FlowFunction, index: usize, operand: &FlowOperand) -> Option<u32> {
    let spec = operand.spec?;
    let chosen = function.chosen(index);
    let count = match spec.length {
        Length::Scalar => 1,
        Length::Fixed(count) => u32::from(count),
        Length::Slot(slot) => match chosen.values.get(usize::from(slot)).copied().flatten() {
            Some(name) => name.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().ok()?,
            None => 1,
        },
        _ => return None,
    };
    match spec.bytes {
        ByteCount::Natural => Some(u32::from(operand.ty?.info().bits.div_ceil(8)) * count),
        ByteCount::Fixed(bytes) => Some(bytes),
        ByteCount::Operand(name) => {
            let number = function.operands_of(index).iter().find(|o| o.spec.is_some_and(|s| s.name == name))?;
            match number.value {
                OperandValue::Integer(bytes) => u32::try_from(bytes).ok(),
                _ => None,
            }
        }
    }
}
