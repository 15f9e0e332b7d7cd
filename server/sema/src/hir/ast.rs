//! Lowered statements: the data that the checks and the interpreter use instead of syntax nodes.
//!
//! All data borrow from the text of one item; offsets count from the start of that text.

use crate::hir::constant::ConstantProblem;
use std::ops::Range;

/// A word of the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourceWord<'t> {
    /// The text, as written.
    pub text: &'t str,
    /// Byte offset.
    pub start: u32,
}

impl SourceWord<'_> {
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
    pub guard: Option<SourceWord<'t>>,
    /// The opcode.
    pub opcode: SourceWord<'t>,
    /// Modifiers with their dots, in the order written.
    pub modifiers: Vec<SourceWord<'t>>,
    /// Operands.
    pub operands: Vec<Operand<'t>>,
    /// Modifiers after an operand (`[a].unified`): the index of the operand, and the modifier.
    pub suffixes: Vec<(usize, SourceWord<'t>)>,
    /// Whether it contains a syntax error: some of its parts may then be missing.
    pub broken: bool,
}

impl Instruction<'_> {
    /// The instruction with all offsets moved by a number of bytes.
    #[must_use]
    pub fn shifted(mut self, by: u32) -> Self {
        let Self { range, guard, opcode, modifiers, operands, suffixes, broken: _ } = &mut self;
        shift(range, by);
        opcode.start += by;
        let words = guard.iter_mut().chain(modifiers).chain(suffixes.iter_mut().map(|(_, word)| word));
        words.for_each(|word| word.start += by);
        operands.iter_mut().for_each(|o| o.shift(by));
        self
    }

    /// The byte range from the opcode to the last modifier before the operands.
    pub fn mnemonic_range(&self) -> Range<usize> {
        let end = self.modifiers.last().map_or(self.opcode.range().end, |m| m.range().end);
        self.opcode.range().start..end
    }
}

/// An operand, or a part of one.
#[derive(Debug, Clone)]
pub struct Operand<'t> {
    /// Byte range.
    pub range: Range<usize>,
    /// The kind of operand and its parts.
    pub kind: OperandKind<'t>,
}

impl Operand<'_> {
    fn shift(&mut self, by: u32) {
        shift(&mut self.range, by);
        match &mut self.kind {
            OperandKind::Name(_)
            | OperandKind::Sink
            | OperandKind::Integer(_)
            | OperandKind::Float(_)
            | OperandKind::String
            | OperandKind::Constant(ConstantValue::Integer(_) | ConstantValue::Float(_))
            | OperandKind::Error => {}
            OperandKind::Constant(ConstantValue::Wrong(problem)) => {
                problem.start += by;
                problem.end += by;
            }
            OperandKind::Member(object, member) => {
                object.start += by;
                member.start += by;
            }
            OperandKind::Sign(word) => word.start += by,
            OperandKind::Index(inner, _) | OperandKind::Not(inner) | OperandKind::Minus(inner) => inner.shift(by),
            OperandKind::Pair(both) | OperandKind::Offset(both, _) => {
                both.0.shift(by);
                both.1.shift(by);
            }
            OperandKind::Vector(list) | OperandKind::Address(list) | OperandKind::Arguments(list) => {
                list.iter_mut().for_each(|o| o.shift(by));
            }
        }
    }
}

fn shift(range: &mut Range<usize>, by: u32) {
    *range = range.start + by as usize..range.end + by as usize;
}

