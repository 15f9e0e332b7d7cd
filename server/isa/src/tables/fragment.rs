//! Which element of a matrix each thread holds: `fragment` in `docs/dev/isa-format.md`.

use super::Emit;
use crate::emit::{choice, table};

table! {
    /// How a matrix is spread over the registers of the threads of a warp or warpgroup.
    struct FragmentInfo {
        /// Its name, `mma-a`.
        name: &'static str,
        /// What the matrix is called: `A`.
        matrix: &'static str,
        /// The operands that are laid out so.
        uses: &'static [FragmentUse],
        /// How many threads hold it together: 32, or 128 of a warpgroup.
        threads: u16,
        /// What one element is called, and several.
        unit: &'static str,
        /// The same for several.
        units: &'static str,
        /// Which of the types among the modifiers is that of the elements, from 1; 0: none.
        ty: u8,
        /// Numbers that depend on modifiers.
        lets: &'static [Let],
        /// Other operands that the layout depends on.
        inputs: &'static [FormulaInput],
        /// How many matrices there are.
        matrices: Expr,
        /// Rows of each.
        rows: Expr,
        /// Columns of each.
        columns: Expr,
        /// Elements that each thread holds; without steps: all are spread evenly.
        count: Expr,
        /// In which matrix element `i` is.
        part: Expr,
        /// In which row.
        row: Expr,
        /// In which column.
        column: Expr,
        /// Not 0 in the threads that hold elements at all.
        held: Expr,
        /// The lowest bit of element `i` in its register; without steps: elements follow each other.
        position: Expr,
        /// Bits of an element; without steps: as many as fit.
        width: Expr,
        /// What an element stands for in words, `stands for one of the columns`; empty: itself.
        spans: &'static str,
        /// The first of what it stands for.
        first: Expr,
        /// The last.
        last: Expr,
        /// Why there are no formulas, and what to do; empty: there are.
        unspecified: &'static str,
        /// Anchor in NVIDIA's online manual.
        manual: &'static str,
        /// What else there is to know, Markdown.
        doc: &'static str,
        /// Data file and line.
        source: &'static str,
    }

    /// Operands that are laid out in one way.
    struct FragmentUse {
        /// Full names of instructions, `mma.sp`.
        instructions: &'static [&'static str],
        /// Names of operands in their forms.
        operands: &'static [&'static str],
        /// All of these must be written; `slot=.value` for one of several equal modifiers.
        with: &'static [&'static str],
        /// Not all of these are written.
        without: &'static [&'static str],
        /// The type of the elements is one of these; empty: any.
        elements: &'static [&'static str],
    }

    /// A number that depends on modifiers.
    struct Let {
        /// Its name in formulas.
        name: &'static str,
        /// The first line of which all modifiers are written says it.
        values: &'static [LetValue],
    }

    /// One of the values.
    struct LetValue {
        /// The number.
        value: i64,
        /// All of these are written.
        with: &'static [&'static str],
    }

    /// A number that is read from another operand.
    struct FormulaInput {
        /// Its name in formulas.
        name: &'static str,
        /// The operand's name in the form.
        operand: &'static str,
        /// Which element of its list, from 0.
        element: u8,
    }

    /// A formula.
    struct Expr {
        /// As written in the data file.
        text: &'static str,
        /// In postfix order.
        steps: &'static [FormulaStep],
    }
}

choice! {
    /// A step of a formula: values are pushed, an operation takes the two on top.
    enum FormulaStep {
        /// A number.
        Number(i64),
        /// What is known of the element, the thread or the instruction.
        Variable(FormulaVariable),
        /// A number that depends on modifiers, by index.
        Let(u8),
        /// A number from another operand, by index.
        Input(u8),
        /// An operation.
        Operation(FormulaOperation),
    }

    /// A variable of a formula.
    enum FormulaVariable {
        /// `lane`: the thread in its warp.
        Lane,
        /// `warp`: the warp in its warpgroup.
        Warp,
        /// `g`: `lane / 4`, which group of four.
        Group,
        /// `t`: `lane % 4`, which thread of the four.
        Quad,
        /// `i`: the element, counted through the registers from the low bits on.
        Element,
        /// `r`: its register, `i / e`.
        Register,
        /// `j`: which one of its register, `i % e`.
        Within,
        /// `e`: elements in a register.
        PerRegister,
        /// `row`, where it is known.
        Row,
        /// `column`, where it is known.
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
    /// The words of the notation.
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
    /// The signs of the notation with how tightly they bind.
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

    /// Its value; none where a division has no result or the numbers are too large.
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
