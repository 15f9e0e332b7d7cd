//! Descriptions of the modifiers of an instruction.

use super::form::condition;
use super::gates::{gate, is_worth_a_line};
use super::instruction::{entry_of, meaning_in};
use super::page::MarkdownPage;
use super::tables;
use super::words::words;
use ptx_analysis::{Candidate, Environment, mnemonic};
use ptx_isa::ISA;
use ptx_isa::tables::{Entry, FormValue, Gate, Implied, Opcode, Term, TypeExpr};

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
    /// The verdict of the checks on the statement with another word, or no word, in place of the modifier.
    pub verdict: &'c dyn Fn(&str) -> EditVerdict,
}

/// The verdict of the checks on an edited statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditVerdict {
    /// It is accepted.
    Accepted,
    /// The version or the target of the module does not support it.
    Unavailable,
    /// The assembler parses it and does not build it.
    Unbuilt,
    /// It is refused.
    Refused,
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
            in_slot(&mut page, own, &slotted);
            let gates =
                candidate.form.gates.iter().filter(|g| mentions(g, index, name) && is_worth_a_line(g, environment));
            // A gate that also depends on other modifiers is left out if they are not written.
            let gates = gates.filter(|g| mnemonic::holds(g.when, &candidate.values, None) != Some(false));
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
    let (same, made): (Vec<&FormValue>, Vec<&FormValue>) =
        found.into_iter().partition(|v| matches!(v.ty, TypeExpr::Slot(_) | TypeExpr::Named(_)));
    let names = |values: &[&FormValue]| {
        let names: Vec<String> = values.iter().map(|v| format!("`{}`", v.name)).collect();
        match names.as_slice() {
            [others @ .., last] if !others.is_empty() => format!("{} and {last}", others.join(", ")),
            _ => names.concat(),
        }
    };
    let width = |value: &FormValue| match value.ty {
        TypeExpr::Wide(_) => "twice as wide",
        TypeExpr::Half(_) => "half as wide",
        _ => "of the same size",
    };
    let mut out = match same.as_slice() {
        [] => String::new(),
        some => format!("Here: the type of {}", names(some)),
    };
    if let Some(first) = made.first().map(|v| width(v)) {
        let alike: Vec<&FormValue> = made.into_iter().filter(|v| width(v) == first).collect();
        let (verb, begin) = (if alike.len() == 1 { "is" } else { "are" }, if out.is_empty() { "Here: " } else { "; " });
        out.push_str(&format!("{begin}{} {verb} {first}", names(&alike)));
    }
    if out.is_empty() { out } else { out + "." }
}

/// Whether a type is the type in a slot, or derived from it.
fn follows(ty: &TypeExpr, slot: usize) -> bool {
    match ty {
        TypeExpr::Slot(index) => usize::from(*index) == slot,
        TypeExpr::Wide(inner) | TypeExpr::Half(inner) | TypeExpr::Bits(inner) => follows(inner, slot),
        TypeExpr::None | TypeExpr::Named(_) => false,
    }
}

/// Adds the alternatives to a modifier that the checks accept. If there are few, each has its meaning; types and longer lists are
/// names only.
fn in_slot(page: &mut MarkdownPage, entry: &Entry, slotted: &Slotted<'_>) {
    let Slotted { candidate, index, verdict } = *slotted;
    let slot = &candidate.form.slots[index];
    if slot.optional && !slot.expected && verdict("") == EditVerdict::Accepted {
        page.text(without(entry, candidate, index));
    }
    let others = slot.documented().filter(|v| candidate.values[index] != Some(*v));
    let judged: Vec<(&str, EditVerdict)> = others.map(|v| (v, verdict(v))).collect();
    if slot.is_type || judged.len() > MAX_EXPLAINED {
        let accepted = judged.iter().filter(|(_, v)| *v == EditVerdict::Accepted).map(|(value, _)| *value);
        let accepted: Vec<&str> = accepted.collect();
        if !accepted.is_empty() {
            page.text(format!("Alternatives: {}", words(accepted, MAX_VALUES)));
        }
        return;
    }
    let line = |(value, verdict): &(&str, EditVerdict)| {
        let meaning = meaning_in(entry, value);
        let dash = if meaning.is_empty() { "" } else { " – " };
        let mark = if *verdict == EditVerdict::Unavailable { " (**not for this module**)" } else { "" };
        format!("`{value}`{dash}{meaning}{mark}")
    };
    page.list(
        "Alternatives",
        judged.iter().filter(|(_, v)| matches!(v, EditVerdict::Accepted | EditVerdict::Unavailable)).map(line),
    );
}

/// What it means to leave out the modifier in a slot.
fn without(entry: &Entry, candidate: &Candidate, index: usize) -> String {
    let mut values = candidate.values.clone();
    let written = values[index].take();
    let here = |i: &&Implied| usize::from(i.slot) == index && mnemonic::holds(i.when, &values, None) != Some(false);
    match candidate.form.implied.iter().find(here).map(|implied| implied.value) {
        Some(value) if Some(value) == written => "It is the default, and may be left out.".to_owned(),
        Some(value) => {
            let meaning = meaning_in(entry, value);
            let dash = if meaning.is_empty() { "" } else { " – " };
            format!("Without it: `{value}`{dash}{meaning}")
        }
        None => "It is optional.".to_owned(),
    }
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
