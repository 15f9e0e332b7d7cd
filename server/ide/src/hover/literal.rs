//! Hover on numbers.

use crate::describe::Page;

/// A literal in the other ways to write it.
pub fn page(text: &str) -> Page {
    let mut page = Page::default();
    match value(text) {
        Some(Value::Integer(value, digits)) => {
            page.code(text);
            page.list("", integer(value, digits));
        }
        Some(Value::Single(bits)) => {
            page.code(text);
            page.list(
                "",
                [format!(
                    "`{}` as `.f32`",
                    float(f64::from(f32::from_bits(bits)), &format!("{:?}", f32::from_bits(bits)))
                )],
            );
        }
        Some(Value::Double(bits)) => {
            page.code(text);
            page.list(
                "",
                [format!("`{}` as `.f64`", float(f64::from_bits(bits), &format!("{:?}", f64::from_bits(bits))))],
            );
        }
        Some(Value::Decimal(value)) => {
            page.code(text);
            let single = value as f32;
            page.list(
                "",
                [format!("`0d{:016X}` as `.f64`", value.to_bits()), format!("`0f{:08X}` as `.f32`", single.to_bits())],
            );
        }
        None => {}
    }
    page
}

enum Value {
    /// With the number of hexadecimal digits that were written, or 0.
    Integer(u128, usize),
    Single(u32),
    Double(u64),
    Decimal(f64),
}

fn value(text: &str) -> Option<Value> {
    let lower = text.to_ascii_lowercase();
    if let Some(bits) = lower.strip_prefix("0f") {
        return u32::from_str_radix(bits, 16).ok().map(Value::Single);
    }
    if let Some(bits) = lower.strip_prefix("0d") {
        return u64::from_str_radix(bits, 16).ok().map(Value::Double);
    }
    let whole = lower.strip_suffix('u').unwrap_or(&lower);
    let integer = |digits: &str, radix| u128::from_str_radix(digits, radix).ok();
    if let Some(digits) = whole.strip_prefix("0x") {
        return integer(digits, 16).map(|v| Value::Integer(v, digits.len()));
    }
    if let Some(digits) = whole.strip_prefix("0b") {
        return integer(digits, 2).map(|v| Value::Integer(v, 0));
    }
    if whole.bytes().all(|b| b.is_ascii_digit()) {
        let radix = if whole.len() > 1 && whole.starts_with('0') { 8 } else { 10 };
        return integer(whole, radix).map(|v| Value::Integer(v, 0));
    }
    lower.parse().ok().map(Value::Decimal)
}

fn integer(value: u128, hex_digits: usize) -> Vec<String> {
    let mut out = vec![format!("{value} decimal"), format!("`0x{value:X}` hexadecimal")];
    if value < 1 << 16 {
        out.push(format!("`0b{value:b}` binary"));
    }
    if let Ok(bits) = u32::try_from(value) {
        if bits.cast_signed() < 0 {
            out.push(format!("{} as `.s32`", bits.cast_signed()));
        }
        if hex_digits == 8 {
            out.push(format!("{:?} as the bits of a `.f32`", f32::from_bits(bits)));
        }
    } else if let Ok(bits) = u64::try_from(value) {
        if bits.cast_signed() < 0 {
            out.push(format!("{} as `.s64`", bits.cast_signed()));
        }
        if hex_digits == 16 {
            out.push(format!("{:?} as the bits of a `.f64`", f64::from_bits(bits)));
        }
    } else {
        out.push("wider than 64 bits".to_owned());
    }
    out
}

fn float(value: f64, shown: &str) -> String {
    if value.is_nan() {
        "NaN".to_owned()
    } else if value.is_infinite() {
        if value > 0.0 { "infinity".to_owned() } else { "-infinity".to_owned() }
    } else {
        shown.to_owned()
    }
}
