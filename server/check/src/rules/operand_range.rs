//! `operand-range`: an immediate outside of its range, or operands that are not allowed together.

use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use ptx_isa::tables;
use ptx_sema::forms::spec::OperandSpec;
use std::ops::Range;

/// An immediate outside of its range, or operands that are each valid but not together.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum OperandRange {
    /// An immediate outside of its range.
    Immediate {
        /// Its value.
        value: i128,
        /// The name of the operand in the form.
        operand: &'static str,
        /// The opcode with its modifiers, as written.
        mnemonic: Box<str>,
        /// What it is for, as the tables say it.
        meaning: &'static str,
        /// The values that it may have.
        ranges: &'static [tables::Range],
    },
    /// The fraction of `createpolicy.fractional` is out of range; its text.
    Fraction(Box<str>),
    /// The primary size of `createpolicy.range` exceeds the total size.
    PolicySize {
        /// The primary size.
        size: i128,
        /// The total size.
        total: i128,
    },
    /// The signs of the operands of `vmad` are not allowed together.
    Negation {
        /// Whether the instruction has `.po`.
        plus_one: bool,
    },
}

impl DiagnosticMessage for OperandRange {
    fn message(&self) -> String {
        match self {
            Self::Immediate { value, operand, mnemonic, ranges, .. } => {
                let ranges: Vec<String> = ranges.iter().map(values).collect();
                format!("{value} is out of range: `{operand}` of `{mnemonic}` takes {}", ranges.join(", "))
            }
            Self::Fraction(text) => {
                format!("`{text}` is out of range: a fraction is more than 0.0 and at most 1.0")
            }
            Self::PolicySize { size, total } => format!("the primary size {size} exceeds the total size {total}"),
            Self::Negation { plus_one: true } => "with `.po` neither the product nor `c` can be negated".to_owned(),
            Self::Negation { plus_one: false } => "either the product or `c` can be negated, not both".to_owned(),
        }
    }

    fn help(&self) -> Option<String> {
        match self {
            Self::Immediate { operand, meaning, .. } if !meaning.is_empty() => Some(super::meaning(operand, meaning)),
            _ => None,
        }
    }
}

/// The values of a range, for a message.
fn values(range: &tables::Range) -> String {
    let tables::Range { low, high, step } = *range;
    match step {
        _ if low == high => low.to_string(),
        1 => format!("{low} to {high}"),
        _ if high == i64::MAX && low == i64::MIN => format!("a multiple of {step}"),
        _ if high == i64::MAX => format!("a multiple of {step} from {low} on"),
        _ => format!("a multiple of {step} from {low} to {high}"),
    }
}

/// The report on an immediate outside of its range.
pub(crate) fn report(
    range: Range<usize>,
    value: i128,
    spec: &OperandSpec,
    mnemonic: &str,
    entry: &tables::Entry,
) -> Diagnostic {
    let (operand, meaning, ranges) = (spec.value.name, spec.expected(entry.operands).meaning, spec.value.ranges);
    Diagnostic::new(range, OperandRange::Immediate { value, operand, mnemonic: mnemonic.into(), meaning, ranges })
}

#[cfg(test)]
mod tests {
    use crate::Code;
    use crate::testing::{in_kernel, messages};

    fn found(body: &str) -> Vec<String> {
        messages(&in_kernel(Code::OperandRange, body))
    }

    #[test]
    fn immediates_in_their_range() {
        assert_eq!(found("bar.sync 16;"), ["16 is out of range: `a` of `bar.sync` takes 0 to 15"]);
        assert!(found("bar.sync 15;").is_empty());
        // ptxas reads 32 bits of the number.
        assert!(found("bar.sync 4294967296;").is_empty());
        assert_eq!(found("bar.sync 4294967312;"), ["16 is out of range: `a` of `bar.sync` takes 0 to 15"]);
        assert!(in_kernel(Code::TruncatedValue, "bar.sync 4294967296;").len() == 1);
    }

    #[test]
    fn operands_that_go_together() {
        let fraction = "`1.5` is out of range: a fraction is more than 0.0 and at most 1.0";
        assert_eq!(found("createpolicy.fractional.L2::evict_last.b64 %rd1, 1.5;"), [fraction]);
        let size = "the primary size 4096 exceeds the total size 1024";
        assert_eq!(found("createpolicy.range.global.L2::evict_last.b64 %rd1, [%rd2], 4096, 1024;"), [size]);
        let signs = "either the product or `c` can be negated, not both";
        assert_eq!(found("vmad.s32.s32.s32 %r1, -%r2, %r3, -%r4;"), [signs]);
        let plus_one = "with `.po` neither the product nor `c` can be negated";
        assert_eq!(found("vmad.s32.s32.s32.po %r1, %r2, %r3, -%r4;"), [plus_one]);
        assert!(found("vmad.s32.s32.s32 %r1, %r2, %r3, -%r4;").is_empty());
        assert!(found("createpolicy.fractional.L2::evict_last.b64 %rd1, 1.0;").is_empty());
    }
}
