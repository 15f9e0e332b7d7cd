//! What the bits of a number mean to an instruction: `encoding` in `docs/dev/isa-format.md`.

use crate::emit::{Emit, table};

table! {
    /// A way to read the bits of an operand.
    struct Encoding {
        /// `truth-table`; operands refer to it by this name.
        name: &'static str,
        /// The operands of whose bits it is the truth table; empty if it is none.
        table: &'static [&'static str],
        /// The operands whose bytes it selects; empty if it does not.
        selects: &'static [&'static str],
        /// For a modifier, what the lowest bits select instead.
        patterns: &'static [SelectorPattern],
        /// Its parts.
        fields: &'static [BitField],
        /// What whole numbers stand for.
        values: &'static [EncodedMeaning],
        /// It counts so many of something for each `unit`; 0: it is no number of that kind.
        measure: u32,
        /// `warp`.
        unit: &'static str,
        /// One line.
        summary: &'static str,
        /// Anchor in the manual.
        manual: &'static str,
        /// Markdown.
        doc: &'static str,
    }

    /// What the lowest bits of a selector choose where a modifier is written.
    struct SelectorPattern {
        /// With its dot.
        modifier: &'static str,
        /// For each number the bytes of the result from the top, a digit each.
        rows: &'static [&'static str],
    }

    /// Some bits of a number.
    struct BitField {
        /// The lowest bit.
        low: u8,
        /// The highest bit.
        high: u8,
        /// What they are.
        name: &'static str,
        /// What the number in them is to be multiplied with.
        times: u32,
        /// Only with one of these modifiers; empty: always.
        when: &'static [&'static str],
        /// What numbers in them stand for.
        values: &'static [EncodedMeaning],
    }

    /// The meaning of a number in a bit field.
    struct EncodedMeaning {
        /// The number.
        number: u64,
        /// In words.
        words: &'static str,
    }
}

impl BitField {
    /// The bits in a number.
    pub fn of(&self, number: u64) -> u64 {
        let width = u32::from(self.high.saturating_sub(self.low)) + 1;
        let mask = u64::MAX.checked_shr(64u32.saturating_sub(width)).unwrap_or(0);
        number.checked_shr(self.low.into()).unwrap_or(0) & mask
    }

    /// What a number in them stands for.
    pub fn meaning(&self, number: u64) -> Option<&'static str> {
        self.values.iter().find(|v| v.number == number).map(|v| v.words)
    }
}
