//! The results of instructions as expressions. The `exec` key of an instruction in the tables names its function.

use super::build::Builder;
use super::node::{NodeId, Operation, SpecialName, Symbol, mask};
use crate::flow::addresses::{base, is_window};
use crate::flow::{FlowOperand, OperandRole, OperandValue};
use ptx_isa::tables::{GridRole, TypeClass};
use ptx_isa::{Exec, Modifier, OperandName};
use ptx_sema::hir::symbols::VariableOrigin;

/// The width of a value and whether it is signed.
#[derive(Debug, Clone, Copy)]
struct IntegerType {
    width: u8,
    signed: bool,
}

impl Builder<'_> {
    /// The value that an instruction writes; `None` if the function of the instruction is not modelled. `place` is the index of the
    /// written register among those of the instruction.
    pub(super) fn result(&mut self, index: usize, place: usize) -> Option<NodeId> {
        let function = self.function;
        let exec = function.chosen(index).exec()?;
        if function.reads_fixed_memory(index) && function.kernel {
            return self.parameter(index, place);
        }
        match exec {
            Exec::MovePack => return self.packed(index),
            Exec::MoveUnpack => return self.part(index, place),
            _ => {}
        }
        let operand = |name: OperandName| {
            let mut found = function.named(index, name);
            found.next().filter(|o| o.role == OperandRole::Plain && found.next().is_none())
        };
        let ty = integer(operand(OperandName::A)?)?;
        let (width, signed) = (ty.width, ty.signed);
        let has = |modifier: Modifier| function.has(index, modifier);
        let of = |builder: &mut Self, name: OperandName| builder.value(operand(name)?, width);
        if has(Modifier::Sat) {
            return None;
        }
        let binary = match exec {
            Exec::LogicAnd => Some(Operation::And),
            Exec::LogicOr => Some(Operation::Or),
            Exec::LogicXor => Some(Operation::Xor),
            Exec::IntegerDiv => Some(Operation::Quotient(signed)),
            Exec::IntegerRem => Some(Operation::Remainder(signed)),
            Exec::IntegerMin if !has(Modifier::Relu) => Some(Operation::Minimum(signed)),
            Exec::IntegerMax if !has(Modifier::Relu) => Some(Operation::Maximum(signed)),
            _ => None,
        };
        if let Some(operation) = binary {
            let (a, b) = (of(self, OperandName::A)?, of(self, OperandName::B)?);
            return self.values.apply(operation, &[a, b], width);
        }
        match exec {
            Exec::MoveMov => of(self, OperandName::A),
            Exec::ConvertInteger => {
                let to = integer(operand(OperandName::D)?)?;
                let a = of(self, OperandName::A)?;
                if to.width <= width { self.values.low(a, to.width) } else { self.values.extend(a, signed, to.width) }
            }
            Exec::IntegerAdd => {
                let (a, b) = (of(self, OperandName::A)?, of(self, OperandName::B)?);
                self.values.add(a, b)
            }
            Exec::IntegerSub => {
                let (a, b) = (of(self, OperandName::A)?, of(self, OperandName::B)?);
                self.values.subtract(a, b)
            }
            Exec::IntegerNeg => {
                let a = of(self, OperandName::A)?;
                self.values.scale(a, u64::MAX)
            }
            Exec::LogicNot => {
                let (a, all) = (of(self, OperandName::A)?, self.values.constant(u64::MAX, width));
                self.values.apply(Operation::Xor, &[a, all], width)
            }
            Exec::IntegerMul | Exec::IntegerMad => {
                let (mut a, mut b) = (of(self, OperandName::A)?, of(self, OperandName::B)?);
                let mut whole = width;
                if has(Modifier::Wide) {
                    whole = 2 * width;
                    a = self.values.extend(a, signed, whole)?;
                    b = self.values.extend(b, signed, whole)?;
                } else if !has(Modifier::Lo) {
                    return None;
                }
                let product = self.values.multiply(a, b)?;
                match exec {
                    Exec::IntegerMad => {
                        let c = self.value(operand(OperandName::C)?, whole)?;
                        self.values.add(product, c)
                    }
                    _ => Some(product),
                }
            }
            Exec::IntegerMul24 | Exec::IntegerMad24 if has(Modifier::Lo) => {
                let (a, b) = (of(self, OperandName::A)?, of(self, OperandName::B)?);
                let (a, b) = (self.field(a, 0, 24, signed)?, self.field(b, 0, 24, signed)?);
                let product = self.values.multiply(a, b)?;
                match exec {
                    Exec::IntegerMad24 => {
                        let c = of(self, OperandName::C)?;
                        self.values.add(product, c)
                    }
                    _ => Some(product),
                }
            }
            Exec::LogicShl | Exec::LogicShr => {
                let (a, by) = (of(self, OperandName::A)?, self.value(operand(OperandName::B)?, 32)?);
                let operation =
                    if exec == Exec::LogicShl { Operation::ShiftLeft } else { Operation::ShiftRight(signed) };
                self.values.apply(operation, &[a, by], width)
            }
            Exec::IntegerBfe => {
                let a = of(self, OperandName::A)?;
                let (from, bits) = self.field_place(operand(OperandName::B)?, operand(OperandName::C)?)?;
                self.field(a, from, bits, signed)
            }
            Exec::IntegerBfi => {
                let (a, b) = (of(self, OperandName::A)?, of(self, OperandName::B)?);
                let (from, bits) = self.field_place(operand(OperandName::C)?, operand(OperandName::D)?)?;
                self.inserted(a, b, from, bits)
            }
            Exec::LogicLop3 => {
                let (a, b, c) = (of(self, OperandName::A)?, of(self, OperandName::B)?, of(self, OperandName::C)?);
                let OperandValue::Integer(table) = operand(OperandName::Lut)?.value else { return None };
                self.table(table as u8, [a, b, c])
            }
            Exec::AddressCvta => {
                let a = of(self, OperandName::A)?;
                let space = base(function.chosen(index).space?.name);
                if !is_window(space) {
                    return Some(a);
                }
                let window = self.values.opaque(Symbol::Window(space), width, None);
                if has(Modifier::To) { self.values.subtract(a, window) } else { self.values.add(a, window) }
            }
            _ => None,
        }
    }

    /// The value of which the elements of a list are the parts, the first one the lowest.
    fn packed(&mut self, index: usize) -> Option<NodeId> {
        let function = self.function;
        let whole = integer(function.named(index, OperandName::D).next()?)?.width;
        let parts: Vec<&FlowOperand> = function.named(index, OperandName::A).collect();
        let count = u8::try_from(parts.len()).ok().filter(|count| *count > 0)?;
        let width = whole / count;
        let mut sum = self.values.constant(0, whole);
        for (place, part) in parts.into_iter().enumerate() {
            let part = self.value(part, width)?;
            let wide = self.values.extend(part, false, whole)?;
            let moved = self.values.scale(wide, 1u64.checked_shl(place as u32 * u32::from(width))?)?;
            sum = self.values.add(sum, moved)?;
        }
        Some(sum)
    }

    /// The part of a value that comes into the register at `place` of the list.
    fn part(&mut self, index: usize, place: usize) -> Option<NodeId> {
        let function = self.function;
        let source = function.named(index, OperandName::A).next()?;
        let whole = integer(source)?.width;
        let elements: Vec<&FlowOperand> = function.named(index, OperandName::D).collect();
        // In a list with `_` the places of registers and elements differ.
        if elements.iter().any(|o| o.value == OperandValue::Sink) {
            return None;
        }
        let width = whole / u8::try_from(elements.len()).ok().filter(|count| *count > 0)?;
        let value = self.value(source, whole)?;
        let part = self.field(value, u8::try_from(place).ok()?.checked_mul(width)?, width, false)?;
        self.values.low(part, width)
    }

    /// The bits of a value from a position up, as a value of the same width.
    fn field(&mut self, a: NodeId, from: u8, bits: u8, signed: bool) -> Option<NodeId> {
        let width = self.values.width(a);
        if bits == 0 {
            return Some(self.values.constant(0, width));
        }
        if from >= width || u16::from(from) + u16::from(bits) > width.into() {
            return None;
        }
        let by = self.values.constant(from.into(), 32);
        if !signed {
            let moved = self.values.apply(Operation::ShiftRight(false), &[a, by], width)?;
            let kept = self.values.constant(mask(bits), width);
            return self.values.apply(Operation::And, &[moved, kept], width);
        }
        let up = self.values.scale(a, 1u64.checked_shl((width - bits - from).into())?)?;
        let down = self.values.constant((width - bits).into(), 32);
        self.values.apply(Operation::ShiftRight(true), &[up, down], width)
    }

    /// `b` with the lowest bits of `a` at a position.
    fn inserted(&mut self, a: NodeId, b: NodeId, from: u8, bits: u8) -> Option<NodeId> {
        let width = self.values.width(a);
        if bits == 0 || from >= width {
            return Some(b);
        }
        let bits = bits.min(width - from);
        let kept = self.values.constant(mask(bits), width);
        let low = self.values.apply(Operation::And, &[a, kept], width)?;
        let moved = self.values.scale(low, 1 << from)?;
        let others = self.values.constant(!(mask(bits) << from), width);
        let rest = self.values.apply(Operation::And, &[b, others], width)?;
        self.values.apply(Operation::Or, &[rest, moved], width)
    }

    fn field_place(&mut self, from: &FlowOperand, bits: &FlowOperand) -> Option<(u8, u8)> {
        let (from, bits) = (self.value(from, 32)?, self.value(bits, 32)?);
        let number = |id: NodeId| self.values.number(id).map(|n| n as u8);
        Some((number(from)?, number(bits)?))
    }

    /// A bitwise function of three values; one of fewer values if the table does not depend on all.
    fn table(&mut self, table: u8, [a, b, c]: [NodeId; 3]) -> Option<NodeId> {
        let half = |index: u32, set: bool| {
            // The entries in which the argument with this place has this bit.
            (0..8u8).filter(move |i| (i >> index & 1 == 1) == set)
        };
        let depends =
            |index: u32| half(index, true).zip(half(index, false)).any(|(x, y)| table >> x & 1 != table >> y & 1);
        for (index, kept) in [(0, [a, b]), (1, [a, c]), (2, [b, c])] {
            if depends(index) {
                continue;
            }
            let entry = |high: u8, low: u8| {
                let places: Vec<u32> = (0..3).filter(|p| *p != index).collect();
                let at = (high << places[1]) | (low << places[0]);
                table >> at & 1
            };
            let small = [entry(0, 0), entry(0, 1), entry(1, 0), entry(1, 1)];
            let operation = match small {
                [0, 0, 0, 1] => Operation::And,
                [0, 1, 1, 1] => Operation::Or,
                [0, 1, 1, 0] => Operation::Xor,
                _ => continue,
            };
            return self.values.apply(operation, &kept, 32);
        }
        self.values.apply(Operation::Table(table), &[a, b, c], 32)
    }

    /// The value of an operand that is read with `width` bits.
    pub(super) fn value(&mut self, operand: &FlowOperand, width: u8) -> Option<NodeId> {
        if operand.negated || operand.minus {
            return None;
        }
        let found = match operand.value {
            OperandValue::Register(slot) => {
                let held = self.held(slot)?;
                if self.values.width(held) > width { self.values.low(held, width)? } else { held }
            }
            OperandValue::Integer(number) => self.values.constant(number as u64, width),
            OperandValue::Special(register, component) => {
                let component = component.unwrap_or(0);
                let own = 32;
                // Other special registers may change while the kernel runs.
                if register.grid == GridRole::None {
                    return None;
                }
                let max = register.at_most.get(usize::from(component)).copied();
                let special = match max {
                    Some(0) => self.values.constant(0, own),
                    max => {
                        let symbol = Symbol::Special(SpecialName(register), component);
                        self.values.symbol(symbol, own, max.map_or(u64::MAX, u64::from), 0, None)
                    }
                };
                match width {
                    w if w < own => self.values.low(special, width)?,
                    _ => self.values.extend(special, false, width)?,
                }
            }
            OperandValue::Variable(variable) => {
                let align = self.function.variables.get(variable as usize)?.symbol.align.unwrap_or(1).max(1);
                let zeros = if align.is_power_of_two() { align.trailing_zeros() } else { 0 };
                self.values.symbol(Symbol::Address(variable), width, u64::MAX, zeros, None)
            }
            _ => return None,
        };
        if self.values.width(found) != width {
            return None;
        }
        match operand.offset? {
            0 => Some(found),
            offset => {
                let offset = self.values.constant(offset as u64, width);
                self.values.add(found, offset)
            }
        }
    }

    /// The bytes of a parameter that a load brings into the register at `place` of its list.
    fn parameter(&mut self, index: usize, place: usize) -> Option<NodeId> {
        let function = self.function;
        let address = function.operands_of(index).iter().find(|o| o.memory().is_some())?;
        let OperandValue::Variable(number) = address.value else { return None };
        let variable = function.variables.get(number as usize)?;
        if variable.symbol.origin != VariableOrigin::KernelParameter {
            return None;
        }
        let written = function.operands_of(index).iter().filter(|o| o.writes());
        let into = written.clone().next()?;
        let info = into.ty?.info();
        let bits = u8::try_from(info.bits).ok().filter(|b| *b <= 64)?;
        // In a list with `_` the places of registers and elements differ.
        if written.clone().any(|o| o.value == OperandValue::Sink) {
            return None;
        }
        let offset = u32::try_from(address.offset?).ok()?.checked_add(place as u32 * u32::from(bits) / 8)?;
        let zeros = match self.pointers.get(&number) {
            Some(align) if bits == 64 => align.trailing_zeros(),
            _ => 0,
        };
        let loaded = self.values.symbol(Symbol::Parameter(number, offset), bits, u64::MAX, zeros, None);
        let slot = function.writes(index).get(place)?.slot;
        let width = self.width(slot)?;
        self.values.extend(loaded, info.class == TypeClass::Sint, width)
    }
}

/// The integer or untyped type of an operand.
fn integer(operand: &FlowOperand) -> Option<IntegerType> {
    let info = operand.ty?.info();
    let signed = match info.class {
        TypeClass::Sint => true,
        TypeClass::Uint | TypeClass::Bits => false,
        _ => return None,
    };
    let width = u8::try_from(info.bits).ok().filter(|bits| (8..=64).contains(bits))?;
    Some(IntegerType { width, signed })
}
