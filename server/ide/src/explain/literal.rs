//! Literals without a statement around them: all that their bits may mean.

use crate::describe::MarkdownPage;
use crate::hover::number;
use ptx_analysis::literal;

/// The readings of a literal: `0f3F800000`, `0x3f800000`, `1.5`, `-1`, and `1.0f` of C++.
pub fn page(word: &str) -> Option<MarkdownPage> {
    let (sign, digits) = word.strip_prefix('-').map_or(("", word), |rest| ("-", rest));
    if !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let lower = digits.to_ascii_lowercase();
    let mut page = MarkdownPage::default();
    page.code(word);
    if sign.is_empty()
        && let Some(value) = literal::integer(digits)
    {
        page.list("", number::integer(value, digits, None));
        if lower.starts_with("0x") && lower.len() == 10 {
            page.text(format!("As a mask of lanes: {}.", number::lanes(value as u32)));
        }
        return Some(page);
    }
    if let Some(value) = literal::integer(digits) {
        page.list("", number::integer(-value, word, None));
        return Some(page);
    }
    let plain = if lower.starts_with("0f") || lower.starts_with("0d") || lower.starts_with("0x") {
        &lower
    } else {
        lower.trim_end_matches('f')
    };
    let is_cpp = plain.len() < lower.len();
    let written = if is_cpp { plain } else { digits };
    let readings = number::float(&format!("{sign}{written}"), None);
    let readings = if readings.is_empty() && sign.is_empty() { number::float(written, None) } else { readings };
    if readings.is_empty() {
        return None;
    }
    page.list("", readings);
    if is_cpp {
        page.text(format!("PTX has no `f` after a number: write `{sign}{plain}`, or the bits."));
    }
    Some(page)
}
