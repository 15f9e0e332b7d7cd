//! The elements of a matrix that each thread holds: `fragment` in `docs/dev/isa-format.md`.

use super::Emit;
use crate::emit::{choice, table};

table! {
    /// The distribution of a matrix over the registers of the threads of a warp or warpgroup.
    struct FragmentInfo {
        /// Its name, `mma-a`.
        name: &'static str,
        /// The name of the matrix: `A`.
        matrix: &'static str,
        /// The operands with this layout.
        uses: &'static [FragmentUse],
        /// The number of threads that hold it together: 32, or 128 of a warpgroup.
        threads: u16,
        /// The word for one element.
        unit: &'static str,
        /// The word for several elements.
        units: &'static str,
        /// The index, from 1, of the elements' type among the types in the modifiers; 0: none.
        ty: u8,
        /// Numbers that depend on modifiers.
        lets: &'static [Let],
        /// Other operands on which the layout depends.
        inputs: &'static [FormulaInput],
        /// The number of matrices.
        matrices: Expr,
        /// The number of rows of each matrix.
        rows: Expr,
        /// The number of columns of each matrix.
        columns: Expr,
        /// The number of elements that each thread holds; without steps: all are distributed evenly.
        count: Expr,
        /// The matrix of element `i`.
        part: Expr,
        /// The row of element `i`.
        row: Expr,
        /// The column of element `i`.
        column: Expr,
        /// Not 0 for the threads that hold any elements.
        held: Expr,
        /// The lowest bit of element `i` in its register; without steps: elements follow each other.
        position: Expr,
        /// The width of an element in bits; without steps: as many as fit.
        width: Expr,
        /// The phrase for an element that does not stand for itself, such as `stands for one of the columns`; else empty.
        spans: &'static str,
        /// The first row or column for which it stands.
        first: Expr,
        /// The last row or column for which it stands.
        last: Expr,
        /// The reason why there are no formulas, and an alternative; empty if there are formulas.
        unspecified: &'static str,
        /// Anchor in NVIDIA's online manual.
        manual: &'static str,
        /// Further documentation in Markdown.
        doc: &'static str,
        /// The data file and line.
        source: &'static str,
    }

    /// Operands with the same layout.
    struct FragmentUse {
        /// The full names of the instructions, `mma.sp`.
        instructions: &'static [&'static str],
        /// The names of the operands in their forms.
        operands: &'static [&'static str],
        /// Modifiers that must all be written; `slot=.value` selects one of several equal modifiers.
        with: &'static [&'static str],
        /// Modifiers that must not all be written.
        without: &'static [&'static str],
        /// The allowed types of the elements; empty: any.
        elements: &'static [&'static str],
    }

    /// A number that depends on modifiers.
    struct Let {
        /// Its name in formulas.
        name: &'static str,
        /// Its possible values; the first one whose modifiers are all written counts.
        values: &'static [LetValue],
    }

    /// A possible value of a [`Let`].
    struct LetValue {
        /// The number.
        value: i64,
        /// The modifiers that must all be written.
        with: &'static [&'static str],
    }

    /// A number in formulas that is read from another operand.
    struct FormulaInput {
        /// Its name in formulas.
        name: &'static str,
        /// The operand's name in the form.
        operand: &'static str,
        /// The index of the element in its list.
        element: u8,
    }

    /// A formula.
    struct Expr {
        /// As written in the data file.
        text: &'static str,
        /// The steps in postfix order.
        steps: &'static [FormulaStep],
    }
}

choice! {
    /// A step of a formula on a stack: values are pushed, an operation replaces the two on top by its result.
    enum FormulaStep {
        /// A number.
        Number(i64),
        /// A property of the element, the thread or the instruction.
        Variable(FormulaVariable),
        /// A number that depends on modifiers: index into [`FragmentInfo::lets`].
        Let(u8),
        /// A number from another operand: index into [`FragmentInfo::inputs`].
        Input(u8),
        /// An operation.
        Operation(FormulaOperation),
    }

    /// A variable of a formula.
    enum FormulaVariable {
        /// `lane`: the index of the thread in its warp.
        Lane,
        /// `warp`: the index of the warp in its warpgroup.
        Warp,
        /// `g`: `lane / 4`, the group of four threads.
        Group,
        /// `t`: `lane % 4`, the thread in its group of four.
        Quad,
        /// `i`: the index of the element, counted through the registers from the low bits on.
        Element,
        /// `r`: the index of its register, `i / e`.
        Register,
        /// `j`: its index in the register, `i % e`.
        Within,
        /// `e`: the number of elements per register.
        PerRegister,
        /// `row`, if it is known.
        Row,
        /// `column`, if it is known.
        Column,
        /// `m` of `.m16n8k16`.
        M,
        /// `n`.
        N,
        /// `k`.
        K,
        /// `rows` of `.16x64b`.
        Rows,
        /// `width` of `.16x64b`.
        Width,
        /// `x`: 4 of `.x4`.
        Times,
    }

    /// An operation.
    enum FormulaOperation {
        /// `+`.
        Add,
        /// `-`.
        Subtract,
        /// `*`.
        Multiply,
        /// `/`, rounded down.
        Divide,
        /// `%`.
        Remainder,
        /// `&`.
        And,
        /// `==`.
        Equal,
        /// `<`.
        Less,
    }
}

impl FormulaVariable {
    /// The words of the notation and their variants.
    pub const NAMES: &'static [(&'static str, Self)] = &[
        ("lane", Self::Lane),
        ("warp", Self::Warp),
        ("g", Self::Group),
        ("t", Self::Quad),
        ("i", Self::Element),
        ("r", Self::Register),
        ("j", Self::Within),
        ("e", Self::PerRegister),
        ("row", Self::Row),
        ("column", Self::Column),
        ("m", Self::M),
        ("n", Self::N),
        ("k", Self::K),
        ("rows", Self::Rows),
        ("width", Self::Width),
        ("x", Self::Times),
    ];
}

impl FormulaOperation {
    /// The signs of the notation, with their precedence.
    pub const SIGNS: &'static [(&'static str, u8, Self)] = &[
        ("==", 1, Self::Equal),
        ("<", 1, Self::Less),
        ("&", 2, Self::And),
        ("+", 3, Self::Add),
        ("-", 3, Self::Subtract),
        ("*", 4, Self::Multiply),
        ("/", 4, Self::Divide),
        ("%", 4, Self::Remainder),
    ];

    /// The result of the operation; `None` for a division by zero or an overflow.
    pub fn apply(self, a: i64, b: i64) -> Option<i64> {
        match self {
            Self::Add => a.checked_add(b),
            Self::Subtract => a.checked_sub(b),
            Self::Multiply => a.checked_mul(b),
            Self::Divide => a.checked_div_euclid(b),
            Self::Remainder => a.checked_rem_euclid(b),
            Self::And => Some(a & b),
            Self::Equal => Some(i64::from(a == b)),
            Self::Less => Some(i64::from(a < b)),
        }
    }
}

impl Expr {
    /// No formula.
    pub const NONE: Self = Self { text: "", steps: &[] };

    /// Whether there is a formula.
    pub fn is_some(&self) -> bool {
        !self.steps.is_empty()
    }
}
