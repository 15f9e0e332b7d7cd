//! `illegal-combination`: modifiers, each of which is right alone, that exclude or need each other.

use crate::check::codes::Code;
use crate::check::diagnostic::Diagnostic;
use crate::hir::ast::Word;
use ptx_isa::tables::{Form, Rule, RuleKind, Term};
use std::ops::Range;

const CODE: Code = Code::IllegalCombination;

/// The report on two modifiers that exclude each other.
pub fn report(modifier: Word<'_>, other: Word<'_>) -> Diagnostic {
    let message = format!("`{}` cannot be combined with `{}`", modifier.text, other.text);
    Diagnostic::error(CODE, modifier.range(), message).related(other.range(), format!("`{}` is here", other.text))
}

/// The report on a rule of a form that is broken.
pub fn rule(range: Range<usize>, rule: &Rule, form: &Form, name: &str) -> Diagnostic {
    if !rule.message.is_empty() {
        return Diagnostic::error(CODE, range, rule.message);
    }
    let what = describe(rule.what, form);
    let when = describe(rule.when, form);
    let message = match (rule.kind, rule.when.is_empty()) {
        (RuleKind::Forbid, true) => format!("`{name}` does not allow {what}"),
        (RuleKind::Forbid, false) => format!("{what} is not allowed with {when}"),
        (RuleKind::Require, true) => format!("`{name}` requires {what}"),
        (RuleKind::Require, false) => format!("{when} requires {what}"),
        (RuleKind::Iff, _) => format!("{what} goes with {when}: give both or neither"),
    };
    Diagnostic::error(CODE, range, message)
}

/// A condition in words.
fn describe(terms: &[Term], form: &Form) -> String {
    let term = |t: &Term| match t {
        Term::Operand(test) => format!("{}operand `{}`", if test.negated { "no " } else { "" }, test.name),
        Term::Slot(test) => {
            let slot = &form.slots[usize::from(test.slot)];
            let not = if test.negated { "not " } else { "" };
            match test.values {
                [] => format!("{not}a `.{}` modifier", slot.name.trim_start_matches('.')),
                values => format!("{not}{}", super::one_of(values)),
            }
        }
    };
    terms.iter().map(term).collect::<Vec<_>>().join(" with ")
}
