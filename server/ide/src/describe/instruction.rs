//! Instructions and their modifiers in words.

use super::form::{condition, operands, pretty, resolved};
use super::{Page, always, gate, tables, words};
use ptx_analysis::head::{self, Candidate, Head, Mismatch};
use ptx_analysis::spec::{Arrangement, applies};
use ptx_analysis::target::Environment;
use ptx_isa::tables::{Entry, Form, Gate, Opcode, Passage, Rule, Slot};

/// The form and the operands that an instruction uses.
#[derive(Debug, Clone, Copy)]
pub struct Chosen<'h> {
    /// The form.
    pub candidate: &'h Candidate,
    /// Which of its operands are given.
    pub arrangement: &'h Arrangement,
}

/// What an instruction does comes first if it is said in so few words, and after the operands if not.
const LONGEST_SHORT: usize = 200;
/// How many other forms are listed.
const MOST_FORMS: usize = 12;
/// How many modifiers that could be added are listed.
const MOST_FREE: usize = 16;
/// How many values of a slot are listed.
const MOST_VALUES: usize = 24;

/// An instruction whose form is known, as `explain` shows it: in short first, then everything that is known of it.
pub fn instruction(
    opcode: &'static Opcode,
    head: &Head,
    chosen: Chosen<'_>,
    environment: Option<&Environment>,
) -> Page {
    let mut page = Page::default();
    let form = chosen.candidate.form;
    page.code(&resolved(opcode.name, chosen.candidate));
    let entry = entry_of(opcode, form).unwrap_or(head.entry);
    page.text(entry.summary);
    let doc = Passage::join(entry.doc);
    let short = doc.len() <= LONGEST_SHORT;
    if short {
        page.text(doc.as_str());
    }
    page.list("", operands(chosen.arrangement, entry.operands));
    page.list("", modifiers(entry, chosen.candidate, environment));
    let told = |g: &&Gate| !always(g) && applies(g.when, &chosen.candidate.values, chosen.arrangement);
    let gates: Vec<String> = form.gates.iter().filter(told).map(|g| gate(g, "", environment)).collect();
    page.list("", gates);
    if !short {
        page.text(doc);
    }
    page.list("Notes", entry.notes.iter().map(|n| n.text));
    forms(&mut page, opcode, entry, Some(form), MOST_FORMS);
    page.manual(&format!("`{}`", entry.name), entry.manual);
    page
}

/// The modifiers of an instruction with what each means, and those that it could have besides. Types speak for themselves.
fn modifiers(entry: &Entry, candidate: &Candidate, environment: Option<&Environment>) -> Vec<String> {
    let filled = candidate.form.slots.iter().zip(&candidate.values).enumerate();
    let mut out: Vec<String> = Vec::new();
    let mut free: Vec<&str> = Vec::new();
    for (index, (slot, value)) in filled {
        match value {
            Some(value) if !slot.is_type && !entry.path.contains(value) => {
                let meaning = meaning_in(entry, value);
                if !meaning.is_empty() {
                    out.push(format!("`{value}` – {meaning}"));
                }
            }
            Some(_) => {}
            None => {
                for value in slot.values.iter().filter(|v| fits(candidate, index, v, environment)) {
                    if !free.contains(value) {
                        free.push(value);
                    }
                }
            }
        }
    }
    if !free.is_empty() {
        out.push(format!("could be added: {}", words(free, MOST_FREE)));
    }
    out
}

/// Whether a modifier could be added to those that are written, as far as rules and gates of the form speak of modifiers.
fn fits(candidate: &Candidate, slot: usize, value: &'static str, environment: Option<&Environment>) -> bool {
    let form = candidate.form;
    let mut values = candidate.values.clone();
    values[slot] = Some(value);
    // What a rule says of operands can be met by adding them.
    let broken = |rule: &Rule| head::broken(rule, &values, None);
    let holds = |gate: &Gate| head::holds(gate.when, &values, None).unwrap_or(false);
    !form.rules.iter().any(broken) && environment.is_none_or(|e| e.refused(form.gates, holds).is_none())
}

/// One line on what a modifier means in an instruction.
pub(super) fn meaning_in(entry: &Entry, name: &str) -> String {
    let own = entry.modifiers.iter().find(|m| m.name == name).map(|m| m.doc);
    let general = || tables::summary(name).unwrap_or("");
    own.unwrap_or_else(general).trim_end_matches('.').to_owned()
}

/// The forms of an opcode: the one at hand, those of the same entry, then the others.
fn forms(page: &mut Page, opcode: &'static Opcode, entry: &Entry, own: Option<&Form>, most: usize) {
    let all = distinct(opcode.entries.iter().flat_map(|e| e.forms));
    if all.len() < 2 {
        return;
    }
    let own = own.map(pretty);
    let near = distinct(entry.forms);
    let mut lines = all;
    lines.sort_by_key(|f| (Some(f) != own.as_ref(), !near.contains(f)));
    let rest = lines.len().saturating_sub(most);
    lines.truncate(most);
    if rest > 0 {
        lines.push(format!("// and {rest} more"));
    }
    page.text("**Forms**");
    page.code(&lines.join("\n"));
}

