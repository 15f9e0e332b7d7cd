//! `truncated-value`: a number that does not fit its type, and that the assembler silently truncates.

use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use std::ops::Range;

/// A number or address that the assembler silently truncates or rounds to an extreme value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum TruncatedValue {
    /// An integer that does not fit its type.
    Integer {
        /// The number as written, shortened.
        text: Box<str>,
        /// The value of the bits that remain.
        kept: u64,
        /// The size of the type in bits.
        bits: u16,
        /// The type.
        ty: &'static str,
    },
    /// A literal of more than 64 bits, as written, shortened.
    Literal(Box<str>),
    /// A floating-point number out of the range of its type.
    Float {
        /// The number as written, shortened.
        text: Box<str>,
        /// The type.
        ty: &'static str,
        /// The value to which the assembler converts it.
        becomes: FloatExtreme,
    },
    /// An address as the value of a type with fewer bits than an address.
    Address {
        /// The variable or function.
        name: Box<str>,
        /// The type.
        ty: &'static str,
    },
}

/// The value of a floating-point number that is out of range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum FloatExtreme {
    /// The number is too large.
    Infinity,
    /// The number is too small.
    Zero,
}

impl DiagnosticMessage for TruncatedValue {
    fn message(&self) -> String {
        match self {
            Self::Integer { text, kept, bits, ty } => {
                format!("`{text}` does not fit into `{ty}`: the assembler keeps {bits} bits of it, {kept:#x}")
            }
            Self::Literal(text) => format!("`{text}` does not fit in 64 bits: the assembler drops the upper bits"),
            Self::Float { text, ty, becomes: FloatExtreme::Infinity } => format!("as `{ty}`, `{text}` is infinity"),
            Self::Float { text, ty, becomes: FloatExtreme::Zero } => format!("as `{ty}`, `{text}` is zero"),
            Self::Address { name, ty } => {
                format!("the address of `{name}` has 64 bits, but `{ty}` keeps only the lower half")
            }
        }
    }

    fn help(&self) -> Option<String> {
        matches!(self, Self::Address { .. }).then(|| "use `.u64`".to_owned())
    }
}

/// The report on an integer that does not fit `bits` bits, neither as a signed nor as an unsigned number.
pub(crate) fn integer(range: Range<usize>, text: &str, value: i128, bits: u16, ty: &'static str) -> Option<Diagnostic> {
    if fits(value, bits) {
        return None;
    }
    let kept = (value as u64) & (u64::MAX >> (64 - bits.min(64)));
    Some(Diagnostic::new(range, TruncatedValue::Integer { text: short(text), kept, bits, ty }))
}

/// The report on a literal of more than 64 bits.
pub(crate) fn literal(range: Range<usize>, text: &str) -> Diagnostic {
    Diagnostic::new(range, TruncatedValue::Literal(short(text)))
}

/// The report on a number for `.f32` that is out of its range: it becomes infinity or zero.
pub(crate) fn float(range: Range<usize>, text: &str, value: f64, ty: &'static str) -> Option<Diagnostic> {
    let kept = value as f32;
    let becomes = match () {
        () if value.is_finite() && kept.is_infinite() => FloatExtreme::Infinity,
        () if value != 0.0 && kept == 0.0 => FloatExtreme::Zero,
        () => return None,
    };
    Some(Diagnostic::new(range, TruncatedValue::Float { text: short(text), ty, becomes }))
}

/// The report on an address as the value of a type with fewer bits than an address.
pub(crate) fn address(range: Range<usize>, name: &str, ty: &'static str) -> Diagnostic {
    Diagnostic::new(range, TruncatedValue::Address { name: name.into(), ty })
}

/// Whether an integer fits `bits` bits, as a signed or an unsigned number. Every integer counts as fitting 64 bits.
pub(crate) fn fits(value: i128, bits: u16) -> bool {
    if bits >= 64 {
        return true;
    }
    // The assembler also reads 0xffffffffffffffff as −1.
    let negative = i128::from((value as u64).cast_signed());
    let lowest = -(1i128 << (bits - 1));
    (lowest..1i128 << bits).contains(&value) || (lowest..0).contains(&negative)
}

fn short(text: &str) -> Box<str> {
    text.chars().take(40).collect::<String>().into()
}

#[cfg(test)]
mod tests {
    use super::fits;
    use crate::Code::TruncatedValue;
    use crate::testing::{in_kernel, in_module, messages};

    #[test]
    fn numbers_that_do_not_fit() {
        let found = |body: &str| messages(&in_kernel(TruncatedValue, body));
        let integer = "`0x1FFFFFFFF` does not fit into `.u32`: the assembler keeps 32 bits of it, 0xffffffff";
        assert_eq!(found("mov.u32 %r0, 0x1FFFFFFFF;"), [integer]);
        let literal = "`0x10000000000000000` does not fit in 64 bits: the assembler drops the upper bits";
        assert_eq!(found("mov.u64 %rd0, 0x10000000000000000;"), [literal]);
        assert_eq!(found("mov.f32 %f0, 1e39;"), ["as `.f32`, `1e39` is infinity"]);
        assert_eq!(found("mov.f32 %f0, 1e-60;"), ["as `.f32`, `1e-60` is zero"]);
        assert!(found("mov.u32 %r0, 0xFFFFFFFF; mov.f32 %f0, 1e38; mov.f64 %fd0, 1e39;").is_empty());
    }

    #[test]
    fn addresses_that_do_not_fit() {
        let module =
            |ty: &str| format!(".version 9.0\n.target sm_90a\n.address_size 64\n.global .u8 a;\n.global {ty} b = a;");
        let found = in_module(TruncatedValue, &module(".u32"));
        assert_eq!(messages(&found), ["the address of `a` has 64 bits, but `.u32` keeps only the lower half"]);
        assert!(in_module(TruncatedValue, &module(".u64")).is_empty());
    }

    #[test]
    fn both_readings_count() {
        for value in [0, 255, -1, -128, i128::from(u64::MAX), i128::from(u64::MAX) - 127] {
            assert!(fits(value, 8), "{value}");
        }
        for value in [256, -129, 0x1_ffff_ffff, i128::from(u64::MAX) - 128, i128::from(i64::MIN)] {
            assert!(!fits(value, 8), "{value}");
        }
        assert!(fits(i128::from(u64::MAX), 64) && fits(i128::from(i64::MIN), 128));
    }
}
