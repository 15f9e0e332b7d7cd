//! Reports a mnemonic that no form has: which modifier is wrong, and what was most likely meant.

use super::{rule_place, together};
use crate::diagnostic::{Diagnostic, Fix, FixEdit};
use crate::rules::illegal_combination::CombinedModifiers;
use crate::rules::{
    duplicate_modifier, illegal_combination, missing_modifier, modifier_not_allowed, modifier_order, syntax_error,
    unknown_modifier, write_instead,
};
use ptx_isa::ISA;
use ptx_isa::tables::{ControlTransfer, Entry, Form, ModifierSlot, Opcode};
use ptx_sema::forms::choose::operand_distance;
use ptx_sema::forms::mnemonic::{
    MnemonicMismatch, MnemonicProblem, foreign_operations, kept_beginning, resolve, resolve_fitting,
};
use ptx_sema::forms::nearby::{Correction, ModifierPlace, allowed, corrections, operation};
use ptx_sema::forms::operands::NameLookup;
use ptx_sema::hir::ast::{Instruction, SourceWord};
use ptx_sema::target::Environment;
use std::cmp::Reverse;

/// Reports a mnemonic that fits no form: every unknown modifier or, if there is none, the worst problem.
pub(super) fn report(
    instruction: &Instruction<'_>,
    written: &str,
    opcode: &'static Opcode,
    mismatch: &MnemonicMismatch,
    environment: &Environment,
    names: &dyn NameLookup,
    out: &mut Vec<Diagnostic>,
) {
    let mismatch = nearest(instruction, mismatch, names);
    let modifiers: Vec<&str> = instruction.modifiers.iter().map(|m| m.text).collect();
    let head = WrongMnemonic { instruction, opcode, mismatch, environment, names, modifiers };
    let unknown: Vec<usize> = head
        .mismatch
        .problems
        .iter()
        .filter_map(|p| if let MnemonicProblem::Unknown(i) = p { Some(*i) } else { None })
        .collect();
    if !unknown.is_empty() {
        return head.unknown(&unknown, out);
    }
    if let Some(found) = head.shortened().or_else(|| head.beside_fitting_types()) {
        return out.push(found);
    }
    let form = mismatch.form;
    let Some(worst) = mismatch.problems.first() else { return };
    let word = |index: usize| instruction.modifiers[index];
    if let MnemonicProblem::Missing(slot) = *worst
        && let Some(found) = head.in_place_of(slot)
    {
        return out.push(found);
    }
    out.push(match *worst {
        MnemonicProblem::Unknown(_) => return,
        MnemonicProblem::Extra(i) => head.extra(i),
        MnemonicProblem::Duplicate(i) => duplicate_modifier::report(word(i)),
        MnemonicProblem::Conflict(i, other) => illegal_combination::report(word(i), word(other), head.combined()),
        MnemonicProblem::Missing(slot) => {
            let expected = head.allowed_anywhere(&mismatch.expected);
            let all = head.all_missing();
            missing_modifier::report(
                instruction.mnemonic_range(),
                written,
                slot,
                &all,
                &expected,
                head.form(),
                head.entry(),
            )
        }
        MnemonicProblem::Order(first, second) | MnemonicProblem::TypeOrder(first, second) => {
            modifier_order::report(word(first), word(second), head.form())
        }
        MnemonicProblem::SpaceOrder(first, second) => {
            modifier_order::spaces(word(first), word(second), head.entry_name(), head.form())
        }
        MnemonicProblem::Rule(rule) => illegal_combination::rule(
            rule_place(instruction, form, rule.what, rule.when),
            rule,
            form,
            written,
            head.combined(),
        ),
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
    let mut nearest = (mismatch, (u32::MAX, usize::MAX, Reverse(0)));
    // They are sorted by the distance of their modifiers alone.
    for near in std::iter::once(mismatch).chain(&mismatch.others) {
        if near.cost > nearest.1.0 {
            break;
        }
        let distance = near.cost + operand_distance(instruction, near.form, &near.values, names);
        let foreign = foreign_operations(&near.problems, &modifiers);
        let distance = (distance, foreign, Reverse(kept_beginning(&near.problems, &modifiers)));
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
    names: &'a dyn NameLookup,
    /// The modifiers as written.
    modifiers: Vec<&'a str>,
}

impl WrongMnemonic<'_> {
    fn word(&self, index: usize) -> SourceWord<'_> {
        self.instruction.modifiers[index]
    }

    /// The text of the nearest form.
    fn form(&self) -> &'static str {
        self.mismatch.form.text_for(&self.modifiers)
    }

    fn combined(&self) -> CombinedModifiers<'_> {
        CombinedModifiers { opcode: self.opcode, modifiers: &self.instruction.modifiers }
    }

    /// The instruction that the nearest form belongs to.
    fn entry(&self) -> Option<&'static Entry> {
        let has = |entry: &&'static Entry| entry.forms.iter().any(|f| std::ptr::eq(f, self.mismatch.form));
        self.opcode.entries.iter().find(has)
    }

    /// The name of that instruction.
    fn entry_name(&self) -> &'static str {
        self.entry().map_or(self.opcode.name, |entry| entry.name)
    }

    /// The state spaces that the nearest form takes in a place that is empty: for one that it does not take.
    fn spaces(&self) -> Vec<&'static str> {
        let is_space = |value: &&str| ISA.space(value).is_some();
        let form = self.mismatch.form;
        let empty = form.slots.iter().zip(&self.mismatch.values).filter(|(_, value)| value.is_none());
        let mut values = empty.map(|(slot, _)| slot.documented().collect::<Vec<_>>());
        values.find(|values| values.iter().any(is_space)).unwrap_or_default()
    }

    /// Whether the operands are those of a form, once a correction is made.
    fn fits_operands(&self, index: usize, correction: &Correction) -> bool {
        let mut with = self.modifiers.clone();
        with.splice(index..=correction.last, [correction.value]);
        let candidates = resolve_fitting(self.opcode, &with).map_or(Vec::new(), |mnemonic| mnemonic.candidates);
        candidates.iter().any(|c| operand_distance(self.instruction, c.form, &c.values, self.names) == 0)
    }

    /// Whether the opcode is a branch.
    fn branches(&self) -> bool {
        self.opcode.entries.iter().any(|entry| entry.flow == ControlTransfer::Branch)
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
        // Words that belong to one modifier, `.wait.ld` for `.wait::ld`, are one mistake. One of them may be a modifier itself.
        let parted = |index: usize| {
            let found = corrections(self.opcode, &self.modifiers, index).into_iter().find(|c| c.last > index)?;
            (index..=found.last).any(|i| unknown.contains(&i)).then_some((index, found))
        };
        if let Some((index, correction)) = (0..self.modifiers.len()).find_map(parted) {
            let range = self.word(index).range().start..self.word(correction.last).range().end;
            let parts = self.modifiers[index..=correction.last].concat();
            return out.push(modifier_not_allowed::parted(range, &parts, correction.value));
        }
        let near = |at: usize| -> Vec<&'static str> {
            const MAX_NEAR: usize = 2;
            let mut corrections = corrected[at].clone();
            // `.u6` is `.u64` for registers of 64 bits.
            if corrections.first().is_some_and(|nearest| ISA.ty(nearest.value).is_some()) {
                corrections.sort_by_key(|correction| !self.fits_operands(unknown[at], correction));
            }
            corrections.iter().map(|c| c.value).take(MAX_NEAR).collect()
        };
        // Each misspelling is a separate mistake. Modifiers that other instructions have are most likely one mistake: a wrong opcode.
        let (known, misspelt): (Vec<usize>, Vec<usize>) =
            (0..unknown.len()).partition(|at| unknown_modifier::is_known(self.word(unknown[*at]).text));
        if let ([at], true) = (&misspelt[..], self.branches())
            && let Some(name) = self.word(unknown[*at]).text.strip_prefix('.')
            && self.instruction.operands.is_empty()
        {
            return out.push(syntax_error::of_dotted_label(self.word(unknown[*at]).range(), name));
        }
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

    /// Reports a modifier that is the beginning of the one that is meant: `.shared` for `.shared::cluster`.
    fn shortened(&self) -> Option<Diagnostic> {
        let values = |index: usize| -> Vec<&'static str> {
            let word = self.modifiers[index];
            let longer = |value: &&'static str| value.strip_prefix(word).is_some_and(|rest| rest.starts_with("::"));
            let mut values: Vec<&'static str> = self.values_like(index).into_iter().filter(longer).collect();
            values.retain(|value| self.fits_in_place(index, value));
            values
        };
        let (index, expected) = (0..self.modifiers.len()).map(|i| (i, values(i))).find(|(_, v)| !v.is_empty())?;
        let expected =
            allowed(self.opcode, &self.modifiers, ModifierPlace { index, replace: true }, &expected, self.environment);
        let mut with = self.modifiers.clone();
        with[index] = expected.first()?;
        let form = resolve_fitting(self.opcode, &with)?.candidates.first()?.form.text_for(&with);
        Some(modifier_not_allowed::instead(self.word(index), &expected, form))
    }

    /// The values of all slots that take a modifier.
    fn values_like(&self, index: usize) -> Vec<&'static str> {
        let begins = |value: &&'static str| {
            let word = self.modifiers[index];
            *value == word || value.strip_prefix(word).is_some_and(|rest| rest.starts_with("::"))
        };
        let forms = self.opcode.entries.iter().flat_map(|e| e.forms).filter(|form| !form.tolerated);
        let slots = forms.flat_map(|form| form.slots).filter(|slot| slot.values.iter().any(&begins));
        let mut out: Vec<&'static str> = Vec::new();
        for value in slots.flat_map(ModifierSlot::documented) {
            if value != self.modifiers[index] && !out.contains(&value) {
                out.push(value);
            }
        }
        out
    }

    /// Whether modifiers and operands are those of a form with this value at an index.
    fn fits_in_place(&self, index: usize, value: &'static str) -> bool {
        self.fits_operands(index, &Correction { value, last: index })
    }

    /// Reports a modifier that does not go with the types, if these fit the operands: `.gtu` of `setp.gtu.s32`, `.rni` of
    /// `cvt.rni.f32.s32`. The type is not to blame if a modifier that is spelled nearly alike goes with it, or if no other type
    /// fits the operands.
    fn beside_fitting_types(&self) -> Option<Diagnostic> {
        /// Some opcodes have many modifiers.
        const MAX_TRIED: usize = 64;
        if self.instruction.broken || self.mismatch.problems.iter().any(|p| matches!(p, MnemonicProblem::Rule(_))) {
            return None;
        }
        let is_type = |index: &usize| ISA.ty(self.modifiers[*index]).is_some();
        let blamed = self.mismatch.problems.iter().find_map(|problem| match problem {
            MnemonicProblem::Extra(i) | MnemonicProblem::Conflict(i, _) => Some(*i).filter(is_type),
            _ => None,
        });
        let ty = blamed?;
        let fitting = |index: usize| -> Vec<&'static str> {
            let written = self.modifiers[index];
            let is_alike = |value: &&'static str| value.starts_with(written) || written.starts_with(*value);
            let forms = self.opcode.entries.iter().flat_map(|e| e.forms).filter(|form| !form.tolerated);
            let mut values: Vec<&'static str> = forms.flat_map(Form::documented_values).filter(is_alike).collect();
            values.retain(|value| *value != written);
            values.extend(self.values_like(index));
            let mut kept: Vec<&'static str> = Vec::new();
            values.retain(|value| {
                let is_new = !kept.contains(value);
                kept.push(value);
                is_new
            });
            values.truncate(MAX_TRIED);
            values.retain(|value| self.fits_in_place(index, value));
            allowed(self.opcode, &self.modifiers, ModifierPlace { index, replace: true }, &values, self.environment)
        };
        let forms = self.opcode.entries.iter().flat_map(|e| e.forms).filter(|form| !form.tolerated);
        let mut types: Vec<&'static str> = forms.flat_map(Form::documented_values).collect();
        types.retain(|value| ISA.ty(value).is_some() && *value != self.modifiers[ty]);
        types.sort_unstable();
        types.dedup();
        let has_other_type = types.iter().any(|value| self.fits_in_place(ty, value));
        let others = (0..self.modifiers.len()).filter(|i| !is_type(i) && ISA.space(self.modifiers[*i]).is_none());
        for index in others {
            let mut values = fitting(index);
            let written = self.modifiers[index];
            let is_alike = |value: &&'static str| value.starts_with(written) || written.starts_with(*value);
            let alike = values.iter().any(is_alike);
            if values.is_empty() || (!alike && has_other_type) {
                continue;
            }
            values.sort_by_key(|value| !is_alike(value));
            let alike: Vec<&'static str> = values.iter().copied().filter(is_alike).collect();
            let found = modifier_not_allowed::beside_type(self.word(index), self.modifiers[ty], &values);
            return Some(
                found.fixes(alike.into_iter().filter_map(|value| write_instead(self.word(index).range(), Some(value)))),
            );
        }
        None
    }

    /// Reports a modifier that only other forms of the opcode have.
    fn extra(&self, index: usize) -> Diagnostic {
        if ISA.ty(self.modifiers[index]).is_some() && self.lacks_type() {
            return self.wrong_type(index);
        }
        match self.conflicting(index) {
            Some(other) if self.name_ends_between(index, other).is_some() => {
                let (name, expected) = self.name_ends_between(index, other).unwrap_or_default();
                modifier_not_allowed::wrong_type_of_operation(self.word(index.max(other)), &name, &expected)
            }
            Some(other) => illegal_combination::report(self.word(index), self.word(other), self.combined()),
            None if self.lacks_modifier() => {
                modifier_not_allowed::instead(self.word(index), &self.allowed_instead(index), self.form())
            }
            None => {
                modifier_not_allowed::extra(self.word(index), self.entry_name(), self.mismatch.form, self.taker(index))
            }
        }
    }

    /// A form of the opcode that takes a modifier, and the name of the modifier's slot there.
    fn taker(&self, index: usize) -> Option<modifier_not_allowed::Taker> {
        let modifier = self.modifiers[index];
        let mut forms = self.opcode.entries.iter().flat_map(|e| e.forms);
        forms.find_map(|form| {
            let slot = form.slots.iter().find(|slot| slot.values.len() > 1 && slot.values.contains(&modifier))?;
            Some(modifier_not_allowed::Taker { form: form.text, slot: slot.name })
        })
    }

    /// If one of two modifiers belongs to the name of the instruction, as `.cluster` to `barrier.cluster`: that name, and how the names of
    /// instructions go on that begin so.
    fn name_ends_between(&self, one: usize, other: usize) -> Option<(String, Vec<&'static str>)> {
        let names = |length: usize| {
            let begin: String =
                std::iter::once(self.opcode.name).chain(self.modifiers[..length].iter().copied()).collect();
            let next: Vec<&'static str> = self
                .opcode
                .entries
                .iter()
                .filter_map(|e| e.name.strip_prefix(begin.as_str()).filter(|rest| rest.starts_with('.')))
                .map(|rest| rest[1..].find('.').map_or(rest, |end| &rest[..=end]))
                .collect();
            (begin, next)
        };
        let is_name = |length: &usize| {
            let (begin, next) = names(*length);
            !next.is_empty() || self.opcode.entries.iter().any(|e| e.name == begin)
        };
        let length = (1..=one.max(other)).take_while(is_name).last()?;
        let (begin, mut next) = names(length);
        let mut kept: Vec<&'static str> = Vec::new();
        next.retain(|word| {
            !kept.contains(word) && {
                kept.push(word);
                true
            }
        });
        // `.wait_group` for `.wait_all`.
        let word = self.modifiers[one.max(other)];
        if let Some((family, _)) = word.split_once('_')
            && kept.iter().any(|n| n.starts_with(family))
        {
            next.retain(|n| n.starts_with(family));
        }
        (one.min(other) < length && length == one.max(other) && !next.is_empty()).then_some((begin, next))
    }

    /// Reports a modifier that stands where a missing one must stand: `.row.row` for `.row.col`, `.f32` for `.tf32`, a shape that another
    /// form has.
    fn in_place_of(&self, missing: &'static ModifierSlot) -> Option<Diagnostic> {
        let repeated: Vec<usize> = (self.mismatch.problems.iter())
            .filter_map(|p| match p {
                MnemonicProblem::Duplicate(i) | MnemonicProblem::Conflict(i, _) => Some(*i),
                _ => None,
            })
            .collect();
        let is_type = |index: usize| ISA.ty(self.modifiers[index]).is_some();
        if missing.is_type {
            return self.repeated_type(&repeated).or_else(|| self.types_apart());
        }
        if let [one] = repeated[..]
            && !is_type(one)
            && self.mismatch.problems.len() == 2
        {
            let expected = self.allowed_instead(one);
            let fixes = expected.iter().map(|v| Fix::replace(format!("Write `{v}`"), self.word(one).range(), *v));
            return Some(modifier_not_allowed::instead(self.word(one), &expected, self.form()).fixes(fixes));
        }
        if self.mismatch.problems.len() > 1 {
            return None;
        }
        // A shape is two numbers at least: `.m64n8k32`.
        let numbers = |m: &str| m.split(|c: char| !c.is_ascii_digit()).filter(|n| !n.is_empty()).count();
        let shape = (0..self.modifiers.len()).find(|i| numbers(self.modifiers[*i]) > 1 && !is_type(*i))?;
        const MAX_SHAPES: usize = 2;
        let near: Vec<&'static str> =
            corrections(self.opcode, &self.modifiers, shape).iter().map(|c| c.value).take(MAX_SHAPES).collect();
        let first = *near.first()?;
        let mut with = self.modifiers.clone();
        with[shape] = first;
        let form = resolve(self.opcode, &with)?.candidates.first()?.form.text_for(&with);
        let fixes = near.iter().map(|v| Fix::replace(format!("Write `{v}`"), self.word(shape).range(), *v));
        Some(modifier_not_allowed::instead(self.word(shape), &near, form).fixes(fixes))
    }

    /// Reports two types that no form combines, each of which some form takes: `.bf16x2.f16x2` of `cvt`.
    fn types_apart(&self) -> Option<Diagnostic> {
        let types: Vec<usize> = (0..self.modifiers.len()).filter(|i| ISA.ty(self.modifiers[*i]).is_some()).collect();
        let [first, second] = types[..] else { return None };
        let takes = |index: usize| {
            let values = self.opcode.entries.iter().flat_map(|e| e.forms).flat_map(Form::documented_values);
            values.into_iter().any(|value| value == self.modifiers[index])
        };
        let is_pair = self.modifiers[first] != self.modifiers[second] && takes(first) && takes(second);
        let values = self.opcode.entries.iter().flat_map(|e| e.forms).flat_map(Form::documented_values);
        let mut expected: Vec<&'static str> = values.filter(|value| ISA.ty(value).is_some()).collect();
        expected.sort_unstable();
        expected.dedup();
        expected.retain(|value| {
            let mut with = self.modifiers.clone();
            with[second] = value;
            resolve_fitting(self.opcode, &with).is_some()
        });
        let place = ModifierPlace { index: second, replace: true };
        let expected = allowed(self.opcode, &self.modifiers, place, &expected, self.environment);
        let before = self.modifiers.get(..second)?.concat();
        let name = format!("{}{before}", self.opcode.name);
        let report = || modifier_not_allowed::wrong_type_of_operation(self.word(second), &name, &expected);
        (is_pair && !expected.is_empty()).then(report)
    }

    /// Reports a type that is written for several slots, some of which take only others: `.f32.f32.f32.f32` of `mma`.
    fn repeated_type(&self, repeated: &[usize]) -> Option<Diagnostic> {
        let form = self.mismatch.form;
        let slots: Vec<&ModifierSlot> =
            form.slots.iter().filter(|slot| slot.is_type && slot.after_operand == 0).collect();
        let types: Vec<usize> = (0..self.modifiers.len()).filter(|i| ISA.ty(self.modifiers[*i]).is_some()).collect();
        let one = *repeated.first()?;
        let is_it = |index: &usize| self.modifiers[*index] == self.modifiers[one];
        if types.len() != slots.len()
            || !repeated.iter().all(is_it)
            || self.mismatch.problems.len() != 2 * repeated.len()
        {
            return None;
        }
        let wrong: Vec<usize> = types
            .iter()
            .zip(&slots)
            .filter(|(i, slot)| !slot.values.contains(&self.modifiers[**i]))
            .map(|(i, _)| *i)
            .collect();
        if wrong.len() != repeated.len() || !wrong.iter().all(is_it) {
            return None;
        }
        let expected = self.allowed_instead(*wrong.first()?);
        let name = operation(self.opcode, &self.modifiers);
        let found = modifier_not_allowed::wrong_type_of_operation(self.word(*wrong.first()?), &name, &expected);
        let fixes = expected.iter().map(|value| Fix {
            title: format!("Write `{value}` for both"),
            edits: wrong.iter().map(|i| FixEdit::Replace(self.word(*i).range(), (*value).to_owned())).collect(),
            preferred: false,
        });
        Some(found.fixes(fixes.filter(|fix| fix.edits.len() == 2)))
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
            MnemonicProblem::Missing(slot) => match slot.documented().collect::<Vec<_>>()[..] {
                [only] => Some(only),
                _ => None,
            },
            _ => None,
        };
        self.mismatch.problems.iter().map(only).collect::<Option<Vec<_>>>().unwrap_or_default()
    }

    /// What may stand in the place of a modifier, in this version and on this target.
    fn allowed_instead(&self, index: usize) -> Vec<&'static str> {
        allowed(
            self.opcode,
            &self.modifiers,
            ModifierPlace { index, replace: true },
            &self.mismatch.expected,
            self.environment,
        )
    }

    /// What may be added, in this version and on this target.
    fn allowed_anywhere(&self, values: &[&'static str]) -> Vec<&'static str> {
        // Where a modifier belongs depends on the form. A place where it fits tells what version and target say of it.
        let mut kept = values.to_vec();
        for index in 0..=self.modifiers.len() {
            kept =
                allowed(self.opcode, &self.modifiers, ModifierPlace { index, replace: false }, &kept, self.environment);
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
