//! A cursor that parses a line from left to right.

use super::mistake::LaunchMistake;
use ptx_num::notation::Number;
use std::ops::Range;

/// A position in a text. Its ranges and offsets count from the start of the file.
#[derive(Debug, Clone)]
pub(super) struct Cursor<'t> {
    text: &'t str,
    at: usize,
    base: usize,
}

/// Whether a text can be the name of an argument: other names cannot be written in a line.
pub fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(is_in_name)
}

fn is_in_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$' | '%')
}

pub(super) type CursorResult<T> = Result<T, LaunchMistake>;

impl<'t> Cursor<'t> {
    /// A cursor at the beginning of a text, which begins at offset `base` of the file.
    pub(super) fn new(text: &'t str, base: usize) -> Self {
        Self { text, at: 0, base }
    }

    pub(super) fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// The offset in the file.
    pub(super) fn offset(&self) -> usize {
        self.base + self.at
    }

    pub(super) fn is_done(&self) -> bool {
        self.rest().is_empty()
    }

    pub(super) fn skip(&mut self, bytes: usize) {
        self.at = (self.at + bytes).min(self.text.len());
    }

    pub(super) fn spaces(&mut self) {
        let rest = self.rest();
        self.skip(rest.len() - rest.trim_start().len());
    }

    /// Skips `what` if it comes next, and returns whether it did.
    pub(super) fn eat(&mut self, what: &str) -> bool {
        let found = self.rest().starts_with(what);
        if found {
            self.skip(what.len());
        }
        found
    }

