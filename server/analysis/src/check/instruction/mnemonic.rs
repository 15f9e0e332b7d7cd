//! Reports a mnemonic that no form has: which modifier is wrong, and what was most likely meant.

use super::{rule_place, together};
use crate::check::diagnostic::Diagnostic;
use crate::check::rules::{
    duplicate_modifier, illegal_combination, missing_modifier, modifier_not_allowed, modifier_order, unknown_modifier,
};
use crate::forms::choose::operand_distance;
use crate::forms::mnemonic::{MnemonicMismatch, MnemonicProblem, foreign_operations};
use crate::forms::nearby::{Correction, allowed, corrections, operation};
use crate::forms::operands::NameLookup;
use crate::hir::ast::{Instruction, SourceWord};
use crate::target::Environment;
use ptx_isa::ISA;
use ptx_isa::tables::{Entry, Form, Opcode};

/// Reports a mnemonic that fits no form: every unknown modifier or, if there is none, the worst problem.
pub fn report(
    instruction: &Instruction<'_>,
    written: &str,
    (opcode, mismatch): (&'static Opcode, &MnemonicMismatch),
    environment: &Environment,
    names: &dyn NameLookup,
    out: &mut Vec<Diagnostic>,
) {
    let mismatch = nearest(instruction, mismatch, names);
    let modifiers: Vec<&str> = instruction.modifiers.iter().map(|m| m.text).collect();
    let head = WrongMnemonic { instruction, opcode, mismatch, environment, modifiers };
    let unknown: Vec<usize> = head
        .mismatch
        .problems
        .iter()
        .filter_map(|p| if let MnemonicProblem::Unknown(i) = p { Some(*i) } else { None })
        .collect();
    if !unknown.is_empty() {
        return head.unknown(&unknown, out);
    }
    let form = mismatch.form;
    let Some(worst) = mismatch.problems.first() else { return };
    let word = |index: usize| instruction.modifiers[index];
    out.push(match *worst {
        MnemonicProblem::Unknown(_) => return,
        MnemonicProblem::Extra(i) => head.extra(i),
        MnemonicProblem::Duplicate(i) => duplicate_modifier::report(word(i)),
        MnemonicProblem::Conflict(i, other) => illegal_combination::report(word(i), word(other)),
        MnemonicProblem::Missing(slot) => {
            let expected = head.allowed_anywhere(&mismatch.expected);
            missing_modifier::report(
                instruction.mnemonic_range(),
                written,
                (slot, &head.all_missing()),
                &expected,
                form,
            )
        }
        MnemonicProblem::Order(first, second) | MnemonicProblem::TypeOrder(first, second) => {
            modifier_order::report(word(first), word(second), form)
        }
        MnemonicProblem::SpaceOrder(first, second) => {
            modifier_order::spaces(word(first), word(second), head.entry_name(), form)
        }
        MnemonicProblem::Rule(rule) => {
            illegal_combination::rule(rule_place(instruction, form, rule.what, rule.when), rule, form, written)
        }
    });
}

/// The form that is meant: the one to which modifiers and operands together are nearest.
fn nearest<'m>(
    instruction: &Instruction<'_>,
    mismatch: &'m MnemonicMismatch,
    names: &dyn NameLookup,
) -> &'m MnemonicMismatch {
    // The operands of an instruction that is not finished tell nothing.
    if instruction.broken || mismatch.others.is_empty() {
        return mismatch;
    }
    let modifiers: Vec<&str> = instruction.modifiers.iter().map(|m| m.text).collect();
    let mut nearest = (mismatch, (u32::MAX, usize::MAX));
    // They are sorted by the distance of their modifiers alone.
    for near in std::iter::once(mismatch).chain(&mismatch.others) {
        if near.cost > nearest.1.0 {
            break;
        }
        let distance = near.cost + operand_distance(instruction, near.form, &near.values, names);
        let distance = (distance, foreign_operations(&near.problems, &modifiers));
        if distance < nearest.1 {
            nearest = (near, distance);
        }
    }
    nearest.0
}

/// A mnemonic that fits no form.
struct WrongMnemonic<'a> {
    instruction: &'a Instruction<'a>,
    opcode: &'static Opcode,
    mismatch: &'a MnemonicMismatch,
    environment: &'a Environment,
    /// The modifiers as written.
    modifiers: Vec<&'a str>,
}

