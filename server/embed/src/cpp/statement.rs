//! One `asm` statement.

use super::lex::{block_comment, line_comment, number, quoted, skip_blank, string, word};
use super::variants::{Directive, MAX_DIRECTIVES, choices, directives};
use crate::raw::{Flaw, Form, Piece, Raw, RawOperand, Variant};
use crate::targets::Condition;
use std::ops::Range;
use std::sync::Arc;

/// A statement that was read.
pub(super) struct Reading {
    /// The statement; several if conditions inside leave several texts, and then each has what holds where it is compiled.
    pub raws: Vec<(Option<Condition>, Raw)>,
    /// The offset after it.
    pub end: usize,
    /// The offset to which the text decides about all this.
    pub looked: usize,
}

impl Reading {
    /// Whether this may be the name that a declaration gives its function or variable for the assembler, and not a statement:
    /// `float load(int) __asm("llvm.amdgcn.raw.load");`. `text` begins with the keyword.
    pub(super) fn is_label(&self, text: &[u8]) -> bool {
        let is_name = |piece: &Piece| match piece {
            Piece::Literal(literal) => text.get(literal.body.clone()).is_some_and(|name| {
                name.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'$' | b'@' | b'?'))
            }),
            Piece::Name(_) => true,
            Piece::Hole(_) | Piece::LineBreak(_) => false,
        };
        self.raws.iter().all(|(_, raw)| raw.colons == 0 && !raw.volatile && raw.template.iter().all(is_name))
    }
}

/// Reads the statement whose keyword is at `start..end`. `None` if no bracket follows. `parameters` are those of the macro
/// whose body is read.
pub(super) fn statement(text: &[u8], start: usize, end: usize, parameters: Option<&[&[u8]]>) -> Option<Reading> {
    let (mut volatile, mut goto) = (false, false);
    let mut at = skip_blank(text, end);
    loop {
        let stop = word(text, at);
        match &text[at..stop] {
            b"" => break,
            b"volatile" | b"__volatile__" | b"__volatile" => volatile = true,
            b"goto" => goto = true,
            b"inline" | b"__inline__" | b"__inline" => {}
            // A macro that may stand for `volatile`.
            name if name.iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b'_') => volatile = true,
            _ => return None,
        }
        at = skip_blank(text, stop);
    }
    if text.get(at) != Some(&b'(') {
        return None;
    }
    let raw = Raw {
        form: Form::Asm,
        len: 0,
        keyword: 0..end - start,
        volatile,
        goto,
        in_define: parameters.is_some(),
        template: Vec::new(),
        constraints: Vec::new(),
        operands: Vec::new(),
        arguments: None,
        types: Vec::new(),
        clobbers: Vec::new(),
        has_clobbers: false,
        memory: false,
        colons: 0,
        close: 0,
        flaws: Vec::new(),
        comment: None,
        variant: None,
    };
    let read = |without: &[Range<usize>], directives: Option<Vec<Directive>>| {
        let mut reader = Reader {
            text,
            start,
            at: at + 1,
            section: 0,
            parameters,
            pieces: Vec::new(),
            name: None,
            raw: raw.clone(),
            without: without.to_vec(),
            directives,
            looked: 0,
            closed: false,
        };
        reader.sections();
        reader.raw.len = reader.at - start;
        reader.raw.flaws.sort_unstable();
        reader.raw.flaws.dedup();
        reader.looked = reader.looked.max(reader.at);
        reader
    };
    // The first text, which meets the directives.
    let first = read(&[], Some(Vec::new()));
    if first.directives.as_ref().is_some_and(Vec::is_empty) {
        return Some(Reading { end: first.at, looked: first.looked, raws: vec![(None, first.raw)] });
    }
    let mut looked = first.looked;
    let found = first.directives.filter(|d| first.closed && d.iter().all(|d| d.span.end <= first.at));
    let choices = found.and_then(|found| choices(&found)).unwrap_or_default();
    let count = choices.len();
    let mut raws = Vec::with_capacity(count);
    for (number, choice) in choices.into_iter().enumerate() {
        let mut one = read(&choice.without, None);
        looked = looked.max(one.looked);
        if !one.closed || one.at != first.at || one.raw.flaws.contains(&Flaw::Directive) {
            raws.clear();
            break;
        }
        if count > 1 {
            let relative = |ranges: Vec<Range<usize>>| ranges.iter().map(|r| one.relative(r.clone())).collect();
            let (branches, without) = (relative(choice.branches), relative(choice.without));
            one.raw.variant = Some(Arc::new(Variant { number, count, branches, without }));
        }
        let conditional = count > 1 || !choice.conditions.is_empty();
        raws.push((conditional.then_some(Condition::All(choice.conditions)), one.raw));
    }
    if !raws.is_empty() {
        return Some(Reading { raws, end: first.at, looked });
    }
    // As if all branches stood one after the other.
    let whole = read(&[], None);
    Some(Reading { end: whole.at, looked: looked.max(whole.looked), raws: vec![(None, whole.raw)] })
}

