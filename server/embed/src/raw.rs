//! What the scanners find: statements as written, and all else that decides about them.

use crate::targets::{Condition, PtxComment};
use std::ops::Range;
use std::sync::Arc;

/// The way in which the host holds a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Form {
    /// `asm("…" : outputs : inputs : clobbers)` of CUDA C++.
    Asm,
    /// `llvm.inline_asm(result, [operands], "…", "=r,l", …)` of MLIR's Python, and Numba's `InlineAsm`.
    LlvmInlineAsm,
    /// `tl.inline_asm_elementwise(asm=…, constraints=…, args=…)` of Triton, Gluon and Pallas.
    Elementwise,
    /// `inline_ptx("… {$w0}, {$r0}")` of the CuTe DSL.
    InlinePtx,
    /// `asm!("… {0}, {x}", out(reg32) y, x = in(reg32) z)` of Rust.
    RustAsm,
    /// `call i32 asm sideeffect "… $0, $1", "=r,r"(i32 %x)` of LLVM IR.
    LlvmIr,
    /// `@asmcall("… \$0, \$1", "=r,r", true, UInt32, Tuple{UInt32}, x)` of Julia's LLVM.jl.
    Julia,
    /// `ptx_asm!("… %0, %1", out("=r") y, in("r") z)` of cuda-oxide.
    PtxAsm,
}

impl Form {
    /// The name of the form in output for other programs.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Asm => "cuda-cpp",
            Self::LlvmInlineAsm => "llvm",
            Self::Elementwise => "triton",
            Self::InlinePtx => "cute",
            Self::RustAsm => "rust",
            Self::PtxAsm => "cuda-oxide",
            Self::LlvmIr => "llvm-ir",
            Self::Julia => "julia",
        }
    }
}

/// Why a statement is not known as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Flaw {
    /// The statement or one of its literals does not end.
    Unclosed,
    /// A preprocessor directive stands inside, and the texts that it leaves were not made: they are too many, or the statement
    /// ends in a branch.
    Directive,
    /// A part of the text comes from a macro, a variable or an argument of one.
    Hole,
    /// Some operands come from a macro or a variable.
    OperandHole,
}

/// A part of a text made of literals.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Piece {
    /// A literal.
    Literal(Literal),
    /// A name which the file may define.
    Name(Range<usize>),
    /// Anything else.
    Hole(Range<usize>),
    /// A line break between two strings of Rust, at the start of the second.
    LineBreak(usize),
}

/// A string literal.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Literal {
    /// With prefix and quotes.
    pub span: Range<usize>,
    /// Between the quotes.
    pub body: Range<usize>,
    /// How it writes text.
    pub writing: Writing,
}

/// How a literal writes text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Writing {
    /// Backslashes are themselves.
    pub raw: bool,
    /// The literal may contain line breaks.
    pub lines: bool,
    /// Braces are doubled (Python's f-strings, `asm!` of Rust).
    pub format: bool,
    /// The quote: `"` or `'`.
    pub quote: char,
    /// How often escapes are read: 2 for C++ inside a Python literal that is not raw.
    pub levels: u8,
}

impl Writing {
    /// A plain literal of C++.
    pub const CPP: Self = Self { raw: false, lines: false, format: false, quote: '"', levels: 1 };
}

/// An operand as written.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum RawOperand {
    /// `[name] "constraint" (expression)`
    Written {
        /// Whether the operand stands among the outputs.
        output: bool,
        span: Range<usize>,
        name: Option<Range<usize>>,
        constraint: Vec<Piece>,
        expression: Range<usize>,
    },
    /// `name = in(reg32) expression`
    Rust {
        direction: Direction,
        span: Range<usize>,
        name: Option<Range<usize>>,
        /// The register class, a constraint without quotes, or the keyword of a constant or symbol.
        constraint: Range<usize>,
        /// The constraint is a string.
        quoted: bool,
        expression: Range<usize>,
    },
    /// A macro that may give any number of operands.
    Hole,
}

/// What a statement of Rust does with an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Direction {
    In,
    Out,
    InOut,
    /// The text of an integer constant.
    Const,
    /// The text of a symbol or label.
    Symbol,
}

/// A statement as written. All ranges are relative to its start.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Raw {
    pub form: Form,
    pub len: usize,
    /// The keyword, after which `volatile` may be inserted.
    pub keyword: Range<usize>,
    pub volatile: bool,
    pub goto: bool,
    pub in_define: bool,
    pub template: Vec<Piece>,
    /// A literal that holds all constraints (Python, LLVM IR, Julia).
    pub constraints: Vec<Piece>,
    pub operands: Vec<RawOperand>,
    /// The operands that the host passes, where the text shows them (Python, LLVM IR, Julia).
    pub arguments: Option<Vec<Range<usize>>>,
    /// The types of what `inline_ptx` writes.
    pub types: Vec<Range<usize>>,
    /// The pieces of each clobber.
    pub clobbers: Vec<Vec<Piece>>,
    /// Whether a list of clobbers was opened.
    pub has_clobbers: bool,
    /// The statement may change memory because no option says otherwise (Rust).
    pub memory: bool,
    /// Where the last section before the clobbers ends, and the number of colons up to there.
    pub colons: usize,
    /// The offset of the closing bracket.
    pub close: usize,
    pub flaws: Vec<Flaw>,
    pub comment: Option<Arc<PtxComment>>,
    /// Which of the texts of the statement this is, if the preprocessor leaves several.
    pub variant: Option<Arc<Variant>>,
}

/// The value of a macro or constant of the file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Value {
    /// An object macro whose body is literals: their decoded text.
    Text(Arc<str>),
    /// The source of an expression.
    Expression(Arc<str>),
    /// Anything else.
    Other,
}

/// Something that a scanner found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ItemKind {
    Statement(Arc<Raw>),
    /// A literal of Python that may hold C++, relative to its start.
    Text(Arc<Literal>),
    /// A function begins: the comment above it, and whether it is one of the device, which only C++ tells.
    Function(Option<Arc<PtxComment>>, bool),
    FunctionEnd,
    /// `#if` and its relatives, or a region of `NV_IF_TARGET`.
    If(Arc<Condition>),
    Elif(Arc<Condition>),
    Else,
    Endif,
    /// `#define` of an object macro, or a constant.
    Define(Arc<str>, Value),
}

/// Something that a scanner found, with its offset in the chunk.
#[derive(Debug, Clone)]
pub(crate) struct Item {
    pub at: usize,
    pub kind: ItemKind,
}

/// One of the texts of a statement inside which the preprocessor decides. Offsets are relative to the statement.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Variant {
    /// Its number among all texts of the statement, from 0.
    pub number: usize,
    /// The number of all.
    pub count: usize,
    /// The directives that begin the branches which it contains.
    pub branches: Vec<Range<usize>>,
    /// The parts of the statement that it does not contain: other branches, and all directives. They are in order.
    pub without: Vec<Range<usize>>,
}

impl Variant {
    /// Whether the text contains all bytes of a range, or a place.
    #[must_use]
    pub fn contains(&self, range: &Range<usize>) -> bool {
        let end = range.end.max(range.start + 1);
        !self.without.iter().any(|part| part.start < end && range.start < part.end)
    }
}