impl WrongMnemonic<'_> {
    fn word(&self, index: usize) -> SourceWord<'_> {
        self.instruction.modifiers[index]
    }

    /// The name of the instruction that the nearest form belongs to.
    fn entry_name(&self) -> &'static str {
        let has = |entry: &&'static Entry| entry.forms.iter().any(|f| std::ptr::eq(f, self.mismatch.form));
        self.opcode.entries.iter().find(has).map_or(self.opcode.name, |entry| entry.name)
    }

    /// The state spaces that the nearest form takes in a place that is empty: for one that it does not take.
    fn spaces(&self) -> Vec<&'static str> {
        let is_space = |value: &&str| ISA.space(value).is_some();
        let form = self.mismatch.form;
        let empty = form.slots.iter().zip(&self.mismatch.values).filter(|(_, value)| value.is_none());
        empty.map(|(slot, _)| slot.values).find(|values| values.iter().any(is_space)).map_or(Vec::new(), <[_]>::to_vec)
    }

    /// Whether the nearest form has a type too many, so that a wrong type stands in the place of another one.
    fn lacks_type(&self) -> bool {
        self.mismatch.problems.iter().any(|p| matches!(p, MnemonicProblem::Missing(slot) if slot.is_type))
    }

    fn lacks_modifier(&self) -> bool {
        self.mismatch.problems.iter().any(|p| matches!(p, MnemonicProblem::Missing(_)))
    }

    /// Reports modifiers that no form of the opcode has.
    fn unknown(&self, unknown: &[usize], out: &mut Vec<Diagnostic>) {
        let corrected: Vec<Vec<Correction>> =
            unknown.iter().map(|index| corrections(self.opcode, &self.modifiers, *index)).collect();
        // Words that belong to one modifier, `.wait.ld` for `.wait::ld`, are one mistake.
        if let Some((index, correction)) = unknown.iter().zip(&corrected).find_map(|(index, found)| {
            found.first().filter(|c| c.last > *index).map(|correction| (*index, *correction))
        }) {
            let range = self.word(index).range().start..self.word(correction.last).range().end;
            let parts = self.modifiers[index..=correction.last].concat();
            return out.push(modifier_not_allowed::parted(range, &parts, correction.value));
        }
        let near = |at: usize| -> Vec<&'static str> {
            const MAX_NEAR: usize = 2;
            corrected[at].iter().map(|c| c.value).take(MAX_NEAR).collect()
        };
        // Each misspelling is a separate mistake. Modifiers that other instructions have are most likely one mistake: a wrong opcode.
        let (known, misspelt): (Vec<usize>, Vec<usize>) =
            (0..unknown.len()).partition(|at| unknown_modifier::is_known(self.word(unknown[*at]).text));
        if !misspelt.is_empty() {
            let reports =
                misspelt.into_iter().map(|at| unknown_modifier::report(self.word(unknown[at]), self.opcode, &near(at)));
            return out.extend(reports);
        }
        let reports = known.into_iter().map(|at| {
            let index = unknown[at];
            if ISA.ty(self.modifiers[index]).is_some() && self.lacks_type() {
                self.wrong_type(index)
            } else {
                let expected = if self.lacks_modifier() {
                    self.allowed_instead(index)
                } else if ISA.space(self.modifiers[index]).is_some() {
                    self.spaces()
                } else {
                    Vec::new()
                };
                modifier_not_allowed::report(self.word(index), self.opcode, &near(at), &expected)
            }
        });
        out.extend(together(reports));
    }

    /// Reports a modifier that only other forms of the opcode have.
    fn extra(&self, index: usize) -> Diagnostic {
        if ISA.ty(self.modifiers[index]).is_some() && self.lacks_type() {
            return self.wrong_type(index);
        }
        match self.conflicting(index) {
            Some(other) => illegal_combination::report(self.word(index), self.word(other)),
            None if self.lacks_modifier() => {
                modifier_not_allowed::instead(self.word(index), &self.allowed_instead(index), self.mismatch.form)
            }
            None => modifier_not_allowed::in_form(self.word(index), self.mismatch.form),
        }
    }

    /// Reports a type in the place of another one. What does not take it is the opcode if no form of it does, else the operation.
    fn wrong_type(&self, index: usize) -> Diagnostic {
        let word = self.word(index);
        let taken = self
            .opcode
            .entries
            .iter()
            .flat_map(|e| e.forms)
            .any(|f| f.slots.iter().any(|slot| slot.values.contains(&word.text)));
        let expected = self.allowed_instead(index);
        if taken {
            modifier_not_allowed::wrong_type_of_operation(word, &operation(self.opcode, &self.modifiers), &expected)
        } else {
            modifier_not_allowed::wrong_type(word, self.opcode.name, &expected)
        }
    }

    /// The missing modifiers, if nothing else is wrong and there is one choice for each.
    fn all_missing(&self) -> Vec<&'static str> {
        let only = |problem: &MnemonicProblem| match problem {
            MnemonicProblem::Missing(slot) => match slot.values {
                [only] => Some(*only),
                _ => None,
            },
            _ => None,
        };
        self.mismatch.problems.iter().map(only).collect::<Option<Vec<_>>>().unwrap_or_default()
    }

    /// What may stand in the place of a modifier, in this version and on this target.
    fn allowed_instead(&self, index: usize) -> Vec<&'static str> {
        allowed(self.opcode, &self.modifiers, (index, true), &self.mismatch.expected, self.environment)
    }

    /// What may be added, in this version and on this target.
    fn allowed_anywhere(&self, values: &[&'static str]) -> Vec<&'static str> {
        // Where a modifier belongs depends on the form. A place where it fits tells what version and target say of it.
        let mut kept = values.to_vec();
        for index in 0..=self.modifiers.len() {
            kept = allowed(self.opcode, &self.modifiers, (index, false), &kept, self.environment);
        }
        kept
    }

    /// The index of a modifier that no form combines with the one at `index`.
    fn conflicting(&self, index: usize) -> Option<usize> {
        let modifier = self.modifiers[index];
        let forms = || self.opcode.entries.iter().flat_map(|e| e.forms);
        let has = |form: &Form, name: &str, except: Option<usize>| {
            form.slots.iter().enumerate().position(|(i, s)| Some(i) != except && s.values.contains(&name))
        };
        self.modifiers.iter().enumerate().filter(|(i, _)| *i != index).find_map(|(i, other)| {
            let together = forms().any(|f| has(f, modifier, None).is_some_and(|at| has(f, other, Some(at)).is_some()));
            let alone = forms().any(|f| has(f, other, None).is_some());
            (alone && !together).then_some(i)
        })
    }
}
