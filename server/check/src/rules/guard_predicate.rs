//! `guard-predicate`: the guard of an instruction is not a predicate register.

use super::undeclared_name;
use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use ptx_isa::tables::TypeClass;
use ptx_sema::forms::operands::{NameLookup, special};
use ptx_sema::hir::ast::SourceWord;
use ptx_sema::hir::symbols::Symbol;

/// A guard that is not a predicate register.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct GuardPredicate {
    /// The guard as written.
    pub guard: Box<str>,
    /// What it is instead.
    pub kind: GuardProblem,
}

/// The kind of a wrong guard.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum GuardProblem {
    /// A name that stands for this symbol.
    Symbol(Symbol),
    /// A number.
    Number,
    /// A component of a register, `%r1.x`.
    Component,
}

impl DiagnosticMessage for GuardPredicate {
    fn message(&self) -> String {
        let what = match &self.kind {
            GuardProblem::Symbol(symbol) => symbol.describe(),
            GuardProblem::Number => "a number".to_owned(),
            GuardProblem::Component => "a component".to_owned(),
        };
        format!("`{}` is {what}, but a guard must be a `.pred` register", self.guard)
    }

    fn help(&self) -> Option<String> {
        Some("compare first: `setp.ne.u32 %p, …, 0;`".to_owned())
    }
}

fn refused(guard: SourceWord<'_>, kind: GuardProblem) -> Diagnostic {
    Diagnostic::new(guard.range(), GuardPredicate { guard: guard.text.into(), kind })
}

/// Checks that a guard is a predicate register, and reports it if not.
pub(crate) fn check(guard: SourceWord<'_>, names: &dyn NameLookup, out: &mut Vec<Diagnostic>) {
    match names.look_up(guard.text) {
        None if guard.text.is_empty() => {}
        None if guard.text.starts_with(|c: char| c.is_ascii_digit()) => out.push(refused(guard, GuardProblem::Number)),
        None if guard.text.contains('.') => out.push(refused(guard, GuardProblem::Component)),
        // ptxas: a special register of type `.pred` may be a guard.
        None if special(guard.text).is_some_and(|r| r.ty == ".pred") => {}
        None => out.push(undeclared_name::guard(guard.range(), guard.text)),
        Some(Symbol::Register { ty, elements: 1 }) if ty.info().class == TypeClass::Pred => {}
        Some(Symbol::Unknown) => {}
        Some(symbol) => out.push(refused(guard, GuardProblem::Symbol(symbol))),
    }
}

#[cfg(test)]
mod tests {
    use crate::Code;
    use crate::testing::{in_kernel, messages};

    #[test]
    fn guards_are_predicates() {
        let of = |guard: &str| messages(&in_kernel(Code::GuardPredicate, &format!("@{guard} mov.u32 %r1, 0;")));
        assert!(of("%p1").is_empty() && of("!%p1").is_empty());
        assert_eq!(of("%r1"), ["`%r1` is a `.b32` register, but a guard must be a `.pred` register"]);
        assert_eq!(of("!%f1"), ["`%f1` is a `.f32` register, but a guard must be a `.pred` register"]);
        assert_eq!(of("1"), ["`1` is a number, but a guard must be a `.pred` register"]);
    }
}
