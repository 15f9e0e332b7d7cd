//! `illegal-combination`: modifiers or operands that are each valid, but exclude or require each other.

use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use ptx_isa::ISA;
use ptx_isa::tables::{Form, ModifierSlot, Opcode, Rule, RuleKind, Term};
use ptx_sema::forms::mnemonic::resolve_fitting;
use ptx_sema::hir::ast::SourceWord;
use std::ops::Range;

/// The parts of an instruction that cannot be combined, or that are missing beside each other.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct IllegalCombination {
    /// What cannot be combined.
    pub problem: CombinationProblem,
    /// What to do, and why.
    pub advice: Box<str>,
}

/// What cannot be combined.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum CombinationProblem {
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
        /// Whether the parts of the first condition are missing, not those of the other.
        first_is_missing: bool,
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
    /// The advice follows from the rest.
    fn is_same(&self, other: &Self) -> bool {
        self.problem == other.problem
    }

    fn message(&self) -> String {
        self.problem.message()
    }

    fn help(&self) -> Option<String> {
        (!self.advice.is_empty()).then(|| self.advice.to_string())
    }
}

impl CombinationProblem {
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
            Self::Both { what, when, first_is_missing: true } => {
                format!("{} is missing: {} needs it", what.describe(), when.describe())
            }
            Self::Both { what, when, .. } => format!("{} needs {}", what.describe(), when.describe()),
        }
    }
}

/// The opcode and the modifiers of an instruction with such a mistake.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CombinedModifiers<'a> {
    /// The opcode.
    pub opcode: &'static Opcode,
    /// The modifiers, as written.
    pub modifiers: &'a [SourceWord<'a>],
}

impl CombinedModifiers<'_> {
    fn texts(&self) -> Vec<&str> {
        self.modifiers.iter().map(|m| m.text).collect()
    }

    /// The modifiers without which the mnemonic is legal, but for types and state spaces.
    fn removable(&self) -> Vec<&str> {
        let texts = self.texts();
        let fits = |index: usize| {
            let mut without = texts.clone();
            without.remove(index);
            resolve_fitting(self.opcode, &without).is_some()
        };
        let is_kept = |index: &usize| ISA.ty(texts[*index]).is_none() && ISA.space(texts[*index]).is_none();
        (0..texts.len()).filter(is_kept).filter(|i| fits(*i)).map(|i| texts[i]).collect()
    }

    /// What forms with the modifier `one` have in the place of `other`.
    fn beside(&self, one: &str, other: &str) -> Vec<&'static str> {
        let forms = || self.opcode.entries.iter().flat_map(|e| e.forms);
        let has = |form: &&'static Form, word: &str| form.slots.iter().any(|s| s.values.contains(&word));
        let kind = |word: &str| (ISA.ty(word).is_some(), ISA.space(word).is_some());
        // Modifiers that stand in one slot with the other one somewhere are of its kind.
        let alike: Vec<&'static str> = forms()
            .flat_map(|f| f.slots)
            .filter(|s| s.values.contains(&other))
            .flat_map(ModifierSlot::documented)
            .collect();
        let mut out: Vec<&'static str> = Vec::new();
        for value in forms().filter(|f| has(f, one)).flat_map(Form::documented_values) {
            let fits = (kind(other) != (false, false) && kind(value) == kind(other)) || alike.contains(&value);
            if fits && value != one && value != other && !out.contains(&value) {
                out.push(value);
            }
        }
        // `.shared::cluster` for `.shared`, even if more is wrong.
        let longer = |value: &&'static str| value.strip_prefix(other).is_some_and(|rest| rest.starts_with("::"));
        if out.iter().any(longer) && !self.opcode_takes_alone(one, other) {
            out.retain(|value| longer(value));
            return out;
        }
        out.retain(|value| {
            let texts: Vec<&str> = self.texts().into_iter().map(|t| if t == other { *value } else { t }).collect();
            resolve_fitting(self.opcode, &texts).is_some()
        });
        out
    }

    /// Whether a form has both modifiers.
    fn opcode_takes_alone(&self, one: &str, other: &str) -> bool {
        let has = |form: &Form, word: &str| form.slots.iter().any(|s| s.values.contains(&word));
        self.opcode.entries.iter().flat_map(|e| e.forms).any(|f| has(f, one) && has(f, other))
    }

    /// Which of two modifiers to drop, and why.
    fn advice(&self, one: &str, other: &str) -> String {
        let mut slots = self.opcode.entries.iter().flat_map(|e| e.forms).flat_map(|f| f.slots);
        let alternatives = slots.any(|s| s.values.contains(&one) && s.values.contains(&other));
        let removable: Vec<&str> = self.removable().into_iter().filter(|m| *m == one || *m == other).collect();
        let mut parts: Vec<String> = Vec::new();
        if alternatives {
            parts.push(format!("they are alternatives: keep `{one}` or `{other}`"));
        } else if let [only] = removable[..] {
            parts.push(format!("remove `{only}`"));
        }
        let (instead_of_other, instead_of_one) = (self.beside(one, other), self.beside(other, one));
        if !alternatives && !instead_of_other.is_empty() {
            parts.push(format!("`{one}` goes with {}", super::one_of(&instead_of_other)));
        }
        if !alternatives && !instead_of_one.is_empty() {
            parts.push(format!("`{other}` goes with {}", super::one_of(&instead_of_one)));
        }
        if parts.is_empty() {
            parts.push(match removable[..] {
                [_, _] => format!("keep `{one}` or `{other}`"),
                _ => format!("no form of `{}` has both: remove one of them", self.opcode.name),
            });
        }
        parts.join("; ")
    }
}

