//! One call that takes PTX.

use super::lex::{is_word, string, word};
use crate::raw::{Flaw, Form, Piece, Raw};
use std::ops::Range;

/// An argument of a call.
struct Argument {
    name: Option<Range<usize>>,
    /// From its first to its last token, without its name.
    span: Range<usize>,
    /// Its value as literals and names, where it consists of nothing else.
    pieces: Option<Vec<Piece>>,
    /// The elements, if it is a list or tuple of known length.
    elements: Option<Vec<Range<usize>>>,
}

/// Reads the call of a function whose name is at `start..end` and whose bracket is at `open`. Also gives the offset after.
pub(super) fn call(text: &[u8], form: Form, start: usize, end: usize, open: usize) -> (Raw, usize) {
    let (arguments, after, closed) = arguments(text, open);
    let named =
        |names: &[&[u8]]| arguments.iter().find(|a| a.name.as_ref().is_some_and(|n| names.contains(&&text[n.clone()])));
    let positional = |index: usize| arguments.iter().take_while(|a| a.name.is_none()).nth(index);
    // Where the parts stand among the positional arguments.
    let numba = text[start..end] == *b"InlineAsm";
    let (template, constraints, operands): (usize, usize, Option<usize>) = match form {
        Form::LlvmInlineAsm if numba => (1, 2, None),
        Form::LlvmInlineAsm => (2, 3, Some(1)),
        Form::Elementwise => (0, 1, Some(2)),
        _ => (0, usize::MAX, None),
    };
    let template = named(&[b"asm", b"asm_string", b"ptx_code", b"asm_str"]).or_else(|| positional(template));
    let constraints = named(&[b"constraints", b"constraint"]).or_else(|| positional(constraints));
    let operands = named(&[b"args", b"operands_", b"operands"]).or_else(|| operands.and_then(positional));
    let is_true = |argument: Option<&Argument>| argument.is_some_and(|a| text[a.span.clone()] == *b"True");
    let pure = named(&[b"is_pure"]);
    let volatile = is_true(named(&[b"has_side_effects", b"side_effect"]))
        || numba && is_true(positional(3))
        || form == Form::Elementwise && pure.is_some_and(|a| text[a.span.clone()] == *b"False");
    let relative = |range: &Range<usize>| range.start - start..range.end - start;
    let pieces = |argument: Option<&Argument>| -> Vec<Piece> {
        let Some(argument) = argument else { return Vec::new() };
        let Some(pieces) = &argument.pieces else { return vec![Piece::Hole(relative(&argument.span))] };
        pieces
            .iter()
            .map(|piece| match piece {
                Piece::Literal(literal) => {
                    let mut literal = literal.clone();
                    literal.span = relative(&literal.span);
                    literal.body = relative(&literal.body);
                    Piece::Literal(literal)
                }
                Piece::Name(range) => Piece::Name(relative(range)),
                Piece::Hole(range) => Piece::Hole(relative(range)),
                Piece::LineBreak(at) => Piece::LineBreak(at - start),
            })
            .collect()
    };
    let mut flaws = Vec::new();
    if !closed {
        flaws.push(Flaw::Unclosed);
    }
    let expressions = operands.and_then(|a| a.elements.as_ref());
    // `inline_ptx`: the types of what is written.
    let types = named(&[b"write_only_types"]).and_then(|a| a.elements.as_ref());
    let raw = Raw {
        form,
        len: after - start,
        keyword: 0..end - start,
        volatile,
        goto: false,
        in_define: false,
        template: pieces(template),
        constraints: pieces(constraints),
        operands: Vec::new(),
        arguments: expressions.map(|list| list.iter().map(relative).collect()),
        types: types.map(|list| list.iter().map(relative).collect()).unwrap_or_default(),
        variant: None,
        clobbers: Vec::new(),
        has_clobbers: false,
        memory: false,
        colons: 0,
        close: after.saturating_sub(1).max(start) - start,
        flaws,
        comment: None,
    };
    (raw, after)
}

/// The arguments between brackets, the offset after the closing one, and whether there is one.
fn arguments(text: &[u8], open: usize) -> (Vec<Argument>, usize, bool) {
    let mut out = Vec::new();
    let mut at = open + 1;
    loop {
        let (argument, end) = argument(text, at);
        out.extend(argument);
        match text.get(end) {
            Some(b',') => at = end + 1,
            Some(b')') => return (out, end + 1, true),
            _ => return (out, end, false),
        }
    }
}

