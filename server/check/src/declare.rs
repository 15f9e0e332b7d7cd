//! Checks declarations: of registers, variables and parameters.

mod again;
mod parts;
mod place;
mod shape;
mod site;
mod sizes;

pub(crate) use again::{Earlier, redeclared};
pub(crate) use parts::{function_attributes, function_linkages, kernel_parameters};
pub(crate) use site::DeclarationSite;

use crate::diagnostic::Diagnostic;
use crate::rules::duplicate_name;
use ptx_sema::hir::ast::Declaration;
use ptx_sema::hir::declared::DeclaredName;
use ptx_sema::hir::symbols::{DeclaredSymbol, NameFrame};
use ptx_sema::target::Environment;

/// Declares names in the frame of a block, and reports names that the block declares already.
pub(crate) fn declare<'t>(
    names: Vec<DeclaredName<'t>>,
    frame: &mut NameFrame<&'t str, DeclaredSymbol>,
    out: &mut Vec<Diagnostic>,
) {
    for DeclaredName { name, count, symbol } in names {
        let declared = DeclaredSymbol { symbol, range: name.range() };
        let earlier = match count {
            Some(count) => frame.declare_range(name.text, count, declared),
            None => frame.declare(name.text, declared),
        };
        if let Some(earlier) = earlier {
            out.push(duplicate_name::report(name.range(), name.text, earlier.range.clone()));
        }
    }
}

/// Checks a declaration by itself. False if its state space or its type is wrong; then nothing more can be said of the names that
/// it declares.
pub(crate) fn check(
    declaration: &Declaration<'_>,
    site: DeclarationSite,
    environment: &Environment,
    out: &mut Vec<Diagnostic>,
) -> bool {
    if declaration.broken {
        // The parser has reported an error in it already.
        return true;
    }
    let before = out.len();
    let whole = shape::check(declaration, site, out);
    let (space, known) = place::check(declaration, site, environment, out);
    if !whole || !known {
        return out.len() == before;
    }
    let typed = place::types(declaration, space, site, environment, out);
    if typed {
        sizes::alignments(declaration, space, site, out);
        sizes::arrays(declaration, space, site, environment, out);
    }
    parts::check(declaration, space, site, environment, out);
    typed
}
