//! Preprocessor directives.

use super::lex::{is_word, skip_blank, string, word};
use super::line::{blanks, condition, directive_end};
use super::{Head, MAX_CONDITIONALS, Scanner, scan_body};
use crate::literal::decode_cpp;
use crate::map::Decoded;
use crate::raw::{ItemKind, Value};

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
