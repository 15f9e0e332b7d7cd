//! Reads statements in their usual form without the parser.
//!
//! Nearly all of a large text are instructions with simple operands, each on one line, labels, and `.loc` lines. Their shape can be read from
//! left to right, without a tree. Everything else, and everything that is in doubt, is left to the parser: what is read here is exactly
//! what the parser would have read.

mod places;

use crate::trivia::{is_word, opaque, trivia};
use memchr::memchr3;
use places::LeafPlace;
use std::ops::Range;

/// Lists of operands nest less deep than this in a usual instruction.
const MAX_DEPTH: usize = 4;

/// An integer with more characters may be too large for an operand.
const MAX_INTEGER: usize = 18;

/// A statement in its usual form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlainStatement {
    /// Its byte range.
    pub range: Range<usize>,
    /// What it is.
    pub kind: PlainKind,
}

/// What a statement in its usual form is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlainKind {
    /// An instruction that [`plain_instruction`] reads.
    Instruction,
    /// A name with a colon.
    Label,
    /// A `.loc` directive with three numbers.
    Location,
}

/// A part of an instruction, with its byte ranges from the beginning of the instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlainPart {
    /// The name in a guard.
    Guard(Range<usize>),
    /// The opcode.
    Opcode(Range<usize>),
    /// A modifier, with its dot.
    Modifier(Range<usize>),
    /// An operand, or an element of the list that was opened last.
    Leaf(PlainLeaf),
    /// `!%p1`: its range, and the register.
    Not(Range<usize>, PlainLeaf),
    /// `%p1|%p2`.
    Pair(PlainLeaf, PlainLeaf),
    /// `a+8`: base and offset, and whether they are joined by a minus.
    Offset(PlainLeaf, PlainLeaf, bool),
    /// The bracket that opens a list, and its position.
    Open(PlainList, usize),
    /// The position after the bracket that closes a list.
    Close(usize),
}

/// A list of operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlainList {
    /// `[a]`.
    Address,
    /// `{a, b}`.
    Vector,
}

/// An operand without parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlainLeaf {
    /// Its byte range.
    pub range: Range<usize>,
    /// What it is.
    pub kind: LeafKind,
}

/// What an operand without parts is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeafKind {
    /// A register.
    Register,
    /// Another name.
    Name,
    /// `_`.
    Sink,
    /// An integer literal that fits 64 bits.
    Integer,
    /// A minus and such a literal.
    Negative,
    /// A floating-point literal in hexadecimal digits.
    Float,
    /// A name with a member behind a dot.
    Member,
}

/// Reads an instruction in its usual form at the beginning of a text, and passes on its parts in text order. Returns its length with the
/// semicolon; `None` if something else is there.
pub fn plain_instruction(text: &[u8], part: &mut impl FnMut(PlainPart)) -> Option<usize> {
    let mut reader = Reader { text, at: 0 };
    reader.instruction(part)?;
    Some(reader.at)
}

