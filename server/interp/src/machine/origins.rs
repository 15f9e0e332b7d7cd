//! The variables, buffers and parameters that addresses come from, as decoding found them.

use ptx_flow::flow::{FlowOperand, OperandValue};
use std::collections::BTreeSet;
use std::ops::Range;

/// What an address may point into.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum AddressOrigin {
    /// A variable in shared memory: its offsets. Dynamic shared memory has no end.
    Shared(u64, u64),
    /// A variable in global memory: its addresses.
    Global(u64, u64),
    /// The buffer whose address is in the parameters of the kernel, at this byte offset.
    Parameter(u64),
}

/// The origins of an address; never empty.
pub type OriginSet = BTreeSet<AddressOrigin>;

/// The origins of the addresses in the registers of a function, and of its variables.
#[derive(Debug, Default)]
pub struct Origins {
    /// For each register, the index of its origins in [`Executable::origins`](crate::machine::code::Executable::origins).
    pub(crate) registers: Vec<Option<u32>>,
    /// The same for each variable of [`FlowFunction::variables`](ptx_flow::flow::FlowFunction::variables).
    pub(crate) variables: Vec<Option<u32>>,
}

impl Origins {
    /// The index of the origins of an address operand in [`Executable::origins`].
    pub fn of(&self, operand: &FlowOperand) -> Option<u32> {
        match operand.value {
            OperandValue::Register(slot) => self.registers.get(slot.index()).copied().flatten(),
            OperandValue::Variable(variable) => self.variables.get(variable as usize).copied().flatten(),
            _ => None,
        }
    }
}

/// The ranges that an address may point into, in one run.
#[derive(Debug, Clone, Default)]
pub struct OriginBounds {
    /// Offsets in shared memory; empty if the address is not checked there.
    pub shared: Box<[Range<u64>]>,
    /// Addresses in global memory; empty if the address is not checked there.
    pub global: Box<[Range<u64>]>,
}

impl OriginBounds {
    /// The ranges of a set of origins. `buffer`: the buffer whose address is at an offset of the parameters.
    pub fn new(set: &OriginSet, buffer: impl Fn(u64) -> Option<Range<u64>>) -> Self {
        let shared = set.iter().filter_map(|o| match o {
            AddressOrigin::Shared(start, end) => Some(*start..*end),
            _ => None,
        });
        let global = set.iter().filter_map(|o| match o {
            AddressOrigin::Shared(..) => None,
            AddressOrigin::Global(start, end) => Some(*start..*end),
            AddressOrigin::Parameter(at) => buffer(*at),
        });
        Self { shared: shared.collect(), global: global.collect() }
    }
}
