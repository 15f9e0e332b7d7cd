//! Which variables, buffers and parameters the address in a register comes from.
//!
//! The analysis is one of a function as a whole: a register has the origins of everything that is written to it. Arithmetic passes origins
//! on; a number, such as an index, adds none. Where a register may hold an address that is not known – one that was loaded from memory, or a
//! parameter of a function – it has no origins, and accesses through it are not checked.

use crate::machine::code::{Executable, body_name};

use crate::machine::layout::VariableLocation;
use crate::machine::origins::{AddressOrigin, OriginSet, Origins};
use crate::memory::Window;
use ptx_flow::flow::{FlowFunction, FlowOperand, OperandRole, OperandValue};
use ptx_isa::Exec;
use ptx_sema::hir::symbols::VariableOrigin;

/// How often all instructions are looked at, at most. A function that needs more is not checked.
const MAX_ROUNDS: usize = 16;

/// What is known of the value of a register.
#[derive(Debug, Clone, PartialEq, Eq)]
enum AddressValue {
    /// Nothing was written to it yet.
    Unseen,
    /// A number, not an address.
    Number,
    /// An address with these origins.
    Address(OriginSet),
    /// Any value.
    Any,
}

impl AddressValue {
    /// The result of arithmetic on two values.
    fn combine(self, other: Self) -> Self {
        match (self, other) {
            (Self::Unseen, _) | (_, Self::Unseen) => Self::Unseen,
            (Self::Number, x) | (x, Self::Number) => x,
            (Self::Address(mut a), Self::Address(b)) => {
                a.extend(b);
                Self::Address(a)
            }
            // An index that was loaded from memory is not a pointer into shared memory; a pointer to global memory may be loaded.
            (Self::Any, Self::Address(a)) | (Self::Address(a), Self::Any)
                if a.iter().all(|o| matches!(o, AddressOrigin::Shared(..))) =>
            {
                Self::Address(a)
            }
            _ => Self::Any,
        }
    }

    /// The value of a register that holds one or the other.
    fn join(self, other: Self) -> Self {
        match (self, other) {
            (Self::Unseen, x) | (x, Self::Unseen) => x,
            (Self::Number, Self::Number) => Self::Number,
            (Self::Address(mut a), Self::Address(b)) => {
                a.extend(b);
                Self::Address(a)
            }
            _ => Self::Any,
        }
    }
}

/// The analysis of one function.
struct OriginAnalysis<'a> {
    executable: &'a Executable,
    function: &'a FlowFunction,
    /// The index of the function in the program.
    index: usize,
    values: Vec<AddressValue>,
}

/// Whether an operand is the address of an access.
fn in_brackets(operand: &FlowOperand) -> bool {
    operand.role == OperandRole::Address
}