struct Reader<'t> {
    text: &'t [u8],
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or(0)
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), b' ' | b'\t') {
            self.at += 1;
        }
    }

    /// Skips the characters of a word, and returns their range.
    fn word(&mut self) -> Range<usize> {
        let start = self.at;
        while is_word(self.peek()) {
            self.at += 1;
        }
        start..self.at
    }

    fn instruction(&mut self, part: &mut impl FnMut(PlainPart)) -> Option<()> {
        if self.peek() == b'@' {
            self.at += 1;
            self.at += usize::from(self.peek() == b'!');
            let name = self.name(&places::GUARD)?;
            part(PlainPart::Guard(name.range));
            let before = self.at;
            self.blanks();
            (self.at > before).then_some(())?;
        }
        self.peek().is_ascii_lowercase().then_some(())?;
        part(PlainPart::Opcode(self.word()));
        while self.peek() == b'.' {
            part(PlainPart::Modifier(self.modifier()?));
        }
        let before = self.at;
        self.blanks();
        if self.peek() != b';' {
            (self.at > before).then_some(())?;
            self.operand(&places::OPERAND, part, 0)?;
            while self.peek() == b',' {
                self.at += 1;
                self.blanks();
                self.operand(&places::OPERAND, part, 0)?;
            }
            (self.peek() == b';').then_some(())?;
        }
        self.at += 1;
        Some(())
    }

    /// `.word` or `.word::word`.
    fn modifier(&mut self) -> Option<Range<usize>> {
        let start = self.at;
        self.at += 1;
        (!self.word().is_empty()).then_some(())?;
        while self.peek() == b':' {
            (self.text.get(self.at + 1) == Some(&b':')).then_some(())?;
            self.at += 2;
            self.peek().is_ascii_alphabetic().then_some(())?;
            self.word();
        }
        Some(start..self.at)
    }

    /// A register, another name, or `_`, if such a leaf may stand at a place.
    fn name(&mut self, place: &LeafPlace) -> Option<PlainLeaf> {
        let start = self.at;
        let first = self.peek();
        let register = first == b'%';
        self.at += usize::from(register);
        (register || first.is_ascii_alphabetic() || matches!(first, b'_' | b'$')).then_some(())?;
        let length = self.word().len();
        let kind = match (register, length, first) {
            (true, 1.., _) => LeafKind::Register,
            (false, 2.., _) => LeafKind::Name,
            (false, 1, b'_') => LeafKind::Sink,
            (false, 1, _) if first != b'$' => LeafKind::Name,
            _ => return None,
        };
        place.takes(kind).then_some(PlainLeaf { range: start..self.at, kind })
    }

    /// A number, if such a leaf may stand at a place.
    fn number(&mut self, place: &LeafPlace) -> Option<PlainLeaf> {
        let start = self.at;
        let negative = self.peek() == b'-';
        self.at += usize::from(negative);
        self.peek().is_ascii_digit().then_some(())?;
        let word = self.word();
        // A decimal point makes it another number.
        (self.peek() != b'.').then_some(())?;
        let kind = kind_of_number(self.text.get(word)?)?;
        let kind = match (negative, kind) {
            (false, kind) => kind,
            (true, LeafKind::Integer) => LeafKind::Negative,
            (true, _) => return None,
        };
        place.takes(kind).then_some(PlainLeaf { range: start..self.at, kind })
    }

    /// An operand at a place, and the blanks behind it; `depth` lists are around it.
    fn operand(&mut self, place: &LeafPlace, part: &mut impl FnMut(PlainPart), depth: usize) -> Option<()> {
        let start = self.at;
        match self.peek() {
            b'[' => self.list(PlainList::Address, part, depth)?,
            b'{' => self.list(PlainList::Vector, part, depth)?,
            b'-' | b'0'..=b'9' => part(PlainPart::Leaf(self.number(place)?)),
            b'!' => {
                self.at += 1;
                let name = self.name(&places::NEGATED)?;
                // What follows the name would be part of it.
                (self.peek() != b'.').then_some(())?;
                part(PlainPart::Not(start..self.at, name));
            }
            _ => self.named(place, part)?,
        }
        self.blanks();
        Some(())
    }

    fn list(&mut self, list: PlainList, part: &mut impl FnMut(PlainPart), depth: usize) -> Option<()> {
        (depth < MAX_DEPTH).then_some(())?;
        let (place, close) = match list {
            PlainList::Address => (&places::ADDRESS, b']'),
            PlainList::Vector => (&places::VECTOR, b'}'),
        };
        part(PlainPart::Open(list, self.at));
        loop {
            self.at += 1;
            self.blanks();
            self.operand(place, part, depth + 1)?;
            if self.peek() != b',' {
                break;
            }
        }
        (self.peek() == close).then_some(())?;
        self.at += 1;
        part(PlainPart::Close(self.at));
        Some(())
    }

    /// An operand at a place that begins with a name.
    fn named(&mut self, place: &LeafPlace, part: &mut impl FnMut(PlainPart)) -> Option<()> {
        let mut name = self.name(place)?;
        if self.peek() == b'.' && name.kind != LeafKind::Sink {
            self.at += 1;
            self.peek().is_ascii_alphabetic().then_some(())?;
            self.word();
            (self.peek() != b':' && place.takes(LeafKind::Member)).then_some(())?;
            name = PlainLeaf { range: name.range.start..self.at, kind: LeafKind::Member };
            part(PlainPart::Leaf(name));
            return Some(());
        }
        self.blanks();
        match self.peek() {
            sign @ (b'+' | b'-') => {
                places::BASE.takes(name.kind).then_some(())?;
                self.at += 1;
                self.blanks();
                let minus = sign == b'-';
                (!minus || self.peek() != b'-').then_some(())?;
                let amount = self.number(&places::AMOUNT)?;
                part(PlainPart::Offset(name, amount, minus));
            }
            b'|' => {
                places::FIRST.takes(name.kind).then_some(())?;
                self.at += 1;
                self.blanks();
                let second = self.name(&places::SECOND)?;
                (self.peek() != b'.').then_some(())?;
                part(PlainPart::Pair(name, second));
            }
            _ => part(PlainPart::Leaf(name)),
        }
        Some(())
    }
}

