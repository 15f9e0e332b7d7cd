//! `truncated-value`: a number that does not fit, of which the assembler keeps a part without a word.

use crate::check::codes::Code;
use crate::check::diagnostic::Diagnostic;
use std::ops::Range;

const CODE: Code = Code::TruncatedValue;

/// An integer for so many bits, read as signed or unsigned, whichever fits.
pub fn integer(range: Range<usize>, text: &str, value: i128, bits: u16, ty: &str) -> Option<Diagnostic> {
    if fits(value, bits) {
        return None;
    }
    let kept = (value as u64) & (u64::MAX >> (64 - bits.min(64)));
    let message = format!("`{}` does not fit `{ty}`: the assembler keeps {bits} bits of it, {kept:#x}", short(text));
    Some(Diagnostic::warning(CODE, range, message))
}

/// A literal of more than 64 bits.
pub fn literal(range: Range<usize>, text: &str) -> Diagnostic {
    Diagnostic::warning(
        CODE,
        range,
        format!("`{}` does not fit 64 bits: the assembler drops the upper ones", short(text)),
    )
}

/// A number for `.f32` that only `.f64` can hold.
pub fn float(range: Range<usize>, text: &str, value: f64, ty: &str) -> Option<Diagnostic> {
    let kept = value as f32;
    let becomes = match () {
        () if value.is_finite() && kept.is_infinite() => "infinity",
        () if value != 0.0 && kept == 0.0 => "zero",
        () => return None,
    };
    Some(Diagnostic::warning(CODE, range, format!("as `{ty}`, `{}` is {becomes}", short(text))))
}

/// An address for fewer bits than addresses have.
pub fn address(range: Range<usize>, name: &str, ty: &str) -> Diagnostic {
    Diagnostic::warning(CODE, range, format!("the address of `{name}` has 64 bits, and `{ty}` keeps the lower half"))
        .with_help("use `.u64`")
}

/// Whether an integer of 64 bits is, signed or unsigned, one of so many bits.
pub fn fits(value: i128, bits: u16) -> bool {
    if bits >= 64 {
        return true;
    }
    // As the assembler sees it, 0xffffffffffffffff is −1 too.
    let negative = i128::from((value as u64).cast_signed());
    let lowest = -(1i128 << (bits - 1));
    (lowest..1i128 << bits).contains(&value) || (lowest..0).contains(&negative)
}

fn short(text: &str) -> String {
    text.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::fits;

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
