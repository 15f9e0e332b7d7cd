//! Completion by CUDA C++ names: typing the beginning of such a name offers its PTX equivalent.

use super::cuda_names::begun;
use super::reach;
use super::statement::Where;
use super::topic::Topic;
use super::{Item, ItemKind, List};
use ptx_isa::ISA;

/// Letters that must be typed before CUDA C++ names are listed. With fewer letters they would only fill the list.
const MIN_LETTERS: usize = 3;

impl List<'_, '_> {
    /// Lists the PTX equivalents of CUDA C++ names that begin with the typed word. An equivalent is offered if the list
    /// already has it; where an instruction may begin, mnemonics are offered too.
    pub(super) fn cuda(&mut self, place: &Where) {
        let word = self.place.word.clone();
        if word.len() < MIN_LETTERS {
            return;
        }
        let mut found: Vec<Item> = Vec::new();
        let instructions = match place {
            Where::Opcode => true,
            Where::Start => self.items.iter().any(|i| i.kind == ItemKind::Opcode),
            _ => false,
        };
        for name in begun(&word) {
            for spelling in name.spellings() {
                let listed = self.items.iter().find(|i| i.label == spelling && i.filter.is_none()).cloned();
                let item = listed.or_else(|| if instructions { self.instruction(spelling) } else { None });
                let Some(mut item) = item else { continue };
                let words = if name.words.is_empty() { String::new() } else { format!(": {}", name.words) };
                item = item.detail(format!("{} in CUDA{words}", name.name));
                item.filter = Some(name.name.to_owned());
                found.push(item);
            }
        }
        // The equivalents come first unless a listed item begins with the typed word.
        let same = |label: &str| label.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(&word));
        let at = if self.items.iter().any(|i| same(&i.label)) { self.items.len() } else { 0 };
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