/// Forms as text; several differ in nothing that is written there.
pub(super) fn distinct<'f>(forms: impl IntoIterator<Item = &'f Form>) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for form in forms.into_iter().map(pretty) {
        if !out.contains(&form) {
            out.push(form);
        }
    }
    out
}

pub(super) fn entry_of(opcode: &'static Opcode, form: &Form) -> Option<&'static Entry> {
    opcode.entries.iter().find(|e| e.forms.iter().any(|f| std::ptr::eq(f, form)))
}

/// An instruction whose modifiers fit no form.
pub fn mismatch(opcode: &'static Opcode, head: &Head, mismatch: &Mismatch) -> Page {
    let mut page = Page::default();
    page.text(format!("No form of `{}` has these modifiers; the nearest is", opcode.name));
    page.code(&pretty(mismatch.form));
    let entry = entry_of(opcode, mismatch.form).unwrap_or(head.entry);
    page.text(entry.summary);
    forms(&mut page, opcode, entry, Some(mismatch.form), 2 * MOST_FORMS);
    page.manual(&format!("`{}`", entry.name), entry.manual);
    page
}

/// An instruction that is known by name only.
pub fn unchecked(entry: &'static Entry) -> Page {
    let mut page = Page::default();
    page.code(entry.name);
    about(&mut page, entry);
    page
}

/// All forms of those entries of an opcode that are wanted.
pub fn entries(opcode: &'static Opcode, wanted: impl Fn(&Entry) -> bool, environment: Option<&Environment>) -> Page {
    let mut page = Page::default();
    for entry in opcode.entries.iter().filter(|e| wanted(e)) {
        page.page(whole(entry, environment));
    }
    page
}

/// An entry with all its forms.
fn whole(entry: &'static Entry, environment: Option<&Environment>) -> Page {
    if !entry.checked {
        return unchecked(entry);
    }
    let mut page = Page::default();
    page.code(&annotated(entry));
    page.text(entry.summary);
    page.list("", common_sets(entry));
    page.text(Passage::join(entry.doc));
    let mut gates: Vec<String> = Vec::new();
    for form in entry.forms {
        for g in form.gates.iter().filter(|g| !always(g) && !of_form(entry, g)) {
            let line = gate(g, &condition(g.when, form), environment);
            if !gates.contains(&line) {
                gates.push(line);
            }
        }
    }
    page.list("", gates);
    page.list("Operands", entry.operands.iter().map(|o| format!("`{}`: {}", o.name, o.doc)));
    page.list("Modifiers", entry.modifiers.iter().map(|m| format!("`{}`: {}", m.name, m.doc)));
    page.list("Notes", entry.notes.iter().map(|n| n.text));
    page.manual(&format!("`{}`", entry.name), entry.manual);
    page
}

/// Whether a gate holds for some forms only, without a condition that says for which.
fn of_form(entry: &Entry, gate: &Gate) -> bool {
    gate.when.is_empty() && !entry.forms.iter().all(|f| f.gates.contains(gate))
}

fn slots(entry: &'static Entry) -> impl Iterator<Item = &'static Slot> {
    entry.forms.iter().flat_map(|f| f.slots).filter(|s| s.values.len() > 1)
}

/// Whether all forms mean the same values by the name of a slot.
fn is_common(entry: &'static Entry, slot: &Slot) -> bool {
    slots(entry).all(|s| s.name != slot.name || s.values == slot.values)
}

fn common_sets(entry: &'static Entry) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for slot in slots(entry).filter(|s| is_common(entry, s)) {
        let line = format!("`.{}`: {}", slot.name, words(slot.values.iter().copied(), MOST_VALUES));
        if !out.contains(&line) {
            out.push(line);
        }
    }
    out
}

/// The forms, each with what holds for it alone.
fn annotated(entry: &'static Entry) -> String {
    let mut out: Vec<String> = Vec::new();
    for form in entry.forms {
        let mut lines = pretty(form);
        let mut told: Vec<&str> = Vec::new();
        for slot in form.slots.iter().filter(|s| s.values.len() > 1 && !is_common(entry, s)) {
            if !told.contains(&slot.name) {
                told.push(slot.name);
                lines.push_str(&format!("\n    // .{}: {}", slot.name, slot.values.join(" ")));
            }
        }
        for g in form.gates.iter().filter(|g| !always(g) && of_form(entry, g)) {
            lines.push_str(&format!("\n    // {}", gate(g, "", None).replace('`', "")));
        }
        if !out.contains(&lines) {
            out.push(lines);
        }
    }
    out.join("\n")
}

fn about(page: &mut Page, entry: &'static Entry) {
    page.text(entry.summary);
    page.text(Passage::join(entry.doc));
    page.list("Notes", entry.notes.iter().map(|n| n.text));
    page.manual(&format!("`{}`", entry.name), entry.manual);
}
