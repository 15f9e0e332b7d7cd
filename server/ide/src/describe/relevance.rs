//! Selects the parts of a text that are about a given statement.

use std::ops::Range;

/// The words of a statement with which a text is compared.
pub struct Words<'w> {
    /// Whether the statement has a modifier or an operand, explicitly or implied.
    pub has: &'w dyn Fn(&str) -> bool,
    /// Whether a word is a modifier of the instruction in any of its forms.
    pub known: &'w dyn Fn(&str) -> bool,
}

/// Words that begin a sentence which continues the previous one.
const GOES_ON: &[&str] = &[
    "It ",
    "Its ",
    "They ",
    "Their ",
    "This ",
    "These ",
    "That ",
    "Those ",
    "Both ",
    "Otherwise",
    "Then ",
    "So ",
    "There ",
];

/// The relation of a text to a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bearing {
    /// It names no modifier of the instruction.
    None,
    /// It names a modifier that the statement has.
    Own,
    /// It names other modifiers only.
    Other,
}

impl Words<'_> {
    /// The parts of a passage that are about the statement: rows of a table, items of a list, sentences of prose, lines of
    /// code.
    pub fn part(&self, text: &str) -> String {
        let first = text.trim_start();
        if first.starts_with("```") {
            self.code(text)
        } else if first.starts_with('|') {
            self.table(text)
        } else if first.starts_with("- ") {
            self.list(text)
        } else {
            self.prose(text)
        }
    }

    fn bearing(&self, text: &str, words: impl Fn(&str) -> Vec<Range<usize>>) -> Bearing {
        let mut out = Bearing::None;
        for range in words(text) {
            let word = text.get(range.clone()).unwrap_or("");
            if !(self.known)(word) {
                continue;
            }
            let before = text.get(..range.start).unwrap_or("").trim_end_matches(['`', ' ']);
            let without = before.ends_with("without") || before.ends_with("Without");
            if (self.has)(word) != without {
                return Bearing::Own;
            }
            out = Bearing::Other;
        }
        out
    }

    fn code(&self, text: &str) -> String {
        let whole = self.bearing(text, bare);
        if whole == Bearing::Other {
            return String::new();
        }
        let kept: Vec<&str> = text.lines().filter(|line| self.bearing(line, bare) != Bearing::Other).collect();
        // Only the fences are left.
        if kept.len() <= 2 { String::new() } else { kept.join("\n") }
    }

    fn table(&self, text: &str) -> String {
        let mut lines = text.lines();
        let head: Vec<&str> = lines.by_ref().take(2).collect();
        let key = |cell: &str| !spans(cell).is_empty() && outside(cell).trim_matches([' ', ',', '…']).is_empty();
        let about =
            |row: &&str| row.split('|').filter(|c| key(c)).all(|cell| self.bearing(cell, spans) != Bearing::Other);
        let rows: Vec<&str> = lines.filter(about).collect();
        if rows.is_empty() { String::new() } else { [head, rows].concat().join("\n") }
    }

    fn list(&self, text: &str) -> String {
        let mut items: Vec<String> = Vec::new();
        for line in text.lines() {
            match items.last_mut().filter(|_| !line.starts_with("- ")) {
                Some(last) => {
                    last.push('\n');
                    last.push_str(line);
                }
                None => items.push(line.to_owned()),
            }
        }
        // The subject of an item is before its dash.
        let subject = |item: &str| item.split(" – ").next().unwrap_or("").to_owned();
        items.retain(|item| self.bearing(&subject(item), spans) != Bearing::Other);
        items.join("\n")
    }

    fn prose(&self, text: &str) -> String {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut out: Vec<&str> = Vec::new();
        let mut kept = true;
        for sentence in sentences(&text) {
            let goes_on = GOES_ON.iter().any(|w| sentence.starts_with(w));
            kept = self.bearing(sentence, spans) != Bearing::Other && (kept || !goes_on);
            if kept {
                out.push(sentence);
            }
        }
        out.join(" ")
    }
}

/// The sentences of a text, without the blank after each.
pub fn sentences(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut start = 0;
    let mut inside = false;
    for (at, c) in text.char_indices() {
        if c == '`' {
            inside = !inside;
        }
        let rest = text.get(at + c.len_utf8()..).unwrap_or("");
        let begins = |c: char| c.is_uppercase() || c == '`' || c == '*';
        if c == '.' && !inside && rest.strip_prefix(' ').is_some_and(|r| r.starts_with(begins)) {
            out.push(text.get(start..=at).unwrap_or(""));
            start = at + 2;
        }
    }
    out.push(text.get(start..).unwrap_or(""));
    out
}

/// Byte ranges of the words in backticks.
fn spans(text: &str) -> Vec<Range<usize>> {
    let marks: Vec<usize> = text.match_indices('`').map(|(at, _)| at).collect();
    let mut out = Vec::new();
    for pair in marks.chunks_exact(2) {
        // Several words may share a pair of backticks: `.min .max`.
        let mut start = pair[0] + 1;
        for word in text.get(start..pair[1]).unwrap_or("").split(' ') {
            out.push(start..start + word.len());
            start += word.len() + 1;
        }
    }
    out
}

/// The text outside of backticks.
fn outside(text: &str) -> String {
    text.split('`').step_by(2).collect()
}

/// Byte ranges of the words in code that begin with a dot.
pub fn bare(text: &str) -> Vec<Range<usize>> {
    let of_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':');
    let mut out = Vec::new();
    let mut last = ' ';
    for (at, c) in text.char_indices() {
        if c == '.' && !of_word(last) && last != '.' {
            let rest = text.get(at + 1..).unwrap_or("");
            let length = rest.find(|c| !of_word(c)).unwrap_or(rest.len());
            out.push(at..at + 1 + rest.get(..length).unwrap_or("").trim_end_matches(':').len());
        }
        last = c;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(text: &str) -> String {
        let has = |w: &str| [".f32", ".rn"].contains(&w);
        let known = |w: &str| [".f32", ".rn", ".f32x2", ".ftz", ".f64"].contains(&w);
        Words { has: &has, known: &known }.part(text)
    }

    #[test]
    fn sentences_about_other_forms_are_left_out() {
        assert_eq!(part("It adds. `.f32x2` adds two. They are packed. `.rn` rounds."), "It adds. `.rn` rounds.");
        assert_eq!(part("Without `.ftz` all are kept. With `.ftz` not."), "Without `.ftz` all are kept.");
        assert_eq!(part("`.f32` and `.f64`; see `.other`."), "`.f32` and `.f64`; see `.other`.");
    }

    #[test]
    fn rows_items_and_lines_too() {
        let table = "| type | bits |\n|---|---|\n| `.f32` | 32 |\n| `.f64`, `.f32x2` | 64 |";
        assert_eq!(part(table), "| type | bits |\n|---|---|\n| `.f32` | 32 |");
        let shared = "| types | bits |\n|---|---|\n| `.f64 .f32x2` | 64 |\n| `.f16 .f32` | 32 |";
        assert_eq!(part(shared), "| types | bits |\n|---|---|\n| `.f16 .f32` | 32 |");
        assert_eq!(part("- `.f64` – big\n  and `.f32`\n- `.f32` – as `.f64`"), "- `.f32` – as `.f64`");
        assert_eq!(part("```\nd = a   .f32\nd = -a  .f64\n```"), "```\nd = a   .f32\n```");
        assert_eq!(part("```\nd = -a  .f64\n```"), "");
    }
}