/// The reader of what stands between the brackets.
struct Reader<'a> {
    text: &'a [u8],
    start: usize,
    at: usize,
    section: usize,
    parameters: Option<&'a [&'a [u8]]>,
    /// What was read since the last separator.
    pieces: Vec<Piece>,
    /// The `[name]` of the operand.
    name: Option<Range<usize>>,
    raw: Raw,
    /// The parts to leave out. Each begins with a directive.
    without: Vec<Range<usize>>,
    /// The directives that were met, if they are collected and fit together.
    directives: Option<Vec<Directive>>,
    /// The offset to which directives were looked for.
    looked: usize,
    /// The closing bracket was found.
    closed: bool,
}

impl Reader<'_> {
    fn relative(&self, range: Range<usize>) -> Range<usize> {
        range.start - self.start..range.end - self.start
    }

    /// Reads to the closing bracket, or to where the statement cannot go on.
    fn sections(&mut self) {
        loop {
            self.at = skip_blank(self.text, self.at);
            let at = self.at;
            let Some(b) = self.text.get(at) else { return self.broken(at) };
            if let Some((mut literal, closed)) = string(self.text, at) {
                self.at = literal.span.end;
                literal.span = self.relative(literal.span);
                literal.body = self.relative(literal.body);
                self.pieces.push(Piece::Literal(literal));
                if !closed {
                    self.raw.flaws.push(Flaw::Unclosed);
                }
                continue;
            }
            match b {
                b')' => {
                    self.separator();
                    self.raw.close = at - self.start;
                    self.at = at + 1;
                    self.closed = true;
                    return;
                }
                b':' => {
                    self.separator();
                    self.section += 1;
                    self.raw.has_clobbers |= self.section == 3;
                    self.raw.colons = self.raw.colons.max(self.section.min(4));
                    self.at += 1;
                }
                b',' => {
                    self.separator();
                    self.at += 1;
                }
                b';' | b'{' | b'}' => return self.broken(at),
                b'(' => match walk(self.text, at) {
                    Ok(end) => {
                        self.at = end;
                        self.bracketed(at..end);
                    }
                    Err(end) => return self.broken(end),
                },
                b'[' => {
                    let inner = skip_blank(self.text, at + 1);
                    let end = word(self.text, inner);
                    let close = skip_blank(self.text, end);
                    self.at = at + 1;
                    if self.text.get(close) == Some(&b']') {
                        self.name = Some(self.relative(inner..end));
                        self.at = close + 1;
                    }
                }
                b'#' if self.parameters.is_some() => {
                    let from = at;
                    let mut end = at + 1 + usize::from(self.text.get(at + 1) == Some(&b'#'));
                    end = word(self.text, skip_blank(self.text, end));
                    self.at = end;
                    self.pieces.push(Piece::Hole(self.relative(from..end)));
                }
                b'#' => self.directive(at),
                _ => {
                    let end = if b.is_ascii_digit() { number(self.text, at) } else { word(self.text, at) };
                    if end == at {
                        self.at += 1;
                        continue;
                    }
                    let name = &self.text[at..end];
                    // After a literal without end, the rest is other code.
                    let lost = self.raw.flaws.contains(&Flaw::Unclosed);
                    if lost || matches!(name, b"asm" | b"__asm" | b"__asm__" | b"return") {
                        return self.broken(at);
                    }
                    self.at = end;
                    let relative = self.relative(at..end);
                    let is_parameter = self.parameters.is_some_and(|p| p.contains(&name));
                    self.pieces.push(if is_parameter { Piece::Hole(relative) } else { Piece::Name(relative) });
                }
            }
        }
    }

    /// A directive, which is left out with the branches that do not belong to the text.
    fn directive(&mut self, at: usize) {
        let known = |without: &[Range<usize>]| without.iter().find(|r| r.start == at).map(|r| r.end);
        if let Some(end) = known(&self.without) {
            self.at = end;
            return;
        }
        if let Some(mut all) = self.directives.take() {
            match directives(self.text, at) {
                Ok(found) => {
                    self.looked = found.last().map_or(0, |d| d.span.end).max(self.looked);
                    let first = choices(&found).and_then(|choices| choices.into_iter().next());
                    if let Some(first) = first
                        && all.len() + found.len() <= MAX_DIRECTIVES
                    {
                        self.without.extend(first.without);
                        all.extend(found);
                        self.directives = Some(all);
                    }
                }
                Err(end) => self.looked = end.max(self.looked),
            }
            if let Some(end) = known(&self.without) {
                self.at = end;
                return;
            }
        }
        self.raw.flaws.push(Flaw::Directive);
        self.at = line_comment(self.text, at);
    }

    /// Brackets: the expression of an operand, or the arguments of a macro.
    fn bracketed(&mut self, range: Range<usize>) {
        let is_operand = matches!(self.section, 1 | 2) && matches!(self.pieces.first(), Some(Piece::Literal(_)))
            || self.pieces.len() > 1 && matches!(self.section, 1 | 2);
        if is_operand {
            let constraint = std::mem::take(&mut self.pieces);
            let first = match constraint.first() {
                Some(Piece::Literal(l)) => l.span.start,
                Some(Piece::Name(r) | Piece::Hole(r)) => r.start,
                Some(Piece::LineBreak(_)) | None => range.start - self.start,
            };
            let from = self.name.as_ref().map_or(first, |n| n.start - 1);
            self.raw.operands.push(RawOperand::Written {
                output: self.section == 1,
                span: from..range.end - self.start,
                name: self.name.take(),
                constraint,
                expression: self.relative(range.start + 1..range.end - 1),
            });
            return;
        }
        let end = range.end - self.start;
        match self.pieces.last_mut() {
            Some(last @ Piece::Name(_)) => {
                if let Piece::Name(name) = last {
                    *last = Piece::Hole(name.start..end);
                }
            }
            Some(Piece::Hole(hole)) => hole.end = end,
            // `asm(("…"))`
            _ => {
                let hole = self.relative(range);
                self.pieces.push(Piece::Hole(hole));
            }
        }
    }

    /// A comma, a colon or the end.
    fn separator(&mut self) {
        let pieces = std::mem::take(&mut self.pieces);
        self.name = None;
        match self.section {
            0 => self.raw.template.extend(pieces),
            1 | 2 if !pieces.is_empty() => {
                let only_text = pieces.iter().all(|p| matches!(p, Piece::Literal(_)));
                if only_text {
                    // A constraint whose expression is not written yet.
                    self.raw.flaws.push(Flaw::Unclosed);
                } else {
                    self.raw.flaws.push(Flaw::OperandHole);
                }
                self.raw.operands.push(RawOperand::Hole);
            }
            3 if !pieces.is_empty() => self.raw.clobbers.push(pieces),
            _ => {}
        }
    }

    /// The statement does not end.
    fn broken(&mut self, at: usize) {
        self.separator();
        self.raw.flaws.push(Flaw::Unclosed);
        self.at = at;
        self.raw.close = at - self.start;
    }
}

