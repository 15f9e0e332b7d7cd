//! Numbers in another notation.

use ptx_analysis::literal;

/// An integer as floating-point literals: its value or, if it is hexadecimal, the number with those bits.
pub fn float_of(text: &str) -> Vec<String> {
    let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")).map(|h| h.trim_end_matches(['U', 'u']));
    match hex {
        Some(hex) if hex.len() == 8 => vec![format!("0f{hex}")],
        Some(hex) if hex.len() == 16 => vec![format!("0d{hex}")],
        // A digit too many or too few: which bits are meant is open, but not its value.
        Some(hex) if hex.len() > 2 => Vec::new(),
        _ => {
            let (sign, digits) = text.strip_prefix('-').map_or(("", text), |d| ("-", d.trim_start()));
            literal::integer(digits).map(|value| format!("{sign}{value}.0")).into_iter().collect()
        }
    }
}

/// The bits of a floating-point literal for a register of a size, if that has the number: a 16-bit one in both formats.
pub fn bits_of(text: &str, bits: u16) -> Vec<String> {
    let (sign, digits) = text.strip_prefix('-').map_or((1.0, text), |d| (-1.0, d.trim_start()));
    let Some(value) = literal::float(digits).map(|value| sign * value) else { return Vec::new() };
    let single = value as f32;
    let pattern = single.to_bits();
    match bits {
        32 => vec![format!("0f{pattern:08X}")],
        16 if f64::from(single) == value => half_bits(pattern).into_iter().chain(brain_bits(pattern)).collect(),
        _ => Vec::new(),
    }
}

/// A `.f32` as `.f16`, if it is the same normal number.
fn half_bits(pattern: u32) -> Option<String> {
    let exponent = i64::from(pattern >> 23 & 0xff) - 127;
    let exact = pattern & 0x1fff == 0 && (-14..=15).contains(&exponent);
    let biased = u32::try_from(exponent + 15).ok()?;
    exact.then(|| format!("0x{:04X}", (pattern >> 16 & 0x8000) | biased << 10 | (pattern >> 13 & 0x3ff)))
}

/// A `.f32` as `.bf16`, if it is the same number.
fn brain_bits(pattern: u32) -> Option<String> {
    (pattern & 0xffff == 0).then(|| format!("0x{:04X}", pattern >> 16))
}

/// A floating-point literal as an integer, if its value is integral.
pub fn integer_of(text: &str) -> Option<String> {
    let (sign, digits) = text.strip_prefix('-').map_or(("", text), |d| ("-", d.trim_start()));
    let value = literal::float(digits)?;
    // Below this limit every integer is exact.
    (value as i64 as f64 == value && value.abs() < 9.0e15).then(|| format!("{sign}{}", value as i64))
}
