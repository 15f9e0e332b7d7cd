//! `illegal-combination`: modifiers or operands that are each valid, but exclude or require each other.

use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use ptx_isa::tables::{Form, Rule, RuleKind, Term};
use ptx_sema::hir::ast::SourceWord;
use std::ops::Range;

/// The parts of an instruction that cannot be combined, or that are missing beside each other.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum IllegalCombination {
    /// Two modifiers exclude each other.
    Modifiers {
        /// The modifier that is reported.
        modifier: Box<str>,
        /// The other modifier.
        other: Box<str>,
    },
    /// A rule of the tables that has its own message is broken.
    Explained(&'static str),
    /// The instruction does not allow these parts.
    Forbidden {
        /// The opcode with its modifiers.
        instruction: Box<str>,
        /// The parts that it does not allow.
        what: CombinationCondition,
    },
    /// Two conditions exclude each other.
    ForbiddenWith {
        /// The parts that are not allowed.
        what: CombinationCondition,
        /// The parts with which they are not allowed.
        when: CombinationCondition,
    },
    /// The instruction requires these parts.
    Required {
        /// The opcode with its modifiers.
        instruction: Box<str>,
        /// The parts that it requires.
        what: CombinationCondition,
    },
    /// One condition requires another.
    RequiredWith {
        /// The parts that are required.
        what: CombinationCondition,
        /// The parts that require them.
        when: CombinationCondition,
    },
    /// Two conditions require each other.
    Both {
        /// The parts of one condition.
        what: CombinationCondition,
        /// The parts of the other condition.
        when: CombinationCondition,
    },
}

/// A condition that holds if all of these parts of an instruction are present (or absent, if negated).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct CombinationCondition(Box<[CombinationTerm]>);

/// A part of an instruction that must be present or, if negated, absent.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum CombinationTerm {
    Operand { name: &'static str, negated: bool },
    Modifier { slot: &'static str, values: &'static [&'static str], negated: bool },
}

impl CombinationCondition {
    fn of(terms: &[Term], form: &Form) -> Self {
        let part = |term: &Term| match term {
            Term::Operand(test) => CombinationTerm::Operand { name: test.name, negated: test.negated },
            Term::Slot(test) => CombinationTerm::Modifier {
                slot: form.slots.get(usize::from(test.slot)).map_or("", |slot| slot.name),
                values: test.values,
                negated: test.negated,
            },
        };
        Self(terms.iter().map(part).collect())
    }

    fn describe(&self) -> String {
        let part = |part: &CombinationTerm| match *part {
            CombinationTerm::Operand { name, negated } => {
                format!("{}operand `{name}`", if negated { "no " } else { "" })
            }
            CombinationTerm::Modifier { slot, values, negated } => {
                let not = if negated { "not " } else { "" };
                match values {
                    [] => format!("{not}a `.{}` modifier", slot.trim_start_matches('.')),
                    values => format!("{not}{}", super::one_of(values)),
                }
            }
        };
        self.0.iter().map(part).collect::<Vec<_>>().join(" with ")
    }
}

impl DiagnosticMessage for IllegalCombination {
    fn message(&self) -> String {
        match self {
            Self::Modifiers { modifier, other } => format!("`{modifier}` cannot be combined with `{other}`"),
            Self::Explained(message) => (*message).to_owned(),
            Self::Forbidden { instruction, what } => format!("`{instruction}` does not allow {}", what.describe()),
            Self::ForbiddenWith { what, when } => {
                format!("{} is not allowed with {}", what.describe(), when.describe())
            }
            Self::Required { instruction, what } => format!("`{instruction}` requires {}", what.describe()),
            Self::RequiredWith { what, when } => format!("{} requires {}", when.describe(), what.describe()),
            Self::Both { what, when } => {
                format!("{} goes with {}: give both or neither", what.describe(), when.describe())
            }
        }
    }
}

/// The report on two modifiers that exclude each other.
pub(crate) fn report(modifier: SourceWord<'_>, other: SourceWord<'_>) -> Diagnostic {
    let found = IllegalCombination::Modifiers { modifier: modifier.text.into(), other: other.text.into() };
    Diagnostic::new(modifier.range(), found).related(other.range(), format!("`{}` is here", other.text))
}

/// The report on a broken rule of a form. `name` is the opcode with its modifiers.
pub(crate) fn rule(range: Range<usize>, rule: &Rule, form: &Form, name: &str) -> Diagnostic {
    if !rule.message.is_empty() {
        return Diagnostic::new(range, IllegalCombination::Explained(rule.message));
    }
    let (what, when) = (CombinationCondition::of(rule.what, form), CombinationCondition::of(rule.when, form));
    let instruction = name.into();
    let found = match (rule.kind, rule.when.is_empty()) {
        (RuleKind::Forbid, true) => IllegalCombination::Forbidden { instruction, what },
        (RuleKind::Forbid, false) => IllegalCombination::ForbiddenWith { what, when },
        (RuleKind::Require, true) => IllegalCombination::Required { instruction, what },
        (RuleKind::Require, false) => IllegalCombination::RequiredWith { what, when },
        (RuleKind::Iff, _) => IllegalCombination::Both { what, when },
    };
    Diagnostic::new(range, found)
}

#[cfg(test)]
mod tests {
    use crate::Code;
    use crate::testing::{in_kernel, messages};

    #[test]
    fn modifiers_exclude_each_other() {
        let found = in_kernel(Code::IllegalCombination, "ld.relaxed.acquire.gpu.u32 %r1, [%rd1];");
        assert_eq!(messages(&found), ["`.acquire` cannot be combined with `.relaxed`"]);
        assert_eq!(found[0].related[0].message(), "`.relaxed` is here");
        assert!(in_kernel(Code::IllegalCombination, "ld.acquire.gpu.u32 %r1, [%rd1];").is_empty());
    }

    #[test]
    fn rules_of_the_tables() {
        let of = |body: &str| messages(&in_kernel(Code::IllegalCombination, body));
        assert!(of("setp.eq.and.u32 %p1, %r1, %r2, %p2;").is_empty());
        assert_eq!(
            of("setp.eq.and.u32 %p1, %r1, %r2;"),
            ["operand `c` goes with a `.bool` modifier: give both or neither"]
        );
        assert_eq!(
            of("ld.global.ca.L1::evict_last.u32 %r1, [%rd1];"),
            ["a cache operator and an eviction priority for L1 exclude each other"]
        );
        let texture = "tex.2d.v2.f32.f32 {%f0, %f1}, [%rd1, {%f2, %f3}];";
        assert_eq!(of(texture), ["`.v2` is not allowed with `.u32`, `.s32`, `.f16` or `.f32`"]);
    }
}
