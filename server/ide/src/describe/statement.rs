//! The page about a statement with a known form, on one screen: its result, its operands, its modifiers, and the relevant
//! passages of the documentation. Everything else is in the chapter that `explain` shows.

use super::form::{lines, pretty};
use super::gates::{always, gate, is_bound, lacks};
use super::instruction::{Chosen, distinct, entry_of, meaning_in};
use super::page::{Explained, MarkdownPage};
use super::relevance::{Words, sentences};
use super::signature::signature;
use ptx_analysis::spec::applies;
use ptx_analysis::{Environment, Mnemonic, MnemonicMismatch, OperandPattern, OperandSpec, OperandVariant};
use ptx_isa::ISA;
use ptx_isa::tables::{Entry, Gate, GateKind, Opcode, Passage};

/// Maximum number of lines of a hover on an ordinary instruction.
const MAX_LINES: usize = 25;
/// Maximum number of lines of a hover on a matrix instruction.
const MAX_MATRIX_LINES: usize = 40;
/// Maximum number of forms that are listed for an incomplete mnemonic.
const MAX_FORMS: usize = 5;
/// Maximum length in characters of a signature. A longer one is reduced to the part that the instruction uses.
const MAX_SIGNATURE: usize = 96;
/// Maximum length in characters of a modifier's explanation.
const MAX_MEANING: usize = 90;

/// The operands of a particular instruction.
#[derive(Debug, Default)]
pub struct Written<'i> {
    /// The operands: name in the form, and text in the source.
    pub operands: &'i [(&'i str, &'i str)],
    /// The matrix elements that an operand holds, by the operand's name.
    pub lanes: &'i [(&'static str, String)],
    /// The meaning of its literals, if they are more than plain numbers.
    pub decoded: MarkdownPage,
    /// That the assembler does not build it, and why.
    pub unbuilt: Option<String>,
}

/// Maximum number of lines of a hover in an instruction with this opcode.
pub fn max_lines(opcode: &str) -> usize {
    if ISA.has_fragments(opcode) { MAX_MATRIX_LINES } else { MAX_LINES }
}

/// The page about an instruction with a known form.
pub fn statement(
    opcode: &'static Opcode,
    head: &Mnemonic,
    chosen: Chosen<'_>,
    written: Written<'_>,
    environment: &Environment,
) -> MarkdownPage {
    let Chosen { candidate, variant } = chosen;
    let form = candidate.form;
    let entry = entry_of(opcode, form).unwrap_or(head.entry);
    let is_written = |name: &str| match name.starts_with('.') {
        true => candidate.values.contains(&Some(name)) || entry.path.contains(&name),
        false => variant.names.contains(&name),
    };
    // An implied modifier counts as written.
    let implied = |name: &str| {
        form.implied.iter().any(|i| {
            i.value == name
                && candidate.values.get(usize::from(i.slot)).is_some_and(Option::is_none)
                && applies(i.when, &candidate.values, variant)
        })
    };
    let has = |name: &str| is_written(name) || implied(name);
    let known = |name: &str| is_modifier(opcode, name);
    let words = Words { has: &has, known: &known };
    let about = |passage: &&Passage| passage.applies(is_written);
    let specialised = |passage: &Passage| match passage.when {
        [] => words.part(passage.text),
        _ => passage.text.to_owned(),
    };

    let mut page = MarkdownPage::default();
    let mut shown = signature(opcode.name, candidate, variant);
    if shown.chars().count() > MAX_SIGNATURE {
        shown = super::form::resolved(opcode.name, candidate);
    }
    let result = result(entry, is_written, written.operands);
    if let Some(result) = &result {
        shown.push('\n');
        shown.push_str(result);
    }
    page.code(&shown);
    page.text(written.unbuilt.unwrap_or_default());
    page.text(entry.summary);
    page.append(written.decoded);
    let operands = lines(
        variant,
        |spec| {
            let note = entry.operands.iter().find(|o| o.name == spec.value.name).map(|o| words.clauses(o.doc));
            let lanes = written.lanes.iter().find(|(name, _)| *name == spec.value.name);
            let note = lanes.map(|(_, text)| text.clone()).or(note).filter(|n| !n.is_empty());
            super::form::with_note(note.as_deref(), &super::operand(&in_space(spec, &candidate.values)))
        },
        written.operands,
    );
    page.list("", operands);
    let mut modifiers = Vec::new();
    for (slot, value) in form.slots.iter().zip(&candidate.values) {
        let Some(value) = value.filter(|v| !entry.path.contains(v) && !names_space(variant, v)) else { continue };
        // A type needs no explanation, unless the instruction gives it a special meaning.
        if slot.is_type && !entry.modifiers.iter().any(|m| m.name == value) {
            continue;
        }
        let meaning = first(&words.clauses(&meaning_in(entry, value)));
        if !meaning.is_empty() {
            modifiers.push(format!("`{value}` – {meaning}"));
        }
    }
    page.list("", modifiers);
    let here = |g: &Gate| !always(g) && applies(g.when, &candidate.values, variant);
    page.text(strongest(form.gates, here, environment).unwrap_or_default());
    // The operands already describe the lanes of this form. The description of the lanes of all forms is left to the
    // chapter.
    let of_all = |p: &&Passage| !written.lanes.is_empty() && p.when.is_empty() && is_block(p.text);
    let mut passages: Vec<String> = entry.doc.iter().filter(about).filter(|p| !of_all(p)).map(specialised).collect();
    passages.retain(|text| !text.trim().is_empty());
    for (at, text) in passages.iter().enumerate() {
        let followed = passages.get(at + 1).is_some_and(|next| is_block(next) || next.starts_with("- "));
        page.text(self_contained(text, result.is_some(), followed));
    }
    let notes = entry.notes.iter().filter(about).map(specialised).filter(|n| !n.is_empty());
    page.list("", notes);
    finish(&mut page, opcode, entry, 1);
    page
}

