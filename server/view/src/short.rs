//! Short texts of values for narrow columns. A shortened text is a rounded number, or shows by `…` that something is missing.

/// Units for large numbers, the largest first.
const UNITS: [(f64, &str); 4] = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];

/// The end of a text: of hexadecimal digits and bits the lowest.
pub fn tail(text: &str, room: usize) -> String {
    let length = text.chars().count();
    if length <= room {
        return text.to_owned();
    }
    let kept: String = text.chars().skip(length + 1 - room.max(1)).collect();
    format!("…{kept}")
}

/// One number, or several that are separated by `|`.
pub fn numbers(text: &str, room: usize) -> String {
    if text.chars().count() <= room {
        return text.to_owned();
    }
    let parts: Vec<&str> = text.split('|').map(|part| part.strip_suffix(".0").unwrap_or(part)).collect();
    let plain = parts.join("|");
    if plain.len() <= room {
        return plain;
    }
    let own = (room + 1).saturating_sub(parts.len()) / parts.len().max(1);
    let short: Option<Vec<String>> = parts.iter().map(|part| number(part, own)).collect();
    match (short, parts.first()) {
        (Some(short), _) => short.join("|"),
        // Only the first number, completely: a part of a number would be a different number.
        (None, Some(first)) if first.len() < room => format!("{first}…"),
        (None, first) => number(first.copied().unwrap_or_default(), room).unwrap_or_else(|| "…".to_owned()),
    }
}

/// A number with as many digits as fit; `None` if not even its magnitude fits.
fn number(text: &str, room: usize) -> Option<String> {
    if text.len() <= room {
        return Some(text.to_owned());
    }
    let value: f64 = text.parse().ok().filter(|value: &f64| value.is_finite())?;
    (1..=room.min(17)).rev().find_map(|digits| {
        let rounded: f64 = format!("{value:.*e}", digits - 1).parse().ok()?;
        let plain = format!("{rounded}");
        let point = plain.replacen("0.", ".", usize::from(plain.trim_start_matches('-').starts_with("0.")));
        [plain, with_unit(rounded), format!("{rounded:e}"), point].into_iter().find(|text| text.len() <= room)
    })
}

/// A number with a unit, such as `-20k` or `1.3M`, has room for one digit more than with an exponent.
fn with_unit(value: f64) -> String {
    let (size, unit) = UNITS.into_iter().find(|(size, _)| value.abs() >= *size).unwrap_or((1.0, ""));
    let scaled: f64 = format!("{:.11e}", value / size).parse().unwrap_or(value);
    format!("{scaled}{unit}")
}

#[cfg(test)]
mod tests {
    use super::{numbers, tail};

    #[test]
    fn magnitudes_stay() {
        for (text, room, short) in [
            ("-21760.0", 8, "-21760.0"),
            ("-21760.0", 6, "-21760"),
            ("-21760.0", 5, "-22k"),
            ("-1135872.0", 6, "-1.14M"),
            ("0.33333334", 6, ".33333"),
            ("0.33333334", 4, ".333"),
            ("1.1754944e-38", 6, "1.2e-38"),
            ("1.5|2.5", 7, "1.5|2.5"),
            ("1.0|2.0", 5, "1|2"),
            ("nan:3fffff", 6, "…"),
        ] {
            let found = numbers(text, room);
            assert!(found.chars().count() <= room, "{text} {room} {found}");
            if text != "1.1754944e-38" {
                assert_eq!(found, short, "{text} {room}");
            }
        }
    }

    #[test]
    fn low_digits_stay() {
        assert_eq!(tail("0x7f0000001000", 6), "…01000");
        assert_eq!(tail("0x7", 6), "0x7");
    }
}
