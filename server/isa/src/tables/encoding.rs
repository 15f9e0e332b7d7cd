//! The meaning of the bits of a number for an instruction: `encoding` in `docs/dev/isa-format.md`.

use crate::emit::{Emit, table};

table! {
    /// A way to read the bits of an operand.
    struct Encoding {
        /// Its name, by which operands refer to it: `truth-table`.
        name: &'static str,
        /// For a truth table: the operands whose bits are its inputs; else empty.
        table: &'static [&'static str],
        /// For a byte selector: the operands whose bytes it selects; else empty.
        selects: &'static [&'static str],
        /// For each such modifier: the meaning of the lowest bits of the selector.
        patterns: &'static [SelectorPattern],
        /// Its bit fields.
        fields: &'static [BitField],
        /// The meanings of whole numbers.
        values: &'static [EncodedMeaning],
        /// For a count: how much one `unit` counts; 0: it is not a count.
        measure: u32,
        /// The unit of the count, `warp`.
        unit: &'static str,
        /// A one-line summary.
        summary: &'static str,
        /// Anchor in the manual.
        manual: &'static str,
        /// Documentation in Markdown.
        doc: &'static str,
    }

    /// The bytes that the lowest bits of a selector choose if a modifier is written.
    struct SelectorPattern {
        /// The modifier, with its dot.
        modifier: &'static str,
        /// Indexed by the number in the bits: the bytes of the result from the top, one digit each.
        rows: &'static [&'static str],
    }

    /// A bit field of a number.
    struct BitField {
        /// The lowest bit.
        low: u8,
        /// The highest bit.
        high: u8,
        /// The name of the field.
        name: &'static str,
        /// The factor by which the number in the field is multiplied.
        times: u32,
        /// The field exists only with one of these modifiers; empty: always.
        when: &'static [&'static str],
        /// The meanings of the numbers in the field.
        values: &'static [EncodedMeaning],
    }

    /// The meaning of a number in a bit field.
    struct EncodedMeaning {
        /// The number.
        number: u64,
        /// The meaning in words.
        words: &'static str,
    }
}

impl BitField {
    /// The bits of the field in a number.
    pub fn mask(&self) -> u64 {
        let width = u32::from(self.high.saturating_sub(self.low)) + 1;
        u64::MAX.checked_shr(64u32.saturating_sub(width)).unwrap_or(0).checked_shl(self.low.into()).unwrap_or(0)
    }

    /// The value of the field in a number.
    pub fn of(&self, number: u64) -> u64 {
        (number & self.mask()).checked_shr(self.low.into()).unwrap_or(0)
    }

    /// The meaning of a number in the field, if it has one.
    pub fn meaning(&self, number: u64) -> Option<&'static str> {
        self.values.iter().find(|v| v.number == number).map(|v| v.words)
    }
}
