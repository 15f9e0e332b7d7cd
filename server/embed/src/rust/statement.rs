//! One call of `asm!` or `ptx_asm!`.

use super::lex::{character, is_word, skip_blank, skip_spaces, string, word};
use super::{call_bracket, form};
use crate::raw::{Direction, Flaw, Form, Piece, Raw, RawOperand};
use std::ops::Range;

/// Register classes of the nvptx targets.
const CLASSES: [&[u8]; 3] = [b"reg16", b"reg32", b"reg64"];

/// Reads the call whose name is at `start..end` and whose bracket is at `open`. Also gives the offset after it. No
/// statement comes of assembly whose registers are those of other processors.
pub(super) fn statement(text: &[u8], form: Form, start: usize, end: usize, open: usize) -> (Option<Raw>, usize) {
    let raw = Raw {
        form,
        len: 0,
        keyword: 0..end - start,
        volatile: true,
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
        memory: form == Form::RustAsm,
        colons: 0,
        close: 0,
        flaws: Vec::new(),
        comment: None,
    };
    let close = match text[open] {
        b'(' => b')',
        b'[' => b']',
        _ => b'}',
    };
    let mut reader = Reader {
        text,
        start,
        at: open + 1,
        close,
        in_template: true,
        is_raw: false,
        has_own_class: false,
        has_foreign_class: false,
        raw,
    };
    let is_closed = match reader.arguments() {
        Ok(()) => true,
        Err(at) => {
            reader.at = at;
            false
        }
    };
    let Reader { mut raw, at, is_raw, has_own_class, has_foreign_class, .. } = reader;
    raw.len = at - start;
    raw.close = raw.len - usize::from(is_closed);
    if !is_closed {
        raw.flaws.push(Flaw::Unclosed);
    }
    raw.flaws.sort_unstable();
    raw.flaws.dedup();
    for piece in &mut raw.template {
        if let Piece::Literal(literal) = piece {
            literal.writing.format = form == Form::RustAsm && !is_raw;
        }
    }
    ((has_own_class || !has_foreign_class).then_some(raw), at)
}

/// The reader of what stands between the brackets. Its functions fail with the offset where the call cannot go on.
struct Reader<'a> {
    text: &'a [u8],
    start: usize,
    at: usize,
    /// The closing bracket.
    close: u8,
    /// No operand and no option was read.
    in_template: bool,
    /// `options(raw)`
    is_raw: bool,
    has_own_class: bool,
    has_foreign_class: bool,
    raw: Raw,
}

