//! The complete chapter about an instruction, for `explain`. The most common forms come first, removed ones last.

use super::assembly::narrow_address;
use super::form::{condition, operands, pretty, resolved};
use super::gates::{always, gate};
use super::instruction::{meaning_in, unchecked};
use super::page::MarkdownPage;
use super::words::words;
use ptx_analysis::{Candidate, Environment, mnemonic};
use ptx_isa::USAGE;
use ptx_isa::tables::{Entry, Form, Gate, GateKind, ModifierSlot, Opcode, Passage};
use std::cmp::Reverse;

/// Maximum number of forms and of conditions of an entry in an overview.
const MAX_IN_OVERVIEW: usize = 8;
/// Maximum number of listed values of a slot.
const MAX_VALUES: usize = 24;

/// The entries of an opcode that satisfy `wanted`, with all their forms. The entries and forms that are most common in real
/// files come first.
pub fn entries(
    opcode: &'static Opcode,
    wanted: impl Fn(&Entry) -> bool,
    environment: Option<&Environment>,
) -> MarkdownPage {
    let uses = FormUsage::of(opcode);
    let all = ranked(opcode, &uses, wanted);
    let mut page = contents(&all);
    for entry in all {
        page.page(whole(opcode, entry, &uses, environment, usize::MAX));
    }
    page
}

/// The entries of an opcode that satisfy `wanted`: a list of them, then the most common one alone.
pub fn overview(opcode: &'static Opcode, wanted: impl Fn(&Entry) -> bool, query: &str) -> MarkdownPage {
    let uses = FormUsage::of(opcode);
    let all = ranked(opcode, &uses, wanted);
    let mut page = contents(&all);
    let Some(first) = all.first() else { return page };
    if all.len() > 1 {
        let other = all.iter().find(|e| e.name != first.name && e.name != query);
        let other = other.map_or(String::new(), |e| format!("`ptx-analyzer explain {}` shows another one, ", e.name));
        page.text(format!(
            "Below is the one used most. {other}`ptx-analyzer explain {query} --all` shows all {}.",
            all.len()
        ));
    }
    page.page(whole(opcode, first, &uses, None, MAX_IN_OVERVIEW));
    page
}

