//! Initial values as bytes, just as the assembler writes them (each rule measured in its object files).
//!
//! What is wrong with an initializer is reported by `initializer`; here a value that has none leaves zeros.

use super::{FieldValue, InitialContents, OpaqueField, Relocation, RelocationTarget};
use crate::flow::FlowFunction;
use crate::hir::ast::{ConstantValue, Declarator};
use crate::hir::literal::{self, FloatLiteral};
use crate::hir::lower::{self, ItemSource, named_children};
use crate::hir::module::Header;
use crate::hir::symbols::{Symbol, VariableSymbol};
use ptx_isa::ISA;
use ptx_isa::tables::{TypeClass, TypeInfo, Version};
use ptx_syntax::{Node, fields, kinds};
use std::ops::Range;

/// Lists nested deeper than this are left out.
const DEEPEST: usize = 64;

/// From this version on, the name of a variable is its address in its own state space, and no generic one.
const OWN_SPACE: Version = Version { major: 3, minor: 1 };

/// What the names in a value stand for.
pub(super) struct InitializerNames<'a> {
    pub header: &'a Header,
    /// The item that the value is in.
    pub item: usize,
    /// The function that it is in.
    pub function: Option<&'a FlowFunction>,
}

impl InitializerNames<'_> {
    /// What a name at some place leads to.
    fn target(&self, name: &str, at: &Range<usize>) -> Option<RelocationTarget> {
        let at = at.start as u32;
        // A name of an inner block hides others; before its declaration it is not known.
        let visible = |v: &crate::flow::FlowVariable| {
            *v.name == *name && !v.range.is_empty() && v.range.start <= at && v.scope.contains(&at)
        };
        let variables = self.function.map_or(&[][..], |f| &f.variables);
        let inner = variables.iter().enumerate().filter(|(_, v)| visible(v)).min_by_key(|(_, v)| v.scope.len());
        if let Some((index, _)) = inner {
            return Some(RelocationTarget::Local(index as u32));
        }
        match self.header.look_up(name, self.item)? {
            Symbol::Variable(_) => Some(RelocationTarget::Variable(name.into())),
            Symbol::Function { .. } => Some(RelocationTarget::Function(name.into())),
            _ => None,
        }
    }
}

/// The contents of a variable, and its size in bytes where only they tell it.
#[derive(Debug, Default)]
pub(super) struct SizedContents {
    pub contents: InitialContents,
    pub size: Option<u64>,
}

/// The contents that the initializer `value` gives to a variable.
pub(super) fn contents(
    source: ItemSource<'_>,
    value: Node<'_>,
    declarator: &Declarator<'_>,
    variable: &VariableSymbol,
    names: &InitializerNames<'_>,
) -> SizedContents {
    let Some(ty) = variable.ty.map(|t| t.info()) else { return SizedContents::default() };
    let size = open_size(value, declarator, variable, ty);
    let mut writer = Writer { source, names, ty, at: 0, element: 0, out: InitialContents::default() };
    writer.out.initialized = true;
    writer.value(value, 0);
    let mut contents = writer.out;
    if let Some(size) = size.or(variable.bytes) {
        // What a packed type takes more than it has; the check of the shape has seen the rest.
        contents.bytes.truncate(usize::try_from(size).unwrap_or(usize::MAX));
        contents.relocations.retain(|r| r.offset.saturating_add(r.width.into()) <= size);
    }
    SizedContents { contents, size }
}

/// The size of `a[] = {…}`: as many of its rows as the list has elements.
fn open_size(value: Node<'_>, declarator: &Declarator<'_>, variable: &VariableSymbol, ty: &TypeInfo) -> Option<u64> {
    let ((_, first), inner) = declarator.dimensions.split_first()?;
    if !matches!(first, None | Some(ConstantValue::Integer(Some(0)))) || value.kind_id() != kinds().initializer_list {
        return None;
    }
    let element = u64::from(ty.bits).div_ceil(8) * u64::from(variable.elements);
    let row = inner.iter().try_fold(element, |product, (_, size)| match size {
        Some(ConstantValue::Integer(Some(n))) => product.checked_mul(u64::try_from(*n).ok()?),
        _ => None,
    })?;
    row.checked_mul(named_children(value).count() as u64)
}

/// A number as it is written.
#[derive(Debug, Clone, Copy)]
enum LiteralNumber {
    Integer(u64),
    /// The bits after `0f`.
    Single(u32),
    Double(f64),
}

impl LiteralNumber {
    /// The pattern of which a value of so many bits keeps the lowest.
    fn pattern(self, bits: u16) -> u64 {
        match self {
            Self::Integer(n) => n,
            Self::Single(pattern) => pattern.into(),
            Self::Double(value) if bits == 32 => (value as f32).to_bits().into(),
            Self::Double(value) => value.to_bits(),
        }
    }
}

struct Writer<'a, 't> {
    source: ItemSource<'t>,
    names: &'a InitializerNames<'a>,
    ty: &'static TypeInfo,
    /// Where the next value goes, in bytes.
    at: usize,
    /// Of an array of opaque types, the element at hand.
    element: u64,
    out: InitialContents,
}

