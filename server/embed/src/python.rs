//! The scanner of Python: finds calls that take PTX, and literals that may hold C++.

mod call;
mod lex;

use crate::raw::{Form, Item, ItemKind, Value};
use crate::targets::PtxComment;
use lex::{is_word, string, word};
use std::sync::Arc;

/// What the scanner knows at the start of a logical line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct PythonState {
    /// The column of the `def` of the current function, if it has a `ptx:` comment.
    function: Option<u32>,
}

impl PythonState {
    /// Whether no function with a comment is open.
    pub fn is_outside(self) -> bool {
        self.function.is_none()
    }
}

/// Functions that take PTX.
fn form(name: &[u8]) -> Option<Form> {
    match name {
        b"inline_asm" | b"InlineAsm" => Some(Form::LlvmInlineAsm),
        b"inline_asm_elementwise" | b"elementwise_inline_asm" => Some(Form::Elementwise),
        b"inline_ptx" => Some(Form::InlinePtx),
        _ => None,
    }
}

/// Whether a line that begins with a word cannot continue an expression, so that brackets before it were never closed.
fn begins_statement(name: &[u8]) -> bool {
    matches!(name, b"def" | b"class" | b"import" | b"return" | b"while" | b"try" | b"raise" | b"assert" | b"pass")
}

/// Scans from the start of a logical line to an offset that `stop` accepts, or to the end.
pub(crate) fn scan(
    text: &[u8],
    start: usize,
    state: &PythonState,
    stop: &mut dyn FnMut(usize, &PythonState) -> bool,
) -> (usize, Vec<Item>, PythonState) {
    let mut scanner = Scanner {
        text,
        at: start,
        base: start,
        state: *state,
        items: Vec::new(),
        depth: 0,
        line: start,
        line_empty: true,
        above: None,
        comment: None,
        previous: Previous::Other,
    };
    scanner.run(stop);
    (scanner.at, scanner.items, scanner.state)
}

/// The last token.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Previous {
    Def,
    Other,
}

struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
    base: usize,
    state: PythonState,
    items: Vec<Item>,
    /// Open brackets.
    depth: u32,
    /// The start of the current line.
    line: usize,
    line_empty: bool,
    /// The `ptx:` comment directly above the next logical line.
    above: Option<Arc<PtxComment>>,
    /// The `ptx:` comment above the current logical line.
    comment: Option<Arc<PtxComment>>,
    previous: Previous,
}

