//! Preprocessor directives.

use super::lex::{block_comment, is_word, quoted, skip_blank, spliced, string, word};
use super::{Head, MAX_CONDITIONALS, Scanner, scan_body};
use crate::literal::decode_cpp;
use crate::map::Decoded;
use crate::raw::{ItemKind, Value};
use crate::targets::{Condition, defined, parse_condition};
use std::sync::Arc;

impl Scanner<'_> {
    /// A directive, whose `#` is at the current offset. Reads to its line break, which it leaves.
    pub(super) fn directive(&mut self) {
        let start = self.at;
        let end = directive_end(self.text, start);
        self.at = end;
        self.line_empty = false;
        self.comment = None;
        let line = &self.text[..end];
        let name = blanks(line, start + 1);
        let stop = word(line, name);
        let rest = || String::from_utf8_lossy(&line[stop..]);
        match &line[name..stop] {
            b"if" | b"ifdef" | b"ifndef" => {
                self.conditional(start, ItemKind::If(condition(&line[name + 2..stop], &rest())));
            }
            b"elif" | b"elifdef" | b"elifndef" => {
                self.conditional(start, ItemKind::Elif(condition(&line[name + 4..stop], &rest())));
            }
            b"else" => self.conditional(start, ItemKind::Else),
            b"endif" => self.conditional(start, ItemKind::Endif),
            b"define" => self.define(line, stop),
            b"undef" => {
                let name = blanks(line, stop);
                if let Ok(name) = std::str::from_utf8(&line[name..word(line, name)]) {
                    self.push(start, ItemKind::Define(name.into(), Value::Other));
                }
            }
            _ => {}
        }
    }

    fn conditional(&mut self, at: usize, kind: ItemKind) {
        let inside = self.state.depth > 0;
        match kind {
            ItemKind::If(_) if inside && self.state.conditionals.len() < MAX_CONDITIONALS => {
                self.state.conditionals.push(self.state.depth);
            }
            ItemKind::Elif(_) | ItemKind::Else if inside => {
                // Each branch begins with the braces that were open before the first.
                let before = self.state.conditionals.last().copied().unwrap_or(0);
                if before == 0 {
                    self.end_function(at);
                } else {
                    self.state.depth = before;
                }
            }
            ItemKind::Endif if inside => drop(self.state.conditionals.pop()),
            ItemKind::Elif(_) | ItemKind::Else => self.state.head = Head::default(),
            _ => {}
        }
        self.push(at, kind);
    }

    /// `#define`, whose name follows at an offset.
    fn define(&mut self, line: &[u8], at: usize) {
        let name = blanks(line, at);
        let end = word(line, name);
        let mut parameters: Vec<&[u8]> = Vec::new();
        let mut body = end;
        let function = line.get(end) == Some(&b'(');
        if function {
            body = memchr::memchr(b')', &line[end..]).map_or(line.len(), |i| end + i + 1);
            let list = &line[end + 1..body.saturating_sub(1).max(end + 1).min(line.len())];
            parameters = list.split(|b| !is_word(*b)).filter(|w| !w.is_empty()).collect();
            parameters.push(b"__VA_ARGS__");
        } else if let Ok(name) = std::str::from_utf8(&line[name..end]) {
            self.push(at, ItemKind::Define(name.into(), value(line, end)));
        }
        scan_body(line, body, self.base, &parameters, &mut self.items);
    }
}

/// The condition of a directive: what follows `if` or `elif` in its name (nothing, `def` or `ndef`), and the rest of its line.
pub(super) fn condition(kind: &[u8], rest: &str) -> Arc<Condition> {
    match kind {
        b"def" => Arc::new(defined(first_word(rest))),
        b"ndef" => Condition::negated(&Arc::new(defined(first_word(rest)))),
        _ => Arc::new(parse_condition(rest)),
    }
}

/// The value of an object macro whose body begins at an offset.
fn value(line: &[u8], start: usize) -> Value {
    let mut at = skip_blank(line, start);
    if string(line, at).is_none() {
        let short = &line[at..];
        return match std::str::from_utf8(short) {
            Ok(text) if short.len() <= 200 => Value::Expression(text.into()),
            _ => Value::Other,
        };
    }
    let mut text = String::new();
    while at < line.len() {
        let Some((mut literal, true)) = string(line, at) else { return Value::Other };
        let Ok(source) = std::str::from_utf8(&line[literal.span.clone()]) else { return Value::Other };
        at = skip_blank(line, literal.span.end);
        literal.body = literal.body.start - literal.span.start..literal.body.end - literal.span.start;
        literal.span = 0..source.len();
        let mut decoded = Decoded::default();
        decode_cpp(&mut decoded, source, &literal);
        text.push_str(&decoded.text);
    }
    Value::Text(text.into())
}

/// The offset after blanks and splices.
pub(super) fn blanks(text: &[u8], mut at: usize) -> usize {
    while matches!(text.get(at), Some(b' ' | b'\t' | b'\\' | b'\r' | b'\n')) {
        at += 1;
    }
    at
}

pub(super) fn first_word(text: &str) -> &str {
    let text = text.trim_start();
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default()
}

/// The offset of the line break that ends a directive.
pub(super) fn directive_end(text: &[u8], mut at: usize) -> usize {
    while at < text.len() {
        // Nothing else hides a line break.
        let Some(newline) = memchr::memchr(b'\n', &text[at..]) else { return text.len() };
        let line_end = at + newline;
        let mut here = at;
        while let Some(i) = memchr::memchr3(b'/', b'"', b'\'', &text[here..line_end]) {
            here += i;
            if text[here] != b'/' {
                // A digit separator is not a quote.
                let separator = text[here] == b'\'' && here > 0 && text[here - 1].is_ascii_alphanumeric();
                here = if separator { here + 1 } else { quoted(text, here).0 };
                if here > line_end {
                    break;
                }
            } else if text.get(here + 1) == Some(&b'*') {
                here = block_comment(text, here);
                if here > line_end {
                    break;
                }
            } else if text.get(here + 1) == Some(&b'/') {
                break;
            } else {
                here += 1;
            }
        }
        if here > line_end {
            at = here;
            continue;
        }
        if !spliced(text, line_end) {
            return line_end;
        }
        at = line_end + 1;
    }
    text.len()
}
