//! The scanner of CUDA C++: finds statements, functions, conditions and definitions without a syntax tree.

mod directive;
mod lex;
mod line;
mod regions;
mod statement;
mod variants;

use crate::raw::{Flaw, Item, ItemKind, Raw, Value};
use crate::targets::PtxComment;
use lex::{block_comment, is_word, line_comment, number, prefix, quoted, raw_string, skip_blank, word};
use regions::Region;
use statement::Reading;
use std::sync::Arc;

/// The deepest nesting of `#if` inside a function that is followed.
const MAX_CONDITIONALS: usize = 64;

/// What the scanner knows at the start of a line. Equal states lead to equal results.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct CppState {
    /// Braces of the current function that are open. 0 outside functions.
    depth: u32,
    /// The column of the first token of the current function.
    indent: u32,
    /// Whether the body of the function is indented deeper than its first token.
    indented: Option<bool>,
    /// The depths at each `#if` inside the function.
    conditionals: Vec<u32>,
    /// What was read of a declaration.
    head: Head,
    /// The last token was `asm` or the name of a macro of `<nv/target>`, which the next line may continue.
    expects_bracket: bool,
}

impl CppState {
    /// Whether no function is open.
    pub fn is_outside(&self) -> bool {
        self.depth == 0
    }
}

/// What was read of a declaration outside functions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Head {
    /// The column of its first token, if there is one.
    indent: Option<u32>,
    /// `struct`, `namespace` and the like, outside angle brackets.
    scope: bool,
    /// `__device__` or `__global__`.
    device: bool,
    /// An opening round bracket.
    bracket: bool,
    /// The last token may end the head of a function.
    ends_function: bool,
    /// The last token was `<` or `,`.
    in_angle: bool,
    /// The last token was `constexpr` or `const`, or follows one directly: a constant may come.
    constant: bool,
}

/// Scans from the start of a line to an offset that `stop` accepts, which is asked at starts of lines only, or to the end.
pub(crate) fn scan(
    text: &[u8],
    start: usize,
    state: &CppState,
    stop: &mut dyn FnMut(usize, &CppState) -> bool,
) -> (usize, Vec<Item>, CppState) {
    let mut scanner = Scanner {
        text,
        at: start,
        base: start,
        state: state.clone(),
        items: Vec::new(),
        regions: Vec::new(),
        comment: None,
        comment_above_head: None,
        line: start,
        settled: 0,
        line_empty: true,
        parameters: None,
    };
    scanner.decide_indent();
    scanner.run(stop);
    scanner.finish()
}

/// Scans the body of a macro, whose parameters are given. It ends at `text.len()`.
fn scan_body(text: &[u8], start: usize, base: usize, parameters: &[&[u8]], items: &mut Vec<Item>) {
    // Most macros have no PTX.
    if memchr::memmem::find(&text[start..], b"asm").is_none() {
        return;
    }
    let mut scanner = Scanner {
        text,
        at: start,
        base,
        state: CppState { depth: 1, indented: Some(false), ..CppState::default() },
        items: vec![Item { at: start - base, kind: ItemKind::Function(None, false) }],
        regions: Vec::new(),
        comment: None,
        comment_above_head: None,
        line: start,
        settled: 0,
        line_empty: false,
        parameters: Some(parameters),
    };
    scanner.run(&mut |_, _| false);
    let (end, found, _) = scanner.finish();
    if found.iter().any(|i| matches!(i.kind, ItemKind::Statement(_))) {
        items.extend(found);
        items.push(Item { at: end - base, kind: ItemKind::FunctionEnd });
    }
}

struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
    base: usize,
    state: CppState,
    items: Vec<Item>,
    /// Calls of `NV_IF_TARGET` and its relatives that are open.
    regions: Vec<Region>,
    /// The `ptx:` comment after which no other token came.
    comment: Option<Arc<PtxComment>>,
    /// The `ptx:` comment before the first token of the current declaration.
    comment_above_head: Option<Arc<PtxComment>>,
    /// The start of the current line.
    line: usize,
    /// The offset up to which the text was read. An edit before it may change what was found.
    settled: usize,
    /// No token of the current line was read.
    line_empty: bool,
    /// The parameters, in the body of a macro.
    parameters: Option<&'a [&'a [u8]]>,
}

impl Scanner<'_> {
    fn push(&mut self, at: usize, kind: ItemKind) {
        self.items.push(Item { at: at - self.base, kind });
    }

    fn finish(mut self) -> (usize, Vec<Item>, CppState) {
        while !self.regions.is_empty() {
            self.leave_region(self.at);
        }
        (self.at, self.items, self.state)
    }

    fn run(&mut self, stop: &mut dyn FnMut(usize, &CppState) -> bool) {
        while let Some(&b) = self.text.get(self.at) {
            match b {
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'\n' => {
                    self.at += 1;
                    self.line = self.at;
                    self.line_empty = true;
                    let clean = self.regions.is_empty()
                        && self.at >= self.settled
                        && self.comment.is_none()
                        && self.comment_above_head.is_none()
                        && !self.state.expects_bracket
                        && !self.state.head.constant;
                    if clean && stop(self.at, &self.state) {
                        return;
                    }
                    self.decide_indent();
                }
                b'/' if self.text.get(self.at + 1) == Some(&b'/') => {
                    let end = line_comment(self.text, self.at);
                    self.comment(self.at + 2, end);
                    self.at = end;
                }
                b'/' if self.text.get(self.at + 1) == Some(&b'*') => {
                    let end = block_comment(self.text, self.at);
                    self.comment(self.at + 2, end.saturating_sub(2).max(self.at + 2).min(end));
                    self.at = end;
                }
                b'#' if self.line_empty && self.parameters.is_none() => self.directive(),
                b'\\' if matches!(self.text.get(self.at + 1), Some(b'\n' | b'\r')) => self.at += 2,
                // Most words in functions say nothing.
                _ if self.state.depth > 0
                    && is_word(b)
                    && !matches!(b, b'a' | b'_' | b'N' | b'u' | b'U' | b'L' | b'R' | b'0'..=b'9') =>
                {
                    self.at = word(self.text, self.at);
                    self.line_empty = false;
                    self.comment = None;
                    self.state.expects_bracket = false;
                }
                _ => self.token(b),
            }
        }
    }

    /// A comment, of which `ptx:` ones are kept.
    fn comment(&mut self, start: usize, end: usize) {
        let body = &self.text[start..end];
        let blanks = body.iter().take_while(|b| matches!(b, b' ' | b'\t' | b'/' | b'*')).count();
        if body[blanks..].starts_with(b"ptx:") {
            let parsed = PtxComment::parse(&String::from_utf8_lossy(&body[blanks..])).map(Arc::new);
            if self.state.depth == 0 && self.state.head.indent.is_none() {
                self.comment_above_head.clone_from(&parsed);
            }
            self.comment = parsed;
        }
    }

    /// Decides, at the first line of a function's body, whether it is indented.
    fn decide_indent(&mut self) {
        if self.state.depth > 0 && self.state.indented.is_none() {
            let rest = &self.text[self.at..];
            let column = rest.iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
            if !matches!(rest.get(column), None | Some(b'\n' | b'\r' | b'#' | b'}')) {
                self.state.indented = Some(column > self.state.indent as usize);
            }
        }
    }

    /// The column of an offset in the current line.
    fn column(&self, at: usize) -> u32 {
        let before = &self.text[self.line.min(at)..at];
        u32::try_from(before.iter().take_while(|b| matches!(b, b' ' | b'\t')).count()).unwrap_or(u32::MAX)
    }

    /// Any token but comments and directives.
    fn token(&mut self, b: u8) {
        let at = self.at;
        let first = std::mem::replace(&mut self.line_empty, false);
        let comment = self.comment.take();
        self.state.expects_bracket = false;
        let outside = self.state.depth == 0;
        let begins = self.state.head.indent.is_none();
        if outside && begins && !matches!(b, b';' | b'}') {
            self.state.head.indent = Some(self.column(at));
        }
        let head = &mut self.state.head;
        match b {
            b'{' => {
                self.at += 1;
                self.open_brace(at);
            }
            b'}' => {
                self.at += 1;
                self.close_brace(at, first);
            }
            b';' => {
                self.at += 1;
                if self.regions.last().is_some_and(|r| r.depth == 1) {
                    self.leave_region(at);
                }
                if self.state.depth == 0 {
                    self.state.head = Head::default();
                    self.comment_above_head = None;
                }
            }
            b'(' | b')' => {
                self.at += 1;
                head.bracket = true;
                head.ends_function = b == b')';
                head.in_angle = false;
                if !self.regions.is_empty() {
                    self.region_bracket(b, at);
                }
            }
            b',' => {
                self.at += 1;
                head.in_angle = true;
                head.ends_function = false;
                if self.regions.last().is_some_and(|r| r.depth == 1) {
                    self.region_comma(at);
                }
            }
            b'"' => {
                self.at = quoted(self.text, at).0;
                head.ends_function = false;
            }
            b'\'' => self.at = quoted(self.text, at).0,
            b'0'..=b'9' => self.at = number(self.text, at),
            _ if is_word(b) => self.word(at, outside && !begins, comment),
            _ => {
                self.at += 1;
                head.in_angle = b == b'<';
                head.ends_function = b == b']' && head.ends_function;
            }
        }
    }

    fn open_brace(&mut self, at: usize) {
        if self.state.depth > 0 {
            self.state.depth += 1;
            return;
        }
        let head = std::mem::take(&mut self.state.head);
        let comment = self.comment_above_head.take();
        if head.bracket && (head.ends_function || !head.scope) {
            self.state.depth = 1;
            self.state.indent = head.indent.unwrap_or(0);
            self.state.indented = None;
            self.state.conditionals.clear();
            self.push(at, ItemKind::Function(comment, head.device));
        }
    }

    fn close_brace(&mut self, at: usize, first: bool) {
        while !self.regions.is_empty() && self.regions.last().is_some_and(|r| r.depth == 1) {
            self.leave_region(at);
        }
        if self.state.depth == 0 {
            self.state.head = Head::default();
            self.comment_above_head = None;
            return;
        }
        self.state.depth -= 1;
        // A brace too many is open, but the function ends here by its layout.
        let by_layout = first
            && self.state.indented == Some(true)
            && self.column(at) <= self.state.indent
            && self.parameters.is_none();
        if self.state.depth == 0 || by_layout {
            self.end_function(at);
        }
    }

    fn end_function(&mut self, at: usize) {
        while !self.regions.is_empty() {
            self.leave_region(at);
        }
        self.state = CppState { expects_bracket: self.state.expects_bracket, ..CppState::default() };
        if self.parameters.is_none() {
            self.push(at, ItemKind::FunctionEnd);
        } else {
            self.state.depth = 1;
            self.state.indented = Some(false);
        }
    }

    /// Whether an `asm` inside a function belongs to a declaration, whose first word is in the same line.
    fn is_in_declaration(&self, at: usize) -> bool {
        let line = self.text[self.line.min(at)..at].trim_ascii_start();
        let first = &line[..word(line, 0)];
        self.parameters.is_none() && matches!(first, b"extern" | b"register")
    }

    /// A name or keyword. `goes_on`: it stands in a declaration outside functions, and is not its first word.
    fn word(&mut self, at: usize, goes_on: bool, comment: Option<Arc<PtxComment>>) {
        let end = word(self.text, at);
        self.at = end;
        let name = &self.text[at..end];
        if self.text.get(end) == Some(&b'"')
            && let Some(raw) = prefix(name)
        {
            let raw = if raw { raw_string(self.text, end) } else { None };
            self.at = raw.map_or_else(|| quoted(self.text, end).0, |(end, _)| end);
            return;
        }
        match name {
            b"asm" | b"__asm" | b"__asm__" => match statement::statement(self.text, at, end, self.parameters) {
                Some(reading)
                    if (goes_on || self.state.depth > 0 && self.is_in_declaration(at))
                        && reading.is_label(&self.text[at..]) =>
                {
                    self.at = reading.end;
                    self.settled = self.settled.max(reading.looked);
                }
                Some(reading) => self.statement(at, reading, comment),
                None => self.state.expects_bracket = true,
            },
            b"NV_IF_TARGET" | b"NV_IF_ELSE_TARGET" | b"NV_DISPATCH_TARGET" => self.enter_region(at, end),
            _ if self.state.depth == 0 => self.head_word(at, end),
            _ => {}
        }
    }

    fn statement(&mut self, at: usize, reading: Reading, comment: Option<Arc<PtxComment>>) {
        self.at = reading.end;
        self.settled = self.settled.max(reading.looked);
        let unclosed = |raw: &Raw| raw.flaws.contains(&Flaw::Unclosed);
        if reading.raws.iter().any(|(_, raw)| unclosed(raw)) && self.at > at {
            // The statement may have swallowed line breaks.
            self.line_empty = false;
        }
        if let Some(newline) = memchr::memrchr(b'\n', &self.text[at..self.at]) {
            self.line = at + newline + 1;
        }
        // Several texts are like statements in the branches of a condition.
        let mut open = false;
        for (condition, mut raw) in reading.raws {
            raw.comment.clone_from(&comment);
            if let Some(condition) = condition.map(Arc::new) {
                self.push(at, if open { ItemKind::Elif(condition) } else { ItemKind::If(condition) });
                open = true;
            }
            self.push(at, ItemKind::Statement(Arc::new(raw)));
        }
        if open {
            self.push(at, ItemKind::Endif);
        }
    }

    /// A word of a declaration outside functions.
    fn head_word(&mut self, at: usize, end: usize) {
        let name = &self.text[at..end];
        let head = &mut self.state.head;
        let in_angle = std::mem::replace(&mut head.in_angle, false);
        match name {
            b"struct" | b"class" | b"union" | b"enum" | b"namespace" | b"extern" if !in_angle => head.scope = true,
            b"__device__" | b"__global__" => head.device = true,
            b"const" | b"noexcept" | b"override" | b"mutable" | b"volatile" | b"try" => {
                head.constant |= name == b"const";
                return;
            }
            b"constexpr" => head.constant = true,
            b"public" | b"private" | b"protected" if self.text.get(end) == Some(&b':') => {
                *head = Head::default();
                return;
            }
            _ if head.constant && head.indent == Some(0) && !head.bracket => {
                let after = skip_blank(self.text, end);
                if self.text.get(after) == Some(&b'=') && self.text.get(after + 1) != Some(&b'=') {
                    self.constant(at, end, after + 1);
                    return;
                }
            }
            _ => {}
        }
        self.state.head.ends_function = false;
    }

    /// `constexpr int NAME = …;` at the left margin.
    fn constant(&mut self, at: usize, end: usize, value: usize) {
        let Some(length) = self.text[value..].iter().take(200).position(|b| matches!(b, b';' | b'{' | b'}' | b'\n'))
        else {
            return;
        };
        let (Ok(name), Ok(expression)) =
            (std::str::from_utf8(&self.text[at..end]), std::str::from_utf8(&self.text[value..value + length]))
        else {
            return;
        };
        let value = if self.text[value + length] == b';' { Value::Expression(expression.into()) } else { Value::Other };
        self.push(at, ItemKind::Define(name.into(), value));
        self.state.head.ends_function = false;
    }
}
