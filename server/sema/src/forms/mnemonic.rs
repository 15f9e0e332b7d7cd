//! The mnemonic of an instruction: opcode with modifiers, matched against the forms.
//!
//! A mnemonic is resolved once for each distinct spelling in a module and then cached: generated kernels use a few hundred
//! spellings for hundreds of thousands of instructions. So resolution may be thorough rather than fast.

use crate::forms::spec::{OperandVariant, operand_variants};
use ptx_isa::ISA;
use ptx_isa::tables::{Entry, Form, IgnoredType, ModifierSlot, Opcode, Rule, RuleKind, Term, TypeInfo};
use std::cmp::Reverse;

/// A resolved mnemonic.
#[derive(Debug)]
pub struct Mnemonic {
    /// The entry that names the instruction.
    pub entry: &'static Entry,
    /// The forms whose modifiers fit, with their operand variants.
    pub candidates: Vec<Candidate>,
    /// The indices of written modifiers that the assembler ignores on any instruction.
    pub ignored: Vec<usize>,
    /// If no form fits: the nearest form and what is wrong with it.
    pub mismatch: Option<MnemonicMismatch>,
}

/// A form whose slots accept the modifiers.
#[derive(Debug)]
pub struct Candidate {
    /// The entry that it belongs to.
    pub entry: &'static Entry,
    /// The form.
    pub form: &'static Form,
    /// The value in each slot.
    pub values: Vec<Option<&'static str>>,
    /// Its operand variants.
    pub variants: Vec<OperandVariant>,
}

/// The nearest form and the reasons why it does not fit.
#[derive(Debug)]
pub struct MnemonicMismatch {
    /// The form.
    pub form: &'static Form,
    /// What is wrong, the worst first.
    pub problems: Vec<MnemonicProblem>,
    /// The modifiers accepted in place of the missing or wrong one, by all forms whose only problems are the same.
    pub expected: Vec<&'static str>,
    /// The value in each slot that a modifier fills.
    pub values: Vec<Option<&'static str>>,
    /// The distance of the modifiers from the form.
    pub cost: u32,
    /// Other forms that are nearly as near, the nearest first. They have no others of their own.
    pub others: Vec<MnemonicMismatch>,
}

/// How much farther than the nearest form another one may be for the operands to decide between them.
const MAX_FARTHER: u32 = 10;
/// The number of forms that operands decide between.
const MAX_OTHERS: usize = 12;

/// How much more it costs to do without a state space than without another modifier: a copy to another place is not meant.
const SPACE_COST: u32 = 6;

fn cost(problems: &[MnemonicProblem], modifiers: &[&str]) -> u32 {
    let is_space = |index: usize| modifiers.get(index).is_some_and(|m| ISA.space(m).is_some());
    let cost = |problem: &MnemonicProblem| match problem {
        MnemonicProblem::Extra(index) if is_space(*index) => problem.cost() + SPACE_COST,
        _ => problem.cost(),
    };
    problems.iter().map(cost).sum()
}

