//! The scanner of Rust: finds `asm!` and `ptx_asm!`, and the functions around them.

mod lex;
mod statement;

use crate::literal::decode_rust;
use crate::map::{Decoded, SegmentKind};
use crate::raw::{Form, Item, ItemKind, Piece, Value};
use crate::targets::PtxComment;
use crate::words::declared;
use lex::{block_comment, character, is_word, line_comment, skip_spaces, string, word};
use std::sync::Arc;

/// What the scanner knows at the start of a line. Equal states lead to equal results.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct RustState {
    /// Braces of the current function that are open. 0 outside functions.
    depth: u32,
    /// The column of the first token of the line in which the function begins.
    indent: u32,
    head: Head,
    /// The function is the body of `macro_rules!`.
    in_macro: bool,
}

impl RustState {
    /// Whether no function is open.
    pub fn is_outside(self) -> bool {
        self.depth == 0
    }
}

/// What was read before the body of a function.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Head {
    #[default]
    None,
    /// `fn name`, with the number of open brackets after it.
    Function(u32),
    /// `macro_rules! name`
    Macro,
}

/// Macros that take PTX.
fn form(name: &[u8]) -> Option<Form> {
    match name {
        b"asm" => Some(Form::RustAsm),
        b"ptx_asm" => Some(Form::PtxAsm),
        _ => None,
    }
}

/// The opening bracket of a call of the macro whose name ends at an offset. It must stand in the same line, so that an
/// edit of a later line cannot change what this one means.
fn call_bracket(text: &[u8], end: usize) -> Option<usize> {
    let mark = skip_spaces(text, end);
    let open = skip_spaces(text, mark + usize::from(text.get(mark) == Some(&b'!')));
    (open > mark && matches!(text.get(open), Some(b'(' | b'[' | b'{'))).then_some(open)
}

/// Scans from the start of a line to an offset that `stop` accepts, which is asked at starts of lines only, or to the end.
pub(crate) fn scan(
    text: &[u8],
    start: usize,
    state: &RustState,
    stop: &mut dyn FnMut(usize, &RustState) -> bool,
) -> (usize, Vec<Item>, RustState) {
    let mut scanner = Scanner {
        text,
        at: start,
        base: start,
        state: *state,
        items: Vec::new(),
        line: start,
        line_empty: true,
        column: 0,
        comment: None,
        after_unsafe: false,
    };
    scanner.run(stop);
    (scanner.at, scanner.items, scanner.state)
}

struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
    base: usize,
    state: RustState,
    items: Vec<Item>,
    /// The start of the current line.
    line: usize,
    /// No token of the current line was read.
    line_empty: bool,
    /// The column of the first token of the current line.
    column: u32,
    /// The `ptx:` comment above the current statement or function.
    comment: Option<Arc<PtxComment>>,
    /// The last token was `unsafe`.
    after_unsafe: bool,
}