/// The modifiers that a term asks for, as far as the manual has them.
fn wanted(term: &Term, form: &Form) -> Vec<&'static str> {
    let Term::Slot(test) = term else { return Vec::new() };
    match form.slots.get(usize::from(test.slot)) {
        Some(slot) if !test.negated => {
            let is_named = |value: &&'static str| test.values.is_empty() || test.values.contains(value);
            slot.documented().filter(is_named).collect()
        }
        _ => Vec::new(),
    }
}

/// The report on two modifiers that exclude each other.
pub(crate) fn report(modifier: SourceWord<'_>, other: SourceWord<'_>, all: CombinedModifiers<'_>) -> Diagnostic {
    let problem = CombinationProblem::Modifiers { modifier: modifier.text.into(), other: other.text.into() };
    let found = IllegalCombination { problem, advice: all.advice(modifier.text, other.text).into() };
    Diagnostic::new(modifier.range(), found).related(other.range(), format!("`{}` is here", other.text))
}

/// The report on a broken rule of a form. `name` is the opcode with its modifiers.
pub(crate) fn rule(
    range: Range<usize>,
    rule: &Rule,
    form: &Form,
    name: &str,
    all: CombinedModifiers<'_>,
) -> Diagnostic {
    let removable = all.removable();
    let (what, when) = (CombinationCondition::of(rule.what, form), CombinationCondition::of(rule.when, form));
    let named = [rule.what, rule.when].concat();
    let is_named = |modifier: &&str| named.iter().any(|term| wanted(term, form).contains(modifier));
    let removals: Vec<&str> = removable.iter().copied().filter(is_named).collect();
    let lacks: Vec<&'static str> = match rule.kind {
        RuleKind::Require => rule.what.iter().flat_map(|term| wanted(term, form)).collect(),
        RuleKind::Iff => named.iter().flat_map(|term| wanted(term, form)).collect(),
        RuleKind::Forbid => Vec::new(),
    };
    let lacks: Vec<&str> = if lacks.iter().any(|value| all.texts().contains(value)) { Vec::new() } else { lacks };
    let remove = (!removals.is_empty()).then(|| format!("remove {}", super::one_of(&removals)));
    let add = (!lacks.is_empty() && lacks.len() <= 16).then(|| format!("add {}", super::one_of(&lacks)));
    let advice = match (add, remove) {
        (Some(add), Some(remove)) => format!("{add}, or {remove}"),
        (Some(only), None) | (None, Some(only)) => only,
        (None, None) => format!("the form is `{}`", form.text_for(&all.texts())),
    };
    let instruction = name.into();
    let problem = if !rule.message.is_empty() {
        CombinationProblem::Explained(rule.message)
    } else {
        match (rule.kind, rule.when.is_empty()) {
            (RuleKind::Forbid, true) => CombinationProblem::Forbidden { instruction, what },
            (RuleKind::Forbid, false) => CombinationProblem::ForbiddenWith { what, when },
            (RuleKind::Require, true) => CombinationProblem::Required { instruction, what },
            (RuleKind::Require, false) => CombinationProblem::RequiredWith { what, when },
            (RuleKind::Iff, _) => {
                let texts = all.texts();
                let has = |terms: &[Term]| terms.iter().any(|t| wanted(t, form).iter().any(|v| texts.contains(v)));
                let first_is_missing = has(rule.when) && !has(rule.what);
                CombinationProblem::Both { what, when, first_is_missing }
            }
        }
    };
    Diagnostic::new(range, IllegalCombination { problem, advice: advice.into() })
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
        assert_eq!(of("setp.eq.and.u32 %p1, %r1, %r2;"), ["operand `c` is missing: a `.bool` modifier needs it"]);
        assert_eq!(
            of("ld.global.ca.L1::evict_last.u32 %r1, [%rd1];"),
            ["a cache operator and an eviction priority for L1 exclude each other"]
        );
        let texture = "tex.2d.v2.f32.f32 {%f0, %f1}, [%rd1, {%f2, %f3}];";
        assert_eq!(of(texture), ["`.v2` is not allowed with `.u32`, `.s32`, `.f16` or `.f32`"]);
    }
}