    /// Skips and returns the longest text whose characters all satisfy `of`.
    pub(super) fn take(&mut self, mut of: impl FnMut(char) -> bool) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|c| !of(c)).unwrap_or(rest.len());
        self.skip(end);
        rest.get(..end).unwrap_or_default()
    }

    /// Skips and returns a PTX identifier or a word; may be empty.
    pub(super) fn word(&mut self) -> &'t str {
        self.take(is_in_name)
    }

    /// Skips and returns the text up to the next space; brackets and quotes stay together. Used for messages, and to continue after an
    /// error.
    pub(super) fn item(&mut self) -> &'t str {
        let (mut depth, mut quoted, mut escaped) = (0i32, false, false);
        self.take(|c| {
            if quoted {
                quoted = c != '"' || escaped;
                escaped = c == '\\' && !escaped;
                return true;
            }
            match c {
                '"' => quoted = true,
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth -= 1,
                _ => return depth > 0 || !c.is_whitespace(),
            }
            true
        })
    }

    /// The range of the item at the cursor, for messages; at least one character.
    pub(super) fn here(&self) -> Range<usize> {
        let mut ahead = self.clone();
        let mut length = ahead.item().len();
        if length == 0 {
            length = self.rest().chars().next().map_or(0, char::len_utf8);
        }
        if length == 0 {
            // At the end of the line: the last character.
            let before = self.text.get(..self.at).unwrap_or_default().trim_end();
            let last = before.chars().next_back().map_or(0, char::len_utf8);
            return self.base + before.len() - last..self.base + before.len();
        }
        self.offset()..self.offset() + length
    }

    /// The range from an offset in the file to the cursor.
    pub(super) fn since(&self, start: usize) -> Range<usize> {
        start..self.offset()
    }

    /// The text from an offset in the file to the cursor.
    pub(super) fn text_since(&self, start: usize) -> &'t str {
        self.text.get(start.saturating_sub(self.base)..self.at).unwrap_or_default()
    }

    /// For messages: the quoted item at the cursor, or that the line ends.
    pub(super) fn found(&self) -> String {
        let mut ahead = self.clone();
        match (ahead.item(), self.rest().chars().next()) {
            ("", None) => "the line ends".to_owned(),
            ("", Some(c)) => format!("found `{c}`"),
            (item, _) => format!("found `{}`", item.chars().take(40).collect::<String>()),
        }
    }

    /// The error for unexpected text at the cursor.
    pub(super) fn expected(&self, what: &str) -> LaunchMistake {
        LaunchMistake::new(self.here(), format!("expected {what}, but {}", self.found()))
    }

    /// Skips a required sign, and spaces before it.
    pub(super) fn need(&mut self, sign: &str) -> CursorResult<()> {
        self.spaces();
        if self.eat(sign) { Ok(()) } else { Err(self.expected(&format!("`{sign}`"))) }
    }

    /// Parses a number, if there is one.
    pub(super) fn number(&mut self) -> Option<Number> {
        let (number, length) = Number::parse(self.rest())?;
        self.skip(length);
        Some(number)
    }

    /// Parses a required number.
    pub(super) fn need_number(&mut self) -> CursorResult<Number> {
        self.spaces();
        self.number().ok_or_else(|| self.expected("a number"))
    }

    /// Parses a decimal number that may be followed directly by a unit.
    pub(super) fn need_quantity(&mut self) -> CursorResult<Number> {
        let start = self.clone();
        self.spaces();
        let digits = self.take(|c| c.is_ascii_digit() || matches!(c, '.' | '_'));
        let mut text = digits.to_owned();
        let mut ahead = self.clone();
        let exponent = ahead.take(|c| matches!(c, 'e' | 'E')).len() == 1;
        let sign = ahead.take(|c| matches!(c, '+' | '-')).len() <= 1;
        if exponent && sign && !ahead.take(|c| c.is_ascii_digit()).is_empty() {
            text.push_str(ahead.text_since(self.offset()));
            *self = ahead;
        }
        let number = Number::parse(&text).filter(|(_, length)| *length == text.len());
        number.map(|(number, _)| number).ok_or_else(|| {
            let mut here = start;
            here.spaces();
            here.expected("a non-negative number")
        })
    }

    /// Parses a product of integers, such as `32*8`.
    pub(super) fn product(&mut self) -> CursorResult<u64> {
        let mut value: u64 = 1;
        loop {
            self.spaces();
            let start = self.offset();
            let number = self.number().and_then(Number::count);
            let factor = number.ok_or_else(|| {
                let mut back = self.clone();
                back.at = start - back.base;
                back.expected("a whole number")
            })?;
            value = value
                .checked_mul(factor)
                .ok_or_else(|| LaunchMistake::new(self.since(start), "a size of more than 64 bits is too large"))?;
            let mut ahead = self.clone();
            ahead.spaces();
            if !ahead.eat("*") {
                return Ok(value);
            }
            *self = ahead;
        }
    }

    /// Parses items up to the closing bracket; the opening one has been skipped. Items are separated by commas or, with `spaced`, also by
    /// spaces only.
    pub(super) fn items<T>(
        &mut self,
        close: &str,
        spaced: bool,
        mut item: impl FnMut(&mut Self) -> CursorResult<T>,
    ) -> CursorResult<Vec<T>> {
        let mut out = Vec::new();
        loop {
            self.spaces();
            if self.eat(close) {
                return Ok(out);
            }
            if !out.is_empty() && !self.eat(",") && !spaced {
                return Err(self.expected(&format!("`,` or `{close}`")));
            }
            self.spaces();
            if !out.is_empty() && self.eat(close) {
                return Ok(out);
            }
            if self.is_done() {
                return Err(LaunchMistake::new(self.here(), format!("expected `{close}`, but the line ends")));
            }
            out.push(item(self)?);
        }
    }

    /// Parses a text in double quotes, with the escapes `\n`, `\t`, `\"` and `\\`.
    pub(super) fn quoted(&mut self) -> CursorResult<String> {
        let start = self.offset();
        if !self.eat("\"") {
            return Err(self.expected("a text in double quotes"));
        }
        let mut out = String::new();
        let mut characters = self.rest().char_indices();
        while let Some((at, c)) = characters.next() {
            match c {
                '"' => {
                    self.skip(at + 1);
                    return Ok(out);
                }
                '\\' => match characters.next() {
                    Some((_, 'n')) => out.push('\n'),
                    Some((_, 't')) => out.push('\t'),
                    Some((_, c)) => out.push(c),
                    None => break,
                },
                c => out.push(c),
            }
        }
        self.skip(self.rest().len());
        Err(LaunchMistake::new(self.since(start), "the text has no end: `\"` is missing"))
    }
}
