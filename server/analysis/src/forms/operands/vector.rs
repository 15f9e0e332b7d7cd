//! Matches lists in braces.

use super::address::is_number;
use super::{MismatchKind, OperandChecker, component, special};
use crate::forms::spec::OperandSpec;
use crate::hir::ast::{ConstantValue, Operand, OperandKind};
use crate::hir::symbols::Symbol;
use crate::hir::types::{TypeId, agrees};
use ptx_isa::ISA;
use ptx_isa::tables::{OperandAccess, SpecialRegister, TypeClass};

impl OperandChecker<'_> {
    pub(super) fn vector(&mut self, operand: &Operand<'_>, list: &[Operand<'_>], spec: &OperandSpec, allowed: bool) {
        if allowed && spec.lengths.is_empty() {
            let one = spec.value.mixed && list.len() == 1;
            if one || (spec.value.lists && !spec.emulated && matches!(list.len(), 1 | 2 | 4 | 8)) {
                return self.joined(operand, list, spec);
            }
        }
        if !allowed || (spec.lengths.is_empty() && !spec.any_length) {
            return self.push(operand, Some(spec), MismatchKind::UnexpectedVector);
        }
        // ptxas: a sum in a list is a syntax error.
        if let Some(sum) = list.iter().find(|element| matches!(element.kind, OperandKind::Offset(..))) {
            return self.push(sum, Some(spec), MismatchKind::Unexpected);
        }
        let fits = u16::try_from(list.len()).is_ok_and(|n| spec.lengths.contains(&n));
        if !spec.any_length && !fits {
            return self.push(operand, Some(spec), MismatchKind::VectorLength(list.len()));
        }
        if spec.value.mixed {
            return self.joined(operand, list, spec);
        }
        for (place, element) in list.iter().enumerate() {
            let lead = spec.lead.filter(|_| place == 0);
            self.typed(element, &OperandSpec { ty: lead.or(spec.ty), ..element_of(spec) }, false);
        }
    }

    /// Matches a list whose elements are first joined to one common type, which is then compared with the spec (measured:
    /// docs/dev/isa-format.md, `mixed`).
    fn joined(&mut self, operand: &Operand<'_>, list: &[Operand<'_>], spec: &OperandSpec) {
        let mut joined: Option<Joined> = None;
        let mut holes = 0;
        let written = spec.value.access != OperandAccess::Read;
        let lax = spec.value.lax && !spec.emulated;
        // ptxas: the text for an emulated instruction takes special registers only for bits that it looks at no further.
        let bits = spec.ty.is_some_and(|t| t.info().class == TypeClass::Bits);
        let specials = (lax || !written) && !spec.value.plain && (bits || !spec.emulated);
        let (mut components, mut literals, mut doubles) = (false, false, false);
        for element in list {
            let next = match &element.kind {
                OperandKind::Sink if spec.holes() => {
                    holes += 1;
                    continue;
                }
                OperandKind::Name(name) => match self.names.look_up(name) {
                    Some(Symbol::Register { ty, elements: 1 }) if lax || size(ty) == ty.info().bits => Joined::of(ty),
                    // ptxas accepts a special register in a list for an untyped register of its size, even as a result.
                    None if !written && ISA.constant(name).is_some() => Joined::literal(true),
                    None if specials => match special(name).and_then(untyped_special) {
                        Some(ty) => Joined::of(ty),
                        None => return self.each(list, spec),
                    },
                    _ => return self.each(list, spec),
                },
                OperandKind::Member(object, member) => {
                    match self.member_type(object.text, member.text, lax, specials) {
                        Some(ty) => {
                            components = true;
                            Joined::of(ty)
                        }
                        None => return self.each(list, spec),
                    }
                }
                OperandKind::Integer(_) | OperandKind::Constant(_) | OperandKind::Float(_) if written => {
                    return self.each(list, spec);
                }
                OperandKind::Integer(_) | OperandKind::Constant(ConstantValue::Integer(_)) => Joined::literal(true),
                OperandKind::Float(_) | OperandKind::Constant(ConstantValue::Float(_)) => Joined::literal(false),
                OperandKind::Arguments(_) if is_number(element) && !written => Joined::literal(true),
                _ => return self.each(list, spec),
            };
            // ptxas: the text for some instructions takes floating-point literals of single precision alone.
            let double = next.ty.is_none() && next.float && !is_single(element);
            if double && (spec.value.single || (spec.emulated && spec.value.expanded)) {
                return self.push(element, Some(spec), MismatchKind::ImmediateClass { integer: false });
            }
            literals |= next.ty.is_none();
            if spec.value.headed && joined.is_none() && next.ty.is_none() {
                return self.push(element, Some(spec), MismatchKind::Immediate);
            }
            doubles |= double;
            // ptxas rejects a list with both `%tid.x` and a literal.
            if components && literals {
                return self.push(element, Some(spec), MismatchKind::MixedVector);
            }
            joined = match joined {
                None => Some(next),
                Some(before) => match before.join(next) {
                    Some(both) => Some(both),
                    None => return self.push(element, Some(spec), MismatchKind::MixedVector),
                },
            };
        }
        if holes == list.len() && (!spec.value.sink || spec.value.holes) {
            return self.push(operand, Some(spec), MismatchKind::OnlyHoles);
        }
        let hole = |e: &Operand<'_>| matches!(e.kind, OperandKind::Sink);
        if spec.value.paired && list.chunks(2).any(|pair| pair.iter().all(hole)) {
            return self.push(operand, Some(spec), MismatchKind::PairedHoles);
        }
        // ptxas: a macro takes a list of literals alone if all are floating-point numbers and it expects such.
        if !spec.value.ranges.is_empty() {
            for element in list {
                if is_number(element) || self.is_constant(element) {
                    self.typed(element, &element_of(spec), false);
                }
            }
        }
        let only = matches!(joined, Some(Joined { ty: None, .. }));
        let integers = matches!(joined, Some(Joined { integer: true, .. }));
        let class = |class: TypeClass, bits: u16| {
            spec.ty.is_some_and(|t| t.info().class == class && t.info().bits == bits && t.info().registers)
        };
        if only && spec.value.expanded {
            if integers || doubles || !(class(TypeClass::Float, 32) || class(TypeClass::Bits, 32)) {
                self.push(operand, Some(spec), MismatchKind::OnlyLiterals);
            }
            return;
        }
        let relaxed = spec.fit.wider || spec.value.loose;
        // ptxas: a list of integers passes for one of `.f64`, not for one of `.f32`.
        if only && integers && relaxed && (list.len() > 1 || spec.value.lax) && class(TypeClass::Float, 64) {
            return;
        }
        let (Some(have), Some(wanted)) = (joined.and_then(|j| j.ty), spec.ty) else {
            return self.each(list, spec);
        };
        let fits = |bits: u16| bits == wanted.info().bits || (spec.fit.wider && bits > wanted.info().bits);
        let class = have.info().class;
        let integer = matches!(class, TypeClass::Uint | TypeClass::Sint);
        let float = wanted.info().class == TypeClass::Float && wanted.info().registers;
        let fine = match class {
            _ if spec.value.untested => size(have) == wanted.info().bits,
            TypeClass::Bits => fits(have.info().bits),
            // ptxas: where wider registers are refused, predicates alone pass for `.b32`.
            TypeClass::Pred => {
                lax && !relaxed && wanted.info().class == TypeClass::Bits && size(have) == wanted.info().bits
            }
            _ => {
                agrees(wanted, have, spec.fit)
                    || (relaxed
                        && (list.len() > 1 || spec.value.lax)
                        && integer
                        && float
                        && have.info().bits == wanted.info().bits)
            }
        };
        if !fine {
            self.each(list, spec);
        }
    }

    /// The type of a component in a list: of a component of a special register, or of a register with a selector, which the
    /// assembler ignores there.
    fn member_type(&self, object: &str, member: &str, lax: bool, specials: bool) -> Option<TypeId> {
        let member = member.trim_start_matches('.');
        match self.names.look_up(object) {
            None if specials => {
                let register = special(object)?;
                component(member).filter(|place| *place < register.components.len())?;
                TypeId::of(register.ty)?.untyped()
            }
            Some(Symbol::Register { ty, elements: 1 }) if lax && is_selector(member) && size(ty) == 32 => Some(ty),
            _ => None,
        }
    }

    fn is_constant(&self, element: &Operand<'_>) -> bool {
        matches!(element.kind, OperandKind::Name(name) if self.names.look_up(name).is_none() && ISA.constant(name).is_some())
    }

    /// Matches the elements one by one, for a precise mismatch.
    fn each(&mut self, list: &[Operand<'_>], spec: &OperandSpec) {
        for element in list {
            // An allowed `_` says nothing about the other elements.
            let hole = matches!(element.kind, OperandKind::Sink) && spec.holes();
            if !hole {
                self.typed(element, &element_of(spec), false);
            }
        }
    }
}