/// A paragraph without a formula that repeats the result above, and without the announcement of a block that is not shown.
fn self_contained(text: &str, has_result: bool, followed: bool) -> String {
    let is_list = text.starts_with("- ");
    if is_block(text) || is_list {
        return text.to_owned();
    }
    let mut all = sentences(text);
    if has_result && all.first().is_some_and(|s| is_formula(s)) {
        all.remove(0);
    }
    if !followed {
        all.pop_if(|last| last.ends_with(':'));
    }
    all.join(" ")
}

/// Whether a sentence is only a formula: `` `d = a + b`. ``.
fn is_formula(sentence: &str) -> bool {
    let inside = sentence.strip_prefix('`').and_then(|s| s.strip_suffix("`."));
    inside.is_some_and(|s| s.contains(" = ") && !s.contains('`'))
}

/// The spec of an address, restricted to the state space in the mnemonic.
fn in_space(spec: &OperandSpec, values: &[Option<&'static str>]) -> OperandSpec {
    let written = |spaces: &&'static [&'static str]| spaces.iter().position(|s| values.contains(&Some(*s)));
    let spaces = spec.spaces.map(|all| written(&all).and_then(|at| all.get(at..=at)).unwrap_or(all));
    OperandSpec { spaces, ..*spec }
}

/// Whether a modifier names the state space of an address. The description of the address already includes it.
fn names_space(variant: &OperandVariant, value: &str) -> bool {
    variant.operands.iter().any(|(_, shape)| match shape {
        OperandPattern::Address(parts) => parts.iter().any(|spec| spec.spaces.is_some_and(|all| all.contains(&value))),
        _ => false,
    })
}

/// Whether a passage is code or a table.
fn is_block(text: &str) -> bool {
    text.starts_with("```") || text.starts_with('|')
}

/// Whether a word is a modifier or a type of some form of an opcode.
fn is_modifier(opcode: &Opcode, name: &str) -> bool {
    let slots = || opcode.entries.iter().flat_map(|e| e.forms).flat_map(|f| f.slots);
    name.starts_with('.') && slots().any(|s| s.values.contains(&name))
}

/// The result of a statement in terms of its operands: `%f1 = %f2 * %f3 + %f4`.
fn result(entry: &Entry, is_written: impl Fn(&str) -> bool, operands: &[(&str, &str)]) -> Option<String> {
    let filled = |passage: &Passage| {
        let mut out = String::new();
        let mut rest = passage.text;
        while let Some((before, after)) = rest.split_once('{') {
            let (name, after) = after.split_once('}')?;
            out.push_str(before);
            out.push_str(operands.iter().find(|(known, _)| *known == name)?.1);
            rest = after;
        }
        out.push_str(rest);
        Some(out)
    };
    entry.results.iter().filter(|p| p.applies(&is_written)).find_map(filled).filter(|text| !text.contains('`'))
}