impl Scanner<'_> {
    fn push(&mut self, at: usize, kind: ItemKind) {
        self.items.push(Item { at: at - self.base, kind });
    }

    fn run(&mut self, stop: &mut dyn FnMut(usize, &PythonState) -> bool) {
        while let Some(&b) = self.text.get(self.at) {
            match b {
                b' ' | b'\t' | b'\r' | b'\x0c' => self.at += 1,
                b'\n' => {
                    self.at += 1;
                    self.line = self.at;
                    self.line_empty = true;
                    if self.depth == 0 && self.above.is_none() && stop(self.at, &self.state) {
                        return;
                    }
                }
                b'\\' if self.text.get(self.at + 1) == Some(&b'\n') => self.at += 2,
                b'\\' if self.text[self.at..].starts_with(b"\\\r\n") => self.at += 3,
                b'#' => {
                    let end = memchr::memchr(b'\n', &self.text[self.at..]).map_or(self.text.len(), |i| self.at + i);
                    let body = &self.text[self.at..end];
                    let blanks = body.iter().take_while(|b| matches!(b, b'#' | b' ' | b'\t')).count();
                    if self.line_empty && body[blanks..].starts_with(b"ptx:") {
                        self.above = PtxComment::parse(&String::from_utf8_lossy(&body[blanks..])).map(Arc::new);
                    }
                    self.at = end;
                }
                _ => self.token(b),
            }
        }
    }

    fn token(&mut self, b: u8) {
        let at = self.at;
        if std::mem::replace(&mut self.line_empty, false) {
            self.begin_line(at);
        }
        let previous = std::mem::replace(&mut self.previous, Previous::Other);
        match b {
            b'(' | b'[' | b'{' => {
                self.at += 1;
                self.depth += 1;
            }
            b')' | b']' | b'}' => {
                self.at += 1;
                self.depth = self.depth.saturating_sub(1);
            }
            b'"' | b'\'' => self.literal(at),
            _ if is_word(b) => {
                let end = word(self.text, at);
                if matches!(self.text.get(end), Some(b'"' | b'\'')) && lex::prefix(&self.text[at..end]).is_some() {
                    return self.literal(at);
                }
                self.at = end;
                let name = &self.text[at..end];
                if name == b"def" {
                    self.previous = Previous::Def;
                } else if previous != Previous::Def
                    && let Some(form) = form(name)
                {
                    self.call(form, at, end);
                }
            }
            _ => self.at += 1,
        }
    }

    /// The first token of a line.
    fn begin_line(&mut self, at: usize) {
        let end = word(self.text, at);
        let name = &self.text[at..end];
        if self.depth > 0 {
            if !begins_statement(name) {
                return;
            }
            self.depth = 0;
        }
        let column = u32::try_from(at - self.line).unwrap_or(u32::MAX);
        if self.state.function.is_some_and(|indent| column <= indent) {
            self.state.function = None;
            self.push(at, ItemKind::FunctionEnd);
        }
        // A decorator belongs to the function below.
        if self.text[at] == b'@' {
            return;
        }
        self.comment = self.above.take();
        let is_def = name == b"def" || name == b"async" && self.text[end..].trim_ascii_start().starts_with(b"def");
        if is_def && self.state.function.is_none() && self.comment.is_some() {
            self.state.function = Some(column);
            let comment = self.comment.take();
            self.push(at, ItemKind::Function(comment, false));
        } else if column == 0 && end > at {
            self.definition(at, end);
        }
    }

    /// `NAME = "…"` at the left margin.
    fn definition(&mut self, at: usize, end: usize) {
        let blank = |at: usize| at + self.text[at..].iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
        let equals = blank(end);
        if self.text.get(equals) != Some(&b'=') || self.text.get(equals + 1) == Some(&b'=') {
            let augmented =
                matches!(self.text.get(equals), Some(b'+' | b'*')) && self.text.get(equals + 1) == Some(&b'=');
            if augmented && let Ok(name) = std::str::from_utf8(&self.text[at..end]) {
                self.push(at, ItemKind::Define(name.into(), Value::Other));
            }
            return;
        }
        let mut next = blank(equals + 1);
        if string(self.text, next).is_none() {
            return;
        }
        let mut text = Some(String::new());
        while let Some((literal, closed)) = string(self.text, next) {
            let known = closed && !literal.writing.format;
            text = text.filter(|_| known).and_then(|text| {
                let source = std::str::from_utf8(&self.text[literal.span.clone()]).ok()?;
                Some(text + &lex::decoded(source, &literal).text)
            });
            next = blank(literal.span.end);
        }
        let ends = matches!(self.text.get(next), None | Some(b'\n' | b'\r' | b'#'));
        if let Ok(name) = std::str::from_utf8(&self.text[at..end]) {
            let value = text.filter(|_| ends).map_or(Value::Other, |t| Value::Text(t.into()));
            self.push(at, ItemKind::Define(name.into(), value));
        }
    }

    /// A literal outside calls, which may hold C++.
    fn literal(&mut self, at: usize) {
        let Some((mut literal, _)) = string(self.text, at) else {
            self.at += 1;
            return;
        };
        self.at = literal.span.end;
        self.end_of_token(at);
        if !literal.writing.format && memchr::memmem::find(&self.text[literal.body.clone()], b"asm").is_some() {
            literal.body = literal.body.start - at..literal.body.end - at;
            literal.span = 0..literal.span.end - at;
            self.push(at, ItemKind::Text(Arc::new(literal)));
        }
    }

    fn call(&mut self, form: Form, at: usize, end: usize) {
        let open = end + self.text[end..].iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
        if self.text.get(open) != Some(&b'(') {
            return;
        }
        let (mut raw, after) = call::call(self.text, form, at, end, open);
        // A call whose text is a variable of unknown value is the definition of a wrapper.
        raw.comment.clone_from(&self.comment);
        self.at = after;
        self.end_of_token(at);
        self.push(at, ItemKind::Statement(Arc::new(raw)));
    }

    /// Brings the start of the line up to date after a token that may contain line breaks.
    fn end_of_token(&mut self, start: usize) {
        if let Some(newline) = memchr::memrchr(b'\n', &self.text[start..self.at]) {
            self.line = start + newline + 1;
        }
    }
}