impl Writer<'_, '_> {
    /// A value, or a list of them. ptxas: braces only say how many there may be; the values follow one another, and an inner list
    /// that is not full is not filled up.
    fn value(&mut self, node: Node<'_>, depth: usize) {
        let k = kinds();
        let kind = node.kind_id();
        if kind == k.initializer_list {
            if depth > DEEPEST {
                return;
            }
            let opaque = self.ty.class == TypeClass::Opaque;
            let fields_here = opaque && named_children(node).all(|n| n.kind_id() == k.field_initializer);
            for child in named_children(node) {
                self.value(child, depth + 1);
            }
            self.element += u64::from(fields_here);
        } else if kind == k.field_initializer {
            // ptxas: in front of a number a field's name leaves no value at all.
            if self.ty.class == TypeClass::Opaque {
                self.field(node);
            }
        } else if !node.has_error() {
            self.single(node);
        }
    }

    /// The bits of a value. ptxas: a packed type is written as values of 32 bits.
    fn bits(&self) -> u16 {
        if self.ty.class == TypeClass::Packed { 32 } else { self.ty.bits }
    }

    fn single(&mut self, node: Node<'_>) {
        if node.kind_id() == kinds().mask_initializer {
            return self.mask(node);
        }
        match self.address(node) {
            Some((to, addend, generic)) => self.relocate(Relocation {
                offset: self.at as u64,
                // Fewer bytes than an address has keep its lowest.
                width: self.bits().div_ceil(8).min(8) as u8,
                to,
                addend,
                generic,
                byte: None,
            }),
            None => {
                let bits = self.bits();
                let pattern = self.number(node).map_or(0, |n| n.pattern(bits));
                self.write(pattern);
            }
        }
    }

    /// The lowest bytes of a pattern. Of 128 bits the assembler writes the lower half and leaves the other to chance: zeros here.
    fn write(&mut self, pattern: u64) {
        let width = usize::from(self.bits().div_ceil(8));
        let bytes = pattern.to_le_bytes();
        self.out.bytes.extend(bytes.iter().take(width));
        self.at += width;
        self.out.bytes.resize(self.at, 0);
    }

    fn relocate(&mut self, relocation: Relocation) {
        self.out.relocations.push(relocation);
        self.write(0);
    }

    fn number(&self, node: Node<'_>) -> Option<LiteralNumber> {
        let (k, mut inner) = (kinds(), node);
        for _ in 0..DEEPEST {
            if inner.kind_id() != k.parenthesized_expression {
                break;
            }
            inner = named_children(inner).next()?;
        }
        // Not by way of an expression's value, which would quiet a NaN.
        if inner.kind_id() == k.float
            && let Ok(value) = literal::parse_float(self.source.word(inner).text)
        {
            return Some(match value {
                FloatLiteral::Single(bits) => LiteralNumber::Single(bits),
                FloatLiteral::Double(value) => LiteralNumber::Double(value),
            });
        }
        match lower::constant(self.source, node) {
            ConstantValue::Integer(value) => value.map(|v| LiteralNumber::Integer(v as u64)),
            ConstantValue::Float(value) => Some(LiteralNumber::Double(value)),
            ConstantValue::Wrong(_) => None,
        }
    }

    /// An address: what it leads to, what is added, and whether it is generic.
    fn address(&self, node: Node<'_>) -> Option<(RelocationTarget, i64, bool)> {
        let (k, f, source) = (kinds(), fields(), self.source);
        if lower::named_constant(source, node).is_some() {
            return None;
        }
        let (base, sum) = lower::leftmost(source, node).map_or((node, None), |(base, sum)| (base, Some(sum)));
        let mut name = base;
        let mut generic = !self.names.header.environment.version_at_least(Some(OWN_SPACE));
        if base.kind_id() == k.generic_address {
            name = base.child_by_field_id(f.value)?;
            generic = true;
        }
        if name.kind_id() != k.identifier && name.kind_id() != k.register {
            return None;
        }
        let word = source.word(name);
        let to = self.names.target(word.text, &word.range())?;
        let addend = match sum.map(|_| lower::constant(source, node)) {
            Some(ConstantValue::Integer(Some(value))) => value as u64 as i64,
            _ => 0,
        };
        Some((to, addend, generic))
    }

    /// `0xff00(x)`: one byte, and zeros up to the size of the type.
    fn mask(&mut self, node: Node<'_>) {
        let (f, source) = (fields(), self.source);
        let both = node.child_by_field_id(f.mask).zip(node.child_by_field_id(f.value));
        let byte = both.and_then(|(mask, _)| match lower::constant(source, mask) {
            ConstantValue::Integer(Some(mask)) if mask != 0 => Some((mask as u64).trailing_zeros() / 8),
            _ => None,
        });
        let (Some((_, value)), Some(byte)) = (both, byte) else { return self.write(0) };
        if let Some((to, addend, generic)) = self.address(value) {
            let (offset, byte) = (self.at as u64, Some(byte as u8));
            return self.relocate(Relocation { offset, width: 1, to, addend, generic, byte });
        }
        let number = self.number(value).map_or(0, |n| n.pattern(64));
        self.write(number >> (8 * byte) & 0xff);
    }

    fn field(&mut self, node: Node<'_>) {
        let (f, source) = (fields(), self.source);
        let Some(name) = node.child_by_field_id(f.name).and_then(|n| ISA.field(source.word(n).text)) else { return };
        let Some(value) = node.child_by_field_id(f.value) else { return };
        let word = source.word(value).text;
        let known = ISA.fields.iter().flat_map(|f| f.values).find(|v| **v == word);
        let value = match (known, lower::constant(source, value)) {
            (Some(known), _) => FieldValue::Name(known),
            (None, ConstantValue::Integer(Some(number))) => FieldValue::Number(number as u64 as i64),
            _ => return,
        };
        self.out.fields.push(OpaqueField { element: self.element, name: name.name, value });
    }
}
