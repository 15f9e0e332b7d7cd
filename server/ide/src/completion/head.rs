//! Opcodes and modifiers.

use super::reach::{self, Offer, Status};
use super::statement::Head;
use super::topic::Topic;
use super::{Item, ItemKind, List};
use ptx_isa::ISA;
use ptx_isa::tables::Entry;

impl List<'_, '_> {
    /// All instructions, those that the module lacks last.
    pub(super) fn opcodes(&mut self) {
        let mut found: Vec<(Status, &'static Entry)> = Vec::new();
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
        for (status, entry) in found {
            let topic = Topic::Opcode(entry.name.to_owned());
            self.push(Item::new(entry.name, ItemKind::Opcode).detail(entry.summary).topic(topic).status(status));
        }
        self.whole_forms();
    }

    /// The modifiers that can still lead to a legal form.
    pub(super) fn modifiers(&mut self, head: &Head) {
        let before = reach::known(head.opcode, &head.modifiers());
        let after: Vec<&str> = head.after.iter().map(String::as_str).collect();
        let after = reach::known(head.opcode, &after);
        for offer in reach::next(head.opcode, &before, &after, self.environment) {
            self.push(modifier(head.opcode.name, &offer));
        }
    }

    /// A modifier behind an operand.
    pub(super) fn suffixes(&mut self, head: &Head, operand: usize) {
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

/// A modifier in a few words: what it means in the instruction, else in general.
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