impl Scanner<'_> {
    fn push(&mut self, at: usize, kind: ItemKind) {
        self.items.push(Item { at: at - self.base, kind });
    }

    fn run(&mut self, stop: &mut dyn FnMut(usize, &RustState) -> bool) {
        while let Some(&b) = self.text.get(self.at) {
            match b {
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'\n' => {
                    self.at += 1;
                    self.line = self.at;
                    self.line_empty = true;
                    if self.comment.is_none() && stop(self.at, &self.state) {
                        return;
                    }
                }
                b'/' if self.text.get(self.at + 1) == Some(&b'/') => {
                    let end = line_comment(self.text, self.at);
                    self.note(self.at + 2, end);
                    self.at = end;
                }
                b'/' if self.text.get(self.at + 1) == Some(&b'*') => {
                    let end = block_comment(self.text, self.at);
                    self.note(self.at + 2, end.saturating_sub(2).max(self.at + 2).min(end));
                    self.follow(end);
                }
                _ => self.token(b),
            }
        }
    }

    /// Goes to the end of a token that may contain line breaks.
    fn follow(&mut self, end: usize) {
        if let Some(newline) = memchr::memrchr(b'\n', &self.text[self.at..end]) {
            self.line = self.at + newline + 1;
        }
        self.at = end;
    }

    /// A comment, of which `ptx:` ones are kept.
    fn note(&mut self, start: usize, end: usize) {
        let body = &self.text[start..end];
        let blanks = body.iter().take_while(|b| matches!(b, b' ' | b'\t' | b'/' | b'*' | b'!')).count();
        if self.line_empty && body[blanks..].starts_with(b"ptx:") {
            self.comment = PtxComment::parse(&String::from_utf8_lossy(&body[blanks..])).map(Arc::new);
        }
    }

    /// Any token but comments.
    fn token(&mut self, b: u8) {
        let at = self.at;
        let first = std::mem::replace(&mut self.line_empty, false);
        if first {
            self.column = u32::try_from(at - self.line).unwrap_or(u32::MAX);
        }
        let after_unsafe = std::mem::take(&mut self.after_unsafe);
        match b {
            b'{' => {
                self.at += 1;
                self.open_brace(at, after_unsafe);
            }
            b'}' => {
                self.at += 1;
                self.comment = None;
                self.close_brace(at, first);
            }
            b'(' | b'[' => {
                self.at += 1;
                if let Head::Function(brackets) = &mut self.state.head {
                    *brackets = brackets.saturating_add(1);
                }
            }
            b')' | b']' => {
                self.at += 1;
                if let Head::Function(brackets) = &mut self.state.head {
                    *brackets = brackets.saturating_sub(1);
                }
            }
            b';' => {
                self.at += 1;
                // `[u8; 4]` is a part of a head.
                if matches!(self.state.head, Head::None | Head::Macro | Head::Function(0)) {
                    self.state.head = Head::None;
                    self.comment = None;
                }
            }
            b'\'' => self.at = character(self.text, at).max(at + 1),
            _ => match string(self.text, at) {
                Some(string) => self.follow(string.literal.span.end),
                None if is_word(b) => self.word(at),
                None => self.at += 1,
            },
        }
    }

    fn open_brace(&mut self, at: usize, after_unsafe: bool) {
        let head = self.state.head;
        if matches!(head, Head::Function(1..)) {
            return;
        }
        self.state.head = Head::None;
        if self.state.depth > 0 {
            self.state.depth += 1;
        } else if head != Head::None {
            self.state.depth = 1;
            self.state.in_macro = head == Head::Macro;
            let comment = self.comment.take();
            self.push(at, ItemKind::Function(comment, false));
            return;
        }
        // The comment above `unsafe { asm!(…) }` is that of the statement.
        if !after_unsafe {
            self.comment = None;
        }
    }

    fn close_brace(&mut self, at: usize, first: bool) {
        self.state.head = Head::None;
        if self.state.depth == 0 {
            return;
        }
        self.state.depth -= 1;
        // A brace too many is open, but the function ends here by its layout.
        let by_layout = first && self.column <= self.state.indent;
        if self.state.depth == 0 || by_layout {
            self.end_function(at);
        }
    }

    fn end_function(&mut self, at: usize) {
        self.state = RustState::default();
        self.push(at, ItemKind::FunctionEnd);
    }

    /// A name or keyword.
    fn word(&mut self, at: usize) {
        let end = word(self.text, at);
        self.at = end;
        let name = &self.text[at..end];
        if let Some(form) = form(name)
            && let Some(open) = call_bracket(self.text, end)
        {
            return self.statement(form, at, end, open);
        }
        if name == b"global_asm"
            && let Some(open) = call_bracket(self.text, end)
        {
            return self.module_text(at, end, open);
        }
        match name {
            b"unsafe" => self.after_unsafe = true,
            b"fn" if self.text.get(skip_spaces(self.text, end)).is_some_and(|b| is_word(*b)) => {
                // A function at this margin cannot be a part of the one before.
                if self.state.depth > 0 && self.column <= self.state.indent {
                    self.end_function(at);
                }
                self.head(Head::Function(0));
            }
            b"macro_rules" if self.text.get(end) == Some(&b'!') => self.head(Head::Macro),
            _ => {}
        }
    }

    fn head(&mut self, head: Head) {
        if self.state.depth == 0 {
            self.state.head = head;
            self.state.indent = self.column;
        }
    }

    /// `global_asm!("…")`, whose names all statements of the file can use.
    fn module_text(&mut self, at: usize, end: usize, open: usize) {
        let (raw, after) = statement::statement(self.text, Form::RustAsm, at, end, open);
        self.at = at;
        self.follow(after);
        let Some(source) = raw.as_ref().and_then(|_| std::str::from_utf8(&self.text[at..after]).ok()) else { return };
        let mut text = Decoded::default();
        for piece in raw.iter().flat_map(|raw| &raw.template) {
            match piece {
                Piece::Literal(literal) => decode_rust(&mut text, source, literal),
                _ => text.push(0..0, "\n", SegmentKind::Glue),
            }
        }
        for name in declared(&text.text) {
            self.push(at, ItemKind::Define(name.into(), Value::Other));
        }
    }

    fn statement(&mut self, form: Form, at: usize, end: usize, open: usize) {
        let (raw, after) = statement::statement(self.text, form, at, end, open);
        self.at = at;
        self.follow(after);
        let comment = self.comment.take();
        if let Some(mut raw) = raw {
            raw.comment = comment;
            raw.in_define = self.state.in_macro;
            self.push(at, ItemKind::Statement(Arc::new(raw)));
        }
    }
}
