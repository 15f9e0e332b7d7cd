//! Computes the bytes of initial values as the assembler does (each rule measured in its object files).
//!
//! The check `initializer` reports invalid initializers; here a value without a valid one is zero.

use super::{FieldValue, InitialContents, OpaqueField, Relocation, RelocationTarget};
use crate::flow::FlowFunction;
use ptx_isa::ISA;
use ptx_isa::tables::{TypeClass, TypeInfo, Version};
use ptx_sema::hir::ast::{ConstantValue, Declarator};
use ptx_sema::hir::literal::{self, FloatLiteral};
use ptx_sema::hir::lower::{self, ItemSource};
use ptx_sema::hir::module::Header;
use ptx_sema::hir::symbols::{Symbol, VariableSymbol};
use ptx_syntax::walk::named_children;
use ptx_syntax::{Node, fields, kinds};
use std::ops::Range;

/// Lists nested deeper than this are ignored.
const MAX_DEPTH: usize = 64;

/// From this version on, the name of a variable is its address in its own state space instead of a generic address.
const OWN_SPACE: Version = Version { major: 3, minor: 1 };

/// Resolves the names in an initial value.
pub(super) struct InitializerNames<'a> {
    pub header: &'a Header,
    /// The index of the item that contains the value.
    pub item: usize,
    /// The function that contains the value, if any.
    pub function: Option<&'a FlowFunction>,
}

impl InitializerNames<'_> {
    /// The variable or function for which a name stands at a position.
    fn target(&self, name: &str, at: &Range<usize>) -> Option<RelocationTarget> {
        let at = at.start as u32;
        // A name of an inner block hides outer ones; it is not visible before its declaration.
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

/// The contents of a variable, and its size in bytes if only the contents determine it.
#[derive(Debug, Default)]
pub(super) struct SizedContents {
    pub contents: InitialContents,
    pub size: Option<u64>,
}

/// The contents of a variable with the initializer `value`.
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
        // A packed type may write more bytes than it has; all other excess values are reported as errors.
        contents.bytes.truncate(usize::try_from(size).unwrap_or(usize::MAX));
        contents.relocations.retain(|r| r.offset.saturating_add(r.width.into()) <= size);
    }
    SizedContents { contents, size }
}

/// The size in bytes of `a[] = {…}`: one row per element of the list.
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

/// A number, as written.
#[derive(Debug, Clone, Copy)]
enum LiteralNumber {
    Integer(u64),
    /// The bits after `0f`.
    Single(u32),
    Double(f64),
}

impl LiteralNumber {
    /// The bit pattern of the number for a value with this number of bits, which keeps the lowest ones.
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
    /// The byte offset of the next value.
    at: usize,
    /// The index of the current element in an array of an opaque type.
    element: u64,
    out: InitialContents,
}

impl Writer<'_, '_> {
    /// Writes a value or a list of values. In ptxas, braces only limit the number of values: the values follow one another,
    /// and an incomplete inner list is not padded.
    fn value(&mut self, node: Node<'_>, depth: usize) {
        let k = kinds();
        let kind = node.kind_id();
        if kind == k.initializer_list {
            if depth > MAX_DEPTH {
                return;
            }
            let opaque = self.ty.class == TypeClass::Opaque;
            let fields_here = opaque && named_children(node).all(|n| n.kind_id() == k.field_initializer);
            for child in named_children(node) {
                self.value(child, depth + 1);
            }
            self.element += u64::from(fields_here);
        } else if kind == k.field_initializer {
            // ptxas writes no value for a field name before a number.
            if self.ty.class == TypeClass::Opaque {
                self.field(node);
            }
        } else if !node.has_error() {
            self.single(node);
        }
    }

    /// The number of bits of one value. ptxas writes a packed type as 32-bit values.
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
                // A type smaller than an address keeps its lowest bytes.
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

    /// Writes the lowest bytes of a bit pattern. For 128 bits, the assembler writes the lower half and leaves the upper half
    /// undefined; here it is zero.
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
        for _ in 0..MAX_DEPTH {
            if inner.kind_id() != k.parenthesized_expression {
                break;
            }
            inner = named_children(inner).next()?;
        }
        // Keep the bits as written: evaluating an expression would quiet a NaN.
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

    /// An address as a value: its target, its byte offset, and whether it is generic.
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

    /// Writes `0xff00(x)`: one byte of the address, and zeros up to the size of the type.
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
