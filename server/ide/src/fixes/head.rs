//! Fixes of modifiers: add, remove, replace or reorder them. Every change that makes the instruction legal is offered.

use super::statement::{DiagnosedInstruction, fix};
use ptx_analysis::Fix;
use ptx_analysis::{
    Candidate, Code, Instruction, Mnemonic, MnemonicMismatch, MnemonicProblem, Operand, OperandKind, Symbol, mnemonic,
};
use ptx_isa::ISA;
use ptx_isa::tables::{Form, ModifierSlot, Opcode};
use std::ops::Range;

/// The kinds of modifiers that a fix may replace by another value of their slot.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ReplaceableModifiers {
    /// Any.
    Any,
    /// Types.
    Types,
    /// State spaces.
    Spaces,
    /// Vector lengths.
    Lengths,
}

impl ReplaceableModifiers {
    fn covers(self, name: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Types => ISA.ty(name).is_some(),
            Self::Spaces => ISA.space(name).is_some(),
            Self::Lengths => {
                let dimensions = || name.strip_prefix('.').and_then(|n| n.strip_suffix('d'));
                let digits = name.strip_prefix(".v").or_else(|| name.strip_prefix(".x")).or_else(dimensions);
                digits.is_some_and(|d| !d.is_empty() && d.bytes().all(|b| b.is_ascii_digit()))
            }
        }
    }
}

/// Adds the fixes of the statement's modifiers.
pub fn fixes(statement: &DiagnosedInstruction<'_>, out: &mut Vec<Fix>) {
    let code = statement.diagnostic.code();
    statement.lowered(|instruction| {
        let (opcode, head) = statement.head(instruction)?;
        let mut try_ = MnemonicFixer { statement, instruction, opcode, out, whatever_the_operands: false };
        match code {
            Code::MissingModifier => try_.missing(&head),
            Code::ModifierOrder => try_.order(&head),
            // A modifier that is spelt nearly right has its suggestion.
            Code::ModifierNotAllowed if !try_.out.is_empty() => {}
            Code::ModifierNotAllowed | Code::IllegalCombination => try_.neighbours(&head),
            // A misspelt modifier already has a suggestion.
            Code::UnknownModifier if try_.out.is_empty() => try_.neighbours(&head),
            Code::OperandType => {
                try_.change(&head, ReplaceableModifiers::Types);
                try_.add_any();
            }
            Code::OperandKind if statement.diagnostic.is_handle_of_wrong_type() => {
                try_.change(&head, ReplaceableModifiers::Types)
            }
            Code::StateSpace => {
                try_.change(&head, ReplaceableModifiers::Spaces);
                try_.add(&head, ReplaceableModifiers::Spaces);
            }
            Code::VectorLength => {
                try_.change(&head, ReplaceableModifiers::Lengths);
                try_.add(&head, ReplaceableModifiers::Lengths);
            }
            _ => {}
        }
        Some(())
    });
}

struct MnemonicFixer<'a, 'b, 't> {
    statement: &'a DiagnosedInstruction<'t>,
    instruction: &'a Instruction<'b>,
    opcode: &'static Opcode,
    out: &'a mut Vec<Fix>,
    /// Offer changes that make the modifiers legal even if the operands are wrong.
    whatever_the_operands: bool,
}