/// The wanted entries, the most common first.
fn ranked(opcode: &'static Opcode, uses: &FormUsage, wanted: impl Fn(&Entry) -> bool) -> Vec<&'static Entry> {
    let mut all: Vec<&'static Entry> = opcode.entries.iter().filter(|e| wanted(e)).collect();
    // Instructions of the same name stay together. Uncounted entries keep the order of the tables, shorter names first.
    all.sort_by_key(|e| (is_gone(e), Reverse(uses.of_name(opcode, e.name)), e.path.len(), Reverse(uses.of_entry(e))));
    all
}

/// A list of the entries, if there are several.
fn contents(all: &[&'static Entry]) -> MarkdownPage {
    let mut page = MarkdownPage::default();
    if all.len() > 1 {
        page.list(
            &format!("{} instructions, most used first", all.len()),
            all.iter().map(|e| format!("`{}` – {}", e.name, e.summary)),
        );
    }
    page
}

/// How often real files use each form of an opcode.
pub struct FormUsage {
    /// The counted mnemonics that fit a form, with their counts.
    counted: Vec<(u32, Candidate)>,
}

impl FormUsage {
    /// Of all forms of an opcode.
    pub fn of(opcode: &'static Opcode) -> Self {
        let fitting = |(mnemonic, weight): &(&'static str, u32)| {
            let modifiers: Vec<String> = mnemonic.split('.').skip(1).map(|m| format!(".{m}")).collect();
            let modifiers: Vec<&str> = modifiers.iter().map(String::as_str).collect();
            let head = mnemonic::resolve(opcode, &modifiers).filter(|h| h.mismatch.is_none())?;
            Some((*weight, head.candidates.into_iter().next()?))
        };
        Self { counted: USAGE.mnemonics(opcode.name).iter().filter_map(fitting).collect() }
    }

    fn of_form(&self, form: &Form) -> u32 {
        self.counted.iter().filter(|(_, c)| std::ptr::eq(c.form, form)).map(|(weight, _)| weight).sum()
    }

    /// Of the forms of an entry together.
    pub fn of_entry(&self, entry: &Entry) -> u32 {
        entry.forms.iter().map(|form| self.of_form(form)).sum()
    }

    /// How often the instructions of a name are used.
    pub fn of_name(&self, opcode: &'static Opcode, name: &str) -> u32 {
        opcode.entries.iter().filter(|e| e.name == name).map(|e| self.of_entry(e)).sum()
    }

    /// The most common mnemonic of an entry.
    fn commonest(&self, entry: &Entry) -> Option<&Candidate> {
        let own = |c: &Candidate| entry.forms.iter().any(|form| std::ptr::eq(c.form, form));
        let mut best: Option<&(u32, Candidate)> = None;
        for found in self.counted.iter().filter(|(_, c)| own(c)) {
            best = best.filter(|(weight, _)| *weight >= found.0).or(Some(found));
        }
        best.map(|(_, candidate)| candidate)
    }

    /// The forms of an entry, the most common first.
    pub fn ranked(&self, entry: &'static Entry) -> Vec<&'static Form> {
        let mut forms: Vec<&'static Form> = entry.forms.iter().filter(|form| !form.tolerated).collect();
        forms.sort_by_key(|form| Reverse(self.of_form(form)));
        forms
    }
}

/// The chapter of an entry with all its forms: its summary, its most common form with operands, then everything else.
fn whole(
    opcode: &Opcode,
    entry: &'static Entry,
    uses: &FormUsage,
    environment: Option<&Environment>,
    most: usize,
) -> MarkdownPage {
    if !entry.checked {
        return unchecked(entry);
    }
    let mut page = MarkdownPage::default();
    let forms = uses.ranked(entry);
    let mut all = annotated(entry, &forms);
    let rest = all.len().saturating_sub(most);
    if rest > 0 {
        all.truncate(most);
        all.push(format!("// and {rest} more: ptx-analyzer explain {} --all", entry.name));
    }
    let common = uses.commonest(entry).filter(|_| all.len() > 1);
    match common {
        Some(candidate) => page.code(&resolved(opcode.name, candidate)),
        None => page.code(&all.join("\n")),
    }
    page.text(entry.summary);
    let any = Environment::default();
    let module = environment.unwrap_or(&any);
    // All compatible operands of the form, including optional ones.
    let variant = common
        .and_then(|c| c.variants.iter().rev().find(|a| a.is_offered(c.form, &c.values, module)).or(c.variants.last()));
    match variant {
        Some(variant) => page.list("", operands(variant, entry.operands)),
        None => {
            page.list("", common_sets(entry));
            page.list("Operands", notes(entry));
        }
    }
    page.text(Passage::join(entry.doc));
    if common.is_some() {
        page.text("**Forms**");
        page.code(&all.join("\n"));
        page.list("", common_sets(entry));
        let names = variant.map_or(&[][..], |a| a.names.as_slice());
        let others = entry.operands.iter().filter(|o| !names.contains(&o.name));
        page.list("Operands of other forms", others.map(|o| format!("`{}`: {}", o.name, o.doc)));
    }
    let mut gates: Vec<String> = Vec::new();
    for form in forms {
        for g in form.gates.iter().filter(|g| !always(g) && !of_form(entry, g)) {
            let line = gate(g, &condition(g.when, form), environment);
            if !gates.contains(&line) {
                gates.push(line);
            }
        }
    }
    let rest = gates.len().saturating_sub(most);
    if rest > 0 {
        gates.truncate(most);
        gates.push(format!("and {rest} more conditions"));
    }
    page.list("", gates);
    page.list(
        "Modifiers",
        entry.modifiers.iter().filter(|m| takes(entry, m.name)).map(|m| format!("`{}`: {}", m.name, m.doc)),
    );
    let notes = entry.notes.iter().map(|n| n.text.to_owned());
    page.list("Notes", notes.chain(narrow_address(entry)));
    page.manual(&format!("`{}`", entry.name), entry.manual);
    page
}

fn notes(entry: &'static Entry) -> impl Iterator<Item = String> {
    entry.operands.iter().map(|o| format!("`{}`: {}", o.name, o.doc))
}

/// Whether a version or target removes the whole instruction. Many old files still use it, but new files do not.
fn is_gone(entry: &Entry) -> bool {
    entry.forms.iter().all(|f| f.gates.iter().any(|g| g.kind == GateKind::Until && g.when.is_empty()))
}

/// Whether a form of an entry has a modifier. The notes of a family on a modifier need not apply to all of its
/// instructions.
fn takes(entry: &Entry, name: &str) -> bool {
    entry.forms.iter().flat_map(|f| f.slots).any(|s| s.values.contains(&name))
}

/// Whether a gate without a condition applies to some forms of an entry only.
fn of_form(entry: &Entry, gate: &Gate) -> bool {
    gate.when.is_empty() && !entry.forms.iter().all(|f| f.gates.contains(gate))
}

fn slots(entry: &'static Entry) -> impl Iterator<Item = &'static ModifierSlot> {
    entry.forms.iter().filter(|f| !f.tolerated).flat_map(|f| f.slots).filter(|s| s.documented().count() > 1)
}

/// Whether a slot of the same name has the same values in all forms.
fn is_common(entry: &'static Entry, slot: &ModifierSlot) -> bool {
    slots(entry).all(|s| s.name != slot.name || s.values == slot.values)
}

fn common_sets(entry: &'static Entry) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for slot in slots(entry).filter(|s| is_common(entry, s)) {
        let line = format!("`.{}`: {}", slot.name, words(slot.documented(), MAX_VALUES));
        if !out.contains(&line) {
            out.push(line);
        }
    }
    out
}

/// The forms, each followed by the facts that apply to it alone.
fn annotated(entry: &'static Entry, forms: &[&'static Form]) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for form in forms {
        let mut lines = pretty(form);
        let mut told: Vec<&str> = Vec::new();
        for slot in form.slots.iter().filter(|s| s.documented().count() > 1 && !is_common(entry, s)) {
            if !told.contains(&slot.name) {
                told.push(slot.name);
                lines.push_str(&format!(
                    "\n    // .{}: {}",
                    slot.name,
                    slot.documented().collect::<Vec<_>>().join(" ")
                ));
            }
        }
        for g in form.gates.iter().filter(|g| !always(g) && of_form(entry, g)) {
            lines.push_str(&format!("\n    // {}", gate(g, "", None).replace('`', "")));
        }
        for unbuilt in form.unbuilt {
            lines.push_str(&format!("\n    // {}", super::unbuilt(unbuilt, form).replace('`', "")));
        }
        if !out.contains(&lines) {
            out.push(lines);
        }
    }
    out
}

/// The forms of an opcode that have some modifiers which are not a complete mnemonic, such as `setp.lt`. `None` if there is
/// no such form.
pub fn with_modifiers(opcode: &'static Opcode, modifiers: &[&str]) -> Option<MarkdownPage> {
    let uses = FormUsage::of(opcode);
    let has = |form: &&Form| modifiers.iter().all(|m| form.slots.iter().any(|s| s.values.contains(m)));
    let mut all: Vec<(&'static Entry, Vec<&'static Form>)> = Vec::new();
    for entry in opcode.entries {
        let forms: Vec<&'static Form> = uses.ranked(entry).into_iter().filter(|f| has(f)).collect();
        if !forms.is_empty() {
            all.push((entry, forms));
        }
    }
    all.sort_by_key(|(entry, _)| (is_gone(entry), Reverse(uses.of_entry(entry))));
    let written: String = modifiers.concat();
    let mut page = MarkdownPage::default();
    for (entry, forms) in all {
        let mut part = MarkdownPage::default();
        part.text(format!("`{}` – {}", entry.name, entry.summary));
        let meaning = |m: &&str| {
            let meaning = meaning_in(entry, m);
            (!meaning.is_empty() && !entry.path.contains(m)).then(|| format!("`{m}` – {meaning}"))
        };
        part.list("", modifiers.iter().filter_map(meaning));
        part.code(&annotated(entry, &forms).join("\n"));
        part.text(format!(
            "The forms of `{}` with `{written}`; `explain {}` has the whole chapter.",
            entry.name, entry.name
        ));
        part.manual(&format!("`{}`", entry.name), entry.manual);
        page.page(part);
    }
    (!page.is_empty()).then_some(page)
}