/// One problem of a mnemonic. The numbers are indices of written modifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MnemonicProblem {
    /// No form of this opcode has such a modifier.
    Unknown(usize),
    /// The nearest form does not accept the modifier.
    Extra(usize),
    /// The modifier is a repetition of an earlier one.
    Duplicate(usize),
    /// The first modifier belongs in the slot that the second one already fills.
    Conflict(usize, usize),
    /// A required modifier is absent.
    Missing(&'static ModifierSlot),
    /// The first modifier comes after the second, but must come before it.
    Order(usize, usize),
    /// Like [`MnemonicProblem::Order`], for two types.
    TypeOrder(usize, usize),
    /// The same of two state spaces: the other way round it is another instruction.
    SpaceOrder(usize, usize),
    /// A rule of the form is broken.
    Rule(&'static Rule),
}

impl MnemonicProblem {
    /// A key for the problem; it is equal for forms that lack different modifiers in the same slot.
    fn kind(self) -> (u8, usize, usize) {
        match self {
            Self::Unknown(i) | Self::Extra(i) => (0, i, 0),
            Self::Duplicate(i) => (1, i, 0),
            Self::Conflict(i, j) => (2, i, j),
            Self::Missing(slot) => (3, usize::from(slot.is_type), 0),
            Self::Order(i, j) | Self::TypeOrder(i, j) | Self::SpaceOrder(i, j) => (4, i, j),
            Self::Rule(_) => (5, 0, 0),
        }
    }

    fn cost(self) -> u32 {
        match self {
            Self::Unknown(_) => 9,
            Self::Extra(_) => 10,
            Self::Duplicate(_) | Self::Rule(_) => 5,
            Self::Conflict(..) => 6,
            Self::Missing(_) => 8,
            Self::Order(..) => 4,
            // The cost is high because `cvt.rn.u32.f32` is hardly meant to be `cvt.rn.f32.u32`.
            Self::TypeOrder(..) => 19,
            // Nor is a copy from shared to global memory meant to be one from global to shared.
            Self::SpaceOrder(..) => 30,
        }
    }
}

/// Matches a mnemonic against the forms of an opcode. `modifiers` are those before the operands, with dots, as written.
/// Returns `None` if the opcode has no entry.
pub fn resolve(opcode: &'static Opcode, modifiers: &[&str]) -> Option<Mnemonic> {
    if let Some(fitting) = resolve_fitting(opcode, modifiers) {
        return Some(fitting);
    }
    let entry = opcode.entry(modifiers).or(opcode.entries.first())?;
    let mismatch = nearest_forms(opcode, modifiers);
    Some(Mnemonic { entry, candidates: Vec::new(), ignored: Vec::new(), mismatch })
}

/// Matches a mnemonic against the forms of an opcode, and returns `None` if no form fits. It does not look for the nearest form,
/// which takes many times as long.
pub fn resolve_fitting(opcode: &'static Opcode, modifiers: &[&str]) -> Option<Mnemonic> {
    let exact = resolve_exactly(opcode, modifiers);
    if exact.is_some() {
        return exact;
    }
    // ptxas accepts a few modifiers on any instruction, without effect.
    let mut found = opcode.entries.iter().filter_map(|entry| resolve_without_ignored(entry, modifiers));
    let mut fitting = found.next()?;
    fitting
        .candidates
        .extend(found.filter(|other| other.ignored == fitting.ignored).flat_map(|other| other.candidates));
    Some(fitting)
}

/// Whether a form of the opcode takes exactly these modifiers. This says less than [`resolve`] and takes much less time.
pub fn is_complete(opcode: &'static Opcode, modifiers: &[&str]) -> bool {
    let is_unchecked = |entry: &'static Entry| !entry.checked;
    opcode.entry(modifiers).or(opcode.entries.first()).is_some_and(is_unchecked)
        || forms_of(opcode).any(|(_, form)| match_form(form, modifiers).is_some())
}

/// Matches a mnemonic, without those modifiers that the assembler ignores, against the forms of an entry.
fn resolve_without_ignored(entry: &'static Entry, modifiers: &[&str]) -> Option<Mnemonic> {
    let own = |name: &str| entry.forms.iter().flat_map(|f| f.slots).any(|s| s.values.contains(&name));
    let (ignored, kept): (Vec<usize>, Vec<usize>) =
        (0..modifiers.len()).partition(|i| is_ignored(modifiers[*i], entry) && !own(modifiers[*i]));
    let first_ignored = *ignored.first()?;
    let kept: Vec<&str> = kept.into_iter().map(|i| modifiers[i]).collect();
    let mut candidates = matching(entry, &kept);
    // No ignored modifier may come before those that must directly follow the opcode.
    let firsts = |c: &Candidate| c.form.first.iter().filter(|slot| c.values[usize::from(**slot)].is_some()).count();
    candidates.retain(|c| first_ignored >= firsts(c));
    (!candidates.is_empty()).then_some(Mnemonic { entry, candidates, ignored, mismatch: None })
}

/// Whether the assembler accepts a modifier on an instruction that has none of this name, and ignores it.
fn is_ignored(name: &str, entry: &Entry) -> bool {
    let is_type = |ty: &TypeInfo| match ty.ignored {
        IgnoredType::Nowhere => false,
        IgnoredType::Everywhere => true,
        IgnoredType::Narrow => entry.narrow,
        IgnoredType::Other => !entry.narrow,
    };
    ISA.modifier(name).is_some_and(|m| m.ignored) || ISA.ty(name).is_some_and(is_type)
}

/// The forms of an opcode, each with its entry.
fn forms_of(opcode: &'static Opcode) -> impl Iterator<Item = (&'static Entry, &'static Form)> {
    opcode.entries.iter().flat_map(|e| e.forms.iter().map(move |f| (e, f)))
}

/// Matches all modifiers as they are written.
fn resolve_exactly(opcode: &'static Opcode, modifiers: &[&str]) -> Option<Mnemonic> {
    let entry = opcode.entry(modifiers).or(opcode.entries.first())?;
    let mut mnemonic = Mnemonic { entry, candidates: Vec::new(), ignored: Vec::new(), mismatch: None };
    if !entry.checked {
        return Some(mnemonic);
    }
    mnemonic.candidates = opcode.entries.iter().flat_map(|entry| matching(entry, modifiers)).collect();
    mnemonic.entry = mnemonic.candidates.first()?.entry;
    Some(mnemonic)
}

/// The forms of an entry that take all modifiers.
fn matching(entry: &'static Entry, modifiers: &[&str]) -> Vec<Candidate> {
    let candidate = |form: &'static Form| {
        let values = match_form(form, modifiers)?;
        let variants = operand_variants(form, &values);
        Some(Candidate { entry, form, values, variants })
    };
    entry.forms.iter().filter_map(candidate).collect()
}

