//! Completion by CUDA C++ names: typing the beginning of such a name offers its PTX equivalent.

use super::cuda_names::begun;
use super::reach;
use super::statement::Where;
use super::topic::Topic;
use super::{Item, ItemKind, List};
use ptx_isa::ISA;
use std::collections::HashMap;

/// Maximum number of CUDA C++ names in a list where a statement may begin. Most begin with two underscores, and many with `cuda`.
const MAX_NAMES: usize = 60;

impl List<'_, '_> {
    /// Lists the PTX equivalents of CUDA C++ names that begin with the typed word. An equivalent is offered if the list
    /// already has it; where an instruction may begin, mnemonics are offered too.
    pub(super) fn cuda(&mut self, place: &Where) {
        let word = self.place.word.clone();
        let mut found: Vec<Item> = Vec::new();
        let instructions = match place {
            Where::Opcode => true,
            Where::Start => self.items.iter().any(|i| i.kind == ItemKind::Opcode),
            _ => false,
        };
        let begins_with_word =
            |label: &str| label.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(&word));
        let begins = matches!(place, Where::Opcode | Where::Start);
        let has_others = self.items.iter().any(|i| begins_with_word(&i.label));
        let limit = match place {
            Where::Operand(_) => usize::MAX,
            // Without a word every name would be listed. Too many names would hide what else begins with the word.
            _ if word.is_empty() || (has_others && begun(&word).nth(MAX_NAMES).is_some()) => 0,
            _ => MAX_NAMES,
        };
        self.holds_back = begins && begun(&word).nth(limit).is_some();
        let listed: HashMap<&str, usize> = self
            .items
            .iter()
            .enumerate()
            .filter(|(_, i)| i.filter.is_none())
            .map(|(at, i)| (i.label.as_str(), at))
            .collect();
        for name in begun(&word).take(limit) {
            for spelling in name.spellings() {
                let equivalent = listed.get(spelling).and_then(|at| self.items.get(*at)).cloned();
                let item = equivalent.or_else(|| if instructions { self.instruction(spelling) } else { None });
                let Some(mut item) = item else { continue };
                let words = if name.words.is_empty() { String::new() } else { format!(": {}", name.words) };
                item = item.detail(format!("{} in CUDA{words}", name.name));
                item.filter = Some(name.name.to_owned());
                // Neovim filters other items by the text that they insert.
                item.snippet = self.options.snippets;
                found.push(item);
            }
        }
        // The equivalents come first unless a listed item begins with the typed word.
        let at = if has_others { self.items.len() } else { 0 };
        self.items.splice(at..at, found);
    }

    /// The item of a mnemonic. `spelling` may include operands.
    fn instruction(&self, spelling: &str) -> Option<Item> {
        let mnemonic = spelling.split_whitespace().next()?;
        let mut words = mnemonic.split('.');
        let opcode = ISA.opcode(words.next()?)?;
        let modifiers: Vec<String> = words.map(|m| format!(".{m}")).collect();
        let modifiers: Vec<&str> = modifiers.iter().map(String::as_str).collect();
        let item = Item::new(spelling, ItemKind::Opcode).topic(Topic::Opcode(opcode.name.to_owned()));
        Some(item.status(reach::of_head(opcode, &modifiers, self.environment)))
    }
}
