//! Descriptions of the rules of a form.

use ptx_isa::tables::{Form, Rule, RuleKind, Term};

/// The requirement of a rule, as a sentence.
pub fn rule(rule: &Rule, form: &Form) -> String {
    if !rule.message.is_empty() {
        return sentence(rule.message);
    }
    let what = terms(rule.what, form);
    let when = terms(rule.when, form);
    sentence(&match (rule.kind, rule.when.is_empty()) {
        (RuleKind::Forbid, true) => format!("never with {what}"),
        (RuleKind::Forbid, false) => format!("{what} cannot be combined with {when}"),
        (RuleKind::Require, true) => format!("always with {what}"),
        (RuleKind::Require, false) => format!("{when} needs {what}"),
        (RuleKind::Iff, _) => format!("{what} if and only if there is {when}"),
    })
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    let end = if text.ends_with('.') { "" } else { "." };
    format!("{first}{}{end}", letters.as_str())
}

fn terms(terms: &[Term], form: &Form) -> String {
    let term = |t: &Term| match t {
        Term::Operand(test) => format!("{}operand `{}`", if test.negated { "no " } else { "" }, test.name),
        Term::Slot(test) => {
            let set = form.slots.get(usize::from(test.slot)).map_or("", |s| s.name).trim_start_matches('.');
            match (test.values, test.negated) {
                ([], false) => format!("a `.{set}`"),
                ([], true) => format!("no `.{set}`"),
                (values, false) => one_of(values),
                (values, true) => format!("anything but {}", one_of(values)),
            }
        }
    };
    terms.iter().map(term).collect::<Vec<_>>().join(" with ")
}

fn one_of(values: &[&str]) -> String {
    values.iter().map(|v| format!("`{v}`")).collect::<Vec<_>>().join(" or ")
}