/// The forms to which a mnemonic is nearest, where none fits.
fn nearest_forms(opcode: &'static Opcode, modifiers: &[&str]) -> Option<MnemonicMismatch> {
    // Some opcodes have a hundred forms, so which modifiers any of them accepts is computed once.
    let takes = |word: &&str| forms_of(opcode).any(|(_, f)| f.slots.iter().any(|s| s.values.contains(word)));
    let known: Vec<bool> = modifiers.iter().map(takes).collect();
    let tried: Vec<TriedForm> = forms_of(opcode)
        .map(|(_, form)| {
            let (problems, values) = problems(form, modifiers, &known);
            let kinds = problems.iter().map(|p| p.kind()).collect();
            TriedForm { form, problems, kinds, values }
        })
        .collect();
    let costs: Vec<u32> = tried.iter().map(|form| cost(&form.problems, modifiers)).collect();
    let mut nearest: Vec<usize> = (0..tried.len()).collect();
    // Of equally near forms the one that keeps the operation: a type is the likelier mistake.
    nearest.sort_by_cached_key(|i| {
        let problems = &tried[*i].problems;
        (costs[*i], foreign_operations(problems, modifiers), Reverse(kept_beginning(problems, modifiers)))
    });
    let limit = nearest.first().map_or(0, |i| costs[*i] + MAX_FARTHER);
    let mut near = nearest.into_iter().take_while(|i| costs[*i] <= limit).take(MAX_OTHERS + 1).map(|i| {
        let TriedForm { form, problems, values, .. } = &tried[i];
        let expected = expected(&tried[i], &tried);
        let (problems, values) = (problems.clone(), values.clone());
        MnemonicMismatch { form, problems, expected, values, cost: costs[i], others: Vec::new() }
    });
    let mut mismatch = near.next()?;
    mismatch.others = near.collect();
    Some(mismatch)
}

/// A form that does not fit a mnemonic.
struct TriedForm {
    form: &'static Form,
    /// What is wrong, the worst first.
    problems: Vec<MnemonicProblem>,
    /// The kind of each problem.
    kinds: Vec<(u8, usize, usize)>,
    /// The value in each slot that a modifier fills.
    values: SlotValues,
}

/// The number of modifiers other than types that a form does not take. One that begins a word that the form lacks does not count:
/// `.rn` where `.rni` is missing.
pub fn foreign_operations(problems: &[MnemonicProblem], modifiers: &[&str]) -> usize {
    extra_operations(problems, modifiers).count()
}

