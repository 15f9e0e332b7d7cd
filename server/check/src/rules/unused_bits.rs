//! `unused-bits`: an immediate of which the instruction reads only the lower bits.

use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use std::ops::Range;

/// An immediate with more bits than the instruction reads.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct UnusedBits {
    /// The name of the operand in the form, such as `c`.
    pub operand: &'static str,
    /// The mnemonic as written.
    pub mnemonic: Box<str>,
    /// The immediate as written.
    pub text: Box<str>,
    /// The number of lower bits that the instruction reads.
    pub bits: u8,
    /// The value of those bits.
    pub kept: u64,
}

impl DiagnosticMessage for UnusedBits {
    fn message(&self) -> String {
        let Self { operand, mnemonic, text, bits, kept } = self;
        format!("`{operand}` of `{mnemonic}` has {bits} bits: `{text}` counts as {kept:#x}")
    }
}

/// The report. `mnemonic` is the mnemonic as written. `highest` is the largest value that the instruction reads completely.
pub(crate) fn report(
    range: Range<usize>,
    text: &str,
    value: i128,
    operand: &'static str,
    mnemonic: &str,
    highest: i64,
) -> Diagnostic {
    let bits = (64 - highest.leading_zeros()) as u8;
    let kept = value as u64 & highest.cast_unsigned();
    Diagnostic::new(range, UnusedBits { operand, mnemonic: mnemonic.into(), text: text.into(), bits, kept })
}

#[cfg(test)]
mod tests {
    use crate::Code::UnusedBits;
    use crate::testing::{in_kernel, messages};

    #[test]
    fn immediates_with_too_many_bits() {
        let found = in_kernel(UnusedBits, "lop3.b32 %r0, %r1, %r1, %r1, 0x1E8;");
        assert_eq!(messages(&found), ["`lut` of `lop3.b32` has 8 bits: `0x1E8` counts as 0xe8"]);
        assert!(in_kernel(UnusedBits, "lop3.b32 %r0, %r1, %r1, %r1, 0xE8;").is_empty());
        let found = in_kernel(UnusedBits, "prmt.b32 %r0, %r1, %r1, 0x17654;");
        assert_eq!(messages(&found), ["`c` of `prmt.b32` has 16 bits: `0x17654` counts as 0x7654"]);
    }
}