/// Goes over brackets: `Ok` after the closing one, `Err` where the statement breaks off.
fn walk(text: &[u8], open: usize) -> Result<usize, usize> {
    let mut at = open;
    let (mut depth, mut braces) = (0usize, 0usize);
    while let Some(b) = text.get(at) {
        match b {
            b'(' => depth += 1,
            b')' => {
                depth -= 1;
                if depth == 0 {
                    return Ok(at + 1);
                }
            }
            b'{' => braces += 1,
            b'}' if braces == 0 => return Err(at),
            b'}' => braces -= 1,
            b';' if braces == 0 => return Err(at),
            b'"' => {
                at = quoted(text, at).0;
                continue;
            }
            b'\'' => {
                at = quoted(text, at).0;
                continue;
            }
            b'/' if text.get(at + 1) == Some(&b'/') => {
                at = line_comment(text, at);
                continue;
            }
            b'/' if text.get(at + 1) == Some(&b'*') => {
                at = block_comment(text, at);
                continue;
            }
            b'0'..=b'9' => {
                at = number(text, at);
                continue;
            }
            b if b.is_ascii_alphabetic() || *b == b'_' => {
                if let Some((literal, _)) = string(text, at) {
                    at = literal.span.end;
                    continue;
                }
                let end = word(text, at);
                if matches!(&text[at..end], b"asm" | b"__asm" | b"__asm__") {
                    return Err(at);
                }
                at = end;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    Err(text.len())
}