/// The indices of the modifiers other than types that a form does not take.
fn extra_operations(problems: &[MnemonicProblem], modifiers: &[&str]) -> impl Iterator<Item = usize> {
    let lacks = |word: &str| {
        problems.iter().any(|p| match p {
            MnemonicProblem::Missing(slot) => slot.values.iter().any(|value| value.starts_with(word)),
            _ => false,
        })
    };
    let is_operation = move |index: &usize| modifiers.get(*index).is_some_and(|m| ISA.ty(m).is_none() && !lacks(m));
    let extra = |p: &MnemonicProblem| if let MnemonicProblem::Extra(index) = p { Some(*index) } else { None };
    problems.iter().filter_map(extra).filter(is_operation)
}

/// The index of the first modifier, but for types, that a form does not take: the operation is written first, so what follows is
/// likelier to be wrong.
pub fn kept_beginning(problems: &[MnemonicProblem], modifiers: &[&str]) -> usize {
    extra_operations(problems, modifiers).min().unwrap_or(usize::MAX)
}

/// The values of the first missing modifier in all forms that have problems of the same kinds as a near one.
fn expected(near: &TriedForm, tried: &[TriedForm]) -> Vec<&'static str> {
    let missing = |form: &TriedForm| {
        let slot = |p: &MnemonicProblem| if let MnemonicProblem::Missing(slot) = p { Some(*slot) } else { None };
        form.problems.iter().find_map(slot)
    };
    let mut out: Vec<&'static str> = Vec::new();
    let Some(own) = missing(near) else { return out };
    let is_alike = |form: &&TriedForm| form.kinds == near.kinds && !form.form.tolerated;
    for value in tried.iter().filter(is_alike).filter_map(missing).flat_map(ModifierSlot::documented) {
        if !out.contains(&value) {
            out.push(value);
        }
    }
    if out.is_empty() { own.values.to_vec() } else { out }
}

type SlotValues = Vec<Option<&'static str>>;

/// The value in each slot of a form, if the modifiers fit it.
fn match_form(form: &'static Form, written: &[&str]) -> Option<SlotValues> {
    // Most forms lack one of the modifiers, so look for that before anything is put together.
    let takes = |word: &&str| form.slots.iter().any(|s| s.after_operand == 0 && s.values.contains(word));
    if !written.iter().all(takes) {
        return None;
    }
    let modifiers = &without_repeats(form, written)[..];
    let mut assignment = vec![None; modifiers.len()];
    assign(form, modifiers, 0, &mut assignment).then(|| values(form, modifiers, &assignment))
}

/// Returns `modifiers` without the repetitions that the form allows. Indices match those of the written modifiers only if
/// nothing is removed; a form that fits needs no indices.
fn without_repeats<'m>(form: &Form, modifiers: &[&'m str]) -> Vec<&'m str> {
    let may = |name: &str| form.repeat.contains(&name) || ISA.modifier(name).is_some_and(|m| m.repeats);
    let repeated = |i: usize| modifiers[..i].contains(&modifiers[i]) && may(modifiers[i]);
    (0..modifiers.len()).filter(|i| !repeated(*i)).map(|i| modifiers[i]).collect()
}

/// Assigns a slot to each modifier by backtracking, in the order of the form's slots first. Returns whether a complete,
/// correct assignment exists.
fn assign(form: &'static Form, modifiers: &[&str], next: usize, assignment: &mut [Option<usize>]) -> bool {
    if next == modifiers.len() {
        return complete(form, modifiers, assignment).is_none();
    }
    for (index, slot) in form.slots.iter().enumerate() {
        let free = slot.after_operand == 0 && !assignment[..next].contains(&Some(index));
        // Types must be in the form's order.
        let ordered = !slot.is_type
            || assignment[..next].iter().flatten().all(|other| !form.slots[*other].is_type || *other < index);
        if free && ordered && slot.values.contains(&modifiers[next]) {
            assignment[next] = Some(index);
            if assign(form, modifiers, next + 1, assignment) {
                return true;
            }
        }
    }
    assignment[next] = None;
    false
}

