//! Declarations: registers, variables, parameters.

use crate::ast::{Constant, Declaration, Declarator, Word};
use crate::checks::{duplicate_name, gates, syntax_error};
use crate::diagnostic::Diagnostic;
use crate::signature::ContentId;
use crate::symbols::{Declared, Frame, Origin, Symbol, Variable};
use crate::target::Environment;
use crate::types::TypeId;
use ptx_isa::ISA;
use std::ops::Range;

/// A declared name with what it stands for.
#[derive(Debug, Clone)]
pub struct DeclaredName<'t> {
    /// The name.
    pub name: Word<'t>,
    /// `<10>`.
    pub count: Option<u32>,
    /// What it declares.
    pub symbol: Symbol,
}

/// The names that a declaration or a parameter declares.
pub fn names<'t>(declaration: &Declaration<'t>, origin: Origin) -> Vec<DeclaredName<'t>> {
    let space = declaration.spaces.first().map_or("", |w| w.text);
    let base = space.split("::").next().unwrap_or(space);
    let ty = declaration.types.first().and_then(|w| TypeId::of(w.text));
    let elements = declaration.vectors.first().and_then(|w| w.text.get(2..)?.parse().ok()).unwrap_or(1);
    let symbol = |declarator: &Declarator<'_>| match (base, ty) {
        (".reg", Some(ty)) => Symbol::Register { ty, elements },
        (".reg" | ".sreg" | "", _) => Symbol::Unknown,
        _ => match ISA.space(base) {
            Some(space) => Symbol::Variable(variable(declaration, declarator, space.name, (ty, elements), origin)),
            None => Symbol::Unknown,
        },
    };
    let named = declaration.declarators.iter().filter(|d| d.name.text != "_");
    let count = |d: &Declarator<'_>| {
        let (_, value) = d.count.as_ref()?;
        Some(value.and_then(|n| n.try_into().ok()).unwrap_or(0))
    };
    named.map(|d| DeclaredName { name: d.name, count: count(d), symbol: symbol(d) }).collect()
}

fn variable(
    declaration: &Declaration<'_>,
    declarator: &Declarator<'_>,
    space: &'static str,
    (ty, elements): (Option<TypeId>, u8),
    origin: Origin,
) -> Variable {
    let element = ty.map(|t| u64::from(t.info().bits).div_ceil(8) * u64::from(elements)).filter(|b| *b > 0);
    let dimension = |(_, size): &(Range<usize>, Option<Constant>)| match size {
        Some(Constant::Integer(Some(n))) => u64::try_from(*n).ok(),
        _ => None,
    };
    let count = declarator.dimensions.iter().try_fold(1u64, |product, d| product.checked_mul(dimension(d)?));
    let align = match declaration.alignments.first() {
        Some(alignment) => alignment.value.and_then(|n| u32::try_from(n).ok()),
        None => element.and_then(|b| u32::try_from(b.next_power_of_two()).ok()),
    };
    Variable {
        space,
        ty,
        elements,
        origin,
        bytes: element.zip(count).and_then(|(bytes, count)| bytes.checked_mul(count)),
        align,
        unified: declaration.attributes.iter().any(|a| a.name.text == ".unified"),
        external: declaration.linkages.iter().any(|l| l.text == ".extern"),
        array: !declarator.dimensions.is_empty(),
        table: ContentId::UNKNOWN,
    }
}

/// Declares them in a block.
pub fn declare<'t>(names: Vec<DeclaredName<'t>>, frame: &mut Frame<'t>, out: &mut Vec<Diagnostic>) {
    for DeclaredName { name, count, symbol } in names {
        let declared = Declared { symbol, range: name.range() };
        let earlier = match count {
            Some(count) => frame.declare_range(name.text, count, declared),
            None => frame.declare(name.text, declared),
        };
        if let Some(earlier) = earlier {
            out.push(duplicate_name::report(name.range(), name.text, earlier));
        }
    }
}

/// What can be said of a declaration by itself: its type exists, may be used there, and is not too new.
pub fn check(declaration: &Declaration<'_>, environment: &Environment, out: &mut Vec<Diagnostic>) {
    let space = declaration.spaces.first();
    shape(declaration, out);
    if let Some(word) = space
        && let Some(known) = ISA.space(word.text)
    {
        out.extend(gates::check(word.range(), word.text, known.gates, environment, |_| true));
    }
    let Some(&word) = declaration.types.first() else { return };
    let space = space.map_or("", |w| w.text);
    match TypeId::of(word.text).map(TypeId::info) {
        None => out.push(syntax_error::not_a_type(word)),
        Some(ty) => {
            let allowed = if space.starts_with(".reg") { ty.registers } else { ty.variables || ty.registers };
            if !allowed {
                out.push(syntax_error::type_not_here(word, space));
            } else {
                out.extend(gates::check(word.range(), word.text, ty.gates, environment, |_| true));
            }
        }
    }
}

/// One state space, one type, at most one vector length; the grammar takes any number, so that a half-typed line stays whole.
fn shape(declaration: &Declaration<'_>, out: &mut Vec<Diagnostic>) {
    let lists =
        [(&declaration.spaces, "state space"), (&declaration.types, "type"), (&declaration.vectors, "vector length")];
    for (words, what) in lists {
        out.extend(words.iter().skip(1).map(|w| syntax_error::given_twice(w.range(), what)));
    }
    // `.global .f32;` is legal, `.reg %r;` is not; a list of nothing else was never finished.
    if let Some(first) = declaration.declarators.first().filter(|_| declaration.types.is_empty()) {
        let start = first.name.range().start;
        out.push(syntax_error::no_type(start..start + 1));
    }
}
