//! Finds the statement at an offset by its text. While the user types it, its syntax tree is of little use.

use ptx_isa::ISA;
use ptx_syntax::Rope;
use std::ops::Range;

/// Maximum number of lines of a statement that are read before and after the edited line.
const MAX_LINES: usize = 64;

/// Maximum number of bytes of a line that is read.
const MAX_LINE: usize = 4096;

/// The byte range of the statement at an offset: its lines, from the first character that is not a blank.
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
    // The offset may be in the indentation.
    (start + indent).min(at)..(end - breaks).max(at)
}

/// Whether a statement ends right before an offset, ignoring blanks. A comment belongs to no statement.
pub fn ends_before(rope: &Rope, at: usize) -> bool {
    if up_to(rope, rope.byte_to_line(at), at).contains("//") {
        return true;
    }
    let before = rope.byte_slice(..at);
    let mut back = before.chars_at(before.len_chars()).reversed().take(MAX_LINE).skip_while(|c| c.is_whitespace());
    match back.next() {
        None | Some(';') => true,
        Some('}') => {
            // The brace of an operand list follows other text on its line.
            back.take_while(|c| *c != '\n').all(char::is_whitespace)
        }
        Some('{') => opens_block(rope, at),
        // A colon follows a label, or it is part of a modifier: `.shared::cta`.
        Some(':') => back
            .take_while(|c| *c != '\n')
            .collect::<String>()
            .trim_end()
            .chars()
            .all(|c| c.is_alphanumeric() || "$_%".contains(c)),
        Some(_) => false,
    }
}

/// Whether the brace before an offset opens a block rather than a list of operands or values.
fn opens_block(rope: &Rope, at: usize) -> bool {
    let line = rope.byte_to_line(at);
    let (line, here) = match up_to(rope, line, at) {
        // The offset is on a line after the brace.
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

/// The code of a line up to an offset, trimmed.
fn up_to(rope: &Rope, line: usize, at: usize) -> String {
    let start = rope.line_to_byte(line);
    if at - start > MAX_LINE {
        return String::new();
    }
    rope.byte_slice(start..at).to_string().trim().to_owned()
}

/// Whether a line continues the statement of the line before it.
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
        // A line that begins with a dot is a parameter of an open list, or a new statement.
        Some('.') => open,
        Some(c) if c.is_alphabetic() || matches!(c, '$' | '_') => {
            let word = line.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("");
            open && ISA.opcode(word).is_none()
        }
        Some(_) => true,
    }
}

/// The nearest non-empty line above, and its number.
fn code_before(rope: &Rope, line: usize) -> Option<(usize, String)> {
    let lines = (0..line).rev().take(MAX_LINES);
    lines.map(|number| (number, code(rope, number))).find(|(_, text)| !text.is_empty())
}

/// A line without surrounding blanks and without its trailing comment.
pub fn code(rope: &Rope, line: usize) -> String {
    let line = rope.line(line);
    if line.len_bytes() > MAX_LINE {
        // A line that is too long counts as a statement of its own.
        return ";".to_owned();
    }
    let text = line.to_string();
    text.split("//").next().unwrap_or("").trim().to_owned()
}