impl MnemonicFixer<'_, '_, '_> {
    fn modifiers(&self) -> Vec<&str> {
        self.instruction.modifiers.iter().map(|m| m.text).collect()
    }

    /// Offers a change of the text if it makes the instruction legal.
    fn offer(&mut self, title: String, range: Range<usize>, text: &str) -> bool {
        let better =
            self.whatever_the_operands || self.statement.is_better(&self.statement.with(&[(range.clone(), text)]), &[]);
        if better && !self.out.iter().any(|f| f.title == title) {
            self.out.push(fix(title, vec![self.statement.replace(range, text)]));
        }
        better
    }

    /// Offers the values of mandatory slots that are empty.
    fn missing(&mut self, head: &Mnemonic) {
        let Some(mismatch) = &head.mismatch else { return };
        let slots =
            mismatch.problems.iter().filter_map(|p| if let MnemonicProblem::Missing(s) = p { Some(*s) } else { None });
        let mut values: Vec<&'static str> = slots.flat_map(|s| s.values.iter().copied()).collect();
        values.extend(mismatch.expected.iter().filter(|v| !values.contains(v)).copied().collect::<Vec<_>>());
        let before = self.out.len();
        self.insert(&values);
        if self.out.len() == before {
            self.all_missing(mismatch);
        }
        if self.out.len() == before {
            // The operands are wrong too. The checks report them after the modifiers are fixed.
            self.whatever_the_operands = true;
            self.insert(&values);
            // A choice among several says nothing.
            if self.out.len() > before + 1 {
                self.out.truncate(before);
            }
        }
        if let [only] = &mut self.out[before..] {
            only.preferred = true;
        }
    }

    /// Offers all missing modifiers at once, if there is one choice for each.
    fn all_missing(&mut self, mismatch: &MnemonicMismatch) {
        let mut values = mismatch.values.clone();
        for problem in &mismatch.problems {
            let MnemonicProblem::Missing(slot) = problem else { return };
            let index = mismatch.form.slots.iter().position(|s| std::ptr::eq(s, *slot));
            let (Some(index), [only]) = (index, slot.values) else { return };
            if let Some(value) = values.get_mut(index) {
                *value = Some(only);
            }
        }
        let text: String = values.into_iter().flatten().collect();
        let range = self.instruction.opcode.range().end..self.instruction.mnemonic_range().end;
        self.offer(format!("Write `{}{text}`", self.instruction.opcode.text), range, &text);
    }

    /// The bits of the registers among the operands whose size no written type has.
    fn unmatched_bits(&self) -> Vec<u16> {
        let written: Vec<u16> =
            self.instruction.modifiers.iter().filter_map(|m| ISA.ty(m.text)).map(|ty| ty.bits).collect();
        let bits = |operand: &Operand<'_>| match operand.kind {
            OperandKind::Name(name) => match self.statement.look_up(name) {
                Some(Symbol::Register { ty, .. }) => Some(ty.info().bits),
                _ => None,
            },
            _ => None,
        };
        self.instruction.operands.iter().filter_map(bits).filter(|bits| !written.contains(bits)).collect()
    }

    /// How often mnemonics of the opcode have a modifier in real files.
    fn usage(&self, value: &str) -> u32 {
        let has = |mnemonic: &str| mnemonic.split('.').any(|part| Some(part) == value.strip_prefix('.'));
        let weights = ptx_isa::USAGE.mnemonics(self.opcode.name);
        weights.iter().filter(|(mnemonic, _)| has(mnemonic)).map(|(_, weight)| weight).sum()
    }

    /// Sorts values so that the likeliest one comes first: a type of the size of the registers, or of the size of the type that it
    /// replaces; the usual one of its kind.
    fn likeliest_first(&self, values: &mut [&'static str], replaced: Option<&str>) {
        let sizes = self.unmatched_bits();
        let old = replaced.and_then(|old| ISA.ty(old));
        let unlikely = |value: &&'static str| {
            let type_differs = ISA.ty(value).is_some_and(|ty| match old {
                Some(old) => ty.bits != old.bits,
                None => !sizes.is_empty() && !sizes.contains(&ty.bits),
            });
            let unusual = !ISA.modifier(value).is_some_and(|m| m.usual);
            (type_differs, unusual, std::cmp::Reverse(self.usage(value)))
        };
        values.sort_by_key(|value| unlikely(value));
    }

    /// Offers to replace each modifier that `what` covers by another value of its slot.
    fn change(&mut self, head: &Mnemonic, what: ReplaceableModifiers) {
        for index in 0..self.instruction.modifiers.len() {
            let old = self.instruction.modifiers[index].text;
            if what.covers(old) {
                self.replace(head, index, what);
            }
        }
    }

    fn replace(&mut self, head: &Mnemonic, index: usize, what: ReplaceableModifiers) {
        let old = self.instruction.modifiers[index];
        let mut values: Vec<&'static str> = Vec::new();
        for slot in slots(self.opcode).filter(|s| s.values.contains(&old.text)) {
            values.extend(
                slot.values.iter().filter(|v| !values.contains(v) && what.covers(v)).copied().collect::<Vec<_>>(),
            );
        }
        // A word that is not a modifier of this instruction may have been written in place of a missing one.
        for problem in head.mismatch.iter().flat_map(|m| &m.problems) {
            if let MnemonicProblem::Missing(slot) = problem {
                values.extend(slot.values.iter().filter(|v| !values.contains(v)).copied().collect::<Vec<_>>());
            }
        }
        for value in head.mismatch.iter().flat_map(|m| &m.expected) {
            if !values.contains(value) {
                values.push(value);
            }
        }
        self.likeliest_first(&mut values, Some(old.text));
        for value in values.into_iter().filter(|v| *v != old.text) {
            let mut modifiers = self.modifiers();
            modifiers[index] = value;
            if fits(self.opcode, &modifiers).is_some() {
                self.offer(format!("Change `{}` to `{value}`", old.text), old.range(), value);
            }
        }
    }

    /// Offers to add optional modifiers.
    fn add(&mut self, head: &Mnemonic, what: ReplaceableModifiers) {
        let forms: Vec<&'static Form> = match head.candidates.first() {
            Some(_) => head.candidates.iter().map(|c| c.form).collect(),
            None => head.mismatch.iter().map(|m| m.form).collect(),
        };
        let written = self.modifiers();
        let mut values: Vec<&'static str> = Vec::new();
        for slot in forms.iter().flat_map(|f| f.slots).filter(|s| s.after_operand == 0) {
            if !slot.values.iter().any(|v| written.contains(v)) {
                values.extend(
                    slot.values.iter().filter(|v| !values.contains(v) && what.covers(v)).copied().collect::<Vec<_>>(),
                );
            }
        }
        self.insert(&values);
    }

    /// Offers to insert each of these values at its position.
    fn insert(&mut self, values: &[&'static str]) {
        let mut values = values.to_vec();
        self.likeliest_first(&mut values, None);
        for value in &values {
            for at in places(self.opcode, &self.modifiers(), value) {
                let end = match at.checked_sub(1) {
                    Some(before) => self.instruction.modifiers[before].range().end,
                    None => self.instruction.opcode.range().end,
                };
                self.offer(format!("Add `{value}`"), end..end, value);
            }
        }
    }

    /// Offers to remove a modifier, to replace it, or to add one.
    fn neighbours(&mut self, head: &Mnemonic) {
        let place = self.statement.place();
        let inside = |m: Range<usize>| place.start <= m.start && m.end <= place.end;
        let count = self.instruction.modifiers.len();
        let (mut own, others): (Vec<usize>, Vec<usize>) =
            (0..count).partition(|i| inside(self.instruction.modifiers[*i].range()));
        // A modifier that the instruction does not have is itself at fault.
        let removed = if self.statement.diagnostic.code() == Code::ModifierNotAllowed { &[][..] } else { &others };
        for index in own.iter().chain(removed) {
            let modifier = self.instruction.modifiers[*index];
            // The only modifier is not removed if it is a type: a type is mandatory and can only be replaced.
            if ISA.ty(modifier.text).is_none() || count > 1 {
                self.offer(format!("Remove `{}`", modifier.text), modifier.range(), "");
            }
        }
        let removals = self.out.len();
        // A diagnostic on the whole mnemonic is about no type in particular.
        if place.start <= self.instruction.opcode.range().start {
            own.retain(|i| ISA.ty(self.instruction.modifiers[*i].text).is_none());
            if removals == 0 {
                self.add(head, ReplaceableModifiers::Any);
            }
            if !self.out.is_empty() {
                return;
            }
        }
        for index in own.iter().copied() {
            self.replace(head, index, ReplaceableModifiers::Any);
        }
        if self.out.is_empty() {
            self.any_other(&own);
        }
        if removals == 0 {
            self.add(head, ReplaceableModifiers::Any);
        }
    }

    /// Offers to add any modifier of the opcode that makes another instruction of it: `.parity` for a wait on a phase bit.
    fn add_any(&mut self) {
        const MAX_VALUES: usize = 100;
        let mut values: Vec<&'static str> = slots(self.opcode).flat_map(|s| s.values).copied().collect();
        values.sort_unstable();
        values.dedup();
        values.retain(|value| ISA.ty(value).is_none());
        if values.len() <= MAX_VALUES {
            self.insert(&values);
        }
    }

    /// Offers any modifier of the opcode in the place of these: what a form may do without is not a slot of the nearest one.
    fn any_other(&mut self, own: &[usize]) {
        let mut values: Vec<&'static str> = slots(self.opcode).flat_map(|s| s.values).copied().collect();
        values.sort_unstable();
        values.dedup();
        values.retain(|value| ISA.ty(value).is_none());
        for index in own {
            let old = self.instruction.modifiers[*index];
            // `.wait_all` may stand for `.wait_group`, but not for `.commit_group`.
            let family = old.text.split_once('_').map_or("", |(family, _)| family);
            let has_family = values.iter().any(|v| *v != old.text && v.starts_with(family));
            let meant = |v: &&&'static str| **v != old.text && (!has_family || v.starts_with(family));
            for value in values.iter().filter(meant) {
                let mut modifiers = self.modifiers();
                modifiers[*index] = value;
                if fits(self.opcode, &modifiers).is_some() {
                    self.offer(format!("Change `{}` to `{value}`", old.text), old.range(), value);
                }
            }
        }
    }

    /// Offers the modifiers in the order of the form.
    fn order(&mut self, head: &Mnemonic) {
        let Some(mismatch) = &head.mismatch else { return };
        let mut left = self.modifiers();
        let mut sorted: Vec<&str> = Vec::new();
        for slot in mismatch.form.slots.iter().filter(|s| s.after_operand == 0) {
            if let Some(at) = left.iter().position(|m| slot.values.contains(m)) {
                sorted.push(left.remove(at));
            }
        }
        if !left.is_empty() || self.instruction.modifiers.is_empty() {
            return;
        }
        let range = self.instruction.opcode.range().end..self.instruction.mnemonic_range().end;
        let text = sorted.concat();
        if self.offer(format!("Write `{}{text}`", self.instruction.opcode.text), range, &text)
            && let Some(last) = self.out.last_mut()
        {
            last.preferred = true;
        }
    }
}

