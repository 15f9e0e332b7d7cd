//! `alias`: a second name for something that cannot have one.

use super::declaration_mismatch::signature_words;
use crate::check::codes::Code;
use crate::check::diagnostic::Diagnostic;
use crate::hir::module::ModuleSymbol;
use crate::hir::symbols::Symbol;
use std::ops::Range;

const CODE: Code = Code::Alias;

/// A name of the directive: where it stands, how it is written and what it is.
pub type Named<'n> = (Range<usize>, &'n str, &'n ModuleSymbol);

/// The report on an alias that the assembler refuses.
pub fn check(alias: Named<'_>, function: Named<'_>) -> Option<Diagnostic> {
    for (range, name, symbol) in [&alias, &function] {
        let what = match symbol.symbol {
            Symbol::Function { kernel: false, .. } => continue,
            Symbol::Unknown => return None,
            other => other.describe(),
        };
        let message = format!("`{name}` is {what}: only functions have aliases");
        let diagnostic = Diagnostic::error(CODE, range.clone(), message);
        return Some(diagnostic.related(symbol.place.clone(), format!("`{name}` is declared here")));
    }
    let (range, name, symbol) = &alias;
    let (function_range, function_name, aliased) = &function;
    if name == function_name {
        return Some(Diagnostic::error(CODE, function_range.clone(), format!("`{name}` is made an alias of itself")));
    }
    if symbol.defined {
        let message = format!("`{name}` has a body, so it cannot be an alias of `{function_name}`");
        let diagnostic = Diagnostic::error(CODE, range.clone(), message);
        return Some(
            diagnostic
                .related(symbol.place.clone(), format!("the body of `{name}` is here"))
                .with_help(format!("declare `{name}` without a body: the alias gives it that of `{function_name}`")),
        );
    }
    if let Some(linkage @ (".weak" | ".extern")) = aliased.linkage {
        let message = format!("`{function_name}` is `{linkage}`: such functions have no aliases");
        let diagnostic = Diagnostic::error(CODE, function_range.clone(), message);
        return Some(diagnostic.related(aliased.place.clone(), format!("`{function_name}` is declared here")));
    }
    let (own, other) = (symbol.signature.as_deref()?, aliased.signature.as_deref()?);
    let mismatch = own.mismatch(other)?;
    let words = signature_words(mismatch, (own, other), &format!("`{name}`"), &format!("`{function_name}`"));
    Some(
        Diagnostic::error(CODE, range.clone(), words)
            .with_help(format!("declare it as `{};`", other.declared_as(".func", name)))
            .related(symbol.place.clone(), format!("`{name}` is declared here"))
            .related(aliased.place.clone(), format!("`{function_name}` is declared here")),
    )
}

/// The report on a name that is an alias already.
pub fn twice(range: Range<usize>, name: &str, other: &str) -> Diagnostic {
    Diagnostic::error(CODE, range, format!("`{name}` is an alias of `{other}` already"))
}
