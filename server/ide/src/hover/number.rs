//! The interpretations of a number: the values of its bits at the width of its operand.

use ptx_analysis::{FloatLiteral, TypeId, literal};
use ptx_isa::tables::TypeClass;

/// The interpretations of an integer. `text` is its source text if it is a single literal; `ty` is the type of the operand
/// if it is known.
pub fn integer(value: i128, text: &str, ty: Option<TypeId>) -> Vec<String> {
    let mut out = Vec::new();
    let info = ty.map(TypeId::info);
    let width = info.map(|i| u32::from(i.bits)).filter(|bits| (1..=64).contains(bits));
    let bits = value as u64;
    let width = width.unwrap_or(if bits >> 32 == 0 || (value < 0 && value >= i32::MIN.into()) { 32 } else { 64 });
    let mask = u64::MAX >> (64 - width.min(64));
    let cut = bits & mask;
    let negative = cut >> (width - 1) & 1 == 1;
    let signed = if negative { (cut | !mask).cast_signed() } else { cut.cast_signed() };
    if value != i128::from(cut) && value != i128::from(signed) {
        out.push(format!("only the lowest {width} bits count"));
    }
    if negative && width > 1 {
        let first = info.is_some_and(|i| i.class == TypeClass::Sint);
        let (s, u) = (format!("{signed} signed"), format!("{cut} unsigned"));
        out.push(if first { format!("{s}, {u}") } else { format!("{u}, {s}") });
    } else {
        out.push(cut.to_string());
    }
    let mut forms = format!("`0x{cut:0digits$X}`", digits = hex_digits(cut));
    if cut > 1 && (width <= 16 || cut < 1 << 16) {
        forms.push_str(&format!(" = `0b{}`", grouped(cut)));
    }
    if text.len() > 1 && text.starts_with('0') && text.bytes().all(|b| b.is_ascii_digit()) {
        forms.push_str(", written in octal");
    }
    out.push(forms);
    if let Some(power) = power_of_two(cut) {
        out.push(power);
    }
    let class = info.map(|i| i.class);
    let name = ty.map_or("", TypeId::name);
    let written = text.trim_start_matches("0x").trim_start_matches("0X");
    let hexadecimal = written.len() < text.len();
    let untyped = class.is_none_or(|c| c == TypeClass::Bits);
    match (width, hexadecimal, written.len()) {
        (32, true, 8) => {
            if untyped || name == ".f32" {
                out.push(format!("`.f32`: {}", single(cut as u32)));
            }
            let halves = (cut as u16, (cut >> 16) as u16);
            if untyped && halves.0 == halves.1 && cut != 0 {
                out.push(format!("`.f16x2`: 2 × {}, `.bf16x2`: 2 × {}", half(halves.0), brain(halves.0)));
            }
        }
        (64, true, 16) if untyped || name == ".f64" => out.push(format!("`.f64`: {}", double(cut))),
        (16, true, 4) if untyped => out.push(format!("`.f16`: {}, `.bf16`: {}", half(cut as u16), brain(cut as u16))),
        _ => {}
    }
    match name {
        ".f16x2" => out.push(format!("`.f16x2`: {} (low), {} (high)", half(cut as u16), half((cut >> 16) as u16))),
        ".bf16x2" => out.push(format!("`.bf16x2`: {} (low), {} (high)", brain(cut as u16), brain((cut >> 16) as u16))),
        ".f16" => out.push(format!("`.f16`: {}", half(cut as u16))),
        ".bf16" => out.push(format!("`.bf16`: {}", brain(cut as u16))),
        _ => {}
    }
    if width == 8
        && let Some(c) = char::from_u32(cut as u32).filter(|c| c.is_ascii() && *c != '\0')
    {
        out.push(format!("character {}", quoted(c)));
    }
    out
}

/// The interpretations of a floating-point literal.
pub fn float(text: &str, ty: Option<TypeId>) -> Vec<String> {
    let Ok(value) = literal::parse_float(text) else { return Vec::new() };
    match value {
        FloatLiteral::Single(bits) => {
            let mut out = vec![format!("{} as `.f32`", single(bits))];
            out.extend(constant(f64::from(f32::from_bits(bits)), true));
            out
        }
        FloatLiteral::Double(value) if text.len() > 2 && text[..2].eq_ignore_ascii_case("0d") => {
            let mut out = vec![format!("{} as `.f64`", double(value.to_bits()))];
            out.extend(constant(value, false));
            out
        }
        FloatLiteral::Double(value) => {
            let rounded = value as f32;
            let exact = f64::from(rounded) == value;
            let f32_first = ty.is_some_and(|t| t.info().bits == 32);
            let rounding = if exact { String::new() } else { format!(", rounded to {rounded:?}") };
            let mut out = [
                format!("`0f{:08X}` as `.f32`{rounding}", rounded.to_bits()),
                format!("`0d{:016X}` as `.f64`", value.to_bits()),
            ];
            if !f32_first {
                out.reverse();
            }
            out.into()
        }
    }
}

/// The lanes in a mask, as text.
pub fn lanes(mask: u32) -> String {
    let count = mask.count_ones();
    if mask == u32::MAX {
        return "all 32 lanes".to_owned();
    }
    if mask == 0 {
        return "no lane".to_owned();
    }
    let mut runs: Vec<String> = Vec::new();
    let mut lane = 0;
    while lane < 32 {
        let rest = mask >> lane;
        let zeros = rest.trailing_zeros();
        if zeros > 0 {
            lane += zeros;
            continue;
        }
        let ones = (!rest).trailing_zeros().min(32 - lane);
        runs.push(if ones == 1 { lane.to_string() } else { format!("{lane}–{}", lane + ones - 1) });
        lane += ones;
    }
    let most = 6;
    let rest = runs.len().saturating_sub(most);
    let more = if rest > 0 { ", …" } else { "" };
    let shown = runs.iter().take(most).cloned().collect::<Vec<_>>().join(", ");
    if count == 1 { format!("lane {shown}") } else { format!("{count} lanes: {shown}{more}") }
}

