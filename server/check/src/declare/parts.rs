//! Checks linking directives, attributes, `.ptr`, and the total size of a kernel's parameters.

use super::site::DeclarationSite;
use super::sizes;
use crate::diagnostic::Diagnostic;
use crate::rules::{attribute, duplicate_name, gates, linkage, parameter_size};
use ptx_isa::ISA;
use ptx_isa::tables::{Directive, TypeClass};
use ptx_sema::hir::ast::{Attribute, Declaration, SourceWord};
use ptx_sema::hir::symbols::{Symbol, VariableOrigin};
use ptx_sema::hir::types::TypeId;
use ptx_sema::target::Environment;

/// Checks the linking directives, attributes and `.ptr` of a declaration.
pub(super) fn check(
    declaration: &Declaration<'_>,
    space: &str,
    site: DeclarationSite,
    environment: &Environment,
    out: &mut Vec<Diagnostic>,
) {
    linkages(declaration, space, site, environment, out);
    // ptxas looks at the names that it knows one by one, and overlooks `%r<4>`.
    let overlooked = site.bodiless || declaration.declarators.iter().all(|d| d.count.is_some());
    let mut said: Vec<&str> = Vec::new();
    for attribute in &declaration.attributes {
        let Some(directive) = attributes(attribute, "variable", "a variable", environment, out) else { continue };
        if !directive.spaces.contains(&space) && !overlooked {
            out.push(attribute::space(attribute.name, directive.spaces));
        } else if said.contains(&attribute.name.text) {
            out.push(attribute::repeated(attribute.name));
        }
        said.push(attribute.name.text);
    }
    pointers(declaration, site, environment, out);
}

fn linkages(
    declaration: &Declaration<'_>,
    space: &str,
    site: DeclarationSite,
    environment: &Environment,
    out: &mut Vec<Diagnostic>,
) {
    let Some(&word) = declaration.linkages.first() else { return };
    if site.origin == VariableOrigin::Body {
        return out.push(linkage::in_body(word));
    }
    if !single(&declaration.linkages, environment, out) {
        return;
    }
    let spaces = ISA.directive(word.text).map_or(&[][..], |d| d.spaces);
    let ty = declaration.types.first().and_then(|w| TypeId::of(w.text));
    if !spaces.is_empty() && !spaces.contains(&space) {
        out.push(linkage::space(word, spaces));
    } else if let Some(ty) = ty.filter(|t| !spaces.is_empty() && t.info().class == TypeClass::Opaque) {
        out.push(linkage::opaque(word, ty.name()));
    }
    if word.text == ".extern"
        && let Some(initialized) = declaration.declarators.iter().find(|d| d.initializer.is_some())
    {
        out.push(linkage::initialized(word, initialized.name.text));
    }
}

