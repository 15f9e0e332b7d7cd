//! `guard-predicate`: the guard of an instruction is no predicate.

use super::undeclared_name;
use crate::check::codes::Code;
use crate::check::diagnostic::Diagnostic;
use crate::forms::operands::{Names, special};
use crate::hir::ast::Word;
use crate::hir::symbols::Symbol;
use ptx_isa::tables::TypeClass;

const CODE: Code = Code::GuardPredicate;

/// The report.
pub fn report(guard: Word<'_>, symbol: &Symbol) -> Diagnostic {
    refused(guard, &symbol.describe())
}

fn refused(guard: Word<'_>, what: &str) -> Diagnostic {
    let message = format!("`{}` is {what}, but a guard must be a `.pred` register", guard.text);
    Diagnostic::error(CODE, guard.range(), message).with_help("compare first: `setp.ne.u32 %p, …, 0;`")
}

/// Checks a guard.
pub fn check(guard: Word<'_>, names: &dyn Names, out: &mut Vec<Diagnostic>) {
    match names.look_up(guard.text) {
        None if guard.text.is_empty() => {}
        None if guard.text.starts_with(|c: char| c.is_ascii_digit()) => out.push(refused(guard, "a number")),
        None if guard.text.contains('.') => out.push(refused(guard, "a component")),
        // ptxas: a special register that is a predicate may be a guard.
        None if special(guard.text).is_some_and(|r| r.ty == ".pred") => {}
        None => out.push(undeclared_name::report(guard.range(), guard.text)),
        Some(Symbol::Register { ty, elements: 1 }) if ty.info().class == TypeClass::Pred => {}
        Some(Symbol::Unknown) => {}
        Some(symbol) => out.push(report(guard, &symbol)),
    }
}
