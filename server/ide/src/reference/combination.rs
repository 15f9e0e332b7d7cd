//! Legal combinations of the modifiers of a form.

use ptx_analysis::assembly::unbuilt_so_far;
use ptx_analysis::mnemonic::is_legal;
use ptx_analysis::{Environment, Filling};
use ptx_isa::tables::Form;

/// The value of each slot of a form; `None` for an empty slot.
pub type ModifierChoice = Vec<Option<&'static str>>;

/// Maximum number of combinations that are tried.
const MAX_COMBINATIONS: usize = 200_000;

/// The legal combination with the fewest modifiers that contains the `fixed` values. Values that come first in the tables
/// are preferred, and combinations that the assembler builds.
pub fn least(form: &'static Form, fixed: &[(usize, &'static str)]) -> Option<ModifierChoice> {
    let find = |accepts: &dyn Fn(&'static Form, &[Option<&'static str>]) -> bool| {
        let mut left = MAX_COMBINATIONS;
        let mut begun = Vec::with_capacity(form.slots.len());
        search(form, fixed, accepts, &mut begun, &mut left).then_some(begun)
    };
    let built = find(&is_built);
    if built.is_some() || form.unbuilt.is_empty() { built } else { find(&|form, values| is_legal(form, values)) }
}

/// Whether a combination is legal, and built with some operands.
fn is_built(form: &'static Form, values: &[Option<&'static str>]) -> bool {
    let filling = |slot: usize| values.get(slot).copied().flatten().map_or(Filling::Empty, Filling::Value);
    is_legal(form, values) && unbuilt_so_far(form, &filling, &Environment::default()).is_none()
}

/// A maximal legal combination: [`least`] with as many further modifiers as stay legal. Of types, the last legal ones are
/// chosen.
pub fn most(form: &'static Form) -> Option<ModifierChoice> {
    let mut values = least(form, &[])?;
    for index in 0..form.slots.len() {
        let slot = &form.slots[index];
        let mut wanted: Vec<&'static str> = Vec::new();
        if values[index].is_none() || slot.is_type {
            wanted.extend(slot.documented());
        }
        if slot.is_type {
            wanted.reverse();
        }
        for value in wanted {
            let mut longer = values.clone();
            longer[index] = Some(value);
            complete_group(form, index, &mut longer);
            if is_built(form, &longer) {
                values = longer;
                break;
            }
        }
    }
    Some(values)
}

/// Fills the other empty slots in the group of a slot.
fn complete_group(form: &'static Form, index: usize, values: &mut ModifierChoice) {
    let group = form.slots[index].group;
    for (other, slot) in form.slots.iter().enumerate() {
        if group != 0 && slot.group == group && values[other].is_none() {
            values[other] = slot.documented().chain(slot.tolerated.iter().copied()).next();
        }
    }
}

fn search(
    form: &'static Form,
    fixed: &[(usize, &'static str)],
    accepts: &dyn Fn(&'static Form, &[Option<&'static str>]) -> bool,
    begun: &mut ModifierChoice,
    left: &mut usize,
) -> bool {
    let Some(slot) = form.slots.get(begun.len()) else {
        *left = left.saturating_sub(1);
        return accepts(form, begun);
    };
    let only = fixed.iter().find(|(index, _)| *index == begun.len()).map(|(_, value)| *value);
    let none = (slot.optional && !slot.expected && only.is_none()).then_some(None);
    let values = slot.documented().chain(slot.tolerated.iter().copied());
    let values = values.filter(|v| only.is_none_or(|only| only == *v)).map(Some);
    for value in none.into_iter().chain(values) {
        begun.push(value);
        if search(form, fixed, accepts, begun, left) {
            return true;
        }
        begun.pop();
        if *left == 0 {
            return false;
        }
    }
    false
}