/// The first problem of an assignment of slots to all modifiers, if it has one.
fn complete(form: &'static Form, modifiers: &[&str], assignment: &[Option<usize>]) -> Option<MnemonicProblem> {
    let filled = |index: usize| assignment.contains(&Some(index));
    for (index, slot) in form.slots.iter().enumerate() {
        if slot.after_operand != 0 || filled(index) {
            continue;
        }
        let group = slot.group != 0 && form.slots.iter().enumerate().any(|(i, s)| s.group == slot.group && filled(i));
        if !slot.optional || group {
            return Some(MnemonicProblem::Missing(slot));
        }
    }
    if let Some(problem) = misordered(form, modifiers, assignment) {
        return Some(problem);
    }
    let values = values(form, modifiers, assignment);
    form.rules.iter().find(|rule| broken(rule, &values, None)).map(MnemonicProblem::Rule)
}

/// The first two modifiers that stand in an order that the form does not allow.
fn misordered(form: &Form, modifiers: &[&str], assignment: &[Option<usize>]) -> Option<MnemonicProblem> {
    for order in form.order {
        let places: Vec<usize> =
            order.iter().filter_map(|slot| assignment.iter().position(|a| *a == Some(usize::from(*slot)))).collect();
        if let Some(pair) = places.windows(2).find(|p| p[0] > p[1]) {
            return Some(order_problem(modifiers, pair[0], pair[1]));
        }
    }
    let firsts = form.first.iter().filter_map(|slot| assignment.iter().position(|a| *a == Some(usize::from(*slot))));
    for (wanted, place) in firsts.enumerate() {
        if place != wanted {
            return Some(order_problem(modifiers, place, wanted));
        }
    }
    None
}

fn order_problem(modifiers: &[&str], first: usize, second: usize) -> MnemonicProblem {
    let is_space = |index: usize| modifiers.get(index).is_some_and(|m| ISA.space(m).is_some());
    if is_space(first) && is_space(second) {
        MnemonicProblem::SpaceOrder(first, second)
    } else {
        MnemonicProblem::Order(first, second)
    }
}

fn values(form: &'static Form, modifiers: &[&str], assignment: &[Option<usize>]) -> SlotValues {
    let mut out = vec![None; form.slots.len()];
    for (modifier, slot) in modifiers.iter().zip(assignment) {
        if let Some(slot) = slot {
            out[*slot] = form.slots[*slot].values.iter().copied().find(|v| v == modifier);
        }
    }
    out
}

/// The state of a slot while modifiers are being chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filling<'v> {
    /// Filled.
    Value(&'v str),
    /// Left empty.
    Empty,
    /// Not chosen yet.
    Open,
}

/// Returns a function from the index of a slot to its state, for a complete choice.
fn made<'v>(values: &[Option<&'v str>]) -> impl Fn(usize) -> Filling<'v> {
    |slot| values.get(slot).copied().flatten().map_or(Filling::Empty, Filling::Value)
}

/// Whether all terms hold; `None` if that depends on operands and `operands` is `None`.
pub fn holds(terms: &[Term], values: &[Option<&str>], operands: Option<&[&str]>) -> Option<bool> {
    holds_so_far(terms, &made(values), operands)
}

/// Like [`holds`], but slots may still be open.
pub(crate) fn holds_so_far<'v>(
    terms: &[Term],
    filling: &impl Fn(usize) -> Filling<'v>,
    operands: Option<&[&str]>,
) -> Option<bool> {
    let mut unknown = false;
    for term in terms {
        let (negated, found) = match term {
            Term::Slot(test) => {
                let found = match filling(usize::from(test.slot)) {
                    Filling::Value(v) => Some(test.values.is_empty() || test.values.contains(&v)),
                    Filling::Empty => Some(false),
                    Filling::Open => None,
                };
                (test.negated, found)
            }
            Term::Operand(test) => (test.negated, operands.map(|o| o.contains(&test.name))),
        };
        match found {
            Some(found) if found == negated => return Some(false),
            Some(_) => {}
            None => unknown = true,
        }
    }
    if unknown { None } else { Some(true) }
}

