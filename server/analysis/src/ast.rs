//! The lowered statement: what the checks (and later the interpreter) see instead of syntax nodes.
//!
//! Everything borrows from the text of one item; offsets count from the start of that text.

use std::ops::Range;

/// A word of the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word<'t> {
    /// As written.
    pub text: &'t str,
    /// Byte offset.
    pub start: u32,
}

impl Word<'_> {
    /// Its byte range.
    pub fn range(&self) -> Range<usize> {
        self.start as usize..self.start as usize + self.text.len()
    }
}

/// An instruction.
#[derive(Debug, Clone)]
pub struct Instruction<'t> {
    /// Byte range, guard and semicolon included.
    pub range: Range<usize>,
    /// The guard predicate.
    pub guard: Option<Word<'t>>,
    /// The opcode.
    pub opcode: Word<'t>,
    /// Modifiers with their dots, in the order written.
    pub modifiers: Vec<Word<'t>>,
    /// Operands.
    pub operands: Vec<Operand<'t>>,
    /// Modifiers that stand after an operand (`[a].unified`): index of the operand, and the word.
    pub suffixes: Vec<(usize, Word<'t>)>,
    /// The parser met an error inside: what is here may be only a part.
    pub broken: bool,
}

impl Instruction<'_> {
    /// The byte range from the opcode to the last modifier before the operands.
    pub fn head(&self) -> Range<usize> {
        let end = self.modifiers.last().map_or(self.opcode.range().end, |m| m.range().end);
        self.opcode.range().start..end
    }
}

/// An operand, or a part of one.
#[derive(Debug, Clone)]
pub struct Operand<'t> {
    /// Byte range.
    pub range: Range<usize>,
    /// What it is.
    pub kind: OperandKind<'t>,
}

/// What an operand is.
#[derive(Debug, Clone)]
pub enum OperandKind<'t> {
    /// A register, variable, function or label.
    Name(&'t str),
    /// `_`.
    Sink,
    /// An integer literal.
    Integer(&'t str),
    /// A floating-point literal.
    Float(&'t str),
    /// A string.
    String,
    /// `%v.x`, `%r.b0`.
    Member(Word<'t>, Word<'t>),
    /// `var[4]`.
    Index(Box<Operand<'t>>),
    /// `!p`.
    Not(Box<Operand<'t>>),
    /// `-%r1`; a negated literal is a constant.
    Minus(Box<Operand<'t>>),
    /// `d|p`.
    Pair(Box<(Operand<'t>, Operand<'t>)>),
    /// `{a, b}`.
    Vector(Vec<Operand<'t>>),
    /// `[a]`, `[a, b]`.
    Address(Vec<Operand<'t>>),
    /// `a+8`: base and amount, and whether they are joined by a minus.
    Offset(Box<(Operand<'t>, Operand<'t>)>, bool),
    /// `(a, b)`.
    Arguments(Vec<Operand<'t>>),
    /// A constant expression of integers, or with a floating-point part.
    Constant(Constant),
    /// Not understood; the parser said so already.
    Error,
}

/// Value of a constant expression.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Constant {
    /// An integer; `None` where it could not be computed (overflow, a name in it).
    Integer(Option<i128>),
    /// A floating-point number.
    Float,
}
