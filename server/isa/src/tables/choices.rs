//! The enumerations of the tables.

use super::{Dimension, FormValue, Formula, OperandPair};
use crate::emit::{Emit, choice};

choice! {
    /// The syntactic pattern of an operand.
    enum FormPattern {
        /// A value, a list in braces or a label.
        Value(FormValue),
        /// `[a]`, `[a, b]`.
        Address(&'static [FormValue]),
        /// `d|p`.
        Pair(&'static OperandPair),
        /// `(a, b, …)`.
        Arguments(FormValue),
        /// `_`.
        Sink,
    }

    /// Whether an operand is read, written or both.
    enum OperandAccess {
        /// Read.
        Read,
        /// Written.
        Write,
        /// Read and written.
        Update,
    }

    /// How control continues after an instruction.
    enum ControlTransfer {
        /// Execution continues with the next instruction.
        Next,
        /// A branch to a label, or to one of a list.
        Branch,
        /// A call of a function. Execution then continues with the next instruction, unless the function does not return.
        Call,
        /// A return to the caller.
        Return,
        /// The thread ends.
        Exit,
    }

    /// The operation of an instruction, for analyses that follow values.
    enum Computes {
        /// Not followed by any analysis.
        Other,
        /// Operand `a`, possibly converted to another type.
        Copy,
        /// `a + b`.
        Sum,
        /// `a * b + c`.
        ProductSum,
        /// `a - b`.
        Difference,
        /// `a * b`.
        Product,
        /// `a / b`.
        Quotient,
        /// The remainder of `a / b`.
        Remainder,
        /// Bitwise AND.
        And,
        /// Bitwise XOR.
        Xor,
        /// `a << b`.
        ShiftLeft,
        /// `a >> b`.
        ShiftRight,
        /// A comparison of `a` and `b`.
        Comparison,
    }

    /// The kind of an operand value.
    enum ValueKind {
        /// A register or an immediate.
        Value,
        /// A memory operand.
        Address(Spaces),
        /// A label.
        Label,
        /// A function, or a register that holds its address.
        Function,
        /// The label of a list of targets or of a prototype.
        Targets,
        /// A list in parentheses.
        Arguments,
        /// A texture, sampler or surface.
        Opaque(&'static str),
        /// Anything.
        Any,
    }

    /// The state spaces of an address.
    enum Spaces {
        /// All spaces that generic addressing covers.
        Generic,
        /// The value of the slot with this index; generic if the slot is empty.
        Slot(u8),
        /// These spaces.
        Named(&'static [&'static str]),
    }

    /// A number of bytes.
    enum ByteCount {
        /// The size of the operand's type, or of its list.
        Natural,
        /// A fixed number.
        Fixed(u32),
        /// The value of another operand.
        Operand(&'static str),
    }

    /// The type of an operand.
    enum TypeExpr {
        /// No type.
        None,
        /// The type in the slot with this index.
        Slot(u8),
        /// This type, with its dot.
        Named(&'static str),
        /// A type twice as wide.
        Wide(&'static TypeExpr),
        /// A type half as wide.
        Half(&'static TypeExpr),
        /// The `.bN` type of the same size.
        Bits(&'static TypeExpr),
    }

    /// The number of elements of an operand.
    enum Length {
        /// A single value instead of a list.
        Scalar,
        /// A fixed number.
        Fixed(u16),
        /// The number in the value of a slot; if the slot is empty: a single value.
        Slot(u8),
        /// Given by a map of the form, by index.
        Map(u8),
        /// Given by a formula.
        Formula(&'static Formula),
    }

    /// A factor of a formula.
    enum Factor {
        /// A number.
        Number(u16),
        /// The number in the value of a slot: 4 of `.x4`.
        Slot(u8),
        /// The size in bits of the type in a slot.
        Bits(u8),
        /// A dimension of the shape in a slot: `m`, `n`, `k` of `.m16n8k16`, `rows`, `width` of `.16x64b`.
        Dimension(Dimension),
    }

    /// Kind of a rule.
    enum RuleKind {
        /// `what` must not hold.
        Forbid,
        /// `what` must hold.
        Require,
        /// `what` must hold if and only if `when` holds.
        Iff,
    }

    /// Class of a type.
    enum TypeClass {
        /// `.pred`.
        Pred,
        /// `.bN`.
        Bits,
        /// `.uN`.
        Uint,
        /// `.sN`.
        Sint,
        /// `.fN`.
        Float,
        /// Packed or alternate formats, which use registers of other types.
        Packed,
        /// Textures, samplers and surfaces.
        Opaque,
    }

    /// On which instructions the assembler accepts a type as a modifier without effect.
    enum IgnoredType {
        /// On none.
        Nowhere,
        /// On all.
        Everywhere,
        /// On those that take types of narrow floating-point numbers ([`Entry::narrow`]).
        Narrow,
        /// On all others.
        Other,
    }
}