/// The kind of a literal in its usual form; `word` is not empty.
fn kind_of_number(word: &[u8]) -> Option<LeafKind> {
    let all = |digits: &[u8], is_digit: fn(&u8) -> bool| !digits.is_empty() && digits.iter().all(is_digit);
    let bits = match word {
        [b'0', b'f' | b'F', ..] => Some(10),
        [b'0', b'd' | b'D', ..] => Some(18),
        _ => None,
    };
    if let Some(length) = bits {
        return (word.len() == length && all(&word[2..], u8::is_ascii_hexdigit)).then_some(LeafKind::Float);
    }
    let digits = word.strip_suffix(b"U").unwrap_or(word);
    let plain = match digits {
        [b'0'] => true,
        [b'0', b'x' | b'X', digits @ ..] => all(digits, u8::is_ascii_hexdigit),
        [b'0', b'b' | b'B', digits @ ..] => all(digits, |digit| matches!(digit, b'0' | b'1')),
        [b'0', digits @ ..] => all(digits, |digit| matches!(digit, b'0'..=b'7')),
        _ => all(digits, u8::is_ascii_digit),
    };
    (plain && word.len() <= MAX_INTEGER).then_some(LeafKind::Integer)
}

/// The statements in their usual form in some function bodies.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct PlainStatements {
    /// The statements, in order.
    pub all: Vec<PlainStatement>,
    /// Successive ones, in order.
    pub runs: Vec<PlainRun>,
}

/// Successive statements in their usual form.
#[derive(Debug, PartialEq, Eq)]
pub struct PlainRun {
    /// The byte range, with the white space and the comments between the statements.
    pub range: Range<usize>,
    /// The indices of the statements.
    pub statements: Range<usize>,
}

impl PlainStatements {
    /// Adds those of a function body, which has this byte range in a text, without its braces.
    ///
    /// The parser may read the body without them, and finds an error if and only if it would find one with them: they stand behind the
    /// semicolon of another statement, where the grammar allows any statement, and what follows them cannot continue them.
    pub fn add(&mut self, text: &[u8], body: Range<usize>) {
        let before = (self.all.len(), self.runs.len());
        if text.get(body.clone()).is_none_or(|text| self.read(text, body.start).is_none()) {
            self.all.truncate(before.0);
            self.runs.truncate(before.1);
        }
    }

    /// Keeps only this many of the longest runs. For each token the parser searches all ranges of a text that it is given.
    pub fn keep_longest(&mut self, most: usize) {
        if self.runs.len() <= most {
            return;
        }
        let mut lengths: Vec<usize> = self.runs.iter().map(|run| run.range.len()).collect();
        lengths.sort_unstable_by(|one, other| other.cmp(one));
        let limit = lengths.get(most).copied().unwrap_or(0);
        self.runs.retain(|run| run.range.len() > limit);
        let mut kept = Vec::new();
        for run in &mut self.runs {
            let first = kept.len();
            kept.extend_from_slice(self.all.get(run.statements.clone()).unwrap_or_default());
            run.statements = first..kept.len();
        }
        self.all = kept;
    }

