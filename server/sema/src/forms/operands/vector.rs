//! Matches lists in braces.

use super::address::is_number;
use super::{MismatchKind, OperandChecker, component, special};
use crate::forms::spec::OperandSpec;
use crate::hir::ast::{ConstantValue, Operand, OperandKind};
use crate::hir::symbols::Symbol;
use crate::hir::types::{RegisterFit, TypeId, agrees};
use ptx_isa::ISA;
use ptx_isa::tables::{OperandAccess, SpecialRegister, TypeClass};

impl OperandChecker<'_> {
    pub(super) fn vector(&mut self, operand: &Operand<'_>, list: &[Operand<'_>], spec: &OperandSpec, allowed: bool) {
        // ptxas: a sum or a negation in a list is a syntax error.
        if let Some(sum) =
            list.iter().find(|element| matches!(element.kind, OperandKind::Offset(..) | OperandKind::Not(_)))
        {
            return self.push(sum, Some(spec), MismatchKind::Unexpected);
        }
        if allowed && spec.lengths.is_empty() {
            let one = spec.value.mixed && list.len() == 1;
            if one || (spec.value.lists && !spec.emulated && matches!(list.len(), 1 | 2 | 4 | 8)) {
                return self.joined(operand, list, spec);
            }
        }
        if !allowed || (spec.lengths.is_empty() && !spec.any_length) {
            return self.push(operand, Some(spec), MismatchKind::UnexpectedVector);
        }
        let fits = u16::try_from(list.len()).is_ok_and(|n| spec.lengths.contains(&n));
        if !spec.any_length && !fits {
            return self.push(operand, Some(spec), MismatchKind::VectorLength(list.len()));
        }
        if spec.value.mixed {
            return self.joined(operand, list, spec);
        }
        for (place, element) in list.iter().enumerate() {
            self.typed(element, &element_at(spec, place), false);
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
        let relaxed = spec.fit.wider || spec.value.loose;
        let first = list.first().and_then(|element| self.literal(element));
        // ptxas: a literal in front stands for the type of the operand. Then registers of any size join it.
        let sized = !frees(spec, first, relaxed);
        // ptxas: but a floating-point literal in front of bits has their size.
        let widens = spec.fit.wider && first != Some(ElementKind::Float);
        let mut registers = false;
        for (place, element) in list.iter().enumerate() {
            let mut next = match &element.kind {
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
            let double = next.ty.is_none() && next.kind == Some(ElementKind::Float) && !is_single(element);
            if double && (spec.value.single || (spec.emulated && spec.value.expanded && !spec.value.plain)) {
                return self.push(element, Some(spec), MismatchKind::ImmediateClass { integer: false });
            }
            literals |= next.ty.is_none();
            registers |= next.ty.is_some();
            if spec.emulated && spec.value.register_only && next.ty.is_none() {
                return self.push(element, Some(spec), MismatchKind::Immediate);
            }
            if spec.value.headed && joined.is_none() && next.ty.is_none() && sized {
                return self.push(element, Some(spec), MismatchKind::Immediate);
            }
            if let Some(lead) = spec.lead.filter(|_| place == 0) {
                match next.leads(lead) {
                    Some(untyped) => next = untyped,
                    None => return self.typed(element, &element_at(spec, 0), false),
                }
            }
            doubles |= double;
            // ptxas rejects a list with both `%tid.x` and a literal.
            if components && literals {
                return self.push(element, Some(spec), MismatchKind::MixedVector);
            }
            joined = match joined {
                None => Some(next),
                Some(before) => match before.join(next, sized) {
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
        let only = joined.is_some() && !registers;
        let integers = matches!(joined, Some(Joined { kind: Some(ElementKind::Integer), .. }));
        let class = |class: TypeClass, bits: u16| {
            spec.ty.is_some_and(|t| t.info().class == class && t.info().bits == bits && t.info().registers)
        };
        if only && spec.value.pattern {
            return self.each(list, spec);
        }
        if only && spec.value.expanded {
            if integers || doubles || !(class(TypeClass::Float, 32) || class(TypeClass::Bits, 32)) {
                self.push(operand, Some(spec), MismatchKind::OnlyLiterals);
            }
            return;
        }
        // ptxas: a list of integers passes for one of `.f64`, not for one of `.f32`.
        if only && integers && relaxed && (list.len() > 1 || spec.value.lax) && class(TypeClass::Float, 64) {
            return;
        }
        if only && integers && spec.ty.is_some_and(|t| t.info().class == TypeClass::Float) {
            return self.each(list, spec);
        }
        let (Some(have), Some(wanted)) = (joined.and_then(|j| j.ty), spec.ty) else {
            return self.each(list, spec);
        };
        let fits = |bits: u16| !sized || bits == wanted.info().bits || (widens && bits > wanted.info().bits);
        let class = have.info().class;
        let integer = matches!(class, TypeClass::Uint | TypeClass::Sint);
        let float = wanted.info().class == TypeClass::Float && wanted.info().registers;
        // ptxas: where no length is given, a list of any length passes if all of it is large enough.
        let all = u16::try_from(list.len()).unwrap_or(u16::MAX).saturating_mul(size(have));
        let fine = match class {
            _ if spec.any_length && spec.fit.wider && list.len() > 1 => {
                class != TypeClass::Pred && wanted.info().class == TypeClass::Bits && all >= wanted.info().bits
            }
            _ if spec.value.untested => size(have) == wanted.info().bits,
            TypeClass::Bits => fits(have.info().bits),
            // ptxas: where wider registers are refused, predicates alone pass for `.b32`, but not as the parts of a larger value.
            TypeClass::Pred => {
                !spec.value.parts
                    && lax
                    && !relaxed
                    && wanted.info().class == TypeClass::Bits
                    && size(have) == wanted.info().bits
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

    /// The kind of a literal or a predefined constant.
    fn literal(&self, element: &Operand<'_>) -> Option<ElementKind> {
        match &element.kind {
            OperandKind::Float(_) | OperandKind::Constant(ConstantValue::Float(_)) => Some(ElementKind::Float),
            _ if is_number(element) || self.is_constant(element) => Some(ElementKind::Integer),
            _ => None,
        }
    }

    fn is_constant(&self, element: &Operand<'_>) -> bool {
        matches!(element.kind, OperandKind::Name(name) if self.names.look_up(name).is_none() && ISA.constant(name).is_some())
    }

    /// Matches the elements one by one, for a precise mismatch.
    fn each(&mut self, list: &[Operand<'_>], spec: &OperandSpec) {
        for (place, element) in list.iter().enumerate() {
            // An allowed `_` says nothing about the other elements.
            let hole = matches!(element.kind, OperandKind::Sink) && spec.holes();
            if hole {
                continue;
            }
            let among = u16::try_from(list.len()).unwrap_or(u16::MAX);
            let wanted = OperandSpec { among, ..element_at(spec, place) };
            // ptxas: a special register in a list has its own size, although a narrower operand takes it alone.
            let named = match &element.kind {
                OperandKind::Name(name) => special(name).filter(|register| register.components.is_empty()),
                OperandKind::Member(object, _) if self.names.look_up(object.text).is_none() => special(object.text),
                _ => None,
            };
            if let Some(register) = named
                && TypeId::of(register.ty)
                    .is_some_and(|have| wanted.ty.is_some_and(|t| t.info().bits != have.info().bits))
            {
                let what = MismatchKind::SpecialType { name: register.name, ty: register.ty };
                self.push(element, Some(&wanted), what);
                continue;
            }
            self.typed(element, &wanted, false);
        }
    }
}

/// Whether a literal in front of a list stands for the type of the operand, so that the sizes of registers do not matter.
fn frees(spec: &OperandSpec, first: Option<ElementKind>, relaxed: bool) -> bool {
    let value = spec.value;
    let class = spec.ty.filter(|t| t.info().registers).map(|t| t.info().class);
    let float = class == Some(TypeClass::Float);
    let whole = matches!(class, Some(TypeClass::Bits | TypeClass::Uint | TypeClass::Sint));
    let fits = match first {
        Some(ElementKind::Integer) => (whole && !value.register_only) || (relaxed && float),
        Some(_) => float && !value.register_only,
        None => false,
    };
    fits && !value.expanded && !value.plain && !value.sized && !spec.emulated
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

/// The spec that the element at a place of the list must fit.
fn element_at(spec: &OperandSpec, place: usize) -> OperandSpec {
    match spec.lead.filter(|_| place == 0) {
        // ptxas: no register of a packed type is the index of a layer.
        Some(lead) => OperandSpec { ty: Some(lead), fit: RegisterFit { exact: true, ..spec.fit }, ..element_of(spec) },
        None => element_of(spec),
    }
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
    /// The kind of the typed elements: no element of another kind can join. `None` if all are untyped registers.
    kind: Option<ElementKind>,
}

/// The kinds of list elements that do not join each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ElementKind {
    Integer,
    Float,
    Packed,
    Predicate,
}

impl Joined {
    fn of(ty: TypeId) -> Self {
        let kind = match ty.info().class {
            TypeClass::Uint | TypeClass::Sint => Some(ElementKind::Integer),
            TypeClass::Float => Some(ElementKind::Float),
            TypeClass::Packed => Some(ElementKind::Packed),
            TypeClass::Pred => Some(ElementKind::Predicate),
            TypeClass::Bits | TypeClass::Opaque => None,
        };
        Self { ty: Some(ty), kind }
    }

    fn literal(integer: bool) -> Self {
        Self { ty: None, kind: Some(if integer { ElementKind::Integer } else { ElementKind::Float }) }
    }

    /// The first element of a list whose other elements have another type. It joins them as an untyped register does. `None` if it is
    /// not of the type `lead`.
    fn leads(self, lead: TypeId) -> Option<Self> {
        let integer = self.kind.is_none_or(|kind| kind == ElementKind::Integer);
        let fits = integer && self.ty.is_none_or(|ty| ty.info().bits == lead.info().bits);
        lead.untyped().filter(|_| fits).map(Self::of)
    }

    /// Joins the next element. `sized` says whether registers must have the same size.
    fn join(self, other: Self, sized: bool) -> Option<Self> {
        let same = |a: TypeId, b: TypeId| !sized || size(a) == size(b);
        let untyped = |t: TypeId| t.info().class == TypeClass::Bits;
        // An untyped register replaces the type joined before it, but not that of later elements.
        if let Some(b) = other.ty
            && untyped(b)
            && self.ty.is_none_or(|a| same(a, b))
        {
            return Some(other);
        }
        if let (Some(a), Some(b)) = (self.kind, other.kind)
            && a != b
        {
            return None;
        }
        let kind = self.kind.or(other.kind);
        let whole = |t: TypeId| matches!(t.info().class, TypeClass::Uint | TypeClass::Sint);
        // A list of several types has the type `.bN`.
        let bits = |t: TypeId| t.untyped().unwrap_or(t);
        let ty = match (self.ty, other.ty) {
            (Some(a), Some(b)) if a == b => a,
            (Some(a), Some(b)) if !same(a, b) => return None,
            (Some(a), Some(_)) if untyped(a) => a,
            (Some(a), Some(b)) if whole(a) && whole(b) => bits(a),
            (Some(a), Some(b)) if !sized && a.info().class == b.info().class => bits(a),
            (Some(a), None) | (None, Some(a)) if whole(a) || untyped(a) || a.info().class == TypeClass::Float => {
                bits(a)
            }
            (None, None) => return Some(Self { ty: None, kind }),
            _ => return None,
        };
        Some(Self { ty: Some(ty), kind })
    }
}