/// The kind of an operand.
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
    Member(SourceWord<'t>, SourceWord<'t>),
    /// `var[4]`; the index, if it is a constant.
    Index(Box<Operand<'t>>, Option<i128>),
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
    /// `a+8`: base and offset, and whether they are joined by a minus.
    Offset(Box<(Operand<'t>, Operand<'t>)>, bool),
    /// `(a, b)`.
    Arguments(Vec<Operand<'t>>),
    /// A constant expression of integers, or with a floating-point part.
    Constant(ConstantValue),
    /// A sign before an operand that cannot have one: `+%r1`.
    Sign(SourceWord<'t>),
    /// A syntax error, which the parser already reported.
    Error,
}

/// The value of a constant expression.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ConstantValue {
    /// A 64-bit integer, signed or unsigned; `None` if it could not be computed because of a syntax error.
    Integer(Option<i128>),
    /// A floating-point number.
    Float(f64),
    /// The expression has no value, because of this problem.
    Wrong(ConstantProblem),
}

/// A declaration of registers or variables, or one parameter. Parts that may occur once are lists, since an incomplete or
/// wrong declaration may have several.
#[derive(Debug, Clone, Default)]
pub struct Declaration<'t> {
    /// Byte range.
    pub range: Range<usize>,
    /// `.extern`, `.visible`, `.weak`, `.common`.
    pub linkages: Vec<SourceWord<'t>>,
    /// The attributes in `.attribute(…)`.
    pub attributes: Vec<Attribute<'t>>,
    /// State spaces, such as `.global` or `.shared::cta`.
    pub spaces: Vec<SourceWord<'t>>,
    /// The number of a `.const` bank, with its brackets.
    pub bank: Option<SourceWord<'t>>,
    /// Alignments, such as `.align 16`.
    pub alignments: Vec<Alignment>,
    /// Vector directives, such as `.v4`.
    pub vectors: Vec<SourceWord<'t>>,
    /// Types, such as `.u32`.
    pub types: Vec<SourceWord<'t>>,
    /// Pointer directives, such as `.ptr .global .align 16`.
    pub pointers: Vec<Pointer<'t>>,
    /// The declared names. An empty list is legal; a parameter has at most one.
    pub declarators: Vec<Declarator<'t>>,
    /// Whether it contains a syntax error: some of its parts may then be missing.
    pub broken: bool,
    /// Byte range of the semicolon of a declaration without names.
    pub semicolon: Option<Range<usize>>,
}

/// An attribute.
#[derive(Debug, Clone)]
pub struct Attribute<'t> {
    /// Byte range, arguments included.
    pub range: Range<usize>,
    /// The name, such as `.managed`; empty for `.attribute()`.
    pub name: SourceWord<'t>,
    /// Byte ranges and values of its arguments.
    pub arguments: Vec<(Range<usize>, ConstantValue)>,
    /// Byte range of the first argument that is not a plain number.
    pub computed: Option<Range<usize>>,
}

/// An alignment directive, such as `.align 16`.
#[derive(Debug, Clone)]
pub struct Alignment {
    /// Byte range of the directive.
    pub range: Range<usize>,
    /// Byte range of the number.
    pub place: Range<usize>,
    /// The number.
    pub value: Option<i128>,
}

/// A pointer directive, such as `.ptr .global .align 16`.
#[derive(Debug, Clone)]
pub struct Pointer<'t> {
    /// Byte range.
    pub range: Range<usize>,
    /// The state space of the pointed-to memory.
    pub space: Option<SourceWord<'t>>,
    /// The alignment of the pointed-to memory.
    pub alignment: Option<Alignment>,
}

/// One declared name with its size and initializer.
#[derive(Debug, Clone)]
pub struct Declarator<'t> {
    /// Byte range, the initializer included.
    pub range: Range<usize>,
    /// The name; `_` for a parameter without one.
    pub name: SourceWord<'t>,
    /// The number in `<10>`: its byte range and value.
    pub count: Option<(Range<usize>, Option<i128>)>,
    /// The dimensions, such as `[4]` or `[]`: byte range with the brackets, and the size if one is written.
    pub dimensions: Vec<(Range<usize>, Option<ConstantValue>)>,
    /// Byte range of the first size, or of the number in `<10>`, that is not a plain number.
    pub computed: Option<Range<usize>>,
    /// Byte range of the initializer. It may be long, so its elements are not lowered here.
    pub initializer: Option<Range<usize>>,
}
