//! The scanner of LLVM IR: finds calls of `asm` and the functions around them, line by line.

mod statement;

use crate::literal::decode_llvm_ir;
use crate::map::Decoded;
use crate::raw::{Item, ItemKind, Literal, Value};
use crate::targets::PtxComment;
use crate::words::declared;
use std::sync::Arc;

/// What the scanner knows at the start of a line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct LlvmIrState {
    /// A `define` is open.
    in_function: bool,
}

impl LlvmIrState {
    /// Whether no function is open.
    pub fn is_outside(self) -> bool {
        !self.in_function
    }
}

/// Whether a byte may be part of a keyword or of a name after its sigil.
fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-' | b'$')
}

fn word(text: &[u8], at: usize) -> usize {
    at + text[at..].iter().take_while(|b| is_word(**b)).count()
}

/// The end of the line at an offset, without its line break.
fn line_end(text: &[u8], at: usize) -> usize {
    memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |i| at + i)
}

/// The string whose quote stands at an offset: the end of its body, the offset after it, and whether it is closed. One
/// without an end reaches to the end of its line.
fn string(text: &[u8], quote: usize) -> (usize, usize, bool) {
    let from = quote + 1;
    match memchr::memchr2(b'"', b'\n', &text[from..]) {
        Some(i) if text[from + i] == b'"' => (from + i, from + i + 1, true),
        Some(i) => (from + i, from + i, false),
        None => (text.len(), text.len(), false),
    }
}

/// Scans from the start of a line to an offset that `stop` accepts, which is asked at starts of lines only, or to the end.
pub(crate) fn scan(
    text: &[u8],
    start: usize,
    state: &LlvmIrState,
    stop: &mut dyn FnMut(usize, &LlvmIrState) -> bool,
) -> (usize, Vec<Item>, LlvmIrState) {
    let mut scanner = Scanner { text, at: start, base: start, state: *state, items: Vec::new(), comment: None };
    let finder = memchr::memmem::Finder::new(b"asm");
    while scanner.at < text.len() {
        let end = line_end(text, scanner.at);
        scanner.line(end, &finder);
        if scanner.comment.is_none() && stop(scanner.at, &scanner.state) {
            break;
        }
    }
    (scanner.at, scanner.items, scanner.state)
}

struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
    base: usize,
    state: LlvmIrState,
    items: Vec<Item>,
    /// The `ptx:` comment in the line above.
    comment: Option<Arc<PtxComment>>,
}

impl Scanner<'_> {
    fn push(&mut self, at: usize, kind: ItemKind) {
        self.items.push(Item { at: at - self.base, kind });
    }

    /// Reads a line, and the lines that its statements reach into.
    fn line(&mut self, end: usize, finder: &memchr::memmem::Finder<'_>) {
        let at = self.at;
        let line = &self.text[at..end];
        self.at = (end + 1).min(self.text.len());
        match line.first() {
            None => return,
            Some(b'd') if line.starts_with(b"define ") => {
                if self.state.in_function {
                    self.push(at, ItemKind::FunctionEnd);
                }
                self.state.in_function = true;
                let comment = self.comment.take();
                self.push(at, ItemKind::Function(comment, false));
            }
            Some(b'}') if self.state.in_function => {
                self.state.in_function = false;
                self.push(at, ItemKind::FunctionEnd);
            }
            Some(b' ' | b'\t' | b'\r' | b';') => {
                let body = line.trim_ascii_start();
                if body.is_empty() {
                    return;
                }
                if body[0] == b';' {
                    self.comment_line(body);
                    return;
                }
            }
            _ => {}
        }
        let comment = self.comment.take();
        if finder.find(line).is_some() {
            self.statements(at, comment);
        }
    }

    fn comment_line(&mut self, body: &[u8]) {
        let blanks = body.iter().take_while(|b| matches!(b, b';' | b' ' | b'\t')).count();
        if body[blanks..].starts_with(b"ptx:") {
            self.comment = PtxComment::parse(&String::from_utf8_lossy(&body[blanks..])).map(Arc::new);
        }
    }

    /// `module asm "…"`, whose names all statements of the file can use. `at` is the offset after `asm`.
    fn module_text(&mut self, at: usize) {
        let quote = at + self.text[at..].iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
        if self.text.get(quote) != Some(&b'"') {
            return;
        }
        let (body_end, end, _) = string(self.text, quote);
        let Ok(source) = std::str::from_utf8(&self.text[quote..end]) else { return };
        let literal = Literal { span: 0..end - quote, body: 1..(body_end - quote).max(1), writing: statement::WRITING };
        let mut text = Decoded::default();
        decode_llvm_ir(&mut text, source, &literal);
        for name in declared(&text.text) {
            self.push(at, ItemKind::Define(name.into(), Value::Other));
        }
    }

    /// Finds the statements of the line at an offset, and ends after its last token's line.
    fn statements(&mut self, mut at: usize, mut comment: Option<Arc<PtxComment>>) {
        let text = self.text;
        // `module asm` is not a statement.
        let mut after_module = false;
        while let Some(&b) = text.get(at) {
            match b {
                b'\n' => {
                    at += 1;
                    break;
                }
                b';' => at = line_end(text, at),
                b'"' => at = string(text, at).1,
                // The name of a value, a function, a type or metadata.
                b'%' | b'@' | b'!' | b'#' => at = word(text, at + 1),
                _ if is_word(b) => {
                    let end = word(text, at);
                    let name = &text[at..end];
                    if name == b"asm" && after_module {
                        self.module_text(end);
                    }
                    let is_call = name == b"asm" && !after_module;
                    after_module = name == b"module";
                    match is_call.then(|| statement::statement(text, at, end)).flatten() {
                        Some((mut raw, after)) => {
                            raw.comment = comment.take();
                            self.push(at, ItemKind::Statement(Arc::new(raw)));
                            at = after;
                        }
                        None => at = end,
                    }
                }
                _ => at += 1,
            }
        }
        self.at = at;
    }
}