/// Whether a rule is certainly broken.
pub fn broken(rule: &Rule, values: &[Option<&str>], operands: Option<&[&str]>) -> bool {
    broken_so_far(rule, &made(values), operands)
}

/// Whether a rule is broken, whatever values the open slots will take.
pub fn broken_so_far<'v>(rule: &Rule, filling: &impl Fn(usize) -> Filling<'v>, operands: Option<&[&str]>) -> bool {
    let what = holds_so_far(rule.what, filling, operands);
    let when = holds_so_far(rule.when, filling, operands);
    match rule.kind {
        RuleKind::Forbid => what == Some(true) && when == Some(true),
        RuleKind::Require => what == Some(false) && when == Some(true),
        RuleKind::Iff => matches!((what, when), (Some(a), Some(b)) if a != b),
    }
}

/// Whether a form is legal with these values in its slots, as far as modifiers alone decide. No required value may be
/// missing, none repeated, and no rule broken.
pub fn is_legal(form: &Form, values: &[Option<&str>]) -> bool {
    let filled = |group: u8| {
        group != 0 && form.slots.iter().zip(values).any(|(slot, value)| slot.group == group && value.is_some())
    };
    let whole =
        form.slots.iter().zip(values).all(|(slot, value)| value.is_some() || (slot.optional && !filled(slot.group)));
    // The same modifier in two slots would be a repetition.
    let unlike =
        |i: usize| values[i].is_none() || form.slots[i].is_type || (0..i).all(|other| values[other] != values[i]);
    whole && (0..values.len()).all(unlike) && !form.rules.iter().any(|rule| broken(rule, values, None))
}

/// What is wrong with the nearest assignment. `known` says of each modifier whether any form of the opcode takes it.
fn problems(form: &'static Form, modifiers: &[&str], known: &[bool]) -> (Vec<MnemonicProblem>, SlotValues) {
    let mut assignment: Vec<Option<usize>> = vec![None; modifiers.len()];
    let mut out = Vec::new();
    for (next, modifier) in modifiers.iter().enumerate() {
        let takes = |s: &ModifierSlot| s.after_operand == 0 && s.values.contains(modifier);
        let free = form.slots.iter().enumerate().position(|(i, s)| takes(s) && !assignment.contains(&Some(i)));
        if let Some(slot) = free {
            let later = assignment.iter().position(|a| {
                a.is_some_and(|other: usize| form.slots[other].is_type && form.slots[slot].is_type && other > slot)
            });
            if let Some(later) = later {
                out.push(MnemonicProblem::TypeOrder(next, later));
            }
            assignment[next] = Some(slot);
        } else if !known[next] {
            out.push(MnemonicProblem::Unknown(next));
        } else if modifiers[..next].contains(modifier) && form.slots.iter().any(takes) {
            out.push(MnemonicProblem::Duplicate(next));
        } else if let Some(slot) = form.slots.iter().position(takes) {
            let holder = assignment.iter().position(|a| *a == Some(slot)).unwrap_or(0);
            out.push(MnemonicProblem::Conflict(next, holder));
        } else {
            out.push(MnemonicProblem::Extra(next));
        }
    }
    let taken: Vec<usize> = assignment.iter().flatten().copied().collect();
    for (index, slot) in form.slots.iter().enumerate() {
        let group = slot.group != 0 && taken.iter().any(|t| form.slots[*t].group == slot.group);
        if slot.after_operand == 0 && !taken.contains(&index) && (!slot.optional || group) {
            out.push(MnemonicProblem::Missing(slot));
        }
    }
    if out.is_empty() {
        out.extend(complete(form, modifiers, &assignment));
    } else {
        // Whatever else is wrong, a copy in the other direction is not meant.
        out.extend(misordered(form, modifiers, &assignment).filter(|p| matches!(p, MnemonicProblem::SpaceOrder(..))));
    }
    // If the form does not fit but no problem was found, the instruction would be refused without a message.
    if out.is_empty() {
        out.push(MnemonicProblem::Extra(modifiers.len().saturating_sub(1)));
    }
    out.sort_by_key(|p| Reverse(p.cost()));
    (out, values(form, modifiers, &assignment))
}
