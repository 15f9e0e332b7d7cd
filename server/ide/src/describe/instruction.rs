//! Descriptions of instructions and their modifiers.

use super::assembly::unbuilt_statement;
use super::form::{condition, operands, pretty, resolved};
use super::gates::{always, gate, includes};
use super::page::MarkdownPage;
use super::tables;
use super::words::words;
use ptx_analysis::assembly::unbuilt;
use ptx_analysis::spec::applies;
use ptx_analysis::{Candidate, Environment, Mnemonic, MnemonicMismatch, OperandVariant, mnemonic};
use ptx_isa::tables::{Entry, Form, Gate, Opcode, Passage, Term};

/// The form and the operand variant of an instruction.
#[derive(Debug, Clone, Copy)]
pub struct Chosen<'h> {
    /// The form.
    pub candidate: &'h Candidate,
    /// The operand variant of the form.
    pub variant: &'h OperandVariant,
}

/// Maximum length in bytes of a description that precedes the operands; a longer one follows them.
const LONGEST_SHORT: usize = 200;
/// Maximum number of other forms that are listed.
const MAX_FORMS: usize = 12;
/// Maximum number of optional modifiers that are listed.
const MAX_FREE: usize = 16;

/// The page about an instruction with a known form, for `explain`: a short description first, then all details.
pub fn instruction(
    opcode: &'static Opcode,
    head: &Mnemonic,
    chosen: Chosen<'_>,
    environment: Option<&Environment>,
) -> MarkdownPage {
    let mut page = MarkdownPage::default();
    let form = chosen.candidate.form;
    page.code(&resolved(opcode.name, chosen.candidate));
    let entry = entry_of(opcode, form).unwrap_or(head.entry);
    let any = Environment::default();
    let module = environment.unwrap_or(&any);
    let unbuilt = unbuilt(form, &chosen.candidate.values, chosen.variant, module);
    page.text(unbuilt.map(unbuilt_statement).unwrap_or_default());
    page.text(entry.summary);
    // Nothing is written of the operands yet, so only the modifiers decide what applies.
    let is_written = |name: &str| candidate_has(chosen.candidate, entry, name);
    let about = |passage: &&Passage| {
        passage.when.iter().all(|test| {
            let on_operands = test.any.iter().any(|name| !name.starts_with('.'));
            test.any.is_empty() || on_operands || test.any.iter().any(|name| is_written(name)) != test.negated
        })
    };
    let doc = entry.doc.iter().filter(about).map(|passage| passage.text).collect::<Vec<_>>().join("\n\n");
    let short = doc.len() <= LONGEST_SHORT;
    if short {
        page.text(doc.as_str());
    }
    page.list("", operands(chosen.variant, entry.operands));
    page.list("", modifiers(opcode, entry, chosen, environment));
    let told = |g: &&Gate| !always(g) && applies(g.when, &chosen.candidate.values, chosen.variant);
    // The statement has no operands here, so what needs one of the optional ones says so. Requirements that others include are
    // left out.
    let on_operands = |g: &Gate| {
        let terms: Vec<Term> = g.when.iter().copied().filter(|term| matches!(term, Term::Operand(_))).collect();
        condition(&terms, form)
    };
    let mut told: Vec<(&Gate, String)> = form.gates.iter().filter(told).map(|g| (g, on_operands(g))).collect();
    told.sort_by_key(|(_, condition)| !condition.is_empty());
    let needed = told.clone();
    told.retain(|(g, condition)| {
        !needed.iter().any(|(other, of)| of == condition && !std::ptr::eq(*g, *other) && includes(other, g))
    });
    let gates = told.iter().map(|(g, condition)| gate(g, condition, environment)).collect::<Vec<_>>();
    page.list("", gates);
    if !short {
        page.text(doc);
    }
    page.list("Notes", entry.notes.iter().filter(about).map(|n| n.text));
    forms(&mut page, opcode, entry, Some(form), MAX_FORMS);
    page.manual(&format!("`{}`", entry.name), entry.manual);
    page
}

/// Whether a mnemonic has a modifier, written or as part of its name.
fn candidate_has(candidate: &Candidate, entry: &Entry, name: &str) -> bool {
    candidate.values.iter().flatten().any(|value| *value == name) || entry.path.contains(&name)
}

