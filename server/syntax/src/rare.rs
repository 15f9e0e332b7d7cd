//! Rare bytes of a text, which a few checks look for. Each chunk remembers whether it has any, so that a keystroke in a large text
//! does not search all of it.

use ropey::Rope;
use std::ops::Range;

/// Which rare bytes a part of a text has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RareBytes {
    /// One that the parser takes for white space or allows in a string, but the assembler does not: see [`is_foreign`].
    pub foreign: bool,
    /// A number sign, with which lines for a preprocessor begin.
    pub number_sign: bool,
}

/// Whether a character that begins with this byte is white space for the parser or allowed in a string, but not for the assembler.
pub fn is_foreign(byte: u8) -> bool {
    byte >= 0x7f || byte == 0x0b || byte == 0
}

/// Whether a text has such a character.
pub fn has_foreign(text: &str) -> bool {
    // Looks at every byte, which the compiler makes vector instructions of.
    text.bytes().fold(false, |found, byte| found | is_foreign(byte))
}

impl RareBytes {
    /// Those in a byte range of a text.
    pub(crate) fn of(rope: &Rope, range: Range<usize>) -> Self {
        let mut out = Self::default();
        for chunk in rope.byte_slice(range).chunks() {
            out.foreign |= has_foreign(chunk);
            out.number_sign |= memchr::memchr(b'#', chunk.as_bytes()).is_some();
        }
        out
    }
}