/// True if there is at most one linking directive, and the module's version and target have it. Reports it otherwise.
fn single(words: &[SourceWord<'_>], environment: &Environment, out: &mut Vec<Diagnostic>) -> bool {
    let Some((&first, more)) = words.split_first() else { return true };
    if let Some(&second) = more.first() {
        out.push(linkage::second(second, first));
        return false;
    }
    let needs = ISA.directive(first.text).map_or(&[][..], |d| d.gates);
    out.extend(gates::check(first.range(), first.text, needs, environment, |_| true));
    environment.refused(needs, |_| true).is_none()
}

/// Checks the linking directives of a function.
pub(crate) fn function_linkages(words: &[SourceWord<'_>], environment: &Environment, out: &mut Vec<Diagnostic>) {
    let function = |d: &Directive| d.places.contains(&"func") || d.places.contains(&"declaration");
    let variables_only = |w: &&SourceWord<'_>| ISA.directive(w.text).is_some_and(|d| !function(d));
    match words.iter().find(variables_only) {
        Some(word) => out.push(linkage::on_function(*word)),
        None => {
            single(words, environment, out);
        }
    }
}

/// Checks the attributes of a function. Each element of `lists` is one `.attribute(…)`.
pub(crate) fn function_attributes(
    lists: &[Vec<Attribute<'_>>],
    kernel: bool,
    environment: &Environment,
    out: &mut Vec<Diagnostic>,
) {
    let mut all = lists.iter().flatten();
    let Some(first) = all.next() else { return };
    if kernel {
        out.push(attribute::on_kernel(first.range.clone()));
    } else if let Some(second) = all.next() {
        out.push(attribute::second(second.range.clone()));
    } else {
        attributes(first, "func", "a function", environment, out);
    }
}

/// Checks an attribute by itself. Returns its directive in the tables, or `None` if it is wrong. `holder` describes the declaration.
fn attributes(
    attribute: &Attribute<'_>,
    place: &str,
    holder: &'static str,
    environment: &Environment,
    out: &mut Vec<Diagnostic>,
) -> Option<&'static Directive> {
    let is_attribute = |d: &&Directive| d.syntax.starts_with(".attribute(") && d.name != ".attribute";
    let known = || ISA.directives.iter().filter(is_attribute).filter(|d| d.places.contains(&place));
    let names = || known().map(|d| d.name).collect::<Vec<_>>();
    if attribute.name.text.is_empty() {
        out.push(attribute::missing(attribute.range.clone(), &names()));
        return None;
    }
    let Some(directive) = known().find(|d| d.name == attribute.name.text) else {
        out.push(attribute::unknown(attribute.name, &names(), holder));
        return None;
    };
    out.extend(gates::check(attribute.name.range(), attribute.name.text, directive.gates, environment, |_| true));
    if environment.refused(directive.gates, |_| true).is_some() {
        return None;
    }
    let wanted = directive.takes.map_or(0, |t| t.least);
    let parenthesized = attribute.range.len() > attribute.name.text.len();
    if attribute.arguments.len() != usize::from(wanted) || parenthesized != (wanted > 0) {
        out.push(attribute::arguments(attribute, wanted));
        return None;
    }
    if let Some(computed) = &attribute.computed {
        out.push(attribute::not_a_number(computed.clone()));
        return None;
    }
    Some(directive)
}

/// Checks `.ptr`, which describes the memory that a parameter points to.
fn pointers(
    declaration: &Declaration<'_>,
    site: DeclarationSite,
    environment: &Environment,
    out: &mut Vec<Diagnostic>,
) {
    let Some((first, more)) = declaration.pointers.split_first() else { return };
    let Some(directive) = ISA.directive(".ptr") else { return };
    let word = first.range.start..first.range.start + directive.name.len();
    if let Some(second) = more.first() {
        return out.push(attribute::second_pointer(second.range.clone()));
    }
    if site.origin != VariableOrigin::KernelParameter && !site.prototype {
        return out.push(attribute::pointer(word, directive.name));
    }
    out.extend(gates::check(word, directive.name, directive.gates, environment, |_| true));
    if let Some(space) = first.space.filter(|w| !directive.spaces.contains(&w.text)) {
        out.push(attribute::pointer_space(space, directive.spaces));
    }
}

/// Checks the parameters of a kernel with a body together: their total size in bytes, and that only one is called `_`.
pub(crate) fn kernel_parameters(parameters: &[Declaration<'_>], environment: &Environment, out: &mut Vec<Diagnostic>) {
    let mut unnamed = parameters.iter().filter_map(|p| p.declarators.first()).filter(|d| d.name.text == "_");
    if let Some(first) = unnamed.next() {
        // ptxas: `_` is a name like any other here.
        out.extend(unnamed.map(|d| duplicate_name::report(d.name.range(), "_", first.name.range())));
    }
    if environment.version.is_none() || environment.target.is_none() {
        return;
    }
    let Some(space) = ISA.space(".param") else { return };
    let Some(limit) = sizes::holds(space, environment) else { return };
    let mut end = 0u64;
    let mut beyond = None;
    for parameter in parameters {
        // ptxas: `_` takes its bytes, too. A texture, sampler or surface takes none.
        let opaque = parameter.types.first().and_then(|w| TypeId::of(w.text));
        if opaque.is_some_and(|t| t.info().class == TypeClass::Opaque) {
            continue;
        }
        let Some(declarator) = parameter.declarators.first() else { return };
        let symbol = ptx_sema::hir::declared::symbol(parameter, declarator, VariableOrigin::KernelParameter);
        let Symbol::Variable(variable) = symbol else { return };
        let (Some(bytes), Some(align)) = (variable.bytes, variable.align) else { return };
        end = end.next_multiple_of(align.max(1).into()).saturating_add(bytes);
        if end > limit.bytes.into() {
            beyond.get_or_insert((declarator.name, end));
        }
    }
    // ptxas: it counts in 32 bits, and accepts a total that overflows them.
    if let Some((name, from)) = beyond
        && end as u32 > limit.bytes
    {
        let more = space.holds.iter().find(|c| c.bytes > limit.bytes && from <= c.bytes.into());
        out.push(parameter_size::report(name, from, limit.bytes, more, environment));
    }
}
