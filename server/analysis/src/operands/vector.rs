//! Lists in braces.

use super::{Checker, What};
use crate::ast::{Constant, Operand, OperandKind};
use crate::spec::Spec;
use crate::symbols::Symbol;
use crate::types::{TypeId, agrees};
use ptx_isa::tables::{Access, TypeClass};

impl Checker<'_> {
    pub(super) fn vector(&mut self, operand: &Operand<'_>, list: &[Operand<'_>], spec: &Spec, allowed: bool) {
        if allowed && spec.value.mixed && spec.lengths.is_empty() && list.len() == 1 {
            return self.joined(operand, list, spec);
        }
        if !allowed || (spec.lengths.is_empty() && !spec.any_length) {
            return self.push(operand, Some(spec), What::UnexpectedVector);
        }
        let fits = u16::try_from(list.len()).is_ok_and(|n| spec.lengths.contains(&n));
        if !spec.any_length && !fits {
            return self.push(operand, Some(spec), What::VectorLength(list.len()));
        }
        if spec.value.mixed {
            return self.joined(operand, list, spec);
        }
        for (place, element) in list.iter().enumerate() {
            let lead = spec.lead.filter(|_| place == 0);
            self.typed(element, &Spec { ty: lead.or(spec.ty), ..element_of(spec) }, false);
        }
    }

    /// A list whose elements are brought to one type before that is compared (measured: docs/isa-format.md, `mixed`).
    fn joined(&mut self, operand: &Operand<'_>, list: &[Operand<'_>], spec: &Spec) {
        let mut joined: Option<Joined> = None;
        let mut holes = 0;
        let written = spec.value.access != Access::Read;
        for element in list {
            let next = match &element.kind {
                OperandKind::Sink if spec.value.holes || spec.value.sink => {
                    holes += 1;
                    continue;
                }
                OperandKind::Name(name) => match self.names.look_up(name) {
                    Some(Symbol::Register { ty, elements: 1 }) => Joined::Type(ty),
                    _ => return self.each(list, spec),
                },
                OperandKind::Integer(_) | OperandKind::Constant(_) | OperandKind::Float(_) if written => {
                    return self.each(list, spec);
                }
                OperandKind::Integer(_) | OperandKind::Constant(Constant::Integer(_)) => Joined::Integer,
                OperandKind::Float(_) | OperandKind::Constant(Constant::Float) => Joined::Float,
                _ => return self.each(list, spec),
            };
            joined = match joined {
                None => Some(next),
                Some(before) => match before.join(next) {
                    Some(both) => Some(both),
                    None => return self.push(element, Some(spec), What::MixedVector),
                },
            };
        }
        if holes == list.len() && !spec.value.sink {
            return self.push(operand, Some(spec), What::OnlyHoles);
        }
        if spec.value.expanded && matches!(joined, Some(Joined::Integer)) {
            return self.push(operand, Some(spec), What::OnlyLiterals);
        }
        let (Some(Joined::Type(have)), Some(wanted)) = (joined, spec.ty) else {
            return self.each(list, spec);
        };
        let fits = |bits: u16| bits == wanted.info().bits || (spec.fit.wider && bits > wanted.info().bits);
        let class = have.info().class;
        let integer = matches!(class, TypeClass::Uint | TypeClass::Sint);
        let float = wanted.info().class == TypeClass::Float;
        let fine = match class {
            TypeClass::Bits => fits(have.info().bits),
            _ => agrees(wanted, have, spec.fit) || (spec.fit.wider && list.len() > 1 && integer && float && fits(have.info().bits)),
        };
        if !fine {
            self.each(list, spec);
        }
    }

    /// Element by element, for the words of the report.
    fn each(&mut self, list: &[Operand<'_>], spec: &Spec) {
        for element in list {
            // A hole that is allowed says nothing about the others.
            let hole = matches!(element.kind, OperandKind::Sink) && (spec.value.holes || spec.value.sink);
            if !hole {
                self.typed(element, &element_of(spec), false);
            }
        }
    }
}

/// What one element must be.
fn element_of(spec: &Spec) -> Spec {
    Spec { lengths: &[], any_length: false, ..*spec }
}

/// The common type of a list, in the making.
#[derive(Debug, Clone, Copy)]
enum Joined {
    Type(TypeId),
    Integer,
    Float,
}

impl Joined {
    fn join(self, other: Self) -> Option<Self> {
        let class = |t: TypeId| t.info().class;
        let whole = |t: TypeId| matches!(class(t), TypeClass::Uint | TypeClass::Sint);
        // What is not all of one type is `.bN`.
        let untyped = |t: TypeId| Self::Type(t.untyped().unwrap_or(t));
        match (self, other) {
            (Self::Type(a), Self::Type(b)) if a == b => Some(self),
            (Self::Type(a), Self::Type(b)) if a.info().bits != b.info().bits => None,
            (Self::Type(a), Self::Type(_)) if class(a) == TypeClass::Bits => Some(self),
            (Self::Type(_), Self::Type(b)) if class(b) == TypeClass::Bits => Some(other),
            (Self::Type(a), Self::Type(b)) if whole(a) && whole(b) => Some(untyped(a)),
            (Self::Type(a), Self::Integer) | (Self::Integer, Self::Type(a))
                if whole(a) || class(a) == TypeClass::Bits =>
            {
                Some(untyped(a))
            }
            (Self::Type(a), Self::Float) | (Self::Float, Self::Type(a))
                if matches!(class(a), TypeClass::Float | TypeClass::Bits) =>
            {
                Some(untyped(a))
            }
            (Self::Integer, Self::Integer) | (Self::Float, Self::Float) => Some(self),
            _ => None,
        }
    }
}
