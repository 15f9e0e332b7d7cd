//! Elements as text. Whole floating-point numbers are exact, others have the fewest digits that mean the same bits in their own format.

use super::element::{ElementFormat, ElementKind, Float};
use super::number::{Number, float_text};
use crate::values::convert::Narrow;

/// From this power of ten on, and below the other one, a number has an exponent: zeros would only fill the line.
const EXPONENTS: std::ops::Range<i32> = -5..10;

/// The greatest whole number that is written with all its digits.
const MAX_WHOLE: f64 = 1e10;

impl ElementFormat {
    /// An element as text for users: numbers in decimal, untyped bits in hexadecimal. A NaN is `nan` if it is one that arithmetic makes; another
    /// has its sign and payload (`-nan:1`), and an `s` if it is signalling (`snan:1`).
    pub fn text(self, bits: u128) -> String {
        match self.kind() {
            ElementKind::Bits => format!("{bits:#0width$x}", width = self.bits() as usize / 4 + 2),
            ElementKind::Integer { signed: false } => bits.to_string(),
            ElementKind::Integer { signed: true } => self.sign_extended(bits).to_string(),
            ElementKind::Float(float) if self.is_nan(bits) => nan_text(float, bits >> self.padding()),
            ElementKind::Float(_) => match self.value(bits) {
                value if value.is_finite() => decimal(self, value),
                value => float_text(value),
            },
        }
    }
}

fn nan_text(float: Float, bits: u128) -> String {
    // Formats without infinity have one NaN.
    let fraction_bits = match float {
        Float::Layout(layout) => layout.fraction_bits,
        Float::Narrow(Narrow::E5m2) => 2,
        Float::Narrow(_) => return "nan".to_owned(),
    };
    let payload_mask = (1 << (fraction_bits - 1)) - 1;
    let (payload, is_quiet) = (bits & payload_mask, bits >> (fraction_bits - 1) & 1 != 0);
    if is_quiet && (payload == 0 || payload == payload_mask) {
        return "nan".to_owned();
    }
    let exponent_bits = match float {
        Float::Layout(layout) => layout.exponent_bits,
        Float::Narrow(_) => 5,
    };
    let sign = if bits >> (fraction_bits + exponent_bits) & 1 != 0 { "-" } else { "" };
    format!("{sign}{}nan:{payload:x}", if is_quiet { "" } else { "s" })
}

/// A finite number as text: a whole number exactly (`448.0`), another in the fewest digits that a reader of its format rounds to it: `0.1`,
/// `6.1e-5`.
fn decimal(format: ElementFormat, value: f64) -> String {
    if value.abs() < MAX_WHOLE && value == (value as i64) as f64 {
        // Zero has a sign.
        return format!("{value:.1}");
    }
    let scientific = match format.name() {
        "f64" => format!("{value:e}"),
        "f32" => format!("{:e}", value as f32),
        _ => few_digits(format, value),
    };
    plain(&scientific)
}

/// The same for the smaller formats, with an exponent: of ever more digits the first that mean the number.
fn few_digits(format: ElementFormat, value: f64) -> String {
    let code = |number: f64| Number::Float(number).encode(format).ok();
    let own = code(value);
    let is_own = |text: &str| text.parse().is_ok_and(|number: f64| code(number) == own);
    for digits in 0..17 {
        let text = format!("{value:.digits$e}");
        if is_own(&text) {
            return text;
        }
        // Above a power of two numbers lie twice as far apart as below, so the next decimal above may be one of its even if the nearest,
        // which is below, is not.
        if let Some(above) = next_decimal(&text).filter(|above| is_own(above)) {
            return above;
        }
    }
    format!("{value:e}")
}

/// The next decimal away from zero with as many digits: `1.24e-7` after `1.23e-7`.
fn next_decimal(scientific: &str) -> Option<String> {
    let (digits, exponent) = scientific.split_once('e')?;
    let places = digits.split_once('.').map_or(0, |(_, fraction)| fraction.len() as i32);
    let number: i64 = digits.replace('.', "").parse().ok()?;
    let next = number + if scientific.starts_with('-') { -1 } else { 1 };
    let exponent: i32 = exponent.parse().ok()?;
    // Through a number, so that its digits begin with the first that is not zero.
    let value: f64 = format!("{next}e{}", exponent - places).parse().ok()?;
    Some(format!("{value:e}"))
}

/// Writes a number with an exponent without one where that is short. At least one digit follows the point.
fn plain(scientific: &str) -> String {
    let Some((digits, exponent)) = scientific.split_once('e') else { return scientific.to_owned() };
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits), |digits| ("-", digits));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let fraction = fraction.trim_end_matches('0');
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if !EXPONENTS.contains(&exponent) {
        let point = if fraction.is_empty() { "" } else { "." };
        return format!("{sign}{whole}{point}{fraction}e{exponent}");
    }
    let all = format!("{whole}{fraction}");
    match usize::try_from(exponent) {
        Ok(exponent) => {
            let padded = format!("{all:0<width$}", width = exponent + 2);
            let (whole, fraction) = padded.split_at(exponent + 1);
            format!("{sign}{whole}.{fraction}")
        }
        Err(_) => format!("{sign}0.{}{all}", "0".repeat(exponent.unsigned_abs() as usize - 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::ElementFormat;

    fn text(format: &str, bits: u128) -> String {
        ElementFormat::named(format).unwrap().text(bits)
    }

    #[test]
    fn digits_of_the_own_format() {
        assert_eq!(text("f32", 0x4b18_9680), "10000000.0");
        assert_eq!(text("f32", 0x4f80_0000), "4294967296.0");
        assert_eq!(text("f32", 0x5015_02f9), "1e10");
        assert_eq!(text("f32", 0x0080_0000), "1.1754944e-38");
        assert_eq!(text("f32", 1), "1e-45");
        assert_eq!(text("f32", 0x3727_c5ac), "0.00001");
        assert_eq!(text("f32", 0x3727_c5ab), "9.999999e-6");
        assert_eq!(text("f16", 0x3555), "0.3333");
        assert_eq!(text("f16", 0x7bff), "65504.0");
        assert_eq!(text("f16", 1), "6e-8");
        assert_eq!(text("bf16", 0x3eab), "0.334");
        assert_eq!(text("e4m3", 0x7e), "448.0");
        assert_eq!(text("e2m1", 7), "6.0");
        assert_eq!(text("f64", 0x7fef_ffff_ffff_ffff), "1.7976931348623157e308");
        assert_eq!(text("f16", 0x8000), "-0.0");
        assert_eq!(text("f16", 0xc400), "-4.0");
    }

    /// Every code of the formats of 16 bits and fewer is read again as itself, and one digit less would not be.
    #[test]
    fn every_code_of_the_small_formats() {
        for name in ["f16", "bf16", "e4m3", "e5m2", "e3m2", "e2m3", "e2m1", "ue8m0", "ue4m3", "ue5m3", "s2f6"] {
            let format = ElementFormat::named(name).unwrap();
            for bits in 0..1_u128 << format.bits() {
                let value = format.value(bits);
                if !value.is_finite() || format.is_nan(bits) {
                    continue;
                }
                let text = format.text(bits);
                let (number, length) = super::super::Number::parse(&text).unwrap();
                assert_eq!(length, text.len());
                let again = number.encode(format).map(|again| format.value(again).to_bits());
                assert_eq!(again, Ok(value.to_bits()), "{name} {bits:#x} {text}");
            }
        }
    }
}
