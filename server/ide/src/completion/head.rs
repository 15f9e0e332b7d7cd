//! Completion of opcodes and modifiers.

use super::reach::{self, Offer, TargetSupport};
use super::statement::MnemonicAtCursor;
use super::tokens::CompletionTokenKind;
use super::topic::Topic;
use super::usage;
use super::{Item, ItemKind, List};
use ptx_analysis::mnemonic;
use ptx_isa::ISA;
use ptx_isa::tables::{Entry, Opcode};

/// Maximum number of modifiers offered together with a fully typed opcode.
const MODIFIERS_BEHIND: usize = 8;
/// Modifiers whose score is below this share of the best score are left out there.
const RARE: f64 = 0.03;

/// Whether an opcode is legal without modifiers.
pub fn is_whole(opcode: &'static Opcode) -> bool {
    mnemonic::resolve(opcode, &[]).is_some_and(|h| h.mismatch.is_none())
}

impl List<'_, '_> {
    /// Offers all instructions. Those that the module's version or target does not have come last.
    pub(super) fn opcodes(&mut self) {
        let mut found: Vec<(TargetSupport, &'static Entry)> = Vec::new();
        for opcode in ISA.opcodes {
            for entry in opcode.entries {
                let status = reach::instruction(opcode, entry, self.environment);
                // Integer `add` and floating-point `add` are one item.
                match found.iter_mut().rev().take(opcode.entries.len()).find(|(_, e)| e.name == entry.name) {
                    Some(known) if status.rank() < known.0.rank() => *known = (status, entry),
                    Some(_) => {}
                    None => found.push((status, entry)),
                }
            }
        }
        // `mbarrier` is not an instruction, but the names of several instructions begin with it.
        for opcode in ISA.opcodes.iter().filter(|o| o.entries.iter().all(|e| e.name != o.name)) {
            let names: Vec<&str> = opcode.entries.iter().take(4).map(|e| e.name).collect();
            let best = found.iter().filter(|(_, e)| opcode.entries.iter().any(|o| o.name == e.name)).map(|(s, _)| *s);
            let status = best.min_by_key(|s| s.rank()).unwrap_or(TargetSupport::Available);
            let topic = Topic::Opcode(opcode.name.to_owned());
            self.push(Item::new(opcode.name, ItemKind::Opcode).detail(names.join(", ")).topic(topic).status(status));
        }
        for (status, entry) in found {
            let topic = Topic::Opcode(entry.name.to_owned());
            self.push(Item::new(entry.name, ItemKind::Opcode).detail(entry.summary).topic(topic).status(status));
        }
        self.modifiers_behind();
        self.whole_forms();
    }

    /// Offers a fully typed opcode with its likeliest modifiers if it is illegal without one: `ld.global` for `ld`.
    fn modifiers_behind(&mut self) {
        let Some(opcode) = ISA.opcode(&self.place.word).filter(|o| !is_whole(o)) else { return };
        if self.place.after.at(0).starts_with('.') || self.place.replace.end != self.place.offset {
            return;
        }
        // Types are allowed first too, but rarely are.
        let scores = usage::modifiers(opcode.name, &[], &[], &self.history().steps);
        let of = |offer: &Offer| scores.iter().find(|(m, _)| m == offer.value).map_or(0.0, |(_, s)| *s);
        let offers = self.offers(opcode, &[], &[]);
        let least = RARE * offers.iter().map(of).fold(0.0, f64::max);
        let likely = |o: &&Offer| o.status == TargetSupport::Available && of(o) >= least;
        for offer in offers.iter().filter(likely).take(MODIFIERS_BEHIND) {
            let label = format!("{}{}", opcode.name, offer.value);
            if self.items.iter().all(|i| i.label != label) {
                let topic = Topic::Modifier(opcode.name.to_owned(), offer.value.to_owned());
                self.push(Item::new(label, ItemKind::Opcode).detail(meaning(offer)).topic(topic));
            }
        }
    }

    /// Sorts opcodes and directives by how likely they begin the statement.
    pub(super) fn by_use(&mut self) {
        let guarded = self.place.before.at(0) == "@";
        let scores = usage::next(&self.history().steps, guarded);
        // Modifiers after the cursor are strong evidence for the opcode.
        let after = &self.place.after;
        let mut modifiers: Vec<&str> = Vec::new();
        let mut end = 0;
        for (index, token) in after.list.iter().enumerate() {
            if token.kind != CompletionTokenKind::Dot || token.range.start != end {
                break;
            }
            end = token.range.end;
            modifiers.push(after.at(index));
        }
        // Text after the cursor that begins with an opcode or a guard is the next statement.
        let follows = after.len() > 0 && ISA.opcode(after.at(0)).is_none() && after.at(0) != "@";
        let score = |item: &Item| match item.kind {
            ItemKind::Directive if follows && !modifiers.is_empty() => 0.0,
            ItemKind::Directive => usage::score(&scores, &item.label),
            ItemKind::Opcode => {
                let Some(opcode) = ISA.opcode(item.label.split('.').next().unwrap_or("")) else { return 0.0 };
                let likely = usage::score(&scores, opcode.name) + 1e-6;
                match item.label.split_once('.') {
                    None if follows => likely * usage::fits(opcode.name, &modifiers),
                    Some(_) if follows && !modifiers.is_empty() => 0.0,
                    None if opcode.entries.iter().any(|e| e.name == opcode.name) => likely,
                    None => likely * 0.4,
                    Some(_) => likely * usage::share(&item.label),
                }
            }
            _ => 0.0,
        };
        let found: Vec<f64> = self.items.iter().map(score).collect();
        let mut order: Vec<usize> = (0..found.len()).collect();
        let of = |at: &usize| found.get(*at).copied().unwrap_or(0.0);
        order.sort_by(|a, b| of(b).total_cmp(&of(a)));
        self.items = order.into_iter().filter_map(|at| self.items.get(at).cloned()).collect();
    }

    /// Offers the modifiers that can still lead to a legal form.
    pub(super) fn modifiers(&mut self, head: &MnemonicAtCursor) {
        let before = reach::known(head.opcode, &head.modifiers());
        let after: Vec<&str> = head.after.iter().map(String::as_str).collect();
        let after = reach::known(head.opcode, &after);
        for offer in self.offers(head.opcode, &before, &after) {
            self.push(modifier(head.opcode.name, &offer));
        }
    }

    /// The modifiers that are allowed between `before` and `after`, the likeliest first.
    fn offers(&self, opcode: &'static Opcode, before: &[&str], after: &[&str]) -> Vec<Offer> {
        let mut offers = reach::next(opcode, before, after, self.environment);
        let scores = usage::modifiers(opcode.name, before, after, &self.history().steps);
        let score = |o: &Offer| {
            let found = scores.iter().find(|(m, _)| m == o.value).map_or(0.0, |(_, s)| *s);
            if o.canonical { found } else { found * 0.3 }
        };
        offers.sort_by(|a, b| a.status.rank().cmp(&b.status.rank()).then(score(b).total_cmp(&score(a))));
        offers
    }

    /// Offers the modifiers that may follow operand number `operand`.
    pub(super) fn suffixes(&mut self, head: &MnemonicAtCursor, operand: usize) {
        for offer in reach::suffixes(head.opcode, &head.modifiers(), operand, self.environment) {
            self.push(modifier(head.opcode.name, &offer));
        }
    }
}

fn modifier(opcode: &str, offer: &Offer) -> Item {
    let kind = match (ISA.ty(offer.value), ISA.space(offer.value)) {
        (Some(_), _) => ItemKind::Type,
        (_, Some(_)) => ItemKind::Space,
        _ => ItemKind::Modifier,
    };
    let topic = Topic::Modifier(opcode.to_owned(), offer.value.to_owned());
    Item::new(offer.value, kind).detail(meaning(offer)).topic(topic).status(offer.status)
}

/// A short description of a modifier: its meaning in the instruction if the tables have one, otherwise its general meaning.
fn meaning(offer: &Offer) -> String {
    let here = offer.entry.modifiers.iter().find(|m| m.name == offer.value).map(|m| first_sentence(m.doc));
    let general = || ISA.modifier(offer.value).map(|m| m.summary);
    let ty = || ISA.ty(offer.value).map(|t| t.summary);
    let space = || ISA.space(offer.value).map(|s| s.summary);
    here.or_else(ty).or_else(general).or_else(space).unwrap_or("").to_owned()
}

/// The first sentence of a text.
pub fn first_sentence(text: &str) -> &str {
    let line = text.lines().next().unwrap_or("");
    line.find(". ").and_then(|at| line.get(..=at)).unwrap_or(line)
}
