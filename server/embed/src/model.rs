//! What the crate gives to its users: groups of statements, each a PTX text with operands and places.

use crate::map::SegmentMap;
use crate::raw::{Flaw, Form, Variant, Writing};
use crate::targets::{PtxComment, Wanted};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;

/// Where a group lies now. An edit above it changes only `start`; the group itself is shared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    /// The byte offset in the host text at which the first statement begins.
    pub start: usize,
    /// The byte offset in the host text at which the function around it begins; `None` outside functions.
    pub function: Option<usize>,
    /// The group.
    pub group: Arc<Group>,
}

/// Statements that are checked as one PTX text: usually one; several of one host function where names or braces of one
/// need another. All host offsets in a group are relative to [`Placed::start`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// The statements in host order.
    pub statements: Vec<Statement>,
    /// The PTX text, without declarations of operands.
    pub ptx: String,
    /// Places of `ptx` in the host text.
    pub map: SegmentMap,
    /// The operands as `ptx` names them.
    pub variables: Vec<Variable>,
    /// Parts of `ptx` whose text is unknown. An instruction that touches one must not be checked.
    pub opaque: Vec<Range<usize>>,
    /// What the host text says about targets.
    pub targets: Arc<Wanted>,
    /// Mistakes in the host text. They count only where the text is PTX ([`Group::is_ptx`]).
    pub problems: Vec<Problem>,
    /// The text has nothing to check: it is empty, or made of holes only.
    pub foreign: bool,
    /// A preprocessor condition decides what the text is, and not all texts were made: another branch holds a statement that
    /// this one needs, or a statement has too many texts. The compiler may never see this text, so it must not be checked.
    pub conditional: bool,
    /// Which of the texts of its statement this is, if conditions inside the statement leave several. Each of them is a
    /// group, and all have one start.
    pub variant: Option<Arc<Variant>>,
    /// A hash of all other fields. Groups with equal keys have equal findings.
    pub key: u64,
}

impl Group {
    /// The host bytes of the group, relative to its start. Another group may lie between two of its statements.
    #[must_use]
    pub fn span(&self) -> Range<usize> {
        0..self.statements.last().map_or(0, |s| s.span.end)
    }

    /// Computes the key from the other fields.
    pub(crate) fn seal(mut self) -> Self {
        let mut hasher = DefaultHasher::new();
        self.statements.hash(&mut hasher);
        self.ptx.hash(&mut hasher);
        self.map.hash(&mut hasher);
        self.variables.hash(&mut hasher);
        self.opaque.hash(&mut hasher);
        self.targets.hash(&mut hasher);
        self.problems.hash(&mut hasher);
        self.conditional.hash(&mut hasher);
        self.variant.hash(&mut hasher);
        self.key = hasher.finish();
        self
    }
}

/// A statement of the host that contains PTX.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Statement {
    /// How the host holds the text.
    pub form: Form,
    /// The whole statement, from its keyword to its closing bracket.
    pub span: Range<usize>,
    /// `asm` or the name of the function.
    pub keyword: Range<usize>,
    /// Written `volatile`, or with `has_side_effects=True`.
    pub volatile: bool,
    /// The statement says that it changes memory.
    pub memory_clobber: bool,
    /// Whether the statement is the body of a macro.
    pub in_define: bool,
    /// The operands in the order of their indices.
    pub operands: Vec<Operand>,
    /// The contents of the literals in the list of clobbers.
    pub clobbers: Vec<Range<usize>>,
    /// The contents of the literals of the text, without quotes.
    pub literals: Vec<Range<usize>>,
    /// The bytes of the group's `ptx` that come from this statement.
    pub ptx: Range<usize>,
    /// Why the statement is not known as a whole. Empty if it is.
    pub flaws: Vec<Flaw>,
    /// The `ptx:` comment directly above.
    pub comment: Option<Arc<PtxComment>>,
    /// How each of `literals` writes text.
    pub(crate) writing: Vec<Writing>,
    /// Where `"memory"` may be inserted, and the text to insert.
    pub(crate) add_memory: Option<(usize, String)>,
}

impl Statement {
    /// Whether all of the text and all operands are known.
    #[must_use]
    pub fn is_static(&self) -> bool {
        self.flaws.is_empty()
    }
}

/// How a statement uses an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Access {
    /// Read only.
    Input,
    /// `=`: written only.
    Output,
    /// `+`: read and written.
    ReadWrite,
}

/// A constraint.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Constraint {
    /// The text, such as `=r`.
    pub text: String,
    /// Its place, without quotes.
    pub span: Range<usize>,
}

/// An operand of a statement.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Operand {
    /// From the constraint to the closing bracket. In Python the expression, or the constraint where there is none.
    pub span: Range<usize>,
    /// The constraint.
    pub constraint: Constraint,
    /// How the operand is used.
    pub access: Access,
    /// The expression of the host. Empty where it is not known.
    pub expression: Range<usize>,
    /// The value of a constant, where it is sure.
    pub value: Option<i128>,
}

/// The type of an operand in PTX.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// 16 bits.
    B16,
    /// 32 bits.
    B32,
    /// 64 bits.
    B64,
    /// 128 bits.
    B128,
    /// A 32-bit floating-point number.
    F32,
    /// A 64-bit floating-point number.
    F64,
    /// A predicate.
    Pred,
    /// An integer constant.
    Constant,
}

/// An operand as the PTX text sees it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Variable {
    /// The name in [`Group::ptx`].
    pub name: String,
    /// The name in the host text, such as `%0` or `$2`.
    pub spelling: String,
    /// The type.
    pub kind: Kind,
    /// How the statement uses it.
    pub access: Access,
    /// The value of a constant, where it is sure.
    pub value: Option<i128>,
    /// The index of the statement, and that of the operand in it.
    pub operand: (usize, usize),
}

/// What a mistake in the host text is about. Each is a diagnostic of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProblemKind {
    /// `=` or `+` in a constraint.
    Access,
    /// A clobber.
    Clobber,
    /// A constraint or register class.
    Constraint,
    /// The semicolon of the last instruction.
    MissingSemicolon,
    /// The number of operands.
    OperandCount,
    /// The index of an operand.
    OperandIndex,
    /// An operand with a modifier.
    OperandModifier,
    /// How the text names an operand.
    OperandName,
    /// A percent sign.
    Percent,
    /// A name with one percent sign beside operands.
    UnescapedName,
    /// An operand that the text does not use.
    UnusedOperand,
}

/// A mistake in the host text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Problem {
    /// What it is about.
    pub kind: ProblemKind,
    /// The place.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// Ways to correct it.
    pub fixes: Vec<HostFix>,
}

/// A correction of the host text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct HostFix {
    /// What the correction does.
    pub title: String,
    /// Its edits, relative to the start of the group.
    pub edits: Vec<HostEdit>,
}

/// A replacement of host bytes, relative to the start of the group.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct HostEdit {
    /// The bytes to replace.
    pub span: Range<usize>,
    /// The new text.
    pub text: String,
}

/// A change of the host text: the bytes `start..old_end` became `start..new_end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edit {
    /// Where the change begins.
    pub start: usize,
    /// Where the replaced text ended.
    pub old_end: usize,
    /// Where its replacement ends.
    pub new_end: usize,
}
