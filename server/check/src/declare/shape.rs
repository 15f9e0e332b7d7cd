//! Checks the number of words of each kind in a declaration, and their order.

use super::site::DeclarationSite;
use crate::diagnostic::Diagnostic;
use crate::rules::{reserved_name, syntax_error};
use ptx_sema::hir::ast::Declaration;
use ptx_sema::hir::symbols::VariableOrigin;
use std::ops::Range;

/// Checks that there are one state space, one type and at most one vector length, in this order. The grammar accepts any number in any
/// order, so that a half-typed line remains one declaration. False if a further check of the type makes no sense.
pub(super) fn check(declaration: &Declaration<'_>, site: DeclarationSite, out: &mut Vec<Diagnostic>) -> bool {
    let lists =
        [(&declaration.spaces, "state space"), (&declaration.types, "type"), (&declaration.vectors, "vector length")];
    let mut whole = true;
    for (words, what) in lists {
        out.extend(words.iter().skip(1).map(|w| syntax_error::given_twice(w.range(), what)));
        whole &= words.len() < 2;
    }
    for declarator in &declaration.declarators {
        // ptxas: a variable with linkage may declare a special register of the same type again.
        if site.origin == VariableOrigin::Module && declarator.count.is_none() && declaration.linkages.is_empty() {
            reserved_name::in_module(declarator.name, out);
        } else {
            reserved_name::check(declarator.name, declarator.count.is_some(), out);
        }
    }
    if site.is_parameter() && declaration.declarators.is_empty() {
        let end = declaration.range.end;
        out.push(syntax_error::no_name(end.saturating_sub(1)..end, site.prototype));
        return false;
    }
    if declaration.types.is_empty() {
        // `.global .f32;` is legal, `.reg %r;` is not. A declaration with neither a type, a name nor a `;` is unfinished.
        if let Some(first) = declaration.declarators.first() {
            let start = first.name.range().start;
            out.push(syntax_error::no_type(start..start + 1));
        } else if let Some(end) = &declaration.semicolon {
            out.push(syntax_error::no_type(end.clone()));
        }
        return false;
    }
    let known = out.len();
    if whole {
        order(declaration, site, out);
    }
    whole && out.len() == known
}

/// Checks the order: vector length, type and `.ptr` must follow each other, and all other words must come before them.
fn order(declaration: &Declaration<'_>, site: DeclarationSite, out: &mut Vec<Diagnostic>) {
    let Some(ty) = declaration.types.first().map(|w| w.range().start) else { return };
    let vector = declaration.vectors.first().map(|w| w.range().start);
    let limit = vector.map_or(ty, |v| v.min(ty));
    let what = if limit < ty { "the vector length" } else { "the type" };
    let mut late = |range: Range<usize>, before: &'static str| out.push(syntax_error::order(range, before));
    if let Some(vector) = declaration.vectors.first().filter(|w| w.range().start > ty) {
        late(vector.range(), "the type");
    }
    for word in declaration.spaces.iter().filter(|w| w.range().start > limit) {
        late(word.range(), what);
    }
    for attribute in declaration.attributes.iter().filter(|a| a.range.start > limit) {
        late(attribute.range.clone(), what);
    }
    let mut behind = declaration.alignments.iter().filter(|a| a.range.start > limit);
    let pointee = |start: usize| start > ty && site.is_parameter() && declaration.pointers.is_empty();
    if let Some(first) = behind.next()
        && !pointee(first.range.start)
    {
        late(first.range.clone(), what);
    }
    behind.for_each(|a| late(a.range.clone(), what));
    for pointer in declaration.pointers.iter().filter(|p| p.range.start < ty) {
        out.push(syntax_error::pointer_order(pointer.range.clone()));
    }
}
