//! `unused-bits`: an immediate of which the instruction reads a part.

use crate::codes::Words;
use crate::diagnostic::Diagnostic;
use std::ops::Range;

/// An immediate with more bits than the instruction reads.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct UnusedBits {
    /// The name of the operand in the form, `c`.
    pub operand: &'static str,
    /// The mnemonic as written.
    pub mnemonic: Box<str>,
    /// The immediate as written.
    pub text: Box<str>,
    /// How many of its bits the instruction reads.
    pub bits: u8,
    /// The value of those bits.
    pub kept: u64,
}

impl Words for UnusedBits {
    fn message(&self) -> String {
        let Self { operand, mnemonic, text, bits, kept } = self;
        format!("`{operand}` of `{mnemonic}` has {bits} bits: of `{text}` it reads {kept:#x}")
    }
}

/// The report. `head` is the mnemonic as written, and `highest` the largest value of which the instruction reads all bits.
pub fn report(
    range: Range<usize>,
    text: &str,
    value: i128,
    operand: &'static str,
    head: &str,
    highest: i64,
) -> Diagnostic {
    let bits = (64 - highest.leading_zeros()) as u8;
    let kept = value as u64 & highest.cast_unsigned();
    Diagnostic::new(range, UnusedBits { operand, mnemonic: head.into(), text: text.into(), bits, kept })
}
