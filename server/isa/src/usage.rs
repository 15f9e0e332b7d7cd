//! Look-up of word frequencies in real files (`data/usage.tsv`, docs/dev/usage.md): used to rank suggestions, never to decide
//! validity.

use crate::tables::{Cuda, Suggested, UsageTable, Weights};

impl Cuda {
    /// Its spellings in PTX: mnemonics, special registers and directives, possibly with operands. None if PTX has nothing like it.
    pub fn spellings(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.ptx.split(" / ").filter(|spelling| !["", "-"].contains(spelling))
    }

    /// Whether nothing stands in its place in PTX.
    pub fn is_left_out(&self) -> bool {
        self.ptx.is_empty()
    }

    /// The first words of its spellings, for which the tables have documentation.
    pub fn words_of_ptx(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.spellings().filter_map(|s| s.split_whitespace().next())
    }
}

/// Whether a mnemonic, `shfl.sync.down.b32`, begins with the name of an instruction.
fn begins_with(mnemonic: &str, instruction: &str) -> bool {
    mnemonic.strip_prefix(instruction).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

impl Suggested {
    /// Whether it is about an instruction with this mnemonic and these modifiers.
    pub fn is_of(&self, mnemonic: &str, modifiers: &[&str]) -> bool {
        (self.instruction == "*" || begins_with(mnemonic, self.instruction))
            && (self.with.is_empty() || modifiers.contains(&self.with))
    }
}

impl UsageTable {
    /// The words that follow a context of this kind, with their weights; empty if none was counted.
    pub fn after(&self, kind: &str, context: &str) -> Weights {
        let found = self.contexts.binary_search_by(|(k, c, _)| (*k, *c).cmp(&(kind, context)));
        found.ok().and_then(|at| self.contexts.get(at)).map_or(&[], |(_, _, words)| words)
    }

    /// The mnemonics of an opcode, as dots and modifiers, with their weights: `.global.f32`.
    pub fn mnemonics(&self, opcode: &str) -> Weights {
        self.after("mnemonic", opcode)
    }
}
