//! Compiles `encoding` entries: the meaning of the bits of a number.

use super::error::Result;
use super::leak::{leak, leak_str};
use super::lines::LogicalLine;
use super::names::{DeclaredNames, expand};
use crate::tables::{BitField, EncodedMeaning, Encoding, SelectorPattern};

/// The keywords under `encoding`, besides those common to all entries.
pub(super) const KEYWORDS: &[&str] = &["field", "value", "table", "selects", "pattern", "measure"];

/// Builds an encoding without summary, manual and documentation.
pub(super) fn build(name: &'static str, body: &[LogicalLine], names: &DeclaredNames) -> Result<Encoding> {
    let (mut fields, mut values, mut patterns) = (Vec::new(), Vec::new(), Vec::new());
    let (mut table, mut selects) = (Vec::new(), Vec::new());
    let (mut measure, mut unit) = (0, "");
    for line in &body[1..] {
        let (word, rest) = line.keyword();
        let words = || rest.split_whitespace().map(leak_str);
        match word {
            "field" => fields.push(field(line, rest, names)?),
            "value" => values.push(meaning(line, rest)?),
            "table" => table.extend(words()),
            "selects" => selects.extend(words()),
            "pattern" => {
                let mut words = words();
                let modifier = modifier(line, words.next().unwrap_or(""), names)?;
                let rows: Vec<&'static str> = words.collect();
                if let Some(wrong) = rows.iter().find(|r| r.len() != 4 || r.bytes().any(|b| !b.is_ascii_digit())) {
                    return Err(line.error(0, format!("`{wrong}` is not four digits")));
                }
                patterns.push(SelectorPattern { modifier, rows: leak(rows) });
            }
            "measure" => {
                let (number, name) = rest.split_once(' ').unwrap_or((rest, ""));
                measure = number.parse().ok().filter(|n| *n > 0).unwrap_or(0);
                unit = leak_str(name.trim());
                if measure == 0 || unit.is_empty() {
                    return Err(line.error(line.offset(rest), "expected a number and a unit"));
                }
            }
            _ => {}
        }
    }
    let (table, selects, patterns) = (leak(table), leak(selects), leak(patterns));
    let (fields, values) = (leak(fields), leak(values));
    Ok(Encoding { name, table, selects, patterns, fields, values, measure, unit, summary: "", manual: "", doc: "" })
}

/// Parses a `field` line: `0..4 times 16 NAME when .mod: 0 word, 1 word`.
fn field(line: &LogicalLine, text: &str, names: &DeclaredNames) -> Result<BitField> {
    // `kind::f16` has colons too, but no blank after them.
    let (head, values) = text.split_once(": ").unwrap_or((text, ""));
    let (head, when) = head.split_once(" when ").unwrap_or((head, ""));
    let (bits, name) = head.split_once(' ').unwrap_or((head, ""));
    let (low, high) = bits.split_once("..").unwrap_or((bits, bits));
    let (Ok(low), Ok(high)) = (low.parse::<u8>(), high.parse::<u8>()) else {
        return Err(line.error(line.offset(bits), format!("`{bits}` are no bits; expected `0..4`")));
    };
    if low > high || high > 63 {
        return Err(line.error(line.offset(bits), "bits are counted from 0 to 63, the lowest first"));
    }
    let mut name = name.trim();
    let mut times = 1;
    if let Some((number, rest)) = name.strip_prefix("times ").and_then(|t| t.split_once(' ')) {
        times = number.parse().map_err(|_| line.error(line.offset(number), format!("`{number}` is not a number")))?;
        name = rest.trim();
    }
    if name.is_empty() {
        return Err(line.error(line.offset(head), "a field needs a name"));
    }
    let mut modifiers = Vec::new();
    for word in when.split_whitespace() {
        for name in expand(word) {
            modifiers.push(modifier(line, &name, names)?);
        }
    }
    let values = values.split(',').filter(|v| !v.trim().is_empty()).map(|v| meaning(line, v));
    let values = leak(values.collect::<Result<Vec<EncodedMeaning>>>()?);
    Ok(BitField { low, high, name: leak_str(name), times, when: leak(modifiers), values })
}

/// The modifier or type with this name, which must be declared.
fn modifier(line: &LogicalLine, word: &str, names: &DeclaredNames) -> Result<&'static str> {
    let name = format!(".{}", word.trim_start_matches('.'));
    let known = names.modifiers.iter().chain(&names.types).any(|m| *m == name);
    if known { Ok(leak_str(&name)) } else { Err(line.error(0, format!("no modifier is named `{name}`"))) }
}

/// Parses the meaning of a number: `3 words`.
fn meaning(line: &LogicalLine, text: &str) -> Result<EncodedMeaning> {
    let text = text.trim();
    let (number, words) = text.split_once(' ').unwrap_or((text, ""));
    let value = match number.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => number.parse().ok(),
    };
    match value {
        Some(number) if !words.trim().is_empty() => Ok(EncodedMeaning { number, words: leak_str(words.trim()) }),
        _ => Err(line.error(0, format!("expected a number and what it stands for, not `{text}`"))),
    }
}