impl Reader<'_> {
    fn relative(&self, range: Range<usize>) -> Range<usize> {
        range.start - self.start..range.end - self.start
    }

    fn blank(&mut self) {
        self.at = skip_blank(self.text, self.at);
    }

    fn next(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn arguments(&mut self) -> Result<(), usize> {
        loop {
            self.blank();
            match self.next() {
                None => return Err(self.at),
                Some(b) if b == self.close => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b',') => self.at += 1,
                Some(b) => self.argument(b)?,
            }
        }
    }

    fn argument(&mut self, b: u8) -> Result<(), usize> {
        let at = self.at;
        if let Some(string) = string(self.text, at)
            && self.in_template
        {
            if !string.is_text {
                return self.unknown(at);
            }
            self.new_line(at);
            return self.literal();
        }
        match b {
            // `#[cfg(…)]`
            b'#' => {
                self.at = skip_blank(self.text, at + 1);
                self.raw.flaws.push(Flaw::OperandHole);
                if self.next() == Some(b'[') { self.brackets().map(drop) } else { Ok(()) }
            }
            b'$' => self.fragment(at),
            _ if is_word(b) => self.named(at, None),
            _ => self.unknown(at),
        }
    }

    /// A template string begins: strings are joined by line breaks.
    fn new_line(&mut self, at: usize) {
        if !self.raw.template.is_empty() {
            self.raw.template.push(Piece::LineBreak(at - self.start));
        }
    }

    /// A literal of the text.
    fn literal(&mut self) -> Result<(), usize> {
        let Some(string) = string(self.text, self.at) else { return Err(self.at) };
        let mut literal = string.literal;
        self.at = literal.span.end;
        literal.span = self.relative(literal.span);
        literal.body = self.relative(literal.body);
        self.raw.template.push(Piece::Literal(literal));
        if string.is_closed { Ok(()) } else { Err(self.at) }
    }

    /// A part of the text whose value is unknown.
    fn hole(&mut self, range: Range<usize>) {
        let range = self.relative(range);
        self.raw.template.push(Piece::Hole(range));
    }

    /// Any number of operands that are unknown.
    fn operand_hole(&mut self) {
        self.raw.flaws.push(Flaw::OperandHole);
        self.raw.operands.push(RawOperand::Hole);
    }

    /// An argument that is neither text nor an operand.
    fn unknown(&mut self, at: usize) -> Result<(), usize> {
        let range = self.expression()?;
        if range.is_empty() {
            return Err(self.at);
        }
        if self.in_template {
            self.new_line(at);
            self.hole(range);
        } else {
            self.operand_hole();
        }
        Ok(())
    }

    /// `$x` or `$(…),*` in the body of a macro.
    fn fragment(&mut self, at: usize) -> Result<(), usize> {
        self.at = at + 1;
        let repeats = self.next() == Some(b'(');
        let range = self.expression()?;
        if self.in_template {
            self.new_line(at);
            self.hole(at..range.end.max(at + 1));
        }
        if repeats || !self.in_template {
            self.operand_hole();
        }
        Ok(())
    }

    /// An argument that begins with a word: an operand, options or a macro. `name` is the name of the operand.
    fn named(&mut self, at: usize, name: Option<Range<usize>>) -> Result<(), usize> {
        let end = word(self.text, at);
        let from = name.as_ref().map_or(at, |n| n.start);
        let after = skip_spaces(self.text, end);
        let is_call = self.text.get(after) == Some(&b'(');
        let is_oxide = self.raw.form == Form::PtxAsm;
        match &self.text[at..end] {
            b"in" if is_call => self.register(Direction::In, from, after, name),
            b"out" | b"lateout" if is_call => self.register(Direction::Out, from, after, name),
            b"inout" | b"inlateout" if is_call => self.register(Direction::InOut, from, after, name),
            b"const" if !is_oxide => self.value(Direction::Const, from, end, name),
            b"sym" | b"label" if !is_oxide && !is_call => self.value(Direction::Symbol, from, end, name),
            b"options" if is_call && name.is_none() => self.options(after),
            b"clobber" if is_call && is_oxide => self.clobber(after),
            b"clobber_abi" if is_call => {
                self.in_template = false;
                self.has_foreign_class = true;
                self.at = after;
                self.brackets().map(drop)
            }
            b"concat" if self.in_template && call_bracket(self.text, end).is_some() => self.concat(at, end),
            _ => {
                let equals = skip_blank(self.text, end);
                let next = self.text.get(equals + 1);
                if name.is_none() && self.text.get(equals) == Some(&b'=') && !matches!(next, Some(b'=' | b'>')) {
                    self.in_template = false;
                    self.at = skip_blank(self.text, equals + 1);
                    let is_name = self.next().is_some_and(is_word);
                    return if is_name { self.named(self.at, Some(at..end)) } else { self.unknown(at) };
                }
                self.unknown(at)
            }
        }
    }

    /// `in(reg32) expression`, from its bracket.
    fn register(
        &mut self,
        direction: Direction,
        from: usize,
        open: usize,
        name: Option<Range<usize>>,
    ) -> Result<(), usize> {
        self.in_template = false;
        self.at = skip_blank(self.text, open + 1);
        let (constraint, quoted) = match string(self.text, self.at) {
            Some(string) => (string.literal.body, true),
            None => (self.at..word(self.text, self.at), false),
        };
        self.at = open;
        self.brackets()?;
        let class = &self.text[constraint.clone()];
        if self.raw.form == Form::RustAsm {
            let own = !quoted && CLASSES.contains(&class);
            self.has_own_class |= own;
            self.has_foreign_class |= !own && !class.is_empty();
        }
        let constraint = self.relative(constraint);
        self.operand(direction, from, name, constraint, quoted)
    }

    /// `const expression` or `sym path`.
    fn value(
        &mut self,
        direction: Direction,
        from: usize,
        end: usize,
        name: Option<Range<usize>>,
    ) -> Result<(), usize> {
        self.in_template = false;
        let constraint = self.relative(end - self.text[..end].iter().rev().take_while(|b| is_word(**b)).count()..end);
        self.at = end;
        self.operand(direction, from, name, constraint, false)
    }

    /// The expression of an operand, which it completes.
    fn operand(
        &mut self,
        direction: Direction,
        from: usize,
        name: Option<Range<usize>>,
        constraint: Range<usize>,
        quoted: bool,
    ) -> Result<(), usize> {
        let expression = self.expression();
        let (range, result) = match expression {
            Ok(range) => (range, Ok(())),
            Err(at) => (self.at..self.at, Err(at)),
        };
        if range.is_empty() && result.is_ok() {
            self.raw.flaws.push(Flaw::Unclosed);
        }
        let operand = RawOperand::Rust {
            direction,
            span: self.relative(from..range.end),
            name: name.map(|n| self.relative(n)),
            constraint,
            quoted,
            expression: self.relative(range),
        };
        self.raw.operands.push(operand);
        result
    }

    fn options(&mut self, open: usize) -> Result<(), usize> {
        self.in_template = false;
        self.at = open;
        let inside = self.brackets()?;
        let mut at = inside.start;
        while at < inside.end {
            let end = word(self.text, at).max(at + 1);
            match &self.text[at..end] {
                b"pure" | b"register_only" => self.raw.volatile = false,
                b"nomem" | b"readonly" => self.raw.memory = false,
                b"raw" => self.is_raw = true,
                _ => {}
            }
            at = end;
        }
        Ok(())
    }

    /// `clobber("memory")`
    fn clobber(&mut self, open: usize) -> Result<(), usize> {
        self.in_template = false;
        self.at = skip_blank(self.text, open + 1);
        if let Some(string) = string(self.text, self.at) {
            let mut literal = string.literal;
            literal.span = self.relative(literal.span);
            literal.body = self.relative(literal.body);
            self.raw.clobbers.push(vec![Piece::Literal(literal)]);
        }
        self.at = open;
        self.brackets().map(drop)
    }

    /// `concat!("…", "…")`, of which all but literals are holes.
    fn concat(&mut self, at: usize, end: usize) -> Result<(), usize> {
        self.new_line(at);
        let Some(open) = call_bracket(self.text, end) else { return Err(at) };
        let outer = std::mem::replace(&mut self.close, closing(self.text[open]));
        self.at = open + 1;
        loop {
            self.blank();
            let at = self.at;
            match self.next() {
                None => return Err(at),
                Some(b) if b == self.close => break,
                Some(b',') => self.at += 1,
                Some(_) if string(self.text, at).is_some_and(|s| s.is_text) => self.literal()?,
                Some(_) => {
                    let range = self.expression()?;
                    if range.is_empty() {
                        return Err(self.at);
                    }
                    self.hole(range);
                }
            }
        }
        self.close = outer;
        self.at += 1;
        Ok(())
    }

    /// Goes behind the bracket that closes the one here. Returns what is between.
    fn brackets(&mut self) -> Result<Range<usize>, usize> {
        let open = self.at;
        let outer = std::mem::replace(&mut self.close, closing(self.text[open]));
        self.at = open + 1;
        let result = self.tokens(false);
        self.close = outer;
        let end = self.at;
        result?;
        self.at = end + 1;
        Ok(open + 1..end)
    }

    /// Goes to the comma or bracket that ends the expression here. Returns its place without blanks around it.
    fn expression(&mut self) -> Result<Range<usize>, usize> {
        self.blank();
        let start = self.at;
        let end = self.tokens(true)?;
        Ok(start..end.max(start))
    }

    /// Goes over tokens to the closing bracket, or to a comma outside brackets. Returns the end of the last token.
    fn tokens(&mut self, to_comma: bool) -> Result<usize, usize> {
        let text = self.text;
        let mut open: Vec<u8> = Vec::new();
        let mut last = self.at;
        loop {
            self.blank();
            let at = self.at;
            let Some(b) = self.next() else { return Err(at) };
            let rest = &text[at..];
            match b {
                b',' if to_comma && open.is_empty() => return Ok(last),
                b'(' | b'[' | b'{' => open.push(closing(b)),
                b')' | b']' | b'}' => match open.last() {
                    None if b == self.close => return Ok(last),
                    Some(top) if *top == b => drop(open.pop()),
                    _ => return Err(at),
                },
                // Only blocks and array types contain semicolons.
                b';' if !matches!(open.last(), Some(b'}' | b']')) => return Err(at),
                b'<' if open.last() == Some(&b'>') || text[..at].ends_with(b"::") => open.push(b'>'),
                b'>' if open.last() == Some(&b'>') => drop(open.pop()),
                _ if rest.starts_with(b"->") || rest.starts_with(b"=>") => self.at += 1,
                b'\'' => self.at = character(text, at).max(at + 1) - 1,
                _ => {
                    if let Some(string) = string(text, at) {
                        self.at = string.literal.span.end - 1;
                        if !string.is_closed {
                            return Err(text.len());
                        }
                    } else if is_word(b) {
                        let end = word(text, at);
                        let begins_item =
                            matches!(&text[at..end], b"fn" | b"pub" | b"impl" | b"struct" | b"mod" | b"use");
                        if form(&text[at..end]).is_some() && call_bracket(text, end).is_some()
                            || begins_item && !open.contains(&b'}')
                        {
                            return Err(at);
                        }
                        self.at = end - 1;
                    }
                }
            }
            self.at += 1;
            last = self.at;
        }
    }
}

fn closing(open: u8) -> u8 {
    match open {
        b'(' => b')',
        b'[' => b']',
        _ => b'}',
    }
}