/// The modifiers of an instruction with their meanings, followed by the optional modifiers that it does not have. Types
/// need no explanation.
fn modifiers(
    opcode: &'static Opcode,
    entry: &Entry,
    chosen: Chosen<'_>,
    environment: Option<&Environment>,
) -> Vec<String> {
    let candidate = chosen.candidate;
    let filled = candidate.form.slots.iter().zip(&candidate.values).enumerate();
    let mut out: Vec<String> = Vec::new();
    let mut free: Vec<(&str, Vec<&str>)> = Vec::new();
    for (index, (slot, value)) in filled {
        match value {
            Some(value) if !slot.is_type && !entry.path.contains(value) => {
                let meaning = meaning_in(entry, value);
                if !meaning.is_empty() {
                    out.push(format!("`{value}` – {meaning}"));
                }
            }
            Some(_) => {}
            // A modifier after an operand is not part of the mnemonic.
            None if slot.after_operand > 0 => {}
            None => {
                for value in slot.documented() {
                    if free.iter().all(|(known, _)| *known != value)
                        && let Some(operands) = added(opcode, chosen, index, value, environment)
                    {
                        free.push((value, operands));
                    }
                }
            }
        }
    }
    let alone: Vec<&str> = free.iter().filter(|(_, operands)| operands.is_empty()).map(|(value, _)| *value).collect();
    if !alone.is_empty() {
        out.push(format!("Optional: {}", words(alone, MAX_FREE)));
    }
    free.retain(|(_, operands)| !operands.is_empty());
    while let Some((_, operands)) = free.first().cloned() {
        let (same, others) = free.into_iter().partition(|(_, o)| *o == operands);
        let same: Vec<(&str, Vec<&str>)> = same;
        let values = words(same.iter().map(|(value, _)| *value), MAX_FREE);
        out.push(format!("Optional with {}: {values}", words(operands, MAX_FREE)));
        free = others;
    }
    out
}

/// The operands that must be added together with a modifier; `None` if it cannot be added to the modifiers and operands at hand.
fn added(
    opcode: &'static Opcode,
    chosen: Chosen<'_>,
    slot: usize,
    value: &'static str,
    environment: Option<&Environment>,
) -> Option<Vec<&'static str>> {
    let Chosen { candidate, variant } = chosen;
    let slots = candidate.form.slots.iter().zip(&candidate.values).enumerate();
    let written = slots.filter(|(_, (s, _))| s.after_operand == 0);
    let modifiers: Vec<&str> = written.filter_map(|(i, (_, v))| if i == slot { Some(value) } else { *v }).collect();
    let head = mnemonic::resolve(opcode, &modifiers).filter(|h| h.mismatch.is_none())?;
    let available = |c: &&Candidate| {
        let applies = |gate: &Gate| mnemonic::holds(gate.when, &c.values, None).unwrap_or(false);
        environment.is_none_or(|e| e.refused(c.form.gates, applies).is_none())
    };
    let any = Environment::default();
    let module = environment.unwrap_or(&any);
    let variants = head.candidates.iter().filter(available).flat_map(|c| {
        let offered = |variant: &&OperandVariant| variant.is_offered(c.form, &c.values, module);
        c.variants.iter().filter(offered)
    });
    let more = |other: &OperandVariant| -> Option<Vec<&'static str>> {
        let kept = variant.names.iter().all(|name| other.names.contains(name));
        kept.then(|| other.names.iter().copied().filter(|name| !variant.names.contains(name)).collect())
    };
    variants.filter_map(more).min_by_key(Vec::len)
}

/// The meaning of a modifier in an instruction, on one line.
pub(super) fn meaning_in(entry: &Entry, name: &str) -> String {
    let own = entry.modifiers.iter().find(|m| m.name == name).map(|m| m.doc);
    let general = || tables::summary(name).unwrap_or("");
    own.unwrap_or_else(general).trim_end_matches('.').to_owned()
}

/// Lists the forms of an opcode: the current form, those of the same entry, then the others.
fn forms(page: &mut MarkdownPage, opcode: &'static Opcode, entry: &Entry, own: Option<&Form>, most: usize) {
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

/// The texts of forms, without duplicates.
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

/// The page about an instruction whose modifiers fit no form.
pub fn mismatch(opcode: &'static Opcode, head: &Mnemonic, mismatch: &MnemonicMismatch) -> MarkdownPage {
    let mut page = MarkdownPage::default();
    page.text(format!("No form of `{}` has these modifiers; the nearest is", opcode.name));
    page.code(&pretty(mismatch.form));
    let entry = entry_of(opcode, mismatch.form).unwrap_or(head.entry);
    page.text(entry.summary);
    forms(&mut page, opcode, entry, Some(mismatch.form), 2 * MAX_FORMS);
    page.manual(&format!("`{}`", entry.name), entry.manual);
    page
}

/// The page about an instruction of which the tables have only the name.
pub fn unchecked(entry: &'static Entry) -> MarkdownPage {
    let mut page = MarkdownPage::default();
    page.code(entry.name);
    about(&mut page, entry);
    page
}

/// Adds the sections of an instruction's page other than its forms.
pub(super) fn about(page: &mut MarkdownPage, entry: &'static Entry) {
    page.text(entry.summary);
    page.text(Passage::join(entry.doc));
    page.list("Notes", entry.notes.iter().map(|n| n.text));
    page.manual(&format!("`{}`", entry.name), entry.manual);
}
