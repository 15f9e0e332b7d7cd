//! Splits a text into logical lines: comments are removed, continuations and text blocks are joined, and positions are kept.

use super::error::{Error, Result};

/// A logical line.
#[derive(Debug, Clone)]
pub(super) struct LogicalLine<'a> {
    pub file: &'a str,
    /// The line number, from 1.
    pub number: usize,
    /// The number of blanks before the first word.
    pub indent: usize,
    /// The code of the line, without prose, comment and surrounding white space.
    pub text: String,
    /// The prose of the line: the text after the first ` | `, with its continuation lines.
    pub prose: Option<String>,
}

impl LogicalLine<'_> {
    /// An error at this line; `at` is a byte offset into [`LogicalLine::text`].
    pub fn error(&self, at: usize, message: impl Into<String>) -> Error {
        Error { file: self.file.to_owned(), line: self.number, column: self.indent + at + 1, message: message.into() }
    }

    /// The first word of the line, and the rest.
    pub fn keyword(&self) -> (&str, &str) {
        match self.text.split_once(char::is_whitespace) {
            Some((word, rest)) => (word, rest.trim()),
            None => (&self.text, ""),
        }
    }

    /// Byte offset of `part`, a slice of [`LogicalLine::text`], in it.
    pub fn offset(&self, part: &str) -> usize {
        (part.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize).min(self.text.len())
    }
}

/// Splits the text of a file into logical lines.
pub(super) fn lines<'a>(file: &'a str, text: &str) -> Result<Vec<LogicalLine<'a>>> {
    let mut out: Vec<LogicalLine<'a>> = Vec::new();
    let mut continued = false;
    for (index, raw) in text.lines().enumerate() {
        if raw.contains('\t') {
            return Err(Error {
                file: file.to_owned(),
                line: index + 1,
                column: raw.find('\t').unwrap_or(0) + 1,
                message: "a tab; indent with spaces".to_owned(),
            });
        }
        let trimmed = raw.trim();
        // A continuation line of prose.
        if let Some(more) = trimmed.strip_prefix('|') {
            let Some(prose) = out.last_mut().and_then(|l| l.prose.as_mut()) else {
                return Err(Error {
                    file: file.to_owned(),
                    line: index + 1,
                    column: 1,
                    message: "a `|` line continues prose, but the line before has none".to_owned(),
                });
            };
            let more = more.strip_prefix(' ').unwrap_or(more);
            prose.push('\n');
            prose.push_str(more);
            continue;
        }
        let (code, prose) = split_prose(raw);
        let code = strip_comment(code);
        let code_trimmed = code.trim();
        if code_trimmed.is_empty() && prose.is_none() {
            continue;
        }
        let (code_trimmed, continues) = match code_trimmed.strip_suffix('\\') {
            Some(rest) if prose.is_none() => (rest.trim_end(), true),
            _ => (code_trimmed, false),
        };
        if continued {
            if let Some(last) = out.last_mut() {
                last.text.push(' ');
                last.text.push_str(code_trimmed);
                last.prose = prose.map(str::to_owned);
            }
        } else {
            out.push(LogicalLine {
                file,
                number: index + 1,
                indent: raw.len() - raw.trim_start().len(),
                text: code_trimmed.to_owned(),
                prose: prose.map(str::to_owned),
            });
        }
        continued = continues;
    }
    Ok(out)
}

/// Splits a line into code and prose at the first bar between spaces. In a form line a pair (`d|p`) has no spaces around it.
fn split_prose(raw: &str) -> (&str, Option<&str>) {
    match raw.find(" | ") {
        // A bar inside a comment is part of the comment.
        Some(at) if strip_comment(&raw[..at]).len() == at => (&raw[..at], Some(raw[at + 3..].trim_end())),
        _ => match raw.strip_suffix(" |") {
            Some(code) if strip_comment(code).len() == code.len() => (code, Some("")),
            _ => (raw, None),
        },
    }
}

fn strip_comment(code: &str) -> &str {
    if code.trim_start().starts_with('#') {
        return &code[..code.len() - code.trim_start().len()];
    }
    code.find(" #").map_or(code, |at| &code[..at])
}
