//! Fixes of modifiers: add, remove, replace or reorder them. Every change that makes the instruction legal is offered.

use super::gate;
use super::statement::{DiagnosedInstruction, fix};
use ptx_analysis::Fix;
use ptx_analysis::{
    Candidate, Code, Instruction, Mnemonic, MnemonicMismatch, MnemonicProblem, Operand, OperandKind, Symbol, mnemonic,
};
use ptx_isa::ISA;
use ptx_isa::tables::{Form, ModifierSlot, Opcode, TypeClass};
use std::cmp::Reverse;
use std::ops::Range;

/// The kinds of modifiers that a fix may replace by another value of their slot.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ReplaceableModifiers {
    /// Any.
    Any,
    /// Those that begin with the old one, or that begin it: `.rn` for `.rni`.
    Alike,
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
            Self::Any | Self::Alike => true,
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
            Code::ModifierNotAllowed if !try_.out.is_empty() || statement.diagnostic.is_beside_type() => {}
            Code::ModifierNotAllowed | Code::IllegalCombination => try_.neighbours(&head),
            // A misspelt modifier already has a suggestion.
            Code::UnknownModifier if try_.out.is_empty() => {
                try_.guard();
                if try_.out.is_empty() {
                    try_.neighbours(&head);
                }
                // A word that is like no modifier may stand for any of several.
                if let [_, _, ..] = try_.out[..] {
                    try_.out.clear();
                }
            }
            Code::OperandType => {
                try_.change(&head, ReplaceableModifiers::Types);
                if try_.out.is_empty() {
                    try_.add_any();
                }
            }
            Code::OperandCount if try_.out.is_empty() => try_.add_any(),
            Code::OperandRange => {
                for index in 0..instruction.modifiers.len() {
                    let text = instruction.modifiers[index].text;
                    if ISA.ty(text).is_none() && ISA.space(text).is_none() {
                        try_.replace(&head, index, ReplaceableModifiers::Any);
                    }
                }
            }
            Code::OperandKind if statement.is_about_list() => {
                try_.add(&head, ReplaceableModifiers::Lengths);
                try_.without_length();
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
                try_.without_length();
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
        let fix = fix(title, vec![self.statement.replace(range, text)]);
        if !better || !gate::admits(self.statement, &fix) {
            return false;
        }
        if !self.out.iter().any(|f| f.title == fix.title) {
            self.out.push(fix);
        }
        true
    }

    /// Offers to remove the length of a list, `.v4`, if a single value is written.
    fn without_length(&mut self) {
        let lengths = self.instruction.modifiers.iter().filter(|m| ReplaceableModifiers::Lengths.covers(m.text));
        let lengths: Vec<(String, Range<usize>)> = lengths.map(|m| (m.text.to_owned(), m.range())).collect();
        for (text, range) in lengths {
            self.offer(format!("Remove `{text}`"), range, "");
        }
    }

    /// Offers a guard for a modifier with the name of a predicate: `bra.p1`.
    fn guard(&mut self) {
        let place = self.statement.place();
        let Some(modifier) = self.instruction.modifiers.iter().find(|m| m.range() == place) else { return };
        let name = format!("%{}", modifier.text.trim_start_matches('.'));
        let is_predicate = matches!(
            self.statement.look_up(&name),
            Some(Symbol::Register { ty, .. }) if ty.info().class == TypeClass::Pred
        );
        let guard = format!("@{name} ");
        let edits = [(0..0, guard.as_str()), (place.clone(), "")];
        if is_predicate
            && self.instruction.guard.is_none()
            && self.statement.is_better(&self.statement.with(&edits), &[])
        {
            let edits = vec![self.statement.replace(0..0, guard), self.statement.replace(place, "")];
            self.out.push(fix(format!("Write `@{name}` before the opcode"), edits));
        }
    }

    /// Offers the opcodes that have a modifier which this one does not have, with `_` for a result that they return. Returns whether there
    /// are any.
    fn other_opcodes(&mut self, own: &[usize]) -> bool {
        let text = |i: &usize| self.instruction.modifiers[*i].text;
        let is_operation = |m: &&str| {
            ISA.ty(m).is_none() && ISA.space(m).is_none() && !slots(self.opcode).any(|s| s.values.contains(m))
        };
        let Some(modifier) = own.first().map(text).filter(is_operation) else { return false };
        let families: Vec<&str> = self.opcode.entries.iter().map(|e| e.family).collect();
        let related =
            |o: &&'static Opcode| o.name != self.opcode.name && o.entries.iter().any(|e| families.contains(&e.family));
        let has = |o: &&'static Opcode| slots(o).any(|s| s.values.contains(&modifier));
        let range = self.instruction.opcode.range();
        let others: Vec<&'static Opcode> = ISA.opcodes.iter().filter(related).filter(has).collect();
        for other in &others {
            let renamed = [(range.clone(), other.name)];
            if self.statement.is_better(&self.statement.with(&renamed), &[]) {
                self.out.push(fix(
                    format!("Write `{}`", other.name),
                    vec![self.statement.replace(range.clone(), other.name)],
                ));
                continue;
            }
            let Some(first) = self.instruction.operands.first().map(|o| o.range.start) else { continue };
            let edits = [(range.clone(), other.name), (first..first, "_, ")];
            if self.statement.is_better(&self.statement.with(&edits), &[]) {
                let edits = edits.map(|(range, text)| self.statement.replace(range, text)).to_vec();
                self.out.push(fix(format!("Write `{}` with `_` for its result", other.name), edits));
            }
        }
        !others.is_empty()
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
            let (Some(index), Some(only)) = (index, only_value(slot.values)) else { return };
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

    /// How often mnemonics of any opcode have a modifier in real files.
    fn usage_everywhere(value: &str) -> u64 {
        let weights = ISA.opcodes.iter().flat_map(|o| ptx_isa::USAGE.mnemonics(o.name));
        let has = |mnemonic: &str| mnemonic.split('.').any(|part| Some(part) == value.strip_prefix('.'));
        weights.filter(|(mnemonic, _)| has(mnemonic)).map(|(_, weight)| u64::from(*weight)).sum()
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
            // `.rni` for `.rn`, `.rz` for `.rzi`.
            let unlike = !replaced.is_some_and(|old| value.starts_with(old) || old.starts_with(value));
            (type_differs, unlike, unusual, Reverse(self.usage(value)), Reverse(Self::usage_everywhere(value)))
        };
        values.sort_by_cached_key(|value| unlikely(value));
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
        if matches!(what, ReplaceableModifiers::Any | ReplaceableModifiers::Alike) && ISA.ty(old.text).is_none() {
            // `.rn` for `.rni`, which another form has.
            let is_like =
                |v: &&'static str| (v.starts_with(old.text) || old.text.starts_with(*v)) && ISA.ty(v).is_none();
            for value in slots(self.opcode).flat_map(|s| s.values.iter().copied()).filter(is_like) {
                if !values.contains(&value) {
                    values.push(value);
                }
            }
        }
        if what == ReplaceableModifiers::Types {
            // Forms of other types are forms of their own: `and.pred`.
            let types = slots(self.opcode).filter(|s| s.is_type).flat_map(|s| s.values.iter().copied());
            for value in types {
                if !values.contains(&value) {
                    values.push(value);
                }
            }
        }
        values.retain(|value| *value != old.text);
        self.likeliest_first(&mut values, Some(old.text));
        let is_like = |value: &str| value.starts_with(old.text) || old.text.starts_with(value);
        let is_type = ISA.ty(old.text).is_some();
        if what == ReplaceableModifiers::Alike
            || !is_type && values.iter().any(|value| is_like(value) && self.fits_instead(index, value))
        {
            values.retain(|value| is_like(value));
        } else if !is_type {
            self.usual_alone(index, &mut values);
        }
        for value in values {
            let mut modifiers = self.modifiers();
            modifiers[index] = value;
            if fits(self.opcode, &modifiers).is_some() {
                self.offer(format!("Change `{}` to `{value}`", old.text), old.range(), value);
            }
        }
    }

    /// Whether the mnemonic fits a form with a value in the place of a modifier.
    fn fits_instead(&self, index: usize, value: &str) -> bool {
        let mut modifiers = self.modifiers();
        modifiers[index] = value;
        fits(self.opcode, &modifiers).is_some()
    }

    /// Keeps those values that fit and are about as usual as the most usual one, for a modifier that says nothing of what is meant.
    fn usual_alone(&self, index: usize, values: &mut Vec<&'static str>) {
        /// How many times as usual another value must be to be the only one.
        const MUCH_MORE: u64 = 8;
        values.retain(|value| self.fits_instead(index, value));
        let own = values.iter().any(|v| self.usage(v) > 0);
        let usage = |v: &str| if own { self.usage(v).into() } else { Self::usage_everywhere(v) };
        let most = values.iter().map(|v| usage(v)).max().unwrap_or(0);
        values.retain(|v| usage(v).saturating_mul(MUCH_MORE) >= most);
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
        if removals == 0 && self.statement.diagnostic.code() == Code::ModifierNotAllowed {
            let is_related = self.other_opcodes(&own);
            // What a related opcode does is hardly meant to be something else of this one.
            if is_related || !self.out.is_empty() {
                return;
            }
        }
        for index in own.iter().copied() {
            self.replace(head, index, ReplaceableModifiers::Any);
        }
        if self.out.is_empty() {
            self.any_other(&own);
        }
        if self.out.is_empty() {
            let kept = |i: &&usize| {
                let text = self.instruction.modifiers[**i].text;
                ISA.ty(text).is_none() && ISA.space(text).is_none()
            };
            let others: Vec<usize> = others.iter().filter(kept).copied().collect();
            for index in &others {
                self.replace(head, *index, ReplaceableModifiers::Alike);
            }
        }
        if self.out.is_empty() {
            self.without_two(&others, &own);
        }
        if removals == 0 {
            self.add(head, ReplaceableModifiers::Any);
        }
    }

    /// Offers to remove two modifiers, one of which needs the other: `.relaxed.gpu`.
    fn without_two(&mut self, others: &[usize], own: &[usize]) {
        let all: Vec<usize> = own.iter().chain(others).copied().collect();
        let is_fixed = |i: &usize| {
            let text = self.instruction.modifiers[*i].text;
            ISA.ty(text).is_some() || ISA.space(text).is_some()
        };
        for (at, one) in all.iter().enumerate() {
            for other in &all[at + 1..] {
                if is_fixed(one) || is_fixed(other) {
                    continue;
                }
                let (first, second) =
                    (self.instruction.modifiers[*one.min(other)], self.instruction.modifiers[*one.max(other)]);
                let edits = [(first.range(), ""), (second.range(), "")];
                if self.statement.is_better(&self.statement.with(&edits), &[]) {
                    let edits = edits.map(|(range, text)| self.statement.replace(range, text)).to_vec();
                    self.out.push(fix(format!("Remove `{}` and `{}`", first.text, second.text), edits));
                }
            }
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
            let meant = |v: &&'static str| *v != old.text && (!has_family || v.starts_with(family));
            let mut likely: Vec<&'static str> = values.iter().copied().filter(meant).collect();
            self.usual_alone(*index, &mut likely);
            self.likeliest_first(&mut likely, Some(old.text));
            for value in likely {
                self.offer(format!("Change `{}` to `{value}`", old.text), old.range(), value);
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

/// The only value of a slot, but for longer spellings of it: `.shared` beside `.shared::cta`.
fn only_value(values: &[&'static str]) -> Option<&'static str> {
    let (first, rest) = values.split_first()?;
    let longer = |value: &&str| value.strip_prefix(first).is_some_and(|rest| rest.starts_with("::"));
    rest.iter().all(longer).then_some(*first)
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