impl OriginAnalysis<'_> {
    /// The address of a variable.
    fn variable(&self, variable: u32) -> AddressValue {
        let Some(info) = self.function.variables.get(variable as usize) else { return AddressValue::Any };
        if info.symbol.origin == VariableOrigin::KernelParameter {
            return AddressValue::Any;
        }
        let own = body_name(self.index, variable as usize);
        let name = if info.range.is_empty() { &info.name } else { &own };
        match self.executable.variables.get(name) {
            Some(VariableLocation { address, window: Some(Window::Shared), bytes }) => {
                let end = if *bytes == 0 { u64::MAX } else { address.saturating_add(*bytes) };
                AddressValue::Address([AddressOrigin::Shared(*address, end)].into())
            }
            Some(VariableLocation { address, window: None, bytes }) if *bytes > 0 => {
                AddressValue::Address([AddressOrigin::Global(*address, address.saturating_add(*bytes))].into())
            }
            _ => AddressValue::Any,
        }
    }

    fn operand(&self, operand: &FlowOperand) -> AddressValue {
        match operand.value {
            OperandValue::Variable(variable) => self.variable(variable),
            OperandValue::Register(_) | OperandValue::Part(..) | OperandValue::Registers(..) => operand
                .slots()
                .map(|slot| self.values.get(slot.index()).cloned().unwrap_or(AddressValue::Any))
                .fold(AddressValue::Number, AddressValue::combine),
            OperandValue::Function(_) | OperandValue::Unknown => AddressValue::Any,
            _ => AddressValue::Number,
        }
    }

    /// The value that an instruction writes to all its results.
    fn result(&self, index: usize) -> AddressValue {
        let exec = self.function.chosen(index).exec();
        let operands = self.function.operands_of(index);
        let sources = || operands.iter().filter(|o| o.reads() && !o.writes());
        match exec {
            Some(Exec::MemoryLd | Exec::MemoryLdNc | Exec::MemoryLdu) => self.loaded(operands),
            Some(Exec::CompareSelp | Exec::CompareSlct) => {
                sources().map(|o| self.operand(o)).fold(AddressValue::Unseen, AddressValue::join)
            }
            Some(Exec::ControlCall) | None => AddressValue::Any,
            Some(_) if operands.iter().any(in_brackets) => self.narrow(operands).unwrap_or(AddressValue::Any),
            Some(_) => sources().map(|o| self.operand(o)).fold(AddressValue::Number, AddressValue::combine),
        }
    }

    /// A number, if the results are too narrow for a generic address.
    fn narrow(&self, operands: &[FlowOperand]) -> Option<AddressValue> {
        let width = u16::from(self.executable.address_bytes()) * 8;
        let wide = |o: &FlowOperand| o.writes() && o.ty.is_none_or(|t| t.info().bits >= width);
        (!operands.iter().any(wide)).then_some(AddressValue::Number)
    }

    /// The value that a load gives: the address of a buffer if it reads a parameter of the kernel.
    fn loaded(&self, operands: &[FlowOperand]) -> AddressValue {
        if let Some(number) = self.narrow(operands) {
            return number;
        }
        let Some(address) = operands.iter().find(|o| in_brackets(o)) else { return AddressValue::Any };
        let parameter = match address.value {
            OperandValue::Variable(v) => self.function.variables.get(v as usize),
            _ => None,
        };
        let entry = self.executable.program.functions.get(self.executable.entry as usize);
        let (Some(info), Some(entry), 1) = (parameter, entry, operands.iter().filter(|o| o.writes()).count()) else {
            return AddressValue::Any;
        };
        if info.symbol.origin != VariableOrigin::KernelParameter {
            return AddressValue::Any;
        }
        let found = entry.parameters.iter().position(|p| p.name == info.name);
        match found.and_then(|i| self.executable.parameters.get(i)).zip(address.offset) {
            Some(((at, _), offset)) => {
                AddressValue::Address([AddressOrigin::Parameter(u64::from(*at).wrapping_add(offset as u64))].into())
            }
            None => AddressValue::Any,
        }
    }

    /// Repeats the transfer of all instructions until nothing changes. Returns false if that takes too long.
    fn solve(&mut self) -> bool {
        for _ in 0..MAX_ROUNDS {
            let mut next = vec![AddressValue::Unseen; self.values.len()];
            for index in 0..self.function.instructions.len() {
                let writes = self.function.writes(index);
                if writes.is_empty() {
                    continue;
                }
                let result = self.result(index);
                for used in writes {
                    if let Some(value) = next.get_mut(used.slot.index()) {
                        *value = std::mem::replace(value, AddressValue::Unseen).join(result.clone());
                    }
                }
            }
            // What nothing writes has its value from elsewhere.
            let written = |slot: usize, value: &mut AddressValue| {
                if *value == AddressValue::Unseen && self.values.get(slot) == Some(&AddressValue::Any) {
                    *value = AddressValue::Any;
                }
            };
            next.iter_mut().enumerate().for_each(|(slot, value)| written(slot, value));
            if next == self.values {
                return true;
            }
            self.values = next;
        }
        false
    }
}

/// Finds the origins of the addresses in a function. Adds sets that are new to `sets`.
pub(super) fn origins(
    executable: &Executable,
    function: &FlowFunction,
    index: usize,
    sets: &mut Vec<OriginSet>,
) -> Origins {
    let mut values = vec![AddressValue::Any; function.registers.len()];
    for instruction in 0..function.instructions.len() {
        for used in function.writes(instruction) {
            if let Some(value) = values.get_mut(used.slot.index()) {
                *value = AddressValue::Unseen;
            }
        }
    }
    let mut analysis = OriginAnalysis { executable, function, index, values };
    if !analysis.solve() {
        return Origins::default();
    }
    let mut number = |value: &AddressValue| match value {
        AddressValue::Address(set) => {
            let at = sets.iter().position(|s| s == set).unwrap_or_else(|| {
                sets.push(set.clone());
                sets.len() - 1
            });
            Some(at as u32)
        }
        _ => None,
    };
    let registers = analysis.values.iter().map(&mut number).collect();
    let variables = (0..function.variables.len() as u32).map(|v| number(&analysis.variable(v))).collect();
    Origins { registers, variables }
}
