//! Splits operands into their leaves.

use super::{Lowering, bytes};
use crate::flow::function::{FlowOperand, OperandRole, OperandValue, Selector};
use crate::flow::scopes::Id;
use ptx_isa::ISA;
use ptx_isa::tables::ValueKind;
use ptx_sema::forms::operands::{component, selects, special};
use ptx_sema::forms::spec::{OperandPattern, OperandSpec};
use ptx_sema::hir::ast::{self, ConstantValue, OperandKind};
use ptx_sema::hir::literal::{self, FloatLiteral};
use ptx_sema::hir::symbols::Symbol;

/// The position and role of a leaf in its operand.
#[derive(Debug, Clone, Copy)]
struct LeafPosition {
    place: u8,
    part: u16,
    role: OperandRole,
    negated: bool,
    minus: bool,
}

impl Lowering<'_, '_> {
    pub(super) fn operand(&mut self, place: u8, operand: &ast::Operand<'_>, shape: &OperandPattern) {
        let at = LeafPosition { place, part: 0, role: OperandRole::Plain, negated: false, minus: false };
        match (shape, &operand.kind) {
            (OperandPattern::Value(spec), OperandKind::Address(parts)) => {
                self.address(parts, std::slice::from_ref(spec), at)
            }
            (OperandPattern::Value(spec), _) => self.value(operand, spec, at),
            (OperandPattern::Arguments(spec), OperandKind::Arguments(list)) => {
                self.elements(list, spec, LeafPosition { role: OperandRole::Argument, ..at });
            }
            (OperandPattern::Address(specs), OperandKind::Address(parts)) => self.address(parts, specs, at),
            // An address written without its brackets.
            (OperandPattern::Address(specs), _) if specs.len() == 1 => {
                self.address(std::slice::from_ref(operand), specs, at)
            }
            (OperandPattern::Pair(both), OperandKind::Pair(pair)) => {
                self.value(&pair.0, &both.0, at);
                self.value(&pair.1, &both.1, LeafPosition { part: 1, role: OperandRole::Second, ..at });
            }
            (OperandPattern::Sink, OperandKind::Sink) => self.leaf(OperandValue::Sink, Some(0), operand, None, at),
            _ => self.out.complete = false,
        }
    }

