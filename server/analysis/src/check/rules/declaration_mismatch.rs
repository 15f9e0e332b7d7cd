//! `declaration-mismatch`: two declarations of one function that do not agree.

use crate::check::codes::Code;
use crate::check::diagnostic::{Diagnostic, Fix};
use crate::hir::module::ModuleSymbol;
use crate::hir::signature::{Difference, Mismatch, Parameter, Signature};
use std::ops::Range;

const CODE: Code = Code::DeclarationMismatch;

fn error(range: Range<usize>, message: String, first: Range<usize>) -> Diagnostic {
    Diagnostic::error(CODE, range, message).related(first, "the first declaration is here")
}

/// The report on the definition of a function that an earlier declaration calls `.extern`.
pub fn defines_external(range: Range<usize>, name: &str, first: Range<usize>) -> Diagnostic {
    error(range, format!("`{name}` is defined here, but its declaration says `.extern`"), first)
        .with_help("declare it `.visible` there, or without a linking directive")
}

/// The report on a later declaration without the `.extern` of the first.
pub fn no_longer_external(range: Range<usize>, name: &str, first: Range<usize>) -> Diagnostic {
    error(range, format!("`{name}` is `.extern` in its first declaration, but not in this one"), first)
        .with_help("write `.extern` in each of them")
}

/// The report on a function that is a kernel in one place and none in the other.
pub fn kind(range: Range<usize>, name: &str, kernel: bool, first: Range<usize>) -> Diagnostic {
    let (now, before) = if kernel { ("a kernel", "a function") } else { ("a function", "a kernel") };
    error(range, format!("`{name}` is declared as {now} here, but as {before} before"), first)
}

/// The report on another linking directive.
pub fn linkage(range: Range<usize>, name: &str, linkage: &str, first: &ModuleSymbol) -> Diagnostic {
    let before = first.linkage.map_or_else(|| "no linking directive".to_owned(), |l| format!("`{l}`"));
    let message = format!("`{name}` is `{linkage}` here, but its first declaration has {before}");
    let diagnostic = error(range.clone(), message, first.place.clone());
    match first.linkage {
        Some(before) => diagnostic.fix(Fix::replace(format!("Change `{linkage}` to `{before}`"), range, before)),
        None => diagnostic.with_help(format!("write `{linkage}` in the first declaration; the others need none")),
    }
}

/// The report on another signature.
pub fn signature(
    range: Range<usize>,
    name: &str,
    mismatch: Mismatch,
    (now, before): (&Signature, &Signature),
    first: Range<usize>,
) -> Diagnostic {
    let words =
        signature_words(mismatch, (now, before), &format!("this declaration of `{name}`"), "the first declaration");
    error(range, words, first).with_help(format!("the first declaration is `{}`", before.declared_as(".func", name)))
}

/// The report on another number of preserved registers, at which only the code generator objects.
pub fn preserved(range: Range<usize>, name: &str, first: Range<usize>) -> Diagnostic {
    let message = format!("the declarations of `{name}` differ in `.abi_preserve` or `.abi_preserve_control`");
    Diagnostic::warning(CODE, range, message)
        .related(first, "the first declaration is here")
        .with_help("the assembler refuses that once it generates code")
}

/// In what two signatures differ, in words. `this` and `other` name them.
pub fn signature_words(mismatch: Mismatch, (now, before): (&Signature, &Signature), this: &str, other: &str) -> String {
    let counted = |n: usize, what: &str| match n {
        0 => format!("no {what}s"),
        1 => format!("1 {what}"),
        _ => format!("{n} {what}s"),
    };
    match mismatch {
        Mismatch::Results => {
            let count = |s: &Signature| counted(s.results.len(), "result");
            format!("{this} has {}, but {other} has {}", count(now), count(before))
        }
        Mismatch::Parameters => {
            let count = |s: &Signature| counted(s.parameters.len(), "parameter");
            format!("{this} has {}, but {other} has {}", count(now), count(before))
        }
        Mismatch::Result(index, difference) => {
            part("result", index, difference, &now.results[index], &before.results[index], this, other)
        }
        Mismatch::Parameter(index, difference) => {
            part("parameter", index, difference, &now.parameters[index], &before.parameters[index], this, other)
        }
        Mismatch::NoReturn => {
            let (with, without) = if now.noreturn { (this, other) } else { (other, this) };
            format!("{with} says `.noreturn`, but {without} does not")
        }
    }
}

fn part(
    what: &str,
    index: usize,
    difference: Difference,
    now: &Parameter,
    before: &Parameter,
    this: &str,
    other: &str,
) -> String {
    let place = now.call_it(index, what);
    let both = match difference {
        Difference::Alignment => {
            let align = |p: &Parameter| p.align.map_or_else(|| "?".to_owned(), |a| a.to_string());
            return format!(
                "{place} is aligned to {} bytes in {this}, but to {} in {other}",
                align(now),
                align(before)
            );
        }
        _ => (now.to_string(), before.to_string()),
    };
    format!("{place} is `{}` in {this}, but `{}` in {other}", both.0, both.1)
}
