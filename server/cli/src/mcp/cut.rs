//! Answers of a bounded size.

use serde_json::Value;

/// Maximum size of an answer in bytes, about 6,000 tokens.
pub const MAX_ANSWER: usize = 20_000;

/// A text of at most `max` bytes: whole lines, and a last line that says what is missing.
pub fn lines(text: &str, max: usize, how: &str) -> String {
    let text = text.trim_end();
    if text.len() <= max {
        return text.to_owned();
    }
    let mut end = max;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let end = text[..end].rfind('\n').unwrap_or(end);
    let missing = text[end..].trim().lines().count();
    let plural = if missing == 1 { "" } else { "s" };
    format!("{}\n… {missing} more line{plural} left out; {how}", text[..end].trim_end())
}

/// A text in one line of at most `max` characters.
pub fn one_line(text: &str, max: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(max) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// Maximum size of an answer for programs in bytes.
const MAX_STRUCTURED: usize = 64 << 10;

/// An answer for programs, unless it is too large.
pub fn structured(value: Value) -> Option<Value> {
    (value.to_string().len() <= MAX_STRUCTURED).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_long_is_cut_between_lines() {
        assert_eq!(lines("a\nb\n", 10, "x"), "a\nb");
        assert_eq!(lines("aaaa\nbbbb\ncccc\n", 7, "ask for less"), "aaaa\n… 2 more lines left out; ask for less");
        assert_eq!(lines("ääää", 3, "x"), "ä\n… 1 more line left out; x");
        assert_eq!(one_line("a\n  b", 9), "a b");
        assert_eq!(one_line("äöü", 2), "äö…");
    }
}