fn slots(opcode: &'static Opcode) -> impl Iterator<Item = &'static ModifierSlot> {
    opcode.entries.iter().flat_map(|e| e.forms).flat_map(|f| f.slots).filter(|s| s.after_operand == 0)
}

/// The first form that the modifiers fit.
fn fits(opcode: &'static Opcode, modifiers: &[&str]) -> Option<Candidate> {
    let head = mnemonic::resolve(opcode, modifiers)?;
    if head.mismatch.is_some() { None } else { head.candidates.into_iter().next() }
}

/// The indices at which a modifier can be inserted so that the mnemonic fits a form. Of indices with the same meaning, this
/// is the one nearest to the form's order.
fn places(opcode: &'static Opcode, modifiers: &[&str], value: &'static str) -> Vec<usize> {
    let mut best: Vec<(Vec<Option<&str>>, usize, usize)> = Vec::new();
    for at in 0..=modifiers.len() {
        let mut with = modifiers.to_vec();
        with.insert(at, value);
        let Some(candidate) = fits(opcode, &with) else { continue };
        let disorder = disorder(&candidate.values, &with);
        match best.iter_mut().find(|(values, ..)| *values == candidate.values) {
            Some(known) if known.1 <= disorder => {}
            Some(known) => (known.1, known.2) = (disorder, at),
            None => best.push((candidate.values, disorder, at)),
        }
    }
    best.into_iter().map(|(_, _, at)| at).collect()
}

/// The number of pairs of modifiers in the opposite order to the form.
fn disorder(values: &[Option<&str>], written: &[&str]) -> usize {
    let mut used = vec![false; values.len()];
    let order: Vec<usize> = written
        .iter()
        .filter_map(|m| {
            let at = (0..values.len()).find(|i| !used[*i] && values[*i] == Some(m))?;
            used[at] = true;
            Some(at)
        })
        .collect();
    (0..order.len()).map(|i| order[i + 1..].iter().filter(|later| **later < order[i]).count()).sum()
}
