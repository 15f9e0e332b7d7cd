//! What is one of several things.

use super::{Dimension, FormValue, Formula, OperandPair, OperandTest, SlotTest};
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

    /// Where execution goes on after an instruction.
    enum ControlTransfer {
        /// With the next one.
        Next,
        /// At a label, or at one of a list.
        Branch,
        /// In a function, and then with the next one unless the function does not return.
        Call,
        /// In the caller.
        Return,
        /// Nowhere.
        Exit,
    }

    /// What an instruction makes of its operands, for those analyses that follow values.
    enum Computes {
        /// Not followed by any analysis.
        Other,
        /// Operand `a`, in another type perhaps.
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
        /// What is left of `a / b`.
        Remainder,
        /// The bits that both have.
        And,
        /// The bits that one of them has.
        Xor,
        /// `a << b`.
        ShiftLeft,
        /// `a >> b`.
        ShiftRight,
        /// Whether `a` and `b` compare.
        Comparison,
    }

    /// Across which threads a value is the same.
    enum UniformExtent {
        /// The CTA.
        Cta,
        /// The warp.
        Warp,
        /// The thread alone.
        None,
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

    /// Which state spaces an address may name.
    enum Spaces {
        /// Any that generic addressing covers.
        Generic,
        /// The value of a slot; generic where the slot is not filled.
        Slot(u8),
        /// These.
        Named(&'static [&'static str]),
    }

    /// A number of bytes.
    enum ByteCount {
        /// Those of the operand's type, or of its list.
        Natural,
        /// So many.
        Fixed(u32),
        /// The value of another operand.
        Operand(&'static str),
    }

    /// The type of an operand.
    enum TypeExpr {
        /// None.
        None,
        /// The type in a slot.
        Slot(u8),
        /// This type, with its dot.
        Named(&'static str),
        /// Twice as wide.
        Wide(&'static TypeExpr),
        /// Half as wide.
        Half(&'static TypeExpr),
        /// `.bN` of the size.
        Bits(&'static TypeExpr),
    }

    /// The number of elements of an operand.
    enum Length {
        /// No list.
        Scalar,
        /// So many.
        Fixed(u16),
        /// The number in the value of a slot; not filled: no list.
        Slot(u8),
        /// By a map of the form.
        Map(u8),
        /// By a formula.
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
        /// `what` holds exactly where `when` holds.
        Iff,
    }

    /// Kind of a gate.
    enum GateKind {
        /// Needs one of the alternatives.
        Needs,
        /// Refused from there on.
        Until,
        /// Advised against from there on.
        Deprecated,
    }

    /// A term of a condition.
    enum Term {
        /// A slot has one of these values, or is filled.
        Slot(SlotTest),
        /// An optional operand is given.
        Operand(OperandTest),
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
        /// Packed or alternate formats that live in other registers.
        Packed,
        /// Textures, samplers and surfaces.
        Opaque,
    }
}
