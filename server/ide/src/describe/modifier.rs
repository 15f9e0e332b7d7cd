//! Descriptions of the modifiers of an instruction.

use super::form::condition;
use super::instruction::{entry_of, meaning_in};
use super::{MarkdownPage, gate, is_worth_a_line, tables, words};
use ptx_analysis::mnemonic::Candidate;
use ptx_analysis::target::Environment;
use ptx_isa::ISA;
use ptx_isa::tables::{Entry, FormValue, Gate, Opcode, Term, TypeExpr};

/// Maximum number of values of a slot that are listed with their meanings.
const MAX_EXPLAINED: usize = 8;
/// Maximum number of values of a slot that are listed.
const MAX_VALUES: usize = 24;

/// The slot that a modifier fills in the form of its instruction.
pub struct Slotted<'c> {
    /// The form.
    pub candidate: &'c Candidate,
    /// The index of the slot.
    pub index: usize,
    /// Whether the checks accept the statement with another word, or no word, in place of the modifier.
    pub stands: &'c dyn Fn(&str) -> bool,
}

/// The page about a modifier of an instruction. `chosen` is the slot that the modifier fills.
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
        // The meaning in this instruction is more specific than the general one.
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
            // A gate that depends on this modifier alone needs no condition here.
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

/// The operands whose type is in a slot: `` The type of `a` and `b`. ``
fn typed(opcode: &Opcode, candidate: &Candidate, index: usize) -> String {
    let slots: Vec<usize> = (0..candidate.form.slots.len()).filter(|i| candidate.form.slots[*i].is_type).collect();
    let Some(nth) = slots.iter().position(|i| *i == index) else { return String::new() };
    let values: Vec<&FormValue> = candidate.form.operands.iter().flat_map(|o| o.pattern.values()).collect();
    let mut found: Vec<&FormValue> = values.iter().copied().filter(|v| follows(&v.ty, index)).collect();
    if found.is_empty() {
        // The form fixes this type. The first slot with this name belongs to the first operand of this type.
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
        // The types of matrices are in the order of the operands.
        found = values.into_iter().skip(nth).take(1).collect();
    }
    let names: Vec<String> = found.iter().map(|v| format!("`{}`", v.name)).collect();
    match names.as_slice() {
        [] => String::new(),
        [one] => format!("Here: the type of {one}."),
        [others @ .., last] => format!("Here: the type of {} and {last}.", others.join(", ")),
    }
}

/// Whether a type is the type in a slot, or derived from it.
fn follows(ty: &TypeExpr, slot: usize) -> bool {
    match ty {
        TypeExpr::Slot(index) => usize::from(*index) == slot,
        TypeExpr::Wide(inner) | TypeExpr::Half(inner) | TypeExpr::Bits(inner) => follows(inner, slot),
        TypeExpr::None | TypeExpr::Named(_) => false,
    }
}

/// Adds the alternatives to a modifier. If there are few, each has its meaning; types and longer lists are names only.
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
    // Alternatives that the module does not support are marked; alternatives that the operands exclude are left out.
    let choice = |value: &&&str| lacks(value) || stands(value);
    page.list("Alternatives", others.iter().filter(choice).map(line));
}

/// Whether the condition of a gate includes this modifier.
fn mentions(gate: &Gate, slot: usize, name: &str) -> bool {
    gate.when.iter().any(|t| match t {
        Term::Slot(test) => {
            usize::from(test.slot) == slot && !test.negated && (test.values.is_empty() || test.values.contains(&name))
        }
        Term::Operand(_) => false,
    })
}
