//! The legal combinations of a form's modifiers, according to the tables. If there are few, these are all combinations.
//! Otherwise, every legal pair of values occurs in at least one of them.

use crate::generate::Random;
use ptx_isa::tables::Form;
use ptx_sema::forms::mnemonic::is_legal;
use std::collections::BTreeSet;

/// The value of each slot of a form, or `None` if the slot is empty.
pub type Values = Vec<Option<&'static str>>;

/// Maximum number of combinations that are all listed; forms with more get a set that covers all pairs.
pub const ALL: usize = 5_000;

/// Maximum size of the Cartesian product that is enumerated.
const WALK: usize = 400_000;

/// All legal combinations of a form, or a set that covers all pairs.
pub fn legal(form: &'static Form, random: &mut Random) -> Vec<Values> {
    let choices = choices(form);
    let product = choices.iter().try_fold(1usize, |n, c| n.checked_mul(c.len()));
    if product.is_some_and(|n| n <= WALK) {
        let mut all = Vec::new();
        walk(form, &choices, &mut Vec::new(), &mut all);
        if all.len() <= ALL {
            return all;
        }
        return cover(
            pairs_of(&all),
            |pair, random| {
                let fitting: Vec<&Values> = all.iter().filter(|v| pair.holds(v)).collect();
                fitting.get(random.below(fitting.len())).map(|v| (*v).clone())
            },
            random,
        );
    }
    cover(all_pairs(&choices), |pair, random| complete(form, &choices, pair, random), random)
}

/// Legal combinations in which every value of every slot occurs at least once, and so does every empty slot. The
/// shortest come first.
pub fn representative(form: &'static Form, random: &mut Random) -> Vec<Values> {
    let choices = choices(form);
    let mut out: Vec<Values> = Vec::new();
    let mut seen: BTreeSet<(usize, Option<&'static str>)> = BTreeSet::new();
    let plain: Values = choices.iter().map(|c| c[0]).collect();
    if is_legal(form, &plain) {
        seen.extend(plain.iter().copied().enumerate());
        out.push(plain);
    }
    for (slot, values) in choices.iter().enumerate() {
        for value in values {
            if !seen.contains(&(slot, *value))
                && let Some(found) = complete(form, &choices, Pair([(slot, *value); 2]), random)
            {
                seen.extend(found.iter().copied().enumerate());
                out.push(found);
            }
        }
    }
    out
}

/// The possible values of each slot; `None` comes first if the slot may be empty.
fn choices(form: &'static Form) -> Vec<Vec<Option<&'static str>>> {
    let of = |slot: &'static ptx_isa::tables::ModifierSlot| {
        let none = slot.optional.then_some(None);
        none.into_iter().chain(slot.values.iter().copied().map(Some)).collect()
    };
    form.slots.iter().map(of).collect()
}

fn walk(form: &Form, choices: &[Vec<Option<&'static str>>], begun: &mut Values, out: &mut Vec<Values>) {
    let Some(next) = choices.get(begun.len()) else {
        if is_legal(form, begun) {
            out.push(begun.clone());
        }
        return;
    };
    for value in next {
        begun.push(*value);
        walk(form, choices, begun, out);
        begun.pop();
    }
}

/// Two slots with their values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Pair([(usize, Option<&'static str>); 2]);

impl Pair {
    fn holds(&self, values: &Values) -> bool {
        self.0.iter().all(|(slot, value)| values[*slot] == *value)
    }
}

fn pairs_in(values: &Values) -> impl Iterator<Item = Pair> + '_ {
    (0..values.len()).flat_map(move |i| (0..i.max(1)).map(move |j| Pair([(j, values[j]), (i, values[i])])))
}

fn pairs_of(all: &[Values]) -> BTreeSet<Pair> {
    all.iter().flat_map(pairs_in).collect()
}

fn all_pairs(choices: &[Vec<Option<&'static str>>]) -> BTreeSet<Pair> {
    let mut out = BTreeSet::new();
    for i in 0..choices.len() {
        for j in 0..i.max(1) {
            for a in &choices[j] {
                out.extend(choices[i].iter().map(|b| Pair([(j, *a), (i, *b)])));
            }
        }
    }
    out
}

/// Collects combinations until every pair is covered for which `find` returns one.
fn cover(
    mut open: BTreeSet<Pair>,
    mut find: impl FnMut(Pair, &mut Random) -> Option<Values>,
    random: &mut Random,
) -> Vec<Values> {
    let mut out = Vec::new();
    while let Some(pair) = open.pop_first() {
        if let Some(found) = find(pair, random) {
            for covered in pairs_in(&found) {
                open.remove(&covered);
            }
            out.push(found);
        }
    }
    out
}

/// A legal combination that contains a pair. The first attempts fill few other slots; later attempts fill more at
/// random.
fn complete(
    form: &'static Form,
    choices: &[Vec<Option<&'static str>>],
    pair: Pair,
    random: &mut Random,
) -> Option<Values> {
    for attempt in 0..600usize {
        let mut values: Values = choices.iter().map(|c| c[0]).collect();
        // Later attempts give more slots a random value.
        for _ in 0..(attempt + 20) / 40 {
            let slot = random.below(values.len());
            values[slot] = choices[slot][random.below(choices[slot].len())];
        }
        for (slot, value) in pair.0 {
            values[slot] = value;
        }
        agree(form, choices, &mut values);
        if pair.holds(&values) && is_legal(form, &values) {
            return Some(values);
        }
    }
    None
}

/// Fills all slots of a group in which one is filled.
fn agree(form: &Form, choices: &[Vec<Option<&'static str>>], values: &mut Values) {
    for i in 0..values.len() {
        let group = form.slots[i].group;
        let filled = group != 0 && form.slots.iter().zip(values.iter()).any(|(s, v)| s.group == group && v.is_some());
        if filled && values[i].is_none() {
            values[i] = choices[i].iter().flatten().next().copied();
        }
    }
}