/// Whether a floating-point literal is of single precision.
fn is_single(element: &Operand<'_>) -> bool {
    matches!(element.kind, OperandKind::Float(text) if text.starts_with("0f") || text.starts_with("0F"))
}

/// The untyped type (`.bN`) of a special register without components.
fn untyped_special(register: &'static SpecialRegister) -> Option<TypeId> {
    TypeId::of(register.ty).filter(|_| register.components.is_empty())?.untyped()
}

/// Whether a member is a selector of bytes or half-words, such as `b0`, `h10` or `b7654`.
fn is_selector(member: &str) -> bool {
    let digits = member.strip_prefix(['b', 'h']);
    digits.is_some_and(|d| d.bytes().all(|b| (b'0'..=b'7').contains(&b)))
}

/// The size in bits that counts in a list: a predicate counts as 32 bits.
fn size(ty: TypeId) -> u16 {
    if ty.info().class == TypeClass::Pred { 32 } else { ty.info().bits }
}

/// The spec that one element of the list must fit.
fn element_of(spec: &OperandSpec) -> OperandSpec {
    OperandSpec { lengths: &[], any_length: false, ..*spec }
}

/// The common type of the list elements joined so far (measured on all combinations of two and many of four elements).
#[derive(Debug, Clone, Copy)]
struct Joined {
    /// The type; `None` if there were only literals.
    ty: Option<TypeId>,
    /// Whether the elements include an integer register or literal: then no float can join.
    integer: bool,
    /// Whether the elements include a float: then no integer can join.
    float: bool,
}