    fn address(&mut self, parts: &[ast::Operand<'_>], specs: &[OperandSpec], at: LeafPosition) {
        self.out.complete &= parts.len() == specs.len();
        for (part, (operand, spec)) in parts.iter().zip(specs).enumerate() {
            let base = matches!(spec.value.kind, ValueKind::Address(_));
            let role = if base { OperandRole::Address } else { OperandRole::AddressPart };
            self.value(operand, spec, LeafPosition { part: part as u16, role, ..at });
        }
    }

    fn elements(&mut self, list: &[ast::Operand<'_>], spec: &OperandSpec, at: LeafPosition) {
        for (part, element) in list.iter().enumerate() {
            self.value(element, spec, LeafPosition { part: part as u16, ..at });
        }
    }

    fn value(&mut self, operand: &ast::Operand<'_>, spec: &OperandSpec, at: LeafPosition) {
        match &operand.kind {
            OperandKind::Vector(list) => {
                let role =
                    if at.role == OperandRole::AddressPart { OperandRole::AddressPart } else { OperandRole::Element };
                self.elements(list, spec, LeafPosition { role, ..at });
            }
            OperandKind::Not(inner) => match amount(inner) {
                Some(value) => self.leaf(integer(Some((value == 0).into())), Some(0), operand, Some(spec), at),
                None => self.value(inner, spec, LeafPosition { negated: !at.negated, ..at }),
            },
            OperandKind::Minus(inner) => match inner.kind {
                OperandKind::Name(name) if ISA.constant(name).is_some() && self.scopes.find(name).is_none() => {
                    let value = ISA.constant(name).map_or(OperandValue::Unknown, |c| OperandValue::Integer(-c.value));
                    self.leaf(value, Some(0), operand, Some(spec), at);
                }
                _ => self.value(inner, spec, LeafPosition { minus: !at.minus, ..at }),
            },
            OperandKind::Pair(pair) => {
                self.value(&pair.0, spec, at);
                self.value(&pair.1, spec, LeafPosition { part: 1, role: OperandRole::Second, ..at });
            }
            OperandKind::Arguments(list) if list.len() == 1 => self.value(&list[0], spec, at),
            OperandKind::Arguments(list) | OperandKind::Address(list) => self.elements(list, spec, at),
            OperandKind::Offset(parts, minus) => {
                // ptxas: 64 bits, so that `a+0xfffffffffffffff8` is eight bytes before `a`.
                let amount = amount(&parts.1).map(|a| a as u64 as i64);
                let amount = amount.map(|a| if *minus { a.wrapping_neg() } else { a });
                self.based(&parts.0, amount, operand, spec, at);
            }
            OperandKind::Index(inner, index) => {
                let offset =
                    self.element(inner).zip(*index).map(|(size, index)| (index as u64 as i64).wrapping_mul(size));
                self.based(inner, offset, operand, spec, at);
            }
            _ => self.based(operand, Some(0), operand, spec, at),
        }
    }

    /// Adds a leaf for `base` plus a byte offset.
    fn based(
        &mut self,
        base: &ast::Operand<'_>,
        offset: Option<i64>,
        whole: &ast::Operand<'_>,
        spec: &OperandSpec,
        at: LeafPosition,
    ) {
        let value = match &base.kind {
            OperandKind::Name(name) => self.name(name),
            OperandKind::Member(object, member) => self.member(object.text, member.text, spec, at),
            OperandKind::Integer(text) => integer(literal::integer(text)),
            OperandKind::Constant(ConstantValue::Integer(value)) => integer(*value),
            // The bits as written: a conversion would quiet a NaN.
            OperandKind::Float(text) => match literal::parse_float(text) {
                Ok(FloatLiteral::Single(bits)) => OperandValue::Float(bits.into(), true),
                Ok(FloatLiteral::Double(value)) => OperandValue::Float(value.to_bits(), false),
                Err(_) => OperandValue::Unknown,
            },
            OperandKind::Sink => OperandValue::Sink,
            OperandKind::Constant(ConstantValue::Float(value)) => OperandValue::Float(value.to_bits(), false),
            OperandKind::Constant(ConstantValue::Wrong(_)) | OperandKind::String => OperandValue::Unknown,
            _ => {
                self.out.complete = false;
                OperandValue::Unknown
            }
        };
        self.leaf(value, offset, whole, Some(spec), at);
    }

    /// The distance in bytes from `variable[0]` to `variable[1]`. ptxas uses the size of the variable's type, even for a
    /// vector or an array of arrays.
    fn element(&self, variable: &ast::Operand<'_>) -> Option<i64> {
        let OperandKind::Name(name) = variable.kind else { return None };
        match self.scopes.find(name)?.symbol {
            Symbol::Variable(variable) => Some(i64::from(variable.ty?.info().bits.div_ceil(8))),
            _ => None,
        }
    }

    fn leaf(
        &mut self,
        value: OperandValue,
        offset: Option<i64>,
        operand: &ast::Operand<'_>,
        spec: Option<&OperandSpec>,
        at: LeafPosition,
    ) {
        let leaf = FlowOperand {
            value,
            offset,
            range: bytes(operand.range.clone()),
            place: at.place,
            part: at.part,
            role: at.role,
            negated: at.negated,
            minus: at.minus,
            spec: spec.map(|s| s.value),
            ty: spec.and_then(|s| s.ty),
        };
        let index = self.out.operands.len() as u32;
        let (reads, writes) = (leaf.reads(), leaf.writes());
        for slot in leaf.slots() {
            self.note(slot, index, reads, writes);
        }
        match value {
            OperandValue::Variable(v) => self.out.variables[v as usize].uses += 1,
            OperandValue::Label(l) => self.out.labels[l as usize].uses += 1,
            OperandValue::List(l) => self.out.lists[l as usize].uses += 1,
            _ => {}
        }
        self.out.operands.push(leaf);
    }

    fn name(&mut self, name: &str) -> OperandValue {
        let Some(found) = self.scopes.find(name) else {
            if let Some(constant) = ISA.constant(name) {
                return OperandValue::Integer(constant.value);
            }
            if let Some(register) = special(name) {
                return OperandValue::Special(register, None);
            }
            self.out.complete = false;
            return OperandValue::Unknown;
        };
        match (found.id, found.symbol) {
            (Id::Registers(declaration), _) => {
                let slot = self.slots.of(&mut self.out, declaration, found.number);
                match self.out.declarations[declaration as usize].elements {
                    0 | 1 => OperandValue::Register(slot),
                    elements => OperandValue::Registers(slot, elements),
                }
            }
            (Id::Variable(v), _) => OperandValue::Variable(v),
            (Id::Label(l), _) => OperandValue::Label(l),
            (Id::List(l), _) => OperandValue::List(l),
            (Id::Module, Symbol::Variable(symbol)) => {
                OperandValue::Variable(self.names.variable(&mut self.out, name, symbol))
            }
            (Id::Module, Symbol::Function { .. }) => OperandValue::Function(self.names.function(&mut self.out, name)),
            (Id::Module, Symbol::Targets { .. }) => OperandValue::Unknown,
            _ => {
                self.out.complete = false;
                OperandValue::Unknown
            }
        }
    }

    fn member(&mut self, object: &str, member: &str, spec: &OperandSpec, at: LeafPosition) -> OperandValue {
        let member = member.trim_start_matches('.');
        let component = component(member);
        let Some(found) = self.scopes.find(object) else {
            if let (Some(register), Some(component)) = (special(object), component) {
                return OperandValue::Special(register, Some(component as u8));
            }
            self.out.complete = false;
            return OperandValue::Unknown;
        };
        let Id::Registers(declaration) = found.id else {
            self.out.complete = false;
            return OperandValue::Unknown;
        };
        let first = self.slots.of(&mut self.out, declaration, found.number);
        let elements = usize::from(self.out.declarations[declaration as usize].elements);
        let selects_part = spec.value.select.iter().any(|pattern| selects(pattern, member));
        let selector = Selector::new(member).filter(|_| elements == 1 && selects_part);
        let in_list = matches!(at.role, OperandRole::Element | OperandRole::AddressPart);
        match component {
            Some(place) if elements > 1 && place < elements => {
                OperandValue::Register(super::RegisterSlot(first.0 + place as u32))
            }
            // ptxas ignores a selector in a list: all of the register counts.
            _ if elements == 1 && in_list => OperandValue::Register(first),
            _ => match selector {
                Some(selector) => OperandValue::Part(first, selector),
                None => {
                    self.out.complete = false;
                    OperandValue::Unknown
                }
            },
        }
    }
}

/// The value of an integer constant.
fn amount(operand: &ast::Operand<'_>) -> Option<i128> {
    match &operand.kind {
        OperandKind::Integer(text) => literal::integer(text),
        OperandKind::Constant(ConstantValue::Integer(value)) => *value,
        OperandKind::Name(name) => ISA.constant(name).map(|c| c.value.into()),
        OperandKind::Arguments(list) if list.len() == 1 => amount(&list[0]),
        _ => None,
    }
}

/// An integer operand in 64-bit two's complement; `Unknown` without a value.
fn integer(value: Option<i128>) -> OperandValue {
    value.map_or(OperandValue::Unknown, |v| OperandValue::Integer(v as u64 as i64))
}