    /// Reads a body that begins at `base`. `None` if the parser must read all of it.
    fn read(&mut self, body: &[u8], base: usize) -> Option<()> {
        // The header of a function continues behind the semicolon of a `.pragma`. Checks look for the nodes of lines for a preprocessor.
        let has = |word: &str| memchr::memmem::find(body, word.as_bytes()).is_some();
        if has(".func") || has(".entry") || has("#") {
            return None;
        }
        let mut reader = Reader { text: body, at: 0 };
        let (mut is_after_statement, mut is_after_plain) = (false, false);
        loop {
            reader.space();
            if reader.at >= body.len() {
                return Some(());
            }
            if is_after_statement {
                let start = reader.at;
                if let Some(kind) = reader.statement() {
                    let range = base + start..base + reader.at;
                    let index = self.all.len();
                    match self.runs.last_mut().filter(|_| is_after_plain) {
                        Some(run) => (run.range.end, run.statements.end) = (range.end, index + 1),
                        None => self.runs.push(PlainRun { range: range.clone(), statements: index..index + 1 }),
                    }
                    self.all.push(PlainStatement { range, kind });
                    is_after_plain = true;
                    continue;
                }
                reader.at = start;
                let first = reader.peek();
                let begins_statement =
                    (is_word(first) && !first.is_ascii_digit()) || matches!(first, b'.' | b'@' | b'%' | b'{' | b'}');
                begins_statement.then_some(())?;
            }
            reader.skip_statement();
            (is_after_statement, is_after_plain) = (true, false);
        }
    }
}

impl Reader<'_> {
    /// Skips white space and comments.
    fn space(&mut self) {
        while let Some((_, extent)) = self.text.get(self.at..).and_then(trivia) {
            self.at += extent.exact();
        }
    }

    /// Reads a statement in its usual form.
    fn statement(&mut self) -> Option<PlainKind> {
        let start = self.at;
        match self.peek() {
            b'.' => self.location().map(|()| PlainKind::Location),
            b'%' | b'$' | b'_' => self.label().map(|()| PlainKind::Label),
            _ => {
                if self.instruction(&mut |_| {}).is_some() {
                    return Some(PlainKind::Instruction);
                }
                self.at = start;
                self.label().map(|()| PlainKind::Label)
            }
        }
    }

    /// A name with a colon directly behind it.
    fn label(&mut self) -> Option<()> {
        self.name(&places::LABEL)?;
        (self.peek() == b':' && self.text.get(self.at + 1) != Some(&b':')).then_some(())?;
        self.at += 1;
        Some(())
    }

    /// `.loc` with three decimal numbers, alone on its line.
    fn location(&mut self) -> Option<()> {
        self.text[self.at..].starts_with(b".loc").then_some(())?;
        self.at += b".loc".len();
        let mut end = self.at;
        for _ in 0..3 {
            let before = self.at;
            self.blanks();
            (self.at > before).then_some(())?;
            let digits = self.text.get(self.word())?;
            let plain = !(digits.len() > 1 && digits[0] == b'0');
            (plain && !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)).then_some(())?;
            end = self.at;
        }
        self.blanks();
        matches!(self.peek(), b'\r' | b'\n' | b'/').then_some(())?;
        self.at = end;
        Some(())
    }

    /// Goes behind the next semicolon.
    fn skip_statement(&mut self) {
        while let Some(length) = self.text.get(self.at..).and_then(|rest| memchr3(b';', b'/', b'"', rest)) {
            self.at += length;
            let rest = &self.text[self.at..];
            self.at += opaque(rest).map_or(1, |extent| extent.exact());
            if rest[0] == b';' {
                return;
            }
        }
        self.at = self.text.len();
    }
}

#[cfg(test)]
mod tests;