/// The most important gate: one that the module does not meet, or else a deprecation, or else the restriction to one
/// architecture.
fn strongest(gates: &'static [Gate], applies: impl Fn(&Gate) -> bool, environment: &Environment) -> Option<String> {
    let lacking = gates.iter().filter(|g| applies(g)).filter(|g| lacks(environment, g));
    let least = |g: &&Gate| g.alternatives.iter().filter_map(|a| a.ptx).min();
    let found = lacking.max_by_key(least).or_else(|| {
        gates.iter().find(|g| g.kind == GateKind::Deprecated && applies(g) && is_deprecated(g, environment))
    });
    if let Some(found) = found {
        return Some(format!("{}.", gate(found, "", Some(environment))));
    }
    let bound = gates.iter().find(|g| g.kind == GateKind::Needs && is_bound(g) && applies(g))?;
    Some(format!("{}.", gate(bound, "", None)))
}

fn is_deprecated(gate: &'static Gate, environment: &Environment) -> bool {
    environment.deprecated(std::slice::from_ref(gate), |_| true).is_some()
}

/// The first sentences of a text that fit on a line.
fn first(text: &str) -> String {
    let paragraph = text.split("\n\n").next().unwrap_or("");
    let line = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut end = line.len();
    for (at, _) in line.match_indices(". ") {
        if end == line.len() || line.get(..at).is_some_and(|l| l.chars().count() <= MAX_MEANING) {
            end = at;
        }
    }
    if line.chars().count() <= MAX_MEANING {
        end = line.len();
    }
    line.get(..end).unwrap_or("").trim_end_matches('.').to_owned()
}

/// Adds the links at the end of a page that shows `shown` forms of an instruction, and cuts the page to its maximum height.
fn finish(page: &mut MarkdownPage, opcode: &'static Opcode, entry: &'static Entry, shown: usize) {
    let all = distinct(opcode.entries.iter().filter(|e| e.name == entry.name).flat_map(|e| e.forms)).len();
    let title = match all.saturating_sub(shown) {
        0 => "The whole chapter".to_owned(),
        1 => "1 other form".to_owned(),
        n => format!("{n} other forms"),
    };
    let mut tail = MarkdownPage::default();
    tail.manual(&format!("`{}`", entry.name), entry.manual);
    page.fit(max_lines(opcode.name), tail, Some(Explained { title, query: entry.name.to_owned() }));
}

/// The page about an instruction whose modifiers are incomplete or fit no form: the forms that are still possible.
pub fn reachable(
    opcode: &'static Opcode,
    modifiers: &[&str],
    nearest: Option<(&Mnemonic, &MnemonicMismatch)>,
) -> MarkdownPage {
    let mut page = MarkdownPage::default();
    let takes = |form: &&'static ptx_isa::tables::Form| {
        modifiers.iter().all(|m| form.slots.iter().any(|s| s.values.contains(m)))
    };
    let all: Vec<_> = opcode.entries.iter().flat_map(|e| e.forms.iter().map(move |f| (e, f))).collect();
    let mut fitting: Vec<_> = all.iter().copied().filter(|(_, f)| takes(f)).collect();
    let written: String = std::iter::once(opcode.name).chain(modifiers.iter().copied()).collect();
    let entry = match (fitting.first(), nearest) {
        (Some((entry, _)), _) => *entry,
        (None, Some((head, mismatch))) => {
            page.text(format!("No form of `{}` has these modifiers; the nearest is", opcode.name));
            page.code(&pretty(mismatch.form));
            let entry = entry_of(opcode, mismatch.form).unwrap_or(head.entry);
            page.text(entry.summary);
            finish(&mut page, opcode, entry, 1);
            return page;
        }
        (None, None) => match opcode.entries.first() {
            Some(entry) => {
                fitting.clone_from(&all);
                entry
            }
            None => return page,
        },
    };
    let mut seen: Vec<&str> = Vec::new();
    for (entry, _) in &fitting {
        if !seen.contains(&entry.summary) {
            seen.push(entry.summary);
        }
    }
    let forms = distinct(fitting.iter().map(|(_, f)| *f));
    let mut text = forms.iter().take(MAX_FORMS).cloned().collect::<Vec<_>>();
    if forms.len() > MAX_FORMS {
        text.push(format!("// and {} more with {written}", forms.len() - MAX_FORMS));
    }
    if !entry.checked {
        text = vec![entry.name.to_owned()];
    }
    page.code(&text.join("\n"));
    match seen.as_slice() {
        [one] => {
            page.text(*one);
            if opcode.entries.len() == 1 {
                let about = |p: &&Passage| p.when.is_empty() && modifiers.is_empty();
                entry.doc.iter().filter(about).for_each(|p| page.text(p.text));
            }
        }
        many => page.list("", many.iter().take(MAX_FORMS)),
    }
    finish(&mut page, opcode, entry, forms.len().min(MAX_FORMS));
    page
}
