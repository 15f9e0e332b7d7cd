//! The statement around a place, by its text: while it is typed, its tree says little.

use ptx_isa::ISA;
use ptx_syntax::Rope;
use std::ops::Range;

/// A statement has no more lines before or after the one that is edited, as far as it matters here.
const MAX_LINES: usize = 64;

/// A longer line is not read.
const MAX_LINE: usize = 4096;

/// The lines of the statement around a place, from the first character that is no blank.
pub fn around(rope: &Rope, at: usize) -> Range<usize> {
    let line = rope.byte_to_line(at);
    let (mut first, mut last) = (line, line);
    let here = code(rope, line);
    let mut text = here.clone();
    while let Some((previous, before)) = code_before(rope, first).filter(|(p, _)| line - p <= MAX_LINES)
        && continues(&before, &text)
    {
        (first, text) = (previous, before);
    }
    let mut text = here;
    while last + 1 < rope.len_lines() && last - line < MAX_LINES {
        let next = code(rope, last + 1);
        if text.is_empty() || next.is_empty() || !continues(&text, &next) {
            break;
        }
        (last, text) = (last + 1, next);
    }
    let start = rope.line_to_byte(first);
    let indent = rope.line(first).chars().take_while(|c| matches!(c, ' ' | '\t')).count();
    let end = rope.line_to_byte(last) + rope.line(last).len_bytes();
    let breaks = rope.line(last).chars_at(rope.line(last).len_chars()).reversed();
    let breaks = breaks.take_while(|c| matches!(c, '\n' | '\r')).count();
    // The place may be in the indentation.
    (start + indent).min(at)..(end - breaks).max(at)
}

/// Whether a statement ends right before a place, blanks aside. A comment belongs to no statement.
pub fn ends_before(rope: &Rope, at: usize) -> bool {
    if up_to(rope, rope.byte_to_line(at), at).contains("//") {
        return true;
    }
    let before = rope.byte_slice(..at);
    let mut back = before.chars_at(before.len_chars()).reversed().take(MAX_LINE).skip_while(|c| c.is_whitespace());
    match back.next() {
        None | Some(';') => true,
        Some('}') => {
            // The brace of a list of operands stands behind other things on its line.
            back.take_while(|c| *c != '\n').all(char::is_whitespace)
        }
        Some('{') => opens_block(rope, at),
        // A colon stands behind a label, and within a modifier: `.shared::cta`.
        Some(':') => back
            .take_while(|c| *c != '\n')
            .collect::<String>()
            .trim_end()
            .chars()
            .all(|c| c.is_alphanumeric() || "$_%".contains(c)),
        Some(_) => false,
    }
}

/// Whether the brace before a place opens a block, not a list of operands or values.
fn opens_block(rope: &Rope, at: usize) -> bool {
    let line = rope.byte_to_line(at);
    let (line, here) = match up_to(rope, line, at) {
        // The place is on a line after the brace.
        text if text.is_empty() => match code_before(rope, line) {
            Some(found) => found,
            None => return false,
        },
        text => (line, text),
    };
    let mut begins = here.trim_end_matches('{').trim_end().to_owned();
    if begins.is_empty() {
        begins = code_before(rope, line).map_or(String::new(), |(_, text)| text);
    }
    begins.is_empty()
        || begins.ends_with([';', ':', '{', '}', ')'])
        || (begins.starts_with('.') && !begins.ends_with(['=', ',']))
}

/// The code of a line before a place.
fn up_to(rope: &Rope, line: usize, at: usize) -> String {
    let start = rope.line_to_byte(line);
    if at - start > MAX_LINE {
        return String::new();
    }
    rope.byte_slice(start..at).to_string().trim().to_owned()
}

/// Whether a line goes on with the statement of the line before it.
fn continues(before: &str, line: &str) -> bool {
    if before.is_empty()
        || before.ends_with([';', '}', ':'])
        || (before.ends_with('{') && !before.starts_with(|c: char| c.is_alphabetic()))
    {
        return false;
    }
    let open = before.ends_with([',', '(', '[', '=']);
    match line.chars().next() {
        None => true,
        Some('}' | '@') => false,
        // A parameter in a list; everything else that begins with a dot is a statement of its own.
        Some('.') => open,
        Some(c) if c.is_alphabetic() || matches!(c, '$' | '_') => {
            let word = line.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("");
            open && ISA.opcode(word).is_none()
        }
        Some(_) => true,
    }
}

/// The nearest line above with something on it.
fn code_before(rope: &Rope, line: usize) -> Option<(usize, String)> {
    let lines = (0..line).rev().take(MAX_LINES);
    lines.map(|number| (number, code(rope, number))).find(|(_, text)| !text.is_empty())
}

/// A line without blanks around it and without the comment at its end.
pub fn code(rope: &Rope, line: usize) -> String {
    let line = rope.line(line);
    if line.len_bytes() > MAX_LINE {
        // As if it were a statement by itself.
        return ";".to_owned();
    }
    let text = line.to_string();
    text.split("//").next().unwrap_or("").trim().to_owned()
}