impl Joined {
    fn of(ty: TypeId) -> Self {
        let class = ty.info().class;
        let integer = matches!(class, TypeClass::Uint | TypeClass::Sint);
        Self { ty: Some(ty), integer, float: class == TypeClass::Float }
    }

    fn literal(integer: bool) -> Self {
        Self { ty: None, integer, float: !integer }
    }

    /// Whether an untyped register may follow: not after a packed type alone.
    fn joins_untyped(self) -> bool {
        self.ty.is_none_or(|t| t.info().class != TypeClass::Opaque)
    }

    fn join(self, other: Self) -> Option<Self> {
        // An untyped register replaces the type joined before it, but not that of later elements.
        if let Some(b) = other.ty
            && b.info().class == TypeClass::Bits
            && self.ty.is_none_or(|a| size(a) == size(b))
            && self.joins_untyped()
        {
            return Some(other);
        }
        let (integer, float) = (self.integer || other.integer, self.float || other.float);
        if integer && float {
            return None;
        }
        let class = |t: TypeId| t.info().class;
        let whole = |t: TypeId| matches!(class(t), TypeClass::Uint | TypeClass::Sint);
        // A list of several types has the type `.bN`.
        let untyped = |t: TypeId| t.untyped().unwrap_or(t);
        let ty = match (self.ty, other.ty) {
            (Some(a), Some(b)) if a == b => a,
            (Some(a), Some(b)) if size(a) != size(b) => return None,
            (Some(a), Some(_)) if class(a) == TypeClass::Bits => a,
            (Some(a), Some(b)) if whole(a) && whole(b) => untyped(a),
            (Some(a), None) | (None, Some(a)) if whole(a) || matches!(class(a), TypeClass::Float | TypeClass::Bits) => {
                untyped(a)
            }
            (None, None) => return Some(Self { ty: None, integer, float }),
            _ => return None,
        };
        Some(Self { ty: Some(ty), integer, float })
    }
}
