//! One call of `asm`.

use super::{is_word, line_end, string, word};
use crate::raw::{Flaw, Form, Literal, Piece, Raw, Writing};
use std::ops::Range;

/// A string of LLVM IR. Line breaks in it are always escaped.
pub(super) const WRITING: Writing = Writing { raw: false, lines: false, format: false, quote: '"', levels: 1 };

/// The offset after blanks, line breaks and comments.
fn skip_blank(text: &[u8], mut at: usize) -> usize {
    loop {
        match text.get(at) {
            Some(b) if b.is_ascii_whitespace() => at += 1,
            Some(b';') => at = line_end(text, at),
            _ => return at,
        }
    }
}

/// Reads the call whose keyword is at `start..end`. `None` if no string follows in the same line, so that an edit of a
/// later line cannot change what this one means. Also gives the offset after it.
pub(super) fn statement(text: &[u8], start: usize, end: usize) -> Option<(Raw, usize)> {
    let skip_spaces = |at: usize| at + text[at..].iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
    let mut volatile = false;
    let mut at = skip_spaces(end);
    while text.get(at) != Some(&b'"') {
        let stop = word(text, at);
        match &text[at..stop] {
            b"sideeffect" => volatile = true,
            b"alignstack" | b"inteldialect" | b"unwind" => {}
            _ => return None,
        }
        at = skip_spaces(stop);
    }
    let raw = Raw {
        form: Form::LlvmIr,
        len: 0,
        keyword: 0..end - start,
        volatile,
        goto: false,
        in_define: false,
        template: Vec::new(),
        constraints: Vec::new(),
        operands: Vec::new(),
        arguments: None,
        types: Vec::new(),
        variant: None,
        clobbers: Vec::new(),
        has_clobbers: false,
        memory: false,
        colons: 0,
        close: 0,
        flaws: Vec::new(),
        comment: None,
    };
    let mut reader = Reader { text, start, at, raw };
    if reader.parts().is_none() {
        reader.raw.flaws.push(Flaw::Unclosed);
        reader.raw.close = reader.at - start;
    }
    let Reader { mut raw, at, .. } = reader;
    raw.len = at - start;
    Some((raw, at))
}

struct Reader<'a> {
    text: &'a [u8],
    start: usize,
    at: usize,
    raw: Raw,
}

impl Reader<'_> {
    /// The text, the constraints and the arguments. `None` where the call cannot go on.
    fn parts(&mut self) -> Option<()> {
        let (piece, is_closed) = self.literal();
        self.raw.template.push(piece);
        if !is_closed {
            return None;
        }
        self.next(b',')?;
        if self.text.get(skip_blank(self.text, self.at)) != Some(&b'"') {
            return None;
        }
        self.at = skip_blank(self.text, self.at);
        let (piece, is_closed) = self.literal();
        self.raw.constraints.push(piece);
        if !is_closed {
            return None;
        }
        self.next(b'(')?;
        self.arguments()
    }

    /// Takes a byte, if it comes next.
    fn next(&mut self, b: u8) -> Option<()> {
        let at = skip_blank(self.text, self.at);
        (self.text.get(at) == Some(&b)).then(|| self.at = at + 1)
    }

    fn literal(&mut self) -> (Piece, bool) {
        let quote = self.at;
        let (body_end, end, is_closed) = string(self.text, quote);
        self.at = end;
        let at = |offset: usize| offset - self.start;
        let literal = Literal { span: at(quote)..at(end), body: at(quote + 1)..at(body_end), writing: WRITING };
        (Piece::Literal(literal), is_closed)
    }

    /// Reads to the closing bracket.
    fn arguments(&mut self) -> Option<()> {
        let text = self.text;
        let mut list: Vec<Range<usize>> = Vec::new();
        let mut argument: Option<Range<usize>> = None;
        let mut depth = 0u32;
        let mut at = self.at;
        loop {
            at = skip_blank(text, at);
            self.at = at;
            let token = at;
            match *text.get(at)? {
                b')' if depth == 0 => {
                    list.extend(argument);
                    self.raw.close = at - self.start;
                    self.at = at + 1;
                    self.raw.arguments = Some(list);
                    return Some(());
                }
                b',' if depth == 0 => {
                    list.extend(argument.take());
                    at += 1;
                    continue;
                }
                b'(' | b'[' | b'{' | b'<' => depth += 1,
                b')' | b']' | b'}' | b'>' if depth > 0 => depth -= 1,
                // The next instruction.
                b'}' | b'=' => return None,
                b'"' => at = string(text, at).1 - 1,
                b'%' | b'@' | b'!' | b'#' => at = word(text, at + 1) - 1,
                b if is_word(b) => {
                    let end = word(text, at);
                    if matches!(
                        &text[at..end],
                        b"asm"
                            | b"br"
                            | b"call"
                            | b"callbr"
                            | b"declare"
                            | b"define"
                            | b"invoke"
                            | b"musttail"
                            | b"notail"
                            | b"ret"
                            | b"store"
                            | b"switch"
                            | b"tail"
                            | b"unreachable"
                    ) {
                        return None;
                    }
                    at = end - 1;
                }
                _ => {}
            }
            at += 1;
            let span = token - self.start..at - self.start;
            argument = Some(argument.map_or(span.clone(), |a| a.start..span.end));
        }
    }
}
