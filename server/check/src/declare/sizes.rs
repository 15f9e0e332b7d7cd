//! Checks alignments, array sizes and the numbers of names in ranges.

use super::site::DeclarationSite;
use crate::diagnostic::Diagnostic;
use crate::rules::{alignment, array_size, attribute, gates};
use ptx_isa::ISA;
use ptx_isa::tables::{Capacity, SpaceInfo};
use ptx_sema::hir::ast::{Alignment, ConstantValue, Declaration, Declarator};
use ptx_sema::hir::declared::own_alignments;
use ptx_sema::hir::symbols::VariableOrigin;
use ptx_sema::hir::types::TypeId;
use ptx_sema::target::Environment;

/// Checks the alignments of a declaration.
pub(super) fn alignments(declaration: &Declaration<'_>, space: &str, site: DeclarationSite, out: &mut Vec<Diagnostic>) {
    let known = out.len();
    let pointed = declaration.pointers.iter().filter_map(|p| p.alignment.as_ref());
    for alignment in declaration.alignments.iter().chain(pointed) {
        match alignment.value {
            None => out.push(alignment::not_a_number(alignment.place.clone())),
            Some(value) if !u32::try_from(value).is_ok_and(u32::is_power_of_two) => {
                out.push(alignment::power_of_two(alignment.place.clone(), value));
            }
            Some(_) => {}
        }
    }
    let own: Vec<(&Alignment, i128)> = own_alignments(declaration).filter_map(|a| Some((a, a.value?))).collect();
    if let Some(pointee) = declaration.alignments.iter().find(|a| !own.iter().any(|(o, _)| o.range == a.range)) {
        match site.origin {
            _ if site.prototype => {}
            VariableOrigin::KernelParameter => out.push(alignment::of_pointee(pointee.range.clone())),
            VariableOrigin::Parameter | VariableOrigin::Result => {
                out.push(attribute::pointer(pointee.range.clone(), ".align"))
            }
            VariableOrigin::Module | VariableOrigin::Body => {}
        }
    }
    let Some(&(largest, value)) = own.iter().max_by_key(|(_, value)| *value) else { return };
    if out.len() > known {
        return;
    }
    let most = ISA.space(space).map_or(0, |s| most(s, site.place()));
    if most > 0 && value > most.into() && !site.bodiless {
        return out.push(alignment::too_large(largest.place.clone(), value, most));
    }
    if space == ".reg" {
        return out.push(alignment::of_register(largest.range.clone()));
    }
    for (other, small) in own.iter().filter(|(other, _)| other.range != largest.range) {
        out.push(alignment::not_the_largest(other.range.clone(), *small, value));
    }
    let natural = natural(declaration).filter(|natural| value < (*natural).into());
    if let Some(natural) = natural.filter(|_| own.len() == 1) {
        out.push(alignment::below_natural(largest.range.clone(), value, natural));
    }
}

/// The alignment of the declared type in bytes.
fn natural(declaration: &Declaration<'_>) -> Option<u32> {
    let ty = declaration.types.first().and_then(|w| TypeId::of(w.text))?;
    let elements: u32 = declaration.vectors.first().and_then(|w| w.text.get(2..)?.parse().ok()).unwrap_or(1);
    Some(u32::from(ty.info().bits).div_ceil(8) * elements)
}

/// The largest alignment in bytes that a space allows at a place; 0 if there is no limit.
fn most(space: &SpaceInfo, place: &str) -> u32 {
    space.declared.iter().filter(|d| d.names.contains(&place)).map(|d| d.align).max().unwrap_or(0)
}

/// Checks the sizes of arrays, and the numbers of names in ranges.
pub(super) fn arrays(
    declaration: &Declaration<'_>,
    space: &str,
    site: DeclarationSite,
    environment: &Environment,
    out: &mut Vec<Diagnostic>,
) {
    for declarator in &declaration.declarators {
        range(declarator, out);
        dimensions(declaration, declarator, space, site, environment, out);
    }
}

fn range(declarator: &Declarator<'_>, out: &mut Vec<Diagnostic>) {
    let Some((place, count)) = &declarator.count else { return };
    if let Some(computed) = &declarator.computed {
        return out.push(array_size::not_a_number(computed.clone()));
    }
    if let Some((dimension, _)) = declarator.dimensions.first() {
        out.push(array_size::range_alone(dimension.clone(), "a dimension"));
    } else if let Some(value) = &declarator.initializer {
        out.push(array_size::range_alone(value.start..value.start + 1, "an initializer"));
    }
    if declarator.name.text.ends_with(|c: char| c.is_ascii_digit()) {
        out.push(array_size::unreachable(declarator.name.range(), declarator.name.text));
    }
    match count {
        Some(0) => out.push(array_size::nothing(place.clone())),
        Some(count) if u32::try_from(*count).is_err() => out.push(array_size::too_many(place.clone())),
        _ => {}
    }
}

fn dimensions(
    declaration: &Declaration<'_>,
    declarator: &Declarator<'_>,
    space: &str,
    site: DeclarationSite,
    environment: &Environment,
    out: &mut Vec<Diagnostic>,
) {
    let Some(((place, first), inner)) = declarator.dimensions.split_first() else { return };
    if declarator.count.is_some() {
        return;
    }
    if let Some(computed) = &declarator.computed {
        return out.push(array_size::not_a_number(computed.clone()));
    }
    let value = |size: &Option<ConstantValue>| match size {
        // A size has 64 bits; higher bits are dropped.
        Some(ConstantValue::Integer(Some(n))) => Some(*n & i128::from(u64::MAX)),
        _ => None,
    };
    // Another diagnostic reports a size that is not a valid number.
    if declarator.dimensions.iter().any(|(_, size)| matches!(size, Some(ConstantValue::Wrong(_)))) {
        return;
    }
    if let Some((second, _)) = inner.first().filter(|_| site.is_parameter()) {
        return out.push(array_size::parameter(second.clone()));
    }
    // ptxas: it accepts an array of registers with a size if the function has no body.
    if space == ".reg" && (!site.bodiless || value(first).is_none_or(|n| n == 0)) {
        return out.push(array_size::registers(place.clone(), declarator.name.text, value(first)));
    }
    if let Some((inner, _)) = inner.iter().find(|(_, size)| value(size).is_none_or(|n| n == 0)) {
        return out.push(array_size::inner(inner.clone()));
    }
    if site.is_parameter() && value(first).is_some_and(|n| u32::try_from(n).is_err()) {
        return out.push(array_size::parameter_overflow(place.clone()));
    }
    if value(first).is_some_and(|n| n != 0) {
        return;
    }
    if !site.is_parameter() {
        let external = declaration.linkages.first().is_some_and(|l| l.text == ".extern");
        if !external && declarator.initializer.is_none() {
            out.push(array_size::unknown(place.clone(), declarator.name.text));
        }
    } else if site.origin == VariableOrigin::Parameter {
        let open = ISA.space(space).and_then(|s| s.declared.iter().find(|d| d.names.contains(&"open-parameter")));
        out.extend(open.and_then(|d| gates::check(place.clone(), "[]", d.gates, environment, |_| true)));
    }
}

/// The largest capacity of a state space that the module's version and target allow.
pub(super) fn holds(space: &'static SpaceInfo, environment: &Environment) -> Option<&'static Capacity> {
    space.holds.iter().filter(|c| environment.refused(c.gates, |_| true).is_none()).max_by_key(|c| c.bytes)
}