/// The argument at an offset, and the offset of what ends it.
fn argument(text: &[u8], start: usize) -> (Option<Argument>, usize) {
    let mut reader = Reader { text, at: start, line_empty: false };
    let mut name = None;
    let mut span: Option<Range<usize>> = None;
    let mut pieces = Some(Vec::new());
    let mut elements = None;
    let mut wrapped = 0u32;
    while let Some(token) = reader.token() {
        let range = token.range();
        if let Token::Other(_, b',') = token
            && wrapped == 0
        {
            reader.at = range.start;
            break;
        }
        if let Token::Close(..) = token {
            if wrapped == 0 {
                reader.at = range.start;
                break;
            }
            wrapped -= 1;
        }
        let first = span.is_none();
        span = Some(span.map_or(range.clone(), |s| s.start..range.end));
        match token {
            Token::Literal(literal, closed) => match &mut pieces {
                Some(pieces) if closed => pieces.push(Piece::Literal(literal)),
                _ => pieces = None,
            },
            Token::Word(range) if first && name.is_none() && reader.is_assignment() => {
                name = Some(range);
                span = None;
            }
            Token::Word(range) => match &mut pieces {
                Some(pieces) if pieces.is_empty() => pieces.push(Piece::Name(range)),
                Some(pieces) if matches!(reader.before(range.start), b'+') => pieces.push(Piece::Name(range)),
                _ => pieces = None,
            },
            Token::Open(range, b'(') if pieces.as_ref().is_some_and(Vec::is_empty) && first | (wrapped > 0) => {
                wrapped += 1;
                let _ = range;
            }
            Token::Open(range, _) => {
                let (end, inside) = reader.skip(range.start);
                elements = inside.filter(|_| first);
                span = span.map(|s| s.start..end);
                pieces = None;
            }
            Token::Close(..) | Token::Other(_, b'+') => {}
            Token::Other(..) => pieces = None,
        }
    }
    let end = reader.at;
    let pieces = pieces.filter(|p| !p.is_empty() && wrapped == 0);
    (span.map(|span| Argument { name, span, pieces, elements }), end)
}

enum Token {
    Literal(crate::raw::Literal, bool),
    Word(Range<usize>),
    Open(Range<usize>, u8),
    Close(Range<usize>),
    Other(Range<usize>, u8),
}

impl Token {
    fn range(&self) -> Range<usize> {
        match self {
            Self::Literal(literal, _) => literal.span.clone(),
            Self::Word(range) | Self::Open(range, _) | Self::Close(range) | Self::Other(range, _) => range.clone(),
        }
    }
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    line_empty: bool,
}

impl Reader<'_> {
    /// The next token, or `None` at the end of the text and before a line that begins a statement.
    fn token(&mut self) -> Option<Token> {
        loop {
            let at = self.at;
            let b = *self.text.get(at)?;
            match b {
                b'\n' => {
                    self.at += 1;
                    self.line_empty = true;
                }
                b' ' | b'\t' | b'\r' | b'\\' => self.at += 1,
                b'#' => self.at = memchr::memchr(b'\n', &self.text[at..]).map_or(self.text.len(), |i| at + i),
                _ => {
                    let first = std::mem::replace(&mut self.line_empty, false);
                    if let Some((literal, closed)) = string(self.text, at) {
                        self.at = literal.span.end;
                        return Some(Token::Literal(literal, closed));
                    }
                    if is_word(b) {
                        let end = word(self.text, at);
                        if first && super::begins_statement(&self.text[at..end]) {
                            return None;
                        }
                        self.at = end;
                        return Some(Token::Word(at..end));
                    }
                    self.at += 1;
                    let range = at..at + 1;
                    return Some(match b {
                        b'(' | b'[' | b'{' => Token::Open(range, b),
                        b')' | b']' | b'}' => Token::Close(range),
                        _ => Token::Other(range, b),
                    });
                }
            }
        }
    }

    /// Whether a `=` follows, which it takes.
    fn is_assignment(&mut self) -> bool {
        let at = self.at + self.text[self.at..].iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
        let found = self.text.get(at) == Some(&b'=') && self.text.get(at + 1) != Some(&b'=');
        if found {
            self.at = at + 1;
        }
        found
    }

    /// The byte before an offset, without blanks.
    fn before(&self, at: usize) -> u8 {
        self.text[..at].iter().rev().find(|b| !b.is_ascii_whitespace()).copied().unwrap_or(0)
    }

    /// Goes behind the bracket that closes the one at an offset. Returns the offset there, and the elements between, if
    /// none is `*list` or a comprehension.
    fn skip(&mut self, open: usize) -> (usize, Option<Vec<Range<usize>>>) {
        self.at = open + 1;
        let mut depth = 1u32;
        let mut elements = Some(Vec::new());
        let mut element: Option<Range<usize>> = None;
        while let Some(token) = self.token() {
            let range = token.range();
            match &token {
                Token::Open(..) => depth += 1,
                Token::Close(..) => {
                    depth -= 1;
                    if depth == 0 {
                        if let (Some(elements), Some(last)) = (&mut elements, element) {
                            elements.push(last);
                        }
                        return (self.at, elements);
                    }
                }
                Token::Other(_, b',') if depth == 1 => {
                    if let (Some(elements), Some(last)) = (&mut elements, element.take()) {
                        elements.push(last);
                    }
                    continue;
                }
                Token::Other(_, b'*') if depth == 1 && element.is_none() => elements = None,
                Token::Word(word) if depth == 1 && self.text[word.clone()] == *b"for" => elements = None,
                _ => {}
            }
            element = Some(element.map_or(range.clone(), |e| e.start..range.end));
        }
        (self.at, None)
    }
}
