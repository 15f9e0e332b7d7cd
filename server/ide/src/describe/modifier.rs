//! Modifiers of an instruction in words.

use super::form::condition;
use super::instruction::{entry_of, meaning_in};
use super::{MarkdownPage, gate, is_worth_a_line, tables, words};
use ptx_analysis::mnemonic::Candidate;
use ptx_analysis::target::Environment;
use ptx_isa::ISA;
use ptx_isa::tables::{Entry, FormValue, Gate, Opcode, Term, TypeExpr};

/// How many values of a slot are listed one by one, with what they mean.
const MAX_EXPLAINED: usize = 8;
/// How many values of a slot are listed.
const MAX_VALUES: usize = 24;

/// The place that a modifier fills in the form of its instruction.
pub struct Slotted<'c> {
    /// The form.
    pub candidate: &'c Candidate,
    /// The index of the slot.
    pub index: usize,
    /// Whether the checks accept the statement with another word, or none, in place of the modifier.
    pub stands: &'c dyn Fn(&str) -> bool,
}

/// A modifier of an instruction. `chosen` is the place that the modifier fills.
pub fn modifier(
    opcode: &'static Opcode,
    entry: &'static Entry,
    name: &str,
    chosen: Option<Slotted<'_>>,
    environment: Option<&Environment>,
) -> MarkdownPage {
    let mut page = MarkdownPage::default();
    let own = chosen.as_ref().and_then(|s| entry_of(opcode, s.candidate.form)).unwrap_or(entry);
    let here = own.modifiers.iter().find(|m| m.name == name);
    let general = tables::meaning(name, environment);
    if let Some(here) = here
        && ISA.ty(name).is_none()
    {
        // What it means here is more than what it means in general.
        page.text(format!("`{name}` – {}", here.doc));
    } else if general.is_empty() {
        page.text(format!("`{name}`"));
    } else {
        page.parts.extend(general.parts);
    }
    if let Some(here) = here.filter(|_| ISA.ty(name).is_some()) {
        page.text(format!("In `{}`: {}", own.name, here.doc));
    } else if own.path.contains(&name) {
        page.text(format!("Part of the name of `{}`: {}", own.name, own.summary));
    }
    match chosen {
        Some(slotted) => {
            let Slotted { candidate, index, .. } = slotted;
            page.text(typed(opcode, candidate, index));
            in_slot(&mut page, own, &slotted, environment);
            let gates =
                candidate.form.gates.iter().filter(|g| mentions(g, index, name) && is_worth_a_line(g, environment));
            // A gate that speaks of this modifier alone needs no condition here.
            let when = |g: &Gate| if g.when.len() == 1 { String::new() } else { condition(g.when, candidate.form) };
            page.list("", gates.map(|g| gate(g, &when(g), environment)));
        }
        None => {
            let takes =
                opcode.entries.iter().flat_map(|e| e.forms).any(|f| f.slots.iter().any(|s| s.values.contains(&name)));
            if !takes && entry.checked {
                page.text(format!("`{}` does not take it.", opcode.name));
            }
        }
    }
    page
}

/// Which operands have the type in a slot: `` The type of `a` and `b`. ``
fn typed(opcode: &Opcode, candidate: &Candidate, index: usize) -> String {
    let slots: Vec<usize> = (0..candidate.form.slots.len()).filter(|i| candidate.form.slots[*i].is_type).collect();
    let Some(nth) = slots.iter().position(|i| *i == index) else { return String::new() };
    let values: Vec<&FormValue> = candidate.form.operands.iter().flat_map(|o| o.pattern.values()).collect();
    let mut found: Vec<&FormValue> = values.iter().copied().filter(|v| follows(&v.ty, index)).collect();
    if found.is_empty() {
        // A type that the form fixes: the first of that name belongs to the first operand of that type.
        let name = candidate.values[index].unwrap_or("");
        let fixed: Vec<&FormValue> = values.iter().copied().filter(|v| v.ty == TypeExpr::Named(name)).collect();
        let same: Vec<usize> = slots.iter().copied().filter(|i| candidate.values[*i] == Some(name)).collect();
        found = match same.iter().position(|i| *i == index) {
            Some(at) if same.len() == fixed.len() => fixed.into_iter().skip(at).take(1).collect(),
            _ if same.len() == 1 => fixed,
            _ => Vec::new(),
        };
    }
    if found.is_empty() && slots.len() > 2 && ISA.has_fragments(opcode.name) {
        // The types of matrices stand in the order of the operands.
        found = values.into_iter().skip(nth).take(1).collect();
    }
    let names: Vec<String> = found.iter().map(|v| format!("`{}`", v.name)).collect();
    match names.as_slice() {
        [] => String::new(),
        [one] => format!("Here: the type of {one}."),
        [others @ .., last] => format!("Here: the type of {} and {last}.", others.join(", ")),
    }
}

/// Whether a type is that of a slot, or made of it.
fn follows(ty: &TypeExpr, slot: usize) -> bool {
    match ty {
        TypeExpr::Slot(index) => usize::from(*index) == slot,
        TypeExpr::Wide(inner) | TypeExpr::Half(inner) | TypeExpr::Bits(inner) => follows(inner, slot),
        TypeExpr::None | TypeExpr::Named(_) => false,
    }
}

/// What else could stand in the place of a modifier: a few with what they mean, types and many others by name alone.
fn in_slot(page: &mut MarkdownPage, entry: &Entry, slotted: &Slotted<'_>, environment: Option<&Environment>) {
    let Slotted { candidate, index, stands } = *slotted;
    let slot = &candidate.form.slots[index];
    let others: Vec<&str> = slot.values.iter().copied().filter(|v| candidate.values[index] != Some(*v)).collect();
    let lacks = |value: &str| {
        let gates = candidate.form.gates;
        let refused = |e: &Environment| e.refused(gates, |g| g.when.len() == 1 && mentions(g, index, value)).is_some();
        environment.is_some_and(refused)
    };
    if slot.optional && stands("") {
        page.text("It may be left out.");
    }
    if slot.is_type || others.len() > MAX_EXPLAINED {
        if !others.is_empty() {
            page.text(format!("Alternatives: {}", words(others, MAX_VALUES)));
        }
        return;
    }
    let line = |value: &&str| {
        let meaning = meaning_in(entry, value);
        let dash = if meaning.is_empty() { "" } else { " – " };
        let lacking = if lacks(value) { " (**not for this module**)" } else { "" };
        format!("`{value}`{dash}{meaning}{lacking}")
    };
    // A modifier that the module does not have is marked so; one that the operands exclude is left out.
    let choice = |value: &&&str| lacks(value) || stands(value);
    page.list("Alternatives", others.iter().filter(choice).map(line));
}

/// Whether a gate asks for something because of this modifier.
fn mentions(gate: &Gate, slot: usize, name: &str) -> bool {
    gate.when.iter().any(|t| match t {
        Term::Slot(test) => {
            usize::from(test.slot) == slot && !test.negated && (test.values.is_empty() || test.values.contains(&name))
        }
        Term::Operand(_) => false,
    })
}
