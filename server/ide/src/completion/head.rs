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

/// Maximum number of modifiers offered together with their opcode.
const MODIFIERS_BEHIND: usize = 8;
/// Modifiers whose score is below this share of the best score are left out there.
const RARE: f64 = 0.03;
/// Maximum number of pairs of modifiers, `.sync.aligned`, in a list of modifiers.
const MAX_PAIRS: usize = 24;

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

    /// Offers the opcodes that begin with the typed word and are illegal without a modifier together with their likeliest
    /// modifiers: `ld.global`. The list after another letter has no others, so an editor may filter this one.
    fn modifiers_behind(&mut self) {
        let word = self.place.word.clone();
        if word.is_empty() || !self.is_at_end() {
            return;
        }
        for opcode in opcodes_from(&word).filter(|o| !mnemonic::is_complete(o, &[])) {
            // Types are allowed first too, but rarely are.
            let mut scores = usage::modifiers(opcode.name, &[], &[], &[]);
            scores.sort_by(|(_, a), (_, b)| b.total_cmp(a));
            let mut least = 0.0;
            let mut count = 0;
            for (modifier, score) in &scores {
                if count == MODIFIERS_BEHIND || *score < least {
                    break;
                }
                let Some(offer) = reach::leading(opcode, &[modifier], self.environment) else { continue };
                if count == 0 {
                    least = RARE * score;
                }
                count += 1;
                let label = format!("{}{modifier}", opcode.name);
                if offer.status == TargetSupport::Available && self.items.iter().all(|i| i.label != label) {
                    let topic = Topic::Modifier(opcode.name.to_owned(), modifier.clone());
                    self.push(Item::new(label, ItemKind::Opcode).detail(meaning(&offer)).topic(topic));
                }
            }
        }
    }

    /// Whether the cursor is at the end of its word and of the mnemonic, so that an item may be longer than the word.
    fn is_at_end(&self) -> bool {
        !self.place.after.at(0).starts_with('.') && self.place.replace.end == self.place.offset
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

    /// Offers the modifiers that can still lead to a legal form, then pairs of modifiers and whole instructions that real files have.
    pub(super) fn modifiers(&mut self, head: &MnemonicAtCursor) {
        let opcode = head.opcode;
        let before = reach::known(opcode, &head.modifiers());
        let after: Vec<&str> = head.after.iter().map(String::as_str).collect();
        let after = reach::known(opcode, &after);
        let is_last = self.place.after.len() == 0 && self.is_at_end();
        for offer in self.offers(opcode, &before, &after) {
            let mut item = modifier(opcode.name, &offer);
            let longer: Vec<&str> = before.iter().copied().chain([offer.value]).collect();
            item.goes_on = is_last && !mnemonic::is_complete(opcode, &longer);
            self.push(item);
        }
        if !is_last || before.len() != head.before.len() {
            return;
        }
        let from = self.items.len();
        self.pairs(opcode, &before);
        self.templates_behind(opcode, &before);
        // An incomplete mnemonic without a dot behind it: what may follow, as behind a complete opcode.
        let word = self.place.word.as_str();
        let typed: Vec<&str> = before.iter().copied().chain([word]).collect();
        let goes_on = self.items.iter().any(|i| i.label == word && i.goes_on);
        let begins = |i: &Item| i.label.strip_prefix(word).is_some_and(|rest| rest.starts_with('.'));
        if goes_on && !self.items.iter().skip(from).any(begins) {
            for offer in self.offers(opcode, &typed, &[]).iter().take(MODIFIERS_BEHIND) {
                let item = modifier(opcode.name, offer);
                self.push(Item { label: format!("{word}{}", offer.value), ..item });
            }
        }
    }

    /// Offers two modifiers at once, `.sync.aligned`, where the first does not complete the mnemonic and real files have both.
    fn pairs(&mut self, opcode: &'static Opcode, before: &[&str]) {
        let mut weights: Vec<ModifierPair> = Vec::new();
        let start = before.concat();
        for (mnemonic, weight) in ptx_isa::USAGE.mnemonics(opcode.name) {
            let Some(ending) = mnemonic.strip_prefix(start.as_str()).filter(|e| e.starts_with('.')) else { continue };
            let mut ends = ending.match_indices('.').map(|(at, _)| at).skip(1).chain([ending.len()]);
            let (Some(first), Some(second)) = (ends.next(), ends.next()) else { continue };
            let (Some(first), Some(second)) = (ending.get(..first), ending.get(first..second)) else { continue };
            let is_whole = first.len() + second.len() == ending.len();
            match weights.iter_mut().find(|pair| (pair.first, pair.second) == (first, second)) {
                Some(pair) => (pair.weight, pair.is_whole) = (pair.weight + weight, pair.is_whole || is_whole),
                None => weights.push(ModifierPair { first, second, weight: *weight, is_whole }),
            }
        }
        // What completes the mnemonic is a template.
        weights.retain(|pair| !pair.is_whole);
        weights.sort_by_key(|pair| std::cmp::Reverse(pair.weight));
        let least = weights.first().map_or(0.0, |pair| RARE * f64::from(pair.weight));
        weights.retain(|pair| f64::from(pair.weight) >= least);
        for ModifierPair { first, second, .. } in weights.into_iter().take(MAX_PAIRS) {
            let modifiers: Vec<&str> = before.iter().copied().chain([first, second]).collect();
            if mnemonic::is_complete(opcode, &modifiers) || !self.items.iter().any(|i| i.label == first && i.goes_on) {
                continue;
            }
            let offer = reach::leading(opcode, &modifiers, self.environment);
            if let Some(offer) = offer.filter(|o| o.status == TargetSupport::Available) {
                let item = modifier(opcode.name, &offer);
                self.push(Item { label: format!("{first}{second}"), goes_on: true, ..item });
            }
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

/// Two modifiers in a row, and how often real files have them.
struct ModifierPair {
    first: &'static str,
    second: &'static str,
    weight: u32,
    /// Real files have a mnemonic that ends with them.
    is_whole: bool,
}

/// The opcodes whose names begin with a word.
pub fn opcodes_from(word: &str) -> impl Iterator<Item = &'static Opcode> {
    let first = ISA.opcodes.partition_point(|o| o.name < word);
    ISA.opcodes.iter().skip(first).take_while(move |o| o.name.starts_with(word))
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
