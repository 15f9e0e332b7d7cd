//! Modifiers of a form that may stand together.

use ptx_analysis::mnemonic::is_legal;
use ptx_isa::tables::Form;

/// A value, or none, for each slot of a form.
pub type ModifierChoice = Vec<Option<&'static str>>;

/// How many combinations are looked at before giving up.
const MAX_COMBINATIONS: usize = 200_000;

/// The legal combination with the fewest modifiers, those first in the tables preferred, that has these values.
pub fn least(form: &'static Form, fixed: &[(usize, &'static str)]) -> Option<ModifierChoice> {
    let mut left = MAX_COMBINATIONS;
    let mut begun = Vec::with_capacity(form.slots.len());
    search(form, fixed, &mut begun, &mut left).then_some(begun)
}

/// The first legal combination made longer as long as it stays legal; types become the last ones of their sets.
pub fn most(form: &'static Form) -> Option<ModifierChoice> {
    let mut values = least(form, &[])?;
    for index in 0..form.slots.len() {
        let slot = &form.slots[index];
        let mut wanted: Vec<&'static str> = Vec::new();
        if values[index].is_none() || slot.is_type {
            wanted.extend(slot.values);
        }
        if slot.is_type {
            wanted.reverse();
        }
        for value in wanted {
            let mut longer = values.clone();
            longer[index] = Some(value);
            complete_group(form, index, &mut longer);
            if is_legal(form, &longer) {
                values = longer;
                break;
            }
        }
    }
    Some(values)
}

/// Fills the other slots of the group that a slot belongs to.
fn complete_group(form: &'static Form, index: usize, values: &mut ModifierChoice) {
    let group = form.slots[index].group;
    for (other, slot) in form.slots.iter().enumerate() {
        if group != 0 && slot.group == group && values[other].is_none() {
            values[other] = slot.values.first().copied();
        }
    }
}

fn search(form: &'static Form, fixed: &[(usize, &'static str)], begun: &mut ModifierChoice, left: &mut usize) -> bool {
    let Some(slot) = form.slots.get(begun.len()) else {
        *left = left.saturating_sub(1);
        return is_legal(form, begun);
    };
    let only = fixed.iter().find(|(index, _)| *index == begun.len()).map(|(_, value)| *value);
    let none = (slot.optional && only.is_none()).then_some(None);
    let values = slot.values.iter().copied().filter(|v| only.is_none_or(|only| only == *v)).map(Some);
    for value in none.into_iter().chain(values) {
        begun.push(value);
        if search(form, fixed, begun, left) {
            return true;
        }
        begun.pop();
        if *left == 0 {
            return false;
        }
    }
    false
}