/// Bytes as a string literal; `None` if they are not text.
pub fn string(bytes: &[u8]) -> Option<String> {
    let text = bytes.strip_suffix(b"\0").unwrap_or(bytes);
    let shown = |b: &u8| b.is_ascii_graphic() || matches!(b, b' ' | b'\n' | b'\t' | b'\r') || *b >= 0x80;
    if text.len() < 2 || !text.iter().all(shown) || !text.iter().any(u8::is_ascii_alphabetic) {
        return None;
    }
    std::str::from_utf8(text).ok().map(|t| format!("{t:?}"))
}

fn quoted(c: char) -> String {
    if c.is_ascii_graphic() { format!("`{c}`") } else { format!("`{}`", c.escape_default()) }
}

fn hex_digits(value: u64) -> usize {
    let digits = (64 - value.leading_zeros()).div_ceil(4) as usize;
    if digits > 2 { digits.next_multiple_of(4) } else { digits.max(1) }
}

/// Binary digits in groups of four.
fn grouped(value: u64) -> String {
    let digits = format!("{value:b}");
    let groups: Vec<&str> = {
        let head = digits.len() % 4;
        let mut out = Vec::new();
        if head > 0 {
            out.extend(digits.get(..head));
        }
        let mut at = head;
        while at < digits.len() {
            out.extend(digits.get(at..at + 4));
            at += 4;
        }
        out
    };
    groups.join("_")
}

/// A power of two or a size in binary units: `2^20 = 1 MiB`, `48 KiB`.
fn power_of_two(value: u64) -> Option<String> {
    let size = match value {
        v if v >= 1 << 48 => None,
        v if v >= 1 << 30 && v % (1 << 30) == 0 => Some(format!("{} GiB", v >> 30)),
        v if v >= 1 << 20 && v % (1 << 20) == 0 => Some(format!("{} MiB", v >> 20)),
        v if v >= 1 << 10 && v % (1 << 10) == 0 && v < 1 << 20 => Some(format!("{} KiB", v >> 10)),
        _ => None,
    };
    let power = (value >= 16 && value.is_power_of_two()).then(|| format!("2^{}", value.trailing_zeros()));
    match (power, size) {
        (Some(power), Some(size)) => Some(format!("{power}, {size} if it counts bytes")),
        (Some(power), None) => Some(power),
        (None, Some(size)) => Some(format!("{size} if it counts bytes")),
        (None, None) => None,
    }
}

fn single(bits: u32) -> String {
    named(f64::from(f32::from_bits(bits)), format!("{:?}", f32::from_bits(bits)))
}

fn double(bits: u64) -> String {
    named(f64::from_bits(bits), format!("{:?}", f64::from_bits(bits)))
}

/// The value of the bits of a `.f16`, as text.
fn half(bits: u16) -> String {
    let (exponent, fraction) = (u64::from(bits >> 10 & 31), u64::from(bits & 0x3ff));
    let magnitude = match exponent {
        // In steps of 2^-24.
        0 => fraction as f64 / f64::from(1 << 24),
        31 if fraction == 0 => f64::INFINITY,
        31 => f64::NAN,
        // The same exponent and fraction in the fields of an `.f64`.
        _ => f64::from_bits((exponent + 1023 - 15) << 52 | fraction << 42),
    };
    let value = if bits >> 15 == 1 { -magnitude } else { magnitude };
    named(value, format!("{:?}", value as f32))
}

/// The value of the bits of a `.bf16`, as text.
fn brain(bits: u16) -> String {
    single(u32::from(bits) << 16)
}

fn named(value: f64, shown: String) -> String {
    if value.is_nan() {
        "NaN".to_owned()
    } else if value.is_infinite() {
        if value > 0.0 { "infinity".to_owned() } else { "-infinity".to_owned() }
    } else {
        shown
    }
}

/// The name of the mathematical constant to which a number is rounded, if there is one.
fn constant(value: f64, single: bool) -> Option<String> {
    use std::f64::consts as c;
    let known = [
        (c::PI, "π"),
        (c::TAU, "2π"),
        (c::FRAC_PI_2, "π/2"),
        (c::FRAC_PI_4, "π/4"),
        (c::FRAC_1_PI, "1/π"),
        (c::FRAC_2_PI, "2/π"),
        (0.5 / c::PI, "1/(2π)"),
        (c::E, "e"),
        (c::LN_2, "ln 2"),
        (c::LN_10, "ln 10"),
        (c::LOG2_E, "log₂ e"),
        (c::LOG2_10, "log₂ 10"),
        (c::LOG10_2, "log₁₀ 2"),
        (c::LOG10_E, "log₁₀ e"),
        (c::SQRT_2, "√2"),
        (c::FRAC_1_SQRT_2, "1/√2"),
        (c::FRAC_2_SQRT_PI, "2/√π"),
        (1.0 / 3.0, "1/3"),
        (2.0 / 3.0, "2/3"),
    ];
    let same = |exact: f64| if single { f64::from(exact as f32) == value.abs() } else { exact == value.abs() };
    let sign = if value < 0.0 { "−" } else { "" };
    known.iter().find(|(exact, _)| same(*exact)).map(|(_, name)| format!("the nearest to {sign}{name}"))
}
