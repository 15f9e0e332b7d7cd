//! The names that declarations declare, and the symbol of each.

use crate::hir::ast::{Alignment, ConstantValue, Declaration, Declarator, SourceWord};
use crate::hir::signature::ContentId;
use crate::hir::symbols::{Symbol, VariableOrigin, VariableSymbol};
use crate::hir::types::TypeId;
use ptx_isa::ISA;
use std::ops::Range;

/// A declared name with its symbol.
#[derive(Debug, Clone)]
pub struct DeclaredName<'t> {
    /// The name.
    pub name: SourceWord<'t>,
    /// The number of registers in a range such as `%r<10>`.
    pub count: Option<u32>,
    /// The declared symbol.
    pub symbol: Symbol,
}

/// The names that a declaration or a parameter declares.
pub fn names<'t>(declaration: &Declaration<'t>, origin: VariableOrigin) -> Vec<DeclaredName<'t>> {
    let named = declaration.declarators.iter().filter(|d| d.name.text != "_");
    let count = |d: &Declarator<'_>| {
        let (_, value) = d.count.as_ref()?;
        // A number without a value is reported elsewhere; the count of registers is then unlimited.
        Some(value.map_or(u32::MAX, |n| n.try_into().unwrap_or(0)))
    };
    let one =
        |d: &Declarator<'t>| DeclaredName { name: d.name, count: count(d), symbol: symbol(declaration, d, origin) };
    named.map(one).collect()
}

/// The symbol of a parameter, which may be named `_`; `None` if not even that is written.
pub fn parameter(declaration: &Declaration<'_>, origin: VariableOrigin) -> Option<Symbol> {
    declaration.declarators.first().map(|declarator| symbol(declaration, declarator, origin))
}

/// The symbol of one declared name.
pub fn symbol(declaration: &Declaration<'_>, declarator: &Declarator<'_>, origin: VariableOrigin) -> Symbol {
    let space = declaration.spaces.first().map_or("", |w| w.text);
    let base = space.split("::").next().unwrap_or(space);
    let ty = declaration.types.first().and_then(|w| TypeId::of(w.text));
    let elements = declaration.vectors.first().and_then(|w| w.text.get(2..)?.parse().ok()).unwrap_or(1);
    match (base, ty) {
        (".reg", Some(ty)) => Symbol::Register { ty, elements },
        (".reg" | ".sreg" | "", _) => Symbol::Unknown,
        _ => match ISA.space(base) {
            Some(space) => Symbol::Variable(variable(declaration, declarator, space.name, (ty, elements), origin)),
            None => Symbol::Unknown,
        },
    }
}

fn variable(
    declaration: &Declaration<'_>,
    declarator: &Declarator<'_>,
    space: &'static str,
    (ty, elements): (Option<TypeId>, u8),
    origin: VariableOrigin,
) -> VariableSymbol {
    let element = ty.map(|t| u64::from(t.info().bits).div_ceil(8) * u64::from(elements)).filter(|b| *b > 0);
    let dimension = |(_, size): &(Range<usize>, Option<ConstantValue>)| match size {
        Some(ConstantValue::Integer(Some(n))) => u64::try_from(*n).ok(),
        _ => None,
    };
    let count = declarator.dimensions.iter().try_fold(1u64, |product, d| product.checked_mul(dimension(d)?));
    // The largest alignment counts, including that of the type.
    let natural = element.and_then(|b| u32::try_from(b.next_power_of_two()).ok());
    let align = own_alignments(declaration).try_fold(natural.unwrap_or(1), |largest, alignment| {
        Some(largest.max(alignment.value.and_then(|n| u32::try_from(n).ok())?))
    });
    let align = align.filter(|_| natural.is_some());
    VariableSymbol {
        space,
        ty,
        elements,
        origin,
        bytes: element.zip(count).and_then(|(bytes, count)| bytes.checked_mul(count)),
        align,
        points_to_align: points_to_align(declaration),
        points_to_space: declaration.pointers.iter().find_map(|p| Some(ISA.space(p.space.as_ref()?.text)?.name)),
        unified: declaration.attributes.iter().any(|a| a.name.text == ".unified"),
        external: declaration.linkages.iter().any(|l| l.text == ".extern"),
        array: !declarator.dimensions.is_empty(),
        table: ContentId::UNKNOWN,
    }
}

/// The alignments of the variable itself. An alignment after the type of a parameter is that of the pointed-to memory.
pub fn own_alignments<'d>(declaration: &'d Declaration<'_>) -> impl Iterator<Item = &'d Alignment> {
    let end = declaration.types.first().map_or(usize::MAX, |w| w.range().start);
    declaration.alignments.iter().filter(move |a| a.range.start < end)
}

/// The alignment after `.ptr`.
fn points_to_align(declaration: &Declaration<'_>) -> Option<u32> {
    let alignment = declaration.pointers.iter().find_map(|p| p.alignment.as_ref())?;
    u32::try_from(alignment.value?).ok()
}

/// The linking directive with this name, as a `'static` string.
pub fn linkage_named(text: &str) -> Option<&'static str> {
    [".extern", ".visible", ".weak", ".common"].into_iter().find(|l| *l == text)
}
